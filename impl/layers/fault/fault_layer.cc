// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/fault/fault_layer.h"

#include <atomic>
#include <optional>

#include "impl/layers/fault/delayed_events.h"
#include "impl/layers/fault/fault_spec.h"
#include "plinth/support/error.h"

namespace plinth::layers {
namespace {

class FaultLayer : public Layer {
 public:
  FaultLayer(FaultSpec spec, LogSink log)
      : spec_(std::move(spec)),
        log_(std::move(log)),
        counts_(spec_.rules.size()),
        rules_of_(reflection::Functions().size()) {
    for (size_t rule = 0; rule < spec_.rules.size(); ++rule) {
      for (int function : spec_.rules[rule].functions) {
        rules_of_[static_cast<size_t>(function)].push_back(rule);
      }
    }
    if (spec_.event_delay.count() > 0) delayed_events_.emplace(spec_.event_delay);
  }

  PJRT_Error* OnCall(const Call& call) override {
    const FaultRule* fired = nullptr;
    uint64_t number = 0;
    // Every rule counts every call, also one that another rule makes fail.
    for (size_t rule : rules_of_[static_cast<size_t>(call.id())]) {
      uint64_t count = counts_[rule].fetch_add(1, std::memory_order_relaxed) + 1;
      if (fired == nullptr && spec_.rules[rule].Fires(count)) {
        fired = &spec_.rules[rule];
        number = count;
      }
    }
    if (fired != nullptr) {
      Status status(fired->code,
                    StrCat("fault layer: ", call.function().name, " fails as asked for by `",
                           fired->text, "` (call ", number, "); the plugin did not see it"));
      log_(status.ToString());
      return MakeError(status);
    }
    if (delayed_events_) {
      if (DelayedEvents::Handler handler = DelayedEvents::HandlerOf(call.id())) {
        return ((*delayed_events_).*handler)(call);
      }
    }
    return call.Next();
  }

 private:
  const FaultSpec spec_;
  const LogSink log_;
  std::vector<std::atomic<uint64_t>> counts_;  // one for each rule
  std::vector<std::vector<size_t>> rules_of_;  // of each function
  std::optional<DelayedEvents> delayed_events_;
};

}  // namespace

Expected<std::unique_ptr<Layer>> CreateFaultLayer(const LayerContext& context) {
  PLINTH_ASSIGN_OR_RETURN(FaultSpec spec, ParseFaultSpec(context.options));
  return std::unique_ptr<Layer>(new FaultLayer(std::move(spec), context.log));
}

}  // namespace plinth::layers
