// SPDX-License-Identifier: Apache-2.0
// Bugs that show in an order of calls, or in an option that is seldom given. Written from the
// requirements, without looking at the cases.

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kTrue[] = "PJRT-Args-output-true";

using Manager = PJRT_AsyncHostToDeviceTransferManager;

// How many bytes came for a buffer of a manager.
std::map<std::pair<Manager*, int>, int64_t>& Arrived() {
  static auto* const arrived = new std::map<std::pair<Manager*, int>, int64_t>;
  return *arrived;
}

void ForgetManagers(PJRT_Api& table) {
  ChangeOutputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    for (size_t i = 0; i < a.num_shape_specs; ++i) {
      Arrived()[{a.transfer_manager, static_cast<int>(i)}] = 0;
    }
  });
}

// Executions with options that `is_refused` picks are refused; options that reach all of today's
// fields.
template <typename Refused>
void RefuseOptions(PJRT_Api& table, Refused) {
  Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(table, [](auto& a) {
    return a.options != nullptr && a.options->struct_size >= sizeof(PJRT_ExecuteOptions) &&
           Refused{}(*a.options);
  });
}

constexpr Mutant kSequenceMutants[] = {
    {"pieces_side_by_side", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a piece lands after what came before, whatever its offset, if it is the third or later",
     [](PJRT_Api& t) {
       ForgetManagers(t);
       [[maybe_unused]] static auto* const counts = new std::map<std::pair<Manager*, int>, int>;
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         const std::pair<Manager*, int> key = {a.transfer_manager, a.buffer_index};
         if (Arrived()[key] == 0) (*counts)[key] = 0;
         if (++(*counts)[key] >= 3) a.offset = Arrived()[key];
         Arrived()[key] += a.transfer_size;
       });
     }},
    {"set_error_on_all", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "an error of one array of a manager is that of all that are not complete",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(a);
         if (error != nullptr || a->transfer_manager == nullptr) return error;
         auto count = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>();
         count.transfer_manager = a->transfer_manager;
         FreeError(Real().PJRT_AsyncHostToDeviceTransferManager_BufferCount(&count));
         for (size_t i = 0; i < count.buffer_count; ++i) {
           if (static_cast<int>(i) == a->buffer_index) continue;
           auto own = *a;
           own.buffer_index = static_cast<int>(i);
           FreeError(Real().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(&own));
         }
         return error;
       });
     }},
    {"done_of_last_piece_alone", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "the event of a piece completes with the last piece alone",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         if (a.is_last_transfer) return;
         Drop(a.done_with_h2d_transfer);
         a.done_with_h2d_transfer = PendingEvent();
       });
     }},
    {"second_layout_of_manager", "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for",
     "arrays of a manager after the first have the layout of the first",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         static thread_local std::vector<PJRT_Buffer_MemoryLayout*> layouts;
         if (a.num_device_layouts < 2) return;
         layouts.assign(a.num_device_layouts, a.device_layouts[0]);
         for (size_t i = 0; i < layouts.size(); ++i) {
           if (a.shape_specs[i].num_dims != a.shape_specs[0].num_dims) {
             layouts[i] = a.device_layouts[i];
           }
         }
         a.device_layouts = layouts.data();
       });
     }},
    {"metadata_refused", kAccepted, "metadata of a transfer with a text is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_AddMetadata>(t, [](auto& a) {
         for (size_t i = 0; i < a.num_metadata; ++i) {
           if (a.transfer_metadata[i].type == PJRT_NamedValue_kString) return true;
         }
         return false;
       });
     }},
    {"retrieved_in_order", kAccepted, "arrays of a manager are retrieved in order, or refused",
     [](PJRT_Api& t) {
       ForgetManagers(t);
       [[maybe_unused]] static auto* const next = new std::map<Manager*, int>;
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         (*next)[a.transfer_manager] = 0;
       });
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         int& index = (*next)[a.transfer_manager];
         if (a.buffer_index > index) return true;
         index = std::max(index, a.buffer_index + 1);
         return false;
       });
     }},
    {"awaited_code_is_internal", "PJRT-Event_Set-outcome",
     "who waits gets INTERNAL, who asks or is called gets the code",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Await>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         if (error == nullptr || a->event == nullptr) return error;
         auto message = MakeArgs<PJRT_Error_Message_Args>();
         message.error = error;
         Real().PJRT_Error_Message(&message);
         PJRT_Error* own = MakeError(PJRT_Error_Code_INTERNAL,
                                     std::string(message.message, message.message_size));
         FreeError(error);
         return own;
       });
     }},
    {"callback_has_other_code", "PJRT-Event_Set-outcome",
     "a callback that waited gets UNKNOWN in place of RESOURCE_EXHAUSTED",
     [](PJRT_Api& t) {
       ChangeCallbacks(t, [](auto callback, PJRT_Error* error, void* argument) {
         if (error != nullptr) {
           auto code = MakeArgs<PJRT_Error_GetCode_Args>();
           code.error = error;
           FreeError(Real().PJRT_Error_GetCode(&code));
           if (code.code == PJRT_Error_Code_RESOURCE_EXHAUSTED) {
             FreeError(error);
             error = MakeError(PJRT_Error_Code_UNKNOWN, "lost");
           }
         }
         callback(error, argument);
       });
     }},
    {"payloads_on_other_thread", "PJRT-Error_ForEachPayload-once",
     "payloads are visited on another thread",
     [](PJRT_Api& t) {
       if (t.PJRT_Error_ForEachPayload == nullptr) return;
       Replace<&PJRT_Api::PJRT_Error_ForEachPayload>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = nullptr;
         std::thread([&] { error = Real().PJRT_Error_ForEachPayload(a); }).join();
         return error;
       });
     }},
    {"payload_key_without_slash", "PJRT-Error_ForEachPayload-once",
     "the key of a payload ends at the first slash",
     [](PJRT_Api& t) {
       ChangePayloads(t, [](int, std::string_view key, std::string_view value, auto pass) {
         pass(key.substr(0, key.find('/')), value);
       });
     }},
    {"payload_value_at_nul", "PJRT-Error_ForEachPayload-once",
     "the value of a payload ends at its first NUL",
     [](PJRT_Api& t) {
       ChangePayloads(t, [](int, std::string_view key, std::string_view value, auto pass) {
         pass(key, value.substr(0, value.find('\0')));
       });
     }},
    {"text_of_error_goes_with_first", "PJRT-Error_Message-const",
     "freeing an error wipes the text of the error that was asked last",
     [](PJRT_Api& t) {
       static char* last = nullptr;
       static size_t last_size = 0;
       static const PJRT_Error* of = nullptr;
       t.PJRT_Error_Message = [](PJRT_Error_Message_Args* a) {
         Real().PJRT_Error_Message(a);
         if (a == nullptr || a->struct_size < sizeof(*a) || a->message == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         last = const_cast<char*>(static_cast<const char*>(
             std::memcpy(new char[a->message_size + 1], a->message, a->message_size)));
         last[a->message_size] = '\0';
         last_size = a->message_size;
         of = a->error;
         a->message = last;
       };
       t.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args* a) {
         if (a != nullptr && a->struct_size >= sizeof(*a) && a->error != nullptr) {
           std::lock_guard<std::mutex> lock(Memory());
           if (last != nullptr && of != a->error) std::memset(last, '#', last_size);
         }
         Real().PJRT_Error_Destroy(a);
       };
     }},
    {"second_alias_is_not_counted", "PJRT-Executable_GetCompiledMemoryStats-alias",
     "bytes that outputs share with arguments are halved where they are more than 64",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto& a) {
         if (a.alias_size_in_bytes > 64) a.alias_size_in_bytes /= 2;
       });
     }},
    {"temporaries_negative", kTrue, "a program without temporaries needs -1 byte of them",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto& a) {
         if (a.temp_size_in_bytes == 0) a.temp_size_in_bytes = -1;
       });
     }},
    {"costs_when_asked_again", "PJRT-Args-output-same",
     "the costs of a program lack the last when they are asked again",
     [](PJRT_Api& t) {
       static auto* const asked = new std::set<PJRT_Executable*>;
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (!asked->insert(a.executable).second && a.num_properties > 0) --a.num_properties;
       });
       ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         asked->erase(a.executable);
       });
     }},
    {"stablehlo_version_is_text", "PJRT-Plugin_Attributes-stablehlo",
     "the version of StableHLO is a text in place of three numbers",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Plugin_Attributes>(t, [](auto& a) {
         static std::vector<PJRT_NamedValue> own;
         std::lock_guard<std::mutex> lock(Memory());
         own.assign(a.attributes, a.attributes + a.num_attributes);
         for (PJRT_NamedValue& value : own) {
           if (std::string(value.name, value.name_size) != "stablehlo_current_version") continue;
           value.type = PJRT_NamedValue_kString;
           value.string_value = "1.17.0";
           value.value_size = 6;
         }
         a.attributes = own.data();
       });
     }},
    {"unpadded_in_one_place", "PJRT-Args-output-lifetime",
     "unpadded dimensions of all buffers are written to one place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_UnpaddedDimensions>(t, [](auto& a) {
         static int64_t place[32];
         if (a.num_dims == 0 || a.num_dims > 32) return;
         std::memcpy(place, a.unpadded_dims, a.num_dims * sizeof(place[0]));
         a.unpadded_dims = place;
       });
     }},
    {"rank_4_is_dynamic", "PJRT-Buffer_DynamicDimensionIndices-static",
     "an array of four and more dimensions has a dynamic one",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DynamicDimensionIndices>(t, [](auto& a) {
         static const size_t kFirst[] = {0};
         if (RankOf(a.buffer) < 4) return;
         a.dynamic_dim_indices = kFirst;
         a.num_dynamic_dims = 1;
       });
     }},
    {"row_major_callbacks_refused", kAccepted,
     "options that ask for row-major callbacks are refused, though there are none",
     [](PJRT_Api& t) {
       RefuseOptions(
           t, [](auto& options) { return options.use_major_to_minor_data_layout_for_callbacks; });
     }},
    {"empty_lists_of_callbacks_refused", kAccepted,
     "lists of callbacks that are there and empty are refused",
     [](PJRT_Api& t) {
       RefuseOptions(t, [](auto& options) {
         return options.send_callbacks != nullptr || options.recv_callbacks != nullptr;
       });
     }},
    {"tasks_refused", kAccepted, "options that name the process that takes part are refused",
     [](PJRT_Api& t) { RefuseOptions(t, [](auto& options) { return options.num_tasks > 0; }); }},
    {"protected_twice_refused", kAccepted,
     "an index that stands twice among those that are not donated is refused",
     [](PJRT_Api& t) {
       RefuseOptions(t, [](auto& options) {
         for (size_t i = 1; i < options.num_non_donatable_input_indices; ++i) {
           if (options.non_donatable_input_indices[i] == options.non_donatable_input_indices[i - 1])
             return true;
         }
         return false;
       });
     }},
    {"context_in_use_refused", kAccepted,
     "a second execution with a context is refused while the first is not done",
     [](PJRT_Api& t) {
       [[maybe_unused]] static auto* const used = new std::map<PJRT_ExecuteContext*, int>;
       RefuseOptions(t, [](auto& options) {
         if (options.context == nullptr) return false;
         std::lock_guard<std::mutex> lock(Memory());
         return ++(*used)[options.context] == 2;
       });
     }},
};

}  // namespace

std::span<const Mutant> SequenceMutants() { return kSequenceMutants; }

}  // namespace plinth::mutants
