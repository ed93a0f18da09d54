// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_TILE_ROW_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_TILE_ROW_H_

#include <cstdint>
#include <span>

#include "reference_plugin/cpu/math/tile_functions.h"

// The table of routines: every family of routines is a file that gives its rows for a target.
namespace plinth::cpu::math {

struct TileRow {
  compiler::Opcode opcode;
  DType operand;
  DType result;
  TileFunction function;
  uint8_t variant = 0;  // kCompare: VariantOf; kConvert: 0 or kRoundsToOdd
};

// Of a conversion to f32 that a rounding to a narrower type follows.
inline constexpr uint8_t kRoundsToOdd = 1;

inline constexpr int kNumVariants = 12;
constexpr uint8_t VariantOf(compiler::ComparisonDirection direction, bool is_total_order) {
  return static_cast<uint8_t>(static_cast<int>(direction) + (is_total_order ? 6 : 0));
}

std::span<const TileRow> ArithmeticRows(SimdTarget target);
std::span<const TileRow> IntegerRows(SimdTarget target);
std::span<const TileRow> CompareRows(SimdTarget target);
std::span<const TileRow> ExponentialRows(SimdTarget target);
std::span<const TileRow> TrigonometricRows(SimdTarget target);
std::span<const TileRow> PowerRows(SimdTarget target);
std::span<const TileRow> ComplexRows(SimdTarget target);
std::span<const TileRow> ComplexFunctionRows(SimdTarget target);
std::span<const TileRow> ConvertRows(SimdTarget target);

// The types whose memory form is not their tile form. `widen_in_place` is `load` with result == a.
// Null pointers mean that nothing needs to be done (iota: that there is none).
struct NarrowRow {
  DType dtype;
  TileFunction load;
  TileFunction store;
  TileFunction finish;
  TileFunction widen_in_place;
  IotaFunction iota;
};
std::span<const NarrowRow> NarrowRows(SimdTarget target);

// Raw element routines, by log2 of the element size.
struct MemoryRow {
  TileFunction copy;
  FillFunction fill;
  StridedLoadFunction load;
  StridedStoreFunction store;
  RepeatFunction repeat_eight_times = nullptr;
};
std::span<const MemoryRow> MemoryRows(SimdTarget target);

struct IotaRow {
  DType dtype;
  IotaFunction function;
};
std::span<const IotaRow> IotaRows(SimdTarget target);

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_TILE_ROW_H_
