// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

#include "reference_plugin/cpu/math/tile_functions.h"

// Unary functions of f32 against the C library's of f64: every input if PLINTH_EVERY_F32 is set in
// the environment (an hour of one core), else each 8191st bit pattern.
namespace plinth::cpu::math {
namespace {

using compiler::Opcode;

struct Function {
  Opcode opcode;
  double (*reference)(double);
};

const Function kFunctions[] = {
    {Opcode::kExponential, [](double x) { return std::exp(x); }},
    {Opcode::kExponentialMinusOne, [](double x) { return std::expm1(x); }},
    {Opcode::kLog, [](double x) { return std::log(x); }},
    {Opcode::kLogPlusOne, [](double x) { return std::log1p(x); }},
    {Opcode::kTanh, [](double x) { return std::tanh(x); }},
    {Opcode::kLogistic,
     [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }},
    {Opcode::kErf, [](double x) { return std::erf(x); }},
    {Opcode::kCbrt, [](double x) { return std::cbrt(x); }},
    {Opcode::kSine, [](double x) { return std::sin(x); }},
    {Opcode::kCosine, [](double x) { return std::cos(x); }},
    {Opcode::kTan, [](double x) { return std::tan(x); }},
    {Opcode::kSqrt, [](double x) { return std::sqrt(x); }},
    {Opcode::kRsqrt, [](double x) { return 1 / std::sqrt(x); }},
};

// In units of the last place of f32; infinite where exactly one is NaN or a zero's sign is wrong.
double UlpError(float result, double exact) {
  if (std::isnan(exact) || std::isnan(result)) {
    return std::isnan(exact) == std::isnan(result) ? 0 : INFINITY;
  }
  const float rounded = static_cast<float>(exact);
  if (result == rounded) return std::signbit(result) == std::signbit(rounded) ? 0 : INFINITY;
  if (std::isinf(exact) || std::fabs(exact) >= 0x1p129) return INFINITY;
  const double value = std::isinf(result) ? std::copysign(0x1p128, result) : result;
  const int exponent = exact == 0 ? -126 : std::max(std::ilogb(exact), -126);
  return std::fabs(value - exact) / std::ldexp(1.0, exponent - 23);
}

struct Worst {
  double error = 0;
  uint32_t bits = 0;
};

// Bit patterns begin, begin + step, ... below 2^32.
Worst Measure(const Function& function, const TileRoutine& routine, uint64_t begin, uint64_t step) {
  constexpr size_t kCount = 512;
  std::vector<float> x(kCount), result(kCount);
  Worst worst;
  for (uint64_t bits = begin; bits < (uint64_t{1} << 32);) {
    size_t count = 0;
    for (; count < kCount && bits < (uint64_t{1} << 32); bits += step) {
      x[count++] = std::bit_cast<float>(static_cast<uint32_t>(bits));
    }
    routine.compute(result.data(), x.data(), nullptr, nullptr, count, {});
    for (size_t i = 0; i < count; ++i) {
      const double error = UlpError(result[i], function.reference(x[i]));
      if (error > worst.error) worst = {error, std::bit_cast<uint32_t>(x[i])};
    }
  }
  return worst;
}

TEST(EveryF32, WithinFourUlp) {
  const uint64_t stride = std::getenv("PLINTH_EVERY_F32") != nullptr ? 1 : 8191;
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  for (const Function& function : kFunctions) {
    const TileRoutine routine = FindTileRoutine(function.opcode, DType::kF32, DType::kF32);
    ASSERT_TRUE(routine);
    std::vector<Worst> parts(threads);
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < threads; ++t) {
      workers.emplace_back(
          [&, t] { parts[t] = Measure(function, routine, t * stride, threads * stride); });
    }
    for (std::thread& worker : workers) worker.join();
    const Worst worst =
        *std::max_element(parts.begin(), parts.end(),
                          [](const Worst& a, const Worst& b) { return a.error < b.error; });
    std::printf("%-24s %7.4f ULP at 0x%08x\n", std::string(compiler::Name(function.opcode)).c_str(),
                worst.error, worst.bits);
    EXPECT_LE(worst.error, 4) << compiler::Name(function.opcode) << " at "
                              << std::bit_cast<float>(worst.bits);
  }
}

}  // namespace
}  // namespace plinth::cpu::math
