// SPDX-License-Identifier: Apache-2.0
// L1: what is registered for custom calls is called, once, with what was registered with it. L2: a
// run is done when its handler is.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "conformance/cases/cases.h"
#include "conformance/cases/extension_calls.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/judge_case.h"
#include "conformance/cases/pending_buffer.h"
#include "conformance/cases/stored_programs.h"
#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_gpu_extension.h"
#include "xla_ffi_c_api.h"

namespace plinth::conformance {
namespace judge_ffi {
namespace {

constexpr char kTypeIds[] = "PJRT-FFI_Type_Register-ids";
constexpr char kUserData[] = "PJRT-FFI_UserData_Add-found";
constexpr char kFfiCalled[] = "PJRT-FFI_Register_Handler-called";
constexpr char kGpuCalled[] = "PJRT-Gpu_Register_Custom_Call-called";
constexpr char kDone[] = "PJRT-LoadedExecutable_Execute-done";

// What the handlers of these cases saw. A handler has no argument of ours, so it is of the process.
struct Seen {
  std::atomic<int> calls = 0;
  std::atomic<int64_t> arguments = -1, results = -1, rank = -1, first_dimension = -1;
  std::atomic<int64_t> type_id = 0;  // of the data to ask for, or 0
  std::atomic<void*> data = nullptr;
  std::atomic<int> freed = 0;  // data that was freed before the handler asked for it
};
Seen& TheSeen() {
  static Seen* const seen = new Seen();
  return *seen;
}

// What was freed by a type's deleter, in any order.
std::atomic<int>& NumFreed() {
  static auto* const freed = new std::atomic<int>(0);
  return *freed;
}

// Touches no data of its arguments, which may lie where the host cannot read.
XLA_FFI_Error* Handle(XLA_FFI_CallFrame* frame) {
  for (XLA_FFI_InternalExtension* node = frame->extension_start; node != nullptr;
       node = node->next) {
    if (node->type != XLA_FFI_Extension_Metadata) continue;
    XLA_FFI_Metadata* metadata = reinterpret_cast<XLA_FFI_Metadata_Extension*>(node)->metadata;
    metadata->api_version.major_version = 0;
    metadata->api_version.minor_version = 3;  // the oldest that has all of this
    return nullptr;
  }
  if (frame->stage != XLA_FFI_ExecutionStage_EXECUTE) return nullptr;
  Seen& seen = TheSeen();
  seen.arguments = frame->args.size;
  seen.results = frame->rets.size;
  if (frame->args.size > 0) {
    auto* buffer = static_cast<XLA_FFI_Buffer*>(frame->args.args[0]);
    seen.rank = buffer->rank;
    seen.first_dimension = buffer->rank > 0 ? buffer->dims[0] : -1;
  }
  if (seen.type_id != 0) {
    XLA_FFI_TypeId id = {seen.type_id};
    XLA_FFI_InvokeContext_Get_Args get = {};
    get.struct_size = XLA_FFI_InvokeContext_Get_Args_STRUCT_SIZE;
    get.ctx = frame->ctx;
    get.type_id = &id;
    if (XLA_FFI_Error* error = frame->api->XLA_FFI_InvokeContext_Get(&get)) return error;
    seen.data = get.data;
    seen.freed = NumFreed().load();
  }
  ++seen.calls;
  return nullptr;
}

std::string PlatformOf(Context& context) {
  auto name = Get<&PJRT_Client_PlatformName_Args::client>(context, context.client());
  return name ? std::string(StringOf(name->platform_name, name->platform_name_size)) : "";
}

// A program that calls the handler once; null with a finding or UNSUPPORTED.
OwnedLoadedExecutable CompileCaller(Context& context, std::string_view program,
                                    std::string_view requirement) {
  const StoredVersion* version = VersionFor(StablehloRangeOf(context.plugin()));
  bool has_artifact = version != nullptr && !StoredArtifact(program, *version).empty();
  if (context.profile().program_form != ProgramForm::kText && !has_artifact) {
    context.Unsupported("older StableHLO has no typed custom calls");
    return {};
  }
  Expected<OwnedLoadedExecutable> loaded = context.Compile(ProgramFor(context, program));
  if (loaded.status().code() == StatusCode::kUnimplemented)
    context.Note("a plugin without custom calls answers so too");
  if (!context.Check(requirement, loaded.ok(),
                     "a program that calls the handler: ", loaded.status().ToString())) {
    return {};
  }
  return *std::move(loaded);
}

// Runs a program that calls the handler once, and compares what the handler saw.
void RunCaller(Context& context, PJRT_LoadedExecutable* loaded, std::string_view requirement,
               PJRT_ExecuteContext* execute_context, void* data) {
  Expected<OwnedBuffer> argument = context.Upload(RandomBits(DType::kF32, {2, 3}, 9));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
  Seen& seen = TheSeen();
  for (int turn = 1; turn <= 3; ++turn) {
    int before = seen.calls;
    seen.data = nullptr;
    PJRT_Buffer* handle = argument->get();
    PJRT_Buffer* const* arguments = &handle;
    PJRT_Buffer* output = nullptr;
    PJRT_Buffer** outputs = &output;
    PJRT_Event* event = nullptr;
    auto options = MakeArgs<PJRT_ExecuteOptions>();
    options.context = execute_context;
    auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = loaded;
    args.options = &options;
    args.argument_lists = &arguments;
    args.num_devices = 1;
    args.num_args = 1;
    args.output_lists = &outputs;
    args.device_complete_events = &event;
    if (!Succeeds(context, args, requirement)) return;
    OwnedBuffer result(context.plugin(), output);
    OwnedEvent done(context.plugin(), event);
    context.Ok(requirement, "an execution that calls the handler", context.Await(done.get()));
    context.Check(requirement, seen.calls == before + 1, "the handler was called ",
                  seen.calls - before, " times in one execution");
    context.Check(requirement, seen.arguments == 1 && seen.results == 1, "the handler got ",
                  seen.arguments.load(), " arguments and ", seen.results.load(),
                  " results, not one of each");
    context.Check(requirement, seen.rank == 2 && seen.first_dimension == 2,
                  "the argument f32[2,3] came with ", seen.rank.load(),
                  " dimensions, the first of ", seen.first_dimension.load());
    if (seen.type_id != 0) {
      context.Check(kUserData, seen.data == data && seen.freed == 0,
                    "the handler found other data than was added, or such as was freed");
    }
  }
}

void RunHandler(Context& context, std::string_view program, std::string_view requirement) {
  OwnedLoadedExecutable loaded = CompileCaller(context, program, requirement);
  if (loaded) RunCaller(context, loaded.get(), requirement, nullptr, nullptr);
}

bool RegisterType(Context& context, std::string_view name, int64_t& id,
                  void (*deleter)(void*) = nullptr) {
  PJRT_FFI_Type_Register_Args args = {};
  args.type_name = name.data();
  args.type_name_size = name.size();
  args.type_id = id;
  // XLA's own CPU reads it without looking whether it is there.
  PJRT_FFI_Type_Info info = {};
  info.deleter = deleter;
  args.type_info = &info;
  if (!AskExtension(context, "PJRT_FFI_Type_Register", args, kTypeIds)) return false;
  id = args.type_id;
  return true;
}

void FfiTypes(Context& context) {
  constexpr size_t kTypes = 12;
  std::vector<int64_t> ids(kTypes, 0);
  for (size_t i = 0; i < kTypes; ++i) {
    if (!RegisterType(context, StrCat("plinth_conformance.type_", i), ids[i]))
      return i == 0 ? context.Unsupported("no PJRT_FFI_Type_Register") : void();
    context.Check(kTypeIds, ids[i] != 0 && std::count(ids.begin(), ids.end(), ids[i]) == 1, "type ",
                  i, " got the id ", ids[i], ", which is 0 or that of another type");
  }
  // Ids that the caller has chosen stay what they are.
  for (size_t i = 0; i < 3; ++i) {
    const int64_t chosen = *std::max_element(ids.begin(), ids.end()) + 1000 + 7 * int64_t(i);
    int64_t id = chosen;
    if (!RegisterType(context, StrCat("plinth_conformance.chosen_", i), id)) break;
    context.Check(kTypeIds, id == chosen, "a type of the id ", chosen, " got ", id);
  }
  // All types in one context, and each type in two contexts.
  int values[kTypes] = {};
  OwnedExecuteContext contexts[2];
  for (OwnedExecuteContext& each : contexts) {
    auto create = MakeArgs<PJRT_ExecuteContext_Create_Args>();
    if (!Succeeds(context, create)) return;
    each = OwnedExecuteContext(context.plugin(), create.context);
    for (size_t i = 0; i < kTypes; ++i) {
      PJRT_FFI_UserData_Add_Args add = {};
      add.context = each.get();
      add.user_data = {ids[i], &values[i]};
      (void)AskExtension(context, "PJRT_FFI_UserData_Add", add, kUserData);
    }
  }
}

// False, with UNSUPPORTED or a finding, where it is not taken.
bool RegisterHandler(Context& context) {
  std::string platform = PlatformOf(context);
  // Names need not end with NUL.
  const std::string target = "plinth_conformance.ffi", longer = target + "X";
  platform += "X";
  PJRT_FFI_Register_Handler_Args args = {};
  args.target_name = longer.data();
  args.target_name_size = target.size();
  args.handler = reinterpret_cast<void*>(&Handle);
  args.platform_name = platform.data();
  args.platform_name_size = platform.size() - 1;
  TheSeen().type_id = 0;
  if (AskExtension(context, "PJRT_FFI_Register_Handler", args, kFfiCalled)) return true;
  context.Unsupported("no PJRT_FFI_Register_Handler");
  return false;
}

void FfiHandlers(Context& context) {
  if (!RegisterHandler(context)) return;
  Seen& seen = TheSeen();
  RunHandler(context, "custom_call_ffi", kFfiCalled);
  // With data of two types in the context, of which it asks for the second.
  int64_t other = 0, id = 0;
  if (!RegisterType(context, "plinth_conformance.other", other) ||
      !RegisterType(context, "plinth_conformance.data", id, [](void*) { ++NumFreed(); })) {
    return;
  }
  NumFreed() = 0;
  auto create = MakeArgs<PJRT_ExecuteContext_Create_Args>();
  if (!Succeeds(context, create)) return;
  OwnedExecuteContext contexts[2] = {OwnedExecuteContext(context.plugin(), create.context)};
  if (!Succeeds(context, create)) return;
  contexts[1] = OwnedExecuteContext(context.plugin(), create.context);
  int values[2][2] = {};
  for (size_t i = 0; i < 2; ++i) {
    for (int64_t each : {other, id}) {
      PJRT_FFI_UserData_Add_Args add = {};
      add.context = contexts[i].get();
      add.user_data = {each, &values[i][each == id]};
      if (!AskExtension(context, "PJRT_FFI_UserData_Add", add, kUserData)) return;
    }
  }
  // Each context has its own, in turn, also for one program, and also when the other is gone.
  OwnedLoadedExecutable caller = CompileCaller(context, "custom_call_ffi", kUserData);
  for (size_t i : {0, 1, 0, 1}) {
    OwnedLoadedExecutable another = CompileCaller(context, "custom_call_ffi", kUserData);
    for (int64_t each : {id, other}) {
      seen.type_id = each;
      for (const OwnedLoadedExecutable* loaded : {&caller, &another}) {
        if (!*loaded) return;
        RunCaller(context, loaded->get(), kUserData, contexts[i].get(), &values[i][each == id]);
      }
    }
  }
  seen.type_id = id;
  NumFreed() = 0;
  (void)contexts[0].Destroy();
  const int freed = NumFreed();
  NumFreed() = 0;
  RunCaller(context, caller.get(), kUserData, contexts[1].get(), &values[1][1]);
  context.Note(StrCat(freed, " of one value were freed with its context"));
  seen.type_id = 0;
}

// Handles the calls of no program here.
XLA_FFI_Error* HandleOthers(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr) return Handle(frame);  // asked what it is
  if (frame->stage == XLA_FFI_ExecutionStage_EXECUTE) TheSeen().calls += 100;
  return nullptr;
}

// Handlers of names that differ in their last letter, and of one name for several platforms: each
// is called for its own.
void FfiNames(Context& context) {
  constexpr std::string_view kTarget =
      "plinth_conformance.ffi.a_name_of_more_than_a_hundred_letters."
      "which_differs_from_another_in_its_last_letter_alone.A";
  const std::string own = PlatformOf(context);
  auto add = [&](std::string_view target, std::string_view platform, XLA_FFI_Handler* handler) {
    // Names need not end with NUL.
    const std::string longer = StrCat(target, "X"), longer_platform = StrCat(platform, "X");
    PJRT_FFI_Register_Handler_Args args = {};
    args.struct_size = sizeof(args);
    args.target_name = longer.data();
    args.target_name_size = target.size();
    args.handler = reinterpret_cast<void*>(handler);
    args.platform_name = longer_platform.data();
    args.platform_name_size = platform.size();
    return context.plugin().Call(*reflection::FindFunction("PJRT_FFI_Register_Handler"), &args);
  };
  if (!HasExtension(context, "PJRT_FFI_Register_Handler"))
    return context.Unsupported("no PJRT_FFI_Register_Handler");
  std::string other(kTarget);
  other.back() = 'B';
  // A plugin may refuse what is for others.
  auto add_for_others = [&](std::initializer_list<const char*> platforms) {
    for (const char* platform : platforms) {
      if (platform == own) continue;
      Status status = add(kTarget, platform, &HandleOthers);
      context.Note(StrCat("a handler for ", platform, ": ", status.ToString()));
    }
  };
  Status status = add(other, own, &HandleOthers);
  if (status.code() == StatusCode::kUnimplemented) return context.Unsupported(status.ToString());
  add_for_others({"plinth_conformance_platform", "TPU"});
  if (!context.Ok(kFfiCalled, "PJRT_FFI_Register_Handler", status) ||
      !context.Ok(kFfiCalled, "PJRT_FFI_Register_Handler", add(kTarget, own, &Handle)))
    return;
  add_for_others({"ROCM", "plinth_conformance_other"});
  other.back() = 'C';
  context.Ok(kFfiCalled, "PJRT_FFI_Register_Handler", add(other, own, &HandleOthers));
  TheSeen().type_id = 0;
  RunHandler(context, "custom_call_long_name", kFfiCalled);
}

void GpuCustomCalls(Context& context) {
  const std::string target = "plinth_conformance.gpu", longer = target + "X";
  PJRT_Gpu_Register_Custom_Call_Args args = {};
  args.function_name = longer.data();
  args.function_name_size = target.size();
  args.api_version = 1;
  args.handler_execute = reinterpret_cast<void*>(&Handle);
  if (!AskExtension(context, "PJRT_Gpu_Register_Custom_Call", args, kGpuCalled))
    return context.Unsupported("no PJRT_Gpu_Register_Custom_Call");
  TheSeen().type_id = 0;
  RunHandler(context, "custom_call_gpu", kGpuCalled);
}

// A run without results still has work to do, which a handler sees: its event waits for that.
void DoneAfterHandler(Context& context) {
  // Whether handlers are found is asked elsewhere.
  Context probe(context.plugin(), context.profile(), context.client(), context.seed());
  if (!RegisterHandler(probe)) return context.Unsupported("no handler is taken");
  OwnedLoadedExecutable caller = CompileCaller(probe, "custom_call_no_results", kFfiCalled);
  if (!caller) return context.Unsupported("no program calls a handler");
  for (int turn = 0; turn < 3; ++turn) {
    PendingBuffer argument(context, RandomBits(DType::kF32, {2, 3}, 9));
    if (!argument.Make()) return;
    const int before = TheSeen().calls;
    PJRT_Buffer* handles[] = {argument.buffer()};
    OwnedEvent done;
    auto results = context.Execute(caller.get(), handles, &done);
    if (!context.Ok(kDone, "an execution on what is to come", results.status()) || !done) return;
    for (int i = 0; i < 5; ++i) {
      const bool is_done = IsEventReady(context, done.get());
      context.Check(kDone, !is_done || TheSeen().calls > before,
                    "an execution is done before the handler that it calls was called");
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (!argument.Fill()) return;
    context.Ok(kDone, "its event", context.Await(done.get()));
    context.Check(kDone, TheSeen().calls == before + 1, "the handler was called ",
                  TheSeen().calls - before, " times when the execution was done");
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  AddJudgeCase(cases, "L1/judge/extension/ffi_types", {kTypeIds, kUserData}, FfiTypes);
  AddJudgeCase(cases, "L1/judge/extension/ffi_handlers",
               {kFfiCalled, kUserData, kTypeIds, "PJRT-Strings-size"}, FfiHandlers);
  AddJudgeCase(cases, "L1/judge/extension/ffi_names", {kFfiCalled, "PJRT-Strings-size"}, FfiNames);
  AddJudgeCase(cases, "L1/judge/extension/gpu_custom_calls", {kGpuCalled, "PJRT-Strings-size"},
               GpuCustomCalls);
  cases.push_back({"L2/event_order/done_after_handler",
                   Level::kL2,
                   ClientNeed::kShared,
                   {kDone},
                   DoneAfterHandler,
                   false});
}

}  // namespace judge_ffi

void AddFfiJudgeCases(std::vector<Case>& cases) { judge_ffi::AddCases(cases); }

}  // namespace plinth::conformance
