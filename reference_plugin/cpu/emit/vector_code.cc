// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/vector_code.h"

#include <bit>
#include <cmath>
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

// Of vroundps, which is not to say that something was lost.
constexpr uint8_t kNearestEven = 0x08, kDown = 0x09, kUp = 0x0A;

}  // namespace

bool VectorCode::HasMemoryForm(const Node& node, DType operand) const {
  if (is_wide_ && operand == DType::kPred) return false;
  return node.num_operands == 2 && OneInstruction(node.opcode, operand) != nullptr;
}

void VectorCode::EmitOnMemory(const Node& node, DType operand, Vec dst, Vec a,
                              const Xbyak::Operand& b) {
  OneInstruction(node.opcode, operand)(code_, Sized(dst), Sized(a), b);
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
    case Opcode::kBitcastConvert:
      return Move(dst, a);
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

// Of each of the parts of 2 * half lanes, the halves below and those above: first those of a.
void VectorCode::TakeHalves(int64_t half, Vec low, Vec high, Vec a, Vec b) {
  constexpr uint8_t kFirstTwo = 0x44, kLastTwo = 0xEE, kEven = 0x88, kOdd = 0xDD;
  constexpr uint8_t kLowParts = 0x20, kHighParts = 0x31;
  switch (half) {
    case 8:
      code_.vshuff64x2(low, a, b, kFirstTwo);
      return code_.vshuff64x2(high, a, b, kLastTwo);
    case 4:
      if (!is_wide_) {
        code_.vperm2f128(low, a, b, kLowParts);
        return code_.vperm2f128(high, a, b, kHighParts);
      }
      code_.vshuff32x4(low, a, b, kEven);
      return code_.vshuff32x4(high, a, b, kOdd);
    case 2:
      code_.vshufps(low, a, b, kFirstTwo);
      return code_.vshufps(high, a, b, kLastTwo);
    default:
      code_.vshufps(low, a, b, kEven);
      return code_.vshufps(high, a, b, kOdd);
  }
}

void VectorCode::CombineRows(Opcode opcode, DType type, std::span<Vec> rows, Vec spare,
                             Vec other_spare) {
  size_t left = rows.size();
  for (int64_t half = is_wide_ ? kLanes : kLanes / 2; half > 0; half /= 2) {
    // With half as many vectors, which have the lanes of twice as many rows.
    const size_t pairs = std::max<size_t>(1, left / 2);
    for (size_t i = 0; i < pairs; ++i) {
      TakeHalves(half, spare, other_spare, rows[2 * i], left > 1 ? rows[2 * i + 1] : rows[0]);
      Combine(opcode, type, rows[i], spare, other_spare);
    }
    left = pairs;
  }
}

int64_t VectorCode::LaneOfRow(int64_t row) const {
  constexpr int64_t kLanesOfPart = 4;
  const int64_t parts = (is_wide_ ? 2 * kLanes : kLanes) / kLanesOfPart;
  return row % parts * kLanesOfPart + row / parts;
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
  if (is_wide_) {
    // With the sign of what it chooses.
    constexpr uint8_t kMinimum = 0b0100, kMaximum = 0b0101;
    const uint8_t which = maximum ? kMaximum : kMinimum;
    constexpr int kHasNan = 1;
    CompareFloats(Mask(kHasNan), a, b, kIsNan);
    is_wide_type_ ? code_.vrangepd(scratch(), a, b, which) : code_.vrangeps(scratch(), a, b, which);
    Do(kAdd, scratch() | Xbyak::Opmask(kHasNan), a, b);
    return Move(dst, scratch());
  }
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

// Zeros have the sign of the operand, as the instructions give it.
void VectorCode::Round(uint8_t mode, Vec dst, Vec a) {
  if (is_wide_) {
    return is_wide_type_ ? code_.vrndscalepd(dst, a, mode) : code_.vrndscaleps(dst, a, mode);
  }
  is_wide_type_ ? code_.vroundpd(dst, a, mode) : code_.vroundps(Sized(dst), Sized(a), mode);
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

void VectorCode::WrapToShort(DType type, Vec reg) {
  set_type(DType::kS32);
  const int bits = 8 * static_cast<int>(ByteSize(type));
  if (!IsSignedShort(type)) return Do(kAnd, reg, reg, Constant((1u << bits) - 1));
  constexpr int kLaneBits = 32;
  code_.vpslld(reg, reg, kLaneBits - bits);
  code_.vpsrad(reg, reg, kLaneBits - bits);
}

void VectorCode::LimitToShort(DType type, Vec reg) {
  const uint32_t ends = 1u << (8 * static_cast<int>(ByteSize(type)));
  const bool has_sign = IsSignedShort(type);
  const uint32_t largest = has_sign ? ends / 2 - 1 : ends - 1, least = has_sign ? ~largest : 0;
  code_.vpminsd(reg, reg, Constant(largest));
  code_.vpmaxsd(reg, reg, Constant(least));
}

void VectorCode::Invert(Vec dst, Vec a) {
  if (IsMask(dst)) return code_.knotw(Xbyak::Opmask(dst.getIdx()), Xbyak::Opmask(a.getIdx()));
  code_.vxorps(Sized(dst), Sized(a), Constant(kOnes));
}

void VectorCode::Compare(const compiler::CompareAttributes& compare, DType type, Vec dst, Vec a,
                         Vec b) {
  const ComparisonDirection direction = compare.direction;
  if (IsFloatType(type)) return CompareFloats(dst, a, Sized(b), FloatPredicate(direction));
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
      Do(kEqualWhole, dst, a, Sized(b));
      break;
    case ComparisonDirection::kLe:
      inverted = true;
      [[fallthrough]];
    case ComparisonDirection::kGt:
      Do(kGreaterWhole, dst, a, Sized(b));
      break;
    case ComparisonDirection::kGe:
      inverted = true;
      [[fallthrough]];
    case ComparisonDirection::kLt:
      Do(kGreaterWhole, dst, b, Sized(a));
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
      CompareFloats(dst, a, Sized(zero), FloatPredicate(ComparisonDirection::kNe));
    } else if (is_wide_) {
      const Xbyak::Opmask result(dst.getIdx());
      is_wide_type_ ? code_.vptestmq(result, a, a) : code_.vptestmd(result, a, a);
    } else {
      Do(kEqualWhole, dst, zero, Sized(a));
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

void VectorCode::LookUp(Vec dst, const ConstantPool::Vector& table, Vec numbers) {
  if (!is_wide_) return code_.vpermps(dst, numbers, pool_.Find(table));
  code_.vbroadcastf32x8(Xbyak::Zmm(dst.getIdx()), pool_.Find(table));
  code_.vpermps(dst, numbers, dst);
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

}  // namespace plinth::cpu::emit
