// SPDX-License-Identifier: Apache-2.0
// Bugs that show when several things are alive at once, or one call comes after another: what is
// kept by address, shared or counted for all. Written from the requirements, without looking at the
// cases.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

struct CallersDims {
  const int64_t* dims = nullptr;
};
// Tells dimensions from where the caller of a function that makes a buffer had them.
template <auto kSlot, typename DimsOf>
void KeepDims(PJRT_Api& table, DimsOf) {
  ForgetBuffers<CallersDims>(table);
  ChangeOutputs<kSlot>(table, [](auto& a) { Note(a.buffer, CallersDims{DimsOf{}(a)}); });
  ChangeOutputs<&PJRT_Api::PJRT_Buffer_Dimensions>(table, [](auto& a) {
    if (const int64_t* dims = NoteOf<CallersDims>(a.buffer).dims) a.dims = dims;
  });
}

bool IsDonated(const PJRT_LoadedExecutable_Execute_Args& a, size_t i) {
  return a.num_devices == 1 && IsDeleted(a.argument_lists[0][i]);
}

// The outputs of an execution, and the others of the same.
using Siblings = std::vector<PJRT_Buffer*>;

// The event whose callback this thread runs.
thread_local PJRT_Event* event_called_back = nullptr;

constexpr Mutant kAliveMutants[] = {
    {"lookup_of_last_client", "PJRT-Client_Destroy-others",
     "no device is found once a client is gone",
     [](PJRT_Api& t) {
       static std::atomic<bool> gone = false;
       ChangeInputs<&PJRT_Api::PJRT_Client_Destroy>(t, [](auto& a) {
         if (a.client != nullptr) gone = true;
       });
       ChangeInputs<&PJRT_Api::PJRT_Client_Create>(t, [](auto&) { gone = false; });
       Refuse<&PJRT_Api::PJRT_Client_LookupDevice>(t, [](const auto&) { return gone.load(); });
     }},
    {"one_mapping", kAccepted, "only one range of host memory is mapped at a time",
     [](PJRT_Api& t) {
       static std::atomic<int> mapped = 0;
       Refuse<&PJRT_Api::PJRT_Client_DmaMap>(t, [](const auto&) { return mapped++ != 0; });
       ChangeOutputs<&PJRT_Api::PJRT_Client_DmaUnmap>(t, [](auto&) { mapped = 0; });
     }},
    {"unmaps_all", kAccepted, "one range that is unmapped unmaps all",
     [](PJRT_Api& t) {
       static std::atomic<int> mapped = 0;
       ChangeOutputs<&PJRT_Api::PJRT_Client_DmaMap>(t, [](auto&) { ++mapped; });
       Replace<&PJRT_Api::PJRT_Client_DmaUnmap>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_DmaUnmap(a);
         if (error != nullptr) return error;
         if (mapped == 0) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "not mapped");
         mapped = 0;
         return error;
       });
     }},
    {"donation_writes_to_host", "PJRT-Args-input",
     "what is computed into a donated argument is written to the memory it was uploaded from",
     [](PJRT_Api& t) {
       ForgetBuffers<Bytes>(t);
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy &&
             a.byte_strides == nullptr)
           Note(a.buffer, Bytes{static_cast<const char*>(a.data), ""});
       });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         auto outputs = OutputsOf(a);
         for (size_t i = 0; i < a.num_args && !outputs.empty(); ++i) {
           const char* host = NoteOf<Bytes>(a.argument_lists[0][i]).at;
           if (host == nullptr || !IsDonated(a, i) || IsPending(outputs[0])) continue;
           if (const char* bytes = BytesOf(outputs[0]))
             std::memcpy(const_cast<char*>(host), bytes, SizeOf(outputs[0]));
         }
       });
     }},
    {"host_layout_stays", "PJRT-Buffer_ToHostBuffer-layout",
     "a read without a layout has that of the read before",
     [](PJRT_Api& t) {
       using Order = std::vector<int64_t>;
       ForgetBuffers<Order>(t);
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         if (a->host_layout != nullptr) {
           const auto& tiled = a->host_layout->tiled;
           if (a->host_layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled && a->dst != nullptr &&
               tiled.minor_to_major != nullptr) {
             Note(a->src,
                  Order(tiled.minor_to_major, tiled.minor_to_major + tiled.minor_to_major_size));
           }
           return Real().PJRT_Buffer_ToHostBuffer(a);
         }
         Order order = NoteOf<Order>(a->src);
         if (order.empty()) return Real().PJRT_Buffer_ToHostBuffer(a);
         PJRT_Buffer_MemoryLayout layout = LayoutOf(order);
         return CallChanged<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(
             a, [&](auto& own) { own.host_layout = &layout; });
       });
     }},
    {"one_read_at_a_time", "PJRT-Buffer_ToHostBuffer-contents",
     "the second read of an array that is not ready goes nowhere",
     [](PJRT_Api& t) {
       ForgetBuffers<bool>(t);
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         static auto* const elsewhere = new std::deque<std::vector<char>>;
         if (a->dst == nullptr || !IsPending(a->src)) return Real().PJRT_Buffer_ToHostBuffer(a);
         if (!NoteOf<bool>(a->src)) {
           Note(a->src, true);
           return Real().PJRT_Buffer_ToHostBuffer(a);
         }
         auto own = *a;
         {
           std::lock_guard<std::mutex> lock(Memory());
           own.dst = elsewhere->emplace_back(a->dst_size).data();
         }
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(&own);
         a->event = own.event;
         return error;
       });
     }},
    {"raw_read_does_not_wait", "PJRT-Buffer_CopyRawToHost-offset",
     "a raw read of an array that is not ready says at once that it is done",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto* a) {
         const bool is_pending = IsPending(a->buffer);
         PJRT_Error* error = Real().PJRT_Buffer_CopyRawToHost(a);
         if (error == nullptr && is_pending) a->event = DoneEvent();
         return error;
       });
     }},
    {"futures_share_destination", "PJRT-Buffer_CopyRawToHostFuture-offset",
     "of two prepared copies at a time both go to where the first goes",
     [](PJRT_Api& t) {
       struct Future {
         void (*callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args*);
         void* data;
       };
       static std::atomic<int> waiting = 0;
       static void* first = nullptr;
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto& a) {
         ++waiting;
         a.callback_data = new Future{a.future_ready_callback, a.callback_data};
         a.future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) {
           auto* future = static_cast<Future*>(args->callback_data);
           auto own = *args;
           own.callback_data = future->data;
           if (args->error_code == PJRT_Error_Code_OK) {
             if (first != nullptr) own.dst = first;
             first = --waiting > 0 ? own.dst : nullptr;
           }
           future->callback(&own);
           delete future;
         };
       });
     }},
    {"view_keeps_dims", "PJRT-Args-input", "dimensions of a view lie where its caller had them",
     [](PJRT_Api& t) {
       KeepDims<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(
           t, [](const auto& a) { return a.dims; });
     }},
    {"uninitialized_keeps_dims", "PJRT-Client_CreateUninitializedBuffer-asked-for",
     "dimensions of an uninitialized buffer lie where its caller had them",
     [](PJRT_Api& t) {
       KeepDims<&PJRT_Api::PJRT_Client_CreateUninitializedBuffer>(
           t, [](const auto& a) { return a.shape_dims; });
     }},
    {"error_buffer_keeps_dims", "PJRT-Args-output-true",
     "dimensions of a buffer of an error lie where its caller had them",
     [](PJRT_Api& t) {
       KeepDims<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(
           t, [](const auto& a) { return a.shape_dims; });
     }},
    {"address_moves", "PJRT-Args-output-same", "the address of a buffer is another every time",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_OpaqueDeviceMemoryDataPointer>(t, [](auto& a) {
         static auto* const copies = new std::deque<std::vector<char>>;
         if (a.device_memory_ptr == nullptr || IsPending(a.buffer)) return;
         const char* bytes = static_cast<const char*>(a.device_memory_ptr);
         std::lock_guard<std::mutex> lock(Memory());
         a.device_memory_ptr = copies->emplace_back(bytes, bytes + SizeOf(a.buffer)).data();
       });
     }},
    {"second_error_has_code_of_first", "PJRT-Event_Set-outcome",
     "an event that is set has the code of the first that was set with an error",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Set>(t, [](auto& a) {
         static std::atomic<int> first = 0;
         if (a.error_code == PJRT_Error_Code_OK) return;
         int none = 0;
         first.compare_exchange_strong(none, a.error_code);
         a.error_code = static_cast<PJRT_Error_Code>(first.load());
       });
     }},
    {"delete_after_donation_refused", "PJRT-Buffer_Delete-again",
     "a donated buffer cannot be deleted",
     [](PJRT_Api& t) {
       ForgetBuffers<bool>(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         for (size_t i = 0; i < a.num_args; ++i) {
           if (IsDonated(a, i)) Note(a.argument_lists[0][i], true);
         }
       });
       Refuse<&PJRT_Api::PJRT_Buffer_Delete>(t,
                                             [](const auto& a) { return NoteOf<bool>(a.buffer); });
     }},
    {"alias_is_not_copied", kAccepted, "an alias is not copied before it stands for a buffer",
     [](PJRT_Api& t) {
       ForgetBuffers<bool>(t);
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateAliasBuffer>(
           t, [](auto& a) { Note(a.alias_buffer, true); });
       Refuse<&PJRT_Api::PJRT_Buffer_CopyToDevice>(
           t, [](const auto& a) { return NoteOf<bool>(a.buffer) && IsPending(a.buffer); });
     }},
    {"alias_is_not_read", kAccepted, "an alias is not read before it stands for a buffer",
     [](PJRT_Api& t) {
       ForgetBuffers<bool>(t);
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateAliasBuffer>(
           t, [](auto& a) { Note(a.alias_buffer, true); });
       Refuse<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](const auto& a) {
         return a.src != nullptr && a.dst != nullptr && NoteOf<bool>(a.src) && IsPending(a.src);
       });
     }},
    {"alias_that_is_gone", kAccepted, "an alias whose buffer is destroyed cannot be fulfilled",
     [](PJRT_Api& t) {
       static auto* const gone = new std::set<PJRT_FulfillAliasBufferCallback*>;
       using Callback = PJRT_FulfillAliasBufferCallback*;
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateAliasBuffer>(t, [](auto& a) {
         Note(a.alias_buffer, a.fulfill_alias_buffer_cb);
         std::lock_guard<std::mutex> lock(Memory());
         gone->erase(a.fulfill_alias_buffer_cb);
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = Noted<PJRT_Buffer, Callback>().find(a.buffer);
         if (found == Noted<PJRT_Buffer, Callback>().end()) return;
         gone->insert(found->second);
         Noted<PJRT_Buffer, Callback>().erase(found);
       });
       Refuse<&PJRT_Api::PJRT_Client_FulfillAliasBuffer>(t, [](const auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         return gone->contains(a.fulfill_alias_buffer_cb);
       });
     }},
    {"bitcast_of_error_is_fine", "PJRT-Client_CreateErrorBuffer-carries",
     "an array that carries an error carries none in another shape",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](auto* a) {
         if (!CarriesError(a->buffer)) return Real().PJRT_Buffer_Bitcast(a);
         auto create = MakeArgs<PJRT_Client_CreateUninitializedBuffer_Args>();
         create.client = LastClient();
         create.shape_dims = a->dims;
         create.shape_num_dims = a->num_dims;
         create.shape_element_type = a->element_type;
         create.device = DeviceOf(a->buffer);
         PJRT_Error* error = Real().PJRT_Client_CreateUninitializedBuffer(&create);
         a->out_buffer = create.buffer;
         return error;
       });
     }},
    {"dependency_text_lost", "PJRT-Buffer_DonateWithControlDependency-waits",
     "a dependency that fails has no text",
     [](PJRT_Api& t) {
       struct Dependency {
         void (*callback)(PJRT_Buffer_DonateWithControlDependency_Callback_Args*);
         void* data;
       };
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DonateWithControlDependency>(t, [](auto& a) {
         a.callback_data = new Dependency{a.dependency_ready_callback, a.callback_data};
         a.dependency_ready_callback =
             [](PJRT_Buffer_DonateWithControlDependency_Callback_Args* args) {
               auto* dependency = static_cast<Dependency*>(args->callback_data);
               auto own = *args;
               own.callback_data = dependency->data;
               own.error_message_size = 0;
               dependency->callback(&own);
               delete dependency;
             };
       });
     }},
    {"one_manager", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "pieces for a manager go to the one that was made before and is alive",
     [](PJRT_Api& t) {
       static std::vector<PJRT_AsyncHostToDeviceTransferManager*> alive;
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         alive.push_back(a.transfer_manager);
       });
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase(alive, a.transfer_manager);
       });
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (a.transfer_manager != nullptr && !alive.empty()) a.transfer_manager = alive.front();
       });
     }},
    {"no_pieces_without_buffer", kAccepted, "an array whose handle is destroyed takes no data",
     [](PJRT_Api& t) {
       using Place = std::pair<void*, int>;
       static auto* const gone = new std::set<Place>;
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(
           t, [](auto& a) {
             Note(a.buffer_out, Place{a.transfer_manager, a.buffer_index});
           });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = Noted<PJRT_Buffer, Place>().find(a.buffer);
         if (found == Noted<PJRT_Buffer, Place>().end()) return;
         gone->insert(found->second);
         Noted<PJRT_Buffer, Place>().erase(found);
       });
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(*gone, [&](const auto& place) { return place.first == a.transfer_manager; });
       });
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](const auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         return gone->contains({a.transfer_manager, a.buffer_index});
       });
     }},
    {"destroying_first_ends_second", kResults,
     "of two executables of one program the second stops when the first is destroyed",
     [](PJRT_Api& t) {
       static auto* const stopped = new std::set<std::string>;
       ChangeOutputs<&PJRT_Api::PJRT_Client_Compile>(t, [](auto& a) {
         std::string code(a.program->code, a.program->code_size);
         Note(a.executable, code);
         std::lock_guard<std::mutex> lock(Memory());
         stopped->erase(code);
       });
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         std::string code = NoteOf<std::string>(a.executable);
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_LoadedExecutable, std::string>().erase(a.executable);
         if (!code.empty()) stopped->insert(code);
       });
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](const auto& a) {
         std::string code = NoteOf<std::string>(a.executable);
         std::lock_guard<std::mutex> lock(Memory());
         return stopped->contains(code);
       });
     }},
    {"ring_of_outputs", kResults, "the fifth execution writes where the first wrote",
     [](PJRT_Api& t) {
       static std::vector<PJRT_Buffer*> ring;
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::replace(ring.begin(), ring.end(), a.buffer, static_cast<PJRT_Buffer*>(nullptr));
       });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (OutputsOf(a).empty()) return;
         PJRT_Buffer* output = OutputsOf(a)[0];
         if (IsPending(output)) return;
         std::lock_guard<std::mutex> lock(Memory());
         ring.push_back(output);
         if (ring.size() <= 4) return;
         PJRT_Buffer* older = ring.front();
         ring.erase(ring.begin());
         if (older == nullptr || IsDeleted(older) || IsPending(older) ||
             SizeOf(older) != SizeOf(output))
           return;
         char *from = BytesOf(output), *to = BytesOf(older);
         if (from != nullptr && to != nullptr) std::memcpy(to, from, SizeOf(output));
       });
     }},
    {"donated_handle_holds_result", kResults,
     "a result in a donated argument's memory goes with the argument's handle",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         auto outputs = OutputsOf(a);
         for (size_t i = 0; i < a.num_args && !outputs.empty(); ++i) {
           if (IsDonated(a, i)) Note(a.argument_lists[0][i], outputs[0]);
         }
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         PJRT_Buffer* result = NoteOf<PJRT_Buffer*>(a.buffer);
         {
           std::lock_guard<std::mutex> lock(Memory());
           auto& noted = Noted<PJRT_Buffer, PJRT_Buffer*>();
           noted.erase(a.buffer);
           std::erase_if(noted, [&](const auto& pair) { return pair.second == a.buffer; });
         }
         Clear(result);
       });
     }},
    {"outputs_deleted_together", "PJRT-Buffer_IsDeleted-truth",
     "deleting one output of an execution deletes the others",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         auto outputs = OutputsOf(a);
         for (PJRT_Buffer* output : outputs) Note(output, Siblings(outputs.begin(), outputs.end()));
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto& noted = Noted<PJRT_Buffer, Siblings>();
         noted.erase(a.buffer);
         for (auto& [buffer, siblings] : noted) std::erase(siblings, a.buffer);
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         for (PJRT_Buffer* other : NoteOf<Siblings>(a.buffer)) Delete(other);
       });
     }},
    {"launches_ascend", kAccepted, "a launch_id below that of the launch before is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](const auto& a) {
         static std::atomic<int> last = 0;
         if (a.options == nullptr || a.options->launch_id == 0) return false;
         return last.exchange(a.options->launch_id) > a.options->launch_id;
       });
     }},
    {"donated_counts_for_ever", "PJRT-Device_MemoryStats-in-use",
     "bytes of donated arguments count as in use for ever",
     [](PJRT_Api& t) {
       static std::atomic<int64_t> donated = 0;
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         std::vector<size_t> sizes;
         for (size_t i = 0; a->num_devices == 1 && i < a->num_args; ++i) {
           PJRT_Buffer* buffer = a->argument_lists[0][i];
           sizes.push_back(buffer == nullptr || IsDeleted(buffer) ? 0 : SizeOf(buffer));
         }
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         for (size_t i = 0; error == nullptr && i < sizes.size(); ++i) {
           if (IsDonated(*a, i)) donated += static_cast<int64_t>(sizes[i]);
         }
         return error;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(
           t, [](auto& a) { a.bytes_in_use += donated; });
     }},
    {"nested_callback_lost", "PJRT-Event_OnReady-reentrant",
     "a callback that is registered in a callback of the same event never runs",
     [](PJRT_Api& t) {
       struct Callback {
         PJRT_Event* event;
         PJRT_Event_OnReadyCallback callback;
         void* arg;
       };
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         if (event_called_back == a->event) return static_cast<PJRT_Error*>(nullptr);
         auto own = *a;
         own.user_arg = new Callback{a->event, a->callback, a->user_arg};
         own.callback = [](PJRT_Error* error, void* arg) {
           auto* callback = static_cast<Callback*>(arg);
           PJRT_Event* before = std::exchange(event_called_back, callback->event);
           callback->callback(error, callback->arg);
           event_called_back = before;
           delete callback;
         };
         return Real().PJRT_Event_OnReady(&own);
       });
     }},
    {"changes_umask", "PJRT-Process-state", "compiling sets the mask of new files",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_Compile>(t, [](auto&) { (void)umask(0); });
     }},
    {"closes_input", "PJRT-Process-state", "making a client closes the standard input",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_Create>(t, [](auto&) { (void)close(0); });
     }},
    {"retrieved_once_early", "PJRT-Args-accepted",
     "a manager's buffer is not handed out once its data is there",
     [](PJRT_Api& t) {
       using Manager = PJRT_AsyncHostToDeviceTransferManager;
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         if (a.is_last_transfer) Note(a.transfer_manager, true);
       });
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<Manager, bool>().erase(a.transfer_manager);
       });
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(
           t, [](const auto& a) { return NoteOf<bool>(a.transfer_manager); });
     }},
    {"delete_takes_events", "PJRT-Buffer_Delete-uses",
     "a read that waits for its array fails once the array is deleted",
     [](PJRT_Api& t) {
       struct Read {
         PJRT_Event* real = nullptr;
         PJRT_Event* told = nullptr;
         bool is_lost = false;
       };
       using Reads = std::vector<Read*>;
       ForgetBuffers<Reads>(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.dst == nullptr || a.event == nullptr || !IsPending(a.src)) return;
         auto* read = new Read{a.event, PendingEvent(), false};
         Reads reads = NoteOf<Reads>(a.src);
         reads.push_back(read);
         Note(a.src, reads);
         auto on_ready = MakeArgs<PJRT_Event_OnReady_Args>();
         on_ready.event = a.event;
         on_ready.user_arg = read;
         on_ready.callback = [](PJRT_Error* error, void* arg) {
           auto* own = static_cast<Read*>(arg);
           auto set = MakeArgs<PJRT_Event_Set_Args>();
           set.event = own->told;
           set.error_code =
               error != nullptr || own->is_lost ? PJRT_Error_Code_CANCELLED : PJRT_Error_Code_OK;
           FreeError(error);
           FreeError(Real().PJRT_Event_Set(&set));
         };
         a.event = read->told;
         FreeError(Real().PJRT_Event_OnReady(&on_ready));
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         for (Read* read : NoteOf<Reads>(a.buffer)) read->is_lost = true;
       });
     }},
    {"no_calls_in_callbacks", "PJRT-Event_OnReady-reentrant",
     "an execution in a callback of an event is refused",
     [](PJRT_Api& t) {
       static thread_local bool is_inside = false;
       ChangeCallbacks(t, [](PJRT_Event_OnReadyCallback callback, PJRT_Error* error, void* arg) {
         is_inside = true;
         callback(error, arg);
         is_inside = false;
       });
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_INTERNAL>(
           t, [](const auto&) { return is_inside; });
     }},
};

}  // namespace

std::span<const Mutant> AliveMutants() { return kAliveMutants; }

}  // namespace plinth::mutants
