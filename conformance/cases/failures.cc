// SPDX-License-Identifier: Apache-2.0
// L1 and L2: what goes wrong: errors as objects, calls that fail and change nothing, errors of
// inputs that reach every output.

#include <algorithm>
#include <cstring>
#include <thread>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/pending_buffer.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/sweep.h"

namespace plinth::conformance {
namespace failures {
namespace {

constexpr char kFailure[] = "PJRT-LoadedExecutable_Execute-failure";
constexpr char kCarries[] = "PJRT-Client_CreateErrorBuffer-carries";

// An error object of its own, for comparison; null with a finding.
template <typename Args>
PJRT_Error* RawError(Context& context, Args& args) {
  void* slot = context.plugin().Slot(reflection::Functions()[FunctionOf<Args>::kSlot]);
  if (slot == nullptr) return nullptr;
  return reinterpret_cast<PJRT_Error* (*)(void*)>(slot)(&args);
}

std::string TextOf(Context& context, PJRT_Error* error) {
  auto message = MakeArgs<PJRT_Error_Message_Args>();
  message.error = error;
  context.plugin().api()->PJRT_Error_Message(&message);
  return std::string(StringOf(message.message, message.message_size));
}

int CodeOf(Context& context, PJRT_Error* error) {
  auto code = MakeArgs<PJRT_Error_GetCode_Args>();
  code.error = error;
  context.Ok("PJRT-Error-code", "PJRT_Error_GetCode", context.plugin().Call(code));
  return RawEnum(code.code);
}

// Errors alive at once keep their own codes and texts, whatever is asked of others.
void ErrorsAtOnce(Context& context) {
  constexpr char kConst[] = "PJRT-Error_Message-const";
  struct Kept {
    PJRT_Error* error;
    std::string text;
    int code;
    const char* address;
  };
  std::vector<Kept> kept;
  auto keep = [&](PJRT_Error* error, std::string_view what) {
    if (!context.Check("PJRT-Error-caller-frees", error != nullptr, what, " succeeded")) return;
    auto message = MakeArgs<PJRT_Error_Message_Args>();
    message.error = error;
    context.plugin().api()->PJRT_Error_Message(&message);
    kept.push_back({error, TextOf(context, error), CodeOf(context, error), message.message});
    context.Check(kConst, !kept.back().text.empty(), what, ": the error has no text");
  };
  for (int i = 0; i < 3; ++i) {
    auto lookup = MakeArgs<PJRT_Client_LookupDevice_Args>();
    lookup.client = context.client();
    lookup.id = 1000000 + i;
    keep(RawError(context, lookup), "looking up a device that is not there");
    auto name = MakeArgs<PJRT_Client_PlatformName_Args>();
    name.struct_size = 1;
    keep(RawError(context, name), "a struct_size of 1");
    auto program = MakeArgs<PJRT_Program>();
    std::string code = StrCat("no program ", i);
    program.code = code.data();
    program.code_size = code.size();
    program.format = "mlir";
    program.format_size = 4;
    auto compile = MakeArgs<PJRT_Client_Compile_Args>();
    compile.client = context.client();
    compile.program = &program;
    compile.compile_options = SingleDeviceCompileOptions().data();
    compile.compile_options_size = SingleDeviceCompileOptions().size();
    keep(RawError(context, compile), "compiling no program");
  }
  (void)context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  // Before anybody asks again: asking may write the text anew.
  for (const Kept& each : kept) {
    context.Check(kConst, std::string_view(each.address, each.text.size()) == each.text,
                  "the text of an error, \"", each.text, "\", changed where it lies");
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    const Kept& each = kept[i];
    context.Check(
        kConst,
        TextOf(context, each.error) == each.text && CodeOf(context, each.error) == each.code,
        "the error \"", each.text, "\" became \"", TextOf(context, each.error),
        "\" while others were made");
    for (size_t k = i + 1; k < kept.size(); ++k) {
      context.Check("PJRT-Error-caller-frees", each.error != kept[k].error,
                    "two errors are one object");
    }
  }
  // Freeing one leaves the others.
  for (size_t i = 0; i < kept.size(); i += 2) (void)context.plugin().Take(kept[i].error);
  for (size_t i = 1; i < kept.size(); i += 2) {
    context.Check(kConst, TextOf(context, kept[i].error) == kept[i].text, "the error \"",
                  kept[i].text, "\" changed when others were freed");
    (void)context.plugin().Take(kept[i].error);
  }
}

// Errors of threads do not mix.
void ErrorsOfThreads(Context& context) {
  std::vector<std::thread> threads;
  std::vector<Status> wrong(4);
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200 && wrong[t].ok(); ++i) {
        auto create = MakeArgs<PJRT_Event_Create_Args>();
        if (!context.plugin().Call(create).ok()) return;
        OwnedEvent event(context.plugin(), create.event);
        std::string text = StrCat("thread ", t, " number ", i);
        auto set = MakeArgs<PJRT_Event_Set_Args>();
        set.event = event.get();
        set.error_code = static_cast<PJRT_Error_Code>(1 + (t + static_cast<size_t>(i)) % 16);
        set.error_message = text.data();
        set.error_message_size = text.size();
        if (!context.plugin().Call(set).ok()) return;
        Status status = context.Await(event.get());
        if (status.message() != text ||
            static_cast<int>(status.code()) != static_cast<int>(set.error_code))
          wrong[t] = Internal("expected \"", text, "\", got ", status.ToString());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& each : wrong) context.Check("PJRT-Threads-any", each.ok(), each.ToString());
}

struct Call {
  const char* what;
  const char* requirement;
  std::vector<PJRT_Buffer*> arguments;
  size_t num_devices = 1;
  PJRT_Device* device = nullptr;
};

// Calls of an executable that donates, each wrong in one way: nothing is donated or handed out.
void FailedCallsKeep(Context& context) {
  Expected<OwnedLoadedExecutable> executable =
      context.Compile(ProgramFor(context, "donating_second"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  auto upload = [&](const HostArray& array, PJRT_Device* device = nullptr) {
    Expected<OwnedBuffer> buffer = context.Upload(array, device);
    context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status());
    return buffer.ok() ? *std::move(buffer) : OwnedBuffer();
  };
  OwnedBuffer four = upload(HostArray::F32({4}, {1, 2, 3, 4})),
              three = upload(HostArray::F32({3}, {5, 6, 7}));
  OwnedBuffer five = upload(HostArray::F32({5}, {1, 2, 3, 4, 5})),
              square = upload(HostArray::F32({2, 2}, {1, 2, 3, 4}));
  int32_t integers[4] = {};
  OwnedBuffer typed = upload(HostArray::Of<int32_t>(DType::kS32, {4}, integers));
  OwnedBuffer deleted = upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!four || !three || !five || !square || !typed || !deleted ||
      !DeleteBuffer(context, deleted.get()))
    return;
  constexpr char kCount[] = "PJRT-LoadedExecutable_Execute-count",
                 kShape[] = "PJRT-LoadedExecutable_Execute-shape";
  std::vector<Call> calls = {
      {"no arguments", kCount, {}},
      {"one argument of two", kCount, {four.get()}},
      {"three arguments", kCount, {four.get(), three.get(), four.get()}},
      {"a longer first argument", kShape, {five.get(), three.get()}},
      {"a second argument of another shape", kShape, {four.get(), four.get()}},
      {"swapped arguments", kShape, {three.get(), four.get()}},
      {"a deleted first argument",
       "PJRT-LoadedExecutable_Execute-deleted",
       {deleted.get(), three.get()}},
      {"no device", kCount, {four.get(), three.get()}, 0},
      {"two devices", kCount, {four.get(), three.get()}, 2}};
  OwnedBuffer elsewhere;
  if (devices.size() > 1) {
    elsewhere = upload(HostArray::F32({4}, {1, 2, 3, 4}), devices[1]);
    calls.push_back({"a first argument on another device", kShape, {elsewhere.get(), three.get()}});
  }
  auto* untouched = reinterpret_cast<PJRT_Buffer*>(uintptr_t{0x5A5A});
  for (const Call& call : calls) {
    PJRT_Buffer* outputs[2][2] = {{untouched, untouched}, {untouched, untouched}};
    PJRT_Buffer** output_lists[2] = {outputs[0], outputs[1]};
    PJRT_Buffer* const* argument_lists[2] = {call.arguments.data(), call.arguments.data()};
    PJRT_Event* events[2] = {nullptr, nullptr};
    auto options = MakeArgs<PJRT_ExecuteOptions>();
    auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = executable->get();
    args.options = &options;
    args.argument_lists = argument_lists;
    args.num_devices = call.num_devices;
    args.num_args = call.arguments.size();
    args.output_lists = output_lists;
    args.device_complete_events = events;
    Status status = context.plugin().Call(args);
    if (!Refused(context, call.requirement, call.what, status, {StatusCode::kInvalidArgument}) ||
        status.ok())
      return;
    context.Check(kFailure, !status.message().empty(), call.what, ": the error has no text");
    for (PJRT_Buffer** list : output_lists) {
      for (int i = 0; i < 2; ++i) {
        context.Check(kFailure, list[i] == untouched || list[i] == nullptr, call.what,
                      ": the call failed and handed out an output");
      }
    }
    context.Check(kFailure, events[0] == nullptr && events[1] == nullptr, call.what,
                  ": the call failed and handed out an event");
    JudgeBuffer(context, three.get(), {HostArray::F32({3}, {5, 6, 7})});
    JudgeBuffer(context, four.get(), {HostArray::F32({4}, {1, 2, 3, 4})});
    if (context.HasFindings()) return;
  }
  // Right at last: only the second argument is donated.
  PJRT_Buffer* handles[] = {four.get(), three.get()};
  OwnedEvent done;
  auto results = context.Execute(executable->get(), handles, &done);
  if (!context.Ok("PJRT-Args-accepted", "a right call after wrong ones", results.status())) return;
  context.Check("PJRT-LoadedExecutable_Execute-donation",
                !IsBufferDeleted(context, four.get()) && IsBufferDeleted(context, three.get()),
                "of two arguments another than the second was donated, or none");
  JudgeBuffer(context, (*results)[0].get(), {HostArray::F32({4}, {2, 3, 4, 5})});
  JudgeBuffer(context, (*results)[1].get(), {HostArray::F32({3}, {10, 12, 14})});
  JudgeBuffer(context, four.get(), {HostArray::F32({4}, {1, 2, 3, 4})});
  // What must not be donated is not.
  OwnedBuffer again = upload(HostArray::F32({3}, {5, 6, 7}));
  int64_t kept[] = {1};
  PJRT_Buffer* pair[] = {four.get(), again.get()};
  PJRT_Buffer* const* list = pair;
  PJRT_Buffer* outputs[2] = {};
  PJRT_Buffer** output_list = outputs;
  auto options = MakeArgs<PJRT_ExecuteOptions>();
  options.non_donatable_input_indices = kept;
  options.num_non_donatable_input_indices = 1;
  auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable->get();
  args.options = &options;
  args.argument_lists = &list;
  args.num_devices = 1;
  args.num_args = 2;
  args.output_lists = &output_list;
  if (!Succeeds(context, args)) return;
  OwnedBuffer first(context.plugin(), outputs[0]), second(context.plugin(), outputs[1]);
  context.Check("PJRT-LoadedExecutable_Execute-donation", !IsBufferDeleted(context, again.get()),
                "an argument of non_donatable_input_indices was donated");
  JudgeBuffer(context, again.get(), {HostArray::F32({3}, {5, 6, 7})});
  JudgeBuffer(context, second.get(), {HostArray::F32({3}, {10, 12, 14})});
  (void)Get<&PJRT_LoadedExecutable_Delete_Args::executable>(context, executable->get());
  auto is_deleted =
      Get<&PJRT_LoadedExecutable_IsDeleted_Args::executable>(context, executable->get());
  context.Check("PJRT-LoadedExecutable_IsDeleted-truth",
                is_deleted && RawBool(is_deleted->is_deleted),
                "a deleted executable says that it is not");
  context.Ok("PJRT-Args-accepted", "PJRT_LoadedExecutable_Delete again",
             Get<&PJRT_LoadedExecutable_Delete_Args::executable>(context, executable->get())
                 ? Status()
                 : Internal("failed"));
}

OwnedBuffer ErrorBuffer(Context& context, const HostArray& array, PJRT_Error_Code code,
                        std::string_view text, PJRT_Memory* memory) {
  auto args = MakeArgs<PJRT_Client_CreateErrorBuffer_Args>();
  std::string given(text);
  std::vector<int64_t> dims = array.dims;
  args.client = context.client();
  args.error_code = code;
  args.error_message = given.data();
  args.error_message_size = given.size();
  args.shape_dims = dims.data();
  args.shape_num_dims = dims.size();
  args.shape_element_type = ToC(array.type);
  args.memory = memory;
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_CreateErrorBuffer",
                  context.plugin().Call(args)))
    return {};
  std::fill(given.begin(), given.end(), '?');
  return OwnedBuffer(context.plugin(), args.buffer);
}

// Everything that asks for the contents of a buffer gives its error; `carries` is Carries or
// CarriesOn.
void CheckCarried(Context& context, PJRT_Buffer* buffer, PJRT_Error_Code code,
                  std::string_view text, const std::string& what,
                  decltype(&Carries) carries = Carries) {
  auto check = [&](std::string_view how, const Status& status) {
    context.Check(kCarries, carries(status, code, text), what, ": ", how, " gave ",
                  status.ToString(), ", not code ", static_cast<int>(code), " with \"",
                  text.substr(0, 60), "\"");
  };
  check("the ready event", AwaitBuffer(context, buffer));
  check("PJRT_Buffer_ToHostBuffer", context.Download(buffer).status());
  context.Check("PJRT-Buffer_IsDeleted-truth", !IsBufferDeleted(context, buffer), what,
                ": counts as deleted");
  float memory[64];
  auto raw = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
  raw.buffer = buffer;
  raw.dst = memory;
  raw.transfer_size = 4;
  Status status = context.plugin().Call(raw);
  if (status.code() != StatusCode::kUnimplemented) {
    OwnedEvent event(context.plugin(), status.ok() ? raw.event : nullptr);
    if (event) status = context.Await(event.get());
    check("PJRT_Buffer_CopyRawToHost", status);
  }
}

void ErrorsReachOutputs(Context& context) {
  Expected<OwnedLoadedExecutable> mixed = context.Compile(ProgramFor(context, "mixed"));
  Expected<OwnedLoadedExecutable> add = context.Compile(ProgramFor(context, "add_one"));
  Expected<OwnedLoadedExecutable> donating =
      context.Compile(ProgramFor(context, "donating_second"));
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_Compile", mixed.status()) ||
      !context.Ok("", "PJRT_Client_Compile", add.status()) ||
      !context.Ok("", "PJRT_Client_Compile", donating.status()) || !device.ok())
    return;
  PJRT_Memory* memory = DefaultMemoryOf(context, *device);
  const HostArray four = HostArray::F32({4}, {1, 2, 3, 4}),
                  six = HostArray::F32({2, 3}, {1, 2, 3, 4, 5, 6});
  for (int number = 1; number <= PJRT_Error_Code_UNAUTHENTICATED; ++number) {
    auto code = static_cast<PJRT_Error_Code>(number);
    std::string text =
        number == 5 ? StrCat(std::string(4096, 'z'), "end") : StrCat("lost on the way ", number);
    for (int which : {0, 1}) {
      OwnedBuffer broken = ErrorBuffer(context, which == 0 ? four : six, code, text, memory);
      Expected<OwnedBuffer> whole = context.Upload(which == 0 ? six : four);
      if (!broken || !whole.ok()) return;
      JudgeBuffer(context, whole->get(), {which == 0 ? six : four});
      auto type = Get<&PJRT_Buffer_ElementType_Args::buffer>(context, broken.get());
      auto dims = Get<&PJRT_Buffer_Dimensions_Args::buffer>(context, broken.get());
      auto where = Get<&PJRT_Buffer_Memory_Args::buffer>(context, broken.get());
      auto on = Get<&PJRT_Buffer_Device_Args::buffer>(context, broken.get());
      context.Check(kOutputTrue,
                    type && dims && where && on && RawEnum(type->type) == PJRT_Buffer_Type_F32 &&
                        std::vector<int64_t>(dims->dims, dims->dims + dims->num_dims) ==
                            (which == 0 ? four : six).dims &&
                        where->memory == memory && on->device == *device,
                    "an error buffer has another type, shape or place than asked for");
      CheckCarried(context, broken.get(), code, text, "the error buffer");
      PJRT_Buffer* handles[] = {which == 0 ? broken.get() : whole->get(),
                                which == 0 ? whole->get() : broken.get()};
      OwnedEvent done;
      auto results = context.Execute(mixed->get(), handles, &done);
      if (!results.ok()) {  // at once is right, too
        context.Check("PJRT-LoadedExecutable_Execute-error-input",
                      CarriesOn(results.status(), code, text), "executing on it gave ",
                      results.status().ToString());
        continue;
      }
      for (size_t i = 0; i < results->size(); ++i) {
        CheckCarried(context, (*results)[i].get(), code, text,
                     StrCat("output ", i, " of an execution on it as argument ", which), CarriesOn);
      }
      if (done) {
        Status status = context.Await(done.get());
        context.Check("PJRT-LoadedExecutable_Execute-asynchronous", CarriesOn(status, code, text),
                      "device_complete_events gave ", status.ToString());
      }
      PJRT_Buffer* next[] = {(*results)[0].get()};
      OwnedEvent later;
      auto more = context.Execute(add->get(), next, &later);
      Status status = more.ok() ? context.Download((*more)[0].get()).status() : more.status();
      context.Check("PJRT-LoadedExecutable_Execute-error-input", CarriesOn(status, code, text),
                    "an execution on such an output gave ", status.ToString());
      auto copy = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
      copy.buffer = broken.get();
      copy.dst_memory = memory;
      status = context.plugin().Call(copy);
      if (status.ok()) {
        OwnedBuffer copied(context.plugin(), copy.dst_buffer);
        status = context.Download(copied.get()).status();
      }
      context.Check(kCarries,
                    Carries(status, code, text) || status.code() == StatusCode::kUnimplemented,
                    "a copy of it gave ", status.ToString());
      if (number > 3) break;
    }
    if (context.HasFindings()) return;
  }
  // Two at once: one of them is told. Donated: the same.
  OwnedBuffer first = ErrorBuffer(context, four, PJRT_Error_Code_DATA_LOSS, "the first", memory),
              second = ErrorBuffer(context, six, PJRT_Error_Code_ABORTED, "the second", memory),
              third = ErrorBuffer(context, HostArray::F32({3}, {1, 2, 3}), PJRT_Error_Code_ABORTED,
                                  "the third", memory);
  Expected<OwnedBuffer> living = context.Upload(four);
  if (!first || !second || !third || !living.ok()) return;
  auto run = [&](PJRT_LoadedExecutable* program, std::vector<PJRT_Buffer*> arguments,
                 const char* what, std::string_view text, std::string_view other) {
    auto results = context.Execute(program, arguments);
    auto check = [&](const Status& status) {
      context.Check("PJRT-LoadedExecutable_Execute-error-input",
                    !status.ok() && (status.message().find(text) != std::string_view::npos ||
                                     status.message().find(other) != std::string_view::npos),
                    what, " gave ", status.ToString());
    };
    if (!results.ok()) return check(results.status());
    for (const OwnedBuffer& output : *results) check(AwaitBuffer(context, output.get()));
  };
  run(mixed->get(), {first.get(), second.get()}, "an execution on two errors", "the first",
      "the second");
  // Also of an argument that nothing is computed from.
  if (auto unused = context.CompileAnyway(
          "module @unused {\n  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) "
          "-> tensor<4xf32> {\n    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>\n"
          "    return %0 : tensor<4xf32>\n  }\n}\n",
          "mlir", SingleDeviceCompileOptions());
      unused.ok()) {
    run(unused->get(), {living->get(), first.get()},
        "an execution on an error that it does not use", "the first", "the first");
  }
  run(donating->get(), {living->get(), third.get()}, "an execution that donates an error",
      "the third", "the third");
  // What stands for a buffer with an error carries it.
  Expected<Alias> alias = MakeAlias(context, memory, four.dims);
  if (alias.status().code() != StatusCode::kUnimplemented &&
      context.Ok("PJRT-Args-accepted", "PJRT_Client_CreateAliasBuffer", alias.status())) {
    Status status = FulfillAlias(context, alias->fulfill, first.get());
    if (status.ok()) status = AwaitBuffer(context, alias->buffer.get());
    context.Check("PJRT-Client_FulfillAliasBuffer-error", !status.ok(),
                  "an alias of a buffer with an error carries none");
  }
  // The client and the executables go on.
  PJRT_Buffer* handles[1];
  Expected<OwnedBuffer> whole = context.Upload(four);
  if (!whole.ok()) return;
  handles[0] = whole->get();
  auto results = context.Execute(add->get(), handles);
  if (context.Ok("PJRT-Args-accepted", "an execution after errors", results.status()))
    JudgeBuffer(context, (*results)[0].get(), {HostArray::F32({4}, {2, 3, 4, 5})});
}

// A buffer that carries an error is of the type, shape and place that were asked for.
void ErrorBuffers(Context& context) {
  const std::vector<Parameter> parameters = {
      {"type", SweptTypes()},
      {"shape", SweptShapes()},
      {"place", {"the first device", "the last", "another memory"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    DType type = DType::kF32;
    for (int number = 1; number < kNumDTypes; ++number) {
      if (Name(static_cast<DType>(number)) == parameters[0].values[row[0]])
        type = static_cast<DType>(number);
    }
    std::vector<PJRT_Device*> devices = AddressableDevices(probe);
    if (devices.empty() || !HasSweptType(probe, type)) return;
    PJRT_Device* device = row[2] == 1 ? devices.back() : devices.front();
    PJRT_Memory* memory = DefaultMemoryOf(probe, device);
    if (row[2] == 2) memory = MemoriesOf(probe, device).back();
    const HostArray array{type, ShapeOf(parameters[1].values[row[1]]), {}};
    constexpr std::string_view kLost("lost\0and found", 14);
    OwnedBuffer broken = ErrorBuffer(probe, array, PJRT_Error_Code_DATA_LOSS, kLost, memory);
    if (!broken) return;
    auto its_type = Get<&PJRT_Buffer_ElementType_Args::buffer>(probe, broken.get());
    auto dims = Get<&PJRT_Buffer_Dimensions_Args::buffer>(probe, broken.get());
    auto where = Get<&PJRT_Buffer_Memory_Args::buffer>(probe, broken.get());
    auto on = Get<&PJRT_Buffer_Device_Args::buffer>(probe, broken.get());
    if (!its_type || !dims || !where || !on) return;
    probe.Check(kOutputTrue, RawEnum(its_type->type) == ToC(type), "an error buffer of ",
                Name(type), " says the type ", RawEnum(its_type->type));
    std::vector<int64_t> found(dims->dims, dims->dims + dims->num_dims);
    probe.Check(kOutputTrue, found == array.dims, "an error buffer of [", StrJoin(array.dims),
                "] says [", StrJoin(found), "]");
    probe.Check(kOutputTrue, where->memory == memory && on->device == device,
                "an error buffer is in another place than asked for");
    Status status = AwaitBuffer(probe, broken.get());
    probe.Check(kCarries, Carries(status, PJRT_Error_Code_DATA_LOSS, kLost),
                "its ready event gave ", status.ToString());
    // No use of it works, of an array without elements neither.
    Status read = probe.Download(broken.get()).status();
    probe.Check(kCarries, CarriesOn(read, PJRT_Error_Code_DATA_LOSS, "lost"), "reading it gave ",
                read.ToString());
  });
}

// The error comes when everything has already begun.
void LateErrorsReachOutputs(Context& context) {
  Expected<OwnedLoadedExecutable> mixed = context.Compile(ProgramFor(context, "mixed"));
  Expected<OwnedLoadedExecutable> add = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", mixed.status()) ||
      !context.Ok("", "PJRT_Client_Compile", add.status()))
    return;
  Expected<OwnedBuffer> six = context.Upload(HostArray::F32({2, 3}, {1, 2, 3, 4, 5, 6}));
  if (!six.ok()) return;
  PendingBuffer pending(context);
  if (!pending.Make()) return;
  PJRT_Buffer* handles[] = {pending.buffer(), six->get()};
  OwnedEvent done, later;
  auto results = context.Execute(mixed->get(), handles, &done);
  if (!context.Ok("PJRT-Args-accepted", "PJRT_LoadedExecutable_Execute on a buffer to come",
                  results.status()))
    return;
  PJRT_Buffer* next[] = {(*results)[0].get()};
  auto more = context.Execute(add->get(), next, &later);
  if (!context.Ok("PJRT-Args-accepted", "PJRT_LoadedExecutable_Execute on a result to come",
                  more.status()))
    return;
  for (OwnedEvent* event : {&done, &later}) {
    context.Check("PJRT-LoadedExecutable_Execute-done",
                  *event && !IsEventReady(context, event->get()),
                  "an execution is done before its argument is there");
  }
  auto fail = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
  fail.transfer_manager = pending.manager().get();
  fail.error_code = PJRT_Error_Code_UNAVAILABLE;
  fail.error_message = "no data came";
  fail.error_message_size = 12;
  if (!Succeeds(context, fail)) return;
  CheckCarried(context, pending.buffer(), PJRT_Error_Code_UNAVAILABLE, "no data came",
               "the buffer");
  for (size_t i = 0; i < results->size(); ++i) {
    CheckCarried(context, (*results)[i].get(), PJRT_Error_Code_UNAVAILABLE, "no data came",
                 StrCat("output ", i), CarriesOn);
  }
  CheckCarried(context, (*more)[0].get(), PJRT_Error_Code_UNAVAILABLE, "no data came",
               "what was computed of output 0", CarriesOn);
  for (OwnedEvent* event : {&done, &later}) {
    Status status = context.Await(event->get());
    context.Check("PJRT-LoadedExecutable_Execute-asynchronous",
                  CarriesOn(status, PJRT_Error_Code_UNAVAILABLE, "no data came"),
                  "device_complete_events gave ", status.ToString());
  }
  JudgeBuffer(context, six->get(), {HostArray::F32({2, 3}, {1, 2, 3, 4, 5, 6})});
}

// One of several buffers of a manager gets an error, the others their data.
void OneOfSeveralFails(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  int64_t dims[] = {4};
  std::vector<PJRT_ShapeSpec> specs(3, MakeArgs<PJRT_ShapeSpec>());
  for (PJRT_ShapeSpec& spec : specs) {
    spec.dims = dims;
    spec.num_dims = 1;
    spec.element_type = PJRT_Buffer_Type_F32;
  }
  auto args = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  args.client = context.client();
  args.shape_specs = specs.data();
  args.num_shape_specs = 3;
  args.memory = DefaultMemoryOf(context, *device);
  if (!Succeeds(context, args)) return context.Unsupported("no transfer manager");
  OwnedManager manager(context.plugin(), args.transfer_manager);
  std::vector<OwnedBuffer> buffers;
  for (int i = 0; i < 3; ++i) {
    auto get = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
    get.transfer_manager = manager.get();
    get.buffer_index = i;
    if (!Succeeds(context, get)) return;
    buffers.emplace_back(context.plugin(), get.buffer_out);
  }
  // Some of its data have come.
  float begin[] = {1, 2};
  auto piece = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
  piece.transfer_manager = manager.get();
  piece.buffer_index = 1;
  piece.data = begin;
  piece.transfer_size = 8;
  if (!Succeeds(context, piece)) return;
  OwnedEvent came(context.plugin(), piece.done_with_h2d_transfer);
  if (came) context.Ok("", "its event", context.Await(came.get()));
  auto fail = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
  fail.transfer_manager = manager.get();
  fail.buffer_index = 1;
  fail.error_code = PJRT_Error_Code_NOT_FOUND;
  std::string text("a\0b and more", 12);
  fail.error_message = text.data();
  fail.error_message_size = text.size();
  if (!Succeeds(context, fail)) return;
  for (int i : {2, 0}) {
    float values[] = {1, 2, 3, static_cast<float>(i)};
    auto move = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
    move.transfer_manager = manager.get();
    move.buffer_index = i;
    move.data = values;
    move.transfer_size = 16;
    move.is_last_transfer = true;
    if (!Succeeds(context, move)) return;
    OwnedEvent done(context.plugin(), move.done_with_h2d_transfer);
    if (done) context.Ok("", "its event", context.Await(done.get()));
    JudgeBuffer(context, buffers[static_cast<size_t>(i)].get(),
                {HostArray::F32({4}, {1, 2, 3, static_cast<float>(i)})});
  }
  CheckCarried(context, buffers[1].get(), PJRT_Error_Code_NOT_FOUND, "a",
               "the second of three buffers");
}

// Destinations and values that no function may take.
void WrongValues(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  PJRT_Memory* memory = DefaultMemoryOf(context, *device);
  int64_t negative[] = {-1}, huge[] = {int64_t{1} << 40, int64_t{1} << 40}, four[] = {4};
  struct Shape {
    const char* what;
    const int64_t* dims;
    size_t rank;
    int type;
  };
  for (const Shape& bad : {Shape{"a negative dimension", negative, 1, PJRT_Buffer_Type_F32},
                           Shape{"2^82 bytes", huge, 2, PJRT_Buffer_Type_F32},
                           Shape{"the type INVALID", four, 1, PJRT_Buffer_Type_INVALID},
                           Shape{"the type 99", four, 1, 99}}) {
    auto spoiled = [&](auto& args) {
      args.client = context.client();
      args.shape_dims = bad.dims;
      args.shape_num_dims = bad.rank;
      args.memory = memory;
      std::memcpy(&args.shape_element_type, &bad.type, sizeof(int));
    };
    auto empty = MakeArgs<PJRT_Client_CreateUninitializedBuffer_Args>();
    spoiled(empty);
    Status status = context.plugin().Call(empty);
    OwnedBuffer first(context.plugin(), status.ok() ? empty.buffer : nullptr);
    Refused(context, "PJRT-Client_CreateUninitializedBuffer-shape_element_type",
            StrCat("an uninitialized buffer of ", bad.what), status);
    auto error = MakeArgs<PJRT_Client_CreateErrorBuffer_Args>();
    spoiled(error);
    error.error_code = PJRT_Error_Code_ABORTED;
    status = context.plugin().Call(error);
    OwnedBuffer second(context.plugin(), status.ok() ? error.buffer : nullptr);
    context.Note(StrCat("an error buffer of ", bad.what, ": ", status.ToString()));
    auto spec = MakeArgs<PJRT_ShapeSpec>();
    spec.dims = bad.dims;
    spec.num_dims = bad.rank;
    std::memcpy(&spec.element_type, &bad.type, sizeof(int));
    auto several = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
    several.client = context.client();
    several.shape_specs = &spec;
    several.num_shape_specs = 1;
    several.memory = memory;
    status = context.plugin().Call(several);
    OwnedManager manager(context.plugin(), status.ok() ? several.transfer_manager : nullptr);
    Refused(context, "PJRT-Args-enum", StrCat("a transfer of ", bad.what), status);
  }
}

void TooSmall(Context& context) {
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!buffer.ok()) return;
  for (size_t size : {size_t{1}, size_t{8}, size_t{15}}) {
    std::vector<std::byte> small(32, std::byte{0xA5});
    auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = buffer->get();
    args.dst = small.data();
    args.dst_size = size;
    Status status = context.plugin().Call(args);
    OwnedEvent event(context.plugin(), status.ok() ? args.event : nullptr);
    if (event) status = context.Await(event.get());
    context.CheckRefused("PJRT-Buffer_ToHostBuffer-too-small",
                         StrCat("a dst_size of ", size, " for 16 bytes"), status,
                         {StatusCode::kInvalidArgument});
    context.Check(
        "PJRT-Buffer_ToHostBuffer-too-small",
        std::all_of(small.begin(), small.end(), [](std::byte b) { return b == std::byte{0xA5}; }),
        "a refused copy wrote to its destination");
  }
  context.Check("PJRT-Buffer_IsDeleted-truth", !IsBufferDeleted(context, buffer->get()),
                "a refused copy deleted its buffer");
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 void (*run)(Context&), bool is_robust = false) {
    cases.push_back({name, name[1] == '1' ? Level::kL1 : Level::kL2, ClientNeed::kShared,
                     std::move(requirements), run, is_robust});
  };
  add("L1/error/at_once",
      {"PJRT-Error_Message-const", "PJRT-Error-caller-frees", "PJRT-Error-code"}, ErrorsAtOnce);
  add("L2/error/of_threads", {"PJRT-Threads-any"}, ErrorsOfThreads);
  add("L2/failure/calls_keep_arguments",
      {kFailure, "PJRT-LoadedExecutable_Execute-count", "PJRT-LoadedExecutable_Execute-shape",
       "PJRT-LoadedExecutable_Execute-deleted", "PJRT-LoadedExecutable_Execute-donation",
       "PJRT-LoadedExecutable_IsDeleted-truth"},
      FailedCallsKeep);
  add("L2/failure/errors_reach_outputs",
      {kCarries, "PJRT-LoadedExecutable_Execute-error-input",
       "PJRT-Client_FulfillAliasBuffer-error", "PJRT-LoadedExecutable_Execute-asynchronous",
       kOutputTrue},
      ErrorsReachOutputs);
  add("L2/failure/error_buffers",
      {kCarries, kOutputTrue, "PJRT-Buffer_ElementType-asked-for", "PJRT-Buffer_Device-asked-for",
       "PJRT-Strings-size"},
      ErrorBuffers);
  add("L2/failure/late_errors_reach_outputs",
      {"PJRT-LoadedExecutable_Execute-done", kCarries, "PJRT-LoadedExecutable_Execute-asynchronous",
       "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries"},
      LateErrorsReachOutputs);
  add("L2/failure/one_of_several", {"PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries"},
      OneOfSeveralFails);
  add("L1/failure/too_small", {"PJRT-Buffer_ToHostBuffer-too-small"}, TooSmall);
  add("L1/failure/wrong_values",
      {"PJRT-Args-enum", "PJRT-Client_CreateUninitializedBuffer-shape_element_type"}, WrongValues,
      true);
}

}  // namespace failures

void AddFailureCases(std::vector<Case>& cases) { failures::AddCases(cases); }

}  // namespace plinth::conformance
