// SPDX-License-Identifier: Apache-2.0
// Bugs of events and of transfers from the host: who waits, who is told what. Written from the
// header, without looking at the cases.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;

const Mutant kSignalMutants[] = {
    {"eight_callbacks", "PJRT-Event_OnReady-once",
     "An event keeps eight callbacks; further ones never run.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_OnReady>(t, [](auto* a) -> PJRT_Error* {
         if (a->event != nullptr && a->callback != nullptr && !IsReady(a->event)) {
           std::lock_guard<std::mutex> lock(Memory());
           if (++Noted<PJRT_Event, int>()[a->event] > 8) return nullptr;
         }
         return Real().PJRT_Event_OnReady(a);
       });
       ChangeInputs<&Api::PJRT_Event_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Event, int>().erase(a.event);
       });
     }},
    {"callback_takes_error", "PJRT-Event_Await-independent",
     "Once a callback was given the error of an event, waiting for the event succeeds.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Event_OnReady>(t, [](auto& a) {
         struct Call {
           PJRT_Event_OnReadyCallback callback;
           void* argument;
           PJRT_Event* event;
         };
         if (a.callback == nullptr || a.event == nullptr) return;
         a.user_arg = new Call{a.callback, a.user_arg, a.event};
         a.callback = [](PJRT_Error* error, void* argument) {
           const Call call = *static_cast<Call*>(argument);
           delete static_cast<Call*>(argument);
           if (error != nullptr) Mark(call.event);
           call.callback(error, call.argument);
         };
       });
       Replace<&Api::PJRT_Event_Await>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         if (error != nullptr && IsMarked(a->event)) {
           FreeError(error);
           error = nullptr;
         }
         return error;
       });
       ChangeInputs<&Api::PJRT_Event_Destroy>(t, [](auto& a) { Unmark(a.event); });
     }},
    {"event_text_cut", "PJRT-Event_Set-outcome", "The text of an event is cut at 255 bytes.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Event_Set>(
           t, [](auto& a) { a.error_message_size = std::min<size_t>(a.error_message_size, 255); });
     }},
    {"rare_codes_unknown", "PJRT-Event_Set-outcome",
     "Codes that the driver has no number for come back as UNKNOWN.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Event_Set>(t, [](auto& a) {
         if (a.error_code == PJRT_Error_Code_DATA_LOSS || a.error_code == PJRT_Error_Code_ABORTED ||
             a.error_code == PJRT_Error_Code_UNAUTHENTICATED) {
           a.error_code = PJRT_Error_Code_UNKNOWN;
         }
       });
     }},
    {"one_waiter_wakes", "PJRT-Event_Await-twice",
     "Of the threads that wait for an event one wakes up.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_Await>(t, [](auto* a) {
         if (a->event == nullptr || IsReady(a->event)) return Real().PJRT_Event_Await(a);
         int before = 0;
         {
           std::lock_guard<std::mutex> lock(Memory());
           before = Noted<PJRT_Event, int>()[a->event]++;
         }
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         if (before > 0) std::this_thread::sleep_for(std::chrono::hours(1));
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Event, int>().erase(a->event);
         return error;
       });
     }},
    {"copy_to_memory_ready_early", "PJRT-Buffer_ReadyEvent-after",
     "A copy to a memory counts as ready although what is copied is still to come.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) { Mark(a.dst_buffer); });
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (IsMarked(a->buffer) && IsPending(a->buffer)) {
           a->event = DoneEvent();
           return nullptr;
         }
         return Real().PJRT_Buffer_ReadyEvent(a);
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
     }},
    {"ready_when_full", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "A buffer is ready when as many bytes have come as it has, though more are announced.",
     [](Api& t) {
       using Key = std::pair<PJRT_AsyncHostToDeviceTransferManager*, int>;
       Replace<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         auto size = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
         size.transfer_manager = a->transfer_manager;
         size.buffer_index = a->buffer_index;
         if (a->transfer_manager == nullptr || a->buffer_index < 0) {
           return Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(a);
         }
         Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize>(size);
         static auto* const sent = new std::map<Key, int64_t>;
         bool full = false;
         {
           std::lock_guard<std::mutex> lock(Memory());
           int64_t& bytes = (*sent)[{a->transfer_manager, a->buffer_index}];
           const bool was_full = bytes >= static_cast<int64_t>(size.buffer_size);
           bytes += a->transfer_size;
           full = !was_full && bytes >= static_cast<int64_t>(size.buffer_size);
           if (was_full) {
             if (a->is_last_transfer) sent->erase({a->transfer_manager, a->buffer_index});
             a->done_with_h2d_transfer = DoneEvent();
             return static_cast<PJRT_Error*>(nullptr);
           }
           if (a->is_last_transfer) sent->erase({a->transfer_manager, a->buffer_index});
         }
         return CallChanged<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(
             a, [&](auto& own) { own.is_last_transfer |= full; });
       });
     }},
    {"error_of_one_takes_all", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "The error of one buffer is set for all of its manager that are not completed.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto& a) {
         auto count = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>();
         count.transfer_manager = a.transfer_manager;
         Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_BufferCount>(count);
         for (size_t i = 0; i < count.buffer_count; ++i) {
           if (static_cast<int>(i) == a.buffer_index) continue;
           auto other = a;
           other.buffer_index = static_cast<int>(i);
           Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(other);
         }
       });
     }},
    {"buffer_error_ends_at_nul", "PJRT-Strings-size", "The text of a buffer's error ends at a NUL.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto& a) {
         if (a.error_message != nullptr) {
           a.error_message_size = strnlen(a.error_message, a.error_message_size);
         }
       });
     }},
    {"literal_is_row_major", "PJRT-AsyncHostToDeviceTransferManager_TransferLiteral-contents",
     "An array is read as row-major, whatever its layout.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral>(
           t, [](auto& a) { a.shape_layout = nullptr; });
     }},
    {"nothing_is_refused", "PJRT-Args-accepted", "A transfer of no bytes is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(
           t, [](auto& a) { return a.transfer_size == 0; });
     }},
    {"no_callback_from_callback", "PJRT-Event_OnReady-reentrant",
     "A callback registered on an event by one of its own callbacks never runs.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_OnReady>(t, [](auto* a) -> PJRT_Error* {
         static thread_local std::vector<PJRT_Event*> running;
         struct Call {
           PJRT_Event_OnReadyCallback callback;
           void* argument;
           PJRT_Event* event;
         };
         if (a->callback == nullptr || a->event == nullptr) return Real().PJRT_Event_OnReady(a);
         if (std::find(running.begin(), running.end(), a->event) != running.end()) return nullptr;
         return CallChanged<&Api::PJRT_Event_OnReady>(a, [](auto& own) {
           own.user_arg = new Call{own.callback, own.user_arg, own.event};
           own.callback = [](PJRT_Error* error, void* argument) {
             const Call call = *static_cast<Call*>(argument);
             delete static_cast<Call*>(argument);
             running.push_back(call.event);
             call.callback(error, call.argument);
             running.pop_back();
           };
         });
       });
     }},
    {"raw_copy_done_at_once", "PJRT-Buffer_CopyRawToHost-offset",
     "A raw copy of what is still to come counts as done.",
     [](Api& t) {
       Replace<&Api::PJRT_Buffer_CopyRawToHost>(t, [](auto* a) {
         const bool pending = a->buffer != nullptr && IsPending(a->buffer);
         PJRT_Error* error = Real().PJRT_Buffer_CopyRawToHost(a);
         if (error == nullptr && pending) a->event = DoneEvent();
         return error;
       });
     }},
    {"failed_not_handed_out", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "A buffer whose error is set is not handed out.",
     [](Api& t) {
       using Key = std::pair<PJRT_AsyncHostToDeviceTransferManager*, int>;
       static auto* const failed = new std::set<Key>;
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         failed->insert({a.transfer_manager, a.buffer_index});
       });
       ChangeOutputs<&Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(*failed, [&](const Key& key) { return key.first == a.transfer_manager; });
       });
       Refuse<&Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         return failed->contains({a.transfer_manager, a.buffer_index});
       });
     }},
    {"manager_of_none_refused", "PJRT-Args-accepted", "A manager of no buffers is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(
           t, [](auto& a) { return a.num_shape_specs == 0; });
     }},
    {"layout_of_first_shape", "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for",
     "Layouts are read for the first buffer alone.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         static thread_local std::vector<PJRT_Buffer_MemoryLayout*> layouts;
         if (a.device_layouts == nullptr || a.num_device_layouts < 2) return;
         layouts.assign(a.num_device_layouts, nullptr);
         layouts[0] = a.device_layouts[0];
         a.device_layouts = layouts.data();
       });
     }},
    {"count_of_unfinished", "PJRT-AsyncHostToDeviceTransferManager_BufferCount-shapes",
     "Buffers that are complete are no longer counted.",
     [](Api& t) {
       static auto* const done = new std::map<PJRT_AsyncHostToDeviceTransferManager*, size_t>;
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (a.is_last_transfer) ++(*done)[a.transfer_manager];
       });
       ChangeOutputs<&Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         done->erase(a.transfer_manager);
       });
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_BufferCount>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = done->find(a.transfer_manager);
         if (found != done->end()) a.buffer_count -= std::min(a.buffer_count, found->second);
       });
     }},
    {"metadata_of_texts", "PJRT-Args-accepted", "Metadata that is no text is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_AsyncHostToDeviceTransferManager_AddMetadata>(t, [](auto& a) {
         for (size_t i = 0; a.transfer_metadata != nullptr && i < a.num_metadata; ++i) {
           if (a.transfer_metadata[i].type != PJRT_NamedValue_kString) return true;
         }
         return false;
       });
     }},
};

}  // namespace

std::span<const Mutant> SignalMutants() { return kSignalMutants; }

}  // namespace plinth::mutants
