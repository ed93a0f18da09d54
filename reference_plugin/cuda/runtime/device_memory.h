// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_DEVICE_MEMORY_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_DEVICE_MEMORY_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "reference_plugin/backend/host/storage.h"
#include "reference_plugin/cuda/runtime/device.h"

namespace plinth::cuda {

// An array's memory on a device, and which streams use it. The last reference frees it in the order
// of the compute stream. Any thread.
class DeviceBlock {
 public:
  // Own memory, which `first` is the first stream to use.
  DeviceBlock(std::shared_ptr<Gpu> gpu, CUdeviceptr address, int64_t size, StreamKind first)
      : gpu_(std::move(gpu)), address_(address), size_(size), writer_(first) {}
  // Memory of somebody else that is there when `written` is over; null: already. `is_host`: pinned
  // memory of the host, which programs get a copy of.
  DeviceBlock(std::shared_ptr<Gpu> gpu, CUdeviceptr address, int64_t size, EventPtr written,
              std::shared_ptr<const void> lender, bool is_host = false)
      : gpu_(std::move(gpu)),
        address_(address),
        size_(size),
        is_lent_(true),
        is_host_(is_host),
        lender_(std::move(lender)),
        writer_(StreamKind::kOutside),
        written_(std::move(written)) {}
  ~DeviceBlock() { gpu_->Free(*this); }
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;

  Gpu& gpu() const { return *gpu_; }
  CUdeviceptr address() const { return address_; }
  int64_t size() const { return size_; }

  bool is_lent() const { return is_lent_; }
  bool is_host() const { return is_host_; }
  // Of lent memory, until the block goes.
  const std::shared_ptr<const void>& lender() const { return lender_; }
  void ForgetLender() { lender_ = nullptr; }

  // Whether only the stream that it was made for may use it yet.
  bool is_private() const { return written_ == nullptr; }
  StreamKind writer() const { return writer_; }

  // Before a stream reads: makes it wait for who wrote.
  Status BeforeRead(StreamKind kind);
  // Before a stream writes: for who wrote and for who read.
  Status BeforeWrite(StreamKind kind);
  // For who read alone.
  Status AfterReads(StreamKind kind);
  // Makes a stream that is not ours wait for who wrote.
  Status WaitFromOutside(CUstream stream);
  // After a stream wrote: `event` was recorded after it.
  void Wrote(StreamKind kind, EventPtr event);
  // After a stream read: the event after that. Other threads may do the same at the same time.
  Expected<EventPtr> RecordRead(StreamKind kind);

  // That of a storage of a device; null if it has none.
  static DeviceBlock* Of(const backend::StoragePtr& storage) {
    return static_cast<DeviceBlock*>(const_cast<void*>(storage->owner().get()));
  }

 private:
  const std::shared_ptr<Gpu> gpu_;
  const CUdeviceptr address_;
  const int64_t size_;
  const bool is_lent_ = false, is_host_ = false;
  std::shared_ptr<const void> lender_;
  std::mutex mutex_;
  // Guarded. Who wrote last, and the event after it: null if it was on `writer_` and nobody else
  // may use the array yet.
  StreamKind writer_;
  EventPtr written_;
  std::array<bool, kNumStreams> has_waited_ = {};  // for written_
  // Since then. Of two events of a stream the later one is enough, where it is known which.
  struct Reading {
    uint64_t number;
    EventPtr over;
  };
  std::array<std::vector<Reading>, kNumStreams> read_;
  uint64_t num_reads_ = 0;
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_DEVICE_MEMORY_H_
