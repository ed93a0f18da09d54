// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/error_api.h"

#include <cstring>

#include "sdk/src/entry.h"

namespace plinth::sdk::internal {

// Errors are read and destroyed through their own head, so that an error made elsewhere (another
// plugin, a framework's callback) is served too.

void ErrorDestroy(PJRT_Error_Destroy_Args* args) {
  if (args == nullptr || args->struct_size < PJRT_Error_Destroy_Args_STRUCT_SIZE) return;
  if (args->error != nullptr) args->error->vtable->destroy(args->error);
}

void ErrorMessage(PJRT_Error_Message_Args* args) {
  if (args == nullptr || args->struct_size < PJRT_Error_Message_Args_STRUCT_SIZE) return;
  args->message = "";
  args->message_size = 0;
  if (args->error != nullptr) {
    args->error->vtable->message(args->error, &args->message, &args->message_size);
  }
}

Status Call(PJRT_Error_GetCode_Args& args) {
  args.code = args.error->vtable->get_code(args.error);
  return {};
}

Status Call(PJRT_Error_ForEachPayload_Args& args) {
  args.error->vtable->for_each_payload(args.error, args.visitor, args.user_arg);
  return {};
}

}  // namespace plinth::sdk::internal
