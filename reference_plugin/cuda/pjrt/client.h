// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PJRT_CLIENT_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PJRT_CLIENT_H_

#include <memory>
#include <vector>

#include "reference_plugin/backend/executable/client.h"
#include "reference_plugin/cuda/driver/driver.h"
#include "reference_plugin/cuda/runtime/backend.h"
#include "reference_plugin/cuda/runtime/device.h"

namespace plinth::cuda {

struct GpuClientOptions {
  LibraryPlaces places;
  std::vector<int64_t> visible_devices;  // ordinals; empty: all
  GpuOptions gpu;
  ProgramSettings programs;
};

// The GPUs that the driver sees, each with the memories "device" and "pinned_host", which is the
// host's. All are of one compute capability:
// a program is compiled for it.
class GpuClient final : public backend::BackendClient {
 public:
  // UNAVAILABLE says what is missing.
  static Expected<std::unique_ptr<sdk::Client>> Create(const GpuClientOptions& options);
  ~GpuClient() override;

  std::unique_ptr<backend::ContentsBuffer> MakeBuffer(
      DType dtype, std::span<const int64_t> dims, sdk::Memory* memory, sdk::Device* device,
      backend::ContentsPtr contents, std::shared_ptr<const sdk::Layout> layout) override;
  bool runs_on_devices() const override { return true; }
  backend::DeviceRun RunOnDevice(sdk::Device* device, backend::DeviceRunRequest request) override;
  Expected<sdk::HostBufferResult> BufferFromHostBuffer(
      const sdk::HostBufferRequest& request) override;
  Expected<std::unique_ptr<sdk::Buffer>> CreateUninitializedBuffer(const sdk::Shape& shape,
                                                                   sdk::Memory* memory,
                                                                   sdk::Device* device) override;
  Expected<std::unique_ptr<sdk::Buffer>> CreateErrorBuffer(const Status& error,
                                                           const sdk::Shape& shape,
                                                           sdk::Memory* memory) override;
  Expected<std::unique_ptr<sdk::Buffer>> CreateViewOfDeviceBuffer(
      const sdk::ViewRequest& request) override;
  Expected<sdk::AliasBuffer> CreateAliasBuffer(const sdk::Shape& shape,
                                               sdk::Memory* memory) override;

 private:
  GpuClient(std::shared_ptr<const backend::Backend> backend,
            std::shared_ptr<backend::Runtime> runtime, std::vector<std::shared_ptr<Gpu>> gpus);
  const std::shared_ptr<Gpu>& GpuOf(const sdk::Device* device) const;
  std::unique_ptr<sdk::Buffer> NewBuffer(const sdk::Shape& shape, sdk::Memory* memory,
                                         sdk::Device* device, backend::ContentsPtr contents);

  const std::vector<std::shared_ptr<Gpu>> gpus_;  // by the id of their device
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PJRT_CLIENT_H_
