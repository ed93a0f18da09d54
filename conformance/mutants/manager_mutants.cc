// SPDX-License-Identifier: Apache-2.0
// Bugs of transfer managers: pieces, their order and ends, several buffers of one manager. Written
// from the requirements, without looking at the cases.

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

// Where the next piece of a buffer of a manager would begin.
std::map<std::pair<void*, int>, int64_t>& NextPieces() {
  static auto* const next = new std::map<std::pair<void*, int>, int64_t>;
  return *next;
}

constexpr Mutant kManagerMutants[] = {
    {"pieces_in_order", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a piece lands behind the one before, wherever it belongs",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         auto own = *a;
         {
           std::lock_guard<std::mutex> lock(Memory());
           int64_t& next = NextPieces()[{a->transfer_manager, a->buffer_index}];
           if (a->offset >= 0 && a->offset < 1 << 20 && a->transfer_size > 0) {
             own.offset = next;
             next += a->transfer_size;
           }
         }
         PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(&own);
         if (error != nullptr) {
           FreeError(error);
           own.offset = a->offset;
           error = Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(&own);
         }
         a->done_with_h2d_transfer = own.done_with_h2d_transfer;
         return error;
       });
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           std::erase_if(NextPieces(),
                         [&](const auto& pair) { return pair.first.first == a->transfer_manager; });
         }
         return Real().PJRT_AsyncHostToDeviceTransferManager_Destroy(a);
       });
     }},
    {"empty_piece_is_none", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a last piece without bytes is not the last",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         if (a.transfer_size == 0) a.is_last_transfer = false;
       });
     }},
    {"last_piece_ends_all", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a buffer is ready with its first piece",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(
           t, [](auto& a) { a.is_last_transfer = true; });
     }},
    {"error_of_first_buffer", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "the error of a manager's second buffer goes to the first",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(
           t, [](auto& a) {
             if (a.buffer_index == 1) a.buffer_index = 0;
           });
     }},
    {"manager_text_lost", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "the error of a transfer loses its text",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto* a) {
         auto own = *a;
         if (own.error_message != nullptr) {
           own.error_message = "error";
           own.error_message_size = 5;
         }
         return Real().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(&own);
       });
     }},
    {"manager_of_first", "PJRT-AsyncHostToDeviceTransferManager_Device-memory",
     "a manager says the client's first device",
     [](PJRT_Api& t) {
       static PJRT_Client* client = nullptr;
       Replace<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto* a) {
         client = a->client;
         return Real().PJRT_Client_CreateBuffersForAsyncHostToDevice(a);
       });
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Device>(t, [](auto& a) {
         if (client != nullptr) a.device_out = FirstDevice(client);
       });
     }},
    {"pieces_read_later", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a piece is read a little after its event says that it was",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         auto size = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
         size.transfer_manager = a->transfer_manager;
         size.buffer_index = a->buffer_index;
         if (!a->is_last_transfer || a->data == nullptr || a->offset != 0 ||
             Real().PJRT_AsyncHostToDeviceTransferManager_BufferSize(&size) != nullptr ||
             static_cast<size_t>(a->transfer_size) != size.buffer_size)
           return Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(a);
         a->done_with_h2d_transfer = DoneEvent();
         std::thread([own = *a]() mutable {
           std::this_thread::sleep_for(std::chrono::milliseconds(3));
           if (Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(&own) == nullptr)
             Drop(own.done_with_h2d_transfer);
         }).detach();
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"second_manager_refused", "PJRT-Args-accepted",
     "a second transfer manager is refused while the first lives",
     [](PJRT_Api& t) {
       static int living = 0;
       Refuse<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice,
              PJRT_Error_Code_RESOURCE_EXHAUSTED>(t, [](const auto&) { return living > 0; });
       static auto create = t.PJRT_Client_CreateBuffersForAsyncHostToDevice;
       t.PJRT_Client_CreateBuffersForAsyncHostToDevice = [](auto* a) {
         PJRT_Error* error = create(a);
         if (error == nullptr) ++living;
         return error;
       };
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto& a) {
         if (a.transfer_manager != nullptr) --living;
       });
     }},
    {"second_buffer_first", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "data of a manager's second buffer goes to the first",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         if (a->buffer_index != 1)
           return Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(a);
         auto own = *a;
         own.buffer_index = 0;
         own.is_last_transfer = false;
         PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(&own);
         if (error != nullptr) {
           FreeError(error);
           return Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(a);
         }
         a->done_with_h2d_transfer = own.done_with_h2d_transfer;
         return error;
       });
     }},
    {"types_of_first_shape", "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for",
     "all buffers of a manager have the type of the first",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         static thread_local std::vector<PJRT_ShapeSpec> specs;
         if (a.shape_specs == nullptr || a.num_shape_specs < 2) return;
         specs.assign(a.shape_specs, a.shape_specs + a.num_shape_specs);
         for (PJRT_ShapeSpec& spec : specs) spec.element_type = specs[0].element_type;
         a.shape_specs = specs.data();
       });
     }},
    {"manager_in_default", "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for",
     "buffers of a manager lie in the default memory",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         auto devices = MakeArgs<PJRT_Memory_AddressableByDevices_Args>();
         devices.memory = a.memory;
         if (a.memory == nullptr) return;
         FreeError(Real().PJRT_Memory_AddressableByDevices(&devices));
         if (devices.num_devices > 0) a.memory = DefaultMemoryOf(devices.devices[0]);
       });
     }},
    {"pieces_of_words", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a piece moves whole words only",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(
           t, [](auto& a) { a.transfer_size &= ~int64_t{3}; });
     }},
    {"forgets_managers", "PJRT-Process-memory", "every transfer manager leaves 100 bytes behind",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(
           t, [](auto&) { Forget(100); });
     }},
};

}  // namespace

std::span<const Mutant> ManagerMutants() { return kManagerMutants; }

}  // namespace plinth::mutants
