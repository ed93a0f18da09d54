// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_WATCH_H_
#define PLINTH_CONFORMANCE_RUNNER_WATCH_H_

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "conformance/runner/verdict.h"
#include "pjrt_c_api.h"
#include "plinth/reflection/reflection.h"

// What holds around every call, whichever case makes it.
namespace plinth::conformance {

// Findings of calls, until a case takes them. For any thread.
class WatchFindings {
 public:
  // Equal findings of one case count once.
  void Add(std::string_view requirement, std::string text);
  std::vector<Finding> Take();

 private:
  std::mutex mutex_;
  std::vector<Finding> findings_;
};

// Around one call: fills the outputs with a pattern before it, and looks at every field after it.
// What the call leaves untouched holds again what the caller had put there.
class CallWatch {
 public:
  // `minor` is the plugin's: it cannot set what is younger. `args` may be null.
  CallWatch(const reflection::Function& function, void* args, int minor);

  // Once, after the call. `failed`: it returned an error.
  void Finish(bool failed, WatchFindings& findings);

 private:
  // What an input points to, as it was before the call.
  struct Input {
    const reflection::Field* field;
    uint64_t address;
    size_t size, hash;
  };

  bool IsFilled(const reflection::Field& field) const;
  // Of a struct of which `size` bytes lie at `at`, and of the structs in it and behind it.
  void NoteInputs(const reflection::Struct& structure, const std::byte* at, size_t size, int depth);
  // How many bytes a field of such a struct points to that the call must not change; 0 if it is
  // none of these.
  size_t InputSize(const reflection::Struct& structure, const std::byte* at, size_t size,
                   const reflection::Field& field) const;
  void LookAtOutput(const reflection::Field& field, WatchFindings& findings) const;
  void LookAtArray(const reflection::Field& field, WatchFindings& findings) const;
  std::byte* At(const reflection::Field& field) const { return args_ + field.offset; }

  const reflection::Function& function_;
  const reflection::Struct* structure_ = nullptr;  // null: nothing to look at
  std::byte* args_ = nullptr;
  int minor_;
  size_t size_ = 0;  // of what the caller announced and the plugin can know
  std::array<std::byte, 512> before_;
  std::array<Input, 32> inputs_;
  size_t num_inputs_ = 0;
  uint32_t fp_modes_;
  sigset_t signals_;
};

// What a process is for its other parts: what no call may change. Slower to read than what
// CallWatch looks at, so it is compared once for each case.
class ProcessWatch {
 public:
  ProcessWatch();
  // `made_client`: a client was made meanwhile, which may set environment and signal handlers.
  void Finish(bool made_client, WatchFindings& findings) const;

 private:
  std::string folder_, locale_, environment_, thread_name_, limits_, streams_;
  std::vector<std::byte> affinity_, handlers_;
  uint32_t umask_;
};

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_WATCH_H_
