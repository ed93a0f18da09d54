// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/plugin.h"

#include <dlfcn.h>

#include <map>

#include "plinth/support/error.h"
#include "plinth/support/extension_chain.h"
#include "plinth/support/str_cat.h"

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
  if (makes_client) ++*num_clients_;
  CallWatch watch(function, args, minor());
  PJRT_Error* error = nullptr;
  if (function.returns == reflection::Returns::kNothing) {
    reinterpret_cast<void (*)(void*)>(slot)(args);
  } else {
    error = reinterpret_cast<PJRT_Error* (*)(void*)>(slot)(args);
  }
  watch.Finish(error != nullptr, *findings_);
  return Take(error);
}

void Plugin::LookAtError(PJRT_Error* error, const PJRT_Error_GetCode_Args& code,
                         const PJRT_Error_Message_Args& message) const {
  int number = RawEnum(code.code);
  if (number <= 0 || number > PJRT_Error_Code_UNAUTHENTICATED) {
    findings_->Add("PJRT-Error-code", StrCat("the code of an error is ", number));
  }
  std::string_view text(message.message, message.message == nullptr ? 0 : message.message_size);
  if (message.message == nullptr && message.message_size != 0) {
    findings_->Add("PJRT-Args-output-array",
                   StrCat("the text of an error is null and has ", message.message_size, " bytes"));
  }
  // In the middle it may be the caller's own.
  if (text.ends_with('\0')) {
    findings_->Add("PJRT-Strings-size",
                   StrCat("the ", text.size(), " bytes of an error's text end with NUL"));
  }
  const PJRT_Error_FunctionTable* head = nullptr;
  if (minor() >= 107) std::memcpy(&head, error, sizeof(head));
  if (head == nullptr || head->message == nullptr || head->get_code == nullptr) return;
  LookAtPayloads(error, *head);
  // The other way to the same: what the head's functions say.
  const char* other = nullptr;
  size_t other_size = 0;
  head->message(error, &other, &other_size);
  if (std::string_view(other, other == nullptr ? 0 : other_size) != text) {
    findings_->Add("PJRT-Error-head", "an error's head gives another text than PJRT_Error_Message");
  }
  if (static_cast<int>(head->get_code(error)) != number) {
    findings_->Add("PJRT-Error-head",
                   StrCat("an error's head gives another code than PJRT_Error_GetCode: ",
                          static_cast<int>(head->get_code(error)), ", not ", number));
  }
}

void Plugin::LookAtPayloads(PJRT_Error* error, const PJRT_Error_FunctionTable& head) const {
  if (head.for_each_payload == nullptr || !Has(reflection::function::kPJRT_Error_ForEachPayload))
    return;
  using Payloads = std::multimap<std::string, std::string, std::less<>>;
  const PJRT_Error_PayloadVisitor visitor = [](const char* key, size_t key_size, const char* value,
                                               size_t value_size, void* arg) {
    static_cast<Payloads*>(arg)->emplace(std::string(key, key_size),
                                         std::string(value, value_size));
  };
  Payloads of_head, of_api;
  head.for_each_payload(error, visitor, &of_head);
  auto args = MakeArgs<PJRT_Error_ForEachPayload_Args>();
  args.error = error;
  args.visitor = visitor;
  args.user_arg = &of_api;
  if (PJRT_Error* failed = api_->PJRT_Error_ForEachPayload(&args)) {
    auto destroy = MakeArgs<PJRT_Error_Destroy_Args>();
    destroy.error = failed;
    api_->PJRT_Error_Destroy(&destroy);
  } else if (of_head != of_api) {
    findings_->Add("PJRT-Error-head",
                   StrCat("an error's head visits ", of_head.size(),
                          " payloads, PJRT_Error_ForEachPayload ", of_api.size(), ", or others"));
  }
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
  LookAtError(error, code, message);
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
