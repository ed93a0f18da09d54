// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/ffi.h"
#include "sdk/src/api_instance.h"
#include "sdk/src/entry.h"

namespace plinth::sdk::internal {

Status Call(PJRT_FFI_Type_Register_Args& args) {
  FfiTypeInfo info;
  if (args.type_info != nullptr) info.deleter = args.type_info->deleter;
  PLINTH_ASSIGN_OR_RETURN(
      args.type_id,
      TheFfi()->RegisterType(View(args.type_name, args.type_name_size), args.type_id, info));
  return {};
}

Status Call(PJRT_FFI_UserData_Add_Args& args) {
  PLINTH_CHECKED_HANDLE(context, args, context);
  const PJRT_FFI_UserData given = GetField(args, &PJRT_FFI_UserData_Add_Args::user_data, {});
  const FfiUserData data{given.type_id, given.data};
  if (data.type_id == 0) return Invalid(args, "user_data.type_id is 0; expected a type's id");
  for (const FfiUserData& known : context->user_data()) {
    if (known.type_id == data.type_id) {
      return Status(
          StatusCode::kAlreadyExists,
          StrCat("PJRT_FFI_UserData_Add: the context has data of type ", data.type_id, " already"));
    }
  }
  context->AddUserData(data);
  return {};
}

Status Call(PJRT_FFI_Register_Handler_Args& args) {
  if (args.target_name_size == 0) return Invalid(args, "target_name is empty");
  FfiHandler handler;
  handler.target = View(args.target_name, args.target_name_size);
  handler.platform = View(args.platform_name, args.platform_name_size);
  handler.execute = args.handler;
  handler.traits = static_cast<uint32_t>(args.traits);
  return TheFfi()->RegisterHandler(handler);
}

Status Call(PJRT_Gpu_Register_Custom_Call_Args& args) {
  using Args = PJRT_Gpu_Register_Custom_Call_Args;
  const int api_version = GetField(args, &Args::api_version, 0);
  void* const execute = GetField(args, &Args::handler_execute, nullptr);
  PLINTH_RETURN_IF_ERROR(CheckNotNull(args, execute, "handler_execute"));
  if (args.function_name_size == 0) return Invalid(args, "function_name is empty");
  if (api_version != 0 && api_version != 1) {
    return Invalid(args, "api_version is ", api_version, "; expected 0 (untyped) or 1 (typed)");
  }
  FfiHandler handler;
  handler.target = View(args.function_name, args.function_name_size);
  handler.is_typed = api_version == 1;
  if (handler.is_typed) {
    handler.instantiate = args.handler_instantiate;
    handler.prepare = args.handler_prepare;
    handler.initialize = args.handler_initialize;
  }
  handler.execute = execute;
  handler.traits = GetField(args, &Args::traits, 0);
  return TheFfi()->RegisterHandler(handler);
}

}  // namespace plinth::sdk::internal
