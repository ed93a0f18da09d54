// SPDX-License-Identifier: Apache-2.0
// Bugs of compilers, caches and what they tell about executables, and of how these run: caches that
// look at too little, answers that share a place, arguments of another type, what is left of the
// run before. Written from the requirements, without looking at the cases.

#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";
constexpr char kLifetime[] = "PJRT-Args-output-lifetime";

// Compiles what the first program with that key was.
PJRT_Error* CompileFirstOf(const std::string& key, PJRT_Client_Compile_Args* a) {
  static auto* const programs = new std::map<std::string, std::string>;
  std::string code(a->program->code, a->program->code_size);
  {
    std::lock_guard<std::mutex> lock(Memory());
    auto [found, is_new] = programs->try_emplace(key, code);
    code = found->second;
  }
  return CompileText(a, std::move(code));
}

std::set<PJRT_LoadedExecutable*>& FromBytes() {
  static auto* const loaded = new std::set<PJRT_LoadedExecutable*>;
  return *loaded;
}

constexpr Mutant kExecutableMutants[] = {
    {"cache_by_name", kResults, "programs of one name are compiled once",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         if (!HasText(*a)) return Real().PJRT_Client_Compile(a);
         std::string name = Between({a->program->code, a->program->code_size}, "module @", " ");
         return name.empty() ? Real().PJRT_Client_Compile(a) : CompileFirstOf(name, a);
       });
     }},
    {"cache_by_beginning", kResults, "programs that begin with the same 256 bytes are one",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         if (!HasText(*a) || a->program->code_size < 256) return Real().PJRT_Client_Compile(a);
         return CompileFirstOf(std::string(a->program->code, 256), a);
       });
     }},
    {"cache_without_constants", kResults, "programs that differ in a constant alone are one",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         if (!HasText(*a)) return Real().PJRT_Client_Compile(a);
         std::string key, code(a->program->code, a->program->code_size);
         size_t at = 0;
         for (size_t found; (found = code.find("constant dense<", at)) != code.npos;) {
           key += code.substr(at, found - at);
           at = code.find('>', found);
           if (at == code.npos) break;
         }
         if (at == 0 || at == code.npos) return Real().PJRT_Client_Compile(a);
         return CompileFirstOf(key + code.substr(at), a);
       });
     }},
    {"options_of_first", "PJRT-Args-output-true",
     "a program that was compiled before has the options of the first time",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         static auto* const options = new std::map<std::string, std::string>;
         if (!HasText(*a) || a->compile_options == nullptr) return Real().PJRT_Client_Compile(a);
         std::string own_options(a->compile_options, a->compile_options_size);
         {
           std::lock_guard<std::mutex> lock(Memory());
           std::string code(a->program->code, a->program->code_size);
           own_options = options->try_emplace(code, own_options).first->second;
         }
         return CallChanged<&PJRT_Api::PJRT_Client_Compile>(a, [&](auto& own) {
           own.compile_options = own_options.data();
           own.compile_options_size = own_options.size();
         });
       });
     }},
    {"replicas_are_partitions", "PJRT-Executable_NumReplicas-options",
     "replicas and partitions are exchanged",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_NumReplicas>(t, [](auto& a) {
         auto other = MakeArgs<PJRT_Executable_NumPartitions_Args>();
         other.executable = a.executable;
         FreeError(Real().PJRT_Executable_NumPartitions(&other));
         a.num_replicas = other.num_partitions;
       });
     }},
    {"short_names", "PJRT-Executable_Name-program", "names of executables have at most 15 bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Name>(t, [](auto& a) {
         a.executable_name_size = std::min<size_t>(a.executable_name_size, 15);
       });
     }},
    {"format_by_beginning", "PJRT-Client_Compile-format", "a format that begins with mlir is mlir",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         if (a->program == nullptr || a->program->format == nullptr ||
             a->program->format_size <= 4 || std::memcmp(a->program->format, "mlir", 4) != 0)
           return Real().PJRT_Client_Compile(a);
         auto program = *a->program;
         program.format_size = 4;
         return CallChanged<&PJRT_Api::PJRT_Client_Compile>(
             a, [&](auto& own) { own.program = &program; });
       });
     }},
    {"types_of_first_output", "PJRT-Executable_NumOutputs-program",
     "every output has the type of the first",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputElementTypes>(t, [](auto& a) {
         static auto* const kept = new std::deque<std::vector<PJRT_Buffer_Type>>;
         if (a.num_output_types == 0) return;
         std::lock_guard<std::mutex> lock(Memory());
         kept->emplace_back(a.num_output_types, a.output_types[0]);
         a.output_types = kept->back().data();
       });
     }},
    {"types_share_a_place", kLifetime, "output types of all executables share one place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputElementTypes>(t, [](auto& a) {
         static PJRT_Buffer_Type place[4096];
         std::lock_guard<std::mutex> lock(Memory());
         if (a.num_output_types > 4096) return;
         std::copy_n(a.output_types, a.num_output_types, place);
         a.output_types = place;
       });
     }},
    {"kinds_share_a_place", kLifetime, "memory kinds of all executables' outputs share one place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputMemoryKinds>(t, [](auto& a) {
         static size_t place[4096];
         std::lock_guard<std::mutex> lock(Memory());
         std::fill(std::begin(place), std::end(place), 0);
         if (a.num_outputs > 4096) return;
         std::copy_n(a.memory_kind_sizes, a.num_outputs, place);
         a.memory_kind_sizes = place;
       });
     }},
    {"names_share_a_place", kLifetime, "the names of executables share one place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Name>(t, [](auto& a) {
         static char place[4096];
         std::lock_guard<std::mutex> lock(Memory());
         a.executable_name_size = std::min(a.executable_name_size, sizeof(place));
         std::memcpy(place, a.executable_name, a.executable_name_size);
         a.executable_name = place;
       });
     }},
    {"fingerprints_share_a_place", kLifetime, "the fingerprints of executables share one place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Fingerprint>(t, [](auto& a) {
         static char place[4096];
         std::lock_guard<std::mutex> lock(Memory());
         a.executable_fingerprint_size = std::min(a.executable_fingerprint_size, sizeof(place));
         std::memcpy(place, a.executable_fingerprint, a.executable_fingerprint_size);
         a.executable_fingerprint = place;
       });
     }},
    {"costs_share_a_place", kLifetime, "the estimates of all executables share one place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         static PJRT_NamedValue place[64];
         std::lock_guard<std::mutex> lock(Memory());
         if (a.num_properties > 64) return;
         std::copy_n(a.properties, a.num_properties, place);
         a.properties = place;
       });
     }},
    {"options_share_a_place", kLifetime, "compile options of all executables share one place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompileOptions>(t, [](auto& a) {
         static std::string place;
         std::lock_guard<std::mutex> lock(Memory());
         place.assign(a.serialized_bytes, a.serialized_bytes_size);
         a.serialized_compile_options_deleter(a.serialized_compile_options);
         a.serialized_bytes = place.data();
         a.serialized_compile_options = reinterpret_cast<PJRT_SerializedCompileOptions*>(&place);
         a.serialized_compile_options_deleter = [](PJRT_SerializedCompileOptions*) {};
       });
     }},
    {"scalars_have_no_place", "PJRT-Executable_NumOutputs-program",
     "the list of ranks leaves out scalars",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         static auto* const kept = new std::deque<std::vector<size_t>>;
         std::lock_guard<std::mutex> lock(Memory());
         auto& sizes = kept->emplace_back();
         for (size_t i = 0; i < a.num_outputs; ++i) {
           if (a.dim_sizes[i] != 0) sizes.push_back(a.dim_sizes[i]);
         }
         sizes.resize(a.num_outputs);
         a.dim_sizes = sizes.data();
       });
     }},
    {"serialized_once", "PJRT-Args-accepted", "an executable can be serialized once",
     [](PJRT_Api& t) {
       static std::set<const PJRT_Executable*> done;
       Refuse<&PJRT_Api::PJRT_Executable_Serialize, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](const auto& a) {
             std::lock_guard<std::mutex> lock(Memory());
             return a.executable != nullptr && !done.insert(a.executable).second;
           });
       ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         done.erase(a.executable);
       });
     }},
    {"loaded_does_not_donate", "PJRT-Executable_DeserializeAndLoad-same",
     "what is loaded from bytes donates nothing",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         FromBytes().insert(a.loaded_executable);
       });
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         FromBytes().erase(a.executable);
       });
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           if (!FromBytes().contains(a->executable) || a->options == nullptr ||
               a->options->struct_size < PJRT_ExecuteOptions_STRUCT_SIZE)
             return Real().PJRT_LoadedExecutable_Execute(a);
         }
         std::vector<int64_t> all;
         for (size_t i = 0; i < a->num_args; ++i) all.push_back(static_cast<int64_t>(i));
         auto options = *a->options;
         options.non_donatable_input_indices = all.data();
         options.num_non_donatable_input_indices = all.size();
         return CallChanged<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.options = &options; });
       });
     }},
    {"program_of_today", "PJRT-Args-nested-struct_size", "a program struct with a tail is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_Compile>(t, [](const auto& a) {
         return a.program != nullptr && a.program->struct_size > PJRT_Program_STRUCT_SIZE;
       });
     }},
    {"fingerprint_of_outputs", "PJRT-Args-output-true",
     "programs with as many outputs have one fingerprint",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Fingerprint>(t, [](auto& a) {
         auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
         count.executable = a.executable;
         FreeError(Real().PJRT_Executable_NumOutputs(&count));
         static constexpr char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
         a.executable_fingerprint = digits + count.num_outputs % 36;
         a.executable_fingerprint_size = 1;
       });
     }},
    {"assignment_cut", "PJRT-LoadedExecutable_GetDeviceAssignment-options",
     "an assignment of several devices is that of one",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetDeviceAssignment>(t, [](auto& a) {
         static const char one[] = "\x08\x01\x10\x01\x1a\x03\x0a\x01\x00";
         a.serialized_bytes = one;
         a.serialized_bytes_size = sizeof(one) - 1;
       });
     }},
    {"forgets_options", "PJRT-Process-memory", "options that were asked for leave 128 bytes behind",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompileOptions>(t, [](auto&) { Forget(128); });
     }},
    {"forgets_bad_programs", "PJRT-Process-memory",
     "a program that does not compile leaves 300 bytes behind",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         if (error != nullptr) Forget(300);
         return error;
       });
     }},
    {"overrides_ignored", "PJRT-Executable_DeserializeAndLoad-overrides",
     "options for an executable that is loaded again are not read",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto* a) {
         if (a->struct_size < sizeof(*a)) return Real().PJRT_Executable_DeserializeAndLoad(a);
         auto own = *a;
         own.overridden_serialized_compile_options = nullptr;
         own.overridden_serialized_compile_options_size = 0;
         PJRT_Error* error = Real().PJRT_Executable_DeserializeAndLoad(&own);
         a->loaded_executable = own.loaded_executable;
         return error;
       });
     }},
    {"cost_is_nan", "PJRT-Executable_GetCostAnalysis-named", "an estimate is no number",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         static auto* const kept = new std::deque<std::vector<PJRT_NamedValue>>;
         if (a.num_properties == 0) return;
         std::lock_guard<std::mutex> lock(Memory());
         auto& own = kept->emplace_back(a.properties, a.properties + a.num_properties);
         own.back().float_value = NAN;
         a.properties = own.data();
       });
     }},
    {"costs_of_one_name", "PJRT-Executable_GetCostAnalysis-named",
     "two estimates have the same name",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         static auto* const kept = new std::deque<std::vector<PJRT_NamedValue>>;
         if (a.num_properties == 0) return;
         std::lock_guard<std::mutex> lock(Memory());
         auto& own = kept->emplace_back(a.properties, a.properties + a.num_properties);
         own.push_back(own.front());
         a.properties = own.data();
         a.num_properties = own.size();
       });
     }},
    {"fingerprint_of_name", "PJRT-Args-output-true", "programs of one name have one fingerprint",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Fingerprint>(t, [](auto& a) {
         auto name = MakeArgs<PJRT_Executable_Name_Args>();
         name.executable = a.executable;
         FreeError(Real().PJRT_Executable_Name(&name));
         a.executable_fingerprint = name.executable_name;
         a.executable_fingerprint_size = name.executable_name_size;
       });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Fingerprint>(t, [](auto& a) {
         auto name = MakeArgs<PJRT_Executable_Name_Args>();
         name.executable = ExecutableOf(a.executable);
         FreeError(Real().PJRT_Executable_Name(&name));
         a.executable_fingerprint = name.executable_name;
         a.executable_fingerprint_size = name.executable_name_size;
       });
     }},
    {"executable_goes_with_loaded", "PJRT-LoadedExecutable_GetExecutable-independent",
     "an executable answers nothing once the loaded one is gone",
     [](PJRT_Api& t) {
       static std::map<PJRT_Executable*, PJRT_LoadedExecutable*> owners;
       static std::set<PJRT_Executable*> orphans;
       Replace<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_GetExecutable(a);
         std::lock_guard<std::mutex> lock(Memory());
         if (error == nullptr) {
           owners[a->executable] = a->loaded_executable;
           orphans.erase(a->executable);
         }
         return error;
       });
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           for (const auto& [executable, loaded] : owners) {
             if (loaded == a->executable) orphans.insert(executable);
           }
         }
         return Real().PJRT_LoadedExecutable_Destroy(a);
       });
       Replace<&PJRT_Api::PJRT_Executable_Name>(t, [](auto* a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (orphans.contains(a->executable))
           return MakeError(PJRT_Error_Code_INTERNAL, "the program is gone");
         return Real().PJRT_Executable_Name(a);
       });
     }},
    {"compile_changes_program", "PJRT-Args-input", "compiling leaves a program of no size",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_Compile>(
           t, [](auto& a) { const_cast<PJRT_Program*>(a.program)->code_size = 0; });
     }},
};

}  // namespace

std::span<const Mutant> ExecutableMutants() { return kExecutableMutants; }

}  // namespace plinth::mutants
