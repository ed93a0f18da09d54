// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/transfer_manager.h"

namespace plinth::conformance {

Expected<OwnedManager> NewManager(const Context& context, PJRT_Memory* memory,
                                  const std::vector<HostArray>& arrays) {
  std::vector<PJRT_ShapeSpec> specs(arrays.size(), MakeArgs<PJRT_ShapeSpec>());
  for (size_t i = 0; i < arrays.size(); ++i) {
    specs[i].dims = arrays[i].dims.data();
    specs[i].num_dims = arrays[i].dims.size();
    specs[i].element_type = static_cast<PJRT_Buffer_Type>(ToC(arrays[i].type));
  }
  auto args = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  args.client = context.client();
  args.shape_specs = specs.data();
  args.num_shape_specs = specs.size();
  args.memory = memory;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return OwnedManager(context.plugin(), args.transfer_manager);
}

Expected<OwnedManager> NewManagerOfFour(const Context& context, PJRT_Memory* memory) {
  return NewManager(context, memory, {{DType::kF32, {4}, {}}});
}

Expected<OwnedBuffer> RetrieveBuffer(const Context& context,
                                     PJRT_AsyncHostToDeviceTransferManager* manager, int index) {
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
  args.transfer_manager = manager;
  args.buffer_index = index;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return OwnedBuffer(context.plugin(), args.buffer_out);
}

Status TransferBytes(const Context& context, PJRT_AsyncHostToDeviceTransferManager* manager,
                     int index, const void* bytes, int64_t offset, int64_t size, bool is_last) {
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
  args.transfer_manager = manager;
  args.buffer_index = index;
  args.data = bytes;
  args.offset = offset;
  args.transfer_size = size;
  args.is_last_transfer = is_last;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedEvent done(context.plugin(), args.done_with_h2d_transfer);
  return done ? context.Await(done.get()) : Status();
}

}  // namespace plinth::conformance
