// SPDX-License-Identifier: Apache-2.0
// Bugs in transfers between host memory and buffers.

#include <algorithm>
#include <cstring>

#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

// Makes the buffer a view of the caller's memory, which is then neither copied nor held.
PJRT_Error* UploadAsView(PJRT_Client_BufferFromHostBuffer_Args* args) {
  auto view = MakeArgs<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
  view.client = args->client;
  view.device_buffer_ptr = const_cast<void*>(args->data);
  view.dims = args->dims;
  view.num_dims = args->num_dims;
  view.element_type = args->type;
  view.device = args->device;
  if (PJRT_Error* error = Real().PJRT_Client_CreateViewOfDeviceBuffer(&view)) return error;
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  if (PJRT_Error* error = Real().PJRT_Event_Create(&create)) return error;
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = args->done_with_host_buffer = create.event;
  args->buffer = view.buffer;
  return Real().PJRT_Event_Set(&set);
}

// Only large arrays, so that the rest of the suite runs.
bool IsLarge(const PJRT_Client_BufferFromHostBuffer_Args* args) {
  return args->num_dims == 1 && args->dims != nullptr && args->dims[0] > 100000 &&
         args->dims[0] < 1000000 && args->data != nullptr && args->num_byte_strides == 0;
}

template <PJRT_HostBufferSemantics kSemantics>
void NotCopied(PJRT_Api& t) {
  Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
    bool is_meant = RawEnum(a->host_buffer_semantics) == kSemantics && IsLarge(a);
    return is_meant ? UploadAsView(a) : Real().PJRT_Client_BufferFromHostBuffer(a);
  });
}

constexpr Mutant kTransferMutants[] = {
    {"strides_order", "PJRT-Client_BufferFromHostBuffer-strides",
     "strides are taken in the wrong order",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         int64_t strides[8];
         if (a->num_byte_strides < 2 || a->num_byte_strides > 8 || a->byte_strides == nullptr) {
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         }
         auto own = *a;
         std::reverse_copy(a->byte_strides, a->byte_strides + a->num_byte_strides, strides);
         own.byte_strides = strides;
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(&own);
         a->buffer = own.buffer;
         a->done_with_host_buffer = own.done_with_host_buffer;
         return error;
       });
     }},
    {"strides_unsigned", "PJRT-Client_BufferFromHostBuffer-strides",
     "negative strides are taken as positive",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         int64_t strides[8];
         if (a->num_byte_strides < 1 || a->num_byte_strides > 8 || a->byte_strides == nullptr) {
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         }
         auto own = *a;
         std::transform(a->byte_strides, a->byte_strides + a->num_byte_strides, strides,
                        [](int64_t stride) { return stride < 0 ? -stride : stride; });
         own.byte_strides = strides;
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(&own);
         a->buffer = own.buffer;
         a->done_with_host_buffer = own.done_with_host_buffer;
         return error;
       });
     }},
    {"reads_after_call", "PJRT-Client_BufferFromHostBuffer-only-during-call",
     "host memory is read after the call although it is immutable only during it",
     NotCopied<PJRT_HostBufferSemantics_kImmutableOnlyDuringCall>},
    {"done_too_early", "PJRT-Client_BufferFromHostBuffer-done",
     "done_with_host_buffer is ready while the host memory is still used",
     NotCopied<PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes>},
    {"device_wins", "PJRT-Client_BufferFromHostBuffer-memory-wins",
     "a memory given without a device is ignored",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->memory == nullptr) return Real().PJRT_Client_BufferFromHostBuffer(a);
         auto own = *a;
         own.memory = nullptr;
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(&own);
         a->buffer = own.buffer;
         a->done_with_host_buffer = own.done_with_host_buffer;
         return error;
       });
     }},
    {"device_layout_ignored", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "every array is kept row-major",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         auto own = *a;
         own.device_layout = nullptr;
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(&own);
         a->buffer = own.buffer;
         a->done_with_host_buffer = own.done_with_host_buffer;
         return error;
       });
     }},
    {"to_host_too_small", "PJRT-Buffer_ToHostBuffer-too-small",
     "more is written than dst_size allows",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         if (a->dst != nullptr) a->dst_size = SIZE_MAX;
         return Real().PJRT_Buffer_ToHostBuffer(a);
       });
     }},
    {"to_host_size", "PJRT-Buffer_ToHostBuffer-dst_size",
     "the size that a small array needs is told one element too small",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         bool is_question = a->dst == nullptr;
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (error == nullptr && is_question && a->dst_size == 12) a->dst_size = 8;
         return error;
       });
     }},
    {"raw_copy_offset", "PJRT-Buffer_CopyRawToHost-offset", "raw copies begin at 0",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto* a) {
         auto own = *a;
         if (a->offset > 0 && a->offset < 8) own.offset = 0;
         PJRT_Error* error = Real().PJRT_Buffer_CopyRawToHost(&own);
         a->event = own.event;
         return error;
       });
     }},
    {"raw_copy_range", "PJRT-Buffer_CopyRawToHost-range",
     "a range behind the end of the buffer is cut instead of refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto* a) {
         auto own = *a;
         if (a->offset == 12 && a->transfer_size == 8) own.transfer_size = 4;
         PJRT_Error* error = Real().PJRT_Buffer_CopyRawToHost(&own);
         a->event = own.event;
         return error;
       });
     }},
    {"piece_offset", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "pieces of an asynchronous transfer all land at 0",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         auto own = *a;
         if (a->offset == 8) own.offset = 0;
         PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(&own);
         a->done_with_h2d_transfer = own.done_with_h2d_transfer;
         return error;
       });
     }},
    {"piece_range", "PJRT-AsyncHostToDeviceTransferManager_TransferData-range",
     "a piece behind the end of the buffer is cut instead of refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         auto own = *a;
         if (a->offset == 12 && a->transfer_size == 8) own.transfer_size = 4;
         PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(&own);
         a->done_with_h2d_transfer = own.done_with_h2d_transfer;
         return error;
       });
     }},
    {"last_piece_forgotten", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a buffer does not become ready after its last piece",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         auto own = *a;
         own.is_last_transfer = false;
         PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(&own);
         a->done_with_h2d_transfer = own.done_with_h2d_transfer;
         return error;
       });
     }},
    {"transfer_error_code", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "the error of a transfer loses its code",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto* a) {
         if (RawEnum(a->error_code) == PJRT_Error_Code_UNAVAILABLE) {
           a->error_code = PJRT_Error_Code_INTERNAL;
         }
         return Real().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(a);
       });
     }},
    {"manager_abandons", "PJRT-AsyncHostToDeviceTransferManager_Destroy-unfinished",
     "a buffer whose transfer manager is gone waits for ever",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(
           t, [](auto* a) -> PJRT_Error* { return nullptr; });
     }},
    {"copy_of_nothing", "PJRT-Buffer_CopyToMemory-contents",
     "a copy in a memory has the right shape and other contents",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_CopyToMemory(a);
         if (error != nullptr) return error;
         auto pointer = MakeArgs<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
         pointer.buffer = a->dst_buffer;
         if (Real().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&pointer) == nullptr) {
           std::memset(pointer.device_memory_ptr, 0, 4);
         }
         return error;
       });
     }},
};

}  // namespace

std::span<const Mutant> TransferMutants() { return kTransferMutants; }

}  // namespace plinth::mutants
