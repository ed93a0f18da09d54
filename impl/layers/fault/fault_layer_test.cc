// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/fault/fault_layer.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layers/test_chain.h"
#include "plinth/support/error.h"

namespace plinth::layers {
namespace {

using testing::HasSubstr;
namespace fn = reflection::function;
using Clock = std::chrono::steady_clock;

std::unique_ptr<Layer> MakeLayer(TestChain& chain, const char* options) {
  Expected<std::unique_ptr<Layer>> layer = CreateFaultLayer(chain.Context(options));
  EXPECT_TRUE(layer.ok()) << layer.status().ToString();
  return *std::move(layer);
}

TEST(FaultLayerTest, TheNthCallFailsWithoutThePlugin) {
  int reached = 0;
  TestChain chain([&](int function, void* args) -> PJRT_Error* {
    ++reached;
    static_cast<PJRT_Client_Compile_Args*>(args)->executable = nullptr;
    return nullptr;
  });
  chain.Use(MakeLayer(chain, "PJRT_Client_Compile:2=RESOURCE_EXHAUSTED"));
  PJRT_Client_Compile_Args args = {};
  args.struct_size = PJRT_Client_Compile_Args_STRUCT_SIZE;
  auto* untouched = reinterpret_cast<PJRT_LoadedExecutable*>(0x10);
  EXPECT_EQ(chain(fn::kPJRT_Client_Compile, &args), nullptr);
  args.executable = untouched;
  Status status = TakeError(chain(fn::kPJRT_Client_Compile, &args));
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("PJRT_Client_Compile:2=RESOURCE_EXHAUSTED"));
  EXPECT_EQ(args.executable, untouched);
  EXPECT_EQ(chain(fn::kPJRT_Client_Compile, &args), nullptr);
  EXPECT_EQ(reached, 2);
  EXPECT_EQ(chain.log().size(), 1u);
  // A failing call does not read its arguments.
  chain.Use(MakeLayer(chain, "PJRT_Client_Compile:1=INTERNAL"));
  EXPECT_EQ(TakeError(chain(fn::kPJRT_Client_Compile, nullptr)).code(), StatusCode::kInternal);
}

TEST(FaultLayerTest, AllocationsAreCountedTogether) {
  TestChain chain([](int, void*) -> PJRT_Error* { return nullptr; });
  chain.Use(MakeLayer(chain, "alloc:3=RESOURCE_EXHAUSTED"));
  EXPECT_EQ(chain(fn::kPJRT_LoadedExecutable_Execute, nullptr), nullptr);
  EXPECT_EQ(chain(fn::kPJRT_Buffer_Dimensions, nullptr), nullptr);
  EXPECT_EQ(chain(fn::kPJRT_Buffer_CopyToMemory, nullptr), nullptr);
  EXPECT_EQ(TakeError(chain(fn::kPJRT_Client_BufferFromHostBuffer, nullptr)).code(),
            StatusCode::kResourceExhausted);
}

TEST(FaultLayerTest, BadOptionsMakeNoLayer) {
  TestChain chain([](int, void*) -> PJRT_Error* { return nullptr; });
  EXPECT_FALSE(CreateFaultLayer(chain.Context("nonsense")).ok());
}

// A plugin with one event that becomes ready when told to.
struct FakeEvent {
  std::atomic<bool> ready{false};
  PJRT_Event_OnReadyCallback callback = nullptr;
  void* user_arg = nullptr;

  PJRT_Event* handle() { return reinterpret_cast<PJRT_Event*>(this); }

  void Set() {
    ready = true;
    if (callback != nullptr) callback(nullptr, user_arg);
  }

  static PJRT_Error* Call(int function, void* args) {
    if (function == fn::kPJRT_Event_OnReady) {
      auto& on_ready = *static_cast<PJRT_Event_OnReady_Args*>(args);
      auto& event = *reinterpret_cast<FakeEvent*>(on_ready.event);
      if (event.ready) {
        on_ready.callback(nullptr, on_ready.user_arg);
      } else {
        event.callback = on_ready.callback;
        event.user_arg = on_ready.user_arg;
      }
    } else if (function == fn::kPJRT_Event_IsReady) {
      auto& is_ready = *static_cast<PJRT_Event_IsReady_Args*>(args);
      is_ready.is_ready = reinterpret_cast<FakeEvent*>(is_ready.event)->ready;
    }
    return nullptr;
  }
};

struct Seen {
  std::atomic<int> calls{0};
  Clock::time_point at;

  static void Callback(PJRT_Error* error, void* user_arg) {
    auto& seen = *static_cast<Seen*>(user_arg);
    seen.at = Clock::now();
    ++seen.calls;
  }
};

PJRT_Error* OnReady(const TestChain& chain, FakeEvent& event, Seen& seen) {
  PJRT_Event_OnReady_Args args = {};
  args.struct_size = PJRT_Event_OnReady_Args_STRUCT_SIZE;
  args.event = event.handle();
  args.callback = &Seen::Callback;
  args.user_arg = &seen;
  return chain(fn::kPJRT_Event_OnReady, &args);
}

bool IsReady(const TestChain& chain, FakeEvent& event) {
  PJRT_Event_IsReady_Args args = {};
  args.struct_size = PJRT_Event_IsReady_Args_STRUCT_SIZE;
  args.event = event.handle();
  EXPECT_EQ(chain(fn::kPJRT_Event_IsReady, &args), nullptr);
  return args.is_ready;
}

void Destroy(const TestChain& chain, FakeEvent& event) {
  PJRT_Event_Destroy_Args args = {};
  args.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE;
  args.event = event.handle();
  EXPECT_EQ(chain(fn::kPJRT_Event_Destroy, &args), nullptr);
}

void WaitFor(const std::atomic<int>& value, int wanted) {
  Clock::time_point end = Clock::now() + std::chrono::seconds(20);
  while (value != wanted && Clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(value, wanted);
}

constexpr std::chrono::milliseconds kDelay(40);

TEST(DelayedEventsTest, CallbacksComeLaterAndOnce) {
  TestChain chain(&FakeEvent::Call);
  chain.Use(MakeLayer(chain, "delay events 40ms"));
  FakeEvent ready, later;
  Seen ready_seen, later_seen, second_seen;
  ready.ready = true;
  Clock::time_point start = Clock::now();
  ASSERT_EQ(OnReady(chain, ready, ready_seen), nullptr);
  EXPECT_EQ(ready_seen.calls, 0);
  ASSERT_EQ(OnReady(chain, later, later_seen), nullptr);
  Destroy(chain, later);  // pending callbacks still come
  WaitFor(ready_seen.calls, 1);
  EXPECT_GE(ready_seen.at - start, kDelay);
  // Seen once, it is ready for everybody.
  EXPECT_TRUE(IsReady(chain, ready));
  ASSERT_EQ(OnReady(chain, ready, second_seen), nullptr);
  WaitFor(second_seen.calls, 1);
  EXPECT_EQ(later_seen.calls, 0);
  start = Clock::now();
  later.Set();
  WaitFor(later_seen.calls, 1);
  EXPECT_GE(later_seen.at - start, kDelay);
  EXPECT_EQ(ready_seen.calls, 1);
}

TEST(DelayedEventsTest, IsReadyAndAwaitAgree) {
  TestChain chain(&FakeEvent::Call);
  chain.Use(MakeLayer(chain, "delay events 40ms"));
  FakeEvent event;
  EXPECT_FALSE(IsReady(chain, event));
  event.ready = true;
  Clock::time_point start = Clock::now();
  bool at_once = IsReady(chain, event);
  EXPECT_TRUE(!at_once || Clock::now() - start >= kDelay);
  PJRT_Event_Await_Args args = {};
  args.struct_size = PJRT_Event_Await_Args_STRUCT_SIZE;
  args.event = event.handle();
  EXPECT_EQ(chain(fn::kPJRT_Event_Await, &args), nullptr);
  EXPECT_GE(Clock::now() - start, kDelay);
  EXPECT_TRUE(IsReady(chain, event));
  // A later event at the same address is another one.
  Destroy(chain, event);
  start = Clock::now();
  at_once = IsReady(chain, event);
  EXPECT_TRUE(!at_once || Clock::now() - start >= kDelay);
}

TEST(DelayedEventsTest, ErrorsOfThePluginComeAtOnce) {
  TestChain chain([](int, void*) { return MakeError(Internal("no")); });
  chain.Use(MakeLayer(chain, "delay events 40ms"));
  FakeEvent event;
  Seen seen;
  EXPECT_EQ(TakeError(OnReady(chain, event, seen)).code(), StatusCode::kInternal);
  EXPECT_EQ(seen.calls, 0);
  // Structs that are too short, or none, are the plugin's to judge.
  EXPECT_FALSE(TakeError(chain(fn::kPJRT_Event_OnReady, nullptr)).ok());
  PJRT_Event_IsReady_Args args = {};
  args.struct_size = 16;
  EXPECT_FALSE(TakeError(chain(fn::kPJRT_Event_IsReady, &args)).ok());
}

TEST(DelayedEventsTest, AForkedChildHasAHelperOfItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer allows no threads in a child of a process with threads";
#endif
  TestChain chain(&FakeEvent::Call);
  chain.Use(MakeLayer(chain, "delay events 1ms"));
  FakeEvent event;
  event.ready = true;
  Seen seen;
  ASSERT_EQ(OnReady(chain, event, seen), nullptr);
  WaitFor(seen.calls, 1);
  pid_t child = fork();
  if (child == 0) {
    Seen child_seen;
    FakeEvent child_event;
    child_event.ready = true;
    OnReady(chain, child_event, child_seen);
    WaitFor(child_seen.calls, 1);
    _exit(child_seen.calls == 1 ? 0 : 1);
  }
  int state = 0;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  EXPECT_EQ(state, 0);
}

}  // namespace
}  // namespace plinth::layers
