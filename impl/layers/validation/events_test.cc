// SPDX-License-Identifier: Apache-2.0
// Events and what is called when they are ready.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layers/validation/misuse/calls.h"
#include "impl/layers/validation/testing/validation_fixture.h"
#include "plinth/support/error.h"

namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(ValidationTest, AnEventThatIsReadyAndThenIsNot) {
  Start();
  bool ready = true;
  chain_.Answer(function::kPJRT_Event_IsReady, [&](void* args) -> PJRT_Error* {
    static_cast<PJRT_Event_IsReady_Args*>(args)->is_ready = ready;
    return nullptr;
  });
  chain_.Answer(function::kPJRT_Buffer_ReadyEvent, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Buffer_ReadyEvent_Args*>(args)->event = HandleAt<PJRT_Event>(9);
    return nullptr;
  });
  NEW(Buffer_ReadyEvent, event);
  event.buffer = world_.buffer;
  RUN(&world_, Buffer_ReadyEvent, event);
  NEW(Event_IsReady, args);
  args.event = event.event;
  RUN(&world_, Event_IsReady, args);
  ready = false;
  RUN(&world_, Event_IsReady, args);
  EXPECT_THAT(chain_.TakeLines(),
              ElementsAre(Fault("PJRT-Event_IsReady-monotone", "that was ready before")));
}

TEST_F(ValidationTest, ACallbackThatRunsTwice) {
  Start();
  static int runs = 0;
  runs = 0;
  chain_.Answer(function::kPJRT_Event_Create, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Event_Create_Args*>(args)->event = HandleAt<PJRT_Event>(9);
    return nullptr;
  });
  chain_.Answer(function::kPJRT_Event_OnReady, [](void* args) -> PJRT_Error* {
    auto* a = static_cast<PJRT_Event_OnReady_Args*>(args);
    a->callback(nullptr, a->user_arg);
    a->callback(nullptr, a->user_arg);
    return nullptr;
  });
  NEW(Event_OnReady, args);
  args.event = new_event(&world_);
  args.user_arg = &runs;
  args.callback = [](PJRT_Error*, void* count) { ++*static_cast<int*>(count); };
  RUN(&world_, Event_OnReady, args);
  EXPECT_EQ(runs, 1);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(Fault("PJRT-Event_OnReady-once", "had run before")));
}

TEST_F(ValidationTest, TheErrorOfACallbackIsTheCallersToFree) {
  Start();
  chain_.Answer(function::kPJRT_Event_Create, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Event_Create_Args*>(args)->event = HandleAt<PJRT_Event>(9);
    return nullptr;
  });
  chain_.Answer(function::kPJRT_Event_OnReady, [](void* args) -> PJRT_Error* {
    auto* a = static_cast<PJRT_Event_OnReady_Args*>(args);
    a->callback(MakeError(Internal("late")), a->user_arg);
    return nullptr;
  });
  PJRT_Error* error = nullptr;
  NEW(Event_OnReady, args);
  args.event = new_event(&world_);
  args.user_arg = &error;
  args.callback = [](PJRT_Error* e, void* to) { *static_cast<PJRT_Error**>(to) = e; };
  RUN(&world_, Event_OnReady, args);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(CodeOf(error), PJRT_Error_Code_INTERNAL);
  drop(&world_, error);
  EXPECT_THAT(chain_.TakeLines(), IsEmpty());
  drop(&world_, error);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(Misuse("PJRT-Error_Destroy-once", "freed by call")));
}

// Another thread waits for an event while this one frees it.
TEST_F(ValidationTest, AnEventIsFreedWhileACallUsesIt) {
  Start("mode=error");
  std::mutex mutex;
  std::condition_variable changed;
  bool waits = false;
  bool done = false;
  chain_.Answer(function::kPJRT_Event_Create, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Event_Create_Args*>(args)->event = HandleAt<PJRT_Event>(9);
    return nullptr;
  });
  chain_.Answer(function::kPJRT_Event_Await, [&](void*) -> PJRT_Error* {
    std::unique_lock<std::mutex> lock(mutex);
    waits = true;
    changed.notify_all();
    changed.wait(lock, [&] { return done; });
    return nullptr;
  });
  PJRT_Event* event = new_event(&world_);
  std::thread waiter([&] {
    NEW(Event_Await, args);
    args.event = event;
    RUN(&world_, Event_Await, args);
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return waits; });
  }
  NEW(Event_Destroy, args);
  args.event = event;
  PJRT_Error* error = chain_.api()->PJRT_Event_Destroy(&args);
  EXPECT_EQ(CodeOf(error), PJRT_Error_Code_FAILED_PRECONDITION);
  drop(&world_, error);
  EXPECT_THAT(chain_.TakeLines(),
              ElementsAre(Misuse("PJRT-Event_Destroy-once",
                                 "that 1 other call uses, PJRT_Event_Await: created by")));
  {
    std::unique_lock<std::mutex> lock(mutex);
    done = true;
    changed.notify_all();
  }
  waiter.join();
  // Refused, so it is still there to be freed.
  destroy_event(&world_, event);
  EXPECT_THAT(chain_.TakeLines(), IsEmpty());
}

// The callback may free its own event, though the call that made it run is not back yet.
TEST_F(ValidationTest, ACallbackFreesItsEvent) {
  Start();
  static World* world;
  world = &world_;
  static PJRT_Event_OnReadyCallback callback;
  static void* argument;
  chain_.Answer(function::kPJRT_Event_Create, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Event_Create_Args*>(args)->event = HandleAt<PJRT_Event>(9);
    return nullptr;
  });
  chain_.Answer(function::kPJRT_Event_OnReady, [](void* args) -> PJRT_Error* {
    callback = static_cast<PJRT_Event_OnReady_Args*>(args)->callback;
    argument = static_cast<PJRT_Event_OnReady_Args*>(args)->user_arg;
    return nullptr;
  });
  chain_.Answer(function::kPJRT_Event_Set, [](void*) -> PJRT_Error* {
    std::thread([] { callback(nullptr, argument); }).join();
    return nullptr;
  });
  NEW(Event_OnReady, args);
  args.event = new_event(&world_);
  args.user_arg = args.event;
  args.callback = [](PJRT_Error*, void* event) {
    destroy_event(world, static_cast<PJRT_Event*>(event));
  };
  RUN(&world_, Event_OnReady, args);
  set_event(&world_, args.event);
  EXPECT_THAT(chain_.TakeLines(), IsEmpty());
}

}  // namespace
}  // namespace plinth::layers::validation
