// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/vector_code.h"

#include <algorithm>
#include <bit>

namespace plinth::cpu::emit {
namespace {

using compiler::ComparisonDirection;
using compiler::Node;
using compiler::Opcode;

constexpr uint32_t kSign = 0x80000000u, kOnes = 0xFFFFFFFFu, kLargestFinite = 0x7F7FFFFFu;

bool IsWhole(DType type) { return type == DType::kS32 || type == DType::kU32; }

#define PLINTH_INSTRUCTION(name, mnemonic)                                                     \
  constexpr Instruction name = [](Assembler& code, const Xbyak::Xmm& dst, const Xbyak::Xmm& a, \
                                  const Xbyak::Operand& b) { code.mnemonic(dst, a, b); }
PLINTH_INSTRUCTION(kOr, vorps);
PLINTH_INSTRUCTION(kXor, vxorps);
PLINTH_INSTRUCTION(kAnd, vandps);
PLINTH_INSTRUCTION(kAddFloats, vaddps);
PLINTH_INSTRUCTION(kAddIntegers, vpaddd);
PLINTH_INSTRUCTION(kSubtractFloats, vsubps);
PLINTH_INSTRUCTION(kSubtractIntegers, vpsubd);
PLINTH_INSTRUCTION(kMultiplyFloats, vmulps);
PLINTH_INSTRUCTION(kMultiplyIntegers, vpmulld);
PLINTH_INSTRUCTION(kDivideFloats, vdivps);
PLINTH_INSTRUCTION(kMaxSigned, vpmaxsd);
PLINTH_INSTRUCTION(kMaxUnsigned, vpmaxud);
PLINTH_INSTRUCTION(kMinSigned, vpminsd);
PLINTH_INSTRUCTION(kMinUnsigned, vpminud);
PLINTH_INSTRUCTION(kShiftLeft, vpsllvd);
PLINTH_INSTRUCTION(kShiftRight, vpsrlvd);
PLINTH_INSTRUCTION(kShiftRightSigned, vpsravd);
#undef PLINTH_INSTRUCTION

// Null where an op is not one instruction of two operands.
Instruction OneInstruction(Opcode opcode, DType type) {
  const bool floats = type == DType::kF32, whole = IsWhole(type), pred = type == DType::kPred;
  switch (opcode) {
    case Opcode::kAdd:
      if (pred) return kOr;
      return floats ? kAddFloats : kAddIntegers;
    case Opcode::kSubtract:
      if (pred) return kXor;
      return floats ? kSubtractFloats : kSubtractIntegers;
    case Opcode::kMultiply:
      if (pred) return kAnd;
      return floats ? kMultiplyFloats : kMultiplyIntegers;
    case Opcode::kDivide:
      if (floats) return kDivideFloats;
      return nullptr;
    case Opcode::kMaximum:
      if (whole) return type == DType::kS32 ? kMaxSigned : kMaxUnsigned;
      if (pred) return kOr;
      return nullptr;
    case Opcode::kMinimum:
      if (whole) return type == DType::kS32 ? kMinSigned : kMinUnsigned;
      if (pred) return kAnd;
      return nullptr;
    case Opcode::kAnd:
      if (!floats) return kAnd;
      return nullptr;
    case Opcode::kOr:
      if (!floats) return kOr;
      return nullptr;
    case Opcode::kXor:
      if (!floats) return kXor;
      return nullptr;
    // Counts of 32 and more give what the ops say: zeros, or the sign.
    case Opcode::kShiftLeft:
      if (whole) return kShiftLeft;
      return nullptr;
    case Opcode::kShiftRightLogical:
      if (whole) return kShiftRight;
      return nullptr;
    case Opcode::kShiftRightArithmetic:
      if (whole) return kShiftRightSigned;
      return nullptr;
    default:
      return nullptr;
  }
}

bool HasConvert(DType from, DType to) {
  // Of u32 there is no conversion to floats, nor back.
  const bool has_u32 = from == DType::kU32 || to == DType::kU32;
  return !has_u32 || (from != DType::kF32 && to != DType::kF32);
}

// Of vcmpps; what is not ordered is unequal, and nothing else.
uint8_t Predicate(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return 0x00;
    case ComparisonDirection::kNe:
      return 0x04;
    case ComparisonDirection::kGe:
      return 0x1D;
    case ComparisonDirection::kGt:
      return 0x1E;
    case ComparisonDirection::kLe:
      return 0x12;
    case ComparisonDirection::kLt:
      return 0x11;
  }
  return 0x00;
}
// Of vpcmpd.
uint8_t IntegerPredicate(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return 0x00;
    case ComparisonDirection::kNe:
      return 0x04;
    case ComparisonDirection::kGe:
      return 0x05;
    case ComparisonDirection::kGt:
      return 0x06;
    case ComparisonDirection::kLe:
      return 0x02;
    case ComparisonDirection::kLt:
      return 0x01;
  }
  return 0x00;
}
constexpr uint8_t kIsNan = 0x03, kIsNoNan = 0x07, kIsAtLeast = 0x1D, kIsAtMost = 0x12;
constexpr uint8_t kIsLessOrGreater = 0x0C;
// Of vroundps, which is not to say that something was lost.
constexpr uint8_t kNearestEven = 0x08, kDown = 0x09, kUp = 0x0A;

}  // namespace

bool IsLaneType(DType type) {
  return type == DType::kF32 || type == DType::kS32 || type == DType::kU32 || type == DType::kPred;
}

namespace {

// Where it lies behind the label.
template <class T>
Xbyak::RegRip FindOrAdd(std::vector<T>* all, const T& wanted, const Xbyak::Label& start) {
  const auto found = std::find(all->begin(), all->end(), wanted);
  const auto index = found - all->begin();
  if (found == all->end()) all->push_back(wanted);
  return Xbyak::util::rip + start + static_cast<int>(index * static_cast<int64_t>(sizeof(T)));
}

}  // namespace

Xbyak::Address ConstantPool::Find(const Vector& vector) {
  return Xbyak::util::ptr[FindOrAdd(&vectors_, vector, vectors_start_)];
}

Xbyak::Address ConstantPool::Scalar(uint32_t bits) {
  return Xbyak::util::ptr[FindOrAdd(&scalars_, bits, scalars_start_)];
}

Xbyak::Address ConstantPool::Broadcast(uint32_t bits) {
  return Xbyak::util::ptr_b[FindOrAdd(&scalars_, bits, scalars_start_)];
}

Xbyak::Address ConstantPool::Splat(uint32_t bits) {
  Vector vector;
  vector.fill(bits);
  return Find(vector);
}

void ConstantPool::Write(Assembler& code) {
  code.align(sizeof(Vector));
  code.L(vectors_start_);
  for (const Vector& vector : vectors_) {
    for (const uint32_t lane : vector) code.dd(lane);
  }
  code.L(scalars_start_);
  for (const uint32_t scalar : scalars_) code.dd(scalar);
}

bool VectorCode::IsOneInstruction(const Node& node, DType operand) {
  return OneInstruction(node.opcode, operand) != nullptr || node.opcode == Opcode::kSelect;
}

bool VectorCode::HasMemoryForm(const Node& node, DType operand) const {
  if (is_wide_ && operand == DType::kPred) return false;
  return node.num_operands == 2 && OneInstruction(node.opcode, operand) != nullptr;
}

void VectorCode::EmitOnMemory(const Node& node, DType operand, Vec dst, Vec a,
                              const Xbyak::Operand& b) {
  OneInstruction(node.opcode, operand)(code_, Sized(dst), Sized(a), b);
}

bool VectorCode::Has(const Node& node, DType operand, int64_t lanes) {
  if (!IsLaneType(operand) || !IsLaneType(node.dtype)) return false;
  const bool floats = operand == DType::kF32, signed_whole = operand == DType::kS32;
  switch (node.opcode) {
    case Opcode::kSelect:
      return true;
    case Opcode::kCompare:
      return node.compare.type != compiler::ComparisonType::kTotalOrder;
    case Opcode::kConvert:
      return HasConvert(operand, node.dtype);
    case Opcode::kDivide:
    case Opcode::kRemainder:
      // By way of f64, of which four fit.
      return (signed_whole && lanes <= 4) || (floats && node.opcode == Opcode::kDivide);
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return true;
    case Opcode::kNegate:
    case Opcode::kAbs:
      return floats || signed_whole || (operand == DType::kU32 && node.opcode == Opcode::kNegate);
    case Opcode::kNot:
      return !floats;
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kSign:
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kRoundNearestEven:
    case Opcode::kIsFinite:
      return floats;
    default:
      return OneInstruction(node.opcode, operand) != nullptr;
  }
}

void VectorCode::Emit(const Node& node, DType operand, Vec dst, std::span<const Vec> operands) {
  const Vec a = operands[0], b = operands[operands.size() > 1 ? 1 : 0];
  switch (node.opcode) {
    case Opcode::kSelect:
      if (IsMask(dst)) return ChooseMask(dst, operands[2], operands[1], a);
      return Choose(dst, operands[2], Sized(operands[1]), a);
    case Opcode::kCompare:
      return Compare(node.compare, operand, dst, a, b);
    case Opcode::kConvert:
      return Convert(operand, node.dtype, dst, a);
    case Opcode::kNegate:
      if (operand == DType::kF32) return code_.vxorps(Sized(dst), Sized(a), Constant(kSign));
      SetZero(dst);
      return code_.vpsubd(Sized(dst), Sized(dst), Sized(a));
    case Opcode::kAbs:
      if (operand == DType::kF32) return code_.vandps(Sized(dst), Sized(a), Constant(~kSign));
      return code_.vpabsd(Sized(dst), Sized(a));
    case Opcode::kNot:
      return Invert(dst, a);
    case Opcode::kSqrt:
      return code_.vsqrtps(Sized(dst), Sized(a));
    case Opcode::kRsqrt:
      code_.vsqrtps(Sized(scratch()), Sized(a));
      return code_.vdivps(Sized(dst), Sized(InRegister(std::bit_cast<uint32_t>(1.0f), dst)),
                          Sized(scratch()));
    case Opcode::kSign:
      return Sign(dst, a);
    case Opcode::kFloor:
      return Round(kDown, dst, a);
    case Opcode::kCeil:
      return Round(kUp, dst, a);
    case Opcode::kRoundNearestEven:
      return Round(kNearestEven, dst, a);
    case Opcode::kIsFinite:
      code_.vandps(Sized(scratch()), Sized(a), Constant(~kSign));
      return CompareFloats(dst, scratch(), Constant(kLargestFinite), kIsAtMost);
    case Opcode::kDivide:
    case Opcode::kRemainder:
      if (operand == DType::kS32) return Divide(node.opcode == Opcode::kRemainder, dst, a, b);
      [[fallthrough]];
    default:
      return Combine(node.opcode, operand, dst, a, b);
  }
}

bool VectorCode::CanCombine(Opcode opcode, DType type) {
  if (type == DType::kF32 && (opcode == Opcode::kMaximum || opcode == Opcode::kMinimum))
    return true;
  return OneInstruction(opcode, type) != nullptr;
}

void VectorCode::Combine(Opcode opcode, DType type, Vec dst, Vec a, Vec b) {
  if (IsMask(dst)) return CombineMasks(opcode, dst, a, b);
  if (const Instruction op = OneInstruction(opcode, type)) {
    return op(code_, Sized(dst), Sized(a), Sized(b));
  }
  Extreme(opcode == Opcode::kMaximum, dst, a, b);
}

uint32_t VectorCode::NeutralOf(Opcode opcode, DType type) {
  constexpr uint32_t kInfinity = 0x7F800000u, kLargest = ~kSign;
  const bool floats = type == DType::kF32, is_signed = type == DType::kS32;
  switch (opcode) {
    case Opcode::kAdd:
      return floats ? kSign : 0;
    case Opcode::kMultiply:
      return floats ? std::bit_cast<uint32_t>(1.0f) : 1;
    case Opcode::kMaximum:
      return floats ? kSign | kInfinity : is_signed ? kSign : 0;
    case Opcode::kMinimum:
      return floats ? kInfinity : is_signed ? kLargest : kOnes;
    case Opcode::kAnd:
      return kOnes;
    default:
      return 0;
  }
}

void VectorCode::CombineLanes(Opcode opcode, DType type, Vec dst, Vec spare) {
  const Xbyak::Xmm low(dst.getIdx()), high(spare.getIdx());
  const Xbyak::Ymm both(dst.getIdx());
  if (is_wide_) {
    code_.vextractf32x8(Xbyak::Ymm(spare.getIdx()), Xbyak::Zmm(dst.getIdx()), 1);
    Combine(opcode, type, dst, dst, spare);
  }
  code_.vextractf128(high, both, 1);
  Combine(opcode, type, dst, dst, spare);
  constexpr uint8_t kLastTwo = 0b1110, kSecond = 0b01;
  code_.vpermilps(high, low, kLastTwo);
  Combine(opcode, type, dst, dst, spare);
  code_.vpermilps(high, low, kSecond);
  Combine(opcode, type, dst, dst, spare);
}

void VectorCode::CombineMasks(Opcode opcode, Vec dst, Vec a, Vec b) {
  const Xbyak::Opmask result(dst.getIdx()), left(a.getIdx()), right(b.getIdx());
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kOr:
      return code_.korw(result, left, right);
    case Opcode::kSubtract:
    case Opcode::kXor:
      return code_.kxorw(result, left, right);
    default:
      return code_.kandw(result, left, right);
  }
}

// NaN wins, and of zeros that with the right sign.
void VectorCode::Extreme(bool maximum, Vec dst, Vec a, Vec b) {
  const Xbyak::Xmm number = Sized(scratch()), other = Sized(other_scratch());
  if (maximum) {
    code_.vmaxps(number, Sized(a), Sized(b));
    code_.vmaxps(other, Sized(b), Sized(a));
    code_.vandps(number, number, other);
  } else {
    code_.vminps(number, Sized(a), Sized(b));
    code_.vminps(other, Sized(b), Sized(a));
    code_.vorps(number, number, other);
  }
  const Vec has_nan = MaskOr(1, other_scratch());
  CompareFloats(has_nan, a, Sized(b), kIsNan);
  code_.vaddps(Sized(dst), Sized(a), Sized(b));
  Choose(dst, scratch(), Sized(dst), has_nan);
}

// The whole number with the sign of the operand.
void VectorCode::Round(uint8_t mode, Vec dst, Vec a) {
  code_.vandps(Sized(scratch()), Sized(a), Constant(kSign));
  if (is_wide_) {
    code_.vrndscaleps(dst, a, mode);
  } else {
    code_.vroundps(Sized(dst), Sized(a), mode);
  }
  code_.vandps(Sized(dst), Sized(dst), Constant(~kSign));
  code_.vorps(Sized(dst), Sized(dst), Sized(scratch()));
}

// Zeros and NaNs answer themselves.
void VectorCode::Sign(Vec dst, Vec a) {
  code_.vandps(Sized(scratch()), Sized(a), Constant(kSign));
  code_.vorps(Sized(scratch()), Sized(scratch()), Constant(std::bit_cast<uint32_t>(1.0f)));
  SetZero(dst);
  const Vec has_sign = MaskOr(1, dst);
  CompareFloats(has_sign, a, Sized(dst), kIsLessOrGreater);
  Choose(dst, a, Sized(scratch()), has_sign);
}

// max(a, constant) or min: the instruction answers the second operand to a NaN, and of two zeros;
// the sum quiets the NaN, and gives the zero its sign.
bool VectorCode::HasExtremeOfConstant(bool maximum, uint32_t constant) {
  return std::bit_cast<float>(constant) == std::bit_cast<float>(constant) &&
         (maximum || constant != kSign);
}

void VectorCode::ExtremeOfConstant(bool maximum, Vec dst, Vec a, uint32_t constant, bool is_quiet) {
  const Xbyak::Xmm bound = Sized(InRegister(constant, scratch()));
  if (maximum) {
    code_.vmaxps(Sized(dst), bound, Sized(a));
  } else {
    code_.vminps(Sized(dst), bound, Sized(a));
  }
  const bool of_zero = maximum && constant == 0;
  if (is_quiet && !of_zero) return;
  code_.vaddps(Sized(dst), Sized(dst), Constant(of_zero ? 0 : kSign));
}

void VectorCode::RoundToHalf(DType type, Vec reg) {
  if (type == DType::kF16) {
    constexpr uint8_t kToNearestEven = 0;
    const Xbyak::Xmm half =
        is_wide_ ? Xbyak::Xmm(Xbyak::Ymm(scratch().getIdx())) : Xbyak::Xmm(scratch().getIdx());
    code_.vcvtps2ph(half, reg, kToNearestEven);
    return code_.vcvtph2ps(reg, half);
  }
  // Half a unit in the last place is added, but to a tie only if the last bit is one.
  constexpr uint32_t kBelowHalf = 0x7FFF, kQuiet = 0x00400000u, kKeep = 0xFFFF0000u;
  constexpr int kShift = 16;
  code_.vpsrld(scratch(), reg, kShift);
  code_.vandps(scratch(), scratch(), Constant(1));
  code_.vpaddd(scratch(), scratch(), reg);
  code_.vpaddd(scratch(), scratch(), Constant(kBelowHalf));
  const Vec is_nan = MaskOr(1, other_scratch());
  CompareFloats(is_nan, reg, reg, kIsNan);
  if (is_wide_) {
    code_.vorps(scratch() | Xbyak::Opmask(is_nan.getIdx()), reg, Constant(kQuiet));
  } else {
    code_.vorps(reg, reg, Constant(kQuiet));
    Choose(scratch(), scratch(), reg, is_nan);
  }
  code_.vandps(reg, scratch(), Constant(kKeep));
}

void VectorCode::Invert(Vec dst, Vec a) {
  if (IsMask(dst)) return code_.knotw(Xbyak::Opmask(dst.getIdx()), Xbyak::Opmask(a.getIdx()));
  code_.vxorps(Sized(dst), Sized(a), Constant(kOnes));
}

void VectorCode::Compare(const compiler::CompareAttributes& compare, DType type, Vec dst, Vec a,
                         Vec b) {
  const ComparisonDirection direction = compare.direction;
  if (type == DType::kF32) return CompareFloats(dst, a, Sized(b), Predicate(direction));
  if (is_wide_) {
    const Xbyak::Opmask result(dst.getIdx());
    if (type == DType::kPred) return CompareMasks(direction, dst, a, b);
    if (type == DType::kS32) return code_.vpcmpd(result, a, b, IntegerPredicate(direction));
    return code_.vpcmpud(result, a, b, IntegerPredicate(direction));
  }
  const bool equality =
      direction == ComparisonDirection::kEq || direction == ComparisonDirection::kNe;
  if (type == DType::kU32 && !equality) {  // the order of signed numbers with other signs
    code_.vxorps(Sized(scratch()), Sized(a), pool_.Splat(kSign));
    code_.vxorps(Sized(other_scratch()), Sized(b), pool_.Splat(kSign));
    a = scratch();
    b = other_scratch();
  }
  // A true pred is -1.
  if (type == DType::kPred) std::swap(a, b);
  bool inverted = false;
  switch (direction) {
    case ComparisonDirection::kNe:
      inverted = true;
      [[fallthrough]];
    case ComparisonDirection::kEq:
      code_.vpcmpeqd(Sized(dst), Sized(a), Sized(b));
      break;
    case ComparisonDirection::kLe:
      inverted = true;
      [[fallthrough]];
    case ComparisonDirection::kGt:
      code_.vpcmpgtd(Sized(dst), Sized(a), Sized(b));
      break;
    case ComparisonDirection::kGe:
      inverted = true;
      [[fallthrough]];
    case ComparisonDirection::kLt:
      code_.vpcmpgtd(Sized(dst), Sized(b), Sized(a));
      break;
  }
  if (inverted) Invert(dst, dst);
}

void VectorCode::CompareMasks(ComparisonDirection direction, Vec dst, Vec a, Vec b) {
  const Xbyak::Opmask result(dst.getIdx()), left(a.getIdx()), right(b.getIdx());
  switch (direction) {
    case ComparisonDirection::kEq:
      return code_.kxnorw(result, left, right);
    case ComparisonDirection::kNe:
      return code_.kxorw(result, left, right);
    case ComparisonDirection::kLt:
      return code_.kandnw(result, left, right);  // the first operand is inverted
    case ComparisonDirection::kGt:
      return code_.kandnw(result, right, left);
    case ComparisonDirection::kGe:
      code_.kandnw(result, left, right);
      break;
    case ComparisonDirection::kLe:
      code_.kandnw(result, right, left);
      break;
  }
  Invert(dst, dst);
}

void VectorCode::ChooseMask(Vec dst, Vec a, Vec b, Vec mask) {
  const Xbyak::Opmask chosen(1), other(2), lanes(mask.getIdx());
  code_.kandw(chosen, lanes, Xbyak::Opmask(b.getIdx()));
  code_.kandnw(other, lanes, Xbyak::Opmask(a.getIdx()));
  code_.korw(Xbyak::Opmask(dst.getIdx()), chosen, other);
}

// The quotient of two s32 is exact in f64 but for its fraction, which goes. Of a division by zero,
// and of the one quotient that is too large, the conversion makes the smallest number.
void VectorCode::Divide(bool remainder, Vec dst, Vec a, Vec b) {
  const Xbyak::Xmm quotient(scratch().getIdx());
  code_.vcvtdq2pd(scratch(), Xbyak::Xmm(a.getIdx()));
  code_.vcvtdq2pd(other_scratch(), Xbyak::Xmm(b.getIdx()));
  code_.vdivpd(scratch(), scratch(), other_scratch());
  code_.vcvttpd2dq(quotient, scratch());
  if (remainder) {  // by zero, the product is zero
    code_.vpmulld(quotient, quotient, Sized(b));
    return code_.vpsubd(Sized(dst), Sized(a), quotient);
  }
  SetZero(dst);
  code_.vpcmpeqd(Sized(dst), Sized(dst), Sized(b));
  code_.vorps(Sized(dst), Sized(dst), quotient);
}

void VectorCode::Convert(DType from, DType to, Vec dst, Vec a) {
  if (from == to || (IsWhole(from) && IsWhole(to))) return Move(dst, a);
  if (from == DType::kPred) {
    const uint32_t one = to == DType::kF32 ? std::bit_cast<uint32_t>(1.0f) : 1;
    if (!is_wide_) return code_.vandps(Sized(dst), Sized(a), pool_.Splat(one));
    return code_.vbroadcastss(dst | Xbyak::Opmask(a.getIdx()) | Xbyak::util::T_z,
                              pool_.Scalar(one));
  }
  if (to == DType::kPred) {  // NaN is not zero
    if (from == DType::kF32) {
      SetZero(scratch());
      return CompareFloats(dst, a, Sized(scratch()), Predicate(ComparisonDirection::kNe));
    }
    if (is_wide_) return code_.vptestmd(Xbyak::Opmask(dst.getIdx()), a, a);
    SetZero(dst);
    code_.vpcmpeqd(Sized(dst), Sized(dst), Sized(a));
    return Invert(dst, dst);
  }
  if (from == DType::kS32) return code_.vcvtdq2ps(Sized(dst), Sized(a));
  // What is too large becomes the smallest number, which is the largest with all bits turned.
  const Vec lanes = MaskOr(1, scratch());
  code_.vcvttps2dq(Sized(dst), Sized(a));
  CompareFloats(lanes, a, Constant(std::bit_cast<uint32_t>(0x1p31f)), kIsAtLeast);
  if (is_wide_) {
    code_.vxorps(dst | Xbyak::Opmask(lanes.getIdx()), dst, Constant(kOnes));
  } else {
    code_.vxorps(Sized(dst), Sized(dst), Sized(lanes));
  }
  CompareFloats(lanes, a, Sized(a), kIsNoNan);
  Keep(dst, dst, lanes);
}

const Xbyak::Operand& VectorCode::Constant(uint32_t bits) {
  ++uses_[bits];
  if (const Vec* pinned = FindPinned(bits)) return *pinned;
  const auto found = addresses_.find(bits);
  if (found != addresses_.end()) return found->second;
  return addresses_.emplace(bits, is_wide_ ? pool_.Broadcast(bits) : pool_.Splat(bits))
      .first->second;
}

Vec VectorCode::InRegister(uint32_t bits, Vec spare) {
  if (const Vec* pinned = FindPinned(bits)) return *pinned;
  LoadConstant(spare, bits);
  return spare;
}

void VectorCode::Pin(uint32_t bits, Vec reg) {
  LoadConstant(reg, bits);
  pinned_.emplace(bits, reg);
}

const Vec* VectorCode::FindPinned(uint32_t bits) const {
  const auto found = pinned_.find(bits);
  return found == pinned_.end() ? nullptr : &found->second;
}

void VectorCode::LoadConstant(Vec dst, uint32_t bits) {
  if (IsMask(dst)) return Load(dst, pool_.Scalar(bits));
  ++uses_[bits];
  if (const Vec* pinned = FindPinned(bits)) return Move(dst, *pinned);
  if (is_wide_) return code_.vbroadcastss(dst, pool_.Scalar(bits));
  Load(dst, pool_.Splat(bits));
}

void VectorCode::SetZero(Vec dst) {
  // The rest of a register becomes zero, too.
  const Xbyak::Xmm low(dst.getIdx());
  code_.vxorps(low, low, low);
}

void VectorCode::CompareFloats(Vec mask, Vec a, const Xbyak::Operand& b, uint8_t predicate) {
  if (IsMask(mask)) return code_.vcmpps(Xbyak::Opmask(mask.getIdx()), a, b, predicate);
  code_.vcmpps(Sized(mask), Sized(a), b, predicate);
}

void VectorCode::Keep(Vec dst, Vec a, Vec mask) {
  if (!IsMask(mask)) return code_.vandps(Sized(dst), Sized(a), Sized(mask));
  code_.vmovaps(dst | Xbyak::Opmask(mask.getIdx()) | Xbyak::util::T_z, a);
}

void VectorCode::Choose(Vec dst, Vec a, const Xbyak::Operand& b, Vec mask) {
  if (!IsMask(mask)) return code_.vblendvps(Sized(dst), Sized(a), b, Sized(mask));
  code_.vblendmps(dst | Xbyak::Opmask(mask.getIdx()), a, b);
}

void VectorCode::AndMasks(Vec mask, Vec other) {
  if (IsMask(mask)) return CombineMasks(Opcode::kAnd, mask, mask, other);
  code_.vandps(Sized(mask), Sized(mask), Sized(other));
}

void VectorCode::JumpUnlessAll(Vec mask, const Xbyak::Label& target) {
  if (IsMask(mask)) {
    const Xbyak::Opmask lanes(mask.getIdx());
    code_.kortestw(lanes, lanes);  // carry if all of them
    return code_.jnc(target);
  }
  const uint32_t all = (1u << lanes_) - 1;
  code_.vmovmskps(Xbyak::util::eax, Sized(mask));
  if (lanes_ != 4 && lanes_ != kLanes) code_.and_(Xbyak::util::eax, all);
  code_.cmp(Xbyak::util::eax, all);
  code_.jne(target);
}

void VectorCode::Move(Vec dst, Vec source) {
  if (dst == source) return;
  if (IsMask(dst)) {
    return code_.kmovw(Xbyak::Opmask(dst.getIdx()), Xbyak::Opmask(source.getIdx()));
  }
  code_.vmovaps(dst, source);
}

void VectorCode::Load(Vec dst, const Xbyak::Address& from) {
  if (IsMask(dst)) return code_.kmovw(Xbyak::Opmask(dst.getIdx()), from);
  code_.vmovups(dst, from);
}

void VectorCode::Store(const Xbyak::Address& to, Vec source) {
  if (IsMask(source)) return code_.kmovw(to, Xbyak::Opmask(source.getIdx()));
  code_.vmovups(to, source);
}

void VectorCode::LoadMask(Vec dst, int64_t count) {
  ConstantPool::Vector mask{};
  std::fill_n(mask.begin(), count, kOnes);
  Load(dst, pool_.Find(mask));
}

void VectorCode::LoadLanes(Vec dst, const Xbyak::Address& from, int64_t count) {
  const Xbyak::Xmm low(dst.getIdx());
  switch (count) {
    case 1:
      return code_.vmovss(low, from);
    case 2:
      return code_.vmovsd(low, from);
    case 4:
      return code_.vmovups(low, from);
    case 8:
      return Load(dst, from);
    default:
      LoadMask(scratch(), count);
      code_.vmaskmovps(dst, scratch(), from);
  }
}

void VectorCode::StoreLanes(const Xbyak::Address& to, Vec source, int64_t count) {
  const Xbyak::Xmm low(source.getIdx());
  switch (count) {
    case 1:
      return code_.vmovss(to, low);
    case 2:
      return code_.vmovsd(to, low);
    case 4:
      return code_.vmovups(to, low);
    case 8:
      return Store(to, source);
    default:
      LoadMask(scratch(), count);
      code_.vmaskmovps(to, scratch(), source);
  }
}

void VectorCode::LoadUniform(Vec dst, const Xbyak::Address& from) {
  code_.vbroadcastss(Sized(dst), from);
}

void VectorCode::Shuffle(Vec dst, Vec source, std::span<const int64_t> elements, uint32_t fill) {
  uint8_t filled = 0, four = 0;
  bool in_four = elements.size() <= 4, uniform = true;
  ConstantPool::Vector indices{};
  for (size_t lane = 0; lane < elements.size(); ++lane) {
    if (elements[lane] == kNoLane) {
      filled = static_cast<uint8_t>(filled | (1 << lane));
      continue;
    }
    indices[lane] = static_cast<uint32_t>(elements[lane]);
    uniform = uniform && elements[lane] == 0;
    in_four = in_four && elements[lane] < 4;
    if (lane < 4) four = static_cast<uint8_t>(four | ((elements[lane] & 3) << (2 * lane)));
  }
  if (uniform) {
    code_.vbroadcastss(dst, Xbyak::Xmm(source.getIdx()));
  } else if (in_four) {
    code_.vpermilps(Xbyak::Xmm(dst.getIdx()), Xbyak::Xmm(source.getIdx()), four);
  } else {
    Load(scratch(), pool_.Find(indices));
    code_.vpermps(dst, scratch(), source);
  }
  if (filled != 0) code_.vblendps(dst, dst, pool_.Splat(fill), filled);
}

void VectorCode::Blend(Vec dst, Vec source, uint8_t lanes) {
  code_.vblendps(dst, dst, source, lanes);
}

}  // namespace plinth::cpu::emit
