// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/api.h"

#include <cstring>
#include <iterator>

#include "impl/client/src/calls.h"
#include "plinth/support/abi_version.h"
#include "plinth/support/error.h"
#include "plinth/support/extension_chain.h"

namespace plinth::client {
namespace {

constexpr size_t kFirstSlot = offsetof(PJRT_Api, PJRT_Error_Destroy);
constexpr int kMaxExtensions = 1000;

// The functions of errors, without which no other call can be made.
constexpr int kErrorSlots = 3;

void AddPayload(const char* key, size_t key_size, const char* value, size_t value_size,
                void* status) {
  if (key == nullptr || (value == nullptr && value_size != 0)) return;
  auto* result = static_cast<Status*>(status);
  *result = result->WithPayload(std::string(key, key_size),
                                std::string(value == nullptr ? "" : value, value_size));
}

}  // namespace

Expected<Api> Api::FromTable(const PJRT_Api* table) {
  if (table == nullptr) {
    return InvalidArgument("no PJRT table was given: GetPjrtApi of the plugin returned null");
  }
  if (table->struct_size < kFirstSlot + kErrorSlots * sizeof(void*)) {
    return InvalidArgument("a PJRT table of ", table->struct_size,
                           " bytes is too short to hold any function");
  }
  if (table->pjrt_api_version.major_version != kPjrtMajor) {
    return InvalidArgument("a PJRT table of major version ", table->pjrt_api_version.major_version,
                           "; this library speaks major version ", kPjrtMajor);
  }
  Api api(table);
  for (int slot = 0; slot < kErrorSlots; ++slot) {
    if (!api.has_slot(slot)) {
      return InvalidArgument("the PJRT table has null for a function of errors (slot ", slot,
                             "); its plugin cannot be used");
    }
  }
  return api;
}

Version Api::version() const {
  return {table_->pjrt_api_version.major_version, table_->pjrt_api_version.minor_version};
}

int Api::function_count() const {
  return static_cast<int>((table_->struct_size - kFirstSlot) / sizeof(void*));
}

Api::AnyFunction* Api::Slot(int slot) const {
  const size_t offset = kFirstSlot + static_cast<size_t>(slot) * sizeof(AnyFunction*);
  if (offset + sizeof(AnyFunction*) > table_->struct_size) return nullptr;
  AnyFunction* function;
  std::memcpy(&function, reinterpret_cast<const char*>(table_) + offset, sizeof(function));
  return function;
}

bool Api::has_slot(int slot) const { return Slot(slot) != nullptr; }

Status Api::Missing(const char* name, int slot, int since) const {
  const Version have = version();
  if (slot >= function_count()) {
    return Unimplemented(name, " came with PJRT 0.", since, "; the plugin's table is of ",
                         have.major, ".", have.minor, " and has ", function_count(), " functions");
  }
  return Unimplemented(name, " is not implemented by the plugin: null in its table of PJRT ",
                       have.major, ".", have.minor);
}

Status Api::MissingInExtension(std::string_view name, size_t extension_size) const {
  const Version have = version();
  return Unimplemented(name, " is not in the plugin's extension of ", extension_size,
                       " bytes (PJRT ", have.major, ".", have.minor, ")");
}

Status Api::Initialize() const {
  PJRT_Plugin_Initialize_Args args = {};
  return Call(args);
}

Expected<std::vector<NamedValue>> Api::Attributes() const {
  PJRT_Plugin_Attributes_Args args = {};
  PLINTH_RETURN_IF_ERROR(Call(args));
  Expected<std::vector<NamedValue>> values = NamedValuesFromC(args.attributes, args.num_attributes);
  if (!values.ok()) return values.status().WithContext("PJRT_Plugin_Attributes");
  return values;
}

std::vector<ExtensionInfo> Api::Extensions() const {
  std::vector<ExtensionInfo> result;
  for (const PJRT_Extension_Base* node = table_->extension_start;
       node != nullptr && result.size() < kMaxExtensions; node = node->next) {
    result.push_back({RawEnum(node->type), node->struct_size});
  }
  return result;
}

const PJRT_Extension_Base* Api::FindExtension(int type) const {
  return plinth::FindExtension(table_->extension_start, type);
}

Status Api::TakeError(PJRT_Error* error) const {
  if (error == nullptr) return {};
  PJRT_Error_GetCode_Args code = {};
  code.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE;
  code.error = error;
  PJRT_Error* nested = table_->PJRT_Error_GetCode(&code);
  PJRT_Error_Message_Args message = {};
  message.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE;
  message.error = error;
  table_->PJRT_Error_Message(&message);
  // An error that says OK is an error all the same.
  const int raw_code = RawEnum(code.code);
  const bool has_code = nested == nullptr && raw_code != PJRT_Error_Code_OK;
  Status status = StatusFromParts(has_code ? raw_code : PJRT_Error_Code_UNKNOWN, message.message,
                                  message.message_size);
  if (Has<PJRT_Error_ForEachPayload_Args>()) {
    PJRT_Error_ForEachPayload_Args payloads = {};
    payloads.struct_size = PJRT_Error_ForEachPayload_Args_STRUCT_SIZE;
    payloads.error = error;
    payloads.visitor = &AddPayload;
    payloads.user_arg = &status;
    if (PJRT_Error* failed = table_->PJRT_Error_ForEachPayload(&payloads); failed != nullptr) {
      PJRT_Error_Destroy_Args destroy = {PJRT_Error_Destroy_Args_STRUCT_SIZE, nullptr, failed};
      table_->PJRT_Error_Destroy(&destroy);
    }
  }
  for (PJRT_Error* one : {nested, error}) {
    if (one == nullptr) continue;
    PJRT_Error_Destroy_Args destroy = {PJRT_Error_Destroy_Args_STRUCT_SIZE, nullptr, one};
    table_->PJRT_Error_Destroy(&destroy);
  }
  return status;
}

namespace internal {

Status NullOutput(const char* function, const char* what) {
  return Internal("the plugin's ", function, " reported success and left ", what, " null");
}

PJRT_Program ProgramToC(const Program& program) {
  PJRT_Program result = {};
  result.struct_size = PJRT_Program_STRUCT_SIZE;
  // The field is not const because OptimizedProgram writes through it; compiling only reads.
  result.code = const_cast<char*>(program.code.data());
  result.code_size = program.code.size();
  result.format = program.format.data();
  result.format_size = program.format.size();
  return result;
}

Expected<Event> AdoptEvent(const Api& api, PJRT_Event* event, const ClientRef& client,
                           const char* function) {
  if (event == nullptr) return NullOutput(function, "its event");
  return Event(Handle<PJRT_Event>(api, event, client));
}

}  // namespace internal
}  // namespace plinth::client
