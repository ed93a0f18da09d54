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

PJRT_Error* ErrorOf(const char* function, int since, const Status& status) {
  for (const Status::Payload& payload : status.payloads()) {
    if (payload.key != kNotOffered) continue;
    Expected<Plugin*> plugin = ThePlugin();
    return MakeError(Unimplemented(
        function, " (since 0.", since, "): ", status.message(), "; plugin ",
        plugin.ok() ? StrCat((*plugin)->info().name, " ", (*plugin)->info().version) : "?",
        ", PJRT C API ", kPjrtMajor, ".", kPjrtReportedMinor));
  }
  return MakeError(status);
}

PJRT_Error* CurrentExceptionAsError(const char* function) noexcept {
  // Making the message may run out of memory again.
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      return MakeError(ResourceExhausted(function, ": out of host memory"));
    } catch (const std::exception& exception) {
      return MakeError(Internal(function, ": the plugin threw an exception: ", exception.what()));
    } catch (...) {
      return MakeError(Internal(function, ": the plugin threw an unknown exception"));
    }
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
