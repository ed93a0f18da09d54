// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/error.h"

#include <new>
#include <utility>

namespace plinth {
namespace {

struct ErrorObject : PJRT_Error {
  ErrorObject(const PJRT_Error_FunctionTable* table, Status s) : status(std::move(s)) {
    vtable = table;
  }
  Status status;
};

const ErrorObject* Object(const PJRT_Error* error) {
  return static_cast<const ErrorObject*>(error);
}

void Destroy(PJRT_Error* error) { delete static_cast<ErrorObject*>(error); }

void Message(const PJRT_Error* error, const char** message, size_t* size) {
  std::string_view text = Object(error)->status.message();
  *message = text.data();
  *size = text.size();
}

PJRT_Error_Code GetCode(const PJRT_Error* error) {
  return static_cast<PJRT_Error_Code>(Object(error)->status.code());
}

void ForEachPayload(const PJRT_Error* error, PJRT_Error_PayloadVisitor visitor, void* argument) {
  for (const Status::Payload& payload : Object(error)->status.payloads()) {
    visitor(payload.key.data(), payload.key.size(), payload.value.data(), payload.value.size(),
            argument);
  }
}

constexpr PJRT_Error_FunctionTable kTable = {
    .struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE,
    .instance_size = sizeof(PJRT_Error),
    .extension_start = nullptr,
    .destroy = &Destroy,
    .message = &Message,
    .get_code = &GetCode,
    .for_each_payload = &ForEachPayload,
};

// The error that there is no memory for an error.
constexpr char kNoMemory[] = "out of host memory";
constexpr PJRT_Error_FunctionTable kNoMemoryTable = {
    .struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE,
    .instance_size = sizeof(PJRT_Error),
    .extension_start = nullptr,
    .destroy = [](PJRT_Error*) {},
    .message =
        [](const PJRT_Error*, const char** message, size_t* size) {
          *message = kNoMemory;
          *size = sizeof(kNoMemory) - 1;
        },
    .get_code = [](const PJRT_Error*) { return PJRT_Error_Code_RESOURCE_EXHAUSTED; },
    .for_each_payload = [](const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {},
};
PJRT_Error no_memory_error = {&kNoMemoryTable};

}  // namespace

PJRT_Error* MakeError(const Status& status) noexcept {
  if (status.ok()) return nullptr;
  PJRT_Error* error = new (std::nothrow) ErrorObject(&kTable, status);
  return error != nullptr ? error : &no_memory_error;
}

Status TakeError(PJRT_Error* error) {
  if (error == nullptr) return {};
  const PJRT_Error_FunctionTable* table = error->vtable;
  if (table == nullptr || table->struct_size < PJRT_Error_FunctionTable_STRUCT_SIZE) {
    return Internal("an error object without a function table came through the C ABI");
  }
  const char* message = nullptr;
  size_t size = 0;
  table->message(error, &message, &size);
  Status status = StatusFromParts(table->get_code(error), message, size);
  if (status.ok()) status = Internal("an error object with code OK came through the C ABI");
  table->for_each_payload(
      error,
      [](const char* key, size_t key_size, const char* value, size_t value_size, void* argument) {
        auto* result = static_cast<Status*>(argument);
        *result = result->WithPayload(std::string(key, key_size), std::string(value, value_size));
      },
      &status);
  table->destroy(error);
  return status;
}

PJRT_Error* MakeCallbackError(PJRT_Error_Code code, const char* message,
                              size_t message_size) noexcept {
  try {
    Status status = StatusFromParts(code, message, message_size);
    if (status.ok()) status = Internal("a callback made an error with code OK");
    return MakeError(status);
  } catch (...) {
    return &no_memory_error;
  }
}

Status StatusFromParts(int code, const char* message, size_t message_size) {
  if (code < PJRT_Error_Code_OK || code > PJRT_Error_Code_UNAUTHENTICATED) {
    code = PJRT_Error_Code_UNKNOWN;
  }
  return Status(static_cast<StatusCode>(code),
                message == nullptr ? std::string() : std::string(message, message_size));
}

}  // namespace plinth
