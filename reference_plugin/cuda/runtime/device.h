// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_DEVICE_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_DEVICE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/sdk/event.h"
#include "plinth/support/status.h"
#include "reference_plugin/backend/calls/call_queue.h"
#include "reference_plugin/backend/host/runtime.h"
#include "reference_plugin/backend/host/storage.h"
#include "reference_plugin/compiler/ir/attributes.h"
#include "reference_plugin/cuda/driver/driver.h"
#include "reference_plugin/cuda/driver/error_latch.h"
#include "reference_plugin/cuda/driver/library_search.h"
#include "reference_plugin/cuda/runtime/blas.h"
#include "reference_plugin/cuda/runtime/completions.h"
#include "reference_plugin/cuda/runtime/pinned_memory.h"

namespace plinth::cuda {

class DeviceBlock;

// What a device's work is enqueued on. Arrays come in on kIn, go out on kOut, and everything else,
// programs and frees above all, is on kCompute.
enum class StreamKind : uint8_t { kCompute, kIn, kOut, kOutside };
inline constexpr int kNumStreams = 3;  // those of ours; kOutside is somebody else's that wrote

struct GpuOptions {
  int64_t memory_limit = 0;  // bytes of all arrays at once; 0: what the device has
  bool preallocate = false;  // take the limit, or three quarters of what is free, at once
};

struct GpuMemoryStats {
  int64_t bytes_in_use = 0, peak_bytes_in_use = 0, num_allocations = 0, largest_allocation = 0;
  int64_t limit = 0;
};

// A recorded event of the driver. Goes back to the device's pool with its last reference.
using EventPtr = std::shared_ptr<CUevent_st>;

// A GPU: its primary context, three streams, memory in the order of streams. Any thread may call
// any function. Every array and run keeps it alive.
//
// After an error that the context does not survive every function answers with that error.
class Gpu final : public std::enable_shared_from_this<Gpu>, public backend::CallQueue {
 public:
  // `runtime` has the threads on which callbacks of the framework run. `places`: where libraries
  // may be that programs need.
  static Expected<std::shared_ptr<Gpu>> Open(std::shared_ptr<const Driver> driver, int ordinal,
                                             const GpuOptions& options, LibraryPlaces places,
                                             std::shared_ptr<backend::Runtime> runtime);
  ~Gpu();

  int ordinal() const { return ordinal_; }
  const std::string& name() const { return name_; }
  int capability() const { return capability_; }  // 10 * major + minor
  int multiprocessors() const { return multiprocessors_; }
  const Driver& driver() const { return *driver_; }
  const DriverFunctions& api() const { return driver_->api(); }
  CUstream stream(StreamKind kind) const { return streams_[static_cast<size_t>(kind)]; }
  PinnedMemory& pinned() { return *pinned_; }
  // cuBLASLt for this device, which the first call opens; UNAVAILABLE where there is none. Needs no
  // Current.
  Expected<Blas*> blas();
  ErrorLatch& latch() { return latch_; }

  // The context is this thread's as long as this lives; then the one before is again. `program`:
  // what the thread enqueues, for the message of a lost device.
  class Current {
   public:
    explicit Current(const Gpu& gpu, std::string_view program = {});
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const Gpu& gpu_;
    CUcontext before_ = nullptr;
    std::string_view program_before_;
  };

  // The driver's answer as a status; of a lost context, the first error. The rest needs a Current.
  Status Check(CUresult result, std::string_view what) const;

  // Memory for an array that `first` is the first stream to use; uninitialized. RESOURCE_EXHAUSTED
  // with figures when limit or device forbid it, after everything that is freed has come back.
  Expected<backend::StoragePtr> Allocate(int64_t size, StreamKind first);
  // An array in memory of somebody else, which is never written. It has its contents when `stream`
  // comes to this point; null: already. `lender` is dropped when nothing that is enqueued uses the
  // memory any more, on a thread of the runtime's. INVALID_ARGUMENT for memory that is not this
  // device's.
  Expected<backend::StoragePtr> View(void* data, int64_t size, CUstream stream,
                                     std::shared_ptr<const void> lender, sdk::Event* arrived);
  // RESOURCE_EXHAUSTED if an array of so many bytes has no room even alone.
  Status CheckFits(int64_t size) const;
  // The constant on this device; it goes up once, and stays as long as somebody has it.
  Expected<backend::StoragePtr> Constant(
      const std::shared_ptr<const compiler::Attributes>& attributes);
  // Drops the constants of programs that are gone; `all`: every constant, because the client goes.
  void DropConstants(bool all);
  GpuMemoryStats memory_stats() const;
  void ResetPeak();

  // An event that was just recorded on the stream.
  Expected<EventPtr> Record(StreamKind kind) { return RecordOn(stream(kind)); }
  // What is enqueued from now on happens after the event.
  Status WaitOn(StreamKind kind, const EventPtr& event);
  // The compute stream; memory whose first user it is.
  void* stream_of_calls() const override { return stream(StreamKind::kCompute); }
  Expected<backend::StoragePtr> AllocateForCalls(int64_t size) override {
    return Allocate(size, StreamKind::kCompute);
  }

  // Whether the event is over, or is before this has asked some dozen microseconds long. Needs a
  // Current.
  Expected<bool> IsOverSoon(const EventPtr& event) const;
  // Calls `then` on a thread of the stream when the event is over: with an error if the device is
  // lost. Streams of others have one thread, so that ours do not wait for them. Needs no Current.
  // `program`: whose work that is, for the message of a lost device; it lives as long as `then`.
  void WhenOver(StreamKind kind, EventPtr event, std::function<void(const Status&)> then,
                std::string_view program = {});

 private:
  friend class DeviceBlock;

  Gpu(std::shared_ptr<const Driver> driver, int ordinal, LibraryPlaces places,
      std::shared_ptr<backend::Runtime> runtime)
      : driver_(std::move(driver)),
        ordinal_(ordinal),
        places_(std::move(places)),
        runtime_(std::move(runtime)) {}
  Status Start(const GpuOptions& options);
  Status Reserve(int64_t size);
  void Free(DeviceBlock& block);
  void GiveBackLent(DeviceBlock& block);
  Status CheckIsOurs(CUdeviceptr address) const;
  Expected<EventPtr> RecordOn(CUstream stream);
  void GiveBack(CUevent event);
  Status OutOfMemory(int64_t size) const;

  const std::shared_ptr<const Driver> driver_;
  const int ordinal_;
  const LibraryPlaces places_;
  const std::shared_ptr<backend::Runtime> runtime_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  std::string name_;
  int capability_ = 0, multiprocessors_ = 0;
  int64_t limit_ = 0;
  mutable ErrorLatch latch_;
  std::array<CUstream, kNumStreams> streams_ = {};
  CUmemoryPool pool_ = nullptr;
  std::unique_ptr<PinnedMemory> pinned_;
  std::mutex blas_mutex_;
  std::unique_ptr<Blas> blas_;  // guarded until it is set
  Status no_blas_;              // guarded; why there is none
  std::atomic<int64_t> bytes_in_use_{0}, peak_bytes_in_use_{0}, num_allocations_{0},
      largest_allocation_{0};

  std::mutex events_mutex_;
  std::vector<CUevent> events_;  // free ones; guarded

  struct HeldConstant {
    std::weak_ptr<const compiler::Attributes> source;
    backend::StoragePtr storage;
  };
  std::mutex constants_mutex_;
  std::map<const compiler::Attributes*, HeldConstant> constants_;  // guarded

  std::array<Completions, kNumStreams + 1> completions_;  // the last one is kOutside's
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_DEVICE_H_
