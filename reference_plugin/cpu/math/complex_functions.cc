// SPDX-License-Identifier: Apache-2.0
// Division of c128, and elementary functions of complex numbers: scalar, on the C library's complex
// functions in double precision, the same for every target.
#include <cmath>
#include <complex>
#include <limits>

#include "reference_plugin/cpu/math/tile_row.h"

namespace plinth::cpu::math {
namespace {

using compiler::Opcode;
using Value = std::complex<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Value Divide(Value a, Value b) { return a / b; }

Value Exponential(Value z) {
  if (z.imag() == 0) return {std::exp(z.real()), z.imag()};
  return std::exp(z);
}

Value ExponentialMinusOne(Value z) {
  const double x = z.real(), y = z.imag();
  if (y == 0) return {std::expm1(x), y};
  if (!std::isfinite(x) || !std::isfinite(y)) return std::exp(z) - 1.0;
  const double half_sine = std::sin(y / 2);
  // expm1(x) cos(y) + (cos(y) - 1) has no cancellation near zero.
  const double real = std::expm1(x) * std::cos(y) - 2 * half_sine * half_sine;
  return {real, std::exp(x) * std::sin(y)};
}

Value Log(Value z) { return std::log(z); }

Value LogPlusOne(Value z) {
  const double x = z.real(), y = z.imag();
  if (std::fabs(x) < 0.5 && std::fabs(y) < 0.5) {
    return {0.5 * std::log1p(x * (2 + x) + y * y), std::atan2(y, 1 + x)};
  }
  return std::log(Value(1 + x, y));
}

Value Logistic(Value z) {
  // The exponential of a number in the left half plane does not overflow.
  if (z.real() >= 0) return 1.0 / (1.0 + Exponential(-z));
  const Value e = Exponential(z);
  return e / (1.0 + e);
}

Value Sqrt(Value z) { return std::sqrt(z); }

Value Rsqrt(Value z) {
  if (z == 0.0) return {kInfinity, kNaN};
  return 1.0 / std::sqrt(z);
}

Value Cbrt(Value z) {
  if (z == 0.0) return z;
  const double magnitude = std::cbrt(std::abs(z)), angle = std::arg(z) / 3;
  return {magnitude * std::cos(angle), magnitude * std::sin(angle)};
}

Value Sine(Value z) { return std::sin(z); }
Value Cosine(Value z) { return std::cos(z); }
Value Tan(Value z) { return std::tan(z); }
Value Tanh(Value z) { return std::tanh(z); }

Value Sign(Value z) {
  if (z == 0.0) return z;
  const double magnitude = std::abs(z);
  return {z.real() / magnitude, z.imag() / magnitude};
}

Value Power(Value a, Value b) {
  if (b == 0.0) return 1.0;
  if (a == 0.0) return b.real() > 0 && b.imag() == 0 ? Value(0) : Value(kNaN, kNaN);
  // Through exp and log an infinity would become NaN, and large powers lose digits.
  if (a.real() > 0 && a.imag() == 0 && b.imag() == 0) return std::pow(a.real(), b.real());
  return std::pow(a, b);
}

Value Atan2(Value y, Value x) {
  const Value i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

template <Value (*kFunction)(Value), class T>
void Unary(void* result, const void* a, const void*, const void*, size_t count,
           const TileParameters&) {
  const T* x = static_cast<const T*>(a);
  T* r = static_cast<T*>(result);
  for (size_t i = 0; i < count; ++i) {
    const Value value = kFunction(Value(x[2 * i], x[2 * i + 1]));
    r[2 * i] = static_cast<T>(value.real());
    r[2 * i + 1] = static_cast<T>(value.imag());
  }
}

template <Value (*kFunction)(Value, Value), class T>
void Binary(void* result, const void* a, const void* b, const void*, size_t count,
            const TileParameters&) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  T* r = static_cast<T*>(result);
  for (size_t i = 0; i < count; ++i) {
    const Value value = kFunction(Value(x[2 * i], x[2 * i + 1]), Value(y[2 * i], y[2 * i + 1]));
    r[2 * i] = static_cast<T>(value.real());
    r[2 * i + 1] = static_cast<T>(value.imag());
  }
}

void AbsOfDoubles(void* result, const void* a, const void*, const void*, size_t count,
                  const TileParameters&) {
  const double* x = static_cast<const double*>(a);
  double* r = static_cast<double*>(result);
  // Not std::hypot: since GCC 12 it asks for a symbol of glibc 2.35.
  for (size_t i = 0; i < count; ++i) r[i] = std::abs(Value(x[2 * i], x[2 * i + 1]));
}

#define PLINTH_ROWS(Name, Kind)                                     \
  {Opcode::k##Name, DType::kC64, DType::kC64, &Kind<&Name, float>}, \
      {Opcode::k##Name, DType::kC128, DType::kC128, &Kind<&Name, double>},

// clang-format off
constexpr TileRow kRows[] = {
    {Opcode::kDivide, DType::kC128, DType::kC128, &Binary<&Divide, double>},
    PLINTH_ROWS(Power, Binary)
    PLINTH_ROWS(Atan2, Binary)
    PLINTH_ROWS(Exponential, Unary)
    PLINTH_ROWS(ExponentialMinusOne, Unary)
    PLINTH_ROWS(Log, Unary)
    PLINTH_ROWS(LogPlusOne, Unary)
    PLINTH_ROWS(Logistic, Unary)
    PLINTH_ROWS(Sqrt, Unary)
    PLINTH_ROWS(Rsqrt, Unary)
    PLINTH_ROWS(Cbrt, Unary)
    PLINTH_ROWS(Sine, Unary)
    PLINTH_ROWS(Cosine, Unary)
    PLINTH_ROWS(Tan, Unary)
    PLINTH_ROWS(Tanh, Unary)
    PLINTH_ROWS(Sign, Unary)
    {Opcode::kAbs, DType::kC128, DType::kF64, &AbsOfDoubles},
};
// clang-format on
#undef PLINTH_ROWS

}  // namespace

std::span<const TileRow> ComplexFunctionRows(SimdTarget) { return kRows; }

}  // namespace plinth::cpu::math
