// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/body_emitter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace plinth::cpu::emit {
namespace {

using compiler::Node;
using compiler::Opcode;
using Xbyak::util::ptr;
using Xbyak::util::ptr_b;
using Xbyak::util::r10;
using Xbyak::util::r11;
using Xbyak::util::r12;
using Xbyak::util::r13;
using Xbyak::util::r14;
using Xbyak::util::r15;
using Xbyak::util::r8;
using Xbyak::util::r9;
using Xbyak::util::rax;
using Xbyak::util::rbp;
using Xbyak::util::rbx;
using Xbyak::util::rdi;
using Xbyak::util::rsp;

using Kind = PieceValue::Kind;

// Addresses of slots live here, the others are read each time. rax holds what lives nowhere, rcx
// counts lanes.
const Xbyak::Reg64 kPointers[] = {r8, r9, r10, r11, rbx, rbp, r12, r13, r14, r15};
constexpr size_t kFirstSaved = 4;  // of kPointers
// Vectors that hold values; the two above are of one op at a time.
constexpr int kVectorsOfAvx2 = 14, kVectorsOfAvx512 = 30;
// Of AVX-512 the masks of preds. Mask 0 stands for all lanes, 1 and 2 are of one op at a time.
constexpr int kFirstMask = 4, kNumMasks = 4;
// More partial results lie on the stack.
constexpr int kMostAccumulators = 12;
constexpr int32_t kStackAlignment = 64;
constexpr int32_t kNever = std::numeric_limits<int32_t>::max();

bool IsNan(DType type, LaneBits bits) {
  return type == DType::kF64 ? std::isnan(std::bit_cast<double>(bits.both()))
                             : std::isnan(std::bit_cast<float>(bits.lane()));
}

// Whether a result of floats is never a signaling NaN.
bool MakesQuiet(const PieceValue& value) {
  if (value.kind != Kind::kOp || !IsFloatType(value.operand_type)) return false;
  switch (value.node.opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kDivide:
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return true;
    default:
      return FunctionCode::Has(value.node.opcode, value.operand_type);
  }
}

bool IsFunction(const PieceValue& value) {
  return value.kind == Kind::kOp && FunctionCode::Has(value.node.opcode, value.operand_type);
}

// The most values that are needed at once, without constants: of each copy, and of all together.
struct MostLive {
  int vectors = 0, masks = 0;
  int shared_vectors = 0, shared_masks = 0;
};
MostLive FindMostLive(const Piece& piece, bool has_masks) {
  std::vector<size_t> last_use(piece.size());
  for (size_t n = 0; n < piece.size(); ++n) {
    last_use[n] = n;
    for (size_t i = 0; i < piece[n].node.num_operands; ++i) {
      last_use[static_cast<size_t>(piece[n].node.operands[i])] = n;
    }
  }
  MostLive most;
  for (size_t at = 0; at < piece.size(); ++at) {
    MostLive live;
    for (size_t n = 0; n <= at; ++n) {
      const bool is_mask = has_masks && piece[n].type == DType::kPred;
      if (last_use[n] <= at) continue;
      if (piece[n].kind == Kind::kScalar) ++(is_mask ? live.shared_masks : live.shared_vectors);
      if (!IsShared(piece[n])) ++(is_mask ? live.masks : live.vectors);
    }
    most = {std::max(most.vectors, live.vectors), std::max(most.masks, live.masks),
            std::max(most.shared_vectors, live.shared_vectors),
            std::max(most.shared_masks, live.shared_masks)};
  }
  return most;
}

}  // namespace

BodyEmitter::BodyEmitter(math::SimdTarget target, Assembler& code, ConstantPool& pool, bool is_half)
    : target_(target),
      is_half_(is_half),
      lanes_(LanesOf(target) / (is_half ? 2 : 1)),
      code_(code),
      pool_(pool),
      vector_(code, pool, target),
      functions_(code, vector_),
      mask_(ptr[rsp]),
      wide_mask_(ptr[rsp]) {
  vector_.set_lanes(kLanes);
  vector_.set_half(is_half);
  UseVectors(num_vectors());
}

void BodyEmitter::Begin(std::vector<int32_t> slots) {
  slots_ = std::move(slots);
  const size_t pointers = std::min(slots_.size(), std::size(kPointers));
  code_.endbr64();
  for (size_t i = kFirstSaved; i < pointers; ++i) code_.push(kPointers[i]);
  // A vector on the stack lies in one cache line. The first bytes say where the stack was.
  code_.mov(rax, rsp);
  reserved_ = code_.ReserveStack();
  code_.and_(rsp, -kStackAlignment);
  code_.mov(ptr[rsp], rax);
  stack_begin_ = stack_end_ = kStackAlignment;
  for (size_t i = 0; i < pointers; ++i) code_.mov(kPointers[i], ptr[rdi + 8 * slots_[i]]);
}

void BodyEmitter::End() {
  const size_t pointers = std::min(slots_.size(), std::size(kPointers));
  code_.vzeroupper();
  code_.SetStack(reserved_, stack_end_);
  code_.mov(rsp, ptr[rsp]);
  for (size_t i = pointers; i > kFirstSaved; --i) code_.pop(kPointers[i - 1]);
  code_.ret();
  vector_.Unpin();  // which constants were in registers where the rest is called, is forgotten
  vector_.set_type(DType::kF32);
  functions_.EmitRest();
}

std::optional<Xbyak::Reg64> BodyEmitter::PointerOf(int32_t slot) const {
  const auto index = std::find(slots_.begin(), slots_.end(), slot) - slots_.begin();
  if (static_cast<size_t>(index) >= std::size(kPointers)) return std::nullopt;
  return kPointers[index];
}

Xbyak::RegExp BodyEmitter::BaseOf(int32_t slot) {
  if (const std::optional<Xbyak::Reg64> pointer = PointerOf(slot)) return *pointer;
  code_.mov(rax, ptr[rdi + 8 * slot]);
  return rax;
}

int BodyEmitter::num_vectors() const {
  return (vector_.has_masks() ? kVectorsOfAvx512 : kVectorsOfAvx2) - accumulator_registers_;
}

bool BodyEmitter::Fits(const Piece& piece, int copies, int more) const {
  const MostLive live = FindMostLive(piece, vector_.has_masks());
  return copies * (live.vectors + more) + live.shared_vectors <= num_vectors() &&
         copies * live.masks + live.shared_masks <= kNumMasks;
}

// With two copies random numbers, whose seven values just fit into AVX2's registers, gain 14 %.
// What waits for one op after another, as values of f16 do that are rounded each time, gains from
// four.
int BodyEmitter::BestCopies(const Piece& piece) const {
  bool has_function = false, is_rounded = false, in_step = true;
  size_t temporaries = 0;
  for (const PieceValue& value : piece) {
    is_rounded = is_rounded || value.rounded != DType::kInvalid;
    if (!IsFunction(value)) continue;
    has_function = true;
    in_step = in_step && FunctionCode::IsInStep(value.node.opcode);
    temporaries = std::max(temporaries, FunctionCode::TemporariesOf(value.node.opcode));
  }
  const bool has_waits = is_rounded || !has_function;
  if (vector_.has_masks() && has_waits && Fits(piece, 4)) return 4;
  if (vector_.has_masks() && in_step && Fits(piece, 4, static_cast<int>(temporaries) + 1)) return 4;
  return Fits(piece, 2) ? 2 : 1;
}

// The first of them hold values.
void BodyEmitter::UseVectors(int count) {
  registers_.clear();
  for (int i = 0; i < count; ++i) registers_.push_back(vector_.Vector(i));
  for (int i = 0; vector_.has_masks() && i < kNumMasks; ++i) {
    registers_.push_back(VectorCode::Mask(kFirstMask + i));
  }
  owners_.assign(registers_.size(), std::nullopt);
}

void BodyEmitter::PinConstants(const Piece& piece) {
  // What the values need is seen in code that nobody will run.
  Assembler code;
  ConstantPool pool;
  BodyEmitter trial(target_, code, pool, is_half_);
  trial.slots_ = slots_;
  trial.kept_ = kept_;
  trial.accumulators_ = accumulators_;
  trial.accumulators_of_each_ = accumulators_of_each_;
  trial.accumulator_registers_ = accumulator_registers_;
  trial.are_accumulators_set_ = are_accumulators_set_;
  trial.rows_ = rows_;
  trial.apart_ = apart_;
  trial.UseVectors(num_vectors());
  trial.Emit(piece, /*is_tail=*/false);
  std::vector<std::pair<int, LaneBits>> constants;  // by uses
  for (const auto& [bits, uses] : trial.vector_.uses()) constants.emplace_back(-uses, bits);
  std::sort(constants.begin(), constants.end());
  vector_.Unpin();
  int first = num_vectors();
  for (const auto& [uses, bits] : constants) {
    if (first == trial.vectors_used_) break;
    vector_.Pin(bits, vector_.Vector(--first));
  }
  UseVectors(first);
}

void BodyEmitter::SetRows(int rows, std::vector<int64_t> apart) {
  rows_ = rows;
  apart_ = std::move(apart);
}

Xbyak::Address BodyEmitter::Kept(int32_t number) {
  while (kept_.size() <= static_cast<size_t>(number)) kept_.push_back(NewKept());
  return kept_[static_cast<size_t>(number)];
}

Xbyak::Address BodyEmitter::NewNumber() {
  NewKept();
  return Xbyak::util::qword[rsp + stack_begin_ - static_cast<int32_t>(sizeof(int64_t))];
}

void BodyEmitter::MakeAccumulators(int reductions, int of_each, bool are_set) {
  const int count = reductions * rows_ * of_each;
  are_accumulators_set_ = are_set;
  accumulators_of_each_ = of_each;
  accumulators_.clear();
  accumulator_registers_ = 0;
  if (vector_.has_masks() && count <= kMostAccumulators) {
    accumulator_registers_ = count;
  } else {
    for (int i = 0; i < count; ++i) accumulators_.push_back(NewKept());
  }
  vector_.Unpin();
  UseVectors(num_vectors());
}

Vec BodyEmitter::LoadAccumulator(int number, Vec spare) {
  if (accumulators_.empty()) return vector_.Vector(num_vectors() + number);
  vector_.Load(spare, accumulators_[static_cast<size_t>(number)]);
  return spare;
}

void BodyEmitter::StoreAccumulator(int number, Vec value) {
  if (accumulators_.empty()) return vector_.Move(vector_.Vector(num_vectors() + number), value);
  vector_.Store(accumulators_[static_cast<size_t>(number)], value);
}

void BodyEmitter::FindUsers() {
  states_.assign(piece_.size(), {});
  last_load_ = -1;
  for (size_t n = 0; n < piece_.size(); ++n) {
    const PieceValue& value = piece_[n];
    State& state = states_[n];
    state.stored = value.kept < 0 && (value.kind != Kind::kOp || value.slot < 0);
    if (value.kind == Kind::kKept) {
      state.memory = Kept(value.slot);
      if (rows_ > 1 && value.row != PieceValue::kAllRows) {
        const auto lane = static_cast<size_t>(vector_.LaneOfRow(value.row));
        state.memory = ptr[state.memory->getRegExp() + lane * kLaneBytes];
        state.is_element = true;
      }
    }
    for (size_t i = 0; i < value.node.num_operands; ++i) {
      const int32_t operand = value.node.operands[i];
      State& used = StateOf(operand);
      if (used.users.empty() && ValueOf(operand).kind == Kind::kInput) {
        last_load_ = static_cast<int32_t>(n);
      }
      used.users.push_back(static_cast<int32_t>(n));
    }
  }
}

void BodyEmitter::Emit(const Piece& piece, bool is_tail) {
  piece_ = piece;
  is_tail_ = is_tail;
  stack_ = stack_begin_;
  std::fill(owners_.begin(), owners_.end(), std::nullopt);
  FindUsers();
  if (is_tail) EmitTailMask();
  int32_t count = 1;  // of values at a time
  for (int32_t n = 0; n < static_cast<int32_t>(piece_.size()); n += count) {
    count = std::max(CountFunctions(n), 1);
    const PieceValue& value = ValueOf(n);
    if (IsFunction(value)) {
      EmitFunctions(n, count);
    } else if (value.kind == Kind::kOp) {
      EmitOp(n);
    } else if (value.kind == Kind::kCombine) {
      EmitCombine(n);
    } else if (value.kept >= 0) {
      Register(n);
    } else {
      continue;
    }
    for (int32_t i = n; i < n + count; ++i) {
      if (value.kind == Kind::kOp) Round(i);
    }
    locked_.clear();
    for (int32_t i = n; i < n + count; ++i) ReleaseIfDead(i);
    if (n + count > last_load_) EmitStores();
  }
}

Xbyak::Address BodyEmitter::NewOnStack() {
  const Xbyak::Address address = ptr[rsp + stack_];
  stack_ += static_cast<int32_t>(LanesOf(target_) * kLaneBytes);
  stack_end_ = std::max(stack_end_, stack_);
  return address;
}

Xbyak::Address BodyEmitter::NewKept() {
  stack_ = stack_begin_;
  const Xbyak::Address address = NewOnStack();
  stack_begin_ = stack_;
  return address;
}

// --- Registers -----------------------------------------------------------------------------------

int32_t BodyEmitter::NextUse(int32_t n) {
  const State& state = StateOf(n);
  if (state.used < state.users.size()) return state.users[state.used];
  return state.stored ? kNever : last_load_;
}

// Null: a constant's.
std::optional<int32_t>* BodyEmitter::OwnerOf(Vec reg) {
  const auto found = std::find(registers_.begin(), registers_.end(), reg);
  if (found == registers_.end()) return nullptr;
  return &owners_[static_cast<size_t>(found - registers_.begin())];
}

// A free one, or that whose value is needed last.
Vec BodyEmitter::NewRegister(bool is_mask) {
  std::optional<size_t> best;
  int32_t best_use = -1;
  for (size_t number = 0; number < registers_.size(); ++number) {
    const Vec reg = registers_[number];
    if (reg.isOPMASK() != is_mask) continue;
    if (std::find(locked_.begin(), locked_.end(), reg) != locked_.end()) continue;
    const std::optional<int32_t>& owner = owners_[number];
    const int32_t use = owner.has_value() ? NextUse(*owner) : kNever;
    if (best.has_value() && use <= best_use) continue;
    best = number;
    best_use = use;
  }
  const Vec reg = registers_[*best];
  if (!is_mask) vectors_used_ = std::max(vectors_used_, reg.getIdx() + 1);
  locked_.push_back(reg);
  std::optional<int32_t>& owner = owners_[*best];
  if (!owner.has_value()) return reg;
  State& state = StateOf(*owner);
  // As long as nothing is stored, an input can be loaded again.
  const Kind kind = ValueOf(*owner).kind;
  const bool reloads = kind == Kind::kConstant || (kind == Kind::kInput && best_use <= last_load_);
  if (!state.memory.has_value() && !reloads) {
    state.memory = NewOnStack();
    vector_.Store(*state.memory, reg);
  }
  state.reg.reset();
  owner.reset();
  return reg;
}

void BodyEmitter::SetRegister(int32_t n, Vec reg) {
  StateOf(n).reg = reg;
  *OwnerOf(reg) = n;
}

// The register that holds the value, which stays there until the op is done.
Vec BodyEmitter::Register(int32_t n) {
  State& state = StateOf(n);
  const PieceValue& value = ValueOf(n);
  if (value.kind == Kind::kConstant && !IsMask(value)) {
    if (const Vec* pinned = vector_.FindPinned(value.bits)) return *pinned;
  }
  if (!state.reg.has_value()) {
    const Vec reg = NewRegister(IsMask(value));
    if (value.kind == Kind::kConstant) {
      vector_.LoadConstant(reg, value.bits);
    } else if (state.is_element) {
      code_.vbroadcastss(reg, *state.memory);
    } else if (state.memory.has_value()) {
      vector_.Load(reg, *state.memory);
    } else {
      LoadInput(n, reg);
    }
    SetRegister(n, reg);
  }
  locked_.push_back(*state.reg);
  return *state.reg;
}

void BodyEmitter::ReleaseIfDead(int32_t n) {
  State& state = StateOf(n);
  if (state.is_live() || !state.reg.has_value()) return;
  OwnerOf(*state.reg)->reset();
  state.reg.reset();
}

// The current op has read the value, once.
void BodyEmitter::Use(int32_t n) {
  ++StateOf(n).used;
  ReleaseIfDead(n);
}

void BodyEmitter::EmitStores() {
  for (size_t n = 0; n < piece_.size(); ++n) {
    State& state = states_[n];
    const bool computed = state.reg.has_value() || state.memory.has_value();
    if (state.stored || !computed) continue;
    Store(static_cast<int32_t>(n));
    state.stored = true;
    locked_.clear();
    ReleaseIfDead(static_cast<int32_t>(n));
  }
}

// --- Ops -----------------------------------------------------------------------------------------

void BodyEmitter::LockOwned(Vec reg) {
  const std::optional<int32_t>* const owner = OwnerOf(reg);
  if (owner != nullptr && owner->has_value()) locked_.push_back(reg);
}

void BodyEmitter::EmitOp(int32_t n) {
  if (EmitExtreme(n) || EmitOnMemory(n)) return;
  const PieceValue& value = ValueOf(n);
  const Node& node = value.node;
  Vec operands[3];
  for (size_t i = 0; i < node.num_operands; ++i) operands[i] = Register(node.operands[i]);
  const auto use = [&] {
    for (size_t i = 0; i < node.num_operands; ++i) Use(node.operands[i]);
  };
  const bool in_place = VectorCode::IsOneInstruction(node, value.operand_type);
  if (in_place) {
    use();
    locked_.clear();
    for (size_t i = 0; i < node.num_operands; ++i) LockOwned(operands[i]);
  }
  const Vec reg = NewRegister(IsMask(value));
  vector_.Emit(node, value.operand_type, reg, {operands, node.num_operands});
  if (!in_place) use();
  SetRegister(n, reg);
}

// The result becomes one of the type.
void BodyEmitter::Round(int32_t n) {
  const PieceValue& value = ValueOf(n);
  if (IsHalf(value.rounded)) vector_.RoundToHalf(value.rounded, *StateOf(n).reg);
  if (!IsShort(value.rounded)) return;
  const bool saturates = IsFloatType(value.operand_type);
  saturates ? vector_.LimitToShort(value.rounded, *StateOf(n).reg)
            : vector_.WrapToShort(value.rounded, *StateOf(n).reg);
}

// An operand that lies in memory as a whole vector is read where it lies.
bool BodyEmitter::EmitOnMemory(int32_t n) {
  const PieceValue& value = ValueOf(n);
  const Node& node = value.node;
  if (!vector_.HasMemoryForm(node, value.operand_type)) return false;
  const auto in_memory = [&](int32_t operand) {
    const State& state = StateOf(operand);
    if (state.reg.has_value()) return false;
    const PieceValue& other = ValueOf(operand);
    if (other.kind == Kind::kConstant) return true;
    if (state.is_element && !vector_.has_masks()) return false;
    return state.memory.has_value() ||
           (!is_tail_ && other.kind == Kind::kInput && other.type != DType::kPred &&
            other.memory == DType::kInvalid && IsWideType(other.type) == is_half_ &&
            state.users.size() == 1);
  };
  int32_t a = node.operands[0], b = node.operands[1];
  // Of two NaNs the first is the result.
  const bool may_swap =
      compiler::InfoOf(node.opcode).commutative &&
      (!IsFloatType(value.operand_type) ||
       (ValueOf(a).kind == Kind::kConstant && !IsNan(value.operand_type, ValueOf(a).bits)));
  if (may_swap && in_memory(a)) std::swap(a, b);
  if (a == b || !in_memory(b)) return false;
  const Vec first = Register(a);
  Use(a);
  Use(b);
  locked_.clear();
  LockOwned(first);
  const Vec reg = NewRegister();
  const State& second = StateOf(b);
  const PieceValue& other = ValueOf(b);
  if (other.kind == Kind::kConstant) {
    vector_.EmitOnMemory(node, value.operand_type, reg, first, vector_.Constant(other.bits));
  } else if (second.is_element) {
    vector_.EmitOnMemory(node, value.operand_type, reg, first, ptr_b[second.memory->getRegExp()]);
  } else {
    vector_.EmitOnMemory(node, value.operand_type, reg, first,
                         second.memory.has_value() ? *second.memory : ptr[AddressOf(other)]);
  }
  SetRegister(n, reg);
  return true;
}

// The value into its accumulator; lanes that are not there change nothing.
void BodyEmitter::EmitCombine(int32_t n) {
  const PieceValue& value = ValueOf(n);
  const Opcode opcode = value.node.opcode;
  const int number = (value.slot * rows_ + value.row) * accumulators_of_each_ +
                     static_cast<int>(value.first_lane / static_cast<int32_t>(lanes_));
  Vec added = Register(value.node.operands[0]);
  if (is_tail_) {
    const Vec only_there = NewRegister();
    vector_.LoadConstant(only_there, VectorCode::NeutralOf(opcode, value.operand_type));
    Vec mask = vector_.scratch();
    if (vector_.has_masks()) {
      mask = VectorCode::Mask(kTailMask);
    } else {
      vector_.Load(mask, mask_);
    }
    vector_.Choose(only_there, only_there, added, mask);
    added = only_there;
  }
  if (are_accumulators_set_) {
    const Vec accumulator = LoadAccumulator(number, accumulators_.empty() ? added : NewRegister());
    vector_.Combine(opcode, value.operand_type, accumulator, accumulator, added);
    added = accumulator;
  }
  StoreAccumulator(number, added);
  Use(value.node.operands[0]);
}

// How many functions from this value on are emitted together: the same one of vectors that do not
// wait for each other, as many as there are registers for. 0: it is none.
int32_t BodyEmitter::CountFunctions(int32_t n) {
  const PieceValue& value = ValueOf(n);
  if (!IsFunction(value)) return 0;
  const Opcode opcode = value.node.opcode;
  if (!FunctionCode::IsInStep(opcode)) return 1;
  int32_t free = 0, count = 0;
  for (size_t r = 0; r < registers_.size(); ++r) {
    if (!registers_[r].isOPMASK() && !owners_[r].has_value()) ++free;
  }
  for (int32_t i = n; i < static_cast<int32_t>(piece_.size()); ++i, ++count) {
    const PieceValue& other = ValueOf(i);
    if (!IsFunction(other) || other.node.opcode != opcode || other.node.operands[0] >= n) break;
    free -= static_cast<int32_t>(1 + FunctionCode::TemporariesOf(opcode));
    if (!StateOf(other.node.operands[0]).reg.has_value()) --free;
    if (free < 0) break;
  }
  return std::max(count, 1);
}

void BodyEmitter::EmitFunctions(int32_t n, int32_t count) {
  const PieceValue& value = ValueOf(n);
  const Opcode opcode = value.node.opcode;
  std::vector<FunctionCode::Copy> copies;
  for (int32_t i = n; i < n + count; ++i) {
    FunctionCode::Copy& copy = copies.emplace_back();
    copy.x = Register(ValueOf(i).node.operands[0]);
    copy.dst = NewRegister();
    for (size_t t = 0; t < FunctionCode::TemporariesOf(opcode); ++t) copy.t[t] = NewRegister();
  }
  vector_.set_type(value.operand_type);
  functions_.Emit(opcode, copies);
  for (int32_t i = n; i < n + count; ++i) {
    Use(ValueOf(i).node.operands[0]);
    SetRegister(i, copies[static_cast<size_t>(i - n)].dst);
  }
}

bool BodyEmitter::EmitExtreme(int32_t n) {
  const PieceValue& value = ValueOf(n);
  const Node& node = value.node;
  const bool maximum = node.opcode == Opcode::kMaximum;
  const DType type = value.operand_type;
  if (!IsFloatType(type) || (!maximum && node.opcode != Opcode::kMinimum)) return false;
  int32_t a = node.operands[0], b = node.operands[1];
  if (ValueOf(a).kind == Kind::kConstant) std::swap(a, b);
  if (ValueOf(b).kind != Kind::kConstant || ValueOf(a).kind == Kind::kConstant) return false;
  const LaneBits constant = ValueOf(b).bits;
  if (!VectorCode::HasExtremeOfConstant(maximum, type, constant)) return false;
  const Vec first = Register(a);
  Use(a);
  Use(b);
  locked_.clear();
  LockOwned(first);
  const Vec reg = NewRegister();
  vector_.ExtremeOfConstant(maximum, type, reg, first, constant, MakesQuiet(ValueOf(a)));
  SetRegister(n, reg);
  return true;
}

}  // namespace plinth::cpu::emit
