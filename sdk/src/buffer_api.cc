// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/buffer_access.h"
#include "sdk/src/donated_buffers.h"
#include "sdk/src/entry.h"
#include "sdk/src/hand_out.h"
#include "sdk/src/wire.h"

namespace plinth::sdk::internal {

Status Call(PJRT_Buffer_Destroy_Args& args) {
  Buffer* buffer = FromC(args.buffer);
  if (buffer == nullptr || buffer->generation != CurrentGeneration()) return {};
  BufferAccess::Unref(buffer);
  return {};
}

Status Call(PJRT_Buffer_ElementType_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  args.type = plinth::ToC(buffer->dtype());
  return {};
}

Status Call(PJRT_Buffer_Dimensions_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  args.dims = buffer->dims().data();
  args.num_dims = buffer->dims().size();
  return {};
}

Status Call(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  PLINTH_ASSIGN_OR_RETURN(std::span<const int64_t> dims, BufferAccess::UnpaddedDims(*buffer));
  args.unpadded_dims = dims.data();
  args.num_dims = dims.size();
  return {};
}

Status Call(PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  std::span<const size_t> indices = buffer->DynamicDimensionIndices();
  args.dynamic_dim_indices = indices.data();
  args.num_dynamic_dims = indices.size();
  return {};
}

Status Call(PJRT_Buffer_GetMemoryLayout_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  const std::shared_ptr<const Layout>& layout = buffer->layout();
  if (layout != nullptr && !layout->tiles.empty()) {
    return Unimplemented(
        "PJRT_Buffer_GetMemoryLayout: the buffer is tiled; ask the Layouts extension");
  }
  WriteLayout(layout, buffer->dims().size(), args.layout);
  return {};
}

Status Call(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  PLINTH_ASSIGN_OR_RETURN(int64_t size, buffer->OnDeviceSizeInBytes());
  args.on_device_size_in_bytes = static_cast<size_t>(size);
  return {};
}

Status Call(PJRT_Buffer_Device_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  args.device = ToC(buffer->device());
  return {};
}

Status Call(PJRT_Buffer_Memory_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  args.memory = buffer->memory()->handle();
  return {};
}

Status Call(PJRT_Buffer_Delete_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  BufferAccess::Delete(*buffer);
  return {};
}

Status Call(PJRT_Buffer_IsDeleted_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  args.is_deleted = BufferAccess::IsDeleted(*buffer);
  return {};
}

Status Call(PJRT_Buffer_IsOnCpu_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  args.is_on_cpu = buffer->IsOnCpu();
  return {};
}

Status Call(PJRT_Buffer_ReadyEvent_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  if (BufferAccess::IsDeleted(*buffer)) {
    EventSource failed;
    failed.Set(FailedPrecondition("PJRT_Buffer_ReadyEvent: the buffer was deleted or donated"));
    args.event = new PJRT_Event(failed.event());
    return {};
  }
  Event ready = buffer->ReadyEvent();
  if (buffer->IsFromBeforeFork() && !ready.IsReady()) {
    // Nobody is left who could make it ready.
    ready = Event::Ready(MadeBeforeFork("PJRT_Buffer_ReadyEvent", "buffer"));
  }
  args.event = new PJRT_Event(std::move(ready));
  return {};
}

Status Call(PJRT_Buffer_UnsafePointer_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  PLINTH_ASSIGN_OR_RETURN(void* address, BufferAccess::Address(*buffer));
  args.buffer_pointer = reinterpret_cast<uintptr_t>(address);
  return {};
}

Status Call(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  PLINTH_ASSIGN_OR_RETURN(args.device_memory_ptr, BufferAccess::Address(*buffer));
  return {};
}

Status Call(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  return BufferAccess::Hold(*buffer);
}

Status Call(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  return BufferAccess::Drop(*buffer);
}

Status Call(PJRT_Buffer_CopyToDevice_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  PLINTH_HANDLE(device, args, dst_device);
  if (device->core != buffer->core) {
    return Invalid(args, "dst_device belongs to another client; copy through the host");
  }
  PLINTH_ASSIGN_OR_RETURN(args.dst_buffer, HandOut(*buffer->core, buffer->CopyToDevice(device)));
  return {};
}

Status Call(PJRT_Buffer_CopyToMemory_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  PLINTH_ASSIGN_OR_RETURN(
      Place place, ReadPlace("PJRT_Buffer_CopyToMemory", *buffer->core, args.dst_memory, nullptr));
  PLINTH_ASSIGN_OR_RETURN(args.dst_buffer,
                          HandOut(*buffer->core, buffer->CopyToMemory(place.memory)));
  return {};
}

Status Call(PJRT_Buffer_Bitcast_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  PLINTH_ASSIGN_OR_RETURN(Shape shape, ReadShape("PJRT_Buffer_Bitcast", args.element_type,
                                                 args.dims, args.num_dims, args.device_layout));
  PLINTH_ASSIGN_OR_RETURN(args.out_buffer, HandOut(*buffer->core, buffer->Bitcast(shape)));
  return {};
}

Status Call(PJRT_Buffer_ToHostBuffer_Args& args) {
  PLINTH_HANDLE(buffer, args, src);
  HostStrides strides;
  PLINTH_RETURN_IF_ERROR(ReadHostLayout("PJRT_Buffer_ToHostBuffer", args.host_layout,
                                        buffer->layout().get(), buffer->dtype(), buffer->dims(),
                                        strides));
  // Two calls: the first asks for the size.
  if (args.dst == nullptr) {
    args.dst_size = static_cast<size_t>(strides.span);
    args.event = nullptr;
    return {};
  }
  if (args.dst_size < static_cast<size_t>(strides.span)) {
    return Invalid(args, "dst has ", args.dst_size, " bytes; ",
                   ToString(buffer->dtype(), buffer->dims()), " needs ", strides.span);
  }
  HostDestination destination;
  destination.data = args.dst;
  destination.byte_strides = strides.strides;
  destination.is_dense = strides.is_dense;
  destination.size = static_cast<int64_t>(args.dst_size);
  PLINTH_ASSIGN_OR_RETURN(Event event, buffer->CopyToHost(destination));
  args.event = new PJRT_Event(std::move(event));
  return {};
}

namespace {

Status CheckRawRange(const char* function, Buffer& buffer, int64_t offset, int64_t size) {
  PLINTH_ASSIGN_OR_RETURN(int64_t device_size, buffer.OnDeviceSizeInBytes());
  if (offset >= 0 && size >= 0 && offset <= device_size && size <= device_size - offset) return {};
  return InvalidArgument(function, ": ", size, " bytes from offset ", offset,
                         " are not inside of the buffer's ", device_size);
}

}  // namespace

Status Call(PJRT_Buffer_CopyRawToHost_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  PLINTH_RETURN_IF_ERROR(
      CheckRawRange("PJRT_Buffer_CopyRawToHost", *buffer, args.offset, args.transfer_size));
  PLINTH_ASSIGN_OR_RETURN(Event event,
                          buffer->CopyRawToHost(args.dst, args.offset, args.transfer_size));
  args.event = new PJRT_Event(std::move(event));
  return {};
}

namespace {

// A raw copy whose destination the caller tells later, through a callback that it is given.
struct RawCopyFuture {
  Buffer* buffer;  // With a reference of its own.
  int64_t offset;
  int64_t size;
  EventSource done;

  static void Ready(PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) noexcept {
    if (args == nullptr ||
        args->struct_size < PJRT_Buffer_CopyRawToHostFuture_Callback_Args_STRUCT_SIZE) {
      return;
    }
    std::unique_ptr<RawCopyFuture> self(static_cast<RawCopyFuture*>(args->callback_data));
    if (self == nullptr) return;
    try {
      try {
        self->Copy(*args);
      } catch (...) {
        self->done.Set(CurrentExceptionAsStatus(kFunction));
      }
    } catch (...) {
      // Out of memory for the message: dropping `done` unset makes the event fail.
    }
    BufferAccess::Unref(self->buffer);
  }

 private:
  static constexpr const char* kFunction = FunctionOf<PJRT_Buffer_CopyRawToHostFuture_Args>::kName;

  void Copy(const PJRT_Buffer_CopyRawToHostFuture_Callback_Args& args) {
    Status status =
        StatusFromParts(RawEnum(args.error_code), args.error_message, args.error_message_size);
    if (status.ok() && args.dst == nullptr && size != 0) {
      status = NullArgument("PJRT_Buffer_CopyRawToHostFuture callback", "dst");
    }
    if (!status.ok()) {
      done.Set(std::move(status));
      return;
    }
    Expected<Event> copied = buffer->CopyRawToHost(args.dst, offset, size);
    if (!copied.ok()) {
      done.Set(StatusOf(kFunction, FunctionOf<PJRT_Buffer_CopyRawToHostFuture_Args>::kSince,
                        copied.status()));
      return;
    }
    auto source = std::make_shared<EventSource>(std::move(done));
    copied->OnReady([source](const Status& result) { source->Set(result); });
  }
};

}  // namespace

Status Call(PJRT_Buffer_CopyRawToHostFuture_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  PLINTH_RETURN_IF_ERROR(
      CheckRawRange("PJRT_Buffer_CopyRawToHostFuture", *buffer, args.offset, args.transfer_size));
  auto future = std::make_unique<RawCopyFuture>(
      RawCopyFuture{buffer, args.offset, args.transfer_size, EventSource()});
  args.event = new PJRT_Event(future->done.event());
  BufferAccess::Ref(*buffer);
  args.callback_data = future.release();
  args.future_ready_callback = &RawCopyFuture::Ready;
  return {};
}

namespace {

// The dependency of a donation, which the caller reports through a callback that it is given.
void DependencyReady(PJRT_Buffer_DonateWithControlDependency_Callback_Args* args) noexcept {
  if (args == nullptr ||
      args->struct_size < PJRT_Buffer_DonateWithControlDependency_Callback_Args_STRUCT_SIZE) {
    return;
  }
  std::unique_ptr<EventSource> source(static_cast<EventSource*>(args->callback_data));
  if (source == nullptr) return;
  try {
    source->Set(
        StatusFromParts(RawEnum(args->error_code), args->error_message, args->error_message_size));
  } catch (...) {
    // Dropping the source unset makes the buffer fail.
  }
}

}  // namespace

Status Call(PJRT_Buffer_DonateWithControlDependency_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  auto source = std::make_unique<EventSource>();
  DonatedBuffers donated;
  if (!donated.Add(*buffer)) {
    return FailedPrecondition("PJRT_Buffer_DonateWithControlDependency: cannot donate ",
                              ToString(buffer->dtype(), buffer->dims()),
                              ": the buffer was deleted or donated");
  }
  PLINTH_ASSIGN_OR_RETURN(
      args.out_buffer,
      HandOut(*buffer->core, buffer->DonateWithControlDependency(source->event())));
  donated.Finish();
  args.callback_data = source.release();
  args.dependency_ready_callback = &DependencyReady;
  return {};
}

}  // namespace plinth::sdk::internal
