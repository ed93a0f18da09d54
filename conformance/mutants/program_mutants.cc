// SPDX-License-Identifier: Apache-2.0
// Programs as vendors get them wrong: what is said of them, what they get and give, what is kept.

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

constexpr auto kExecute = &PJRT_Api::PJRT_LoadedExecutable_Execute;
constexpr auto kCompile = &PJRT_Api::PJRT_Client_Compile;
constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";
constexpr char kProgram[] = "PJRT-Executable_NumOutputs-program";
constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kNew[] = "PJRT-Args-output-new";

struct Shape {
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  std::vector<int64_t> dims;
  bool operator==(const Shape&) const = default;
};
Shape ShapeOf(PJRT_Buffer* buffer) {
  auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  dims.buffer = buffer;
  PJRT_Error* error = Real().PJRT_Buffer_Dimensions(&dims);
  if (error != nullptr) {
    FreeError(error);
    return {};
  }
  return {ElementTypeOf(buffer), {dims.dims, dims.dims + dims.num_dims}};
}

// What compiling was asked for, the first time.
std::map<std::string, std::string>& FirstOptions() {
  static auto* const first = new std::map<std::string, std::string>;
  return *first;
}

struct Runs {
  std::vector<PJRT_Event*> events;
};
struct InPlace {
  bool is_so = false;
};

// The first client that lives.
std::vector<PJRT_Client*>& Clients() {
  static auto* const clients = new std::vector<PJRT_Client*>;
  return *clients;
}
void RememberClients(PJRT_Api& t) {
  ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(t, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Clients().push_back(a.client);
  });
  ChangeInputs<&PJRT_Api::PJRT_Client_Destroy>(t, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    std::erase(Clients(), a.client);
  });
}
PJRT_Client* FirstClient() {
  std::lock_guard<std::mutex> lock(Memory());
  return Clients().empty() ? nullptr : Clients().front();
}

// The bytes of a protocol buffer with its fields of that number in the opposite order.
std::string WithReversed(std::string_view bytes, uint32_t number) {
  auto varint = [&](size_t& at) {
    uint64_t value = 0;
    for (int shift = 0; at < bytes.size(); shift += 7) {
      auto byte = static_cast<unsigned char>(bytes[at++]);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  std::string others;
  std::vector<std::string> its;
  for (size_t at = 0; at < bytes.size();) {
    const size_t begin = at;
    const uint64_t tag = varint(at);
    if ((tag & 7) == 2) {
      const uint64_t size = varint(at);
      at += size;
    } else if ((tag & 7) == 0) {
      varint(at);
    } else {
      return std::string(bytes);
    }
    std::string field(bytes.substr(begin, at - begin));
    if (tag >> 3 == number) {
      its.push_back(field);
    } else {
      others += field;
    }
  }
  for (size_t i = its.size(); i-- > 0;) others += its[i];
  return others;
}

constexpr Mutant kProgramMutants[] = {
    {"equal_results_are_one", kNew, "two results of a program that are equal are one buffer",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         std::span<PJRT_Buffer*> outputs = OutputsOf(a);
         if (a.num_devices != 1 || outputs.size() < 2 || IsPending(outputs[0]) ||
             IsPending(outputs[1]) || CarriesError(outputs[0]))
           return;
         if (!(ShapeOf(outputs[0]) == ShapeOf(outputs[1])) || !AreEqual(outputs[0], outputs[1]))
           return;
         Destroy(outputs[1]);
         outputs[1] = outputs[0];
       });
     }},
    {"handle_of_argument", kNew, "a program that gives its argument back gives its buffer back",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         std::span<PJRT_Buffer*> outputs = OutputsOf(a);
         if (a.num_devices != 1 || outputs.size() != 1 || a.num_args != 1) return;
         PJRT_Buffer* argument = a.argument_lists[0][0];
         if (IsDeleted(argument) || IsPending(argument) || IsPending(outputs[0]) ||
             CarriesError(outputs[0]) || SizeOf(argument) == 0 ||
             !(ShapeOf(argument) == ShapeOf(outputs[0])) || !AreEqual(argument, outputs[0]))
           return;
         Destroy(outputs[0]);
         outputs[0] = argument;
       });
     }},
    {"first_not_donated", "PJRT-LoadedExecutable_Execute-not-donated",
     "of non_donatable_input_indices the first alone is looked at",
     [](PJRT_Api& t) {
       ChangeInputs<kExecute>(t, [](auto& a) {
         static thread_local PJRT_ExecuteOptions options;
         if (a.options == nullptr || a.options->num_non_donatable_input_indices < 2) return;
         options = MakeArgs<PJRT_ExecuteOptions>();
         std::memcpy(&options, a.options, std::min(sizeof(options), a.options->struct_size));
         options.struct_size = std::min(sizeof(options), a.options->struct_size);
         options.num_non_donatable_input_indices = 1;
         a.options = &options;
       });
     }},
    {"execute_device_ignored", kResults, "execute_device is not looked at",
     [](PJRT_Api& t) { ChangeInputs<kExecute>(t, [](auto& a) { a.execute_device = nullptr; }); }},
    {"others_complete_at_once", "PJRT-LoadedExecutable_Execute-done",
     "device_complete_events of devices after the first are ready at once",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         for (size_t i = 1; a.device_complete_events != nullptr && i < a.num_devices; ++i) {
           if (IsReady(a.device_complete_events[i])) continue;
           Drop(a.device_complete_events[i]);
           a.device_complete_events[i] = DoneEvent();
         }
       });
     }},
    {"scalars_of_first_device", kResults,
     "scalars of all devices are those that the first device got",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* args) {
         if (args->num_devices < 2 || args->num_args == 0 || args->argument_lists == nullptr)
           return (Real().*kExecute)(args);
         std::vector<std::vector<PJRT_Buffer*>> lists(args->num_devices);
         std::vector<PJRT_Buffer* const*> pointers;
         std::vector<PJRT_Buffer*> made;
         for (size_t d = 0; d < args->num_devices; ++d) {
           lists[d].assign(args->argument_lists[d], args->argument_lists[d] + args->num_args);
           for (size_t i = 0; d > 0 && i < args->num_args; ++i) {
             PJRT_Buffer* first = lists[0][i];
             if (IsDeleted(first) || IsDeleted(lists[d][i]) || RankOf(first) != 0 ||
                 CarriesError(first) || CarriesError(lists[d][i]) || IsPending(first) ||
                 IsPending(lists[d][i]))
               continue;
             auto copy = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
             copy.buffer = first;
             copy.dst_device = DeviceOf(lists[d][i]);
             PJRT_Error* error = Real().PJRT_Buffer_CopyToDevice(&copy);
             FreeError(error);
             if (error != nullptr) continue;
             made.push_back(lists[d][i] = copy.dst_buffer);
           }
           pointers.push_back(lists[d].data());
         }
         PJRT_Error* error =
             CallChanged<kExecute>(args, [&](auto& a) { a.argument_lists = pointers.data(); });
         for (PJRT_Buffer* buffer : made) Destroy(buffer);
         return error;
       });
     }},
    {"over_512_arguments", kAccepted, "an execution with more than 512 arguments is refused",
     [](PJRT_Api& t) { Refuse<kExecute>(t, [](const auto& a) { return a.num_args > 512; }); }},
    {"cache_without_options", "PJRT-Executable_NumReplicas-options",
     "a program that was compiled before is taken as it was, with other options too",
     [](PJRT_Api& t) {
       ChangeInputs<kCompile>(t, [](auto& a) {
         static thread_local std::string kept;
         if (a.program == nullptr || a.program->code == nullptr || a.compile_options == nullptr)
           return;
         std::lock_guard<std::mutex> lock(Memory());
         std::string code(a.program->code, a.program->code_size);
         std::string options(a.compile_options, a.compile_options_size);
         auto [found, is_new] = FirstOptions().emplace(code, options);
         if (is_new) return;
         kept = found->second;
         a.compile_options = kept.data();
         a.compile_options_size = kept.size();
       });
     }},
    {"cache_by_name_and_size", kResults,
     "a program of the same name and size as an earlier one is taken for it",
     [](PJRT_Api& t) {
       ChangeInputs<kCompile>(t, [](auto& a) {
         static thread_local std::string kept;
         static thread_local PJRT_Program program;
         if (!HasText(a)) return;
         std::string code(a.program->code, a.program->code_size);
         std::string key = Between(code, "module @", " ") + "/" + std::to_string(code.size());
         std::lock_guard<std::mutex> lock(Memory());
         auto [found, is_new] = FirstOptions().emplace(key, code);
         if (is_new) return;
         kept = found->second;
         program = *a.program;
         program.code = kept.data();
         program.code_size = kept.size();
         a.program = &program;
       });
     }},
    {"cost_of_no_arguments", "PJRT-Executable_GetCostAnalysis-named",
     "an estimate of a program without arguments is no number",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         static thread_local std::vector<PJRT_NamedValue> values;
         auto kinds = MakeArgs<PJRT_Executable_ParameterMemoryKinds_Args>();
         kinds.executable = a.executable;
         PJRT_Error* error = Real().PJRT_Executable_ParameterMemoryKinds(&kinds);
         FreeError(error);
         if (error != nullptr || kinds.num_parameters != 0 || a.num_properties == 0) return;
         values.assign(a.properties, a.properties + a.num_properties);
         for (PJRT_NamedValue& value : values) {
           if (value.type == PJRT_NamedValue_kFloat)
             value.float_value = std::numeric_limits<float>::quiet_NaN();
         }
         a.properties = values.data();
       });
     }},
    {"loaded_in_first_client", "PJRT-Executable_DeserializeAndLoad-same",
     "what is loaded from bytes runs in the first client that there is",
     [](PJRT_Api& t) {
       RememberClients(t);
       ChangeInputs<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto& a) {
         if (FirstClient() != nullptr && a.client != nullptr) a.client = FirstClient();
       });
     }},
    {"compiled_in_first_client", "PJRT-Client_Compile-assignment",
     "what is compiled runs in the first client that there is",
     [](PJRT_Api& t) {
       RememberClients(t);
       ChangeInputs<kCompile>(t, [](auto& a) {
         if (FirstClient() != nullptr && a.client != nullptr) a.client = FirstClient();
       });
     }},
    {"logical_ids_transposed", "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
     "logical ids say partition for replica",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_AddressableDeviceLogicalIds>(t, [](auto& a) {
         static thread_local std::vector<PJRT_LogicalDeviceIds> ids;
         ids.assign(a.addressable_device_logical_ids,
                    a.addressable_device_logical_ids + a.num_addressable_device_logical_ids);
         const bool is_square = std::any_of(ids.begin(), ids.end(), [](const auto& id) {
           return id.replica > 0 && id.partition > 0;
         });
         if (!is_square) return;
         for (auto& id : ids) std::swap(id.replica, id.partition);
         a.addressable_device_logical_ids = ids.data();
       });
     }},
    {"computations_reversed", "PJRT-LoadedExecutable_GetDeviceAssignment-options",
     "the assignment names its computations from the last to the first",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetDeviceAssignment>(t, [](auto& a) {
         static thread_local std::string kept;
         kept = WithReversed({a.serialized_bytes, a.serialized_bytes_size}, 3);
         a.serialized_bytes = kept.data();
         a.serialized_bytes_size = kept.size();
       });
     }},
    {"kinds_with_nul", "PJRT-Strings-size", "sizes of memory kinds of outputs count a NUL",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputMemoryKinds>(t, [](auto& a) {
         static thread_local std::vector<size_t> sizes;
         sizes.assign(a.memory_kind_sizes, a.memory_kind_sizes + a.num_outputs);
         for (size_t& size : sizes) ++size;
         a.memory_kind_sizes = sizes.data();
       });
     }},
    {"no_results_never_done", "PJRT-LoadedExecutable_Execute-done",
     "an execution without results never completes",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         if (a.device_complete_events == nullptr || NumOutputsOf(a.executable) != 0) return;
         for (size_t i = 0; i < a.num_devices; ++i) {
           Drop(a.device_complete_events[i]);
           a.device_complete_events[i] = PendingEvent();
         }
       });
     }},
    {"empty_results_not_read", "PJRT-Buffer_ToHostBuffer-contents",
     "a result without elements is not read",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         for (size_t d = 0; d < a.num_devices; ++d) {
           for (PJRT_Buffer* output : OutputsOf(a, d)) {
             if (SizeOf(output) == 0) Mark(output);
           }
         }
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
       Refuse<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(
           t, [](const auto& a) { return a.dst != nullptr && IsMarked(a.src); });
     }},
    {"predicates_of_ones", kResults, "true is stored as a byte of eight ones",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         for (size_t d = 0; d < a.num_devices; ++d) {
           for (PJRT_Buffer* output : OutputsOf(a, d)) {
             if (ElementTypeOf(output) != PJRT_Buffer_Type_PRED || IsPending(output)) continue;
             ChangeBytes(output, [](char* bytes, size_t size) {
               for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(bytes[i] ? -1 : 0);
             });
           }
         }
       });
     }},
    {"memory_of_first_device", "PJRT-Buffer_Memory-asked-for",
     "results of other devices are said to be in a memory of the first",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         std::span<PJRT_Buffer*> first = OutputsOf(a);
         for (size_t d = 1; d < a.num_devices && !first.empty(); ++d) {
           for (PJRT_Buffer* output : OutputsOf(a, d)) Note(output, MemoryOf(first[0]));
         }
       });
       ForgetBuffers<PJRT_Memory*>(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Memory>(t, [](auto& a) {
         PJRT_Memory* other = NoteOf<PJRT_Memory*>(a.buffer);
         if (other != nullptr) a.memory = other;
       });
     }},
    {"bytes_loaded_once", kNew, "bytes that were loaded before give the executable of then",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto* args) {
         static auto* const loaded = new std::map<std::string, PJRT_LoadedExecutable*>;
         if (args->serialized_executable == nullptr)
           return Real().PJRT_Executable_DeserializeAndLoad(args);
         std::string key(args->serialized_executable, args->serialized_executable_size);
         std::lock_guard<std::mutex> lock(Memory());
         auto found = loaded->find(key);
         if (found != loaded->end()) {
           args->loaded_executable = found->second;
           return static_cast<PJRT_Error*>(nullptr);
         }
         PJRT_Error* error = Real().PJRT_Executable_DeserializeAndLoad(args);
         if (error == nullptr) (*loaded)[key] = args->loaded_executable;
         return error;
       });
     }},
    {"program_to_nul", "PJRT-Strings-size", "a program ends where there is a NUL",
     [](PJRT_Api& t) {
       ChangeInputs<kCompile>(t, [](auto& a) {
         static thread_local PJRT_Program program;
         if (!HasText(a)) return;
         program = *a.program;
         program.code_size = strnlen(program.code, program.code_size + 64);
         a.program = &program;
       });
     }},
    {"argument_gone_before_run", "PJRT-Buffer_Delete-uses",
     "an argument that is destroyed before its execution begins is read afterwards",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         std::span<PJRT_Buffer*> outputs = OutputsOf(a);
         if (a.num_devices != 1 || outputs.empty() || !IsPending(outputs[0])) return;
         for (size_t i = 0; i < a.num_args; ++i) {
           PJRT_Buffer* argument = a.argument_lists[0][i];
           if (IsDeleted(argument) || IsPending(argument)) continue;
           Runs runs = NoteOf<Runs>(argument);
           runs.events.push_back(ReadyEventOf(outputs[0]));
           Note(argument, runs);
         }
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         for (PJRT_Event* event : NoteOf<Runs>(a.buffer).events) {
           if (!IsReady(event)) Clear(a.buffer);
           Drop(event);
         }
         Note(a.buffer, Runs{});
       });
     }},
    {"updated_in_place", "PJRT-Args-input",
     "an update of a slice changes an argument that is not donated, too",
     [](PJRT_Api& t) {
       Replace<kCompile>(t, [](auto* args) {
         PJRT_Error* error = (Real().*kCompile)(args);
         if (error == nullptr && HasText(*args) &&
             Has({args->program->code, args->program->code_size}, "dynamic_update_slice"))
           Note(args->executable, InPlace{true});
         return error;
       });
       ForgetExecutables<InPlace>(t);
       ChangeOutputs<kExecute>(t, [](auto& a) {
         std::span<PJRT_Buffer*> outputs = OutputsOf(a);
         if (!NoteOf<InPlace>(a.executable).is_so || a.num_devices != 1 || a.num_args == 0) return;
         PJRT_Buffer* argument = a.argument_lists[0][0];
         if (IsDeleted(argument) || IsPending(argument) || outputs.size() != 1 ||
             IsPending(outputs[0]) || CarriesError(outputs[0]) ||
             !(ShapeOf(argument) == ShapeOf(outputs[0])))
           return;
         ChangeBytes(argument, [&](char* bytes, size_t size) {
           if (const char* from = BytesOf(outputs[0])) std::memcpy(bytes, from, size);
         });
       });
     }},
    {"aliases_exchanged", kResults,
     "results that take the place of two donated arguments are exchanged",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* args) {
         std::vector<bool> were(args->num_devices == 1 ? args->num_args : 0);
         for (size_t i = 0; i < were.size(); ++i) were[i] = IsDeleted(args->argument_lists[0][i]);
         PJRT_Error* error = (Real().*kExecute)(args);
         if (error != nullptr) return error;
         int donated = 0;
         for (size_t i = 0; i < were.size(); ++i)
           donated += !were[i] && IsDeleted(args->argument_lists[0][i]);
         std::span<PJRT_Buffer*> outputs = OutputsOf(*args);
         if (donated > 1 && outputs.size() > 1 && ShapeOf(outputs[0]) == ShapeOf(outputs[1]))
           std::swap(outputs[0], outputs[1]);
         return error;
       });
     }},
    {"scalar_results_are_lists", kProgram, "scalar results of a program are lists of one",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         static thread_local std::vector<int64_t> dims;
         static thread_local std::vector<size_t> sizes;
         dims.clear();
         sizes.assign(a.dim_sizes, a.dim_sizes + a.num_outputs);
         const int64_t* next = a.dims;
         for (size_t& size : sizes) {
           dims.insert(dims.end(), next, next + size);
           next += size;
           if (size != 0) continue;
           dims.push_back(1);
           size = 1;
         }
         a.dims = dims.data();
         a.dim_sizes = sizes.data();
       });
     }},
    {"brain_floats_are_halves", kProgram, "results of bf16 are said to be of f16",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputElementTypes>(t, [](auto& a) {
         static thread_local std::vector<PJRT_Buffer_Type> types;
         types.assign(a.output_types, a.output_types + a.num_output_types);
         std::replace(types.begin(), types.end(), PJRT_Buffer_Type_BF16, PJRT_Buffer_Type_F16);
         a.output_types = types.data();
       });
     }},
    {"long_names_cut", "PJRT-Executable_Name-program", "names end after 63 bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Name>(t, [](auto& a) {
         a.executable_name_size = std::min<size_t>(a.executable_name_size, 63);
       });
     }},
};

}  // namespace

std::span<const Mutant> ProgramMutants() { return kProgramMutants; }

}  // namespace plinth::mutants
