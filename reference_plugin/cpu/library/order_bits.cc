// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/order_bits.h"

#include <cstring>
#include <type_traits>

#include "reference_plugin/cpu/library/element.h"

namespace plinth::cpu::library {
namespace {

template <typename T, bool kDescending, bool kTotalOrder>
void OrderBits(const void* keys, uint64_t* bits, int64_t count) {
  using Bits = std::conditional_t<
      sizeof(T) == 1, uint8_t,
      std::conditional_t<sizeof(T) == 2, uint16_t,
                         std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  constexpr bool kIsFloat =
      std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
  auto* from = static_cast<const std::byte*>(keys);
  for (int64_t i = 0; i < count; ++i) {
    Bits x;
    std::memcpy(&x, from + i * sizeof(T), sizeof(T));
    if constexpr (kIsFloat) {
      if constexpr (!kTotalOrder) x = x == kSign ? Bits{0} : x;
      x = x & kSign ? static_cast<Bits>(~x) : static_cast<Bits>(x | kSign);
    } else if constexpr (std::is_signed_v<T>) {
      x ^= kSign;
    }
    if constexpr (kDescending) x = static_cast<Bits>(~x);
    bits[i] = x;
  }
}

template <typename T>
OrderBitsFunction ChooseOrderBits(bool descending, bool total_order) {
  if (descending) return total_order ? OrderBits<T, true, true> : OrderBits<T, true, false>;
  return total_order ? OrderBits<T, false, true> : OrderBits<T, false, false>;
}

}  // namespace

OrderBitsFunction FindOrderBits(DType type, bool descending, bool total_order) {
  switch (type) {
    case DType::kPred:
    case DType::kU8:
      return ChooseOrderBits<uint8_t>(descending, true);
    case DType::kU16:
      return ChooseOrderBits<uint16_t>(descending, true);
    case DType::kU32:
      return ChooseOrderBits<uint32_t>(descending, true);
    case DType::kU64:
      return ChooseOrderBits<uint64_t>(descending, true);
    case DType::kS8:
      return ChooseOrderBits<int8_t>(descending, true);
    case DType::kS16:
      return ChooseOrderBits<int16_t>(descending, true);
    case DType::kS32:
      return ChooseOrderBits<int32_t>(descending, true);
    case DType::kS64:
      return ChooseOrderBits<int64_t>(descending, true);
    case DType::kF16:
      return ChooseOrderBits<Half>(descending, total_order);
    case DType::kBF16:
      return ChooseOrderBits<BFloat16>(descending, total_order);
    case DType::kF32:
      return ChooseOrderBits<float>(descending, total_order);
    case DType::kF64:
      return ChooseOrderBits<double>(descending, total_order);
    default:
      return nullptr;
  }
}

}  // namespace plinth::cpu::library
