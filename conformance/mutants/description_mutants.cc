// SPDX-License-Identifier: Apache-2.0
// Bugs in what is said of layouts, memories, executables and topologies, and in what comes back
// from bytes. Written from the requirements, without looking at the cases.

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

constexpr char kOutputs[] = "PJRT-Executable_NumOutputs-program";
constexpr char kLoadsSame[] = "PJRT-Executable_DeserializeAndLoad-same";
constexpr char kBytes[] = "PJRT-Executable_Serialize-lifetime";

// Keeps a list for ever.
template <typename T>
T* Keep(std::vector<T> list) {
  static auto* const kept = new std::deque<std::vector<T>>;
  std::lock_guard<std::mutex> lock(Memory());
  return kept->emplace_back(std::move(list)).data();
}

// Handles that a mutant remembers.
std::set<const void*>& Noted() {
  static auto* const noted = new std::set<const void*>;
  return *noted;
}
void Note(const void* handle) {
  std::lock_guard<std::mutex> lock(Memory());
  Noted().insert(handle);
}
bool IsNoted(const void* handle) {
  std::lock_guard<std::mutex> lock(Memory());
  return Noted().contains(handle);
}

// The executable of the last program that was compiled; it lives for ever.
PJRT_Executable*& LastExecutable() {
  static PJRT_Executable* executable = nullptr;
  return executable;
}
void RememberExecutable(PJRT_Api& table) {
  ChangeOutputs<&PJRT_Api::PJRT_Client_Compile>(table, [](auto& a) {
    PJRT_Executable* executable = ExecutableOf(a.executable);
    std::lock_guard<std::mutex> lock(Memory());
    LastExecutable() = executable;
  });
}
// A mutant that answers for the last executable.
template <auto kSlot>
void AnswerForLast(PJRT_Api& table) {
  RememberExecutable(table);
  ChangeInputs<kSlot>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    if (a.executable != nullptr && LastExecutable() != nullptr) a.executable = LastExecutable();
  });
}

// Puts own bytes in the place of those that were serialized.
void GiveBytes(PJRT_Executable_Serialize_Args& a, std::string& own) {
  own.assign(a.serialized_bytes, a.serialized_bytes_size);
  a.serialized_executable_deleter(a.serialized_executable);
  a.serialized_bytes = own.data();
  a.serialized_executable = reinterpret_cast<PJRT_SerializedExecutable*>(&own);
  a.serialized_executable_deleter = [](PJRT_SerializedExecutable*) {};
}

constexpr Mutant kDescriptionMutants[] = {
    {"reads_are_row_major", "PJRT-Buffer_ToHostBuffer-layout",
     "a read without a layout gives rows whatever the layout of the buffer",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         if (a->src == nullptr || a->host_layout != nullptr || IsRowMajor(a->src))
           return Real().PJRT_Buffer_ToHostBuffer(a);
         std::vector<int64_t> order;
         for (size_t i = RankOf(a->src); i-- > 0;) order.push_back(static_cast<int64_t>(i));
         PJRT_Buffer_MemoryLayout layout = LayoutOf(order);
         return CallChanged<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(
             a, [&](auto& own) { own.host_layout = &layout; });
       });
     }},
    {"one_dimension_has_no_order", "PJRT-Buffer_GetMemoryLayout-order",
     "the layout of an array of one dimension names none",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto& a) {
         if (RankOf(a.buffer) == 1) a.layout.tiled.minor_to_major_size = 0;
       });
     }},
    {"orders_share_a_place", "PJRT-Args-output-lifetime",
     "the layouts of all buffers share a place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto& a) {
         static int64_t place[64];
         auto& tiled = a.layout.tiled;
         if (a.layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled || tiled.minor_to_major_size > 64)
           return;
         std::lock_guard<std::mutex> lock(Memory());
         std::copy_n(tiled.minor_to_major, tiled.minor_to_major_size, place);
         tiled.minor_to_major = place;
       });
     }},
    {"pending_has_no_size", "PJRT-Buffer_OnDeviceSizeInBytes-enough",
     "a buffer that is not ready has 0 bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_OnDeviceSizeInBytes>(t, [](auto& a) {
         if (IsPending(a.buffer)) a.on_device_size_in_bytes = 0;
       });
     }},
    {"copy_says_device_memory", "PJRT-Buffer_Memory-asked-for",
     "a copy in a memory says that it lies in the default memory",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) { Note(a.dst_buffer); });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted().erase(a.buffer);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Memory>(t, [](auto& a) {
         if (IsNoted(a.buffer)) a.memory = DefaultMemoryOf(DeviceOf(a.buffer));
       });
     }},
    {"memory_listed_twice", "PJRT-Client_AddressableMemories-all",
     "the first memory of a client is listed twice",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_AddressableMemories>(t, [](auto& a) {
         static auto* const lists = new std::map<const void*, PJRT_Memory**>;
         std::vector<PJRT_Memory*> list(a.addressable_memories,
                                        a.addressable_memories + a.num_addressable_memories);
         list.push_back(list.front());
         PJRT_Memory** kept = Keep(list);
         std::lock_guard<std::mutex> lock(Memory());
         a.addressable_memories = lists->try_emplace(a.addressable_memories, kept).first->second;
         ++a.num_addressable_memories;
       });
     }},
    {"memory_ids_of_device", "PJRT-Memory_Id-unique", "every device numbers its memories from 0",
     [](PJRT_Api& t) { ChangeOutputs<&PJRT_Api::PJRT_Memory_Id>(t, [](auto& a) { a.id %= 3; }); }},
    {"outputs_of_one_kind", kOutputs, "all outputs have the kind of the first one's memory",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputMemoryKinds>(t, [](auto& a) {
         if (a.num_outputs == 0) return;
         a.memory_kinds = Keep(std::vector<const char*>(a.num_outputs, a.memory_kinds[0]));
         a.memory_kind_sizes = Keep(std::vector<size_t>(a.num_outputs, a.memory_kind_sizes[0]));
       });
     }},
    {"outputs_on_device", kOutputs, "every output has the kind of device memory",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputMemoryKinds>(t, [](auto& a) {
         a.memory_kinds = Keep(std::vector<const char*>(a.num_outputs, "device"));
         a.memory_kind_sizes = Keep(std::vector<size_t>(a.num_outputs, 6));
       });
     }},
    {"predicates_are_u8", kOutputs, "outputs of predicates say u8",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputElementTypes>(t, [](auto& a) {
         std::vector<PJRT_Buffer_Type> types(a.output_types, a.output_types + a.num_output_types);
         std::replace(types.begin(), types.end(), PJRT_Buffer_Type_PRED, PJRT_Buffer_Type_U8);
         a.output_types = Keep(types);
       });
     }},
    {"nibbles_are_s8", kOutputs, "outputs of four bits say s8",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputElementTypes>(t, [](auto& a) {
         std::vector<PJRT_Buffer_Type> types(a.output_types, a.output_types + a.num_output_types);
         std::replace(types.begin(), types.end(), PJRT_Buffer_Type_S4, PJRT_Buffer_Type_S8);
         a.output_types = Keep(types);
       });
     }},
    {"result_of_nibbles_is_s8", kOutputs, "a result of four bits is a buffer of s8",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         for (PJRT_Buffer* output : OutputsOf(a)) Note(output);
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted().erase(a.buffer);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ElementType>(t, [](auto& a) {
         if (a.type == PJRT_Buffer_Type_S4 && IsNoted(a.buffer)) a.type = PJRT_Buffer_Type_S8;
       });
     }},
    {"nothing_is_one_output", kOutputs, "a program without results says that it has one",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_NumOutputs>(
           t, [](auto& a) { a.num_outputs = std::max<size_t>(a.num_outputs, 1); });
     }},
    {"costs_of_last", "PJRT-Args-output-true", "estimates are those of the last program compiled",
     [](PJRT_Api& t) { AnswerForLast<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t); }},
    {"options_of_last", "PJRT-Executable_GetCompileOptions-same",
     "compile options are those of the last program compiled",
     [](PJRT_Api& t) { AnswerForLast<&PJRT_Api::PJRT_Executable_GetCompileOptions>(t); }},
    {"program_of_last", "PJRT-Args-output-true", "the program is that of the last compiled",
     [](PJRT_Api& t) { AnswerForLast<&PJRT_Api::PJRT_Executable_OptimizedProgram>(t); }},
    {"sizes_of_last", "PJRT-Args-output-true", "sizes are those of the last program compiled",
     [](PJRT_Api& t) { AnswerForLast<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(t); }},
    {"half_of_arguments", "PJRT-Executable_GetCompiledMemoryStats-sizes",
     "arguments take half of their bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(
           t, [](auto& a) { a.argument_size_in_bytes /= 2; });
     }},
    {"assignment_transposed", "PJRT-LoadedExecutable_GetDeviceAssignment-options",
     "the numbers of replicas and computations are exchanged in an assignment",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetDeviceAssignment>(t, [](auto& a) {
         std::vector<char> bytes(a.serialized_bytes, a.serialized_bytes + a.serialized_bytes_size);
         if (bytes.size() < 4 || bytes[0] != 0x08 || bytes[2] != 0x10) return;
         std::swap(bytes[1], bytes[3]);
         a.serialized_bytes = Keep(bytes);
       });
     }},
    {"loads_in_its_client", kLoadsSame, "bytes are loaded by the client that wrote them alone",
     [](PJRT_Api& t) {
       static std::map<const PJRT_Executable*, PJRT_Client*> owners;
       static std::map<PJRT_LoadedExecutable*, PJRT_Client*> clients;
       static std::map<std::string, PJRT_Client*> written;
       ChangeOutputs<&PJRT_Api::PJRT_Client_Compile>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         clients[a.executable] = a.client;
       });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         owners[a.executable] = clients[a.loaded_executable];
       });
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Serialize>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         written[{a.serialized_bytes, a.serialized_bytes_size}] = owners[a.executable];
       });
       Refuse<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](const auto& a) {
         if (a.serialized_executable == nullptr) return false;
         std::lock_guard<std::mutex> lock(Memory());
         auto found = written.find({a.serialized_executable, a.serialized_executable_size});
         return found != written.end() && found->second != nullptr && found->second != a.client;
       });
     }},
    {"serialized_share_a_place", kBytes, "the bytes of all executables share a place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Serialize>(t, [](auto& a) {
         static auto* const place = new std::string(1 << 20, ' ');
         std::lock_guard<std::mutex> lock(Memory());
         GiveBytes(a, *place);
       });
     }},
    {"loaded_outputs_reversed", kLoadsSame,
     "what was loaded from bytes gives its last output first",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Note(a.loaded_executable); });
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted().erase(a.executable);
       });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (!IsNoted(a.executable)) return;
         auto outputs = OutputsOf(a);
         std::reverse(outputs.begin(), outputs.end());
       });
     }},
    {"topology_of_bytes_is_empty", "PJRT-TopologyDescription_Deserialize-same",
     "a topology that was loaded from bytes has no devices",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Deserialize>(
           t, [](auto& a) { Note(a.topology); });
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         if (IsNoted(a.topology)) a.num_descriptions = 0;
       });
     }},
    {"ids_of_topology_from_one", "PJRT-Client_TopologyDescription-devices",
     "devices of a topology are numbered from 1",
     [](PJRT_Api& t) {
       static std::set<const void*> of_topology;
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         of_topology.insert(a.descriptions, a.descriptions + a.num_descriptions);
       });
       ChangeOutputs<&PJRT_Api::PJRT_DeviceDescription_Id>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (of_topology.contains(a.device_description)) ++a.id;
       });
     }},
    {"loaded_once", "PJRT-Client_Load-again", "an executable is loaded once",
     [](PJRT_Api& t) {
       static std::set<const void*> loaded;
       Refuse<&PJRT_Api::PJRT_Client_Load, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](const auto& a) {
             std::lock_guard<std::mutex> lock(Memory());
             return a.executable != nullptr && !loaded.insert(a.executable).second;
           });
     }},
    {"u4_is_signed", "PJRT-LoadedExecutable_Execute-results",
     "unsigned numbers of four bits are converted as signed ones",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "convert" || op.operand_types.size() != 1 ||
             ElementOf(op.operand_types[0]) != "ui4")
           return "";
         std::string as_signed = WithElement(op.operand_types[0], "i4");
         return s.Convert(s.Bitcast(op.operands[0], op.operand_types[0], as_signed), as_signed,
                          op.type);
       });
     }},
};

}  // namespace

std::span<const Mutant> DescriptionMutants() { return kDescriptionMutants; }

}  // namespace plinth::mutants
