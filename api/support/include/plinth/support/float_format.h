// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_FLOAT_FORMAT_H_
#define PLINTH_SUPPORT_FLOAT_FORMAT_H_

#include <cstdint>

#include "plinth/support/dtype.h"

namespace plinth {

// Conversions between double and the bits of any float type. For a type that is no
// float (complex included) both give 0.

// Rounds to nearest, ties to even. Too large values become infinity where the type has one, else
// NaN, else the largest finite value.
uint64_t FloatToBits(DType type, double value);

// Exact. Bits above the type's width are ignored.
double FloatFromBits(DType type, uint64_t bits);

}  // namespace plinth

#endif  // PLINTH_SUPPORT_FLOAT_FORMAT_H_
