// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PJRT_BUFFER_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PJRT_BUFFER_H_

#include <functional>
#include <memory>
#include <span>

#include "reference_plugin/backend/executable/contents_buffer.h"
#include "reference_plugin/cuda/runtime/device.h"

namespace plinth::cuda {

// An array in a GPU's memory.
class GpuBuffer final : public backend::ContentsBuffer {
 public:
  GpuBuffer(std::shared_ptr<Gpu> gpu, DType dtype, std::span<const int64_t> dims,
            sdk::Memory* memory, sdk::Device* device, backend::ContentsPtr contents,
            std::shared_ptr<const sdk::Layout> layout = nullptr)
      : ContentsBuffer(dtype, dims, memory, device, std::move(contents), std::move(layout)),
        gpu_(std::move(gpu)) {}

  // Of a memory of the host, "pinned_host".
  static bool IsPinned(const sdk::Memory& memory) { return memory.kind() == "pinned_host"; }
  // The contents in pinned memory, or back on the device: shared if they are there.
  static backend::ContentsPtr Moved(backend::ContentsPtr contents, bool to_pinned);

  bool IsOnCpu() override { return IsPinned(*memory()); }
  // The driver is not for a child of fork().
  bool IsReadableAfterFork() const override { return false; }
  Expected<sdk::Event> CopyToHost(const sdk::HostDestination& destination) override;
  Expected<std::shared_ptr<void>> HoldMemory() override;
  Expected<std::unique_ptr<Buffer>> CopyToMemory(sdk::Memory* memory) override;
  Expected<std::unique_ptr<Buffer>> CopyToDevice(sdk::Device* device) override;
  Expected<sdk::Event> CopyRawToHost(void* destination, int64_t offset, int64_t size) override;
  Status WaitUntilReadyOnStream(intptr_t stream) override;
  Expected<std::unique_ptr<Buffer>> DonateWithControlDependency(sdk::Event dependency) override;
  Expected<std::unique_ptr<Buffer>> Bitcast(const sdk::Shape& shape) override;

 private:
  // `copy` begins a copy of the storage when there is one, and answers its end.
  static sdk::Event CopyOutWhenPlaced(
      backend::ContentsPtr contents,
      std::function<Expected<sdk::Event>(const backend::StoragePtr&)> copy);

  const std::shared_ptr<Gpu> gpu_;
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PJRT_BUFFER_H_
