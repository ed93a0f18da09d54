// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/sort_values.h"

#include <algorithm>
#include <atomic>
#include <span>

#include "reference_plugin/cpu/library/radix_sort.h"

namespace plinth::cpu::library {
namespace {

// Reading and writing elements takes less than 1 ns each.
constexpr int64_t kValueGrain = 32 << 10;

// Elements of one key are equal bits, but for zeros and NaN. So the keys are sorted instead of the
// elements; zeros and NaN of other bits are then put where they belong, in their order.
template <typename T, FloatOrder kOrder>
class ValueSorter {
 public:
  using Bits = BitsOf<T>;

  explicit ValueSorter(const ValuesRow& row)
      : row_(row),
        from_(static_cast<const T*>(row.from)),
        to_(static_cast<T*>(row.to)),
        turn_(row.descending ? static_cast<Bits>(~Bits{0}) : Bits{0}) {}

  void Run() const {
    const auto length = static_cast<size_t>(row_.length);
    const std::span keys(reinterpret_cast<Bits*>(row_.memory), length);
    const std::span spare(reinterpret_cast<Bits*>(row_.memory) + length, length);
    std::atomic<bool> any_other{false};
    backend::ParallelFor(row_.pool, row_.length, kValueGrain, [&](int64_t begin, int64_t end) {
      const bool other = row_.stride == 1 ? ToKeys<true>(keys.data(), begin, end)
                                          : ToKeys<false>(keys.data(), begin, end);
      if (other) any_other = true;
    });
    RadixSort(keys, spare, 0, static_cast<int>(8 * sizeof(T)), row_.pool);
    backend::ParallelFor(row_.pool, row_.length, kValueGrain, [&](int64_t begin, int64_t end) {
      row_.stride == 1 ? ToElements<true>(keys.data(), begin, end)
                       : ToElements<false>(keys.data(), begin, end);
    });
    if (!any_other) return;
    PutEqual(keys, KeyOf(BitsAs<T>(Bits{0})));
    if constexpr (kOrder == FloatOrder::kCanonical) {
      PutEqual(keys, KeyOf(BitsAs<T>(static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1))));
    }
  }

 private:
  Bits KeyOf(T element) const { return static_cast<Bits>(ToOrderBits<T, kOrder>(element) ^ turn_); }
  T ElementOf(Bits key) const { return FromOrderBits<T>(static_cast<Bits>(key ^ turn_)); }

  // Whether an element has other bits than its key gives back.
  template <bool kUnitStride>
  bool ToKeys(Bits* keys, int64_t begin, int64_t end) const {
    const int64_t stride = kUnitStride ? 1 : row_.stride;
    Bits other = 0;
    for (int64_t i = begin; i < end; ++i) {
      const T element = from_[i * stride];
      const Bits key = KeyOf(element);
      keys[i] = key;
      other = static_cast<Bits>(other | (BitsAs<Bits>(ElementOf(key)) ^ BitsAs<Bits>(element)));
    }
    return other != 0;
  }

  template <bool kUnitStride>
  void ToElements(const Bits* keys, int64_t begin, int64_t end) const {
    const int64_t stride = kUnitStride ? 1 : row_.stride;
    for (int64_t i = begin; i < end; ++i) to_[i * stride] = ElementOf(keys[i]);
  }

  void PutEqual(std::span<const Bits> keys, Bits key) const {
    int64_t next = std::lower_bound(keys.begin(), keys.end(), key) - keys.begin();
    for (int64_t i = 0; i < row_.length; ++i) {
      const T element = from_[i * row_.stride];
      if (KeyOf(element) == key) to_[next++ * row_.stride] = element;
    }
  }

  const ValuesRow& row_;
  const T* const from_;
  T* const to_;
  const Bits turn_;
};

template <typename T, FloatOrder kOrder = FloatOrder::kTotal>
void SortValues(const ValuesRow& row) {
  ValueSorter<T, kOrder>(row).Run();
}

template <typename T>
SortValuesFunction SortFloats(FloatOrder order) {
  switch (order) {
    case FloatOrder::kTotal:
      return SortValues<T, FloatOrder::kTotal>;
    case FloatOrder::kZerosEqual:
      return SortValues<T, FloatOrder::kZerosEqual>;
    case FloatOrder::kCanonical:
      return SortValues<T, FloatOrder::kCanonical>;
  }
  return nullptr;
}

}  // namespace

SortValuesFunction FindSortValues(DType type, FloatOrder order) {
  switch (type) {
    case DType::kS16:
      return SortValues<int16_t>;
    case DType::kU16:
      return SortValues<uint16_t>;
    case DType::kS32:
      return SortValues<int32_t>;
    case DType::kU32:
      return SortValues<uint32_t>;
    case DType::kS64:
      return SortValues<int64_t>;
    case DType::kU64:
      return SortValues<uint64_t>;
    case DType::kF16:
      return SortFloats<Half>(order);
    case DType::kBF16:
      return SortFloats<BFloat16>(order);
    case DType::kF32:
      return SortFloats<float>(order);
    case DType::kF64:
      return SortFloats<double>(order);
    default:
      return nullptr;
  }
}

}  // namespace plinth::cpu::library
