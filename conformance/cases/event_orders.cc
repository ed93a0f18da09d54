// SPDX-License-Identifier: Apache-2.0
// L2: every event that waits for something: two waiters, callbacks before and after readiness, what
// callbacks may do, and both ways of ending.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/callback_works.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/counted_callback.h"
#include "conformance/cases/pending_buffer.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/waiting.h"

namespace plinth::conformance {
namespace event_orders {
namespace {

constexpr char kOnce[] = "PJRT-Event_OnReady-once";
const std::vector<float> kValues = {1, 2, 3, 4};

void CheckEnding(Context& context, std::string_view requirement, std::string_view what,
                 const Status& status, const Ending& ending, Telling telling) {
  if (ending.code == PJRT_Error_Code_OK) {
    context.Check(requirement, status.ok(), what, " gave ", status.ToString(), ", not success");
    return;
  }
  bool is_it = telling == Telling::kOfComputed ? CarriesOn(status, ending.code, ending.text)
                                               : Carries(status, ending.code, ending.text);
  if (telling == Telling::kAsItIs) is_it &= status.message() == ending.text;
  context.Check(requirement, is_it, what, " gave ", status.ToString(), ", not code ",
                static_cast<int>(ending.code), " with the text \"", ending.text.substr(0, 40),
                "\"");
}

void AskWaiting(Context& context, const Maker& make, const Ending& ending, Telling telling) {
  Waiting waiting;
  if (!make(context, waiting)) return;
  PJRT_Event* event = waiting.event.get();
  OwnedEvent other = waiting.another();
  if (other)
    context.Check("PJRT-Args-output-new", other.get() != event, "one event was handed out twice");
  for (int i = 0; i < 3; ++i) {
    context.Check("PJRT-Event_IsReady-monotone", !IsEventReady(context, event),
                  "the event is ready before what it waits for");
    if (other) {
      context.Check("PJRT-Event_IsReady-monotone", !IsEventReady(context, other.get()),
                    "a second event is ready before what it waits for");
    }
  }
  std::vector<CountedCallback*> callbacks;
  for (int i = 0; i < 3; ++i) {
    callbacks.push_back(NewCountedCallback(context));
    if (!RegisterCallback(context, i == 2 && other ? other.get() : event, callbacks.back())) return;
  }
  std::vector<Status> waited(3);
  std::atomic<int> is_back = 0;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < waited.size(); ++i) {
    PJRT_Event* of = i == 2 && other ? other.get() : event;
    threads.emplace_back([&, i, of] {
      waited[i] = context.Await(of);
      ++is_back;
    });
  }
  const bool is_quick = context.depth() == Depth::kQuick;
  std::this_thread::sleep_for(std::chrono::milliseconds(is_quick ? 3 : 10));
  context.Check("PJRT-Event_Await-twice", is_back == 0,
                "PJRT_Event_Await came back before readiness");
  for (CountedCallback* each : callbacks)
    context.Check(kOnce, each->calls == 0, "a callback ran before readiness");
  // What is not ended would wait for ever.
  Status ended = waiting.end(ending);
  if (!context.Ok("PJRT-Args-accepted", "what makes the event ready", ended)) _exit(1);
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < waited.size(); ++i) {
    CheckEnding(context, "PJRT-Event_Await-twice", StrCat("waiter ", i), waited[i], ending,
                telling);
  }
  for (CountedCallback* each : callbacks) {
    WaitForCall(*each);
    if (context.Check(kOnce, each->calls == 1, "a callback ran ", each->calls.load(),
                      " times, not once")) {
      CheckEnding(context, "PJRT-Event_OnReady-owns-error", "a callback", each->status, ending,
                  telling);
    }
  }
  for (bool is_alone : {false, false, true}) {
    // What the event came from is gone at last; how it ended stays so.
    if (is_alone) waiting.LetGo();
    context.Check("PJRT-Event_IsReady-monotone", IsEventReady(context, event),
                  "an event that was awaited is not ready");
    auto error = MakeArgs<PJRT_Event_Error_Args>();
    error.event = event;
    CheckEnding(context, is_alone ? kOutputTrue : "PJRT-Event_Error-independent",
                "PJRT_Event_Error", context.plugin().Call(error), ending, telling);
    CheckEnding(context, is_alone ? kOutputTrue : "PJRT-Event_Await-independent",
                "PJRT_Event_Await afterwards", context.Await(event), ending, telling);
    CountedCallback* late = NewCountedCallback(context);
    callbacks.push_back(late);
    if (!RegisterCallback(context, event, late)) return;
    WaitForCall(*late);
    CheckEnding(context, "PJRT-Event_OnReady-owns-error", "a callback afterwards", late->status,
                ending, telling);
  }
  context.Ok("", "PJRT_Event_Destroy", waiting.event.Destroy());
  if (other) {
    CheckEnding(context, "PJRT-Event_Await-twice", "the second event when the first is gone",
                context.Await(other.get()), ending, telling);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  for (CountedCallback* each : callbacks) {
    context.Check(kOnce, each->calls == 1, "a callback ran ", each->calls.load(),
                  " times, not once");
  }
}

// The event is destroyed before it is ready; its callbacks come all the same.
void AskDestroyed(Context& context, const Maker& make, const Ending& ending, Telling telling) {
  Waiting waiting;
  if (!make(context, waiting)) return;
  std::vector<CountedCallback*> callbacks = {NewCountedCallback(context),
                                             NewCountedCallback(context)};
  for (CountedCallback* each : callbacks) {
    if (!RegisterCallback(context, waiting.event.get(), each)) return;
  }
  context.Ok("", "PJRT_Event_Destroy", waiting.event.Destroy());
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  for (CountedCallback* each : callbacks)
    context.Check(kOnce, each->calls == 0, "a callback of a destroyed event ran before readiness");
  if (!context.Ok("PJRT-Args-accepted", "what makes the event ready", waiting.end(ending)))
    _exit(1);
  for (CountedCallback* each : callbacks) {
    WaitForCall(*each);
    if (context.Check(kOnce, each->calls == 1, "a callback of a destroyed event ran ",
                      each->calls.load(), " times, not once")) {
      CheckEnding(context, "PJRT-Event_OnReady-owns-error", "a callback of a destroyed event",
                  each->status, ending, telling);
    }
  }
}

// What callbacks do, on an event that becomes ready while they are registered.
void AskCallbacks(Context& context, const Maker& make, const Ending& ending, Telling telling) {
  constexpr char kReentrant[] = "PJRT-Event_OnReady-reentrant";
  Waiting waiting;
  if (!make(context, waiting)) return;
  PJRT_Event* event = waiting.event.get();
  struct Callback {
    const char* what;
    CountedCallback* counted;
    bool tells_ending;  // its work gives what the event ended with
  };
  std::vector<Callback> callbacks;
  std::vector<CallbackWork> common = CallbackWorks(context);
  auto results = std::make_shared<std::vector<Status>>(common.size() + 4);
  auto add = [&](const char* what, std::function<Status()> work, bool tells_ending = false) {
    CountedCallback* counted = NewCountedCallback(context);
    size_t at = callbacks.size();
    counted->work = [=, work = std::move(work)] { (*results)[at] = work(); };
    callbacks.push_back({what, counted, tells_ending});
    return RegisterCallback(context, event, counted);
  };
  auto* again = NewCountedCallback(context);
  bool is_added = true;
  for (auto& [what, work] : common) is_added = is_added && add(what, std::move(work));
  is_added =
      is_added &&
      add(
          "waits for its own event", [&context, event] { return context.Await(event); }, true) &&
      add(
          "asks for the error of its own event",
          [&context, event] {
            auto args = MakeArgs<PJRT_Event_Error_Args>();
            args.event = event;
            return context.plugin().Call(args);
          },
          true) &&
      add("looks at its own event",
          [&context, event]() -> Status {
            auto args = MakeArgs<PJRT_Event_IsReady_Args>();
            args.event = event;
            PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
            return RawBool(args.is_ready) ? Status() : Internal("its event is not ready");
          }) &&
      add("registers another callback", [&context, event, again]() -> Status {
        auto args = MakeArgs<PJRT_Event_OnReady_Args>();
        args.event = event;
        args.callback = CountedCallback::Run;
        args.user_arg = again;
        return context.plugin().Call(args);
      });
  if (!is_added) return;
  if (!context.Ok("PJRT-Args-accepted", "what makes the event ready", waiting.end(ending)))
    _exit(1);
  const Ending works{"", PJRT_Error_Code_OK, ""};
  for (size_t i = 0; i < callbacks.size(); ++i) {
    const auto& [what, counted, tells_ending] = callbacks[i];
    WaitForCall(*counted);
    if (!context.Check(kReentrant, counted->calls == 1, "a callback that ", what, " ran ",
                       counted->calls.load(), " times, not once"))
      continue;
    CheckEnding(context, kReentrant, StrCat("a callback that ", what), (*results)[i],
                tells_ending ? ending : works, telling);
  }
  WaitForCall(*again);
  if (context.Check(kReentrant, again->calls == 1, "a callback that a callback registered ran ",
                    again->calls.load(), " times, not once")) {
    CheckEnding(context, kReentrant, "a callback that a callback registered", again->status, ending,
                telling);
  }
  CheckEnding(context, "PJRT-Event_Await-independent", "PJRT_Event_Await", context.Await(event),
              ending, telling);
}

// An error that an event gave is its caller's, also when the event is gone.
void ErrorsOutliveEvents(Context& context) {
  const Ending ending{"", PJRT_Error_Code_ABORTED, "it outlives its event"};
  Waiting waiting;
  if (!MakeCreatedEvent(context, waiting)) return;
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Event_Set", waiting.end(ending))) return;
  auto await = MakeArgs<PJRT_Event_Await_Args>();
  await.event = waiting.event.get();
  auto ask = MakeArgs<PJRT_Event_Error_Args>();
  ask.event = waiting.event.get();
  const PJRT_Api* api = context.plugin().api();
  const std::pair<const char*, PJRT_Error*> errors[] = {
      {"PJRT-Event_Await-independent", api->PJRT_Event_Await(&await)},
      {"PJRT-Event_Error-independent", api->PJRT_Event_Error(&ask)}};
  context.Ok("", "PJRT_Event_Destroy", waiting.event.Destroy());
  for (const auto& [requirement, error] : errors) {
    if (!context.Check(requirement, error != nullptr, "an event that is set ABORTED has no error"))
      continue;
    CheckEnding(context, requirement, "its error, when the event is gone,",
                context.plugin().Take(error), ending, Telling::kAsItIs);
  }
}

// Codes and texts of every form go through an event that the caller sets.
void EveryCode(Context& context) {
  for (int code = 1; code <= PJRT_Error_Code_UNAUTHENTICATED; ++code) {
    for (const std::string& text :
         {StrCat("text of code ", code), std::string(), StrCat(std::string(70000, 'x'), "end"),
          std::string("a\0b", 3), std::string("\xc3\xa4 \xe2\x82\xac\n%s%n")}) {
      Waiting waiting;
      if (!MakeCreatedEvent(context, waiting)) return;
      Ending ending{"", static_cast<PJRT_Error_Code>(code), text};
      if (!context.Ok("PJRT-Args-accepted", "PJRT_Event_Set", waiting.end(ending))) return;
      CheckEnding(context, "PJRT-Event_Await-independent", "PJRT_Event_Await",
                  context.Await(waiting.event.get()), ending, Telling::kAsItIs);
      auto error = MakeArgs<PJRT_Event_Error_Args>();
      error.event = waiting.event.get();
      CheckEnding(context, "PJRT-Event_Error-independent", "PJRT_Event_Error",
                  context.plugin().Call(error), ending, Telling::kAsItIs);
      CountedCallback* counted = NewCountedCallback(context);
      if (!RegisterCallback(context, waiting.event.get(), counted)) return;
      WaitForCall(*counted);
      CheckEnding(context, "PJRT-Event_OnReady-owns-error", "a callback", counted->status, ending,
                  Telling::kAsItIs);
    }
  }
  // Without an error its text says nothing.
  Waiting waiting;
  if (!MakeCreatedEvent(context, waiting)) return;
  context.Ok("PJRT-Args-accepted", "PJRT_Event_Set(OK, text)",
             waiting.end({"", PJRT_Error_Code_OK, "all is well"}));
  context.Ok("PJRT-Event_Await-independent", "PJRT_Event_Await",
             context.Await(waiting.event.get()));
}

// Many at once, ended in another order, by other threads.
void ManyEvents(Context& context) {
  constexpr size_t kEvents = 64;
  std::vector<Waiting> events(kEvents);
  std::vector<CountedCallback*> counted;
  for (Waiting& each : events) {
    if (!MakeCreatedEvent(context, each)) return;
    counted.push_back(NewCountedCallback(context));
    if (!RegisterCallback(context, each.event.get(), counted.back())) return;
  }
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = kEvents; i-- > 0;) {
        if (i % 4 == t) {
          (void)events[i].end(
              {"", i % 3 == 0 ? PJRT_Error_Code_ABORTED : PJRT_Error_Code_OK, StrCat("event ", i)});
        }
      }
    });
  }
  for (size_t i = 0; i < kEvents; ++i) {
    Ending wanted{"", i % 3 == 0 ? PJRT_Error_Code_ABORTED : PJRT_Error_Code_OK,
                  StrCat("event ", i)};
    CheckEnding(context, "PJRT-Event_Await-independent", StrCat("event ", i),
                context.Await(events[i].event.get()), wanted, Telling::kAsItIs);
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < kEvents; ++i) {
    WaitForCall(*counted[i]);
    context.Check(kOnce, counted[i]->calls == 1, "the callback of event ", i, " ran ",
                  counted[i]->calls.load(), " times");
    Ending wanted{"", i % 3 == 0 ? PJRT_Error_Code_ABORTED : PJRT_Error_Code_OK,
                  StrCat("event ", i)};
    CheckEnding(context, "PJRT-Event_OnReady-owns-error", StrCat("the callback of event ", i),
                counted[i]->status, wanted, Telling::kAsItIs);
  }
}

// The event of an execution is no earlier than its results, and asking never waits.
void DoneAfterWork(Context& context) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "counting"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  Expected<OwnedBuffer> start = context.Upload(HostArray::F32({4}, {0, 0, 0, 0}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", start.status())) return;
  OwnedBuffer count;
  auto count_to = [&](int32_t turns) {
    const int32_t counts[] = {turns};
    auto uploaded = context.Upload(HostArray::Of<int32_t>(DType::kS32, {}, counts));
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", uploaded.status())) return false;
    count = *std::move(uploaded);
    return true;
  };
  // Turns for some tens of milliseconds: one may cost a nanosecond or a launch.
  constexpr int32_t kFew = 1000;
  if (!count_to(kFew)) return;
  auto few_began = std::chrono::steady_clock::now();
  PJRT_Buffer* few[] = {count.get(), start->get()};
  auto tried = context.Execute(executable->get(), few);
  if (!context.Ok("", "PJRT_LoadedExecutable_Execute", tried.status()) ||
      !context.Ok("", "PJRT_Buffer_ToHostBuffer", context.Download((*tried)[1].get()).status())) {
    return;
  }
  const std::chrono::duration<double> few_took = std::chrono::steady_clock::now() - few_began;
  if (!count_to(static_cast<int32_t>(std::clamp(0.05 / few_took.count(), 1.0, 3000.0) * kFew))) {
    return;
  }
  PJRT_Buffer* handles[] = {count.get(), start->get()};
  for (int run = 0; run < 2; ++run) {
    OwnedEvent done;
    auto results = context.Execute(executable->get(), handles, &done);
    if (!context.Ok("", "PJRT_LoadedExecutable_Execute", results.status()) || !done) return;
    auto began = std::chrono::steady_clock::now();
    bool was_ready = IsEventReady(context, done.get());
    auto took = std::chrono::steady_clock::now() - began;
    OwnedEvent ready = ReadyEventOf(context, (*results)[1].get());
    if (!ready) return;
    if (run == 0) {
      context.Ok("", "device_complete_events", context.Await(done.get()));
    } else {
      context.Ok("", "the ready event", context.Await(ready.get()));
    }
    auto waited = std::chrono::steady_clock::now() - began;
    context.Check("PJRT-Event_IsReady-nonblocking",
                  was_ready || took < std::chrono::milliseconds(2) + waited / 2,
                  "PJRT_Event_IsReady took as long as the work");
    context.Check("PJRT-Event_IsReady-monotone",
                  IsEventReady(context, run == 0 ? done.get() : ready.get()),
                  "an event that was awaited is not ready");
    auto on_cpu = Get<&PJRT_Buffer_IsOnCpu_Args::buffer>(context, (*results)[1].get());
    auto where =
        Get<&PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::buffer>(context, (*results)[1].get());
    if (on_cpu && RawBool(on_cpu->is_on_cpu) && where) {
      float found[4];
      std::memcpy(found, where->device_memory_ptr, sizeof(found));
      context.Check("PJRT-LoadedExecutable_Execute-done", found[0] == 1 && found[3] == 1,
                    "the results are not there when their event is ready");
    }
    Expected<HostArray> array = context.Download((*results)[1].get());
    if (context.Ok("", "PJRT_Buffer_ToHostBuffer", array.status())) {
      context.Check("PJRT-LoadedExecutable_Execute-results",
                    array->AsF32() == std::vector<float>{1, 1, 1, 1}, "the result is [",
                    StrJoin(array->AsF32()), "]");
    }
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  const std::vector<Ending> endings = {
      {"success", PJRT_Error_Code_OK, ""},
      // A text may hold any byte.
      {"error", PJRT_Error_Code_ABORTED, std::string("as the case\0says", 16)},
      {"long_error", PJRT_Error_Code_DATA_LOSS, StrCat(std::string(70000, 'y'), "end")}};
  const Ending wordless = {"wordless", PJRT_Error_Code_UNAVAILABLE, ""};
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 std::function<void(Context&)> run) {
    cases.push_back({"L2/event_order/" + name, Level::kL2, ClientNeed::kShared,
                     std::move(requirements), std::move(run), false});
  };
  const std::vector<std::string> all = {"PJRT-LoadedExecutable_Execute-done",
                                        "PJRT-Event_OnReady-once",
                                        "PJRT-Error-caller-frees",
                                        "PJRT-Callback-once",
                                        "PJRT-Event_Await-twice",
                                        "PJRT-Event_Await-independent",
                                        "PJRT-Event_Error-independent",
                                        "PJRT-Event_OnReady-owns-error",
                                        "PJRT-Event_IsReady-monotone",
                                        "PJRT-Strings-size",
                                        "PJRT-Args-accepted",
                                        kOutputTrue};
  for (const Source& source : Sources()) {
    for (const Ending& ending : endings) {
      add(StrCat(source.name, "/", ending.name), all, [=](Context& context) {
        AskWaiting(context, source.make, ending, source.telling);
        // A code without words says enough.
        if (std::string_view(ending.name) == "error")
          AskWaiting(context, source.make, wordless, source.telling);
      });
      if (std::string_view(source.name) == "created" ||
          std::string_view(ending.name) == "long_error")
        continue;
      add(StrCat(source.name, "/destroyed_", ending.name), all,
          [=](Context& context) { AskDestroyed(context, source.make, ending, source.telling); });
    }
    add(StrCat(source.name, "/callback_works"),
        {"PJRT-Event_OnReady-reentrant", "PJRT-Callback-once"}, [=](Context& context) {
          for (const Ending& ending : {endings[0], endings[1]})
            AskCallbacks(context, source.make, ending, source.telling);
        });
  }
  add("every_code",
      {"PJRT-Event_Await-independent", "PJRT-Event_Error-independent",
       "PJRT-Event_OnReady-owns-error", "PJRT-Strings-size"},
      EveryCode);
  add("errors_outlive_events", {"PJRT-Event_Await-independent", "PJRT-Event_Error-independent"},
      ErrorsOutliveEvents);
  add("many", {"PJRT-Event_OnReady-once", "PJRT-Event_Await-independent"}, ManyEvents);
  add("done_after_work",
      {"PJRT-LoadedExecutable_Execute-done", "PJRT-Event_IsReady-nonblocking",
       "PJRT-LoadedExecutable_Execute-results"},
      DoneAfterWork);
}

}  // namespace event_orders

void AddEventOrderCases(std::vector<Case>& cases) { event_orders::AddCases(cases); }

}  // namespace plinth::conformance
