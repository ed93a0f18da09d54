// SPDX-License-Identifier: Apache-2.0
// L2: a run that is refused for one of its arguments, wherever that stands, leaves the others.

#include <string>
#include <vector>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/examples.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/sweep.h"

namespace plinth::conformance {
namespace refused_runs {
namespace {

constexpr char kFailure[] = "PJRT-LoadedExecutable_Execute-failure";

std::vector<HostArray> ArgumentsOf(std::string_view name) {
  if (name == "donating_both") return {Counted({4}, 1), Counted({2, 3}, 2), Counted({8}, 3)};
  for (const Example& example : Examples()) {
    if (example.name == name) return example.arguments;
  }
  return {};
}

void RefusedForOne(Context& context) {
  const std::vector<Parameter> parameters = {
      {"program", {"donating_both", "mixed", "many_arguments"}},
      {"argument", {"the last", "the first", "one between"}},
      {"why", {"deleted", "another shape", "another type", "missing"}},
      {"before", {"nothing", "a run"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    const std::string& name = parameters[0].values[row[0]];
    Expected<OwnedLoadedExecutable> program = probe.Compile(ProgramFor(probe, name));
    if (!probe.Ok("", "PJRT_Client_Compile", program.status())) return;
    const std::vector<HostArray> arrays = ArgumentsOf(name);
    const size_t count = arrays.size();
    const size_t bad = row[1] == 0 ? count - 1 : row[1] == 1 ? 0 : count / 2;
    std::vector<OwnedBuffer> buffers;
    std::vector<PJRT_Buffer*> handles = UploadAll(probe, arrays, buffers);
    if (handles.size() != count) return;
    if (row[3] == 1) {
      // What it was donated concerns its own arguments alone.
      auto results = probe.Execute(program->get(), handles);
      if (!probe.Ok("", "PJRT_LoadedExecutable_Execute", results.status())) return;
      buffers.clear();
      handles = UploadAll(probe, arrays, buffers);
      if (handles.size() != count) return;
    }
    OwnedBuffer other;
    if (row[2] == 0 && !DeleteBuffer(probe, handles[bad])) return;
    if (row[2] == 1 || row[2] == 2) {
      Expected<OwnedBuffer> wrong = row[2] == 1
                                        ? probe.Upload(Counted({3, 1, 5}, 0))
                                        : probe.Upload(RandomBits(DType::kS8, arrays[bad].dims, 1));
      if (!probe.Ok("", "PJRT_Client_BufferFromHostBuffer", wrong.status())) return;
      other = *std::move(wrong);
      handles[bad] = other.get();
    }
    if (row[2] == 3) handles.erase(handles.begin() + static_cast<ptrdiff_t>(bad));
    Status status = probe.Execute(program->get(), handles).status();
    // That it is refused, and how, other cases look at.
    if (status.ok()) return probe.Note("it ran");
    for (size_t i = 0; i < count; ++i) {
      if (row[2] == 0 && i == bad) continue;
      if (!probe.Check(kFailure, !IsBufferDeleted(probe, buffers[i].get()), "argument ", i, " of ",
                       count, " is deleted after a run that was refused for argument ", bad))
        return;
      Expected<HostArray> found = probe.Download(buffers[i].get());
      if (!probe.Ok(kFailure, "reading an argument", found.status())) return;
      CheckSameArray(probe, kFailure, StrCat("argument ", i), arrays[i], *found);
    }
    // The same arguments serve the right call.
    handles.clear();
    if (row[2] == 0) {
      Expected<OwnedBuffer> again = probe.Upload(arrays[bad]);
      if (!probe.Ok("", "PJRT_Client_BufferFromHostBuffer", again.status())) return;
      buffers[bad] = *std::move(again);
    }
    for (const OwnedBuffer& buffer : buffers) handles.push_back(buffer.get());
    auto results = probe.Execute(program->get(), handles);
    if (probe.Ok(kFailure, "the right call after it", results.status()))
      probe.Ok(kFailure, "its result", AwaitBuffer(probe, results->front().get()));
  });
}

}  // namespace
}  // namespace refused_runs

void AddRefusedRunCases(std::vector<Case>& cases) {
  cases.push_back({"L2/failure/refused_for_one",
                   Level::kL2,
                   ClientNeed::kShared,
                   {refused_runs::kFailure, "PJRT-LoadedExecutable_Execute-donation"},
                   refused_runs::RefusedForOne,
                   false});
}

}  // namespace plinth::conformance
