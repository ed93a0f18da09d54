// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/piece.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "reference_plugin/cpu/emit/function_code.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::emit {
namespace {

using compiler::Node;
using compiler::Opcode;
using Xbyak::util::byte;
using Xbyak::util::dword;
using Xbyak::util::eax;
using Xbyak::util::ecx;
using Xbyak::util::esi;
using Xbyak::util::ptr;
using Xbyak::util::qword;
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
using Xbyak::util::rcx;
using Xbyak::util::rdi;
using Xbyak::util::rsi;
using Xbyak::util::rsp;

using Kind = PieceValue::Kind;

// Addresses of slots live here, the others are read each time. rax holds what lives nowhere, rcx
// counts lanes.
const Xbyak::Reg64 kPointers[] = {r8, r9, r10, r11, rbx, rbp, r12, r13, r14, r15};
constexpr size_t kFirstSaved = 4;  // of kPointers
// kScratch and kOtherScratch are above.
constexpr int kNumRegisters = 14;
constexpr int32_t kNever = std::numeric_limits<int32_t>::max();

bool IsNan(uint32_t bits) { return std::isnan(std::bit_cast<float>(bits)); }

// Whether a result of f32 is never a signaling NaN.
bool MakesQuiet(const PieceValue& value) {
  if (value.kind != Kind::kOp || value.operand_type != DType::kF32) return false;
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
      return FunctionCode::Has(value.node.opcode, DType::kF32);
  }
}

// Which of two NaNs a sum or product gives is up to who compiled its routine: that one is asked.
bool AnswersSecondNan(Opcode opcode) {
  const auto ask = [](Opcode asked) {
    const math::TileRoutine routine = math::FindTileRoutine(asked, DType::kF32, DType::kF32);
    if (!routine) return false;
    constexpr uint32_t kFirst = 0x7FC00001, kSecond = 0x7FC00002;
    ConstantPool::Vector first, second, result = {};
    first.fill(kFirst);
    second.fill(kSecond);
    routine.compute(result.data(), first.data(), second.data(), nullptr, result.size(), {});
    return result[0] == kSecond;
  };
  static const bool kOfAdd = ask(Opcode::kAdd), kOfMultiply = ask(Opcode::kMultiply);
  switch (opcode) {
    case Opcode::kAdd:
      return kOfAdd;
    case Opcode::kMultiply:
      return kOfMultiply;
    default:
      return false;
  }
}

// The instructions answer the first of two NaNs.
Piece OrderOperands(Piece piece) {
  for (PieceValue& value : piece) {
    if (value.kind != Kind::kOp || value.operand_type != DType::kF32) continue;
    if (!AnswersSecondNan(value.node.opcode)) continue;
    std::swap(value.node.operands[0], value.node.operands[1]);
  }
  return piece;
}

// The most values that are needed at once, without constants.
size_t MostLive(const Piece& piece) {
  std::vector<size_t> last_use(piece.size());
  for (size_t n = 0; n < piece.size(); ++n) {
    last_use[n] = n;
    if (piece[n].kind != Kind::kOp) continue;
    for (size_t i = 0; i < piece[n].node.num_operands; ++i) {
      last_use[static_cast<size_t>(piece[n].node.operands[i])] = n;
    }
  }
  size_t most = 0;
  for (size_t at = 0; at < piece.size(); ++at) {
    size_t live = 0;
    for (size_t n = 0; n <= at; ++n) {
      live += piece[n].kind != Kind::kConstant && last_use[n] > at ? 1 : 0;
    }
    most = std::max(most, live);
  }
  return most;
}

// The piece for two vectors, op by op: what waits for the result of one may do the other.
Piece Interleave(const Piece& piece) {
  Piece both;
  std::vector<std::array<int32_t, 2>> copies;
  for (const PieceValue& value : piece) {
    std::array<int32_t, 2>& copy = copies.emplace_back();
    for (size_t c = 0; c < copy.size(); ++c) {
      if (c > 0 && value.kind == Kind::kConstant) {
        copy[c] = copy[0];
        continue;
      }
      copy[c] = static_cast<int32_t>(both.size());
      PieceValue& made = both.emplace_back(value);
      made.first_lane = static_cast<int32_t>(c) * static_cast<int32_t>(kLanes);
      if (value.kind != Kind::kOp) continue;
      for (size_t i = 0; i < value.node.num_operands; ++i) {
        made.node.operands[i] = copies[static_cast<size_t>(value.node.operands[i])][c];
      }
    }
  }
  return both;
}

class PieceEmitter {
 public:
  PieceEmitter(const Piece& piece, Assembler& code, ConstantPool& pool)
      : one_(OrderOperands(piece)),
        code_(code),
        pool_(pool),
        vector_(code, pool),
        functions_(code, pool) {
    vector_.set_lanes(kLanes);
  }

  void Emit();

 private:
  // Where a value is while a body is emitted.
  struct State {
    std::optional<Vec> reg;
    std::optional<Xbyak::Address> memory;  // a whole vector: a constant, or put aside
    std::vector<int32_t> users;            // ops, ascending
    size_t used = 0;                       // so many of them are done
    bool stored = false;                   // or need not be

    bool is_live() const { return used < users.size() || !stored; }
  };

  const PieceValue& ValueOf(int32_t n) const { return piece_[static_cast<size_t>(n)]; }
  State& StateOf(int32_t n) { return states_[static_cast<size_t>(n)]; }

  void FindSlots();
  void EmitLoop(uint32_t step);
  void EmitBody(bool is_tail);
  void EmitOp(int32_t n);
  bool EmitOnMemory(int32_t n);
  bool EmitExtreme(int32_t n);
  bool EmitFunction(int32_t n);
  void EmitStores();
  void LoadInput(int32_t n, Vec reg);
  void Store(int32_t n);
  Xbyak::RegExp AddressOf(const PieceValue& value);
  Xbyak::RegExp BaseOf(int32_t slot);
  int32_t NextUse(int32_t n);
  Vec NewRegister();
  Vec Register(int32_t n);
  void Use(int32_t n);
  void ReleaseIfDead(int32_t n);
  void SetRegister(int32_t n, Vec reg);
  void LockOwned(Vec reg);
  Xbyak::Address NewOnStack();

  const Piece one_;
  Piece piece_;  // whose body is emitted: for one vector or two
  Assembler& code_;
  ConstantPool& pool_;
  VectorCode vector_;
  FunctionCode functions_;
  std::vector<int32_t> slots_;  // the first have a register of their own
  std::vector<State> states_;
  std::array<std::optional<int32_t>, kNumRegisters> owners_;
  std::vector<Vec> locked_;
  int32_t last_load_ = -1;  // the op that is the last to load an input
  bool is_tail_ = false;
  Xbyak::Address mask_ = ptr[rsp];  // tail: the lanes that there are
  int32_t stack_ = 0, stack_end_ = 0;
};

void PieceEmitter::FindSlots() {
  for (const PieceValue& value : one_) {
    if (value.slot < 0) continue;
    if (std::find(slots_.begin(), slots_.end(), value.slot) == slots_.end()) {
      slots_.push_back(value.slot);
    }
  }
}

void PieceEmitter::Emit() {
  FindSlots();
  const size_t pointers = std::min(slots_.size(), std::size(kPointers));
  code_.endbr64();
  for (size_t i = kFirstSaved; i < pointers; ++i) code_.push(kPointers[i]);
  const size_t reserved = code_.ReserveStack();
  for (size_t i = 0; i < pointers; ++i) code_.mov(kPointers[i], ptr[rdi + 8 * slots_[i]]);

  Xbyak::Label end;
  constexpr auto kStep = static_cast<uint32_t>(kLanes);
  code_.xor_(ecx, ecx);
  // Few are put aside for results then: random numbers, whose seven values just fit, gain 14 %.
  if (2 * MostLive(one_) <= kNumRegisters) {
    piece_ = Interleave(one_);
    EmitLoop(2 * kStep);
  }
  piece_ = one_;
  EmitLoop(kStep);
  code_.sub(rsi, rcx);
  code_.jz(end);
  EmitBody(/*is_tail=*/true);
  code_.L(end);
  code_.vzeroupper();
  code_.SetStack(reserved, stack_end_);
  code_.add(rsp, static_cast<uint32_t>(stack_end_));
  for (size_t i = pointers; i > kFirstSaved; --i) code_.pop(kPointers[i - 1]);
  code_.ret();
  functions_.EmitRest();
}

// From lane rcx on, as long as there are so many.
void PieceEmitter::EmitLoop(uint32_t step) {
  Xbyak::Label loop, end;
  code_.sub(rsi, step);
  code_.cmp(rcx, rsi);
  code_.jg(end);
  constexpr size_t kAlignment = 32;
  code_.align(kAlignment);
  code_.L(loop);
  EmitBody(/*is_tail=*/false);
  code_.add(rcx, step);
  code_.cmp(rcx, rsi);
  code_.jle(loop);
  code_.L(end);
  code_.add(rsi, step);
}

void PieceEmitter::EmitBody(bool is_tail) {
  is_tail_ = is_tail;
  stack_ = 0;
  owners_.fill(std::nullopt);
  states_.assign(piece_.size(), {});
  last_load_ = -1;
  for (size_t n = 0; n < piece_.size(); ++n) {
    const PieceValue& value = piece_[n];
    State& state = states_[n];
    state.stored = value.kind != Kind::kOp || value.slot < 0;
    if (value.kind == Kind::kConstant) state.memory = pool_.Splat(value.bits);
    if (value.kind != Kind::kOp) continue;
    for (size_t i = 0; i < value.node.num_operands; ++i) {
      const int32_t operand = value.node.operands[i];
      State& used = StateOf(operand);
      if (used.users.empty() && ValueOf(operand).kind == Kind::kInput) {
        last_load_ = static_cast<int32_t>(n);
      }
      used.users.push_back(static_cast<int32_t>(n));
    }
  }
  if (is_tail) {
    // rsi lanes are left.
    mask_ = NewOnStack();
    ConstantPool::Vector numbers;
    for (size_t lane = 0; lane < numbers.size(); ++lane)
      numbers[lane] = static_cast<uint32_t>(lane);
    code_.vmovd(Xbyak::Xmm(kScratch.getIdx()), esi);
    code_.vpbroadcastd(kScratch, Xbyak::Xmm(kScratch.getIdx()));
    code_.vpcmpgtd(kScratch, kScratch, pool_.Find(numbers));
    vector_.Store(mask_, kScratch);
  }
  for (size_t n = 0; n < piece_.size(); ++n) {
    if (piece_[n].kind != Kind::kOp) continue;
    EmitOp(static_cast<int32_t>(n));
    locked_.clear();
    ReleaseIfDead(static_cast<int32_t>(n));
    if (static_cast<int32_t>(n) >= last_load_) EmitStores();
  }
}

Xbyak::Address PieceEmitter::NewOnStack() {
  const Xbyak::Address address = ptr[rsp + stack_];
  stack_ += static_cast<int32_t>(kLanes * kLaneBytes);
  stack_end_ = std::max(stack_end_, stack_);
  return address;
}

// --- Registers -----------------------------------------------------------------------------------

int32_t PieceEmitter::NextUse(int32_t n) {
  const State& state = StateOf(n);
  if (state.used < state.users.size()) return state.users[state.used];
  return state.stored ? kNever : last_load_;
}

// A free one, or that whose value is needed last.
Vec PieceEmitter::NewRegister() {
  int best = -1;
  int32_t best_use = -1;
  for (int number = 0; number < kNumRegisters; ++number) {
    if (std::find(locked_.begin(), locked_.end(), Vec(number)) != locked_.end()) continue;
    const std::optional<int32_t>& owner = owners_[static_cast<size_t>(number)];
    const int32_t use = owner.has_value() ? NextUse(*owner) : kNever;
    if (best >= 0 && use <= best_use) continue;
    best = number;
    best_use = use;
  }
  const Vec reg(best);
  locked_.push_back(reg);
  std::optional<int32_t>& owner = owners_[static_cast<size_t>(best)];
  if (!owner.has_value()) return reg;
  State& state = StateOf(*owner);
  // As long as nothing is stored, an input can be loaded again.
  const bool reloads = ValueOf(*owner).kind == Kind::kInput && best_use <= last_load_;
  if (!state.memory.has_value() && !reloads) {
    state.memory = NewOnStack();
    vector_.Store(*state.memory, reg);
  }
  state.reg.reset();
  owner.reset();
  return reg;
}

void PieceEmitter::SetRegister(int32_t n, Vec reg) {
  StateOf(n).reg = reg;
  owners_[static_cast<size_t>(reg.getIdx())] = n;
}

// The register that holds the value, which stays there until the op is done.
Vec PieceEmitter::Register(int32_t n) {
  State& state = StateOf(n);
  if (!state.reg.has_value()) {
    const Vec reg = NewRegister();
    if (state.memory.has_value()) {
      vector_.Load(reg, *state.memory);
    } else {
      LoadInput(n, reg);
    }
    SetRegister(n, reg);
  }
  locked_.push_back(*state.reg);
  return *state.reg;
}

void PieceEmitter::ReleaseIfDead(int32_t n) {
  State& state = StateOf(n);
  if (state.is_live() || !state.reg.has_value()) return;
  owners_[static_cast<size_t>(state.reg->getIdx())].reset();
  state.reg.reset();
}

// The current op has read the value, once.
void PieceEmitter::Use(int32_t n) {
  ++StateOf(n).used;
  ReleaseIfDead(n);
}

// --- Memory --------------------------------------------------------------------------------------

Xbyak::RegExp PieceEmitter::BaseOf(int32_t slot) {
  const auto index = std::find(slots_.begin(), slots_.end(), slot) - slots_.begin();
  if (static_cast<size_t>(index) < std::size(kPointers)) return kPointers[index];
  code_.mov(rax, ptr[rdi + 8 * slot]);
  return rax;
}

Xbyak::RegExp PieceEmitter::AddressOf(const PieceValue& value) {
  const int bytes = value.type == DType::kPred ? 1 : static_cast<int>(kLaneBytes);
  return BaseOf(value.slot) + rcx * bytes + value.first_lane * bytes;
}

void PieceEmitter::LoadInput(int32_t n, Vec reg) {
  const PieceValue& value = ValueOf(n);
  const Xbyak::Xmm low(reg.getIdx());
  if (value.type != DType::kPred) {
    const Xbyak::Address from = ptr[AddressOf(value)];
    if (!is_tail_) return vector_.Load(reg, from);
    vector_.Load(kScratch, mask_);
    return code_.vmaskmovps(reg, kScratch, from);
  }
  if (is_tail_) {
    const Xbyak::RegExp base = AddressOf(value);
    Xbyak::Label done;
    code_.vpxor(low, low, low);
    for (uint8_t lane = 0; lane + 1 < kLanes; ++lane) {
      code_.vpinsrb(low, low, byte[base + static_cast<size_t>(lane)], lane);
      code_.cmp(esi, lane + 1);
      code_.je(done);
    }
    code_.L(done);
    code_.vpmovzxbd(reg, low);
  } else {
    code_.vpmovzxbd(reg, qword[AddressOf(value)]);
  }
  // Ones become all ones.
  code_.vpxor(kScratch, kScratch, kScratch);
  code_.vpcmpgtd(reg, reg, kScratch);
}

void PieceEmitter::Store(int32_t n) {
  const PieceValue& value = ValueOf(n);
  const Vec reg = Register(n);
  if (value.type != DType::kPred) {
    const Xbyak::Address to = ptr[AddressOf(value)];
    if (!is_tail_) return vector_.Store(to, reg);
    vector_.Load(kScratch, mask_);
    return code_.vmaskmovps(to, kScratch, reg);
  }
  const Xbyak::Xmm bytes(kScratch.getIdx());
  code_.vextracti128(bytes, reg, 1);
  code_.vpackssdw(bytes, Xbyak::Xmm(reg.getIdx()), bytes);
  code_.vpacksswb(bytes, bytes, bytes);
  constexpr uint32_t kOnes = 0x01010101;
  code_.vpand(bytes, bytes, pool_.Splat(kOnes));
  const Xbyak::RegExp base = AddressOf(value);
  if (!is_tail_) return code_.vmovq(qword[base], bytes);
  Xbyak::Label done;
  for (uint8_t lane = 0; lane + 1 < kLanes; ++lane) {
    code_.vpextrb(byte[base + static_cast<size_t>(lane)], bytes, lane);
    code_.cmp(esi, lane + 1);
    code_.je(done);
  }
  code_.L(done);
}

void PieceEmitter::EmitStores() {
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

void PieceEmitter::LockOwned(Vec reg) {
  if (owners_[static_cast<size_t>(reg.getIdx())].has_value()) locked_.push_back(reg);
}

void PieceEmitter::EmitOp(int32_t n) {
  if (EmitFunction(n) || EmitExtreme(n) || EmitOnMemory(n)) return;
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
  const Vec reg = NewRegister();
  vector_.Emit(node, value.operand_type, reg, {operands, node.num_operands});
  if (!in_place) use();
  SetRegister(n, reg);
}

// An operand that lies in memory as a whole vector is read where it lies.
bool PieceEmitter::EmitOnMemory(int32_t n) {
  const PieceValue& value = ValueOf(n);
  const Node& node = value.node;
  if (!VectorCode::HasMemoryForm(node, value.operand_type)) return false;
  const auto in_memory = [&](int32_t operand) {
    const State& state = StateOf(operand);
    if (state.reg.has_value()) return false;
    const PieceValue& other = ValueOf(operand);
    return state.memory.has_value() || (!is_tail_ && other.kind == Kind::kInput &&
                                        other.type != DType::kPred && state.users.size() == 1);
  };
  int32_t a = node.operands[0], b = node.operands[1];
  // Of two NaNs the first is the result.
  const bool may_swap = compiler::InfoOf(node.opcode).commutative &&
                        (value.operand_type != DType::kF32 ||
                         (ValueOf(a).kind == Kind::kConstant && !IsNan(ValueOf(a).bits)));
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
  vector_.EmitOnMemory(node, value.operand_type, reg, first,
                       second.memory.has_value() ? *second.memory : ptr[AddressOf(other)]);
  SetRegister(n, reg);
  return true;
}

bool PieceEmitter::EmitFunction(int32_t n) {
  const PieceValue& value = ValueOf(n);
  if (!FunctionCode::Has(value.node.opcode, value.operand_type)) return false;
  const Vec x = Register(value.node.operands[0]), reg = NewRegister();
  std::array<Vec, FunctionCode::kTemporaries> temporaries;
  for (Vec& temporary : temporaries) temporary = NewRegister();
  functions_.Emit(value.node.opcode, reg, x, temporaries);
  Use(value.node.operands[0]);
  SetRegister(n, reg);
  return true;
}

bool PieceEmitter::EmitExtreme(int32_t n) {
  const PieceValue& value = ValueOf(n);
  const Node& node = value.node;
  const bool maximum = node.opcode == Opcode::kMaximum;
  if (value.operand_type != DType::kF32 || (!maximum && node.opcode != Opcode::kMinimum)) {
    return false;
  }
  int32_t a = node.operands[0], b = node.operands[1];
  if (ValueOf(a).kind == Kind::kConstant) std::swap(a, b);
  if (ValueOf(b).kind != Kind::kConstant || ValueOf(a).kind == Kind::kConstant) return false;
  const uint32_t constant = ValueOf(b).bits;
  if (!VectorCode::HasExtremeOfConstant(maximum, constant)) return false;
  const Vec first = Register(a);
  Use(a);
  Use(b);
  locked_.clear();
  LockOwned(first);
  const Vec reg = NewRegister();
  vector_.ExtremeOfConstant(maximum, reg, first, constant, MakesQuiet(ValueOf(a)));
  SetRegister(n, reg);
  return true;
}

template <class T>
void AppendBytes(T number, std::string* key) {
  key->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

}  // namespace

bool CanEmit(const Node& node, DType operand) {
  // AVX-512's routines take twice the lanes for what is long.
  if (math::BestSimdTarget() == math::SimdTarget::kAvx2 &&
      FunctionCode::Has(node.opcode, operand)) {
    return true;
  }
  return VectorCode::Has(node, operand, kLanes);
}

void AppendKey(const Piece& piece, std::string* key) {
  AppendBytes(piece.size(), key);
  for (const PieceValue& value : piece) {
    AppendBytes(value.kind, key);
    AppendBytes(value.type, key);
    AppendBytes(value.slot, key);
    AppendBytes(value.bits, key);
    if (value.kind != Kind::kOp) continue;
    AppendBytes(value.node.opcode, key);
    AppendBytes(value.node.dtype, key);
    AppendBytes(value.node.compare.direction, key);
    AppendBytes(value.node.compare.type, key);
    AppendBytes(value.node.num_operands, key);
    for (const int32_t operand : value.node.operands) AppendBytes(operand, key);
    AppendBytes(value.operand_type, key);
  }
}

void EmitPiece(const Piece& piece, Assembler& code, ConstantPool& pool) {
  PieceEmitter(piece, code, pool).Emit();
}

}  // namespace plinth::cpu::emit
