// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/entry.h"

#include <exception>
#include <new>

#include "plinth/support/abi_version.h"
#include "sdk/src/api_instance.h"
#include "sdk/src/not_offered.h"

namespace plinth::sdk::internal {

PJRT_Error* BadArguments(const char* function, const size_t* struct_size, size_t minimum) noexcept {
  try {
    if (struct_size == nullptr) {
      return MakeError(InvalidArgument(function, ": the argument struct is null"));
    }
    return MakeError(InvalidArgument(function, "_Args: struct_size is ", *struct_size,
                                     ", at least ", minimum,
                                     " is needed: was it set before the call?"));
  } catch (...) {
    return CurrentExceptionAsError(function);
  }
}

Status BadStruct(const char* function, const char* name, size_t struct_size, size_t minimum) {
  return InvalidArgument(function, ": ", name, ": struct_size is ", struct_size, ", at least ",
                         minimum, " is needed");
}

Status BadEnum(const char* function, const char* field, int value, const char* name, int first,
               int last) {
  return InvalidArgument(function, ": ", field, " ", value, " is no ", name, "; known are ", first,
                         " to ", last);
}

Status StatusOf(const char* function, int since, const Status& status) {
  for (const Status::Payload& payload : status.payloads()) {
    if (payload.key != kNotOffered) continue;
    Expected<Plugin*> plugin = ThePlugin();
    return Unimplemented(
        function, " (since 0.", since, "): ", status.message(), "; plugin ",
        plugin.ok() ? StrCat((*plugin)->info().name, " ", (*plugin)->info().version) : "?",
        ", PJRT C API ", kPjrtMajor, ".", kPjrtReportedMinor);
  }
  return status;
}

PJRT_Error* ErrorOf(const char* function, int since, const Status& status) {
  return MakeError(StatusOf(function, since, status));
}

Status CurrentExceptionAsStatus(const char* function) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(function, ": out of host memory");
  } catch (const std::exception& exception) {
    return Internal(function, ": the plugin threw an exception: ", exception.what());
  } catch (...) {
    return Internal(function, ": the plugin threw an unknown exception");
  }
}

PJRT_Error* CurrentExceptionAsError(const char* function) noexcept {
  // Making the message may run out of memory again.
  try {
    return MakeError(CurrentExceptionAsStatus(function));
  } catch (...) {
    return MakeCallbackError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "", 0);
  }
}

Status NullArgument(const char* function, const char* field) {
  return InvalidArgument(function, ": ", field, " is null");
}

Status MadeBeforeFork(const char* function, const char* field) {
  return FailedPrecondition(function, ": ", field,
                            " was created before fork() and cannot be used in the child process; "
                            "create a new client there");
}

}  // namespace plinth::sdk::internal
