// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_MUTANTS_CHANGES_H_
#define PLINTH_CONFORMANCE_MUTANTS_CHANGES_H_

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "conformance/mutants/mutant.h"

namespace plinth::mutants {

// Copies the fields that a callee fills in, as far as `to`'s struct_size reaches. Both are
// argument structs of that name.
void CopyOutputs(const char* structure, const void* from, void* to);

// Calls the plugin behind with arguments that `change` has changed; the caller's own stay as they
// are, but for what the call gives out.
template <auto kSlot, typename Args, typename Change>
PJRT_Error* CallChanged(Args* args, Change change) {
  Args own = {};
  std::memcpy(&own, args, std::min(sizeof(own), args->struct_size));
  own.struct_size = std::min(args->struct_size, StructOf<Args>::kSize);
  change(own);
  PJRT_Error* error = (Real().*kSlot)(&own);
  CopyOutputs(StructOf<Args>::kName, &own, args);
  return error;
}

// A mutant that calls with other arguments.
template <auto kSlot, typename Change>
void ChangeInputs(PJRT_Api& table, Change) {
  Replace<kSlot>(table, [](auto* args) { return CallChanged<kSlot>(args, Change{}); });
}

// A mutant that changes what a call that succeeds gives out.
template <auto kSlot, typename Change>
void ChangeOutputs(PJRT_Api& table, Change) {
  Replace<kSlot>(table, [](auto* args) {
    PJRT_Error* error = (Real().*kSlot)(args);
    if (error == nullptr) Change{}(*args);
    return error;
  });
}

// A mutant that has a callback of an event called by `call(callback, error, argument)`, which may
// do more or less. Callbacks of events that are ready count too.
template <typename Calling>
void ChangeCallbacks(PJRT_Api& table, Calling) {
  ChangeInputs<&PJRT_Api::PJRT_Event_OnReady>(table, [](auto& args) {
    struct Call {
      PJRT_Event_OnReadyCallback callback;
      void* argument;
    };
    if (args.callback == nullptr) return;
    args.user_arg = new Call{args.callback, args.user_arg};
    args.callback = [](PJRT_Error* error, void* argument) {
      const Call call = *static_cast<Call*>(argument);
      delete static_cast<Call*>(argument);
      Calling{}(call.callback, error, call.argument);
    };
  });
}

// A mutant that hands payloads of errors to their visitor by `visit(number, key, value, pass)`,
// which passes on what it likes; `number` counts the payloads of one visit.
template <typename Visit>
void ChangePayloads(PJRT_Api& table, Visit) {
  if (table.PJRT_Error_ForEachPayload == nullptr) return;
  Replace<&PJRT_Api::PJRT_Error_ForEachPayload>(table, [](auto* args) {
    struct Caller {
      PJRT_Error_PayloadVisitor visitor;
      void* argument;
      int number = 0;
    } caller{args->visitor, args->user_arg};
    if (args->visitor == nullptr) return Real().PJRT_Error_ForEachPayload(args);
    return CallChanged<&PJRT_Api::PJRT_Error_ForEachPayload>(args, [&](auto& own) {
      own.user_arg = &caller;
      own.visitor = [](const char* key, size_t key_size, const char* value, size_t value_size,
                       void* argument) {
        auto& to = *static_cast<Caller*>(argument);
        Visit{}(to.number++, std::string_view(key, key_size), std::string_view(value, value_size),
                [&](std::string_view its_key, std::string_view its_value) {
                  to.visitor(its_key.data(), its_key.size(), its_value.data(), its_value.size(),
                             to.argument);
                });
      };
    });
  });
}

// A mutant that answers `code` where `is_refused` says so.
template <auto kSlot, PJRT_Error_Code kCode = PJRT_Error_Code_INVALID_ARGUMENT, typename Refused>
void Refuse(PJRT_Api& table, Refused) {
  Replace<kSlot>(table, [](auto* args) {
    if (Refused{}(*args)) return MakeError(kCode, "refused");
    return (Real().*kSlot)(args);
  });
}

// What lives as long as the process: answers of a plugin that keeps them for ever.
template <typename Value>
Value* Kept(Value value) {
  return new Value(std::move(value));
}

// Asks the plugin behind; an error leaves what was in the arguments.
template <auto kSlot, typename Args>
void Quiet(Args& args) {
  FreeError((Real().*kSlot)(&args));
}

// A mutant that changes what a prepared copy is told when its destination is there.
template <typename Change>
void ChangeFutures(PJRT_Api& table, Change) {
  ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyRawToHostFuture>(table, [](auto& prepared) {
    using Args = PJRT_Buffer_CopyRawToHostFuture_Callback_Args;
    struct Call {
      void* data;
      void (*callback)(Args*);
    };
    prepared.callback_data = new Call{prepared.callback_data, prepared.future_ready_callback};
    prepared.future_ready_callback = [](Args* args) {
      auto* call = static_cast<Call*>(args->callback_data);
      Args own = *args;
      own.callback_data = call->data;
      Change{}(own);
      call->callback(&own);
      delete call;
    };
  });
}

// What the head of a memory calls in the plugin behind, after a client was made.
inline const PJRT_Memory_FunctionTable*& MemoriesBehind() {
  static const PJRT_Memory_FunctionTable* table = nullptr;
  return table;
}

// A mutant that changes what the head of each memory calls.
template <typename Change>
void ChangeMemories(PJRT_Api& table, Change) {
  ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(table, [](auto& created) {
    auto args = MakeArgs<PJRT_Client_AddressableMemories_Args>();
    args.client = created.client;
    Quiet<&PJRT_Api::PJRT_Client_AddressableMemories>(args);
    for (size_t i = 0; i < args.num_addressable_memories; ++i) {
      PJRT_Memory* memory = args.addressable_memories[i];
      if (memory->vtable == nullptr) continue;
      auto* own = Kept(*memory->vtable);
      MemoriesBehind() = memory->vtable;
      Change{}(*own);
      memory->vtable = own;
    }
  });
}

}  // namespace plinth::mutants

#endif  // PLINTH_CONFORMANCE_MUTANTS_CHANGES_H_
