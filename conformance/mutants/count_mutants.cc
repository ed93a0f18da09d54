// SPDX-License-Identifier: Apache-2.0
// Bugs of programs, events and texts that show at some sizes and numbers alone.

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";

bool HasEmptyArgument(const PJRT_LoadedExecutable_Execute_Args& a) {
  if (a.argument_lists == nullptr || a.num_devices == 0) return false;
  return std::any_of(a.argument_lists[0], a.argument_lists[0] + a.num_args,
                     [](PJRT_Buffer* buffer) {
                       return buffer != nullptr && !IsDeleted(buffer) && SizeOf(buffer) == 0;
                     });
}

constexpr Mutant kCountMutants[] = {
    {"no_sizes_of_empty_outputs", "PJRT-Executable_NumOutputs-program",
     "dimensions of outputs leave out outputs without elements",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         static auto* const kept = new std::set<std::vector<int64_t>>;
         static auto* const ranks = new std::set<std::vector<size_t>>;
         std::vector<int64_t> dims;
         std::vector<size_t> sizes;
         const int64_t* next = a.dims;
         for (size_t i = 0; i < a.num_outputs; next += a.dim_sizes[i++]) {
           const bool is_empty = std::count(next, next + a.dim_sizes[i], 0) != 0;
           sizes.push_back(is_empty ? 0 : a.dim_sizes[i]);
           if (!is_empty) dims.insert(dims.end(), next, next + a.dim_sizes[i]);
         }
         if (dims.empty()) return;
         std::lock_guard<std::mutex> lock(Memory());
         a.dims = kept->insert(dims).first->data();
         a.dim_sizes = ranks->insert(sizes).first->data();
       });
     }},
    {"names_of_64", "PJRT-Executable_Name-program", "names have at most 64 bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Name>(t, [](auto& a) {
         a.executable_name_size = std::min<size_t>(a.executable_name_size, 64);
       });
     }},
    {"larger_code_refused", "PJRT-Executable_OptimizedProgram-two-calls",
     "more room for the program than it needs is refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_OptimizedProgram>(t, [](auto* a) {
         if (a->program != nullptr && a->program->code != nullptr) {
           auto program = *a->program;
           program.code = nullptr;
           auto ask = *a;
           ask.program = &program;
           FreeError(Real().PJRT_Executable_OptimizedProgram(&ask));
           if (a->program->code_size > program.code_size)
             return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "too large");
         }
         return Real().PJRT_Executable_OptimizedProgram(a);
       });
     }},
    {"room_for_code_filled", "PJRT-Executable_OptimizedProgram-two-calls",
     "all the room for the program is written",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_OptimizedProgram>(t, [](auto* a) {
         size_t room =
             a->program == nullptr || a->program->code == nullptr ? 0 : a->program->code_size;
         char* code = room == 0 ? nullptr : a->program->code;
         PJRT_Error* error = Real().PJRT_Executable_OptimizedProgram(a);
         if (error == nullptr && room > a->program->code_size)
           std::memset(code + a->program->code_size, 0, room - a->program->code_size);
         return error;
       });
     }},
    {"empty_outputs_are_null", "PJRT-Args-output-handle", "outputs without elements are null",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         for (PJRT_Buffer*& output : OutputsOf(a)) {
           if (SizeOf(output) != 0) continue;
           Destroy(output);
           output = nullptr;
         }
       });
     }},
    {"empty_arguments_refused", kAccepted, "arguments without elements are refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
           t, [](const auto& a) { return HasEmptyArgument(a); });
     }},
    {"large_argument_overwritten", "PJRT-Args-input",
     "an output of 64 KiB and more is written over an argument of its size",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         for (PJRT_Buffer* output : OutputsOf(a)) {
           ChangeBytes(output, [&](const char* bytes, size_t size) {
             for (size_t i = 0; size >= 65536 && i < a.num_args; ++i) {
               PJRT_Buffer* argument = a.argument_lists[0][i];
               if (!IsDeleted(argument) && SizeOf(argument) == size)
                 std::memmove(BytesOf(argument), bytes, size);
             }
           });
         }
       });
     }},
    {"only_argument_overwritten", "PJRT-Args-input",
     "a small output is written over the only argument",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_args != 1) return;
         for (PJRT_Buffer* output : OutputsOf(a)) {
           ChangeBytes(output, [&](const char* bytes, size_t size) {
             PJRT_Buffer* argument = a.argument_lists[0][0];
             if (size < 65536 && !IsDeleted(argument) && SizeOf(argument) == size)
               std::memmove(BytesOf(argument), bytes, size);
           });
         }
       });
     }},
    {"usage_in_kibibytes", "PJRT-Device_MemoryStats-in-use", "bytes_in_use counts KiB",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t,
                                                         [](auto& a) { a.bytes_in_use /= 1024; });
     }},
    {"callback_33_lost", "PJRT-Event_OnReady-once", "an event has room for 32 callbacks",
     [](PJRT_Api& t) {
       static std::map<PJRT_Event*, int> counts;
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           if (++counts[a->event] > 32) return static_cast<PJRT_Error*>(nullptr);
         }
         return Real().PJRT_Event_OnReady(a);
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         counts.erase(a.event);
       });
     }},
    {"no_elements_never_ready", "PJRT-Buffer_ReadyEvent-after",
     "an array without elements is never ready",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (IsDeleted(a.buffer) || SizeOf(a.buffer) != 0) return;
         Drop(a.event);
         a.event = PendingEvent();
       });
     }},
    {"manager_text_of_1024", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "texts of errors of transfers have at most 1024 bytes",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(
           t, [](auto& a) { a.error_message_size = std::min<size_t>(a.error_message_size, 1024); });
     }},
    {"alias_text_of_1024", "PJRT-Client_FulfillAliasBuffer-error",
     "texts of errors of aliases have at most 1024 bytes",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_FulfillAliasBuffer>(
           t, [](auto& a) { a.error_message_size = std::min<size_t>(a.error_message_size, 1024); });
     }},
    {"text_of_32767", "PJRT-Event_Set-outcome", "texts of errors have at most 32767 bytes",
     [](PJRT_Api& t) {
       t.PJRT_Error_Message = [](PJRT_Error_Message_Args* a) {
         Real().PJRT_Error_Message(a);
         if (a != nullptr && a->message != nullptr)
           a->message_size = std::min<size_t>(a->message_size, 32767);
       };
     }},
    {"set_needs_text", kAccepted, "an event is not set to an error without a text",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Event_Set>(t, [](const auto& a) {
         return a.error_code != PJRT_Error_Code_OK && a.error_message_size == 0;
       });
     }},
    {"larger_assignment_filled", "PJRT-Client_DefaultDeviceAssignment-devices",
     "all of a list for an assignment is written, also what is too many",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto& a) {
         const auto used =
             static_cast<size_t>(a.num_replicas) * static_cast<size_t>(a.num_partitions);
         for (size_t i = used; i < a.default_assignment_size; ++i) a.default_assignment[i] = 0;
       });
     }},
};

}  // namespace

std::span<const Mutant> CountMutants() { return kCountMutants; }

}  // namespace plinth::mutants
