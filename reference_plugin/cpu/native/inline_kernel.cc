// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/inline_kernel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cpu/emit/body_emitter.h"
#include "reference_plugin/cpu/emit/function_code.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::native {
namespace {

using compiler::Access;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::Phase;
using compiler::plan::PlanStep;
using Xbyak::util::byte;
using Xbyak::util::dword;
using Xbyak::util::eax;
using Xbyak::util::ecx;
using Xbyak::util::ptr;
using Xbyak::util::rax;
using Xbyak::util::rcx;
using Xbyak::util::rdx;
using Xbyak::util::rsp;

std::vector<int64_t> SizesOf(const std::vector<compiler::plan::ArrayRef>& arrays) {
  std::vector<int64_t> sizes;
  for (const compiler::plan::ArrayRef& array : arrays) sizes.push_back(array.type.SizeInBytes());
  return sizes;
}

DType OperandType(const Phase& phase, const Node& node) {
  const size_t typed = node.opcode == Opcode::kSelect ? 1 : 0;
  return phase.nodes[static_cast<size_t>(node.operands[typed])].dtype;
}

uint32_t LaneOf(DType type, const compiler::ScalarBits& bits) {
  if (type == DType::kPred) return (bits.low & 0xFF) != 0 ? ~0u : 0;
  return static_cast<uint32_t>(bits.low);
}

bool IsSmallNumber(int64_t number) {
  return number >= 0 && number <= std::numeric_limits<int32_t>::max();
}

// How an access reads an array of so many bytes, or writes it.
PlaceUse UseOf(const Kernel& kernel, bool over_reduced, const Access& access, int64_t bytes,
               bool writes) {
  PlaceUse use;
  const std::optional<LaneMap> map = MapLanes(kernel.shape, over_reduced, access);
  if (!IsLaneType(access.dtype) || !map.has_value()) return use;
  for (const compiler::DynamicOffset& index : access.dynamic_offsets) {
    if ((index.dtype != DType::kS32 && index.dtype != DType::kU32) ||
        !IsSmallNumber(index.maximum) || !IsSmallNumber(index.byte_stride)) {
      return use;
    }
  }
  for (const int64_t element : map->elements) {
    if (element != LaneMap::kFill && !IsSmallNumber(element * ByteSize(access.dtype))) return use;
  }
  const bool is_small = access.dynamic_offsets.empty() && bytes <= kLanes * ByteSize(access.dtype);
  if (access.dtype == DType::kPred) {
    use.in_memory = map->OneElement().has_value() && (!writes || map->elements.size() == 1);
    use.in_register = use.in_memory && bytes == 1 && access.dynamic_offsets.empty();
    return use;
  }
  use.in_register = is_small;
  use.in_memory = map->IsDense() || (!writes && (map->IsUniform() || is_small));
  return use;
}

void Restrict(PlaceUse* use, const PlaceUse& other) {
  use->in_register = use->in_register && other.in_register;
  use->in_memory = use->in_memory && other.in_memory;
}

bool HasReduction(const Phase& phase, const compiler::Reduction& reduction) {
  const std::optional<Opcode> op = compiler::SingleOp(reduction.combiner);
  if (!op.has_value() || reduction.inputs.size() != 1 || !reduction.captured.empty()) return false;
  const DType type = phase.nodes[static_cast<size_t>(reduction.inputs[0])].dtype;
  // Others are not exchanged.
  const bool commutes = *op == Opcode::kAdd || *op == Opcode::kMaximum || *op == Opcode::kMinimum;
  return commutes && VectorCode::CanCombine(*op, type);
}

// With its operands in the order in which its routine answers one of two NaNs.
Node InOrder(const Node& node, DType operand) {
  emit::PieceValue value;
  value.kind = emit::PieceValue::Kind::kOp;
  value.node = node;
  value.operand_type = operand;
  return emit::OrderOperands({value})[0].node;
}

constexpr math::TileParameters kNoParameters;

// The routine of an op whose lanes are elements of tiles as they are; null if there is none.
math::TileFunction RoutineOf(const Phase& phase, const Node& node) {
  const auto is_element = [](DType type) { return IsLaneType(type) && type != DType::kPred; };
  bool fits = is_element(node.dtype) && node.opcode != Opcode::kReducePrecision;
  for (size_t i = 0; i < node.num_operands; ++i) {
    fits = fits && is_element(phase.nodes[static_cast<size_t>(node.operands[i])].dtype);
  }
  if (!fits) return nullptr;
  const math::TileRoutine routine =
      math::FindTileRoutine(node.opcode, OperandType(phase, node), node.dtype, node.compare);
  return routine.finish == nullptr ? routine.compute : nullptr;
}

bool HasOp(const Phase& phase, const Node& node, int64_t lanes) {
  const DType type = OperandType(phase, node);
  return VectorCode::Has(node, type, lanes) || emit::FunctionCode::Has(node.opcode, type) ||
         RoutineOf(phase, node) != nullptr;
}

// Emits one kernel.
class Emitter {
 public:
  Emitter(const Kernel& kernel, const InlineContext& context, std::span<const Place> operands,
          std::span<const Place> results)
      : kernel_(kernel),
        context_(context),
        code_(context.code),
        pool_(context.pool),
        vector_(code_, pool_),
        functions_(code_, vector_),
        stack_(context.stack),
        operands_(operands),
        results_(results) {}

  void EmitPhase(const Phase& phase);
  int32_t stack_end() const { return stack_; }

 private:
  // Where a node's value is: in one or more of these places.
  struct Value {
    std::optional<Vec> reg;
    bool owns_register = false;            // not an array's
    std::optional<Xbyak::Address> memory;  // as a whole vector: a constant, or put aside
    bool is_known = false;                 // at least one of them is set
    int32_t uses = 0;                      // to come
  };

  Value& ValueOf(int32_t node) { return values_[static_cast<size_t>(node)]; }
  void CountUses();
  int32_t NextUse(int32_t node) const;
  Vec NewRegister();
  void Release(int32_t node);
  Vec Register(int32_t node);  // which holds the value, until Unlock
  void Unlock() { locked_.clear(); }
  Xbyak::RegExp ElementAddress(const Access& access, std::span<const Place> places,
                               int64_t element);
  Xbyak::Address NewOnStack();
  void LoadIndex(const compiler::DynamicOffset& index);
  void LoadInput(int32_t node);
  void LoadConstant(const Node& node, Value* value);
  void EmitOp(int32_t node);
  bool EmitOnMemory(int32_t n, const Node& node, DType type);
  void EmitRoutine(int32_t n, math::TileFunction routine);
  void EmitFunction(int32_t n);
  void EmitRest();
  void PutAside(int32_t node);
  void SetRegister(int32_t n, Vec reg);
  void EmitReduction(const compiler::Reduction& reduction);
  void EmitStore(const compiler::Store& store);

  const Kernel& kernel_;
  const InlineContext& context_;
  Assembler& code_;
  ConstantPool& pool_;
  VectorCode vector_;
  emit::FunctionCode functions_;
  int32_t stack_;
  const std::span<const Place> operands_, results_;
  const Phase* phase_ = nullptr;
  std::vector<Value> values_;
  std::vector<Xbyak::Address> reduced_;  // by number
  int32_t position_ = 0;                 // the node that is computed
  std::optional<int32_t> owner_[16];     // of registers
  std::vector<Vec> locked_;
};

// Of what is needed: stores and reductions, and what they need.
void Emitter::CountUses() {
  for (const compiler::Store& store : phase_->stores) ++ValueOf(store.node).uses;
  for (const compiler::Reduction& reduction : phase_->reductions) {
    ++ValueOf(reduction.inputs[0]).uses;
    ++ValueOf(reduction.initial[0]).uses;
  }
  for (size_t n = phase_->nodes.size(); n-- > 0;) {
    const Node& node = phase_->nodes[n];
    if (node.kind != NodeKind::kOp || values_[n].uses == 0) continue;
    for (size_t i = 0; i < node.num_operands; ++i) ++ValueOf(node.operands[i]).uses;
  }
}

// The first node after this one that reads the value.
int32_t Emitter::NextUse(int32_t node) const {
  for (size_t n = static_cast<size_t>(position_); n < phase_->nodes.size(); ++n) {
    const Node& user = phase_->nodes[n];
    if (user.kind != NodeKind::kOp || values_[n].uses == 0) continue;
    for (size_t i = 0; i < user.num_operands; ++i) {
      if (user.operands[i] == node) return static_cast<int32_t>(n);
    }
  }
  return std::numeric_limits<int32_t>::max();
}

Xbyak::Address Emitter::NewOnStack() {
  const Xbyak::Address address = ptr[rsp + stack_];
  stack_ += static_cast<int32_t>(kLanes * kLaneBytes);
  return address;
}

// A free one, or that whose value is needed last.
Vec Emitter::NewRegister() {
  std::optional<Vec> farthest;
  int32_t farthest_use = -1;
  for (int number = context_.first_free; number < kEndFree; ++number) {
    const Vec reg(number);
    if (std::find(locked_.begin(), locked_.end(), reg) != locked_.end()) continue;
    if (!owner_[number].has_value()) {
      locked_.push_back(reg);
      return reg;
    }
    const int32_t use = NextUse(*owner_[number]);
    if (use > farthest_use) {
      farthest = reg;
      farthest_use = use;
    }
  }
  PutAside(*owner_[farthest->getIdx()]);
  locked_.push_back(*farthest);
  return *farthest;
}

// The value is in memory afterwards, and no more in a register of its own.
void Emitter::PutAside(int32_t node) {
  Value& value = ValueOf(node);
  if (!value.memory.has_value()) {
    value.memory = NewOnStack();
    vector_.Store(*value.memory, *value.reg);
  }
  if (!value.owns_register) return;
  owner_[value.reg->getIdx()].reset();
  value.reg.reset();
  value.owns_register = false;
}

void Emitter::Release(int32_t node) {
  Value& value = ValueOf(node);
  if (--value.uses > 0 || !value.owns_register) return;
  owner_[value.reg->getIdx()].reset();
  value.reg.reset();
  value.owns_register = false;
}

Vec Emitter::Register(int32_t node) {
  Value& value = ValueOf(node);
  if (!value.is_known) LoadInput(node);
  if (!value.reg.has_value()) {
    const Vec reg = NewRegister();
    vector_.Load(reg, *value.memory);
    SetRegister(node, reg);
  }
  locked_.push_back(*value.reg);
  return *value.reg;
}

// eax = the index within its bounds
void Emitter::LoadIndex(const compiler::DynamicOffset& index) {
  const Place& place = operands_[static_cast<size_t>(index.buffer)];
  if (place.reg.has_value()) {
    code_.vmovd(eax, Xbyak::Xmm(place.reg->getIdx()));
  } else {
    code_.mov(rcx, ptr[kBases + 8 * place.allocation]);
    code_.mov(eax, dword[rcx]);
  }
  if (index.dtype == DType::kS32) {
    code_.mov(ecx, 0);
    code_.cmp(eax, 0);
    code_.cmovs(eax, ecx);
  }
  // Of s32 no number is negative any more.
  code_.mov(ecx, static_cast<uint32_t>(index.maximum));
  code_.cmp(eax, ecx);
  code_.cmova(eax, ecx);
}

Xbyak::RegExp Emitter::ElementAddress(const Access& access, std::span<const Place> places,
                                      int64_t element) {
  const Place& place = places[static_cast<size_t>(access.buffer)];
  code_.mov(rdx, ptr[kBases + 8 * place.allocation]);
  for (const compiler::DynamicOffset& index : access.dynamic_offsets) {
    LoadIndex(index);
    code_.imul(rax, rax, static_cast<int>(index.byte_stride));
    code_.add(rdx, rax);
  }
  return rdx + static_cast<size_t>(element * ByteSize(access.dtype));
}

void Emitter::LoadInput(int32_t n) {
  const Access& access =
      kernel_.shape.inputs[static_cast<size_t>(phase_->nodes[static_cast<size_t>(n)].index)];
  const LaneMap map = *MapLanes(kernel_.shape, phase_->over_reduced, access);
  const Place& place = operands_[static_cast<size_t>(access.buffer)];
  const uint32_t fill = LaneOf(access.dtype, access.fill);
  if (place.reg.has_value() && map.IsIdentity()) {
    ValueOf(n).is_known = true;
    ValueOf(n).reg = place.reg;
    return;
  }
  const Vec reg = NewRegister();
  SetRegister(n, reg);
  if (place.reg.has_value()) {
    vector_.Shuffle(reg, *place.reg, map.elements, fill);
  } else if (access.dtype == DType::kPred) {
    const int64_t element = *map.OneElement();
    code_.movzx(eax, byte[ElementAddress(access, operands_, element)]);
    code_.MaskOf(eax);
    code_.vmovd(Xbyak::Xmm(reg.getIdx()), eax);
    std::vector<int64_t> lanes = map.elements;
    std::replace(lanes.begin(), lanes.end(), element, int64_t{0});
    if (lanes.size() > 1) vector_.Shuffle(reg, reg, lanes, fill);
  } else if (map.IsDense()) {
    vector_.LoadLanes(reg, ptr[ElementAddress(access, operands_, map.elements[0])],
                      static_cast<int64_t>(map.elements.size()));
  } else if (map.IsUniform()) {
    vector_.LoadUniform(reg, ptr[ElementAddress(access, operands_, map.elements[0])]);
  } else {
    vector_.LoadLanes(reg, ptr[ElementAddress(access, operands_, 0)], place.bytes / kLaneBytes);
    vector_.Shuffle(reg, reg, map.elements, fill);
  }
}

void Emitter::LoadConstant(const Node& node, Value* value) {
  value->is_known = true;
  value->memory = pool_.Splat(LaneOf(node.dtype, node.constant));
}

void Emitter::EmitOp(int32_t n) {
  const DType type = OperandType(*phase_, phase_->nodes[static_cast<size_t>(n)]);
  const Node node = InOrder(phase_->nodes[static_cast<size_t>(n)], type);
  if (emit::FunctionCode::Has(node.opcode, type)) return EmitFunction(n);
  if (!VectorCode::Has(node, type, vector_.lanes())) {
    return EmitRoutine(n, RoutineOf(*phase_, node));
  }
  if (EmitOnMemory(n, node, type)) return;
  Vec operands[3];
  for (size_t i = 0; i < node.num_operands; ++i) operands[i] = Register(node.operands[i]);
  const auto release = [&] {
    for (size_t i = 0; i < node.num_operands; ++i) Release(node.operands[i]);
  };
  const bool in_place = VectorCode::IsOneInstruction(node, type);
  if (in_place) {
    release();
    Unlock();
    // What is still needed must not be put aside for the result: it may be an operand.
    for (size_t i = 0; i < node.num_operands; ++i) {
      if (owner_[operands[i].getIdx()].has_value()) locked_.push_back(operands[i]);
    }
  }
  const Vec reg = NewRegister();
  vector_.Emit(node, type, reg, {operands, node.num_operands});
  if (!in_place) release();
  SetRegister(n, reg);
  Unlock();
}

// A constant, or what was put aside, is an operand where it lies.
bool Emitter::EmitOnMemory(int32_t n, const Node& node, DType type) {
  if (!vector_.HasMemoryForm(node, type)) return false;
  const auto in_memory = [&](int32_t operand) {
    const Value& value = ValueOf(operand);
    return !value.reg.has_value() && value.memory.has_value();
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
  const Xbyak::Address second = *ValueOf(b).memory;
  Release(a);
  Release(b);
  Unlock();
  if (owner_[first.getIdx()].has_value()) locked_.push_back(first);
  const Vec reg = NewRegister();
  vector_.EmitOnMemory(node, type, reg, first, second);
  SetRegister(n, reg);
  Unlock();
  return true;
}

// By a call, on the lanes in memory; every other value is there too, or an array's.
void Emitter::EmitRoutine(int32_t n, math::TileFunction routine) {
  constexpr Xbyak::Operand::Code kArguments[] = {Xbyak::Operand::RSI, Xbyak::Operand::RDX,
                                                 Xbyak::Operand::RCX};
  const Node& node = phase_->nodes[static_cast<size_t>(n)];
  for (size_t i = 0; i < node.num_operands; ++i) {
    if (!ValueOf(node.operands[i]).memory.has_value()) Register(node.operands[i]);
    PutAside(node.operands[i]);
    Unlock();
  }
  for (size_t i = 0; i < node.num_operands; ++i) Release(node.operands[i]);
  for (const std::optional<int32_t>& owner : owner_) {
    if (owner.has_value()) PutAside(*owner);
  }
  const Xbyak::Address result = NewOnStack();
  code_.lea(Xbyak::util::rdi, result);
  for (size_t i = 0; i < node.num_operands; ++i) {
    code_.lea(Xbyak::Reg64(kArguments[i]), *ValueOf(node.operands[i]).memory);
  }
  code_.mov(Xbyak::util::r8d, static_cast<uint32_t>(vector_.lanes()));
  code_.mov(Xbyak::util::r9, static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&kNoParameters)));
  context_.call(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(routine)));
  const Vec reg = NewRegister();
  vector_.LoadLanes(reg, result, vector_.lanes());
  SetRegister(n, reg);
  Unlock();
}

void Emitter::EmitFunction(int32_t n) {
  const Node& node = phase_->nodes[static_cast<size_t>(n)];
  const Vec x = Register(node.operands[0]), reg = NewRegister();
  std::array<Vec, emit::FunctionCode::kTemporaries> temporaries;
  for (Vec& temporary : temporaries) temporary = NewRegister();
  functions_.Emit(node.opcode, reg, x, temporaries);
  Release(node.operands[0]);
  SetRegister(n, reg);
  Unlock();
}

// Where functions go on for rare lanes.
void Emitter::EmitRest() {
  if (!functions_.has_rest()) return;
  Xbyak::Label end;
  code_.jmp(end);
  functions_.EmitRest();
  code_.L(end);
}

void Emitter::SetRegister(int32_t n, Vec reg) {
  Value& value = ValueOf(n);
  value.is_known = true;
  value.reg = reg;
  value.owns_register = true;
  owner_[reg.getIdx()] = n;
}

// The order of FoldLanes in ../kernels/reduction.cc.
void Emitter::EmitReduction(const compiler::Reduction& reduction) {
  const Opcode op = *compiler::SingleOp(reduction.combiner);
  const int32_t input = reduction.inputs[0];
  const DType type = phase_->nodes[static_cast<size_t>(input)].dtype;
  const Vec first = Register(input);
  const Vec sum = NewRegister(), moved = NewRegister(), combined = NewRegister();
  vector_.Move(sum, first);
  int64_t count = vector_.lanes(), half = 1;
  while (2 * half < count) half *= 2;
  for (; count > 1; count = half, half /= 2) {
    std::vector<int64_t> elements(static_cast<size_t>(vector_.lanes() <= 4 ? 4 : kLanes), 0);
    for (int64_t lane = 0; lane < count - half; ++lane) {
      elements[static_cast<size_t>(lane)] = lane + half;
    }
    vector_.Shuffle(moved, sum, elements, 0);
    vector_.Combine(op, type, combined, sum, moved);
    vector_.Blend(sum, combined, static_cast<uint8_t>((1 << (count - half)) - 1));
  }
  vector_.Combine(op, type, combined, Register(reduction.initial[0]), sum);
  // It is read in another phase.
  const Xbyak::Address result = NewOnStack();
  vector_.Store(result, combined);
  reduced_.push_back(result);
  Release(input);
  Release(reduction.initial[0]);
  Unlock();
}

void Emitter::EmitStore(const compiler::Store& store) {
  const Access& access = kernel_.shape.outputs[static_cast<size_t>(store.output)];
  const LaneMap map = *MapLanes(kernel_.shape, phase_->over_reduced, access);
  const Place& place = results_[static_cast<size_t>(access.buffer)];
  const Vec reg = Register(store.node);
  const auto count = static_cast<int64_t>(map.elements.size());
  if (place.reg.has_value()) {
    if (map.IsIdentity() && count * ByteSize(access.dtype) == place.bytes) {
      vector_.Move(*place.reg, reg);
    } else {
      std::vector<int64_t> lanes(static_cast<size_t>(kLanes), 0);
      uint8_t written = 0;
      for (size_t lane = 0; lane < map.elements.size(); ++lane) {
        const auto element = static_cast<size_t>(map.elements[lane]);
        lanes[element] = static_cast<int64_t>(lane);
        written = static_cast<uint8_t>(written | (1 << element));
      }
      const Vec moved = NewRegister();
      vector_.Shuffle(moved, reg, lanes, 0);
      vector_.Blend(*place.reg, moved, written);
    }
  } else if (access.dtype == DType::kPred) {
    const Xbyak::RegExp address = ElementAddress(access, results_, map.elements[0]);
    code_.vmovd(eax, Xbyak::Xmm(reg.getIdx()));
    code_.and_(eax, 1);
    code_.mov(byte[address], Xbyak::util::al);
  } else {
    vector_.StoreLanes(ptr[ElementAddress(access, results_, map.elements[0])], reg, count);
  }
  Release(store.node);
  Unlock();
}

void Emitter::EmitPhase(const Phase& phase) {
  phase_ = &phase;
  vector_.set_lanes(*CountLanes(kernel_.shape, phase.over_reduced));
  values_.assign(phase.nodes.size(), Value());
  for (std::optional<int32_t>& owner : owner_) owner.reset();
  CountUses();
  for (size_t n = 0; n < phase.nodes.size(); ++n) {
    const Node& node = phase.nodes[n];
    if (values_[n].uses == 0) continue;
    position_ = static_cast<int32_t>(n);
    if (node.kind == NodeKind::kConstant) {
      LoadConstant(node, &values_[n]);
    } else if (node.kind == NodeKind::kReduced) {
      values_[n].is_known = true;
      values_[n].memory = reduced_[static_cast<size_t>(node.index)];
    } else if (node.kind == NodeKind::kOp) {
      EmitOp(static_cast<int32_t>(n));
    }
  }
  position_ = static_cast<int32_t>(phase.nodes.size());
  for (const compiler::Reduction& reduction : phase.reductions) EmitReduction(reduction);
  // What is stored must not be what an earlier store has overwritten.
  if (phase.stores.size() > 1) {
    for (const compiler::Store& store : phase.stores) {
      const Vec source = Register(store.node);
      if (!ValueOf(store.node).owns_register) {
        const Vec copy = NewRegister();
        vector_.Move(copy, source);
        SetRegister(store.node, copy);
      }
      Unlock();
    }
  }
  for (const compiler::Store& store : phase.stores) EmitStore(store);
  EmitRest();
}

}  // namespace

std::unique_ptr<InlineStep> InlineKernel::Make(const PlanStep& step) {
  const Kernel& kernel = *step.kernel;
  const std::vector<int64_t> operand_bytes = SizesOf(step.operands),
                             result_bytes = SizesOf(step.results);
  auto result = std::make_unique<InlineKernel>();
  result->operands_.assign(operand_bytes.size(), {true, true});
  result->results_.assign(result_bytes.size(), {true, true});
  bool reduces = false;
  for (const Phase& phase : kernel.body.phases) {
    const std::optional<int64_t> lanes = CountLanes(kernel.shape, phase.over_reduced);
    if (!lanes.has_value()) return nullptr;
    for (const Node& node : phase.nodes) {
      if (!IsLaneType(node.dtype)) return nullptr;
      switch (node.kind) {
        case NodeKind::kConstant:
          break;
        case NodeKind::kReduced:
          if (phase.over_reduced) return nullptr;
          break;
        case NodeKind::kInput: {
          const Access& access = kernel.shape.inputs[static_cast<size_t>(node.index)];
          const auto buffer = static_cast<size_t>(access.buffer);
          Restrict(&result->operands_[buffer],
                   UseOf(kernel, phase.over_reduced, access, operand_bytes[buffer], false));
          for (const compiler::DynamicOffset& index : access.dynamic_offsets) {
            // Its type was looked at with the access.
            result->operands_[static_cast<size_t>(index.buffer)].in_register &=
                operand_bytes[static_cast<size_t>(index.buffer)] == kLaneBytes;
          }
          break;
        }
        case NodeKind::kOp:
          if (!HasOp(phase, node, *lanes)) return nullptr;
          break;
        default:
          return nullptr;
      }
    }
    for (const compiler::Reduction& reduction : phase.reductions) {
      reduces = true;
      if (!HasReduction(phase, reduction)) return nullptr;
    }
    for (const compiler::Store& store : phase.stores) {
      const Access& access = kernel.shape.outputs[static_cast<size_t>(store.output)];
      const auto buffer = static_cast<size_t>(access.buffer);
      Restrict(&result->results_[buffer],
               UseOf(kernel, phase.over_reduced, access, result_bytes[buffer], true));
      for (const compiler::DynamicOffset& index : access.dynamic_offsets) {
        result->operands_[static_cast<size_t>(index.buffer)].in_register &=
            operand_bytes[static_cast<size_t>(index.buffer)] == kLaneBytes;
      }
    }
  }
  // Reductions give one element.
  if (reduces && CountLanes(kernel.shape, false) != 1) return nullptr;
  for (const auto* uses : {&result->operands_, &result->results_}) {
    for (const PlaceUse& use : *uses) {
      if (!use.in_register && !use.in_memory) return nullptr;
    }
  }
  return result;
}

int32_t InlineKernel::Emit(const PlanStep& step, const InlineContext& context,
                           std::span<const Place> operands, std::span<const Place> results) const {
  Emitter emitter(*step.kernel, context, operands, results);
  for (const Phase& phase : step.kernel->body.phases) emitter.EmitPhase(phase);
  return emitter.stack_end() - context.stack;
}

}  // namespace plinth::cpu::native
