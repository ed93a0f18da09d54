// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/plugin.h"

#include <dlfcn.h>

#include "plinth/support/error.h"
#include "plinth/support/extension_chain.h"

namespace plinth::conformance {

Expected<Plugin> Plugin::Open(const std::string& path) {
  Plugin plugin;
  plugin.path_ = path;
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return NotFound("cannot load ", path, ": ", dlerror());
  auto get = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (get == nullptr) return NotFound(path, " exports no function GetPjrtApi");
  plugin.api_ = get();
  if (plugin.api_ == nullptr) return Internal("GetPjrtApi of ", path, " returned null");
  return plugin;
}

void* Plugin::Slot(const reflection::Function& function) const {
  const char* table = reinterpret_cast<const char*>(api_);
  size_t end = api_->struct_size;
  if (function.table >= 0) {
    const auto* node =
        FindExtension(api_->extension_start, reflection::Tables()[function.table].type);
    if (node == nullptr) return nullptr;
    table = reinterpret_cast<const char*>(node);
    end = node->struct_size;
  }
  if (function.offset + sizeof(void*) > end) return nullptr;
  void* slot;
  std::memcpy(&slot, table + function.offset, sizeof(slot));
  return slot;
}

Status Plugin::Call(const reflection::Function& function, void* args) const {
  void* slot = Slot(function);
  if (slot == nullptr) {
    return Unimplemented("the plugin's table (0.", minor(), ") has no ", function.name);
  }
  bool makes_client = &function == &reflection::Get(reflection::function::kPJRT_Client_Create);
  if (makes_client && tell_client_) tell_client_();
  if (function.returns == reflection::Returns::kNothing) {
    reinterpret_cast<void (*)(void*)>(slot)(args);
    return Status();
  }
  return Take(reinterpret_cast<PJRT_Error* (*)(void*)>(slot)(args));
}

Status Plugin::Take(PJRT_Error* error) const {
  if (error == nullptr) return Status();
  auto message = MakeArgs<PJRT_Error_Message_Args>();
  message.error = error;
  api_->PJRT_Error_Message(&message);
  auto code = MakeArgs<PJRT_Error_GetCode_Args>();
  code.error = error;
  PJRT_Error* unreadable = api_->PJRT_Error_GetCode(&code);
  Status status = unreadable == nullptr
                      ? StatusFromParts(code.code, message.message, message.message_size)
                      : Internal("PJRT_Error_GetCode failed for: ",
                                 std::string_view(message.message, message.message_size));
  if (status.ok()) status = Internal("an error object has the code OK");
  for (PJRT_Error* each : {unreadable, error}) {
    if (each == nullptr) continue;
    auto destroy = MakeArgs<PJRT_Error_Destroy_Args>();
    destroy.error = each;
    api_->PJRT_Error_Destroy(&destroy);
  }
  return status;
}

}  // namespace plinth::conformance
