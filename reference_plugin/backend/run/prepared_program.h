// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_PREPARED_PROGRAM_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_PREPARED_PROGRAM_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/backend/host/runtime.h"
#include "reference_plugin/backend/host/storage.h"
#include "reference_plugin/backend/run/backend.h"
#include "reference_plugin/backend/run/collective_step.h"
#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/plan/plan.h"

namespace plinth::backend {

// An argument of a run. If it was donated and nobody else refers to its bytes, the run writes its
// results there.
struct RunArgument {
  StoragePtr storage;
  bool is_donated = false;
  // In its place: somebody else keeps it as long as the run, which reads it.
  Storage* lent = nullptr;
};

// Which of a program's devices a run is for.
struct Lane {
  int32_t device = 0;  // its ordinal
  int64_t partition_id = 0, replica_id = 0;
  bool computes_alone = false;  // on its one thread: there are as many lanes as threads
  const std::atomic<bool>* stop =
      nullptr;  // may be null; the run gives up, as when the client goes
};

// A plan with every step made ready for this machine. Immutable: any number of runs at once.
class PreparedProgram {
 public:
  static Expected<std::shared_ptr<const PreparedProgram>> Create(compiler::plan::Plan plan,
                                                                 const Backend& backend);

  const compiler::plan::Plan& plan() const { return plan_; }
  // Whether a run on so many devices is so short that handing it to other threads would cost more.
  // What calls foreign code never is: nobody knows how long that takes, or what it waits for.
  bool IsShort(size_t devices = 1) const;
  // Whether it calls anything by name, so that Run needs a CallContext.
  bool has_custom_calls() const { return has_custom_calls_; }
  // Whether it enters foreign code: then no thread of the pool may run it.
  bool may_wait() const { return may_wait_; }
  // Whether a step may wait for others, so that a Frame may stop before the end.
  bool may_pause() const { return may_pause_; }
  // Groups of lanes that meet somewhere in the program, numbered over all its collectives. None:
  // runs on several devices know nothing of each other.
  int32_t num_meetings() const { return num_meetings_; }

  // What a step of the plan is, if lanes take part in it together; else null.
  const CollectiveStep* CollectiveOf(int32_t step) const {
    return steps_[static_cast<size_t>(step)].collective;
  }

  // Bytes that a run takes besides arguments and outputs: the arena, the scratch of the step that
  // needs most, then what bound steps in loops work on (BindLoops).
  int64_t memory_size() const {
    return slots_offset() + num_slots_ * static_cast<int64_t>(sizeof(std::byte*));
  }

  // For back ends with a queue: the step that was made of a kernel or library step of the plan; and
  // the scratch of the step that needs most, which lies behind the arena in those bytes.
  const PreparedStep& prepared(size_t step) const { return *steps_[step].prepared; }
  int64_t scratch_bytes() const { return scratch_bytes_; }
  // The combined step that begins there, or null.
  const CombinedStep* CombinedAt(size_t step) const {
    const int32_t number = steps_[step].combined;
    return number < 0 ? nullptr : &combined_[static_cast<size_t>(number)];
  }
  // By step of the plan; null for jumps and copies. Those that are combined stand where they begin.
  std::vector<std::shared_ptr<const PreparedStep>> prepared_steps() const;
  int64_t scratch_offset() const {
    const int64_t alignment = std::max(plan_.arena_alignment, kStorageAlignment);
    return (plan_.arena_size + alignment - 1) / alignment * alignment;
  }

  // Runs the program to its end on this thread, with the help of the runtime's. `arguments` are
  // taken: a donated one may become an output. `outputs` are filled in only on success. CANCELLED
  // when the runtime is told to stop, INTERNAL at a collective: launches of several lanes run
  // those.
  Status Run(Runtime& runtime, std::span<RunArgument> arguments, std::span<StoragePtr> outputs,
             const Lane& lane = {}, CallContext* call = nullptr) const;

 private:
  friend class Frame;

  struct Step {
    compiler::plan::PlanStepKind kind;
    int32_t first_array = 0;  // in array_allocations_: operands, then results
    int32_t num_operands = 0, num_results = 0;
    int64_t copy_bytes = 0;
    std::shared_ptr<const PreparedStep> prepared;  // kernels that do the same work share one
    std::vector<int32_t> targets;
    // Bound steps in loops: what `prepared` is, and where its slots are among the program's.
    const Bindable* bindable = nullptr;
    int32_t first_slot = 0;
    // Collectives: what `prepared` is, and the number of its first group among the meetings.
    const CollectiveStep* collective = nullptr;
    int32_t first_meeting = 0;
    std::vector<int32_t> shared_results;  // that the lanes of a group have together
    const NativeLoop* loop = nullptr;     // that begins here
    int32_t combined = -1;                // in combined_: that begins here
  };

  explicit PreparedProgram(compiler::plan::Plan plan) : plan_(std::move(plan)) {}
  Status Prepare(const Backend& backend);
  std::vector<int32_t> LoopDepths() const;
  void FindBindable(std::span<const int32_t> loop_depths);
  void FindShared(std::span<const int32_t> loop_depths);
  void TranslateLoops(const Backend& backend);
  void FindSaved(std::span<const int32_t> loop_depths);

  // Whether an allocation is one for all lanes of a group.
  bool IsShared(size_t allocation) const { return !is_shared_.empty() && is_shared_[allocation]; }

  static int64_t Align(int64_t bytes) {
    return (bytes + kStorageAlignment - 1) / kStorageAlignment * kStorageAlignment;
  }
  int64_t registers_offset() const { return Align(scratch_offset() + scratch_bytes_); }
  int64_t slots_offset() const { return Align(registers_offset() + register_bytes_); }

  compiler::plan::Plan plan_;
  std::vector<Step> steps_;
  std::vector<std::unique_ptr<NativeLoop>> loops_;
  std::vector<CombinedStep> combined_;
  std::vector<int32_t> array_allocations_;
  std::vector<StoragePtr> constants_;  // by storage number; null for other kinds
  std::vector<bool> is_shared_;        // by storage number; empty: none
  double shared_ns_ = 0;               // of the plan's cost: what is done once for a whole group
  double saved_ns_ = 0;                // of it: by machine code in place of steps
  int64_t scratch_bytes_ = 0;
  int32_t most_arrays_ = 0;  // of one step
  int32_t num_meetings_ = 0;
  int64_t register_bytes_ = 0, num_slots_ = 0;
  bool has_custom_calls_ = false, may_wait_ = false, may_pause_ = false;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_PREPARED_PROGRAM_H_
