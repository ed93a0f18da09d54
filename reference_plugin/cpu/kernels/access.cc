// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/access.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "reference_plugin/cpu/kernels/addresses.h"
#include "reference_plugin/cpu/kernels/past_cache.h"

namespace plinth::cpu::kernels {
namespace {

template <size_t kBytes>
void GatherElements(std::byte* result, int64_t base, const int64_t* offsets, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(result + i * static_cast<int64_t>(kBytes), AddressOf(base + offsets[i]), kBytes);
  }
}

template <size_t kBytes>
void ScatterElements(std::byte* base, const int64_t* offsets, const std::byte* source,
                     int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(base + offsets[i], source + i * static_cast<int64_t>(kBytes), kBytes);
  }
}

void Gather(size_t bytes, std::byte* result, int64_t base, const int64_t* offsets, int64_t count) {
  switch (bytes) {
    case 1:
      return GatherElements<1>(result, base, offsets, count);
    case 2:
      return GatherElements<2>(result, base, offsets, count);
    case 4:
      return GatherElements<4>(result, base, offsets, count);
    case 8:
      return GatherElements<8>(result, base, offsets, count);
    default:
      return GatherElements<16>(result, base, offsets, count);
  }
}

void Scatter(size_t bytes, std::byte* base, const int64_t* offsets, const std::byte* source,
             int64_t count) {
  switch (bytes) {
    case 1:
      return ScatterElements<1>(base, offsets, source, count);
    case 2:
      return ScatterElements<2>(base, offsets, source, count);
    case 4:
      return ScatterElements<4>(base, offsets, source, count);
    case 8:
      return ScatterElements<8>(base, offsets, source, count);
    default:
      return ScatterElements<16>(base, offsets, source, count);
  }
}

// `count` elements from `source` on, `stride` apart.
void LoadRun(const TileLoad& load, const std::byte* source, int64_t count, std::byte* result) {
  const int64_t stride = load.map->stride;
  const size_t bytes = load.element.memory_bytes;
  if (stride == static_cast<int64_t>(bytes)) {
    std::memcpy(result, source, static_cast<size_t>(count) * bytes);
  } else if (stride == 0) {
    load.element.fill_memory(result, source, static_cast<size_t>(count));
  } else {
    load.element.strided_load(result, source, stride, static_cast<size_t>(count));
  }
}

// Runs of so many bytes are moved without a call each: by pieces, the last of which ends where the
// run does. Zen 5, each of 100,000 f32 ten times: 440 to 150 us.
constexpr size_t kLeastRunBytes = 4, kMostRunBytes = 128;

template <size_t kPiece>
void CopyShortRun(std::byte* result, const std::byte* source, size_t bytes) {
  for (size_t at = 0; at + kPiece < bytes; at += kPiece) {
    std::memcpy(result + at, source + at, kPiece);
  }
  const size_t last = bytes - kPiece;
  std::memcpy(result + last, source + last, kPiece);
}

// One element, again and again.
template <class T, size_t kPiece>
void FillShortRun(std::byte* result, const std::byte* source, size_t bytes) {
  T element;
  std::memcpy(&element, source, sizeof(T));
  std::array<T, kPiece / sizeof(T)> piece;
  piece.fill(element);
  for (size_t at = 0; at + kPiece < bytes; at += kPiece) {
    std::memcpy(result + at, piece.data(), kPiece);
  }
  std::memcpy(result + bytes - kPiece, piece.data(), kPiece);
}

// `move` for each offset.
template <class Move>
void MoveShortRuns(std::byte* result, const std::byte* base, std::span<const int64_t> offsets,
                   size_t bytes, Move move) {
  for (const int64_t offset : offsets) {
    move(result, base + offset, bytes);
    result += bytes;
  }
}

template <size_t kPiece>
bool LoadShortRunsBy(const TileLoad& load, const std::byte* base, std::span<const int64_t> offsets,
                     size_t bytes, std::byte* result) {
  const auto move_all = [&](auto move) {
    MoveShortRuns(result, base, offsets, bytes, move);
    return true;
  };
  const size_t element = load.element.memory_bytes;
  if (load.map->stride == static_cast<int64_t>(element)) return move_all(CopyShortRun<kPiece>);
  switch (element) {
    case 1:
      return move_all(FillShortRun<uint8_t, kPiece>);
    case 2:
      return move_all(FillShortRun<uint16_t, kPiece>);
    case 4:
      return move_all(FillShortRun<uint32_t, kPiece>);
    case 8:
      if constexpr (kPiece >= 8) return move_all(FillShortRun<uint64_t, kPiece>);
      return false;
    default:
      return false;
  }
}

// Elements that lie apart or backwards.
template <class T>
bool LoadFewApart(std::span<const int64_t> offsets, const std::byte* base, int64_t stride,
                  int64_t run, std::byte* result) {
  for (const int64_t offset : offsets) {
    const std::byte* source = base + offset;
    for (int64_t i = 0; i < run; ++i, source += stride, result += sizeof(T)) {
      std::memcpy(result, source, sizeof(T));
    }
  }
  return true;
}

// Whole runs at the offsets, in memory form; false where there is a call for each.
bool LoadShortRuns(const TileLoad& load, const std::byte* base, std::span<const int64_t> offsets,
                   std::byte* result) {
  constexpr int64_t kFew = 8;
  const size_t element = load.element.memory_bytes;
  const size_t bytes = static_cast<size_t>(load.run) * element;
  const int64_t stride = load.map->stride;
  if (stride != 0 && stride != static_cast<int64_t>(element)) {
    if (load.run > kFew) return false;
    switch (element) {
      case 1:
        return LoadFewApart<uint8_t>(offsets, base, stride, load.run, result);
      case 4:
        return LoadFewApart<uint32_t>(offsets, base, stride, load.run, result);
      default:
        return false;
    }
  }
  if (bytes < kLeastRunBytes || bytes > kMostRunBytes) return false;
  return bytes < 8    ? LoadShortRunsBy<4>(load, base, offsets, bytes, result)
         : bytes < 16 ? LoadShortRunsBy<8>(load, base, offsets, bytes, result)
                      : LoadShortRunsBy<16>(load, base, offsets, bytes, result);
}

// All lanes, in memory form.
void LoadRaw(const TileLoad& load, int64_t address, int64_t lanes, std::byte* result) {
  const std::byte* base = AddressOf(address);
  if (load.map->linear) return LoadRun(load, base, lanes, result);
  const std::vector<int64_t>& rows = load.map->row_offsets;
  if (load.run == 1) return Gather(load.element.memory_bytes, result, address, rows.data(), lanes);
  const size_t row_bytes = static_cast<size_t>(load.run) * load.element.memory_bytes;
  const int64_t whole = lanes / load.run;
  int64_t row = 0;
  if (load.repeat != nullptr) load.repeat(result, base, static_cast<size_t>(whole));
  if (load.repeat != nullptr ||
      LoadShortRuns(load, base, {rows.data(), static_cast<size_t>(whole)}, result)) {
    row = whole;
    result += static_cast<size_t>(whole) * row_bytes;
  }
  for (int64_t lane = row * load.run; lane < lanes; lane += load.run, ++row) {
    LoadRun(load, base + rows[static_cast<size_t>(row)], std::min(load.run, lanes - lane), result);
    result += row_bytes;
  }
}

int64_t FloorDivide(int64_t a, int64_t b) {  // b > 0
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

// Cuts [*begin, *end) down to the i with 0 <= value + i * stride < extent. Never moves a limit
// beyond the other.
void Intersect(int64_t value, int64_t stride, int64_t extent, int64_t* begin, int64_t* end) {
  if (stride == 0) {
    if (value < 0 || value >= extent) *end = *begin;
    return;
  }
  int64_t first, last;
  if (stride > 0) {
    first = -FloorDivide(value, stride);
    last = FloorDivide(extent - 1 - value, stride);
  } else {
    first = -FloorDivide(extent - 1 - value, -stride);
    last = FloorDivide(value, -stride);
  }
  *begin = std::min(std::max(*begin, first), *end);
  *end = std::max(std::min(*end, last + 1), *begin);
}

// LoadBounded where rows are too short to be worth a call each.
void LoadBoundedLanes(const TileLoad& load, const int64_t* values, int64_t lanes,
                      std::byte* result) {
  constexpr int64_t kBlock = 64;
  int64_t addresses[kBlock];
  const int64_t fill = static_cast<int64_t>(reinterpret_cast<uintptr_t>(&load.fill));
  for (int64_t begin = 0; begin < lanes; begin += kBlock) {
    const int64_t count = std::min(kBlock, lanes - begin);
    for (int64_t i = 0; i < count; ++i) {
      bool inside = true;
      for (size_t b = 0; b < load.bounds.size(); ++b) {
        const int64_t value =
            values[load.bounds[b].form] + load.bound_maps[b]->RowOffset(begin + i, 1);
        inside = inside && value >= 0 && value < load.bounds[b].extent;
      }
      addresses[i] = inside ? values[load.form] + load.map->RowOffset(begin + i, 1) : fill;
    }
    Gather(load.element.memory_bytes,
           result + begin * static_cast<int64_t>(load.element.memory_bytes), 0, addresses, count);
  }
}

// All lanes, in memory form, those outside the bounds filled.
void LoadBounded(const TileLoad& load, const int64_t* values, int64_t lanes, std::byte* result) {
  if (load.run == 1) return LoadBoundedLanes(load, values, lanes, result);
  const std::byte* base = AddressOf(values[load.form]);
  const int64_t bytes = static_cast<int64_t>(load.element.memory_bytes);
  auto fill = [&](int64_t begin, int64_t end) {
    if (begin < end) {
      load.element.fill_memory(result + begin * bytes, &load.fill,
                               static_cast<size_t>(end - begin));
    }
  };
  for (int64_t lane = 0, row = 0; lane < lanes; lane += load.run, ++row) {
    const int64_t count = std::min(load.run, lanes - lane);
    int64_t begin = 0, end = count;
    for (size_t b = 0; b < load.bounds.size(); ++b) {
      const LaneMap& map = *load.bound_maps[b];
      Intersect(values[load.bounds[b].form] + map.RowOffset(row, load.run), map.stride,
                load.bounds[b].extent, &begin, &end);
    }
    fill(lane, lane + begin);
    if (begin < end) {
      LoadRun(load, base + load.map->RowOffset(row, load.run) + begin * load.map->stride,
              end - begin, result + (lane + begin) * bytes);
    }
    fill(lane + end, lane + count);
  }
}

}  // namespace

Expected<ElementFunctions> FindElementFunctions(DType type) {
  ElementFunctions functions;
  functions.memory_bytes = static_cast<size_t>(ByteSize(type));
  functions.tile_bytes = math::TileElementBytes(type);
  functions.load = math::FindLoad(type);
  functions.store = math::FindStore(type);
  functions.fill_memory = math::FindFill(functions.memory_bytes);
  functions.fill_tile = math::FindFill(functions.tile_bytes);
  functions.strided_load = math::FindStridedLoad(functions.memory_bytes);
  functions.strided_store = math::FindStridedStore(functions.memory_bytes);
  if (functions.fill_memory == nullptr || functions.fill_tile == nullptr ||
      functions.strided_load == nullptr || functions.strided_store == nullptr) {
    return Unimplemented("kernels on elements of type ", Name(type));
  }
  return functions;
}

TileElement ToTileElement(const ElementFunctions& functions, const compiler::ScalarBits& bits) {
  TileElement element;
  if (functions.load != nullptr) {
    functions.load(element.bytes, &bits, nullptr, nullptr, 1, {});
  } else {
    std::memcpy(element.bytes, &bits, functions.tile_bytes);
  }
  return element;
}

Coverage CoverageOf(const TileLoad& load, const int64_t* values) {
  Coverage coverage = Coverage::kAll;
  for (size_t b = 0; b < load.bounds.size(); ++b) {
    const LaneMap& map = *load.bound_maps[b];
    const int64_t value = values[load.bounds[b].form];
    const int64_t extent = load.bounds[b].extent;
    if (value + map.maximum < 0 || value + map.minimum >= extent) return Coverage::kNone;
    if (value + map.minimum < 0 || value + map.maximum >= extent) coverage = Coverage::kSome;
  }
  return coverage;
}

void LoadTile(const TileLoad& load, const int64_t* values, int64_t lanes, std::byte* result,
              std::byte* staging) {
  std::byte* raw = load.element.load == nullptr ? result : staging;
  switch (load.bounds.empty() ? Coverage::kAll : CoverageOf(load, values)) {
    case Coverage::kAll:
      if (load.IsContiguous() && load.element.load != nullptr) {
        raw = AddressOf(values[load.form]);
      } else {
        LoadRaw(load, values[load.form], lanes, raw);
      }
      break;
    case Coverage::kSome:
      LoadBounded(load, values, lanes, raw);
      break;
    case Coverage::kNone:
      load.element.fill_memory(raw, &load.fill, static_cast<size_t>(lanes));
      break;
  }
  if (load.element.load != nullptr) {
    load.element.load(result, raw, nullptr, nullptr, static_cast<size_t>(lanes), {});
  }
}

void StoreTile(const TileStore& store, const int64_t* values, int64_t lanes,
               const std::byte* source, std::byte* staging, bool past_cache) {
  constexpr size_t kFewestBytes = 256;  // Lines that are written in part are none the faster.
  std::byte* base = AddressOf(values[store.form]);
  const size_t bytes = store.element.memory_bytes;
  if (store.element.store != nullptr) {
    std::byte* raw = store.IsContiguous() ? base : staging;
    store.element.store(raw, source, nullptr, nullptr, static_cast<size_t>(lanes), {});
    if (raw == base) return;
    source = raw;
  }
  auto store_run = [&](std::byte* target, int64_t count) {
    const size_t all = static_cast<size_t>(count) * bytes;
    if (store.map->stride == static_cast<int64_t>(bytes)) {
      const auto copy = past_cache && all >= kFewestBytes ? CopyPastCache : CopyThroughCache;
      copy(target, source, all);
    } else {
      store.element.strided_store(target, store.map->stride, source, static_cast<size_t>(count));
    }
  };
  if (store.map->linear) return store_run(base, lanes);
  const std::vector<int64_t>& rows = store.map->row_offsets;
  if (store.run == 1) return Scatter(bytes, base, rows.data(), source, lanes);
  for (int64_t lane = 0, row = 0; lane < lanes; lane += store.run, ++row) {
    store_run(base + rows[static_cast<size_t>(row)], std::min(store.run, lanes - lane));
    source += static_cast<size_t>(store.run) * bytes;
  }
}

}  // namespace plinth::cpu::kernels
