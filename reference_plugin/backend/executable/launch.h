// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_LAUNCH_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_LAUNCH_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plinth/sdk/event.h"
#include "reference_plugin/backend/executable/contents.h"
#include "reference_plugin/backend/host/lane_queue.h"
#include "reference_plugin/backend/host/runtime.h"
#include "reference_plugin/backend/run/call_context.h"
#include "reference_plugin/backend/run/frame.h"
#include "reference_plugin/backend/run/prepared_program.h"

namespace plinth::backend {

// Whether an output of a program is a token.
inline bool IsToken(const PreparedProgram& program, size_t output) {
  return program.plan().output_types[output].kind == compiler::Type::Kind::kToken;
}
bool HasOnlyTokens(const PreparedProgram& program);

struct ExecutionInput {
  ContentsPtr contents;  // never null
  bool is_donated = false;
};

// One Execute: a run of the program per device, its lanes. A lane that waits, for an event or at a
// collective for the others, is data; no thread stands in it. The last lane to come to a collective
// does the work for all. The launch fails as a whole: with the first error of a lane, or when no
// lane can go on any more. It keeps alive what it needs.
class Launch final : public LaneSource, public std::enable_shared_from_this<Launch> {
 public:
  // `inputs` are those of the first lane, then of the next. One entry of `calls` per lane, or none
  // at all if the program calls nothing by name.
  Launch(std::shared_ptr<Runtime> runtime, std::shared_ptr<const PreparedProgram> program,
         std::vector<ExecutionInput> inputs, std::span<const Lane> lanes,
         std::vector<std::unique_ptr<CallContext>> calls);

  // Contents that become ready when all lanes are over: with the launch's error, if it fails.
  // Tokens only say that it is over: the framework passes the last one to the next program, failed
  // or not. Before RunHere or Start.
  const ContentsPtr& output(size_t lane, size_t output) const {
    return outputs_[lane * num_outputs() + output];
  }
  sdk::Event done() const { return done_.event(); }

  // Runs all lanes to their ends on this thread, in turn. The inputs are ready and no step waits
  // for anything but lanes.
  void RunHere();
  // Other threads run each lane when its inputs are ready.
  void Start();

  void RunLane(int32_t lane) override;

 private:
  struct LaneState {
    Lane lane;
    std::unique_ptr<CallContext> call;  // null if the program calls nothing by name
    std::optional<Frame> frame;         // from when it begins until it is over
    // Guarded by the launch's mutex.
    int32_t parked_at = -1;  // the step of the collective where it waits for others
    bool is_over = false;
  };

  size_t num_outputs() const { return program_->plan().outputs.size(); }
  std::span<ExecutionInput> InputsOf(int32_t lane);
  void GoOn(int32_t lane, Frame::Calls calls);
  void GoOnWhen(int32_t lane, const sdk::Event& ready);
  void MakeReady(std::span<const int32_t> lanes, bool takes_turn = true);
  Outcome Compute(int32_t lane, Frame::Calls calls);
  Outcome ComputeGuarded(int32_t lane, Frame::Calls calls);
  Status Begin(int32_t lane);
  bool Meet(int32_t lane);
  Status Work(const Frame::Meeting& meeting, int32_t group, std::span<const int32_t> members);
  void End(int32_t lane, Status status);
  void Finish();

  // With the mutex held.
  void Fail(Status status);
  Status NobodyGoesOn() const;
  std::string PlaceOf(int32_t step) const;

  const std::shared_ptr<Runtime> runtime_;
  const std::shared_ptr<const PreparedProgram> program_;
  const uint64_t order_;
  std::vector<ExecutionInput> inputs_;
  std::vector<ContentsPtr> outputs_;
  std::vector<LaneState> lanes_;
  sdk::EventSource done_;
  std::optional<sdk::EventSource> over_;  // of tokens, if there are any; never an error of the run
  // A lane among several leaves the pool for each step that enters foreign code; a single one is on
  // a thread that may wait all the time.
  const bool leaves_for_calls_;
  bool runs_here_ = false;
  std::deque<int32_t> ready_;            // of a launch that runs here
  std::atomic<bool> has_failed_{false};  // written with the mutex held

  std::mutex mutex_;
  std::vector<int32_t> arrived_;  // lanes at each of the program's meetings
  int32_t num_active_;            // lanes that are neither parked nor over
  int32_t num_parked_ = 0;
  Status error_;  // the first
};

// The storages of inputs that are all ready, for PreparedProgram::Run. A donated input that nobody
// else reads gives its storage up.
RunArgument TakeArgument(ExecutionInput& input);

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_LAUNCH_H_
