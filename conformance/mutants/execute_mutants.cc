// SPDX-License-Identifier: Apache-2.0
// Bugs in compiling, executing, donating and saving programs.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "conformance/mutants/mutant.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

// What Execute may be called with, as far as mutants look into it.
bool IsUsual(const PJRT_LoadedExecutable_Execute_Args* args) {
  return args->executable != nullptr && args->options != nullptr && args->num_devices == 1 &&
         args->argument_lists != nullptr && args->output_lists != nullptr;
}

// Executes with other arguments or options.
PJRT_Error* ExecuteChanged(PJRT_LoadedExecutable_Execute_Args* args, PJRT_ExecuteOptions* options,
                           PJRT_Buffer* const* arguments, size_t num_args) {
  auto own = *args;
  own.options = options;
  own.argument_lists = &arguments;
  own.num_args = num_args;
  return Real().PJRT_LoadedExecutable_Execute(&own);
}

// Executed already, by address.
class Executed {
 public:
  bool Add(PJRT_LoadedExecutable* executable) {
    std::lock_guard lock(mutex_);
    return executables_.insert(executable).second;
  }
  void Forget(PJRT_LoadedExecutable* executable) {
    std::lock_guard lock(mutex_);
    executables_.erase(executable);
  }

 private:
  std::mutex mutex_;
  std::set<PJRT_LoadedExecutable*> executables_;
};
Executed& AllExecuted() {
  static Executed* const executed = new Executed;
  return *executed;
}

// The argument of a call in a variable that all calls share. Between putting it there and using it
// each call waits until another has put its own there, if there is another.
struct Race {
  std::mutex mutex;
  std::condition_variable changed;
  int in_flight = 0;
  uint64_t version = 0;
  PJRT_Buffer* argument = nullptr;

  PJRT_Buffer* PutAndGet(PJRT_Buffer* mine) {
    std::unique_lock lock(mutex);
    argument = mine;
    uint64_t my_version = ++version;
    changed.notify_all();
    if (++in_flight > 1) {
      changed.wait_for(lock, std::chrono::milliseconds(20), [&] { return version != my_version; });
    } else {
      changed.wait_for(lock, std::chrono::microseconds(500), [&] { return version != my_version; });
    }
    --in_flight;
    return argument;
  }
};
Race& TheRace() {
  static Race* const race = new Race;
  return *race;
}

std::string& LastSaved() {
  static std::string* const saved = new std::string;
  return *saved;
}

bool IsDeleted(PJRT_Buffer* buffer) {
  auto deleted = MakeArgs<PJRT_Buffer_IsDeleted_Args>();
  deleted.buffer = buffer;
  return Real().PJRT_Buffer_IsDeleted(&deleted) == nullptr && deleted.is_deleted;
}

// The argument and the output of the last execution.
struct LastRun {
  PJRT_Buffer* argument = nullptr;
  PJRT_Buffer* output = nullptr;
};
LastRun last_run;

std::set<PJRT_Buffer*>& Donated() {
  static std::set<PJRT_Buffer*>* const donated = new std::set<PJRT_Buffer*>;
  return *donated;
}

constexpr Mutant kExecuteMutants[] = {
    {"multiply_adds", "PJRT-LoadedExecutable_Execute-results", "stablehlo.multiply adds",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(
           t, [](auto* a) { return CompileReplaced(a, "stablehlo.multiply", "stablehlo.add"); });
     }},
    {"compare_off_by_one", "PJRT-LoadedExecutable_Execute-results", "LT compares as LE",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(
           t, [](auto* a) { return CompileReplaced(a, "compare LT", "compare LE"); });
     }},
    {"rounds_to_even", "PJRT-LoadedExecutable_Execute-results",
     "halves are rounded to even numbers, not away from zero",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         return CompileReplaced(a, "round_nearest_afz", "round_nearest_even");
       });
     }},
    {"shift_loses_sign", "PJRT-LoadedExecutable_Execute-results",
     "arithmetic shifts fill with zeros",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         return CompileReplaced(a, "shift_right_arithmetic", "shift_right_logical");
       });
     }},
    {"total_order_forgotten", "PJRT-LoadedExecutable_Execute-results",
     "numbers are compared without NaN and -0 in their places",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(
           t, [](auto* a) { return CompileReplaced(a, "TOTALORDER", "FLOAT"); });
     }},
    {"executes_once", "PJRT-LoadedExecutable_Execute-results", "an executable can be run once",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (!IsUsual(a) || AllExecuted().Add(a->executable)) {
           return Real().PJRT_LoadedExecutable_Execute(a);
         }
         return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "was run");
       });
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(t, [](auto* a) {
         AllExecuted().Forget(a->executable);
         return Real().PJRT_LoadedExecutable_Destroy(a);
       });
     }},
    {"done_never", "PJRT-LoadedExecutable_Execute-done",
     "device_complete_events never become ready",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || a->device_complete_events == nullptr) return error;
         for (size_t d = 0; d < a->num_devices; ++d) {
           auto destroy = MakeArgs<PJRT_Event_Destroy_Args>();
           destroy.event = a->device_complete_events[d];
           (void)Real().PJRT_Event_Destroy(&destroy);
           auto create = MakeArgs<PJRT_Event_Create_Args>();
           if (PJRT_Error* failed = Real().PJRT_Event_Create(&create)) return failed;
           a->device_complete_events[d] = create.event;
         }
         return error;
       });
     }},
    {"extra_arguments", "PJRT-LoadedExecutable_Execute-count",
     "more arguments than the program has are accepted",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error == nullptr || !IsUsual(a) || a->num_args < 2) return error;
         FreeError(error);
         return ExecuteChanged(a, a->options, a->argument_lists[0], a->num_args - 1);
       });
     }},
    {"failure_hands_out", "PJRT-LoadedExecutable_Execute-failure",
     "a call that fails hands out an output",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr && IsUsual(a) && a->num_args > 0) {
           a->output_lists[0][0] = a->argument_lists[0][0];
         }
         return error;
       });
     }},
    {"shape_not_looked_at", "PJRT-LoadedExecutable_Execute-shape",
     "an argument of the wrong shape ends in INTERNAL",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         // The program of the case that asks takes one argument.
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error == nullptr || !IsUsual(a) || a->num_args != 1) return error;
         FreeError(error);
         return MakeError(PJRT_Error_Code_INTERNAL, "something went wrong");
       });
     }},
    {"deleted_executable_runs", "PJRT-LoadedExecutable_Execute-deleted-executable",
     "a deleted executable goes on running",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Delete>(t, [](auto* a) -> PJRT_Error* {
         return a->executable == nullptr ? Real().PJRT_LoadedExecutable_Delete(a) : nullptr;
       });
     }},
    {"donation_ignored", "PJRT-LoadedExecutable_Execute-donation",
     "a donated argument stays usable",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (!IsUsual(a) || a->num_args != 1) return Real().PJRT_LoadedExecutable_Execute(a);
         static const int64_t kFirst[] = {0};
         auto options = *a->options;
         options.non_donatable_input_indices = kFirst;
         options.num_non_donatable_input_indices = 1;
         return ExecuteChanged(a, &options, a->argument_lists[0], a->num_args);
       });
     }},
    {"donation_frees_twice", "PJRT-LoadedExecutable_Execute-donation",
     "the memory of a donated argument is freed again with its buffer",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error == nullptr && IsUsual(a) && a->num_args == 1) {
           std::lock_guard lock(TheRace().mutex);
           if (IsDeleted(a->argument_lists[0][0])) Donated().insert(a->argument_lists[0][0]);
         }
         return error;
       });
       Replace<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto* a) {
         std::lock_guard lock(TheRace().mutex);
         // As an allocator does that sees it.
         if (Donated().contains(a->buffer)) std::abort();
         return Real().PJRT_Buffer_Destroy(a);
       });
     }},
    {"error_not_carried", "PJRT-Client_CreateErrorBuffer-carries",
     "a buffer made of an error is a plain one",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_CreateErrorBuffer(a);
         if (error != nullptr) return error;
         auto plain = MakeArgs<PJRT_Client_CreateUninitializedBuffer_Args>();
         plain.client = a->client;
         plain.memory = a->memory;
         plain.shape_dims = a->shape_dims;
         plain.shape_num_dims = a->shape_num_dims;
         plain.shape_element_type = a->shape_element_type;
         error = Real().PJRT_Client_CreateUninitializedBuffer(&plain);
         if (error == nullptr) a->buffer = plain.buffer;
         return error;
       });
     }},
    {"error_code_lost", "PJRT-LoadedExecutable_Execute-error-input",
     "the error of an argument reaches the outputs as INTERNAL",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(t, [](auto* a) {
         auto own = *a;
         if (RawEnum(a->error_code) == PJRT_Error_Code_DATA_LOSS) {
           own.error_code = PJRT_Error_Code_INTERNAL;
         }
         PJRT_Error* error = Real().PJRT_Client_CreateErrorBuffer(&own);
         a->buffer = own.buffer;
         return error;
       });
     }},
    {"delete_waits_for_none", "PJRT-Buffer_Delete-uses",
     "deleting an argument spoils the results that were computed from it",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error == nullptr && IsUsual(a) && a->num_args == 1) {
           last_run = {a->argument_lists[0][0], a->output_lists[0][0]};
         }
         return error;
       });
       Replace<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto* a) {
         if (a->buffer == last_run.argument || a->buffer == last_run.output) last_run = {};
         return Real().PJRT_Buffer_Destroy(a);
       });
       Replace<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto* a) {
         if (a->buffer != nullptr && a->buffer == last_run.argument) {
           auto pointer = MakeArgs<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
           pointer.buffer = last_run.output;
           if (Real().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&pointer) == nullptr) {
             std::memset(pointer.device_memory_ptr, 0, 4);
           }
         }
         return Real().PJRT_Buffer_Delete(a);
       });
     }},
    {"race", "PJRT-Threads-any", "an argument goes through a variable that all threads share",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (!IsUsual(a) || a->num_args != 1) return Real().PJRT_LoadedExecutable_Execute(a);
         PJRT_Buffer* arguments[] = {TheRace().PutAndGet(a->argument_lists[0][0])};
         return ExecuteChanged(a, a->options, arguments, 1);
       });
     }},
    {"fingerprint_changes", "PJRT-Executable_Fingerprint-stable",
     "the same program has another fingerprint every time",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_Fingerprint>(t, [](auto* a) {
         static std::atomic<int> count = 0;
         static thread_local std::string text;
         PJRT_Error* error = Real().PJRT_Executable_Fingerprint(a);
         if (error != nullptr) return error;
         text.assign(a->executable_fingerprint, a->executable_fingerprint_size);
         text += std::to_string(++count);
         a->executable_fingerprint = text.data();
         a->executable_fingerprint_size = text.size();
         return error;
       });
     }},
    {"optimized_too_small", "PJRT-Executable_OptimizedProgram-too-small",
     "a program is cut to the space that there is",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_OptimizedProgram>(t, [](auto* a) {
         if (a->program != nullptr && a->program->code != nullptr) ++a->program->code_size;
         return Real().PJRT_Executable_OptimizedProgram(a);
       });
     }},
    {"output_count", "PJRT-Executable_NumOutputs-program",
     "an executable says that it has another type of output than it has",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_OutputElementTypes>(t, [](auto* a) {
         static PJRT_Buffer_Type wrong[] = {PJRT_Buffer_Type_F64};
         PJRT_Error* error = Real().PJRT_Executable_OutputElementTypes(a);
         if (error == nullptr && a->num_output_types == 1) a->output_types = wrong;
         return error;
       });
     }},
    {"damaged_file_loads", "PJRT-Executable_DeserializeAndLoad-damaged",
     "damaged bytes load the executable that was saved last",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_Serialize>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Executable_Serialize(a);
         if (error == nullptr) LastSaved().assign(a->serialized_bytes, a->serialized_bytes_size);
         return error;
       });
       Replace<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Executable_DeserializeAndLoad(a);
         if (error == nullptr || a->client == nullptr || LastSaved().empty()) return error;
         FreeError(error);
         a->serialized_executable = LastSaved().data();
         a->serialized_executable_size = LastSaved().size();
         return Real().PJRT_Executable_DeserializeAndLoad(a);
       });
     }},
    {"foreign_format", "PJRT-Client_Compile-format", "a format that nobody knows is read as MLIR",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         if (a->program == nullptr) return Real().PJRT_Client_Compile(a);
         auto program = *a->program;
         program.format = "mlir";
         program.format_size = 4;
         auto own = *a;
         own.program = &program;
         PJRT_Error* error = Real().PJRT_Client_Compile(&own);
         a->executable = own.executable;
         return error;
       });
     }},
    {"old_artifacts", "PJRT-Plugin_Attributes-stablehlo",
     "artifacts before StableHLO 1.0 are promised, but not read",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         if (a->program != nullptr && a->program->code != nullptr) {
           std::string_view code(a->program->code, a->program->code_size);
           if (code.find("StableHLO_v0.") != std::string_view::npos) {
             return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "an old version of StableHLO");
           }
         }
         return Real().PJRT_Client_Compile(a);
       });
     }},
    {"compiler_aborts", "PJRT-Client_Compile-hostile",
     "a program without a module ends the process",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         if (a->program != nullptr && a->program->code != nullptr) {
           std::string_view code(a->program->code, a->program->code_size);
           if (code.starts_with("this is no program")) std::abort();
         }
         return Real().PJRT_Client_Compile(a);
       });
     }},
};

}  // namespace

std::span<const Mutant> ExecuteMutants() { return kExecuteMutants; }

}  // namespace plinth::mutants
