// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/vector_code.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace plinth::cpu::emit {
namespace {

using compiler::ComparisonDirection;
using compiler::Node;
using compiler::Opcode;

constexpr uint32_t kSign = 0x80000000u, kOnes = 0xFFFFFFFFu, kLargestFinite = 0x7F7FFFFFu;
constexpr LaneBits kWideSign = LaneBits::Wide(uint64_t{1} << 63);
constexpr LaneBits kWideMagnitude = LaneBits::Wide(~uint64_t{0} >> 1);

constexpr LaneBits WideFloat(double value) {
  return LaneBits::Wide(std::bit_cast<uint64_t>(value));
}

bool IsWhole(DType type) { return type == DType::kS32 || type == DType::kU32; }

#define PLINTH_INSTRUCTION(name, mnemonic)                                                     \
  constexpr Instruction name = [](Assembler& code, const Xbyak::Xmm& dst, const Xbyak::Xmm& a, \
                                  const Xbyak::Operand& b) { code.mnemonic(dst, a, b); }
PLINTH_INSTRUCTION(kAddFloats, vaddps);
PLINTH_INSTRUCTION(kAddDoubles, vaddpd);
PLINTH_INSTRUCTION(kAddIntegers, vpaddd);
PLINTH_INSTRUCTION(kAddWide, vpaddq);
PLINTH_INSTRUCTION(kAndNarrow, vandps);
PLINTH_INSTRUCTION(kAndWide, vandpd);
PLINTH_INSTRUCTION(kEqualNarrow, vpcmpeqd);
PLINTH_INSTRUCTION(kEqualWide, vpcmpeqq);
PLINTH_INSTRUCTION(kGreaterNarrow, vpcmpgtd);
PLINTH_INSTRUCTION(kGreaterWide, vpcmpgtq);
PLINTH_INSTRUCTION(kDivideFloats, vdivps);
PLINTH_INSTRUCTION(kDivideDoubles, vdivpd);
PLINTH_INSTRUCTION(kMaxFloats, vmaxps);
PLINTH_INSTRUCTION(kMaxDoubles, vmaxpd);
PLINTH_INSTRUCTION(kMaxSigned, vpmaxsd);
PLINTH_INSTRUCTION(kMaxUnsigned, vpmaxud);
PLINTH_INSTRUCTION(kMinFloats, vminps);
PLINTH_INSTRUCTION(kMinDoubles, vminpd);
PLINTH_INSTRUCTION(kMinSigned, vpminsd);
PLINTH_INSTRUCTION(kMinUnsigned, vpminud);
PLINTH_INSTRUCTION(kMultiplyFloats, vmulps);
PLINTH_INSTRUCTION(kMultiplyDoubles, vmulpd);
PLINTH_INSTRUCTION(kMultiplyIntegers, vpmulld);
PLINTH_INSTRUCTION(kOrNarrow, vorps);
PLINTH_INSTRUCTION(kOrWide, vorpd);
PLINTH_INSTRUCTION(kShiftLeftNarrow, vpsllvd);
PLINTH_INSTRUCTION(kShiftLeftWide, vpsllvq);
PLINTH_INSTRUCTION(kShiftRightNarrow, vpsrlvd);
PLINTH_INSTRUCTION(kShiftRightWide, vpsrlvq);
PLINTH_INSTRUCTION(kShiftRightSigned, vpsravd);
PLINTH_INSTRUCTION(kSubtractFloats, vsubps);
PLINTH_INSTRUCTION(kSubtractDoubles, vsubpd);
PLINTH_INSTRUCTION(kSubtractIntegers, vpsubd);
PLINTH_INSTRUCTION(kSubtractWide, vpsubq);
PLINTH_INSTRUCTION(kXorNarrow, vxorps);
PLINTH_INSTRUCTION(kXorWide, vxorpd);
#undef PLINTH_INSTRUCTION

constexpr InstructionPair kAdd{kAddFloats, kAddDoubles}, kAnd{kAndNarrow, kAndWide},
    kDivide{kDivideFloats, kDivideDoubles}, kMax{kMaxFloats, kMaxDoubles},
    kMin{kMinFloats, kMinDoubles}, kMultiply{kMultiplyFloats, kMultiplyDoubles},
    kOr{kOrNarrow, kOrWide}, kSubtract{kSubtractFloats, kSubtractDoubles},
    kXor{kXorNarrow, kXorWide}, kEqualOf{kEqualNarrow, kEqualWide},
    kGreaterOf{kGreaterNarrow, kGreaterWide}, kAddWhole{kAddIntegers, kAddWide},
    kSubtractWhole{kSubtractIntegers, kSubtractWide}, kShiftLeft{kShiftLeftNarrow, kShiftLeftWide},
    kShiftRight{kShiftRightNarrow, kShiftRightWide};

// Without instructions where an op is not one of two operands.
InstructionPair FindPair(Opcode opcode, DType type) {
  const bool floats = IsFloatType(type), pred = type == DType::kPred;
  const bool whole = !floats && !pred, is_unsigned = type == DType::kU32;
  switch (opcode) {
    case Opcode::kAdd:
      return pred ? kOr : floats ? kAdd : kAddWhole;
    case Opcode::kSubtract:
      return pred ? kXor : floats ? kSubtract : kSubtractWhole;
    case Opcode::kMultiply:
      if (whole) return {kMultiplyIntegers};
      return pred ? kAnd : kMultiply;
    case Opcode::kDivide:
      if (floats) return kDivide;
      return {};
    case Opcode::kMaximum:
      if (whole) return {is_unsigned ? kMaxUnsigned : kMaxSigned};
      if (pred) return kOr;
      return {};
    case Opcode::kMinimum:
      if (whole) return {is_unsigned ? kMinUnsigned : kMinSigned};
      if (pred) return kAnd;
      return {};
    case Opcode::kAnd:
      if (!floats) return kAnd;
      return {};
    case Opcode::kOr:
      if (!floats) return kOr;
      return {};
    case Opcode::kXor:
      if (!floats) return kXor;
      return {};
    // Counts as large as the type and larger give what the ops say: zeros, or the sign.
    case Opcode::kShiftLeft:
      if (whole) return kShiftLeft;
      return {};
    case Opcode::kShiftRightLogical:
      if (whole) return kShiftRight;
      return {};
    case Opcode::kShiftRightArithmetic:
      if (whole) return {kShiftRightSigned};
      return {};
    default:
      return {};
  }
}

// Null where an op is not one instruction of two operands.
Instruction OneInstruction(Opcode opcode, DType type) {
  const InstructionPair pair = FindPair(opcode, type);
  return IsWideType(type) ? pair.wide : pair.narrow;
}

bool HasConvert(DType from, DType to) {
  if (IsWideType(from) || IsWideType(to)) {
    // A wide integer to a float of one lane is rounded once. AVX2 has no conversion to a wide one.
    if (to == DType::kS64 || to == DType::kU64) return !IsFloatType(from);
    if (from == DType::kS64 || from == DType::kU64) return to != DType::kF32;
    return to != DType::kU32;
  }
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

bool IsFloatType(DType type) { return type == DType::kF32 || type == DType::kF64; }

bool IsWideType(DType type) {
  return type == DType::kF64 || type == DType::kS64 || type == DType::kU64;
}

LaneBits LaneBits::Of(DType type, const void* element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, math::TileElementBytes(type));
  if (type == DType::kPred) return bits != 0 ? kOnes : 0;
  return IsWideType(type) ? Wide(bits) : LaneBits(static_cast<uint32_t>(bits));
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

Xbyak::Address ConstantPool::Scalar(LaneBits bits) {
  return Xbyak::util::ptr[FindOrAdd(&scalars_, bits, scalars_start_)];
}

Xbyak::Address ConstantPool::Broadcast(LaneBits bits) {
  return Xbyak::util::ptr_b[FindOrAdd(&scalars_, bits, scalars_start_)];
}

Xbyak::Address ConstantPool::Splat(LaneBits bits) {
  Vector vector;
  for (size_t lane = 0; lane < vector.size(); lane += 2) {
    vector[lane] = bits.lane();
    vector[lane + 1] = static_cast<uint32_t>(bits.both() >> 32);
  }
  return Find(vector);
}

void ConstantPool::Write(Assembler& code) {
  code.align(sizeof(Vector));
  code.L(vectors_start_);
  for (const Vector& vector : vectors_) {
    for (const uint32_t lane : vector) code.dd(lane);
  }
  code.L(scalars_start_);
  for (const LaneBits scalar : scalars_) code.dq(scalar.both());
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

bool VectorCode::HasWide(const Node& node, DType operand) {
  const auto is_known = [](DType type) { return IsWideType(type) || IsLaneType(type); };
  if (!is_known(operand) || !is_known(node.dtype)) return false;
  if (!IsWideType(operand) && !IsWideType(node.dtype)) return false;
  const bool floats = operand == DType::kF64;
  switch (node.opcode) {
    case Opcode::kSelect:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kNegate:
      return true;
    case Opcode::kCompare:
      return node.compare.type != compiler::ComparisonType::kTotalOrder;
    case Opcode::kConvert:
      return HasConvert(operand, node.dtype);
    case Opcode::kAbs:
      return operand != DType::kU64;
    case Opcode::kNot:
    case Opcode::kShiftRightArithmetic:
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
  set_type(operand);
  switch (node.opcode) {
    case Opcode::kSelect: {
      if (IsMask(dst)) return ChooseMask(dst, operands[2], operands[1], a);
      Vec mask = a;
      if (is_half_ && !is_wide_ && !is_wide_type_ && operand != DType::kPred) {
        mask = scratch();
        NarrowMask(mask, a);
      }
      return Choose(dst, operands[2], Sized(operands[1]), mask);
    }
    case Opcode::kCompare:
      Compare(node.compare, operand, dst, a, b);
      if (operand != DType::kPred) WidenMask(dst);
      return;
    case Opcode::kConvert:
      return Convert(operand, node.dtype, dst, a);
    case Opcode::kNegate:
      if (IsFloatType(operand)) return Do(kXor, dst, a, Constant(kSign, kWideSign));
      SetZero(dst);
      return Do(kSubtractWhole, dst, dst, Sized(a));
    case Opcode::kAbs:
      if (IsFloatType(operand)) return Do(kAnd, dst, a, Constant(~kSign, kWideMagnitude));
      return Abs(dst, a);
    case Opcode::kNot:
      return Invert(dst, a);
    case Opcode::kSqrt:
      return SquareRoot(dst, a);
    case Opcode::kRsqrt:
      SquareRoot(scratch(), a);
      return Do(kDivide, dst, InRegister(std::bit_cast<uint32_t>(1.0f), WideFloat(1), dst),
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
      Do(kAnd, scratch(), a, Constant(~kSign, kWideMagnitude));
      CompareFloats(dst, scratch(),
                    Constant(kLargestFinite, WideFloat(std::numeric_limits<double>::max())),
                    kIsAtMost);
      return WidenMask(dst);
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
  set_type(type);
  if (const Instruction op = OneInstruction(opcode, type)) {
    return op(code_, Sized(dst), Sized(a), Sized(b));
  }
  if (opcode == Opcode::kMultiply) return Multiply(dst, a, b);
  if (opcode == Opcode::kShiftRightArithmetic) return ShiftRightArithmetic(dst, a, b);
  if (!IsFloatType(type)) return ExtremeOfIntegers(opcode, type, dst, a, b);
  Extreme(opcode == Opcode::kMaximum, dst, a, b);
}

void VectorCode::Do(const InstructionPair& instructions, Vec dst, Vec a, const Xbyak::Operand& b) {
  (is_wide_type_ ? instructions.wide : instructions.narrow)(code_, Sized(dst), Sized(a), b);
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
  Do(maximum ? kMax : kMin, scratch(), a, Sized(b));
  Do(maximum ? kMax : kMin, other_scratch(), b, Sized(a));
  Do(maximum ? kAnd : kOr, scratch(), scratch(), Sized(other_scratch()));
  const Vec has_nan = MaskOr(1, other_scratch());
  CompareFloats(has_nan, a, Sized(b), kIsNan);
  Do(kAdd, dst, a, Sized(b));
  Choose(dst, scratch(), Sized(dst), has_nan);
}

void VectorCode::SquareRoot(Vec dst, Vec a) {
  if (is_wide_type_) return code_.vsqrtpd(Sized(dst), Sized(a));
  code_.vsqrtps(Sized(dst), Sized(a));
}

// The whole number with the sign of the operand.
void VectorCode::Round(uint8_t mode, Vec dst, Vec a) {
  Do(kAnd, scratch(), a, Constant(kSign, kWideSign));
  if (is_wide_) {
    is_wide_type_ ? code_.vrndscalepd(dst, a, mode) : code_.vrndscaleps(dst, a, mode);
  } else {
    is_wide_type_ ? code_.vroundpd(dst, a, mode) : code_.vroundps(Sized(dst), Sized(a), mode);
  }
  Do(kAnd, dst, dst, Constant(~kSign, kWideMagnitude));
  Do(kOr, dst, dst, Sized(scratch()));
}

// Zeros and NaNs answer themselves.
void VectorCode::Sign(Vec dst, Vec a) {
  Do(kAnd, scratch(), a, Constant(kSign, kWideSign));
  Do(kOr, scratch(), scratch(), Constant(std::bit_cast<uint32_t>(1.0f), WideFloat(1)));
  SetZero(dst);
  const Vec has_sign = MaskOr(1, dst);
  CompareFloats(has_sign, a, Sized(dst), kIsLessOrGreater);
  Choose(dst, a, Sized(scratch()), has_sign);
}

// max(a, constant) or min: the instruction answers the second operand to a NaN, and of two zeros;
// the sum quiets the NaN, and gives the zero its sign.
bool VectorCode::HasExtremeOfConstant(bool maximum, DType type, LaneBits constant) {
  const bool is_wide = IsWideType(type);
  const bool is_nan = is_wide ? std::isnan(std::bit_cast<double>(constant.both()))
                              : std::isnan(std::bit_cast<float>(constant.lane()));
  return !is_nan && (maximum || constant != (is_wide ? kWideSign : kSign));
}

void VectorCode::ExtremeOfConstant(bool maximum, DType type, Vec dst, Vec a, LaneBits constant,
                                   bool is_quiet) {
  set_type(type);
  Do(maximum ? kMax : kMin, dst, InRegister(constant, scratch()), Sized(a));
  const bool of_zero = maximum && constant == 0;
  if (is_quiet && !of_zero) return;
  Do(kAdd, dst, dst, of_zero ? Constant(0) : Constant(kSign, kWideSign));
}

void VectorCode::RoundToHalf(DType type, Vec reg) {
  set_type(DType::kF32);
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
  if (IsFloatType(type)) return CompareFloats(dst, a, Sized(b), Predicate(direction));
  if (is_wide_) {
    const Xbyak::Opmask result(dst.getIdx());
    if (type == DType::kPred) return CompareMasks(direction, dst, a, b);
    const uint8_t predicate = IntegerPredicate(direction);
    if (type == DType::kS32) return code_.vpcmpd(result, a, b, predicate);
    if (type == DType::kS64) return code_.vpcmpq(result, a, b, predicate);
    if (type == DType::kU64) return code_.vpcmpuq(result, a, b, predicate);
    return code_.vpcmpud(result, a, b, predicate);
  }
  const bool equality =
      direction == ComparisonDirection::kEq || direction == ComparisonDirection::kNe;
  if ((type == DType::kU32 || type == DType::kU64) && !equality) {
    // The order of signed numbers with other signs.
    const Xbyak::Address sign = pool_.Splat(is_wide_type_ ? kWideSign : kSign);
    code_.vxorps(Sized(scratch()), Sized(a), sign);
    code_.vxorps(Sized(other_scratch()), Sized(b), sign);
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
      Do(kEqualOf, dst, a, Sized(b));
      break;
    case ComparisonDirection::kLe:
      inverted = true;
      [[fallthrough]];
    case ComparisonDirection::kGt:
      Do(kGreaterOf, dst, a, Sized(b));
      break;
    case ComparisonDirection::kGe:
      inverted = true;
      [[fallthrough]];
    case ComparisonDirection::kLt:
      Do(kGreaterOf, dst, b, Sized(a));
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
  if (from == DType::kPred) return ConvertPred(to, dst, a);
  if (to == DType::kPred) {  // NaN is not zero
    const Vec zero = is_wide_ || IsFloatType(from) ? scratch() : dst;
    SetZero(zero);
    if (IsFloatType(from)) {
      CompareFloats(dst, a, Sized(zero), Predicate(ComparisonDirection::kNe));
    } else if (is_wide_) {
      const Xbyak::Opmask result(dst.getIdx());
      is_wide_type_ ? code_.vptestmq(result, a, a) : code_.vptestmd(result, a, a);
    } else {
      Do(kEqualOf, dst, zero, Sized(a));
      Invert(dst, dst);
    }
    return WidenMask(dst);
  }
  if (IsWideType(from) || IsWideType(to)) return ConvertWide(from, to, dst, a);
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

const Xbyak::Operand& VectorCode::Constant(LaneBits narrow, LaneBits wide) {
  return Constant(is_wide_type_ ? wide : narrow);
}

Vec VectorCode::InRegister(LaneBits narrow, LaneBits wide, Vec spare) {
  return InRegister(is_wide_type_ ? wide : narrow, spare);
}

const Xbyak::Operand& VectorCode::Constant(LaneBits bits) {
  ++uses_[bits];
  if (const Vec* pinned = FindPinned(bits)) return *pinned;
  const auto found = addresses_.find(bits);
  if (found != addresses_.end()) return found->second;
  return addresses_.emplace(bits, is_wide_ ? pool_.Broadcast(bits) : pool_.Splat(bits))
      .first->second;
}

Vec VectorCode::InRegister(LaneBits bits, Vec spare) {
  if (const Vec* pinned = FindPinned(bits)) return *pinned;
  LoadConstant(spare, bits);
  return spare;
}

void VectorCode::Pin(LaneBits bits, Vec reg) {
  LoadConstant(reg, bits);
  pinned_.emplace(bits, reg);
}

const Vec* VectorCode::FindPinned(LaneBits bits) const {
  const auto found = pinned_.find(bits);
  return found == pinned_.end() ? nullptr : &found->second;
}

void VectorCode::LoadConstant(Vec dst, LaneBits bits) {
  if (IsMask(dst)) return Load(dst, pool_.Scalar(bits));
  ++uses_[bits];
  if (const Vec* pinned = FindPinned(bits)) return Move(dst, *pinned);
  if (is_wide_) return code_.vpbroadcastq(dst, pool_.Scalar(bits));
  Load(dst, pool_.Splat(bits));
}

void VectorCode::SetZero(Vec dst) {
  // The rest of a register becomes zero, too.
  const Xbyak::Xmm low(dst.getIdx());
  code_.vxorps(low, low, low);
}

void VectorCode::CompareFloats(Vec mask, Vec a, const Xbyak::Operand& b, uint8_t predicate) {
  if (IsMask(mask)) {
    const Xbyak::Opmask lanes(mask.getIdx());
    return is_wide_type_ ? code_.vcmppd(lanes, a, b, predicate)
                         : code_.vcmpps(lanes, a, b, predicate);
  }
  if (is_wide_type_) return code_.vcmppd(mask, a, b, predicate);
  code_.vcmpps(Sized(mask), Sized(a), b, predicate);
}

void VectorCode::Keep(Vec dst, Vec a, Vec mask) {
  if (!IsMask(mask)) return code_.vandps(Sized(dst), Sized(a), Sized(mask));
  const Vec kept = dst | Xbyak::Opmask(mask.getIdx()) | Xbyak::util::T_z;
  is_wide_type_ ? code_.vmovapd(kept, a) : code_.vmovaps(kept, a);
}

void VectorCode::Choose(Vec dst, Vec a, const Xbyak::Operand& b, Vec mask) {
  if (!IsMask(mask)) return code_.vblendvps(Sized(dst), Sized(a), b, Sized(mask));
  const Vec chosen = dst | Xbyak::Opmask(mask.getIdx());
  is_wide_type_ ? code_.vblendmpd(chosen, a, b) : code_.vblendmps(chosen, a, b);
}

void VectorCode::AndMasks(Vec mask, Vec other) {
  if (IsMask(mask)) return CombineMasks(Opcode::kAnd, mask, mask, other);
  code_.vandps(Sized(mask), Sized(mask), Sized(other));
}

void VectorCode::JumpUnlessAll(Vec mask, const Xbyak::Label& target) {
  if (IsMask(mask)) {
    const Xbyak::Opmask lanes(mask.getIdx());
    // Carry if all of them.
    is_half_ ? code_.kortestb(lanes, lanes) : code_.kortestw(lanes, lanes);
    return code_.jnc(target);
  }
  const int64_t count = is_half_ ? lanes_ / 2 : lanes_;
  const uint32_t all = (1u << count) - 1;
  code_.vmovmskps(Xbyak::util::eax, Sized(mask));
  if (is_half_ || (lanes_ != 4 && lanes_ != kLanes)) code_.and_(Xbyak::util::eax, all);
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
