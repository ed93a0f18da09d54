// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "reference_plugin/cpu/library/test_support.h"

namespace plinth::cpu::library {
namespace {

using compiler::Dims;
using compiler::FftAttributes;
using compiler::FftType;
using Wide = std::complex<long double>;

struct Problem {
  FftType type = FftType::kFft;
  DType complex = DType::kC64;
  Dims batch, length;

  bool FromReal() const { return type == FftType::kRfft; }
  bool ToReal() const { return type == FftType::kIrfft; }
  Dims DimsOf(bool half) const {
    Dims dims = batch;
    for (int64_t n : length) dims.push_back(n);
    if (half) dims.back() = dims.back() == 0 ? 0 : dims.back() / 2 + 1;
    return dims;
  }
  DType Real() const { return complex == DType::kC64 ? DType::kF32 : DType::kF64; }
  TestArray Operand() const { return TestArray(FromReal() ? Real() : complex, DimsOf(ToReal())); }
  TestArray Result() const { return TestArray(ToReal() ? Real() : complex, DimsOf(FromReal())); }
};

// Along one dimension, term by term.
void Transform(std::vector<Wide>& data, const Dims& dims, size_t axis, bool inverse) {
  const int64_t n = dims[axis];
  int64_t inner = 1;
  for (size_t d = axis + 1; d < dims.size(); ++d) inner *= dims[d];
  std::vector<Wide> roots(n), line(n);
  for (int64_t k = 0; k < n; ++k) {
    const long double angle =
        2 * 3.14159265358979323846264L * static_cast<long double>(k) / static_cast<long double>(n);
    roots[k] = {std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle)};
  }
  for (int64_t base = 0; base < static_cast<int64_t>(data.size()); ++base) {
    if (base / inner % n != 0) continue;
    for (int64_t k = 0; k < n; ++k) {
      long double re = 0, im = 0;
      for (int64_t j = 0; j < n; ++j) {
        const Wide x = data[base + j * inner], root = roots[j * k % n];
        re += x.real() * root.real() - x.imag() * root.imag();
        im += x.real() * root.imag() + x.imag() * root.real();
      }
      const Wide sum(re, im);
      line[k] = inverse ? sum / static_cast<long double>(n) : sum;
    }
    for (int64_t k = 0; k < n; ++k) data[base + k * inner] = line[k];
  }
}

std::vector<Wide> Expect(const Problem& problem, const TestArray& operand) {
  const Dims full = problem.DimsOf(false);
  const size_t first = problem.batch.size();
  const bool inverse = problem.type == FftType::kIfft || problem.ToReal();
  std::vector<Wide> data;
  Dims dims = problem.ToReal() ? problem.DimsOf(true) : full;
  for (int64_t i = 0; i < operand.NumElements(); ++i) {
    data.push_back(Wide(operand.Get<std::complex<double>>(i)));
  }
  for (size_t axis = first; axis + (problem.ToReal() ? 1 : 0) < dims.size(); ++axis) {
    Transform(data, dims, axis, inverse);
  }
  const int64_t n = full.back(), half = n / 2 + 1;
  if (problem.ToReal()) {
    // The other half is the conjugate, what must be real is.
    std::vector<Wide> whole;
    for (size_t row = 0; row < data.size() / half; ++row) {
      const Wide* from = data.data() + row * half;
      for (int64_t k = 0; k < n; ++k) {
        whole.push_back(k < half ? from[k] : std::conj(from[n - k]));
        if (k == 0 || 2 * k == n) whole.back() = whole.back().real();
      }
    }
    Transform(whole, full, full.size() - 1, true);
    return whole;
  }
  if (!problem.FromReal()) return data;
  std::vector<Wide> kept;
  for (size_t i = 0; i < data.size(); ++i) {
    if (static_cast<int64_t>(i) % n < half) kept.push_back(data[i]);
  }
  return kept;
}

void Check(const Problem& problem, backend::ThreadPool* pool = nullptr) {
  std::mt19937_64 random(17);
  TestArray operand = problem.Operand(), result = problem.Result();
  operand.FillRandom(random);
  FftAttributes attributes{problem.type, problem.length};
  const auto step = MakeStep(compiler::Opcode::kFft, {operand.type}, {result.type},
                             std::make_shared<const compiler::Attributes>(attributes));
  const Status status = RunStep(step, {&operand}, {&result}, pool);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::vector<Wide> expected = Expect(problem, operand);
  ASSERT_EQ(static_cast<int64_t>(expected.size()), result.NumElements());
  long double norm = 0, error = 0;
  for (int64_t i = 0; i < result.NumElements(); ++i) {
    norm += std::norm(expected[i]);
    error += std::norm(expected[i] - Wide(result.Get<std::complex<double>>(i)));
  }
  EXPECT_LE(std::sqrt(error), 6 * Epsilon(problem.complex) * std::sqrt(norm))
      << "type " << static_cast<int>(problem.type) << " length " << problem.length.back() << " of "
      << problem.length.size() << " dimensions, relative error "
      << static_cast<double>(std::sqrt(error / norm) / Epsilon(problem.complex)) << " epsilon";
}

constexpr FftType kTypes[] = {FftType::kFft, FftType::kIfft, FftType::kRfft, FftType::kIrfft};

TEST(Fft, EveryLength) {
  for (FftType type : kTypes) {
    for (DType complex : {DType::kC64, DType::kC128}) {
      for (int64_t n = 1; n <= 40; ++n) Check({type, complex, {}, {n}});
      for (int64_t n : {49, 61, 64, 67, 74, 80, 121, 128, 134, 256, 384}) {
        Check({type, complex, {}, {n}});
      }
    }
  }
}

TEST(Fft, Batches) {
  backend::ThreadPool pool(2);
  for (FftType type : kTypes) {
    for (DType complex : {DType::kC64, DType::kC128}) {
      for (int64_t n : {1, 2, 3, 8, 15, 37, 64, 67, 74, 96}) {
        Check({type, complex, {19}, {n}}, &pool);
        Check({type, complex, {2, 3}, {n}});
      }
    }
  }
}

// A length that alone fills a part of each vector: alone, and as lines side by side.
TEST(Fft, LinesThatVectorsDoNotDivide) {
  for (DType complex : {DType::kC64, DType::kC128}) {
    Check({FftType::kFft, complex, {2}, {260}});
    Check({FftType::kFft, complex, {17}, {260}});
    Check({FftType::kIrfft, complex, {2}, {520}});
  }
}

TEST(Fft, SeveralDimensions) {
  backend::ThreadPool pool(2);
  for (FftType type : kTypes) {
    for (DType complex : {DType::kC64, DType::kC128}) {
      Check({type, complex, {}, {16, 16}}, &pool);
      Check({type, complex, {3}, {5, 8}});
      Check({type, complex, {2}, {7, 9}});
      Check({type, complex, {}, {1, 1}});
      Check({type, complex, {}, {67, 33}});
      Check({type, complex, {}, {4, 32, 10}}, &pool);
      Check({type, complex, {2}, {3, 6, 5}});
    }
  }
}

// Vectors of columns are read by the first stage and written by the last, where both are of radix 4
// or 8; other stages, and columns that fill no vector, go by way of planes.
TEST(Fft, ColumnsOfSeveralStages) {
  backend::ThreadPool pool(2);
  for (FftType type : kTypes) {
    for (DType complex : {DType::kC64, DType::kC128}) {
      Check({type, complex, {2}, {16, 48}}, &pool);
      Check({type, complex, {}, {64, 42}});
      Check({type, complex, {}, {24, 32}});
      Check({type, complex, {}, {20, 32}});
    }
  }
}

// Longer than the naive sum can follow: a wave has one peak, and the inverse gives it back.
TEST(Fft, LongLines) {
  backend::ThreadPool pool(2);
  for (DType complex : {DType::kC64, DType::kC128}) {
    for (int64_t n : {1 << 17, 3 * 5 * 7 * 1024, 100003}) {
      TestArray wave(complex, {2, n}), peak = wave, back = wave;
      for (int64_t i = 0; i < 2 * n; ++i) {
        const int64_t frequency = i < n ? 12345 : n - 3;
        const double turn = static_cast<double>(i % n * frequency % n) / static_cast<double>(n);
        wave.Set(i, std::polar(1.0, 2 * 3.14159265358979323846 * turn));
      }
      for (FftType type : {FftType::kFft, FftType::kIfft}) {
        const bool inverse = type == FftType::kIfft;
        const auto step =
            MakeStep(compiler::Opcode::kFft, {wave.type}, {peak.type},
                     std::make_shared<const compiler::Attributes>(FftAttributes{type, {n}}));
        ASSERT_TRUE(
            RunStep(step, {inverse ? &peak : &wave}, {inverse ? &back : &peak}, &pool).ok());
      }
      double worst = 0;
      for (int64_t i = 0; i < 2 * n; ++i) {
        const bool at_peak = i == 12345 || i == 2 * n - 3;
        worst =
            std::max(worst, std::abs(peak.Get<std::complex<double>>(i) / static_cast<double>(n) -
                                     (at_peak ? 1.0 : 0.0)));
        worst = std::max(
            worst, std::abs(back.Get<std::complex<double>>(i) - wave.Get<std::complex<double>>(i)));
      }
      EXPECT_LE(worst, 16 * Epsilon(complex)) << n;
    }
  }
}

TEST(Fft, NothingToTransform) {
  for (FftType type : kTypes) {
    Check({type, DType::kC64, {0}, {8}});
    Check({type, DType::kC64, {3}, {0}});
    Check({type, DType::kC64, {}, {0, 4}});
  }
}

TEST(Fft, LengthThatNoTableHolds) {
  const FftAttributes attributes{FftType::kFft, {int64_t{1} << 40}};
  const auto type = compiler::Type::Tensor(DType::kC64, {int64_t{1} << 40});
  const auto prepared =
      PrepareLibraryStep(MakeStep(compiler::Opcode::kFft, {type}, {type},
                                  std::make_shared<const compiler::Attributes>(attributes)));
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.status().code(), StatusCode::kResourceExhausted);
}

// What does not stay with the threads counts as memory of the program.
TEST(Fft, PlanesOfLongLinesArePlanned) {
  struct Line {
    Dims batch;
    int64_t length;
    int64_t planned;  // bytes at least
  } const lines[] = {{{}, 4096, 0},
                     // A prime, so a convolution at least twice as long: four planes of numbers.
                     {{}, 200003, 4 * 2 * 200003 * 4},
                     // Of several lines more than one at a time.
                     {{3}, 200003, 2 * 4 * 2 * 200003 * 4}};
  for (const Line& line : lines) {
    Problem problem{FftType::kFft, DType::kC64, line.batch, {line.length}};
    const TestArray operand = problem.Operand();
    const auto step = MakeStep(
        compiler::Opcode::kFft, {operand.type}, {operand.type},
        std::make_shared<const compiler::Attributes>(FftAttributes{problem.type, problem.length}));
    const auto prepared = PrepareLibraryStep(step);
    ASSERT_TRUE(prepared.ok()) << prepared.status().ToString();
    EXPECT_GE((*prepared)->scratch_bytes(), line.planned);
    EXPECT_EQ((*prepared)->scratch_bytes() > 0, line.planned > 0) << line.length;
  }
}

// Planned planes, on one thread and on several, and beside an array in the same memory: a wave is
// one line of its spectrum.
TEST(Fft, LongLinesWithPlannedPlanes) {
  constexpr int64_t kLength = 200003, kLines = 3, kWave = 77;
  TestArray operand(DType::kC64, {kLines, kLength}), result = operand;
  auto* in = reinterpret_cast<std::complex<float>*>(operand.bytes.data());
  for (int64_t i = 0; i < kLines * kLength; ++i) {
    const double angle = 2 * 3.14159265358979323846 *
                         static_cast<double>(i % kLength * kWave % kLength) /
                         static_cast<double>(kLength);
    in[i] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
  }
  const auto step = MakeStep(
      compiler::Opcode::kFft, {operand.type}, {result.type},
      std::make_shared<const compiler::Attributes>(FftAttributes{FftType::kFft, {kLength}}));
  backend::ThreadPool pool(3);
  std::vector<std::byte> before;
  for (backend::ThreadPool* threads : {static_cast<backend::ThreadPool*>(nullptr), &pool}) {
    ASSERT_TRUE(RunStep(step, {&operand}, {&result}, threads).ok());
    for (int64_t i = 0; i < kLines * kLength; ++i) {
      const std::complex<double> found = result.Get<std::complex<double>>(i);
      const double expected = i % kLength == kWave ? static_cast<double>(kLength) : 0;
      ASSERT_LE(std::abs(found - expected), 1e-5 * static_cast<double>(kLength)) << i;
    }
    if (!before.empty()) {
      EXPECT_EQ(before, result.bytes);
    }
    before = result.bytes;
  }
}

TEST(Fft, ThreadsDoNotChangeBits) {
  std::mt19937_64 random(3);
  TestArray operand(DType::kC64, {400, 60}), one(DType::kC64, {400, 60}), two = one;
  operand.FillRandom(random);
  const auto step = MakeStep(
      compiler::Opcode::kFft, {operand.type}, {one.type},
      std::make_shared<const compiler::Attributes>(FftAttributes{FftType::kFft, {400, 60}}));
  backend::ThreadPool pool(3);
  ASSERT_TRUE(RunStep(step, {&operand}, {&one}).ok());
  ASSERT_TRUE(RunStep(step, {&operand}, {&two}, &pool).ok());
  EXPECT_EQ(one.bytes, two.bytes);
}

}  // namespace
}  // namespace plinth::cpu::library
