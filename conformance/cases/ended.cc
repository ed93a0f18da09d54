// SPDX-License-Identifier: Apache-2.0
// L2: what has ended is still what it was: what is said of an array that was deleted or given away,
// and of a program that was unloaded, on each device and in each memory. What an array is and where
// it was is still told. A plugin may refuse to say more; what it says is no other thing.

#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/answers.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/used_buffer.h"

namespace plinth::conformance {
namespace ended {
namespace {

namespace kinds = reflection::handle;
constexpr char kSame[] = "PJRT-Args-output-same";
constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kNeverReady[] = "PJRT-Buffer_ReadyEvent-deleted";
constexpr char kTruth[] = "PJRT-Buffer_IsDeleted-truth";

// Where the contents lie, how much room they take, and whether they are there ends with them.
bool IsOfContents(const reflection::Function& function) {
  if (function.answer == reflection::Answer::kChanging) return true;
  for (std::string_view part : {"OnDeviceSize", "Pointer", "IsDeleted", "ReferenceCount"}) {
    if (function.name.view().find(part) != std::string_view::npos) return true;
  }
  return false;
}

// There is nothing left that could become ready.
void CheckReadiness(Context& context, PJRT_Buffer* buffer, std::string_view what) {
  OwnedEvent event = ReadyEventOf(context, buffer);
  if (!event) return;
  context.Check(kNeverReady, IsEventReady(context, event.get()), "the ready event of ", what,
                " waits");
  context.Check(kNeverReady, !context.Await(event.get()).ok(), "the ready event of ", what,
                " succeeds");
}

// Compares what is said before and after `end`, which ends the object.
template <typename End>
void Compare(Context& context, int kind, void* object, std::string_view what, End end) {
  const Answers before = AnswersOf(context, kind, object, true);
  if (!end()) return;
  if (kind == kinds::kPJRT_Buffer) CheckReadiness(context, static_cast<PJRT_Buffer*>(object), what);
  const Answers after = AnswersOf(context, kind, object, true);
  for (size_t i = 0; i < before.size() && i < after.size(); ++i) {
    if (IsOfContents(*before[i].first)) continue;
    if (after[i].second.starts_with("error ")) {
      // What was settled when an array was made: frameworks ask for it whatever became of the rest.
      const bool must_answer = kind == kinds::kPJRT_Buffer &&
                               before[i].first->answer == reflection::Answer::kStable &&
                               after[i].second != before[i].second;
      context.Check(kAccepted, !must_answer, before[i].first->name, " is refused of ", what);
      continue;
    }
    context.Check(kSame, before[i].second == after[i].second, before[i].first->name,
                  " answers otherwise of ", what);
  }
}

Expected<OwnedBuffer> UploadFour(const Context& context, PJRT_Memory* memory) {
  return UploadTo(context, HostArray::F32({4}, {1, 2, 3, 4}), memory);
}

// The first and the last device: all of them where there are two.
std::vector<PJRT_Device*> TwoDevices(Context& context) {
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.size() > 2) devices.erase(devices.begin() + 1, devices.end() - 1);
  return devices;
}

Expected<OwnedLoadedExecutable> CompileOn(Context& context, PJRT_Device* device,
                                          std::string_view program) {
  const int id = DeviceIdOf(context, device);
  return context.Compile(ProgramFor(context, program), "mlir", CompileOptionsOf(1, 1, {&id, 1}));
}

void DeletedArrays(Context& context) {
  for (PJRT_Device* device : TwoDevices(context)) {
    for (PJRT_Memory* memory : MemoriesOf(context, device)) {
      Expected<OwnedBuffer> buffer = UploadFour(context, memory);
      if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
      Compare(context, kinds::kPJRT_Buffer, buffer->get(), "an array that was deleted",
              [&] { return DeleteBuffer(context, buffer->get()); });
    }
  }
}

void DonatedArrays(Context& context) {
  for (PJRT_Device* device : TwoDevices(context)) {
    Expected<OwnedLoadedExecutable> program = CompileOn(context, device, "donating");
    Expected<OwnedBuffer> buffer = UploadFour(context, DefaultMemoryOf(context, device));
    if (!context.Ok("", "PJRT_Client_Compile", program.status()) ||
        !context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status()))
      return;
    Compare(context, kinds::kPJRT_Buffer, buffer->get(), "an array that was donated", [&] {
      PJRT_Buffer* handles[] = {buffer->get()};
      return context.Ok("", "PJRT_LoadedExecutable_Execute",
                        context.Execute(program->get(), handles).status());
    });
  }
}

void GivenArrays(Context& context) {
  for (PJRT_Device* device : TwoDevices(context)) {
    for (PJRT_Memory* memory : MemoriesOf(context, device)) {
      Expected<OwnedBuffer> buffer = UploadFour(context, memory);
      if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
      auto give = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Args>();
      give.buffer = buffer->get();
      OwnedBuffer made;
      Compare(context, kinds::kPJRT_Buffer, buffer->get(), "an array that was given to another",
              [&] {
                if (!Succeeds(context, give)) return false;
                made = OwnedBuffer(context.plugin(), give.out_buffer);
                auto tell = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Callback_Args>();
                tell.callback_data = give.callback_data;
                give.dependency_ready_callback(&tell);
                return true;
              });
    }
  }
}

void UnloadedPrograms(Context& context) {
  for (PJRT_Device* device : TwoDevices(context)) {
    Expected<OwnedLoadedExecutable> program = CompileOn(context, device, "many_results");
    if (!context.Ok("", "PJRT_Client_Compile", program.status())) return;
    Compare(context, kinds::kPJRT_LoadedExecutable, program->get(), "a program that was unloaded",
            [&] {
              auto args = MakeArgs<PJRT_LoadedExecutable_Delete_Args>();
              args.executable = program->get();
              return Succeeds(context, args);
            });
  }
}

// In whatever state an array is, deleting it makes it a deleted one, and its handle goes on.
void EveryState(Context& context) {
  for (auto [state, name] : uses::kStates) {
    if (state == uses::State::kDeleted) continue;
    context.TellRow(name);
    Context probe(context.plugin(), context.profile(), context.client(), context.seed());
    uses::UsedBuffer subject(probe, state);
    if (!subject.Make()) continue;
    context.Check(kTruth, !IsBufferDeleted(probe, subject.buffer()), "an array counts as deleted, ",
                  name);
    auto end = [&] { return DeleteBuffer(probe, subject.buffer()); };
    // Asking for the address of what is still to come waits for it; what is said of an array that
    // failed is asked elsewhere.
    if (uses::IsLate(state) || uses::Fails(state)) {
      (void)end();
    } else {
      Compare(probe, kinds::kPJRT_Buffer, subject.buffer(), StrCat("a deleted array, ", name), end);
    }
    context.Check(kTruth, IsBufferDeleted(probe, subject.buffer()),
                  "a deleted array does not count as deleted, ", name);
    (void)subject.Finish();
    context.Check(kTruth, IsBufferDeleted(probe, subject.buffer()),
                  "a deleted array no longer counts as deleted, ", name);
    // What a state needs and the plugin lacks is no finding.
    for (const Finding& finding : probe.TakeResult().findings) {
      if (finding.requirement == kSame || finding.requirement == kNeverReady)
        context.Fail(finding.requirement, finding.text);
    }
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  for (auto [name, run] : {std::pair("deleted", &DeletedArrays),
                           {"donated", &DonatedArrays},
                           {"given", &GivenArrays},
                           {"every_state", &EveryState},
                           {"unloaded", &UnloadedPrograms}}) {
    cases.push_back({StrCat("L2/ended/", name),
                     Level::kL2,
                     ClientNeed::kShared,
                     {kAccepted, kSame, kTruth, kNeverReady},
                     run,
                     false});
  }
}

}  // namespace ended

void AddEndedCases(std::vector<Case>& cases) { ended::AddCases(cases); }

}  // namespace plinth::conformance
