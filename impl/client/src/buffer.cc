// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/buffer.h"

#include "impl/client/src/calls.h"

namespace plinth::client {

using internal::AdoptEvent;
using internal::GetList;
using internal::GetPointer;
using internal::GetValue;
using internal::NullOutput;

namespace {

template <typename T>
Expected<std::vector<std::remove_const_t<T>>> Copied(Expected<std::span<T>> list) {
  if (!list.ok()) return list.status();
  return std::vector<std::remove_const_t<T>>(list->begin(), list->end());
}

}  // namespace

Expected<Buffer> Buffer::Adopt(PJRT_Buffer* buffer, const char* function) const {
  if (buffer == nullptr) return NullOutput(function, "its buffer");
  return Buffer(Handle<PJRT_Buffer>(api(), buffer, handle_.client()));
}

Expected<DType> Buffer::Type() const {
  using Args = PJRT_Buffer_ElementType_Args;
  PLINTH_ASSIGN_OR_RETURN(const int type, GetValue(api(), get(), &Args::buffer, &Args::type));
  const std::optional<DType> known = DTypeFromC(type);
  if (!known) {
    return Unimplemented("the buffer has element type ", type,
                         ", which this library does not know");
  }
  return *known;
}

Expected<std::vector<int64_t>> Buffer::Dims() const {
  using Args = PJRT_Buffer_Dimensions_Args;
  return Copied(GetList(api(), get(), &Args::buffer, &Args::dims, &Args::num_dims));
}

Expected<std::vector<int64_t>> Buffer::UnpaddedDims() const {
  using Args = PJRT_Buffer_UnpaddedDimensions_Args;
  return Copied(GetList(api(), get(), &Args::buffer, &Args::unpadded_dims, &Args::num_dims));
}

Expected<std::vector<size_t>> Buffer::DynamicDimensions() const {
  using Args = PJRT_Buffer_DynamicDimensionIndices_Args;
  return Copied(
      GetList(api(), get(), &Args::buffer, &Args::dynamic_dim_indices, &Args::num_dynamic_dims));
}

Expected<Layout> Buffer::DeviceLayout() const {
  PJRT_Buffer_GetMemoryLayout_Args args = {};
  args.buffer = get();
  PLINTH_RETURN_IF_ERROR(api().Call(args));
  return Layout::FromC(args.layout);
}

Expected<size_t> Buffer::OnDeviceByteSize() const {
  using Args = PJRT_Buffer_OnDeviceSizeInBytes_Args;
  return GetValue(api(), get(), &Args::buffer, &Args::on_device_size_in_bytes);
}

Expected<class Device> Buffer::Device() const {
  using Args = PJRT_Buffer_Device_Args;
  PLINTH_ASSIGN_OR_RETURN(PJRT_Device * device,
                          GetPointer(api(), get(), &Args::buffer, &Args::device));
  return client::Device(api(), device);
}

Expected<class Memory> Buffer::Memory() const {
  using Args = PJRT_Buffer_Memory_Args;
  PLINTH_ASSIGN_OR_RETURN(PJRT_Memory * memory,
                          GetPointer(api(), get(), &Args::buffer, &Args::memory));
  return client::Memory(api(), memory);
}

Expected<bool> Buffer::IsOnCpu() const {
  using Args = PJRT_Buffer_IsOnCpu_Args;
  return GetValue(api(), get(), &Args::buffer, &Args::is_on_cpu);
}

Expected<Event> Buffer::Ready() const {
  using Args = PJRT_Buffer_ReadyEvent_Args;
  PLINTH_ASSIGN_OR_RETURN(PJRT_Event * event, GetValue(api(), get(), &Args::buffer, &Args::event));
  return AdoptEvent(api(), event, handle_.client(), "PJRT_Buffer_ReadyEvent");
}

Status Buffer::Await() const {
  PLINTH_ASSIGN_OR_RETURN(const Event ready, Ready());
  return ready.Await();
}

Expected<Event> Buffer::CopyToHost(void* to, size_t rank, size_t size) const {
  // Null would mean the device's own order of dimensions.
  const Layout row_major = Layout::RowMajor(rank);
  LayoutArgument c_layout(rank > 1 ? &row_major : nullptr);
  PJRT_Buffer_ToHostBuffer_Args args = {};
  args.src = get();
  args.host_layout = c_layout.get();
  args.dst = to;
  args.dst_size = size;
  PLINTH_RETURN_IF_ERROR(api().Call(args));
  return AdoptEvent(api(), args.event, handle_.client(), "PJRT_Buffer_ToHostBuffer");
}

Expected<Future<HostArray>> Buffer::ToHostAsync() const {
  PLINTH_ASSIGN_OR_RETURN(const DType type, Type());
  PLINTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, Dims());
  PLINTH_ASSIGN_OR_RETURN(HostArray array, HostArray::Create(type, dims));
  PLINTH_ASSIGN_OR_RETURN(Event event, CopyToHost(array.data(), dims.size(), array.byte_size()));
  return Future<HostArray>(std::move(event), std::move(array));
}

Expected<HostArray> Buffer::ToHost() const {
  PLINTH_ASSIGN_OR_RETURN(Future<HostArray> future, ToHostAsync());
  return std::move(future).Await();
}

Status Buffer::ToHost(const MutableHostView& to) const {
  PLINTH_ASSIGN_OR_RETURN(const DType type, Type());
  PLINTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, Dims());
  if (type != to.type || !std::equal(dims.begin(), dims.end(), to.dims.begin(), to.dims.end())) {
    return InvalidArgument("the buffer is ", ShapeToString(type, dims),
                           " and is to be copied into ", ShapeToString(to.type, to.dims));
  }
  if (to.byte_strides.empty()) {
    PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, HostByteSize(type, dims));
    if (bytes == 0) return Await();
    if (to.data == nullptr) return InvalidArgument("a copy of a buffer has nowhere to go: null");
    PLINTH_ASSIGN_OR_RETURN(const Event event,
                            CopyToHost(to.data, dims.size(), static_cast<size_t>(bytes)));
    return event.Await();
  }
  // Plugins need not write other orders than dense ones.
  PLINTH_ASSIGN_OR_RETURN(const HostArray array, ToHost());
  if (array.byte_size() != 0 && to.data == nullptr) {
    return InvalidArgument("a copy of a buffer has nowhere to go: null");
  }
  return CopyStrided(array.view(), to);
}

Expected<Event> Buffer::CopyRawToHost(void* to, int64_t offset, int64_t transfer_size) const {
  PJRT_Buffer_CopyRawToHost_Args args = {};
  args.buffer = get();
  args.dst = to;
  args.offset = offset;
  args.transfer_size = transfer_size;
  PLINTH_RETURN_IF_ERROR(api().Call(args));
  return AdoptEvent(api(), args.event, handle_.client(), "PJRT_Buffer_CopyRawToHost");
}

Expected<Buffer> Buffer::CopyToDevice(const class Device& device) const {
  PJRT_Buffer_CopyToDevice_Args args = {};
  args.buffer = get();
  args.dst_device = device.get();
  PLINTH_RETURN_IF_ERROR(api().Call(args));
  return Adopt(args.dst_buffer, "PJRT_Buffer_CopyToDevice");
}

Expected<Buffer> Buffer::CopyToMemory(const class Memory& memory) const {
  PJRT_Buffer_CopyToMemory_Args args = {};
  args.buffer = get();
  args.dst_memory = memory.get();
  PLINTH_RETURN_IF_ERROR(api().Call(args));
  return Adopt(args.dst_buffer, "PJRT_Buffer_CopyToMemory");
}

Expected<Buffer> Buffer::Bitcast(DType type, std::span<const int64_t> dims,
                                 const Layout* layout) const {
  LayoutArgument c_layout(layout);
  PJRT_Buffer_Bitcast_Args args = {};
  args.buffer = get();
  args.element_type = ToC(type);
  args.dims = dims.data();
  args.num_dims = dims.size();
  args.device_layout = c_layout.get();
  PLINTH_RETURN_IF_ERROR(api().Call(args));
  return Adopt(args.out_buffer, "PJRT_Buffer_Bitcast");
}

Status Buffer::Delete() {
  PJRT_Buffer_Delete_Args args = {};
  args.buffer = get();
  return api().Call(args);
}

Expected<bool> Buffer::IsDeleted() const {
  using Args = PJRT_Buffer_IsDeleted_Args;
  return GetValue(api(), get(), &Args::buffer, &Args::is_deleted);
}

Expected<uintptr_t> Buffer::UnsafePointer() const {
  using Args = PJRT_Buffer_UnsafePointer_Args;
  return GetValue(api(), get(), &Args::buffer, &Args::buffer_pointer);
}

Expected<ExternalReference> Buffer::AddExternalReference() const {
  PJRT_Buffer_IncreaseExternalReferenceCount_Args increase = {};
  increase.buffer = get();
  PLINTH_RETURN_IF_ERROR(api().Call(increase));
  ExternalReference counted(api(), get(), nullptr);
  using Args = PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args;
  PLINTH_ASSIGN_OR_RETURN(void* data,
                          GetValue(api(), get(), &Args::buffer, &Args::device_memory_ptr));
  return ExternalReference(api(), counted.Release(), data);
}

ExternalReference::~ExternalReference() {
  if (buffer_ == nullptr) return;
  PJRT_Buffer_DecreaseExternalReferenceCount_Args args = {};
  args.buffer = buffer_;
  (void)api_.Call(args);
}

}  // namespace plinth::client
