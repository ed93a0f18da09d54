// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/validation_layer.h"

#include "impl/layers/process_generation.h"
#include "impl/layers/validation/answers.h"
#include "impl/layers/validation/call_state.h"
#include "impl/layers/validation/errors.h"
#include "impl/layers/validation/inputs.h"
#include "impl/layers/validation/outputs.h"
#include "impl/layers/validation/ready_callbacks.h"
#include "impl/layers/validation/special_checks.h"
#include "plinth/support/error.h"
#include "plinth/support/str_cat.h"

namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;

class ValidationLayer : public Layer {
 public:
  ValidationLayer(const LayerContext& context, const Options& options)
      : generation_(ProcessGeneration()), state_(options, context.log, context.plugin_minor) {}

  PJRT_Error* OnCall(const Call& call) override;

 private:
  Handle* FindAsked(const CallChecks& checks, const Call& call) const;
  PJRT_Error* OnQuestion(const Call& call, const CallChecks& checks, Handle& handle);
  PJRT_Error* OnAnyCall(const Call& call, const CallChecks& checks);
  PJRT_Error* AfterCall(CallState& state, PJRT_Error* error);
  PJRT_Error* Refuse(CallState& state);
  void CheckInitialized(CallState& state);

  const uint32_t generation_;
  LayerState state_;
};

void ValidationLayer::CheckInitialized(CallState& state) {
  // Told once; all that follows would say the same.
  if (state_.is_initialized.exchange(true, std::memory_order_relaxed)) return;
  state.FailedPrecondition(Require("PJRT-Plugin_Initialize-first"),
                           "PJRT_Plugin_Initialize was not called");
}

// The answer to a misuse in mode `error`.
PJRT_Error* ValidationLayer::Refuse(CallState& state) {
  if (state.call.function().returns != reflection::Returns::kError) return nullptr;
  Status status(state.code, StrCat("validation: ", *state.refusal));
  return TrackError(state_, MakeError(status), state.at, state.client);
}

PJRT_Error* ValidationLayer::OnCall(const Call& call) {
  // In a forked child locks may be held by threads that are not there.
  if (!IsProcessGeneration(generation_)) [[unlikely]] {
    return call.Next();
  }
  const CallChecks& checks = state_.checks.Of(call.id());
  if (checks.is_question) {
    if (Handle* handle = FindAsked(checks, call)) [[likely]] {
      return OnQuestion(call, checks, *handle);
    }
  }
  return OnAnyCall(call, checks);
}

// The handle of a question that was answered before, if all about the call is right.
Handle* ValidationLayer::FindAsked(const CallChecks& checks, const Call& call) const {
  struct Head {
    size_t struct_size;
    const void* chain;
  };
  if (call.args() == nullptr) return nullptr;
  const auto& head = *static_cast<const Head*>(call.args());
  if (head.struct_size != checks.full_size || head.chain != nullptr) return nullptr;
  const void* address = *reinterpret_cast<const void* const*>(
      static_cast<const char*>(call.args()) + checks.handles[0].offset);
  Sight sight = state_.table.Find(checks.handles[0].kind, reinterpret_cast<uintptr_t>(address));
  if (!sight.alive()) return nullptr;
  const std::atomic<uint32_t>& answer = sight.handle->answers[checks.answer_slot];
  return answer.load(std::memory_order_relaxed) != 0 ? sight.handle : nullptr;
}

// The short way of most calls: the same question again, and the same answer, which was looked at
// when it came for the first time.
PJRT_Error* ValidationLayer::OnQuestion(const Call& call, const CallChecks& checks,
                                        Handle& handle) {
  char* args = static_cast<char*>(call.args());
  ThreadUses& uses = ThreadUses::OfThisThread();
  const Origin at = {uses.NextCall(state_.id, state_.num_calls), call.id()};
  const uint32_t depth = uses.depth();
  const std::atomic<uint32_t>& answer = handle.answers[checks.answer_slot];
  uses.Push(&handle, at.function);
  ClearOutputs(checks, args, checks.full_size);
  PJRT_Error* error = call.Next();
  uses.PopTo(depth);
  if (error == nullptr && HashOfAnswer(checks, args, checks.full_size) ==
                              answer.load(std::memory_order_relaxed)) [[likely]] {
    return nullptr;
  }
  CallState state(state_, call, checks);
  state.at = at;
  CheckInputs(state);
  return AfterCall(state, error);
}

PJRT_Error* ValidationLayer::OnAnyCall(const Call& call, const CallChecks& checks) {
  CallState state(state_, call, checks);
  state.at = {state.uses.NextCall(state_.id, state_.num_calls), call.id()};
  if (checks.takes_error) [[unlikely]] {
    return OnErrorCall(state);
  }
  const bool is_too_early =
      checks.needs_initialize && !state_.is_initialized.load(std::memory_order_relaxed);
  if (is_too_early) [[unlikely]] {
    CheckInitialized(state);
  }

  const bool has_args = CheckInputs(state);
  if (has_args) {
    if (checks.special != nullptr && checks.special->before != nullptr)
      checks.special->before(state);
    if (checks.frees >= 0) FreeInput(state);
  }
  if (state.is_misused && state_.reporter.options().mode == Mode::kError) [[unlikely]] {
    RestoreInput(state);
    return Refuse(state);
  }
  if (!has_args) [[unlikely]] {
    return TrackError(state_, call.Next(), state.at, state.client);
  }
  ClearOutputs(checks, state.args, state.size);
  bool is_ready = call.id() == function::kPJRT_Event_OnReady;
  return AfterCall(state, is_ready ? CallOnReady(state) : call.Next());
}

PJRT_Error* ValidationLayer::AfterCall(CallState& state, PJRT_Error* error) {
  const SpecialCheck* special = state.checks.special;
  if (error != nullptr) [[unlikely]] {
    RestoreInput(state);
    state.failure = error;
    error = TrackError(state_, error, state.at, state.client);
    if (special != nullptr && special->failed != nullptr) special->failed(state);
    return error;
  }
  if (state.checks.has_outputs) CheckOutputs(state);
  if (special != nullptr && special->after != nullptr) special->after(state);
  return nullptr;
}

}  // namespace

Expected<std::unique_ptr<Layer>> CreateValidationLayer(const LayerContext& context) {
  PLINTH_ASSIGN_OR_RETURN(Options options, ParseOptions(context.options));
  return std::unique_ptr<Layer>(std::make_unique<ValidationLayer>(context, options));
}

}  // namespace plinth::layers::validation
