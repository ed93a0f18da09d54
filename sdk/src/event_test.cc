// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/event.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace plinth::sdk {
namespace {

TEST(Event, DefaultIsReadyWithSuccess) {
  Event event;
  EXPECT_TRUE(event.IsReady());
  EXPECT_TRUE(event.status().ok());
  EXPECT_TRUE(event.Await().ok());
  int calls = 0;
  event.OnReady([&](const Status& status) { calls += status.ok() ? 1 : 100; });
  EXPECT_EQ(calls, 1);
}

TEST(Event, ReadyWithErrorKeepsTheError) {
  Event event = Event::Ready(NotFound("nothing there"));
  EXPECT_TRUE(event.IsReady());
  EXPECT_EQ(event.status().code(), StatusCode::kNotFound);
  Event copy = event;
  event = Event();
  EXPECT_EQ(copy.Await().message(), "nothing there");
}

TEST(Event, CallbacksRunOnceInOrder) {
  EventSource source;
  Event event = source.event();
  EXPECT_FALSE(event.IsReady());
  EXPECT_EQ(event.status().code(), StatusCode::kInternal);
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) event.OnReady([&order, i](const Status&) { order.push_back(i); });
  EXPECT_TRUE(order.empty());
  EXPECT_TRUE(source.Set());
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(source.Set(Internal("too late")));
  EXPECT_TRUE(event.status().ok());
  EXPECT_EQ(order.size(), 3u);
}

TEST(Event, CallbackMayDropTheLastEventAndTheSource) {
  auto source = std::make_unique<EventSource>();
  auto event = std::make_unique<Event>(source->event());
  Status seen;
  event->OnReady([&](const Status& status) {
    event.reset();
    source.reset();
    seen = status;
  });
  source->Set(Internal("kept alive"));
  EXPECT_EQ(seen.message(), "kept alive");
  EXPECT_EQ(event, nullptr);
}

TEST(Event, CallbackMayAddCallbacks) {
  EventSource source;
  Event event = source.event();
  int inner = 0;
  event.OnReady([&](const Status&) { event.OnReady([&](const Status&) { ++inner; }); });
  source.Set();
  EXPECT_EQ(inner, 1);
}

// Callbacks that make the next event ready, as chains of donations do, must not use up the stack.
TEST(Event, ChainsOfAnyLength) {
  constexpr size_t kLength = 300'000;
  std::vector<EventSource> sources(kLength);
  for (size_t i = 0; i + 1 < kLength; ++i) {
    sources[i].event().OnReady([&, i](const Status& status) { sources[i + 1].Set(status); });
  }
  Event last = sources.back().event();
  sources[0].Set(NotFound("handed on"));
  ASSERT_TRUE(last.IsReady());
  EXPECT_EQ(last.status().message(), "handed on");
}

// The same where the callbacks own what comes next.
TEST(Event, ChainsThatAreAbandoned) {
  EventSource first;
  Event last = first.event();
  for (size_t i = 0; i < 300'000; ++i) {
    auto next = std::make_shared<EventSource>();
    Event event = next->event();
    last.OnReady([next](const Status&) {});
    last = std::move(event);
  }
  first.Set();
  EXPECT_EQ(last.Await().code(), StatusCode::kInternal);
}

TEST(Event, NestedCallbacksRunBeforeSetReturns) {
  EventSource outer, inner;
  std::vector<int> order;
  inner.event().OnReady([&](const Status&) { order.push_back(1); });
  outer.event().OnReady([&](const Status&) {
    inner.Set();
    order.push_back(2);
  });
  outer.Set();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Event, ForeignCallbacksRunAfterTheOthers) {
  EventSource source;
  Event event = source.event();
  std::vector<int> order;
  event.OnReadyForeign([&](const Status& status) { order.push_back(status.ok() ? 100 : 3); });
  event.OnReady([&](const Status&) { order.push_back(1); });
  event.OnReadyForeign([&](const Status&) { order.push_back(4); });
  event.OnReady([&](const Status&) { order.push_back(2); });
  source.Set(Internal("as it was set"));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
  event.OnReadyForeign([&](const Status& status) { order.push_back(status.ok() ? 100 : 5); });
  EXPECT_EQ(order.back(), 5);
}

// What blocks until the others of the outer event have run must not be in front of them.
TEST(Event, ForeignCallbacksOfNestedEventsRunAfterTheOuterOnes) {
  EventSource outer, inner, innermost;
  std::vector<int> order;
  outer.event().OnReadyForeign([&](const Status&) { order.push_back(4); });
  outer.event().OnReady([&](const Status& status) {
    inner.Set(status);
    order.push_back(2);
  });
  outer.event().OnReady([&](const Status&) { order.push_back(3); });
  inner.event().OnReadyForeign([&](const Status& status) {
    order.push_back(status.code() == StatusCode::kNotFound ? 5 : 100);
    // It may wait for this one before it returns.
    innermost.Set();
    order.push_back(7);
  });
  inner.event().OnReady([&](const Status&) { order.push_back(1); });
  innermost.event().OnReadyForeign([&](const Status&) { order.push_back(6); });
  outer.Set(NotFound("handed on"));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4, 5, 6, 7}));
}

TEST(Event, ForeignChainsOfAnyLength) {
  constexpr size_t kLength = 300'000;
  std::vector<EventSource> sources(kLength);
  size_t calls = 0;
  for (size_t i = 0; i + 1 < kLength; ++i) {
    const auto next = [&, i](const Status& status) { calls += sources[i + 1].Set(status); };
    if (i % 3 == 0) {
      sources[i].event().OnReady(next);
    } else {
      sources[i].event().OnReadyForeign(next);
    }
  }
  sources[0].Set();
  EXPECT_EQ(calls, kLength - 1);
}

class KeepingRunner final : public CallbackRunner {
 public:
  void Run(std::function<void()> callback) override { kept.push_back(std::move(callback)); }
  std::vector<std::function<void()>> kept;
};

TEST(Event, ForeignCallbacksGoToTheRunnerOfTheThread) {
  KeepingRunner outer, inner;
  std::vector<int> order;
  auto set_one = [&](int i) {
    EventSource source;
    source.event().OnReadyForeign([&order, i](const Status& status) {
      order.push_back(status.ok() ? i : 100);
      throw 7;
    });
    source.event().OnReady([&order, i](const Status&) { order.push_back(-i); });
    source.Set();
  };
  {
    const CallbackScope scope(outer);
    set_one(1);
    {
      const CallbackScope nested(inner);
      set_one(2);
    }
    set_one(3);
    // What is ready is called at once, here too.
    Event().OnReadyForeign([&](const Status&) { order.push_back(4); });
  }
  set_one(5);
  EXPECT_EQ(order, (std::vector<int>{-1, -2, -3, 4, -5, 5}));
  ASSERT_EQ(outer.kept.size(), 2u);
  ASSERT_EQ(inner.kept.size(), 1u);
  order.clear();
  for (const auto& callback : {outer.kept[0], inner.kept[0], outer.kept[1]}) callback();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

class RunnerWithoutMemory final : public CallbackRunner {
 public:
  void Run(std::function<void()>) override { throw std::bad_alloc(); }
};

TEST(Event, ForeignCallbacksAreNotLostWithoutMemory) {
  RunnerWithoutMemory runner;
  const CallbackScope scope(runner);
  std::vector<int> order;
  EventSource source;
  for (int i = 0; i < 2; ++i) {
    source.event().OnReadyForeign([&order, i](const Status& status) {
      order.push_back(status.message() == "as it was set" ? i : 100);
      throw 7;
    });
  }
  source.Set(Internal("as it was set"));
  EXPECT_EQ(order, (std::vector<int>{0, 1}));
}

TEST(Event, ACallbackThatThrowsStopsNoOther) {
  EventSource source;
  auto next = std::make_shared<EventSource>();
  Event event = next->event();
  int calls = 0;
  source.event().OnReady([next = std::move(next)](const Status&) { throw 7; });
  source.event().OnReady([&](const Status&) { ++calls; });
  EXPECT_TRUE(source.Set());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(event.Await().code(), StatusCode::kInternal);
}

TEST(Event, DroppingAPendingEventKeepsItsCallbacks) {
  EventSource source;
  int calls = 0;
  {
    Event event = source.event();
    event.OnReady([&](const Status&) { ++calls; });
  }
  source.Set();
  EXPECT_EQ(calls, 1);
}

TEST(Event, AnAbandonedSourceFailsTheEvent) {
  Event event;
  {
    EventSource source;
    event = source.event();
  }
  EXPECT_EQ(event.Await().code(), StatusCode::kInternal);
}

TEST(Event, AllWaitsForAllAndTakesTheFirstErrorOfTheList) {
  EXPECT_TRUE(Event::All({}).IsReady());
  EventSource a, b, c;
  Event events[] = {a.event(), b.event(), c.event()};
  Event all = Event::All(events);
  c.Set(Internal("third"));
  b.Set(Internal("second"));
  EXPECT_FALSE(all.IsReady());
  a.Set();
  EXPECT_TRUE(all.IsReady());
  EXPECT_EQ(all.status().message(), "second");
  Event ready[] = {Event(), Event::Ready(NotFound("x"))};
  EXPECT_EQ(Event::All(ready).status().code(), StatusCode::kNotFound);
}

TEST(Event, AwaitBlocksUntilSet) {
  EventSource source;
  Event event = source.event();
  std::thread setter([&] { source.Set(Unimplemented("done")); });
  EXPECT_EQ(event.Await().code(), StatusCode::kUnimplemented);
  setter.join();
}

// Threads subscribe, await and drop while others set: every callback runs exactly once.
TEST(Event, StressOfManyThreads) {
  constexpr int kRounds = 300;
  constexpr int kThreads = 4;
  for (int round = 0; round < kRounds; ++round) {
    auto source = std::make_unique<EventSource>();
    Event event = source->event();
    std::atomic<int> calls{0};
    std::atomic<int> wins{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t, mine = event]() mutable {
        mine.OnReady([&](const Status&) { ++calls; });
        if (t % 2 == 0) {
          if (source->Set(t == 0 ? Status() : Internal("t"))) ++wins;
        } else {
          static_cast<void>(mine.Await());
        }
        mine.OnReady([&](const Status&) { ++calls; });
        mine = Event();
      });
    }
    event = Event();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wins, 1);
    EXPECT_EQ(calls, 2 * kThreads);
  }
}

}  // namespace
}  // namespace plinth::sdk
