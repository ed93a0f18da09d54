// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_TILE_TEST_SUPPORT_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_TILE_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <cstring>
#include <type_traits>
#include <vector>

#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::math {

inline std::vector<SimdTarget> SupportedTargets() {
  std::vector<SimdTarget> targets;
  for (int i = 0; i < kNumSimdTargets; ++i) {
    if (IsSupported(static_cast<SimdTarget>(i))) targets.push_back(static_cast<SimdTarget>(i));
  }
  return targets;
}

// Runs a routine on operands given as bytes of tile elements.
inline std::vector<unsigned char> RunBytes(const TileRoutine& routine, size_t result_bytes,
                                           size_t count, const void* a, const void* b,
                                           const void* c, const TileParameters& parameters = {}) {
  constexpr unsigned char kCanary = 0xA5;
  std::vector<unsigned char> result(result_bytes * count + 64, kCanary);
  routine.compute(result.data(), a, b, c, count, parameters);
  if (routine.finish != nullptr) {
    routine.finish(result.data(), result.data(), nullptr, nullptr, count, parameters);
  }
  for (size_t i = result_bytes * count; i < result.size(); ++i) {
    EXPECT_EQ(result[i], kCanary) << "written past the end";
  }
  result.resize(result_bytes * count);
  return result;
}

template <class R, class T>
std::vector<R> RunTile(const TileRoutine& routine, const std::vector<T>& a,
                       const std::vector<std::type_identity_t<T>>& b = {},
                       const std::vector<std::type_identity_t<T>>& c = {},
                       const TileParameters& parameters = {}) {
  if (!routine) {
    ADD_FAILURE() << "no routine";
    return {};
  }
  const std::vector<unsigned char> bytes =
      RunBytes(routine, sizeof(R), a.size(), a.data(), b.data(), c.data(), parameters);
  std::vector<R> result(a.size());
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_TILE_TEST_SUPPORT_H_
