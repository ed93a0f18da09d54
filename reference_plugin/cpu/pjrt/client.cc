// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/pjrt/client.h"

#include <cstring>
#include <utility>

#include "reference_plugin/backend/host/core_cache.h"
#include "reference_plugin/backend/host/processors.h"
#include "reference_plugin/cpu/pjrt/buffer.h"

namespace plinth::cpu {
namespace {

// Memory of others that starts at such a boundary may serve as a buffer as it is: that of the
// widest element, and of what malloc gives. Routines read operands that no vector is aligned to.
constexpr uintptr_t kZeroCopyAlignment = 16;
// Copying less than this costs no more than lending, and hosts often reuse their small arrays
// before the execution that reads them has ended.
constexpr int64_t kSmallestLent = 64 << 10;
constexpr uintptr_t kCacheLine = 64;

// Every vector of an array that lies across lines is two loads, in each run that reads it. Memory
// is slower than that, but a cache of a core is not, and what fits there takes as long to copy as
// to read once. An LSTM with weights of 256 KB, from NumPy: 4.7 ms a run lent, 4.1 copied (two
// cores of an Emerald Rapids Xeon).
bool IsWorthLending(const void* data, int64_t size) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(data);
  if (at % kZeroCopyAlignment != 0 || size < kSmallestLent) return false;
  return at % kCacheLine == 0 || size > backend::CoreCacheBytes();
}

constexpr const char* kMemoryKinds[] = {"device", "pinned_host", "unpinned_host"};

// Counts what lies on one device, in the pool that all share.
class CpuDevice final : public sdk::Device {
 public:
  CpuDevice(sdk::DeviceInfo info, std::shared_ptr<backend::MemoryPool> pool)
      : Device(std::move(info)), pool_(std::move(pool)) {}

  Expected<sdk::MemoryStats> GetMemoryStats() override {
    backend::MemoryPoolStats pool = pool_->stats(id());
    sdk::MemoryStats stats;
    stats.bytes_in_use = pool.bytes_in_use;
    stats.peak_bytes_in_use = pool.peak_bytes_in_use;
    stats.num_allocs = pool.num_allocations;
    stats.largest_alloc_size = pool.largest_allocation;
    stats.bytes_limit = pool.limit;
    stats.pool_bytes = pool.pooled_bytes;
    return stats;
  }
  Status ClearMemoryStats() override {
    pool_->ResetPeak(id());
    return Status();
  }

 private:
  std::shared_ptr<backend::MemoryPool> pool_;
};

}  // namespace

CpuClient::CpuClient(const CpuClientOptions& options)
    : backend::BackendClient(
          options.backend != nullptr ? options.backend
                                     : MakeBackend(options.library, options.native),
          std::make_shared<backend::Runtime>(
              options.num_threads > 0 ? options.num_threads : backend::UsableProcessors(),
              options.memory_limit, options.num_devices, options.device_memory_limit)) {
  runtime()->subnormals = options.subnormals;
  for (int id = 0; id < options.num_devices; ++id) {
    sdk::DeviceInfo info;
    info.description.id = id;
    const bool is_cpu = options.device_kind == "cpu";
    info.description.kind = options.device_kind;
    info.description.to_string =
        StrCat(is_cpu ? "CpuDevice" : options.device_kind, "(id=", id, ")");
    info.description.debug_string =
        StrCat(is_cpu ? "plinth CPU" : options.device_kind, " device ", id);
    info.local_hardware_id = id;
    sdk::Device* device =
        AddDevice(std::make_unique<CpuDevice>(std::move(info), runtime()->memory));
    int kind_id = 0;
    for (const char* kind : kMemoryKinds) {
      sdk::MemoryInfo memory;
      memory.id = id * static_cast<int>(std::size(kMemoryKinds)) + kind_id;
      memory.kind = kind;
      memory.kind_id = kind_id++;
      AddMemory(std::make_unique<sdk::Memory>(std::move(memory)), {device});
    }
  }
}

std::unique_ptr<backend::ContentsBuffer> CpuClient::MakeBuffer(
    DType dtype, std::span<const int64_t> dims, sdk::Memory* memory, sdk::Device* device,
    backend::ContentsPtr contents, std::shared_ptr<const sdk::Layout> layout) {
  return std::make_unique<CpuBuffer>(runtime(), dtype, dims, memory, device, std::move(contents),
                                     std::move(layout));
}

std::unique_ptr<sdk::Buffer> CpuClient::NewBuffer(const sdk::Shape& shape, sdk::Memory* memory,
                                                  sdk::Device* device, backend::StoragePtr storage,
                                                  sdk::Event ready) {
  backend::ContentsPtr contents = backend::ContentsPtr::Make();
  contents->storage = std::move(storage);
  contents->ready = std::move(ready);
  const bool is_row_major = shape.layout == nullptr || shape.layout->IsRowMajor();
  return std::make_unique<CpuBuffer>(runtime(), shape.dtype, shape.dims, memory, device,
                                     std::move(contents), is_row_major ? nullptr : shape.layout);
}

Expected<sdk::HostBufferResult> CpuClient::BufferFromHostBuffer(
    const sdk::HostBufferRequest& request) {
  sdk::Shape shape{request.dtype, sdk::Dims(request.dims)};
  PLINTH_ASSIGN_OR_RETURN(shape.layout,
                          backend::DenseLayoutOf(request.layout, request.dims.size()));
  const std::span<const int64_t> order =
      shape.layout == nullptr ? std::span<const int64_t>() : shape.layout->minor_to_major;
  int64_t element_size = ByteSize(request.dtype);
  sdk::Dims dense(request.dims.size());
  sdk::DenseByteStrides(request.dims, element_size, order, {dense.data(), dense.size()});
  const bool is_dense =
      shape.layout == nullptr ? request.is_dense : dense == sdk::Dims(request.byte_strides);
  sdk::HostBufferResult result;
  bool may_share = request.semantics == sdk::HostBufferSemantics::kImmutableZeroCopy ||
                   request.semantics == sdk::HostBufferSemantics::kMutableZeroCopy;
  if (may_share && is_dense && IsWorthLending(request.data, request.size)) {
    // The host's data is in use as long as the storage lives.
    struct Release {
      sdk::EventSource done;
      ~Release() { done.Set(); }
    };
    auto release = std::make_shared<Release>();
    result.done_with_host_buffer = release->done.event();
    result.buffer = NewBuffer(shape, request.memory, request.device,
                              backend::StoragePtr::Borrow(request.data, request.size, release));
    return result;
  }
  PLINTH_ASSIGN_OR_RETURN(backend::StoragePtr storage,
                          runtime()->memory->Allocate(request.size, request.device->id()));
  if (is_dense) {
    constexpr int64_t kGrain = 1 << 20;
    auto* from = static_cast<const std::byte*>(request.data);
    std::byte* to = storage->data();
    backend::ParallelFor(
        &runtime()->threads, request.size, kGrain,
        [=](int64_t begin, int64_t end) { std::memcpy(to + begin, from + begin, end - begin); });
  } else {
    sdk::CopyStrided(storage->data(), dense, request.data, request.byte_strides, request.dims,
                     element_size);
  }
  result.buffer = NewBuffer(shape, request.memory, request.device, std::move(storage));
  return result;
}

Expected<std::unique_ptr<sdk::Buffer>> CpuClient::CreateUninitializedBuffer(const sdk::Shape& shape,
                                                                            sdk::Memory* memory,
                                                                            sdk::Device* device) {
  PLINTH_RETURN_IF_ERROR(backend::CheckRowMajor(shape.layout, shape.dims.size()));
  PLINTH_ASSIGN_OR_RETURN(int64_t size, sdk::DenseSizeInBytes(shape.dtype, shape.dims));
  PLINTH_ASSIGN_OR_RETURN(backend::StoragePtr storage,
                          runtime()->memory->Allocate(size, device->id()));
  return NewBuffer(shape, memory, device, std::move(storage));
}

Expected<std::unique_ptr<sdk::Buffer>> CpuClient::CreateErrorBuffer(const Status& error,
                                                                    const sdk::Shape& shape,
                                                                    sdk::Memory* memory) {
  return NewBuffer(shape, memory, memory->devices().front(), {}, sdk::Event::Ready(error));
}

Expected<sdk::AliasBuffer> CpuClient::CreateAliasBuffer(const sdk::Shape& shape,
                                                        sdk::Memory* memory) {
  PLINTH_RETURN_IF_ERROR(backend::CheckRowMajor(shape.layout, shape.dims.size()));
  backend::PromisedContents promised = backend::PromiseContents(shape);
  sdk::AliasBuffer alias;
  alias.buffer =
      std::make_unique<CpuBuffer>(runtime(), shape.dtype, shape.dims, memory,
                                  memory->devices().front(), std::move(promised.contents));
  alias.fulfill = std::move(promised.fulfill);
  return alias;
}

Expected<std::unique_ptr<sdk::Buffer>> CpuClient::CreateViewOfDeviceBuffer(
    const sdk::ViewRequest& request) {
  PLINTH_RETURN_IF_ERROR(backend::CheckRowMajor(request.shape.layout, request.shape.dims.size()));
  PLINTH_ASSIGN_OR_RETURN(int64_t size,
                          sdk::DenseSizeInBytes(request.shape.dtype, request.shape.dims));
  if (reinterpret_cast<uintptr_t>(request.data) % kZeroCopyAlignment != 0) {
    // JAX looks for the last words, and copies unless it was told not to.
    return InvalidArgument("no view of ", sdk::ToString(request.shape.dtype, request.shape.dims),
                           " can be made, copy the array: its address, ",
                           reinterpret_cast<uintptr_t>(request.data) % kZeroCopyAlignment,
                           " modulo ", kZeroCopyAlignment, ", is not aligned to ",
                           kZeroCopyAlignment, " bytes.");
  }
  return NewBuffer(request.shape, request.memory, request.device,
                   backend::StoragePtr::Borrow(request.data, size, request.owner));
}

}  // namespace plinth::cpu
