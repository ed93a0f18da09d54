// SPDX-License-Identifier: Apache-2.0
// Bugs that a quick look does not show, as in oversight_client_mutants.cc. Here of programs: how
// they are compiled, described, saved, loaded and run. Written from the header and the registry,
// before a look at the cases.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "conformance/mutants/program_text.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;

// The arguments of one device.
std::span<PJRT_Buffer* const> ArgumentsOf(const PJRT_LoadedExecutable_Execute_Args& args,
                                          size_t device) {
  if (args.argument_lists == nullptr || device >= args.num_devices) return {};
  return {args.argument_lists[device], args.num_args};
}

bool AnyCarriesError(std::span<PJRT_Buffer* const> buffers) {
  return std::any_of(buffers.begin(), buffers.end(), CarriesError);
}

// For which devices an argument carries an error.
std::vector<bool> FailedDevices(const PJRT_LoadedExecutable_Execute_Args& args) {
  std::vector<bool> failed;
  for (size_t d = 0; d < args.num_devices; ++d)
    failed.push_back(AnyCarriesError(ArgumentsOf(args, d)));
  return failed;
}

// The first parameter that the text of a program gives away, or -1.
int FirstDonated(std::string_view text) {
  const size_t main = text.find("@main(");
  const size_t at = std::min(text.find("tf.aliasing_output"), text.find("jax.buffer_donor"));
  if (main == std::string_view::npos || at == std::string_view::npos || at < main) return -1;
  const std::string_view before = text.substr(main, at - main);
  return static_cast<int>(std::count(before.begin(), before.end(), '%')) - 1;
}

// Bytes of a program that all who hold them share.
struct SharedBytes {
  std::string bytes;
  int holders = 0;
  bool is_gone = false;
};
using BytesByExecutable = std::map<const PJRT_Executable*, SharedBytes*>;
BytesByExecutable& SharedByExecutable() {
  static auto* const shared = new BytesByExecutable;
  return *shared;
}

// Frees a holder of shared bytes.
void LetGo(PJRT_SerializedExecutable* holder) {
  auto* shared = reinterpret_cast<SharedBytes*>(holder);
  std::lock_guard<std::mutex> lock(Memory());
  std::fill(shared->bytes.begin(), shared->bytes.end(), 0);
  shared->is_gone = true;
  if (--shared->holders > 0) return;
  std::erase_if(SharedByExecutable(), [&](const auto& entry) { return entry.second == shared; });
  delete shared;
}

// Which loaded executables came from one executable.
using Group = int;

// The dimensions of the outputs of a program, as they are told.
struct ToldDimensions {
  std::vector<int64_t> dims;
  std::vector<size_t> ranks;
};

template <typename Value>
void ForgetPrograms(PJRT_Api& table) {
  ChangeInputs<&Api::PJRT_Executable_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Noted<PJRT_Executable, Value>().erase(a.executable);
  });
}

const Mutant kOversightProgramMutants[] = {
    // Compilation.
    {"options_of_first_compilation", "PJRT-Executable_GetCompileOptions-same",
     "A program that a client has compiled before is compiled with the options of that time.",
     [](Api& t) {
       using Key = std::pair<PJRT_Client*, std::string>;
       static auto* const options = new std::map<Key, std::string>;
       Replace<&Api::PJRT_Client_Compile>(t, [](auto* a) -> PJRT_Error* {
         if (a->program == nullptr || a->program->code == nullptr || a->compile_options == nullptr)
           return Real().PJRT_Client_Compile(a);
         const Key key(a->client, std::string(a->program->code, a->program->code_size));
         std::string first(a->compile_options, a->compile_options_size);
         {
           std::lock_guard<std::mutex> lock(Memory());
           auto found = options->find(key);
           if (found != options->end()) first = found->second;
         }
         PJRT_Error* error = CallChanged<&Api::PJRT_Client_Compile>(a, [&](auto& own) {
           own.compile_options = first.data();
           own.compile_options_size = first.size();
         });
         if (error != nullptr) return error;
         std::lock_guard<std::mutex> lock(Memory());
         (*options)[key] = first;
         return nullptr;
       });
       ChangeInputs<&Api::PJRT_Client_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(*options,
                       [&](const auto& option) { return option.first.first == a.client; });
       });
     }},
    {"square_assignment_is_transposed", "PJRT-Args-output-true",
     "The default assignment of several replicas of several partitions is told by partition.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto& a) {
         if (a.num_replicas < 2 || a.num_partitions < 2) return;
         const std::vector<int> ids(a.default_assignment,
                                    a.default_assignment + a.num_replicas * a.num_partitions);
         for (int r = 0; r < a.num_replicas; ++r) {
           for (int p = 0; p < a.num_partitions; ++p)
             a.default_assignment[r * a.num_partitions + p] = ids[p * a.num_replicas + r];
         }
       });
     }},

    // What is said of programs.
    {"costs_are_listed_twice", "PJRT-Executable_GetCostAnalysis-named",
     "The second time that a program is asked for its costs each of them is listed twice.",
     [](Api& t) {
       struct Asked {
         int times = 0;
         std::vector<PJRT_NamedValue> twice;
       };
       ForgetPrograms<Asked>(t);
       ChangeOutputs<&Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Asked& asked = Noted<PJRT_Executable, Asked>()[a.executable];
         if (++asked.times == 1) return;
         if (asked.twice.empty()) {
           for (int i = 0; i < 2; ++i)
             asked.twice.insert(asked.twice.end(), a.properties, a.properties + a.num_properties);
         }
         a.properties = asked.twice.data();
         a.num_properties = asked.twice.size();
       });
     }},
    {"unloaded_program_has_no_text", "PJRT-LoadedExecutable_GetExecutable-independent",
     "An executable has no optimized program once the loaded executable it came from is deleted.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(
           t, [](auto& a) { Note<PJRT_LoadedExecutable*>(a.executable, a.loaded_executable); });
       auto mark = [](auto& a) {
         if (a.executable == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         for (auto& [executable, loaded] : Noted<PJRT_Executable, PJRT_LoadedExecutable*>()) {
           if (loaded != a.executable) continue;
           loaded = nullptr;
           Marked<PJRT_Executable>().insert(executable);
         }
       };
       ChangeInputs<&Api::PJRT_LoadedExecutable_Delete>(t, mark);
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, mark);
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, PJRT_LoadedExecutable*>().erase(a.executable);
         Marked<PJRT_Executable>().erase(a.executable);
       });
       Refuse<&Api::PJRT_Executable_OptimizedProgram, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return IsMarked(a.executable); });
     }},
    {"scalar_among_outputs_has_a_dimension", "PJRT-Executable_NumOutputs-program",
     "Of several outputs, one that is a scalar is told as an array of one element.",
     [](Api& t) {
       ForgetPrograms<ToldDimensions>(t);
       ChangeOutputs<&Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         if (a.num_outputs < 2) return;
         ToldDimensions told;
         const int64_t* dims = a.dims;
         for (size_t i = 0; i < a.num_outputs; ++i) {
           told.dims.insert(told.dims.end(), dims, dims + a.dim_sizes[i]);
           dims += a.dim_sizes[i];
           if (a.dim_sizes[i] == 0) told.dims.push_back(1);
           told.ranks.push_back(std::max<size_t>(a.dim_sizes[i], 1));
         }
         std::lock_guard<std::mutex> lock(Memory());
         auto [place, is_new] =
             Noted<PJRT_Executable, ToldDimensions>().try_emplace(a.executable, told);
         a.dims = place->second.dims.data();
         a.dim_sizes = place->second.ranks.data();
       });
     }},
    {"loaded_devices_are_sorted", "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
     "The devices of a program for three or more are listed by id, their places are not.",
     [](Api& t) {
       using Devices = std::vector<PJRT_Device*>;
       ForgetExecutables<Devices>(t);
       ChangeOutputs<&Api::PJRT_LoadedExecutable_AddressableDevices>(t, [](auto& a) {
         if (a.num_addressable_devices < 3) return;
         Devices sorted(a.addressable_devices, a.addressable_devices + a.num_addressable_devices);
         std::sort(sorted.begin(), sorted.end(),
                   [](PJRT_Device* x, PJRT_Device* y) { return IdOf(x) < IdOf(y); });
         std::lock_guard<std::mutex> lock(Memory());
         auto [place, is_new] =
             Noted<PJRT_LoadedExecutable, Devices>().try_emplace(a.executable, sorted);
         a.addressable_devices = place->second.data();
       });
     }},
    {"loaded_fingerprint_is_another", "PJRT-LoadedExecutable_Fingerprint-same",
     "What was loaded from bytes has another fingerprint than the executable that it gives.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Mark(a.loaded_executable); });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Fingerprint>(t, [](auto& a) {
         if (!IsMarked(a.executable)) return;
         const std::string_view text =
             KeptText(std::string(a.executable_fingerprint, a.executable_fingerprint_size) + "/0");
         a.executable_fingerprint = text.data();
         a.executable_fingerprint_size = text.size();
       });
     }},

    // Saving and loading.
    {"holders_share_their_bytes", "PJRT-Executable_Serialize-lifetime",
     "The bytes of an executable that was serialized twice are gone with the first holder.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_Serialize>(t, [](auto& a) {
         const std::string bytes(a.serialized_bytes, a.serialized_bytes_size);
         a.serialized_executable_deleter(a.serialized_executable);
         std::lock_guard<std::mutex> lock(Memory());
         SharedBytes*& shared = SharedByExecutable()[a.executable];
         if (shared == nullptr || shared->is_gone || shared->bytes != bytes)
           shared = new SharedBytes{bytes};
         ++shared->holders;
         a.serialized_bytes = shared->bytes.data();
         a.serialized_executable = reinterpret_cast<PJRT_SerializedExecutable*>(shared);
         a.serialized_executable_deleter = LetGo;
       });
     }},
    {"bytes_are_loaded_once", "PJRT-Args-accepted",
     "Bytes of an executable are refused while what was loaded from them is alive.",
     [](Api& t) {
       ForgetExecutables<std::string>(t);
       Replace<&Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto* a) -> PJRT_Error* {
         if (a->serialized_executable == nullptr)
           return Real().PJRT_Executable_DeserializeAndLoad(a);
         const std::string bytes(a->serialized_executable, a->serialized_executable_size);
         {
           std::lock_guard<std::mutex> lock(Memory());
           for (const auto& [loaded, its] : Noted<PJRT_LoadedExecutable, std::string>()) {
             if (its == bytes)
               return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "the program is loaded");
           }
         }
         PJRT_Error* error = Real().PJRT_Executable_DeserializeAndLoad(a);
         if (error == nullptr) Note(a->loaded_executable, bytes);
         return error;
       });
     }},
    {"unloading_one_unloads_all", "PJRT-Client_Load-again",
     "Of an executable that was loaded twice both are unloaded when one is.",
     [](Api& t) {
       if (t.PJRT_Client_Load == nullptr) return;
       ForgetPrograms<Group>(t);
       ForgetExecutables<Group>(t);
       ChangeOutputs<&Api::PJRT_Client_Load>(t, [](auto& a) {
         static Group groups = 0;
         std::lock_guard<std::mutex> lock(Memory());
         auto [place, is_new] =
             Noted<PJRT_Executable, Group>().try_emplace(a.executable, groups + 1);
         if (is_new) ++groups;
         Noted<PJRT_LoadedExecutable, Group>()[a.loaded_executable] = place->second;
       });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Delete>(t, [](auto& a) {
         std::vector<PJRT_LoadedExecutable*> siblings;
         {
           std::lock_guard<std::mutex> lock(Memory());
           auto& groups = Noted<PJRT_LoadedExecutable, Group>();
           auto own = groups.find(a.executable);
           if (own == groups.end()) return;
           for (const auto& [loaded, group] : groups) {
             if (loaded != a.executable && group == own->second) siblings.push_back(loaded);
           }
         }
         for (PJRT_LoadedExecutable* sibling : siblings) {
           auto args = MakeArgs<PJRT_LoadedExecutable_Delete_Args>();
           args.executable = sibling;
           Quiet<&Api::PJRT_LoadedExecutable_Delete>(args);
         }
       });
     }},

    // Execution.
    {"failed_call_takes_donation", "PJRT-LoadedExecutable_Execute-failure",
     "A call that fails has taken the first argument it donates, if others stand behind it.",
     [](Api& t) {
       ForgetExecutables<int>(t);
       ChangeOutputs<&Api::PJRT_Client_Compile>(t, [](auto& a) {
         if (!HasText(a)) return;
         const int index = FirstDonated({a.program->code, a.program->code_size});
         if (index >= 0) Note<int>(a.executable, index + 1);
       });
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error == nullptr || a->executable == nullptr) return error;
         const size_t number = static_cast<size_t>(NoteOf<int>(a->executable));
         const auto arguments = ArgumentsOf(*a, 0);
         if (number > 0 && number < arguments.size()) Delete(arguments[number - 1]);
         return error;
       });
     }},
    {"unsorted_indices_are_missed", "PJRT-LoadedExecutable_Execute-not-donated",
     "An index of an argument that is not to be donated is missed if it stands behind a higher.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         if (a->options == nullptr ||
             !HasField(*a->options, &PJRT_ExecuteOptions::num_non_donatable_input_indices) ||
             a->options->non_donatable_input_indices == nullptr)
           return Real().PJRT_LoadedExecutable_Execute(a);
         PJRT_ExecuteOptions options = {};
         std::memcpy(&options, a->options, std::min(sizeof(options), a->options->struct_size));
         options.struct_size =
             std::min(a->options->struct_size, StructOf<PJRT_ExecuteOptions>::kSize);
         std::vector<int64_t> found;
         for (size_t i = 0; i < options.num_non_donatable_input_indices; ++i) {
           const int64_t index = options.non_donatable_input_indices[i];
           if (found.empty() || index > found.back()) found.push_back(index);
         }
         options.non_donatable_input_indices = found.data();
         options.num_non_donatable_input_indices = found.size();
         return CallChanged<&Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.options = &options; });
       });
     }},
    {"last_output_loses_error", "PJRT-LoadedExecutable_Execute-error-input",
     "Of several outputs the last does not carry the error of an argument.",
     [](Api& t) {
       RememberClientsOfDevices(t);
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         const std::vector<bool> failed = FailedDevices(*a);
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr) return error;
         for (size_t d = 0; d < failed.size(); ++d) {
           auto outputs = failed[d] ? OutputsOf(*a, d) : std::span<PJRT_Buffer*>{};
           if (outputs.size() < 2) continue;
           PJRT_Device* device = DeviceOf(outputs.back());
           PJRT_Client* client = ClientOf(device);
           PJRT_Buffer* other =
               client == nullptr ? nullptr : Uninitialized(outputs.back(), client, device);
           if (other == nullptr) continue;
           Destroy(outputs.back());
           outputs.back() = other;
         }
         return nullptr;
       });
     }},
    {"later_device_ends_well", "PJRT-LoadedExecutable_Execute-asynchronous",
     "Of several devices the first alone tells by its event that an argument carried an error.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         const std::vector<bool> failed = FailedDevices(*a);
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || a->device_complete_events == nullptr) return error;
         for (size_t d = 1; d < failed.size(); ++d) {
           if (!failed[d]) continue;
           Drop(a->device_complete_events[d]);
           a->device_complete_events[d] = DoneEvent();
         }
         return nullptr;
       });
     }},
    {"argument_given_twice_is_deleted", "PJRT-Buffer_IsDeleted-truth",
     "An array that was given for two parameters is deleted, though neither is donated.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr) return error;
         for (size_t d = 0; d < a->num_devices; ++d) {
           std::set<PJRT_Buffer*> given;
           for (PJRT_Buffer* buffer : ArgumentsOf(*a, d)) {
             if (buffer != nullptr && !given.insert(buffer).second) Delete(buffer);
           }
         }
         return nullptr;
       });
     }},
    {"output_goes_with_parameter", "PJRT-LoadedExecutable_Execute-results",
     "An output that equals an argument is overwritten when that is destroyed.",
     [](Api& t) {
       using Arguments = std::set<PJRT_Buffer*>;
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr) return error;
         for (size_t d = 0; d < a->num_devices; ++d) {
           const auto list = ArgumentsOf(*a, d);
           for (PJRT_Buffer* output : OutputsOf(*a, d))
             Note(output, Arguments(list.begin(), list.end()));
         }
         return nullptr;
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         if (a.buffer == nullptr) return;
         std::vector<PJRT_Buffer*> outputs;
         {
           std::lock_guard<std::mutex> lock(Memory());
           Noted<PJRT_Buffer, Arguments>().erase(a.buffer);
           for (auto& [output, arguments] : Noted<PJRT_Buffer, Arguments>()) {
             if (arguments.erase(a.buffer) > 0) outputs.push_back(output);
           }
         }
         auto is_there = [](PJRT_Buffer* buffer) {
           return !IsDeleted(buffer) && !IsPending(buffer) && !CarriesError(buffer) &&
                  SizeOf(buffer) > 0;
         };
         for (PJRT_Buffer* output : outputs) {
           if (is_there(a.buffer) && is_there(output) && AreEqual(a.buffer, output)) Clear(output);
         }
       });
     }},
    {"empty_chunk_is_not_freed", "PJRT-CopyToDeviceStream_AddChunk-chunk-owner",
     "The deleter of a chunk of no bytes is not called.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_CopyToDeviceStream_AddChunk>(t, [](auto& a) {
         if (a.chunk == nullptr || a.chunk->size != 0) return;
         a.chunk = Kept(*a.chunk);
         a.chunk->deleter = [](void*, void*) {};
       });
     }},

    // Extensions.
    {"layout_of_deleted_array_is_default", "PJRT-Layouts_PJRT_Buffer_MemoryLayout-same",
     "The layout extension tells the default layout of an array that is deleted.",
     [](Api& t) {
       RememberClientsOfDevices(t);
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Buffer_MemoryLayout,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) -> PJRT_Error* {
         PJRT_Client* client = a->buffer == nullptr || !IsDeleted(a->buffer)
                                   ? nullptr
                                   : ClientOf(DeviceOf(a->buffer));
         if (client == nullptr) return behind(a);
         auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
         dims.buffer = a->buffer;
         Quiet<&Api::PJRT_Buffer_Dimensions>(dims);
         PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args usual = {};
         usual.struct_size = sizeof(usual);
         usual.client = client;
         usual.type = ElementTypeOf(a->buffer);
         usual.dims = dims.dims;
         usual.num_dims = dims.num_dims;
         PJRT_Error* error = RealExtension<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts)
                                 .PJRT_Layouts_PJRT_Client_GetDefaultLayout(&usual);
         if (error == nullptr) a->layout = usual.layout;
         return error;
       });
     }},
    {"last_output_has_layout_of_first", "PJRT-Layouts_PJRT_Executable_GetOutputLayouts-outputs",
     "The layout of the last of several outputs is that of the first, whatever its rank.",
     [](Api& t) {
       using Layouts = std::vector<PJRT_Layouts_MemoryLayout*>;
       ForgetPrograms<Layouts>(t);
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetOutputLayouts,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) -> PJRT_Error* {
         PJRT_Error* error = behind(a);
         if (error != nullptr || a->num_outputs < 2) return error;
         Layouts layouts(a->layouts, a->layouts + a->num_outputs);
         layouts.back() = layouts.front();
         std::lock_guard<std::mutex> lock(Memory());
         auto [place, is_new] =
             Noted<PJRT_Executable, Layouts>().try_emplace(a->executable, layouts);
         a->layouts = place->second.data();
         return nullptr;
       });
     }},
    {"loaded_program_has_half_a_sharding", "PJRT-Shardings_PJRT_Executable_OutputShardings-outputs",
     "The shardings of a program that was loaded from bytes have sizes and no texts.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Mark(a.loaded_executable); });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(t, [](auto& a) {
         if (IsMarked(a.loaded_executable)) Mark(a.executable);
       });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ReplaceIn<&PJRT_Shardings_Extension::PJRT_Shardings_PJRT_Executable_OutputShardings,
                 PJRT_Extension_Type_Shardings>(t, [](auto* a, auto* behind) -> PJRT_Error* {
         PJRT_Error* error = behind(a);
         static const size_t kSizes[32] = {};
         if (error != nullptr || !IsMarked(a->executable) || a->num_outputs > std::size(kSizes))
           return error;
         a->shardings = nullptr;
         if (a->sharding_sizes == nullptr) a->sharding_sizes = kSizes;
         return error;
       });
     }},
};

}  // namespace

std::span<const Mutant> OversightProgramMutants() { return kOversightProgramMutants; }

}  // namespace plinth::mutants
