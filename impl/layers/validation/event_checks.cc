// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/call_state.h"
#include "impl/layers/validation/special_checks.h"
#include "plinth/support/str_cat.h"

// Events: ready or not, set by the caller or by the plugin.
namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;

std::string Event(const CallState& state, const Sight& event) {
  return state.Name("event", state.layer.kinds.event, event.handle->pointer());
}

void BeforeError(CallState& state) {
  Sight event = state.First();
  if (event.handle == nullptr || (event.flags & kReady) != 0) return;
  PJRT_Event_IsReady_Args question = {};
  question.event = state.As<PJRT_Event_Error_Args>().event;
  if (!state.Ask(function::kPJRT_Event_IsReady, &question)) return;
  if (question.is_ready) {
    event.handle->Add(kReady);
    return;
  }
  state.FailedPrecondition(Require("PJRT-Event_Error-not-ready"),
                           StrCat(Event(state, event), " that is not ready: ",
                                  Describe(state.layer.table, event.handle)));
}

void NoteReady(CallState& state) {
  Sight event = state.First();
  if (event.handle != nullptr && event.ref().IsCurrent()) event.handle->Add(kReady);
}

// The flags in the sight are those of before the call.
void AfterIsReady(CallState& state) {
  Sight event = state.First();
  if (event.handle == nullptr || !event.ref().IsCurrent()) return;
  if (state.As<PJRT_Event_IsReady_Args>().is_ready) {
    event.handle->Add(kReady);
  } else if ((event.flags & kReady) != 0) {
    state.Fault(Require("PJRT-Event_IsReady-monotone"),
                StrCat(Event(state, event),
                       " that was ready before: ", Describe(state.layer.table, event.handle)));
  }
}

void AfterCreate(CallState& state) {
  const void* event = state.As<PJRT_Event_Create_Args>().event;
  Sight made = state.layer.table.Find(state.layer.kinds.event, reinterpret_cast<uintptr_t>(event));
  if (made.alive()) made.handle->Add(kUserEvent);
}

void BeforeSet(CallState& state) {
  Sight event = state.First();
  if (event.handle == nullptr) return;
  if ((event.flags & kUserEvent) == 0) {
    state.InvalidArgument(Require("PJRT-Event_Set-foreign"),
                          StrCat(Event(state, event), " that PJRT_Event_Create did not make: ",
                                 Describe(state.layer.table, event.handle)));
  } else if ((event.flags & kSet) != 0) {
    state.FailedPrecondition(
        Require("PJRT-Event_Set-once"),
        StrCat(Event(state, event), " that is set: ", Describe(state.layer.table, event.handle)));
  }
}

void AfterSet(CallState& state) {
  Sight event = state.First();
  if (event.handle == nullptr) return;
  state.layer.table.MarkDeleted(event.ref(), kSet, state.at);
}

constexpr SpecialCheck kEventChecks[] = {
    {function::kPJRT_Event_Error, &BeforeError, nullptr},
    {function::kPJRT_Event_IsReady, nullptr, &AfterIsReady},
    // An event that fails is ready too.
    {function::kPJRT_Event_Await, nullptr, &NoteReady, &NoteReady},
    {function::kPJRT_Event_Create, nullptr, &AfterCreate},
    {function::kPJRT_Event_Set, &BeforeSet, &AfterSet},
};

}  // namespace

std::span<const SpecialCheck> EventChecks() { return kEventChecks; }

}  // namespace plinth::layers::validation
