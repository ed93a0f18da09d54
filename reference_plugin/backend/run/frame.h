// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_FRAME_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_FRAME_H_

#include <cstddef>
#include <span>
#include <vector>

#include "plinth/support/small_vector.h"
#include "reference_plugin/backend/host/runtime.h"
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

  // Goes on from where the run is: to its end, to an error, or to a step that waits. Of such a one
  // the outcome tells when to call Run again, on any thread; what the step failed with is then the
  // error of this call. CANCELLED when the runtime is told to stop.
  Outcome Run();

  // When Run was done.
  void TakeOutputs(std::span<StoragePtr> outputs);

 private:
  using Step = PreparedProgram::Step;

  Status BindStorages(std::span<RunArgument> arguments);
  Status BindLoops();
  std::span<void* const> ArraysOf(const Step& step);
  std::byte* Array(const Step& step, int32_t number) const {
    return bases_[program_.array_storages_[step.first_array + number]];
  }
  // Runs a step that is no jump.
  Outcome RunStep(const Step& step);

  static constexpr size_t kFewStorages = 16;

  const PreparedProgram& program_;
  Runtime& runtime_;
  RunContext context_;
  size_t next_ = 0;                              // the step
  sdk::Event waited_for_;                        // of the step before it
  std::byte* memory_ = nullptr;                  // arena, scratch, registers, slots
  StoragePtr pooled_;                            // the same, where it is not the thread's
  SmallVector<std::byte*, kFewStorages> bases_;  // of the storages
  StoragePtr few_owned_[kFewStorages];           // storages that are no part of the arena
  std::vector<StoragePtr> many_owned_;           // the same of larger programs
  std::span<StoragePtr> owned_;
  SmallVector<void*, 16> arrays_;  // of the step that runs
  std::byte** slots_ = nullptr;    // of bound steps
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_FRAME_H_
