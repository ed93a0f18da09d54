// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/pjrt/client.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "reference_plugin/backend/host/processors.h"
#include "reference_plugin/cuda/pjrt/buffer.h"
#include "reference_plugin/cuda/pjrt/topology.h"
#include "reference_plugin/cuda/print/program.h"
#include "reference_plugin/cuda/runtime/program_run.h"
#include "reference_plugin/cuda/runtime/transfers.h"

namespace plinth::cuda {
namespace {

using backend::Contents;
using backend::ContentsPtr;

class GpuDevice final : public sdk::Device {
 public:
  GpuDevice(sdk::DeviceInfo info, std::shared_ptr<Gpu> gpu)
      : Device(std::move(info)), gpu_(std::move(gpu)) {}

  Expected<sdk::MemoryStats> GetMemoryStats() override {
    const GpuMemoryStats memory = gpu_->memory_stats();
    sdk::MemoryStats stats;
    stats.bytes_in_use = memory.bytes_in_use;
    stats.peak_bytes_in_use = memory.peak_bytes_in_use;
    stats.num_allocs = memory.num_allocations;
    stats.largest_alloc_size = memory.largest_allocation;
    stats.bytes_limit = memory.limit;
    return stats;
  }
  Status ClearMemoryStats() override {
    gpu_->ResetPeak();
    return Status();
  }
  // Everything that uses an array from outside is on it, or waits for it.
  Expected<intptr_t> StreamForExternalReadyEvents() override {
    return reinterpret_cast<intptr_t>(gpu_->stream(StreamKind::kCompute));
  }

 private:
  const std::shared_ptr<Gpu> gpu_;
};

Expected<std::vector<int64_t>> Ordinals(const Driver& driver, std::vector<int64_t> asked) {
  const int count = driver.num_devices();
  if (asked.empty()) {
    asked.resize(static_cast<size_t>(count));
    std::iota(asked.begin(), asked.end(), 0);
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] < 0 || asked[i] >= count) {
      return InvalidArgument("visible_devices names GPU ", asked[i], "; the driver sees ", count,
                             ", from 0 to ", count - 1);
    }
    if (std::find(asked.begin(), asked.begin() + static_cast<ptrdiff_t>(i), asked[i]) !=
        asked.begin() + static_cast<ptrdiff_t>(i)) {
      return InvalidArgument("visible_devices names GPU ", asked[i], " twice");
    }
  }
  return asked;
}

}  // namespace

Expected<std::unique_ptr<sdk::Client>> GpuClient::Create(const GpuClientOptions& options) {
  PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<const Driver> driver, Driver::Open(options.places));
  PLINTH_ASSIGN_OR_RETURN(const std::vector<int64_t> ordinals,
                          Ordinals(*driver, options.visible_devices));
  auto runtime = std::make_shared<backend::Runtime>(std::max(2, backend::UsableProcessors()), 0);
  std::vector<std::shared_ptr<Gpu>> gpus;
  for (const int64_t ordinal : ordinals) {
    PLINTH_ASSIGN_OR_RETURN(
        std::shared_ptr<Gpu> gpu,
        Gpu::Open(driver, static_cast<int>(ordinal), options.gpu, options.places, runtime));
    if (!gpus.empty() && gpu->capability() != gpus.front()->capability()) {
      return Unimplemented("GPUs of one client are of one kind; GPU ", gpus.front()->ordinal(),
                           " is sm_", gpus.front()->capability(), " and GPU ", ordinal, " sm_",
                           gpu->capability(), ": choose with the option visible_devices");
    }
    gpus.push_back(std::move(gpu));
  }
  PLINTH_ASSIGN_OR_RETURN(const Architecture architecture,
                          ArchitectureOf(gpus.front()->capability()));
  // All are of one kind, and so is what the library says of its products.
  auto backend = MakeBackend(architecture, options.places, options.programs, gpus.front());
  return std::unique_ptr<sdk::Client>(
      new GpuClient(std::move(backend), std::move(runtime), std::move(gpus)));
}

GpuClient::GpuClient(std::shared_ptr<const backend::Backend> backend,
                     std::shared_ptr<backend::Runtime> runtime,
                     std::vector<std::shared_ptr<Gpu>> gpus)
    : BackendClient(std::move(backend), std::move(runtime)), gpus_(std::move(gpus)) {
  for (size_t id = 0; id < gpus_.size(); ++id) {
    const Gpu& gpu = *gpus_[id];
    sdk::DeviceInfo info;
    info.description.id = static_cast<int>(id);
    info.description.kind = gpu.name();
    info.description.to_string = StrCat("CudaDevice(id=", id, ")");
    info.description.debug_string = StrCat("plinth CUDA device ", id, ": ", gpu.name());
    info.description.attributes = DeviceAttributes(gpu.capability(), gpu.multiprocessors());
    info.local_hardware_id = gpu.ordinal();
    sdk::Device* device = AddDevice(std::make_unique<GpuDevice>(std::move(info), gpus_[id]));
    for (const auto& [kind, number] : {std::pair("device", 0), std::pair("pinned_host", 1)}) {
      sdk::MemoryInfo memory;
      memory.id = static_cast<int>(id + number * gpus_.size());
      memory.kind = kind;
      memory.kind_id = number;
      AddMemory(std::make_unique<sdk::Memory>(std::move(memory)), {device});
    }
  }
}

GpuClient::~GpuClient() {
  runtime()->stop.store(true);
  for (const std::shared_ptr<Gpu>& gpu : gpus_) gpu->DropConstants(/*all=*/true);
}

const std::shared_ptr<Gpu>& GpuClient::GpuOf(const sdk::Device* device) const {
  return gpus_[static_cast<size_t>(device->id())];
}

std::unique_ptr<backend::ContentsBuffer> GpuClient::MakeBuffer(
    DType dtype, std::span<const int64_t> dims, sdk::Memory* memory, sdk::Device* device,
    ContentsPtr contents, std::shared_ptr<const sdk::Layout> layout) {
  // What programs compute is on the device.
  if (GpuBuffer::IsPinned(*memory)) contents = GpuBuffer::Moved(std::move(contents), true);
  return std::make_unique<GpuBuffer>(GpuOf(device), dtype, dims, memory, device,
                                     std::move(contents), std::move(layout));
}

backend::DeviceRun GpuClient::RunOnDevice(sdk::Device* device, backend::DeviceRunRequest request) {
  return StartRun(GpuOf(device), runtime(), std::move(request));
}

std::unique_ptr<sdk::Buffer> GpuClient::NewBuffer(const sdk::Shape& shape, sdk::Memory* memory,
                                                  sdk::Device* device, ContentsPtr contents) {
  const bool is_row_major = shape.layout == nullptr || shape.layout->IsRowMajor();
  return std::make_unique<GpuBuffer>(GpuOf(device), shape.dtype, shape.dims, memory, device,
                                     std::move(contents), is_row_major ? nullptr : shape.layout);
}

Expected<sdk::HostBufferResult> GpuClient::BufferFromHostBuffer(
    const sdk::HostBufferRequest& request) {
  sdk::Shape shape{request.dtype, sdk::Dims(request.dims)};
  PLINTH_ASSIGN_OR_RETURN(shape.layout,
                          backend::DenseLayoutOf(request.layout, request.dims.size()));
  const std::span<const int64_t> order =
      shape.layout == nullptr ? std::span<const int64_t>() : shape.layout->minor_to_major;
  const int64_t element_size = ByteSize(request.dtype);
  sdk::Dims dense(request.dims.size());
  sdk::DenseByteStrides(request.dims, element_size, order, {dense.data(), dense.size()});
  const bool is_dense =
      shape.layout == nullptr ? request.is_dense : dense == sdk::Dims(request.byte_strides);
  const auto size = static_cast<size_t>(request.size);
  std::span<const std::byte> bytes(static_cast<const std::byte*>(request.data), size);
  std::vector<std::byte> gathered;
  if (!is_dense) {
    PLINTH_RETURN_IF_ERROR(GpuOf(request.device)->CheckFits(request.size));
    gathered.resize(size);
    sdk::CopyStrided(gathered.data(), dense, request.data, request.byte_strides, request.dims,
                     element_size);
    bytes = gathered;
  }
  ContentsPtr contents = ContentsPtr::Make();
  Gpu& gpu = *GpuOf(request.device);
  if (GpuBuffer::IsPinned(*request.memory)) {
    PLINTH_ASSIGN_OR_RETURN(contents->storage, MakePinned(gpu, request.size, bytes));
  } else {
    PLINTH_ASSIGN_OR_RETURN(contents->storage, CopyIn(gpu, bytes, &contents->ready));
  }
  sdk::HostBufferResult result;
  result.buffer = NewBuffer(shape, request.memory, request.device, std::move(contents));
  return result;
}

Expected<std::unique_ptr<sdk::Buffer>> GpuClient::CreateUninitializedBuffer(const sdk::Shape& shape,
                                                                            sdk::Memory* memory,
                                                                            sdk::Device* device) {
  PLINTH_RETURN_IF_ERROR(backend::CheckRowMajor(shape.layout, shape.dims.size()));
  PLINTH_ASSIGN_OR_RETURN(const int64_t size, sdk::DenseSizeInBytes(shape.dtype, shape.dims));
  ContentsPtr contents = ContentsPtr::Make();
  PLINTH_ASSIGN_OR_RETURN(contents->storage, GpuBuffer::IsPinned(*memory)
                                                 ? MakePinned(*GpuOf(device), size, {})
                                                 : AllocateUninitialized(*GpuOf(device), size));
  return NewBuffer(shape, memory, device, std::move(contents));
}

Expected<std::unique_ptr<sdk::Buffer>> GpuClient::CreateErrorBuffer(const Status& error,
                                                                    const sdk::Shape& shape,
                                                                    sdk::Memory* memory) {
  ContentsPtr contents = ContentsPtr::Make();
  contents->ready = contents->placed = sdk::Event::Ready(error);
  return NewBuffer(shape, memory, memory->devices().front(), std::move(contents));
}

Expected<sdk::AliasBuffer> GpuClient::CreateAliasBuffer(const sdk::Shape& shape,
                                                        sdk::Memory* memory) {
  PLINTH_RETURN_IF_ERROR(backend::CheckRowMajor(shape.layout, shape.dims.size()));
  backend::PromisedContents promised = backend::PromiseContents(shape);
  sdk::AliasBuffer alias;
  alias.buffer = NewBuffer(shape, memory, memory->devices().front(), std::move(promised.contents));
  alias.fulfill = std::move(promised.fulfill);
  return alias;
}

Expected<std::unique_ptr<sdk::Buffer>> GpuClient::CreateViewOfDeviceBuffer(
    const sdk::ViewRequest& request) {
  PLINTH_RETURN_IF_ERROR(backend::CheckRowMajor(request.shape.layout, request.shape.dims.size()));
  PLINTH_ASSIGN_OR_RETURN(const int64_t size,
                          sdk::DenseSizeInBytes(request.shape.dtype, request.shape.dims));
  if (GpuBuffer::IsPinned(*request.memory)) {
    return InvalidArgument("views are made of memory of a device, not of \"pinned_host\"");
  }
  // Nothing lies anywhere.
  if (size == 0) return CreateUninitializedBuffer(request.shape, request.memory, request.device);
  const auto past = reinterpret_cast<uintptr_t>(request.data) % kAccessAlignment;
  if (past != 0) {
    // JAX looks for the last words, and copies unless it was told not to.
    return InvalidArgument("no view of ", sdk::ToString(request.shape.dtype, request.shape.dims),
                           " can be made, copy the array: its address, ", past, " modulo ",
                           kAccessAlignment, ", is not aligned to ", kAccessAlignment, " bytes.");
  }
  ContentsPtr contents = ContentsPtr::Make();
  PLINTH_ASSIGN_OR_RETURN(contents->storage,
                          GpuOf(request.device)
                              ->View(request.data, size, reinterpret_cast<CUstream>(request.stream),
                                     request.owner, &contents->ready));
  return NewBuffer(request.shape, request.memory, request.device, std::move(contents));
}

}  // namespace plinth::cuda
