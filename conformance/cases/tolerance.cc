// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/tolerance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace plinth::conformance {
namespace {

// The form of a floating-point number of up to 64 bits.
struct FloatForm {
  int bits, mantissa_bits, bias;
};

FloatForm FormOf(DType type) {
  switch (type) {
    case DType::kF16:
      return {16, 10, 15};
    case DType::kBF16:
      return {16, 7, 127};
    case DType::kF64:
    case DType::kC128:
      return {64, 52, 1023};
    default:
      return {32, 23, 127};
  }
}

constexpr std::byte kWholeByte{0xFF};

// The bits that say something in a byte of an array.
std::byte UsedBits(DType type) {
  const DTypeInfo& info = InfoOf(type);
  if (info.bits >= 8 || info.kind == DTypeClass::kPred) return kWholeByte;
  return static_cast<std::byte>((1 << info.bits) - 1);
}

uint64_t BitsAt(const HostArray& array, size_t byte, int bits) {
  uint64_t value = 0;
  std::memcpy(&value, array.bytes.data() + byte, static_cast<size_t>(bits) / 8);
  return value;
}

double ValueOf(uint64_t bits, const FloatForm& form) {
  bool is_negative = (bits >> (form.bits - 1)) != 0;
  int exponent_bits = form.bits - 1 - form.mantissa_bits;
  int64_t exponent = static_cast<int64_t>(bits >> form.mantissa_bits & ((1u << exponent_bits) - 1));
  uint64_t mantissa = bits & ((uint64_t{1} << form.mantissa_bits) - 1);
  double value;
  if (exponent == (1 << exponent_bits) - 1) {
    value = mantissa == 0 ? HUGE_VAL : std::nan("");
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<double>(mantissa), 1 - form.bias - form.mantissa_bits);
  } else {
    value = std::ldexp(static_cast<double>(mantissa | uint64_t{1} << form.mantissa_bits),
                       static_cast<int>(exponent) - form.bias - form.mantissa_bits);
  }
  return is_negative ? -value : value;
}

// Neighbouring numbers have neighbouring places; both zeros are at 0.
int64_t PlaceOf(uint64_t bits, const FloatForm& form) {
  uint64_t sign = uint64_t{1} << (form.bits - 1);
  auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

bool IsZero(uint64_t bits, const FloatForm& form) { return PlaceOf(bits, form) == 0; }

double Epsilon(const FloatForm& form) { return std::ldexp(1.0, -form.mantissa_bits); }

// Of a complex number; std::hypot would ask a vendor's machine for glibc 2.35.
double Magnitude(double real, double imaginary) {
  double larger = std::max(std::abs(real), std::abs(imaginary));
  if (larger == 0 || !std::isfinite(larger)) return larger;
  double a = real / larger, b = imaginary / larger;
  return larger * std::sqrt(a * a + b * b);
}

// One real number, or one part of a complex one.
bool IsNearReal(uint64_t expected, uint64_t got, const FloatForm& form, const Tolerance& tolerance,
                double largest) {
  double wanted = ValueOf(expected, form), found = ValueOf(got, form);
  if (std::isnan(wanted) || std::isnan(found)) return std::isnan(wanted) && std::isnan(found);
  // An infinity is no neighbour of the largest number.
  if (std::isinf(wanted) || std::isinf(found)) return expected == got;
  if (IsZero(expected, form) && IsZero(got, form)) {
    return tolerance.any_zero_sign || expected == got;
  }
  if (tolerance.of_max) {
    return std::abs(wanted - found) <=
           static_cast<double>(tolerance.ulps) * Epsilon(form) * largest;
  }
  int64_t one = PlaceOf(expected, form), other = PlaceOf(got, form);
  // Places of other signs may be further apart than an integer counts.
  auto distance =
      static_cast<uint64_t>(std::max(one, other)) - static_cast<uint64_t>(std::min(one, other));
  return distance <= static_cast<uint64_t>(tolerance.ulps);
}

bool IsNearComplex(const uint64_t expected[2], const uint64_t got[2], const FloatForm& form,
                   const Tolerance& tolerance, double largest) {
  Tolerance exact;
  exact.any_zero_sign = tolerance.any_zero_sign || tolerance.ulps > 0;
  if (IsNearReal(expected[0], got[0], form, exact, 0) &&
      IsNearReal(expected[1], got[1], form, exact, 0)) {
    return true;
  }
  double wanted[2] = {ValueOf(expected[0], form), ValueOf(expected[1], form)};
  double found[2] = {ValueOf(got[0], form), ValueOf(got[1], form)};
  for (double part : {wanted[0], wanted[1], found[0], found[1]}) {
    if (!std::isfinite(part)) return false;
  }
  double size = tolerance.of_max ? largest : Magnitude(wanted[0], wanted[1]);
  size = std::max(size, std::ldexp(1.0, 1 - form.bias));
  return Magnitude(wanted[0] - found[0], wanted[1] - found[1]) <=
         static_cast<double>(tolerance.ulps) * Epsilon(form) * size;
}

struct Element {
  size_t size, byte;
  bool is_float, is_complex;
  FloatForm form;
};

Element ElementAt(const HostArray& array, size_t index) {
  const DTypeInfo& info = InfoOf(array.type);
  Element element{info.bytes, index * info.bytes, info.kind == DTypeClass::kFloat,
                  info.kind == DTypeClass::kComplex, FormOf(array.type)};
  // The narrow floats have no arithmetic here: they are compared as bits.
  if (info.bits < 16) element.is_float = false;
  return element;
}

struct ClassLimits {
  std::string_view name;
  int64_t cap;  // units in the last place that a profile may ask for
};
constexpr ClassLimits kClasses[kNumToleranceClasses] = {
    {"exact", 0}, {"arithmetic", 4}, {"elementary", 64}, {"sum", 1 << 14}, {"algorithm", 1 << 14}};

// No profile widens further than to one part in 2^9; types of 16 bits have no more than 2 or 3
// digits, and are allowed a few units.
constexpr int kWidestBits = 9;
constexpr int64_t kFewUnits = 8;

int64_t WidestOf(const FloatForm& form) {
  int bits = std::max(0, form.mantissa_bits - kWidestBits);
  return std::max(kFewUnits, int64_t{1} << bits);
}

}  // namespace

Tolerance Widened(Tolerance tolerance, DType type, const Profile& profile) {
  const ClassLimits& limits = kClasses[static_cast<int>(tolerance.kind)];
  auto found = profile.tolerances.find(std::string(limits.name));
  if (found != profile.tolerances.end()) {
    int64_t cap = std::min(limits.cap, WidestOf(FormOf(type)));
    tolerance.ulps = std::max(tolerance.ulps, std::min(found->second, cap));
  }
  return tolerance;
}

void ClearUnusedBits(HostArray& array) {
  std::byte mask = UsedBits(array.type);
  if (mask == kWholeByte) return;
  for (std::byte& each : array.bytes) each &= mask;
}

bool IsNear(const HostArray& expected, const HostArray& got, size_t index,
            const Tolerance& tolerance, double largest) {
  Element element = ElementAt(expected, index);
  if (std::byte used = UsedBits(expected.type); used != kWholeByte) {
    return ((expected.bytes[element.byte] ^ got.bytes[element.byte]) & used) == std::byte{0};
  }
  if (!element.is_float && !element.is_complex) {
    return std::memcmp(expected.bytes.data() + element.byte, got.bytes.data() + element.byte,
                       element.size) == 0;
  }
  int bits = element.form.bits;
  uint64_t wanted[2] = {BitsAt(expected, element.byte, bits), 0};
  uint64_t found[2] = {BitsAt(got, element.byte, bits), 0};
  if (!element.is_complex) {
    return IsNearReal(wanted[0], found[0], element.form, tolerance, largest);
  }
  size_t imaginary = element.byte + element.size / 2;
  wanted[1] = BitsAt(expected, imaginary, bits);
  found[1] = BitsAt(got, imaginary, bits);
  return IsNearComplex(wanted, found, element.form, tolerance, largest);
}

double LargestOf(const HostArray& array) {
  double largest = 0;
  size_t size = InfoOf(array.type).bytes;
  for (size_t i = 0; size > 0 && i < array.bytes.size() / size; ++i) {
    Element element = ElementAt(array, i);
    if (!element.is_float && !element.is_complex) return 0;
    double value = ValueOf(BitsAt(array, element.byte, element.form.bits), element.form);
    if (element.is_complex) {
      size_t imaginary = element.byte + element.size / 2;
      value = Magnitude(value, ValueOf(BitsAt(array, imaginary, element.form.bits), element.form));
    }
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

std::string ElementText(const HostArray& array, size_t index) {
  Element element = ElementAt(array, index);
  std::string hex;
  for (size_t b = element.size; b-- > 0;) {
    static constexpr char kDigits[] = "0123456789abcdef";
    auto byte = std::to_integer<unsigned>(array.bytes[element.byte + b]);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  int bits = element.form.bits;
  if (element.is_float) {
    return StrCat(ValueOf(BitsAt(array, element.byte, bits), element.form), " (0x", hex, ")");
  }
  if (element.is_complex) {
    size_t imaginary = element.byte + element.size / 2;
    return StrCat("(", ValueOf(BitsAt(array, element.byte, bits), element.form), ", ",
                  ValueOf(BitsAt(array, imaginary, bits), element.form), ")");
  }
  auto value =
      static_cast<int64_t>(BitsAt(array, element.byte, static_cast<int>(element.size) * 8));
  if (InfoOf(array.type).kind == DTypeClass::kSigned && element.size > 0) {
    int unused = 64 - static_cast<int>(element.size) * 8;
    return StrCat(static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused);
  }
  return StrCat(static_cast<uint64_t>(value));
}

}  // namespace plinth::conformance
