// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/replay/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "plinth/support/float_format.h"
#include "plinth/support/str_cat.h"

namespace plinth::layers {
namespace {

uint64_t BitsAt(std::string_view bytes, size_t offset, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + offset, size);
  return bits;
}

// The parts of an element: complex numbers have two.
struct Parts {
  DType type;
  size_t size;
  size_t count;
};

Parts PartsOf(DType type) {
  if (type == DType::kC64) return {DType::kF32, 4, 2};
  if (type == DType::kC128) return {DType::kF64, 8, 2};
  return {type, static_cast<size_t>(ByteSize(type)), 1};
}

bool IsFloat(DType type) {
  DTypeClass kind = InfoOf(type).kind;
  return kind == DTypeClass::kFloat || kind == DTypeClass::kComplex;
}

// The value of the bits of a signed integer.
int64_t SignedOf(DType type, uint64_t bits) {
  int shift = 64 - 8 * InfoOf(type).bytes;
  return static_cast<int64_t>(bits << shift) >> shift;
}

double NumberOf(DType type, uint64_t bits) {
  const DTypeInfo& info = InfoOf(type);
  if (info.kind == DTypeClass::kFloat) return FloatFromBits(type, bits);
  if (info.kind == DTypeClass::kSigned) return static_cast<double>(SignedOf(type, bits));
  return static_cast<double>(bits);
}

std::string TextOf(const Parts& parts, std::string_view bytes, size_t offset) {
  std::string text;
  for (size_t i = 0; i < parts.count; ++i) {
    uint64_t bits = BitsAt(bytes, offset + i * parts.size, parts.size);
    if (i > 0) text += " + i ";
    const DTypeInfo& info = InfoOf(parts.type);
    text += info.kind == DTypeClass::kFloat    ? StrCat(FloatFromBits(parts.type, bits))
            : info.kind == DTypeClass::kSigned ? StrCat(SignedOf(parts.type, bits))
                                               : StrCat(bits);
  }
  return text;
}

bool Agree(double got, double wanted, const Tolerance& tolerance) {
  if (std::isnan(wanted) || std::isnan(got)) return std::isnan(wanted) && std::isnan(got);
  if (std::isinf(wanted) || std::isinf(got)) return got == wanted;
  return std::abs(got - wanted) <= tolerance.absolute + tolerance.relative * std::abs(wanted);
}

}  // namespace

Tolerance DefaultTolerance(DType type, std::string_view wanted) {
  if (!IsFloat(type)) return {};
  Parts parts = PartsOf(type);
  double relative = 0;
  switch (parts.type) {
    case DType::kF64:
      relative = 1e-11;
      break;
    case DType::kF32:
      relative = 1e-5;
      break;
    case DType::kF16:
      relative = 4e-3;
      break;
    case DType::kBF16:
      relative = 3e-2;
      break;
    default:
      relative = 0.25;
  }
  double largest = 0;
  for (size_t offset = 0; offset + parts.size <= wanted.size(); offset += parts.size) {
    double number = std::abs(NumberOf(parts.type, BitsAt(wanted, offset, parts.size)));
    if (std::isfinite(number)) largest = std::max(largest, number);
  }
  return {relative, relative * largest};
}

std::optional<ArrayDifference> CompareArrays(DType type, std::span<const int64_t> dims,
                                             std::string_view got, std::string_view wanted,
                                             const Tolerance& tolerance) {
  if (got == wanted) return std::nullopt;
  Parts parts = PartsOf(type);
  size_t element = parts.size * parts.count;
  ArrayDifference difference;
  for (size_t offset = 0; offset + element <= wanted.size(); offset += element) {
    bool agree = true;
    for (size_t i = 0; i < parts.count; ++i) {
      uint64_t got_bits = BitsAt(got, offset + i * parts.size, parts.size);
      uint64_t wanted_bits = BitsAt(wanted, offset + i * parts.size, parts.size);
      if (got_bits == wanted_bits) continue;
      double g = NumberOf(parts.type, got_bits), w = NumberOf(parts.type, wanted_bits);
      // Large integers are not exact as numbers.
      bool is_exact = !IsFloat(type) && tolerance.absolute == 0 && tolerance.relative == 0;
      if (!is_exact && Agree(g, w, tolerance)) continue;
      agree = false;
      if (std::isfinite(g - w)) difference.largest = std::max(difference.largest, std::abs(g - w));
    }
    if (agree) continue;
    if (difference.elements++ == 0) {
      difference.got = TextOf(parts, got, offset);
      difference.wanted = TextOf(parts, wanted, offset);
      difference.first.resize(dims.size());
      size_t index = offset / element;
      for (size_t i = dims.size(); i-- > 0;) {
        difference.first[i] = static_cast<int64_t>(index) % dims[i];
        index /= static_cast<size_t>(dims[i]);
      }
    }
  }
  if (difference.elements == 0) return std::nullopt;
  return difference;
}

}  // namespace plinth::layers
