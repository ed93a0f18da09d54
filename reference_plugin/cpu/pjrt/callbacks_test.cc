// SPDX-License-Identifier: Apache-2.0
// Callbacks of events that upload, compile, execute, wait and sleep, on clients of few threads.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pjrt_c_api.h"
#include "reference_plugin/cpu/pjrt/plugin_test_util.h"

namespace plinth::cpu {
namespace {

// More than any of these takes; what hangs must fail.
constexpr auto kDeadline = std::chrono::seconds(60);

class CallbacksTest : public PluginTest, public ::testing::WithParamInterface<int> {
 protected:
  int64_t num_threads() const override { return GetParam(); }

  // An input whose contents are still to come.
  struct Pending {
    PJRT_Buffer* buffer = nullptr;
    PJRT_FulfillAliasBufferCallback* fulfill = nullptr;
  };
  Pending MakePending() {
    PJRT_Device_DefaultMemory_Args memory{};
    memory.device = device_;
    EXPECT_FALSE(CALL(PJRT_Device_DefaultMemory, memory).has_value());
    const int64_t dims[] = {4096};
    PJRT_Client_CreateAliasBuffer_Args create{};
    create.client = client_;
    create.memory = memory.memory;
    create.shape_dims = dims;
    create.shape_num_dims = 1;
    create.shape_element_type = PJRT_Buffer_Type_F32;
    EXPECT_FALSE(CALL(PJRT_Client_CreateAliasBuffer, create).has_value());
    return {create.alias_buffer, create.fulfill_alias_buffer_cb};
  }
  void Fulfill(const Pending& pending) {
    PJRT_Buffer* ones = nullptr;
    ASSERT_FALSE(Upload(std::vector<float>(4096, 1), &ones).has_value());
    PJRT_Client_FulfillAliasBuffer_Args args{};
    args.client = client_;
    args.buffer = ones;
    args.fulfill_alias_buffer_cb = pending.fulfill;
    MUST(PJRT_Client_FulfillAliasBuffer, args);
    Destroy(ones);
  }

  // Calls `callback` when `buffer` is ready.
  void WhenReady(PJRT_Buffer* buffer, std::function<void()> callback) {
    PJRT_Buffer_ReadyEvent_Args ready{};
    ready.buffer = buffer;
    MUST(PJRT_Buffer_ReadyEvent, ready);
    PJRT_Event_OnReady_Args args{};
    args.event = ready.event;
    args.user_arg = new std::function<void()>(std::move(callback));
    args.callback = [](PJRT_Error* error, void* argument) {
      EXPECT_FALSE(Take(error).has_value());
      const std::unique_ptr<std::function<void()>> own(
          static_cast<std::function<void()>*>(argument));
      (*own)();
    };
    MUST(PJRT_Event_OnReady, args);
    Destroy(ready.event);
  }

  // An execution of a loop, longer than what runs inside Execute.
  PJRT_Buffer* Run(PJRT_LoadedExecutable* loop, PJRT_Buffer* input) {
    PJRT_Buffer* output = nullptr;
    EXPECT_FALSE(Execute(loop, {input}, &output).has_value());
    return output;
  }
  void ExpectFirst(PJRT_Buffer* buffer, float value) {
    std::vector<float> data(4096);
    EXPECT_FALSE(Download(buffer, &data).has_value());
    EXPECT_EQ(data[0], value);
  }
};

TEST_P(CallbacksTest, MayUploadCompileExecuteAndWait) {
  const int num_callbacks = 2 * GetParam() + 3;
  PJRT_LoadedExecutable* loop;
  ASSERT_FALSE(Compile(kLoop, &loop).has_value());
  const Pending pending = MakePending();
  std::atomic<int> num_calls{0};
  std::promise<void> all_called;
  std::vector<PJRT_Buffer*> outputs, next;
  next.resize(num_callbacks);
  for (int i = 0; i < num_callbacks; ++i) {
    outputs.push_back(Run(loop, pending.buffer));
    WhenReady(outputs[i], [&, i] {
      ExpectStillWorks();
      PJRT_Buffer* input = nullptr;
      EXPECT_FALSE(Upload(std::vector<float>(4096, 5), &input).has_value());
      PJRT_Buffer* const output = Run(loop, input);
      ExpectFirst(output, 2005);
      // Started after this callback was asked for, and only when its event is ready.
      ExpectFirst(next[i], 4001);
      Destroy(input);
      Destroy(output);
      if (++num_calls == num_callbacks) all_called.set_value();
    });
    next[i] = Run(loop, outputs[i]);
  }
  Fulfill(pending);
  ASSERT_EQ(all_called.get_future().wait_for(kDeadline), std::future_status::ready)
      << num_calls << " of " << num_callbacks << " callbacks came back";
  for (PJRT_Buffer* buffer : outputs) Destroy(buffer);
  for (PJRT_Buffer* buffer : next) Destroy(buffer);
  Destroy(pending.buffer);
  Destroy(loop);
  EXPECT_EQ(num_calls, num_callbacks);
}

TEST_P(CallbacksTest, ThatSleepKeepNobodyWaiting) {
  PJRT_LoadedExecutable* loop;
  ASSERT_FALSE(Compile(kLoop, &loop).has_value());
  const Pending pending = MakePending();
  std::promise<void> wake;
  const std::shared_future<void> woken = wake.get_future().share();
  std::vector<std::promise<void>> done(GetParam());
  std::vector<PJRT_Buffer*> outputs;
  for (std::promise<void>& promise : done) {
    outputs.push_back(Run(loop, pending.buffer));
    WhenReady(outputs.back(), [woken, &promise] {
      woken.wait();
      promise.set_value();
    });
  }
  Fulfill(pending);
  auto other = std::async(std::launch::async, [&] {
    PJRT_Buffer* const output = Run(loop, outputs.back());
    ExpectFirst(output, 4001);
    Destroy(output);
  });
  const bool goes_on = other.wait_for(kDeadline) == std::future_status::ready;
  wake.set_value();
  EXPECT_TRUE(goes_on);
  for (std::promise<void>& promise : done) promise.get_future().wait();
  other.wait();
  for (PJRT_Buffer* buffer : outputs) Destroy(buffer);
  Destroy(pending.buffer);
  Destroy(loop);
}

TEST_P(CallbacksTest, OfOneEventMayWaitForEachOther) {
  PJRT_LoadedExecutable* loop;
  ASSERT_FALSE(Compile(kLoop, &loop).has_value());
  const Pending pending = MakePending();
  PJRT_Buffer* const output = Run(loop, pending.buffer);
  std::promise<void> first, second;
  WhenReady(output, [&first, second_done = second.get_future().share()] {
    EXPECT_EQ(second_done.wait_for(kDeadline), std::future_status::ready);
    first.set_value();
  });
  WhenReady(output, [&second] { second.set_value(); });
  Fulfill(pending);
  first.get_future().wait();
  Destroy(output);
  Destroy(pending.buffer);
  Destroy(loop);
}

// The thread that makes an event ready is the caller's own here. What waits for the same event
// has been started when its callback runs.
TEST_P(CallbacksTest, OnTheCallersThreadMayWaitToo) {
  PJRT_LoadedExecutable* loop;
  ASSERT_FALSE(Compile(kLoop, &loop).has_value());
  const Pending pending = MakePending();
  PJRT_Buffer* output = nullptr;
  std::thread::id thread;
  WhenReady(pending.buffer, [&] {
    thread = std::this_thread::get_id();
    ExpectFirst(output, 2001);
  });
  output = Run(loop, pending.buffer);
  Fulfill(pending);
  EXPECT_EQ(thread, std::this_thread::get_id());
  // What is ready is called at once.
  bool is_called = false;
  WhenReady(output, [&] { is_called = true; });
  EXPECT_TRUE(is_called);
  Destroy(output);
  Destroy(pending.buffer);
  Destroy(loop);
}

// Nothing but an effect, which fails: Execute tells, or else the event that the caller asked for.
constexpr char kEffect[] = R"(
module @effect {
  func.func public @main(%x: tensor<4096xf32>) {
    stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {
      has_side_effect = true, mhlo.backend_config = {index = 0 : ui64}}
      : (tensor<4096xf32>) -> ()
    return
  }
})";

TEST_P(CallbacksTest, ExecuteDoesNotWaitForWhatItsCallerProvides) {
  PJRT_LoadedExecutable* effect;
  ASSERT_FALSE(Compile(kEffect, &effect).has_value());
  PJRT_Event* done = nullptr;
  const auto execute = [&](PJRT_Buffer* input) {
    PJRT_ExecuteOptions options{};
    options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
    PJRT_Buffer* const* arguments = &input;
    PJRT_Buffer** outputs = nullptr;
    PJRT_LoadedExecutable_Execute_Args args{};
    args.executable = effect;
    args.options = &options;
    args.argument_lists = &arguments;
    args.num_devices = 1;
    args.num_args = 1;
    args.output_lists = &outputs;
    args.device_complete_events = &done;
    return CALL(PJRT_LoadedExecutable_Execute, args);
  };
  const Pending pending = MakePending();
  auto call = std::async(std::launch::async, [&] { return execute(pending.buffer); });
  EXPECT_EQ(call.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  Fulfill(pending);
  EXPECT_FALSE(call.get().has_value());
  ASSERT_NE(done, nullptr);
  PJRT_Event_Await_Args await{};
  await.event = done;
  std::optional<Error> error = CALL(PJRT_Event_Await, await);
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(error->message.find("brought no Python callbacks"), std::string::npos);
  Destroy(done);

  error = execute(pending.buffer);  // It is there now.
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(error->message.find("brought no Python callbacks"), std::string::npos);
  Destroy(pending.buffer);
  Destroy(effect);
}

INSTANTIATE_TEST_SUITE_P(Threads, CallbacksTest, ::testing::Values(1, 2, 16));

}  // namespace
}  // namespace plinth::cpu
