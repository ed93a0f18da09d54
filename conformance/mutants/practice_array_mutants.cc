// SPDX-License-Identifier: Apache-2.0
// Bugs of plugins in their first years: what is made of arrays, how they are copied, lent, and fed
// from the host.

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/element_size.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

using Manager = PJRT_AsyncHostToDeviceTransferManager;

int64_t CountOf(const int64_t* dims, size_t num_dims) {
  int64_t count = 1;
  for (size_t i = 0; i < num_dims; ++i) count *= dims[i];
  return count;
}

int64_t CountOf(PJRT_Buffer* buffer) {
  auto args = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  args.buffer = buffer;
  Quiet<&PJRT_Api::PJRT_Buffer_Dimensions>(args);
  return CountOf(args.dims, args.num_dims);
}

bool IsNibble(PJRT_Buffer_Type type) {
  return type == PJRT_Buffer_Type_S4 || type == PJRT_Buffer_Type_U4;
}

PJRT_Device* DeviceThatReaches(PJRT_Memory* memory) {
  auto args = MakeArgs<PJRT_Memory_AddressableByDevices_Args>();
  args.memory = memory;
  Quiet<&PJRT_Api::PJRT_Memory_AddressableByDevices>(args);
  return args.num_devices == 0 ? nullptr : args.devices[0];
}

// The default memory of a device that reaches this one; null stays null.
PJRT_Memory* DefaultBeside(PJRT_Memory* memory) {
  if (memory == nullptr) return nullptr;
  PJRT_Device* device = DeviceThatReaches(memory);
  return device == nullptr ? memory : DefaultMemoryOf(device);
}

void ForgetMarkedBuffers(PJRT_Api& table) {
  ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(table, [](auto& a) { Unmark(a.buffer); });
}

// Which buffers of a manager something is remembered of.
using Indices = std::set<int64_t>;
void ForgetManagers(PJRT_Api& table) {
  ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Noted<Manager, Indices>().erase(a.transfer_manager);
    Noted<Manager, PJRT_Device*>().erase(a.transfer_manager);
  });
}

// Buffers that are copies of each other on one device.
std::multimap<PJRT_Buffer*, PJRT_Buffer*>& Twins() {
  static auto* const twins = new std::multimap<PJRT_Buffer*, PJRT_Buffer*>;
  return *twins;
}
std::vector<PJRT_Buffer*> TwinsOf(PJRT_Buffer* buffer) {
  std::lock_guard<std::mutex> lock(Memory());
  std::vector<PJRT_Buffer*> found;
  auto [first, last] = Twins().equal_range(buffer);
  for (auto at = first; at != last; ++at) found.push_back(at->second);
  return found;
}

// Whether the strides of all dimensions but those of one element are those of a dense array, and
// those of one element have others.
bool HasOddStrides(const PJRT_Client_BufferFromHostBuffer_Args& a) {
  if (a.byte_strides == nullptr || a.dims == nullptr || a.num_byte_strides != a.num_dims)
    return false;
  int64_t dense = BytesOfElement(a.type, 0);
  if (dense == 0) return false;
  bool is_odd = false;
  for (size_t i = a.num_dims; i-- > 0;) {
    if (a.byte_strides[i] != dense) {
      if (a.dims[i] != 1) return false;
      is_odd = true;
    }
    dense *= a.dims[i];
  }
  return is_odd;
}

constexpr Mutant kPracticeArrayMutants[] = {
    {"practice_bitcast_counts", "PJRT-Buffer_Bitcast-same-bytes",
     "a bitcast to a type of another width is refused: elements are counted, not bytes",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](auto& a) {
         if (a.buffer == nullptr || (a.dims == nullptr && a.num_dims != 0)) return false;
         return CountOf(a.buffer) != CountOf(a.dims, a.num_dims);
       });
     }},
    {"practice_given_late", "PJRT-Buffer_DonateWithControlDependency-deletes",
     "a buffer that was given away counts as deleted only once the dependency is there",
     [](PJRT_Api& t) {
       ForgetMarkedBuffers(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DonateWithControlDependency>(t, [](auto& a) {
         using Args = PJRT_Buffer_DonateWithControlDependency_Callback_Args;
         struct Call {
           void* data;
           void (*callback)(Args*);
           PJRT_Buffer* buffer;
         };
         Mark(a.buffer);
         a.callback_data = new Call{a.callback_data, a.dependency_ready_callback, a.buffer};
         a.dependency_ready_callback = [](Args* args) {
           auto* call = static_cast<Call*>(args->callback_data);
           Args own = *args;
           own.callback_data = call->data;
           Unmark(call->buffer);
           call->callback(&own);
           delete call;
         };
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IsDeleted>(t, [](auto& a) {
         if (IsMarked(a.buffer)) a.is_deleted = false;
       });
     }},
    {"practice_future_code", "PJRT-Buffer_CopyRawToHostFuture-error",
     "an error that comes in place of a destination becomes INTERNAL",
     [](PJRT_Api& t) {
       ChangeFutures(t, [](auto& a) {
         if (a.error_code != PJRT_Error_Code_OK) a.error_code = PJRT_Error_Code_INTERNAL;
       });
     }},
    {"practice_packed_literal", "PJRT-AsyncHostToDeviceTransferManager_TransferLiteral-contents",
     "a literal of 4-bit integers is read as if two lay in a byte",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral>(
           t, [](auto& a) {
             if (!IsNibble(a.shape_element_type) || a.data == nullptr ||
                 (a.shape_dims == nullptr && a.shape_num_dims != 0))
               return;
             int64_t count = CountOf(a.shape_dims, a.shape_num_dims);
             if (count <= 0 || count > 1 << 24) return;
             auto* read = Kept(std::vector<int8_t>(static_cast<size_t>(count)));
             const auto* data = static_cast<const uint8_t*>(a.data);
             for (size_t i = 0; i < read->size(); ++i) {
               int nibble = (i % 2 == 0 ? data[i / 2] : data[i / 2] >> 4) & 15;
               if (a.shape_element_type == PJRT_Buffer_Type_S4 && nibble > 7) nibble -= 16;
               (*read)[i] = static_cast<int8_t>(nibble);
             }
             a.data = read->data();
           });
     }},
    {"practice_error_memory", "PJRT-Buffer_Memory-asked-for",
     "a buffer with an error is in the default memory, whatever was asked for",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(
           t, [](auto& a) { a.memory = DefaultBeside(a.memory); });
     }},
    {"practice_layout_of_empty", "PJRT-Client_CreateUninitializedBuffer-asked-for",
     "the layout of a buffer without contents is ignored",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateUninitializedBuffer>(
           t, [](auto& a) { a.shape_layout = nullptr; });
     }},
    {"practice_whole_pages", "PJRT-Args-accepted",
     "host memory is mapped only if its size is a multiple of a page",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_DmaMap>(
           t, [](auto& a) { return a.client != nullptr && a.size % 4096 != 0; });
     }},
    {"practice_failed_not_handed_out",
     "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "a buffer that was failed before is not handed out: the call answers its error",
     [](PJRT_Api& t) {
       ForgetManagers(t);
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(
           t, [](auto& a) {
             std::lock_guard<std::mutex> lock(Memory());
             Noted<Manager, Indices>()[a.transfer_manager].insert(a.buffer_index);
           });
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer,
              PJRT_Error_Code_INTERNAL>(
           t, [](auto& a) { return NoteOf<Indices>(a.transfer_manager).contains(a.buffer_index); });
     }},
    {"practice_scalar_size", "PJRT-AsyncHostToDeviceTransferManager_BufferSize-on-device",
     "a scalar that is to come has no bytes",
     [](PJRT_Api& t) {
       ForgetManagers(t);
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         Indices scalars;
         for (size_t i = 0; i < a.num_shape_specs; ++i)
           if (a.shape_specs[i].num_dims == 0) scalars.insert(static_cast<int64_t>(i));
         Note<Indices>(a.transfer_manager, scalars);
       });
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize>(t, [](auto& a) {
         if (NoteOf<Indices>(a.transfer_manager).contains(a.buffer_index)) a.buffer_size = 0;
       });
     }},
    {"practice_manager_device", "PJRT-AsyncHostToDeviceTransferManager_Device-memory",
     "a transfer manager names the first device of the client",
     [](PJRT_Api& t) {
       ForgetManagers(t);
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(
           t, [](auto& a) { Note<PJRT_Device*>(a.transfer_manager, FirstDevice(a.client)); });
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Device>(t, [](auto& a) {
         if (PJRT_Device* first = NoteOf<PJRT_Device*>(a.transfer_manager)) a.device_out = first;
       });
     }},
    {"practice_first_layout", "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for",
     "of several layouts of arrays that are to come the first is used for all",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         static thread_local std::vector<PJRT_Buffer_MemoryLayout*> layouts;
         if (a.device_layouts == nullptr || a.shape_specs == nullptr ||
             a.num_device_layouts != a.num_shape_specs)
           return;
         layouts.assign(a.device_layouts, a.device_layouts + a.num_device_layouts);
         for (size_t i = 1; i < layouts.size(); ++i)
           if (a.shape_specs[i].num_dims == a.shape_specs[0].num_dims) layouts[i] = layouts[0];
         a.device_layouts = layouts.data();
       });
     }},
    {"practice_nothing_transferred", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a transfer of no bytes is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(
           t, [](auto& a) { return a.transfer_size == 0; });
     }},
    {"practice_unfinished_ready", "PJRT-AsyncHostToDeviceTransferManager_Destroy-unfinished",
     "buffers whose data never came are ready once their manager is gone",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto& a) {
         if (a.transfer_manager == nullptr) return;
         size_t count = NumBuffersOf(a.transfer_manager);
         for (size_t i = 0; i < count; ++i) {
           auto last = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
           last.transfer_manager = a.transfer_manager;
           last.buffer_index = static_cast<int>(i);
           last.is_last_transfer = true;
           Quiet<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(last);
           if (last.done_with_h2d_transfer != nullptr) Drop(last.done_with_h2d_transfer);
         }
       });
     }},
    {"practice_nothing_at_end", "PJRT-Args-accepted",
     "no bytes cannot be read at the end of a buffer",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto& a) {
         return a.buffer != nullptr && a.transfer_size == 0 && a.offset > 0 &&
                static_cast<size_t>(a.offset) == SizeOf(a.buffer);
       });
     }},
    {"practice_view_null_argument", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "on_delete_callback without an argument is taken for none",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto& a) {
         if (a.on_delete_callback_arg == nullptr) a.on_delete_callback = nullptr;
       });
     }},
    {"practice_view_of_nothing", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "on_delete_callback of a view without elements never runs",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto& a) {
         if (a.dims != nullptr && CountOf(a.dims, a.num_dims) == 0) a.on_delete_callback = nullptr;
       });
     }},
    {"practice_copy_to_default", "PJRT-Buffer_CopyToMemory-contents",
     "a copy to a memory of a device lies in its default memory",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyToMemory>(
           t, [](auto& a) { a.dst_memory = DefaultBeside(a.dst_memory); });
     }},
    {"practice_reference_flag", "PJRT-Buffer_IncreaseExternalReferenceCount-keeps",
     "external references are a flag: the second one is not counted",
     [](PJRT_Api& t) {
       ForgetMarkedBuffers(t);
       Replace<&PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount>(
           t, [](auto* a) -> PJRT_Error* {
             if (a->buffer != nullptr && IsMarked(a->buffer)) return nullptr;
             PJRT_Error* error = Real().PJRT_Buffer_IncreaseExternalReferenceCount(a);
             if (error == nullptr) Mark(a->buffer);
             return error;
           });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount>(
           t, [](auto& a) { Unmark(a.buffer); });
     }},
    {"practice_host_layout_of_bytes", "PJRT-Buffer_ToHostBuffer-contents",
     "host_layout is ignored for types of one byte",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.src != nullptr && BytesOfElement(ElementTypeOf(a.src), 0) == 1)
           a.host_layout = nullptr;
       });
     }},
    {"practice_twins", "PJRT-Buffer_IsDeleted-truth",
     "a copy on the same device shares its life: deleting one deletes the other",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         if (DeviceOf(a.buffer) != a.dst_device) return;
         std::lock_guard<std::mutex> lock(Memory());
         Twins().emplace(a.buffer, a.dst_buffer);
         Twins().emplace(a.dst_buffer, a.buffer);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         for (PJRT_Buffer* twin : TwinsOf(a.buffer)) Delete(twin);
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(Twins(), [&](const auto& pair) {
           return pair.first == a.buffer || pair.second == a.buffer;
         });
       });
     }},
    {"practice_delete_of_pending", "PJRT-Args-accepted",
     "a buffer whose contents are still to come cannot be deleted",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_Delete, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return IsPending(a.buffer); });
     }},
    {"practice_device_of_source", "PJRT-Buffer_Device-asked-for",
     "a copy in the memory of another device names the device of its source",
     [](PJRT_Api& t) {
       ForgetBuffers<PJRT_Device*>(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToMemory>(
           t, [](auto& a) { Note<PJRT_Device*>(a.dst_buffer, DeviceOf(a.buffer)); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Device>(t, [](auto& a) {
         if (PJRT_Device* source = NoteOf<PJRT_Device*>(a.buffer)) a.device = source;
       });
     }},
    {"practice_reference_of_deleted", "PJRT-Args-accepted",
     "an external reference cannot be given back once the buffer is deleted",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount,
              PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return a.buffer != nullptr && IsDeleted(a.buffer); });
     }},
    {"practice_odd_strides", "PJRT-Client_BufferFromHostBuffer-strides",
     "any stride but the dense one is refused for a dimension of one element",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(
           t, [](auto& a) { return a.client != nullptr && HasOddStrides(a); });
     }},
};

}  // namespace

std::span<const Mutant> PracticeArrayMutants() { return kPracticeArrayMutants; }

}  // namespace plinth::mutants
