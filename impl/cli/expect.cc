// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/expect.h"

#include <cmath>
#include <cstring>

#include "impl/cli/element.h"
#include "plinth/support/float_format.h"

namespace plinth::cli {
namespace {

using client::HostArray;

constexpr double kUlps = 16;  // of a float, if nothing is said

double ValueOf(DType type, const std::byte* bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, static_cast<size_t>(ByteSize(type)));
  return FloatFromBits(type, bits);
}

// The distance from one to the next float above it: the least that a tolerance can be. From the
// type's own rounding, so that no table of types is needed.
double StepOf(DType type) {
  double step = 1;
  while (step > 0x1p-60 && FloatFromBits(type, FloatToBits(type, 1 + step / 2)) != 1) {
    step /= 2;
  }
  return step;
}

bool IsNear(double got, double wanted, const ExpectTolerance& tolerance) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (std::isinf(wanted) || std::isinf(got)) return got == wanted;
  return std::abs(got - wanted) <= tolerance.absolute + tolerance.relative * std::abs(wanted);
}

// Floats, or both parts of complex numbers, with a tolerance; all else bit by bit.
class Comparison {
 public:
  Comparison(DType type, ExpectTolerance tolerance) : size_(ByteSize(type)) {
    const DTypeClass kind = InfoOf(type).kind;
    part_ = type == DType::kC64 ? DType::kF32 : type == DType::kC128 ? DType::kF64 : type;
    is_number_ = kind == DTypeClass::kFloat || kind == DTypeClass::kComplex;
    tolerance_ = tolerance;
    if (tolerance_.relative < 0) tolerance_.relative = is_number_ ? kUlps * StepOf(part_) : 0;
    if (tolerance_.absolute < 0) tolerance_.absolute = 0;
  }

  bool AreEqual(const std::byte* got, const std::byte* wanted) const {
    if (std::memcmp(got, wanted, static_cast<size_t>(size_)) == 0) return true;
    if (!is_number_) return false;
    const int64_t step = ByteSize(part_);
    for (int64_t at = 0; at < size_; at += step) {
      if (!IsNear(ValueOf(part_, got + at), ValueOf(part_, wanted + at), tolerance_)) return false;
    }
    return true;
  }

 private:
  int64_t size_;
  DType part_;
  bool is_number_;
  ExpectTolerance tolerance_;
};

// "[1,2]" of the element with that number, row by row.
std::string IndexText(int64_t number, const std::vector<int64_t>& dims) {
  std::string text;
  for (size_t i = dims.size(); i-- > 0;) {
    text = StrCat(number % dims[i], text.empty() ? "" : ",", text);
    number /= dims[i];
  }
  return StrCat("[", text, "]");
}

}  // namespace

std::string Difference(const HostArray& got, const HostArray& wanted,
                       const ExpectTolerance& tolerance) {
  if (got.type() != wanted.type() || got.dims() != wanted.dims()) {
    return StrCat("it is ", client::ShapeToString(got.type(), got.dims()), ", not ",
                  client::ShapeToString(wanted.type(), wanted.dims()));
  }
  const Comparison comparison(got.type(), tolerance);
  const int64_t size = ByteSize(got.type());
  int64_t wrong = 0;
  std::string first;
  for (int64_t i = 0; i < got.num_elements(); ++i) {
    const std::byte *one = got.data() + i * size, *other = wanted.data() + i * size;
    if (comparison.AreEqual(one, other)) continue;
    if (++wrong > 1) continue;
    first = StrCat(IndexText(i, got.dims()), " is ", ElementText(got.type(), one), ", not ",
                   ElementText(got.type(), other));
  }
  if (wrong == 0) return {};
  return StrCat(wrong, " of ", got.num_elements(), " elements differ; the first, ", first);
}

}  // namespace plinth::cli
