// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/errors.h"

#include <new>

#include "impl/layers/validation/inputs.h"
#include "plinth/support/error.h"
#include "plinth/support/str_cat.h"

namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;

// An error of the caller's whose end is seen whichever way it is freed.
struct TrackedError : PJRT_Error {
  PJRT_Error* inner = nullptr;  // owned
  LayerState* layer = nullptr;
  HandleRef handle = {};
};

TrackedError* Tracked(PJRT_Error* error) { return static_cast<TrackedError*>(error); }
const TrackedError* Tracked(const PJRT_Error* error) {
  return static_cast<const TrackedError*>(error);
}

void DestroyTracked(PJRT_Error* error, Origin at) {
  TrackedError* tracked = Tracked(error);
  tracked->layer->table.Free(tracked->handle, at);
  tracked->inner->vtable->destroy(tracked->inner);
  delete tracked;
}

constexpr PJRT_Error_FunctionTable kTable = {
    .struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE,
    .instance_size = sizeof(PJRT_Error),
    .extension_start = nullptr,
    .destroy =
        [](PJRT_Error* error) {
          uint64_t call = Tracked(error)->layer->num_calls.load(std::memory_order_relaxed);
          DestroyTracked(error, {call, function::kPJRT_Error_Destroy});
        },
    .message =
        [](const PJRT_Error* error, const char** message, size_t* size) {
          const PJRT_Error* inner = Tracked(error)->inner;
          inner->vtable->message(inner, message, size);
        },
    .get_code =
        [](const PJRT_Error* error) {
          const PJRT_Error* inner = Tracked(error)->inner;
          return inner->vtable->get_code(inner);
        },
    .for_each_payload =
        [](const PJRT_Error* error, PJRT_Error_PayloadVisitor visitor, void* argument) {
          const PJRT_Error* inner = Tracked(error)->inner;
          inner->vtable->for_each_payload(inner, visitor, argument);
        },
};

bool IsOurs(const PJRT_Error* error) { return error->vtable == &kTable; }

// What is wrong with the head of an error, or null.
const char* FlawOfHead(const PJRT_Error* error) {
  const PJRT_Error_FunctionTable* table = error->vtable;
  if (table == nullptr) return "has no function table";
  if (reinterpret_cast<uintptr_t>(table) % alignof(PJRT_Error_FunctionTable) != 0 ||
      table->struct_size < PJRT_Error_FunctionTable_STRUCT_SIZE || table->struct_size > 1 << 16) {
    return "has a function table that is too short";
  }
  if (table->destroy == nullptr || table->message == nullptr || table->get_code == nullptr ||
      table->for_each_payload == nullptr) {
    return "has a function table with empty slots";
  }
  return nullptr;
}

void CheckContents(LayerState& layer, const PJRT_Error* error, Origin origin) {
  PJRT_Error_Code code = error->vtable->get_code(error);
  int number = RawEnum(code);
  const reflection::Enum& codes = reflection::Enums()[reflection::enumeration::kPJRT_Error_Code];
  if (number == PJRT_Error_Code_OK || reflection::NameOf(codes, number) == nullptr) {
    layer.reporter.Report(Side::kPlugin, Require("PJRT-Error-code"), origin,
                          StrCat("the code of the error that it returned is ", number));
  }
  const char* message = nullptr;
  size_t size = 0;
  error->vtable->message(error, &message, &size);
  if (message == nullptr && size > 0) {
    layer.reporter.Report(Side::kPlugin, Require("PJRT-Args-output-array"), origin,
                          StrCat("the message of the error that it returned is null and its "
                                 "length is ",
                                 size));
  }
}

// Answers the call through the head of the error, which whatever made it understands.
void AnswerByHead(CallState& state, const PJRT_Error* error) {
  switch (state.call.id()) {
    case function::kPJRT_Error_Message: {
      auto& args = state.As<PJRT_Error_Message_Args>();
      error->vtable->message(error, &args.message, &args.message_size);
      return;
    }
    case function::kPJRT_Error_GetCode:
      state.As<PJRT_Error_GetCode_Args>().code = error->vtable->get_code(error);
      return;
    case function::kPJRT_Error_ForEachPayload: {
      auto& args = state.As<PJRT_Error_ForEachPayload_Args>();
      error->vtable->for_each_payload(error, args.visitor, args.user_arg);
      return;
    }
    default:
      return;
  }
}

}  // namespace

PJRT_Error* TrackError(LayerState& layer, PJRT_Error* error, Origin origin, HandleRef client) {
  if (error == nullptr) return nullptr;
  if (const char* flaw = FlawOfHead(error)) {
    // Older plugins have none, but what lies below gives theirs one.
    layer.reporter.Report(Side::kPlugin, Require("PJRT-Error-head"), origin,
                          StrCat("the error that it returned, ", Hex(error), ", ", flaw));
    return error;
  }
  CheckContents(layer, error, origin);
  PJRT_Error* result = error;
  TrackedError* tracked = nullptr;
  if (layer.plugin_minor >= 107) {
    tracked = new (std::nothrow) TrackedError;
    if (tracked == nullptr) return error;
    tracked->vtable = &kTable;
    tracked->inner = error;
    tracked->layer = &layer;
    result = tracked;
  }
  bool was_alive;
  Sight sight = layer.table.Register(
      layer.kinds.error, reinterpret_cast<uintptr_t>(result),
      {.owned = true, .client = client, .parent = {}, .origin = origin}, &was_alive);
  if (tracked != nullptr) tracked->handle = sight.ref();
  return result;
}

PJRT_Error* OnErrorCall(CallState& state) {
  LayerState& layer = state.layer;
  const bool refuses = layer.reporter.options().mode == Mode::kError;
  const char* head = state.args;
  if (head == nullptr || state.Read<size_t>(0) < state.checks.minimum_size) {
    CheckInputs(state);
    if (!refuses || state.refusal == nullptr) return state.call.Next();
    // Two of the three give nothing back, and nobody would free it.
    if (state.call.function().returns != reflection::Returns::kError) return nullptr;
    return MakeError(Status(state.code, StrCat("validation: ", *state.refusal)));
  }
  state.size = state.Read<size_t>(0);
  PJRT_Error* error = state.Read<PJRT_Error*>(offsetof(PJRT_Error_Destroy_Args, error));
  uintptr_t address = reinterpret_cast<uintptr_t>(error);
  if (error == nullptr) {
    if (state.call.id() == function::kPJRT_Error_Destroy) return state.call.Next();
    state.InvalidArgument(state.Of("error", "PJRT-Args-pointer"), "`error` is null");
    return state.call.Next();
  }
  Sight sight = layer.table.Find(layer.kinds.error, address);
  if (sight.handle == nullptr) {
    // Errors of layers above this one have not been seen; what is known as something else is none.
    int other = layer.table.KindAt(address, static_cast<int>(reflection::Handles().size()));
    if (other < 0 || !layer.table.Find(other, address).alive()) return state.call.Next();
    state.InvalidArgument(Require("PJRT-Handle-type"),
                          StrCat(state.Name("error", other, error), ", not a PJRT_Error: ",
                                 Describe(layer.table, layer.table.Find(other, address).handle)));
    return refuses ? nullptr : state.call.Next();
  }
  if (!sight.alive()) {
    state.FailedPrecondition(*layer.checks.OnceOf(layer.kinds.error),
                             StrCat(state.Name("error", layer.kinds.error, error),
                                    " that was freed: ", Describe(layer.table, sight.handle)));
    // Where the errors are ours there is nothing below that the call could reach.
    return refuses || layer.plugin_minor >= 107 ? nullptr : state.call.Next();
  }
  bool ours = IsOurs(error);
  if (state.call.id() == function::kPJRT_Error_Destroy) {
    if (ours) {
      DestroyTracked(error, state.at);
      return nullptr;
    }
    layer.table.Free(sight.ref(), state.at);
    return state.call.Next();
  }
  bool visits = state.call.id() == function::kPJRT_Error_ForEachPayload;
  if (visits && state.As<PJRT_Error_ForEachPayload_Args>().visitor == nullptr) {
    state.InvalidArgument(state.Of("visitor", "PJRT-Args-pointer"), "`visitor` is null");
    return TrackError(layer, MakeError(InvalidArgument("`visitor` is null")), state.at, {});
  }
  if (!ours) return state.call.Next();
  AnswerByHead(state, error);
  return nullptr;
}

}  // namespace plinth::layers::validation
