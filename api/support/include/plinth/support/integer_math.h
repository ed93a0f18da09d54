// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_INTEGER_MATH_H_
#define PLINTH_SUPPORT_INTEGER_MATH_H_

#include <cstdint>

namespace plinth {

// Of numbers that are not negative, `b` not zero; `a + b` has to fit.
constexpr int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t RoundUp(int64_t a, int64_t unit) { return CeilDiv(a, unit) * unit; }

}  // namespace plinth

#endif  // PLINTH_SUPPORT_INTEGER_MATH_H_
