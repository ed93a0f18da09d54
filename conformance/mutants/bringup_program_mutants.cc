// SPDX-License-Identifier: Apache-2.0
// Bugs of a bring-up: what executables say, how they are saved and loaded, and how they run.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "conformance/mutants/bringup_mutants.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

using Execution = PJRT_LoadedExecutable_Execute_Args;
constexpr auto kRun = &PJRT_Api::PJRT_LoadedExecutable_Execute;
constexpr auto kLoad = &PJRT_Api::PJRT_Executable_DeserializeAndLoad;
constexpr auto kUnload = &PJRT_Api::PJRT_LoadedExecutable_Delete;
constexpr auto kFree = &PJRT_Api::PJRT_LoadedExecutable_Destroy;
constexpr auto kProgram = &PJRT_Api::PJRT_Executable_OptimizedProgram;

// Runs with options that `change` has changed.
template <typename Change>
PJRT_Error* RunWithOptions(Execution* args, Change change) {
  if (args->options == nullptr) return Real().PJRT_LoadedExecutable_Execute(args);
  PJRT_ExecuteOptions options = {};
  std::memcpy(&options, args->options, std::min(sizeof(options), args->options->struct_size));
  // What the caller's struct does not reach is 0, which is what it means.
  options.struct_size = StructOf<PJRT_ExecuteOptions>::kSize;
  change(options);
  return CallChanged<kRun>(args, [&](auto& own) { own.options = &options; });
}

bool HasFailedArgument(const Execution& args) {
  if (args.argument_lists == nullptr) return false;
  for (size_t device = 0; device < args.num_devices; ++device) {
    for (size_t i = 0; args.argument_lists[device] != nullptr && i < args.num_args; ++i) {
      if (CarriesError(args.argument_lists[device][i])) return true;
    }
  }
  return false;
}

// Outputs get an error that says nothing of the argument's.
PJRT_Error* RunWithBareErrors(Execution* args) {
  const bool fails = HasFailedArgument(*args);
  PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(args);
  if (error != nullptr || !fails) return error;
  for (size_t device = 0; device < args->num_devices; ++device) {
    for (PJRT_Buffer*& output : OutputsOf(*args, device)) {
      PJRT_Buffer* failed = Failed(output, ClientOf(DeviceOf(output)), PJRT_Error_Code_INTERNAL);
      if (failed == nullptr) continue;
      Destroy(output);
      output = failed;
    }
  }
  return nullptr;
}

// Arguments of devices after the first that are donated stay as if they were not.
PJRT_Error* RunAndKeepOthers(Execution* args) {
  std::vector<PJRT_Buffer*> alive;
  for (size_t device = 1; args->argument_lists != nullptr && device < args->num_devices; ++device) {
    for (size_t i = 0; args->argument_lists[device] != nullptr && i < args->num_args; ++i) {
      PJRT_Buffer* argument = args->argument_lists[device][i];
      if (argument != nullptr && !IsDeleted(argument)) alive.push_back(argument);
    }
  }
  PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(args);
  if (error != nullptr) return error;
  for (PJRT_Buffer* argument : alive) {
    if (IsDeleted(argument)) Mark(argument);
  }
  return nullptr;
}

// Numbers that stay, and are there once however often they are asked for.
template <typename Number>
const Number* KeptNumbers(std::vector<Number> numbers) {
  static auto* const kept = new std::set<std::vector<Number>>;
  std::lock_guard<std::mutex> lock(Memory());
  return kept->insert(std::move(numbers)).first->data();
}

// What is remembered of an executable, in a place that stays until it is freed.
template <typename Element>
std::vector<Element>& NotedList(PJRT_LoadedExecutable* executable) {
  return Noted<PJRT_LoadedExecutable, std::vector<Element>>()[executable];
}

// The same arguments with elements of another type; empty where one cannot be seen so.
std::vector<PJRT_Buffer*> SeenAs(const Execution& args, PJRT_Buffer_Type from,
                                 PJRT_Buffer_Type to) {
  std::vector<PJRT_Buffer*> seen;
  for (size_t device = 0; device < args.num_devices; ++device) {
    for (size_t i = 0; i < args.num_args; ++i) {
      PJRT_Buffer* argument = args.argument_lists[device][i];
      auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
      dims.buffer = argument;
      Quiet<&PJRT_Api::PJRT_Buffer_Dimensions>(dims);
      const PJRT_Buffer_Type type = ElementTypeOf(argument);
      auto cast = MakeArgs<PJRT_Buffer_Bitcast_Args>();
      cast.buffer = argument;
      cast.element_type = type == from ? to : type;
      cast.dims = dims.dims;
      cast.num_dims = dims.num_dims;
      if (!IsDeleted(argument)) Quiet<&PJRT_Api::PJRT_Buffer_Bitcast>(cast);
      seen.push_back(cast.out_buffer);
    }
  }
  return seen;
}

// Runs with arguments of the other type of 32 bits where those given are refused.
PJRT_Error* RunByBytes(Execution* args) {
  PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(args);
  if (error == nullptr || args->argument_lists == nullptr || args->num_args == 0 ||
      Real().PJRT_Buffer_Bitcast == nullptr)
    return error;
  for (size_t device = 0; device < args->num_devices; ++device) {
    PJRT_Buffer* const* list = args->argument_lists[device];
    if (list == nullptr || std::count(list, list + args->num_args, nullptr) > 0) return error;
  }
  for (auto [from, to] : {std::pair(PJRT_Buffer_Type_S32, PJRT_Buffer_Type_F32),
                          std::pair(PJRT_Buffer_Type_F32, PJRT_Buffer_Type_S32)}) {
    std::vector<PJRT_Buffer*> seen = SeenAs(*args, from, to);
    std::vector<PJRT_Buffer* const*> lists;
    for (size_t device = 0; device < args->num_devices; ++device)
      lists.push_back(seen.data() + device * args->num_args);
    PJRT_Error* again = error;
    if (std::count(seen.begin(), seen.end(), nullptr) == 0) {
      again = CallChanged<kRun>(args, [&](auto& own) { own.argument_lists = lists.data(); });
    }
    for (PJRT_Buffer* buffer : seen) Destroy(buffer);
    if (again == error) continue;
    if (again == nullptr) {
      FreeError(error);
      return nullptr;
    }
    FreeError(again);
  }
  return error;
}

constexpr Mutant kBringupProgramMutants[] = {
    {"complete_events_early_elsewhere", "PJRT-LoadedExecutable_Execute-done",
     "only the event of the first device waits for the work",
     [](PJRT_Api& t) {
       ChangeOutputs<kRun>(t, [](auto& a) {
         if (a.device_complete_events == nullptr) return;
         for (size_t i = 1; i < a.num_devices; ++i) {
           Drop(a.device_complete_events[i]);
           a.device_complete_events[i] = DoneEvent();
         }
       });
     }},
    {"scalar_output_as_vector", "PJRT-Executable_NumOutputs-program",
     "an output without dimensions is said to have one of size 1",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         std::vector<int64_t> dims;
         std::vector<size_t> ranks(a.dim_sizes, a.dim_sizes + a.num_outputs);
         const int64_t* next = a.dims;
         for (size_t& rank : ranks) {
           dims.insert(dims.end(), next, next + rank);
           next += rank;
           if (rank == 0) dims.push_back(1);
           rank = std::max<size_t>(rank, 1);
         }
         if (ranks.empty()) return;
         a.dims = KeptNumbers(dims);
         a.dim_sizes = KeptNumbers(ranks);
       });
     }},
    {"output_kinds_default", "PJRT-Executable_NumOutputs-program",
     "each output is said to lie in the memory of the device, also one that the program puts "
     "elsewhere",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputMemoryKinds>(t, [](auto& a) {
         static const std::vector<const char*> kinds(1024, "device");
         static const std::vector<size_t> sizes(1024, 6);
         if (a.num_outputs == 0 || a.num_outputs > kinds.size()) return;
         a.memory_kinds = kinds.data();
         a.memory_kind_sizes = sizes.data();
       });
     }},
    {"deserialized_never_donates", "PJRT-LoadedExecutable_Execute-donation",
     "a program that was loaded from bytes no longer knows which arguments it may reuse",
     [](PJRT_Api& t) {
       ChangeOutputs<kLoad>(t, [](auto& a) { Mark(a.loaded_executable); });
       ChangeInputs<kFree>(t, [](auto& a) { Unmark(a.executable); });
       Replace<kRun>(t, [](auto* a) {
         if (!IsMarked(a->executable)) return Real().PJRT_LoadedExecutable_Execute(a);
         std::vector<int64_t> all(a->num_args);
         std::iota(all.begin(), all.end(), 0);
         return RunWithOptions(a, [&](auto& options) {
           options.non_donatable_input_indices = all.data();
           options.num_non_donatable_input_indices = all.size();
         });
       });
     }},
    {"default_assignment_transposed", "PJRT-Args-output-true",
     "the default assignment goes partition by partition, what is compiled replica by replica",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto& a) {
         const size_t replicas = a.num_replicas, partitions = a.num_partitions;
         if (a.default_assignment == nullptr) return;
         const std::vector<int> right(a.default_assignment,
                                      a.default_assignment + replicas * partitions);
         for (size_t i = 0; i < right.size(); ++i) {
           a.default_assignment[i % partitions * replicas + i / partitions] = right[i];
         }
       });
     }},
    {"optimized_program_exact_size", "PJRT-Executable_OptimizedProgram-two-calls",
     "room for more than the optimized program is refused",
     [](PJRT_Api& t) {
       Replace<kProgram>(t, [](auto* a) {
         if (a->executable == nullptr || a->program == nullptr || a->program->code == nullptr)
           return Real().PJRT_Executable_OptimizedProgram(a);
         auto program = MakeArgs<PJRT_Program>();
         auto size = MakeArgs<PJRT_Executable_OptimizedProgram_Args>();
         size.executable = a->executable;
         size.program = &program;
         Quiet<kProgram>(size);
         if (program.code_size > 0 && a->program->code_size > program.code_size)
           return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "code_size is not the size needed");
         return Real().PJRT_Executable_OptimizedProgram(a);
       });
     }},
    {"cost_analysis_shared", "PJRT-Args-output-lifetime",
     "estimates lie in one place, where those of the next program take theirs",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         static PJRT_NamedValue shared[64];
         if (a.num_properties == 0 || a.num_properties > std::size(shared)) return;
         std::lock_guard<std::mutex> lock(Memory());
         std::copy_n(a.properties, a.num_properties, shared);
         a.properties = shared;
       });
     }},
    {"input_error_text_lost", "PJRT-LoadedExecutable_Execute-error-input",
     "outputs that fail since an argument did carry an error without its text",
     [](PJRT_Api& t) {
       RememberClientsOfDevices(t);
       Replace<kRun>(t, [](auto* a) { return RunWithBareErrors(a); });
     }},
    {"failed_run_completes_well", "PJRT-LoadedExecutable_Execute-asynchronous",
     "an execution whose argument carries an error is done without one",
     [](PJRT_Api& t) {
       Replace<kRun>(t, [](auto* a) {
         const bool fails = HasFailedArgument(*a);
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || !fails || a->device_complete_events == nullptr) return error;
         for (size_t i = 0; i < a->num_devices; ++i) {
           Drop(a->device_complete_events[i]);
           a->device_complete_events[i] = DoneEvent();
         }
         return error;
       });
     }},
    // Frameworks take the order for that of the shards.
    {"executable_devices_sorted", "PJRT-Client_Compile-assignment",
     "the devices of an executable are listed by their ids, not as they were assigned",
     [](PJRT_Api& t) {
       ForgetExecutables<std::vector<PJRT_Device*>>(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_AddressableDevices>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto& devices = NotedList<PJRT_Device*>(a.executable);
         if (devices.empty()) {
           devices.assign(a.addressable_devices, a.addressable_devices + a.num_addressable_devices);
           std::sort(devices.begin(), devices.end(),
                     [](PJRT_Device* one, PJRT_Device* other) { return IdOf(one) < IdOf(other); });
         }
         a.addressable_devices = devices.data();
       });
     }},
    {"argument_type_by_size", "PJRT-LoadedExecutable_Execute-type",
     "arguments are compared by their bytes: integers of 32 bits are taken for floats",
     [](PJRT_Api& t) { Replace<kRun>(t, [](auto* a) { return RunByBytes(a); }); }},
    {"launch_id_written", "PJRT-Args-input",
     "an execution without a launch id gets one, in the caller's options",
     [](PJRT_Api& t) {
       ChangeOutputs<kRun>(t, [](auto& a) {
         static int next = 0;
         if (a.options->launch_id == 0) a.options->launch_id = ++next;
       });
     }},
    {"unload_only_flag", "PJRT-LoadedExecutable_Execute-deleted-executable",
     "a program that was unloaded says so, and runs as before",
     [](PJRT_Api& t) {
       Replace<kUnload>(t, [](auto* a) -> PJRT_Error* {
         if (a->executable == nullptr) return Real().PJRT_LoadedExecutable_Delete(a);
         Mark(a->executable);
         return nullptr;
       });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_IsDeleted>(
           t, [](auto& a) { a.is_deleted = IsMarked(a.executable); });
       ChangeInputs<kFree>(t, [](auto& a) { Unmark(a.executable); });
     }},
    {"donation_first_device_only", "PJRT-LoadedExecutable_Execute-donation",
     "only the donated arguments of the first device count as deleted",
     [](PJRT_Api& t) {
       Replace<kRun>(t, [](auto* a) { return RunAndKeepOthers(a); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IsDeleted>(
           t, [](auto& a) { a.is_deleted = a.is_deleted && !IsMarked(a.buffer); });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) { Unmark(a.buffer); });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
     }},
    // jax.lax.dot(..., preferred_element_type=float32) is how models keep their precision.
    {"dot_result_type_of_operands", "PJRT-LoadedExecutable_Execute-results",
     "a product of narrow floats with a wide result is rounded to the narrow type first",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& write) -> std::string {
         if (op.name != "dot_general" || op.operand_types.empty() || ElementOf(op.type) != "f32")
           return "";
         const std::string element = ElementOf(op.operand_types[0]);
         if (element != "bf16" && element != "f16") return "";
         const std::string narrow = WithElement(op.type, element);
         return write.Convert(write.Keep(op, Replaced(op.text, "-> " + op.type, "-> " + narrow)),
                              narrow, op.type);
       });
     }},
    {"alias_size_zero", "PJRT-Executable_GetCompiledMemoryStats-alias",
     "outputs that reuse arguments are not counted",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(
           t, [](auto& a) { a.alias_size_in_bytes = 0; });
     }},
};

}  // namespace

std::span<const Mutant> BringupProgramMutants() { return kBringupProgramMutants; }

}  // namespace plinth::mutants
