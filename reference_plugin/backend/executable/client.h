// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CLIENT_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CLIENT_H_

#include <memory>
#include <span>
#include <string_view>

#include "plinth/sdk/client.h"
#include "reference_plugin/backend/executable/contents_buffer.h"
#include "reference_plugin/backend/executable/device_run.h"
#include "reference_plugin/backend/host/runtime.h"
#include "reference_plugin/backend/run/backend.h"

namespace plinth::backend {

// A client of a back end: it compiles, loads and runs programs. The devices, the memories and the
// way arrays get there are those of the class that derives from it.
class BackendClient : public sdk::Client {
 public:
  BackendClient(std::shared_ptr<const Backend> backend, std::shared_ptr<Runtime> runtime)
      : backend_(std::move(backend)), runtime_(std::move(runtime)) {}
  ~BackendClient() override { runtime_->stop.store(true); }

  const std::shared_ptr<Runtime>& runtime() const { return runtime_; }

  // A buffer of this client for contents that may still have to be computed.
  virtual std::unique_ptr<ContentsBuffer> MakeBuffer(DType dtype, std::span<const int64_t> dims,
                                                     sdk::Memory* memory, sdk::Device* device,
                                                     ContentsPtr contents,
                                                     std::shared_ptr<const sdk::Layout> layout) = 0;

  // Whether programs run by RunOnDevice, not on the threads of the runtime.
  virtual bool runs_on_devices() const { return false; }
  virtual DeviceRun RunOnDevice(sdk::Device* device, DeviceRunRequest request) { return {}; }

  Expected<std::unique_ptr<sdk::LoadedExecutable>> Compile(const sdk::Program& program,
                                                           std::string_view options) override;
  Expected<std::unique_ptr<sdk::LoadedExecutable>> DeserializeAndLoad(
      std::string_view serialized, std::string_view overridden_options,
      const sdk::LoadOptions& load) override;
  Expected<std::unique_ptr<sdk::LoadedExecutable>> Load(
      std::shared_ptr<const sdk::Executable> executable, std::string_view options) override;

 private:
  const std::shared_ptr<const Backend> backend_;
  const std::shared_ptr<Runtime> runtime_;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CLIENT_H_
