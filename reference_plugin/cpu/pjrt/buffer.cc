// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/pjrt/buffer.h"

#include <cstring>
#include <utility>
#include <vector>

#include "reference_plugin/backend/executable/callbacks_elsewhere.h"

namespace plinth::cpu {
namespace {

// A copy up to this size is done by the caller.
constexpr int64_t kShortCopy = 1 << 20;

}  // namespace

template <typename Copy>
sdk::Event CpuBuffer::CopyWhenReady(backend::ContentsPtr contents, int64_t size, Copy copy) {
  if (contents->ready.IsReady() && (size <= kShortCopy || IsFromBeforeFork())) {
    Status status = contents->ready.status();
    if (status.ok()) copy(*contents->storage);
    return sdk::Event::Ready(std::move(status));
  }
  auto done = std::make_shared<sdk::EventSource>();
  sdk::Event event = done->event();
  sdk::Event ready = contents->ready;
  ready.OnReady([runtime = runtime_, contents = std::move(contents), copy = std::move(copy),
                 done](const Status& status) {
    if (!status.ok()) {
      done->Set(status);
      return;
    }
    // The thread that made the contents ready has other things to do.
    runtime->threads.Schedule([runtime, contents, copy, done]() mutable {
      const backend::CallbacksElsewhere elsewhere(*runtime);
      copy(*contents->storage);
      contents = nullptr;  // It may be the last that held the host's memory: a callback is due.
      done->Set();
    });
  });
  return event;
}

Expected<sdk::Event> CpuBuffer::CopyToHost(const sdk::HostDestination& destination) {
  PLINTH_ASSIGN_OR_RETURN(backend::ContentsPtr source, ContentsFor("copy to the host"));
  PLINTH_ASSIGN_OR_RETURN(int64_t size, sdk::DenseSizeInBytes(dtype(), dims()));
  void* data = destination.data;
  sdk::Dims shape(dims());
  sdk::Dims to(destination.byte_strides), from(shape.size());
  int64_t element_size = ByteSize(dtype());
  const std::span<const int64_t> order =
      layout() == nullptr ? std::span<const int64_t>() : layout()->minor_to_major;
  sdk::DenseByteStrides(shape, element_size, order, {from.data(), from.size()});
  if (layout() == nullptr ? destination.is_dense : to == from) {
    return CopyWhenReady(std::move(source), size, [data, size](const backend::Storage& storage) {
      if (size > 0) std::memcpy(data, storage.data(), size);
    });
  }
  return CopyWhenReady(std::move(source), size, [=](const backend::Storage& storage) {
    sdk::CopyStrided(data, to, storage.data(), from, shape, element_size);
  });
}

Expected<sdk::Event> CpuBuffer::CopyRawToHost(void* destination, int64_t offset, int64_t size) {
  PLINTH_ASSIGN_OR_RETURN(backend::ContentsPtr source, ContentsFor("copy bytes to the host of"));
  return CopyWhenReady(std::move(source), size, [=](const backend::Storage& storage) {
    if (size > 0) std::memcpy(destination, storage.data() + offset, size);
  });
}

Expected<std::shared_ptr<void>> CpuBuffer::HoldMemory() {
  const backend::Contents* const source = Borrow();
  if (source == nullptr) return DeletedError("give out the memory of");
  // The address of an array that is still being computed is only known afterwards.
  Status status = source->ready.Await();
  backend::StoragePtr storage = source->storage;
  Return();
  if (!status.ok()) return status;
  void* data = storage->data();
  return std::shared_ptr<void>(data, [storage = std::move(storage)](void*) {});
}

Expected<std::unique_ptr<sdk::Buffer>> CpuBuffer::Share(sdk::Memory* memory, sdk::Device* device) {
  PLINTH_ASSIGN_OR_RETURN(backend::ContentsPtr source, ContentsFor("copy"));
  return std::unique_ptr<sdk::Buffer>(
      new CpuBuffer(runtime_, dtype(), dims(), memory, device, std::move(source), layout()));
}

Expected<std::unique_ptr<sdk::Buffer>> CpuBuffer::CopyToMemory(sdk::Memory* memory) {
  return Share(memory, memory->devices().front());
}

Expected<std::unique_ptr<sdk::Buffer>> CpuBuffer::CopyToDevice(sdk::Device* device) {
  return Share(device->default_memory(), device);
}

Expected<std::unique_ptr<sdk::Buffer>> CpuBuffer::DonateWithControlDependency(
    sdk::Event dependency) {
  backend::ContentsPtr source = Donate();
  if (source == nullptr) return DeletedError("donate");
  auto done = std::make_shared<sdk::EventSource>();
  backend::ContentsPtr moved = backend::ContentsPtr::Make();
  moved->ready = done->event();
  const sdk::Event both[] = {source->ready, std::move(dependency)};
  sdk::Event::All(both).OnReady([source, moved, done](const Status& status) {
    if (status.ok()) moved->storage = source->storage;
    done->Set(status);
  });
  return std::unique_ptr<sdk::Buffer>(
      new CpuBuffer(runtime_, dtype(), dims(), memory(), device(), std::move(moved), layout()));
}

Expected<std::unique_ptr<sdk::Buffer>> CpuBuffer::Bitcast(const sdk::Shape& shape) {
  PLINTH_ASSIGN_OR_RETURN(backend::ContentsPtr source, ContentsFor("bitcast"));
  PLINTH_ASSIGN_OR_RETURN(int64_t old_size, sdk::DenseSizeInBytes(dtype(), dims()));
  PLINTH_ASSIGN_OR_RETURN(int64_t new_size, sdk::DenseSizeInBytes(shape.dtype, shape.dims));
  if (old_size != new_size) {
    return InvalidArgument("cannot bitcast ", sdk::ToString(dtype(), dims()), " (", old_size,
                           " bytes) to ", sdk::ToString(shape.dtype, shape.dims), " (", new_size,
                           " bytes)");
  }
  PLINTH_ASSIGN_OR_RETURN(auto layout, backend::DenseLayoutOf(shape.layout, shape.dims.size()));
  return std::unique_ptr<sdk::Buffer>(new CpuBuffer(
      runtime_, shape.dtype, shape.dims, memory(), device(), std::move(source), std::move(layout)));
}

}  // namespace plinth::cpu
