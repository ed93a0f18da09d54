// SPDX-License-Identifier: Apache-2.0
// L3: launches of programs whose devices work together: several threads, one device that fails or
// never comes, donation and deletion, arguments that do not fit one device.

#include <algorithm>
#include <array>
#include <thread>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/error_buffer.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/run_packed.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace {

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";
constexpr char kFailure[] = "PJRT-LoadedExecutable_Execute-failure";
constexpr char kOneFails[] = "PJRT-LoadedExecutable_Execute-one-fails";
constexpr char kAsynchronous[] = "PJRT-LoadedExecutable_Execute-asynchronous";
constexpr char kNoPartner[] = "PJRT-LoadedExecutable_Execute-no-partner";

// The outputs of both devices are full of `wanted`.
bool CheckOutputs(Context& context, std::string_view requirement, const Launch& launch,
                  std::array<float, 2> wanted, std::string_view what) {
  for (size_t d = 0; d < 2; ++d) {
    const auto values = launch.Output(d);
    if (!context.Check(requirement, values.ok(), what, ", device ", d, ": ",
                       values.status().ToString()) ||
        !context.Check(requirement, *values == std::vector<float>(4, wanted[d]), what, ", device ",
                       d, ": the values are [", StrJoin(*values), "], not four times ",
                       wanted[d])) {
      return false;
    }
    context.Ok("PJRT-LoadedExecutable_Execute-done", "its event", launch.Done(d));
  }
  return true;
}

// A program of two devices, and a launch with an argument on each.
struct Pair {
  Pair(Context& context, std::string_view name, std::array<float, 2> numbers) : launch(context) {
    ids = IdsOfDevices(context, 2);
    if (ids.empty()) return;
    executable = CompileFor(context, name, ids);
    if (!executable) return;
    devices = DevicesOf(context, executable.get());
    if (!context.Check(kResults, devices.size() == 2, "an executable of two partitions has ",
                       devices.size(), " devices")) {
      return;
    }
    is_ready = launch.Upload(context, devices, numbers);
  }

  std::vector<int> ids;
  OwnedLoadedExecutable executable;
  std::vector<PJRT_Device*> devices;
  Launch launch;
  bool is_ready = false;
};

// The next launch of a program that works has its results.
void CheckGoesOn(Context& context, std::string_view requirement) {
  Pair next(context, "sum", {1, 2});
  if (next.is_ready &&
      context.Ok(requirement, "the next launch", next.launch.Execute(next.executable.get()))) {
    CheckOutputs(context, requirement, next.launch, {3, 3}, "the next launch");
  }
}

// Nobody needs to ask for events.
void NoEvents(Context& context) {
  Pair pair(context, "sum", {3, 5});
  if (!pair.is_ready) return;
  pair.launch.WithoutEvents();
  if (context.Ok("PJRT-Args-accepted", "a launch without events",
                 pair.launch.Execute(pair.executable.get())))
    CheckOutputs(context, kResults, pair.launch, {8, 8}, "a launch without events");
}

// Threads begin the same programs in opposite orders, on devices in opposite orders.
void OppositeOrders(Context& context) {
  constexpr int kThreads = 4, kTurns = 12;
  std::vector<int> ids = IdsOfDevices(context, 2);
  if (ids.empty()) return;
  const std::vector<int> turned = {ids[1], ids[0]};
  std::vector<OwnedLoadedExecutable> programs;
  programs.push_back(CompileFor(context, "sum", ids));
  programs.push_back(CompileFor(context, "largest", turned));
  programs.push_back(CompileFor(context, "sum", turned));
  std::vector<std::vector<PJRT_Device*>> devices;
  for (const OwnedLoadedExecutable& program : programs) {
    if (!program) return;
    devices.push_back(DevicesOf(context, program.get()));
    if (devices.back().size() != 2) return context.Fail(kResults, "not two devices");
  }
  struct Begun {
    size_t program;
    Launch launch;
    std::array<float, 2> wanted;
    Status status;
  };
  std::vector<std::vector<Begun>> begun(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    for (int turn = 0; turn < kTurns; ++turn) {
      const auto index = static_cast<size_t>(turn) % programs.size();
      const size_t program = t % 2 == 0 ? index : programs.size() - 1 - index;
      const std::array<float, 2> numbers = {static_cast<float>(100 * t + turn), 7};
      Launch launch(context);
      if (!launch.Upload(context, devices[program], numbers)) return;
      const float wanted =
          program == 1 ? std::max(numbers[0], numbers[1]) : numbers[0] + numbers[1];
      begun[static_cast<size_t>(t)].push_back(
          {program, std::move(launch), {wanted, wanted}, Status()});
    }
  }
  std::vector<std::thread> threads;
  threads.reserve(begun.size());
  for (std::vector<Begun>& mine : begun) {
    threads.emplace_back([&] {
      for (Begun& each : mine) each.status = each.launch.Execute(programs[each.program].get());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<Begun>& mine : begun) {
    for (const Begun& each : mine) {
      if (!context.Ok(kResults, "a launch of several threads", each.status) ||
          !CheckOutputs(context, kResults, each.launch, each.wanted,
                        "a launch of several threads")) {
        return;
      }
    }
  }
}

// Each turn takes what the last one made, and nobody waits in between.
void LaunchOnResults(Context& context) {
  Pair pair(context, "sum", {1, 2});
  if (!pair.is_ready) return;
  float wanted = 3;
  for (int turn = 0; turn < 8; ++turn) {
    if (!context.Ok(kResults, "a launch on what another makes",
                    pair.launch.Execute(pair.executable.get()))) {
      return;
    }
    if (turn < 7) {
      pair.launch.OutputsToArguments();
      wanted *= 2;
    }
  }
  CheckOutputs(context, kResults, pair.launch, {wanted, wanted}, "the last of eight launches");
}

// An array that carries an error, as the output of a launch that failed or as the plugin makes it.
OwnedBuffer BrokenArray(Context& context, PJRT_Device* device, std::string& words) {
  words = "lost on the way";
  Expected<OwnedBuffer> made =
      NewErrorBuffer(context, DefaultMemoryOf(context, device), PJRT_Error_Code_DATA_LOSS, words);
  if (made.ok()) return *std::move(made);
  // A plugin without this function: a launch without a partner breaks an array.
  words.clear();
  Pair lost(context, "lost/has_ended", {1, 2});
  if (!lost.is_ready || !lost.launch.Execute(lost.executable.get()).ok()) return {};
  for (size_t d = 0; d < 2; ++d) {
    if (lost.devices[d] == device) return lost.launch.TakeOutput(d);
  }
  return {};
}

// One device has an argument that carries an error: no device has a result, and all say why.
void FailingParticipant(Context& context) {
  for (size_t which : {0, 1}) {
    Pair pair(context, "sum", {1, 2});
    if (!pair.is_ready) return;
    std::string words;
    OwnedBuffer broken = BrokenArray(context, pair.devices[which], words);
    if (!broken) return context.Unsupported("the plugin refuses at once what would fail");
    pair.launch.SetArgument(which, std::move(broken));
    const Status status = pair.launch.Execute(pair.executable.get());
    if (!status.ok()) {  // at once is right, too
      context.Check(kFailure, pair.launch.HandedOutNothing(),
                    "the call failed and handed out something");
      continue;
    }
    for (size_t d = 0; d < 2; ++d) {
      for (const Status& own : {pair.launch.Output(d).status(), pair.launch.Done(d)}) {
        context.Check(d == which ? kAsynchronous : kOneFails,
                      !own.ok() && own.message().find(words) != std::string_view::npos, "device ",
                      which, " fails; device ", d, " has ", own.ToString());
      }
    }
    CheckGoesOn(context, kOneFails);
  }
}

// Of devices that do not work together one has an argument that carries an error: it says so, and
// what another one has to say is right.
void FailingReplica(Context& context) {
  const std::vector<int> ids = IdsOfDevices(context, 2);
  if (ids.empty()) return;
  Expected<OwnedLoadedExecutable> executable =
      context.Compile(ProgramFor(context, "add_one"), "mlir", CompileOptionsOf(2, 1, ids));
  if (!context.Ok(kResults, "PJRT_Client_Compile for two replicas", executable.status())) return;
  const std::vector<PJRT_Device*> devices = DevicesOf(context, executable->get());
  if (!context.Check(kResults, devices.size() == 2, "an executable of two replicas has ",
                     devices.size(), " devices"))
    return;
  for (size_t which : {0, 1}) {
    Launch launch(context);
    if (!launch.Upload(context, devices, std::array<float, 2>{1, 2})) return;
    std::string words;
    OwnedBuffer broken = BrokenArray(context, devices[which], words);
    if (!broken) return context.Unsupported("the plugin refuses at once what would fail");
    launch.SetArgument(which, std::move(broken));
    if (!launch.Execute(executable->get()).ok()) {  // at once is right, too
      context.Check(kFailure, launch.HandedOutNothing(),
                    "the call failed and handed out something");
      continue;
    }
    for (const Status& own : {launch.Output(which).status(), launch.Done(which)}) {
      context.Check(kAsynchronous, !own.ok() && own.message().find(words) != std::string_view::npos,
                    "replica ", which, " fails, and has ", own.ToString());
    }
    const size_t other = 1 - which;
    const auto values = launch.Output(other);
    context.Check(kResults, !values.ok() || *values == std::vector<float>(4, which == 0 ? 3 : 2),
                  "replica ", which, " fails, replica ", other, " has another result");
  }
}

// A device waits for another that never comes to the same collective.
void MissingParticipant(Context& context, std::string_view name, std::string_view op) {
  Pair pair(context, name, {1, 2});
  if (!pair.is_ready) return;
  const Status status = pair.launch.Execute(pair.executable.get());
  const auto check = [&](std::string_view who, const Status& own) {
    std::string message(own.message());
    std::replace(message.begin(), message.end(), '-', '_');
    context.Check(kNoPartner, own.code() == StatusCode::kFailedPrecondition, who, ": ",
                  own.ToString(), ", not FAILED_PRECONDITION");
    context.Check(kNoPartner, message.find(op) != std::string::npos, who, ": the error \"",
                  own.message(), "\" does not name ", op);
  };
  if (!status.ok()) {
    check("the call", status);
  } else {
    for (size_t d = 0; d < 2; ++d) {
      check(StrCat("the output of device ", d), pair.launch.Output(d).status());
      check(StrCat("the event of device ", d), pair.launch.Done(d));
    }
  }
  CheckGoesOn(context, kNoPartner);
}

void Donation(Context& context) {
  constexpr char kDonation[] = "PJRT-LoadedExecutable_Execute-donation";
  Pair pair(context, "donating", {1, 2});
  if (!pair.is_ready ||
      !context.Ok(kResults, "a launch that donates", pair.launch.Execute(pair.executable.get()))) {
    return;
  }
  for (size_t d = 0; d < 2; ++d) {
    context.Check(kDonation, IsBufferDeleted(context, pair.launch.argument(d)),
                  "the argument of device ", d, " was donated and does not count as deleted");
  }
  // The sum of both and the own one.
  CheckOutputs(context, kResults, pair.launch, {4, 5}, "a launch that donates");
  const Status again = pair.launch.Execute(pair.executable.get());
  context.CheckRefused("PJRT-LoadedExecutable_Execute-deleted", "a launch on donated arguments",
                       again, {StatusCode::kInvalidArgument});
}

void NotDonated(Context& context) {
  Pair pair(context, "donating", {1, 2});
  const int64_t indices[] = {0};
  for (int turn = 0; pair.is_ready && turn < 2; ++turn) {
    if (!context.Ok(kResults, "a launch that must not donate",
                    pair.launch.Execute(pair.executable.get(), indices))) {
      return;
    }
    for (size_t d = 0; d < 2; ++d) {
      context.Check("PJRT-LoadedExecutable_Execute-not-donated",
                    !IsBufferDeleted(context, pair.launch.argument(d)), "the argument of device ",
                    d, " must not be donated and counts as deleted");
    }
    CheckOutputs(context, kResults, pair.launch, {4, 5}, "a launch that must not donate");
  }
}

// What the other device would donate is there after a call that is refused.
void RefusedForOneDevice(Context& context) {
  for (size_t which : {0, 1}) {
    for (std::string_view how : {"deleted", "of another shape", "on another device"}) {
      Pair pair(context, "donating", {1, 2});
      if (!pair.is_ready) return;
      std::string_view requirement = "PJRT-LoadedExecutable_Execute-shape";
      if (how == "deleted") {
        requirement = "PJRT-LoadedExecutable_Execute-deleted";
        DeleteBuffer(context, pair.launch.argument(which));
      } else {
        const bool is_elsewhere = how == "on another device";
        Expected<OwnedBuffer> other = context.Upload(
            is_elsewhere ? HostArray::F32({4}, {1, 2, 3, 4}) : HostArray::F32({3}, {1, 2, 3}),
            pair.devices[is_elsewhere ? 1 - which : which]);
        if (!Demand(context, "PJRT_Client_BufferFromHostBuffer", other.status())) return;
        pair.launch.SetArgument(which, *std::move(other));
      }
      context.CheckRefused(requirement, StrCat("an argument of device ", which, " that is ", how),
                           pair.launch.Execute(pair.executable.get()),
                           {StatusCode::kInvalidArgument});
      context.Check(kFailure, pair.launch.HandedOutNothing(), "an argument ", how,
                    ": the call failed and handed out something");
      context.Check(kFailure, !IsBufferDeleted(context, pair.launch.argument(1 - which)),
                    "an argument ", how, ": the call failed and donated that of the other device");
    }
  }
}

// Arguments and the executable go while the devices may be at work.
void DeletedMeanwhile(Context& context) {
  for (int turn = 0; turn < 10; ++turn) {
    Pair pair(context, "sum", {1, static_cast<float>(turn)});
    if (!pair.is_ready || !context.Ok(kResults, "PJRT_LoadedExecutable_Execute",
                                      pair.launch.Execute(pair.executable.get()))) {
      return;
    }
    if (turn % 2 == 0) DeleteBuffer(context, pair.launch.argument(1));
    pair.launch.DestroyArguments();
    (void)pair.executable.Destroy();
    const auto wanted = static_cast<float>(1 + turn);
    if (!CheckOutputs(context, kResults, pair.launch, {wanted, wanted},
                      "a launch whose arguments and executable are freed")) {
      return;
    }
  }
}

// Nobody takes the output of one of the devices.
void OneOutputFreed(Context& context) {
  for (size_t which : {0, 1}) {
    Pair pair(context, "sum", {1, 2});
    if (!pair.is_ready || !context.Ok(kResults, "PJRT_LoadedExecutable_Execute",
                                      pair.launch.Execute(pair.executable.get()))) {
      return;
    }
    pair.launch.TakeOutput(which);
    const auto values = pair.launch.Output(1 - which);
    if (context.Ok(kResults, "the output of the other device", values.status())) {
      context.Check(kResults, *values == std::vector<float>(4, 3),
                    "the output of one device is freed, the other's is [", StrJoin(*values), "]");
    }
  }
}

void FewerDevices(Context& context) {
  Pair pair(context, "sum", {1, 2});
  if (!pair.is_ready) return;
  pair.launch.DropArgument();
  context.CheckRefused("PJRT-LoadedExecutable_Execute-count", "a launch of one of the two devices",
                       pair.launch.Execute(pair.executable.get()), {StatusCode::kInvalidArgument});
  context.Check(kFailure, pair.launch.HandedOutNothing(),
                "the call failed and handed out something");
}

}  // namespace

void AddLaunchCases(std::vector<Case>& cases) {
  const auto add = [&](std::string_view name, std::vector<std::string> requirements,
                       std::function<void(Context&)> run) {
    cases.push_back({StrCat("L3/launch/", name), Level::kL3, ClientNeed::kShared,
                     std::move(requirements), std::move(run)});
  };
  const std::string done = "PJRT-LoadedExecutable_Execute-done",
                    shape = "PJRT-LoadedExecutable_Execute-shape",
                    deleted = "PJRT-LoadedExecutable_Execute-deleted";
  add("opposite_orders", {kResults, done}, OppositeOrders);
  add("no_events", {kResults, "PJRT-Args-accepted"}, NoEvents);
  add("on_results", {kResults, done}, LaunchOnResults);
  add("failing_participant", {kOneFails, kFailure, kAsynchronous}, FailingParticipant);
  add("failing_replica", {kResults, kFailure, kAsynchronous}, FailingReplica);
  for (const auto& [name, op] :
       {std::pair{"has_ended", "all_reduce"}, std::pair{"is_elsewhere", "all_reduce"},
        std::pair{"permute", "collective_permute"}, std::pair{"more_turns", "all_reduce"}}) {
    add(StrCat("missing_participant/", name), {kNoPartner},
        [program = StrCat("lost/", name), op = op](Context& context) {
          MissingParticipant(context, program, op);
        });
  }
  add("donation", {kResults, done, "PJRT-LoadedExecutable_Execute-donation", deleted}, Donation);
  add("not_donated", {kResults, done, "PJRT-LoadedExecutable_Execute-not-donated"}, NotDonated);
  add("refused_for_one_device", {shape, deleted, kFailure}, RefusedForOneDevice);
  add("deleted_meanwhile", {kResults, done}, DeletedMeanwhile);
  add("one_output_freed", {kResults}, OneOutputFreed);
  add("fewer_devices", {"PJRT-LoadedExecutable_Execute-count", kFailure}, FewerDevices);
}

}  // namespace plinth::conformance
