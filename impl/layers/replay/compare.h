// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_REPLAY_COMPARE_H_
#define PLINTH_IMPL_LAYERS_REPLAY_COMPARE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/dtype.h"

namespace plinth::layers {

// How far elements may be apart: |got - wanted| <= absolute + relative * |wanted|.
struct Tolerance {
  double relative = 0, absolute = 0;
};

// What is usual for a type: zero for integers and booleans; for floats a few units in the last
// place, relative to the element and to the largest finite one of the array, because sums in
// another order differ by that much.
Tolerance DefaultTolerance(DType type, std::string_view wanted);

struct ArrayDifference {
  uint64_t elements = 0;  // that differ
  double largest = 0;     // |got - wanted|
  std::vector<int64_t> first;
  std::string got, wanted;  // of the first
};

// Compares two arrays in row-major order, of as many bytes as type and dims say. NaN equals NaN,
// and infinities equal only themselves. Nothing if they agree.
std::optional<ArrayDifference> CompareArrays(DType type, std::span<const int64_t> dims,
                                             std::string_view got, std::string_view wanted,
                                             const Tolerance& tolerance);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_REPLAY_COMPARE_H_
