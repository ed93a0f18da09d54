// SPDX-License-Identifier: Apache-2.0
// Bugs of authors who wrap a runtime of their own and forget what it does not ask for: the second
// time, the other thread, the failing path, the object that goes first. Written from the header and
// the registry, before a look at the cases.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_layouts_extension.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;
using Execute = PJRT_LoadedExecutable_Execute_Args;
using Manager = PJRT_AsyncHostToDeviceTransferManager;

// What a runtime loses where its author thought of success alone.
constexpr size_t kLost = 64 << 10;

// ---- What is asked of the plugin behind ---------------------------------------------------------

PJRT_Error_Code CodeOf(const PJRT_Error* error) {
  auto args = MakeArgs<PJRT_Error_GetCode_Args>();
  args.error = error;
  Quiet<&Api::PJRT_Error_GetCode>(args);
  return args.code;
}

std::string TextOf(const PJRT_Error* error) {
  auto args = MakeArgs<PJRT_Error_Message_Args>();
  args.error = error;
  Real().PJRT_Error_Message(&args);
  return std::string(args.message, args.message_size);
}

bool HasPayload(const PJRT_Error* error) {
  if (error == nullptr) return false;
  bool has_one = false;
  auto args = MakeArgs<PJRT_Error_ForEachPayload_Args>();
  args.error = error;
  args.user_arg = &has_one;
  args.visitor = [](const char*, size_t, const char*, size_t, void* argument) {
    *static_cast<bool*>(argument) = true;
  };
  Quiet<&Api::PJRT_Error_ForEachPayload>(args);
  return has_one;
}

std::string KindOf(PJRT_Memory* memory) {
  auto args = MakeArgs<PJRT_Memory_Kind_Args>();
  args.memory = memory;
  Quiet<&Api::PJRT_Memory_Kind>(args);
  return std::string(args.kind == nullptr ? "" : args.kind, args.kind_size);
}

bool Reaches(PJRT_Device* device, PJRT_Memory* memory) {
  auto args = MakeArgs<PJRT_Device_AddressableMemories_Args>();
  args.device = device;
  Quiet<&Api::PJRT_Device_AddressableMemories>(args);
  return std::count(args.memories, args.memories + args.num_memories, memory) > 0;
}

size_t NumBuffersOf(Manager* manager) {
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>();
  args.transfer_manager = manager;
  Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_BufferCount>(args);
  return args.buffer_count;
}

PJRT_Event* FailedEvent(std::string_view text) {
  PJRT_Event* event = PendingEvent();
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = event;
  set.error_code = PJRT_Error_Code_CANCELLED;
  set.error_message = text.data();
  set.error_message_size = text.size();
  Quiet<&Api::PJRT_Event_Set>(set);
  return event;
}

// ---- What is remembered -------------------------------------------------------------------------

// What an event is said to have come to.
struct Outcome {
  bool is_there = false;
  PJRT_Error_Code code = PJRT_Error_Code_OK;
  std::string text;
};

// A plugin's own clients that are alive.
std::atomic<int>& ClientsAlive() {
  static std::atomic<int> count{0};
  return count;
}

// The thread that made the last client; others count as strange to it.
std::thread::id& ThreadOfClient() {
  static std::thread::id id;
  return id;
}
void RememberThread(PJRT_Api& table) {
  ChangeOutputs<&Api::PJRT_Client_Create>(
      table, [](auto&) { ThreadOfClient() = std::this_thread::get_id(); });
}

// Ranges of host memory that are mapped; true once they were unmapped behind their owner's back.
std::map<std::pair<PJRT_Client*, const void*>, bool>& MappedBy() {
  static auto* const mapped = new std::map<std::pair<PJRT_Client*, const void*>, bool>;
  return *mapped;
}

std::map<uintptr_t, size_t>& MappedRanges() {
  static auto* const ranges = new std::map<uintptr_t, size_t>;
  return *ranges;
}

struct LoadedFrom {
  PJRT_LoadedExecutable* loaded = nullptr;
};

// Handles of an executable that were freed.
struct Freed {
  int handles = 0;
};

struct OnOtherThread {
  bool is_so = false;
};

// Bytes on a device that nobody has written.
struct Unwritten {
  PJRT_Device* device = nullptr;
  int64_t bytes = 0;
};

// What an array was before it was seen as something else.
struct Shape {
  bool is_there = false;
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  std::vector<int64_t> dims;
};

struct IsAlias {
  bool is_so = false;
};

std::map<PJRT_FulfillAliasBufferCallback*, PJRT_Buffer*>& Aliases() {
  static auto* const aliases = new std::map<PJRT_FulfillAliasBufferCallback*, PJRT_Buffer*>;
  return *aliases;
}

struct Dependent {
  PJRT_Buffer* buffer = nullptr;
};

// Addresses with a view that somebody waits for the end of.
std::set<void*>& ViewedAddresses() {
  static auto* const addresses = new std::set<void*>;
  return *addresses;
}

std::set<std::pair<Manager*, int>>& Retrieved() {
  static auto* const retrieved = new std::set<std::pair<Manager*, int>>;
  return *retrieved;
}

struct Text {
  std::string bytes;
};

struct LayoutOfBuffer {
  PJRT_Buffer* buffer = nullptr;
};

// A text that stays, and is there once however often it is asked for.
std::string_view Stays(const std::string& text) {
  static auto* const texts = new std::set<std::string>;
  std::lock_guard<std::mutex> lock(Memory());
  return *texts->insert(text).first;
}

void ForgetMarks(PJRT_Api& table) {
  ChangeInputs<&Api::PJRT_Buffer_Destroy>(table, [](auto& a) { Unmark(a.buffer); });
}

// The outcome that was noted of an event stands for its own.
template <auto kSlot>
void TellNoted(PJRT_Api& table) {
  Replace<kSlot>(table, [](auto* a) -> PJRT_Error* {
    PJRT_Error* error = (Real().*kSlot)(a);
    if (a->event == nullptr || !IsReady(a->event)) return error;
    const Outcome outcome = NoteOf<Outcome>(a->event);
    if (!outcome.is_there) return error;
    FreeError(error);
    return outcome.code == PJRT_Error_Code_OK ? nullptr : MakeError(outcome.code, outcome.text);
  });
}

// The heads of errors that know less than the errors themselves.
struct OwnHead {
  PJRT_Error_FunctionTable table = {};
  const PJRT_Error_FunctionTable* behind = nullptr;
};
OwnHead& HeadOfAwaited() {
  static auto* const head = new OwnHead;
  return *head;
}

const Mutant kNeglectMutants[] = {
    // Errors.
    {"freed_error_keeps_payloads", "PJRT-Process-memory",
     "The payloads of an error that is freed stay.",
     [](Api& t) {
       Replace<&Api::PJRT_Error_Destroy>(t, [](auto* a) {
         if (HasPayload(a->error)) Forget(kLost);
         Real().PJRT_Error_Destroy(a);
       });
     }},
    {"error_text_counts_nul", "PJRT-Strings-size",
     "The size of an error's text counts the NUL behind it.",
     [](Api& t) {
       Replace<&Api::PJRT_Error_Message>(t, [](auto* a) {
         Real().PJRT_Error_Message(a);
         // Texts of the plugin behind are std::strings.
         if (a->error != nullptr && a->message != nullptr && a->message[a->message_size] == '\0') {
           ++a->message_size;
         }
       });
     }},
    {"head_code_of_awaited", "PJRT-Error-head",
     "Asked through its head, an error that a wait gave has the code INTERNAL.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_Await>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         if (error == nullptr) return error;
         std::lock_guard<std::mutex> lock(Memory());
         OwnHead& head = HeadOfAwaited();
         if (head.behind == nullptr) {
           head.behind = error->vtable;
           head.table = *error->vtable;
           head.table.get_code = [](const PJRT_Error*) { return PJRT_Error_Code_INTERNAL; };
         }
         error->vtable = &head.table;
         return error;
       });
       Replace<&Api::PJRT_Error_GetCode>(t, [](auto* a) -> PJRT_Error* {
         if (a->error == nullptr || a->error->vtable != &HeadOfAwaited().table) {
           return Real().PJRT_Error_GetCode(a);
         }
         a->code = HeadOfAwaited().behind->get_code(a->error);
         return nullptr;
       });
     }},

    // The plugin.
    {"initialize_again_lists_again", "PJRT-Plugin_Initialize-again",
     "When the plugin is initialized again its attributes are added to its list once more.",
     [](Api& t) {
       static std::atomic<int> times{0};
       ChangeOutputs<&Api::PJRT_Plugin_Initialize>(t, [](auto&) { ++times; });
       ChangeOutputs<&Api::PJRT_Plugin_Attributes>(t, [](auto& a) {
         if (times < 2 || a.attributes == nullptr) return;
         static const auto* const twice = [&] {
           std::vector<PJRT_NamedValue> all(a.attributes, a.attributes + a.num_attributes);
           all.insert(all.end(), a.attributes, a.attributes + a.num_attributes);
           return Kept(std::move(all));
         }();
         a.attributes = twice->data();
         a.num_attributes = twice->size();
       });
     }},

    // Events.
    {"pending_event_leaks", "PJRT-Process-memory",
     "An event that is destroyed before it is ready stays in the list of those to be told.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Event_Destroy>(t, [](auto& a) {
         if (a.event != nullptr && !IsReady(a.event)) Forget(kLost);
       });
     }},
    {"not_ready_is_not_written", "PJRT-Args-output-set",
     "Whether an event is ready is written where it is, and left as it was where it is not.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_IsReady>(t, [](auto* a) {
         unsigned char before;
         std::memcpy(&before, &a->is_ready, 1);
         PJRT_Error* error = Real().PJRT_Event_IsReady(a);
         if (error == nullptr && !a->is_ready) std::memcpy(&a->is_ready, &before, 1);
         return error;
       });
     }},
    {"await_drops_payloads", "PJRT-Args-output-true",
     "The error that a wait gives is made anew of code and text, without the payloads.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_Await>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         if (!HasPayload(error)) return error;
         PJRT_Error* made = MakeError(CodeOf(error), TextOf(error));
         FreeError(error);
         return made;
       });
     }},
    {"refused_set_overwrites", "PJRT-Event_Set-once",
     "An event that is set again refuses it, and has the new outcome all the same.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_Set>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Event_Set(a);
         if (error == nullptr || a->event == nullptr ||
             CodeOf(error) != PJRT_Error_Code_FAILED_PRECONDITION) {
           return error;
         }
         Outcome outcome{true, a->error_code, ""};
         if (a->error_message != nullptr) {
           outcome.text.assign(a->error_message, a->error_message_size);
         }
         Note(a->event, std::move(outcome));
         return error;
       });
       TellNoted<&Api::PJRT_Event_Await>(t);
       TellNoted<&Api::PJRT_Event_Error>(t);
       ChangeInputs<&Api::PJRT_Event_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Event, Outcome>().erase(a.event);
       });
     }},

    // Clients.
    {"refused_client_leaks", "PJRT-Process-memory",
     "What a client that is not made has set up by then stays.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_Create>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Create(a);
         if (error != nullptr) Forget(16 * kLost);
         return error;
       });
     }},
    {"empty_text_option_refused", "PJRT-Args-accepted",
     "An option whose value is the empty text is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Client_Create>(t, [](auto& a) {
         if (a.create_options == nullptr) return false;
         return std::any_of(a.create_options, a.create_options + a.num_options, [](auto& option) {
           return option.type == PJRT_NamedValue_kString && option.value_size == 0;
         });
       });
     }},
    {"departing_client_unmaps", "PJRT-Client_Destroy-others",
     "A client that goes unmaps the host memory that others mapped, too.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_DmaMap>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         MappedBy()[{a.client, a.data}] = false;
       });
       ChangeInputs<&Api::PJRT_Client_Destroy>(t, [](auto& a) {
         if (a.client == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(MappedBy(), [&](const auto& it) { return it.first.first == a.client; });
         for (auto& [range, is_gone] : MappedBy()) is_gone = true;
       });
       Refuse<&Api::PJRT_Client_DmaUnmap, PJRT_Error_Code_FAILED_PRECONDITION>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = MappedBy().find({a.client, a.data});
         if (found == MappedBy().end()) return false;
         const bool is_gone = found->second;
         MappedBy().erase(found);
         return is_gone;
       });
     }},
    {"version_counts_clients", "PJRT-Args-output-same",
     "The version of the platform ends with the number of clients while there are several.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_Create>(t, [](auto&) { ++ClientsAlive(); });
       ChangeInputs<&Api::PJRT_Client_Destroy>(t, [](auto& a) {
         if (a.client != nullptr) --ClientsAlive();
       });
       ChangeOutputs<&Api::PJRT_Client_PlatformVersion>(t, [](auto& a) {
         const int count = ClientsAlive();
         if (count < 2) return;
         const std::string_view text =
             Stays(std::string(a.platform_version, a.platform_version_size) + ", " +
                   std::to_string(count) + " clients");
         a.platform_version = text.data();
         a.platform_version_size = text.size();
       });
     }},
    {"one_memory_of_each_kind", "PJRT-Client_AddressableMemories-all",
     "Of the memories of a kind the first is listed, as if all devices reached it.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_AddressableMemories>(t, [](auto& a) {
         std::set<std::string> kinds;
         std::vector<PJRT_Memory*> listed;
         for (size_t i = 0; i < a.num_addressable_memories; ++i) {
           if (kinds.insert(KindOf(a.addressable_memories[i])).second) {
             listed.push_back(a.addressable_memories[i]);
           }
         }
         static auto* const lists = new std::set<std::vector<PJRT_Memory*>>;
         std::lock_guard<std::mutex> lock(Memory());
         const auto& kept = *lists->insert(std::move(listed)).first;
         a.addressable_memories = kept.data();
         a.num_addressable_memories = kept.size();
       });
     }},
    {"topology_devices_unnamed", "PJRT-Client_TopologyDescription-devices",
     "The short text of a device in a topology is that of its kind.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         for (size_t i = 0; i < a.num_descriptions; ++i) Mark(a.descriptions[i]);
       });
       ChangeOutputs<&Api::PJRT_DeviceDescription_ToString>(t, [](auto& a) {
         if (!IsMarked(a.device_description)) return;
         auto kind = MakeArgs<PJRT_DeviceDescription_Kind_Args>();
         kind.device_description = a.device_description;
         Quiet<&Api::PJRT_DeviceDescription_Kind>(kind);
         a.to_string = kind.device_kind;
         a.to_string_size = kind.device_kind_size;
       });
     }},
    {"empty_format_is_mlir", "PJRT-Client_Compile-format",
     "A program whose format is the empty text is read as MLIR.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_Compile>(t, [](auto& a) {
         static thread_local PJRT_Program program;
         if (a.program == nullptr || a.program->format == nullptr || a.program->format_size > 0) {
           return;
         }
         program = MakeArgs<PJRT_Program>();
         program.code = a.program->code;
         program.code_size = a.program->code_size;
         program.format = "mlir";
         program.format_size = 4;
         a.program = &program;
       });
     }},
    {"one_compile_at_a_time", "PJRT-Threads-any",
     "While a program is compiled no other thread may compile one.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_Compile>(t, [](auto* a) {
         static std::atomic<bool> is_busy{false};
         if (is_busy.exchange(true)) {
           return MakeError(PJRT_Error_Code_UNAVAILABLE, "the compiler is busy");
         }
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         is_busy = false;
         return error;
       });
     }},

    // Uploads.
    {"disagreeing_device_refused", "PJRT-Client_BufferFromHostBuffer-memory-wins",
     "An upload to a memory is refused if the device beside it is one that does not reach it.",
     [](Api& t) {
       Refuse<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         return a.memory != nullptr && a.device != nullptr && !Reaches(a.device, a.memory);
       });
     }},
    {"other_threads_on_first_device", "PJRT-Buffer_Device-asked-for",
     "On a thread that made no client uploads go to the first device: it is the current one there.",
     [](Api& t) {
       RememberThread(t);
       ChangeInputs<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.client == nullptr || a.device == nullptr || a.memory != nullptr ||
             ThreadOfClient() == std::this_thread::get_id()) {
           return;
         }
         a.device = FirstDevice(a.client);
       });
     }},
    {"refused_upload_gives_event", "PJRT-Args-output-failure",
     "An upload that is refused gives out an event all the same, which says that it is done.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(a);
         if (error != nullptr) a->done_with_host_buffer = DoneEvent();
         return error;
       });
     }},

    // Devices and memories.
    {"hardware_id_half_written", "PJRT-Args-output-set",
     "Of the number of a device on its host the lower 16 bits are written.",
     [](Api& t) {
       Replace<&Api::PJRT_Device_LocalHardwareId>(t, [](auto* a) {
         const int before = a->local_hardware_id;
         PJRT_Error* error = Real().PJRT_Device_LocalHardwareId(a);
         if (error == nullptr) {
           a->local_hardware_id = static_cast<int>((static_cast<unsigned>(before) & 0xFFFF0000u) |
                                                   (a->local_hardware_id & 0xFFFFu));
         }
         return error;
       });
     }},
    {"device_memories_scratch", "PJRT-Args-output-lifetime",
     "The list of a device's memories lies where a thread gets that of the next device.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Device_AddressableMemories>(t, [](auto& a) {
         static thread_local PJRT_Memory* scratch[16];
         if (a.num_memories > std::size(scratch)) return;
         std::copy_n(a.memories, a.num_memories, scratch);
         a.memories = scratch;
       });
     }},
    {"uninitialized_not_counted", "PJRT-Device_MemoryStats-in-use",
     "Arrays that are made without contents are not counted as memory in use.",
     [](Api& t) {
       ForgetBuffers<Unwritten>(t);
       ChangeOutputs<&Api::PJRT_Client_CreateUninitializedBuffer>(t, [](auto& a) {
         Note(a.buffer, Unwritten{DeviceOf(a.buffer), static_cast<int64_t>(SizeOf(a.buffer))});
       });
       ChangeOutputs<&Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [buffer, unwritten] : Noted<PJRT_Buffer, Unwritten>()) {
           if (unwritten.device != a.device || IsDeleted(buffer)) continue;
           a.bytes_in_use = std::max<int64_t>(a.bytes_in_use - unwritten.bytes, 0);
         }
       });
     }},
    {"unpinned_reached_by_none", "PJRT-Memory_AddressableByDevices-mutual",
     "A memory of unpinned host memory names no device that reaches it.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Memory_AddressableByDevices>(t, [](auto& a) {
         if (KindOf(a.memory) == "unpinned_host") a.num_devices = 0;
       });
     }},
    {"user_data_not_cleared", "PJRT-Memory-head",
     "Null as the data under a memory's key is skipped: what was there stays.",
     [](Api& t) {
       ChangeMemories(t, [](auto& own) {
         own.set_user_data = [](PJRT_Memory* memory, const void* key, void* data,
                                void (*destructor)(void*)) {
           if (data != nullptr) MemoriesBehind()->set_user_data(memory, key, data, destructor);
         };
       });
     }},

    // Programs.
    {"name_gone_after_unload", "PJRT-Args-output-same",
     "An executable of a program that was unloaded has an empty name.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(
           t, [](auto& a) { Note(a.executable, LoadedFrom{a.loaded_executable}); });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Delete>(t, [](auto& a) { Mark(a.executable); });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, LoadedFrom>().erase(a.executable);
       });
       ChangeOutputs<&Api::PJRT_Executable_Name>(t, [](auto& a) {
         if (IsMarked(NoteOf<LoadedFrom>(a.executable).loaded)) a.executable_name_size = 0;
       });
     }},
    {"scalar_dim_sizes_null", "PJRT-Args-output-array",
     "Where all outputs are scalars the list of their ranks is null.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         if (std::all_of(a.dim_sizes, a.dim_sizes + a.num_outputs,
                         [](size_t rank) { return rank == 0; })) {
           a.dim_sizes = nullptr;
         }
       });
     }},
    {"optimized_needs_question", "PJRT-Executable_OptimizedProgram-two-calls",
     "The optimized program is printed when its size is asked for: without that there is none.",
     [](Api& t) {
       Replace<&Api::PJRT_Executable_OptimizedProgram>(t, [](auto* a) -> PJRT_Error* {
         if (a->executable == nullptr || a->program == nullptr) {
           return Real().PJRT_Executable_OptimizedProgram(a);
         }
         if (a->program->code == nullptr) {
           Mark(a->executable);
         } else if (!IsMarked(a->executable)) {
           return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "the program was not printed");
         }
         return Real().PJRT_Executable_OptimizedProgram(a);
       });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
     }},
    {"unaligned_bytes_refused", "PJRT-Args-accepted",
     "Bytes of an executable that do not begin at a multiple of 8 are refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto& a) {
         return reinterpret_cast<uintptr_t>(a.serialized_executable) % 8 != 0;
       });
     }},
    {"second_handle_unloads", "PJRT-LoadedExecutable_GetExecutable-independent",
     "A program does not run any more once two handles that it gave out were freed.",
     [](Api& t) {
       ForgetExecutables<Freed>(t);
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(
           t, [](auto& a) { Note(a.executable, LoadedFrom{a.loaded_executable}); });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         PJRT_LoadedExecutable* loaded = NoteOf<LoadedFrom>(a.executable).loaded;
         if (loaded == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, LoadedFrom>().erase(a.executable);
         ++Noted<PJRT_LoadedExecutable, Freed>()[loaded].handles;
       });
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return NoteOf<Freed>(a.executable).handles >= 2; });
     }},
    {"unload_cancels_waiting", "PJRT-LoadedExecutable_Execute-results",
     "Executions that wait for their arguments when the program is unloaded are cancelled.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         for (size_t device = 0; device < a.num_devices; ++device) {
           for (PJRT_Buffer* output : OutputsOf(a, device)) Note(output, LoadedFrom{a.executable});
         }
       });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Delete>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [output, from] : Noted<PJRT_Buffer, LoadedFrom>()) {
           if (from.loaded != nullptr && from.loaded == a.executable && IsPending(output)) {
             Marked<PJRT_Buffer>().insert(output);
           }
         }
       });
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (!IsMarked(a->buffer)) return Real().PJRT_Buffer_ReadyEvent(a);
         a->event = FailedEvent("the program was unloaded");
         return nullptr;
       });
       Refuse<&Api::PJRT_Buffer_ToHostBuffer, PJRT_Error_Code_CANCELLED>(
           t, [](auto& a) { return IsMarked(a.src); });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Buffer, LoadedFrom>().erase(a.buffer);
         Marked<PJRT_Buffer>().erase(a.buffer);
       });
     }},
    {"fingerprint_of_thread", "PJRT-Executable_Fingerprint-stable",
     "What is compiled on a thread that made no client has another fingerprint.",
     [](Api& t) {
       RememberThread(t);
       ForgetExecutables<OnOtherThread>(t);
       ChangeOutputs<&Api::PJRT_Client_Compile>(t, [](auto& a) {
         Note(a.executable, OnOtherThread{ThreadOfClient() != std::this_thread::get_id()});
       });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(
           t, [](auto& a) { Note(a.executable, NoteOf<OnOtherThread>(a.loaded_executable)); });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, OnOtherThread>().erase(a.executable);
       });
       auto change = [](auto& a) {
         if (!NoteOf<OnOtherThread>(a.executable).is_so) return;
         const std::string_view text = Stays(
             std::string(a.executable_fingerprint, a.executable_fingerprint_size) + "-thread");
         a.executable_fingerprint = text.data();
         a.executable_fingerprint_size = text.size();
       };
       ChangeOutputs<&Api::PJRT_Executable_Fingerprint>(t, change);
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Fingerprint>(t, change);
     }},
    {"alias_counts_every_argument", "PJRT-Executable_GetCompiledMemoryStats-alias",
     "Where one argument is donated all are counted as shared with outputs.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto& a) {
         if (a.alias_size_in_bytes > 0) a.alias_size_in_bytes = a.argument_size_in_bytes;
       });
     }},
    {"logical_ids_scratch", "PJRT-Args-output-lifetime",
     "The logical ids of a program lie where a thread gets those of the next program.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_AddressableDeviceLogicalIds>(t, [](auto& a) {
         static thread_local PJRT_LogicalDeviceIds scratch[64];
         if (a.num_addressable_device_logical_ids > std::size(scratch)) return;
         std::copy_n(a.addressable_device_logical_ids, a.num_addressable_device_logical_ids,
                     scratch);
         a.addressable_device_logical_ids = scratch;
       });
     }},
    {"second_load_borrows_first", "PJRT-Client_Load-again",
     "What is loaded again shares the code of what was loaded first, and runs as long as that is "
     "there.",
     [](Api& t) {
       if (t.PJRT_Client_Load == nullptr) return;
       ChangeOutputs<&Api::PJRT_Client_Load>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         LoadedFrom& first = Noted<PJRT_Executable, LoadedFrom>()[a.executable];
         if (first.loaded == nullptr) {
           first.loaded = a.loaded_executable;
         } else {
           Noted<PJRT_LoadedExecutable, LoadedFrom>()[a.loaded_executable] = first;
         }
       });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, LoadedFrom>().erase(a.executable);
       });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         if (a.executable == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_LoadedExecutable, LoadedFrom>().erase(a.executable);
         Marked<PJRT_LoadedExecutable>().erase(a.executable);
         for (const auto& [later, first] : Noted<PJRT_LoadedExecutable, LoadedFrom>()) {
           if (first.loaded == a.executable) Marked<PJRT_LoadedExecutable>().insert(later);
         }
         std::erase_if(Noted<PJRT_Executable, LoadedFrom>(),
                       [&](const auto& it) { return it.second.loaded == a.executable; });
       });
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return IsMarked(a.executable); });
     }},

    // Executions.
    {"old_events_kept", "PJRT-LoadedExecutable_Execute-done",
     "The place for a device's event is filled if it holds null, and left if it holds an old one.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Event** const places = a->device_complete_events;
         if (places == nullptr || a->num_devices > 64) {
           return Real().PJRT_LoadedExecutable_Execute(a);
         }
         std::vector<PJRT_Event*> events(a->num_devices);
         PJRT_Error* error = CallChanged<&Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.device_complete_events = events.data(); });
         a->device_complete_events = places;
         if (error != nullptr) return error;
         for (size_t i = 0; i < events.size(); ++i) {
           if (places[i] == nullptr) {
             places[i] = events[i];
           } else {
             Drop(events[i]);
           }
         }
         return error;
       });
     }},
    {"portable_run_donates_nothing", "PJRT-LoadedExecutable_Execute-donation",
     "A run whose device is chosen when it starts takes no argument that the program donates.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->execute_device == nullptr || a->options == nullptr || a->num_args > 4096 ||
             !HasField(*a->options, &PJRT_ExecuteOptions::num_non_donatable_input_indices)) {
           return Real().PJRT_LoadedExecutable_Execute(a);
         }
         PJRT_ExecuteOptions options = {};
         const size_t size =
             std::min(a->options->struct_size, StructOf<PJRT_ExecuteOptions>::kSize);
         std::memcpy(&options, a->options, size);
         options.struct_size = size;
         std::vector<int64_t> all(a->num_args);
         std::iota(all.begin(), all.end(), 0);
         options.non_donatable_input_indices = all.data();
         options.num_non_donatable_input_indices = all.size();
         return CallChanged<&Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.options = &options; });
       });
     }},
    {"refused_run_leaks", "PJRT-Process-memory",
     "A run that is refused leaves behind what was set up for it.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr) Forget(kLost);
         return error;
       });
     }},

    // Buffers.
    {"destroyed_pending_leaks", "PJRT-Process-memory",
     "A buffer that is destroyed before its contents have come is never freed.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         if (a.buffer != nullptr && IsPending(a.buffer)) Forget(SizeOf(a.buffer) + kLost);
       });
     }},
    {"unpadded_scratch", "PJRT-Args-output-lifetime",
     "The dimensions in use lie where a thread gets those of the next buffer.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_UnpaddedDimensions>(t, [](auto& a) {
         static thread_local int64_t scratch[8];
         if (a.num_dims > std::size(scratch)) return;
         std::copy_n(a.unpadded_dims, a.num_dims, scratch);
         a.unpadded_dims = scratch;
       });
     }},
    {"no_dynamic_count_left", "PJRT-Args-output-set",
     "The number of dynamic dimensions is not written where there is none.",
     [](Api& t) {
       Replace<&Api::PJRT_Buffer_DynamicDimensionIndices>(t, [](auto* a) {
         const size_t before = a->num_dynamic_dims;
         PJRT_Error* error = Real().PJRT_Buffer_DynamicDimensionIndices(a);
         if (error == nullptr && a->num_dynamic_dims == 0) a->num_dynamic_dims = before;
         return error;
       });
     }},
    {"pending_not_deletable", "PJRT-Args-accepted",
     "A buffer whose contents are still to come is not deleted: the call is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Buffer_Delete, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return a.buffer != nullptr && IsPending(a.buffer); });
     }},
    {"copy_of_bitcast_forgets", "PJRT-Buffer_CopyToDevice-contents",
     "A copy of what was seen as another type or shape has those from before.",
     [](Api& t) {
       if (t.PJRT_Buffer_Bitcast == nullptr) return;
       ForgetBuffers<Shape>(t);
       ChangeOutputs<&Api::PJRT_Buffer_Bitcast>(t, [](auto& a) {
         auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
         dims.buffer = a.buffer;
         Quiet<&Api::PJRT_Buffer_Dimensions>(dims);
         Note(a.out_buffer, Shape{true, ElementTypeOf(a.buffer),
                                  std::vector<int64_t>(dims.dims, dims.dims + dims.num_dims)});
       });
       ChangeOutputs<&Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         const Shape before = NoteOf<Shape>(a.buffer);
         if (!before.is_there) return;
         auto cast = MakeArgs<PJRT_Buffer_Bitcast_Args>();
         cast.buffer = a.dst_buffer;
         cast.element_type = before.type;
         cast.dims = before.dims.data();
         cast.num_dims = before.dims.size();
         Quiet<&Api::PJRT_Buffer_Bitcast>(cast);
         if (cast.out_buffer == nullptr) return;
         Destroy(a.dst_buffer);
         a.dst_buffer = cast.out_buffer;
       });
     }},
    {"copy_of_error_leaks", "PJRT-Process-memory",
     "The memory for a copy of a buffer that carries an error is not given back.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         if (CarriesError(a.buffer)) Forget(kLost);
       });
     }},
    {"refused_download_leaks", "PJRT-Process-memory",
     "A download that is refused leaves its staging memory behind.",
     [](Api& t) {
       Replace<&Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (error != nullptr) Forget(kLost);
         return error;
       });
     }},
    {"ready_of_donated_good", "PJRT-Buffer_ReadyEvent-deleted",
     "The event of a buffer that was donated, not deleted, ends well.",
     [](Api& t) {
       ForgetMarks(t);
       ChangeInputs<&Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         if (a.buffer != nullptr && !IsDeleted(a.buffer)) Mark(a.buffer);
       });
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (a->buffer == nullptr || IsMarked(a->buffer) || !IsDeleted(a->buffer)) {
           return Real().PJRT_Buffer_ReadyEvent(a);
         }
         a->event = DoneEvent();
         return nullptr;
       });
     }},
    {"bitcast_ready_early", "PJRT-Buffer_ReadyEvent-after",
     "Pending bytes that are seen as another type count as ready at once.",
     [](Api& t) {
       if (t.PJRT_Buffer_Bitcast == nullptr) return;
       ForgetMarks(t);
       ChangeOutputs<&Api::PJRT_Buffer_Bitcast>(t, [](auto& a) {
         if (IsPending(a.out_buffer)) Mark(a.out_buffer);
       });
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (!IsMarked(a->buffer) || !IsPending(a->buffer)) {
           return Real().PJRT_Buffer_ReadyEvent(a);
         }
         a->event = DoneEvent();
         return nullptr;
       });
     }},
    {"other_devices_memory_refused", "PJRT-Args-accepted",
     "A copy to host memory that belongs to another device than the buffer's is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Buffer_CopyToMemory, PJRT_Error_Code_UNIMPLEMENTED>(t, [](auto& a) {
         return a.buffer != nullptr && a.dst_memory != nullptr &&
                KindOf(a.dst_memory).find("host") != std::string::npos &&
                !Reaches(DeviceOf(a.buffer), a.dst_memory);
       });
     }},
    {"views_of_one_address_joined", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "Owners of views are kept by address: of two of the same bytes the first alone is told.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) -> PJRT_Error* {
         if (a->on_delete_callback == nullptr || a->device_buffer_ptr == nullptr) {
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(a);
         }
         bool is_first;
         {
           std::lock_guard<std::mutex> lock(Memory());
           is_first = ViewedAddresses().insert(a->device_buffer_ptr).second;
         }
         if (!is_first) {
           return CallChanged<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(
               a, [](auto& own) { own.on_delete_callback = nullptr; });
         }
         struct Owner {
           void (*callback)(void*, void*);
           void* argument;
         };
         auto* owner = new Owner{a->on_delete_callback, a->on_delete_callback_arg};
         PJRT_Error* error =
             CallChanged<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(a, [&](auto& own) {
               own.on_delete_callback_arg = owner;
               own.on_delete_callback = [](void* bytes, void* argument) {
                 const Owner its = *static_cast<Owner*>(argument);
                 delete static_cast<Owner*>(argument);
                 {
                   std::lock_guard<std::mutex> lock(Memory());
                   ViewedAddresses().erase(bytes);
                 }
                 its.callback(bytes, its.argument);
               };
             });
         if (error == nullptr) return nullptr;
         delete owner;
         std::lock_guard<std::mutex> lock(Memory());
         ViewedAddresses().erase(a->device_buffer_ptr);
         return error;
       });
     }},
    {"one_mapping_in_a_page", "PJRT-Args-accepted",
     "Host memory is mapped by pages: a range in a page of which another part is mapped is "
     "refused.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_DmaMap>(t, [](auto* a) {
         constexpr uintptr_t kPage = 4096;
         const auto begin = reinterpret_cast<uintptr_t>(a->data);
         const uintptr_t end = begin + a->size;
         if (begin == 0 || a->size == 0) return Real().PJRT_Client_DmaMap(a);
         {
           std::lock_guard<std::mutex> lock(Memory());
           for (const auto& [other, size] : MappedRanges()) {
             // Ranges that overlap are another matter.
             if (begin < other + size && other < end) continue;
             if (begin / kPage <= (other + size - 1) / kPage &&
                 other / kPage <= (end - 1) / kPage) {
               return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "the page is mapped");
             }
           }
         }
         PJRT_Error* error = Real().PJRT_Client_DmaMap(a);
         if (error != nullptr) return error;
         std::lock_guard<std::mutex> lock(Memory());
         MappedRanges()[begin] = a->size;
         return error;
       });
       ChangeOutputs<&Api::PJRT_Client_DmaUnmap>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         MappedRanges().erase(reinterpret_cast<uintptr_t>(a.data));
       });
     }},
    {"uninitialized_of_nothing_refused", "PJRT-Args-accepted",
     "An array without elements cannot be made without contents.",
     [](Api& t) {
       Refuse<&Api::PJRT_Client_CreateUninitializedBuffer>(t, [](auto& a) {
         return a.shape_dims != nullptr &&
                std::count(a.shape_dims, a.shape_dims + a.shape_num_dims, 0) > 0;
       });
     }},
    {"alias_of_alias_ready_early", "PJRT-Client_CreateAliasBuffer-waits",
     "An alias that stands for an alias that is still to come counts as ready.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_CreateAliasBuffer>(t, [](auto& a) {
         Note(a.alias_buffer, IsAlias{true});
         std::lock_guard<std::mutex> lock(Memory());
         Aliases()[a.fulfill_alias_buffer_cb] = a.alias_buffer;
       });
       Replace<&Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto* a) {
         PJRT_Buffer* alias = nullptr;
         {
           std::lock_guard<std::mutex> lock(Memory());
           auto found = Aliases().find(a->fulfill_alias_buffer_cb);
           if (found != Aliases().end()) {
             alias = found->second;
             Aliases().erase(found);
           }
         }
         const bool is_early = a->status_code == PJRT_Error_Code_OK && a->buffer != nullptr &&
                               NoteOf<IsAlias>(a->buffer).is_so && IsPending(a->buffer);
         PJRT_Error* error = Real().PJRT_Client_FulfillAliasBuffer(a);
         if (error == nullptr && is_early && alias != nullptr) Mark(alias);
         return error;
       });
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (!IsMarked(a->buffer) || !IsPending(a->buffer)) {
           return Real().PJRT_Buffer_ReadyEvent(a);
         }
         a->event = DoneEvent();
         return nullptr;
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Buffer, IsAlias>().erase(a.buffer);
         Marked<PJRT_Buffer>().erase(a.buffer);
         std::erase_if(Aliases(), [&](const auto& it) { return it.second == a.buffer; });
       });
     }},
    {"error_buffer_layout_refused", "PJRT-Args-accepted",
     "A buffer that carries an error is refused a layout: it has no bytes.",
     [](Api& t) {
       Refuse<&Api::PJRT_Client_CreateErrorBuffer>(
           t, [](auto& a) { return a.shape_layout != nullptr; });
     }},
    {"failed_future_leaks", "PJRT-Process-memory",
     "A prepared copy that gets an error in place of a destination keeps its staging memory.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto& a) {
         using Args = PJRT_Buffer_CopyRawToHostFuture_Callback_Args;
         struct Call {
           void* data;
           void (*callback)(Args*);
         };
         a.callback_data = new Call{a.callback_data, a.future_ready_callback};
         a.future_ready_callback = [](Args* args) {
           auto* call = static_cast<Call*>(args->callback_data);
           Args own = *args;
           own.callback_data = call->data;
           if (own.error_code != PJRT_Error_Code_OK) Forget(kLost);
           call->callback(&own);
           delete call;
         };
       });
     }},
    {"dependent_dies_with_donor", "PJRT-Buffer_DonateWithControlDependency-waits",
     "If the handle of a donated buffer is destroyed before the new one may be used that fails.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_DonateWithControlDependency>(
           t, [](auto& a) { Note(a.buffer, Dependent{a.out_buffer}); });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         if (a.buffer == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         auto& all = Noted<PJRT_Buffer, Dependent>();
         if (auto found = all.find(a.buffer); found != all.end()) {
           if (IsPending(found->second.buffer)) Marked<PJRT_Buffer>().insert(found->second.buffer);
           all.erase(found);
         }
         std::erase_if(all, [&](const auto& it) { return it.second.buffer == a.buffer; });
         Marked<PJRT_Buffer>().erase(a.buffer);
       });
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (!IsMarked(a->buffer)) return Real().PJRT_Buffer_ReadyEvent(a);
         a->event = FailedEvent("the memory is gone");
         return nullptr;
       });
     }},

    // Buffers that are filled piece by piece.
    {"refused_piece_spoils_buffer", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "A piece that is refused makes its buffer fail, whatever right pieces follow.",
     [](Api& t) {
       Replace<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(a);
         if (error == nullptr || a->transfer_manager == nullptr || a->buffer_index < 0 ||
             static_cast<size_t>(a->buffer_index) >= NumBuffersOf(a->transfer_manager)) {
           return error;
         }
         auto set = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
         set.transfer_manager = a->transfer_manager;
         set.buffer_index = a->buffer_index;
         set.error_code = PJRT_Error_Code_INTERNAL;
         Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(set);
         return error;
       });
     }},
    {"error_before_retrieve_generic",
     "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "A buffer that gets its error before it was handed out has a text of the plugin's own.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Retrieved().insert({a.transfer_manager, a.buffer_index});
       });
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto& a) {
         static constexpr std::string_view kText = "the transfer failed";
         std::lock_guard<std::mutex> lock(Memory());
         if (Retrieved().contains({a.transfer_manager, a.buffer_index})) return;
         if (a.error_message_size == 0 || a.error_message == nullptr) return;
         a.error_message = kText.data();
         a.error_message_size = kText.size();
       });
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(Retrieved(),
                       [&](const auto& buffer) { return buffer.first == a.transfer_manager; });
       });
     }},

    // Topologies.
    {"read_topologies_share_state", "PJRT-Args-output-lifetime",
     "Topologies that were read from equal bytes are emptied when one of them is destroyed.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_Deserialize>(t, [](auto& a) {
         Note(a.topology, Text{std::string(a.serialized_topology, a.serialized_topology_size)});
       });
       ChangeInputs<&Api::PJRT_TopologyDescription_Destroy>(t, [](auto& a) {
         const std::string bytes = NoteOf<Text>(a.topology).bytes;
         std::lock_guard<std::mutex> lock(Memory());
         auto& all = Noted<PJRT_TopologyDescription, Text>();
         all.erase(a.topology);
         Marked<PJRT_TopologyDescription>().erase(a.topology);
         for (const auto& [topology, text] : all) {
           if (text.bytes == bytes) Marked<PJRT_TopologyDescription>().insert(topology);
         }
       });
       ChangeOutputs<&Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         if (IsMarked(a.topology)) a.num_descriptions = 0;
       });
     }},
    {"kind_ids_per_memory", "PJRT-TopologyDescription_GetMemorySpaceKindIds-all",
     "A kind of memory is listed once for each device that has such a memory.",
     [](Api& t) {
       if (t.PJRT_TopologyDescription_GetMemorySpaceKindIds == nullptr) return;
       ChangeOutputs<&Api::PJRT_TopologyDescription_GetMemorySpaceKindIds>(t, [](auto& a) {
         auto devices = MakeArgs<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
         devices.topology = a.topology;
         Quiet<&Api::PJRT_TopologyDescription_GetDeviceDescriptions>(devices);
         std::vector<int> ids;
         for (size_t i = 0; i < devices.num_descriptions; ++i) {
           ids.insert(ids.end(), a.memory_space_kind_ids,
                      a.memory_space_kind_ids + a.num_memory_space_kind_ids);
         }
         static auto* const lists = new std::set<std::vector<int>>;
         std::lock_guard<std::mutex> lock(Memory());
         const auto& kept = *lists->insert(std::move(ids)).first;
         a.memory_space_kind_ids = kept.data();
         a.num_memory_space_kind_ids = kept.size();
       });
     }},

    // Extensions.
    {"buffer_layout_dies_with_buffer", "PJRT-Args-output-lifetime",
     "The layout of a buffer is that of a scalar once the buffer was destroyed.",
     [](Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Buffer_MemoryLayout,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr) Note(a->layout, LayoutOfBuffer{a->buffer});
         return error;
       });
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Destroy,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           Noted<PJRT_Layouts_MemoryLayout, LayoutOfBuffer>().erase(a->layout);
           Marked<PJRT_Layouts_MemoryLayout>().erase(a->layout);
         }
         return behind(a);
       });
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error != nullptr || !IsMarked(a->layout)) return error;
         a->serialized_bytes = "{}";
         a->serialized_bytes_size = 2;
         return error;
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         if (a.buffer == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [layout, of] : Noted<PJRT_Layouts_MemoryLayout, LayoutOfBuffer>()) {
           if (of.buffer == a.buffer) Marked<PJRT_Layouts_MemoryLayout>().insert(layout);
         }
       });
     }},
    {"layout_serialized_once", "PJRT-Layouts_MemoryLayout_Serialize-text",
     "The text of a layout is moved out of it: the second time it is empty.",
     [](Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error != nullptr) return error;
         if (IsMarked(a->layout)) a->serialized_bytes_size = 0;
         Mark(a->layout);
         return error;
       });
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Destroy,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         Unmark(a->layout);
         return behind(a);
       });
     }},
};

}  // namespace

std::span<const Mutant> NeglectMutants() { return kNeglectMutants; }

}  // namespace plinth::mutants
