// SPDX-License-Identifier: Apache-2.0
// L2: events: callbacks exactly once, inline, re-entrant; errors; events set by the caller.

#include <atomic>
#include <chrono>
#include <thread>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/pending_buffer.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace {

// The ready event of a new buffer; null, with a finding, if there is none.
OwnedEvent ReadyEvent(Context& context, OwnedBuffer& buffer) {
  Expected<OwnedBuffer> uploaded = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", uploaded.status())) return {};
  buffer = *std::move(uploaded);
  auto args = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  args.buffer = buffer.get();
  if (!context.Ok("", "PJRT_Buffer_ReadyEvent", context.plugin().Call(args))) return {};
  return OwnedEvent(context.plugin(), args.event);
}

void FreeError(const Plugin& plugin, PJRT_Error* error) { (void)plugin.Take(error); }

// Counts its calls; `destroy` is freed inside of the first.
struct Callback {
  const Plugin* plugin = nullptr;
  PJRT_Event* destroy = nullptr;
  std::atomic<int> calls = 0;
  std::atomic<bool> had_error = false;

  static void Run(PJRT_Error* error, void* user_arg) {
    auto* self = static_cast<Callback*>(user_arg);
    if (error != nullptr) self->had_error = true;
    FreeError(*self->plugin, error);
    if (self->destroy != nullptr) {
      auto args = MakeArgs<PJRT_Event_Destroy_Args>();
      args.event = std::exchange(self->destroy, nullptr);
      (void)self->plugin->Call(args);
    }
    ++self->calls;
  }
};

Status OnReady(const Plugin& plugin, PJRT_Event* event, Callback& callback) {
  callback.plugin = &plugin;
  auto args = MakeArgs<PJRT_Event_OnReady_Args>();
  args.event = event;
  args.callback = Callback::Run;
  args.user_arg = &callback;
  return plugin.Call(args);
}

void WaitForCall(const Callback& callback) {
  for (int i = 0; i < 5000 && callback.calls == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void CallbackOnce(Context& context) {
  OwnedBuffer buffer;
  OwnedEvent event = ReadyEvent(context, buffer);
  if (!event) return;
  Callback first, second;
  if (!context.Ok("PJRT-Event_OnReady-once", "PJRT_Event_OnReady",
                  OnReady(context.plugin(), event.get(), first)) ||
      !context.Ok("PJRT-Event_OnReady-once", "PJRT_Event_OnReady, a second callback",
                  OnReady(context.plugin(), event.get(), second))) {
    return;
  }
  context.Ok("PJRT-Event_Await-twice", "PJRT_Event_Await", context.Await(event.get()));
  context.Ok("PJRT-Event_Await-twice", "PJRT_Event_Await again", context.Await(event.get()));
  WaitForCall(first);
  WaitForCall(second);
  (void)event.Destroy();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  context.Check("PJRT-Event_OnReady-once", first.calls == 1 && second.calls == 1,
                "the callbacks ran ", first.calls.load(), " and ", second.calls.load(),
                " times, not once");
}

void CallbackDestroysEvent(Context& context) {
  OwnedBuffer buffer;
  OwnedEvent event = ReadyEvent(context, buffer);
  if (!event) return;
  Callback callback;
  callback.destroy = event.get();
  Status status = OnReady(context.plugin(), event.get(), callback);
  if (!context.Ok("PJRT-Event_OnReady-reentrant", "PJRT_Event_OnReady", status)) return;
  (void)event.Release();
  WaitForCall(callback);
  context.Check("PJRT-Event_OnReady-reentrant", callback.calls == 1, "the callback ran ",
                callback.calls.load(), " times, not once");
}

void DestroyKeepsCallbacks(Context& context) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
  PJRT_Buffer* handles[] = {argument->get()};
  OwnedEvent done;
  auto results = context.Execute(executable->get(), handles, &done);
  if (!context.Ok("", "PJRT_LoadedExecutable_Execute", results.status()) || !done) return;
  Callback callback;
  if (!context.Ok("", "PJRT_Event_OnReady", OnReady(context.plugin(), done.get(), callback))) {
    return;
  }
  (void)done.Destroy();
  WaitForCall(callback);
  context.Check("PJRT-Event_OnReady-once", callback.calls == 1,
                "the callback of an event that was destroyed ran ", callback.calls.load(),
                " times, not once");
}

void Monotone(Context& context) {
  OwnedBuffer buffer;
  OwnedEvent event = ReadyEvent(context, buffer);
  if (!event) return;
  context.Ok("", "PJRT_Event_Await", context.Await(event.get()));
  for (int i = 0; i < 3; ++i) {
    auto args = MakeArgs<PJRT_Event_IsReady_Args>();
    args.event = event.get();
    if (!context.Ok("", "PJRT_Event_IsReady", context.plugin().Call(args))) return;
    context.Check("PJRT-Event_IsReady-monotone", RawBool(args.is_ready),
                  "an event that was awaited is not ready");
  }
}

void SetByCaller(Context& context) {
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  if (!context.Ok("", "PJRT_Event_Create", context.plugin().Call(create))) return;
  OwnedEvent event(context.plugin(), create.event);
  auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
  ready.event = event.get();
  if (context.Ok("", "PJRT_Event_IsReady", context.plugin().Call(ready))) {
    context.Check("PJRT-Event_IsReady-nonblocking", !RawBool(ready.is_ready),
                  "an event that nobody set is ready");
  }
  Callback callback;
  if (!context.Ok("", "PJRT_Event_OnReady", OnReady(context.plugin(), event.get(), callback))) {
    return;
  }
  context.Check("PJRT-Event_OnReady-once", callback.calls == 0,
                "a callback ran before its event was set");
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = event.get();
  set.error_code = PJRT_Error_Code_ABORTED;
  set.error_message = "as the test says";
  set.error_message_size = 16;
  if (!context.Ok("", "PJRT_Event_Set", context.plugin().Call(set))) return;
  WaitForCall(callback);
  context.Check("PJRT-Event_OnReady-once", callback.calls == 1,
                "the callback of an event that was set to ABORTED ran ", callback.calls.load(),
                " times, not once");
  context.Check("PJRT-Event_OnReady-owns-error", callback.had_error,
                "the callback of an event that was set to ABORTED got no error");
  for (int i = 0; i < 2; ++i) {
    auto args = MakeArgs<PJRT_Event_Error_Args>();
    args.event = event.get();
    Status status = context.plugin().Call(args);
    context.Check("PJRT-Event_Error-independent", status.code() == StatusCode::kAborted,
                  "PJRT_Event_Error gave ", status.ToString(), ", not ABORTED");
    context.Check("PJRT-Event_Error-independent",
                  status.message().find("as the test says") != std::string_view::npos,
                  "the text of the error is lost: ", status.ToString());
  }
}

// The errors that Await gives are objects of their own, too.
void AwaitFailed(Context& context) {
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  if (!context.Ok("", "PJRT_Event_Create", context.plugin().Call(create))) return;
  OwnedEvent event(context.plugin(), create.event);
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = event.get();
  set.error_code = PJRT_Error_Code_ABORTED;
  set.error_message = "as the test says";
  set.error_message_size = 16;
  if (!context.Ok("", "PJRT_Event_Set", context.plugin().Call(set))) return;
  for (int i = 0; i < 2; ++i) {
    Status status = context.Await(event.get());
    context.Check("PJRT-Event_Await-independent",
                  status.code() == StatusCode::kAborted &&
                      status.message().find("as the test says") != std::string_view::npos,
                  "PJRT_Event_Await gave ", status.ToString(), ", not ABORTED");
  }
  Callback callback;
  if (!context.Ok("", "PJRT_Event_OnReady", OnReady(context.plugin(), event.get(), callback))) {
    return;
  }
  WaitForCall(callback);
  context.Check("PJRT-Event_OnReady-owns-error", callback.calls == 1 && callback.had_error,
                "the callback of a failed event got no error");
}

// An event that is destroyed before it is ready keeps its callbacks.
void DestroyedWhilePending(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  PendingBuffer pending(context);
  if (!pending.Make()) return;
  auto ready = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = pending.buffer();
  if (!context.Ok("", "PJRT_Buffer_ReadyEvent", context.plugin().Call(ready))) return;
  OwnedEvent event(context.plugin(), ready.event);
  Callback callback;
  if (!context.Ok("", "PJRT_Event_OnReady", OnReady(context.plugin(), event.get(), callback))) {
    return;
  }
  (void)event.Destroy();
  if (!pending.Fill()) return;
  WaitForCall(callback);
  context.Check("PJRT-Event_OnReady-once", callback.calls == 1,
                "the callback of an event that was destroyed while pending ran ",
                callback.calls.load(), " times, not once");
}

void SetForeign(Context& context) {
  OwnedBuffer buffer;
  OwnedEvent event = ReadyEvent(context, buffer);
  if (!event) return;
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = event.get();
  context.CheckRefused("PJRT-Event_Set-foreign", "setting the ready event of a buffer",
                       context.plugin().Call(set), {StatusCode::kInvalidArgument});
}

// What is set first stays, whatever an event is set to again.
void SetTwice(Context& context) {
  constexpr char kOnce[] = "PJRT-Event_Set-once";
  const PJRT_Error_Code codes[] = {PJRT_Error_Code_OK, PJRT_Error_Code_ABORTED,
                                   PJRT_Error_Code_DATA_LOSS};
  for (PJRT_Error_Code first : codes) {
    for (PJRT_Error_Code second : codes) {
      auto create = MakeArgs<PJRT_Event_Create_Args>();
      if (!context.Ok("", "PJRT_Event_Create", context.plugin().Call(create))) return;
      OwnedEvent event(context.plugin(), create.event);
      auto set = [&](PJRT_Error_Code code, std::string_view text) {
        auto args = MakeArgs<PJRT_Event_Set_Args>();
        args.event = event.get();
        args.error_code = code;
        args.error_message = text.data();
        args.error_message_size = code == PJRT_Error_Code_OK ? 0 : text.size();
        return context.plugin().Call(args);
      };
      if (!context.Ok("", "PJRT_Event_Set", set(first, "the first"))) return;
      context.CheckRefused(kOnce, "setting an event again", set(second, "another"),
                           {StatusCode::kFailedPrecondition});
      auto is_first = [&](const Status& status) {
        return first == PJRT_Error_Code_OK ? status.ok() : Carries(status, first, "the first");
      };
      auto error = MakeArgs<PJRT_Event_Error_Args>();
      error.event = event.get();
      for (const Status& status : {context.plugin().Call(error), context.Await(event.get())}) {
        context.Check(kOnce, is_first(status), "an event that was set to ", static_cast<int>(first),
                      ", and again to ", static_cast<int>(second), ", ended with ",
                      status.ToString());
      }
    }
  }
}

void ErrorBeforeReady(Context& context) {
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  if (!context.Ok("", "PJRT_Event_Create", context.plugin().Call(create))) return;
  OwnedEvent event(context.plugin(), create.event);
  auto args = MakeArgs<PJRT_Event_Error_Args>();
  args.event = event.get();
  context.CheckRefused("PJRT-Event_Error-not-ready", "PJRT_Event_Error before it is ready",
                       context.plugin().Call(args), {StatusCode::kFailedPrecondition});
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = event.get();
  (void)context.plugin().Call(set);
}

void AwaitFromManyThreads(Context& context) {
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  if (!context.Ok("", "PJRT_Event_Create", context.plugin().Call(create))) return;
  OwnedEvent event(context.plugin(), create.event);
  std::atomic<int> awake = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { awake += context.Await(event.get()).ok() ? 1 : 0; });
  }
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = event.get();
  context.Ok("", "PJRT_Event_Set", context.plugin().Call(set));
  for (std::thread& thread : threads) thread.join();
  context.Check("PJRT-Event_Await-twice", awake == 4, awake.load(),
                " of 4 threads saw the event succeed");
}

// Callbacks that need no argument are called too; and what an event says reaches every thread.
void CallbackWithoutArgument(Context& context) {
  static std::atomic<int> calls;
  for (bool is_ready : {false, true}) {
    calls = 0;
    auto create = MakeArgs<PJRT_Event_Create_Args>();
    if (!context.Ok("", "PJRT_Event_Create", context.plugin().Call(create))) return;
    OwnedEvent event(context.plugin(), create.event);
    auto set = MakeArgs<PJRT_Event_Set_Args>();
    set.event = event.get();
    if (is_ready) context.Ok("", "PJRT_Event_Set", context.plugin().Call(set));
    auto args = MakeArgs<PJRT_Event_OnReady_Args>();
    args.event = event.get();
    args.callback = [](PJRT_Error*, void* argument) { calls += argument == nullptr ? 1 : 100; };
    if (!context.Ok("PJRT-Event_OnReady-once", "PJRT_Event_OnReady", context.plugin().Call(args)))
      return;
    if (!is_ready) context.Ok("", "PJRT_Event_Set", context.plugin().Call(set));
    for (int i = 0; i < 3000 && calls == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    context.Check("PJRT-Event_OnReady-once", calls == 1, "a callback with a null user_arg ran ",
                  calls.load(), " times, or got another");
  }
}

void ErrorOnEveryThread(Context& context) {
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  if (!context.Ok("", "PJRT_Event_Create", context.plugin().Call(create))) return;
  OwnedEvent event(context.plugin(), create.event);
  constexpr char kText[] = "as the case says";
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = event.get();
  set.error_code = PJRT_Error_Code_DATA_LOSS;
  set.error_message = kText;
  set.error_message_size = sizeof(kText) - 1;
  if (!context.Ok("", "PJRT_Event_Set", context.plugin().Call(set))) return;
  std::vector<std::string> said(6);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < said.size(); ++i) {
    threads.emplace_back([&, i] {
      auto error = MakeArgs<PJRT_Event_Error_Args>();
      error.event = event.get();
      auto await = MakeArgs<PJRT_Event_Await_Args>();
      await.event = event.get();
      said[i] =
          (i % 2 == 0 ? context.plugin().Call(error) : context.plugin().Call(await)).ToString();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& each : said) {
    context.Check("PJRT-Threads-any", each == said[0] && each.find(kText) != std::string::npos,
                  "of one failed event one thread was told \"", said[0], "\" and another \"", each,
                  "\"");
  }
}

}  // namespace

void AddEventCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 void (*run)(Context&), bool is_robust = false) {
    cases.push_back({"L2/event/" + name, Level::kL2, ClientNeed::kShared, std::move(requirements),
                     run, is_robust});
  };
  add("callback_once", {"PJRT-Event_OnReady-once", "PJRT-Event_Await-twice", "PJRT-Callback-once"},
      CallbackOnce);
  add("callback_destroys_event", {"PJRT-Event_OnReady-reentrant", "PJRT-Event_OnReady-inline"},
      CallbackDestroysEvent);
  add("destroy_keeps_callbacks", {"PJRT-Event_OnReady-once"}, DestroyKeepsCallbacks);
  add("monotone", {"PJRT-Event_IsReady-monotone"}, Monotone);
  add("set_by_caller",
      {"PJRT-Event_IsReady-nonblocking", "PJRT-Event_OnReady-once", "PJRT-Event_Error-independent",
       "PJRT-Event_OnReady-owns-error"},
      SetByCaller);
  add("await_failed", {"PJRT-Event_Await-independent", "PJRT-Event_OnReady-owns-error"},
      AwaitFailed);
  add("destroyed_while_pending", {"PJRT-Event_OnReady-once"}, DestroyedWhilePending);
  add("set_foreign", {"PJRT-Event_Set-foreign"}, SetForeign, true);
  add("set_twice", {"PJRT-Event_Set-once"}, SetTwice, true);
  add("error_before_ready", {"PJRT-Event_Error-not-ready"}, ErrorBeforeReady, true);
  add("callback_without_argument", {"PJRT-Event_OnReady-once"}, CallbackWithoutArgument);
  add("error_on_every_thread", {"PJRT-Threads-any", "PJRT-Event_Error-independent"},
      ErrorOnEveryThread);
  add("await_from_many_threads", {"PJRT-Event_Await-twice"}, AwaitFromManyThreads);
}

}  // namespace plinth::conformance
