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
using Xbyak::util::eax;

constexpr uint32_t kSignBit = 0x80000000u;
constexpr int kMantissaBits = Constants::kMantissaBits;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Of vcmpps.
constexpr uint8_t kEqual = 0x00, kLess = 0x11, kAtLeast = 0x1D, kGreater = 0x1E;

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

Xbyak::Address FunctionCode::Float(float value) {
  return pool_.Splat(std::bit_cast<uint32_t>(value));
}

template <size_t kCount>
void FunctionCode::Polynomial(Vec dst, Vec x, const float (&coefficients)[kCount]) {
  code_.vmovups(dst, Float(coefficients[kCount - 1]));
  for (size_t k = kCount - 1; k > 0; --k) code_.vfmadd213ps(dst, x, Float(coefficients[k - 1]));
}

// ReduceExp. `tail` holds the low part of x before; kOtherScratch is overwritten.
void FunctionCode::Reduce(Vec x, Vec n, Vec remainder, Vec tail) {
  code_.vmovups(n, Float(Constants::kRoundingMagic));
  code_.vfmadd231ps(n, x, Float(Constants::kLog2E));
  code_.vsubps(n, n, Float(Constants::kRoundingMagic));
  code_.vmovaps(remainder, x);
  code_.vfnmadd231ps(remainder, n, Float(Constants::kLn2Hi));
  code_.vfnmadd231ps(tail, n, Float(Constants::kLn2Lo));
  code_.vaddps(remainder, remainder, tail);
  Polynomial(tail, remainder, math::kExpTail<float>);
  code_.vmulps(kOtherScratch, remainder, remainder);
  code_.vmulps(tail, kOtherScratch, tail);
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

void FunctionCode::JumpUnlessAll(Vec mask, const Xbyak::Label& target) {
  constexpr uint32_t kAll = (1u << kLanes) - 1;
  code_.vmovmskps(eax, mask);
  code_.cmp(eax, kAll);
  code_.jne(target);
}

void FunctionCode::Exponential(Vec dst, Vec x, Vec t0, Vec t1) {
  Xbyak::Label any, end;
  code_.vandps(kScratch, x, pool_.Splat(~kSignBit));
  code_.vcmpps(kScratch, kScratch, Float(Constants::kExpNormal), kLess);
  JumpUnlessAll(kScratch, any);
  SetZero(t0);
  Reduce(x, dst, kScratch, t0);
  AddOne(kScratch, t0);
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
  code_.vcmpps(t1, x, Float(Constants::kExpVanishes), kLess);
  code_.vandnps(t1, t1, x);
  code_.vmovups(kScratch, Float(Constants::kExpLimit));
  code_.vminps(t1, kScratch, t1);
  code_.vmovups(kScratch, Float(-Constants::kExpLimit));
  code_.vmaxps(t1, kScratch, t1);
  SetZero(t0);
  Reduce(t1, dst, kScratch, t0);
  AddOne(kScratch, t0);
  // ScaleByPowerOfTwo
  code_.vmulps(kScratch, dst, Float(0.5f));
  code_.vaddps(kScratch, kScratch, Float(Constants::kRoundingMagic));
  code_.vsubps(kScratch, kScratch, Float(Constants::kRoundingMagic));
  code_.vsubps(dst, dst, kScratch);
  PowerOfTwo(kScratch);
  PowerOfTwo(dst);
  code_.vmulps(t0, t0, kScratch);
  code_.vmulps(dst, t0, dst);
  code_.vcmpps(t1, x, Float(Constants::kExpVanishes), kLess);
  code_.vandnps(dst, t1, dst);
}

void FunctionCode::Tanh(Vec dst, Vec x, Temporaries t) {
  code_.vandps(t[1], x, pool_.Splat(~kSignBit));
  code_.vmulps(t[1], t[1], Float(-2));
  code_.vmovups(kScratch, Float(-Constants::kMinusOneLimit));
  code_.vmaxps(t[1], kScratch, t[1]);
  // ExpMinusOnePair
  SetZero(t[0]);
  Reduce(t[1], dst, kScratch, t[0]);
  code_.vaddps(kScratch, kScratch, t[0]);
  code_.vsubps(dst, dst, Float(1));
  PowerOfTwo(dst);
  code_.vsubps(kOtherScratch, dst, Float(0.5f));
  code_.vfmadd231ps(kOtherScratch, dst, kScratch);
  code_.vaddps(kOtherScratch, kOtherScratch, kOtherScratch);
  code_.vaddps(kScratch, kOtherScratch, Float(2));
  code_.vdivps(kOtherScratch, kOtherScratch, kScratch);
  code_.vandps(kOtherScratch, kOtherScratch, pool_.Splat(~kSignBit));
  code_.vandps(dst, x, pool_.Splat(kSignBit));
  code_.vorps(dst, dst, kOtherScratch);
}

void FunctionCode::Logistic(Vec dst, Vec x, Temporaries t) {
  code_.vorps(t[2], x, pool_.Splat(kSignBit));
  Exponential(dst, t[2], t[0], t[1]);
  SetZero(kScratch);
  code_.vcmpps(kScratch, x, kScratch, kLess);
  code_.vmovups(kOtherScratch, Float(1));
  code_.vblendvps(kOtherScratch, kOtherScratch, dst, kScratch);
  code_.vaddps(dst, dst, Float(1));
  code_.vdivps(dst, kOtherScratch, dst);
}

// ReduceLog of a normal x > 0 and LogFromReduction.
void FunctionCode::LogOfNormal(Vec dst, Vec x, const Xbyak::Operand& bias, Temporaries t) {
  constexpr auto kOne = static_cast<uint32_t>(Constants::kOneBits);
  constexpr auto kAboveHalf = static_cast<uint32_t>(Constants::kOneBits - Constants::kSqrtHalfBits);
  code_.vpaddd(dst, x, pool_.Splat(kAboveHalf));
  code_.vpsrld(dst, dst, kMantissaBits);
  code_.vpslld(kScratch, dst, kMantissaBits);
  code_.vpsubd(kScratch, x, kScratch);
  code_.vpaddd(kScratch, kScratch, pool_.Splat(kOne));
  code_.vpaddd(dst, dst, Float(Constants::kRoundingMagic));
  code_.vsubps(dst, dst, Float(Constants::kRoundingMagic));
  code_.vsubps(dst, dst, bias);
  code_.vsubps(kScratch, kScratch, Float(1));  // f

  code_.vmulps(kOtherScratch, kScratch, kScratch);
  code_.vmulps(kOtherScratch, kOtherScratch, Float(0.5f));
  code_.vaddps(t[0], kScratch, Float(2));
  code_.vdivps(t[0], kScratch, t[0]);
  code_.vmulps(t[1], t[0], t[0]);
  Polynomial(t[2], t[1], math::kLogTail<float>);
  code_.vmulps(t[2], t[1], t[2]);
  SetZero(t[1]);
  code_.vfmadd231ps(t[1], dst, Float(Constants::kLn2Lo));
  code_.vaddps(t[2], kOtherScratch, t[2]);
  code_.vfmadd231ps(t[1], t[0], t[2]);
  code_.vsubps(kOtherScratch, kOtherScratch, t[1]);
  code_.vsubps(kScratch, kScratch, kOtherScratch);
  code_.vfmadd132ps(dst, kScratch, Float(Constants::kLn2Hi));
}

void FunctionCode::Log(Vec dst, Vec x, Temporaries t) {
  Xbyak::Label any, end;
  code_.vcmpps(kScratch, x, Float(Constants::kMinNormal), kAtLeast);
  code_.vcmpps(kOtherScratch, x, Float(kInfinity), kLess);
  code_.vandps(kScratch, kScratch, kOtherScratch);
  JumpUnlessAll(kScratch, any);
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
  code_.vcmpps(kScratch, x, Float(Constants::kMinNormal), kLess);
  code_.vmulps(kOtherScratch, x, Float(Constants::kSubnormalScale));
  code_.vblendvps(t[3], x, kOtherScratch, kScratch);
  code_.vmovups(t[2], Float(Constants::kExponentBias));
  code_.vblendvps(t[2], t[2], Float(Constants::kExponentBias + Constants::kSubnormalShift),
                  kScratch);
  LogOfNormal(dst, t[3], t[2], t);
  SetZero(kOtherScratch);
  code_.vcmpps(t[0], x, kOtherScratch, kGreater);
  code_.vcmpps(t[1], x, Float(kInfinity), kLess);
  code_.vandps(t[0], t[0], t[1]);  // regular
  code_.vaddps(t[2], x, x);
  code_.vcmpps(t[1], x, kOtherScratch, kLess);
  code_.vblendvps(t[2], t[2], Float(std::numeric_limits<float>::quiet_NaN()), t[1]);
  code_.vcmpps(t[1], x, kOtherScratch, kEqual);
  code_.vblendvps(t[2], t[2], Float(-kInfinity), t[1]);
  code_.vblendvps(dst, t[2], dst, t[0]);
}

void FunctionCode::Erf(Vec dst, Vec x, Temporaries t) {
  const Vec small = t[3], scaled = t[2], cut = t[1], tail = t[0];
  code_.vmulps(kScratch, x, x);
  Polynomial(small, kScratch, math::kErfRatio<float>);
  code_.vfmadd213ps(small, x, x);

  code_.vandps(cut, x, pool_.Splat(~kSignBit));
  code_.vmovups(kScratch, Float(Constants::kErfLimit));
  code_.vminps(cut, kScratch, cut);
  code_.vaddps(kScratch, cut, Float(math::kErfcCentre<float>));
  code_.vmovups(kOtherScratch, Float(1));
  code_.vdivps(kOtherScratch, kOtherScratch, kScratch);  // reciprocal
  code_.vsubps(kScratch, cut, Float(math::kErfcCentre<float>));
  code_.vmulps(kScratch, kScratch, kOtherScratch);
  Polynomial(scaled, kScratch, math::kErfcScaled<float>);
  code_.vmulps(scaled, scaled, kOtherScratch);
  // -(cut * cut) in two parts
  code_.vmulps(dst, cut, cut);
  code_.vmovaps(tail, dst);
  code_.vfmsub231ps(tail, cut, cut);
  code_.vxorps(tail, tail, pool_.Splat(kSignBit));
  code_.vxorps(cut, dst, pool_.Splat(kSignBit));
  Reduce(cut, dst, kScratch, tail);
  AddOne(kScratch, tail);
  PowerOfTwo(dst);
  code_.vmulps(dst, tail, dst);
  code_.vfnmadd213ps(dst, scaled, Float(1));
  code_.vandps(dst, dst, pool_.Splat(~kSignBit));
  code_.vandps(kScratch, x, pool_.Splat(kSignBit));
  code_.vorps(dst, dst, kScratch);

  code_.vandps(kScratch, x, pool_.Splat(~kSignBit));
  code_.vcmpps(kScratch, kScratch, Float(1), kGreater);
  code_.vblendvps(dst, small, dst, kScratch);
  SetZero(kScratch);
  code_.vcmpps(kScratch, x, kScratch, kEqual);
  code_.vblendvps(dst, dst, x, kScratch);
}

}  // namespace plinth::cpu::emit
