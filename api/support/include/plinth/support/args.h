// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_ARGS_H_
#define PLINTH_SUPPORT_ARGS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "pjrt_c_api.h"

namespace plinth {

// What the registry says about the function that takes `Args`: its name, slot and first minor.
template <typename Args>
struct FunctionOf;

#define PLINTH_PJRT_FUNCTION(slot, function, since, absent, minimum_struct_size) \
  template <>                                                                    \
  struct FunctionOf<function##_Args> {                                           \
    static constexpr const char* kName = #function;                              \
    static constexpr int kSlot = slot;                                           \
    static constexpr int kSince = since;                                         \
  };
#include "plinth/support/abi_tables.inc"

// What the registry says about a struct: its name, X_STRUCT_SIZE, and the smallest size that we
// accept, which is the smallest that any caller from 0.28 on announces.
template <typename Struct>
struct StructOf;

#define PLINTH_PJRT_STRUCT(name, since, end, minimum_struct_size, carries_struct_size) \
  template <>                                                                          \
  struct StructOf<name> {                                                              \
    static constexpr const char* kName = #name;                                        \
    static constexpr size_t kSize = end;                                               \
    static constexpr size_t kMinimumSize = minimum_struct_size;                        \
  };
#include "plinth/support/abi_tables.inc"

// A struct as a caller of today fills it in: zero but for struct_size.
template <typename Struct>
Struct MakeArgs() {
  Struct value = {};
  value.struct_size = StructOf<Struct>::kSize;
  return value;
}

// The size that the other side's struct really has, where upstream's own header announced a wrong
// one.
template <typename Struct>
size_t SizeOf(const Struct& value) {
#define PLINTH_PJRT_ANNOUNCED_SIZE(name, announced, actual, first_minor, last_minor) \
  if constexpr (std::is_same_v<Struct, name>) {                                      \
    if (value.struct_size == announced) return actual;                               \
  }
#include "plinth/support/abi_tables.inc"
  return value.struct_size;
}

// Whether `field` lies inside of what the other side allocated.
template <typename Struct, typename Field>
bool HasField(const Struct& value, Field Struct::*field) {
  auto offset =
      reinterpret_cast<const char*>(&(value.*field)) - reinterpret_cast<const char*>(&value);
  return static_cast<size_t>(offset) + sizeof(Field) <= SizeOf(value);
}

// Writes an output field of the other side's struct if it has that field.
template <typename Struct, typename Field, typename T>
void SetField(Struct& value, Field Struct::*field, T&& result) {
  if (HasField(value, field)) value.*field = static_cast<Field>(result);
}

// Reads a field of the other side's struct, or gives `fallback` where it has none.
template <typename Struct, typename Field>
Field GetField(const Struct& value, Field Struct::*field, std::type_identity_t<Field> fallback) {
  return HasField(value, field) ? value.*field : fallback;
}

// The number in an enum, or the truth in a bool, that a caller may have filled with anything.
template <typename Enum>
int RawEnum(const Enum& value) {
  static_assert(std::is_enum_v<Enum> && sizeof(Enum) == sizeof(int));
  int raw;
  std::memcpy(&raw, &value, sizeof(raw));
  return raw;
}
inline bool RawBool(const bool& value) {
  uint8_t raw;
  std::memcpy(&raw, &value, sizeof(raw));
  return raw != 0;
}

}  // namespace plinth

#endif  // PLINTH_SUPPORT_ARGS_H_
