// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/kernel_emitter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cpu/math/tile_functions.h"
#include "reference_plugin/cpu/native/lane_ops.h"
#include "reference_plugin/cpu/native/lane_reduction.h"

namespace plinth::cpu::native {
namespace {

using compiler::Access;
using compiler::NodeKind;
using Xbyak::util::eax;
using Xbyak::util::ptr;
using Xbyak::util::rsp;

uint32_t LaneOf(DType type, const compiler::ScalarBits& bits) {
  if (type == DType::kPred) return (bits.low & 0xFF) != 0 ? ~0u : 0;
  return static_cast<uint32_t>(bits.low);
}

constexpr math::TileParameters kNoParameters;

}  // namespace

KernelEmitter::KernelEmitter(const compiler::Kernel& kernel, const InlineContext& context,
                             std::span<const Place> operands, std::span<const Place> results)
    : kernel_(kernel),
      context_(context),
      code_(context.code),
      pool_(context.pool),
      vector_(code_, pool_),
      memory_(code_, pool_, vector_),
      functions_(code_, vector_),
      stack_(context.stack),
      values_(context, vector_, stack_),
      addresses_(kernel.shape, context, stack_, operands, results),
      operands_(operands),
      results_(results) {}

// Of what is needed: stores and reductions, and what they need.
void KernelEmitter::CountUses() {
  for (const compiler::Store& store : phase_->stores) values_.Need(store.node);
  for (const compiler::Reduction& reduction : phase_->reductions) {
    values_.Need(reduction.inputs[0]);
    values_.Need(reduction.initial[0]);
  }
  for (const auto& [key, row] : rows_) {
    if (key.first == number_) values_.Need(key.second);
  }
  for (size_t n = phase_->nodes.size(); n-- > 0;) {
    const Node& node = phase_->nodes[n];
    if (node.kind != NodeKind::kOp || !values_.IsNeeded(static_cast<int32_t>(n))) continue;
    if (const std::optional<LaneSet>& chosen = known_.ChosenBy(node)) {
      const LaneSet needed = known_.needed[n];
      if ((needed & *chosen) != 0) values_.Need(node.operands[1]);
      if ((needed & ~*chosen) != 0) values_.Need(node.operands[2]);
      continue;
    }
    for (size_t i = 0; i < node.num_operands; ++i) values_.Need(node.operands[i]);
  }
}

// Of the lanes that are computed.
Xbyak::Address KernelEmitter::InRow(const Row& row) const {
  if (row.is_one) return row.Vector(0);
  const Xbyak::RegExp first = rsp + static_cast<size_t>(row.place + group_.first * kLaneBytes);
  return ptr[group_.repeats == 1 ? first : first + kIndex * static_cast<int>(kLaneBytes)];
}

void KernelEmitter::Keep(int32_t node, const Row& row) {
  const Vec reg = Register(node);
  if (row.is_one) {
    const Vec all = values_.NewRegister();
    vector_.Shuffle(all, reg, std::array<int64_t, kLanes>{}, 0);
    vector_.Store(row.Vector(0), all);
  } else {
    vector_.Store(InRow(row), reg);
  }
  values_.Release(node);
  values_.Unlock();
}

Vec KernelEmitter::Register(int32_t node) {
  if (!values_.IsAnywhere(node)) LoadInput(node);
  return values_.Register(node);
}

// By how many elements the lanes of each repetition lie behind the last.
int64_t KernelEmitter::StepOf(const LaneMap& map) const {
  return group_.repeats == 1 ? 0 : *map.StepFrom(group_.first);
}

// The lanes that are computed of an array that begins there.
Xbyak::RegExp KernelEmitter::LanesOf(const Xbyak::RegExp& array, DType type,
                                     const LaneMap& map) const {
  const int scale = *ScaleOfStep(StepOf(map) * ByteSize(type));
  return scale == 0 ? array : array + kIndex * scale;
}

void KernelEmitter::LoadInput(int32_t n) {
  const auto number = static_cast<size_t>(phase_->nodes[static_cast<size_t>(n)].index);
  const Access& access = kernel_.shape.inputs[number];
  const LaneMap& all = lanes_.inputs[number];
  const Place& place = operands_[static_cast<size_t>(access.buffer)];
  if (const std::optional<LaneSet>& pred = known_.preds[static_cast<size_t>(n)]) {
    ConstantPool::Vector mask{};
    for (size_t lane = 0; lane < mask.size(); ++lane) mask[lane] = 0 - (*pred >> lane & 1u);
    return values_.SetMemory(n, pool_.Find(mask));
  }
  // An index may lead to the array's end. A register has more lanes than the array has elements.
  const int64_t behind = StepOf(all) * (group_.repeats - 1);
  const int64_t size = place.reg.has_value() ? kLanes
                       : access.dynamic_offsets.empty()
                           ? place.bytes / ByteSize(access.dtype) - behind
                           : 0;
  const LaneMap map =
      Relax(all.Part(group_.first, group_.lanes), known_.needed[static_cast<size_t>(n)], size);
  const uint32_t fill = LaneOf(access.dtype, access.fill);
  if (place.reg.has_value() && map.IsIdentity()) return values_.SetArrayRegister(n, *place.reg);
  const Vec reg = values_.NewRegister();
  values_.SetRegister(n, reg);
  if (place.reg.has_value()) return vector_.Shuffle(reg, *place.reg, map.elements, fill);
  const Xbyak::RegExp array = LanesOf(addresses_.OfInput(number), access.dtype, all);
  memory_.Load(reg, array, access.dtype, map, fill, size);
}

// Its numbers are known, but where one group stands for several.
void KernelEmitter::LoadIota(int32_t n) {
  const Node& node = phase_->nodes[static_cast<size_t>(n)];
  const LaneMap& all = lanes_.iotas[static_cast<size_t>(node.index)];
  const auto offset = static_cast<int64_t>(node.constant.low),
             stride = static_cast<int64_t>(node.constant.high);
  const int64_t step = StepOf(all) * stride;
  const bool is_float = node.dtype == DType::kF32;
  ConstantPool::Vector first{};
  for (int64_t lane = 0; lane < group_.lanes; ++lane) {
    const auto number = static_cast<int32_t>(
        offset + stride * all.elements[static_cast<size_t>(group_.first + lane)]);
    first[static_cast<size_t>(lane)] = is_float && step == 0
                                           ? std::bit_cast<uint32_t>(static_cast<float>(number))
                                           : static_cast<uint32_t>(number);
  }
  if (step == 0) return values_.SetMemory(n, pool_.Find(first));
  constexpr uint8_t kLaneBits = 3;
  const Vec reg = values_.NewRegister();
  code_.mov(eax, kIndex.cvt32());
  code_.shr(eax, kLaneBits);
  code_.imul(eax, eax, static_cast<int>(step));
  code_.vmovd(Xbyak::Xmm(reg.getIdx()), eax);
  code_.vpbroadcastd(reg, Xbyak::Xmm(reg.getIdx()));
  code_.vpaddd(reg, reg, pool_.Find(first));
  if (is_float) code_.vcvtdq2ps(reg, reg);
  values_.SetRegister(n, reg);
  values_.Unlock();
}

void KernelEmitter::EmitOp(int32_t n) {
  const Node& written = phase_->nodes[static_cast<size_t>(n)];
  if (const std::optional<LaneSet>& chosen = known_.ChosenBy(written)) {
    return EmitChoice(n, *chosen);
  }
  const OpForm form = FormOf(*phase_, written, vector_.lanes());
  if (form == OpForm::kFunction) return EmitFunction(n);
  if (form == OpForm::kCall) return EmitRoutine(n);
  const DType type = OperandType(*phase_, written);
  const Node node = InOrder(written, type);
  if (EmitOnMemory(n, node, type)) return;
  Vec operands[3];
  for (size_t i = 0; i < node.num_operands; ++i) operands[i] = Register(node.operands[i]);
  const auto release = [&] {
    for (size_t i = 0; i < node.num_operands; ++i) values_.Release(node.operands[i]);
  };
  const bool in_place = VectorCode::IsOneInstruction(node, type);
  if (in_place) {
    release();
    values_.Unlock();
    // What is still needed must not be put aside for the result: it may be an operand.
    for (size_t i = 0; i < node.num_operands; ++i) values_.LockIfOwned(operands[i]);
  }
  const Vec reg = values_.NewRegister();
  vector_.Emit(node, type, reg, {operands, node.num_operands});
  if (!in_place) release();
  values_.SetRegister(n, reg);
  values_.Unlock();
}

// A select of which it is known what each lane chooses.
void KernelEmitter::EmitChoice(int32_t n, LaneSet chosen) {
  const Node& node = phase_->nodes[static_cast<size_t>(n)];
  const LaneSet needed = known_.needed[static_cast<size_t>(n)];
  const int32_t there = node.operands[1], else_here = node.operands[2];
  const bool is_there = (needed & ~chosen) == 0;
  if (is_there || (needed & chosen) == 0) {
    const int32_t same = is_there ? there : else_here;
    if (!values_.IsAnywhere(same)) LoadInput(same);
    return values_.BeSame(n, same);
  }
  const Vec first = Register(else_here), second = Register(there);
  values_.Release(else_here);
  values_.Release(there);
  values_.Unlock();
  values_.LockIfOwned(first);
  values_.LockIfOwned(second);
  const Vec reg = values_.NewRegister();
  code_.vblendps(reg, first, second, chosen);
  values_.SetRegister(n, reg);
  values_.Unlock();
}

// A constant, or what was put aside, is an operand where it lies.
bool KernelEmitter::EmitOnMemory(int32_t n, const Node& node, DType type) {
  if (!vector_.HasMemoryForm(node, type)) return false;
  const auto in_memory = [&](int32_t operand) {
    return !values_.HasRegister(operand) && values_.MemoryOf(operand).has_value();
  };
  int32_t a = node.operands[0], b = node.operands[1];
  // Of two NaNs the first counts.
  const auto may_be_nan = [&](int32_t operand) {
    const Node& made = phase_->nodes[static_cast<size_t>(operand)];
    return made.kind != NodeKind::kConstant ||
           std::isnan(std::bit_cast<float>(LaneOf(made.dtype, made.constant)));
  };
  const bool may_swap = compiler::InfoOf(node.opcode).commutative &&
                        (type != DType::kF32 || !may_be_nan(a) || !may_be_nan(b));
  if (in_memory(a) && may_swap) std::swap(a, b);
  if (!in_memory(b) || a == b) return false;
  const Vec first = Register(a);
  // Loading the other operand may have put this one elsewhere, never out of memory.
  const Xbyak::Address second = *values_.MemoryOf(b);
  values_.Release(a);
  values_.Release(b);
  values_.Unlock();
  values_.LockIfOwned(first);
  const Vec reg = values_.NewRegister();
  vector_.EmitOnMemory(node, type, reg, first, second);
  values_.SetRegister(n, reg);
  values_.Unlock();
  return true;
}

// By a call, on the lanes in memory; every other value is there too, or an array's.
void KernelEmitter::EmitRoutine(int32_t n) {
  constexpr Xbyak::Operand::Code kArguments[] = {Xbyak::Operand::RSI, Xbyak::Operand::RDX,
                                                 Xbyak::Operand::RCX};
  const Node& node = phase_->nodes[static_cast<size_t>(n)];
  for (size_t i = 0; i < node.num_operands; ++i) {
    if (!values_.MemoryOf(node.operands[i]).has_value()) Register(node.operands[i]);
    values_.PutAside(node.operands[i]);
    values_.Unlock();
  }
  for (size_t i = 0; i < node.num_operands; ++i) values_.Release(node.operands[i]);
  values_.PutAllAside();
  const Xbyak::Address result = stack_.NewVector();
  code_.lea(Xbyak::util::rdi, result);
  for (size_t i = 0; i < node.num_operands; ++i) {
    code_.lea(Xbyak::Reg64(kArguments[i]), *values_.MemoryOf(node.operands[i]));
  }
  code_.mov(Xbyak::util::r8d, static_cast<uint32_t>(vector_.lanes()));
  code_.mov(Xbyak::util::r9, static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&kNoParameters)));
  context_.call(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(RoutineOf(*phase_, node))));
  const Vec reg = values_.NewRegister();
  vector_.LoadLanes(reg, result, vector_.lanes());
  values_.SetRegister(n, reg);
  values_.Unlock();
}

void KernelEmitter::EmitFunction(int32_t n) {
  const Node& node = phase_->nodes[static_cast<size_t>(n)];
  const Vec x = Register(node.operands[0]), reg = values_.NewRegister();
  emit::FunctionCode::Copy copy;
  copy.dst = reg;
  copy.x = x;
  const std::span temporaries(copy.t.data(), emit::FunctionCode::TemporariesOf(node.opcode));
  for (Vec& temporary : temporaries) temporary = values_.NewRegister();
  functions_.Emit(node.opcode, {&copy, 1});
  values_.Release(node.operands[0]);
  values_.SetRegister(n, reg);
  values_.Unlock();
}

// Where functions go on for rare lanes, of a group.
void KernelEmitter::EmitRest() {
  if (!functions_.has_rest()) return;
  Xbyak::Label end;
  code_.jmp(end);
  functions_.EmitRest();
  code_.L(end);
}

void KernelEmitter::EmitReduction(const compiler::Reduction& reduction, std::optional<Row> row) {
  const int32_t input = reduction.inputs[0];
  LaneReduction code(*compiler::SingleOp(reduction.combiner),
                     phase_->nodes[static_cast<size_t>(input)].dtype, vector_, values_);
  if (row.has_value()) {
    vector_.set_lanes(kLanes);
    code.FoldRow(*row, lanes_.points);
  }
  const Vec sum = values_.NewRegister(), moved = values_.NewRegister(),
            combined = values_.NewRegister();
  if (row.has_value()) {
    vector_.Load(sum, row->Vector(0));
  } else {
    vector_.Move(sum, Register(input));
    values_.Release(input);
  }
  code.FoldLanes(sum, moved, combined);
  code.AddInitial(combined, Register(reduction.initial[0]), sum);
  // It is read in another phase.
  vector_.Shuffle(combined, combined, std::array<int64_t, kLanes>{}, 0);
  vector_.Store(reduced_.emplace_back(stack_.NewVector()), combined);
  values_.Release(reduction.initial[0]);
  values_.Unlock();
}

void KernelEmitter::EmitStore(const compiler::Store& store) {
  const auto number = static_cast<size_t>(store.output);
  const Access& access = kernel_.shape.outputs[number];
  const LaneMap map = lanes_.outputs[number].Part(group_.first, group_.lanes);
  const Place& place = results_[static_cast<size_t>(access.buffer)];
  const Vec reg = Register(store.node);
  const auto count = static_cast<int64_t>(map.elements.size());
  if (!place.reg.has_value()) {
    const Xbyak::RegExp array =
        LanesOf(addresses_.OfOutput(number), access.dtype, lanes_.outputs[number]);
    memory_.Store(array, access.dtype, map, reg);
  } else if (map.IsIdentity() && count * ByteSize(access.dtype) == place.bytes) {
    vector_.Move(*place.reg, reg);
  } else {
    std::vector<int64_t> lanes(static_cast<size_t>(kLanes), 0);
    uint8_t written = 0;
    for (size_t lane = 0; lane < map.elements.size(); ++lane) {
      const auto element = static_cast<size_t>(map.elements[lane]);
      lanes[element] = static_cast<int64_t>(lane);
      written = static_cast<uint8_t>(written | (1 << element));
    }
    const Vec moved = values_.NewRegister();
    vector_.Shuffle(moved, reg, lanes, 0);
    vector_.Blend(*place.reg, moved, written);
  }
  values_.Release(store.node);
  values_.Unlock();
}

void KernelEmitter::FindKnown() {
  std::vector<int32_t> kept;
  for (const auto& [key, row] : rows_) {
    if (key.first == number_) kept.push_back(key.second);
  }
  known_ = FindKnownLanes(kernel_, *phase_, lanes_, group_, operands_, kept);
}

// Inputs are loaded where they are first needed.
void KernelEmitter::EmitNode(int32_t n) {
  const Node& node = phase_->nodes[static_cast<size_t>(n)];
  switch (node.kind) {
    case NodeKind::kConstant:
      return values_.SetMemory(n, pool_.Splat(LaneOf(node.dtype, node.constant)));
    case NodeKind::kIota:
      return LoadIota(n);
    case NodeKind::kReduced:
      return values_.SetMemory(n, reduced_[static_cast<size_t>(node.index)]);
    case NodeKind::kRow:
      return values_.SetMemory(n,
                               InRow(rows_.at({static_cast<size_t>(node.index), node.component})));
    case NodeKind::kOp:
      return EmitOp(n);
    default:
      return;
  }
}

// The values of the group's lanes, and what is done with them.
void KernelEmitter::EmitLanes(bool is_last) {
  vector_.set_lanes(group_.lanes);
  values_.Start(*phase_);
  FindKnown();
  CountUses();
  for (int32_t n = 0; n < static_cast<int32_t>(phase_->nodes.size()); ++n) {
    if (!values_.IsNeeded(n)) continue;
    values_.set_position(static_cast<size_t>(n));
    EmitNode(n);
  }
  values_.set_position(phase_->nodes.size());
  for (const auto& [key, row] : rows_) {
    if (key.first == number_) Keep(key.second, row);
  }
  for (size_t r = 0; r < phase_->reductions.size(); ++r) {
    const compiler::Reduction& reduction = phase_->reductions[r];
    if (reduced_rows_.empty()) {
      EmitReduction(reduction, std::nullopt);
      continue;
    }
    Keep(reduction.inputs[0], reduced_rows_[r]);
    // Stores may overwrite where it lies.
    if (is_last) Register(reduction.initial[0]);
    values_.Unlock();
  }
  // What is stored must not be what an earlier store has overwritten.
  if (phase_->stores.size() > 1) {
    for (const compiler::Store& store : phase_->stores) {
      const Vec source = Register(store.node);
      if (!values_.OwnsRegister(store.node)) {
        const Vec copy = values_.NewRegister();
        vector_.Move(copy, source);
        values_.SetRegister(store.node, copy);
      }
      values_.Unlock();
    }
  }
  for (const compiler::Store& store : phase_->stores) EmitStore(store);
}

void KernelEmitter::EmitGroup(const LaneGroup& group, bool is_last) {
  group_ = group;
  if (group.repeats == 1) return EmitLanes(is_last);
  constexpr int kLoopAlignment = 32;
  const Xbyak::Reg32 index = kIndex.cvt32();
  Xbyak::Label loop;
  code_.xor_(index, index);
  code_.align(kLoopAlignment);
  code_.L(loop);
  EmitLanes(is_last);
  code_.add(index, static_cast<uint32_t>(kLanes));
  code_.cmp(index, static_cast<uint32_t>(group.repeats * kLanes));
  code_.jb(loop);
}

// Of what later phases read.
void KernelEmitter::FindRows() {
  for (size_t p = number_ + 1; p < kernel_.body.phases.size(); ++p) {
    for (const Node& node : kernel_.body.phases[p].nodes) {
      const auto phase = static_cast<size_t>(node.index);
      if (node.kind != NodeKind::kRow || phase != number_) continue;
      const std::pair<size_t, int32_t> key = {phase, node.component};
      if (!rows_.contains(key)) rows_.emplace(key, stack_.NewRow(lanes_.points));
    }
  }
}

void KernelEmitter::EmitPhase(size_t number) {
  number_ = number;
  phase_ = &kernel_.body.phases[number];
  lanes_ = *PhaseLanes::Make(kernel_, *phase_);
  FindRows();
  addresses_.Forget();
  reduced_rows_.clear();
  if (lanes_.points > kLanes) {
    // Groups that follow one another look at indices once.
    addresses_.FindAll(*phase_);
    for (size_t r = 0; r < phase_->reductions.size(); ++r) {
      reduced_rows_.push_back(stack_.NewRow(lanes_.points));
    }
  }
  const int32_t stack = stack_.next();
  for (size_t g = 0; g < lanes_.groups.size(); ++g) {
    stack_.GoBackTo(stack);
    EmitGroup(lanes_.groups[g], g + 1 == lanes_.groups.size());
    EmitRest();
  }
  for (size_t r = 0; r < reduced_rows_.size(); ++r) {
    EmitReduction(phase_->reductions[r], reduced_rows_[r]);
  }
}

void KernelEmitter::Emit() {
  for (size_t p = 0; p < kernel_.body.phases.size(); ++p) EmitPhase(p);
}

}  // namespace plinth::cpu::native
