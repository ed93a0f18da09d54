// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/scatter_scalars.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cpu/library/combine.h"
#include "reference_plugin/cpu/library/index_reader.h"

namespace plinth::cpu::library {
namespace {

using compiler::Opcode;

template <class Op, typename T>
void Apply(std::byte* to, const std::byte* from) {
  T element, update;
  std::memcpy(&element, to, sizeof(T));
  std::memcpy(&update, from, sizeof(T));
  element = Op::Apply(element, update);
  std::memcpy(to, &element, sizeof(T));
}

// Where an index leads, in bytes; `inside` becomes false if a part of it but the first is outside.
// No branch, and unsigned, as indices that are outside are multiplied, too.
template <bool kOnePart, typename Index>
uint64_t OffsetOf(const ScalarUpdates& u, const std::byte* index, int64_t position, bool* inside) {
  uint64_t offset = static_cast<uint64_t>(position) * static_cast<uint64_t>(u.parts[0].byte_stride);
  if constexpr (kOnePart) return offset;
  for (size_t p = 1; p < u.parts.size(); ++p) {
    const auto next =
        static_cast<uint64_t>(ReadIndexAs<Index>(index + static_cast<int64_t>(p) * u.part_stride));
    *inside &= next < static_cast<uint64_t>(u.parts[p].end);
    offset += next * static_cast<uint64_t>(u.parts[p].byte_stride);
  }
  return offset;
}

// One array of elements side by side, as segment sums and histograms have it. A processor has more
// of such short steps on the way at once, and waits for the far ones together: 1M sums into 1M
// elements take a third of the time of the general loop on Zen 3.
template <class Op, typename T, typename Index>
void ScatterDense(const ScalarUpdates& u) {
  const auto end = static_cast<uint64_t>(u.parts[0].end);
  const std::byte* const indices = u.indices;
  const std::byte* const updates = u.updates;
  std::byte* const array = u.array;
  for (int64_t i = 0, count = u.count; i < count; ++i) {
    const auto position = static_cast<uint64_t>(
        ReadIndexAs<Index>(indices + i * static_cast<int64_t>(sizeof(Index))));
    if (position >= end) continue;
    Apply<Op, T>(array + position * sizeof(T), updates + i * static_cast<int64_t>(sizeof(T)));
  }
}

// `u` is a copy: what elements are written to could else be a part of it, and all of it would be
// read anew for each.
template <class Op, typename T, typename Index, bool kOnePart>
void ScatterAll(const ScalarUpdates u) {
  const auto end = static_cast<uint64_t>(u.parts[0].end);
  const std::byte* index = u.indices;
  const std::byte* from = u.updates;
  std::byte* array = u.array;
  for (int64_t i = 0; i < u.count; ++i) {
    const int64_t position = ReadIndexAs<Index>(index);
    bool inside = static_cast<uint64_t>(position) < end;
    const uint64_t offset = OffsetOf<kOnePart, Index>(u, index, position, &inside);
    if (inside) Apply<Op, T>(array + offset, from);
    index += u.index_stride;
    from += u.update_stride;
    array += u.array_stride;
  }
}

struct ListedUpdate {
  uint64_t to;  // after ScalarUpdates::array
  const std::byte* from;
};

// Lists those of `count` updates from `start` on whose row is asked for; how many they are.
template <typename Index, bool kOnePart>
uint64_t ListUpdates(const ScalarUpdates u, int64_t start, int64_t count, ListedUpdate* list) {
  const int64_t first = std::max<int64_t>(u.first, 0);
  const int64_t end = std::max(first, std::min(u.end, u.parts[0].end));
  const auto rows = static_cast<uint64_t>(end - first);
  const std::byte* index = u.indices + start * u.index_stride;
  const std::byte* from = u.updates + start * u.update_stride;
  uint64_t array_offset = static_cast<uint64_t>(start) * static_cast<uint64_t>(u.array_stride);
  uint64_t length = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t position = ReadIndexAs<Index>(index);
    bool inside = static_cast<uint64_t>(position) - static_cast<uint64_t>(first) < rows;
    const uint64_t offset = OffsetOf<kOnePart, Index>(u, index, position, &inside);
    list[length] = {array_offset + offset, from};
    length += static_cast<uint64_t>(inside);
    index += u.index_stride;
    from += u.update_stride;
    array_offset += static_cast<uint64_t>(u.array_stride);
  }
  return length;
}

// Threads share what is far away: these reads wait for each other less than the updates would.
template <class Op, typename T>
void ApplyListed(std::byte* array, const ListedUpdate* list, uint64_t length) {
  for (uint64_t i = 0; i < length; ++i) __builtin_prefetch(array + list[i].to, 1);
  for (uint64_t i = 0; i < length; ++i) Apply<Op, T>(array + list[i].to, list[i].from);
}

// Where only some rows are asked for. Whether an index is one of them cannot be foreseen, and a
// processor that guesses wrong loses as much time as several updates take. So those that are go
// into a list, without a branch. Listing knows no operation and applying no index: the pairs of
// them would be 100 KB of code.
void ScatterListed(const ScalarUpdates& u, decltype(&ListUpdates<int32_t, true>) list_updates,
                   decltype(&ApplyListed<AddElements, float>) apply) {
  constexpr int64_t kBlock = 256;  // a list that stays in the nearest cache
  ListedUpdate list[kBlock];
  for (int64_t done = 0; done < u.count; done += kBlock) {
    const int64_t count = std::min(kBlock, u.count - done);
    apply(u.array, list, list_updates(u, done, count, list));
  }
}

// 16 bytes of elements, for every processor.
template <typename T>
using Few __attribute__((vector_size(16))) = T;
// Extrema of longer runs are the business of the routines of ../math.
constexpr int64_t kShortRunBytes = 64;

// to[i] = Op(to[i], from[i]) for a run, a short one unless Op is a sum. Of extrema, lanes of NaN
// and of zeros with two signs are rare: one look at a run says whether it has any.
template <class Op, typename T, typename Length>
void CombineShortRun(T* to, const T* from, Length length) {
  constexpr auto kFew = static_cast<int64_t>(16 / sizeof(T));
  int64_t i = 0;
  if constexpr (std::is_same_v<Op, AddElements> && !kIsNarrowFloat<T>) {
    for (; i + kFew <= length; i += kFew) {
      Few<T> a, b;
      std::memcpy(&a, to + i, sizeof(a));
      std::memcpy(&b, from + i, sizeof(b));
      a += b;
      std::memcpy(to + i, &a, sizeof(a));
    }
  } else if constexpr (!kIsNarrowFloat<T>) {
    constexpr bool kMaximum = std::is_same_v<Op, MaximumOfElements>;
    using Bits = decltype(Few<T>() < Few<T>());
    Few<T> result[kShortRunBytes / 16];
    Bits known = ~Bits{};
    for (int64_t v = 0; i + kFew <= length; i += kFew, ++v) {
      Few<T> a, b;
      std::memcpy(&a, to + i, sizeof(a));
      std::memcpy(&b, from + i, sizeof(b));
      known &= (a < b) | (b < a);
      result[v] = (kMaximum ? a < b : b < a) ? b : a;
    }
    const auto halves = std::bit_cast<std::array<uint64_t, 2>>(known);
    if ((halves[0] & halves[1]) == ~uint64_t{0}) {
      // As they were written: what is read in larger pieces than it was stored waits for memory.
      for (int64_t j = 0; j < i; j += kFew) std::memcpy(to + j, &result[j / kFew], sizeof(Few<T>));
    } else {
      i = 0;
    }
  }
  for (; i < length; ++i) to[i] = Op::Apply(to[i], from[i]);
}

// `length`: a number, or a type that is one.
template <class Op, typename T, typename Length>
void CombineRunsOfLength(const ScalarUpdates& updates, IndexReader read_index, Length length) {
  const auto combine = [length](std::byte* to, const std::byte* from) {
    CombineShortRun<Op>(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(from), length);
  };
  if (read_index != ReadIndexAs<int32_t> || updates.parts.size() != 1) {
    return ForEachUpdate(updates, read_index, combine);
  }
  const ScalarUpdates u = updates;
  const int64_t first = std::max<int64_t>(u.first, 0);
  const int64_t end = std::max(first, std::min(u.end, u.parts[0].end));
  const auto rows = static_cast<uint64_t>(end - first);
  const int64_t stride = u.parts[0].byte_stride;
  for (int64_t i = 0; i < u.count; ++i) {
    const int64_t position = ReadIndexAs<int32_t>(u.indices + i * u.index_stride);
    if (static_cast<uint64_t>(position - first) >= rows) continue;
    combine(u.array + i * u.array_stride + position * stride, u.updates + i * u.update_stride);
  }
}

// Points, quaternions, and few features have loops of their own: what a run of any length asks
// takes as long as the run.
template <class Op, typename T>
void CombineRunsOf(const ScalarUpdates& updates, IndexReader read_index, int64_t length) {
  const auto run = [&](auto known) { CombineRunsOfLength<Op, T>(updates, read_index, known); };
  switch (length) {
    case 2:
      return run(std::integral_constant<int64_t, 2>());
    case 3:
      return run(std::integral_constant<int64_t, 3>());
    case 4:
      return run(std::integral_constant<int64_t, 4>());
    case 8:
      return run(std::integral_constant<int64_t, 8>());
    default:
      return run(length);
  }
}

template <class Op, typename T, typename Index>
void Scatter(const ScalarUpdates& u) {
  const bool one_part = u.parts.size() == 1;
  const bool all = u.first <= 0 && u.end >= u.parts[0].end;
  if (all && one_part) {
    const bool is_dense = u.index_stride == sizeof(Index) && u.update_stride == sizeof(T) &&
                          u.array_stride == 0 && u.parts[0].byte_stride == sizeof(T);
    return is_dense ? ScatterDense<Op, T, Index>(u) : ScatterAll<Op, T, Index, true>(u);
  }
  // Where an update reads what it changes, a list costs nothing (100,000 sums: 340 us either way);
  // assignments take 240 us without and 340 with it.
  if constexpr (std::is_same_v<Op, TakeSecond>) {
    if (all) return ScatterAll<Op, T, Index, false>(u);
  }
  ScatterListed(u, one_part ? ListUpdates<Index, true> : ListUpdates<Index, false>,
                ApplyListed<Op, T>);
}

template <class Op, typename T>
ScatterScalars ForIndex(DType index_type) {
  switch (index_type) {
    case DType::kS32:
      return Scatter<Op, T, int32_t>;
    case DType::kU32:
      return Scatter<Op, T, uint32_t>;
    case DType::kS64:
      return Scatter<Op, T, int64_t>;
    default:
      return nullptr;
  }
}

template <typename T>
ScatterScalars ForOp(Opcode opcode, DType index_type) {
  switch (opcode) {
    case Opcode::kAdd:
      return ForIndex<AddElements, T>(index_type);
    case Opcode::kMultiply:
      return ForIndex<MultiplyElements, T>(index_type);
    case Opcode::kMaximum:
      return ForIndex<MaximumOfElements, T>(index_type);
    case Opcode::kMinimum:
      return ForIndex<MinimumOfElements, T>(index_type);
    default:
      return nullptr;
  }
}

}  // namespace

ScatterScalars FindScatterScalars(const compiler::Combiner& combiner, DType type,
                                  DType index_type) {
  if (IsAssignment(combiner)) {
    switch (ByteSize(type)) {
      case 1:
        return ForIndex<TakeSecond, uint8_t>(index_type);
      case 2:
        return ForIndex<TakeSecond, uint16_t>(index_type);
      case 4:
        return ForIndex<TakeSecond, uint32_t>(index_type);
      case 8:
        return ForIndex<TakeSecond, uint64_t>(index_type);
      default:
        return nullptr;
    }
  }
  const std::optional<Opcode> opcode = SingleOp(combiner);
  if (!opcode.has_value()) return nullptr;
  switch (type) {
    case DType::kS32:
      return ForOp<int32_t>(*opcode, index_type);
    case DType::kU32:
      return ForOp<uint32_t>(*opcode, index_type);
    case DType::kS64:
      return ForOp<int64_t>(*opcode, index_type);
    case DType::kBF16:
      return ForOp<BFloat16>(*opcode, index_type);
    case DType::kF32:
      return ForOp<float>(*opcode, index_type);
    case DType::kF64:
      return ForOp<double>(*opcode, index_type);
    default:
      return nullptr;
  }
}

namespace {

template <typename T>
CombineRuns CombineRunsBy(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return CombineRunsOf<AddElements, T>;
    case Opcode::kMaximum:
      return CombineRunsOf<MaximumOfElements, T>;
    case Opcode::kMinimum:
      return CombineRunsOf<MinimumOfElements, T>;
    default:
      return nullptr;
  }
}

}  // namespace

CombineRuns FindCombineRuns(const compiler::Combiner& combiner, DType type, int64_t length) {
  const std::optional<Opcode> opcode = SingleOp(combiner);
  if (!opcode.has_value()) return nullptr;
  if (opcode != Opcode::kAdd && length * ByteSize(type) > kShortRunBytes) return nullptr;
  switch (type) {
    case DType::kS32:
      return CombineRunsBy<int32_t>(*opcode);
    case DType::kBF16:
      return opcode == Opcode::kAdd ? CombineRunsOf<AddElements, BFloat16> : nullptr;
    case DType::kF32:
      return CombineRunsBy<float>(*opcode);
    case DType::kF64:
      return CombineRunsBy<double>(*opcode);
    default:
      return nullptr;
  }
}

}  // namespace plinth::cpu::library
