// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/loop_code.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <utility>

#include "reference_plugin/cpu/native/inline_step.h"
#include "reference_plugin/cpu/native/kernel_emitter.h"
#include "reference_plugin/cpu/native/loop_places.h"

namespace plinth::cpu::native {
namespace {

using backend::NativeFrame;
using backend::NativeLoop;
using backend::NativeStep;
using compiler::plan::ArrayRef;
using compiler::plan::Plan;
using compiler::plan::PlanStep;
using compiler::plan::PlanStepKind;

using Xbyak::util::byte;
using Xbyak::util::eax;
using Xbyak::util::edx;
using Xbyak::util::esi;
using Xbyak::util::ptr;
using Xbyak::util::rax;
using Xbyak::util::rcx;
using Xbyak::util::rdi;
using Xbyak::util::rdx;
using Xbyak::util::rsi;
using Xbyak::util::rsp;

constexpr Xbyak::Reg64 kFrame(Xbyak::Operand::R14), kSlots(Xbyak::Operand::R13);
// Five: with the return address, an even number.
constexpr Xbyak::Reg64 kSaved[] = {kBases, kSlots, kFrame, kIndex,
                                   Xbyak::Reg64(Xbyak::Operand::RBP)};
constexpr size_t kMostTargets = 64;
constexpr size_t kLoopAlignment = 32;

// Functions that code calls.
void RunBound(const backend::Bindable* step, std::byte** slots) { step->RunBound(slots); }
void CopyBytes(void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); }

template <class Function>
uint64_t AddressOf(Function* function) {
  return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(function));
}

class LoopEmitter {
 public:
  LoopEmitter(const Plan& plan, std::span<const NativeStep> steps, int32_t first, int32_t last,
              const LoopPlaces& places)
      : plan_(plan),
        steps_(steps),
        first_(first),
        last_(last),
        places_(places),
        is_loop_start_(static_cast<size_t>(last - first + 1), false),
        stack_(static_cast<int32_t>(places.residents().size()) * kVectorBytes),
        assembler_(std::make_unique<Assembler>()),
        code_(*assembler_),
        vector_(code_, pool_) {
    for (int32_t s = first; s <= last; ++s) {
      labels_[s];
      const PlanStep& step = plan.steps[static_cast<size_t>(s)];
      for (const int32_t target : step.targets) {
        if (target <= s && target >= first) {
          is_loop_start_[static_cast<size_t>(target - first)] = true;
        }
      }
    }
  }

  std::unique_ptr<Assembler> Emit();

 private:
  Xbyak::Label& LabelOf(int32_t step) { return labels_[step]; }
  void LoadBase(const Xbyak::Reg64& dst, int32_t allocation) {
    code_.mov(dst, ptr[kBases + 8 * allocation]);
  }
  void EmitStart();
  void EmitEnd();
  void EmitStep(int32_t s);
  void EmitInline(int32_t s, const InlineStep& code);
  void EmitCopy(const PlanStep& step);
  void EmitJump(int32_t s, int32_t target);
  void EmitSwitch(const PlanStep& step);
  // Registers are the callee's; what is in rdi and the like stays until the call.
  void EmitCall(uint64_t function);
  void LoadResident(const Resident& resident);
  void StoreResident(const Resident& resident);

  const Plan& plan_;
  const std::span<const NativeStep> steps_;
  const int32_t first_, last_;
  const LoopPlaces& places_;
  std::vector<bool> is_loop_start_;  // by step
  // Bytes of the stack: residents during calls, then what kernels put aside.
  const int32_t stack_;
  int32_t stack_end_ = 0;
  std::unique_ptr<Assembler> assembler_;
  Assembler& code_;  // of assembler_
  ConstantPool pool_;
  VectorCode vector_;
  std::vector<std::function<void()>> rest_;
  Xbyak::Label end_, stopped_, failed_;
  std::map<int32_t, Xbyak::Label> labels_;  // by step; those outside are exits
};

void LoopEmitter::LoadResident(const Resident& resident) {
  LoadBase(rax, resident.allocation);
  if (resident.dtype == DType::kPred) {
    code_.movzx(eax, byte[rax]);
    code_.MaskOf(eax);
    code_.vmovd(Xbyak::Xmm(resident.reg.getIdx()), eax);
  } else {
    vector_.LoadLanes(resident.reg, ptr[rax], resident.bytes / kLaneBytes);
  }
}

void LoopEmitter::StoreResident(const Resident& resident) {
  LoadBase(rcx, resident.allocation);
  if (resident.dtype == DType::kPred) {
    code_.vmovd(edx, Xbyak::Xmm(resident.reg.getIdx()));
    code_.and_(edx, 1);
    code_.mov(byte[rcx], Xbyak::util::dl);
  } else {
    vector_.StoreLanes(ptr[rcx], resident.reg, resident.bytes / kLaneBytes);
  }
}

void LoopEmitter::EmitStart() {
  code_.mov(kFrame, rdi);
  code_.mov(kBases, ptr[kFrame + offsetof(NativeFrame, bases)]);
  code_.mov(kSlots, ptr[kFrame + offsetof(NativeFrame, slots)]);
  for (const Resident& resident : places_.residents()) {
    if (resident.comes) LoadResident(resident);
  }
}

// eax has the result.
void LoopEmitter::EmitEnd() {
  for (auto& [step, label] : labels_) {
    if (step >= first_ && step <= last_) continue;
    code_.L(label);
    code_.mov(eax, static_cast<uint32_t>(step));
    code_.jmp(end_);
  }
  code_.L(failed_);
  code_.mov(eax, static_cast<uint32_t>(NativeLoop::kFailed));
  code_.jmp(end_);
  code_.L(stopped_);
  code_.mov(eax, static_cast<uint32_t>(NativeLoop::kStopped));
  code_.L(end_);
  for (const Resident& resident : places_.residents()) {
    if (resident.comes && resident.is_written) StoreResident(resident);
  }
  code_.vzeroupper();
}

void LoopEmitter::EmitCall(uint64_t function) {
  const auto home = [](const Resident& resident) {
    return ptr[rsp + resident.reg.getIdx() * kVectorBytes];
  };
  for (const Resident& resident : places_.residents()) vector_.Store(home(resident), resident.reg);
  code_.vzeroupper();
  code_.mov(rax, function);
  code_.call(rax);
  for (const Resident& resident : places_.residents()) vector_.Load(resident.reg, home(resident));
}

void LoopEmitter::EmitInline(int32_t s, const InlineStep& code) {
  const PlanStep& step = plan_.steps[static_cast<size_t>(s)];
  std::vector<Place> operands, results;
  for (const ArrayRef& array : step.operands) operands.push_back(places_.PlaceOf(array));
  for (const ArrayRef& array : step.results) results.push_back(places_.PlaceOf(array));
  const auto first_free = static_cast<int>(places_.residents().size());
  const InlineContext context{code_,
                              pool_,
                              stack_,
                              first_free,
                              [this](uint64_t f) { EmitCall(f); },
                              [this](auto emit) { rest_.push_back(std::move(emit)); }};
  stack_end_ = std::max(stack_end_, stack_ + code.Emit(step, context, operands, results));
}

void LoopEmitter::EmitCopy(const PlanStep& step) {
  const ArrayRef &from = step.operands[0], &to = step.results[0];
  const std::optional<Vec> source = places_.RegisterOf(from.allocation),
                           target = places_.RegisterOf(to.allocation);
  const int64_t bytes = to.type.SizeInBytes();
  if (source.has_value() && target.has_value()) return vector_.Move(*target, *source);
  if (target.has_value()) {
    return LoadResident({from.allocation, *target, bytes, to.type.dtype});
  }
  if (source.has_value()) {
    return StoreResident({to.allocation, *source, bytes, to.type.dtype});
  }
  LoadBase(rdi, to.allocation);
  LoadBase(rsi, from.allocation);
  if (bytes == kLaneBytes) {
    code_.mov(eax, ptr[rsi]);
    return code_.mov(ptr[rdi], eax);
  }
  if (bytes == 1) {
    code_.movzx(eax, byte[rsi]);
    return code_.mov(byte[rdi], Xbyak::util::al);
  }
  code_.mov(rdx, static_cast<uint64_t>(bytes));
  EmitCall(AddressOf(&CopyBytes));
}

void LoopEmitter::EmitJump(int32_t s, int32_t target) {
  if (target <= s && target >= first_) {
    for (const size_t flag : {offsetof(NativeFrame, stop), offsetof(NativeFrame, stop_too)}) {
      code_.mov(rax, ptr[kFrame + flag]);
      code_.cmp(byte[rax], 0);
      code_.jne(stopped_);
    }
  }
  if (target != s + 1 || target > last_) code_.jmp(LabelOf(target));
}

void LoopEmitter::EmitSwitch(const PlanStep& step) {
  const std::optional<Vec> index = places_.RegisterOf(step.operands[0].allocation);
  if (index.has_value()) {
    code_.vmovd(eax, Xbyak::Xmm(index->getIdx()));
  } else {
    LoadBase(rax, step.operands[0].allocation);
    code_.mov(eax, ptr[rax]);
  }
  for (size_t i = 0; i + 1 < step.targets.size(); ++i) {
    code_.cmp(eax, static_cast<uint32_t>(i));
    code_.je(LabelOf(step.targets[i]));
  }
  code_.jmp(LabelOf(step.targets.back()));
}

void LoopEmitter::EmitStep(int32_t s) {
  const PlanStep& step = plan_.steps[static_cast<size_t>(s)];
  const NativeStep& native = steps_[static_cast<size_t>(s)];
  if (is_loop_start_[static_cast<size_t>(s - first_)]) code_.align(kLoopAlignment);
  code_.L(LabelOf(s));
  if (const InlineStep* code = places_.InlineOf(s)) return EmitInline(s, *code);
  switch (step.kind) {
    case PlanStepKind::kKernel:
      if (native.bindable != nullptr) {
        code_.mov(rdi, AddressOf(native.bindable));
        code_.lea(rsi, ptr[kSlots + 8 * native.first_slot]);
        return EmitCall(AddressOf(&RunBound));
      }
      [[fallthrough]];
    case PlanStepKind::kLibrary: {
      code_.mov(rdi, ptr[kFrame + offsetof(NativeFrame, run)]);
      code_.mov(esi, static_cast<uint32_t>(s));
      code_.mov(rdx, ptr[kFrame + offsetof(NativeFrame, run_step)]);
      EmitCall(AddressOf(+[](void* run, int32_t number, bool (*run_step)(void*, int32_t)) {
        return run_step(run, number) ? 1 : 0;
      }));
      code_.cmp(eax, 0);
      return code_.je(failed_);
    }
    case PlanStepKind::kCopy:
      return EmitCopy(step);
    case PlanStepKind::kJump:
      return EmitJump(s, step.targets[0]);
    case PlanStepKind::kJumpUnless:
      if (const std::optional<Vec> pred = places_.RegisterOf(step.operands[0].allocation)) {
        code_.vmovd(eax, Xbyak::Xmm(pred->getIdx()));
        code_.cmp(eax, 0);
      } else {
        LoadBase(rax, step.operands[0].allocation);
        code_.cmp(byte[rax], 0);
      }
      return code_.je(LabelOf(step.targets[0]));
    case PlanStepKind::kSwitch:
      return EmitSwitch(step);
  }
}

std::unique_ptr<Assembler> LoopEmitter::Emit() {
  stack_end_ = stack_;
  for (const Xbyak::Reg64& reg : kSaved) code_.push(reg);
  const size_t reserved = code_.ReserveStack();
  EmitStart();
  for (int32_t s = first_; s <= last_; ++s) EmitStep(s);
  EmitEnd();
  // Calls find the stack aligned.
  const int32_t bytes = (stack_end_ + 15) / 16 * 16;
  code_.SetStack(reserved, bytes);
  code_.add(rsp, static_cast<uint32_t>(bytes));
  for (size_t i = std::size(kSaved); i-- > 0;) code_.pop(kSaved[i]);
  code_.ret();
  for (const std::function<void()>& emit : rest_) emit();
  pool_.Write(code_);
  code_.ready(Xbyak::CodeArray::PROTECT_RW);
  return std::move(assembler_);
}

// Whether the step can be part of the code, be it as a call.
bool CanRun(const PlanStep& step, const NativeStep& native) {
  switch (step.kind) {
    case PlanStepKind::kKernel:
    case PlanStepKind::kLibrary:
      return native.runs_through;
    case PlanStepKind::kSwitch:
      return step.targets.size() <= kMostTargets;
    default:
      return true;
  }
}

}  // namespace

std::optional<LoopCode> LoopCode::Make(const Plan& plan, std::span<const NativeStep> steps,
                                       int32_t first, int32_t last) {
  for (int32_t s = first; s <= last; ++s) {
    const auto step = static_cast<size_t>(s);
    if (!CanRun(plan.steps[step], steps[step])) return std::nullopt;
  }
  const LoopPlaces places(plan, first, last);
  bool gains = false;
  for (int32_t s = first; s <= last; ++s) gains = gains || places.InlineOf(s) != nullptr;
  if (!gains) return std::nullopt;
  LoopCode result;
  try {
    result.code_ = LoopEmitter(plan, steps, first, last, places).Emit();
  } catch (const Xbyak::Error&) {
    return std::nullopt;
  }
  return result;
}

}  // namespace plinth::cpu::native
