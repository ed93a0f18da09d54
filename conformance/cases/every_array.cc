// SPDX-License-Identifier: Apache-2.0
// L2: each function that takes or makes an array does so for arrays of every kind, here and on
// another thread.

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/cases/array_calls.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"

namespace plinth::conformance {
namespace every_array {
namespace {

constexpr char kAny[] = "PJRT-Threads-any";
constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kDevice[] = "PJRT-Buffer_Device-asked-for";

// Whether a plugin may answer so about an array that it does not want.
bool IsFair(const Status& status) {
  return status.ok() || status.code() == StatusCode::kUnimplemented ||
         status.code() == StatusCode::kInvalidArgument ||
         status.code() == StatusCode::kFailedPrecondition;
}

void CallForEvery(Context& context, const ArrayCall& call) {
  size_t refused = 0;
  const std::vector<ArrayKind> kinds = ArrayKinds(context);
  for (const ArrayKind& kind : kinds) {
    context.TellRow(kind.name);
    Expected<HeldArray> held = Hold(context, kind, call.name);
    if (!held.ok() && kind.is_turned) continue;
    if (!context.Ok(kAccepted, StrCat("an upload of ", kind.name), held.status())) return;
    const Status here = call.run(context, *held);
    Status there;
    std::thread([&] { there = call.run(context, *held); }).join();
    context.Check(kAccepted, IsFair(here), call.name, " of ", kind.name, ": ", here.ToString());
    context.Check(kAny, here.code() == there.code(), call.name, " of ", kind.name, " gives ",
                  here.ToString(), ", on another thread ", there.ToString());
    if (!here.ok()) context.Note(StrCat(kind.name, ": ", here.ToString()));
    refused += here.ok() ? 0 : 1;
    if (context.HasFindings()) return;
  }
  context.Note(StrCat(kinds.size(), " kinds of arrays, ", refused, " refused"));
  if (refused == kinds.size()) context.Unsupported(StrCat("no array that ", call.name, " takes"));
}

// What is said of arrays is right here, and on a thread that asks after this one.
void JudgeElsewhere(Context& context) {
  for (const ArrayKind& kind : ArrayKinds(context)) {
    Expected<OwnedBuffer> buffer = UploadKind(context, kind);
    if (!buffer.ok() && kind.is_turned) continue;
    if (!context.Ok(kAccepted, "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
    auto judge = [&] {
      JudgeBuffer(context, buffer->get(),
                  {kind.array, kind.where.wanted_device, kind.where.wanted_memory});
    };
    judge();
    std::thread(judge).join();
    if (context.HasFindings()) return;
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](std::string name, std::vector<std::string> requirements,
                 std::function<void(Context&)> run) {
    cases.push_back({std::move(name), Level::kL2, ClientNeed::kShared, std::move(requirements),
                     std::move(run), false});
  };
  for (const ArrayCall& call : ArrayCalls()) {
    std::vector<std::string> requirements = {kAny, kAccepted, kDevice,
                                             "PJRT-Buffer_GetMemoryLayout-order"};
    if (!call.requirement.empty()) requirements.push_back(call.requirement);
    add(StrCat("L2/every_array/", call.name), std::move(requirements),
        [call](Context& context) { CallForEvery(context, call); });
  }
  add("L2/every_array/judged",
      {kAny, kAccepted, kDevice, kOutputTrue, "PJRT-Buffer_ToHostBuffer-contents"}, JudgeElsewhere);
}

}  // namespace every_array

void AddEveryArrayCases(std::vector<Case>& cases) { every_array::AddCases(cases); }

}  // namespace plinth::conformance
