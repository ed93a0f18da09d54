// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/reduction.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace plinth::cpu::kernels {
namespace {

using Component = ReductionProgram::Component;

void CopyLanes(std::byte* result, const std::byte* source, int64_t lanes, int64_t bytes) {
  std::memcpy(result, source, static_cast<size_t>(lanes * bytes));
}

template <size_t kBytes>
void SplitPairs(const std::byte* source, int64_t pairs, std::byte* even, std::byte* odd) {
  for (int64_t i = 0; i < pairs; ++i) {
    constexpr int64_t kStep = static_cast<int64_t>(kBytes);
    std::memcpy(even + i * kStep, source + 2 * i * kStep, kBytes);
    std::memcpy(odd + i * kStep, source + (2 * i + 1) * kStep, kBytes);
  }
}

void SplitPairs(int64_t bytes, const std::byte* source, int64_t pairs, std::byte* even,
                std::byte* odd) {
  switch (bytes) {
    case 1:
      return SplitPairs<1>(source, pairs, even, odd);
    case 2:
      return SplitPairs<2>(source, pairs, even, odd);
    case 4:
      return SplitPairs<4>(source, pairs, even, odd);
    case 8:
      return SplitPairs<8>(source, pairs, even, odd);
    default:
      return SplitPairs<16>(source, pairs, even, odd);
  }
}

void Call(math::TileFunction function, std::byte* result, const std::byte* a, const std::byte* b,
          int64_t lanes) {
  function(result, a, b, nullptr, static_cast<size_t>(lanes), {});
}

// accumulator = (accumulator, the pairs at these places), of an argmax or argmin.
void TakeExtremes(const ReductionProgram& reduction, std::byte** slots, int64_t lanes,
                  const std::byte* values, const std::byte* indices) {
  reduction.extremes(slots[reduction.components[0].accumulator],
                     slots[reduction.components[1].accumulator], values, indices,
                     static_cast<size_t>(lanes));
}

// Where the extreme element of `lanes` values is, the first of which has the index at `indices`:
// copies that index to `index`. Answers the element.
const std::byte* FirstExtreme(const ReductionProgram& reduction, const std::byte* values,
                              const std::byte* indices, int64_t lanes, std::byte* index) {
  const int64_t at =
      static_cast<int64_t>(reduction.first_extreme(values, static_cast<size_t>(lanes)));
  const auto bytes = static_cast<size_t>(reduction.components[1].tile_bytes);
  int64_t number = 0;  // of 4 or 8 bytes
  std::memcpy(&number, indices, bytes);
  number += at;
  std::memcpy(index, &number, bytes);
  return values + at * reduction.components[0].tile_bytes;
}

// accumulator = accumulator combined with the extreme element of a tile.
void TakeFirstExtreme(const ReductionProgram& reduction, std::byte** slots, int64_t lanes,
                      bool first) {
  const Component &value = reduction.components[0], &index = reduction.components[1];
  alignas(int64_t) std::byte number[sizeof(int64_t)];
  const std::byte* const element =
      FirstExtreme(reduction, slots[value.value], slots[index.value], lanes, number);
  if (!first) return TakeExtremes(reduction, slots, 1, element, number);
  CopyLanes(slots[value.accumulator], element, 1, value.tile_bytes);
  CopyLanes(slots[index.accumulator], number, 1, index.tile_bytes);
}

// accumulator = (accumulator, slot `right` as set by the caller) for a general combiner.
void CombineIntoAccumulator(const ReductionProgram& reduction, std::byte** slots, int64_t lanes) {
  for (const Component& component : reduction.components) {
    slots[component.left] = slots[component.accumulator];
  }
  Execute(reduction.combiner, slots, lanes);
  for (const Component& component : reduction.components) {
    std::swap(slots[component.accumulator], slots[component.result]);
  }
}

// Reduces the lanes of the current tile to one, neighbours with neighbours, so that the order of
// elements is kept. Answers where the one element of a component is by setting slot `right`.
void FoldNeighbours(const ReductionProgram& reduction, std::byte** slots, int64_t lanes) {
  for (const Component& component : reduction.components) {
    slots[component.right] = slots[component.value];
  }
  while (lanes > 1) {
    const int64_t pairs = lanes / 2;
    for (const Component& component : reduction.components) {
      std::byte* source = slots[component.right];
      SplitPairs(component.tile_bytes, source, pairs, slots[component.even], slots[component.odd]);
      // The last element of an odd count goes on to the next round behind the results.
      if (lanes % 2 != 0 && source != slots[component.result]) {
        CopyLanes(slots[component.result] + (lanes - 1) * component.tile_bytes,
                  source + (lanes - 1) * component.tile_bytes, 1, component.tile_bytes);
      }
      slots[component.left] = slots[component.even];
    }
    for (const Component& component : reduction.components) {
      slots[component.right] = slots[component.odd];
    }
    Execute(reduction.combiner, slots, pairs);
    for (const Component& component : reduction.components) {
      std::byte* result = slots[component.result];
      if (lanes % 2 != 0) {
        CopyLanes(result + pairs * component.tile_bytes,
                  result + (lanes - 1) * component.tile_bytes, 1, component.tile_bytes);
      }
      slots[component.right] = result;
    }
    lanes = pairs + lanes % 2;
  }
}

}  // namespace

void AccumulateLanes(const ReductionProgram& reduction, std::byte** slots, int64_t lanes,
                     bool first) {
  if (first) {
    for (const Component& component : reduction.components) {
      CopyLanes(slots[component.accumulator], slots[component.value], lanes, component.tile_bytes);
    }
  } else if (reduction.commutative != nullptr) {
    const Component& component = reduction.components[0];
    Call(reduction.commutative, slots[component.accumulator], slots[component.accumulator],
         slots[component.value], lanes);
  } else if (reduction.extremes != nullptr) {
    TakeExtremes(reduction, slots, lanes, slots[reduction.components[0].value],
                 slots[reduction.components[1].value]);
  } else {
    for (const Component& component : reduction.components) {
      slots[component.right] = slots[component.value];
    }
    CombineIntoAccumulator(reduction, slots, lanes);
  }
}

void AccumulateRow(const ReductionProgram& reduction, std::byte** slots, int64_t lanes,
                   bool first) {
  if (reduction.partials) {
    const Component& component = reduction.components[0];
    return reduction.partials.accumulate(slots[component.accumulator], slots[component.value],
                                         static_cast<size_t>(lanes), first);
  }
  if (reduction.first_extreme != nullptr) {
    return TakeFirstExtreme(reduction, slots, lanes, first);
  }
  if (reduction.commutative != nullptr || reduction.extremes != nullptr) {
    return AccumulateLanes(reduction, slots, lanes, first);
  }
  FoldNeighbours(reduction, slots, lanes);
  if (first) {
    for (const Component& component : reduction.components) {
      CopyLanes(slots[component.accumulator], slots[component.right], 1, component.tile_bytes);
    }
    return;
  }
  // The combiner writes its result over the folded element, so that element moves away first.
  for (const Component& component : reduction.components) {
    if (slots[component.right] == slots[component.result]) {
      CopyLanes(slots[component.odd], slots[component.right], 1, component.tile_bytes);
      slots[component.right] = slots[component.odd];
    }
  }
  CombineIntoAccumulator(reduction, slots, 1);
}

void FoldLanes(const ReductionProgram& reduction, std::byte** slots, int64_t first_lanes) {
  if (reduction.partials) {
    const Component& component = reduction.components[0];
    const auto most = static_cast<int64_t>(math::kPartialBytes) / component.tile_bytes;
    return reduction.partials.fold(slots[component.accumulator],
                                   static_cast<size_t>(std::min(first_lanes, most)));
  }
  if (reduction.first_extreme != nullptr) return;
  int64_t half = 1;
  while (2 * half < first_lanes) half *= 2;
  if (reduction.extremes != nullptr) {
    const Component &value = reduction.components[0], &index = reduction.components[1];
    for (int64_t count = first_lanes; count > 1; count = half, half /= 2) {
      TakeExtremes(reduction, slots, count - half,
                   slots[value.accumulator] + half * value.tile_bytes,
                   slots[index.accumulator] + half * index.tile_bytes);
    }
    return;
  }
  if (reduction.commutative == nullptr) return;
  const Component& component = reduction.components[0];
  std::byte* lanes = slots[component.accumulator];
  for (int64_t count = first_lanes; count > 1; count = half, half /= 2) {
    Call(reduction.commutative, lanes, lanes, lanes + half * component.tile_bytes, count - half);
  }
}

void ReduceRows(const ReductionProgram& reduction, std::span<std::byte* const> results,
                const std::byte* values, int64_t stride, int64_t rows, int64_t count) {
  if (reduction.partials) {
    return reduction.partials.reduce_rows(results[0], values, stride, static_cast<size_t>(rows),
                                          static_cast<size_t>(count));
  }
  constexpr std::byte kFirstIndex[sizeof(int64_t)] = {};
  const int64_t bytes = reduction.components[0].tile_bytes;
  for (int64_t row = 0; row < rows; ++row) {
    std::byte* const index = results[1] + row * reduction.components[1].tile_bytes;
    const std::byte* const element =
        FirstExtreme(reduction, values + row * stride, kFirstIndex, count, index);
    CopyLanes(results[0] + row * bytes, element, 1, bytes);
  }
}

void FoldGroups(const ReductionProgram& reduction, std::byte** slots, int64_t first_lanes,
                int64_t lanes) {
  const Component& component = reduction.components[0];
  std::byte* const accumulator = slots[component.accumulator];
  for (int64_t groups = first_lanes / lanes; groups > 1;) {
    const int64_t half = (groups + 1) / 2;
    Call(reduction.commutative, accumulator, accumulator,
         accumulator + half * lanes * component.tile_bytes, (groups - half) * lanes);
    groups = half;
  }
}

void AccumulatePartial(const ReductionProgram& reduction, std::byte** slots, int64_t lanes,
                       const std::byte* record, const int64_t* offsets) {
  if (reduction.commutative != nullptr) {
    const Component& component = reduction.components[0];
    Call(reduction.commutative, slots[component.accumulator], slots[component.accumulator],
         record + offsets[0], lanes);
    return;
  }
  if (reduction.extremes != nullptr) {
    return TakeExtremes(reduction, slots, lanes, record + offsets[0], record + offsets[1]);
  }
  for (const Component& component : reduction.components) {
    CopyLanes(slots[component.odd], record + *offsets++, lanes, component.tile_bytes);
    slots[component.right] = slots[component.odd];
  }
  CombineIntoAccumulator(reduction, slots, lanes);
}

void FinishReduction(const ReductionProgram& reduction, std::byte** slots, int64_t lanes,
                     bool empty) {
  if (empty) {
    for (const Component& component : reduction.components) {
      CopyLanes(slots[component.accumulator], slots[component.initial], lanes,
                component.tile_bytes);
    }
    return;
  }
  if (reduction.commutative != nullptr) {
    const Component& component = reduction.components[0];
    std::byte* accumulator = slots[component.accumulator];
    Call(reduction.commutative, accumulator, slots[component.initial], accumulator, lanes);
    if (reduction.finish != nullptr) {
      Call(reduction.finish, accumulator, accumulator, nullptr, lanes);
    }
    return;
  }
  if (reduction.extremes != nullptr) {
    return TakeExtremes(reduction, slots, lanes, slots[reduction.components[0].initial],
                        slots[reduction.components[1].initial]);
  }
  for (const Component& component : reduction.components) {
    slots[component.left] = slots[component.initial];
    slots[component.right] = slots[component.accumulator];
  }
  Execute(reduction.combiner, slots, lanes);
  for (const Component& component : reduction.components) {
    std::swap(slots[component.accumulator], slots[component.result]);
  }
}

}  // namespace plinth::cpu::kernels
