// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/simulator/multiply.h"

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

#include "reference_plugin/cuda/driver/blas_types.h"

namespace plinth::cuda::simulator {
namespace {

using Number = std::complex<double>;

template <typename T>
T Read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// To the nearest with so many bits of mantissa, halves away from zero.
float Rounded(float value, int mantissa) {
  if (mantissa >= 23 || !std::isfinite(value)) return value;
  const uint32_t low = uint32_t{1} << (23 - mantissa);
  return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + low / 2) & ~(low - 1));
}

double OfHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1, fraction = bits & 1023;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

uint16_t ToHalf(double value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return 0x7e00;
  const double size = std::fabs(value);
  // Steps of the smallest numbers, or of those with this exponent.
  const int exponent = size < std::ldexp(1, -14) ? -14 : std::ilogb(size);
  const double steps = std::nearbyint(std::ldexp(size, 10 - exponent));
  if (std::ldexp(steps, exponent - 10) > 65504) return sign | 0x7c00;
  const auto whole = static_cast<int>(steps);
  return static_cast<uint16_t>(sign + (whole >= 1024 ? ((exponent + 14) << 10) + whole : whole));
}

Number Load(int type, const std::byte* at, int mantissa) {
  switch (type) {
    case kBlasR16F:
      return OfHalf(Read<uint16_t>(at));
    case kBlasR16BF:
      return std::bit_cast<float>(uint32_t{Read<uint16_t>(at)} << 16);
    case kBlasR32F:
      return Rounded(Read<float>(at), mantissa);
    case kBlasR64F:
      return Read<double>(at);
    case kBlasC32F:
      return {Read<float>(at), Read<float>(at + sizeof(float))};
    case kBlasC64F:
      return {Read<double>(at), Read<double>(at + sizeof(double))};
    case kBlasR8I:
      return Read<int8_t>(at);
    default:
      return Read<int32_t>(at);
  }
}

template <typename T>
void Write(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

void Save(int type, Number value, std::byte* at) {
  switch (type) {
    case kBlasR16F:
      return Write(at, ToHalf(value.real()));
    case kBlasR16BF: {
      const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value.real()));
      const uint32_t nearest = bits + 0x7fff + (bits >> 16 & 1);
      return Write(at, static_cast<uint16_t>(std::isnan(value.real()) ? 0x7fc0 : nearest >> 16));
    }
    case kBlasR32F:
      return Write(at, static_cast<float>(value.real()));
    case kBlasR64F:
      return Write(at, value.real());
    case kBlasC32F:
      Write(at, static_cast<float>(value.real()));
      return Write(at + sizeof(float), static_cast<float>(value.imag()));
    case kBlasC64F:
      Write(at, value.real());
      return Write(at + sizeof(double), value.imag());
    default:
      return Write(at, static_cast<int32_t>(value.real()));
  }
}

// All elements, row by row.
std::vector<Number> LoadAll(const Matrix& matrix, int64_t rows, int64_t columns, int mantissa) {
  std::vector<Number> all;
  all.reserve(static_cast<size_t>(rows * columns));
  const auto size = static_cast<int64_t>(SizeOf(matrix.type));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t at = matrix.is_turned ? c + r * matrix.leading : r + c * matrix.leading;
      all.push_back(Load(matrix.type, matrix.data + at * size, mantissa));
    }
  }
  return all;
}

// NaN is no positive number: a program that relies on it is not one for such a library.
Number Finish(Number sum, const Epilogue& epilogue, int type, int64_t row) {
  if ((epilogue.kind & kBlasAddBias) != 0) {
    const auto size = static_cast<int64_t>(SizeOf(type));
    sum += Load(type, epilogue.bias + row * size, /*mantissa=*/23);
  }
  const double x = sum.real();
  if ((epilogue.kind & kBlasRelu) != 0) return x > 0 ? x : 0;
  if ((epilogue.kind & kBlasGelu) != 0) {
    return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  }
  return sum;
}

}  // namespace

size_t SizeOf(int type) {
  switch (type) {
    case kBlasR8I:
      return 1;
    case kBlasR16F:
    case kBlasR16BF:
      return 2;
    case kBlasR32F:
    case kBlasR32I:
      return 4;
    case kBlasR64F:
    case kBlasC32F:
      return 8;
    case kBlasC64F:
      return 16;
    default:
      return 0;
  }
}

void Multiply(const Matrix& left, const Matrix& right, const Matrix& result, int64_t rows,
              int64_t columns, int64_t depth, int mantissa, const Epilogue& epilogue) {
  const std::vector<Number> a = LoadAll(left, rows, depth, mantissa);
  const std::vector<Number> b = LoadAll(right, depth, columns, mantissa);
  const bool is_complex = left.type == kBlasC32F || left.type == kBlasC64F;
  const auto size = static_cast<int64_t>(SizeOf(result.type));
  std::vector<Number> sums(static_cast<size_t>(columns));
  for (int64_t r = 0; r < rows; ++r) {
    std::fill(sums.begin(), sums.end(), 0);
    for (int64_t k = 0; k < depth; ++k) {
      const Number x = a[static_cast<size_t>(r * depth + k)];
      const Number* row = &b[static_cast<size_t>(k * columns)];
      for (size_t c = 0; c < sums.size(); ++c) {
        if (is_complex) {
          sums[c] += Number(x.real() * row[c].real() - x.imag() * row[c].imag(),
                            x.real() * row[c].imag() + x.imag() * row[c].real());
        } else {
          sums[c].real(sums[c].real() + x.real() * row[c].real());
        }
      }
    }
    for (Number& sum : sums) sum = Finish(sum, epilogue, result.type, r);
    for (int64_t c = 0; c < columns; ++c) {
      Save(result.type, sums[static_cast<size_t>(c)],
           result.data + (r + c * result.leading) * size);
    }
  }
}

int MantissaOf(int compute_type) {
  switch (compute_type) {
    case kBlasCompute32FFastTf32:
    case kBlasCompute32FFast16F:
      return 10;
    case kBlasCompute32FFast16BF:
      return 7;
    default:
      return 23;
  }
}

}  // namespace plinth::cuda::simulator
