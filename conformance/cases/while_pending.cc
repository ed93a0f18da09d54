// SPDX-License-Identifier: Apache-2.0
// L2: what may happen while something is still to come: the parts of a run end before it does, all
// events are waited for longer than any limit, and callbacks wait for one another.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/error_buffer.h"
#include "conformance/cases/examples.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/sweep.h"
#include "conformance/cases/used_buffer.h"
#include "conformance/cases/waiting.h"

namespace plinth::conformance {
namespace while_pending {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kDone[] = "PJRT-LoadedExecutable_Execute-done";
constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";
constexpr char kDonation[] = "PJRT-LoadedExecutable_Execute-donation";
constexpr char kOnce[] = "PJRT-Callback-once";
constexpr char kOutcome[] = "PJRT-Event_Set-outcome";

// Calls on another thread, which is given some seconds; `finish` lets it come back in any case.
void CallPatiently(Context& context, std::string_view what, const std::function<void()>& call,
                   const std::function<void()>& finish) {
  std::atomic<bool> is_back = false;
  std::thread thread([&] {
    call();
    is_back = true;
  });
  for (int i = 0; i < 3000 && !is_back; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  context.Check(kAccepted, is_back, what, " waits for a run that is still to come");
  finish();
  thread.join();
}

// What of a run ends before its argument is there; all the rest comes.
void PartsEnd(Context& context) {
  const std::vector<Parameter> parameters = {
      {"ends",
       {"the executable, deleted", "the executable, destroyed", "an output, deleted",
        "an output, destroyed", "all outputs, destroyed", "the event, destroyed",
        "the argument, destroyed"}},
      {"output", {"0", "1", "2"}},
      {"argument", {"pending", "alias", "copied"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    const uses::State states[] = {uses::State::kPending, uses::State::kAliased,
                                  uses::State::kCopied};
    Expected<OwnedLoadedExecutable> program = probe.Compile(ProgramFor(probe, "mixed"));
    if (!probe.Ok("", "PJRT_Client_Compile", program.status())) return;
    const HostArray six = Counted({2, 3}, 1);
    Expected<OwnedBuffer> whole = probe.Upload(six);
    if (!probe.Ok("", "PJRT_Client_BufferFromHostBuffer", whole.status())) return;
    uses::UsedBuffer late(probe, states[row[2]]);
    if (!late.Make()) return;
    PJRT_Buffer* handles[] = {late.buffer(), whole->get()};
    OwnedEvent done;
    auto results = probe.Execute(program->get(), handles, &done);
    if (!probe.Ok(kAccepted, "an execution on what is to come", results.status())) return;
    const std::string& ends = parameters[0].values[row[0]];
    bool is_finished = false;
    CallPatiently(
        probe, StrCat("ending ", ends),
        [&] {
          if (row[0] == 0) {
            auto args = MakeArgs<PJRT_LoadedExecutable_Delete_Args>();
            args.executable = program->get();
            (void)Succeeds(probe, args);
          }
          if (row[0] == 1) (void)program->Destroy();
          if (row[0] == 2) (void)DeleteBuffer(probe, (*results)[row[1]].get());
          if (row[0] == 3) (void)(*results)[row[1]].Destroy();
          for (OwnedBuffer& each : *results) {
            if (row[0] == 4) (void)each.Destroy();
          }
          if (row[0] == 5) (void)done.Destroy();
          if (row[0] == 6) (void)late.Drop();
        },
        [&] { is_finished = late.Finish(); });
    if (!is_finished) return;
    if (done) probe.Ok(kDone, StrCat("the run's event, with ", ends), probe.Await(done.get()));
    const HostArray wanted[] = {HostArray::F32({4}, {2, 4, 6, 8}),
                                HostArray::F32({2, 3}, {1, 4, 9, 16, 25, 36}),
                                HostArray::F32({}, {7})};
    for (size_t i = 0; i < results->size(); ++i) {
      if (!(*results)[i] || (row[0] == 2 && i == row[1])) continue;
      Expected<HostArray> found = probe.Download((*results)[i].get());
      if (!probe.Ok(kResults, StrCat("output ", i), found.status())) return;
      CheckSameArray(probe, kResults, StrCat("output ", i), wanted[i], *found);
    }
    JudgeBuffer(probe, whole->get(), {six});
  });
}

// Everything that can be waited for, at once, for longer than a program would.
void LongWaits(Context& context) {
  struct Long {
    Long(const Context& around, const char* what)
        : name(what), own(around.plugin(), around.profile(), around.client(), around.seed()) {}
    const char* name;
    Context own;
    Waiting waiting;
    PJRT_Error* error = nullptr;
    std::atomic<bool> is_back = false;
    std::thread thread;
  };
  const std::vector<Source> sources = Sources();
  std::deque<Long> all;
  for (const Source& source : sources) {
    all.emplace_back(context, source.name);
    if (!source.make(all.back().own, all.back().waiting)) {
      context.Note(StrCat("no ", source.name));
      all.pop_back();
    }
  }
  for (Long& each : all) {
    each.thread = std::thread([&context, &each] {
      auto args = MakeArgs<PJRT_Event_Await_Args>();
      args.event = each.waiting.event.get();
      each.error = context.plugin().api()->PJRT_Event_Await(&args);
      each.is_back = true;
    });
  }
  // Longer than the limits that waits have by habit, of one second and of two; where there is no
  // time, of a tenth.
  const bool is_quick = context.depth() == Depth::kQuick;
  std::this_thread::sleep_for(std::chrono::milliseconds(is_quick ? 150 : 2500));
  for (Long& each : all) {
    context.Check("PJRT-Event_Await-twice", !each.is_back, each.name,
                  ": PJRT_Event_Await came back before readiness");
    if (!context.Ok(kAccepted, "what makes the event ready",
                    each.waiting.end({"success", PJRT_Error_Code_OK, ""})))
      _exit(1);
  }
  for (Long& each : all) {
    each.thread.join();
    const Status status = context.plugin().Take(each.error);
    context.Check(std::string_view(each.name) == "created" ? kOutcome : kAccepted, status.ok(),
                  each.name, ": seconds of waiting ended with ", status.ToString());
  }
  if (all.empty()) context.Unsupported("nothing can be waited for");
}

// Two callbacks that each wait for the other to begin.
struct Meeting {
  struct Side {
    Meeting* meeting;
    const Plugin* plugin;
    std::atomic<bool> has_begun = false, has_ended = false, has_met = false;
    std::thread::id thread = {};
  };
  Side sides[2];

  static void Run(PJRT_Error* error, void* arg) {
    auto* self = static_cast<Side*>(arg);
    (void)self->plugin->Take(error);
    Side& other = self->meeting->sides[self == &self->meeting->sides[0] ? 1 : 0];
    self->thread = std::this_thread::get_id();
    self->has_begun = true;
    for (int i = 0; i < 2000 && !other.has_begun; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    self->has_met = other.has_begun.load();
    self->has_ended = true;
  }
};

// A plugin may run callbacks on one thread, one after the other; on two threads, no lock is held.
void CallbacksMeet(Context& context) {
  const std::vector<Source> sources = Sources();
  for (const Source& source : {sources[0], sources[1], sources.back()}) {
    Waiting waiting[2];
    if (!source.make(context, waiting[0]) || !MakeCreatedEvent(context, waiting[1])) return;
    // Stays, for a callback that comes late.
    auto* meeting = new Meeting;
    for (int i = 0; i < 2; ++i) {
      meeting->sides[i].meeting = meeting;
      meeting->sides[i].plugin = &context.plugin();
      auto args = MakeArgs<PJRT_Event_OnReady_Args>();
      args.event = waiting[i].event.get();
      args.callback = Meeting::Run;
      args.user_arg = &meeting->sides[i];
      if (!Succeeds(context, args)) _exit(1);
    }
    Status ended[2];
    std::thread second([&] { ended[1] = waiting[1].end({"success", PJRT_Error_Code_OK, ""}); });
    ended[0] = waiting[0].end({"success", PJRT_Error_Code_OK, ""});
    second.join();
    for (const Status& status : ended) context.Ok(kAccepted, "what makes the event ready", status);
    auto& [first, other] = meeting->sides;
    for (int i = 0; i < 5000 && !(first.has_ended && other.has_ended); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!context.Check(kOnce, first.has_ended && other.has_ended, source.name,
                       ": a callback never came while another ran"))
      return;
    context.Check(kOnce, (first.has_met && other.has_met) || first.thread == other.thread,
                  source.name,
                  ": of two callbacks on two threads one began when the other had ended");
  }
}

// What a run that succeeds takes of its arguments is the same if one of them carries an error.
void DonatedBesideErrors(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  Expected<OwnedLoadedExecutable> program = context.Compile(ProgramFor(context, "donating_both"));
  if (!device.ok() || !context.Ok("", "PJRT_Client_Compile", program.status())) return;
  const std::vector<HostArray> arrays = {Counted({4}, 1), Counted({2, 3}, 2), Counted({8}, 3)};
  std::vector<bool> are_gone;  // without an error
  for (int broken : {-1, 2, 1, 0}) {
    std::vector<OwnedBuffer> buffers;
    std::vector<PJRT_Buffer*> handles = UploadAll(context, arrays, buffers);
    if (handles.size() != arrays.size()) return;
    if (broken >= 0) {
      const auto at = static_cast<size_t>(broken);
      Expected<OwnedBuffer> made = NewErrorBuffer(context, DefaultMemoryOf(context, *device),
                                                  PJRT_Error_Code_DATA_LOSS, "lost", arrays[at]);
      if (!context.Ok(kAccepted, "PJRT_Client_CreateErrorBuffer", made.status())) return;
      buffers[at] = *std::move(made);
      handles[at] = buffers[at].get();
    }
    auto results = context.Execute(program->get(), handles);
    if (!results.ok()) {
      if (broken < 0) return context.Fail(kResults, results.status().ToString());
      context.Note(StrCat("refused at once: ", results.status().ToString()));
      continue;
    }
    for (const OwnedBuffer& result : *results) (void)AwaitBuffer(context, result.get());
    for (size_t i = 0; i < handles.size(); ++i) {
      const bool is_gone = IsBufferDeleted(context, handles[i]);
      if (broken < 0) {
        are_gone.push_back(is_gone);
      } else if (static_cast<int>(i) != broken) {
        context.Check(kDonation, is_gone == are_gone[i], "argument ", i,
                      is_gone ? " counts" : " does not count", " as deleted if argument ", broken,
                      " carries an error, unlike without");
      }
    }
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const char* name, std::vector<std::string> requirements, void (*run)(Context&)) {
    cases.push_back({name, Level::kL2, ClientNeed::kShared, std::move(requirements), run, false});
  };
  add("L2/order/parts_end_before_run", {kAccepted, kDone, kResults}, PartsEnd);
  add("L2/event_order/long_waits", {kAccepted, "PJRT-Event_Await-twice", kOutcome}, LongWaits);
  add("L2/event_order/callbacks_meet", {kOnce, kAccepted}, CallbacksMeet);
  add("L2/failure/donated_beside_errors", {kDonation}, DonatedBesideErrors);
}

}  // namespace while_pending

void AddWhilePendingCases(std::vector<Case>& cases) { while_pending::AddCases(cases); }

}  // namespace plinth::conformance
