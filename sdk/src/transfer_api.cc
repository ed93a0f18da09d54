// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/buffer_access.h"
#include "sdk/src/entry.h"
#include "sdk/src/hand_out.h"
#include "sdk/src/wire.h"

namespace plinth::sdk {

PJRT_CopyToDeviceStream* ToC(std::unique_ptr<CopyToDeviceStream> stream) {
  stream->generation = internal::CurrentGeneration();
  return internal::ToC(stream.release());
}

namespace internal {
namespace {

template <typename Args>
Status CheckIndex(const Args& args, const AsyncHostToDeviceTransferManager& manager) {
  if (args.buffer_index >= 0 && static_cast<size_t>(args.buffer_index) < manager.buffer_count()) {
    return {};
  }
  return Invalid(args, "buffer_index ", args.buffer_index, "; the manager has ",
                 manager.buffer_count(), " buffers");
}

}  // namespace

Status Call(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args& args) {
  static constexpr char kFunction[] = "PJRT_Client_CreateBuffersForAsyncHostToDevice";
  PLINTH_HANDLE(core, args, client);
  if (args.num_device_layouts != 0 && args.num_device_layouts != args.num_shape_specs) {
    return Invalid(args, args.num_device_layouts, " layouts for ", args.num_shape_specs, " shapes");
  }
  std::vector<Shape> shapes;
  for (size_t i = 0; i < args.num_shape_specs; ++i) {
    const PJRT_ShapeSpec& spec = args.shape_specs[i];
    PLINTH_ASSIGN_OR_RETURN(
        Shape shape, ReadShape(kFunction, spec.element_type, spec.dims, spec.num_dims,
                               args.num_device_layouts == 0 ? nullptr : args.device_layouts[i]));
    shapes.push_back(std::move(shape));
  }
  PLINTH_ASSIGN_OR_RETURN(Place place, ReadPlace(kFunction, *core, args.memory, nullptr));
  PLINTH_ASSIGN_OR_RETURN(
      std::unique_ptr<AsyncHostToDeviceTransferManager> manager,
      core->client->CreateBuffersForAsyncHostToDevice(std::move(shapes), place.memory));
  if (manager == nullptr) return Internal("the plugin made no transfer manager and gave no error");
  core->Adopt(*manager);
  args.transfer_manager = ToC(manager.release());
  return {};
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args& args) {
  DestroyHandle(FromC(args.transfer_manager));
  return {};
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args& args) {
  PLINTH_HANDLE(manager, args, transfer_manager);
  PLINTH_RETURN_IF_ERROR(CheckIndex(args, *manager));
  const auto index = static_cast<size_t>(args.buffer_index);
  const int64_t size = manager->buffer_size(index);
  if (args.offset < 0 || args.transfer_size < 0 || args.offset > size ||
      args.transfer_size > size - args.offset) {
    return Invalid(args, args.transfer_size, " bytes at offset ", args.offset,
                   " are not inside of buffer ", index, " of ", size, " bytes");
  }
  PLINTH_ASSIGN_OR_RETURN(Event event,
                          manager->TransferData(index, args.data, args.offset, args.transfer_size,
                                                RawBool(args.is_last_transfer)));
  args.done_with_h2d_transfer = new PJRT_Event(std::move(event));
  return {};
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args& args) {
  PLINTH_HANDLE(manager, args, transfer_manager);
  PLINTH_RETURN_IF_ERROR(CheckIndex(args, *manager));
  PLINTH_ASSIGN_OR_RETURN(
      Shape shape,
      ReadShape("PJRT_AsyncHostToDeviceTransferManager_TransferLiteral", args.shape_element_type,
                args.shape_dims, args.shape_num_dims, args.shape_layout));
  PLINTH_ASSIGN_OR_RETURN(int64_t size, DenseSizeInBytes(shape.dtype, shape.dims));
  if (size != 0) PLINTH_NOT_NULL(args, data);
  PLINTH_ASSIGN_OR_RETURN(
      Event event,
      manager->TransferLiteral(static_cast<size_t>(args.buffer_index), args.data, shape));
  args.done_with_h2d_transfer = new PJRT_Event(std::move(event));
  return {};
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args& args) {
  PLINTH_HANDLE(manager, args, transfer_manager);
  PLINTH_RETURN_IF_ERROR(CheckIndex(args, *manager));
  PLINTH_ASSIGN_OR_RETURN(
      args.buffer_out,
      HandOut(*manager->core, manager->RetrieveBuffer(static_cast<size_t>(args.buffer_index))));
  return {};
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_Device_Args& args) {
  PLINTH_HANDLE(manager, args, transfer_manager);
  args.device_out = ToC(manager->device());
  return {};
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args& args) {
  PLINTH_HANDLE(manager, args, transfer_manager);
  args.buffer_count = manager->buffer_count();
  return {};
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args& args) {
  PLINTH_HANDLE(manager, args, transfer_manager);
  PLINTH_RETURN_IF_ERROR(CheckIndex(args, *manager));
  args.buffer_size =
      static_cast<size_t>(manager->buffer_size(static_cast<size_t>(args.buffer_index)));
  return {};
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args& args) {
  PLINTH_HANDLE(manager, args, transfer_manager);
  PLINTH_RETURN_IF_ERROR(CheckIndex(args, *manager));
  Status error;
  PLINTH_RETURN_IF_ERROR(ReadError("PJRT_AsyncHostToDeviceTransferManager_SetBufferError",
                                   args.error_code, args.error_message, args.error_message_size,
                                   nullptr, 0, error));
  return manager->SetBufferError(static_cast<size_t>(args.buffer_index), std::move(error));
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args& args) {
  PLINTH_HANDLE(manager, args, transfer_manager);
  PLINTH_ASSIGN_OR_RETURN(std::vector<NamedValue> metadata,
                          NamedValuesFromC(args.transfer_metadata, args.num_metadata));
  return manager->AddMetadata(std::move(metadata));
}

Status Call(PJRT_CopyToDeviceStream_Destroy_Args& args) {
  DestroyHandle(FromC(args.stream));
  return {};
}

Status Call(PJRT_CopyToDeviceStream_AddChunk_Args& args) {
  PLINTH_HANDLE(stream, args, stream);
  PLINTH_ASSIGN_OR_RETURN(Event event, stream->AddChunk(*args.chunk));
  args.transfer_complete = new PJRT_Event(std::move(event));
  return {};
}

Status Call(PJRT_CopyToDeviceStream_TotalBytes_Args& args) {
  PLINTH_HANDLE(stream, args, stream);
  args.total_bytes = stream->total_bytes();
  return {};
}

Status Call(PJRT_CopyToDeviceStream_GranuleSize_Args& args) {
  PLINTH_HANDLE(stream, args, stream);
  args.granule_size_in_bytes = stream->granule_size();
  return {};
}

Status Call(PJRT_CopyToDeviceStream_CurrentBytes_Args& args) {
  PLINTH_HANDLE(stream, args, stream);
  args.current_bytes = stream->current_bytes();
  return {};
}

}  // namespace internal
}  // namespace plinth::sdk
