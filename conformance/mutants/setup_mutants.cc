// SPDX-License-Identifier: Apache-2.0
// Bugs of what comes before a program runs: clients, texts and bytes that a plugin is given,
// programs, handlers. Written from the header, without looking at the cases.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_ffi_extension.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;

constexpr PJRT_Extension_Type kFfi = PJRT_Extension_Type_FFI;

// Named values that live as long as the process.
std::vector<PJRT_NamedValue>* KeptOptions(const PJRT_NamedValue* options, size_t count) {
  auto* kept = Kept(std::vector<PJRT_NamedValue>(options, options + count));
  for (PJRT_NamedValue& each : *kept) {
    each.name = Kept(std::string(each.name, each.name_size))->data();
    if (each.type == PJRT_NamedValue_kString) {
      each.string_value = Kept(std::string(each.string_value, each.value_size))->data();
    } else if (each.type == PJRT_NamedValue_kInt64List) {
      each.int64_array_value = Kept(std::vector<int64_t>(each.int64_array_value,
                                                         each.int64_array_value + each.value_size))
                                   ->data();
    }
  }
  return kept;
}

// Bytes of the caller that a plugin reads when they may be gone: whether they are still there.
struct Lent {
  Bytes bytes;
};
bool IsChanged(const Lent& lent) {
  const auto& [at, were] = lent.bytes;
  return at != nullptr && std::memcmp(at, were.data(), were.size()) != 0;
}

struct Thread {
  std::thread::id id;
};

struct Broken {
  bool is = false;
};

struct Topology {
  PJRT_TopologyDescription* handle = nullptr;
};

std::atomic<int>& Clients() {
  static std::atomic<int> count = 0;
  return count;
}

const Mutant kSetupMutants[] = {
    {"later_clients_like_first", "PJRT-Args-output-true",
     "Every client has the options that the first client of the process was given.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_Create>(t, [](auto& a) {
         if (a.create_options == nullptr && a.num_options > 0) return;
         static const auto* const first = KeptOptions(a.create_options, a.num_options);
         a.create_options = first->data();
         a.num_options = first->size();
       });
     }},
    {"seeds_random_numbers", "PJRT-Process-state", "Compiling sets the seed of the C library.",
     [](Api& t) { ChangeInputs<&Api::PJRT_Client_Compile>(t, [](auto&) { std::srand(42); }); }},
    {"program_read_again", "PJRT-Args-accepted",
     "The optimized program is made from the caller's text, which may be gone.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_Compile>(t, [](auto& a) {
         Note(a.executable,
              Lent{{a.program->code, std::string(a.program->code, a.program->code_size)}});
       });
       ForgetExecutables<Lent>(t);
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(
           t, [](auto& a) { Note(a.executable, NoteOf<Lent>(a.loaded_executable)); });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, Lent>().erase(a.executable);
       });
       Refuse<&Api::PJRT_Executable_OptimizedProgram, PJRT_Error_Code_DATA_LOSS>(
           t, [](auto& a) { return IsChanged(NoteOf<Lent>(a.executable)); });
     }},
    {"program_beyond_size", "PJRT-Strings-size", "The text of a program is read to its NUL.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_Compile>(t, [](auto* a) {
         if (a->program == nullptr || a->program->code == nullptr || a->program->code_size == 0 ||
             std::string_view(a->program->format, a->program->format_size) != "mlir" ||
             std::string_view(a->program->code, a->program->code_size).starts_with("ML")) {
           return Real().PJRT_Client_Compile(a);
         }
         PJRT_Program program = *a->program;
         program.code_size = std::max(program.code_size, std::strlen(program.code));
         return CallChanged<&Api::PJRT_Client_Compile>(a,
                                                       [&](auto& own) { own.program = &program; });
       });
     }},
    {"options_to_first_nul", "PJRT-Strings-size",
     "The bytes of compile options are read to their first NUL.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_Compile>(t, [](auto& a) {
         if (a.compile_options == nullptr) return;
         const size_t size = strnlen(a.compile_options, a.compile_options_size);
         // Half a field would be refused.
         if (size > 0) a.compile_options_size = size;
       });
     }},
    {"ffi_names_to_nul", "PJRT-Strings-size", "The name of a handler is read to its NUL.",
     [](Api& t) {
       ReplaceIn<&PJRT_FFI_Extension::register_handler, kFfi>(t, [](auto* a, auto* behind) {
         auto own = *a;
         if (own.target_name != nullptr) own.target_name_size = std::strlen(own.target_name);
         return behind(&own);
       });
     }},
    {"ffi_own_ids_only", "PJRT-Args-accepted",
     "A type of FFI data cannot be registered with an id that the caller has chosen.",
     [](Api& t) {
       ReplaceIn<&PJRT_FFI_Extension::type_register, kFfi>(t, [](auto* a, auto* behind) {
         if (a->type_id != 0) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "an id is given");
         return behind(a);
       });
     }},
    {"ffi_data_of_first_context", "PJRT-FFI_UserData_Add-found",
     "A handler finds what the first context had of a type, whatever context it runs with.",
     [](Api& t) {
       ReplaceIn<&PJRT_FFI_Extension::user_data_add, kFfi>(t, [](auto* a, auto* behind) {
         auto own = *a;
         {
           std::lock_guard<std::mutex> lock(Memory());
           static auto* const first = new std::map<int64_t, void*>;
           own.user_data.data =
               first->try_emplace(own.user_data.type_id, own.user_data.data).first->second;
         }
         return behind(&own);
       });
     }},
    {"thirty_two_programs", "PJRT-Args-accepted",
     "A client holds 32 compiled programs; one more is refused.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_Compile>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           if (Marked<PJRT_LoadedExecutable>().size() >= 32) {
             return MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "no slot for a program");
           }
         }
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         if (error == nullptr) Mark(a->executable);
         return error;
       });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
     }},
    {"load_options_refused", "PJRT-Args-accepted",
     "Bytes with options for loading are refused, also if these say nothing.",
     [](Api& t) {
       Refuse<&Api::PJRT_Executable_DeserializeAndLoad, PJRT_Error_Code_UNIMPLEMENTED>(
           t, [](auto& a) {
             return a.struct_size >= StructOf<PJRT_Executable_DeserializeAndLoad_Args>::kSize &&
                    a.load_options != nullptr;
           });
     }},
    {"compiled_needs_topology", "PJRT-Args-accepted",
     "What was compiled for a topology cannot be loaded once the topology is destroyed.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Compile>(t, [](auto& a) {
         Note(a.executable, Topology{const_cast<PJRT_TopologyDescription*>(a.topology)});
         Unmark(const_cast<PJRT_TopologyDescription*>(a.topology));
       });
       ChangeInputs<&Api::PJRT_TopologyDescription_Destroy>(t, [](auto& a) { Mark(a.topology); });
       if (t.PJRT_Client_Load == nullptr) return;
       Refuse<&Api::PJRT_Client_Load, PJRT_Error_Code_INTERNAL>(t, [](auto& a) {
         auto* topology = NoteOf<Topology>(a.executable).handle;
         return topology != nullptr && IsMarked(topology);
       });
     }},
    {"topology_reads_bytes_late", "PJRT-TopologyDescription_Deserialize-same",
     "A topology reads the bytes that it was made from when its devices are asked for.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_Deserialize>(t, [](auto& a) {
         const std::string were(a.serialized_topology, a.serialized_topology_size);
         Note(a.topology, Lent{{a.serialized_topology, were}});
       });
       ChangeInputs<&Api::PJRT_TopologyDescription_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_TopologyDescription, Lent>().erase(a.topology);
       });
       ChangeOutputs<&Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         if (IsChanged(NoteOf<Lent>(const_cast<PJRT_TopologyDescription*>(a.topology))))
           a.num_descriptions = 0;
       });
     }},
    {"runs_on_compiling_thread", "PJRT-Threads-any",
     "A program runs on the thread that compiled it alone.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_Compile>(
           t, [](auto& a) { Note(a.executable, Thread{std::this_thread::get_id()}); });
       ForgetExecutables<Thread>(t);
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_INTERNAL>(t, [](auto& a) {
         const Thread thread = NoteOf<Thread>(a.executable);
         return thread.id != std::thread::id() && thread.id != std::this_thread::get_id();
       });
     }},
    {"events_need_client", "PJRT-Args-accepted",
     "No event is made while the process has no client.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_Create>(t, [](auto&) { ++Clients(); });
       ChangeInputs<&Api::PJRT_Client_Destroy>(t, [](auto& a) {
         if (a.client != nullptr) --Clients();
       });
       Refuse<&Api::PJRT_Event_Create, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto&) { return Clients() <= 0; });
     }},
    {"error_texts_go_with_client", "PJRT-Error_Message-const",
     "Texts of a compiler's errors are lost when a client is destroyed.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_Compile>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         if (error != nullptr) Note(error, Broken{});
         return error;
       });
       ChangeOutputs<&Api::PJRT_Client_Destroy>(t, [](auto& a) {
         if (a.client == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         for (auto& [error, broken] : Noted<PJRT_Error, Broken>()) broken.is = true;
       });
       t.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args* a) {
         if (a != nullptr) {
           std::lock_guard<std::mutex> lock(Memory());
           Noted<PJRT_Error, Broken>().erase(a->error);
         }
         Real().PJRT_Error_Destroy(a);
       };
       t.PJRT_Error_Message = [](PJRT_Error_Message_Args* a) {
         Real().PJRT_Error_Message(a);
         if (a == nullptr || a->error == nullptr) return;
         if (NoteOf<Broken>(const_cast<PJRT_Error*>(a->error)).is) a->message_size = 0;
       };
     }},
};

}  // namespace

std::span<const Mutant> SetupMutants() { return kSetupMutants; }

}  // namespace plinth::mutants
