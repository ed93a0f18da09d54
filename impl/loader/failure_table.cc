// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/failure_table.h"

#include <string>
#include <type_traits>

#include "plinth/support/abi_version.h"
#include "plinth/support/args.h"
#include "plinth/support/error.h"

namespace plinth::loader {
namespace {

const Status* why = nullptr;  // Set before the table is given out, never freed.

template <typename Args>
PJRT_Error* Fail(Args*) {
  std::string_view report = why->message();
  bool whole = std::is_same_v<Args, PJRT_Plugin_Initialize_Args> ||
               std::is_same_v<Args, PJRT_Client_Create_Args>;
  if (!whole) report = report.substr(0, report.find('\n'));
  return MakeError(Status(why->code(), StrCat(FunctionOf<Args>::kName,
                                              ": libplinth could not load the plugin: ", report)));
}

// Errors of this table, and of callers, have the head of 0.107.
void DestroyError(PJRT_Error_Destroy_Args* args) {
  if (args != nullptr && args->error != nullptr) args->error->vtable->destroy(args->error);
}

void ReadMessage(PJRT_Error_Message_Args* args) {
  if (args == nullptr || args->error == nullptr) return;
  args->error->vtable->message(args->error, &args->message, &args->message_size);
}

PJRT_Error* ReadCode(PJRT_Error_GetCode_Args* args) {
  if (args == nullptr || args->error == nullptr) {
    return MakeError(InvalidArgument("PJRT_Error_GetCode: error is null"));
  }
  args->code = args->error->vtable->get_code(args->error);
  return nullptr;
}

PJRT_Error* ReadPayloads(PJRT_Error_ForEachPayload_Args* args) {
  if (args == nullptr || args->error == nullptr || args->visitor == nullptr) {
    return MakeError(InvalidArgument("PJRT_Error_ForEachPayload: error or visitor is null"));
  }
  args->error->vtable->for_each_payload(args->error, args->visitor, args->user_arg);
  return nullptr;
}

// Clients take a failure of this one as a reason to abort, before they ask why.
PJRT_Error* NoAttributes(PJRT_Plugin_Attributes_Args* args) {
  if (args == nullptr) return MakeError(InvalidArgument("PJRT_Plugin_Attributes: args is null"));
  SetField(*args, &PJRT_Plugin_Attributes_Args::attributes, nullptr);
  SetField(*args, &PJRT_Plugin_Attributes_Args::num_attributes, 0);
  return nullptr;
}

enum class Absent { Required, Stub, Null };

template <typename Result, typename Args>
void Fill(Absent absent, Result (*&slot)(Args*)) {
  if constexpr (std::is_same_v<Result, PJRT_Error*>) {
    if (absent != Absent::Null) slot = &Fail<Args>;
  }
}

}  // namespace

const PJRT_Api* MakeFailureTable(const Status& failure) {
  why = new Status(failure);
  auto* table = new PJRT_Api{};
  table->struct_size = PJRT_Api_STRUCT_SIZE;
  table->pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  table->pjrt_api_version.major_version = kPjrtMajor;
  table->pjrt_api_version.minor_version = kPjrtReportedMinor;
#define PLINTH_PJRT_FUNCTION(slot, name, since, absent, minimum_struct_size) \
  Fill(Absent::absent, table->name);
#include "plinth/support/abi_tables.inc"
  table->PJRT_Error_Destroy = &DestroyError;
  table->PJRT_Error_Message = &ReadMessage;
  table->PJRT_Error_GetCode = &ReadCode;
  table->PJRT_Error_ForEachPayload = &ReadPayloads;
  table->PJRT_Plugin_Attributes = &NoAttributes;
  return table;
}

}  // namespace plinth::loader
