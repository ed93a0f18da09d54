// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_ACCESS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_ACCESS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/kernels/tile_space.h"
#include "reference_plugin/cpu/math/tile_functions.h"

// The elements of a tile between memory and registers.
namespace plinth::cpu::kernels {

// Routines for elements of one type.
struct ElementFunctions {
  size_t memory_bytes = 0;
  size_t tile_bytes = 0;
  math::TileFunction load = nullptr;   // memory form to tile form; null: the same bytes
  math::TileFunction store = nullptr;  // tile form to memory form; null: the same bytes
  math::FillFunction fill_memory = nullptr;
  math::FillFunction fill_tile = nullptr;
  math::StridedLoadFunction strided_load = nullptr;
  math::StridedStoreFunction strided_store = nullptr;
};
Expected<ElementFunctions> FindElementFunctions(DType type);

// One element in tile form.
struct alignas(16) TileElement {
  std::byte bytes[16] = {};
};
TileElement ToTileElement(const ElementFunctions& functions, const compiler::ScalarBits& bits);

// One input of one tile.
struct TileLoad {
  struct BoundForm {
    int32_t form = 0;
    int64_t extent = 0;
  };

  ElementFunctions element;
  int32_t form = 0;
  const LaneMap* map = nullptr;
  int64_t run = 1;  // of the space that `map` belongs to
  std::vector<BoundForm> bounds;
  std::vector<const LaneMap*> bound_maps;
  compiler::ScalarBits fill;              // memory form
  math::RepeatFunction repeat = nullptr;  // the next element fills the next row

  bool IsBroadcast() const { return map->linear && map->stride == 0; }
  bool IsContiguous() const {
    return map->linear && map->stride == static_cast<int64_t>(element.memory_bytes);
  }
  // The tile can be used where it lies, unless it reaches over a bound.
  bool IsDirect() const { return IsContiguous() && element.load == nullptr; }
};

enum class Coverage : uint8_t { kAll, kSome, kNone };
// How much of the tile at `values` lies within the bounds; kSome may err on the safe side.
Coverage CoverageOf(const TileLoad& load, const int64_t* values);

// Brings `lanes` elements in tile form to `result`. `staging` has room for a tile of 16-byte
// elements.
void LoadTile(const TileLoad& load, const int64_t* values, int64_t lanes, std::byte* result,
              std::byte* staging);

// One output of one tile.
struct TileStore {
  ElementFunctions element;
  int32_t form = 0;
  const LaneMap* map = nullptr;
  int64_t run = 1;

  bool IsContiguous() const {
    return map->linear && map->stride == static_cast<int64_t>(element.memory_bytes);
  }
  bool IsDirect() const { return IsContiguous() && element.store == nullptr; }
};
// `past_cache`: to be followed by a StoreFence.
void StoreTile(const TileStore& store, const int64_t* values, int64_t lanes,
               const std::byte* source, std::byte* staging, bool past_cache);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_ACCESS_H_
