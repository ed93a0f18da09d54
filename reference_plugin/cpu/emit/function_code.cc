// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/function_code.h"

#include <bit>
#include <iterator>
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
constexpr uint8_t kEqual = 0x00, kLess = 0x11, kNotLess = 0x15, kNotGreater = 0x1A, kAtLeast = 0x1D,
                  kGreater = 0x1E;

constexpr math::TileParameters kNoParameters;

}  // namespace

bool FunctionCode::Has(Opcode opcode, DType type) {
  if (type != DType::kF32) return false;
  switch (opcode) {
    case Opcode::kExponential:
    case Opcode::kTanh:
    case Opcode::kLogistic:
    case Opcode::kLog:
    case Opcode::kErf:
    case Opcode::kSine:
    case Opcode::kCosine:
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
    case Opcode::kErf:
      return Erf(dst, x, t);
    default:
      return SineOrCosine(opcode, dst, x, t);
  }
}

void FunctionCode::EmitRest() {
  for (const std::function<void()>& emit : rest_) emit();
  rest_.clear();
  for (auto& [opcode, label] : callers_) {
    code_.L(label);
    EmitCaller(opcode);
  }
  callers_.clear();
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

// ReduceShortExp: x becomes the remainder. other_ is overwritten.
void FunctionCode::ReduceExp(Vec x, Vec n, Vec fraction) {
  LoadFloat(n, Constants::kRoundingMagic);
  code_.vfmadd231ps(n, x, Float(Constants::kLog2E));
  code_.vsubps(n, n, Float(Constants::kRoundingMagic));
  code_.vfnmadd231ps(x, n, Float(Constants::kLn2Hi));
  code_.vfnmadd231ps(x, n, Float(Constants::kLn2Lo));
  Polynomial(fraction, x, math::kExpTail<float>);
  const Xbyak::Operand& one = Float(1);
  code_.vfmadd213ps(fraction, x, one);
  code_.vfmadd213ps(fraction, x, one);
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
  code_.vmovaps(scratch_, x);
  ReduceExp(scratch_, t0, dst);
  ScaleNormal(dst, t0);
  code_.L(end);
  rest_.push_back([=, this]() mutable {
    code_.L(any);
    ExponentialOfAny(dst, x, t0, t1);
    code_.jmp(end);
  });
}

// dst *= 2^n, which gives a normal number; n is overwritten.
void FunctionCode::ScaleNormal(Vec dst, Vec n) {
  if (vector_.has_masks()) return code_.vscalefps(dst, dst, n);
  PowerOfTwo(n);
  code_.vmulps(dst, dst, n);
}

void FunctionCode::ExponentialOfAny(Vec dst, Vec x, Vec t0, Vec t1) {
  const Vec stays = vector_.MaskOr(1, t1);
  vector_.CompareFloats(stays, x, Float(Constants::kExpVanishes), kNotLess);
  vector_.Keep(t1, x, stays);
  code_.vminps(t1, FloatOr(scratch_, Constants::kExpLimit), t1);
  code_.vmaxps(t1, FloatOr(scratch_, -Constants::kExpLimit), t1);
  ReduceExp(t1, t0, dst);
  // ScaleByPowerOfTwo
  code_.vmulps(scratch_, t0, Float(0.5f));
  code_.vaddps(scratch_, scratch_, Float(Constants::kRoundingMagic));
  code_.vsubps(scratch_, scratch_, Float(Constants::kRoundingMagic));
  code_.vsubps(t0, t0, scratch_);
  PowerOfTwo(scratch_);
  PowerOfTwo(t0);
  code_.vmulps(dst, dst, scratch_);
  code_.vmulps(dst, dst, t0);
  vector_.CompareFloats(stays, x, Float(Constants::kExpVanishes), kNotLess);
  vector_.Keep(dst, dst, stays);
}

void FunctionCode::Tanh(Vec dst, Vec x, Temporaries t) {
  const Vec magnitude = t[0], half = t[0], fraction = t[1];
  code_.vandps(magnitude, x, vector_.Constant(~kSignBit));
  code_.vminps(magnitude, FloatOr(scratch_, Constants::kMinusOneLimit / 2), magnitude);
  LoadFloat(dst, Constants::kRoundingMagic);
  code_.vfmadd231ps(dst, magnitude, Float(2 * Constants::kLog2E));
  code_.vsubps(dst, dst, Float(Constants::kRoundingMagic));
  code_.vfmsub231ps(half, dst, Float(Constants::kLn2Hi / 2));
  code_.vfmadd231ps(half, dst, Float(Constants::kLn2Lo / 2));
  Polynomial(fraction, half, math::kHalfExpTail<float>);
  code_.vmulps(other_, half, half);
  code_.vfmadd213ps(fraction, other_, half);
  // PowerOfHalf
  code_.vsubps(dst, FloatOr(scratch_, Constants::kRoundingMagic + Constants::kExponentBias), dst);
  code_.vpslld(dst, dst, kMantissaBits);
  LoadFloat(other_, 0.5f);
  code_.vfnmadd231ps(other_, dst, Float(0.5f));
  code_.vfnmadd231ps(other_, dst, fraction);
  code_.vsubps(scratch_, FloatOr(scratch_, 1), other_);
  code_.vdivps(dst, other_, scratch_);
  AddSign(dst, x);
}

// What has no sign gets that of x.
void FunctionCode::AddSign(Vec dst, Vec x) {
  if (vector_.has_masks()) {
    constexpr uint8_t kFirstOrBothOthers = 0xF8;
    return code_.vpternlogd(dst, x, vector_.Constant(kSignBit), kFirstOrBothOthers);
  }
  code_.vandps(scratch_, x, vector_.Constant(kSignBit));
  code_.vorps(dst, dst, scratch_);
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

void FunctionCode::LookUp(Vec dst, const float (&table)[8], Vec numbers) {
  vector_.LookUp(dst, std::bit_cast<ConstantPool::Vector>(table), numbers);
}

void FunctionCode::Erf(Vec dst, Vec x, Temporaries t) {
  const Vec cut = t[0], number = t[1], near = t[2];
  code_.vandps(cut, x, vector_.Constant(~kSignBit));
  code_.vminps(cut, FloatOr(scratch_, Constants::kErfLimit), cut);
  LoadFloat(number, Constants::kRoundingMagic);
  code_.vfmadd231ps(number, cut, Float(1 / math::kErfStep));
  LookUp(scratch_, math::kErfCentres, number);
  code_.vsubps(near, cut, scratch_);
  constexpr size_t kDegree = std::size(math::kErfSlopes) - 1;
  LookUp(dst, math::kErfSlopes[kDegree], number);
  for (size_t k = kDegree; k-- > 0;) {
    LookUp(scratch_, math::kErfSlopes[k], number);
    code_.vfmadd213ps(dst, near, scratch_);
  }
  code_.vminps(cut, FloatOr(scratch_, Constants::kErfFirst), cut);
  LookUp(scratch_, math::kErfAtCentres, number);
  code_.vmaxps(cut, scratch_, cut);
  code_.vfmadd213ps(dst, near, cut);
  AddSign(dst, x);
}

void FunctionCode::SineOrCosine(Opcode opcode, Vec dst, Vec x, Temporaries t) {
  const Vec angle = t[0], square = t[1], quadrant = t[2], series = t[3];
  Xbyak::Label large, end;
  code_.vandps(scratch_, x, vector_.Constant(~kSignBit));
  const Vec is_small = vector_.MaskOr(1, scratch_);
  vector_.CompareFloats(is_small, scratch_, Float(Constants::kAngleLimit), kNotGreater);
  vector_.JumpUnlessAll(is_small, large);
  // ReduceAngle
  LoadFloat(quadrant, Constants::kRoundingMagic);
  code_.vfmadd231ps(quadrant, x, Float(Constants::kTwoOverPi));
  code_.vsubps(scratch_, quadrant, Float(Constants::kRoundingMagic));
  code_.vmovaps(angle, x);
  for (const float part : Constants::kHalfPi) code_.vfnmadd231ps(angle, scratch_, Float(part));
  if (opcode == Opcode::kCosine) code_.vpaddd(quadrant, quadrant, vector_.Constant(1));
  code_.vmulps(square, angle, angle);
  Polynomial(series, square, math::kSinTail<float>);
  code_.vmulps(dst, angle, square);
  code_.vfmadd213ps(dst, series, angle);
  if (opcode == Opcode::kSine) {
    // A zero keeps its sign: it is in the first quadrant, which changes nothing of it.
    vector_.SetZero(scratch_);
    const Vec is_zero = vector_.MaskOr(1, scratch_);
    vector_.CompareFloats(is_zero, x, scratch_, kEqual);
    vector_.Choose(dst, dst, x, is_zero);
  }
  Polynomial(series, square, math::kCosTail<float>);
  code_.vfmadd213ps(series, square, Float(-0.5f));
  code_.vfmadd213ps(series, square, Float(1));
  // SineOfQuadrant
  constexpr int kToSign = 31, kSecondToSign = 30;
  code_.vpslld(scratch_, quadrant, kToSign);
  const Vec is_odd = vector_.MaskOr(1, scratch_);
  if (vector_.has_masks()) code_.vpmovd2m(Xbyak::Opmask(is_odd.getIdx()), scratch_);
  vector_.Choose(dst, dst, series, is_odd);
  code_.vandps(scratch_, quadrant, vector_.Constant(2));
  code_.vpslld(scratch_, scratch_, kSecondToSign);
  code_.vxorps(dst, dst, scratch_);
  code_.L(end);
  rest_.push_back([=, this]() mutable {
    code_.L(large);
    CallRoutine(opcode, dst, x);
    code_.jmp(end);
  });
}

// dst = what the routine of the op gives, which knows all lanes. No other register changes but rax.
void FunctionCode::CallRoutine(Opcode opcode, Vec dst, Vec x) {
  constexpr int kHalf = 16;
  code_.mov(Xbyak::util::eax, static_cast<uint32_t>(x.getIdx() * kMostVectorBytes << kHalf |
                                                    dst.getIdx() * kMostVectorBytes));
  code_.call(callers_[opcode]);
}

// Finds in the halves of eax where x and the result are among the vectors, which are all in memory
// during the call.
void FunctionCode::EmitCaller(Opcode opcode) {
  using namespace Xbyak::util;  // NOLINT(google-build-using-namespace): names of registers
  const math::TileFunction routine =
      math::FindTileRoutine(opcode, DType::kF32, DType::kF32).compute;
  const Xbyak::Reg64 saved[] = {rbp, rcx, rdx, rsi, rdi, r8, r9, r10, r11};
  const int vectors = vector_.has_masks() ? 32 : 16, masks = vector_.has_masks() ? 8 : 0;
  constexpr int kMaskBytes = 8;
  const auto home = [&](int vector) { return ptr[rsp + vector * kMostVectorBytes]; };
  const auto home_of_mask = [&](int mask) {
    return ptr[rsp + vectors * kMostVectorBytes + mask * kMaskBytes];
  };
  for (const Xbyak::Reg64& reg : saved) code_.push(reg);
  code_.mov(rbp, rsp);
  code_.sub(rsp, static_cast<uint32_t>(vectors * kMostVectorBytes + masks * kMaskBytes));
  code_.and_(rsp, -kMostVectorBytes);
  for (int v = 0; v < vectors; ++v) vector_.Store(home(v), vector_.Vector(v));
  for (int m = 1; m < masks; ++m) vector_.Store(home_of_mask(m), VectorCode::Mask(m));
  code_.movzx(edi, ax);
  code_.shr(eax, 16);
  code_.lea(rsi, ptr[rsp + rax]);
  code_.add(rdi, rsp);
  code_.mov(r8d, static_cast<uint32_t>(vector_.has_masks() ? 2 * kLanes : kLanes));
  code_.mov(r9, static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&kNoParameters)));
  code_.vzeroupper();
  code_.mov(rax, static_cast<uint64_t>(reinterpret_cast<uintptr_t>(routine)));
  code_.call(rax);
  for (int v = 0; v < vectors; ++v) vector_.Load(vector_.Vector(v), home(v));
  for (int m = 1; m < masks; ++m) vector_.Load(VectorCode::Mask(m), home_of_mask(m));
  code_.mov(rsp, rbp);
  for (size_t i = std::size(saved); i-- > 0;) code_.pop(saved[i]);
  code_.ret();
}

}  // namespace plinth::cpu::emit
