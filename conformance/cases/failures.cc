// SPDX-License-Identifier: Apache-2.0
// L1 and L2: what goes wrong: errors as objects, calls that fail and change nothing.

#include <algorithm>
#include <cstring>
#include <thread>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/error_object.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace failures {
namespace {

constexpr char kFailure[] = "PJRT-LoadedExecutable_Execute-failure";

// An error object of its own, for comparison; null with a finding.
template <typename Args>
PJRT_Error* RawError(Context& context, Args& args) {
  void* slot = context.plugin().Slot(reflection::Functions()[FunctionOf<Args>::kSlot]);
  if (slot == nullptr) return nullptr;
  return reinterpret_cast<PJRT_Error* (*)(void*)>(slot)(&args);
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
    kept.push_back({error, ErrorText(context, error), ErrorCode(context, error), message.message});
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
        ErrorText(context, each.error) == each.text && ErrorCode(context, each.error) == each.code,
        "the error \"", each.text, "\" became \"", ErrorText(context, each.error),
        "\" while others were made");
    for (size_t k = i + 1; k < kept.size(); ++k) {
      context.Check("PJRT-Error-caller-frees", each.error != kept[k].error,
                    "two errors are one object");
    }
  }
  // Freeing one leaves the others.
  for (size_t i = 0; i < kept.size(); i += 2) (void)context.plugin().Take(kept[i].error);
  for (size_t i = 1; i < kept.size(); i += 2) {
    context.Check(kConst, ErrorText(context, kept[i].error) == kept[i].text, "the error \"",
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
  add("L1/failure/too_small", {"PJRT-Buffer_ToHostBuffer-too-small"}, TooSmall);
  add("L1/failure/wrong_values",
      {"PJRT-Args-enum", "PJRT-Client_CreateUninitializedBuffer-shape_element_type"}, WrongValues,
      true);
}

}  // namespace failures

void AddFailureCases(std::vector<Case>& cases) { failures::AddCases(cases); }

}  // namespace plinth::conformance
