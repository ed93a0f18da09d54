// SPDX-License-Identifier: Apache-2.0
// One bug for each requirement of the core table that no other mutant is about, in the order of the
// registry. They show that the cases which name a requirement would see it broken.

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

// Zeros that are there for ever.
void* Zeros() {
  static auto* const zeros = new std::vector<char>(1 << 20);
  return zeros->data();
}

// Whether the index is none of the manager's buffers.
bool IsOutside(PJRT_AsyncHostToDeviceTransferManager* manager, int index) {
  auto count = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>();
  count.transfer_manager = manager;
  FreeError(Real().PJRT_AsyncHostToDeviceTransferManager_BufferCount(&count));
  return index < 0 || static_cast<size_t>(index) >= count.buffer_count;
}

constexpr Mutant kRequirementMutants[] = {
    {"head_without_slots", "PJRT-Memory-head", "the function table of memories has no functions",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_AddressableMemories>(t, [](auto& a) {
         static PJRT_Memory_FunctionTable table = {PJRT_Memory_FunctionTable_STRUCT_SIZE, nullptr,
                                                   sizeof(void*), nullptr, nullptr};
         const void* address = &table;
         for (size_t i = 0; i < a.num_addressable_memories; ++i)
           std::memcpy(static_cast<void*>(a.addressable_memories[i]), &address, sizeof(address));
       });
     }},
    {"type_of_nobody", "PJRT-Args-output-enum", "the type of a buffer is 99",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ElementType>(
           t, [](auto& a) { a.type = static_cast<PJRT_Buffer_Type>(99); });
     }},
    {"text_shrinks", "PJRT-Args-output-same", "every second text of a device lacks its end",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_DeviceDescription_ToString>(t, [](auto& a) {
         static int turn = 0;
         if (++turn % 2 == 0) --a.to_string_size;
       });
     }},
    {"index_not_set", "PJRT-Args-output-set", "the index of the process is not set",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_ProcessIndex>(t, [](auto* a) -> PJRT_Error* {
         return a->client == nullptr ? Real().PJRT_Client_ProcessIndex(a) : nullptr;
       });
     }},
    {"failure_sets_device", "PJRT-Args-output-failure", "a lookup that fails gives a device",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_LookupDevice>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_LookupDevice(a);
         if (error != nullptr && a->client != nullptr) a->device = FirstDevice(a->client);
         return error;
       });
     }},
    {"failed_events_do_not_call", "PJRT-Callback-once", "an event that fails calls nobody back",
     [](PJRT_Api& t) {
       ChangeCallbacks(t, [](auto callback, PJRT_Error* error, void* argument) {
         if (error == nullptr) {
           callback(error, argument);
         } else {
           FreeError(error);
         }
       });
     }},
    {"attributes_need_initialize", "PJRT-Plugin_Attributes-early",
     "attributes are there after PJRT_Plugin_Initialize only",
     [](PJRT_Api& t) {
       static bool is_initialized = false;
       ChangeOutputs<&PJRT_Api::PJRT_Plugin_Initialize>(t, [](auto&) { is_initialized = true; });
       Refuse<&PJRT_Api::PJRT_Plugin_Attributes>(t, [](const auto&) { return !is_initialized; });
     }},
    {"failure_leaves_client", "PJRT-Client_Create-failure", "a client that fails is not null",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Create>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Create(a);
         if (error != nullptr) a->client = reinterpret_cast<PJRT_Client*>(Zeros());
         return error;
       });
     }},
    {"others_stop", "PJRT-Client_Destroy-others", "when a client goes the others stop",
     [](PJRT_Api& t) {
       static bool has_gone = false;
       ChangeInputs<&PJRT_Api::PJRT_Client_Destroy>(t, [](auto& a) {
         if (a.client != nullptr) has_gone = true;
       });
       Refuse<&PJRT_Api::PJRT_Client_BufferFromHostBuffer, PJRT_Error_Code_UNAVAILABLE>(
           t, [](const auto&) { return has_gone; });
     }},
    {"index_of_nobody", "PJRT-Client_ProcessIndex-not-negative", "the index of the process is -1",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_ProcessIndex>(t, [](auto& a) { a.process_index = -1; });
     }},
    {"every_id_finds_first", "PJRT-Client_LookupDevice-found", "every id finds the first device",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_LookupDevice>(
           t, [](auto& a) { a.device = FirstDevice(a.client); });
     }},
    {"every_number_finds_first", "PJRT-Client_LookupAddressableDevice-found",
     "every number finds the first device",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_LookupAddressableDevice>(
           t, [](auto& a) { a.addressable_device = FirstDevice(a.client); });
     }},
    {"last_memory_missing", "PJRT-Client_AddressableMemories-all", "the last memory is not listed",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_AddressableMemories>(
           t, [](auto& a) { --a.num_addressable_memories; });
     }},
    {"small_assignment", "PJRT-Client_DefaultDeviceAssignment-too-small",
     "an assignment is cut to the space that there is",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Client_DefaultDeviceAssignment(a);
         if (error == nullptr || a->client == nullptr || a->default_assignment == nullptr)
           return error;
         FreeError(error);
         return nullptr;
       });
     }},
    {"process_of_another", "PJRT-DeviceDescription_ProcessIndex-addressable",
     "devices belong to the next process",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_DeviceDescription_ProcessIndex>(
           t, [](auto& a) { ++a.process_index; });
     }},
    {"kind_without_name", "PJRT-DeviceDescription_Kind-named", "the kind of a device has no name",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_DeviceDescription_Kind>(
           t, [](auto& a) { a.device_kind_size = 0; });
     }},
    {"one_text_of_devices", "PJRT-DeviceDescription_DebugString-unique",
     "every device has one text",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_DeviceDescription_DebugString>(t, [](auto& a) {
         a.debug_string = "device";
         a.debug_string_size = 6;
       });
     }},
    {"one_description", "PJRT-Device_GetDescription-own", "all devices have one description",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_GetDescription>(t, [](auto& a) {
         static PJRT_DeviceDescription* const first = a.device_description;
         a.device_description = first;
       });
     }},
    {"one_hardware_number", "PJRT-Device_LocalHardwareId-unique", "the number of each device is 0",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_LocalHardwareId>(
           t, [](auto& a) { a.local_hardware_id = 0; });
     }},
    {"peak_below_use", "PJRT-Device_MemoryStats-peak", "the peak is below what is in use",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(
           t, [](auto& a) { a.peak_bytes_in_use = a.bytes_in_use - 1; });
     }},
    {"one_memory_id", "PJRT-Memory_Id-unique", "the id of each memory is 0",
     [](PJRT_Api& t) { ChangeOutputs<&PJRT_Api::PJRT_Memory_Id>(t, [](auto& a) { a.id = 0; }); }},
    {"one_text_of_memories", "PJRT-Memory_DebugString-unique", "every memory has one text",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Memory_DebugString>(t, [](auto& a) {
         a.debug_string = "memory";
         a.debug_string_size = 6;
       });
     }},
    {"one_kind_id", "PJRT-Memory_Kind_Id-kinds", "all kinds of memory have one number",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Memory_Kind_Id>(t, [](auto& a) { a.kind_id = 7; });
     }},
    {"partitions_of_device_count", "PJRT-Executable_NumPartitions-options",
     "an executable says one partition more",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_NumPartitions>(t,
                                                               [](auto& a) { ++a.num_partitions; });
     }},
    {"bytes_go_with_executable", "PJRT-Executable_Serialize-lifetime",
     "the bytes of an executable go when an executable is destroyed",
     [](PJRT_Api& t) {
       static auto* const copies = new std::deque<std::string>;
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Serialize>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         copies->emplace_back(a.serialized_bytes, a.serialized_bytes_size);
         a.serialized_bytes = copies->back().data();
       });
       ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(t, [](auto&) {
         std::lock_guard<std::mutex> lock(Memory());
         for (std::string& copy : *copies) std::fill(copy.begin(), copy.end(), '\0');
       });
     }},
    {"unloaded_not_seen", "PJRT-LoadedExecutable_IsDeleted-truth",
     "an unloaded executable says that it is not",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_IsDeleted>(
           t, [](auto& a) { a.is_deleted = false; });
     }},
    {"foreign_bytes_load", "PJRT-Executable_DeserializeAndLoad-foreign",
     "bytes of another platform load what was loaded last",
     [](PJRT_Api& t) {
       static auto* const good = new std::string;
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Serialize>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         good->assign(a.serialized_bytes, a.serialized_bytes_size);
       });
       Replace<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Executable_DeserializeAndLoad(a);
         std::lock_guard<std::mutex> lock(Memory());
         if (error == nullptr || a->client == nullptr || good->empty()) return error;
         FreeError(error);
         return CallChanged<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(a, [](auto& own) {
           own.serialized_executable = good->data();
           own.serialized_executable_size = good->size();
         });
       });
     }},
    {"fingerprint_of_loaded_cut", "PJRT-LoadedExecutable_Fingerprint-same",
     "the fingerprint of what is loaded lacks its last byte",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Fingerprint>(
           t, [](auto& a) { --a.executable_fingerprint_size; });
     }},
    {"unpadded_cut", "PJRT-Buffer_UnpaddedDimensions-static",
     "unpadded dimensions lack the last one",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_UnpaddedDimensions>(t, [](auto& a) {
         if (a.num_dims > 0) --a.num_dims;
       });
     }},
    {"first_is_dynamic", "PJRT-Buffer_DynamicDimensionIndices-static",
     "the first dimension counts as dynamic",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DynamicDimensionIndices>(t, [](auto& a) {
         static const size_t zero[] = {0};
         a.dynamic_dim_indices = zero;
         a.num_dynamic_dims = 1;
       });
     }},
    {"size_too_small", "PJRT-Buffer_OnDeviceSizeInBytes-enough", "the size is a byte too small",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_OnDeviceSizeInBytes>(t, [](auto& a) {
         if (a.on_device_size_in_bytes > 0) --a.on_device_size_in_bytes;
       });
     }},
    {"address_of_zeros", "PJRT-Buffer_IsOnCpu-readable", "the address of a buffer is one of zeros",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_OpaqueDeviceMemoryDataPointer>(t, [](auto& a) {
         if (SizeOf(a.buffer) <= 1 << 20) a.device_memory_ptr = Zeros();
       });
     }},
    {"unsafe_address_differs", "PJRT-Buffer_UnsafePointer-same", "the unsafe address is another",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_UnsafePointer>(t,
                                                           [](auto& a) { a.buffer_pointer += 64; });
     }},
    {"address_null", "PJRT-Buffer_OpaqueDeviceMemoryDataPointer-contents",
     "the address of a buffer is null",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_OpaqueDeviceMemoryDataPointer>(
           t, [](auto& a) { a.device_memory_ptr = nullptr; });
     }},
    {"platform_of_topology", "PJRT-TopologyDescription_PlatformName-same",
     "a topology is of another platform",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_PlatformName>(
           t, [](auto& a) { --a.platform_name_size; });
     }},
    {"descriptions_turn", "PJRT-TopologyDescription_GetDeviceDescriptions-order",
     "every second list of descriptions is turned",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         static auto* const kept = new std::deque<std::vector<PJRT_DeviceDescription*>>;
         std::lock_guard<std::mutex> lock(Memory());
         auto& list = kept->emplace_back(a.descriptions, a.descriptions + a.num_descriptions);
         if (kept->size() % 2 == 0) std::reverse(list.begin(), list.end());
         a.descriptions = list.data();
       });
     }},
    {"other_program_ahead", "PJRT-Compile-same", "what is compiled for a topology subtracts",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Compile>(t, [](auto* a) {
         if (a->program == nullptr || a->program->code == nullptr) return Real().PJRT_Compile(a);
         std::string code = Replaced({a->program->code, a->program->code_size}, "stablehlo.add",
                                     "stablehlo.subtract");
         auto program = *a->program;
         program.code = code.data();
         program.code_size = code.size();
         return CallChanged<&PJRT_Api::PJRT_Compile>(a, [&](auto& own) { own.program = &program; });
       });
     }},
    {"outputs_take_nothing", "PJRT-Executable_GetCompiledMemoryStats-sizes",
     "outputs take no memory",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(
           t, [](auto& a) { a.output_size_in_bytes = 0; });
     }},
    {"unfinished_waits", "PJRT-AsyncHostToDeviceTransferManager_Destroy-unfinished",
     "what a manager did not finish becomes ready when it goes",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto* a) {
         auto count = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>();
         count.transfer_manager = a->transfer_manager;
         if (a->transfer_manager != nullptr)
           FreeError(Real().PJRT_AsyncHostToDeviceTransferManager_BufferCount(&count));
         for (size_t i = 0; i < count.buffer_count; ++i) {
           auto last = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
           last.transfer_manager = a->transfer_manager;
           last.buffer_index = static_cast<int>(i);
           last.data = Zeros();
           last.is_last_transfer = true;
           FreeError(Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(&last));
         }
         return Real().PJRT_AsyncHostToDeviceTransferManager_Destroy(a);
       });
     }},
    {"index_outside_is_first", "PJRT-AsyncHostToDeviceTransferManager_RetrieveBuffer-index",
     "an index outside retrieves the first buffer",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(
           t, [](auto& a) {
             if (IsOutside(a.transfer_manager, a.buffer_index)) a.buffer_index = 0;
           });
     }},
    {"retrieves_late", "PJRT-AsyncHostToDeviceTransferManager_RetrieveBuffer-early",
     "a buffer is there after the first transfer only",
     [](PJRT_Api& t) {
       static bool has_data = false;
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(
           t, [](auto&) { has_data = true; });
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer,
              PJRT_Error_Code_FAILED_PRECONDITION>(t, [](const auto&) { return !has_data; });
     }},
    {"one_buffer_more", "PJRT-AsyncHostToDeviceTransferManager_BufferCount-shapes",
     "a manager counts a buffer more",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_BufferCount>(
           t, [](auto& a) { ++a.buffer_count; });
     }},
    {"size_of_index_outside", "PJRT-AsyncHostToDeviceTransferManager_BufferSize-index",
     "an index outside gives the size of the first buffer",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize>(t, [](auto& a) {
         if (IsOutside(a.transfer_manager, a.buffer_index)) a.buffer_index = 0;
       });
     }},
    {"size_without_padding", "PJRT-AsyncHostToDeviceTransferManager_BufferSize-on-device",
     "the size of a buffer of a manager is a byte larger than that of the buffer",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize>(
           t, [](auto& a) { ++a.buffer_size; });
     }},
    {"error_of_index_outside", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-index",
     "an error for an index outside is dropped",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(
           t, [](auto* a) -> PJRT_Error* {
             if (a->transfer_manager != nullptr && IsOutside(a->transfer_manager, a->buffer_index))
               return nullptr;
             return Real().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(a);
           });
     }},
    {"literal_of_zeros", "PJRT-AsyncHostToDeviceTransferManager_TransferLiteral-contents",
     "a literal is one of zeros",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral>(
           t, [](auto& a) {
             if (a.data != nullptr) a.data = Zeros();
           });
     }},
    {"future_from_start", "PJRT-Buffer_CopyRawToHostFuture-offset", "a prepared copy begins at 0",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto& a) { a.offset = 0; });
     }},
    {"options_cut", "PJRT-Executable_GetCompileOptions-same", "compile options lack their end",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompileOptions>(t, [](auto& a) {
         if (a.serialized_bytes_size > 0) --a.serialized_bytes_size;
       });
     }},
    {"donated_not_deleted", "PJRT-Buffer_DonateWithControlDependency-deletes",
     "a buffer that was donated with a dependency does not count as deleted",
     [](PJRT_Api& t) {
       static std::set<PJRT_Buffer*> donated;
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DonateWithControlDependency>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         donated.insert(a.buffer);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IsDeleted>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (donated.contains(a.buffer)) a.is_deleted = false;
       });
     }},
    {"loads_once", "PJRT-Client_Load-again", "an executable is loaded once",
     [](PJRT_Api& t) {
       static int loads = 0;
       Refuse<&PJRT_Api::PJRT_Client_Load, PJRT_Error_Code_ALREADY_EXISTS>(
           t, [](const auto& a) { return a.executable != nullptr && loads++ > 0; });
     }},
    {"other_size_seen", "PJRT-Buffer_Bitcast-size", "a shape of another size gives the old array",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Buffer_Bitcast(a);
         if (error == nullptr || a->buffer == nullptr) return error;
         FreeError(error);
         a->out_buffer = CopyOf(a->buffer);
         return nullptr;
       });
     }},
    {"kinds_of_nowhere", "PJRT-Executable_ParameterMemoryKinds-program",
     "parameters have a kind of memory that there is not",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_ParameterMemoryKinds>(t, [](auto& a) {
         static const std::vector<const char*> kinds(4096, "nowhere");
         static const std::vector<size_t> sizes(4096, 7);
         if (a.num_parameters > 4096) return;
         a.memory_kinds = kinds.data();
         a.memory_kind_sizes = sizes.data();
       });
     }},
    {"kind_missing", "PJRT-TopologyDescription_GetMemorySpaceKindIds-all",
     "the last kind of memory is not listed",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_GetMemorySpaceKindIds>(
           t, [](auto& a) { --a.num_memory_space_kind_ids; });
     }},
};

}  // namespace

std::span<const Mutant> RequirementMutants() { return kRequirementMutants; }

}  // namespace plinth::mutants
