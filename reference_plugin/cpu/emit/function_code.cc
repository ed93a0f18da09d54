// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/function_code.h"

#include <bit>
#include <limits>
#include <utility>

#include "reference_plugin/cpu/math/float_constants.h"
#include "reference_plugin/cpu/math/polynomials.h"

namespace plinth::cpu::emit {
namespace {

using compiler::Opcode;
using Constants = math::FloatConstants<float>;

constexpr uint32_t kSignBit = 0x80000000u;
constexpr int kMantissaBits = Constants::kMantissaBits;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Of vcmpps.
constexpr uint8_t kEqual = 0x00, kLess = 0x11, kNotLess = 0x15, kAtLeast = 0x1D, kGreater = 0x1E;

}  // namespace

bool FunctionCode::Has(Opcode opcode, DType type) {
  if (type != DType::kF32) return false;
  switch (opcode) {
    case Opcode::kExponential:
    case Opcode::kTanh:
    case Opcode::kLogistic:
    case Opcode::kLog:
    case Opcode::kErf:
      return true;
    default:
      return false;
  }
}

void FunctionCode::Emit(Opcode opcode, Vec dst, Vec x, Temporaries t) {
  switch (opcode) {
    case Opcode::kExponential:
      return Exponential(dst, x, t[0], t[1]);
    case Opcode::kTanh:
      return Tanh(dst, x, t);
    case Opcode::kLogistic:
      return Logistic(dst, x, t);
    case Opcode::kLog:
      return Log(dst, x, t);
    default:
      return Erf(dst, x, t);
  }
}

void FunctionCode::EmitRest() {
  for (const std::function<void()>& emit : rest_) emit();
  rest_.clear();
}

const Xbyak::Operand& FunctionCode::Float(float value) {
  return vector_.Constant(std::bit_cast<uint32_t>(value));
}

void FunctionCode::LoadFloat(Vec dst, float value) {
  vector_.LoadConstant(dst, std::bit_cast<uint32_t>(value));
}

Vec FunctionCode::FloatOr(Vec spare, float value) {
  return vector_.InRegister(std::bit_cast<uint32_t>(value), spare);
}

template <size_t kCount>
void FunctionCode::Polynomial(Vec dst, Vec x, const float (&coefficients)[kCount]) {
  LoadFloat(dst, coefficients[kCount - 1]);
  for (size_t k = kCount - 1; k > 0; --k) code_.vfmadd213ps(dst, x, Float(coefficients[k - 1]));
}

// ReduceExp. `tail` holds the low part of x before; other_ is overwritten.
void FunctionCode::Reduce(Vec x, Vec n, Vec remainder, Vec tail) {
  LoadFloat(n, Constants::kRoundingMagic);
  code_.vfmadd231ps(n, x, Float(Constants::kLog2E));
  code_.vsubps(n, n, Float(Constants::kRoundingMagic));
  code_.vmovaps(remainder, x);
  code_.vfnmadd231ps(remainder, n, Float(Constants::kLn2Hi));
  code_.vfnmadd231ps(tail, n, Float(Constants::kLn2Lo));
  code_.vaddps(remainder, remainder, tail);
  Polynomial(tail, remainder, math::kExpTail<float>);
  code_.vmulps(other_, remainder, remainder);
  code_.vmulps(tail, other_, tail);
}

// tail = 1 + (remainder + tail)
void FunctionCode::AddOne(Vec remainder, Vec tail) {
  code_.vaddps(tail, remainder, tail);
  code_.vaddps(tail, tail, Float(1));
}

void FunctionCode::PowerOfTwo(Vec n) {
  code_.vaddps(n, n, Float(Constants::kRoundingMagic + Constants::kExponentBias));
  code_.vpslld(n, n, kMantissaBits);
}

void FunctionCode::Exponential(Vec dst, Vec x, Vec t0, Vec t1) {
  Xbyak::Label any, end;
  code_.vandps(scratch_, x, vector_.Constant(~kSignBit));
  const Vec is_normal = vector_.MaskOr(1, scratch_);
  vector_.CompareFloats(is_normal, scratch_, Float(Constants::kExpNormal), kLess);
  vector_.JumpUnlessAll(is_normal, any);
  vector_.SetZero(t0);
  Reduce(x, dst, scratch_, t0);
  AddOne(scratch_, t0);
  PowerOfTwo(dst);
  code_.vmulps(dst, t0, dst);
  code_.L(end);
  rest_.push_back([=, this]() mutable {
    code_.L(any);
    ExponentialOfAny(dst, x, t0, t1);
    code_.jmp(end);
  });
}

void FunctionCode::ExponentialOfAny(Vec dst, Vec x, Vec t0, Vec t1) {
  const Vec stays = vector_.MaskOr(1, t1);
  vector_.CompareFloats(stays, x, Float(Constants::kExpVanishes), kNotLess);
  vector_.Keep(t1, x, stays);
  code_.vminps(t1, FloatOr(scratch_, Constants::kExpLimit), t1);
  code_.vmaxps(t1, FloatOr(scratch_, -Constants::kExpLimit), t1);
  vector_.SetZero(t0);
  Reduce(t1, dst, scratch_, t0);
  AddOne(scratch_, t0);
  // ScaleByPowerOfTwo
  code_.vmulps(scratch_, dst, Float(0.5f));
  code_.vaddps(scratch_, scratch_, Float(Constants::kRoundingMagic));
  code_.vsubps(scratch_, scratch_, Float(Constants::kRoundingMagic));
  code_.vsubps(dst, dst, scratch_);
  PowerOfTwo(scratch_);
  PowerOfTwo(dst);
  code_.vmulps(t0, t0, scratch_);
  code_.vmulps(dst, t0, dst);
  vector_.CompareFloats(stays, x, Float(Constants::kExpVanishes), kNotLess);
  vector_.Keep(dst, dst, stays);
}

void FunctionCode::Tanh(Vec dst, Vec x, Temporaries t) {
  code_.vandps(t[1], x, vector_.Constant(~kSignBit));
  code_.vmulps(t[1], t[1], Float(-2));
  code_.vmaxps(t[1], FloatOr(scratch_, -Constants::kMinusOneLimit), t[1]);
  // ExpMinusOnePair
  vector_.SetZero(t[0]);
  Reduce(t[1], dst, scratch_, t[0]);
  code_.vaddps(scratch_, scratch_, t[0]);
  code_.vsubps(dst, dst, Float(1));
  PowerOfTwo(dst);
  code_.vsubps(other_, dst, Float(0.5f));
  code_.vfmadd231ps(other_, dst, scratch_);
  code_.vaddps(other_, other_, other_);
  code_.vaddps(scratch_, other_, Float(2));
  code_.vdivps(other_, other_, scratch_);
  code_.vandps(other_, other_, vector_.Constant(~kSignBit));
  code_.vandps(dst, x, vector_.Constant(kSignBit));
  code_.vorps(dst, dst, other_);
}

void FunctionCode::Logistic(Vec dst, Vec x, Temporaries t) {
  code_.vorps(t[2], x, vector_.Constant(kSignBit));
  Exponential(dst, t[2], t[0], t[1]);
  vector_.SetZero(scratch_);
  const Vec is_negative = vector_.MaskOr(1, scratch_);
  vector_.CompareFloats(is_negative, x, scratch_, kLess);
  vector_.Choose(other_, FloatOr(other_, 1), dst, is_negative);
  code_.vaddps(dst, dst, Float(1));
  code_.vdivps(dst, other_, dst);
}

// ReduceLog of a normal x > 0 and LogFromReduction.
void FunctionCode::LogOfNormal(Vec dst, Vec x, const Xbyak::Operand& bias, Temporaries t) {
  constexpr auto kOne = static_cast<uint32_t>(Constants::kOneBits);
  constexpr auto kAboveHalf = static_cast<uint32_t>(Constants::kOneBits - Constants::kSqrtHalfBits);
  code_.vpaddd(dst, x, vector_.Constant(kAboveHalf));
  code_.vpsrld(dst, dst, kMantissaBits);
  code_.vpslld(scratch_, dst, kMantissaBits);
  code_.vpsubd(scratch_, x, scratch_);
  code_.vpaddd(scratch_, scratch_, vector_.Constant(kOne));
  code_.vpaddd(dst, dst, Float(Constants::kRoundingMagic));
  code_.vsubps(dst, dst, Float(Constants::kRoundingMagic));
  code_.vsubps(dst, dst, bias);
  code_.vsubps(scratch_, scratch_, Float(1));  // f

  code_.vmulps(other_, scratch_, scratch_);
  code_.vmulps(other_, other_, Float(0.5f));
  code_.vaddps(t[0], scratch_, Float(2));
  code_.vdivps(t[0], scratch_, t[0]);
  code_.vmulps(t[1], t[0], t[0]);
  Polynomial(t[2], t[1], math::kLogTail<float>);
  code_.vmulps(t[2], t[1], t[2]);
  vector_.SetZero(t[1]);
  code_.vfmadd231ps(t[1], dst, Float(Constants::kLn2Lo));
  code_.vaddps(t[2], other_, t[2]);
  code_.vfmadd231ps(t[1], t[0], t[2]);
  code_.vsubps(other_, other_, t[1]);
  code_.vsubps(scratch_, scratch_, other_);
  code_.vfmadd132ps(dst, scratch_, Float(Constants::kLn2Hi));
}

void FunctionCode::Log(Vec dst, Vec x, Temporaries t) {
  Xbyak::Label any, end;
  const Vec is_normal = vector_.MaskOr(1, scratch_), is_finite = vector_.MaskOr(2, other_);
  vector_.CompareFloats(is_normal, x, Float(Constants::kMinNormal), kAtLeast);
  vector_.CompareFloats(is_finite, x, Float(kInfinity), kLess);
  vector_.AndMasks(is_normal, is_finite);
  vector_.JumpUnlessAll(is_normal, any);
  LogOfNormal(dst, x, Float(Constants::kExponentBias), t);
  code_.L(end);
  const std::array<Vec, kTemporaries> registers = {t[0], t[1], t[2], t[3]};
  rest_.push_back([=, this]() mutable {
    code_.L(any);
    LogOfAny(dst, x, registers);
    code_.jmp(end);
  });
}

void FunctionCode::LogOfAny(Vec dst, Vec x, Temporaries t) {
  const Vec is_subnormal = vector_.MaskOr(1, scratch_);
  vector_.CompareFloats(is_subnormal, x, Float(Constants::kMinNormal), kLess);
  code_.vmulps(other_, x, Float(Constants::kSubnormalScale));
  vector_.Choose(t[3], x, other_, is_subnormal);
  LoadFloat(t[2], Constants::kExponentBias);
  vector_.Choose(t[2], t[2], Float(Constants::kExponentBias + Constants::kSubnormalShift),
                 is_subnormal);
  LogOfNormal(dst, t[3], t[2], t);
  vector_.SetZero(other_);
  const Vec is_regular = vector_.MaskOr(1, t[0]), is_special = vector_.MaskOr(2, t[1]);
  vector_.CompareFloats(is_regular, x, other_, kGreater);
  vector_.CompareFloats(is_special, x, Float(kInfinity), kLess);
  vector_.AndMasks(is_regular, is_special);
  code_.vaddps(t[2], x, x);
  vector_.CompareFloats(is_special, x, other_, kLess);
  vector_.Choose(t[2], t[2], Float(std::numeric_limits<float>::quiet_NaN()), is_special);
  vector_.CompareFloats(is_special, x, other_, kEqual);
  vector_.Choose(t[2], t[2], Float(-kInfinity), is_special);
  vector_.Choose(dst, t[2], dst, is_regular);
}

void FunctionCode::Erf(Vec dst, Vec x, Temporaries t) {
  const Vec small = t[3], scaled = t[2], cut = t[1], tail = t[0];
  code_.vmulps(scratch_, x, x);
  Polynomial(small, scratch_, math::kErfRatio<float>);
  code_.vfmadd213ps(small, x, x);

  code_.vandps(cut, x, vector_.Constant(~kSignBit));
  code_.vminps(cut, FloatOr(scratch_, Constants::kErfLimit), cut);
  code_.vaddps(scratch_, cut, Float(math::kErfcCentre<float>));
  code_.vdivps(other_, FloatOr(other_, 1), scratch_);  // reciprocal
  code_.vsubps(scratch_, cut, Float(math::kErfcCentre<float>));
  code_.vmulps(scratch_, scratch_, other_);
  Polynomial(scaled, scratch_, math::kErfcScaled<float>);
  code_.vmulps(scaled, scaled, other_);
  // -(cut * cut) in two parts
  code_.vmulps(dst, cut, cut);
  code_.vmovaps(tail, dst);
  code_.vfmsub231ps(tail, cut, cut);
  code_.vxorps(tail, tail, vector_.Constant(kSignBit));
  code_.vxorps(cut, dst, vector_.Constant(kSignBit));
  Reduce(cut, dst, scratch_, tail);
  AddOne(scratch_, tail);
  PowerOfTwo(dst);
  code_.vmulps(dst, tail, dst);
  code_.vfnmadd213ps(dst, scaled, Float(1));
  code_.vandps(dst, dst, vector_.Constant(~kSignBit));
  code_.vandps(scratch_, x, vector_.Constant(kSignBit));
  code_.vorps(dst, dst, scratch_);

  code_.vandps(scratch_, x, vector_.Constant(~kSignBit));
  const Vec chosen = vector_.MaskOr(1, scratch_);
  vector_.CompareFloats(chosen, scratch_, Float(1), kGreater);
  vector_.Choose(dst, small, dst, chosen);
  vector_.SetZero(scratch_);
  vector_.CompareFloats(chosen, x, scratch_, kEqual);
  vector_.Choose(dst, dst, x, chosen);
}

}  // namespace plinth::cpu::emit
