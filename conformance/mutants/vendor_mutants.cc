// SPDX-License-Identifier: Apache-2.0
// Bugs that plugins of vendors had or could have, written from the requirements and not from the
// cases.

#include <fcntl.h>
#include <immintrin.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

struct LatestCallback {
  PJRT_Event_OnReadyCallback callback;
  void* arg;
};

constexpr Mutant kVendorMutants[] = {
    {"device_text_shared", "PJRT-Args-output-true", "texts of devices share one place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_DeviceDescription_ToString>(t, [](auto& a) {
         static std::string text;
         text = "device";
         a.to_string = text.data();
         a.to_string_size = text.size();
       });
     }},
    {"locale_changed", "PJRT-Process-state", "compiling sets another locale",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         setlocale(LC_ALL, "C.UTF-8");
         return Real().PJRT_Client_Compile(a);
       });
     }},
    {"flushes_to_zero", "PJRT-Process-state", "after an execution subnormal numbers are flushed",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         _mm_setcsr(_mm_getcsr() | 0x8040);
         return error;
       });
     }},
    {"blocks_signals", "PJRT-Process-state", "a transfer leaves SIGINT blocked",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         sigset_t signals;
         sigemptyset(&signals);
         sigaddset(&signals, SIGINT);
         pthread_sigmask(SIG_BLOCK, &signals, nullptr);
         return Real().PJRT_Client_BufferFromHostBuffer(a);
       });
     }},
    {"changes_folder", "PJRT-Process-state", "serializing changes the working directory",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_Serialize>(t, [](auto* a) {
         (void)!chdir("/");
         return Real().PJRT_Executable_Serialize(a);
       });
     }},
    {"sets_environment", "PJRT-Process-state", "compiling sets a variable",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         setenv("VENDOR_CACHE", "1", 1);
         return Real().PJRT_Client_Compile(a);
       });
     }},
    {"takes_signal", "PJRT-Process-state", "compiling installs a handler of SIGSEGV",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         signal(SIGSEGV, [](int) { _exit(9); });
         return Real().PJRT_Client_Compile(a);
       });
     }},
    {"strides_of_rank_3", "PJRT-Client_BufferFromHostBuffer-strides",
     "strides of three and more dimensions are not read",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.num_dims < 3) return;
         a.byte_strides = nullptr;
         a.num_byte_strides = 0;
       });
     }},
    {"writes_after_destination", "PJRT-Buffer_ToHostBuffer-contents",
     "a copy fills its destination to the end",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         auto size = *a;
         size.dst = nullptr;
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(&size);
         if (error != nullptr || a->dst == nullptr) {
           FreeError(error);
           return Real().PJRT_Buffer_ToHostBuffer(a);
         }
         if (a->dst_size > size.dst_size)
           std::memset(static_cast<char*>(a->dst) + size.dst_size, 0, a->dst_size - size.dst_size);
         return Real().PJRT_Buffer_ToHostBuffer(a);
       });
     }},
    {"host_layout_ignored", "PJRT-Buffer_ToHostBuffer-contents",
     "the layout for the host is not read",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t,
                                                         [](auto& a) { a.host_layout = nullptr; });
     }},
    {"nan_canonical", "PJRT-Buffer_ToHostBuffer-contents", "the payload of a NaN is lost",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.dst == nullptr || ElementTypeOf(a.src) != PJRT_Buffer_Type_F32) return;
         auto await = MakeArgs<PJRT_Event_Await_Args>();
         await.event = a.event;
         FreeError(Real().PJRT_Event_Await(&await));
         for (size_t i = 0; i + 4 <= a.dst_size; i += 4) {
           uint32_t bits;
           std::memcpy(&bits, static_cast<char*>(a.dst) + i, 4);
           if ((bits & 0x7FFFFFFF) > 0x7F800000) bits = 0x7FC00000;
           std::memcpy(static_cast<char*>(a.dst) + i, &bits, 4);
         }
       });
     }},
    {"outputs_above_64", "PJRT-LoadedExecutable_Execute-results",
     "the outputs from the 65th on are null",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_devices != 1 || a.num_args != 1) return;
         auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
         get.loaded_executable = a.executable;
         FreeError(Real().PJRT_LoadedExecutable_GetExecutable(&get));
         auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
         count.executable = get.executable;
         FreeError(Real().PJRT_Executable_NumOutputs(&count));
         if (count.num_outputs > 64) a.output_lists[0][64] = nullptr;
       });
     }},
    {"arguments_above_128", "PJRT-LoadedExecutable_Execute-results",
     "the arguments from the 129th on are the first",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->num_args <= 128 || a->num_devices != 1)
           return Real().PJRT_LoadedExecutable_Execute(a);
         std::vector<PJRT_Buffer*> list(a->argument_lists[0], a->argument_lists[0] + a->num_args);
         std::fill(list.begin() + 128, list.end(), list[0]);
         PJRT_Buffer* const* lists[] = {list.data()};
         auto own = *a;
         own.argument_lists = lists;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"failed_call_donates", "PJRT-LoadedExecutable_Execute-failure",
     "a call that fails deletes its last argument",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error == nullptr || a->argument_lists == nullptr || a->num_args < 2 ||
             a->num_devices != 1)
           return error;
         auto remove = MakeArgs<PJRT_Buffer_Delete_Args>();
         remove.buffer = a->argument_lists[0][a->num_args - 1];
         FreeError(Real().PJRT_Buffer_Delete(&remove));
         return error;
       });
     }},
    {"error_text_cut", "PJRT-Event_Await-independent", "texts of errors are cut after 255 bytes",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Set>(
           t, [](auto& a) { a.error_message_size = std::min<size_t>(a.error_message_size, 255); });
     }},
    {"error_text_at_nul", "PJRT-Event_Await-independent", "texts of errors end at the first NUL",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Set>(t, [](auto& a) {
         if (a.error_message != nullptr)
           a.error_message_size = strnlen(a.error_message, a.error_message_size);
       });
     }},
    {"one_callback", "PJRT-Event_OnReady-once", "a second callback takes the place of the first",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         static std::mutex mutex;
         static std::map<PJRT_Event*, LatestCallback> latest;
         auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
         ready.event = a->event;
         if (a->event == nullptr || a->callback == nullptr ||
             Real().PJRT_Event_IsReady(&ready) != nullptr || ready.is_ready)
           return Real().PJRT_Event_OnReady(a);
         std::lock_guard<std::mutex> lock(mutex);
         bool is_new = !latest.contains(a->event);
         latest[a->event] = {a->callback, a->user_arg};
         if (!is_new) return static_cast<PJRT_Error*>(nullptr);
         auto own = *a;
         own.user_arg = a->event;
         own.callback = [](PJRT_Error* error, void* arg) {
           LatestCallback one;
           {
             std::lock_guard<std::mutex> inner(mutex);
             one = latest[static_cast<PJRT_Event*>(arg)];
             latest.erase(static_cast<PJRT_Event*>(arg));
           }
           one.callback(error, one.arg);
         };
         return Real().PJRT_Event_OnReady(&own);
       });
     }},
    {"second_waiter_leaves", "PJRT-Event_Await-twice", "a second waiter does not wait",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Await>(t, [](auto* a) {
         static std::mutex mutex;
         static std::map<PJRT_Event*, int> waiting;
         {
           std::lock_guard<std::mutex> lock(mutex);
           if (waiting[a->event]++ > 0) {
             --waiting[a->event];
             return static_cast<PJRT_Error*>(nullptr);
           }
         }
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         std::lock_guard<std::mutex> lock(mutex);
         --waiting[a->event];
         return error;
       });
     }},
    {"waits_too_short", "PJRT-Event_Await-twice", "a wait ends after five milliseconds",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Await>(t, [](auto* a) {
         for (int i = 0; i < 5; ++i) {
           auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
           ready.event = a->event;
           if (Real().PJRT_Event_IsReady(&ready) != nullptr || ready.is_ready)
             return Real().PJRT_Event_Await(a);
           std::this_thread::sleep_for(std::chrono::milliseconds(1));
         }
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"copies_to_default", "PJRT-Buffer_CopyToMemory-contents",
     "copies to another kind of memory land in the default one",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) {
         auto devices = MakeArgs<PJRT_Memory_AddressableByDevices_Args>();
         devices.memory = a.dst_memory;
         if (a.dst_memory == nullptr ||
             Real().PJRT_Memory_AddressableByDevices(&devices) != nullptr ||
             devices.num_devices == 0)
           return;
         auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
         memory.device = devices.devices[0];
         FreeError(Real().PJRT_Device_DefaultMemory(&memory));
         a.dst_memory = memory.memory;
       });
     }},
    {"options_forgotten", "PJRT-Args-output-true",
     "PJRT_Executable_GetCompileOptions gives options of nobody",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompileOptions>(
           t, [](auto& a) { a.serialized_bytes_size = 0; });
     }},
    {"one_fingerprint", "PJRT-Executable_Fingerprint-stable",
     "every executable has one fingerprint",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Fingerprint>(t, [](auto& a) {
         a.executable_fingerprint = "0123456789abcdef";
         a.executable_fingerprint_size = 16;
       });
     }},
    {"name_is_main", "PJRT-Args-output-true", "every executable is called main",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Name>(t, [](auto& a) {
         a.executable_name = "main";
         a.executable_name_size = 4;
       });
     }},
    {"size_in_elements", "PJRT-Args-output-true", "the size of a buffer counts elements",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_OnDeviceSizeInBytes>(
           t, [](auto& a) { a.on_device_size_in_bytes /= 4; });
     }},
    {"usage_only_grows", "PJRT-Args-output-true", "bytes_in_use never falls",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         static std::atomic<int64_t> most = 0;
         a.bytes_in_use = most = std::max<int64_t>(most, a.bytes_in_use);
       });
     }},
    {"forgets_failed_calls", "PJRT-Process-memory",
     "an execution that fails leaves 256 bytes behind",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr) Forget(256);
         return error;
       });
     }},
    {"forgets_serialized", "PJRT-Process-memory", "serializing leaves 200 bytes behind",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_Serialize>(t, [](auto* a) {
         Forget(200);
         return Real().PJRT_Executable_Serialize(a);
       });
     }},
    {"forgets_threads", "PJRT-Process-memory", "every compilation leaves a thread",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         std::thread([] { pause(); }).detach();
         return Real().PJRT_Client_Compile(a);
       });
     }},
    {"forgets_files", "PJRT-Process-memory", "every compilation leaves an open file",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         (void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
         return Real().PJRT_Client_Compile(a);
       });
     }},
    {"manager_size_of_first", "PJRT-Args-output-true",
     "the size of every buffer of a manager is the first one's",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize>(t, [](auto& a) {
         if (a.buffer_index > 0 && a.buffer_index < 5) a.buffer_index = 0;
       });
     }},
    {"view_deleted_null", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "on_delete_callback gets a null address",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto& a) {
         if (a.on_delete_callback == nullptr) return;
         struct DeleteCall {
           void (*callback)(void*, void*);
           void* arg;
         };
         a.on_delete_callback_arg = new DeleteCall{a.on_delete_callback, a.on_delete_callback_arg};
         a.on_delete_callback = [](void*, void* arg) {
           DeleteCall copy = *static_cast<DeleteCall*>(arg);
           delete static_cast<DeleteCall*>(arg);
           copy.callback(nullptr, copy.arg);
         };
       });
     }},
    {"format_needs_nul", "PJRT-Strings-size", "the format of a program is read to a NUL",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         if (a->program == nullptr || a->program->format == nullptr || a->program->format_size != 4)
           return Real().PJRT_Client_Compile(a);
         if (a->program->format[4] != '\0')
           return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "unknown format");
         return Real().PJRT_Client_Compile(a);
       });
     }},
    {"zero_copy_done_at_once", "PJRT-Client_BufferFromHostBuffer-done",
     "memory that a buffer uses counts as free at once",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(a);
         if (error == nullptr &&
             a->host_buffer_semantics >= PJRT_HostBufferSemantics_kImmutableZeroCopy)
           a->done_with_host_buffer = DoneEvent();
         return error;
       });
     }},
    {"rank_5_reversed", "PJRT-Executable_NumOutputs-program",
     "dimensions of outputs lack the last of many",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         static thread_local std::vector<size_t> sizes;
         sizes.assign(a.dim_sizes, a.dim_sizes + a.num_outputs);
         for (size_t& size : sizes) size = std::min<size_t>(size, 4);
         a.dim_sizes = sizes.data();
       });
     }},
    {"raw_copy_from_start", "PJRT-Buffer_CopyRawToHost-offset",
     "raw copies of arrays of two dimensions begin at 0",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto& a) {
         if (a.buffer != nullptr && a.offset > 0 && RankOf(a.buffer) == 2) a.offset = 0;
       });
     }},
    {"late_callback_lost", "PJRT-Event_OnReady-once",
     "a callback that is registered after readiness never runs",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
         ready.event = a->event;
         if (a->event == nullptr || a->callback == nullptr ||
             Real().PJRT_Event_IsReady(&ready) != nullptr || !ready.is_ready)
           return Real().PJRT_Event_OnReady(a);
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"optimized_ends_with_nul", "PJRT-Executable_OptimizedProgram-two-calls",
     "a program is written with a NUL after it",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OptimizedProgram>(t, [](auto& a) {
         if (a.program->code != nullptr) a.program->code[a.program->code_size] = '\0';
       });
     }},
    {"loaded_without_name", "PJRT-Executable_DeserializeAndLoad-same",
     "what is loaded from bytes runs on the first device only once",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto* a) {
         static std::atomic<int> count = 0;
         if (a->serialized_executable_size > 64 && ++count % 2 == 0)
           return MakeError(PJRT_Error_Code_INTERNAL, "already loaded");
         return Real().PJRT_Executable_DeserializeAndLoad(a);
       });
     }},
    {"memories_of_first", "PJRT-Args-output-true", "every device has the memories of the first",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Device_AddressableMemories>(t, [](auto& a) {
         static PJRT_Device* const first = a.device;
         if (a.device != nullptr && first != nullptr) a.device = first;
       });
     }},
    {"kept_is_donated", "PJRT-LoadedExecutable_Execute-donation",
     "non_donatable_input_indices is not read",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->options == nullptr || a->options->struct_size < PJRT_ExecuteOptions_STRUCT_SIZE) {
           return Real().PJRT_LoadedExecutable_Execute(a);
         }
         auto options = *a->options;
         options.num_non_donatable_input_indices = 0;
         auto own = *a;
         own.options = &options;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"uninitialized_on_first", "PJRT-Args-output-true",
     "an uninitialized buffer lies on the first device",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateUninitializedBuffer>(t, [](auto& a) {
         auto devices = MakeArgs<PJRT_Client_AddressableDevices_Args>();
         devices.client = a.client;
         if (a.client != nullptr && Real().PJRT_Client_AddressableDevices(&devices) == nullptr) {
           a.device = devices.addressable_devices[0];
           a.memory = nullptr;
         }
       });
     }},
    {"codes_above_10", "PJRT-Client_CreateErrorBuffer-carries",
     "codes of error buffers from 10 on become UNKNOWN",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(t, [](auto& a) {
         if (a.error_code > 10 && a.error_code < 17) a.error_code = PJRT_Error_Code_UNKNOWN;
       });
     }},
    {"alias_text_lost", "PJRT-Event_Await-independent", "an alias that fails has no text",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_FulfillAliasBuffer>(
           t, [](auto& a) { a.error_message_size = 0; });
     }},
    {"serialized_shared", "PJRT-Executable_DeserializeAndLoad-same",
     "the bytes of all serializations are in one place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Serialize>(t, [](auto& a) {
         static std::string shared;
         shared.assign(a.serialized_bytes, a.serialized_bytes_size);
         a.serialized_executable_deleter(a.serialized_executable);
         a.serialized_bytes = shared.data();
         a.serialized_executable = reinterpret_cast<PJRT_SerializedExecutable*>(&shared);
         a.serialized_executable_deleter = [](PJRT_SerializedExecutable*) {
           std::fill(shared.begin(), shared.end(), '\0');
         };
       });
     }},
    {"kind_id_is_id", "PJRT-Args-output-true", "the kind id of a memory is its id",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Memory_Kind_Id>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Memory_Kind_Id(a);
         auto id = MakeArgs<PJRT_Memory_Id_Args>();
         id.memory = a->memory;
         if (error == nullptr && Real().PJRT_Memory_Id(&id) == nullptr) a->kind_id = id.id;
         return error;
       });
     }},
    {"context_once", "PJRT-Args-accepted", "a context serves one execution",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         static std::mutex mutex;
         static std::map<void*, int> used;
         if (a->options != nullptr && a->options->struct_size >= PJRT_ExecuteOptions_STRUCT_SIZE &&
             a->options->context != nullptr) {
           std::lock_guard<std::mutex> lock(mutex);
           if (used[a->options->context]++ > 0) {
             return MakeError(PJRT_Error_Code_INTERNAL, "the context was used");
           }
         }
         return Real().PJRT_LoadedExecutable_Execute(a);
       });
     }},
    {"wide_integers_cut", "PJRT-Buffer_ToHostBuffer-contents",
     "64-bit integers come back with 53 bits",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.dst == nullptr || ElementTypeOf(a.src) != PJRT_Buffer_Type_S64) {
           return;
         }
         auto await = MakeArgs<PJRT_Event_Await_Args>();
         await.event = a.event;
         FreeError(Real().PJRT_Event_Await(&await));
         for (size_t i = 0; i + 8 <= a.dst_size; i += 8) {
           int64_t value;
           std::memcpy(&value, static_cast<char*>(a.dst) + i, 8);
           value = static_cast<int64_t>(static_cast<double>(value) / 2) * 2;
           std::memcpy(static_cast<char*>(a.dst) + i, &value, 8);
         }
       });
     }},
    {"raw_future_from_start", "PJRT-Buffer_CopyRawToHostFuture-event-owner",
     "a prepared copy of many bytes begins at 0",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto* a) {
         auto own = *a;
         if (own.transfer_size > 1000) own.offset = 0;
         PJRT_Error* error = Real().PJRT_Buffer_CopyRawToHostFuture(&own);
         if (error != nullptr) return error;
         own.offset = a->offset;
         *a = own;
         return error;
       });
     }},
    {"assignment_of_first", "PJRT-Args-output-true",
     "the default assignment puts all on the first device",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto& a) {
         for (int i = 1; i < a.num_replicas * a.num_partitions; ++i) {
           a.default_assignment[i] = a.default_assignment[0];
         }
       });
     }},
    {"done_before_inputs", "PJRT-LoadedExecutable_Execute-done",
     "an execution counts as done when it was taken",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.device_complete_events != nullptr) {
           for (size_t i = 0; i < a.num_devices; ++i) a.device_complete_events[i] = DoneEvent();
         }
       });
     }},
};

}  // namespace

std::span<const Mutant> VendorMutants() { return kVendorMutants; }

}  // namespace plinth::mutants
