// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/calls/python_callback_list.h"

namespace plinth::backend::python {
namespace {

// The type of that list is known by its id, which JAX's runtime fixed.
constexpr int64_t kCallbackListType = 7357244197867843242;
struct CallbackList {
  Object** callbacks;
  uint32_t size;
};

}  // namespace

Expected<Object*> FindCallback(const CallContext& call, uint64_t index) {
  const auto* list = static_cast<const CallbackList*>(call.FindUserData(kCallbackListType));
  if (list == nullptr) {
    return FailedPrecondition(
        "the execution brought no Python callbacks; a framework adds them to its execute context");
  }
  if (index >= list->size || list->callbacks == nullptr || list->callbacks[index] == nullptr) {
    return InvalidArgument("it asks for Python callback ", index, "; the execution brought ",
                           list->size);
  }
  return list->callbacks[index];
}

}  // namespace plinth::backend::python
