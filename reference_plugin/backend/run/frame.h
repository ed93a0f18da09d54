// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_FRAME_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_FRAME_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plinth/support/small_vector.h"
#include "reference_plugin/backend/host/runtime.h"
#include "reference_plugin/backend/host/short_array.h"
#include "reference_plugin/backend/run/outcome.h"
#include "reference_plugin/backend/run/prepared_program.h"

namespace plinth::backend {

// One run of a program on one device: everything of it that changes. Used by one thread at a time.
// A program whose steps never wait is bound and run on one thread, which lends it memory.
class Frame {
 public:
  // The program, the runtime and what calls ask for outlive the frame.
  Frame(const PreparedProgram& program, Runtime& runtime, const Lane& lane, CallContext* call);
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  // First of all: finds or makes the bytes that the steps work on. `arguments` are taken.
  Status Bind(std::span<RunArgument> arguments);

  // What Run does with steps that enter foreign code: all that come, none, or just the one before
  // which the run stands.
  enum class Calls : uint8_t { kAll, kNone, kOne };

  // Goes on from where the run is: to its end, to an error, or to where it has to wait. CANCELLED
  // when the run is told to stop.
  Outcome Run(Calls calls = Calls::kAll);

  // Where the run stands after an outcome that waits, until Run is called again. At an event, which
  // the outcome has: that of a step; what it failed with is the error of the next Run, on any
  // thread. At a collective: until the lanes of its group have met there. Else before or after a
  // step that enters foreign code, as `calls` said.
  enum class Place : uint8_t { kEvent, kCollective, kBeforeCall, kAfterCall };
  Place place() const { return place_; }
  // At a collective.
  struct Meeting {
    const CollectiveStep* collective = nullptr;
    int32_t first = 0;  // the number of its first group among the program's meetings
    int32_t step = 0;   // of the plan
    CollectiveStep::Participant self;
    // Results that the whole group has together, each in a storage that it gets before it meets.
    std::span<const int32_t> shared;
  };
  Meeting meeting() const;
  // At a collective: where a result that the group has together lies.
  void ShareResult(int32_t result, StoragePtr storage);

  // When Run was done.
  void TakeOutputs(std::span<StoragePtr> outputs);

 private:
  using Step = PreparedProgram::Step;

  Status BindStorages(std::span<RunArgument> arguments);
  Status BindLoops();
  std::span<void* const> ArraysOf(const Step& step);
  std::byte* Array(const Step& step, int32_t number) const {
    return bases_[program_.array_allocations_[step.first_array + number]];
  }
  Status StopStatus() const;
  // Stands there, with `next` the step to begin with.
  Outcome StopAt(Place place, const Step* next);
  // Runs a step that is no jump.
  Outcome RunStep(const Step& step);
  // Runs a loop that is machine code; sets where the run goes on.
  Status RunLoop(const NativeLoop& loop, const Step** next);

  static constexpr size_t kFewAllocations = 16;

  const PreparedProgram& program_;
  Runtime& runtime_;
  RunContext context_;
  const std::atomic<bool>* const stop_too_;  // may be null
  size_t next_ = 0;                          // the step
  Place place_ = Place::kEvent;
  sdk::Event waited_for_;                           // of the step before it
  std::byte* memory_ = nullptr;                     // arena, scratch, registers, slots
  StoragePtr pooled_;                               // the same, where it is not the thread's
  SmallVector<std::byte*, kFewAllocations> bases_;  // of the allocations
  ShortArray<StoragePtr, kFewAllocations> owned_;   // by allocation: arguments and outputs
  SmallVector<void*, 16> arrays_;                   // of the step that runs
  std::byte** slots_ = nullptr;                     // of bound steps
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_FRAME_H_
