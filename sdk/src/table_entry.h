// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_TABLE_ENTRY_H_
#define PLINTH_SDK_SRC_TABLE_ENTRY_H_

#include "sdk/src/entry.h"

// What stands in the slots of the table and of the extensions.
namespace plinth::sdk::internal {

template <typename Handle>
auto* ObjectOf(Handle* handle) {
  if constexpr (requires { FromC(handle); }) {
    return FromC(handle);
  } else {
    return handle;
  }
}

template <typename Args, typename Struct>
Status CheckStruct(const Args& args, const Struct* given, const char* field) {
  PLINTH_RETURN_IF_ERROR(CheckNotNull(args, given, field));
  if (given->struct_size < StructOf<Struct>::kMinimumSize) [[unlikely]] {
    return BadStruct(FunctionOf<Args>::kName, StructOf<Struct>::kName, given->struct_size,
                     StructOf<Struct>::kMinimumSize);
  }
  return {};
}

// What the registry says of the arguments of a function: handles, pointers, lengths and enums.
template <typename Args>
Status CheckArguments(const Args&) {
  return {};
}

#define PLINTH_PJRT_CHECKS_BEGIN(function) \
  template <>                              \
  inline Status CheckArguments(const function##_Args& args) {
#define PLINTH_PJRT_CHECKS_END(function) \
  return {};                             \
  }
#define PLINTH_PJRT_CHECK_HANDLE(field) \
  PLINTH_RETURN_IF_ERROR(CheckHandle(args, ObjectOf(args.field), #field));
#define PLINTH_PJRT_CHECK_POINTER(field)       \
  if (args.field == nullptr) [[unlikely]] {    \
    return NullArgument(NameOf(args), #field); \
  }
#define PLINTH_PJRT_CHECK_STRUCT(field) \
  PLINTH_RETURN_IF_ERROR(CheckStruct(args, args.field, #field));
#define PLINTH_PJRT_CHECK_ARRAY(field, length)                  \
  if (args.field == nullptr && args.length != 0) [[unlikely]] { \
    return NullArgument(NameOf(args), #field);                  \
  }
#define PLINTH_PJRT_CHECK_LATER_ARRAY(field, length)                                           \
  if (HasField(args, &std::remove_cvref_t<decltype(args)>::field) &&                           \
      HasField(args, &std::remove_cvref_t<decltype(args)>::length) && args.field == nullptr && \
      args.length != 0) [[unlikely]] {                                                         \
    return NullArgument(NameOf(args), #field);                                                 \
  }
#define PLINTH_PJRT_CHECK_ENUM(field, name, first, last)                                 \
  if (int value = RawEnum(args.field); value < (first) || value > (last)) [[unlikely]] { \
    return BadEnum(NameOf(args), #field, value, #name, first, last);                     \
  }

template <typename Args>
constexpr const char* NameOf(const Args&) {
  return FunctionOf<Args>::kName;
}

#include "plinth/support/argument_checks.inc"

// The C side of the function that takes Args: no exception leaves it.
template <typename Args>
PJRT_Error* Entry(Args* args) {
  constexpr size_t kMinimumSize = StructOf<Args>::kMinimumSize;
  if (args == nullptr || SizeOf(*args) < kMinimumSize) [[unlikely]] {
    return BadArguments(FunctionOf<Args>::kName, args == nullptr ? nullptr : &args->struct_size,
                        kMinimumSize);
  }
  try {
    if (Status refused = CheckArguments(*args); !refused.ok()) [[unlikely]] {
      return ErrorOf(FunctionOf<Args>::kName, FunctionOf<Args>::kSince, refused);
    }
    Status status = Call(*args);
    if (status.ok()) [[likely]] {
      return nullptr;
    }
    return ErrorOf(FunctionOf<Args>::kName, FunctionOf<Args>::kSince, status);
  } catch (...) {
    return CurrentExceptionAsError(FunctionOf<Args>::kName);
  }
}

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_TABLE_ENTRY_H_
