// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/errors.h"

#include "plinth/support/args.h"
#include "plinth/support/error.h"

namespace plinth::loader {
namespace {

namespace function = reflection::function;

// The functions that read an error, or null where it has none.
const PJRT_Error_FunctionTable* HeadOf(const PJRT_Error* error) {
  const PJRT_Error_FunctionTable* head = error->vtable;
  return head != nullptr && head->struct_size >= PJRT_Error_FunctionTable_STRUCT_SIZE ? head
                                                                                      : nullptr;
}

template <typename Slot>
Slot* SlotOf(const PluginTable& table, function::Id id) {
  return reinterpret_cast<Slot*>(table.Slot(reflection::Get(id)));
}

Status NoError(const char* name) {
  return InvalidArgument(name, ": the error is null. Ask only about errors that a call gave");
}

Status TooSmall(const char* name, size_t got, size_t needed) {
  return InvalidArgument(name, "_Args has a struct_size of ", got, "; it needs ", needed);
}

}  // namespace

PluginErrors::PluginErrors(const PluginTable& table)
    : have_heads_(table.HasErrorHeads()),
      destroy_(SlotOf<PJRT_Error_Destroy>(table, function::kPJRT_Error_Destroy)),
      message_(SlotOf<PJRT_Error_Message>(table, function::kPJRT_Error_Message)),
      get_code_(SlotOf<PJRT_Error_GetCode>(table, function::kPJRT_Error_GetCode)),
      for_each_payload_(
          SlotOf<PJRT_Error_ForEachPayload>(table, function::kPJRT_Error_ForEachPayload)) {}

Status PluginErrors::Read(PJRT_Error* error) const {
  PJRT_Error_Message_Args message{};
  message.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE;
  message.error = error;
  if (message_ != nullptr) message_(&message);

  PJRT_Error_GetCode_Args code{};
  code.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE;
  code.error = error;
  code.code = PJRT_Error_Code_UNKNOWN;
  if (get_code_ != nullptr) {
    if (PJRT_Error* second = get_code_(&code); second != nullptr) {
      code.code = PJRT_Error_Code_UNKNOWN;
      PJRT_Error_Destroy_Args args{};
      args.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE;
      args.error = second;
      if (destroy_ != nullptr) destroy_(&args);
    }
  }
  Status status = StatusFromParts(RawEnum(code.code), message.message,
                                  message.message == nullptr ? 0 : message.message_size);
  if (status.ok()) status = Internal("the plugin made an error with code OK: ", status.message());
  if (for_each_payload_ != nullptr) {
    PJRT_Error_ForEachPayload_Args payloads{};
    payloads.struct_size = PJRT_Error_ForEachPayload_Args_STRUCT_SIZE;
    payloads.error = error;
    payloads.visitor = [](const char* key, size_t key_size, const char* value, size_t value_size,
                          void* argument) {
      auto* result = static_cast<Status*>(argument);
      *result = result->WithPayload(std::string(key, key_size), std::string(value, value_size));
    };
    payloads.user_arg = &status;
    if (PJRT_Error* second = for_each_payload_(&payloads); second != nullptr) {
      PJRT_Error_Destroy_Args args{};
      args.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE;
      args.error = second;
      if (destroy_ != nullptr) destroy_(&args);
    }
  }
  return status;
}

PJRT_Error* PluginErrors::Lift(PJRT_Error* error) const {
  if (error == nullptr || have_heads_) return error;
  PJRT_Error* lifted = MakeError(Read(error));
  PJRT_Error_Destroy_Args args{};
  args.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE;
  args.error = error;
  if (destroy_ != nullptr) destroy_(&args);
  return lifted;
}

PJRT_Error_Code PluginErrors::CodeOf(const PJRT_Error* error) {
  const PJRT_Error_FunctionTable* head = HeadOf(error);
  return head != nullptr ? head->get_code(error) : PJRT_Error_Code_UNKNOWN;
}

std::string PluginErrors::MessageOf(const PJRT_Error* error) {
  const PJRT_Error_FunctionTable* head = HeadOf(error);
  const char* text = nullptr;
  size_t size = 0;
  if (head != nullptr) head->message(error, &text, &size);
  return text == nullptr ? std::string() : std::string(text, size);
}

bool PluginErrors::Handles(int id) {
  return id == function::kPJRT_Error_Destroy || id == function::kPJRT_Error_Message ||
         id == function::kPJRT_Error_GetCode || id == function::kPJRT_Error_ForEachPayload;
}

PJRT_Error* PluginErrors::Call(int id, void* raw) const {
  const reflection::Function& called = reflection::Functions()[id];
  size_t needed = reflection::Structs()[called.args].minimum_size;
  if (raw == nullptr) {
    return called.returns == reflection::Returns::kNothing
               ? nullptr
               : MakeError(InvalidArgument(called.name, " was called with null"));
  }
  size_t size;
  std::memcpy(&size, raw, sizeof(size));
  if (size < needed) {
    return called.returns == reflection::Returns::kNothing
               ? nullptr
               : MakeError(TooSmall(called.name, size, needed));
  }
  switch (id) {
    case function::kPJRT_Error_Destroy: {
      auto* args = static_cast<PJRT_Error_Destroy_Args*>(raw);
      if (args->error == nullptr) return nullptr;
      if (const auto* head = HeadOf(args->error)) {
        head->destroy(args->error);
      } else if (destroy_ != nullptr) {
        destroy_(args);
      }
      return nullptr;
    }
    case function::kPJRT_Error_Message: {
      auto* args = static_cast<PJRT_Error_Message_Args*>(raw);
      args->message = "";
      args->message_size = 0;
      if (args->error == nullptr) return nullptr;
      if (const auto* head = HeadOf(args->error)) {
        head->message(args->error, &args->message, &args->message_size);
      } else if (message_ != nullptr) {
        message_(args);
      }
      return nullptr;
    }
    case function::kPJRT_Error_GetCode: {
      auto* args = static_cast<PJRT_Error_GetCode_Args*>(raw);
      if (args->error == nullptr) return MakeError(NoError(called.name));
      if (const auto* head = HeadOf(args->error)) {
        args->code = head->get_code(args->error);
        return nullptr;
      }
      return get_code_ != nullptr ? get_code_(args) : nullptr;
    }
    default: {
      auto* args = static_cast<PJRT_Error_ForEachPayload_Args*>(raw);
      if (args->error == nullptr) return MakeError(NoError(called.name));
      if (args->visitor == nullptr) {
        return MakeError(InvalidArgument(called.name, ": the visitor is null"));
      }
      if (const auto* head = HeadOf(args->error)) {
        head->for_each_payload(args->error, args->visitor, args->user_arg);
        return nullptr;
      }
      return for_each_payload_ != nullptr ? for_each_payload_(args) : nullptr;
    }
  }
}

}  // namespace plinth::loader
