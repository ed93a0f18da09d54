// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

namespace plinth::cpu::library {
namespace {

// Below this, inserting beats counting.
constexpr size_t kFewKeys = 48;
// From so many keys on, digits of 11 bits need fewer passes than their counts cost.
constexpr size_t kManyKeys = 8192;
// The highest digit cuts keys into parts of a few hundred or more, which lie in the nearest cache:
// keys that do not fit the second one anyway, and as many as threads may share, since a pass takes
// 1 ns per key. (100,000 packed random keys on one thread: 0.7 ms as they are, 1.2 ms in 2,048
// parts.)
constexpr size_t kBytesInParts = 1 << 20;
constexpr size_t kSharedKeys = 64 << 10;
constexpr size_t kLeastPart = 512;

constexpr int kFewDigitBits = 8, kMostDigitBits = 11;
using Counts = std::array<size_t, 1 << kMostDigitBits>;

// Keys of which some bits count.
template <typename Key>
class Sorter {
 public:
  Sorter(int first_bit, int end_bit) : first_bit_(first_bit), end_bit_(end_bit) {}

  // Sorts `from`; the result lies in `from` or in `to`, which the answer says.
  std::span<Key> Sort(std::span<Key> from, std::span<Key> to) const {
    if (from.size() < kFewKeys) {
      Insert(from);
      return from;
    }
    // Of even width, so that the counts are few where the bits are.
    const int digits = CeilDigits(from.size() < kManyKeys ? kFewDigitBits : kMostDigitBits);
    const int width = (end_bit_ - first_bit_ + digits - 1) / digits;
    for (int bit = first_bit_; bit < end_bit_; bit += width) {
      if (Pass(from, to, bit, std::min(width, end_bit_ - bit))) std::swap(from, to);
    }
    return from;
  }

  // By the digit from `bit` on; false if all keys have the same.
  static bool Pass(std::span<Key> from, std::span<Key> to, int bit, int width) {
    const Key mask = static_cast<Key>((Key{1} << width) - 1);
    Counts counts;
    std::fill_n(counts.begin(), size_t{1} << width, 0);
    for (Key key : from) ++counts[key >> bit & mask];
    if (counts[from[0] >> bit & mask] == from.size()) return false;
    size_t position = 0;
    for (size_t d = 0; d < size_t{1} << width; ++d) position += std::exchange(counts[d], position);
    for (Key key : from) to[counts[key >> bit & mask]++] = key;
    return true;
  }

 private:
  int CeilDigits(int width) const { return (end_bit_ - first_bit_ + width - 1) / width; }
  void Insert(std::span<Key> keys) const {
    const int above = static_cast<int>(8 * sizeof(Key)) - end_bit_;
    auto digits = [&](Key key) {
      return static_cast<Key>(static_cast<Key>(static_cast<Key>(key << above) >> above) >>
                              first_bit_);
    };
    for (size_t i = 1; i < keys.size(); ++i) {
      const Key key = keys[i];
      size_t to = i;
      for (; to > 0 && digits(key) < digits(keys[to - 1]); --to) keys[to] = keys[to - 1];
      keys[to] = key;
    }
  }

  const int first_bit_, end_bit_;
};

// Cuts the keys by their highest digit, in which most keys differ, then sorts each part on its own.
template <typename Key>
void SortInParts(std::span<Key> keys, std::span<Key> spare, int first_bit, int end_bit,
                 backend::ThreadPool* pool) {
  const int fitting = static_cast<int>(std::bit_width(keys.size() / kLeastPart));
  const int width = std::min({kMostDigitBits, fitting, end_bit - first_bit}), bit = end_bit - width;
  const Key mask = static_cast<Key>((Key{1} << width) - 1);
  const size_t parts = size_t{1} << width;
  const auto chunks = static_cast<size_t>(pool == nullptr ? 1 : pool->parallelism());
  const size_t chunk_size = (keys.size() + chunks - 1) / chunks;
  auto chunk = [&](int64_t number) {
    const size_t begin = std::min(static_cast<size_t>(number) * chunk_size, keys.size());
    return keys.subspan(begin, std::min(chunk_size, keys.size() - begin));
  };
  std::vector<Counts> next(chunks);
  backend::ParallelFor(pool, static_cast<int64_t>(chunks), 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      Counts& counts = next[static_cast<size_t>(c)];
      counts.fill(0);
      for (Key key : chunk(c)) ++counts[key >> bit & mask];
    }
  });
  // Where each chunk's keys of a part go: the parts in order, in each the chunks in order.
  std::vector<size_t> part_begins(parts + 1);
  size_t position = 0;
  for (size_t part = 0; part < parts; ++part) {
    part_begins[part] = position;
    for (Counts& counts : next) position += std::exchange(counts[part], position);
  }
  part_begins[parts] = position;
  backend::ParallelFor(pool, static_cast<int64_t>(chunks), 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      Counts& positions = next[static_cast<size_t>(c)];
      for (Key key : chunk(c)) spare[positions[key >> bit & mask]++] = key;
    }
  });
  const Sorter<Key> sorter(first_bit, bit);
  // Parts differ in size: pieces of a few, taken as threads are free.
  backend::ParallelFor(pool, static_cast<int64_t>(parts), 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const size_t first = part_begins[static_cast<size_t>(part)];
      const size_t size = part_begins[static_cast<size_t>(part) + 1] - first;
      if (size == 0) continue;
      const std::span<Key> from = spare.subspan(first, size), to = keys.subspan(first, size);
      const std::span<Key> sorted = first_bit == bit ? from : sorter.Sort(from, to);
      if (sorted.data() != to.data()) std::copy(sorted.begin(), sorted.end(), to.begin());
    }
  });
}

}  // namespace

template <typename Key>
void RadixSort(std::span<Key> keys, std::span<Key> spare, int first_bit, int end_bit,
               backend::ThreadPool* pool) {
  if (keys.size() < 2) return;
  if (keys.size() >= kFewKeys) {
    // Integers mostly differ in a few bits only.
    Key differ = 0;
    for (Key key : keys) differ = static_cast<Key>(differ | (key ^ keys[0]));
    differ = static_cast<Key>(differ >> first_bit);
    if (differ == 0) return;
    end_bit = std::min(end_bit, first_bit + static_cast<int>(std::bit_width(differ)));
    first_bit += std::countr_zero(differ);
    if (first_bit >= end_bit) return;
  }
  const bool is_shared = pool != nullptr && pool->parallelism() > 1 && keys.size() >= kSharedKeys;
  if (is_shared || keys.size_bytes() > kBytesInParts) {
    SortInParts(keys, spare, first_bit, end_bit, pool);
    return;
  }
  const std::span<Key> sorted = Sorter<Key>(first_bit, end_bit).Sort(keys, spare);
  if (sorted.data() != keys.data()) std::copy(sorted.begin(), sorted.end(), keys.begin());
}

template void RadixSort(std::span<uint16_t>, std::span<uint16_t>, int, int, backend::ThreadPool*);
template void RadixSort(std::span<uint32_t>, std::span<uint32_t>, int, int, backend::ThreadPool*);
template void RadixSort(std::span<uint64_t>, std::span<uint64_t>, int, int, backend::ThreadPool*);

}  // namespace plinth::cpu::library
