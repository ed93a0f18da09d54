// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_OUTCOME_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_OUTCOME_H_

#include <utility>

#include "plinth/sdk/event.h"
#include "plinth/support/status.h"

namespace plinth::backend {

// How far a step came: it is done, it failed, or it waits for others. One that waits is over when
// an event is ready, with the event's status; it is not run again.
class [[nodiscard]] Outcome {
 public:
  Outcome() = default;                                    // done
  Outcome(Status status) : status_(std::move(status)) {}  // NOLINT: `return Status();`
  static Outcome WaitFor(sdk::Event over) {
    Outcome outcome;
    outcome.waits_ = true;
    outcome.over_ = std::move(over);
    return outcome;
  }

  bool is_done() const { return status_.ok() && !waits_; }
  bool waits() const { return waits_; }
  const sdk::Event& over() const { return over_; }  // only of one that waits
  // Of a step that does not wait.
  const Status& status() const { return status_; }

 private:
  Status status_;
  sdk::Event over_;
  bool waits_ = false;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_OUTCOME_H_
