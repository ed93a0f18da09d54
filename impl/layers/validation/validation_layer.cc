#include "impl/layers/validation/validation_layer.h"

#include <vector>

#include "impl/layers/process_generation.h"
#include "impl/layers/validation/call_state.h"
#include "impl/layers/validation/errors.h"
#include "impl/layers/validation/inputs.h"
#include "impl/layers/validation/outputs.h"
#include "impl/layers/validation/ready_callbacks.h"
#include "plinth/support/error.h"
#include "plinth/support/str_cat.h"

namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;

// The special checks, by function.
class SpecialChecks {
 public:
  static const SpecialChecks& Get() {
    static const SpecialChecks* const checks = new SpecialChecks;
    return *checks;
  }
  const SpecialCheck& Of(int id) const { return checks_[id]; }

 private:
  SpecialChecks() : checks_(reflection::Functions().size(), SpecialCheck{}) {
    for (auto rows :
         {BufferChecks(), ClientChecks(), EventChecks(), ExecutableChecks(), TransferChecks()}) {
      for (const SpecialCheck& row : rows) checks_[row.function] = row;
    }
  }
  std::vector<SpecialCheck> checks_;
};

class ValidationLayer : public Layer {
 public:
  ValidationLayer(const LayerContext& context, const Options& options)
      : generation_(ProcessGeneration()), state_(options, context.log, context.plugin_minor) {}

  PJRT_Error* OnCall(const Call& call) override;

 private:
  PJRT_Error* Refuse(CallState& state);
  void CheckInitialized(CallState& state);

  const uint32_t generation_;
  const SpecialChecks& special_ = SpecialChecks::Get();
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
  Status status(state.code, StrCat("validation: misuse in ", ToString(state.at),
                                   "; the log says what is wrong"));
  return TrackError(state_, MakeError(status), state.at, state.client);
}

PJRT_Error* ValidationLayer::OnCall(const Call& call) {
  // In a forked child locks may be held by threads that are not there.
  if (ProcessGeneration() != generation_) return call.Next();
  const function::Id id = call.id();
  CallState state(state_, call, state_.plans.Of(id));
  state.at = {state.uses.NextCall(state_.id, state_.num_calls), id};
  if (state.plan.takes_error) [[unlikely]]
    return OnErrorCall(state);

  const bool refuses = state_.reporter.options().mode == Mode::kError;
  if (state.plan.needs_initialize && !state_.is_initialized.load(std::memory_order_relaxed)) {
    CheckInitialized(state);
  }
  const SpecialCheck& special = special_.Of(id);
  const bool has_args = CheckInputs(state);
  if (has_args) {
    if (special.before != nullptr) special.before(state);
    if (state.plan.frees >= 0) FreeInput(state);
  }
  PJRT_Error* error = nullptr;
  if (refuses && state.is_misused) {
    RestoreInput(state);
    error = Refuse(state);
  } else if (!has_args) {
    error = TrackError(state_, call.Next(), state.at, state.client);
  } else {
    if (!state.plan.cleared.empty()) ClearOutputs(state);
    error = id == function::kPJRT_Event_OnReady ? CallOnReady(state) : call.Next();
    if (error != nullptr) {
      RestoreInput(state);
      error = TrackError(state_, error, state.at, state.client);
      if (special.failed != nullptr) special.failed(state);
    } else {
      if (state.plan.has_outputs) CheckOutputs(state);
      if (special.after != nullptr) special.after(state);
    }
  }
  return error;
}

}  // namespace

Expected<std::unique_ptr<Layer>> CreateValidationLayer(const LayerContext& context) {
  PLINTH_ASSIGN_OR_RETURN(Options options, ParseOptions(context.options));
  return std::unique_ptr<Layer>(std::make_unique<ValidationLayer>(context, options));
}

}  // namespace plinth::layers::validation
