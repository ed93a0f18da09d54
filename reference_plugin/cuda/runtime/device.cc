// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "plinth/sdk/event.h"
#include "reference_plugin/cuda/runtime/device_memory.h"
#include "reference_plugin/cuda/runtime/transfers.h"

namespace plinth::cuda {
namespace {

constexpr double kPreallocatedShare = 0.75;  // of what is free, without a limit

// A callback of the framework may wait for the device, and so for the thread that waits for it.
class CallbacksOnOtherThreads final : public sdk::CallbackRunner {
 public:
  explicit CallbacksOnOtherThreads(backend::Runtime& runtime) : runtime_(runtime), scope_(*this) {}
  void Run(std::function<void()> callback) override {
    runtime_.callbacks.Enqueue(std::move(callback));
  }

 private:
  backend::Runtime& runtime_;
  const sdk::CallbackScope scope_;
};

void RaiseTo(std::atomic<int64_t>& most, int64_t value) {
  int64_t known = most.load(std::memory_order_relaxed);
  while (known < value && !most.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

// What this thread enqueues.
thread_local std::string_view enqueued_program;

}  // namespace

Gpu::Current::Current(const Gpu& gpu, std::string_view program)
    : gpu_(gpu), program_before_(enqueued_program) {
  if (!program.empty()) enqueued_program = program;
  if (gpu_.api().cuCtxGetCurrent(&before_) != kCudaSuccess) before_ = nullptr;
  if (before_ == gpu_.context_) return;
  // Nothing can be told here, and nothing be done without it: what follows fails by itself.
  if (gpu_.api().cuCtxSetCurrent(gpu_.context_) != kCudaSuccess) {
    gpu_.api().cuCtxSetCurrent(gpu_.context_);
  }
}

Gpu::Current::~Current() {
  enqueued_program = program_before_;
  if (before_ != gpu_.context_) gpu_.api().cuCtxSetCurrent(before_);
}

Expected<std::shared_ptr<Gpu>> Gpu::Open(std::shared_ptr<const Driver> driver, int ordinal,
                                         const GpuOptions& options, LibraryPlaces places,
                                         std::shared_ptr<backend::Runtime> runtime) {
  std::shared_ptr<Gpu> gpu(
      new Gpu(std::move(driver), ordinal, std::move(places), std::move(runtime)));
  if (Status status = gpu->Start(options); !status.ok()) {
    return status.WithContext(StrCat("GPU ", ordinal, " cannot be used"));
  }
  return gpu;
}

Status Gpu::Start(const GpuOptions& options) {
  const DriverFunctions& cuda = api();
  PLINTH_RETURN_IF_ERROR(Check(cuda.cuDeviceGet(&device_, ordinal_), "cuDeviceGet"));
  char name[256] = "";
  PLINTH_RETURN_IF_ERROR(
      Check(cuda.cuDeviceGetName(name, sizeof(name), device_), "cuDeviceGetName"));
  name_ = name;
  auto attribute = [&](int which, int* value) {
    return Check(cuda.cuDeviceGetAttribute(value, which, device_), "cuDeviceGetAttribute");
  };
  int major = 0, minor = 0, has_pools = 0;
  PLINTH_RETURN_IF_ERROR(attribute(kCudaComputeCapabilityMajor, &major));
  PLINTH_RETURN_IF_ERROR(attribute(kCudaComputeCapabilityMinor, &minor));
  PLINTH_RETURN_IF_ERROR(attribute(kCudaMultiprocessorCount, &multiprocessors_));
  PLINTH_RETURN_IF_ERROR(attribute(kCudaMemoryPoolsSupported, &has_pools));
  capability_ = 10 * major + minor;
  if (has_pools == 0) {
    return Status(StatusCode::kUnavailable, StrCat(name_, " has no memory pools"));
  }
  size_t total = 0;
  PLINTH_RETURN_IF_ERROR(Check(cuda.cuDeviceTotalMem(&total, device_), "cuDeviceTotalMem"));
  limit_ = options.memory_limit > 0 ? options.memory_limit : static_cast<int64_t>(total);
  CUcontext context = nullptr;
  PLINTH_RETURN_IF_ERROR(
      Check(cuda.cuDevicePrimaryCtxRetain(&context, device_), "cuDevicePrimaryCtxRetain"));
  context_ = context;
  const Current current(*this);
  for (CUstream& stream : streams_) {
    PLINTH_RETURN_IF_ERROR(
        Check(cuda.cuStreamCreate(&stream, kCudaStreamNonBlocking), "cuStreamCreate"));
  }
  CUmemPoolProps properties;
  properties.location.id = ordinal_;
  PLINTH_RETURN_IF_ERROR(Check(cuda.cuMemPoolCreate(&pool_, &properties), "cuMemPoolCreate"));
  // What was freed stays for the next array; it goes back when the device has no more.
  uint64_t keep = UINT64_MAX;
  PLINTH_RETURN_IF_ERROR(Check(cuda.cuMemPoolSetAttribute(pool_, kCudaPoolReleaseThreshold, &keep),
                               "cuMemPoolSetAttribute"));
  pinned_ = std::make_unique<PinnedMemory>(*this);
  if (!options.preallocate) return Status();
  size_t free = 0;
  PLINTH_RETURN_IF_ERROR(Check(cuda.cuMemGetInfo(&free, &total), "cuMemGetInfo"));
  const int64_t size = options.memory_limit > 0
                           ? options.memory_limit
                           : static_cast<int64_t>(kPreallocatedShare * static_cast<double>(free));
  PLINTH_RETURN_IF_ERROR(Allocate(size, StreamKind::kCompute).status());
  // That was no array.
  peak_bytes_in_use_ = num_allocations_ = largest_allocation_ = 0;
  return Status();
}

// Nobody refers to the device any more, so nothing of ours is enqueued but frees.
Gpu::~Gpu() {
  if (context_ == nullptr) return;
  const DriverFunctions& cuda = api();
  {
    const Current current(*this);
    for (CUstream stream : streams_) {
      if (stream != nullptr) cuda.cuStreamSynchronize(stream);
    }
    blas_ = nullptr;
    for (CUstream stream : streams_) {
      if (stream != nullptr) cuda.cuStreamDestroy(stream);
    }
    for (CUevent event : events_) cuda.cuEventDestroy(event);
    pinned_ = nullptr;
    if (pool_ != nullptr) cuda.cuMemPoolDestroy(pool_);
  }
  cuda.cuDevicePrimaryCtxRelease(device_);
}

Status Gpu::Check(CUresult result, std::string_view what) const {
  if (result == kCudaSuccess) [[likely]] {
    return Status();
  }
  if (Status first = latch_.status(); !first.ok()) return first;
  Status status = driver_->Check(result, what);
  if (!Driver::IsSticky(result)) return status;
  std::string program = completions_[static_cast<size_t>(StreamKind::kCompute)].UnderWay();
  if (program.empty()) program = enqueued_program;
  return latch_.Set(Internal(
      "GPU ", ordinal_, " (", name_, ") is lost: ", status.message(),
      "; the error may come from work that was enqueued before",
      program.empty() ? "" : StrCat(", of program '", program, "' first"),
      " (with CUDA_LAUNCH_BLOCKING=1 it names the kernel). Start a new process to use the GPU "
      "again"));
}

// It is opened without the lock. Of two threads that open it at once, the first one's stays.
Expected<Blas*> Gpu::blas() {
  {
    const std::lock_guard lock(blas_mutex_);
    if (blas_ != nullptr) return blas_.get();
    if (!no_blas_.ok()) return no_blas_;
  }
  const Current current(*this);  // For the second one's, which goes here.
  Expected<std::unique_ptr<Blas>> opened = Blas::Open(*this, places_);
  const std::lock_guard lock(blas_mutex_);
  if (blas_ != nullptr) return blas_.get();
  if (!opened.ok()) {
    // Every program does the same: what is missing now is missing for the life of the client.
    no_blas_ = opened.status();
    return no_blas_;
  }
  blas_ = *std::move(opened);
  return blas_.get();
}

Status Gpu::Reserve(int64_t size) {
  const int64_t before = bytes_in_use_.fetch_add(size, std::memory_order_relaxed);
  if (size <= limit_ && before <= limit_ - size) {
    RaiseTo(peak_bytes_in_use_, before + size);
    RaiseTo(largest_allocation_, size);
    num_allocations_.fetch_add(1, std::memory_order_relaxed);
    return Status();
  }
  bytes_in_use_.fetch_sub(size, std::memory_order_relaxed);
  return ResourceExhausted("GPU ", ordinal_, " has no room for an array of ", size,
                           " bytes: ", before, " of at most ", limit_, " bytes are in use");
}

Status Gpu::CheckFits(int64_t size) const {
  if (size <= limit_) return Status();
  return ResourceExhausted("GPU ", ordinal_, " has no room for an array of ", size,
                           " bytes: it has ", limit_);
}

Status Gpu::OutOfMemory(int64_t size) const {
  size_t free = 0, total = 0;
  api().cuMemGetInfo(&free, &total);
  return ResourceExhausted("GPU ", ordinal_, " has no room for an array of ", size,
                           " bytes: arrays of this client have ", bytes_in_use_.load() - size,
                           " bytes, the device has ", total, " of which ", free,
                           " are free, also after everything freed was given back");
}

Expected<backend::StoragePtr> Gpu::Allocate(int64_t size, StreamKind first) {
  PLINTH_RETURN_IF_ERROR(latch_.status());
  const int64_t least = std::max<int64_t>(size, 1);
  if (!Reserve(least).ok()) {
    DropConstants(/*all=*/false);
    PLINTH_RETURN_IF_ERROR(Reserve(least));
  }
  const Current current(*this);
  CUdeviceptr address = 0;
  auto allocate = [&] {
    return api().cuMemAllocFromPoolAsync(&address, static_cast<size_t>(least), pool_,
                                         stream(first));
  };
  CUresult result = allocate();
  if (result == kCudaOutOfMemory) {
    DropConstants(/*all=*/false);
    for (CUstream each : streams_) api().cuStreamSynchronize(each);
    api().cuMemPoolTrimTo(pool_, 0);
    result = allocate();
  }
  if (result != kCudaSuccess) {
    const Status status =
        result == kCudaOutOfMemory
            ? OutOfMemory(least)
            : Check(result, StrCat("cuMemAllocFromPoolAsync of ", least, " bytes"));
    bytes_in_use_.fetch_sub(least, std::memory_order_relaxed);
    return status;
  }
  auto block = std::make_shared<DeviceBlock>(shared_from_this(), address, least, first);
  return backend::StoragePtr::Own(reinterpret_cast<void*>(address), size, std::move(block));
}

Status Gpu::CheckIsOurs(CUdeviceptr address) const {
  unsigned type = 0;
  const CUresult known = api().cuPointerGetAttribute(&type, kCudaPointerMemoryType, address);
  if (known == kCudaInvalidValue || (known == kCudaSuccess && type != kCudaMemoryDevice)) {
    return InvalidArgument(
        "no view can be made: the address is memory of the host, or CUDA does "
        "not know it");
  }
  PLINTH_RETURN_IF_ERROR(Check(known, "cuPointerGetAttribute"));
  int ordinal = 0;
  PLINTH_RETURN_IF_ERROR(
      Check(api().cuPointerGetAttribute(&ordinal, kCudaPointerDeviceOrdinal, address),
            "cuPointerGetAttribute"));
  if (ordinal == ordinal_) return Status();
  return InvalidArgument("no view can be made: the address is memory of GPU ", ordinal,
                         ", not of GPU ", ordinal_);
}

Expected<backend::StoragePtr> Gpu::View(void* data, int64_t size, CUstream stream,
                                        std::shared_ptr<const void> lender, sdk::Event* arrived) {
  PLINTH_RETURN_IF_ERROR(latch_.status());
  const Current current(*this);
  const auto address = reinterpret_cast<CUdeviceptr>(data);
  PLINTH_RETURN_IF_ERROR(CheckIsOurs(address));
  EventPtr written;
  if (stream != nullptr) {
    PLINTH_ASSIGN_OR_RETURN(written, RecordOn(stream));
    auto done = std::make_shared<sdk::EventSource>();
    *arrived = done->event();
    WhenOver(StreamKind::kOutside, written, [done](const Status& status) { done->Set(status); });
  }
  auto block = std::make_shared<DeviceBlock>(shared_from_this(), address, size, std::move(written),
                                             std::move(lender));
  return backend::StoragePtr::Borrow(data, size, std::move(block));
}

// Whatever else is enqueued comes later. The lender may be code of users: it goes where that runs.
// What its own stream still writes is its own business, and may take as long as it likes; memory of
// the host we wrote ourselves.
void Gpu::GiveBackLent(DeviceBlock& block) {
  auto lender = std::make_shared<std::shared_ptr<const void>>(block.lender());
  if (latch_.is_set()) return;
  const Current current(*this);
  const StreamKind last = StreamKind::kCompute;
  if (!(block.is_host() ? block.BeforeWrite(last) : block.AfterReads(last)).ok()) return;
  Expected<EventPtr> over = Record(last);
  if (!over.ok()) return;
  block.ForgetLender();
  WhenOver(last, *std::move(over), [runtime = runtime_, lender](const Status&) {
    runtime->callbacks.Enqueue([last = std::move(*lender)] {});
  });
}

// What this cannot order, a lost device for one, is not freed: the context goes with it.
void Gpu::Free(DeviceBlock& block) {
  if (block.is_lent()) return GiveBackLent(block);
  bytes_in_use_.fetch_sub(block.size(), std::memory_order_relaxed);
  if (latch_.is_set()) return;
  const Current current(*this);
  const StreamKind last = block.is_private() ? block.writer() : StreamKind::kCompute;
  if (!block.BeforeWrite(last).ok()) return;
  // The error is found by whoever uses the stream next.
  static_cast<void>(Check(api().cuMemFreeAsync(block.address(), stream(last)), "cuMemFreeAsync"));
}

Expected<backend::StoragePtr> Gpu::Constant(
    const std::shared_ptr<const compiler::Attributes>& attributes) {
  {
    const std::lock_guard lock(constants_mutex_);
    const auto found = constants_.find(attributes.get());
    if (found != constants_.end() && !found->second.source.expired()) {
      return found->second.storage;
    }
  }
  DropConstants(/*all=*/false);
  const auto& constant = *std::get_if<compiler::ConstantAttributes>(attributes.get());
  PLINTH_ASSIGN_OR_RETURN(backend::StoragePtr storage, CopyIn(*this, constant.bytes));
  const std::lock_guard lock(constants_mutex_);
  // Another thread may have been first; both are right.
  HeldConstant& held = constants_[attributes.get()];
  held = {attributes, storage};
  return storage;
}

void Gpu::DropConstants(bool all) {
  std::vector<backend::StoragePtr> dropped;  // freed without the lock
  const std::lock_guard lock(constants_mutex_);
  for (auto entry = constants_.begin(); entry != constants_.end();) {
    if (!all && !entry->second.source.expired()) {
      ++entry;
      continue;
    }
    dropped.push_back(std::move(entry->second.storage));
    entry = constants_.erase(entry);
  }
}

GpuMemoryStats Gpu::memory_stats() const {
  return {bytes_in_use_.load(), peak_bytes_in_use_.load(), num_allocations_.load(),
          largest_allocation_.load(), limit_};
}

void Gpu::ResetPeak() { peak_bytes_in_use_.store(bytes_in_use_.load()); }

Expected<EventPtr> Gpu::RecordOn(CUstream stream) {
  CUevent event = nullptr;
  {
    const std::lock_guard lock(events_mutex_);
    if (!events_.empty()) {
      event = events_.back();
      events_.pop_back();
    }
  }
  Status status;
  if (event == nullptr) {
    status = Check(api().cuEventCreate(&event, kCudaEventBlockingSync | kCudaEventDisableTiming),
                   "cuEventCreate");
  }
  EventPtr owned;
  if (status.ok()) {
    owned = EventPtr(event, [gpu = shared_from_this()](CUevent done) { gpu->GiveBack(done); });
    status = Check(api().cuEventRecord(event, stream), "cuEventRecord");
  }
  if (status.ok()) return owned;
  // Nobody can wait for what was enqueued before: it is over when this returns.
  api().cuStreamSynchronize(stream);
  return status;
}

void Gpu::GiveBack(CUevent event) {
  const std::lock_guard lock(events_mutex_);
  events_.push_back(event);
}

Status Gpu::WaitOn(StreamKind kind, const EventPtr& event) {
  return Check(api().cuStreamWaitEvent(stream(kind), event.get(), 0), "cuStreamWaitEvent");
}

Expected<bool> Gpu::IsOverSoon(const EventPtr& event) const {
  constexpr int kPolls = 64;  // each takes the better part of a microsecond
  for (int poll = 0; poll < kPolls; ++poll) {
    const CUresult result = api().cuEventQuery(event.get());
    if (result == kCudaNotReady) continue;
    PLINTH_RETURN_IF_ERROR(Check(result, "cuEventQuery"));
    return true;
  }
  return false;
}

void Gpu::WhenOver(StreamKind kind, EventPtr event, std::function<void(const Status&)> then,
                   std::string_view program) {
  completions_[static_cast<size_t>(kind)].Add(
      [gpu = shared_from_this(), kind, event = std::move(event)] {
        const Current current(*gpu);
        // To sleep and to be woken takes longer than a small kernel.
        const Expected<bool> is_over = gpu->IsOverSoon(event);
        Status status = is_over.status();
        if (status.ok() && !*is_over) {
          status = gpu->Check(gpu->api().cuEventSynchronize(event.get()), "cuEventSynchronize");
        }
        // What waits frees memory that is used until then.
        if (!status.ok() && kind != StreamKind::kOutside) {
          gpu->api().cuStreamSynchronize(gpu->stream(kind));
        }
        return status;
      },
      [runtime = runtime_, then = std::move(then)](const Status& status) {
        const CallbacksOnOtherThreads elsewhere(*runtime);
        then(status);
      },
      program);
}

}  // namespace plinth::cuda
