// SPDX-License-Identifier: Apache-2.0
// Bugs of what arrays hold, of errors, and of what a plugin does to its process and its threads.
// Written from the header, without looking at the cases.

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_abi_version_extension.h"
#include "pjrt_c_api_raw_buffer_extension.h"
#include "pjrt_c_api_shardings_extension.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;

struct Broken {
  bool is = false;
};

// A view on memory of the caller: how it is told.
struct View {
  void (*callback)(void*, void*) = nullptr;
  void* argument = nullptr;
  void* pointer = nullptr;
  int references = 0;
  bool told = false;
};

struct ViewHolder {
  View* view = nullptr;
};

struct Future {
  PJRT_Buffer* buffer = nullptr;
  void* data = nullptr;
  void (*callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args*) = nullptr;
};

template <typename Value>
struct Slot {
  static inline Value value = {};
};

// Subnormal numbers become zero.
template <typename Bits>
void Flush(char* bytes, size_t size, Bits exponent, Bits sign) {
  for (size_t i = 0; i + sizeof(Bits) <= size; i += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, bytes + i, sizeof(bits));
    if ((bits & exponent) == 0) bits &= sign;
    std::memcpy(bytes + i, &bits, sizeof(bits));
  }
}

const Mutant kContentMutants[] = {
    {"raw_nothing_refused", "PJRT-Args-accepted",
     "A raw copy of no bytes from the end of a buffer is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Buffer_CopyRawToHost>(t, [](auto& a) {
         return a.transfer_size == 0 && a.offset == static_cast<int64_t>(SizeOf(a.buffer));
       });
     }},
    {"first_payload_only", "PJRT-Error_ForEachPayload-once",
     "Of several payloads of an error buffer the first is kept.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_CreateErrorBuffer>(
           t, [](auto& a) { a.num_payload = std::min<size_t>(a.num_payload, 1); });
     }},
    {"dependency_error_dropped", "PJRT-Buffer_DonateWithControlDependency-waits",
     "A dependency that failed counts as one that came.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_DonateWithControlDependency>(t, [](auto& a) {
         using Args = PJRT_Buffer_DonateWithControlDependency_Callback_Args;
         struct Call {
           void* data;
           void (*callback)(Args*);
         };
         a.callback_data = new Call{a.callback_data, a.dependency_ready_callback};
         a.dependency_ready_callback = [](Args* args) {
           auto* call = static_cast<Call*>(args->callback_data);
           Args own = *args;
           own.callback_data = call->data;
           own.error_code = PJRT_Error_Code_OK;
           own.error_message = nullptr;
           own.error_message_size = 0;
           call->callback(&own);
           delete call;
         };
       });
     }},
    {"future_needs_its_buffer", "PJRT-Buffer_Delete-uses",
     "A raw copy fails if the buffer was deleted before its destination was named.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto& a) {
         a.callback_data = new Future{a.buffer, a.callback_data, a.future_ready_callback};
         a.future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) {
           auto* future = static_cast<Future*>(args->callback_data);
           auto own = *args;
           own.callback_data = future->data;
           static constexpr char kText[] = "the buffer is gone";
           if (IsMarked(future->buffer)) {
             own.error_code = PJRT_Error_Code_INTERNAL;
             own.error_message = kText;
             own.error_message_size = sizeof(kText) - 1;
           }
           future->callback(&own);
           delete future;
         };
         Unmark(a.buffer);
       });
       ChangeInputs<&Api::PJRT_Buffer_Delete>(t, [](auto& a) { Mark(a.buffer); });
     }},
    {"view_told_despite_reference", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "A view's memory is given back when it is deleted, though somebody outside still uses it.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) {
         auto* view = new View{a->on_delete_callback, a->on_delete_callback_arg,
                               a->device_buffer_ptr, 0, false};
         PJRT_Error* error =
             CallChanged<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(a, [&](auto& own) {
               if (own.on_delete_callback == nullptr) return;
               own.on_delete_callback_arg = view;
               own.on_delete_callback = [](void* pointer, void* argument) {
                 auto* of = static_cast<View*>(argument);
                 if (!of->told) of->callback(pointer, of->argument);
                 of->told = true;
               };
             });
         if (error == nullptr && view->callback != nullptr) {
           Note<ViewHolder>(a->buffer, ViewHolder{view});
         }
         return error;
       });
       ForgetBuffers<ViewHolder>(t);
       ChangeOutputs<&Api::PJRT_Buffer_IncreaseExternalReferenceCount>(t, [](auto& a) {
         if (View* view = NoteOf<ViewHolder>(a.buffer).view) ++view->references;
       });
       ChangeOutputs<&Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         View* view = NoteOf<ViewHolder>(a.buffer).view;
         if (view == nullptr || view->references == 0 || view->told) return;
         view->told = true;
         view->callback(view->pointer, view->argument);
       });
     }},
    {"one_pinned_range", "PJRT-Args-accepted",
     "A second range of host memory is not pinned while there is a first.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_DmaMap>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           if (Slot<int>::value > 0) {
             return MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "no slot");
           }
         }
         PJRT_Error* error = Real().PJRT_Client_DmaMap(a);
         std::lock_guard<std::mutex> lock(Memory());
         if (error == nullptr) ++Slot<int>::value;
         return error;
       });
       ChangeOutputs<&Api::PJRT_Client_DmaUnmap>(t, [](auto&) {
         std::lock_guard<std::mutex> lock(Memory());
         --Slot<int>::value;
       });
     }},
    {"raw_write_at_start", "PJRT-Args-output-true",
     "A raw copy to the device begins at the start of the buffer, whatever its offset.",
     [](Api& t) {
       ReplaceInAdded<&PJRT_RawBuffer_Extension::PJRT_RawBuffer_CopyRawHostToDevice,
                      PJRT_Extension_Type_RawBuffer>(t, [](auto* a, auto* behind) {
         const int64_t offset = a->offset;
         a->offset = 0;
         PJRT_Error* error = behind(a);
         a->offset = offset;
         return error;
       });
     }},
    {"abi_platforms_differ", "PJRT-Args-output-true",
     "Program and runtime name different platforms.",
     [](Api& t) {
       ReplaceInAdded<&PJRT_AbiVersion_Extension::executable_abi_version_platform_id,
                      PJRT_Extension_Type_AbiVersion>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr) ++a->platform_id;
         return error;
       });
     }},
    {"outputs_not_sharded", "PJRT-Shardings_PJRT_Executable_OutputShardings-outputs",
     "No output of a program has a sharding.",
     [](Api& t) {
       ReplaceIn<&PJRT_Shardings_Extension::PJRT_Shardings_PJRT_Executable_OutputShardings,
                 PJRT_Extension_Type_Shardings>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr) {
           auto* sizes = Kept(std::vector<size_t>(a->num_outputs, 0));
           if (a->num_outputs > 0 && a->sharding_sizes != nullptr) {
             a->sharding_sizes = sizes->data();
           }
         }
         return error;
       });
     }},
    {"one_text_of_errors", "PJRT-Error_Message-const",
     "The text of an error is overwritten when that of another is asked for.",
     [](Api& t) {
       t.PJRT_Error_Message = [](PJRT_Error_Message_Args* a) {
         Real().PJRT_Error_Message(a);
         if (a == nullptr || a->error == nullptr || a->message == nullptr) return;
         static thread_local char text[8192];
         a->message_size = std::min(a->message_size, sizeof(text));
         std::memcpy(text, a->message, a->message_size);
         a->message = text;
       };
     }},
    {"client_ignores_sigpipe", "PJRT-Process-state", "Making a client ignores SIGPIPE.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_Create>(t, [](auto&) { std::signal(SIGPIPE, SIG_IGN); });
     }},
    {"compilations_share_program", "PJRT-Threads-any",
     "Two compilations at a time share where their program is kept.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_Compile>(t, [](auto* a) {
         static std::atomic<int> running = 0;
         static std::mutex mutex;
         static auto* const code = new std::string;
         ++running;
         if (a->program != nullptr && a->program->code != nullptr) {
           std::lock_guard<std::mutex> lock(mutex);
           code->assign(a->program->code, a->program->code_size);
         }
         if (running > 1) std::this_thread::sleep_for(std::chrono::milliseconds(3));
         PJRT_Program program = {};
         std::string mine;
         if (a->program != nullptr && a->program->code != nullptr) {
           std::lock_guard<std::mutex> lock(mutex);
           mine = *code;
         }
         PJRT_Error* error = CallChanged<&Api::PJRT_Client_Compile>(a, [&](auto& own) {
           if (own.program == nullptr || own.program->code == nullptr) return;
           program = *own.program;
           program.code = mine.data();
           program.code_size = mine.size();
           own.program = &program;
         });
         --running;
         return error;
       });
     }},
    {"arguments_wrap_at_64", "PJRT-LoadedExecutable_Execute-results",
     "The 65th argument is the first, where both have a type and size.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->num_args <= 64 || a->argument_lists == nullptr) {
           return Real().PJRT_LoadedExecutable_Execute(a);
         }
         std::vector<std::vector<PJRT_Buffer*>> lists;
         std::vector<PJRT_Buffer* const*> pointers;
         for (size_t d = 0; d < a->num_devices; ++d) {
           lists.emplace_back(a->argument_lists[d], a->argument_lists[d] + a->num_args);
           for (size_t i = 64; i < a->num_args; ++i) {
             PJRT_Buffer* other = lists.back()[i - 64];
             if (ElementTypeOf(other) == ElementTypeOf(lists.back()[i]) &&
                 RankOf(other) == RankOf(lists.back()[i]) &&
                 SizeOf(other) == SizeOf(lists.back()[i])) {
               lists.back()[i] = other;
             }
           }
         }
         pointers.reserve(lists.size());
         for (const auto& list : lists) pointers.push_back(list.data());
         return CallChanged<&Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.argument_lists = pointers.data(); });
       });
     }},
    {"dimensions_shared", "PJRT-Args-output-lifetime",
     "The dimensions of a buffer are overwritten when those of another are asked for.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_UnpaddedDimensions>(t, [](auto& a) {
         static thread_local int64_t dims[64];
         a.num_dims = std::min<size_t>(a.num_dims, 64);
         std::copy_n(a.unpadded_dims, a.num_dims, dims);
         a.unpadded_dims = dims;
       });
     }},
    {"bitcast_takes_original", "PJRT-Buffer_IsDeleted-truth",
     "Deleting a buffer that sees the bytes of another deletes the other.",
     [](Api& t) {
       struct From {
         PJRT_Buffer* buffer = nullptr;
       };
       ChangeOutputs<&Api::PJRT_Buffer_Bitcast>(
           t, [](auto& a) { Note<From>(a.out_buffer, From{a.buffer}); });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto& all = Noted<PJRT_Buffer, From>();
         all.erase(a.buffer);
         std::erase_if(all, [&](auto& each) { return each.second.buffer == a.buffer; });
       });
       ChangeOutputs<&Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         if (PJRT_Buffer* from = NoteOf<From>(a.buffer).buffer) Delete(from);
       });
     }},
    {"copy_heals", "PJRT-Buffer_CopyToDevice-contents",
     "A copy of a buffer that carries an error carries none.",
     [](Api& t) {
       RememberClient(t);
       Replace<&Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) -> PJRT_Error* {
         if (a->buffer != nullptr && a->dst_device != nullptr && CarriesError(a->buffer)) {
           a->dst_buffer = Uninitialized(a->buffer, LastClient(), a->dst_device);
           return nullptr;
         }
         return Real().PJRT_Buffer_CopyToDevice(a);
       });
     }},
    {"device_before_memory", "PJRT-Client_CreateUninitializedBuffer-asked-for",
     "With both a device and a memory the memory is not looked at.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_CreateUninitializedBuffer>(t, [](auto& a) {
         if (a.device != nullptr) a.memory = nullptr;
       });
     }},
    {"error_is_never_deleted", "PJRT-Buffer_IsDeleted-truth",
     "A buffer that carries an error never counts as deleted.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_CreateErrorBuffer>(t, [](auto& a) { Mark(a.buffer); });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
       ChangeOutputs<&Api::PJRT_Buffer_IsDeleted>(t, [](auto& a) {
         if (IsMarked(a.buffer)) a.is_deleted = false;
       });
     }},
    {"error_text_of_1024", "PJRT-Client_CreateErrorBuffer-carries",
     "The text of an error buffer is cut at 1024 bytes.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_CreateErrorBuffer>(
           t, [](auto& a) { a.error_message_size = std::min<size_t>(a.error_message_size, 1024); });
     }},
    {"alias_error_is_internal", "PJRT-Client_FulfillAliasBuffer-error",
     "An alias fails with INTERNAL, whatever the code.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto& a) {
         if (a.status_code != PJRT_Error_Code_OK) a.status_code = PJRT_Error_Code_INTERNAL;
       });
     }},
    {"future_of_nothing_refused", "PJRT-Args-accepted",
     "A raw copy to a place named later is refused if it has no bytes.",
     [](Api& t) {
       Refuse<&Api::PJRT_Buffer_CopyRawToHostFuture>(t,
                                                     [](auto& a) { return a.transfer_size == 0; });
     }},
    {"subnormals_flushed", "PJRT-Buffer_ToHostBuffer-contents",
     "Subnormal numbers of 64 bits become zero when they are copied to another device.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         if (ElementTypeOf(a.dst_buffer) != PJRT_Buffer_Type_F64) return;
         ChangeBytes(a.dst_buffer, [](char* bytes, size_t size) {
           Flush<uint64_t>(bytes, size, uint64_t{0x7FF} << 52, uint64_t{1} << 63);
         });
       });
     }},
    {"quiet_bf16", "PJRT-Buffer_CopyToMemory-contents",
     "NaNs of BF16 lose their payload when they are copied to a memory.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) {
         if (ElementTypeOf(a.dst_buffer) != PJRT_Buffer_Type_BF16) return;
         ChangeBytes(a.dst_buffer, [](char* bytes, size_t size) {
           for (size_t i = 0; i + 2 <= size; i += 2) {
             uint16_t bits;
             std::memcpy(&bits, bytes + i, 2);
             if ((bits & 0x7FFF) > 0x7F80) bits = 0x7FC0;
             std::memcpy(bytes + i, &bits, 2);
           }
         });
       });
     }},
    {"pinned_for_ever", "PJRT-Args-accepted", "A range that was unpinned cannot be pinned again.",
     [](Api& t) {
       static auto* const seen = new std::set<void*>;
       Replace<&Api::PJRT_Client_DmaMap>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           if (seen->contains(a->data)) {
             return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "pinned");
           }
         }
         PJRT_Error* error = Real().PJRT_Client_DmaMap(a);
         std::lock_guard<std::mutex> lock(Memory());
         if (error == nullptr) seen->insert(a->data);
         return error;
       });
     }},
    {"client_takes_programs", "PJRT-Client_Destroy-others",
     "Destroying a client unloads the programs of others.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_Compile>(
           t, [](auto& a) { Note<Broken>(a.executable, Broken{}); });
       ForgetExecutables<Broken>(t);
       ChangeInputs<&Api::PJRT_Client_Destroy>(t, [](auto&) {
         std::vector<PJRT_LoadedExecutable*> all;
         {
           std::lock_guard<std::mutex> lock(Memory());
           for (auto& [loaded, broken] : Noted<PJRT_LoadedExecutable, Broken>()) {
             all.push_back(loaded);
           }
         }
         for (PJRT_LoadedExecutable* loaded : all) {
           auto args = MakeArgs<PJRT_LoadedExecutable_Delete_Args>();
           args.executable = loaded;
           Quiet<&Api::PJRT_LoadedExecutable_Delete>(args);
         }
       });
     }},
    {"callbacks_hold_compiler", "PJRT-Callback-once",
     "Callbacks run with the lock held that compiling needs.",
     [](Api& t) {
       static std::mutex mutex;
       static thread_local bool inside = false;
       ChangeCallbacks(t, [](auto callback, PJRT_Error* error, void* argument) {
         std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
         const bool outer = inside;
         inside = lock.owns_lock() || outer;
         callback(error, argument);
         inside = outer;
       });
       Replace<&Api::PJRT_Client_Compile>(t, [](auto* a) {
         if (inside) std::this_thread::sleep_for(std::chrono::hours(1));
         return Real().PJRT_Client_Compile(a);
       });
     }},
    {"compiling_sets_a_variable", "PJRT-Process-state",
     "Compiling sets a variable of the environment.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_Compile>(t, [](auto&) { setenv("XLA_FLAGS", "-x", 1); });
     }},
    {"client_keeps_a_file", "PJRT-Process-memory", "Each client leaves a file open.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_Create>(
           t, [](auto&) { (void)open("/dev/null", O_RDONLY | O_CLOEXEC); });
     }},
    {"client_keeps_a_thread", "PJRT-Process-memory", "Each client leaves a thread.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_Destroy>(t, [](auto& a) {
         if (a.client == nullptr) return;
         std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
       });
     }},
    {"refused_bytes_leak", "PJRT-Process-memory", "Bytes that are no executable are kept for ever.",
     [](Api& t) {
       Replace<&Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Executable_DeserializeAndLoad(a);
         if (error != nullptr) Forget(512);
         return error;
       });
     }},
    {"topologies_leak", "PJRT-Process-memory", "A topology that was read is never freed.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_Deserialize>(t, [](auto&) { Forget(512); });
     }},
};

}  // namespace

std::span<const Mutant> ContentMutants() { return kContentMutants; }

}  // namespace plinth::mutants
