// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/order.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace plinth::cpu::library {
namespace {

// Below this, comparing beats counting.
constexpr size_t kFewElements = 256;

// Pairs that one call of the comparator sees.
constexpr int64_t kBatch = 256;

}  // namespace

void SortByKey(std::span<OrderedIndex> elements, std::span<OrderedIndex> spare, int key_bytes) {
  if (elements.size() < kFewElements) {
    std::stable_sort(elements.begin(), elements.end(),
                     [](const OrderedIndex& a, const OrderedIndex& b) { return a.key < b.key; });
    return;
  }
  std::span<OrderedIndex> from = elements, to = spare;
  for (int byte = 0; byte < key_bytes; ++byte) {
    int shift = 8 * byte;
    int64_t counts[256] = {};
    for (const OrderedIndex& element : from) ++counts[element.key >> shift & 255];
    if (std::any_of(std::begin(counts), std::end(counts),
                    [&](int64_t count) { return count == static_cast<int64_t>(from.size()); })) {
      continue;  // All have the same digit.
    }
    int64_t position = 0;
    for (int64_t& count : counts) position += std::exchange(count, position);
    for (const OrderedIndex& element : from) to[counts[element.key >> shift & 255]++] = element;
    std::swap(from, to);
  }
  if (from.data() != elements.data()) std::copy(from.begin(), from.end(), elements.begin());
}

int64_t OrderLength(int64_t size) {
  return size <= 1 ? size : static_cast<int64_t>(std::bit_ceil<uint64_t>(size));
}

Status OrderByComparing(int64_t size, const CompareMany& compare, std::span<int64_t> order) {
  const auto padded = static_cast<int64_t>(order.size());
  // Indices from `size` on are padding and come last.
  std::iota(order.begin(), order.end(), 0);
  int64_t positions[2][kBatch];
  int64_t left[kBatch], right[kBatch];
  uint8_t forward[kBatch], backward[kBatch];
  int64_t pending = 0;
  auto flush = [&]() -> Status {
    if (pending == 0) return Status();
    PLINTH_RETURN_IF_ERROR(compare(left, right, pending, forward));
    PLINTH_RETURN_IF_ERROR(compare(right, left, pending, backward));
    for (int64_t i = 0; i < pending; ++i) {
      // Equal elements keep their original order.
      bool in_order = forward[i] || (!backward[i] && left[i] < right[i]);
      if (!in_order) std::swap(order[positions[0][i]], order[positions[1][i]]);
    }
    pending = 0;
    return Status();
  };
  for (int64_t block = 2; block <= padded; block *= 2) {
    for (int64_t distance = block / 2; distance > 0; distance /= 2) {
      for (int64_t i = 0; i < padded; ++i) {
        int64_t partner = i ^ distance;
        if (partner < i) continue;
        bool ascending = (i & block) == 0 || block == padded;
        int64_t first = ascending ? i : partner, second = ascending ? partner : i;
        if (order[first] >= size || order[second] >= size) {
          // Padding sorts by its index, after everything.
          if (order[first] > order[second]) std::swap(order[first], order[second]);
          continue;
        }
        positions[0][pending] = first;
        positions[1][pending] = second;
        left[pending] = order[first];
        right[pending] = order[second];
        if (++pending == kBatch) PLINTH_RETURN_IF_ERROR(flush());
      }
      PLINTH_RETURN_IF_ERROR(flush());
    }
  }
  return Status();
}

}  // namespace plinth::cpu::library
