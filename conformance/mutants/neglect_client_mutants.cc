// SPDX-License-Identifier: Apache-2.0
// Bugs of authors who wrap a runtime of their own and forget what it does not ask for: the second
// time, the other thread, the failing path, the object that goes first. Here of errors, events,
// clients, uploads and devices. Written from the header and the registry, before a look at the
// cases.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;

// What a runtime loses where its author thought of success alone.
constexpr size_t kLost = 64 << 10;

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

// Ranges of host memory that are mapped; true once they were unmapped behind their owner's back.
std::map<std::pair<PJRT_Client*, const void*>, bool>& MappedBy() {
  static auto* const mapped = new std::map<std::pair<PJRT_Client*, const void*>, bool>;
  return *mapped;
}

// Bytes on a device that nobody has written.
struct Unwritten {
  PJRT_Device* device = nullptr;
  int64_t bytes = 0;
};

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

const Mutant kNeglectClientMutants[] = {
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
             KeptText(std::string(a.platform_version, a.platform_version_size) + ", " +
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

};

}  // namespace

std::span<const Mutant> NeglectClientMutants() { return kNeglectClientMutants; }

}  // namespace plinth::mutants
