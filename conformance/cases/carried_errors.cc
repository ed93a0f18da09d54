// SPDX-License-Identifier: Apache-2.0
// L2: errors of arrays reach everything that is made of them, with code and text.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/error_buffer.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/pending_buffer.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/sweep.h"
#include "conformance/cases/transfer_manager.h"

namespace plinth::conformance {
namespace carried_errors {
namespace {

constexpr char kCarries[] = "PJRT-Client_CreateErrorBuffer-carries";

OwnedBuffer ErrorBuffer(Context& context, const HostArray& array, PJRT_Error_Code code,
                        std::string_view text, PJRT_Memory* memory) {
  Expected<OwnedBuffer> made = NewErrorBuffer(context, memory, code, text, array);
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_CreateErrorBuffer", made.status())) return {};
  return *std::move(made);
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
  auto dims = Get<&PJRT_Buffer_Dimensions_Args::buffer>(context, buffer);
  int64_t count = 1;  // of elements of four bytes
  for (size_t i = 0; dims && i < dims->num_dims; ++i) count *= dims->dims[i];
  for (int64_t element : std::set<int64_t>{0, std::min<int64_t>(1, count - 1), count - 1}) {
    float memory = 0;
    auto raw = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
    raw.buffer = buffer;
    raw.dst = &memory;
    raw.offset = 4 * element;
    raw.transfer_size = 4;
    Status status = context.plugin().Call(raw);
    if (status.code() == StatusCode::kUnimplemented) continue;
    OwnedEvent event(context.plugin(), status.ok() ? raw.event : nullptr);
    if (event) status = context.Await(event.get());
    check(StrCat("PJRT_Buffer_CopyRawToHost of element ", element), status);
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
    probe.Check("PJRT-Buffer_Memory-asked-for", where->memory == memory,
                "an error buffer is in another memory than asked for");
    probe.Check("PJRT-Buffer_Device-asked-for", on->device == device,
                "an error buffer is on another device than asked for");
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
  const HostArray four = HostArray::F32({4}, {});
  Expected<OwnedManager> manager =
      NewManager(context, DefaultMemoryOf(context, *device), {four, four, four});
  if (!context.Ok("", "PJRT_Client_CreateBuffersForAsyncHostToDevice", manager.status())) return;
  std::vector<OwnedBuffer> buffers;
  for (int i = 0; i < 3; ++i) {
    Expected<OwnedBuffer> buffer = RetrieveBuffer(context, manager->get(), i);
    if (!context.Ok("PJRT-Args-accepted", "PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer",
                    buffer.status()))
      return;
    buffers.push_back(*std::move(buffer));
  }
  // Some of its data have come.
  const float begin[] = {1, 2};
  if (!context.Ok("PJRT-Args-accepted", "PJRT_AsyncHostToDeviceTransferManager_TransferData",
                  TransferBytes(context, manager->get(), 1, begin, 0, 8, false)))
    return;
  auto fail = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
  fail.transfer_manager = manager->get();
  fail.buffer_index = 1;
  fail.error_code = PJRT_Error_Code_NOT_FOUND;
  std::string text("a\0b and more", 12);
  fail.error_message = text.data();
  fail.error_message_size = text.size();
  if (!Succeeds(context, fail)) return;
  for (int i : {2, 0}) {
    const float values[] = {1, 2, 3, static_cast<float>(i)};
    if (!context.Ok("PJRT-Args-accepted", "PJRT_AsyncHostToDeviceTransferManager_TransferData",
                    TransferBytes(context, manager->get(), i, values, 0, 16, true)))
      return;
    JudgeBuffer(context, buffers[static_cast<size_t>(i)].get(),
                {HostArray::F32({4}, {1, 2, 3, static_cast<float>(i)})});
  }
  CheckCarried(context, buffers[1].get(), PJRT_Error_Code_NOT_FOUND, "a",
               "the second of three buffers");
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 void (*run)(Context&)) {
    cases.push_back({name, Level::kL2, ClientNeed::kShared, std::move(requirements), run, false});
  };
  add("L2/failure/errors_reach_outputs",
      {kCarries, "PJRT-LoadedExecutable_Execute-error-input",
       "PJRT-Client_FulfillAliasBuffer-error", "PJRT-LoadedExecutable_Execute-asynchronous",
       kOutputTrue},
      ErrorsReachOutputs);
  add("L2/failure/error_buffers",
      {kCarries, kOutputTrue, "PJRT-Buffer_ElementType-asked-for", "PJRT-Buffer_Device-asked-for",
       "PJRT-Buffer_Memory-asked-for", "PJRT-Strings-size"},
      ErrorBuffers);
  add("L2/failure/late_errors_reach_outputs",
      {"PJRT-LoadedExecutable_Execute-done", kCarries, "PJRT-LoadedExecutable_Execute-asynchronous",
       "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries"},
      LateErrorsReachOutputs);
  add("L2/failure/one_of_several", {"PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries"},
      OneOfSeveralFails);
}

}  // namespace carried_errors

void AddCarriedErrorCases(std::vector<Case>& cases) { carried_errors::AddCases(cases); }

}  // namespace plinth::conformance
