// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/elements.h"

#include <algorithm>
#include <cstring>

namespace plinth::program {
namespace {

// Constants are read by SIMD code.
constexpr size_t kAlignment = 64;

bool AllEqual(const std::byte* values, size_t size, size_t width) {
  return std::memcmp(values, values + width, size - width) == 0;
}

std::byte* Allocate(size_t size, ModuleBuilder& builder) {
  return builder.arena().Allocate(size, kAlignment);
}

// Clears the upper bits of sub-byte elements.
void KeepLowBits(DType dtype, std::span<std::byte> elements) {
  const int bits = InfoOf(dtype).bits;
  if (bits >= 8) return;
  for (std::byte& element : elements) element &= static_cast<std::byte>((1 << bits) - 1);
}

AttributeRef Splat(TypeRef type, const std::byte* value, ModuleBuilder& builder) {
  const size_t width = static_cast<size_t>(ByteSize(type->dtype));
  std::byte* copy = Allocate(width, builder);
  std::memcpy(copy, value, width);
  KeepLowBits(type->dtype, {copy, width});
  return builder.New(Attribute::Elements(type, {copy, width}, true));
}

AttributeRef FromPackedBooleans(TypeRef type, std::span<const std::byte> raw,
                                ModuleBuilder& builder) {
  const size_t count = static_cast<size_t>(type->NumElements());
  std::byte* values = Allocate(count, builder);
  for (size_t i = 0; i < count; ++i) values[i] = (raw[i / 8] >> (i % 8)) & std::byte{1};
  if (AllEqual(values, count, 1)) return Splat(type, values, builder);
  return builder.New(Attribute::Elements(type, {values, count}, false));
}

}  // namespace

AttributeRef ElementsFromValues(TypeRef type, std::span<const std::byte> values,
                                ModuleBuilder& builder) {
  const size_t count = static_cast<size_t>(type->NumElements());
  const size_t width = static_cast<size_t>(ByteSize(type->dtype));
  if (width == 0 || count > SIZE_MAX / width) return nullptr;
  if (count == 0) {
    if (!values.empty() && values.size() != width) return nullptr;
    return builder.New(Attribute::Elements(type, {}, false));
  }
  if (values.size() != width && values.size() != count * width) return nullptr;
  if (AllEqual(values.data(), values.size(), width)) return Splat(type, values.data(), builder);
  std::byte* copy = Allocate(values.size(), builder);
  std::memcpy(copy, values.data(), values.size());
  KeepLowBits(type->dtype, {copy, values.size()});
  return builder.New(Attribute::Elements(type, {copy, values.size()}, false));
}

AttributeRef ElementsFromRaw(TypeRef type, std::span<const std::byte> raw, ModuleBuilder& builder) {
  const DTypeInfo& info = InfoOf(type->dtype);
  if (info.bits >= 8) return ElementsFromValues(type, raw, builder);
  const size_t count = static_cast<size_t>(type->NumElements());
  if (type->dtype == DType::kPred && count > 0) {
    // One byte of all ones is a splat of true; any other single byte may be up to eight elements.
    if (raw.size() == 1 && raw[0] == std::byte{0xFF}) {
      const std::byte value{1};
      return Splat(type, &value, builder);
    }
    if (raw.size() == count / 8 + (count % 8 != 0) && raw.size() != count) {
      return FromPackedBooleans(type, raw, builder);
    }
  }
  if (count != 0 && raw.size() != 1 && raw.size() != count) return nullptr;
  if (count == 0 && raw.size() > 1) return nullptr;
  std::byte* values = Allocate(raw.size(), builder);
  std::copy(raw.begin(), raw.end(), values);
  KeepLowBits(type->dtype, {values, raw.size()});
  if (count == 0) return builder.New(Attribute::Elements(type, {}, false));
  if (raw.size() == 1 || AllEqual(values, raw.size(), 1)) return Splat(type, values, builder);
  return builder.New(Attribute::Elements(type, {values, raw.size()}, false));
}

}  // namespace plinth::program
