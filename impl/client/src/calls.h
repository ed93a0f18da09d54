// SPDX-License-Identifier: Apache-2.0
#ifndef IMPL_CLIENT_SRC_CALLS_H_
#define IMPL_CLIENT_SRC_CALLS_H_

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "plinth/client/api.h"
#include "plinth/client/event.h"
#include "plinth/client/handle.h"
#include "plinth/client/options.h"

// The forms that most functions of the table have: one handle in, one value, text, list or handle
// out. What a plugin answers is checked: a success must come with its result.
namespace plinth::client::internal {

// INTERNAL: the call succeeded and left `what` null.
Status NullOutput(const char* function, const char* what);

// What a plugin wrote into a field. An enum is its number, for it may be none that we know.
template <typename V>
auto ReadOutput(const V& value) {
  if constexpr (std::is_enum_v<V>) {
    return RawEnum(value);
  } else if constexpr (std::is_same_v<V, bool>) {
    return RawBool(value);
  } else {
    return value;
  }
}

template <typename Args, typename H, typename In, typename V>
auto GetValue(const Api& api, H handle, In Args::*in, V Args::*out)
    -> Expected<decltype(ReadOutput(std::declval<V>()))> {
  Args args = {};
  args.*in = handle;
  PLINTH_RETURN_IF_ERROR(api.Call(args));
  return ReadOutput(args.*out);
}

template <typename Args, typename H, typename In, typename V>
Expected<V*> GetPointer(const Api& api, H handle, In Args::*in, V* Args::*out) {
  PLINTH_ASSIGN_OR_RETURN(V * value, GetValue(api, handle, in, out));
  if (value == nullptr) return NullOutput(FunctionOf<Args>::kName, "its result");
  return value;
}

// A view of what the plugin owns.
template <typename Args, typename H, typename In>
Expected<std::string_view> GetText(const Api& api, H handle, In Args::*in, const char* Args::*text,
                                   size_t Args::*size) {
  Args args = {};
  args.*in = handle;
  PLINTH_RETURN_IF_ERROR(api.Call(args));
  if (args.*text == nullptr && args.*size != 0) {
    return NullOutput(FunctionOf<Args>::kName, "its text");
  }
  return std::string_view(args.*text == nullptr ? "" : args.*text, args.*size);
}

// A view of what the plugin owns. T is const where the field is a pointer to const.
template <typename Args, typename H, typename In, typename T>
Expected<std::span<T>> GetList(const Api& api, H handle, In Args::*in, T* Args::*list,
                               size_t Args::*size) {
  Args args = {};
  args.*in = handle;
  PLINTH_RETURN_IF_ERROR(api.Call(args));
  if (args.*list == nullptr && args.*size != 0) {
    return NullOutput(FunctionOf<Args>::kName, "its list");
  }
  return std::span<T>(args.*list, args.*size);
}

// A list of handles as views: Device, Memory, DeviceDescription.
template <typename View, typename Args, typename H, typename In, typename T>
Expected<std::vector<View>> GetViews(const Api& api, H handle, In Args::*in, T* const* Args::*list,
                                     size_t Args::*size) {
  PLINTH_ASSIGN_OR_RETURN(std::span<T* const> handles, GetList(api, handle, in, list, size));
  std::vector<View> views;
  views.reserve(handles.size());
  for (T* one : handles) {
    if (one == nullptr) return NullOutput(FunctionOf<Args>::kName, "an element of its list");
    views.emplace_back(api, one);
  }
  return views;
}

template <typename Args, typename H, typename In>
Expected<std::vector<NamedValue>> GetNamedValues(const Api& api, H handle, In Args::*in,
                                                 const PJRT_NamedValue* Args::*list,
                                                 size_t Args::*size) {
  PLINTH_ASSIGN_OR_RETURN(std::span<const PJRT_NamedValue> values,
                          GetList(api, handle, in, list, size));
  Expected<std::vector<NamedValue>> copied = NamedValuesFromC(values.data(), values.size());
  if (!copied.ok()) return copied.status().WithContext(FunctionOf<Args>::kName);
  return copied;
}

// Bytes that come with a holder and the function that frees it, copied.
template <typename Args, typename H, typename In, typename Holder>
Expected<std::string> GetHeldBytes(const Api& api, H handle, In Args::*in, const char* Args::*bytes,
                                   size_t Args::*size, Holder* Args::*holder,
                                   void (*Args::*deleter)(Holder*)) {
  Args args = {};
  args.*in = handle;
  PLINTH_RETURN_IF_ERROR(api.Call(args));
  Expected<std::string> result =
      args.*bytes == nullptr && args.*size != 0
          ? Expected<std::string>(NullOutput(FunctionOf<Args>::kName, "its bytes"))
          : Expected<std::string>(
                std::string(args.*bytes == nullptr ? "" : args.*bytes, args.*size));
  if (args.*deleter != nullptr && args.*holder != nullptr) (args.*deleter)(args.*holder);
  return result;
}

// The C form of a program; `program` must stay.
PJRT_Program ProgramToC(const Program& program);

// Whether this thread runs a callback that a plugin calls.
bool IsInCallback();
// While it lives, it does.
class CallbackMark {
 public:
  CallbackMark();
  ~CallbackMark();
  CallbackMark(const CallbackMark&) = delete;
  CallbackMark& operator=(const CallbackMark&) = delete;
};

// An event that a call put out, which must be there.
Expected<Event> AdoptEvent(const Api& api, PJRT_Event* event, const ClientRef& client,
                           const char* function);

}  // namespace plinth::client::internal

#endif  // IMPL_CLIENT_SRC_CALLS_H_
