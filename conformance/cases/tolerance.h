// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_TOLERANCE_H_
#define PLINTH_CONFORMANCE_CASES_TOLERANCE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "conformance/runner/context.h"

namespace plinth::conformance {

// Kinds of computation that are exact to the same degree.
enum class ToleranceClass : uint8_t { kExact, kArithmetic, kElementary, kSum, kAlgorithm };
inline constexpr int kNumToleranceClasses = 5;

// How far an element may be from the expected one.
struct Tolerance {
  ToleranceClass kind = ToleranceClass::kExact;
  // Units in the last place: of the element (of a complex number: of its modulus) or, if `of_max`,
  // of the largest finite element of the array.
  int64_t ulps = 0;
  bool of_max = false;
  bool any_zero_sign = false;
};

// The tolerance as a profile widens it for results of the type, up to the cap of its class and of
// the type.
Tolerance Widened(Tolerance tolerance, DType type, const Profile& profile);

// Whether element `index` of `got` is near enough to that of `expected`, which has the same type
// and shape. `largest` is LargestOf(expected).
bool IsNear(const HostArray& expected, const HostArray& got, size_t index,
            const Tolerance& tolerance, double largest);

// Clears what an element leaves of its byte, which says nothing.
void ClearUnusedBits(HostArray& array);

// The modulus of the largest finite element; 0 for integers.
double LargestOf(const HostArray& array);

// An element in words: "1.5 (0x3fc00000)".
std::string ElementText(const HostArray& array, size_t index);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_TOLERANCE_H_
