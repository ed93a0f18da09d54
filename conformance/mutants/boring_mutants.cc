// SPDX-License-Identifier: Apache-2.0
// Bugs in places that look boring: pieces of transfers, odd strides, sizes at thresholds, empty
// arrays, devices other than the first. Written from the requirements, without looking at the
// cases.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

std::mutex& BoringLock() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

// The bytes of a buffer that is ready; null where it has none.
char* BytesOf(PJRT_Buffer* buffer) {
  auto ready = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = buffer;
  PJRT_Error* error = Real().PJRT_Buffer_ReadyEvent(&ready);
  if (error != nullptr) {
    FreeError(error);
    return nullptr;
  }
  auto await = MakeArgs<PJRT_Event_Await_Args>();
  await.event = ready.event;
  error = Real().PJRT_Event_Await(&await);
  auto destroy = MakeArgs<PJRT_Event_Destroy_Args>();
  destroy.event = ready.event;
  FreeError(Real().PJRT_Event_Destroy(&destroy));
  auto pointer = MakeArgs<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
  pointer.buffer = buffer;
  if (error == nullptr) error = Real().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&pointer);
  bool is_there = error == nullptr;
  FreeError(error);
  return is_there ? static_cast<char*>(pointer.device_memory_ptr) : nullptr;
}

size_t SizeOf(PJRT_Buffer* buffer) {
  auto size = MakeArgs<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
  size.buffer = buffer;
  FreeError(Real().PJRT_Buffer_OnDeviceSizeInBytes(&size));
  return size.on_device_size_in_bytes;
}

bool AreEqual(PJRT_Buffer* one, PJRT_Buffer* other) {
  char *x = BytesOf(one), *y = BytesOf(other);
  return x != nullptr && y != nullptr && SizeOf(one) == SizeOf(other) &&
         std::memcmp(x, y, SizeOf(one)) == 0;
}

PJRT_Device* DeviceOf(PJRT_Buffer* buffer) {
  auto device = MakeArgs<PJRT_Buffer_Device_Args>();
  device.buffer = buffer;
  FreeError(Real().PJRT_Buffer_Device(&device));
  return device.device;
}

PJRT_Device* FirstDevice(PJRT_Client* client) {
  auto devices = MakeArgs<PJRT_Client_AddressableDevices_Args>();
  devices.client = client;
  FreeError(Real().PJRT_Client_AddressableDevices(&devices));
  return devices.num_addressable_devices == 0 ? nullptr : devices.addressable_devices[0];
}

PJRT_Memory* MemoryOf(PJRT_Device* device) {
  auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  memory.device = device;
  FreeError(Real().PJRT_Device_DefaultMemory(&memory));
  return memory.memory;
}

// An event that is ready.
PJRT_Event* DoneEvent() {
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  FreeError(Real().PJRT_Event_Create(&create));
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = create.event;
  FreeError(Real().PJRT_Event_Set(&set));
  return create.event;
}

// Uploads with `change`d arguments.
template <typename Change>
PJRT_Error* UploadChanged(PJRT_Client_BufferFromHostBuffer_Args* a, Change change) {
  auto own = *a;
  change(own);
  PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(&own);
  a->buffer = own.buffer;
  a->done_with_host_buffer = own.done_with_host_buffer;
  return error;
}

// Where the next piece of a buffer of a manager would begin.
std::map<std::pair<void*, int>, int64_t>& NextPieces() {
  static auto* const next = new std::map<std::pair<void*, int>, int64_t>;
  return *next;
}

// Buffers by what they were made from, or with.
std::map<PJRT_Buffer*, PJRT_Buffer*>& CopyOf() {
  static auto* const copies = new std::map<PJRT_Buffer*, PJRT_Buffer*>;
  return *copies;
}

void ForgetCopies(PJRT_Api& table) {
  Replace<&PJRT_Api::PJRT_Buffer_Destroy>(table, [](auto* a) {
    {
      std::lock_guard<std::mutex> lock(BoringLock());
      CopyOf().erase(a->buffer);
      std::erase_if(CopyOf(), [&](const auto& pair) { return pair.second == a->buffer; });
    }
    return Real().PJRT_Buffer_Destroy(a);
  });
}

// Deleting an array clears what was remembered as a copy of it.
void CopiesDie(PJRT_Api& table) {
  ForgetCopies(table);
  Replace<&PJRT_Api::PJRT_Buffer_Delete>(table, [](auto* a) {
    std::lock_guard<std::mutex> lock(BoringLock());
    for (const auto& [copy, source] : CopyOf()) {
      if (source != a->buffer) continue;
      if (char* bytes = BytesOf(copy)) std::memset(bytes, 0, SizeOf(copy));
    }
    return Real().PJRT_Buffer_Delete(a);
  });
}

struct ViewEnd {
  void (*callback)(void*, void*);
  void* address;
  void* arg;
};
std::map<PJRT_Buffer*, ViewEnd>& Views() {
  static auto* const views = new std::map<PJRT_Buffer*, ViewEnd>;
  return *views;
}

bool Fails(PJRT_Event* event) {
  auto await = MakeArgs<PJRT_Event_Await_Args>();
  await.event = event;
  PJRT_Error* error = Real().PJRT_Event_Await(&await);
  FreeError(error);
  return error != nullptr;
}

PJRT_Event* TakeReadyEvent(PJRT_Buffer* buffer) {
  auto ready = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = buffer;
  FreeError(Real().PJRT_Buffer_ReadyEvent(&ready));
  return ready.event;
}

void DropEvent(PJRT_Event* event) {
  auto destroy = MakeArgs<PJRT_Event_Destroy_Args>();
  destroy.event = event;
  FreeError(Real().PJRT_Event_Destroy(&destroy));
}

PJRT_Executable* ExecutableOf(PJRT_LoadedExecutable* loaded) {
  auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = loaded;
  FreeError(Real().PJRT_LoadedExecutable_GetExecutable(&get));
  return get.executable;
}

// Clears an output's bytes from `from` on.
void ClearFrom(PJRT_Buffer* buffer, size_t from) {
  size_t size = SizeOf(buffer);
  char* bytes = size > from ? BytesOf(buffer) : nullptr;
  if (bytes != nullptr) std::memset(bytes + from, 0, size - from);
}

constexpr Mutant kBoringMutants[] = {
    {"pieces_in_order", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a piece lands behind the one before, wherever it belongs",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         auto own = *a;
         {
           std::lock_guard<std::mutex> lock(BoringLock());
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
           std::lock_guard<std::mutex> lock(BoringLock());
           std::erase_if(NextPieces(),
                         [&](const auto& pair) { return pair.first.first == a->transfer_manager; });
         }
         return Real().PJRT_AsyncHostToDeviceTransferManager_Destroy(a);
       });
     }},
    {"empty_piece_is_none", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a last piece without bytes is not the last",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         auto own = *a;
         if (own.transfer_size == 0) own.is_last_transfer = false;
         PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(&own);
         a->done_with_h2d_transfer = own.done_with_h2d_transfer;
         return error;
       });
     }},
    {"last_piece_ends_all", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a buffer is ready with its first piece",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         auto own = *a;
         own.is_last_transfer = true;
         PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(&own);
         a->done_with_h2d_transfer = own.done_with_h2d_transfer;
         return error;
       });
     }},
    {"error_of_first_buffer", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "the error of a manager's second buffer goes to the first",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto* a) {
         auto own = *a;
         if (own.buffer_index == 1) own.buffer_index = 0;
         return Real().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(&own);
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
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Device>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_Device(a);
         if (error == nullptr && client != nullptr) a->device_out = FirstDevice(client);
         return error;
       });
     }},
    {"strides_of_one", "PJRT-Client_BufferFromHostBuffer-strides",
     "the stride of a dimension of size 1 has to be the dense one",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->byte_strides != nullptr && a->num_byte_strides == a->num_dims) {
           for (size_t i = 0; i + 1 < a->num_dims; ++i) {
             if (a->dims[i] == 1 && a->byte_strides[i] != a->byte_strides[i + 1] * a->dims[i + 1])
               return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "strides are not dense");
           }
         }
         return Real().PJRT_Client_BufferFromHostBuffer(a);
       });
     }},
    {"strides_of_nothing", "PJRT-Client_BufferFromHostBuffer-strides",
     "an empty array with strides is refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->byte_strides != nullptr && a->dims != nullptr &&
             std::count(a->dims, a->dims + a->num_dims, 0) > 0)
           return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no elements to step over");
         return Real().PJRT_Client_BufferFromHostBuffer(a);
       });
     }},
    {"strides_of_last", "PJRT-Client_BufferFromHostBuffer-strides",
     "the innermost stride is taken to be the size of an element",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->byte_strides == nullptr || a->num_byte_strides < 2 ||
             a->type != PJRT_Buffer_Type_F32)
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         std::vector<int64_t> strides(a->byte_strides, a->byte_strides + a->num_byte_strides);
         strides.back() = 4;
         return UploadChanged(a, [&](auto& own) { own.byte_strides = strides.data(); });
       });
     }},
    {"scalars_on_first", "PJRT-Buffer_Device-asked-for", "scalars always go to the first device",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->num_dims != 0 || a->client == nullptr || a->device == nullptr)
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         return UploadChanged(a, [&](auto& own) { own.device = FirstDevice(a->client); });
       });
     }},
    {"rounded_down_address", "PJRT-Buffer_ToHostBuffer-contents",
     "host memory that is not aligned is read from the aligned place before",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         return UploadChanged(a, [](auto& own) {
           if (own.type == PJRT_Buffer_Type_F32 || own.type == PJRT_Buffer_Type_S32)
             own.data =
                 static_cast<const char*>(own.data) - reinterpret_cast<uintptr_t>(own.data) % 4;
         });
       });
     }},
    {"last_chunk_lost", "PJRT-Buffer_ToHostBuffer-contents",
     "what an array has behind its last whole 64 KiB does not arrive",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(a);
         if (error == nullptr && SizeOf(a->buffer) > 65536)
           ClearFrom(a->buffer, SizeOf(a->buffer) / 65536 * 65536);
         return error;
       });
     }},
    {"four_mebibytes", "PJRT-Buffer_ToHostBuffer-contents", "of an array the first 4 MiB arrive",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(a);
         if (error == nullptr) ClearFrom(a->buffer, 4 << 20);
         return error;
       });
     }},
    {"download_of_mebibyte", "PJRT-Buffer_ToHostBuffer-contents",
     "a copy to the host of more than 1 MiB has its second MiB at the end again",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (error != nullptr || a->dst == nullptr || a->dst_size <= 2 << 20) return error;
         if (Fails(a->event)) return error;
         std::memcpy(static_cast<char*>(a->dst) + a->dst_size - (1 << 20),
                     static_cast<char*>(a->dst) + (1 << 20), 1 << 20);
         return error;
       });
     }},
    {"s4_is_s8", "PJRT-Buffer_ElementType-asked-for",
     "arrays of four bits say that they are of eight",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ElementType>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ElementType(a);
         if (a->type == PJRT_Buffer_Type_S4) a->type = PJRT_Buffer_Type_S8;
         return error;
       });
     }},
    {"nan_becomes_quiet", "PJRT-Buffer_ToHostBuffer-contents",
     "signaling NaNs of 64 bits come back quiet",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (error != nullptr || a->dst == nullptr) return error;
         auto type = MakeArgs<PJRT_Buffer_ElementType_Args>();
         type.buffer = a->src;
         FreeError(Real().PJRT_Buffer_ElementType(&type));
         if (type.type != PJRT_Buffer_Type_F64 || Fails(a->event)) return error;
         for (size_t i = 0; i + 8 <= a->dst_size; i += 8) {
           uint64_t bits;
           std::memcpy(&bits, static_cast<char*>(a->dst) + i, 8);
           if ((bits & 0x7FFFFFFFFFFFFFFF) > 0x7FF0000000000000) bits |= 0x0008000000000000;
           std::memcpy(static_cast<char*>(a->dst) + i, &bits, 8);
         }
         return error;
       });
     }},
    {"zero_has_no_sign", "PJRT-Buffer_ToHostBuffer-contents",
     "a negative zero of 16 bits comes back positive",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (error != nullptr || a->dst == nullptr) return error;
         auto type = MakeArgs<PJRT_Buffer_ElementType_Args>();
         type.buffer = a->src;
         FreeError(Real().PJRT_Buffer_ElementType(&type));
         if (type.type != PJRT_Buffer_Type_BF16 || Fails(a->event)) return error;
         for (size_t i = 0; i + 2 <= a->dst_size; i += 2) {
           auto* element = static_cast<unsigned char*>(a->dst) + i;
           if (element[0] == 0 && element[1] == 0x80) element[1] = 0;
         }
         return error;
       });
     }},
    {"copy_dies_with_source", "PJRT-Buffer_CopyToDevice-contents",
     "a copy on another device is lost when the original is deleted",
     [](PJRT_Api& t) {
       CopiesDie(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_CopyToDevice(a);
         std::lock_guard<std::mutex> lock(BoringLock());
         if (error == nullptr) CopyOf()[a->dst_buffer] = a->buffer;
         return error;
       });
     }},
    {"memory_copy_dies_with_source", "PJRT-Buffer_CopyToMemory-contents",
     "a copy in another memory is lost when the original is deleted",
     [](PJRT_Api& t) {
       CopiesDie(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_CopyToMemory(a);
         std::lock_guard<std::mutex> lock(BoringLock());
         if (error == nullptr) CopyOf()[a->dst_buffer] = a->buffer;
         return error;
       });
     }},
    {"outputs_share_memory", "PJRT-LoadedExecutable_Execute-results",
     "outputs with equal contents share their memory, which the first that goes clears",
     [](PJRT_Api& t) {
       CopiesDie(t);
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || a->num_devices != 1) return error;
         auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
         count.executable = ExecutableOf(a->executable);
         FreeError(Real().PJRT_Executable_NumOutputs(&count));
         if (count.num_outputs != 4) return error;
         std::lock_guard<std::mutex> lock(BoringLock());
         for (size_t i = 0; i < 2; ++i) {
           PJRT_Buffer* one = a->output_lists[0][i];
           PJRT_Buffer* other = a->output_lists[0][i + 2];
           if (AreEqual(one, other)) CopyOf()[one] = other;
           if (AreEqual(one, other)) CopyOf()[other] = one;
         }
         return error;
       });
     }},
    {"result_is_argument", "PJRT-LoadedExecutable_Execute-results",
     "a result that equals its argument shares its memory, and goes with it",
     [](PJRT_Api& t) {
       CopiesDie(t);
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || a->num_devices != 1 || a->num_args != 1) return error;
         auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
         count.executable = ExecutableOf(a->executable);
         FreeError(Real().PJRT_Executable_NumOutputs(&count));
         if (count.num_outputs != 4) return error;
         std::lock_guard<std::mutex> lock(BoringLock());
         for (size_t i = 0; i < count.num_outputs; ++i) {
           PJRT_Buffer* one = a->output_lists[0][i];
           if (AreEqual(one, a->argument_lists[0][0])) CopyOf()[one] = a->argument_lists[0][0];
         }
         return error;
       });
     }},
    {"first_is_protected", "PJRT-LoadedExecutable_Execute-not-donated",
     "of the arguments that are not to be donated the first counts alone",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->options == nullptr || a->options->num_non_donatable_input_indices < 2)
           return Real().PJRT_LoadedExecutable_Execute(a);
         auto options = *a->options;
         options.num_non_donatable_input_indices = 1;
         auto own = *a;
         own.options = &options;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"protected_in_order", "PJRT-LoadedExecutable_Execute-not-donated",
     "indices that are not to be donated count only in ascending order",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->options == nullptr || a->options->num_non_donatable_input_indices < 2)
           return Real().PJRT_LoadedExecutable_Execute(a);
         auto options = *a->options;
         const int64_t* indices = options.non_donatable_input_indices;
         options.num_non_donatable_input_indices =
             std::is_sorted_until(indices, indices + options.num_non_donatable_input_indices) -
             indices;
         auto own = *a;
         own.options = &options;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"moves_arguments", "PJRT-LoadedExecutable_Execute-shape",
     "an argument on another device is copied instead of refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         auto devices = MakeArgs<PJRT_LoadedExecutable_AddressableDevices_Args>();
         devices.executable = a->executable;
         if (a->num_devices != 1 || a->executable == nullptr || a->execute_device != nullptr ||
             a->argument_lists == nullptr ||
             Real().PJRT_LoadedExecutable_AddressableDevices(&devices) != nullptr ||
             devices.num_addressable_devices != 1)
           return Real().PJRT_LoadedExecutable_Execute(a);
         std::vector<PJRT_Buffer*> list(a->argument_lists[0], a->argument_lists[0] + a->num_args);
         for (PJRT_Buffer*& buffer : list) {
           if (DeviceOf(buffer) == devices.addressable_devices[0]) continue;
           auto copy = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
           copy.buffer = buffer;
           copy.dst_device = devices.addressable_devices[0];
           PJRT_Error* error = Real().PJRT_Buffer_CopyToDevice(&copy);
           if (error != nullptr) return error;
           buffer = copy.dst_buffer;
         }
         PJRT_Buffer* const* lists[] = {list.data()};
         auto own = *a;
         own.argument_lists = lists;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"second_error_lost", "PJRT-LoadedExecutable_Execute-error-input",
     "an error of the second argument is not seen",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->num_devices != 1 || a->num_args != 2 || a->argument_lists == nullptr)
           return Real().PJRT_LoadedExecutable_Execute(a);
         PJRT_Buffer* pair[] = {a->argument_lists[0][0], a->argument_lists[0][1]};
         PJRT_Event* event = pair[1] == nullptr ? nullptr : TakeReadyEvent(pair[1]);
         auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
         ready.event = event;
         if (event != nullptr) FreeError(Real().PJRT_Event_IsReady(&ready));
         if (ready.is_ready && Fails(event)) pair[1] = pair[0];
         if (event != nullptr) DropEvent(event);
         PJRT_Buffer* const* lists[] = {pair};
         auto own = *a;
         own.argument_lists = lists;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"done_without_error", "PJRT-LoadedExecutable_Execute-asynchronous",
     "device_complete_events succeed whatever happened",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || a->device_complete_events == nullptr) return error;
         for (size_t i = 0; i < a->num_devices; ++i) {
           auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
           ready.event = a->device_complete_events[i];
           for (int turn = 0; turn < 4 && !ready.is_ready; ++turn) {
             std::this_thread::sleep_for(std::chrono::microseconds(turn * 500));
             FreeError(Real().PJRT_Event_IsReady(&ready));
           }
           if (!ready.is_ready || !Fails(ready.event)) continue;
           DropEvent(ready.event);
           a->device_complete_events[i] = DoneEvent();
         }
         return error;
       });
     }},
    {"deleted_argument_internal", "PJRT-LoadedExecutable_Execute-deleted",
     "a deleted argument is answered by INTERNAL",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         for (size_t i = 0; a->num_devices == 1 && a->argument_lists != nullptr && i < a->num_args;
              ++i) {
           auto deleted = MakeArgs<PJRT_Buffer_IsDeleted_Args>();
           deleted.buffer = a->argument_lists[0][i];
           if (deleted.buffer != nullptr && Real().PJRT_Buffer_IsDeleted(&deleted) == nullptr &&
               deleted.is_deleted)
             return MakeError(PJRT_Error_Code_INTERNAL, "the argument is deleted");
         }
         return Real().PJRT_LoadedExecutable_Execute(a);
       });
     }},
    {"device_not_chosen", "PJRT-LoadedExecutable_Execute-results",
     "an execution on a chosen device says the first one for its results",
     [](PJRT_Api& t) {
       static std::set<PJRT_Buffer*> made;
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || a->execute_device == nullptr) return error;
         std::lock_guard<std::mutex> lock(BoringLock());
         made.insert(a->output_lists[0][0]);
         return error;
       });
       Replace<&PJRT_Api::PJRT_Buffer_Device>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_Device(a);
         std::lock_guard<std::mutex> lock(BoringLock());
         if (error == nullptr && made.contains(a->buffer)) a->device = nullptr;
         return error;
       });
     }},
    {"overrides_ignored", "PJRT-Executable_DeserializeAndLoad-overrides",
     "options for an executable that is loaded again are not read",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto* a) {
         if (a->struct_size < sizeof(*a)) return Real().PJRT_Executable_DeserializeAndLoad(a);
         auto own = *a;
         own.overridden_serialized_compile_options = nullptr;
         own.overridden_serialized_compile_options_size = 0;
         PJRT_Error* error = Real().PJRT_Executable_DeserializeAndLoad(&own);
         a->loaded_executable = own.loaded_executable;
         return error;
       });
     }},
    {"cost_is_nan", "PJRT-Executable_GetCostAnalysis-named", "an estimate is no number",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto* a) {
         static auto* const kept = new std::deque<std::vector<PJRT_NamedValue>>;
         PJRT_Error* error = Real().PJRT_Executable_GetCostAnalysis(a);
         if (error != nullptr || a->num_properties == 0) return error;
         std::lock_guard<std::mutex> lock(BoringLock());
         auto& own = kept->emplace_back(a->properties, a->properties + a->num_properties);
         own.back().float_value = NAN;
         a->properties = own.data();
         return error;
       });
     }},
    {"costs_of_one_name", "PJRT-Executable_GetCostAnalysis-named",
     "two estimates have the same name",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto* a) {
         static auto* const kept = new std::deque<std::vector<PJRT_NamedValue>>;
         PJRT_Error* error = Real().PJRT_Executable_GetCostAnalysis(a);
         if (error != nullptr || a->num_properties == 0) return error;
         std::lock_guard<std::mutex> lock(BoringLock());
         auto& own = kept->emplace_back(a->properties, a->properties + a->num_properties);
         own.push_back(own.front());
         a->properties = own.data();
         a->num_properties = own.size();
         return error;
       });
     }},
    {"usage_of_first", "PJRT-Device_MemoryStats-in-use",
     "every device says what the first one uses",
     [](PJRT_Api& t) {
       static PJRT_Device* first = nullptr;
       Replace<&PJRT_Api::PJRT_Client_AddressableDevices>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_AddressableDevices(a);
         if (error == nullptr && a->num_addressable_devices > 0) first = a->addressable_devices[0];
         return error;
       });
       Replace<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto* a) {
         PJRT_Device* asked = a->device;
         if (asked != nullptr && first != nullptr) a->device = first;
         PJRT_Error* error = Real().PJRT_Device_MemoryStats(a);
         a->device = asked;
         return error;
       });
     }},
    {"peaks_stay", "PJRT-Device_ClearMemoryStats-peak", "clearing the statistics clears nothing",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Device_ClearMemoryStats>(t, [](auto* a) -> PJRT_Error* {
         return a->device == nullptr ? Real().PJRT_Device_ClearMemoryStats(a) : nullptr;
       });
     }},
    {"replicas_share_devices", "PJRT-Client_DefaultDeviceAssignment-devices",
     "the second replica has the devices of the first",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_DefaultDeviceAssignment(a);
         if (error != nullptr || a->num_replicas < 2 || a->num_partitions < 2) return error;
         std::copy_n(a->default_assignment, a->num_partitions,
                     a->default_assignment + a->num_partitions);
         return error;
       });
     }},
    {"fingerprint_of_name", "PJRT-Args-output-true", "programs of one name have one fingerprint",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_Fingerprint>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Executable_Fingerprint(a);
         if (error != nullptr) return error;
         auto name = MakeArgs<PJRT_Executable_Name_Args>();
         name.executable = a->executable;
         FreeError(Real().PJRT_Executable_Name(&name));
         a->executable_fingerprint = name.executable_name;
         a->executable_fingerprint_size = name.executable_name_size;
         return error;
       });
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Fingerprint>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Fingerprint(a);
         if (error != nullptr) return error;
         auto name = MakeArgs<PJRT_Executable_Name_Args>();
         name.executable = ExecutableOf(a->executable);
         FreeError(Real().PJRT_Executable_Name(&name));
         a->executable_fingerprint = name.executable_name;
         a->executable_fingerprint_size = name.executable_name_size;
         return error;
       });
     }},
    {"view_on_first", "PJRT-Buffer_Device-asked-for", "a view is always on the first device",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) {
         if (a->client == nullptr || a->device == nullptr)
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(a);
         auto own = *a;
         own.device = FirstDevice(a->client);
         PJRT_Error* error = Real().PJRT_Client_CreateViewOfDeviceBuffer(&own);
         a->buffer = own.buffer;
         return error;
       });
     }},
    {"view_ends_with_delete", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "a view gives its memory back when it is deleted, although an external reference uses it",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) {
         if (a->on_delete_callback == nullptr)
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(a);
         auto own = *a;
         own.on_delete_callback = nullptr;
         PJRT_Error* error = Real().PJRT_Client_CreateViewOfDeviceBuffer(&own);
         a->buffer = own.buffer;
         std::lock_guard<std::mutex> lock(BoringLock());
         if (error == nullptr)
           Views()[a->buffer] = {a->on_delete_callback, a->device_buffer_ptr,
                                 a->on_delete_callback_arg};
         return error;
       });
       static const auto end = [](PJRT_Buffer* buffer) {
         ViewEnd view = {};
         {
           std::lock_guard<std::mutex> lock(BoringLock());
           auto found = Views().find(buffer);
           if (found == Views().end()) return;
           view = found->second;
           Views().erase(found);
         }
         view.callback(view.address, view.arg);
       };
       Replace<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_Delete(a);
         end(a->buffer);
         return error;
       });
       Replace<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto* a) {
         PJRT_Buffer* buffer = a->buffer;
         PJRT_Error* error = Real().PJRT_Buffer_Destroy(a);
         end(buffer);
         return error;
       });
     }},
    {"uninitialized_row_major", "PJRT-Client_CreateUninitializedBuffer-asked-for",
     "the layout of an uninitialized buffer is not read",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateUninitializedBuffer>(t, [](auto* a) {
         auto own = *a;
         own.shape_layout = nullptr;
         PJRT_Error* error = Real().PJRT_Client_CreateUninitializedBuffer(&own);
         a->buffer = own.buffer;
         return error;
       });
     }},
    {"error_buffer_of_f32", "PJRT-Args-output-true", "a buffer of an error is always of f32",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(t, [](auto* a) {
         auto own = *a;
         if (RawEnum(own.shape_element_type) < 16 && RawEnum(own.shape_element_type) > 0)
           own.shape_element_type = PJRT_Buffer_Type_F32;
         PJRT_Error* error = Real().PJRT_Client_CreateErrorBuffer(&own);
         a->buffer = own.buffer;
         return error;
       });
     }},
    {"alias_in_first_memory", "PJRT-Args-output-true",
     "an alias is always in the first device's memory",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateAliasBuffer>(t, [](auto* a) {
         if (a->client == nullptr || a->memory == nullptr)
           return Real().PJRT_Client_CreateAliasBuffer(a);
         auto own = *a;
         own.memory = MemoryOf(FirstDevice(a->client));
         PJRT_Error* error = Real().PJRT_Client_CreateAliasBuffer(&own);
         a->alias_buffer = own.alias_buffer;
         a->fulfill_alias_buffer_cb = own.fulfill_alias_buffer_cb;
         return error;
       });
     }},
    {"alias_error_internal", "PJRT-Client_FulfillAliasBuffer-error",
     "whatever goes wrong with an alias is INTERNAL",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto* a) {
         auto own = *a;
         if (RawEnum(own.status_code) > 0 && RawEnum(own.status_code) < 17)
           own.status_code = PJRT_Error_Code_INTERNAL;
         return Real().PJRT_Client_FulfillAliasBuffer(&own);
       });
     }},
    {"raw_future_succeeds", "PJRT-Buffer_CopyRawToHostFuture-error",
     "the caller's error is not passed on",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_CopyRawToHostFuture(a);
         if (error != nullptr) return error;
         struct Told {
           void* data;
           void (*callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args*);
         };
         auto* told = new Told{a->callback_data, a->future_ready_callback};
         a->callback_data = told;
         a->future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) {
           static char nowhere[1 << 16];
           auto* own = static_cast<Told*>(args->callback_data);
           args->callback_data = own->data;
           if (RawEnum(args->error_code) != 0) args->dst = nowhere;
           args->error_code = PJRT_Error_Code_OK;
           own->callback(args);
           delete own;
         };
         return error;
       });
     }},
    {"bitcast_keeps_dims", "PJRT-Buffer_Bitcast-same-bytes",
     "an array that gets another shape keeps its dimensions",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](auto* a) {
         auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
         dims.buffer = a->buffer;
         PJRT_Error* error = Real().PJRT_Buffer_Dimensions(&dims);
         if (error != nullptr) {
           FreeError(error);
           return Real().PJRT_Buffer_Bitcast(a);
         }
         auto own = *a;
         own.dims = dims.dims;
         own.num_dims = dims.num_dims;
         error = Real().PJRT_Buffer_Bitcast(&own);
         if (error != nullptr) {
           FreeError(error);
           return Real().PJRT_Buffer_Bitcast(a);
         }
         a->out_buffer = own.out_buffer;
         return error;
       });
     }},
    {"raw_copy_of_nothing", "PJRT-Args-accepted", "a raw copy of no bytes is refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto* a) {
         if (a->transfer_size == 0)
           return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "nothing to copy");
         return Real().PJRT_Buffer_CopyRawToHost(a);
       });
     }},
    {"empty_copy_refused", "PJRT-Args-accepted", "an empty array is not copied to the host",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         if (a->dst != nullptr && a->src != nullptr && a->dst_size == 0)
           return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "nothing to copy");
         return Real().PJRT_Buffer_ToHostBuffer(a);
       });
     }},
    {"layout_of_scalar", "PJRT-Buffer_GetMemoryLayout-order",
     "the layout of a scalar names a dimension",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto* a) {
         static const int64_t zero[] = {0};
         PJRT_Error* error = Real().PJRT_Buffer_GetMemoryLayout(a);
         if (error != nullptr || a->layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled ||
             a->layout.tiled.minor_to_major_size != 0)
           return error;
         a->layout.tiled.minor_to_major = zero;
         a->layout.tiled.minor_to_major_size = 1;
         return error;
       });
     }},
    {"last_code_unknown", "PJRT-Event_Set-outcome", "UNAUTHENTICATED becomes UNKNOWN",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Set>(t, [](auto* a) {
         auto own = *a;
         if (RawEnum(own.error_code) == PJRT_Error_Code_UNAUTHENTICATED)
           own.error_code = PJRT_Error_Code_UNKNOWN;
         return Real().PJRT_Event_Set(&own);
       });
     }},
    {"executable_goes_with_loaded", "PJRT-LoadedExecutable_GetExecutable-independent",
     "an executable answers nothing once the loaded one is gone",
     [](PJRT_Api& t) {
       static std::map<PJRT_Executable*, PJRT_LoadedExecutable*> owners;
       static std::set<PJRT_Executable*> orphans;
       Replace<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_GetExecutable(a);
         std::lock_guard<std::mutex> lock(BoringLock());
         if (error == nullptr) {
           owners[a->executable] = a->loaded_executable;
           orphans.erase(a->executable);
         }
         return error;
       });
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(BoringLock());
           for (const auto& [executable, loaded] : owners) {
             if (loaded == a->executable) orphans.insert(executable);
           }
         }
         return Real().PJRT_LoadedExecutable_Destroy(a);
       });
       Replace<&PJRT_Api::PJRT_Executable_Name>(t, [](auto* a) {
         std::lock_guard<std::mutex> lock(BoringLock());
         if (orphans.contains(a->executable))
           return MakeError(PJRT_Error_Code_INTERNAL, "the program is gone");
         return Real().PJRT_Executable_Name(a);
       });
     }},
    {"no_arguments_no_list", "PJRT-Args-accepted",
     "a program without arguments wants a list of them",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->num_args == 0 && a->num_devices == 1 &&
             (a->argument_lists == nullptr || a->argument_lists[0] == nullptr))
           return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no list of arguments");
         return Real().PJRT_LoadedExecutable_Execute(a);
       });
     }},
    {"context_forgotten", "PJRT-FFI_UserData_Add-found", "an execution forgets its context",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->options == nullptr || a->options->struct_size < sizeof(*a->options))
           return Real().PJRT_LoadedExecutable_Execute(a);
         auto options = *a->options;
         options.context = nullptr;
         auto own = *a;
         own.options = &options;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"copy_device_lies", "PJRT-Buffer_CopyToDevice-contents",
     "a copy on another device says the device of the original",
     [](PJRT_Api& t) {
       ForgetCopies(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_CopyToDevice(a);
         std::lock_guard<std::mutex> lock(BoringLock());
         if (error == nullptr) CopyOf()[a->dst_buffer] = a->buffer;
         return error;
       });
       Replace<&PJRT_Api::PJRT_Buffer_Device>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_Device(a);
         std::lock_guard<std::mutex> lock(BoringLock());
         auto found = CopyOf().find(a->buffer);
         if (error == nullptr && found != CopyOf().end()) a->device = DeviceOf(found->second);
         return error;
       });
     }},
    {"errors_become_ready", "PJRT-Client_CreateErrorBuffer-carries",
     "the ready event of a buffer that carries an error succeeds",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ReadyEvent(a);
         auto deleted = MakeArgs<PJRT_Buffer_IsDeleted_Args>();
         deleted.buffer = a->buffer;
         if (error != nullptr || Real().PJRT_Buffer_IsDeleted(&deleted) != nullptr ||
             deleted.is_deleted)
           return error;
         auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
         ready.event = a->event;
         FreeError(Real().PJRT_Event_IsReady(&ready));
         if (!ready.is_ready || !Fails(a->event)) return error;
         DropEvent(a->event);
         a->event = DoneEvent();
         return error;
       });
     }},
    {"outputs_in_first_memory", "PJRT-Buffer_Memory-asked-for",
     "results say the memory of the client's first device",
     [](PJRT_Api& t) {
       static PJRT_Memory* first = nullptr;
       static std::set<PJRT_Buffer*> made;
       Replace<&PJRT_Api::PJRT_Client_AddressableDevices>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_AddressableDevices(a);
         if (error == nullptr && a->num_addressable_devices > 0)
           first = MemoryOf(a->addressable_devices[0]);
         return error;
       });
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || a->num_devices < 2) return error;
         auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
         count.executable = ExecutableOf(a->executable);
         FreeError(Real().PJRT_Executable_NumOutputs(&count));
         std::lock_guard<std::mutex> lock(BoringLock());
         for (size_t i = 0; i < a->num_devices && count.num_outputs > 0; ++i)
           made.insert(a->output_lists[i][0]);
         return error;
       });
       Replace<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(BoringLock());
           made.erase(a->buffer);
         }
         return Real().PJRT_Buffer_Destroy(a);
       });
       Replace<&PJRT_Api::PJRT_Buffer_Memory>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_Memory(a);
         std::lock_guard<std::mutex> lock(BoringLock());
         if (error == nullptr && first != nullptr && made.contains(a->buffer)) a->memory = first;
         return error;
       });
     }},
    {"callback_text_lost", "PJRT-Event_Await-independent",
     "the error that a callback gets has a code and no text",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         if (a->callback == nullptr) return Real().PJRT_Event_OnReady(a);
         struct Given {
           PJRT_Event_OnReadyCallback callback;
           void* arg;
         };
         auto own = *a;
         own.user_arg = new Given{a->callback, a->user_arg};
         own.callback = [](PJRT_Error* error, void* arg) {
           auto* given = static_cast<Given*>(arg);
           if (error != nullptr) {
             auto code = MakeArgs<PJRT_Error_GetCode_Args>();
             code.error = error;
             FreeError(Real().PJRT_Error_GetCode(&code));
             FreeError(error);
             error = MakeError(code.code, "");
           }
           given->callback(error, given->arg);
           delete given;
         };
         return Real().PJRT_Event_OnReady(&own);
       });
     }},
    {"event_error_internal", "PJRT-Event_Set-outcome",
     "PJRT_Event_Error says INTERNAL whatever happened",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Error>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Event_Error(a);
         if (error == nullptr) return error;
         auto message = MakeArgs<PJRT_Error_Message_Args>();
         message.error = error;
         Real().PJRT_Error_Message(&message);
         PJRT_Error* other =
             MakeError(PJRT_Error_Code_INTERNAL, {message.message, message.message_size});
         FreeError(error);
         return other;
       });
     }},
    {"compile_changes_program", "PJRT-Args-input", "compiling leaves a program of no size",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         if (error == nullptr) const_cast<PJRT_Program*>(a->program)->code_size = 0;
         return error;
       });
     }},
    {"arguments_taken", "PJRT-Args-input", "an execution leaves its last argument's place empty",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error == nullptr && a->num_args > 1)
           const_cast<PJRT_Buffer**>(a->argument_lists[0])[a->num_args - 1] = nullptr;
         return error;
       });
     }},
    {"upload_writes_host", "PJRT-Args-input", "an upload leaves a mark in the host's memory",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(a);
         if (error == nullptr && SizeOf(a->buffer) >= 8 && a->num_byte_strides == 0 &&
             a->host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall)
           static_cast<char*>(const_cast<void*>(a->data))[0] ^= 1;
         return error;
       });
     }},
    {"layout_written", "PJRT-Args-input", "a copy to the host turns the order that it is given",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (error != nullptr || a->host_layout == nullptr ||
             a->host_layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled)
           return error;
         auto& tiled = a->host_layout->tiled;
         auto* order = const_cast<int64_t*>(tiled.minor_to_major);
         if (tiled.minor_to_major_size > 1) std::swap(order[0], order[1]);
         return error;
       });
     }},
    {"no_devices_run", "PJRT-LoadedExecutable_Execute-count", "an execution on no devices succeeds",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->executable != nullptr && a->options != nullptr && a->num_devices == 0)
           return static_cast<PJRT_Error*>(nullptr);
         return Real().PJRT_LoadedExecutable_Execute(a);
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
             DropEvent(own.done_with_h2d_transfer);
         }).detach();
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
};

}  // namespace

std::span<const Mutant> BoringMutants() { return kBoringMutants; }

}  // namespace plinth::mutants
