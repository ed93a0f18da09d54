// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_LAUNCH_H_
#define PLINTH_CONFORMANCE_CASES_LAUNCH_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/cases/program_pack.h"
#include "conformance/runner/context.h"

// Programs on several devices.
namespace plinth::conformance {

// CompileOptionsProto for the devices with these ids, replica by replica; without ids for those
// that the plugin chooses.
std::string CompileOptionsOf(int replicas, int partitions, std::span<const int> ids);

// The ids of the first `count` addressable devices; nothing, and UNSUPPORTED, where there are fewer
// or the profile says that programs have fewer partitions.
std::vector<int> IdsOfDevices(Context& context, size_t count);

// How many replicas the text of a program names, as JAX writes it; one where it names none.
int ReplicasOf(std::string_view text);

// A program of packs/launches; null, with a finding, where there is none.
const PackedProgram* LaunchProgram(Context& context, std::string_view name);

// A program of packs/launches, compiled for partitions on the devices with these ids. Nothing where
// the plugin cannot be asked.
std::optional<Expected<OwnedLoadedExecutable>> TryCompileFor(Context& context,
                                                             std::string_view name,
                                                             std::span<const int> ids);
// The same; what is not compiled is a finding.
OwnedLoadedExecutable CompileFor(Context& context, std::string_view name, std::span<const int> ids);

// The executable's devices, in the order of its logical ids.
std::vector<PJRT_Device*> DevicesOf(Context& context, PJRT_LoadedExecutable* executable);

// One execution of a program of one argument and one output, on several devices.
class Launch {
 public:
  explicit Launch(const Context& context) : context_(context) {}

  // An array of f32[4], full of `number`, for each device.
  bool Upload(Context& context, std::span<PJRT_Device* const> devices,
              std::span<const float> numbers);
  // Takes the place of the argument of one device.
  void SetArgument(size_t device, OwnedBuffer buffer) { arguments_[device] = std::move(buffer); }
  PJRT_Buffer* argument(size_t device) const { return arguments_[device].get(); }
  void DestroyArguments() { arguments_.clear(); }

  // `indices`: arguments that must not be donated.
  Status Execute(PJRT_LoadedExecutable* executable, std::span<const int64_t> indices = {});
  // Asks for no events from now on.
  void WithoutEvents() { has_events_ = false; }
  // What was computed is what the next call computes from.
  void OutputsToArguments() { arguments_ = std::exchange(outputs_, {}); }
  OwnedBuffer TakeOutput(size_t device) { return std::move(outputs_[device]); }
  // The next call is one of one device less.
  void DropArgument() { arguments_.pop_back(); }

  // Whether the last call left every place for outputs and events as it was.
  bool HandedOutNothing() const;

  // Waits for the output of a device, and for its event.
  Expected<std::vector<float>> Output(size_t device) const;
  Status Done(size_t device) const {
    return has_events_ ? context_.Await(events_[device].get()) : Status();
  }
  PJRT_Buffer* output(size_t device) const { return outputs_[device].get(); }

 private:
  const Context& context_;
  std::vector<OwnedBuffer> arguments_, outputs_;
  std::vector<OwnedEvent> events_;
  bool has_events_ = true, handed_out_nothing_ = true;
};

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_LAUNCH_H_
