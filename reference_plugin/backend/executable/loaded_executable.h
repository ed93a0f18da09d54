// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_LOADED_EXECUTABLE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_LOADED_EXECUTABLE_H_

#include <memory>
#include <span>
#include <vector>

#include "plinth/sdk/executable.h"
#include "reference_plugin/backend/executable/client.h"
#include "reference_plugin/backend/executable/executable.h"
#include "reference_plugin/backend/executable/launch.h"

namespace plinth::backend {

// A compiled program on devices of a client, which it does not outlive.
class BackendLoadedExecutable final : public sdk::LoadedExecutable {
 public:
  // On the devices that `options` name, or on the first ones. INVALID_ARGUMENT if there are none
  // such, or if a device is to run two parts of the program.
  static Expected<std::unique_ptr<sdk::LoadedExecutable>> Create(
      BackendClient& client, std::shared_ptr<const BackendExecutable> executable,
      const program::CompileOptions& options);
  // On these devices, each with arguments and results of its own.
  static Expected<std::unique_ptr<sdk::LoadedExecutable>> CreateOn(
      BackendClient& client, std::shared_ptr<const BackendExecutable> executable,
      std::vector<sdk::Device*> devices);

  Status Execute(const sdk::ExecuteRequest& request, sdk::ExecuteResults& results) override;

 private:
  BackendLoadedExecutable(BackendClient& client,
                          std::shared_ptr<const BackendExecutable> executable,
                          sdk::LoadedExecutableInfo info, std::vector<sdk::Memory*> output_memories)
      : LoadedExecutable(executable, std::move(info)),
        client_(client),
        executable_(std::move(executable)),
        output_memories_(std::move(output_memories)) {}

  Status TakeInputs(const sdk::ExecuteRequest& request, bool takes_donated,
                    std::vector<ExecutionInput>& inputs) const;
  void SetOutput(sdk::ExecuteResults& results, size_t lane, size_t output, sdk::Device* device,
                 ContentsPtr contents) const;
  sdk::Device* DeviceOf(const sdk::ExecuteRequest& request, size_t lane) const {
    return request.execute_device != nullptr ? request.execute_device
                                             : info().addressable_devices[lane];
  }
  Lane LaneOf(size_t lane, const sdk::Device* device) const;
  void RunAllHere(std::span<RunArgument> arguments, const sdk::ExecuteRequest& request,
                  sdk::ExecuteResults& results) const;
  sdk::Event StartLaunch(std::vector<ExecutionInput> inputs, bool here,
                         const sdk::ExecuteRequest& request, sdk::ExecuteResults& results) const;
  sdk::Event RunOnDevices(std::span<ExecutionInput> inputs, const sdk::ExecuteRequest& request,
                          sdk::ExecuteResults& results) const;

  BackendClient& client_;
  const std::shared_ptr<const BackendExecutable> executable_;
  const std::vector<sdk::Memory*> output_memories_;  // of the first device, then of the next
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_LOADED_EXECUTABLE_H_
