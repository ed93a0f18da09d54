// SPDX-License-Identifier: Apache-2.0
// Compiling and executing through the C table.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "sdk/src/executable_test_util.h"
#include "sdk/src/test_plugin.h"

namespace plinth::sdk::testing {
namespace {

TEST_F(ExecutableTest, RunsAndReportsCompletion) {
  Call call;
  Fill(call);
  ASSERT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_Execute, call.args).ok());
  PLINTH_ARGS(PJRT_Event_Await, await);
  await.event = call.complete[0];
  EXPECT_TRUE(PLINTH_CALL(PJRT_Event_Await, await).ok());
  EXPECT_EQ(Download(call.outputs[0]), (std::vector<float>{11, 22, 33, 44}));
  Destroy(call.complete[0]);
  Destroy(call.outputs[0]);
}

TEST_F(ExecutableTest, WrongCallsAreRefused) {
  ExpectRefused([](Call& c) { c.args.num_args = 1; }, "1 arguments; executable \"add\" takes 2");
  ExpectRefused([](Call& c) { c.args.num_devices = 2; }, "arguments for 2 devices");
  ExpectRefused([](Call& c) { c.args.options = nullptr; }, "options is null");
  ExpectRefused([](Call& c) { c.args.argument_lists = nullptr; }, "argument_lists is null");
  ExpectRefused([](Call& c) { c.argument_list = nullptr; }, "argument list of device 0 is null");
  ExpectRefused([](Call& c) { c.arguments[1] = nullptr; }, "argument 1 of device 0 is null");
  ExpectRefused([](Call& c) { c.options.struct_size = 51; }, "PJRT_ExecuteOptions: struct_size");
  ExpectRefused([](Call& c) { c.args.output_lists = nullptr; }, "output_lists is null");
  ExpectRefused([](Call& c) { c.options.num_non_donatable_input_indices = 1; },
                "non_donatable_input_indices is null");
  static const int64_t kTwo = 2;
  ExpectRefused(
      [](Call& c) {
        c.options.num_non_donatable_input_indices = 1;
        c.options.non_donatable_input_indices = &kTwo;
      },
      "non_donatable_input_indices has 2");
  ExpectRefused([](Call& c) { c.options.num_send_ops = 1; }, "1 send, 0 recv",
                StatusCode::kUnimplemented);
  ExpectRefused(
      [](Call& c) {
        static PJRT_HloOutputCallbackInfo info = {};
        c.options.hlo_output_callbacks = &info;
        c.options.num_hlo_output_callbacks = 1;
      },
      "1 output callbacks", StatusCode::kUnimplemented);
  PJRT_Buffer* small = Upload(client_, {1, 2});
  ExpectRefused([&](Call& c) { c.arguments[0] = small; },
                "argument 0 of device 0 is f32[2]; executable \"add\" wants f32[4]");
  Destroy(small);
  {
    TestClientHandle other;
    PJRT_Buffer* foreign = Upload(other, {1, 2, 3, 4});
    ExpectRefused([&](Call& c) { c.arguments[0] = foreign; }, "another client");
    ExpectRefused([&](Call& c) { c.args.execute_device = other.devices[0]; },
                  "not an addressable device");
    Destroy(foreign);
  }
  PLINTH_ARGS(PJRT_LoadedExecutable_Delete, remove);
  remove.executable = add_;
  EXPECT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_Delete, remove).ok());
  ExpectRefused([](Call&) {}, "was deleted", StatusCode::kFailedPrecondition);
}

bool IsDeleted(PJRT_Buffer* buffer) {
  PLINTH_ARGS(PJRT_Buffer_IsDeleted, args);
  args.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_IsDeleted, args).ok());
  return args.is_deleted;
}

void Delete(PJRT_Buffer* buffer) {
  PLINTH_ARGS(PJRT_Buffer_Delete, args);
  args.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_Delete, args).ok());
}

TEST_F(ExecutableTest, DeletedArgumentsAreRefused) {
  Delete(b_);
  ExpectRefused([](Call&) {}, "argument 1 of device 0 was deleted or donated");
}

TEST_F(ExecutableTest, OtherLayoutsAreRefused) {
  const auto tiled = std::make_shared<const Layout>(Layout{.tiles = {{2}}});
  const auto row_major = std::make_shared<const Layout>(Layout{.minor_to_major = {0}});
  std::shared_ptr<const Layout> layout;
  upload_hook = [&](const HostBufferRequest& request) -> Expected<HostBufferResult> {
    return HostBufferResult{
        MakeTestBuffer(request.dtype, request.dims, request.memory, Event(), layout), Event()};
  };
  layout = tiled;
  PJRT_Buffer* other = Upload(client_, {1, 2, 3, 4});
  layout = row_major;
  PJRT_Buffer* same = Upload(client_, {1, 2, 3, 4});
  ExpectRefused([&](Call& c) { c.arguments[1] = other; },
                "argument 1 of device 0 has the layout {0:T(2)}; the program was compiled for {0}");
  Call call;
  Fill(call);
  call.arguments[1] = same;
  EXPECT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_Execute, call.args).ok());
  for (PJRT_Buffer* buffer : {other, same, call.outputs[0]}) Destroy(buffer);
  Destroy(call.complete[0]);
}

// "give" takes its first argument away, though its author does nothing about it.
TEST_F(ExecutableTest, DonatedArgumentsAreDeleted) {
  PJRT_LoadedExecutable* give = Compile(client_, "give");
  const auto as_give = [&](Call& c) { c.args.executable = give; };
  ExpectRefused(
      [&](Call& c) {
        as_give(c);
        c.arguments[1] = a_;
      },
      "donate a buffer that is also another argument");
  EXPECT_FALSE(IsDeleted(a_));
  // An execution that fails takes nothing.
  execute_hook = [](const ExecuteRequest&, ExecuteResults&) -> Status { return Internal("no"); };
  ExpectRefused(as_give, "no", StatusCode::kInternal);
  EXPECT_FALSE(IsDeleted(a_));
  execute_hook = nullptr;
  Call call;
  Fill(call);
  as_give(call);
  ASSERT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_Execute, call.args).ok());
  EXPECT_EQ(Download(call.outputs[0]), (std::vector<float>{11, 22, 33, 44}));
  EXPECT_TRUE(IsDeleted(a_));
  EXPECT_FALSE(IsDeleted(b_));
  ExpectRefused(as_give, "argument 0 of device 0 was deleted or donated");
  Destroy(call.outputs[0]);
  Destroy(call.complete[0]);
  Destroy(give);
}

TEST_F(ExecutableTest, NoBufferIsDonatedTwice) {
  PJRT_LoadedExecutable* give = Compile(client_, "give_both");
  ExpectRefused(
      [&](Call& c) {
        c.args.executable = give;
        c.arguments[1] = a_;
      },
      "donate the same buffer twice in one execution");
  EXPECT_FALSE(IsDeleted(a_));
  Destroy(give);
}

// While an execution takes a buffer, other calls find it taken; if it takes nothing in the end,
// what was asked for meanwhile happens.
TEST_F(ExecutableTest, DonationsAtOnce) {
  PJRT_LoadedExecutable* give = Compile(client_, "give");
  int inner_calls = 0;
  execute_hook = [&](const ExecuteRequest& request, ExecuteResults&) -> Status {
    if (++inner_calls > 1) return Internal("never reached");
    EXPECT_TRUE(request.IsDonated(0));
    EXPECT_FALSE(request.IsDonated(1));
    ExpectRefused([&](Call& c) { c.args.executable = give; },
                  "argument 0 of device 0 was deleted or donated");
    PLINTH_ARGS(PJRT_Buffer_DonateWithControlDependency, donate);
    donate.buffer = a_;
    EXPECT_EQ(PLINTH_CALL(PJRT_Buffer_DonateWithControlDependency, donate).code(),
              StatusCode::kFailedPrecondition);
    EXPECT_FALSE(IsDeleted(a_));
    Delete(a_);
    EXPECT_TRUE(IsDeleted(a_));
    EXPECT_EQ(Download(a_), (std::vector<float>{1, 2, 3, 4}));  // the author has it still
    return Internal("outer");
  };
  ExpectRefused([&](Call& c) { c.args.executable = give; }, "outer", StatusCode::kInternal);
  execute_hook = nullptr;
  EXPECT_TRUE(IsDeleted(a_));
  EXPECT_TRUE(Download(a_).empty());
  Destroy(give);
}

// Options end where the caller's revision ends; what lies behind is not looked at.
TEST_F(ExecutableTest, OptionsOfEveryRevision) {
  struct Seen {
    bool is_donated = false;
    bool context = false;
    std::string location;
    size_t tasks = 0;
    size_t custom = 0;
    bool multi_slice = false;
  } seen;
  execute_hook = [&](const ExecuteRequest& request, ExecuteResults& results) -> Status {
    seen = {request.IsDonated(0),
            request.context != nullptr,
            std::string(request.call_location),
            request.task_ids.size(),
            request.custom_options.size(),
            request.multi_slice_config != nullptr};
    results.SetOutput(0, 0,
                      MakeTestBuffer(DType::kF32, request.arguments(0)[0].dims(),
                                     request.arguments(0)[0].memory()));
    return {};
  };
  PLINTH_ARGS(PJRT_ExecuteContext_Create, context);
  ASSERT_TRUE(PLINTH_CALL(PJRT_ExecuteContext_Create, context).ok());
  PJRT_LoadedExecutable* give = Compile(client_, "give");
  for (size_t size : {52, 72, 80, 88, 112, 120, 121, 144, 160, 400}) {
    Call call;
    Fill(call);
    call.args.executable = give;
    call.arguments[0] = Upload(client_, {1, 2, 3, 4});
    static const int64_t kZero = 0;
    static int task = 3;
    static int64_t incarnation = 4;
    PJRT_NamedValue custom = {};
    custom.name = "x";
    custom.name_size = 1;
    custom.type = PJRT_NamedValue_kBool;
    call.options.non_donatable_input_indices = &kZero;
    call.options.num_non_donatable_input_indices = 1;
    call.options.context = context.context;
    call.options.call_location = "here";
    call.options.num_tasks = 1;
    call.options.task_ids = &task;
    call.options.incarnation_ids = &incarnation;
    call.options.custom_options = &custom;
    call.options.num_custom_options = 1;
    call.options.multi_slice_config = reinterpret_cast<PJRT_MultiSlice_Config*>(&custom);
    // Everything behind the announced size is garbage.
    if (size < sizeof(call.options)) {
      std::memset(reinterpret_cast<char*>(&call.options) + size, 0x7F, sizeof(call.options) - size);
    }
    call.options.struct_size = size;
    ASSERT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_Execute, call.args).ok()) << size;
    EXPECT_EQ(seen.is_donated, size < 72) << size;
    EXPECT_EQ(seen.context, size >= 80) << size;
    EXPECT_EQ(seen.location, size >= 88 ? "here" : "") << size;
    EXPECT_EQ(seen.tasks, size >= 112 ? 1u : 0u) << size;
    EXPECT_EQ(seen.custom, size >= 160 ? 1u : 0u) << size;
    EXPECT_EQ(seen.multi_slice, size >= 120) << size;
    Destroy(call.arguments[0]);
    Destroy(call.outputs[0]);
    Destroy(call.complete[0]);
  }
  Destroy(give);
  PLINTH_ARGS(PJRT_ExecuteContext_Destroy, destroy);
  destroy.context = context.context;
  EXPECT_TRUE(PLINTH_CALL(PJRT_ExecuteContext_Destroy, destroy).ok());
}

// What the plugin does not know is refused: the results would not be what the caller asked for.
TEST_F(ExecutableTest, OptionsThatThePluginDoesNotKnowAreRefused) {
  plugin_info->supports_custom_options = false;
  plugin_info->supports_multi_slice = false;
  PJRT_NamedValue custom = {};
  custom.name = "x";
  custom.name_size = 1;
  custom.type = PJRT_NamedValue_kBool;
  auto* slices = reinterpret_cast<PJRT_MultiSlice_Config*>(&custom);
  ExpectRefused(
      [&](Call& call) {
        call.options.custom_options = &custom;
        call.options.num_custom_options = 1;
      },
      "1 custom options are given; plugin test_plugin knows none", StatusCode::kUnimplemented);
  ExpectRefused([&](Call& call) { call.options.multi_slice_config = slices; },
                "options.multi_slice_config is given", StatusCode::kUnimplemented);
  PJRT_LoadOptions options = {};
  options.struct_size = PJRT_LoadOptions_STRUCT_SIZE;
  options.multi_slice_config = slices;
  PLINTH_ARGS(PJRT_Executable_DeserializeAndLoad, load);
  load.client = client_.client;
  load.serialized_executable = "add";
  load.serialized_executable_size = 3;
  load.load_options = &options;
  EXPECT_EQ(PLINTH_CALL(PJRT_Executable_DeserializeAndLoad, load).code(),
            StatusCode::kUnimplemented);
  // Without any of them, the same calls are served.
  Call call;
  Fill(call);
  call.options.custom_options = &custom;
  EXPECT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_Execute, call.args).ok());
  Destroy(call.outputs[0]);
  Destroy(call.complete[0]);
  options.multi_slice_config = nullptr;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Executable_DeserializeAndLoad, load).ok());
  Destroy(load.loaded_executable);
  plugin_info->supports_custom_options = true;
  plugin_info->supports_multi_slice = true;
}

TEST_F(ExecutableTest, OutputsOfTooManyDimensionsAreRefused) {
  execute_hook = [](const ExecuteRequest& request, ExecuteResults& results) -> Status {
    const std::vector<int64_t> ones(65, 1);
    results.SetOutput(0, 0, MakeTestBuffer(DType::kF32, ones, request.arguments(0)[0].memory()));
    return {};
  };
  ExpectRefused([](Call&) {}, "a buffer of 65 dimensions; at most 64", StatusCode::kInternal);
}

TEST_F(ExecutableTest, FailuresLeaveNothingBehind) {
  auto output = [](const ExecuteRequest& request) {
    return MakeTestBuffer(DType::kF32, request.arguments(0)[0].dims(),
                          request.arguments(0)[0].memory());
  };
  const int buffers = live_buffers;
  execute_hook = [&](const ExecuteRequest& request, ExecuteResults& results) -> Status {
    results.SetOutput(0, 0, output(request));
    return Internal("half way");
  };
  ExpectRefused([](Call&) {}, "half way", StatusCode::kInternal);
  execute_hook = [&](const ExecuteRequest& request, ExecuteResults& results) -> Status {
    results.SetOutput(0, 0, output(request));
    throw std::runtime_error("thrown half way");
  };
  ExpectRefused([](Call&) {}, "thrown half way", StatusCode::kInternal);
  execute_hook = [](const ExecuteRequest&, ExecuteResults&) -> Status { throw 7; };
  ExpectRefused([](Call&) {}, "unknown exception", StatusCode::kInternal);
  execute_hook = [](const ExecuteRequest&, ExecuteResults&) -> Status { throw std::bad_alloc(); };
  ExpectRefused([](Call&) {}, "out of host memory", StatusCode::kResourceExhausted);
  execute_hook = [](const ExecuteRequest&, ExecuteResults&) { return Status(); };
  ExpectRefused([](Call&) {}, "set no output 0", StatusCode::kInternal);
  execute_hook = [](const ExecuteRequest&, ExecuteResults& results) {
    results.SetOutput(0, 0, MakeTestBuffer(DType::kF32, {}, nullptr));
    return Status();
  };
  ExpectRefused([](Call&) {}, "without a memory", StatusCode::kInternal);
  // Set twice: the first is dropped. Out of range: dropped.
  execute_hook = [&](const ExecuteRequest& request, ExecuteResults& results) -> Status {
    for (size_t i : {0, 0, 5}) results.SetOutput(0, i, output(request));
    return {};
  };
  Call call;
  Fill(call);
  ASSERT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_Execute, call.args).ok());
  Destroy(call.outputs[0]);
  Destroy(call.complete[0]);
  EXPECT_EQ(live_buffers, buffers);
}

TEST_F(ExecutableTest, AsynchronousErrorsReachOutputsAndCompletion) {
  auto source = std::make_shared<EventSource>();
  execute_hook = [&](const ExecuteRequest& request, ExecuteResults& results) -> Status {
    results.SetOutput(0, 0,
                      MakeTestBuffer(DType::kF32, request.arguments(0)[0].dims(),
                                     request.arguments(0)[0].memory(), source->event()));
    EXPECT_TRUE(results.wants_completion());
    results.SetCompletion(0, source->event());
    return {};
  };
  Call call;
  Fill(call);
  ASSERT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_Execute, call.args).ok());
  std::thread device([&] { source->Set(Internal("the device broke")); });
  PLINTH_ARGS(PJRT_Event_Await, await);
  await.event = call.complete[0];
  EXPECT_EQ(PLINTH_CALL(PJRT_Event_Await, await).message(), "the device broke");
  PLINTH_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = call.outputs[0];
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_ReadyEvent, ready).ok());
  await.event = ready.event;
  EXPECT_EQ(PLINTH_CALL(PJRT_Event_Await, await).message(), "the device broke");
  device.join();
  Destroy(ready.event);
  Destroy(call.complete[0]);
  Destroy(call.outputs[0]);
}

TEST_F(ExecutableTest, SeveralDevicesAndNoneAtAll) {
  PJRT_LoadedExecutable* pair = Compile(client_, "pair");
  PJRT_Buffer* on_second = Upload(client_, {5, 6, 7, 8}, client_.memories[1]);
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  ASSERT_TRUE(Execute(pair, {{a_}, {on_second}}, 1, outputs).ok());
  EXPECT_EQ(Download(outputs[1][0]), (std::vector<float>{6, 7, 8, 9}));
  for (auto& list : outputs) Destroy(list[0]);
  EXPECT_EQ(Execute(pair, {{a_}}, 1, outputs).code(), StatusCode::kInvalidArgument);
  PLINTH_ARGS(PJRT_LoadedExecutable_AddressableDevices, devices);
  devices.executable = pair;
  EXPECT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_AddressableDevices, devices).ok());
  EXPECT_EQ(devices.num_addressable_devices, 2u);
  PLINTH_ARGS(PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids);
  ids.executable = pair;
  EXPECT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids).ok());
  ASSERT_EQ(ids.num_addressable_device_logical_ids, 2u);
  EXPECT_EQ(ids.addressable_device_logical_ids[1].replica, 0);
  EXPECT_EQ(ids.addressable_device_logical_ids[1].partition, 1);
  PLINTH_ARGS(PJRT_LoadedExecutable_GetDeviceAssignment, assignment);
  assignment.executable = pair;
  EXPECT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_GetDeviceAssignment, assignment).ok());
  // 1 replica, 2 partitions, [0], [1].
  EXPECT_EQ(std::string(assignment.serialized_bytes, assignment.serialized_bytes_size),
            std::string("\x08\x01\x10\x02\x1a\x03\x0a\x01\x00\x1a\x03\x0a\x01\x01", 14));
  assignment.serialized_device_assignment_deleter(assignment.serialized_device_assignment);
  Destroy(pair);
  Destroy(on_second);

  PJRT_LoadedExecutable* none = Compile(client_, "none");
  PJRT_ExecuteOptions options = {};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  PLINTH_ARGS(PJRT_LoadedExecutable_Execute, args);
  args.executable = none;
  args.options = &options;
  args.num_devices = 1;
  EXPECT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_Execute, args).ok());
  Destroy(none);
}

// Whatever is destroyed first, the rest keeps working.
TEST_F(ExecutableTest, AnyOrderOfDestruction) {
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  client_.Destroy();
  EXPECT_EQ(live_clients, 1);
  ASSERT_TRUE(Execute(add_, {{a_, b_}}, 1, outputs).ok());
  Destroy(add_);
  add_ = nullptr;
  EXPECT_EQ(Download(outputs[0][0]), (std::vector<float>{11, 22, 33, 44}));
  PLINTH_ARGS(PJRT_Buffer_Memory, memory);
  memory.buffer = outputs[0][0];
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_Memory, memory).ok());
  PLINTH_ARGS(PJRT_Memory_Kind, kind);
  kind.memory = memory.memory;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Memory_Kind, kind).ok());
  Destroy(outputs[0][0]);
}

TEST_F(ExecutableTest, TwoThreadsCompileExecuteTransferAndDestroy) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        PJRT_LoadedExecutable* executable = Compile(client_, "add");
        PJRT_Buffer* input = Upload(client_, {1, 1, 1, 1});
        std::vector<std::vector<PJRT_Buffer*>> outputs;
        ASSERT_TRUE(Execute(executable, {{input, a_}}, 1, outputs).ok());
        Destroy(input);
        EXPECT_EQ(Download(outputs[0][0]), (std::vector<float>{2, 3, 4, 5}));
        Destroy(executable);
        Destroy(outputs[0][0]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace plinth::sdk::testing
