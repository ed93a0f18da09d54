// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_ENTRY_H_
#define PLINTH_SDK_SRC_ENTRY_H_

#include <string_view>

#include "plinth/support/args.h"
#include "plinth/support/error.h"
#include "plinth/support/status.h"
#include "sdk/src/after_fork.h"
#include "sdk/src/functions.h"
#include "sdk/src/generation.h"
#include "sdk/src/handles.h"

namespace plinth::sdk::internal {

// Cold paths, out of line.
PJRT_Error* BadArguments(const char* function, const size_t* struct_size, size_t minimum) noexcept;
Status BadStruct(const char* function, const char* name, size_t struct_size, size_t minimum);
Status BadEnum(const char* function, const char* field, int value, const char* name, int first,
               int last);
// The outcome of a call as the caller shall see it: answers of functions that the author did not
// write get the function's and the plugin's name.
Status StatusOf(const char* function, int since, const Status& status);
PJRT_Error* ErrorOf(const char* function, int since, const Status& status);
Status CurrentExceptionAsStatus(const char* function);  // May throw std::bad_alloc.
PJRT_Error* CurrentExceptionAsError(const char* function) noexcept;
Status NullArgument(const char* function, const char* field);
Status MadeBeforeFork(const char* function, const char* field);

// INVALID_ARGUMENT for a null handle, FAILED_PRECONDITION for one from before a fork that cannot be
// used any more.
template <typename Args, typename Object>
inline Status CheckHandle(const Args&, Object* handle, const char* field) {
  if (handle == nullptr) [[unlikely]] {
    return NullArgument(FunctionOf<Args>::kName, field);
  }
  if constexpr (requires { GenerationOf(*handle); }) {
    if (GenerationOf(*handle) != CurrentGeneration()) [[unlikely]] {
      if (!IsUsableAfterFork<Args>(*handle)) return MadeBeforeFork(FunctionOf<Args>::kName, field);
    }
  }
  return {};
}

// PLINTH_HANDLE(buffer, args, src): `buffer` is the object behind args.src, which was checked on
// entry.
#define PLINTH_HANDLE(variable, arguments, field) auto* variable = FromC((arguments).field)
// The same of one that may be null in other calls, and is checked here.
#define PLINTH_CHECKED_HANDLE(variable, arguments, field) \
  PLINTH_HANDLE(variable, arguments, field);              \
  PLINTH_RETURN_IF_ERROR(CheckHandle(arguments, variable, #field))

template <typename Args>
inline Status CheckNotNull(const Args&, const void* pointer, const char* field) {
  if (pointer == nullptr) [[unlikely]] {
    return NullArgument(FunctionOf<Args>::kName, field);
  }
  return {};
}
#define PLINTH_NOT_NULL(arguments, field) \
  PLINTH_RETURN_IF_ERROR(CheckNotNull(arguments, (arguments).field, #field))

// INVALID_ARGUMENT with the function's name in front.
template <typename Args, typename... Pieces>
Status Invalid(const Args&, const Pieces&... pieces) {
  return InvalidArgument(FunctionOf<Args>::kName, ": ", pieces...);
}

// Bytes that the caller named with a pointer and a size.
template <typename Args>
Status CheckBytes(const Args&, const void* data, size_t size, const char* field) {
  if (data == nullptr && size != 0) return NullArgument(FunctionOf<Args>::kName, field);
  return {};
}
inline std::string_view View(const char* data, size_t size) {
  return data == nullptr ? std::string_view() : std::string_view(data, size);
}

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_ENTRY_H_
