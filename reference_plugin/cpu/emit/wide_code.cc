// SPDX-License-Identifier: Apache-2.0
// Elements of two lanes: conversions, and what AVX2 has no instructions for.
#include <bit>

#include "reference_plugin/cpu/emit/vector_code.h"

namespace plinth::cpu::emit {
namespace {

using compiler::Opcode;

constexpr int kLaneBits = 32;
constexpr uint8_t kHigh = 1;  // half of a register

// Of four bytes each: the lower ones of elements of two lanes, of two registers.
constexpr uint8_t kLowerLanes = 0b10'00'10'00;

}  // namespace

void VectorCode::NarrowMask(Vec dst, Vec mask) {
  const Xbyak::Xmm low(dst.getIdx());
  code_.vextracti128(low, mask, kHigh);
  code_.vshufps(low, Xbyak::Xmm(mask.getIdx()), low, kLowerLanes);
}

void VectorCode::WidenMask(Vec mask) {
  if (is_wide_ || !is_half_ || is_wide_type_) return;
  code_.vpmovsxdq(mask, Xbyak::Xmm(mask.getIdx()));
}

void VectorCode::ConvertPred(DType to, Vec dst, Vec a) {
  const uint32_t one = to == DType::kF32 ? std::bit_cast<uint32_t>(1.0f) : 1;
  const uint64_t wide_one = to == DType::kF64 ? std::bit_cast<uint64_t>(1.0) : 1;
  const bool is_wide = IsWideType(to);
  const LaneBits bits = is_wide ? LaneBits::Wide(wide_one) : LaneBits(one);
  if (is_wide_) {
    const Vec chosen = dst | Xbyak::Opmask(a.getIdx()) | Xbyak::util::T_z;
    const Xbyak::Address from = pool_.Scalar(bits);
    return is_wide ? code_.vpbroadcastq(chosen, from) : code_.vbroadcastss(chosen, from);
  }
  if (is_half_ && !is_wide) {
    NarrowMask(dst, a);
    a = dst;
  }
  code_.vandps(Sized(dst), Sized(a), pool_.Splat(bits));
}

// All lanes of one are exact in f64 but those of wide integers, which are rounded once.
void VectorCode::ConvertWide(DType from, DType to, Vec dst, Vec a) {
  const Xbyak::Xmm narrow_dst =
      is_wide_ ? Xbyak::Xmm(Xbyak::Ymm(dst.getIdx())) : Xbyak::Xmm(dst.getIdx());
  const Xbyak::Xmm narrow_a =
      is_wide_ ? Xbyak::Xmm(Xbyak::Ymm(a.getIdx())) : Xbyak::Xmm(a.getIdx());
  const bool wide_whole = from == DType::kS64 || from == DType::kU64;
  switch (to) {
    case DType::kF32:
      return code_.vcvtpd2ps(narrow_dst, a);
    case DType::kF64:
      if (from == DType::kF32) return code_.vcvtps2pd(dst, narrow_a);
      if (from == DType::kS32) return code_.vcvtdq2pd(dst, narrow_a);
      if (wide_whole) return FloatOfWide(from == DType::kS64, dst, a);
      code_.vpmovzxdq(dst, narrow_a);
      return FloatOfWide(/*is_signed=*/false, dst, dst);
    case DType::kS32:
      if (from != DType::kF64) break;
      // NaN is zero. What is too small becomes the smallest number anyway.
      {
        const Vec is_number = MaskOr(1, scratch());
        set_type(DType::kF64);
        CompareFloats(is_number, a, a, kIsNoNan);
        Keep(scratch(), a, is_number);
        code_.vminpd(
            scratch(), scratch(),
            Constant(LaneBits::Wide(std::bit_cast<uint64_t>(static_cast<double>(0x7FFFFFFF)))));
        return code_.vcvttpd2dq(narrow_dst, scratch());
      }
    case DType::kU32:
      break;
    default:  // s64 and u64
      if (wide_whole) return Move(dst, a);
      if (from == DType::kS32) return code_.vpmovsxdq(dst, narrow_a);
      return code_.vpmovzxdq(dst, narrow_a);
  }
  // The lower lanes.
  if (is_wide_) return code_.vpmovqd(narrow_dst, a);
  code_.vextracti128(Xbyak::Xmm(scratch().getIdx()), a, kHigh);
  code_.vshufps(narrow_dst, narrow_a, Xbyak::Xmm(scratch().getIdx()), kLowerLanes);
}

// Each half of the number is the mantissa of a float whose exponent makes it exact; they are added,
// less what the exponents have added.
void VectorCode::FloatOfWide(bool is_signed, Vec dst, Vec a) {
  constexpr uint64_t kLowExponent = 0x4330'0000'0000'0000;           // 2^52
  const uint64_t high_exponent = is_signed ? 0x4530'0000'8000'0000   // 2^84 + 2^63
                                           : 0x4530'0000'0000'0000;  // 2^84
  const uint64_t all = is_signed ? 0x4530'0000'8010'0000 : 0x4530'0000'0010'0000;
  constexpr uint64_t kLowLane = 0xFFFF'FFFF;
  set_type(DType::kF64);
  code_.vandpd(scratch(), a, Constant(LaneBits::Wide(kLowLane)));
  code_.vorpd(scratch(), scratch(), Constant(LaneBits::Wide(kLowExponent)));
  code_.vpsrlq(dst, a, kLaneBits);
  code_.vxorpd(dst, dst, Constant(LaneBits::Wide(high_exponent)));
  code_.vsubpd(dst, dst, Constant(LaneBits::Wide(all)));
  code_.vaddpd(dst, dst, scratch());
}

void VectorCode::Abs(Vec dst, Vec a) {
  if (!is_wide_type_) return code_.vpabsd(Sized(dst), Sized(a));
  if (is_wide_) return code_.vpabsq(dst, a);
  SetZero(scratch());
  code_.vpcmpgtq(scratch(), scratch(), a);
  code_.vxorps(dst, a, scratch());
  code_.vpsubq(dst, dst, scratch());
}

// The product of the lower lanes, and of each with the upper one of the other.
void VectorCode::Multiply(Vec dst, Vec a, Vec b) {
  if (is_wide_) return code_.vpmullq(dst, a, b);
  code_.vpsrlq(scratch(), a, kLaneBits);
  code_.vpmuludq(scratch(), scratch(), b);
  code_.vpsrlq(other_scratch(), b, kLaneBits);
  code_.vpmuludq(other_scratch(), other_scratch(), a);
  code_.vpaddq(scratch(), scratch(), other_scratch());
  code_.vpsllq(scratch(), scratch(), kLaneBits);
  code_.vpmuludq(dst, a, b);
  code_.vpaddq(dst, dst, scratch());
}

void VectorCode::ExtremeOfIntegers(Opcode opcode, DType type, Vec dst, Vec a, Vec b) {
  const bool maximum = opcode == Opcode::kMaximum, is_signed = type == DType::kS64;
  if (is_wide_) {
    if (is_signed) return maximum ? code_.vpmaxsq(dst, a, b) : code_.vpminsq(dst, a, b);
    return maximum ? code_.vpmaxuq(dst, a, b) : code_.vpminuq(dst, a, b);
  }
  constexpr compiler::CompareAttributes kGreater{compiler::ComparisonDirection::kGt,
                                                 compiler::ComparisonType::kSigned};
  Compare(kGreater, type, scratch(), a, b);
  Choose(dst, maximum ? b : a, maximum ? a : b, scratch());
}

// The bits that enter are those of the sign.
void VectorCode::ShiftRightArithmetic(Vec dst, Vec a, Vec b) {
  if (is_wide_) return code_.vpsravq(dst, a, b);
  SetZero(scratch());
  code_.vpcmpgtq(scratch(), scratch(), a);
  code_.vxorps(dst, a, scratch());
  code_.vpsrlvq(dst, dst, b);
  code_.vxorps(dst, dst, scratch());
}

}  // namespace plinth::cpu::emit
