// SPDX-License-Identifier: Apache-2.0
// What a platform makes of runs, clients, texts and numbers: queues of a fixed depth, tables of a
// fixed size, habits of its libraries. An eleventh set, written before a look at the cases.

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

constexpr auto kExecute = &PJRT_Api::PJRT_LoadedExecutable_Execute;
constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kMemory[] = "PJRT-Process-memory";
constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

// Events of what runs.
std::vector<PJRT_Event*>& InFlight() {
  static auto* const events = new std::vector<PJRT_Event*>;
  return *events;
}
std::atomic<int> last_launch = 0;
std::atomic<int> clients = 0;

// As printf would: what looks like a number or a text that is to come is one of nothing.
std::string Formatted(std::string_view text) {
  std::string formatted;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 1 < text.size()) {
      formatted += text[++i] == '%' ? "%" : "(null)";
    } else {
      formatted += text[i];
    }
  }
  return formatted;
}
template <typename Args>
void FormatMessage(Args& a) {
  static thread_local std::string text;
  if (a.error_message == nullptr) return;
  text = Formatted({a.error_message, a.error_message_size});
  a.error_message = text.data();
  a.error_message_size = text.size();
}

std::string InWider(const Op& op, Statements& s, std::string_view name, std::string_view element,
                    const std::string& as) {
  return op.name == name && ElementOf(op.type) == element ? s.InType(op, as) : std::string();
}

constexpr Mutant kPlatformMutants[] = {
    {"launch_id_once", kAccepted, "a run with the launch id of the run before is refused",
     [](PJRT_Api& t) {
       Refuse<kExecute, PJRT_Error_Code_ALREADY_EXISTS>(t, [](const auto& a) {
         const int id = a.options == nullptr ? 0 : a.options->launch_id;
         return id != 0 && last_launch.exchange(id) == id;
       });
     }},
    {"argument_zero_is_donated", "PJRT-LoadedExecutable_Execute-not-donated",
     "argument 0 is donated though it must not be",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* args) {
         if (args->options == nullptr || args->options->non_donatable_input_indices == nullptr)
           return (Real().*kExecute)(args);
         PJRT_ExecuteOptions options = MakeArgs<PJRT_ExecuteOptions>();
         std::memcpy(&options, args->options,
                     std::min(sizeof(options), args->options->struct_size));
         options.struct_size = std::min(sizeof(options), args->options->struct_size);
         std::vector<int64_t> others;
         for (size_t i = 0; i < options.num_non_donatable_input_indices; ++i) {
           if (options.non_donatable_input_indices[i] != 0)
             others.push_back(options.non_donatable_input_indices[i]);
         }
         options.non_donatable_input_indices = others.data();
         options.num_non_donatable_input_indices = others.size();
         return CallChanged<kExecute>(args, [&](auto& a) { a.options = &options; });
       });
     }},
    {"loaded_donates_nothing", "PJRT-LoadedExecutable_Execute-donation",
     "what was loaded from bytes donates nothing",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Mark(a.loaded_executable); });
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(
           t, [](auto& a) { Unmark(a.executable); });
       Replace<kExecute>(t, [](auto* args) {
         if (!IsMarked(args->executable) || args->options == nullptr)
           return (Real().*kExecute)(args);
         PJRT_ExecuteOptions options = MakeArgs<PJRT_ExecuteOptions>();
         options.launch_id = args->options->launch_id;
         std::vector<int64_t> all;
         for (size_t i = 0; i < args->num_args; ++i) all.push_back(static_cast<int64_t>(i));
         options.non_donatable_input_indices = all.data();
         options.num_non_donatable_input_indices = all.size();
         return CallChanged<kExecute>(args, [&](auto& a) { a.options = &options; });
       });
     }},
    {"failed_input_completes", "PJRT-LoadedExecutable_Execute-error-input",
     "a run on an argument that carries an error completes without one",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* args) {
         bool fails = false;
         for (size_t d = 0; args->argument_lists != nullptr && d < args->num_devices; ++d) {
           for (size_t i = 0; i < args->num_args; ++i)
             fails = fails || CarriesError(args->argument_lists[d][i]);
         }
         PJRT_Error* error = (Real().*kExecute)(args);
         if (error != nullptr || !fails || args->device_complete_events == nullptr) return error;
         for (size_t d = 0; d < args->num_devices; ++d) {
           Drop(args->device_complete_events[d]);
           args->device_complete_events[d] = DoneEvent();
         }
         return error;
       });
     }},
    {"costs_once", "PJRT-Args-output-same", "the costs of an executable are told once",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         if (IsMarked(a.executable)) a.num_properties = 0;
         Mark(a.executable);
       });
       ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
     }},
    {"name_to_dot", "PJRT-Executable_Name-program", "the name of a program ends at a dot",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Name>(t, [](auto& a) {
         std::string_view name(a.executable_name, a.executable_name_size);
         a.executable_name_size = std::min(name.find('.'), name.size());
       });
     }},
    {"loaded_forgets_partitions", "PJRT-Executable_NumPartitions-options",
     "what was loaded from bytes says that it has one partition",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Mark(a.loaded_executable); });
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(
           t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(t, [](auto& a) {
         if (IsMarked(a.loaded_executable)) {
           Mark(a.executable);
         } else {
           Unmark(a.executable);
         }
       });
       ChangeOutputs<&PJRT_Api::PJRT_Executable_NumPartitions>(t, [](auto& a) {
         if (IsMarked(a.executable)) a.num_partitions = 1;
       });
     }},
    {"eight_in_flight", kAccepted, "a run is refused while eight wait for their arguments",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* args) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           std::erase_if(InFlight(), [](PJRT_Event* event) {
             if (!IsReady(event)) return false;
             Drop(event);
             return true;
           });
           if (InFlight().size() >= 8)
             return MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "the queue is full");
         }
         PJRT_Error* error = (Real().*kExecute)(args);
         if (error != nullptr || OutputsOf(*args).empty()) return error;
         PJRT_Event* event = ReadyEventOf(OutputsOf(*args)[0]);
         std::lock_guard<std::mutex> lock(Memory());
         InFlight().push_back(event);
         return error;
       });
     }},
    {"last_devices_swapped", kResults, "on four devices the last two have each other's outputs",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         if (a.num_devices != 4 || a.output_lists == nullptr) return;
         std::swap_ranges(OutputsOf(a, 2).begin(), OutputsOf(a, 2).end(), OutputsOf(a, 3).begin());
       });
     }},
    {"text_is_format", "PJRT-Client_CreateErrorBuffer-carries",
     "signs of per cent in the text of an error are taken for places of a format",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(t, [](auto& a) { FormatMessage(a); });
       ChangeInputs<&PJRT_Api::PJRT_Event_Set>(t, [](auto& a) { FormatMessage(a); });
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(
           t, [](auto& a) { FormatMessage(a); });
     }},
    {"sixteen_clients", kAccepted, "a process makes 16 clients, and no more",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_Create, PJRT_Error_Code_RESOURCE_EXHAUSTED>(
           t, [](const auto&) { return ++clients > 16; });
     }},
    {"ids_of_8_bits", "PJRT-Client_LookupDevice-unknown",
     "of the id of a device the lower 8 bits are looked at",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_LookupDevice>(t, [](auto& a) { a.id &= 255; });
     }},
    {"read_topology_has_no_version", "PJRT-TopologyDescription_Deserialize-same",
     "a topology that was read from bytes has no version",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Deserialize>(
           t, [](auto& a) { Mark(a.topology); });
       ChangeInputs<&PJRT_Api::PJRT_TopologyDescription_Destroy>(
           t, [](auto& a) { Unmark(a.topology); });
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_PlatformVersion>(t, [](auto& a) {
         if (IsMarked(a.topology)) a.platform_version_size = 0;
       });
     }},
    {"error_without_text_is_none", "PJRT-Event_Set-outcome",
     "an event that is set to an error without a text succeeds",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Set>(t, [](auto& a) {
         if (a.error_message_size == 0) a.error_code = PJRT_Error_Code_OK;
       });
     }},
    {"default_goes_by_partition", "PJRT-Client_DefaultDeviceAssignment-devices",
     "the default assignment goes partition by partition",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto& a) {
         const size_t replicas = static_cast<size_t>(a.num_replicas);
         const size_t partitions = static_cast<size_t>(a.num_partitions);
         if (a.default_assignment == nullptr || a.default_assignment_size < replicas * partitions)
           return;
         const std::vector<int> were(a.default_assignment,
                                     a.default_assignment + replicas * partitions);
         for (size_t r = 0; r < replicas; ++r) {
           for (size_t p = 0; p < partitions; ++p)
             a.default_assignment[r * partitions + p] = were[p * replicas + r];
         }
       });
     }},
    {"clear_takes_limit", "PJRT-Device_MemoryStats-bytes_limit",
     "after its statistics were cleared a device has no limit",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_ClearMemoryStats>(t, [](auto& a) { Mark(a.device); });
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         if (IsMarked(a.device)) a.bytes_limit = 0;
       });
     }},
    {"ignores_broken_pipes", "PJRT-Process-state", "making a client ignores SIGPIPE",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(t,
                                                    [](auto&) { std::signal(SIGPIPE, SIG_IGN); });
     }},
    {"closes_umask", "PJRT-Process-state", "serializing lets nobody else read new files",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Executable_Serialize>(t, [](auto&) { umask(0077); });
     }},
    {"banner_on_stdout", "PJRT-Process-alive", "making a client prints the platform's name",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(t, [](auto&) {
         std::printf("NPU runtime 2.4.1 (release)\n");
         std::fflush(stdout);
       });
     }},
    {"unknown_ids_leak", kMemory, "each id that no device has leaves 100 bytes",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_LookupDevice>(t, [](auto* args) {
         PJRT_Error* error = Real().PJRT_Client_LookupDevice(args);
         if (error != nullptr) Forget(100);
         return error;
       });
     }},
    {"client_leaves_mapping", kMemory, "each client leaves 64 KiB mapped",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(t, [](auto&) {
         void* at =
             mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         if (at != MAP_FAILED) std::memset(at, 1, 65536);
       });
     }},
    {"products_of_bytes", kResults, "products of bytes are summed in bytes",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "dot_general" || ElementOf(op.type) != "i32" || op.operand_types.empty() ||
             ElementOf(op.operand_types[0]) != "i8")
           return {};
         const std::string narrow = WithElement(op.type, "i8");
         return s.Convert(s.Keep(op, Replaced(op.text, "-> " + op.type, "-> " + narrow)), narrow,
                          op.type);
       });
     }},
    {"powers_by_float", kResults, "powers of i32 are computed in f32",
     [](PJRT_Api& t) {
       RewriteOps(
           t, [](const Op& op, Statements& s) { return InWider(op, s, "power", "i32", "f32"); });
     }},
    {"roots_by_float", kResults, "reciprocal roots of f64 are computed in f32",
     [](PJRT_Api& t) {
       RewriteOps(
           t, [](const Op& op, Statements& s) { return InWider(op, s, "rsqrt", "f64", "f32"); });
     }},
    {"large_maximum_signed", kResults, "the larger of two ui64 is found as of signed ones",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "maximum" || ElementOf(op.type) != "ui64") return {};
         const std::string other = WithElement(op.type, "i64");
         return s.Bitcast(s.Binary("maximum", s.Bitcast(op.operands[0], op.type, other),
                                   s.Bitcast(op.operands[1], op.type, other), other),
                          other, op.type);
       });
     }},
    {"log1p_by_log", kResults, "log_plus_one of f64 is the logarithm of a sum",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "log_plus_one" || ElementOf(op.type) != "f64" || IsComplex(op.type))
           return {};
         return s.Unary("log", s.Binary("add", op.operands[0], s.Splat(1, op.type), op.type),
                        op.type);
       });
     }},
    {"shifts_by_lower_bits", kResults, "a shift by 32 or more shifts by the lower 5 bits",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "shift_left" || BitsOf(op.type) != 32) return {};
         return s.Binary("shift_left", op.operands[0],
                         s.Binary("and", op.operands[1], s.Splat(31, op.type), op.type), op.type);
       });
     }},
};

}  // namespace

std::span<const Mutant> PlatformMutants() { return kPlatformMutants; }

}  // namespace plinth::mutants
