// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_PJRT_BUFFER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_PJRT_BUFFER_H_

#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "reference_plugin/backend/executable/contents_buffer.h"
#include "reference_plugin/backend/host/block_cache.h"
#include "reference_plugin/backend/host/runtime.h"

namespace plinth::cpu {

// A buffer in the host's memory.
class CpuBuffer final : public backend::ContentsBuffer {
 public:
  // `runtime` is its client's, which outlives it.
  CpuBuffer(const std::shared_ptr<backend::Runtime>& runtime, DType dtype,
            std::span<const int64_t> dims, sdk::Memory* memory, sdk::Device* device,
            backend::ContentsPtr contents, std::shared_ptr<const sdk::Layout> layout = nullptr)
      : backend::ContentsBuffer(dtype, dims, memory, device, std::move(contents),
                                std::move(layout)),
        runtime_(runtime) {}

  static void* operator new(size_t size) {
    void* const memory = backend::BlockCache::Take(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  static void operator delete(void* memory, size_t size) noexcept {
    backend::BlockCache::Give(memory, size);
  }

  bool IsOnCpu() override { return true; }
  Expected<sdk::Event> CopyToHost(const sdk::HostDestination& destination) override;
  Expected<std::shared_ptr<void>> HoldMemory() override;
  Expected<std::unique_ptr<Buffer>> CopyToMemory(sdk::Memory* memory) override;
  Expected<std::unique_ptr<Buffer>> CopyToDevice(sdk::Device* device) override;
  Expected<sdk::Event> CopyRawToHost(void* destination, int64_t offset, int64_t size) override;
  Expected<std::unique_ptr<Buffer>> DonateWithControlDependency(sdk::Event dependency) override;
  Expected<std::unique_ptr<Buffer>> Bitcast(const sdk::Shape& shape) override;

 private:
  // Another buffer with the same contents: arrays are immutable, so sharing is a copy.
  Expected<std::unique_ptr<Buffer>> Share(sdk::Memory* memory, sdk::Device* device);
  // Runs `copy(storage)` when the contents are there, here if that is now and the copy is short.
  template <typename Copy>
  sdk::Event CopyWhenReady(backend::ContentsPtr contents, int64_t size, Copy copy);

  const std::shared_ptr<backend::Runtime>& runtime_;
};

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_PJRT_BUFFER_H_
