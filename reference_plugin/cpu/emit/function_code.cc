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

size_t FunctionCode::TemporariesOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kExponential:
    case Opcode::kLogistic:
      return 2;
    case Opcode::kTanh:
      return 3;
    default:
      return kTemporaries;
  }
}

bool FunctionCode::IsInStep(Opcode opcode) {
  switch (opcode) {
    case Opcode::kExponential:
    case Opcode::kTanh:
    case Opcode::kLogistic:
    case Opcode::kErf:
      return true;
    default:
      return false;
  }
}

void FunctionCode::Emit(Opcode opcode, Copies copies) {
  const Copy& one = copies[0];
  switch (opcode) {
    case Opcode::kExponential:
      return Exponential(copies, /*of_negative=*/false);
    case Opcode::kTanh:
      return Tanh(copies);
    case Opcode::kLogistic:
      return Logistic(copies);
    case Opcode::kLog:
      return Log(one.dst, one.x, one.t);
    case Opcode::kErf:
      return Erf(copies);
    default:
      return SineOrCosine(opcode, one.dst, one.x, one.t);
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

template <size_t kCount>
void FunctionCode::Polynomials(Copies copies, Member dst, Member x,
                               const float (&coefficients)[kCount]) {
  for (const Copy& c : copies) LoadFloat(dst(c), coefficients[kCount - 1]);
  for (size_t k = kCount - 1; k > 0; --k) {
    const Xbyak::Operand& coefficient = Float(coefficients[k - 1]);
    for (const Copy& c : copies) code_.vfmadd213ps(dst(c), x(c), coefficient);
  }
}

namespace {

Vec Dst(const FunctionCode::Copy& c) { return c.dst; }
Vec First(const FunctionCode::Copy& c) { return c.t[0]; }
Vec Second(const FunctionCode::Copy& c) { return c.t[1]; }

template <class Step>
void Each(FunctionCode::Copies copies, const Step& step) {
  for (const FunctionCode::Copy& c : copies) step(c);
}

}  // namespace

// ReduceShortExp of t[1], which becomes the remainder: t[0] = n, dst = the fraction.
void FunctionCode::ReduceExp(Copies copies) {
  const auto each = [&](const auto& step) { Each(copies, step); };
  each([&](const Copy& c) { LoadFloat(c.t[0], Constants::kRoundingMagic); });
  each([&](const Copy& c) { code_.vfmadd231ps(c.t[0], c.t[1], Float(Constants::kLog2E)); });
  each([&](const Copy& c) { code_.vsubps(c.t[0], c.t[0], Float(Constants::kRoundingMagic)); });
  each([&](const Copy& c) { code_.vfnmadd231ps(c.t[1], c.t[0], Float(Constants::kLn2Hi)); });
  each([&](const Copy& c) { code_.vfnmadd231ps(c.t[1], c.t[0], Float(Constants::kLn2Lo)); });
  Polynomials(copies, Dst, Second, math::kExpTail<float>);
  each([&](const Copy& c) { code_.vfmadd213ps(c.dst, c.t[1], Float(1)); });
  each([&](const Copy& c) { code_.vfmadd213ps(c.dst, c.t[1], Float(1)); });
}

void FunctionCode::PowerOfTwo(Vec n) {
  code_.vaddps(n, n, Float(Constants::kRoundingMagic + Constants::kExponentBias));
  code_.vpslld(n, n, kMantissaBits);
}

// Of x, or of -|x|.
void FunctionCode::LoadExponent(Vec dst, Vec x, bool of_negative) {
  of_negative ? code_.vorps(dst, x, vector_.Constant(kSignBit)) : code_.vmovaps(dst, x);
}

void FunctionCode::Exponential(Copies copies, bool of_negative) {
  const auto each = [&](const auto& step) { Each(copies, step); };
  Xbyak::Label any, end;
  const Vec are_normal = vector_.MaskOr(1, copies[0].t[0]);
  each([&](const Copy& c) { code_.vandps(c.t[0], c.x, vector_.Constant(~kSignBit)); });
  for (size_t i = 0; i < copies.size(); ++i) {
    const Vec is_normal = i == 0 ? are_normal : vector_.MaskOr(2, copies[i].t[0]);
    vector_.CompareFloats(is_normal, copies[i].t[0], Float(Constants::kExpNormal), kLess);
    if (i > 0) vector_.AndMasks(are_normal, is_normal);
  }
  vector_.JumpUnlessAll(are_normal, any);
  each([&](const Copy& c) { LoadExponent(c.t[1], c.x, of_negative); });
  ReduceExp(copies);
  // dst * 2^n is a normal number.
  if (vector_.has_masks()) {
    each([&](const Copy& c) { code_.vscalefps(c.dst, c.dst, c.t[0]); });
  } else {
    each([&](const Copy& c) { PowerOfTwo(c.t[0]); });
    each([&](const Copy& c) { code_.vmulps(c.dst, c.dst, c.t[0]); });
  }
  code_.L(end);
  rest_.push_back([=, this, all = std::vector<Copy>(copies.begin(), copies.end())]() mutable {
    code_.L(any);
    for (const Copy& c : all) ExponentialOfAny(c, of_negative);
    code_.jmp(end);
  });
}

void FunctionCode::ExponentialOfAny(const Copy& c, bool of_negative) {
  const Vec dst = c.dst, n = c.t[0], rest = c.t[1];
  const Vec stays = vector_.MaskOr(1, rest);
  const auto find_stays = [&] {
    LoadExponent(scratch_, c.x, of_negative);
    vector_.CompareFloats(stays, scratch_, Float(Constants::kExpVanishes), kNotLess);
  };
  find_stays();
  vector_.Keep(rest, scratch_, stays);
  code_.vminps(rest, FloatOr(scratch_, Constants::kExpLimit), rest);
  code_.vmaxps(rest, FloatOr(scratch_, -Constants::kExpLimit), rest);
  ReduceExp({&c, 1});
  // ScaleByPowerOfTwo
  code_.vmulps(scratch_, n, Float(0.5f));
  code_.vaddps(scratch_, scratch_, Float(Constants::kRoundingMagic));
  code_.vsubps(scratch_, scratch_, Float(Constants::kRoundingMagic));
  code_.vsubps(n, n, scratch_);
  PowerOfTwo(scratch_);
  PowerOfTwo(n);
  code_.vmulps(dst, dst, scratch_);
  code_.vmulps(dst, dst, n);
  find_stays();
  vector_.Keep(dst, dst, stays);
}

void FunctionCode::Tanh(Copies copies) {
  const auto each = [&](const auto& step) { Each(copies, step); };
  // t[0]: the magnitude, then half the remainder; t[1]: the fraction.
  each([&](const Copy& c) { code_.vandps(c.t[0], c.x, vector_.Constant(~kSignBit)); });
  each([&](const Copy& c) {
    code_.vminps(c.t[0], FloatOr(c.dst, Constants::kMinusOneLimit / 2), c.t[0]);
  });
  constexpr float kBias = Constants::kRoundingMagic + Constants::kExponentBias;
  each([&](const Copy& c) { LoadFloat(c.dst, kBias); });
  each([&](const Copy& c) { code_.vfnmadd231ps(c.dst, c.t[0], Float(2 * Constants::kLog2E)); });
  each([&](const Copy& c) { code_.vsubps(c.t[1], c.dst, Float(kBias)); });
  each([&](const Copy& c) { code_.vfnmsub231ps(c.t[0], c.t[1], Float(Constants::kLn2 / 2)); });
  Polynomials(copies, Second, First, math::kHalfExpTail<float>);
  each([&](const Copy& c) { code_.vmulps(c.t[2], c.t[0], c.t[0]); });
  each([&](const Copy& c) { code_.vfmadd213ps(c.t[1], c.t[2], c.t[0]); });
  each([&](const Copy& c) { code_.vpslld(c.dst, c.dst, kMantissaBits); });
  each([&](const Copy& c) { LoadFloat(c.t[2], 0.5f); });
  each([&](const Copy& c) { code_.vfnmadd231ps(c.t[2], c.dst, Float(0.5f)); });
  each([&](const Copy& c) { code_.vfnmadd231ps(c.t[2], c.dst, c.t[1]); });
  each([&](const Copy& c) { code_.vsubps(c.t[1], FloatOr(c.t[1], 1), c.t[2]); });
  each([&](const Copy& c) { code_.vdivps(c.dst, c.t[2], c.t[1]); });
  each([&](const Copy& c) { AddSign(c.dst, c.x, c.t[0]); });
}

// What has no sign gets that of x.
void FunctionCode::AddSign(Vec dst, Vec x, Vec spare) {
  if (vector_.has_masks()) {
    constexpr uint8_t kFirstOrBothOthers = 0xF8;
    return code_.vpternlogd(dst, x, vector_.Constant(kSignBit), kFirstOrBothOthers);
  }
  code_.vandps(spare, x, vector_.Constant(kSignBit));
  code_.vorps(dst, dst, spare);
}

void FunctionCode::Logistic(Copies copies) {
  const auto each = [&](const auto& step) { Each(copies, step); };
  Exponential(copies, /*of_negative=*/true);
  if (vector_.has_masks()) vector_.SetZero(scratch_);
  each([&](const Copy& c) {
    // Without masks lanes are chosen by their sign. That of -0 has no effect, its exp is 1, nor has
    // that of a NaN, which is a quiet one by now.
    const Vec is_negative = vector_.MaskOr(1, c.x);
    if (vector_.has_masks()) vector_.CompareFloats(is_negative, c.x, scratch_, kLess);
    vector_.Choose(c.t[0], FloatOr(c.t[0], 1), c.dst, is_negative);
  });
  each([&](const Copy& c) { code_.vaddps(c.dst, c.dst, Float(1)); });
  each([&](const Copy& c) { code_.vdivps(c.dst, c.t[0], c.dst); });
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

void FunctionCode::Erf(Copies copies) {
  const auto each = [&](const auto& step) { Each(copies, step); };
  // t[0]: x cut off; t[1]: the number of its interval; t[2]: how far from its centre; t[3]: what a
  // table has.
  each([&](const Copy& c) { code_.vandps(c.t[0], c.x, vector_.Constant(~kSignBit)); });
  each([&](const Copy& c) { code_.vminps(c.t[0], FloatOr(c.t[3], Constants::kErfLimit), c.t[0]); });
  each([&](const Copy& c) { LoadFloat(c.t[1], Constants::kRoundingMagic); });
  each([&](const Copy& c) { code_.vfmadd231ps(c.t[1], c.t[0], Float(1 / math::kErfStep)); });
  each([&](const Copy& c) { LookUp(c.t[3], math::kErfCentres, c.t[1]); });
  each([&](const Copy& c) { code_.vsubps(c.t[2], c.t[0], c.t[3]); });
  constexpr size_t kDegree = std::size(math::kErfSlopes) - 1;
  each([&](const Copy& c) { LookUp(c.dst, math::kErfSlopes[kDegree], c.t[1]); });
  for (size_t k = kDegree; k-- > 0;) {
    each([&](const Copy& c) { LookUp(c.t[3], math::kErfSlopes[k], c.t[1]); });
    each([&](const Copy& c) { code_.vfmadd213ps(c.dst, c.t[2], c.t[3]); });
  }
  each([&](const Copy& c) { code_.vminps(c.t[0], FloatOr(c.t[3], Constants::kErfFirst), c.t[0]); });
  each([&](const Copy& c) { LookUp(c.t[3], math::kErfAtCentres, c.t[1]); });
  each([&](const Copy& c) { code_.vmaxps(c.t[0], c.t[3], c.t[0]); });
  each([&](const Copy& c) { code_.vfmadd213ps(c.dst, c.t[2], c.t[0]); });
  each([&](const Copy& c) { AddSign(c.dst, c.x, c.t[0]); });
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
