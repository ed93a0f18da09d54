// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/ffi.h"

#include "impl/client/src/calls.h"
#include "pjrt_c_api_ffi_extension.h"

namespace plinth::client {
namespace {

template <typename Args>
Status CallFfi(const Api& api, PJRT_Error* (*PJRT_FFI_Extension::*slot)(Args*), const char* name,
               Args& args, size_t args_size) {
  const PJRT_Extension_Base* found = api.FindExtension(PJRT_Extension_Type_FFI);
  if (found == nullptr) {
    return Unimplemented("the plugin (PJRT 0.", api.version().minor, ") has no FFI extension; ",
                         name, " needs it");
  }
  return api.CallExtension(*reinterpret_cast<const PJRT_FFI_Extension*>(found), slot, name, args,
                           args_size);
}

}  // namespace

Status RegisterFfiHandler(const Api& api, std::string_view target, void* handler,
                          std::string_view platform, bool is_command_buffer_compatible) {
  PJRT_FFI_Register_Handler_Args args = {};
  args.target_name = target.data();
  args.target_name_size = target.size();
  args.handler = handler;
  args.platform_name = platform.data();
  args.platform_name_size = platform.size();
  args.traits = static_cast<PJRT_FFI_Handler_TraitsBits>(
      is_command_buffer_compatible ? PJRT_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE : 0);
  return CallFfi(api, &PJRT_FFI_Extension::register_handler, "PJRT_FFI_Register_Handler", args,
                 PJRT_FFI_Register_Handler_Args_STRUCT_SIZE);
}

Expected<int64_t> RegisterFfiType(const Api& api, std::string_view name) {
  PJRT_FFI_Type_Register_Args args = {};
  args.type_name = name.data();
  args.type_name_size = name.size();
  PLINTH_RETURN_IF_ERROR(CallFfi(api, &PJRT_FFI_Extension::type_register, "PJRT_FFI_Type_Register",
                                 args, PJRT_FFI_Type_Register_Args_STRUCT_SIZE));
  if (args.type_id == 0) return internal::NullOutput("PJRT_FFI_Type_Register", "the id");
  return args.type_id;
}

Expected<ExecuteContext> ExecuteContext::Create(const Api& api) {
  PJRT_ExecuteContext_Create_Args args = {};
  PLINTH_RETURN_IF_ERROR(api.Call(args));
  if (args.context == nullptr) {
    return internal::NullOutput("PJRT_ExecuteContext_Create", "the context");
  }
  return ExecuteContext(Handle<PJRT_ExecuteContext>(api, args.context, nullptr));
}

Status ExecuteContext::Add(int64_t type_id, void* data) {
  PJRT_FFI_UserData_Add_Args args = {};
  args.context = get();
  args.user_data = {type_id, data};
  return CallFfi(handle_.api(), &PJRT_FFI_Extension::user_data_add, "PJRT_FFI_UserData_Add", args,
                 PJRT_FFI_UserData_Add_Args_STRUCT_SIZE);
}

}  // namespace plinth::client
