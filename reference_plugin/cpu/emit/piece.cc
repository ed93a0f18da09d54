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
using Xbyak::util::T_z;

using Kind = PieceValue::Kind;

// Addresses of slots live here, the others are read each time. rax holds what lives nowhere, rcx
// counts lanes.
const Xbyak::Reg64 kPointers[] = {r8, r9, r10, r11, rbx, rbp, r12, r13, r14, r15};
constexpr size_t kFirstSaved = 4;  // of kPointers
// Vectors that hold values; the two above are of one op at a time.
constexpr int kVectorsOfAvx2 = 14, kVectorsOfAvx512 = 30;
// Of AVX-512 the masks of preds. Mask 0 stands for all lanes, 1 and 2 are of one op at a time.
constexpr int kFirstMask = 4, kNumMasks = 4;
const Xbyak::Opmask kTailLanes(3);
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
struct MostLive {
  int vectors = 0, masks = 0;
};
MostLive FindMostLive(const Piece& piece, bool has_masks) {
  std::vector<size_t> last_use(piece.size());
  for (size_t n = 0; n < piece.size(); ++n) {
    last_use[n] = n;
    if (piece[n].kind != Kind::kOp) continue;
    for (size_t i = 0; i < piece[n].node.num_operands; ++i) {
      last_use[static_cast<size_t>(piece[n].node.operands[i])] = n;
    }
  }
  MostLive most;
  for (size_t at = 0; at < piece.size(); ++at) {
    MostLive live;
    for (size_t n = 0; n <= at; ++n) {
      if (piece[n].kind == Kind::kConstant || last_use[n] <= at) continue;
      ++(has_masks && piece[n].type == DType::kPred ? live.masks : live.vectors);
    }
    most = {std::max(most.vectors, live.vectors), std::max(most.masks, live.masks)};
  }
  return most;
}

// The piece for two vectors, op by op: what waits for the result of one may do the other.
Piece Interleave(const Piece& piece, int64_t lanes) {
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
      made.first_lane = static_cast<int32_t>(c) * static_cast<int32_t>(lanes);
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
  PieceEmitter(const Piece& piece, math::SimdTarget target, Assembler& code, ConstantPool& pool)
      : one_(OrderOperands(piece)),
        lanes_(LanesOf(target)),
        code_(code),
        pool_(pool),
        vector_(code, pool, target),
        functions_(code, vector_) {
    vector_.set_lanes(kLanes);
    const bool has_masks = vector_.has_masks();
    UseVectors(num_vectors());
    // Few are put aside for results then: random numbers, whose seven values just fit into AVX2's
    // registers, gain 14 %.
    const MostLive live = FindMostLive(one_, has_masks);
    is_double_ = 2 * live.vectors <= num_vectors() && 2 * live.masks <= kNumMasks;
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

  int num_vectors() const { return vector_.has_masks() ? kVectorsOfAvx512 : kVectorsOfAvx2; }
  void UseVectors(int count);
  void PinConstants();
  void FindSlots();
  void EmitLoop(uint32_t step);
  void EmitBody(bool is_tail);
  void EmitTailMask();
  void EmitOp(int32_t n);
  bool EmitOnMemory(int32_t n);
  bool EmitExtreme(int32_t n);
  bool EmitFunction(int32_t n);
  void EmitStores();
  void LoadInput(int32_t n, Vec reg);
  void LoadPred(const PieceValue& value, const Xbyak::Address& from, Vec reg);
  void Store(int32_t n);
  void StorePred(const PieceValue& value, Vec reg);
  Xbyak::RegExp AddressOf(const PieceValue& value);
  Xbyak::RegExp BaseOf(int32_t slot);
  int32_t NextUse(int32_t n);
  bool IsMask(const PieceValue& value) const {
    return vector_.has_masks() && value.type == DType::kPred;
  }
  std::optional<int32_t>* OwnerOf(Vec reg);
  Vec NewRegister(bool is_mask = false);
  Vec Register(int32_t n);
  void Use(int32_t n);
  void ReleaseIfDead(int32_t n);
  void SetRegister(int32_t n, Vec reg);
  void LockOwned(Vec reg);
  Xbyak::Address NewOnStack();

  const Piece one_;
  const int64_t lanes_;     // of a vector
  bool is_double_ = false;  // most of the work is done two vectors at a time
  Piece piece_;             // whose body is emitted: for one vector or two
  Assembler& code_;
  ConstantPool& pool_;
  VectorCode vector_;
  FunctionCode functions_;
  std::vector<int32_t> slots_;  // the first have a register of their own
  std::vector<State> states_;
  std::vector<Vec> registers_;                  // that hold values
  std::vector<std::optional<int32_t>> owners_;  // of each of them
  int vectors_used_ = 0;                        // so many of the first held any value
  std::vector<Vec> locked_;
  int32_t last_load_ = -1;  // the op that is the last to load an input
  bool is_tail_ = false;
  Xbyak::Address mask_ = ptr[rsp];  // tail of AVX2: the lanes that there are
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
  const auto step = static_cast<uint32_t>(lanes_);
  code_.xor_(ecx, ecx);
  PinConstants();
  if (is_double_) {
    piece_ = Interleave(one_, lanes_);
    EmitLoop(2 * step);
  }
  piece_ = one_;
  EmitLoop(step);
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

// The first of them hold values.
void PieceEmitter::UseVectors(int count) {
  registers_.clear();
  for (int i = 0; i < count; ++i) registers_.push_back(vector_.Vector(i));
  for (int i = 0; vector_.has_masks() && i < kNumMasks; ++i) {
    registers_.push_back(VectorCode::Mask(kFirstMask + i));
  }
  owners_.assign(registers_.size(), std::nullopt);
}

// Registers that no value needs hold constants all the time: a processor reads less from memory
// than it computes. Which registers that are, code shows that nobody will run.
void PieceEmitter::PinConstants() {
  Assembler code;
  ConstantPool pool;
  const math::SimdTarget target =
      vector_.has_masks() ? math::SimdTarget::kAvx512 : math::SimdTarget::kAvx2;
  PieceEmitter trial(one_, target, code, pool);
  trial.slots_ = slots_;
  trial.piece_ = is_double_ ? Interleave(one_, lanes_) : one_;
  trial.EmitBody(/*is_tail=*/false);
  std::vector<std::pair<int, uint32_t>> constants;  // by uses
  for (const auto& [bits, uses] : trial.vector_.uses()) constants.emplace_back(-uses, bits);
  std::sort(constants.begin(), constants.end());
  int first = num_vectors();
  for (const auto& [uses, bits] : constants) {
    if (first == trial.vectors_used_) break;
    vector_.Pin(bits, vector_.Vector(--first));
  }
  UseVectors(first);
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
  std::fill(owners_.begin(), owners_.end(), std::nullopt);
  states_.assign(piece_.size(), {});
  last_load_ = -1;
  for (size_t n = 0; n < piece_.size(); ++n) {
    const PieceValue& value = piece_[n];
    State& state = states_[n];
    state.stored = value.kind != Kind::kOp || value.slot < 0;
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
  if (is_tail) EmitTailMask();
  for (size_t n = 0; n < piece_.size(); ++n) {
    if (piece_[n].kind != Kind::kOp) continue;
    EmitOp(static_cast<int32_t>(n));
    locked_.clear();
    ReleaseIfDead(static_cast<int32_t>(n));
    if (static_cast<int32_t>(n) >= last_load_) EmitStores();
  }
}

// rsi lanes are left.
void PieceEmitter::EmitTailMask() {
  if (vector_.has_masks()) {
    constexpr uint32_t kAll = 0xFFFF;
    code_.mov(eax, kAll);
    code_.bzhi(eax, eax, esi);
    return code_.kmovw(kTailLanes, eax);
  }
  mask_ = NewOnStack();
  ConstantPool::Vector numbers;
  for (size_t lane = 0; lane < numbers.size(); ++lane) numbers[lane] = static_cast<uint32_t>(lane);
  const Vec scratch = vector_.scratch();
  const Xbyak::Xmm low(scratch.getIdx());
  code_.vmovd(low, esi);
  code_.vpbroadcastd(scratch, low);
  code_.vpcmpgtd(scratch, scratch, pool_.Find(numbers));
  vector_.Store(mask_, scratch);
}

Xbyak::Address PieceEmitter::NewOnStack() {
  const Xbyak::Address address = ptr[rsp + stack_];
  stack_ += static_cast<int32_t>(lanes_ * kLaneBytes);
  stack_end_ = std::max(stack_end_, stack_);
  return address;
}

// --- Registers -----------------------------------------------------------------------------------

int32_t PieceEmitter::NextUse(int32_t n) {
  const State& state = StateOf(n);
  if (state.used < state.users.size()) return state.users[state.used];
  return state.stored ? kNever : last_load_;
}

// Null: a constant's.
std::optional<int32_t>* PieceEmitter::OwnerOf(Vec reg) {
  const auto found = std::find(registers_.begin(), registers_.end(), reg);
  if (found == registers_.end()) return nullptr;
  return &owners_[static_cast<size_t>(found - registers_.begin())];
}

// A free one, or that whose value is needed last.
Vec PieceEmitter::NewRegister(bool is_mask) {
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

void PieceEmitter::SetRegister(int32_t n, Vec reg) {
  StateOf(n).reg = reg;
  *OwnerOf(reg) = n;
}

// The register that holds the value, which stays there until the op is done.
Vec PieceEmitter::Register(int32_t n) {
  State& state = StateOf(n);
  const PieceValue& value = ValueOf(n);
  if (value.kind == Kind::kConstant && !IsMask(value)) {
    if (const Vec* pinned = vector_.FindPinned(value.bits)) return *pinned;
  }
  if (!state.reg.has_value()) {
    const Vec reg = NewRegister(IsMask(value));
    if (value.kind == Kind::kConstant) {
      vector_.LoadConstant(reg, value.bits);
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

void PieceEmitter::ReleaseIfDead(int32_t n) {
  State& state = StateOf(n);
  if (state.is_live() || !state.reg.has_value()) return;
  OwnerOf(*state.reg)->reset();
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
  const Xbyak::Address from = ptr[AddressOf(value)];
  if (value.type == DType::kPred) return LoadPred(value, from, reg);
  if (!is_tail_) return vector_.Load(reg, from);
  if (vector_.has_masks()) return code_.vmovups(reg | kTailLanes | T_z, from);
  vector_.Load(vector_.scratch(), mask_);
  code_.vmaskmovps(reg, vector_.scratch(), from);
}

void PieceEmitter::LoadPred(const PieceValue& value, const Xbyak::Address& from, Vec reg) {
  if (vector_.has_masks()) {
    const Xbyak::Xmm bytes(vector_.scratch().getIdx());
    if (is_tail_) {
      code_.vmovdqu8(bytes | kTailLanes | T_z, from);
    } else {
      code_.vmovups(bytes, from);
    }
    return code_.vptestmb(Xbyak::Opmask(reg.getIdx()), bytes, bytes);
  }
  const Xbyak::Xmm low(reg.getIdx());
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
  const Vec scratch = vector_.scratch();
  vector_.SetZero(scratch);
  code_.vpcmpgtd(reg, reg, scratch);
}

void PieceEmitter::Store(int32_t n) {
  const PieceValue& value = ValueOf(n);
  const Vec reg = Register(n);
  if (value.type == DType::kPred) return StorePred(value, reg);
  const Xbyak::Address to = ptr[AddressOf(value)];
  if (!is_tail_) return vector_.Store(to, reg);
  if (vector_.has_masks()) return code_.vmovups(to | kTailLanes, reg);
  vector_.Load(vector_.scratch(), mask_);
  code_.vmaskmovps(to, vector_.scratch(), reg);
}

void PieceEmitter::StorePred(const PieceValue& value, Vec reg) {
  constexpr uint32_t kOnes = 0x01010101;
  const Xbyak::Xmm bytes(vector_.scratch().getIdx());
  if (vector_.has_masks()) {
    code_.vmovdqu8(bytes | Xbyak::Opmask(reg.getIdx()) | T_z, pool_.Splat(kOnes));
    const Xbyak::Address to = ptr[AddressOf(value)];
    if (is_tail_) return code_.vmovdqu8(to | kTailLanes, bytes);
    return code_.vmovups(to, bytes);
  }
  code_.vextracti128(bytes, reg, 1);
  code_.vpackssdw(bytes, Xbyak::Xmm(reg.getIdx()), bytes);
  code_.vpacksswb(bytes, bytes, bytes);
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
  const std::optional<int32_t>* const owner = OwnerOf(reg);
  if (owner != nullptr && owner->has_value()) locked_.push_back(reg);
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
  const Vec reg = NewRegister(IsMask(value));
  vector_.Emit(node, value.operand_type, reg, {operands, node.num_operands});
  if (!in_place) use();
  SetRegister(n, reg);
}

// An operand that lies in memory as a whole vector is read where it lies.
bool PieceEmitter::EmitOnMemory(int32_t n) {
  const PieceValue& value = ValueOf(n);
  const Node& node = value.node;
  if (!vector_.HasMemoryForm(node, value.operand_type)) return false;
  const auto in_memory = [&](int32_t operand) {
    const State& state = StateOf(operand);
    if (state.reg.has_value()) return false;
    const PieceValue& other = ValueOf(operand);
    if (other.kind == Kind::kConstant) return true;
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
  if (other.kind == Kind::kConstant) {
    vector_.EmitOnMemory(node, value.operand_type, reg, first, vector_.Constant(other.bits));
  } else {
    vector_.EmitOnMemory(node, value.operand_type, reg, first,
                         second.memory.has_value() ? *second.memory : ptr[AddressOf(other)]);
  }
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
  return FunctionCode::Has(node.opcode, operand) || VectorCode::Has(node, operand, kLanes);
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

void EmitPiece(const Piece& piece, math::SimdTarget target, Assembler& code, ConstantPool& pool) {
  PieceEmitter(piece, target, code, pool).Emit();
}

}  // namespace plinth::cpu::emit
