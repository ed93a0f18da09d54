// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/transfers.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "reference_plugin/cuda/runtime/device_memory.h"

namespace plinth::cuda {
namespace {

// While one piece travels the next one is written.
constexpr int64_t kPiece = 4 << 20;
constexpr size_t kPiecesUnderWay = 4;
// What is smaller goes out as a whole.
constexpr int64_t kInPieces = 16 << 20;

// The device outlives its pinned memory.
struct PinnedArray {
  std::shared_ptr<Gpu> gpu;
  PinnedPtr memory;
};

backend::StoragePtr StorageOf(Gpu& gpu, PinnedPtr memory, int64_t size, EventPtr written) {
  std::byte* const data = memory.get();
  auto array =
      std::make_shared<PinnedArray>(PinnedArray{gpu.shared_from_this(), std::move(memory)});
  auto block =
      std::make_shared<DeviceBlock>(gpu.shared_from_this(), reinterpret_cast<CUdeviceptr>(data),
                                    size, std::move(written), std::move(array), /*is_host=*/true);
  return backend::StoragePtr::Borrow(data, size, std::move(block));
}

// The way out of a large array: several chains of pieces, each of which is enqueued when the one
// before it in its chain has been taken out of pinned memory.
class PiecesOut : public std::enable_shared_from_this<PiecesOut> {
 public:
  PiecesOut(backend::StoragePtr source, int64_t offset, int64_t size, std::byte* to)
      : source_(std::move(source)), offset_(offset), size_(size), to_(to) {}

  sdk::Event Start() {
    sdk::Event over = done_.event();
    for (size_t chain = 0; chain < kPiecesUnderWay; ++chain) {
      Go(static_cast<int64_t>(chain) * kPiece);
    }
    return over;
  }

 private:
  static constexpr StreamKind kStream = StreamKind::kOut;

  // Enqueues the piece, or ends its chain.
  void Go(int64_t begin) {
    const Status status = begin < size_ ? Enqueue(begin) : Status();
    if (begin >= size_ || !status.ok()) End(status);
  }
  Status Enqueue(int64_t begin) {
    const int64_t length = std::min(kPiece, size_ - begin);
    DeviceBlock& block = *DeviceBlock::Of(source_);
    Gpu& gpu = block.gpu();
    const Gpu::Current current(gpu);
    PLINTH_ASSIGN_OR_RETURN(PinnedPtr pinned, gpu.pinned().Allocate(length));
    PLINTH_RETURN_IF_ERROR(block.BeforeRead(kStream));
    PLINTH_RETURN_IF_ERROR(gpu.Check(
        gpu.api().cuMemcpyDtoHAsync(pinned.get(),
                                    block.address() + static_cast<uint64_t>(offset_ + begin),
                                    static_cast<size_t>(length), gpu.stream(kStream)),
        "cuMemcpyDtoHAsync"));
    PLINTH_ASSIGN_OR_RETURN(EventPtr event, block.RecordRead(kStream));
    gpu.WhenOver(kStream, std::move(event),
                 [self = shared_from_this(), pinned = std::move(pinned), begin,
                  length](const Status& status) mutable {
                   if (!status.ok()) return self->End(status);
                   std::memcpy(self->to_ + begin, pinned.get(), static_cast<size_t>(length));
                   pinned = nullptr;
                   self->Go(begin + static_cast<int64_t>(kPiecesUnderWay) * kPiece);
                 });
    return Status();
  }
  // Of one chain; the last one's is that of the whole.
  void End(const Status& status) {
    Status first;
    {
      const std::lock_guard lock(mutex_);
      if (error_.ok()) error_ = status;
      if (--chains_ > 0) return;
      first = error_;
    }
    source_ = backend::StoragePtr();
    done_.Set(first);
  }

  backend::StoragePtr source_;
  const int64_t offset_, size_;
  std::byte* const to_;
  sdk::EventSource done_;
  std::mutex mutex_;
  size_t chains_ = kPiecesUnderWay;  // guarded
  Status error_;                     // guarded
};

}  // namespace

Expected<backend::StoragePtr> CopyIn(Gpu& gpu, std::span<const std::byte> bytes,
                                     sdk::Event* arrived) {
  constexpr StreamKind kStream = StreamKind::kIn;
  const auto size = static_cast<int64_t>(bytes.size());
  const Gpu::Current current(gpu);
  PLINTH_ASSIGN_OR_RETURN(backend::StoragePtr storage, gpu.Allocate(size, kStream));
  DeviceBlock& block = *DeviceBlock::Of(storage);
  std::deque<EventPtr> under_way;
  for (int64_t begin = 0; begin < size; begin += kPiece) {
    const int64_t length = std::min(kPiece, size - begin);
    if (under_way.size() == kPiecesUnderWay) {
      PLINTH_RETURN_IF_ERROR(
          gpu.Check(gpu.api().cuEventSynchronize(under_way.front().get()), "cuEventSynchronize"));
      under_way.pop_front();
    }
    PLINTH_ASSIGN_OR_RETURN(PinnedPtr pinned, gpu.pinned().Allocate(length));
    std::memcpy(pinned.get(), bytes.data() + begin, static_cast<size_t>(length));
    PLINTH_RETURN_IF_ERROR(gpu.Check(
        gpu.api().cuMemcpyHtoDAsync(block.address() + static_cast<uint64_t>(begin), pinned.get(),
                                    static_cast<size_t>(length), gpu.stream(kStream)),
        "cuMemcpyHtoDAsync"));
    PLINTH_ASSIGN_OR_RETURN(EventPtr event, gpu.Record(kStream));
    gpu.WhenOver(kStream, event, [pinned = std::move(pinned)](const Status&) {});
    under_way.push_back(std::move(event));
  }
  PLINTH_ASSIGN_OR_RETURN(EventPtr last, gpu.Record(kStream));
  block.Wrote(kStream, last);
  if (arrived != nullptr) {
    auto done = std::make_shared<sdk::EventSource>();
    *arrived = done->event();
    gpu.WhenOver(kStream, std::move(last), [done](const Status& status) { done->Set(status); });
  }
  return storage;
}

Expected<sdk::Event> CopyOut(const backend::StoragePtr& source, int64_t offset, int64_t size,
                             std::function<void(const std::byte* bytes)> take) {
  constexpr StreamKind kStream = StreamKind::kOut;
  DeviceBlock& block = *DeviceBlock::Of(source);
  Gpu& gpu = block.gpu();
  const Gpu::Current current(gpu);
  PinnedPtr pinned;
  if (block.is_host()) {
    // The array itself, for as long as it is read.
    pinned = PinnedPtr(source->data() + offset, [source](std::byte*) {});
  } else {
    PLINTH_ASSIGN_OR_RETURN(pinned, gpu.pinned().Allocate(size));
  }
  PLINTH_RETURN_IF_ERROR(block.BeforeRead(kStream));
  if (size > 0 && !block.is_host()) {
    PLINTH_RETURN_IF_ERROR(gpu.Check(
        gpu.api().cuMemcpyDtoHAsync(pinned.get(), block.address() + static_cast<uint64_t>(offset),
                                    static_cast<size_t>(size), gpu.stream(kStream)),
        "cuMemcpyDtoHAsync"));
  }
  PLINTH_ASSIGN_OR_RETURN(EventPtr event, block.RecordRead(kStream));
  auto done = std::make_shared<sdk::EventSource>();
  sdk::Event over = done->event();
  gpu.WhenOver(kStream, std::move(event),
               [done, pinned = std::move(pinned), take = std::move(take)](const Status& status) {
                 if (status.ok()) take(pinned.get());
                 done->Set(status);
               });
  return over;
}

Expected<sdk::Event> CopyOut(const backend::StoragePtr& source, int64_t offset, int64_t size,
                             void* to) {
  auto* const bytes = static_cast<std::byte*>(to);
  if (size < kInPieces || DeviceBlock::Of(source)->is_host()) {
    return CopyOut(source, offset, size, [bytes, size](const std::byte* from) {
      if (size > 0) std::memcpy(bytes, from, static_cast<size_t>(size));
    });
  }
  return std::make_shared<PiecesOut>(source, offset, size, bytes)->Start();
}

Expected<backend::StoragePtr> AllocateUninitialized(Gpu& gpu, int64_t size) {
  constexpr StreamKind kStream = StreamKind::kCompute;
  const Gpu::Current current(gpu);
  PLINTH_ASSIGN_OR_RETURN(backend::StoragePtr storage, gpu.Allocate(size, kStream));
  PLINTH_ASSIGN_OR_RETURN(EventPtr event, gpu.Record(kStream));
  DeviceBlock::Of(storage)->Wrote(kStream, std::move(event));
  return storage;
}

Expected<backend::StoragePtr> CopyOnDevice(const backend::StoragePtr& source) {
  constexpr StreamKind kStream = StreamKind::kCompute;
  DeviceBlock& from = *DeviceBlock::Of(source);
  Gpu& gpu = from.gpu();
  const Gpu::Current current(gpu);
  PLINTH_ASSIGN_OR_RETURN(backend::StoragePtr copy, gpu.Allocate(source->size(), kStream));
  PLINTH_RETURN_IF_ERROR(from.BeforeRead(kStream));
  const CUdeviceptr to = DeviceBlock::Of(copy)->address();
  const auto size = static_cast<size_t>(source->size());
  if (size > 0 && from.is_host()) {
    PLINTH_RETURN_IF_ERROR(
        gpu.Check(gpu.api().cuMemcpyHtoDAsync(to, source->data(), size, gpu.stream(kStream)),
                  "cuMemcpyHtoDAsync"));
  } else if (size > 0) {
    PLINTH_RETURN_IF_ERROR(
        gpu.Check(gpu.api().cuMemcpyDtoDAsync(to, from.address(), size, gpu.stream(kStream)),
                  "cuMemcpyDtoDAsync"));
  }
  PLINTH_ASSIGN_OR_RETURN(EventPtr event, gpu.Record(kStream));
  DeviceBlock::Of(copy)->Wrote(kStream, std::move(event));
  return copy;
}

Expected<backend::StoragePtr> MakePinned(Gpu& gpu, int64_t size, std::span<const std::byte> bytes) {
  const Gpu::Current current(gpu);
  PLINTH_ASSIGN_OR_RETURN(PinnedPtr pinned, gpu.pinned().Allocate(size));
  if (!bytes.empty()) std::memcpy(pinned.get(), bytes.data(), bytes.size());
  return StorageOf(gpu, std::move(pinned), size, nullptr);
}

Expected<backend::StoragePtr> CopyToPinned(const backend::StoragePtr& source, sdk::Event* arrived) {
  constexpr StreamKind kStream = StreamKind::kOut;
  DeviceBlock& from = *DeviceBlock::Of(source);
  Gpu& gpu = from.gpu();
  const Gpu::Current current(gpu);
  PLINTH_ASSIGN_OR_RETURN(PinnedPtr pinned, gpu.pinned().Allocate(source->size()));
  PLINTH_RETURN_IF_ERROR(from.BeforeRead(kStream));
  if (source->size() > 0) {
    PLINTH_RETURN_IF_ERROR(gpu.Check(
        gpu.api().cuMemcpyDtoHAsync(pinned.get(), from.address(),
                                    static_cast<size_t>(source->size()), gpu.stream(kStream)),
        "cuMemcpyDtoHAsync"));
  }
  PLINTH_ASSIGN_OR_RETURN(EventPtr event, from.RecordRead(kStream));
  auto done = std::make_shared<sdk::EventSource>();
  *arrived = done->event();
  gpu.WhenOver(kStream, event, [done](const Status& status) { done->Set(status); });
  return StorageOf(gpu, std::move(pinned), source->size(), std::move(event));
}

}  // namespace plinth::cuda
