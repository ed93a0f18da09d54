// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/order_bits.h"

#include <cstring>

namespace plinth::cpu::library {
namespace {

template <typename T, bool kDescending, FloatOrder kOrder>
void OrderBits(const void* keys, uint64_t* bits, int64_t count) {
  auto* const from = static_cast<const std::byte*>(keys);
  for (int64_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, from + i * sizeof(T), sizeof(T));
    auto x = ToOrderBits<T, kOrder>(element);
    if constexpr (kDescending) x = static_cast<decltype(x)>(~x);
    bits[i] = x;
  }
}

template <typename T, FloatOrder kOrder = FloatOrder::kTotal>
OrderBitsFunction InDirection(bool descending) {
  return descending ? OrderBits<T, true, kOrder> : OrderBits<T, false, kOrder>;
}

template <typename T>
OrderBitsFunction OfFloats(bool descending, FloatOrder order) {
  switch (order) {
    case FloatOrder::kTotal:
      return InDirection<T, FloatOrder::kTotal>(descending);
    case FloatOrder::kZerosEqual:
      return InDirection<T, FloatOrder::kZerosEqual>(descending);
    case FloatOrder::kCanonical:
      return InDirection<T, FloatOrder::kCanonical>(descending);
  }
  return nullptr;
}

}  // namespace

OrderBitsFunction FindOrderBits(DType type, bool descending, FloatOrder order) {
  switch (type) {
    case DType::kPred:
    case DType::kU8:
      return InDirection<uint8_t>(descending);
    case DType::kU16:
      return InDirection<uint16_t>(descending);
    case DType::kU32:
      return InDirection<uint32_t>(descending);
    case DType::kU64:
      return InDirection<uint64_t>(descending);
    case DType::kS8:
      return InDirection<int8_t>(descending);
    case DType::kS16:
      return InDirection<int16_t>(descending);
    case DType::kS32:
      return InDirection<int32_t>(descending);
    case DType::kS64:
      return InDirection<int64_t>(descending);
    case DType::kF16:
      return OfFloats<Half>(descending, order);
    case DType::kBF16:
      return OfFloats<BFloat16>(descending, order);
    case DType::kF32:
      return OfFloats<float>(descending, order);
    case DType::kF64:
      return OfFloats<double>(descending, order);
    default:
      return nullptr;
  }
}

}  // namespace plinth::cpu::library
