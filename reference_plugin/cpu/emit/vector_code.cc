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
constexpr uint8_t kIsNan = 0x03, kIsNoNan = 0x07, kIsAtLeast = 0x1D, kIsAtMost = 0x12;
constexpr uint8_t kIsLessOrGreater = 0x0C;
// Of vroundps, which is not to say that something was lost.
constexpr uint8_t kNearestEven = 0x08, kDown = 0x09, kUp = 0x0A;

}  // namespace

bool IsLaneType(DType type) {
  return type == DType::kF32 || type == DType::kS32 || type == DType::kU32 || type == DType::kPred;
}

Xbyak::Address ConstantPool::Find(const Vector& vector) {
  const auto found = std::find(vectors_.begin(), vectors_.end(), vector);
  const auto index = found - vectors_.begin();
  if (found == vectors_.end()) vectors_.push_back(vector);
  return Xbyak::util::ptr[Xbyak::util::rip + start_ +
                          static_cast<int>(index * static_cast<int64_t>(sizeof(Vector)))];
}

Xbyak::Address ConstantPool::Splat(uint32_t bits) {
  Vector vector;
  vector.fill(bits);
  return Find(vector);
}

void ConstantPool::Write(Assembler& code) {
  code.align(sizeof(Vector));
  code.L(start_);
  for (const Vector& vector : vectors_) {
    for (const uint32_t lane : vector) code.dd(lane);
  }
}

bool VectorCode::IsOneInstruction(const Node& node, DType operand) {
  return OneInstruction(node.opcode, operand) != nullptr || node.opcode == Opcode::kSelect;
}

bool VectorCode::HasMemoryForm(const Node& node, DType operand) {
  return node.num_operands == 2 && OneInstruction(node.opcode, operand) != nullptr;
}

void VectorCode::EmitOnMemory(const Node& node, DType operand, Vec dst, Vec a,
                              const Xbyak::Address& b) {
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
      return code_.vblendvps(Sized(dst), Sized(operands[2]), Sized(operands[1]), Sized(a));
    case Opcode::kCompare:
      return Compare(node.compare, operand, dst, a, b);
    case Opcode::kConvert:
      return Convert(operand, node.dtype, dst, a);
    case Opcode::kNegate:
      if (operand == DType::kF32) return code_.vxorps(Sized(dst), Sized(a), pool_.Splat(kSign));
      SetZero(dst);
      return code_.vpsubd(Sized(dst), Sized(dst), Sized(a));
    case Opcode::kAbs:
      if (operand == DType::kF32) return code_.vandps(Sized(dst), Sized(a), pool_.Splat(~kSign));
      return code_.vpabsd(Sized(dst), Sized(a));
    case Opcode::kNot:
      return Invert(dst, a);
    case Opcode::kSqrt:
      return code_.vsqrtps(Sized(dst), Sized(a));
    case Opcode::kRsqrt:
      code_.vsqrtps(Sized(kScratch), Sized(a));
      Load(dst, pool_.Splat(std::bit_cast<uint32_t>(1.0f)));
      return code_.vdivps(Sized(dst), Sized(dst), Sized(kScratch));
    case Opcode::kSign:
      return Sign(dst, a);
    case Opcode::kFloor:
      return Round(kDown, dst, a);
    case Opcode::kCeil:
      return Round(kUp, dst, a);
    case Opcode::kRoundNearestEven:
      return Round(kNearestEven, dst, a);
    case Opcode::kIsFinite:
      code_.vandps(Sized(kScratch), Sized(a), pool_.Splat(~kSign));
      return code_.vcmpps(Sized(dst), Sized(kScratch), pool_.Splat(kLargestFinite), kIsAtMost);
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
  if (const Instruction op = OneInstruction(opcode, type)) {
    return op(code_, Sized(dst), Sized(a), Sized(b));
  }
  Extreme(opcode == Opcode::kMaximum, dst, a, b);
}

// NaN wins, and of zeros that with the right sign.
void VectorCode::Extreme(bool maximum, Vec dst, Vec a, Vec b) {
  const Xbyak::Xmm scratch = Sized(kScratch), other = Sized(kOtherScratch);
  if (maximum) {
    code_.vmaxps(scratch, Sized(a), Sized(b));
    code_.vmaxps(other, Sized(b), Sized(a));
    code_.vandps(scratch, scratch, other);
  } else {
    code_.vminps(scratch, Sized(a), Sized(b));
    code_.vminps(other, Sized(b), Sized(a));
    code_.vorps(scratch, scratch, other);
  }
  code_.vcmpps(other, Sized(a), Sized(b), kIsNan);
  code_.vaddps(Sized(dst), Sized(a), Sized(b));
  code_.vblendvps(Sized(dst), scratch, Sized(dst), other);
}

// The whole number with the sign of the operand.
void VectorCode::Round(uint8_t mode, Vec dst, Vec a) {
  code_.vandps(Sized(kScratch), Sized(a), pool_.Splat(kSign));
  code_.vroundps(Sized(dst), Sized(a), mode);
  code_.vandps(Sized(dst), Sized(dst), pool_.Splat(~kSign));
  code_.vorps(Sized(dst), Sized(dst), Sized(kScratch));
}

// Zeros and NaNs answer themselves.
void VectorCode::Sign(Vec dst, Vec a) {
  code_.vandps(Sized(kScratch), Sized(a), pool_.Splat(kSign));
  code_.vorps(Sized(kScratch), Sized(kScratch), pool_.Splat(std::bit_cast<uint32_t>(1.0f)));
  SetZero(dst);
  code_.vcmpps(Sized(dst), Sized(a), Sized(dst), kIsLessOrGreater);
  code_.vblendvps(Sized(dst), Sized(a), Sized(kScratch), Sized(dst));
}

// max(a, constant) or min: the instruction answers the second operand to a NaN, and of two zeros;
// the sum quiets the NaN, and gives the zero its sign.
bool VectorCode::HasExtremeOfConstant(bool maximum, uint32_t constant) {
  return std::bit_cast<float>(constant) == std::bit_cast<float>(constant) &&
         (maximum || constant != kSign);
}

void VectorCode::ExtremeOfConstant(bool maximum, Vec dst, Vec a, uint32_t constant, bool is_quiet) {
  Load(kScratch, pool_.Splat(constant));
  if (maximum) {
    code_.vmaxps(Sized(dst), Sized(kScratch), Sized(a));
  } else {
    code_.vminps(Sized(dst), Sized(kScratch), Sized(a));
  }
  const bool of_zero = maximum && constant == 0;
  if (is_quiet && !of_zero) return;
  code_.vaddps(Sized(dst), Sized(dst), pool_.Splat(of_zero ? 0 : kSign));
}

void VectorCode::Invert(Vec dst, Vec a) { code_.vxorps(Sized(dst), Sized(a), pool_.Splat(kOnes)); }

void VectorCode::Compare(const compiler::CompareAttributes& compare, DType type, Vec dst, Vec a,
                         Vec b) {
  const ComparisonDirection direction = compare.direction;
  if (type == DType::kF32) {
    return code_.vcmpps(Sized(dst), Sized(a), Sized(b), Predicate(direction));
  }
  const bool equality =
      direction == ComparisonDirection::kEq || direction == ComparisonDirection::kNe;
  if (type == DType::kU32 && !equality) {  // the order of signed numbers with other signs
    code_.vxorps(Sized(kScratch), Sized(a), pool_.Splat(kSign));
    code_.vxorps(Sized(kOtherScratch), Sized(b), pool_.Splat(kSign));
    a = kScratch;
    b = kOtherScratch;
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

// The quotient of two s32 is exact in f64 but for its fraction, which goes. Of a division by zero,
// and of the one quotient that is too large, the conversion makes the smallest number.
void VectorCode::Divide(bool remainder, Vec dst, Vec a, Vec b) {
  const Xbyak::Xmm quotient(kScratch.getIdx());
  code_.vcvtdq2pd(kScratch, Xbyak::Xmm(a.getIdx()));
  code_.vcvtdq2pd(kOtherScratch, Xbyak::Xmm(b.getIdx()));
  code_.vdivpd(kScratch, kScratch, kOtherScratch);
  code_.vcvttpd2dq(quotient, kScratch);
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
    return code_.vandps(Sized(dst), Sized(a), pool_.Splat(one));
  }
  if (to == DType::kPred) {  // NaN is not zero
    if (from == DType::kF32) {
      SetZero(kScratch);
      return code_.vcmpps(Sized(dst), Sized(a), Sized(kScratch),
                          Predicate(ComparisonDirection::kNe));
    }
    SetZero(dst);
    code_.vpcmpeqd(Sized(dst), Sized(dst), Sized(a));
    return Invert(dst, dst);
  }
  if (from == DType::kS32) return code_.vcvtdq2ps(Sized(dst), Sized(a));
  // What is too large becomes the smallest number, which is the largest with all bits turned.
  const Xbyak::Xmm scratch = Sized(kScratch);
  code_.vcvttps2dq(Sized(dst), Sized(a));
  code_.vcmpps(scratch, Sized(a), pool_.Splat(std::bit_cast<uint32_t>(0x1p31f)), kIsAtLeast);
  code_.vxorps(Sized(dst), Sized(dst), scratch);
  code_.vcmpps(scratch, Sized(a), Sized(a), kIsNoNan);
  code_.vandps(Sized(dst), Sized(dst), scratch);
}

void VectorCode::Move(Vec dst, Vec source) {
  if (dst != source) code_.vmovaps(dst, source);
}
void VectorCode::Load(Vec dst, const Xbyak::Address& from) { code_.vmovups(dst, from); }
void VectorCode::Store(const Xbyak::Address& to, Vec source) { code_.vmovups(to, source); }

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
      LoadMask(kScratch, count);
      code_.vmaskmovps(dst, kScratch, from);
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
      LoadMask(kScratch, count);
      code_.vmaskmovps(to, kScratch, source);
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
    Load(kScratch, pool_.Find(indices));
    code_.vpermps(dst, kScratch, source);
  }
  if (filled != 0) code_.vblendps(dst, dst, pool_.Splat(fill), filled);
}

void VectorCode::Blend(Vec dst, Vec source, uint8_t lanes) {
  code_.vblendps(dst, dst, source, lanes);
}

}  // namespace plinth::cpu::emit
