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
  Expected<OwnedManager> made = NewManagerOfFour(context_, memory.memory);
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
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
  args.transfer_manager = manager_.get();
  args.buffer_index = index;
  args.data = values;
  args.offset = offset;
  args.transfer_size = size;
  args.is_last_transfer = is_last;
  PLINTH_RETURN_IF_ERROR(context_.plugin().Call(args));
  OwnedEvent done(context_.plugin(), args.done_with_h2d_transfer);
  return done ? context_.Await(done.get()) : Status();
}

bool PendingBuffer::Fill() {
  const float values[] = {1, 2, 3, 4};
  return context_.Ok("PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
                     "the only transfer", Transfer(0, values, 0, sizeof(values), true));
}

Expected<OwnedManager> NewManagerOfFour(const Context& context, PJRT_Memory* memory) {
  int64_t dims[] = {4};
  auto shape = MakeArgs<PJRT_ShapeSpec>();
  shape.dims = dims;
  shape.num_dims = 1;
  shape.element_type = PJRT_Buffer_Type_F32;
  auto args = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  args.client = context.client();
  args.shape_specs = &shape;
  args.num_shape_specs = 1;
  args.memory = memory;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return OwnedManager(context.plugin(), args.transfer_manager);
}

}  // namespace plinth::conformance
