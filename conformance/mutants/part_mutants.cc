// SPDX-License-Identifier: Apache-2.0
// Bugs of one part alone: one of several devices, memories, outputs, arguments, types, codes or
// kinds of program is treated otherwise than the rest. Written from the requirements, without
// looking at the cases.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

constexpr char kTrue[] = "PJRT-Args-output-true";
constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

// The memory of that kind of the client's first device; the memory itself where it has none.
PJRT_Memory* OfFirstDevice(PJRT_Client* client, PJRT_Memory* memory) {
  if (client == nullptr || memory == nullptr) return memory;
  auto memories = MakeArgs<PJRT_Device_AddressableMemories_Args>();
  memories.device = FirstDevice(client);
  FreeError(Real().PJRT_Device_AddressableMemories(&memories));
  for (size_t i = 0; i < memories.num_memories; ++i) {
    if (KindOf(memories.memories[i]) == KindOf(memory)) return memories.memories[i];
  }
  return memory;
}

bool IsInDefaultMemory(PJRT_Buffer* buffer) {
  return MemoryOf(buffer) == DefaultMemoryOf(DeviceOf(buffer));
}

// Buffers that an execution gave out, with their size.
std::map<PJRT_Buffer*, size_t>& Outputs() {
  static auto* const outputs = new std::map<PJRT_Buffer*, size_t>;
  return *outputs;
}
void NoteOutputs(PJRT_Api& table) {
  ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(table, [](auto& a) {
    for (size_t device = 0; device < a.num_devices; ++device) {
      for (PJRT_Buffer* output : OutputsOf(a, device)) {
        size_t size = SizeOf(output);
        std::lock_guard<std::mutex> lock(Memory());
        Outputs()[output] = size;
      }
    }
  });
  ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Outputs().erase(a.buffer);
  });
}
bool IsOutput(PJRT_Buffer* buffer) {
  std::lock_guard<std::mutex> lock(Memory());
  return Outputs().contains(buffer);
}

// Memories that buffers say instead of their own.
std::map<PJRT_Buffer*, PJRT_Memory*>& Told() {
  static auto* const told = new std::map<PJRT_Buffer*, PJRT_Memory*>;
  return *told;
}

// Changes numbers of cost analysis.
template <typename Change>
void ChangeCosts(PJRT_Api& table, Change) {
  ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(table, [](auto& a) {
    if (a.num_properties == 0) return;
    auto* own = new std::vector<PJRT_NamedValue>(a.properties, a.properties + a.num_properties);
    for (PJRT_NamedValue& value : *own) Change{}(value);
    a.properties = own->data();
  });
}

// How often an argument is named in the text of a program.
bool UsesArgument(const std::string& code, size_t index) {
  const std::string name = "%arg" + std::to_string(index);
  size_t count = 0;
  for (size_t at = 0; (at = code.find(name, at)) != code.npos; at += name.size()) {
    if (!std::isdigit(static_cast<unsigned char>(code[at + name.size()]))) ++count;
  }
  return count != 1;
}
std::map<PJRT_LoadedExecutable*, std::string>& Programs() {
  static auto* const programs = new std::map<PJRT_LoadedExecutable*, std::string>;
  return *programs;
}

constexpr Mutant kPartMutants[] = {
    {"event_codes_above_10", "PJRT-Event_Set-outcome",
     "an event that is set with a code above 10 has UNKNOWN",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Set>(t, [](auto& a) {
         if (a.error_code > 10 && a.error_code <= 16) a.error_code = PJRT_Error_Code_UNKNOWN;
       });
     }},
    {"cancelled_is_fine", "PJRT-Event_Set-outcome", "an event that is set CANCELLED has no error",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Set>(t, [](auto& a) {
         if (a.error_code == PJRT_Error_Code_CANCELLED) a.error_code = PJRT_Error_Code_OK;
       });
     }},
    {"text_of_one_line", "PJRT-Event_Set-outcome", "the text of an error ends with its first line",
     [](PJRT_Api& t) {
       t.PJRT_Error_Message = [](PJRT_Error_Message_Args* a) {
         Real().PJRT_Error_Message(a);
         if (a == nullptr || a->message == nullptr) return;
         a->message_size =
             std::min(a->message_size, std::string_view(a->message, a->message_size).find('\n'));
       };
     }},
    {"text_for_none", "PJRT-Event_Set-outcome", "an error without a text has one",
     [](PJRT_Api& t) {
       t.PJRT_Error_Message = [](PJRT_Error_Message_Args* a) {
         Real().PJRT_Error_Message(a);
         if (a == nullptr || a->error == nullptr || a->message_size != 0) return;
         a->message = "unknown error";
         a->message_size = 13;
       };
     }},
    {"last_of_grid_is_first", "PJRT-Client_DefaultDeviceAssignment-devices",
     "of several replicas and partitions the last is on the device of the first",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto& a) {
         if (a.num_replicas > 1 && a.num_partitions > 1)
           a.default_assignment[a.num_replicas * a.num_partitions - 1] = a.default_assignment[0];
       });
     }},
    {"host_memory_of_first", "PJRT-Buffer_Memory-asked-for",
     "an upload to another memory than the default lands in that of the first device",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.memory != nullptr && KindOf(a.memory) != "device")
           a.memory = OfFirstDevice(a.client, a.memory);
       });
     }},
    {"manager_on_first", "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for",
     "a manager's buffers are on the first device",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(
           t, [](auto& a) { a.memory = OfFirstDevice(a.client, a.memory); });
     }},
    {"view_in_memory_of_first", "PJRT-Buffer_Memory-asked-for",
     "a view in another memory than the default is one of the first device",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto& a) {
         if (a.struct_size < PJRT_Client_CreateViewOfDeviceBuffer_Args_STRUCT_SIZE ||
             a.memory == nullptr)
           return;
         a.memory = OfFirstDevice(a.client, a.memory);
         a.device = FirstDevice(a.client);
       });
     }},
    {"copy_from_host_keeps_memory", "PJRT-Buffer_CopyToDevice-contents",
     "a copy on another device of an array in host memory says the memory of the original",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         if (IsDeleted(a.buffer) || IsInDefaultMemory(a.buffer)) return;
         PJRT_Memory* memory = MemoryOf(a.buffer);
         std::lock_guard<std::mutex> lock(Memory());
         Told()[a.dst_buffer] = memory;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Told().erase(a.buffer);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Memory>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = Told().find(a.buffer);
         if (found != Told().end()) a.memory = found->second;
       });
     }},
    {"same_memory_refused", "PJRT-Args-accepted",
     "a copy in the memory where the original lies is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](const auto& a) {
         return a.buffer != nullptr && !IsDeleted(a.buffer) && MemoryOf(a.buffer) == a.dst_memory;
       });
     }},
    {"copies_from_host_refused", "PJRT-Args-accepted",
     "an array in host memory is not copied to a device",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](const auto& a) {
         return a.buffer != nullptr && !IsDeleted(a.buffer) && !IsInDefaultMemory(a.buffer);
       });
     }},
    {"raw_read_is_row_major", "PJRT-Buffer_CopyRawToHost-offset",
     "a raw read has rows whatever the layout of the buffer",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto* a) {
         if (a->buffer == nullptr || IsDeleted(a->buffer) || IsPending(a->buffer) ||
             IsRowMajor(a->buffer) || a->offset < 0 || a->transfer_size < 0 ||
             static_cast<size_t>(a->offset + a->transfer_size) > SizeOf(a->buffer))
           return Real().PJRT_Buffer_CopyRawToHost(a);
         std::vector<int64_t> order(RankOf(a->buffer));
         for (size_t i = 0; i < order.size(); ++i)
           order[i] = static_cast<int64_t>(order.size() - 1 - i);
         PJRT_Buffer_MemoryLayout layout = LayoutOf(order);
         std::vector<char> rows(SizeOf(a->buffer));
         auto read = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
         read.src = a->buffer;
         read.host_layout = &layout;
         read.dst = rows.data();
         read.dst_size = rows.size();
         if (PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(&read)) return error;
         (void)Fails(read.event);
         a->event = read.event;
         std::memcpy(a->dst, rows.data() + a->offset, static_cast<size_t>(a->transfer_size));
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"future_error_is_internal", "PJRT-Buffer_CopyRawToHostFuture-error",
     "an error in place of a destination is INTERNAL",
     [](PJRT_Api& t) {
       struct Future {
         void (*callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args*);
         void* data;
       };
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto& a) {
         a.callback_data = new Future{a.future_ready_callback, a.callback_data};
         a.future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) {
           auto* future = static_cast<Future*>(args->callback_data);
           auto own = *args;
           own.callback_data = future->data;
           if (own.error_code != PJRT_Error_Code_OK) own.error_code = PJRT_Error_Code_INTERNAL;
           future->callback(&own);
           delete future;
         };
       });
     }},
    {"pending_callback_has_no_error", "PJRT-Event_OnReady-owns-error",
     "a callback that is registered before its event fails gets no error",
     [](PJRT_Api& t) {
       struct Callback {
         PJRT_Event_OnReadyCallback callback;
         void* arg;
       };
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         if (IsReady(a->event)) return Real().PJRT_Event_OnReady(a);
         auto own = *a;
         own.user_arg = new Callback{a->callback, a->user_arg};
         own.callback = [](PJRT_Error* error, void* arg) {
           auto* callback = static_cast<Callback*>(arg);
           FreeError(error);
           callback->callback(nullptr, callback->arg);
           delete callback;
         };
         return Real().PJRT_Event_OnReady(&own);
       });
     }},
    {"outputs_of_f8_alike", kTrue, "outputs of every kind of f8 say f8E5M2",
     [](PJRT_Api& t) {
       NoteOutputs(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ElementType>(t, [](auto& a) {
         if (IsOutput(a.buffer) && a.type >= PJRT_Buffer_Type_F8E5M2 &&
             a.type <= PJRT_Buffer_Type_F8E4M3FNUZ)
           a.type = PJRT_Buffer_Type_F8E5M2;
       });
     }},
    {"outputs_of_four_bits_signed", kTrue, "outputs of u4 say s4",
     [](PJRT_Api& t) {
       NoteOutputs(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ElementType>(t, [](auto& a) {
         if (IsOutput(a.buffer) && a.type == PJRT_Buffer_Type_U4) a.type = PJRT_Buffer_Type_S4;
       });
     }},
    {"literals_to_first", "PJRT-AsyncHostToDeviceTransferManager_TransferLiteral-contents",
     "literals go to a manager's first buffer",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral>(
           t, [](auto& a) {
             if (a.buffer_index > 0) a.buffer_index = 0;
           });
     }},
    {"flops_of_first", kTrue, "every program costs as many operations as the first",
     [](PJRT_Api& t) {
       ChangeCosts(t, [](PJRT_NamedValue& value) {
         static float first = -1;
         if (std::string_view(value.name, value.name_size) != "flops" ||
             value.type != PJRT_NamedValue_kFloat)
           return;
         std::lock_guard<std::mutex> lock(Memory());
         if (first < 0) first = value.float_value;
         value.float_value = first;
       });
     }},
    {"bytes_of_first", kTrue, "every program costs as many bytes as the first",
     [](PJRT_Api& t) {
       ChangeCosts(t, [](PJRT_NamedValue& value) {
         static float first = -1;
         if (std::string_view(value.name, value.name_size) != "bytes accessed" ||
             value.type != PJRT_NamedValue_kFloat)
           return;
         std::lock_guard<std::mutex> lock(Memory());
         if (first < 0) first = value.float_value;
         value.float_value = first;
       });
     }},
    {"size_of_first_output", "PJRT-Executable_GetCompiledMemoryStats-sizes",
     "outputs take what one of them takes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto& a) {
         auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
         count.executable = a.executable;
         FreeError(Real().PJRT_Executable_NumOutputs(&count));
         if (count.num_outputs > 1)
           a.output_size_in_bytes /= static_cast<int64_t>(count.num_outputs);
       });
     }},
    {"every_output_is_alias", "PJRT-Executable_GetCompiledMemoryStats-alias",
     "all bytes of outputs count as shared with arguments",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(
           t, [](auto& a) { a.alias_size_in_bytes = a.output_size_in_bytes; });
     }},
    {"fingerprint_without_options", kTrue, "a fingerprint is that of the program's text alone",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_Compile>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Programs()[a.executable] = std::to_string(std::hash<std::string_view>{}(
             std::string_view(a.program->code, a.program->code_size)));
       });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Fingerprint>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = Programs().find(a.executable);
         if (found == Programs().end()) return;
         a.executable_fingerprint = found->second.data();
         a.executable_fingerprint_size = found->second.size();
       });
       static auto* const handles = new std::map<PJRT_Executable*, PJRT_LoadedExecutable*>;
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         (*handles)[a.executable] = a.loaded_executable;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Fingerprint>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto handle = handles->find(a.executable);
         auto found = handle == handles->end() ? Programs().end() : Programs().find(handle->second);
         if (found == Programs().end()) return;
         a.executable_fingerprint = found->second.data();
         a.executable_fingerprint_size = found->second.size();
       });
     }},
    {"kinds_of_outputs_for_parameters", "PJRT-Executable_ParameterMemoryKinds-program",
     "as many kinds of parameters are told as there are outputs",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_ParameterMemoryKinds>(t, [](auto& a) {
         auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
         count.executable = a.executable;
         FreeError(Real().PJRT_Executable_NumOutputs(&count));
         a.num_parameters = std::min(a.num_parameters, count.num_outputs);
       });
     }},
    {"true_is_255", kResults, "true is 255 in results",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         for (PJRT_Buffer* output : OutputsOf(a)) {
           if (ElementTypeOf(output) != PJRT_Buffer_Type_PRED || IsPending(output)) continue;
           char* bytes = BytesOf(output);
           for (size_t i = 0; bytes != nullptr && i < SizeOf(output); ++i)
             bytes[i] = bytes[i] == 0 ? 0 : -1;
         }
       });
     }},
    {"error_of_unused_lost", "PJRT-LoadedExecutable_Execute-error-input",
     "an error of an argument that the program does not use is not carried",
     [](PJRT_Api& t) {
       RememberClient(t);
       ChangeOutputs<&PJRT_Api::PJRT_Client_Compile>(t, [](auto& a) {
         if (!HasText(a)) return;
         std::lock_guard<std::mutex> lock(Memory());
         Programs()[a.executable] = std::string(a.program->code, a.program->code_size);
       });
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         std::string code;
         {
           std::lock_guard<std::mutex> lock(Memory());
           code = Programs()[a->executable];
         }
         if (code.empty() || a->num_devices != 1 || a->argument_lists == nullptr)
           return Real().PJRT_LoadedExecutable_Execute(a);
         std::vector<PJRT_Buffer*> list(a->argument_lists[0], a->argument_lists[0] + a->num_args);
         std::vector<PJRT_Buffer*> made;
         for (size_t i = 0; i < list.size(); ++i) {
           if (!CarriesError(list[i]) || UsesArgument(code, i)) continue;
           made.push_back(Uninitialized(list[i], LastClient(), DeviceOf(list[i])));
           list[i] = made.back();
         }
         PJRT_Buffer* const* lists[] = {list.data()};
         PJRT_Error* error = CallChanged<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.argument_lists = lists; });
         for (PJRT_Buffer* buffer : made) Destroy(buffer);
         return error;
       });
     }},
    {"outputs_do_not_count", "PJRT-Device_MemoryStats-in-use",
     "bytes of outputs do not count as in use",
     [](PJRT_Api& t) {
       NoteOutputs(t);
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [buffer, size] : Outputs()) a.bytes_in_use -= static_cast<int64_t>(size);
         a.bytes_in_use = std::max<int64_t>(a.bytes_in_use, 0);
       });
     }},
    {"statistics_of_first", "PJRT-Device_MemoryStats-in-use",
     "statistics of every device are those of the first",
     [](PJRT_Api& t) {
       RememberClient(t);
       ChangeInputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         if (a.device != nullptr && LastClient() != nullptr) a.device = FirstDevice(LastClient());
       });
     }},
    {"peak_is_use", "PJRT-Device_MemoryStats-peak", "the peak is what is in use",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(
           t, [](auto& a) { a.peak_bytes_in_use = a.bytes_in_use; });
     }},
    {"strides_of_first_device", "PJRT-Client_BufferFromHostBuffer-strides",
     "strides are read of uploads to the first device alone",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         PJRT_Memory* memory = a.memory != nullptr   ? a.memory
                               : a.device != nullptr ? DefaultMemoryOf(a.device)
                                                     : nullptr;
         // Negative ones would be read beside the array.
         if (memory == OfFirstDevice(a.client, memory) ||
             std::any_of(a.byte_strides, a.byte_strides + a.num_byte_strides,
                         [](int64_t stride) { return stride <= 0; }))
           return;
         a.byte_strides = nullptr;
         a.num_byte_strides = 0;
       });
     }},
    {"tail_on_last_device", "PJRT-Buffer_ToHostBuffer-contents",
     "large arrays on another device than the first lack the tail",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         PJRT_Memory* memory = MemoryOf(a.buffer);
         if (IsPending(a.buffer) || SizeOf(a.buffer) < 65536 ||
             memory == OfFirstDevice(a.client, memory))
           return;
         if (char* bytes = BytesOf(a.buffer)) bytes[SizeOf(a.buffer) - 1] ^= 1;
       });
     }},
    {"layout_of_default_memory", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "a device_layout is not read where a memory other than the default is given",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.memory != nullptr && KindOf(a.memory) != "device") a.device_layout = nullptr;
       });
     }},
    {"host_layout_of_default_memory", "PJRT-Buffer_ToHostBuffer-contents",
     "a layout for the host is not read of arrays in other memory than the default",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.src != nullptr && a.dst != nullptr && !IsInDefaultMemory(a.src))
           a.host_layout = nullptr;
       });
     }},
    {"error_in_default_memory", kTrue, "a buffer of an error is always in the default memory",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(t, [](auto& a) {
         auto devices = MakeArgs<PJRT_Memory_AddressableByDevices_Args>();
         devices.memory = a.memory;
         FreeError(Real().PJRT_Memory_AddressableByDevices(&devices));
         if (devices.num_devices != 0) a.memory = DefaultMemoryOf(devices.devices[0]);
       });
     }},
    {"deleted_copied_to_memory", "PJRT-Buffer_CopyToMemory-contents",
     "a deleted array can be copied to a memory",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto* a) {
         if (a->buffer == nullptr || a->dst_memory == nullptr || !IsDeleted(a->buffer))
           return Real().PJRT_Buffer_CopyToMemory(a);
         a->dst_buffer = Uninitialized(a->buffer, LastClient(), DeviceOf(a->buffer));
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"address_of_first_device", "PJRT-Buffer_UnsafePointer-same",
     "the unsafe address of arrays on other devices is 0",
     [](PJRT_Api& t) {
       RememberClient(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_UnsafePointer>(t, [](auto& a) {
         if (DeviceOf(a.buffer) != FirstDevice(LastClient())) a.buffer_pointer = 0;
       });
     }},
    {"last_argument_unprotected", "PJRT-LoadedExecutable_Execute-not-donated",
     "the last argument is donated whatever non_donatable_input_indices says",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->options == nullptr || a->options->struct_size < PJRT_ExecuteOptions_STRUCT_SIZE)
           return Real().PJRT_LoadedExecutable_Execute(a);
         std::vector<int64_t> indices(
             a->options->non_donatable_input_indices,
             a->options->non_donatable_input_indices + a->options->num_non_donatable_input_indices);
         std::erase(indices, static_cast<int64_t>(a->num_args) - 1);
         auto options = *a->options;
         options.non_donatable_input_indices = indices.data();
         options.num_non_donatable_input_indices = indices.size();
         return CallChanged<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.options = &options; });
       });
     }},
    {"events_of_several_needed", "PJRT-Args-accepted",
     "an execution on several devices without room for events is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](const auto& a) {
         return a.num_devices > 1 && a.device_complete_events == nullptr;
       });
     }},
    {"negative_launch_refused", "PJRT-Args-accepted", "a negative launch_id is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
           t, [](const auto& a) { return a.options != nullptr && a.options->launch_id < 0; });
     }},
    {"peak_of_uploads", "PJRT-Device_MemoryStats-peak", "the peak does not count outputs",
     [](PJRT_Api& t) {
       NoteOutputs(t);
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [buffer, size] : Outputs())
           a.peak_bytes_in_use -= static_cast<int64_t>(size);
         a.peak_bytes_in_use = std::max<int64_t>(a.peak_bytes_in_use, 0);
       });
     }},
};

}  // namespace

std::span<const Mutant> PartMutants() { return kPartMutants; }

}  // namespace plinth::mutants
