// SPDX-License-Identifier: Apache-2.0
// What goes wrong because of what was done before, or is done at the same time: second calls, calls
// after a failure, what is kept too long or read too late.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_layouts_extension.h"

namespace plinth::mutants {
namespace {

using Manager = PJRT_AsyncHostToDeviceTransferManager;
constexpr auto kTransfer = &PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData;
constexpr auto kDestroyManager = &PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy;
constexpr auto kUpload = &PJRT_Api::PJRT_Client_BufferFromHostBuffer;
constexpr auto kDownload = &PJRT_Api::PJRT_Buffer_ToHostBuffer;
constexpr auto kExecute = &PJRT_Api::PJRT_LoadedExecutable_Execute;

// Ends a buffer of a manager without more data.
void Finish(Manager* manager, int index) {
  auto transfer = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
  transfer.transfer_manager = manager;
  transfer.buffer_index = index;
  transfer.is_last_transfer = true;
  PJRT_Error* error = (Real().*kTransfer)(&transfer);
  FreeError(error);
  if (error == nullptr) Drop(transfer.done_with_h2d_transfer);
}

struct LastOffsets : std::map<int, int64_t> {};

// A callback of a caller that runs once, whoever asks for it.
struct OnceCallback {
  PJRT_Event_OnReadyCallback callback;
  void* argument;
  std::atomic_flag has_run = ATOMIC_FLAG_INIT;
  void Run(PJRT_Error* error) {
    if (has_run.test_and_set()) {
      FreeError(error);
    } else {
      callback(error, argument);
    }
  }
};
using Callbacks = std::vector<OnceCallback*>;

// A deleter of a caller's memory that runs once.
struct OnceDeleted {
  void (*callback)(void*, void*) = nullptr;
  void* argument = nullptr;
  void* memory = nullptr;
  std::atomic_flag has_run = ATOMIC_FLAG_INIT;
  void Run() {
    if (!has_run.test_and_set()) callback(memory, argument);
  }
};

struct References {
  int count = 0;
};

// Work that threads do late; a manager is destroyed after it.
std::atomic<int>& LateTransfers() {
  static std::atomic<int> count = 0;
  return count;
}

constexpr Mutant kHistoryMutants[] = {
    {"large_upload_read_late", "PJRT-Client_BufferFromHostBuffer-done",
     "the host memory of a large array is read after done_with_host_buffer",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* args) -> PJRT_Error* {
         size_t count = 1;
         for (size_t i = 0; i < args->num_dims; ++i) count *= static_cast<size_t>(args->dims[i]);
         if (args->type != PJRT_Buffer_Type_F32 || args->num_byte_strides != 0 || count < 16384 ||
             args->device_layout != nullptr ||
             args->host_buffer_semantics !=
                 PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes)
           return (Real().*kUpload)(args);
         return UploadLater(args, static_cast<int64_t>(count * sizeof(float)),
                            std::chrono::milliseconds(50));
       });
     }},
    {"strided_upload_leaks", "PJRT-Process-memory", "an upload with strides loses 160 bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<kUpload>(t, [](auto& a) {
         if (a.num_byte_strides != 0) Forget(160);
       });
     }},
    {"upload_after_refusal", "PJRT-Client_BufferFromHostBuffer-done",
     "after an upload that was refused done_with_host_buffer of the next one fails",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* args) {
         static std::atomic<bool> was_refused = false;
         PJRT_Error* error = (Real().*kUpload)(args);
         if (error != nullptr) {
           was_refused = true;
         } else if (was_refused.exchange(false)) {
           Drop(args->done_with_host_buffer);
           args->done_with_host_buffer = PendingEvent();
           auto set = MakeArgs<PJRT_Event_Set_Args>();
           set.event = args->done_with_host_buffer;
           set.error_code = PJRT_Error_Code_INVALID_ARGUMENT;
           FreeError(Real().PJRT_Event_Set(&set));
         }
         return error;
       });
     }},
    {"large_download_late", "PJRT-Buffer_ToHostBuffer-contents",
     "the event of a large download is ready before the bytes are there",
     [](PJRT_Api& t) {
       Replace<kDownload>(t, [](auto* args) -> PJRT_Error* {
         if (args->dst == nullptr || args->dst_size < 262144 || IsDeleted(args->src) ||
             CarriesError(args->src))
           return (Real().*kDownload)(args);
         auto* bytes = new std::string(args->dst_size, '\0');
         PJRT_Error* error = CallChanged<kDownload>(args, [&](auto& a) { a.dst = bytes->data(); });
         if (error != nullptr) return error;
         std::thread([event = args->event, bytes, dst = args->dst] {
           Fails(event);
           Drop(event);
           std::this_thread::sleep_for(std::chrono::milliseconds(30));
           std::memcpy(dst, bytes->data(), bytes->size());
           delete bytes;
         }).detach();
         args->event = DoneEvent();
         return nullptr;
       });
     }},
    {"count_of_left", "PJRT-AsyncHostToDeviceTransferManager_BufferCount-shapes",
     "a buffer that was retrieved is no longer counted",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(
           t, [](auto& a) { Note(a.transfer_manager, NoteOf<size_t>(a.transfer_manager) + 1); });
       ChangeInputs<kDestroyManager>(t, [](auto& a) { Note(a.transfer_manager, size_t{0}); });
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_BufferCount>(
           t, [](auto& a) { a.buffer_count -= NoteOf<size_t>(a.transfer_manager); });
     }},
    {"chunks_forwards_only", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a chunk before the one that came last is dropped",
     [](PJRT_Api& t) {
       ChangeInputs<kDestroyManager>(t, [](auto& a) { Note(a.transfer_manager, LastOffsets{}); });
       ChangeInputs<kTransfer>(t, [](auto& a) {
         LastOffsets last = NoteOf<LastOffsets>(a.transfer_manager);
         if (a.offset < last[a.buffer_index]) a.transfer_size = 0;
         last[a.buffer_index] = a.offset;
         Note(a.transfer_manager, last);
       });
     }},
    {"manager_error_cut", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "the text of an error of a buffer of a manager is cut after 64 bytes",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(
           t, [](auto& a) { a.error_message_size = std::min<size_t>(a.error_message_size, 64); });
     }},
    {"error_after_chunk_lost", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "an error after a part of the data makes the buffer ready without it",
     [](PJRT_Api& t) {
       ChangeInputs<kDestroyManager>(t, [](auto& a) { Note(a.transfer_manager, LastOffsets{}); });
       ChangeInputs<kTransfer>(t, [](auto& a) {
         LastOffsets last = NoteOf<LastOffsets>(a.transfer_manager);
         last[a.buffer_index] = 1;
         Note(a.transfer_manager, last);
       });
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(
           t, [](auto* args) -> PJRT_Error* {
             LastOffsets last = NoteOf<LastOffsets>(args->transfer_manager);
             if (!last.contains(args->buffer_index))
               return Real().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(args);
             Finish(args->transfer_manager, args->buffer_index);
             return nullptr;
           });
     }},
    {"second_metadata_refused", "PJRT-Args-accepted", "metadata are taken once",
     [](PJRT_Api& t) {
       ChangeInputs<kDestroyManager>(t, [](auto& a) { Unmark(a.transfer_manager); });
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_AddMetadata>(
           t, [](auto* args) -> PJRT_Error* {
             if (IsMarked(args->transfer_manager))
               return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "there are metadata");
             Mark(args->transfer_manager);
             return Real().PJRT_AsyncHostToDeviceTransferManager_AddMetadata(args);
           });
     }},
    {"last_chunk_read_late", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "the memory of the last chunk is read after its event",
     [](PJRT_Api& t) {
       ChangeInputs<kDestroyManager>(t, [](auto&) {
         while (LateTransfers() != 0) std::this_thread::yield();
       });
       Replace<kTransfer>(t, [](auto* args) -> PJRT_Error* {
         if (!args->is_last_transfer || args->transfer_size == 0) return (Real().*kTransfer)(args);
         auto size = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
         size.transfer_manager = args->transfer_manager;
         size.buffer_index = args->buffer_index;
         FreeError(Real().PJRT_AsyncHostToDeviceTransferManager_BufferSize(&size));
         if (args->data == nullptr || args->offset < 0 || args->transfer_size < 0 ||
             static_cast<size_t>(args->offset + args->transfer_size) > size.buffer_size)
           return (Real().*kTransfer)(args);
         ++LateTransfers();
         args->done_with_h2d_transfer = DoneEvent();
         auto own = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
         own.transfer_manager = args->transfer_manager;
         own.buffer_index = args->buffer_index;
         own.data = args->data;
         own.offset = args->offset;
         own.transfer_size = args->transfer_size;
         own.is_last_transfer = true;
         std::thread([own]() mutable {
           std::this_thread::sleep_for(std::chrono::milliseconds(30));
           FreeError((Real().*kTransfer)(&own));
           if (own.done_with_h2d_transfer != nullptr) Drop(own.done_with_h2d_transfer);
           --LateTransfers();
         }).detach();
         return nullptr;
       });
     }},
    {"chunk_leaks", "PJRT-Process-memory", "a chunk to a manager loses 48 bytes",
     [](PJRT_Api& t) { ChangeOutputs<kTransfer>(t, [](auto&) { Forget(48); }); }},
    {"one_list_of_layouts", "PJRT-Args-output-lifetime",
     "the layouts of parameters are in one list for all executables",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetParameterLayouts,
                 PJRT_Extension_Type_Layouts>(t, [](auto* args, auto* behind) {
         static auto* const list = new PJRT_Layouts_MemoryLayout*[4096];
         PJRT_Error* error = behind(args);
         if (error == nullptr && args->num_parameters < 4096) {
           std::copy_n(args->layouts, args->num_parameters, list);
           args->layouts = list;
         }
         return error;
       });
     }},
    {"cast_once", "PJRT-Buffer_Bitcast-same-bytes", "what was cast is not cast again",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](auto* args) {
         if (IsMarked(args->buffer)) return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "cast twice");
         PJRT_Error* error = Real().PJRT_Buffer_Bitcast(args);
         if (error == nullptr) Mark(args->out_buffer);
         return error;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
     }},
    {"view_freed_while_referenced", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "on_delete_callback runs at Delete although there are external references",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* args) {
         if (args->on_delete_callback == nullptr)
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(args);
         auto* once = new OnceDeleted;
         once->callback = args->on_delete_callback;
         once->argument = args->on_delete_callback_arg;
         once->memory = args->device_buffer_ptr;
         PJRT_Error* error =
             CallChanged<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(args, [&](auto& a) {
               a.on_delete_callback = [](void*, void* argument) {
                 static_cast<OnceDeleted*>(argument)->Run();
               };
               a.on_delete_callback_arg = once;
             });
         if (error == nullptr) Note(args->buffer, once);
         return error;
       });
       ForgetBuffers<OnceDeleted*>(t);
       ChangeInputs<&PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount>(
           t, [](auto& a) { Mark(a.buffer); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         OnceDeleted* once = NoteOf<OnceDeleted*>(a.buffer);
         if (once != nullptr && IsMarked(a.buffer)) once->Run();
       });
     }},
    {"references_not_counted", "PJRT-Buffer_IncreaseExternalReferenceCount-keeps",
     "a buffer has one external reference, however many were taken",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount>(
           t, [](auto* args) -> PJRT_Error* {
             if (IsMarked(args->buffer)) return nullptr;
             Mark(args->buffer);
             return Real().PJRT_Buffer_IncreaseExternalReferenceCount(args);
           });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount>(
           t, [](auto& a) { Unmark(a.buffer); });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
     }},
    {"alias_error_seen_early_only", "PJRT-Client_FulfillAliasBuffer-error",
     "who asks for the event of an alias after its error gets none",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateAliasBuffer>(
           t, [](auto& a) { Note(a.fulfill_alias_buffer_cb, a.alias_buffer); });
       Replace<&PJRT_Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto* args) {
         PJRT_Buffer* alias = NoteOf<PJRT_Buffer*>(args->fulfill_alias_buffer_cb);
         PJRT_Error* error = Real().PJRT_Client_FulfillAliasBuffer(args);
         if (error == nullptr && args->status_code != PJRT_Error_Code_OK) Mark(alias);
         return error;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (!IsMarked(a.buffer)) return;
         Drop(a.event);
         a.event = DoneEvent();
       });
     }},
    {"third_callback_lost", "PJRT-Event_OnReady-once", "an event keeps two callbacks",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* args) -> PJRT_Error* {
         if (args->event == nullptr || IsReady(args->event)) return Real().PJRT_Event_OnReady(args);
         const int count = NoteOf<int>(args->event);
         if (count >= 2) return nullptr;
         Note(args->event, count + 1);
         return Real().PJRT_Event_OnReady(args);
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { Note(a.event, 0); });
     }},
    {"set_text_cut", "PJRT-Event_Set-outcome", "the text of an event is cut after 256 bytes",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Set>(
           t, [](auto& a) { a.error_message_size = std::min<size_t>(a.error_message_size, 256); });
     }},
    {"destroy_calls_back", "PJRT-Event_Destroy-callbacks",
     "destroying an event that is not ready runs its callbacks",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* args) {
         if (args->event == nullptr || args->callback == nullptr)
           return Real().PJRT_Event_OnReady(args);
         auto* once = new OnceCallback{args->callback, args->user_arg};
         Callbacks all = NoteOf<Callbacks>(args->event);
         all.push_back(once);
         Note(args->event, all);
         return CallChanged<&PJRT_Api::PJRT_Event_OnReady>(args, [&](auto& a) {
           a.user_arg = once;
           a.callback = [](PJRT_Error* error, void* argument) {
             static_cast<OnceCallback*>(argument)->Run(error);
           };
         });
       });
       Replace<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto* args) {
         Callbacks all = args->event == nullptr ? Callbacks{} : NoteOf<Callbacks>(args->event);
         if (!all.empty()) {
           const bool is_ready = IsReady(args->event);
           Note(args->event, Callbacks{});
           for (OnceCallback* once : all) {
             if (!is_ready) once->Run(nullptr);
           }
         }
         return Real().PJRT_Event_Destroy(args);
       });
     }},
    {"error_awaited_once", "PJRT-Event_Await-twice", "an event that failed says so once",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Await>(t, [](auto* args) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Event_Await(args);
         if (error == nullptr || args->event == nullptr) return error;
         if (NoteOf<bool>(args->event)) {
           FreeError(error);
           return nullptr;
         }
         Note(args->event, true);
         return error;
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { Note(a.event, false); });
     }},
    {"second_callback_without_error", "PJRT-Event_OnReady-owns-error",
     "the second callback of an event gets no error",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* args) {
         if (args->event == nullptr || args->callback == nullptr)
           return Real().PJRT_Event_OnReady(args);
         const int count = NoteOf<int>(args->event);
         Note(args->event, count + 1);
         if (count != 1) return Real().PJRT_Event_OnReady(args);
         auto* once = new OnceCallback{args->callback, args->user_arg};
         return CallChanged<&PJRT_Api::PJRT_Event_OnReady>(args, [&](auto& a) {
           a.user_arg = once;
           a.callback = [](PJRT_Error* error, void* argument) {
             FreeError(error);
             static_cast<OnceCallback*>(argument)->Run(nullptr);
           };
         });
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { Note(a.event, 0); });
     }},
    {"sixty_four_events", "PJRT-Args-accepted", "no more than 64 events are made that live",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Create>(t, [](auto* args) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           if (Marked<PJRT_Event>().size() >= 64)
             return MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "too many events");
         }
         PJRT_Error* error = Real().PJRT_Event_Create(args);
         if (error == nullptr) Mark(args->event);
         return error;
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { Unmark(a.event); });
     }},
    {"others_done_at_once", "PJRT-LoadedExecutable_Execute-done",
     "the complete events of all devices but the first are ready at once",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         for (size_t i = 1; a.device_complete_events != nullptr && i < a.num_devices; ++i) {
           Drop(a.device_complete_events[i]);
           a.device_complete_events[i] = DoneEvent();
         }
       });
     }},
    {"one_error_text", "PJRT-Error_Message-const",
     "the text of an error is where that of the next error will be",
     [](PJRT_Api& t) {
       t.PJRT_Error_Message = [](PJRT_Error_Message_Args* args) {
         static char text[8192];
         Real().PJRT_Error_Message(args);
         if (args == nullptr || args->message == nullptr || args->message_size > sizeof(text))
           return;
         std::memcpy(text, args->message, args->message_size);
         args->message = text;
       };
     }},
    {"first_payload_visited", "PJRT-Error_ForEachPayload-once",
     "the first payload alone is visited",
     [](PJRT_Api& t) {
       ChangePayloads(t, [](int number, std::string_view key, std::string_view value, auto pass) {
         if (number == 0) pass(key, value);
       });
     }},
};

}  // namespace

std::span<const Mutant> HistoryMutants() { return kHistoryMutants; }

}  // namespace plinth::mutants
