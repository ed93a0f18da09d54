// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "reference_plugin/compiler/ir/op_work.h"
#include "reference_plugin/cpu/math/tile_functions.h"

// Elementary functions against the C library's in extended precision.
namespace plinth::cpu::math {
namespace {

using compiler::Opcode;
using Reference = long double (*)(long double, long double);

long double LogisticReference(long double x, long double) {
  return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}

struct Function {
  Opcode opcode;
  Reference reference;
  bool is_binary;
};

const Function kFunctions[] = {
    {Opcode::kExponential, [](long double x, long double) { return expl(x); }, false},
    {Opcode::kExponentialMinusOne, [](long double x, long double) { return expm1l(x); }, false},
    {Opcode::kLog, [](long double x, long double) { return logl(x); }, false},
    {Opcode::kLogPlusOne, [](long double x, long double) { return log1pl(x); }, false},
    {Opcode::kTanh, [](long double x, long double) { return tanhl(x); }, false},
    {Opcode::kLogistic, &LogisticReference, false},
    {Opcode::kErf, [](long double x, long double) { return erfl(x); }, false},
    {Opcode::kCbrt, [](long double x, long double) { return cbrtl(x); }, false},
    {Opcode::kSine, [](long double x, long double) { return sinl(x); }, false},
    {Opcode::kCosine, [](long double x, long double) { return cosl(x); }, false},
    {Opcode::kTan, [](long double x, long double) { return tanl(x); }, false},
    {Opcode::kSqrt, [](long double x, long double) { return sqrtl(x); }, false},
    {Opcode::kRsqrt, [](long double x, long double) { return 1 / sqrtl(x); }, false},
    {Opcode::kAtan2, [](long double y, long double x) { return atan2l(y, x); }, true},
    {Opcode::kPower, [](long double x, long double y) { return powl(x, y); }, true},
};

// Distance in units of the last place of the correctly rounded result; infinite when exactly one
// is NaN, or signs of zeros or infinities differ.
template <class T>
double UlpError(T result, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(result)) {
    return std::isnan(rounded) == std::isnan(result) ? 0 : INFINITY;
  }
  if (result == rounded && (result != 0 || std::signbit(result) == std::signbit(rounded))) return 0;
  if (result == 0 && rounded == 0) return INFINITY;
  const T limit = std::numeric_limits<T>::max();
  // One step beyond the largest number is infinity.
  const long double value =
      std::isinf(result) ? copysignl(2 * static_cast<long double>(limit), result) : result;
  if (fabsl(exact) > 4 * static_cast<long double>(limit)) return INFINITY;
  int exponent;
  frexpl(exact, &exponent);
  constexpr int kDigits = std::numeric_limits<T>::digits;
  const int lowest = std::numeric_limits<T>::min_exponent;
  const long double unit = ldexpl(1, std::max(exponent, lowest) - kDigits);
  return static_cast<double>(fabsl(value - exact) / unit);
}

template <class T>
std::vector<T> Arguments(size_t random_count) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (T base : {T(0),
                 Limits::denorm_min(),
                 Limits::min(),
                 Limits::epsilon(),
                 T(0.25),
                 T(0.5),
                 T(1),
                 T(1.5),
                 T(2),
                 T(3),
                 T(4),
                 T(9.5),
                 T(20),
                 T(88.72284),
                 T(87.4),
                 T(103.97),
                 T(709.78),
                 T(745.13),
                 T(65536),
                 T(1048576),
                 T(1e22),
                 Limits::max(),
                 Limits::infinity(),
                 T(3.14159265358979323846),
                 T(1.57079632679489661923),
                 T(0.78539816339744830962),
                 T(0.41421356237309503),
                 T(1.41421356237309505),
                 T(0.70710678118654752)}) {
    for (T value : {base, std::nextafter(base, T(0)), std::nextafter(base, Limits::infinity())}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  values.push_back(Limits::quiet_NaN());
  values.push_back(-Limits::quiet_NaN());
  std::mt19937_64 random(1);
  for (size_t i = 0; i < random_count; ++i) {
    values.push_back(std::bit_cast<T>(static_cast<Bits>(random())));  // the whole range
    const double unit = std::ldexp(static_cast<double>(random() >> 11), -52) - 1;
    constexpr double kScales[] = {0.01, 0.7, 1.3, 6, 50, 110, 800, 1e5, 2e6};
    values.push_back(static_cast<T>(unit * kScales[i % std::size(kScales)]));
  }
  // Near multiples of pi / 2, where the reduction cancels.
  for (int i = 1; i < 2000; ++i) {
    values.push_back(static_cast<T>(i * 1.57079632679489661923L));
    values.push_back(static_cast<T>(i * 517 * 1.57079632679489661923L));
  }
  return values;
}

struct WorstCase {
  double error = 0;
  double x = 0, y = 0;
};

template <class T>
WorstCase Measure(const Function& function, SimdTarget target) {
  const DType type = sizeof(T) == 4 ? DType::kF32 : DType::kF64;
  const TileRoutine routine = FindTileRoutine(function.opcode, type, type, {}, target);
  if (!routine) return {INFINITY, 0, 0};
  std::vector<T> x = Arguments<T>(function.is_binary ? 20000 : 60000);
  std::vector<T> y(x.size());
  std::mt19937_64 random(2);
  if (function.is_binary) {
    const std::vector<T> edges = Arguments<T>(0);
    const size_t plain = x.size();
    for (size_t i = 0; i < plain; ++i) y[i] = x[random() % plain];
    for (size_t i = 0; i < 178; ++i) {
      for (size_t k = 0; k < 178; ++k) {
        x.push_back(edges[i]);
        y.push_back(edges[k]);
      }
    }
    // Powers that neither overflow nor underflow, and integer ones.
    for (int i = 0; i < 30000; ++i) {
      const double base = std::exp2(std::ldexp(static_cast<double>(random() >> 11), -53) * 20 - 10);
      const double limit = std::fabs(std::log(std::numeric_limits<T>::max()) / std::log(base));
      const double fraction = std::ldexp(static_cast<double>(random() >> 11), -52) - 1;
      x.push_back(static_cast<T>(base));
      y.push_back(static_cast<T>(std::min(limit, 1e6) * fraction));
      x.push_back(static_cast<T>(i % 2 == 0 ? base : -base));
      y.push_back(static_cast<T>(static_cast<int>(random() % 41) - 20));
    }
  }
  std::vector<T> result(x.size());
  routine.compute(result.data(), x.data(), y.data(), nullptr, x.size(), {});
  WorstCase worst;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = UlpError(result[i], function.reference(x[i], y[i]));
    if (error > worst.error) worst = {error, static_cast<double>(x[i]), static_cast<double>(y[i])};
  }
  return worst;
}

TEST(AccuracyTable, HasEveryFunction) {
  for (int op = 0; op < compiler::kNumOpcodes; ++op) {
    const Opcode opcode = static_cast<Opcode>(op);
    const bool has = std::any_of(std::begin(kFunctions), std::end(kFunctions),
                                 [&](const Function& f) { return f.opcode == opcode; });
    EXPECT_TRUE(has || !compiler::IsTranscendental(opcode)) << compiler::Name(opcode);
  }
}

class AccuracyTest : public testing::TestWithParam<SimdTarget> {};

TEST_P(AccuracyTest, WithinBounds) {
  const SimdTarget target = GetParam();
  if (!IsSupported(target)) GTEST_SKIP() << "this machine lacks the instructions";
  for (const Function& function : kFunctions) {
    const std::string name(compiler::Name(function.opcode));
    const WorstCase f32 = Measure<float>(function, target);
    const WorstCase f64 = Measure<double>(function, target);
    std::printf("%-24s f32 %6.3f ULP  f64 %6.3f ULP\n", name.c_str(), f32.error, f64.error);
    EXPECT_LE(f32.error, 4) << name << " at " << f32.x << ", " << f32.y;
    EXPECT_LE(f64.error, 2) << name << " at " << std::hexfloat << f64.x << ", " << f64.y;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, AccuracyTest,
                         testing::Values(SimdTarget::kBaseline, SimdTarget::kAvx2,
                                         SimdTarget::kAvx512));

}  // namespace
}  // namespace plinth::cpu::math
