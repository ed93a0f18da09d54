// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/pjrt/buffer.h"

#include <cstring>
#include <utility>

#include "reference_plugin/cuda/runtime/device_memory.h"
#include "reference_plugin/cuda/runtime/transfers.h"

namespace plinth::cuda {

using backend::Contents;
using backend::ContentsPtr;

sdk::Event GpuBuffer::CopyOutWhenPlaced(
    ContentsPtr contents, std::function<Expected<sdk::Event>(const backend::StoragePtr&)> copy) {
  auto done = std::make_shared<sdk::EventSource>();
  sdk::Event over = done->event();
  const sdk::Event placed = contents->placed;
  placed.OnReady(
      [contents = std::move(contents), copy = std::move(copy), done](const Status& status) {
        if (!status.ok()) {
          done->Set(status);
          return;
        }
        Expected<sdk::Event> copied = copy(contents->storage);
        if (!copied.ok()) {
          done->Set(copied.status());
          return;
        }
        // What failed on the way to these contents is the error of the copy, too.
        const sdk::Event both[] = {contents->ready, *std::move(copied)};
        sdk::Event::All(both).OnReady([done](const Status& last) { done->Set(last); });
      });
  return over;
}

Expected<sdk::Event> GpuBuffer::CopyToHost(const sdk::HostDestination& destination) {
  PLINTH_ASSIGN_OR_RETURN(ContentsPtr source, ContentsFor("copy to the host"));
  PLINTH_ASSIGN_OR_RETURN(const int64_t size, sdk::DenseSizeInBytes(dtype(), dims()));
  void* data = destination.data;
  const sdk::Dims shape(dims());
  const sdk::Dims to(destination.byte_strides);
  sdk::Dims from(shape.size());
  const int64_t element_size = ByteSize(dtype());
  const std::span<const int64_t> order =
      layout() == nullptr ? std::span<const int64_t>() : layout()->minor_to_major;
  sdk::DenseByteStrides(shape, element_size, order, {from.data(), from.size()});
  if (layout() == nullptr ? destination.is_dense : to == from) {
    return CopyOutWhenPlaced(std::move(source), [=](const backend::StoragePtr& storage) {
      return CopyOut(storage, 0, size, data);
    });
  }
  return CopyOutWhenPlaced(std::move(source), [=](const backend::StoragePtr& storage) {
    return CopyOut(storage, 0, size, [=](const std::byte* bytes) {
      sdk::CopyStrided(data, to, bytes, from, shape, element_size);
    });
  });
}

Expected<sdk::Event> GpuBuffer::CopyRawToHost(void* destination, int64_t offset, int64_t size) {
  PLINTH_ASSIGN_OR_RETURN(ContentsPtr source, ContentsFor("copy bytes to the host of"));
  return CopyOutWhenPlaced(std::move(source), [=](const backend::StoragePtr& storage) {
    return CopyOut(storage, offset, size, destination);
  });
}

// The address is known before the contents are there; who reads it without the plugin waits first.
Expected<std::shared_ptr<void>> GpuBuffer::HoldMemory() {
  PLINTH_ASSIGN_OR_RETURN(ContentsPtr source, ContentsFor("give out the memory of"));
  PLINTH_RETURN_IF_ERROR(source->ready.Await());
  backend::StoragePtr storage = source->storage;
  void* data = storage->data();
  return std::shared_ptr<void>(data, [storage = std::move(storage)](void*) {});
}

// Who reads it on the stream keeps a reference to the memory until that is over.
Status GpuBuffer::WaitUntilReadyOnStream(intptr_t stream) {
  PLINTH_ASSIGN_OR_RETURN(ContentsPtr source, ContentsFor("wait on a stream for"));
  PLINTH_RETURN_IF_ERROR(source->placed.Await());
  return DeviceBlock::Of(source->storage)->WaitFromOutside(reinterpret_cast<CUstream>(stream));
}

ContentsPtr GpuBuffer::Moved(ContentsPtr contents, bool to_pinned) {
  ContentsPtr moved = ContentsPtr::Make();
  auto placed = std::make_shared<sdk::EventSource>(), ready = std::make_shared<sdk::EventSource>();
  moved->placed = placed->event();
  moved->ready = ready->event();
  const sdk::Event before = contents->placed;
  before.OnReady(
      [contents = std::move(contents), moved, placed, ready, to_pinned](const Status& status) {
        sdk::Event arrived;
        Expected<backend::StoragePtr> storage = backend::StoragePtr();
        if (status.ok()) {
          storage = contents->storage;
        } else {
          storage = status;
        }
        const DeviceBlock* block = status.ok() ? DeviceBlock::Of(contents->storage) : nullptr;
        // A token lies nowhere.
        if (block != nullptr && block->is_host() != to_pinned) {
          storage = to_pinned ? CopyToPinned(contents->storage, &arrived)
                              : CopyOnDevice(contents->storage);
        }
        if (!storage.ok()) {
          placed->Set(storage.status());
          ready->Set(storage.status());
          return;
        }
        moved->storage = *std::move(storage);
        placed->Set(Status());
        // What failed on the way to the contents is the error of the copy, too.
        const sdk::Event both[] = {contents->ready, arrived};
        sdk::Event::All(both).OnReady([ready](const Status& last) { ready->Set(last); });
      });
  return moved;
}

// Arrays are immutable, so sharing is a copy.
Expected<std::unique_ptr<sdk::Buffer>> GpuBuffer::CopyToMemory(sdk::Memory* memory) {
  sdk::Device* to = memory->devices().front();
  if (to != device()) {
    return Unimplemented("arrays are not copied from one GPU to another yet");
  }
  PLINTH_ASSIGN_OR_RETURN(ContentsPtr source, ContentsFor("copy"));
  if (IsPinned(*memory) != IsPinned(*this->memory())) {
    source = Moved(std::move(source), IsPinned(*memory));
  }
  return std::unique_ptr<sdk::Buffer>(
      new GpuBuffer(gpu_, dtype(), dims(), memory, to, std::move(source), layout()));
}

Expected<std::unique_ptr<sdk::Buffer>> GpuBuffer::CopyToDevice(sdk::Device* device) {
  return CopyToMemory(device->default_memory());
}

Expected<std::unique_ptr<sdk::Buffer>> GpuBuffer::DonateWithControlDependency(
    sdk::Event dependency) {
  ContentsPtr source = Donate();
  if (source == nullptr) return DeletedError("donate");
  auto done = std::make_shared<sdk::EventSource>();
  ContentsPtr moved = ContentsPtr::Make();
  moved->ready = done->event();
  moved->placed = done->event();
  const sdk::Event both[] = {source->ready, std::move(dependency)};
  sdk::Event::All(both).OnReady([source, moved, done](const Status& status) {
    if (status.ok()) moved->storage = source->storage;
    done->Set(status);
  });
  return std::unique_ptr<sdk::Buffer>(
      new GpuBuffer(gpu_, dtype(), dims(), memory(), device(), std::move(moved), layout()));
}

Expected<std::unique_ptr<sdk::Buffer>> GpuBuffer::Bitcast(const sdk::Shape& shape) {
  PLINTH_ASSIGN_OR_RETURN(ContentsPtr source, ContentsFor("bitcast"));
  PLINTH_ASSIGN_OR_RETURN(const int64_t old_size, sdk::DenseSizeInBytes(dtype(), dims()));
  PLINTH_ASSIGN_OR_RETURN(const int64_t new_size, sdk::DenseSizeInBytes(shape.dtype, shape.dims));
  if (old_size != new_size) {
    return InvalidArgument("cannot bitcast ", sdk::ToString(dtype(), dims()), " (", old_size,
                           " bytes) to ", sdk::ToString(shape.dtype, shape.dims), " (", new_size,
                           " bytes)");
  }
  PLINTH_ASSIGN_OR_RETURN(auto layout, backend::DenseLayoutOf(shape.layout, shape.dims.size()));
  return std::unique_ptr<sdk::Buffer>(new GpuBuffer(
      gpu_, shape.dtype, shape.dims, memory(), device(), std::move(source), std::move(layout)));
}

}  // namespace plinth::cuda
