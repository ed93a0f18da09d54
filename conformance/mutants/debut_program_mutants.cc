// SPDX-License-Identifier: Apache-2.0
// More bugs of a plugin's first releases: programs and how they run.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/debut_mutants.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

constexpr auto kRun = &PJRT_Api::PJRT_LoadedExecutable_Execute;
constexpr auto kCompile = &PJRT_Api::PJRT_Client_Compile;
constexpr auto kDeserialize = &PJRT_Api::PJRT_Executable_DeserializeAndLoad;
constexpr auto kGetExecutable = &PJRT_Api::PJRT_LoadedExecutable_GetExecutable;
constexpr auto kUnload = &PJRT_Api::PJRT_LoadedExecutable_Destroy;
constexpr auto kDestroy = &PJRT_Api::PJRT_Buffer_Destroy;
constexpr auto kFree = &PJRT_Api::PJRT_Executable_Destroy;

using RunArgs = PJRT_LoadedExecutable_Execute_Args;
using Numbers = std::vector<int64_t>;

template <typename Visit>
void ForEachArgument(const RunArgs& args, Visit visit) {
  if (args.argument_lists == nullptr) return;
  for (size_t i = 0; i < args.num_devices; ++i)
    for (size_t j = 0; args.argument_lists[i] != nullptr && j < args.num_args; ++j)
      if (args.argument_lists[i][j] != nullptr) visit(args.argument_lists[i][j], i, j);
}
bool AwaitsArguments(const RunArgs& args) {
  bool is_pending = false;
  ForEachArgument(args, [&](PJRT_Buffer* its, size_t, size_t) { is_pending |= IsPending(its); });
  return is_pending;
}

// A program is looked up by how it begins and how long it is.
PJRT_Error* CompileByBeginning(PJRT_Client_Compile_Args* args) {
  constexpr size_t kLooked = 1024;
  if (!HasText(*args) || args->program->code_size <= kLooked)
    return Real().PJRT_Client_Compile(args);
  const std::string text(args->program->code, args->program->code_size);
  static std::map<std::pair<std::string, size_t>, std::string> programs;
  std::unique_lock<std::mutex> lock(Memory());
  const std::string found =
      programs.try_emplace({text.substr(0, kLooked), text.size()}, text).first->second;
  lock.unlock();
  return CompileText(args, found);
}

// The parameters that a program may donate.
Numbers DonatedBy(std::string_view text) {
  Numbers donated;
  for (std::string_view name : {"tf.aliasing_output", "jax.buffer_donor"}) {
    for (size_t at = 0; (at = text.find(name, at)) != text.npos; ++at) {
      const size_t begin = text.find("@main(");
      if (begin >= at) continue;
      int64_t parameters = 0;
      for (size_t type = begin; (type = text.find(": tensor<", type)) < at; ++type) ++parameters;
      donated.push_back(parameters - 1);
    }
  }
  return donated;
}

// What goes wrong when a run takes a buffer: others of the same memory.
using Fellows = std::vector<PJRT_Buffer*>;
void NoteFellows(PJRT_Buffer* buffer, PJRT_Buffer* fellow) {
  std::lock_guard<std::mutex> lock(Memory());
  Noted<PJRT_Buffer, Fellows>()[buffer].push_back(fellow);
  Noted<PJRT_Buffer, Fellows>()[fellow].push_back(buffer);
}
void ForgetFellows(PJRT_Buffer* buffer) {
  std::lock_guard<std::mutex> lock(Memory());
  auto& all = Noted<PJRT_Buffer, Fellows>();
  all.erase(buffer);
  for (auto& [other, fellows] : all) std::erase(fellows, buffer);
}
void ClearFellowsOfTaken(const RunArgs& args) {
  ForEachArgument(args, [](PJRT_Buffer* its, size_t, size_t) {
    if (!IsDeleted(its)) return;
    for (PJRT_Buffer* fellow : NoteOf<Fellows>(its)) Clear(fellow);
  });
}
bool IsThere(PJRT_Buffer* buffer) {
  return !IsPending(buffer) && !CarriesError(buffer) && SizeOf(buffer) > 0;
}

// The programs whose constant result a run took.
std::map<PJRT_Buffer*, PJRT_LoadedExecutable*>& Constants() {
  static auto* const constants = new std::map<PJRT_Buffer*, PJRT_LoadedExecutable*>;
  return *constants;
}

// Bytes that runs took on each device, never given back.
std::map<PJRT_Device*, int64_t>& TakenBytes() {
  static auto* const bytes = new std::map<PJRT_Device*, int64_t>;
  return *bytes;
}

// Without the entries of the field of that number at the top of a message; as it is where it does
// not parse.
std::string WithoutField(std::string_view message, uint64_t number) {
  std::string kept;
  size_t at = 0;
  auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0; at < message.size() && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(message[at++]);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  };
  while (at < message.size()) {
    const size_t begin = at;
    const uint64_t tag = varint();
    if ((tag & 7) == 0) varint();
    if ((tag & 7) == 2) at += varint();
    if ((tag & 7) == 1) at += 8;
    if ((tag & 7) == 5) at += 4;
    if (at > message.size()) return std::string(message);
    if (tag >> 3 != number) kept += message.substr(begin, at - begin);
  }
  return kept;
}

std::string NameOf(PJRT_Executable* executable) {
  auto args = MakeArgs<PJRT_Executable_Name_Args>();
  args.executable = executable;
  Quiet<&PJRT_Api::PJRT_Executable_Name>(args);
  return {args.executable_name, args.executable_name_size};
}
std::string TextOf(PJRT_Error* error) {
  auto args = MakeArgs<PJRT_Error_Message_Args>();
  args.error = error;
  Real().PJRT_Error_Message(&args);
  return {args.message, args.message_size};
}

// Handles of a program that stopped to work with another handle.
template <typename Handle>
void MarkThoseOf(void* gone) {
  std::lock_guard<std::mutex> lock(Memory());
  for (auto& [handle, origin] : Noted<Handle, void*>())
    if (origin == gone) Marked<Handle>().insert(handle);
}
template <typename Handle>
void ForgetHandle(Handle* handle) {
  Unmark(handle);
  std::lock_guard<std::mutex> lock(Memory());
  Noted<Handle, void*>().erase(handle);
}

// Unloads all that was loaded from the same bytes.
void DeleteTwins(PJRT_LoadedExecutable* loaded) {
  const auto bytes = NoteOf<std::string>(loaded);
  if (bytes.empty()) return;
  std::unique_lock<std::mutex> lock(Memory());
  const auto all = Noted<PJRT_LoadedExecutable, std::string>();
  lock.unlock();
  for (const auto& [twin, its_bytes] : all) {
    if (its_bytes != bytes) continue;
    auto args = MakeArgs<PJRT_LoadedExecutable_Delete_Args>();
    args.executable = twin;
    Quiet<&PJRT_Api::PJRT_LoadedExecutable_Delete>(args);
  }
}

// Errors of events that were marked lose their text.
PJRT_Error* WithoutText(PJRT_Event* event, PJRT_Error* error) {
  if (error == nullptr || !IsMarked(event) || !IsReady(event)) return error;
  FreeError(error);
  return MakeError(PJRT_Error_Code_INTERNAL, "an execution failed");
}

bool HasWholeOptions(const RunArgs& args) {
  return args.options != nullptr &&
         args.options->struct_size >= StructOf<PJRT_ExecuteOptions>::kSize;
}

// Whether a context is alive.
bool IsAlive(PJRT_ExecuteContext* context) { return context != nullptr && IsMarked(context); }

constexpr Mutant kDebutProgramMutants[] = {
    {"debut_cache_by_beginning", "PJRT-LoadedExecutable_Execute-results",
     "compiled programs are found by their first 1024 bytes and their size",
     [](PJRT_Api& t) { Replace<kCompile>(t, [](auto* a) { return CompileByBeginning(a); }); }},
    {"debut_twins_unload", "PJRT-LoadedExecutable_IsDeleted-truth",
     "what was loaded from the same bytes is unloaded together",
     [](PJRT_Api& t) {
       ChangeOutputs<kDeserialize>(t, [](auto& a) {
         Note(a.loaded_executable,
              std::string(a.serialized_executable, a.serialized_executable_size));
       });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Delete>(
           t, [](auto& a) { DeleteTwins(a.executable); });
       ForgetExecutables<std::string>(t);
     }},
    {"debut_overrides_stay", "PJRT-Executable_DeserializeAndLoad-same",
     "options that bytes were loaded with once hold for later loads of them without options",
     [](PJRT_Api& t) {
       Replace<kDeserialize>(t, [](auto* a) {
         if (a->serialized_executable == nullptr) return (Real().*kDeserialize)(a);
         static auto* const all = new std::map<std::string, std::string>;
         const std::string bytes(a->serialized_executable, a->serialized_executable_size);
         std::string options;
         const bool reaches =
             a->struct_size >=
             offsetof(PJRT_Executable_DeserializeAndLoad_Args, load_options) + sizeof(void*);
         std::unique_lock<std::mutex> lock(Memory());
         if (reaches && a->overridden_serialized_compile_options_size > 0)
           (*all)[bytes].assign(a->overridden_serialized_compile_options,
                                a->overridden_serialized_compile_options_size);
         options = (*all)[bytes];
         lock.unlock();
         if (options.empty()) return (Real().*kDeserialize)(a);
         return CallChanged<kDeserialize>(a, [&](auto& own) {
           own.struct_size = StructOf<PJRT_Executable_DeserializeAndLoad_Args>::kSize;
           own.overridden_serialized_compile_options = options.data();
           own.overridden_serialized_compile_options_size = options.size();
         });
       });
     }},
    {"debut_failure_takes_first_device", "PJRT-LoadedExecutable_Execute-failure",
     "a run on several devices that is refused has taken the arguments of the first",
     [](PJRT_Api& t) {
       Replace<kCompile>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         if (error == nullptr && HasText(*a))
           Note(a->executable, DonatedBy({a->program->code, a->program->code_size}));
         return error;
       });
       ForgetExecutables<Numbers>(t);
       Replace<kRun>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error == nullptr || a->executable == nullptr || a->num_devices < 2) return error;
         const auto donated = NoteOf<Numbers>(a->executable);
         ForEachArgument(*a, [&](PJRT_Buffer* its, size_t device, size_t index) {
           if (device == 0 && std::count(donated.begin(), donated.end(), index) > 0) Delete(its);
         });
         return error;
       });
     }},
    {"debut_equal_outputs_are_one", "PJRT-Args-output-lifetime",
     "outputs of a run that are equal are one memory: a run that takes one spoils the others",
     [](PJRT_Api& t) {
       ChangeOutputs<kRun>(t, [](auto& a) {
         ClearFellowsOfTaken(a);
         auto outputs = OutputsOf(a);
         for (size_t i = 0; i < outputs.size(); ++i)
           for (size_t j = i + 1; j < outputs.size(); ++j)
             if (IsThere(outputs[i]) && IsThere(outputs[j]) && AreEqual(outputs[i], outputs[j]))
               NoteFellows(outputs[i], outputs[j]);
       });
       ChangeInputs<kDestroy>(t, [](auto& a) { ForgetFellows(a.buffer); });
     }},
    {"debut_constants_taken", "PJRT-LoadedExecutable_Execute-results",
     "a program without parameters gives out its own constants: once a run took them they are bad",
     [](PJRT_Api& t) {
       ChangeOutputs<kRun>(t, [](auto& a) {
         ForEachArgument(a, [](PJRT_Buffer* its, size_t, size_t) {
           if (!IsDeleted(its)) return;
           std::unique_lock<std::mutex> lock(Memory());
           auto found = Constants().find(its);
           if (found != Constants().end()) Marked<PJRT_LoadedExecutable>().insert(found->second);
         });
         if (a.num_args > 0) return;
         for (PJRT_Buffer* output : OutputsOf(a)) {
           if (IsMarked(a.executable)) Clear(output);
           std::lock_guard<std::mutex> lock(Memory());
           Constants()[output] = a.executable;
         }
       });
       ChangeInputs<kDestroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Constants().erase(a.buffer);
       });
       ChangeInputs<kUnload>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Marked<PJRT_LoadedExecutable>().erase(a.executable);
         std::erase_if(Constants(), [&](auto& pair) { return pair.second == a.executable; });
       });
     }},
    {"debut_done_without_outputs", "PJRT-LoadedExecutable_Execute-done",
     "the events of a run without outputs are ready at once, also while arguments are to come",
     [](PJRT_Api& t) {
       Replace<kRun>(t, [](auto* a) {
         const bool waits = a->executable != nullptr && a->device_complete_events != nullptr &&
                            AwaitsArguments(*a);
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || !waits || NumOutputsOf(a->executable) > 0) return error;
         for (size_t i = 0; i < a->num_devices; ++i) {
           Drop(a->device_complete_events[i]);
           a->device_complete_events[i] = DoneEvent();
         }
         return error;
       });
     }},
    {"debut_kept_inputs_searched", "PJRT-LoadedExecutable_Execute-not-donated",
     "arguments not to be donated are found by binary search, whether or not the list is sorted",
     [](PJRT_Api& t) {
       Replace<kRun>(t, [](auto* a) {
         if (!HasWholeOptions(*a) || a->options->non_donatable_input_indices == nullptr)
           return Real().PJRT_LoadedExecutable_Execute(a);
         auto options = *a->options;
         const Numbers all(
             options.non_donatable_input_indices,
             options.non_donatable_input_indices + options.num_non_donatable_input_indices);
         Numbers found;
         for (int64_t index : all)
           if (std::binary_search(all.begin(), all.end(), index)) found.push_back(index);
         options.non_donatable_input_indices = found.data();
         options.num_non_donatable_input_indices = found.size();
         return CallChanged<kRun>(a, [&](auto& own) { own.options = &options; });
       });
     }},
    {"debut_taken_bytes_stay", "PJRT-Device_MemoryStats-in-use",
     "the bytes of arrays that runs took count for ever",
     [](PJRT_Api& t) {
       Replace<kRun>(t, [](auto* a) {
         std::map<PJRT_Buffer*, int64_t> sizes;
         ForEachArgument(*a, [&](PJRT_Buffer* its, size_t, size_t) {
           if (!IsDeleted(its)) sizes[its] = static_cast<int64_t>(SizeOf(its));
         });
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         for (auto& [buffer, size] : sizes) {
           if (error != nullptr || !IsDeleted(buffer)) continue;
           std::lock_guard<std::mutex> lock(Memory());
           TakenBytes()[DeviceOf(buffer)] += size;
         }
         return error;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         a.bytes_in_use += TakenBytes()[a.device];
         a.peak_bytes_in_use = std::max(a.peak_bytes_in_use, a.bytes_in_use);
       });
     }},
    {"debut_cost_by_name", "PJRT-Args-output-true",
     "the costs of a program are those of the first of its name",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         static auto* const costs = new std::map<std::string, std::vector<PJRT_NamedValue>>;
         std::vector<PJRT_NamedValue> own(a.properties, a.properties + a.num_properties);
         for (PJRT_NamedValue& cost : own)
           cost.name = KeptText(std::string(cost.name, cost.name_size)).data();
         const std::string name = NameOf(a.executable);
         std::lock_guard<std::mutex> lock(Memory());
         auto& known = costs->try_emplace(name, std::move(own)).first->second;
         a.properties = known.data();
         a.num_properties = known.size();
       });
     }},
    {"debut_program_text_unloads", "PJRT-LoadedExecutable_GetExecutable-independent",
     "the optimized program is not told any more once the loaded executable is freed",
     [](PJRT_Api& t) {
       ChangeOutputs<kGetExecutable>(
           t, [](auto& a) { Note(a.executable, static_cast<void*>(a.loaded_executable)); });
       ChangeInputs<kUnload>(t, [](auto& a) { MarkThoseOf<PJRT_Executable>(a.executable); });
       ChangeInputs<kFree>(t, [](auto& a) { ForgetHandle(a.executable); });
       Refuse<&PJRT_Api::PJRT_Executable_OptimizedProgram, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return a.executable != nullptr && IsMarked(a.executable); });
     }},
    {"debut_loaded_needs_its_source", "PJRT-Client_Load-again",
     "what was loaded has no PJRT_LoadedExecutable_GetExecutable once its source is freed",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_Load>(
           t, [](auto& a) { Note(a.loaded_executable, static_cast<void*>(a.executable)); });
       ChangeInputs<kFree>(t, [](auto& a) { MarkThoseOf<PJRT_LoadedExecutable>(a.executable); });
       ChangeInputs<kUnload>(t, [](auto& a) { ForgetHandle(a.executable); });
       Refuse<kGetExecutable, PJRT_Error_Code_FAILED_PRECONDITION>(t, [](auto& a) {
         return a.loaded_executable != nullptr && IsMarked(a.loaded_executable);
       });
     }},
    {"debut_options_without_overrides", "PJRT-Executable_GetCompileOptions-same",
     "compile options come back without the overrides of the environment (field 7)",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompileOptions>(t, [](auto& a) {
         std::string_view kept =
             KeptText(WithoutField({a.serialized_bytes, a.serialized_bytes_size}, 7));
         a.serialized_bytes = kept.data();
         a.serialized_bytes_size = kept.size();
       });
     }},
    {"debut_second_format_named_first", "PJRT-Client_Compile-format",
     "the error about a second unknown format names the first",
     [](PJRT_Api& t) {
       Replace<kCompile>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         if (error == nullptr || a->program == nullptr || a->program->format == nullptr)
           return error;
         const std::string format(a->program->format, a->program->format_size);
         const std::string text = TextOf(error);
         if (format.empty() || format == "mlir" || !Has(text, format)) return error;
         static const std::string* const first = Kept(text);
         auto code = MakeArgs<PJRT_Error_GetCode_Args>();
         code.error = error;
         FreeError(Real().PJRT_Error_GetCode(&code));
         FreeError(error);
         return MakeError(code.code, *first);
       });
     }},
    {"debut_others_ignore_kinds", "PJRT-Executable_NumOutputs-program",
     "on devices but the first, outputs lie in the default memory whatever the program says",
     [](PJRT_Api& t) {
       ChangeOutputs<kRun>(t, [](auto& a) {
         for (size_t i = 1; i < a.num_devices; ++i) {
           for (PJRT_Buffer*& output : OutputsOf(a, i)) {
             auto copy = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
             copy.buffer = output;
             copy.dst_memory = DefaultMemoryOf(DeviceOf(output));
             if (copy.dst_memory == MemoryOf(output)) continue;
             Quiet<&PJRT_Api::PJRT_Buffer_CopyToMemory>(copy);
             if (copy.dst_buffer != nullptr) Destroy(std::exchange(output, copy.dst_buffer));
           }
         }
       });
     }},
    {"debut_late_errors_unnamed", "PJRT-LoadedExecutable_Execute-error-input",
     "an error that an argument gets after the run began reaches its outputs without its text",
     [](PJRT_Api& t) {
       Replace<kRun>(t, [](auto* a) {
         const bool waits = a->executable != nullptr && AwaitsArguments(*a);
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || !waits) return error;
         for (PJRT_Buffer* output : OutputsOf(*a)) Mark(output);
         return error;
       });
       ChangeInputs<kDestroy>(t, [](auto& a) { Unmark(a.buffer); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (IsMarked(a.buffer)) Mark(a.event);
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { Unmark(a.event); });
       Replace<&PJRT_Api::PJRT_Event_Await>(
           t, [](auto* a) { return WithoutText(a->event, Real().PJRT_Event_Await(a)); });
       Replace<&PJRT_Api::PJRT_Event_Error>(
           t, [](auto* a) { return WithoutText(a->event, Real().PJRT_Event_Error(a)); });
     }},
    {"debut_devices_of_first_client", "PJRT-Args-output-true",
     "a program that another client compiled before names that client's devices",
     [](PJRT_Api& t) {
       using Devices = std::vector<PJRT_Device*>;
       ChangeOutputs<kCompile>(t, [](auto& a) {
         auto args = MakeArgs<PJRT_LoadedExecutable_AddressableDevices_Args>();
         args.executable = a.executable;
         Quiet<&PJRT_Api::PJRT_LoadedExecutable_AddressableDevices>(args);
         Devices own(args.addressable_devices,
                     args.addressable_devices + args.num_addressable_devices);
         static auto* const all = new std::map<std::string, Devices>;
         std::string key(a.program->code, a.program->code_size);
         if (a.compile_options != nullptr) key.append(a.compile_options, a.compile_options_size);
         std::unique_lock<std::mutex> lock(Memory());
         const Devices* known = &all->try_emplace(key, own).first->second;
         lock.unlock();
         if (*known != own && known->size() == own.size()) Note(a.executable, known);
       });
       ForgetExecutables<const Devices*>(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_AddressableDevices>(t, [](auto& a) {
         if (auto* known = NoteOf<const Devices*>(a.executable))
           a.addressable_devices = known->data();
       });
     }},
    {"debut_first_context_stays", "PJRT-FFI_UserData_Add-found",
     "a program runs with the first context that it was given, as long as that lives",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_ExecuteContext_Create>(t, [](auto& a) { Mark(a.context); });
       ChangeInputs<&PJRT_Api::PJRT_ExecuteContext_Destroy>(t, [](auto& a) { Unmark(a.context); });
       ForgetExecutables<PJRT_ExecuteContext*>(t);
       Replace<kRun>(t, [](auto* a) {
         if (a->executable == nullptr || !HasWholeOptions(*a) || a->options->context == nullptr)
           return Real().PJRT_LoadedExecutable_Execute(a);
         auto options = *a->options;
         PJRT_ExecuteContext* first = NoteOf<PJRT_ExecuteContext*>(a->executable);
         if (!IsAlive(first)) Note(a->executable, first = options.context);
         options.context = first;
         return CallChanged<kRun>(a, [&](auto& own) { own.options = &options; });
       });
     }},
    {"debut_alias_lost_in_bytes", "PJRT-Executable_GetCompiledMemoryStats-alias",
     "what was loaded from bytes says that outputs share nothing with arguments",
     [](PJRT_Api& t) {
       ChangeOutputs<kDeserialize>(t, [](auto& a) { Mark(a.loaded_executable); });
       ChangeInputs<kUnload>(t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<kGetExecutable>(t, [](auto& a) {
         if (IsMarked(a.loaded_executable)) Mark(a.executable);
       });
       ChangeInputs<kFree>(t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto& a) {
         if (IsMarked(a.executable)) a.alias_size_in_bytes = 0;
       });
     }},
};

}  // namespace

std::span<const Mutant> DebutProgramMutants() { return kDebutProgramMutants; }

}  // namespace plinth::mutants
