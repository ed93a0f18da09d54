// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/pending_buffer.h"

#include <utility>

namespace plinth::conformance {

bool PendingBuffer::Make() { return MakeManager() && Retrieve(); }

bool PendingBuffer::MakeManager() {
  Expected<PJRT_Device*> device = context_.Device();
  if (!context_.Ok("", "PJRT_Client_AddressableDevices", device.status())) return false;
  auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  memory.device = *device;
  if (!context_.Ok("", "PJRT_Device_DefaultMemory", context_.plugin().Call(memory))) return false;
  Expected<OwnedManager> made = NewManager(context_, memory.memory, {array_});
  if (!context_.Ok("", "PJRT_Client_CreateBuffersForAsyncHostToDevice", made.status())) {
    return false;
  }
  manager_ = *std::move(made);
  return context_.Check("PJRT-Args-output-handle", static_cast<bool>(manager_),
                        "the transfer manager is null");
}

bool PendingBuffer::Retrieve() {
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
  args.transfer_manager = manager_.get();
  if (!context_.Ok("", "PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer",
                   context_.plugin().Call(args))) {
    return false;
  }
  buffer_ = OwnedBuffer(context_.plugin(), args.buffer_out);
  return context_.Check("PJRT-Args-output-handle", args.buffer_out != nullptr,
                        "the retrieved buffer is null");
}

Status PendingBuffer::Transfer(int index, const float* values, int64_t offset, int64_t size,
                               bool is_last) const {
  return TransferBytes(context_, manager_.get(), index, values, offset, size, is_last);
}

bool PendingBuffer::Fill() {
  return context_.Ok("PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
                     "the only transfer",
                     TransferBytes(context_, manager_.get(), 0, array_.bytes.data(), 0,
                                   static_cast<int64_t>(array_.bytes.size()), true));
}

}  // namespace plinth::conformance
