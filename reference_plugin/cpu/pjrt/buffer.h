// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_PJRT_BUFFER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_PJRT_BUFFER_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <span>

#include "plinth/sdk/buffer.h"
#include "reference_plugin/backend/executable/contents.h"
#include "reference_plugin/backend/host/runtime.h"

namespace plinth::cpu {

// Null for row major. UNIMPLEMENTED for tiles.
Expected<std::shared_ptr<const sdk::Layout>> LayoutOf(std::shared_ptr<const sdk::Layout> layout,
                                                      size_t rank);

// A PJRT buffer: a reference to contents, with a shape. Dense; `layout` is null for row major.
class CpuBuffer final : public sdk::Buffer {
 public:
  CpuBuffer(std::shared_ptr<Runtime> runtime, DType dtype, std::span<const int64_t> dims,
            sdk::Memory* memory, sdk::Device* device, ContentsPtr contents,
            std::shared_ptr<const sdk::Layout> layout = nullptr)
      : Buffer(dtype, dims, memory, device, std::move(layout)),
        runtime_(std::move(runtime)),
        ready_(contents->ready),
        contents_(std::move(contents)) {}

  // The contents to read, or null if the buffer is deleted, and in a child of fork() if another
  // thread was just doing this.
  ContentsPtr contents();
  // The contents to keep: the buffer is deleted. Null if it was already.
  ContentsPtr Donate();

  sdk::Event ReadyEvent() override { return ready_; }
  void Delete() override;
  bool IsReadableAfterFork() const override { return true; }
  bool IsDeleted() override { return is_deleted_.load(std::memory_order_acquire); }
  bool IsOnCpu() override { return true; }
  Expected<sdk::Event> CopyToHost(const sdk::HostDestination& destination) override;
  Expected<std::shared_ptr<void>> HoldMemory() override;
  Expected<std::unique_ptr<Buffer>> CopyToMemory(sdk::Memory* memory) override;
  Expected<std::unique_ptr<Buffer>> CopyToDevice(sdk::Device* device) override;
  Expected<sdk::Event> CopyRawToHost(void* destination, int64_t offset, int64_t size) override;
  Expected<std::unique_ptr<Buffer>> DonateWithControlDependency(sdk::Event dependency) override;
  Expected<std::unique_ptr<Buffer>> Bitcast(const sdk::Shape& shape) override;

 private:
  // False if whoever has the lock is not in this process.
  bool Lock(std::unique_lock<std::mutex>& lock) const;
  Status DeletedError(const char* action) const;
  Expected<ContentsPtr> ContentsFor(const char* action);
  // Another buffer with the same contents: arrays are immutable, so sharing is a copy.
  Expected<std::unique_ptr<Buffer>> Share(sdk::Memory* memory, sdk::Device* device);
  // Runs `copy(storage)` when the contents are there, here if that is now and the copy is short.
  template <typename Copy>
  sdk::Event CopyWhenReady(ContentsPtr contents, int64_t size, Copy copy);

  const std::shared_ptr<Runtime> runtime_;
  const sdk::Event ready_;
  mutable std::mutex mutex_;
  ContentsPtr contents_;                 // null once deleted
  std::atomic<bool> is_deleted_{false};  // written with the lock held, read without it
};

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_PJRT_BUFFER_H_
