// SPDX-License-Identifier: Apache-2.0
// Bugs of a plugin's first releases: errors, events, clients and what stands around them.

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "conformance/mutants/release_mutants.h"
#include "pjrt_c_api_memory_descriptions_extension.h"
#include "pjrt_c_api_raw_buffer_extension.h"

namespace plinth::mutants {
namespace {

using Manager = PJRT_AsyncHostToDeviceTransferManager;
constexpr auto kCreate = &PJRT_Api::PJRT_Client_Create;
constexpr auto kManage = &PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice;
constexpr auto kUnmanage = &PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy;

// The table that errors have behind.
const PJRT_Error_FunctionTable*& ErrorsBehind() {
  static const PJRT_Error_FunctionTable* table = nullptr;
  return table;
}

// Gives the error a head that tells its text without the last character.
PJRT_Error* WithShortText(PJRT_Error* error) {
  if (error == nullptr || error->vtable == nullptr) return error;
  static PJRT_Error_FunctionTable own;
  std::lock_guard<std::mutex> lock(Memory());
  if (ErrorsBehind() == nullptr) {
    ErrorsBehind() = error->vtable;
    own = *error->vtable;
    own.message = [](const PJRT_Error* of, const char** text, size_t* size) {
      ErrorsBehind()->message(of, text, size);
      if (*size > 0) --*size;
    };
  }
  error->vtable = &own;
  return error;
}

// The lists of the plugin's attributes that were handed out.
using Attributes = std::vector<PJRT_NamedValue>;
std::vector<Attributes*>& ListsOfAttributes() {
  static auto* const lists = new std::vector<Attributes*>;
  return *lists;
}

// How many threads wait for an event.
void CountWaiter(PJRT_Event* event, int more) {
  std::lock_guard<std::mutex> lock(Memory());
  auto& waiters = Noted<PJRT_Event, int>();
  if ((waiters[event] += more) == 0) waiters.erase(event);
}

// Errors lose their text with the event that they came from.
PJRT_Error* NoteOrigin(PJRT_Event* event, PJRT_Error* error) {
  if (error != nullptr) Note(error, event);
  return error;
}
void LoseTexts(PJRT_Event* event) {
  std::lock_guard<std::mutex> lock(Memory());
  for (auto& [error, origin] : Noted<PJRT_Error, PJRT_Event*>())
    if (origin == event) Marked<PJRT_Error>().insert(error);
}
void ForgetError(PJRT_Error* error) {
  std::lock_guard<std::mutex> lock(Memory());
  Noted<PJRT_Error, PJRT_Event*>().erase(error);
  Marked<PJRT_Error>().erase(error);
}

// Fails all that managers of other clients have not completed.
void AbortOthers(PJRT_Client* client) {
  std::map<Manager*, PJRT_Client*> managers;
  {
    std::lock_guard<std::mutex> lock(Memory());
    managers = Noted<Manager, PJRT_Client*>();
  }
  constexpr std::string_view kText = "a client was destroyed";
  for (const auto& [manager, its_client] : managers) {
    if (its_client == client) continue;
    const size_t count = NumBuffersOf(manager);
    for (size_t i = 0; i < count; ++i) {
      auto set = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
      set.transfer_manager = manager;
      set.buffer_index = static_cast<int>(i);
      set.error_code = PJRT_Error_Code_CANCELLED;
      set.error_message = kText.data();
      set.error_message_size = kText.size();
      Quiet<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(set);
    }
  }
}

bool HasExtension(const PJRT_Buffer_MemoryLayout* layout) {
  return layout != nullptr && layout->extension_start != nullptr;
}

// The number of payloads, wherever the caller's struct ends.
size_t PayloadsWithoutLookingAtSize(const PJRT_Client_CreateErrorBuffer_Args& a) {
  size_t count = 0;
  std::memcpy(
      &count,
      reinterpret_cast<const char*>(&a) + offsetof(PJRT_Client_CreateErrorBuffer_Args, num_payload),
      sizeof(count));
  return count;
}

constexpr Mutant kReleaseClientMutants[] = {
    {"release_payloads_of_old_callers", "PJRT-Args-struct_size",
     "payloads of a buffer's error are counted behind the struct of callers that have none",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(t, [](auto& a) {
         return a.struct_size < StructOf<PJRT_Client_CreateErrorBuffer_Args>::kSize &&
                PayloadsWithoutLookingAtSize(a) != 0;
       });
     }},
    {"release_layout_with_extension", "PJRT-Args-extension_start",
     "an unknown extension on the chain of a layout is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_BufferFromHostBuffer, PJRT_Error_Code_UNIMPLEMENTED>(
           t, [](auto& a) { return HasExtension(a.device_layout); });
       Refuse<&PJRT_Api::PJRT_Buffer_ToHostBuffer, PJRT_Error_Code_UNIMPLEMENTED>(
           t, [](auto& a) { return HasExtension(a.host_layout); });
     }},
    {"release_head_cuts_text", "PJRT-Error-head",
     "asked through its head, the error of an event tells its text without the last character",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Error>(
           t, [](auto* a) { return WithShortText(Real().PJRT_Event_Error(a)); });
       Replace<&PJRT_Api::PJRT_Event_Await>(
           t, [](auto* a) { return WithShortText(Real().PJRT_Event_Await(a)); });
     }},
    {"release_alias_text_to_nul", "PJRT-Strings-size",
     "the text of an alias's error is read to its NUL",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto& a) {
         if (a.error_message == nullptr || a.error_message_size == 0) return;
         a.error_message_size = strnlen(a.error_message, a.error_message_size + 64);
       });
     }},
    {"release_callbacks_leak", "PJRT-Process-memory",
     "every callback that is registered leaves 72 bytes behind",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto&) { Forget(72); });
     }},
    {"release_failed_lookups_leak", "PJRT-Process-memory",
     "a look-up of a device that there is not leaves 512 bytes behind",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_LookupDevice>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_LookupDevice(a);
         if (error != nullptr) Forget(512);
         return error;
       });
     }},
    {"release_exit_waits_for_managers", "PJRT-Process-exit",
     "a process does not end while a transfer manager is alive",
     [](PJRT_Api& t) {
       static int managers = 0;
       ChangeOutputs<kManage>(t, [](auto&) {
         static const int registered = std::atexit([] {
           while (managers > 0) usleep(10000);
         });
         (void)registered;
         std::lock_guard<std::mutex> lock(Memory());
         ++managers;
       });
       ChangeInputs<kUnmanage>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (a.transfer_manager != nullptr) --managers;
       });
     }},
    {"release_large_payload_skipped", "PJRT-Error_ForEachPayload-once",
     "a payload of more than 1024 bytes is not shown",
     [](PJRT_Api& t) {
       ChangePayloads(t, [](int, std::string_view key, std::string_view value, auto pass) {
         if (value.size() <= 1024) pass(key, value);
       });
     }},
    {"release_attributes_of_before", "PJRT-Plugin_Attributes-lifetime",
     "the plugin's attributes that were told before a client was made lose their values then",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Plugin_Attributes>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto* list = Kept(Attributes(a.attributes, a.attributes + a.num_attributes));
         ListsOfAttributes().push_back(list);
         a.attributes = list->data();
       });
       ChangeOutputs<kCreate>(t, [](auto&) {
         std::lock_guard<std::mutex> lock(Memory());
         for (Attributes* list : ListsOfAttributes())
           for (PJRT_NamedValue& attribute : *list) attribute.value_size = 0;
       });
     }},
    {"release_waiter_takes_callbacks", "PJRT-Event_OnReady-once",
     "a callback that is registered while a thread waits for the event never runs",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Await>(t, [](auto* a) {
         CountWaiter(a->event, 1);
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         CountWaiter(a->event, -1);
         return error;
       });
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) -> PJRT_Error* {
         if (a->event != nullptr && a->callback != nullptr && NoteOf<int>(a->event) > 0 &&
             !IsReady(a->event))
           return nullptr;
         return Real().PJRT_Event_OnReady(a);
       });
     }},
    {"release_error_dies_with_event", "PJRT-Event_Await-independent",
     "the error of an event has no text any more once the event is destroyed",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Await>(
           t, [](auto* a) { return NoteOrigin(a->event, Real().PJRT_Event_Await(a)); });
       Replace<&PJRT_Api::PJRT_Event_Error>(
           t, [](auto* a) { return NoteOrigin(a->event, Real().PJRT_Event_Error(a)); });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { LoseTexts(a.event); });
       Replace<&PJRT_Api::PJRT_Error_Message>(t, [](auto* a) {
         Real().PJRT_Error_Message(a);
         if (IsMarked(a->error)) a->message_size = 0;
       });
       Replace<&PJRT_Api::PJRT_Error_Destroy>(t, [](auto* a) {
         ForgetError(a->error);
         Real().PJRT_Error_Destroy(a);
       });
     }},
    {"release_ascii_outcome", "PJRT-Event_Set-outcome",
     "letters outside ASCII in the text of an outcome become question marks",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Set>(t, [](auto& a) {
         static thread_local std::string text;
         if (a.error_message == nullptr) return;
         text.assign(a.error_message, a.error_message_size);
         for (char& letter : text)
           if ((static_cast<unsigned char>(letter) & 0x80) != 0) letter = '?';
         a.error_message = text.data();
       });
     }},
    {"release_list_options_skipped", "PJRT-Client_Create-unknown-option",
     "options whose value is a list of numbers are skipped, also unknown ones",
     [](PJRT_Api& t) {
       ChangeInputs<kCreate>(t, [](auto& a) {
         static thread_local std::vector<PJRT_NamedValue> options;
         if (a.create_options == nullptr) return;
         options.assign(a.create_options, a.create_options + a.num_options);
         std::erase_if(options, [](const PJRT_NamedValue& option) {
           return option.type == PJRT_NamedValue_kInt64List;
         });
         a.create_options = options.data();
         a.num_options = options.size();
       });
     }},
    {"release_unknown_option_unnamed", "PJRT-Client_Create-unknown-option",
     "the error about an option that is not known does not name it",
     [](PJRT_Api& t) {
       Replace<kCreate>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Create(a);
         if (error == nullptr || a->num_options == 0) return error;
         FreeError(error);
         return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "an option is not known");
       });
     }},
    {"release_managers_of_others_abort", "PJRT-Client_Destroy-others",
     "when a client is destroyed what managers of others have not completed fails",
     [](PJRT_Api& t) {
       ChangeOutputs<kManage>(t, [](auto& a) { Note(a.transfer_manager, a.client); });
       ChangeInputs<kUnmanage>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<Manager, PJRT_Client*>().erase(a.transfer_manager);
       });
       ChangeInputs<&PJRT_Api::PJRT_Client_Destroy>(t, [](auto& a) { AbortOthers(a.client); });
     }},
    {"release_counters_of_thread", "PJRT-Device_MemoryStats-in-use",
     "bytes_in_use is 0 for threads other than the one that made the client",
     [](PJRT_Api& t) {
       RememberThread(t);
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         if (std::this_thread::get_id() != ThreadOfClient()) a.bytes_in_use = 0;
       });
     }},
    {"release_memory_text_is_kind", "PJRT-Memory_DebugString-unique",
     "the text of a memory is its kind, without its device",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Memory_DebugString>(t, [](auto& a) {
         std::string_view kind = KeptText(KindOf(a.memory));
         a.debug_string = kind.data();
         a.debug_string_size = kind.size();
       });
     }},
    {"release_default_is_last_described", "PJRT-Args-output-true",
     "the description of a device names the last of its memories as the default",
     [](PJRT_Api& t) {
       ReplaceInAdded<&PJRT_MemoryDescriptions_Extension::PJRT_DeviceDescription_MemoryDescriptions,
                      PJRT_Extension_Type_MemoryDescriptions>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr && a->num_memory_descriptions > 0)
           a->default_memory_index = a->num_memory_descriptions - 1;
         return error;
       });
     }},
    {"release_raw_size_of_lines", "PJRT-Args-output-true",
     "the size of a raw buffer is that of whole lines of 64 bytes, which the array's is not",
     [](PJRT_Api& t) {
       ReplaceInAdded<&PJRT_RawBuffer_Extension::PJRT_RawBuffer_GetOnDeviceSizeInBytes,
                      PJRT_Extension_Type_RawBuffer>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr)
           a->on_device_size_in_bytes = (a->on_device_size_in_bytes + 63) / 64 * 64;
         return error;
       });
     }},
};

}  // namespace

std::span<const Mutant> ReleaseClientMutants() { return kReleaseClientMutants; }

}  // namespace plinth::mutants
