// SPDX-License-Identifier: Apache-2.0
// Arithmetic and parts of complex numbers, but division of c128.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/complex.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <algorithm>
#include <complex>
#include <iterator>

#include "reference_plugin/cpu/math/map-inl.h"
#include "reference_plugin/cpu/math/tile_row.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

using compiler::ComparisonDirection;
using compiler::Opcode;

template <class T>
struct Complex {
  T re, im;
};

struct Add {
  template <class T>
  static Complex<T> Apply(Complex<T> a, Complex<T> b) {
    return {a.re + b.re, a.im + b.im};
  }
};
struct Subtract {
  template <class T>
  static Complex<T> Apply(Complex<T> a, Complex<T> b) {
    return {a.re - b.re, a.im - b.im};
  }
};
struct Negate {
  template <class T>
  static Complex<T> Apply(Complex<T> a) {
    return {-a.re, -a.im};
  }
};
struct Equal {
  template <class T>
  static uint8_t Apply(Complex<T> a, Complex<T> b) {
    return (a.re == b.re) & (a.im == b.im);
  }
};
struct NotEqual {
  template <class T>
  static uint8_t Apply(Complex<T> a, Complex<T> b) {
    return (a.re != b.re) | (a.im != b.im);
  }
};
// A real number is its own real part.
struct Real {
  template <class T>
  static T Apply(Complex<T> a) {
    return a.re;
  }
  template <class T>
  static T Apply(T a) {
    return a;
  }
};
struct Imag {
  template <class T>
  static T Apply(Complex<T> a) {
    return a.im;
  }
  template <class T>
  static T Apply(T) {
    return 0;
  }
};
struct Join {
  template <class T>
  static Complex<T> Apply(T re, T im) {
    return {re, im};
  }
};

// On explicit vectors: GCC 12 makes fused multiply-adds of the scalar form even when told not to.
template <class T>
void Multiply(void* result, const void* a, const void* b, const void*, size_t count,
              const TileParameters&) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  T* r = static_cast<T*>(result);
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  using V = hn::Vec<decltype(d)>;
  const auto multiply = [d](const T* left, const T* right, T* out) HWY_ATTR {
    V a_re, a_im, b_re, b_im;
    hn::LoadInterleaved2(d, left, a_re, a_im);
    hn::LoadInterleaved2(d, right, b_re, b_im);
    const V re = hn::Sub(hn::Mul(a_re, b_re), hn::Mul(a_im, b_im));
    const V im = hn::Add(hn::Mul(a_re, b_im), hn::Mul(a_im, b_re));
    hn::StoreInterleaved2(re, im, d, out);
  };
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) multiply(x + 2 * i, y + 2 * i, r + 2 * i);
  if (i < count) {
    HWY_ALIGN T left[2 * kLanes] = {};
    HWY_ALIGN T right[2 * kLanes] = {};
    const size_t bytes = 2 * (count - i) * sizeof(T);
    std::memcpy(left, x + 2 * i, bytes);
    std::memcpy(right, y + 2 * i, bytes);
    multiply(left, right, left);
    std::memcpy(r + 2 * i, left, bytes);
  }
}

// Highway's of one lane keeps to finite numbers.
template <class D, class V>
auto RoundToFloat(D d, V wide) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, static_cast<float>(hn::GetLane(wide)));
#else
  return hn::DemoteTo(d, wide);
#endif
}

// In f64, where no square of an f32 overflows or loses what counts: as hypotf of the C library
// does.
void AbsOfFloats(void* result, const void* a, const void*, const void*, size_t count,
                 const TileParameters&) {
  const float* x = static_cast<const float*>(a);
  float* r = static_cast<float*>(result);
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  constexpr size_t kLanes = hn::MaxLanes(d);
  const auto abs = [d, df](const float* from) HWY_ATTR {
    hn::Vec<decltype(df)> re, im;
    hn::LoadInterleaved2(df, from, re, im);
    const auto wide_re = hn::PromoteTo(d, re), wide_im = hn::PromoteTo(d, im);
    const auto square = hn::Add(hn::Mul(wide_re, wide_re), hn::Mul(wide_im, wide_im));
    // An infinity beside a NaN is far away.
    const auto infinite = hn::Or(hn::IsInf(re), hn::IsInf(im));
    return hn::IfThenElse(infinite, hn::Inf(df), RoundToFloat(df, hn::Sqrt(square)));
  };
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(abs(x + 2 * i), df, r + i);
  if (i < count) {
    HWY_ALIGN float lanes[2 * kLanes] = {};
    std::memcpy(lanes, x + 2 * i, 2 * (count - i) * sizeof(float));
    hn::StoreU(abs(lanes), df, lanes);
    std::memcpy(r + i, lanes, (count - i) * sizeof(float));
  }
}

// In f64, where products of f32 are exact and no square overflows. What has other results than
// numbers is divided one by one, as C wants it.
void DivideFloats(void* result, const void* a, const void* b, const void*, size_t count,
                  const TileParameters&) {
  const float* x = static_cast<const float*>(a);
  const float* y = static_cast<const float*>(b);
  float* r = static_cast<float*>(result);
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  constexpr size_t kLanes = hn::MaxLanes(d);
  const auto divide = [d, df](const float* left, const float* right, float* out) HWY_ATTR {
    hn::Vec<decltype(df)> left_re, left_im, right_re, right_im;
    hn::LoadInterleaved2(df, left, left_re, left_im);
    hn::LoadInterleaved2(df, right, right_re, right_im);
    const auto a_re = hn::PromoteTo(d, left_re), a_im = hn::PromoteTo(d, left_im);
    const auto b_re = hn::PromoteTo(d, right_re), b_im = hn::PromoteTo(d, right_im);
    const auto square = hn::Add(hn::Mul(b_re, b_re), hn::Mul(b_im, b_im));
    const auto re = hn::Div(hn::Add(hn::Mul(a_re, b_re), hn::Mul(a_im, b_im)), square);
    const auto im = hn::Div(hn::Sub(hn::Mul(a_im, b_re), hn::Mul(a_re, b_im)), square);
    if (HWY_LIKELY(hn::AllTrue(d, hn::And(hn::IsFinite(re), hn::IsFinite(im))))) {
      hn::StoreInterleaved2(RoundToFloat(df, re), RoundToFloat(df, im), df, out);
      return;
    }
    for (size_t i = 0; i < 2 * kLanes; i += 2) {
      const std::complex<double> quotient =
          std::complex<double>(left[i], left[i + 1]) / std::complex<double>(right[i], right[i + 1]);
      out[i] = static_cast<float>(quotient.real());
      out[i + 1] = static_cast<float>(quotient.imag());
    }
  };
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) divide(x + 2 * i, y + 2 * i, r + 2 * i);
  if (i < count) {
    HWY_ALIGN float left[2 * kLanes] = {};
    HWY_ALIGN float right[2 * kLanes];
    std::fill(std::begin(right), std::end(right), 1.0f);
    const size_t bytes = 2 * (count - i) * sizeof(float);
    std::memcpy(left, x + 2 * i, bytes);
    std::memcpy(right, y + 2 * i, bytes);
    divide(left, right, left);
    std::memcpy(r + 2 * i, left, bytes);
  }
}

#define PLINTH_COMPLEX(C, F, T)                                                             \
  {Opcode::kAdd, DType::C, DType::C, &MapBinary<Add, Complex<T>>},                          \
      {Opcode::kSubtract, DType::C, DType::C, &MapBinary<Subtract, Complex<T>>},            \
      {Opcode::kMultiply, DType::C, DType::C, &Multiply<T>},                                \
      {Opcode::kNegate, DType::C, DType::C, &MapUnary<Negate, Complex<T>>},                 \
      {Opcode::kReal, DType::C, DType::F, &MapUnary<Real, Complex<T>, T>},                  \
      {Opcode::kImag, DType::C, DType::F, &MapUnary<Imag, Complex<T>, T>},                  \
      {Opcode::kReal, DType::F, DType::F, &MapUnary<Real, T>},                              \
      {Opcode::kImag, DType::F, DType::F, &MapUnary<Imag, T>},                              \
      {Opcode::kComplex, DType::F, DType::C, &MapBinary<Join, T, Complex<T>>},              \
      {Opcode::kCompare, DType::C, DType::kPred, &MapBinary<Equal, Complex<T>, uint8_t>,    \
       VariantOf(ComparisonDirection::kEq, false)},                                         \
      {Opcode::kCompare, DType::C, DType::kPred, &MapBinary<NotEqual, Complex<T>, uint8_t>, \
       VariantOf(ComparisonDirection::kNe, false)},

// clang-format off
constexpr TileRow kRows[] = {
    PLINTH_COMPLEX(kC64, kF32, float)
    PLINTH_COMPLEX(kC128, kF64, double)
    {Opcode::kAbs, DType::kC64, DType::kF32, &AbsOfFloats},
    {Opcode::kDivide, DType::kC64, DType::kC64, &DivideFloats},
};
// clang-format on
#undef PLINTH_COMPLEX

std::span<const TileRow> GetComplexRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
std::span<const TileRow> ComplexRows(SimdTarget target) {
  return PLINTH_CALL_FOR_TARGET(target, GetComplexRows);
}
}  // namespace plinth::cpu::math
#endif
