// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/kernel_emitter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cpu/emit/body_emitter.h"
#include "reference_plugin/cpu/math/partials.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::native {
namespace {

using compiler::Access;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::Phase;
using Xbyak::util::dword;
using Xbyak::util::eax;
using Xbyak::util::ecx;
using Xbyak::util::ptr;
using Xbyak::util::rax;
using Xbyak::util::rcx;
using Xbyak::util::rdx;
using Xbyak::util::rsp;

DType OperandType(const Phase& phase, const Node& node) {
  const size_t typed = node.opcode == Opcode::kSelect ? 1 : 0;
  return phase.nodes[static_cast<size_t>(node.operands[typed])].dtype;
}

uint32_t LaneOf(DType type, const compiler::ScalarBits& bits) {
  if (type == DType::kPred) return (bits.low & 0xFF) != 0 ? ~0u : 0;
  return static_cast<uint32_t>(bits.low);
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

}  // namespace

bool KernelEmitter::HasOp(const Phase& phase, const Node& node, int64_t lanes) {
  return !IsCall(phase, node, lanes) || RoutineOf(phase, node) != nullptr;
}

bool KernelEmitter::IsCall(const Phase& phase, const Node& node, int64_t lanes) {
  const DType type = OperandType(phase, node);
  return !VectorCode::Has(node, type, lanes) && !emit::FunctionCode::Has(node.opcode, type);
}

bool KernelEmitter::HasIota(const Node& node, const compiler::KernelShape& shape) {
  const auto offset = static_cast<int64_t>(node.constant.low),
             stride = static_cast<int64_t>(node.constant.high);
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max() / PhaseLanes::kMostPoints;
  const auto is_small = [](int64_t number) { return -kMost < number && number < kMost; };
  return node.dtype != DType::kPred && IsLaneType(node.dtype) && is_small(offset) &&
         is_small(stride) &&
         shape.extents[static_cast<size_t>(node.index)] < PhaseLanes::kMostPoints;
}

bool KernelEmitter::HasReduction(const Phase& phase, const compiler::Reduction& reduction) {
  const std::optional<Opcode> op = compiler::SingleOp(reduction.combiner);
  if (!op.has_value() || reduction.inputs.size() != 1 || !reduction.captured.empty()) return false;
  const DType type = phase.nodes[static_cast<size_t>(reduction.inputs[0])].dtype;
  // Others are not exchanged.
  const bool commutes = *op == Opcode::kAdd || *op == Opcode::kMaximum || *op == Opcode::kMinimum;
  return commutes && VectorCode::CanCombine(*op, type);
}

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
      stack_end_(context.stack),
      operands_(operands),
      results_(results) {}

// Of what is needed: stores and reductions, and what they need.
void KernelEmitter::CountUses() {
  for (const compiler::Store& store : phase_->stores) ++ValueOf(store.node).uses;
  for (const compiler::Reduction& reduction : phase_->reductions) {
    ++ValueOf(reduction.inputs[0]).uses;
    ++ValueOf(reduction.initial[0]).uses;
  }
  for (const auto& [key, row] : rows_) {
    if (key.first == number_) ++ValueOf(key.second).uses;
  }
  for (size_t n = phase_->nodes.size(); n-- > 0;) {
    const Node& node = phase_->nodes[n];
    if (node.kind != NodeKind::kOp || values_[n].uses == 0) continue;
    if (const std::optional<LaneSet>& chosen = known_.ChosenBy(node)) {
      const LaneSet needed = known_.needed[n];
      if ((needed & *chosen) != 0) ++ValueOf(node.operands[1]).uses;
      if ((needed & ~*chosen) != 0) ++ValueOf(node.operands[2]).uses;
      continue;
    }
    for (size_t i = 0; i < node.num_operands; ++i) ++ValueOf(node.operands[i]).uses;
  }
}

// The first node after this one that reads the value.
int32_t KernelEmitter::NextUse(int32_t node) const {
  for (size_t n = static_cast<size_t>(position_); n < phase_->nodes.size(); ++n) {
    const Node& user = phase_->nodes[n];
    if (user.kind != NodeKind::kOp || values_[n].uses == 0) continue;
    for (size_t i = 0; i < user.num_operands; ++i) {
      if (user.operands[i] == node) return static_cast<int32_t>(n);
    }
  }
  return std::numeric_limits<int32_t>::max();
}

// The place of so many vectors on the stack.
int32_t KernelEmitter::Reserve(int64_t vectors) {
  const int32_t place = stack_;
  stack_ += static_cast<int32_t>(vectors) * kVectorBytes;
  stack_end_ = std::max(stack_end_, stack_);
  return place;
}

Xbyak::Address KernelEmitter::VectorOf(const Row& row, int64_t number) const {
  return ptr[rsp + row.place + static_cast<int32_t>(number) * kVectorBytes];
}

// Of the lanes that are computed.
Xbyak::Address KernelEmitter::InRow(const Row& row) const {
  if (row.is_one) return VectorOf(row, 0);
  const Xbyak::RegExp first = rsp + static_cast<size_t>(row.place + group_.first * kLaneBytes);
  return ptr[group_.repeats == 1 ? first : first + kIndex * static_cast<int>(kLaneBytes)];
}

void KernelEmitter::Keep(int32_t node, const Row& row) {
  const Vec reg = Register(node);
  if (row.is_one) {
    const Vec all = NewRegister();
    vector_.Shuffle(all, reg, std::array<int64_t, kLanes>{}, 0);
    vector_.Store(VectorOf(row, 0), all);
  } else {
    vector_.Store(InRow(row), reg);
  }
  Release(node);
  Unlock();
}

// A free one, or that whose value is needed last.
Vec KernelEmitter::NewRegister() {
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
void KernelEmitter::PutAside(int32_t node) {
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

void KernelEmitter::Release(int32_t node) {
  Value& value = ValueOf(node);
  if (--value.uses > 0 || !value.owns_register) return;
  owner_[value.reg->getIdx()].reset();
  value.reg.reset();
  value.owns_register = false;
}

Vec KernelEmitter::Register(int32_t node) {
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

// eax = the index within its bounds, where it nearly always is: no op has to wait for the bounds.
void KernelEmitter::LoadIndex(const compiler::DynamicOffset& index) {
  const Place& place = operands_[static_cast<size_t>(index.buffer)];
  if (place.reg.has_value()) {
    code_.vmovd(eax, Xbyak::Xmm(place.reg->getIdx()));
  } else {
    code_.mov(rcx, ptr[kBases + 8 * place.allocation]);
    code_.mov(eax, dword[rcx]);
  }
  Xbyak::Label outside, inside;
  const auto maximum = static_cast<uint32_t>(index.maximum);
  code_.cmp(eax, maximum);
  code_.ja(outside);  // a negative number, too
  code_.L(inside);
  const bool has_sign = index.dtype == DType::kS32;
  context_.later([=, &code = code_]() mutable {
    code.L(outside);
    code.mov(ecx, maximum);
    if (has_sign) {
      code.cmp(eax, 0);
      code.mov(eax, 0);
      code.cmovge(eax, ecx);
    } else {
      code.mov(eax, ecx);
    }
    code.jmp(inside);
  });
}

// Where the array begins, moved by the indices of the access. It names rdx and rax.
Xbyak::RegExp KernelEmitter::LoadAddress(const Access& access, std::span<const Place> places) {
  const Place& place = places[static_cast<size_t>(access.buffer)];
  code_.mov(rdx, ptr[kBases + 8 * place.allocation]);
  for (size_t i = 0; i < access.dynamic_offsets.size(); ++i) {
    const compiler::DynamicOffset& index = access.dynamic_offsets[i];
    LoadIndex(index);
    const auto stride = static_cast<int>(index.byte_stride);
    const bool is_last = i + 1 == access.dynamic_offsets.size();
    if (is_last && (stride == 1 || stride == 2 || stride == 4 || stride == 8)) {
      return rdx + rax * stride;
    }
    code_.imul(rax, rax, stride);
    code_.add(rdx, rax);
  }
  return rdx;
}

// Where groups follow one another, indices are looked at once.
void KernelEmitter::FindAddresses() {
  addresses_.clear();
  if (lanes_.points <= kLanes) return;
  const auto find = [&](const Access& access, std::span<const Place> places) {
    if (access.dynamic_offsets.empty() || addresses_.contains(&access)) return;
    code_.lea(rdx, ptr[LoadAddress(access, places)]);
    const Xbyak::Address address = NewOnStack();
    code_.mov(address, rdx);
    addresses_.emplace(&access, address);
  };
  for (const Node& node : phase_->nodes) {
    if (node.kind != NodeKind::kInput) continue;
    find(kernel_.shape.inputs[static_cast<size_t>(node.index)], operands_);
  }
  for (const compiler::Store& store : phase_->stores) {
    find(kernel_.shape.outputs[static_cast<size_t>(store.output)], results_);
  }
}

// By how many elements the lanes of each repetition lie behind the last.
int64_t KernelEmitter::StepOf(const LaneMap& map) const {
  return group_.repeats == 1 ? 0 : *map.StepFrom(group_.first);
}

// Of the lanes that are computed.
Xbyak::RegExp KernelEmitter::ArrayOf(const Access& access, std::span<const Place> places,
                                     const LaneMap& map) {
  const auto found = addresses_.find(&access);
  const bool is_known = found != addresses_.end();
  if (is_known) code_.mov(rdx, found->second);
  const Xbyak::RegExp array = is_known ? Xbyak::RegExp(rdx) : LoadAddress(access, places);
  const int scale = *ScaleOfStep(StepOf(map) * ByteSize(access.dtype));
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
    ValueOf(n).is_known = true;
    ValueOf(n).memory = pool_.Find(mask);
    return;
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
  if (place.reg.has_value() && map.IsIdentity()) {
    ValueOf(n).is_known = true;
    ValueOf(n).reg = place.reg;
    return;
  }
  const Vec reg = NewRegister();
  SetRegister(n, reg);
  if (place.reg.has_value()) return vector_.Shuffle(reg, *place.reg, map.elements, fill);
  memory_.Load(reg, ArrayOf(access, operands_, all), access.dtype, map, fill, size);
}

void KernelEmitter::LoadConstant(const Node& node, Value* value) {
  value->is_known = true;
  value->memory = pool_.Splat(LaneOf(node.dtype, node.constant));
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
  if (step == 0) {
    ValueOf(n).is_known = true;
    ValueOf(n).memory = pool_.Find(first);
    return;
  }
  constexpr uint8_t kLaneBits = 3;
  const Vec reg = NewRegister();
  code_.mov(eax, kIndex.cvt32());
  code_.shr(eax, kLaneBits);
  code_.imul(eax, eax, static_cast<int>(step));
  code_.vmovd(Xbyak::Xmm(reg.getIdx()), eax);
  code_.vpbroadcastd(reg, Xbyak::Xmm(reg.getIdx()));
  code_.vpaddd(reg, reg, pool_.Find(first));
  if (is_float) code_.vcvtdq2ps(reg, reg);
  SetRegister(n, reg);
  Unlock();
}

void KernelEmitter::EmitOp(int32_t n) {
  const Node& written = phase_->nodes[static_cast<size_t>(n)];
  if (const std::optional<LaneSet>& chosen = known_.ChosenBy(written)) {
    return EmitChoice(n, *chosen);
  }
  const DType type = OperandType(*phase_, written);
  const Node node = InOrder(written, type);
  if (emit::FunctionCode::Has(node.opcode, type)) return EmitFunction(n);
  if (!VectorCode::Has(node, type, vector_.lanes())) return EmitRoutine(n);
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

// A select of which it is known what each lane chooses.
void KernelEmitter::EmitChoice(int32_t n, LaneSet chosen) {
  const Node& node = phase_->nodes[static_cast<size_t>(n)];
  const LaneSet needed = known_.needed[static_cast<size_t>(n)];
  int32_t there = node.operands[1], else_here = node.operands[2];
  if ((needed & ~chosen) == 0) return BeSame(n, there);
  if ((needed & chosen) == 0) return BeSame(n, else_here);
  const Vec first = Register(else_here), second = Register(there);
  Release(else_here);
  Release(there);
  Unlock();
  for (const Vec& operand : {first, second}) {
    if (owner_[operand.getIdx()].has_value()) locked_.push_back(operand);
  }
  const Vec reg = NewRegister();
  code_.vblendps(reg, first, second, chosen);
  SetRegister(n, reg);
  Unlock();
}

// The value of a node is that of another.
void KernelEmitter::BeSame(int32_t n, int32_t as) {
  if (!ValueOf(as).is_known) LoadInput(as);
  Value& source = ValueOf(as);
  Value& value = ValueOf(n);
  if (source.reg.has_value() && source.owns_register && source.uses > 1) {
    const Vec from = Register(as), reg = NewRegister();
    vector_.Move(reg, from);
    SetRegister(n, reg);
    Release(as);
    return Unlock();
  }
  value.is_known = true;
  value.reg = source.reg;
  value.owns_register = source.owns_register;
  value.memory = source.memory;
  if (source.owns_register) owner_[source.reg->getIdx()] = n;
  --source.uses;
  source.reg.reset();
  source.owns_register = false;
  source.is_known = source.memory.has_value();
  Unlock();
}

// A constant, or what was put aside, is an operand where it lies.
bool KernelEmitter::EmitOnMemory(int32_t n, const Node& node, DType type) {
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
void KernelEmitter::EmitRoutine(int32_t n) {
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
  context_.call(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(RoutineOf(*phase_, node))));
  const Vec reg = NewRegister();
  vector_.LoadLanes(reg, result, vector_.lanes());
  SetRegister(n, reg);
  Unlock();
}

void KernelEmitter::EmitFunction(int32_t n) {
  const Node& node = phase_->nodes[static_cast<size_t>(n)];
  const Vec x = Register(node.operands[0]), reg = NewRegister();
  std::array<Vec, emit::FunctionCode::kTemporaries> temporaries;
  for (Vec& temporary : temporaries) temporary = NewRegister();
  functions_.Emit(node.opcode, reg, x, temporaries);
  Release(node.operands[0]);
  SetRegister(n, reg);
  Unlock();
}

// Where functions go on for rare lanes, of a group.
void KernelEmitter::EmitRest() {
  if (!functions_.has_rest()) return;
  Xbyak::Label end;
  code_.jmp(end);
  functions_.EmitRest();
  code_.L(end);
}

void KernelEmitter::SetRegister(int32_t n, Vec reg) {
  Value& value = ValueOf(n);
  value.is_known = true;
  value.reg = reg;
  value.owns_register = true;
  owner_[reg.getIdx()] = n;
}

// Vector `to` of the row, combined with `from` in the first lanes.
void KernelEmitter::CombineVectors(Opcode opcode, DType type, const Row& row, int64_t to,
                                   int64_t from, int64_t lanes) {
  const Vec sum = NewRegister(), other = NewRegister(), combined = NewRegister();
  vector_.Load(sum, VectorOf(row, to));
  vector_.Load(other, VectorOf(row, from));
  vector_.Combine(opcode, type, combined, sum, other);
  if (lanes < kLanes) {
    vector_.Blend(sum, combined, static_cast<uint8_t>((1 << lanes) - 1));
    vector_.Store(VectorOf(row, to), sum);
  } else {
    vector_.Store(VectorOf(row, to), combined);
  }
  Unlock();
}

// The row becomes its first vector, in the order of ../math/partials.
void KernelEmitter::FoldRow(Opcode opcode, DType type, const Row& row) {
  constexpr int64_t kPartials = static_cast<int64_t>(math::kPartialBytes) / kLaneBytes;
  int64_t count = lanes_.points;
  const auto combine = [&](int64_t first, int64_t from, int64_t end) {
    for (int64_t lane = from; lane < end; lane += kLanes) {
      CombineVectors(opcode, type, row, (first + lane - from) / kLanes, lane / kLanes,
                     std::min(kLanes, end - lane));
    }
  };
  for (int64_t block = kPartials; block < count; block += kPartials) {
    combine(0, block, std::min(block + kPartials, count));
  }
  count = std::min(count, kPartials);
  int64_t half = kPartials / 2;
  for (; half >= kLanes; half /= 2) {
    if (half >= count) continue;
    combine(0, half, count);
    count = half;
  }
}

// The order of FoldLanes in ../kernels/reduction.cc.
void KernelEmitter::EmitReduction(const compiler::Reduction& reduction, std::optional<Row> row) {
  const Opcode op = *compiler::SingleOp(reduction.combiner);
  const int32_t input = reduction.inputs[0];
  const DType type = phase_->nodes[static_cast<size_t>(input)].dtype;
  if (row.has_value()) {
    vector_.set_lanes(kLanes);
    FoldRow(op, type, *row);
  }
  const Vec sum = NewRegister(), moved = NewRegister(), combined = NewRegister();
  if (row.has_value()) {
    vector_.Load(sum, VectorOf(*row, 0));
  } else {
    vector_.Move(sum, Register(input));
    Release(input);
  }
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
  Node last;
  last.opcode = op;
  last.operands[1] = 1;
  const Vec initial = Register(reduction.initial[0]);
  const std::array<Vec, 2> ends = {initial, sum};
  last = InOrder(last, type);
  vector_.Combine(op, type, combined, ends[static_cast<size_t>(last.operands[0])],
                  ends[static_cast<size_t>(last.operands[1])]);
  // It is read in another phase.
  const std::array<int64_t, kLanes> all{};
  vector_.Shuffle(combined, combined, all, 0);
  vector_.Store(reduced_.emplace_back(NewOnStack()), combined);
  Release(reduction.initial[0]);
  Unlock();
}

void KernelEmitter::EmitStore(const compiler::Store& store) {
  const auto number = static_cast<size_t>(store.output);
  const Access& access = kernel_.shape.outputs[number];
  const LaneMap map = lanes_.outputs[number].Part(group_.first, group_.lanes);
  const Place& place = results_[static_cast<size_t>(access.buffer)];
  const Vec reg = Register(store.node);
  const auto count = static_cast<int64_t>(map.elements.size());
  if (!place.reg.has_value()) {
    memory_.Store(ArrayOf(access, results_, lanes_.outputs[number]), access.dtype, map, reg);
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
    const Vec moved = NewRegister();
    vector_.Shuffle(moved, reg, lanes, 0);
    vector_.Blend(*place.reg, moved, written);
  }
  Release(store.node);
  Unlock();
}

void KernelEmitter::FindKnown() {
  std::vector<int32_t> kept;
  for (const auto& [key, row] : rows_) {
    if (key.first == number_) kept.push_back(key.second);
  }
  known_ = FindKnownLanes(kernel_, *phase_, lanes_, group_, operands_, kept);
}

// The values of the group's lanes, and what is done with them.
void KernelEmitter::EmitLanes(bool is_last) {
  vector_.set_lanes(group_.lanes);
  values_.assign(phase_->nodes.size(), Value());
  for (std::optional<int32_t>& owner : owner_) owner.reset();
  FindKnown();
  CountUses();
  for (size_t n = 0; n < phase_->nodes.size(); ++n) {
    const Node& node = phase_->nodes[n];
    if (values_[n].uses == 0) continue;
    position_ = static_cast<int32_t>(n);
    if (node.kind == NodeKind::kConstant) {
      LoadConstant(node, &values_[n]);
    } else if (node.kind == NodeKind::kIota) {
      LoadIota(static_cast<int32_t>(n));
    } else if (node.kind == NodeKind::kReduced) {
      values_[n].is_known = true;
      values_[n].memory = reduced_[static_cast<size_t>(node.index)];
    } else if (node.kind == NodeKind::kRow) {
      values_[n].is_known = true;
      values_[n].memory = InRow(rows_.at({static_cast<size_t>(node.index), node.component}));
    } else if (node.kind == NodeKind::kOp) {
      EmitOp(static_cast<int32_t>(n));
    }
  }
  position_ = static_cast<int32_t>(phase_->nodes.size());
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
    Unlock();
  }
  // What is stored must not be what an earlier store has overwritten.
  if (phase_->stores.size() > 1) {
    for (const compiler::Store& store : phase_->stores) {
      const Vec source = Register(store.node);
      if (!ValueOf(store.node).owns_register) {
        const Vec copy = NewRegister();
        vector_.Move(copy, source);
        SetRegister(store.node, copy);
      }
      Unlock();
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
      if (!rows_.contains(key)) rows_.emplace(key, NewRow());
    }
  }
}

void KernelEmitter::EmitPhase(size_t number) {
  number_ = number;
  phase_ = &kernel_.body.phases[number];
  lanes_ = *PhaseLanes::Make(kernel_, *phase_);
  FindRows();
  FindAddresses();
  reduced_rows_.clear();
  if (lanes_.points > kLanes) {
    for (size_t r = 0; r < phase_->reductions.size(); ++r) reduced_rows_.push_back(NewRow());
  }
  const int32_t stack = stack_;
  for (size_t g = 0; g < lanes_.groups.size(); ++g) {
    stack_ = stack;
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
