// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/transfer_manager.h"

#include "impl/client/src/calls.h"

namespace plinth::client {

using internal::GetPointer;
using internal::GetValue;

Expected<size_t> TransferManager::BufferCount() const {
  using Args = PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args;
  return GetValue(handle_.api(), handle_.get(), &Args::transfer_manager, &Args::buffer_count);
}

Expected<size_t> TransferManager::BufferByteSize(int index) const {
  PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args args = {};
  args.transfer_manager = handle_.get();
  args.buffer_index = index;
  PLINTH_RETURN_IF_ERROR(handle_.api().Call(args));
  return args.buffer_size;
}

Expected<Device> TransferManager::TargetDevice() const {
  using Args = PJRT_AsyncHostToDeviceTransferManager_Device_Args;
  PLINTH_ASSIGN_OR_RETURN(
      PJRT_Device * device,
      GetPointer(handle_.api(), handle_.get(), &Args::transfer_manager, &Args::device_out));
  return Device(handle_.api(), device);
}

Expected<Buffer> TransferManager::RetrieveBuffer(int index) {
  PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args args = {};
  args.transfer_manager = handle_.get();
  args.buffer_index = index;
  PLINTH_RETURN_IF_ERROR(handle_.api().Call(args));
  if (args.buffer_out == nullptr) {
    return internal::NullOutput("PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer",
                                "its buffer");
  }
  return Buffer(Handle<PJRT_Buffer>(handle_.api(), args.buffer_out, handle_.client()));
}

Expected<Event> TransferManager::TransferData(int index, const void* data, int64_t offset,
                                              int64_t size, bool is_last) {
  PJRT_AsyncHostToDeviceTransferManager_TransferData_Args args = {};
  args.transfer_manager = handle_.get();
  args.buffer_index = index;
  args.data = data;
  args.offset = offset;
  args.transfer_size = size;
  args.is_last_transfer = is_last;
  PLINTH_RETURN_IF_ERROR(handle_.api().Call(args));
  return internal::AdoptEvent(handle_.api(), args.done_with_h2d_transfer, handle_.client(),
                              "PJRT_AsyncHostToDeviceTransferManager_TransferData");
}

Status TransferManager::SetBufferError(int index, const Status& error) {
  PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args args = {};
  args.transfer_manager = handle_.get();
  args.buffer_index = index;
  args.error_code = static_cast<PJRT_Error_Code>(error.code());
  args.error_message = error.message().data();
  args.error_message_size = error.message().size();
  return handle_.api().Call(args);
}

}  // namespace plinth::client
