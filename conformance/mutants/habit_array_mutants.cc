// SPDX-License-Identifier: Apache-2.0
// Bugs that plugins of vendors have had or could have: after some history, for some arguments, with
// several objects alive. Here of arrays: how they come, are copied and viewed, and what is said of
// them. Written from the header and the registry, before a look at the cases.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;
using Manager = PJRT_AsyncHostToDeviceTransferManager;

// The memory of a device that is of the same kind; null if it has none.
PJRT_Memory* SameKindOn(PJRT_Device* device, PJRT_Memory* memory) {
  auto args = MakeArgs<PJRT_Device_AddressableMemories_Args>();
  args.device = device;
  Quiet<&Api::PJRT_Device_AddressableMemories>(args);
  for (size_t i = 0; i < args.num_memories; ++i) {
    if (KindOf(args.memories[i]) == KindOf(memory)) return args.memories[i];
  }
  return nullptr;
}

size_t BufferSizeOf(Manager* manager, int index) {
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
  args.transfer_manager = manager;
  args.buffer_index = index;
  Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize>(args);
  return args.buffer_size;
}

// Where the first of a chain of copies was.
struct Home {
  PJRT_Device* device = nullptr;
};

// Where the first prepared copy of a buffer begins.
struct FirstCopy {
  bool is_there = false;
  int64_t offset = 0;
};

struct ViewOwner {
  void (*callback)(void*, void*);
  void* argument;
};

// How to tell the owners of views that are alive, in the order in which the views were made.
std::deque<ViewOwner>& ViewOwners() {
  static auto* const owners = new std::deque<ViewOwner>;
  return *owners;
}

// Buffers of managers with some property.
std::set<std::pair<Manager*, int>>& ManagersBuffers() {
  static auto* const buffers = new std::set<std::pair<Manager*, int>>;
  return *buffers;
}
void ForgetManager(Manager* manager) {
  std::lock_guard<std::mutex> lock(Memory());
  std::erase_if(ManagersBuffers(), [&](const auto& buffer) { return buffer.first == manager; });
}

// Ranges of host memory that were mapped once and are so no more.
std::set<const void*>& Unmapped() {
  static auto* const ranges = new std::set<const void*>;
  return *ranges;
}

size_t BytesOfNumber(PJRT_Buffer_Type type) {
  switch (type) {
    case PJRT_Buffer_Type_F32:
    case PJRT_Buffer_Type_S32:
    case PJRT_Buffer_Type_U32:
      return 4;
    case PJRT_Buffer_Type_F64:
    case PJRT_Buffer_Type_S64:
    case PJRT_Buffer_Type_U64:
    case PJRT_Buffer_Type_C64:
      return 8;
    default:
      return 1;
  }
}

bool HasNoElement(const int64_t* dims, size_t num_dims) {
  return dims != nullptr && std::count(dims, dims + num_dims, 0) > 0;
}

const Mutant kHabitArrayMutants[] = {
    // Uploads.
    {"flipped_rows_upright", "PJRT-Client_BufferFromHostBuffer-strides",
     "Where a stride before the last is negative the array is read from its lowest address "
     "upwards.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         const size_t rank = a.num_dims;
         if (rank < 2 || a.num_byte_strides != rank || a.byte_strides == nullptr ||
             a.data == nullptr || a.dims == nullptr || a.byte_strides[rank - 1] <= 0 ||
             HasNoElement(a.dims, rank)) {
           return;
         }
         static thread_local std::vector<int64_t> strides;
         strides.assign(a.byte_strides, a.byte_strides + rank);
         for (size_t i = 0; i < rank; ++i) {
           if (strides[i] >= 0) continue;
           a.data = static_cast<const char*>(a.data) + (a.dims[i] - 1) * strides[i];
           strides[i] = -strides[i];
         }
         a.byte_strides = strides.data();
       });
     }},
    {"strides_in_elements", "PJRT-Client_BufferFromHostBuffer-strides",
     "Strides are whole elements: one of 12 bytes between numbers of 8, as in records, is 8.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.num_byte_strides == 0 || a.byte_strides == nullptr) return;
         static thread_local std::vector<int64_t> strides;
         strides.assign(a.byte_strides, a.byte_strides + a.num_byte_strides);
         const auto size = static_cast<int64_t>(BytesOfNumber(a.type));
         for (int64_t& stride : strides) stride -= stride % size;
         a.byte_strides = strides.data();
       });
     }},
    {"unit_dimension_layout", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "The layout of an array with a dimension of 1 is thought to make no difference: it is "
     "default.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.dims != nullptr && std::count(a.dims, a.dims + a.num_dims, 1) > 0) {
           a.device_layout = nullptr;
         }
       });
     }},
    {"complex_read_late", "PJRT-Client_BufferFromHostBuffer-only-during-call",
     "Complex numbers of 64-bit floats are split by a thread that reads them after the call.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) -> PJRT_Error* {
         if (a->type != PJRT_Buffer_Type_C128 || a->num_byte_strides > 0 ||
             a->device_layout != nullptr || a->data == nullptr || a->dims == nullptr ||
             a->client == nullptr || (a->memory == nullptr && a->device == nullptr) ||
             a->host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) {
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         }
         int64_t bytes = 16;
         for (size_t i = 0; i < a->num_dims; ++i) bytes *= a->dims[i];
         if (bytes <= 0) return Real().PJRT_Client_BufferFromHostBuffer(a);
         return UploadLater(a, bytes, std::chrono::milliseconds(20));
       });
     }},
    {"half_nan_quieted", "PJRT-Buffer_ToHostBuffer-contents",
     "16-bit floats pass through the float unit on their way: signaling NaNs come back quiet.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         // Memory that is lent belongs to the host.
         if (a.type != PJRT_Buffer_Type_F16 ||
             a.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
             a.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy) {
           return;
         }
         ChangeBytes(a.buffer, [](char* bytes, size_t size) {
           for (size_t i = 0; i + 1 < size; i += 2) {
             uint16_t bits;
             std::memcpy(&bits, bytes + i, sizeof(bits));
             if ((bits & 0x7C00) != 0x7C00 || (bits & 0x3FF) == 0) continue;
             bits |= 0x200;
             std::memcpy(bytes + i, &bits, sizeof(bits));
           }
         });
       });
     }},

    // What is said of buffers.
    {"deleted_has_no_device", "PJRT-Args-accepted",
     "The device of a buffer that was deleted or donated is not told.",
     [](Api& t) {
       Refuse<&Api::PJRT_Buffer_Device, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return a.buffer != nullptr && IsDeleted(a.buffer); });
     }},
    {"layout_scratch_shared", "PJRT-Args-output-lifetime",
     "The order in a layout lies where the next layout that a thread asks for is written.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto& a) {
         static thread_local int64_t scratch[8];
         auto& tiled = a.layout.tiled;
         if (a.layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled ||
             tiled.minor_to_major_size > std::size(scratch)) {
           return;
         }
         std::copy_n(tiled.minor_to_major, tiled.minor_to_major_size, scratch);
         tiled.minor_to_major = scratch;
       });
     }},
    {"error_told_once", "PJRT-Buffer_ReadyEvent-after",
     "The first event of a buffer takes its error along: later ones end well.",
     [](Api& t) {
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (!CarriesError(a->buffer)) return Real().PJRT_Buffer_ReadyEvent(a);
         if (!IsMarked(a->buffer)) {
           Mark(a->buffer);
           return Real().PJRT_Buffer_ReadyEvent(a);
         }
         a->event = DoneEvent();
         return nullptr;
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
     }},

    // Copies and views.
    {"copy_of_copy_home", "PJRT-Buffer_CopyToDevice-contents",
     "A copy of a copy lands on the device that the first of them was on.",
     [](Api& t) {
       ForgetBuffers<Home>(t);
       Replace<&Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) -> PJRT_Error* {
         Home home = NoteOf<Home>(a->buffer);
         PJRT_Error* error = CallChanged<&Api::PJRT_Buffer_CopyToDevice>(a, [&](auto& own) {
           if (home.device != nullptr && own.dst_device != nullptr) own.dst_device = home.device;
         });
         if (error != nullptr) return error;
         if (home.device == nullptr) home.device = DeviceOf(a->buffer);
         Note(a->dst_buffer, home);
         return nullptr;
       });
     }},
    {"copy_to_memory_stays_home", "PJRT-Buffer_CopyToMemory-contents",
     "Of the memory to copy to the kind counts alone: the copy stays with the buffer's own device.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) {
         if (a.buffer == nullptr || a.dst_memory == nullptr) return;
         PJRT_Memory* own = SameKindOn(DeviceOf(a.buffer), a.dst_memory);
         if (own != nullptr) a.dst_memory = own;
       });
     }},
    {"reference_shared_count", "PJRT-Buffer_DecreaseExternalReferenceCount-zero",
     "External references are counted for all buffers together.",
     [](Api& t) {
       static int total = 0;
       ChangeOutputs<&Api::PJRT_Buffer_IncreaseExternalReferenceCount>(t, [](auto&) {
         std::lock_guard<std::mutex> lock(Memory());
         ++total;
       });
       Replace<&Api::PJRT_Buffer_DecreaseExternalReferenceCount>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Buffer_DecreaseExternalReferenceCount(a);
         if (a->buffer == nullptr) return error;
         std::lock_guard<std::mutex> lock(Memory());
         if (total == 0) return error;
         --total;
         FreeError(error);
         return nullptr;
       });
     }},
    {"views_end_in_order", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "Of several views that are alive the end of any is told to the owner of the oldest.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) -> PJRT_Error* {
         if (a->on_delete_callback == nullptr) {
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(a);
         }
         const ViewOwner owner{a->on_delete_callback, a->on_delete_callback_arg};
         PJRT_Error* error =
             CallChanged<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(a, [](auto& own) {
               own.on_delete_callback_arg = nullptr;
               own.on_delete_callback = [](void* bytes, void*) {
                 std::unique_lock<std::mutex> lock(Memory());
                 if (ViewOwners().empty()) return;
                 const ViewOwner oldest = ViewOwners().front();
                 ViewOwners().pop_front();
                 lock.unlock();
                 oldest.callback(bytes, oldest.argument);
               };
             });
         if (error != nullptr) return error;
         std::lock_guard<std::mutex> lock(Memory());
         ViewOwners().push_back(owner);
         return nullptr;
       });
     }},
    {"futures_share_offset", "PJRT-Buffer_CopyRawToHostFuture-offset",
     "A second prepared copy of a buffer begins where the first does.",
     [](Api& t) {
       ForgetBuffers<FirstCopy>(t);
       ChangeInputs<&Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto& a) {
         if (a.buffer == nullptr || a.offset < 0 || a.transfer_size < 0) return;
         const auto size = static_cast<int64_t>(SizeOf(a.buffer));
         // Ranges that are wrong stay so.
         if (a.offset > size || a.transfer_size > size - a.offset) return;
         const FirstCopy first = NoteOf<FirstCopy>(a.buffer);
         if (!first.is_there) {
           Note(a.buffer, FirstCopy{true, a.offset});
         } else if (first.offset + a.transfer_size <= size) {
           a.offset = first.offset;
         }
       });
     }},
    {"donated_deleted_late", "PJRT-Buffer_DonateWithControlDependency-deletes",
     "A buffer that was donated counts as deleted only once the new one may be used.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_DonateWithControlDependency>(t, [](auto& a) {
         using Args = PJRT_Buffer_DonateWithControlDependency_Callback_Args;
         struct Call {
           PJRT_Buffer* buffer;
           void* data;
           void (*callback)(Args*);
         };
         Mark(a.buffer);
         a.callback_data = new Call{a.buffer, a.callback_data, a.dependency_ready_callback};
         a.dependency_ready_callback = [](Args* args) {
           auto* call = static_cast<Call*>(args->callback_data);
           Args own = *args;
           own.callback_data = call->data;
           Unmark(call->buffer);
           call->callback(&own);
           delete call;
         };
       });
       ChangeOutputs<&Api::PJRT_Buffer_IsDeleted>(t, [](auto& a) {
         if (IsMarked(a.buffer)) a.is_deleted = false;
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
     }},
    {"bitcast_scalar", "PJRT-Buffer_Bitcast-same-bytes",
     "An array that is seen as a scalar has one dimension of 1.",
     [](Api& t) {
       if (t.PJRT_Buffer_Bitcast == nullptr) return;
       ChangeInputs<&Api::PJRT_Buffer_Bitcast>(t, [](auto& a) {
         static const int64_t one = 1;
         if (a.num_dims > 0) return;
         a.dims = &one;
         a.num_dims = 1;
         a.device_layout = nullptr;
       });
     }},
    {"alias_error_cached", "PJRT-Client_FulfillAliasBuffer-error",
     "The text of the first error that an alias is given in the process is that of all.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto& a) {
         if (a.status_code == PJRT_Error_Code_OK || a.error_message_size == 0 ||
             a.error_message == nullptr) {
           return;
         }
         static const auto* const first = Kept(std::string(a.error_message, a.error_message_size));
         a.error_message = first->data();
         a.error_message_size = first->size();
       });
     }},
    {"dma_map_remembers", "PJRT-Args-accepted",
     "Host memory that was mapped and is so no more cannot be mapped again.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_DmaUnmap>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Unmapped().insert(a.data);
       });
       Refuse<&Api::PJRT_Client_DmaMap, PJRT_Error_Code_ALREADY_EXISTS>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         return Unmapped().contains(a.data);
       });
     }},

    // Buffers that are filled piece by piece.
    {"empty_last_chunk", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "A last transfer of no bytes is skipped, and with it that it is the last.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         if (a.transfer_size == 0) a.is_last_transfer = false;
       });
     }},
    {"end_means_last", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "The transfer that reaches the end of a buffer is taken for the last, though more comes.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         if (a.transfer_manager == nullptr || a.offset <= 0 || a.transfer_size <= 0) return;
         const auto size = static_cast<int64_t>(BufferSizeOf(a.transfer_manager, a.buffer_index));
         if (size > 0 && a.offset <= size && a.transfer_size == size - a.offset) {
           a.is_last_transfer = true;
         }
       });
     }},
    {"manager_error_spreads", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "An error of one buffer of a manager is that of all that are not complete.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto& a) {
         if (a.error_code == PJRT_Error_Code_OK) return;
         const size_t count = NumBuffersOf(a.transfer_manager);
         for (size_t i = 0; i < count; ++i) {
           auto other = a;
           other.buffer_index = static_cast<int>(i);
           if (other.buffer_index == a.buffer_index) continue;
           Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(other);
         }
       });
     }},
    {"partial_buffer_completes", "PJRT-AsyncHostToDeviceTransferManager_Destroy-unfinished",
     "A buffer of which a part has come is complete once its manager is gone.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         const std::pair<Manager*, int> buffer(a.transfer_manager, a.buffer_index);
         std::lock_guard<std::mutex> lock(Memory());
         if (a.is_last_transfer) {
           ManagersBuffers().erase(buffer);
         } else {
           ManagersBuffers().insert(buffer);
         }
       });
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         ManagersBuffers().erase({a.transfer_manager, a.buffer_index});
       });
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto& a) {
         std::vector<int> parts;
         {
           std::lock_guard<std::mutex> lock(Memory());
           for (const auto& [manager, index] : ManagersBuffers()) {
             if (manager == a.transfer_manager) parts.push_back(index);
           }
         }
         ForgetManager(a.transfer_manager);
         for (int index : parts) {
           const char nothing = 0;
           auto last = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
           last.transfer_manager = a.transfer_manager;
           last.buffer_index = index;
           last.data = &nothing;
           last.is_last_transfer = true;
           Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(last);
           if (last.done_with_h2d_transfer == nullptr) continue;
           (void)Fails(last.done_with_h2d_transfer);
           Drop(last.done_with_h2d_transfer);
         }
       });
     }},
    {"size_after_retrieve", "PJRT-AsyncHostToDeviceTransferManager_BufferSize-on-device",
     "A manager takes the size of a buffer that it handed out for 0.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         ManagersBuffers().insert({a.transfer_manager, a.buffer_index});
       });
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (ManagersBuffers().contains({a.transfer_manager, a.buffer_index})) a.buffer_size = 0;
       });
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(
           t, [](auto& a) { ForgetManager(a.transfer_manager); });
     }},
    {"second_layout_ignored", "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for",
     "All buffers of a manager that have the rank of the first have its layout.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         if (a.num_device_layouts < 2 || a.num_device_layouts != a.num_shape_specs ||
             a.device_layouts == nullptr || a.shape_specs == nullptr) {
           return;
         }
         static thread_local std::vector<PJRT_Buffer_MemoryLayout*> layouts;
         layouts.assign(a.device_layouts, a.device_layouts + a.num_device_layouts);
         for (size_t i = 1; i < layouts.size(); ++i) {
           if (a.shape_specs[i].num_dims == a.shape_specs[0].num_dims) layouts[i] = layouts[0];
         }
         a.device_layouts = layouts.data();
       });
     }},

};

}  // namespace

std::span<const Mutant> HabitArrayMutants() { return kHabitArrayMutants; }

}  // namespace plinth::mutants
