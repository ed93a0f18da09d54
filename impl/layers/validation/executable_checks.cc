// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "impl/layers/validation/buffer_checks.h"
#include "impl/layers/validation/input_reports.h"
#include "impl/layers/validation/outputs.h"
#include "impl/layers/validation/special_checks.h"
#include "plinth/support/str_cat.h"

// Executables: what they are given, what they give back, what they say of themselves.
namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;
using ExecuteArgs = PJRT_LoadedExecutable_Execute_Args;

std::string Executable(const CallState& state, const Sight& executable) {
  return state.Name("executable", state.layer.kinds.loaded_executable,
                    executable.handle->pointer());
}

int64_t CountOf(const Sight& sight, HandleCount which) {
  return sight.handle->counts[which].load(std::memory_order_relaxed);
}

// Counts are kept plus one, so that 0 says that nobody asked.
void SetCount(const Sight& sight, HandleCount which, size_t count) {
  sight.handle->counts[which].store(static_cast<int64_t>(count) + 1, std::memory_order_relaxed);
}

// Asks for the numbers of outputs and parameters, once.
void AskCounts(const CallState& state, const Sight& executable) {
  if (CountOf(executable, kOutputs) != 0) return;
  PJRT_LoadedExecutable_GetExecutable_Args get = {};
  get.loaded_executable = reinterpret_cast<PJRT_LoadedExecutable*>(executable.handle->address());
  if (!state.Ask(function::kPJRT_LoadedExecutable_GetExecutable, &get)) return;
  PJRT_Executable_NumOutputs_Args question = {};
  question.executable = get.executable;
  if (state.Ask(function::kPJRT_Executable_NumOutputs, &question)) {
    SetCount(executable, kOutputs, question.num_outputs);
  }
  PJRT_Executable_ParameterMemoryKinds_Args parameters = {};
  parameters.executable = get.executable;
  if (state.layer.plugin_minor >= 102 &&
      state.Ask(function::kPJRT_Executable_ParameterMemoryKinds, &parameters)) {
    SetCount(executable, kParameters, parameters.num_parameters);
  }
  PJRT_Executable_Destroy_Args destroy = {};
  destroy.executable = get.executable;
  state.Ask(function::kPJRT_Executable_Destroy, &destroy);
}

// The number of devices plus one, or 0.
int64_t NumDevices(const CallState& state, const Sight& executable) {
  int64_t known = CountOf(executable, kDevices);
  if (known != 0) return known;
  PJRT_LoadedExecutable_AddressableDevices_Args question = {};
  question.executable = reinterpret_cast<PJRT_LoadedExecutable*>(executable.handle->address());
  if (state.Ask(function::kPJRT_LoadedExecutable_AddressableDevices, &question)) {
    SetCount(executable, kDevices, question.num_addressable_devices);
  }
  return CountOf(executable, kDevices);
}

// Calls `visit` with every argument that is known and alive.
template <typename Visit>
void ForEachArgument(const CallState& state, Visit visit) {
  auto& args = state.As<ExecuteArgs>();
  if (args.argument_lists == nullptr) return;
  for (size_t i = 0; i < args.num_devices; ++i) {
    if (args.num_args == 0 || args.argument_lists[i] == nullptr) continue;
    for (size_t j = 0; j < args.num_args; ++j) {
      const void* address = args.argument_lists[i][j];
      if (address == nullptr) continue;
      Sight buffer =
          state.layer.table.Find(state.layer.kinds.buffer, reinterpret_cast<uintptr_t>(address));
      if (buffer.alive()) visit(buffer);
    }
  }
}

void BeforeExecute(CallState& state) {
  auto& args = state.As<ExecuteArgs>();
  Sight executable = state.First();
  // Arguments were found by the checks; what may be wrong with one beyond that is rare.
  if (state.saw_flags & (kDeleted | kDonated)) {
    ForEachArgument(state, [&](const Sight& buffer) {
      CheckHasContents(state, buffer, "argument_lists",
                       Require("PJRT-LoadedExecutable_Execute-deleted"));
    });
  }
  if (executable.handle == nullptr) return;
  if ((executable.flags & kDeleted) != 0) {
    state.FailedPrecondition(Require("PJRT-LoadedExecutable_Execute-deleted-executable"),
                             StrCat(Executable(state, executable), " that was deleted: ",
                                    Describe(state.layer.table, executable.handle)));
    return;
  }
  int64_t num_devices = args.execute_device != nullptr ? 2 : NumDevices(state, executable);
  if (num_devices != 0 && args.num_devices + 1 != static_cast<size_t>(num_devices)) {
    static const reflection::Requirement& count = Require("PJRT-LoadedExecutable_Execute-count");
    state.InvalidArgument(count, StrCat("`num_devices` = ", args.num_devices,
                                        ", the executable runs on ", num_devices - 1));
  }
  AskCounts(state, executable);
  const int64_t num_parameters = CountOf(executable, kParameters);
  if (num_parameters != 0 && args.num_args + 1 != static_cast<size_t>(num_parameters)) {
    state.InvalidArgument(
        Require("PJRT-LoadedExecutable_Execute-count"),
        StrCat("`num_args` = ", args.num_args, ", the executable takes ", num_parameters - 1));
  }
  const int64_t num_outputs = CountOf(executable, kOutputs);
  for (size_t i = 0; args.output_lists != nullptr && num_outputs > 1 && i < args.num_devices; ++i) {
    if (args.output_lists[i] != nullptr) continue;
    ReportNullElement(state, "output_lists", i);
  }
}

void NoteDonated(CallState& state, const Sight& executable) {
  if ((executable.flags & kKeeps) != 0) return;
  bool donates = false;
  ForEachArgument(state, [&](const Sight& buffer) {
    if (!IsDeleted(state, buffer.handle)) return;
    donates = true;
    state.layer.table.MarkDeleted(buffer.ref(), kDonated, state.at);
  });
  auto& args = state.As<ExecuteArgs>();
  bool may_differ = false;
  if (args.options != nullptr) {
    may_differ =
        GetField(*args.options, &PJRT_ExecuteOptions::num_non_donatable_input_indices, 0) != 0;
  }
  if (donates) {
    executable.handle->Add(kDonates);
  } else if (!may_differ && (executable.flags & kDonates) == 0) {
    executable.handle->Add(kKeeps);
  }
}

void AfterExecute(CallState& state) {
  auto& args = state.As<ExecuteArgs>();
  Sight executable = state.First();
  if (executable.handle == nullptr) return;
  int64_t num_outputs = CountOf(executable, kOutputs) - 1;
  const Kinds& kinds = state.layer.kinds;
  for (size_t i = 0; i < args.num_devices; ++i) {
    for (int64_t j = 0; args.output_lists != nullptr && j < num_outputs; ++j) {
      const void* output = args.output_lists[i] == nullptr ? nullptr : args.output_lists[i][j];
      if (output != nullptr) {
        AddOwned(state, kinds.buffer, output, "output_lists");
      } else {
        state.Fault(Require("PJRT-Args-output-handle"),
                    StrCat("`output_lists[", i, "][", j, "]` is null"));
      }
    }
    if (args.device_complete_events == nullptr) continue;
    if (const void* event = args.device_complete_events[i]) {
      AddOwned(state, kinds.event, event, "device_complete_events");
    } else {
      state.Fault(Require("PJRT-Args-output-handle"),
                  StrCat("`device_complete_events[", i, "]` is null"));
    }
  }
  NoteDonated(state, executable);
}

// One buffer stands twice among the arguments of an executable that may donate. A plugin may allow
// that, so it counts where the plugin refuses. One that never ran may also refuse the shapes: its
// words, which the report repeats, tell.
bool ReportRepeated(CallState& state, const Status& refused) {
  std::set<const Handle*> seen;
  const Handle* repeated = nullptr;
  ForEachArgument(state, [&](const Sight& buffer) {
    if (!seen.insert(buffer.handle).second) repeated = buffer.handle;
  });
  if (repeated == nullptr) return false;
  state.InvalidArgument(
      Require("PJRT-LoadedExecutable_Execute-donated-once"),
      StrCat(state.Name("argument_lists", state.layer.kinds.buffer, repeated->pointer()),
             " that stands twice, and the plugin refuses the arguments: ", refused.message()));
  return true;
}

// An execution that failed may have been given what is donated without the layer's knowledge. The
// plugin alone knows the types and shapes that it wants.
void ExecuteFailed(CallState& state) {
  if (state.is_misused) return;
  ForEachArgument(state, [&](const Sight& buffer) {
    if ((buffer.flags & (kDeleted | kDonated)) != 0 || !IsDeleted(state, buffer.handle)) return;
    state.InvalidArgument(
        Require("PJRT-LoadedExecutable_Execute-deleted"),
        StrCat(state.Name("argument_lists", state.layer.kinds.buffer, buffer.handle->pointer()),
               " that is deleted: ", Describe(state.layer.table, buffer.handle)));
  });
  if (state.is_misused) return;
  const Status refused = state.StatusOf(state.failure);
  if (refused.code() != StatusCode::kInvalidArgument) return;
  if ((state.First().flags & kKeeps) == 0 && ReportRepeated(state, refused)) return;
  state.InvalidArgument(Require("PJRT-LoadedExecutable_Execute-shape"),
                        StrCat("the plugin refuses the arguments: ", refused.message()));
}

void AfterExecutableDelete(CallState& state) {
  Sight executable = state.First();
  if (executable.handle == nullptr) return;
  state.layer.table.MarkDeleted(executable.ref(), kDeleted, state.at);
}

// Every function that says how many outputs there are says the same.
template <typename Args, size_t Args::*count>
void AfterCount(CallState& state) {
  Sight executable = state.First();
  if (executable.handle == nullptr) return;
  auto& args = state.As<Args>();
  if (!HasField(args, count)) return;
  int64_t known = CountOf(executable, kOutputs);
  if (known == 0) {
    SetCount(executable, kOutputs, args.*count);
  } else if (static_cast<size_t>(known) != args.*count + 1) {
    state.Fault(Require("PJRT-Args-output-same"),
                StrCat("the answer is ", args.*count, " outputs, an earlier one was ", known - 1));
  }
}

// The code may be null where a program comes out, so the rows of PJRT_Program allow it.
template <typename Args>
void BeforeCompile(CallState& state) {
  const PJRT_Program* program = state.As<Args>().program;
  if (program == nullptr || program->struct_size < PJRT_Program_STRUCT_SIZE) return;
  if (program->code != nullptr || program->code_size == 0) return;
  state.InvalidArgument(Require("PJRT-Args-array"),
                        StrCat("`code` is null and its length is ", program->code_size));
}

constexpr SpecialCheck kExecutableChecks[] = {
    {function::kPJRT_Client_Compile, &BeforeCompile<PJRT_Client_Compile_Args>, nullptr},
    {function::kPJRT_Compile, &BeforeCompile<PJRT_Compile_Args>, nullptr},
    {function::kPJRT_LoadedExecutable_Execute, &BeforeExecute, &AfterExecute, &ExecuteFailed},
    {function::kPJRT_LoadedExecutable_Delete, nullptr, &AfterExecutableDelete},
    {function::kPJRT_Executable_NumOutputs, nullptr,
     &AfterCount<PJRT_Executable_NumOutputs_Args, &PJRT_Executable_NumOutputs_Args::num_outputs>},
    {function::kPJRT_Executable_OutputElementTypes, nullptr,
     &AfterCount<PJRT_Executable_OutputElementTypes_Args,
                 &PJRT_Executable_OutputElementTypes_Args::num_output_types>},
    {function::kPJRT_Executable_OutputDimensions, nullptr,
     &AfterCount<PJRT_Executable_OutputDimensions_Args,
                 &PJRT_Executable_OutputDimensions_Args::num_outputs>},
    {function::kPJRT_Executable_OutputMemoryKinds, nullptr,
     &AfterCount<PJRT_Executable_OutputMemoryKinds_Args,
                 &PJRT_Executable_OutputMemoryKinds_Args::num_outputs>},
};

}  // namespace

std::span<const SpecialCheck> ExecutableChecks() { return kExecutableChecks; }

}  // namespace plinth::layers::validation
