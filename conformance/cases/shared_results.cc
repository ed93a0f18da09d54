// SPDX-License-Identifier: Apache-2.0
// L2: results that are the same value, or an argument, are arrays of their own: whatever happens to
// one of them the others stay.

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace shared_results {
namespace {

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

// What happens to one of five arrays: the argument, and what the program returns, which are the
// argument, the sum, the argument and the sum again.
enum class Fate { kDelete, kDestroy, kDonate };
constexpr const char* kFates[] = {"deleted", "destroyed", "donated"};

void OneGoes(Context& context, Fate fate) {
  Expected<OwnedLoadedExecutable> program = context.Compile(ProgramFor(context, "same_four"));
  Expected<OwnedLoadedExecutable> donating = context.Compile(ProgramFor(context, "donating"));
  if (!context.Ok("", "PJRT_Client_Compile", program.status()) ||
      !context.Ok("", "PJRT_Client_Compile", donating.status()))
    return;
  const HostArray own = HostArray::F32({4}, {1, 2, 3, 4}), sum = HostArray::F32({4}, {2, 4, 6, 8});
  for (size_t gone = 0; gone < 5; ++gone) {
    Expected<OwnedBuffer> argument = context.Upload(own);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
    PJRT_Buffer* handles[] = {argument->get()};
    auto results = context.Execute(program->get(), handles);
    if (!context.Ok(kResults, "PJRT_LoadedExecutable_Execute", results.status()) ||
        !context.Check(kResults, results->size() == 4, "there are ", results->size(), " results"))
      return;
    std::vector<OwnedBuffer> arrays;
    arrays.push_back(*std::move(argument));
    for (OwnedBuffer& result : *results) arrays.push_back(std::move(result));
    OwnedBuffer made;
    if (fate == Fate::kDelete && !DeleteBuffer(context, arrays[gone].get())) return;
    if (fate == Fate::kDestroy) context.Ok("", "PJRT_Buffer_Destroy", arrays[gone].Destroy());
    if (fate == Fate::kDonate) {
      PJRT_Buffer* donated[] = {arrays[gone].get()};
      auto next = context.Execute(donating->get(), donated);
      if (!context.Ok("PJRT-LoadedExecutable_Execute-donation",
                      "an execution that it is donated to", next.status()))
        return;
      made = std::move((*next)[0]);
      std::vector<float> wanted = (gone == 0 || gone % 2 == 1 ? own : sum).AsF32();
      for (float& value : wanted) value += 1;
      Expected<HostArray> back = context.Download(made.get());
      if (context.Ok(kResults, "PJRT_Buffer_ToHostBuffer", back.status())) {
        context.Check(kResults, back->AsF32() == wanted, "what array ", gone,
                      " was donated to is [", StrJoin(back->AsF32()), "], not [", StrJoin(wanted),
                      "]");
      }
    }
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (i == gone) continue;
      const HostArray& wanted = i == 0 || i % 2 == 1 ? own : sum;
      Expected<HostArray> back = context.Download(arrays[i].get());
      if (!context.Ok(kResults,
                      StrCat("reading array ", i, " after ", gone, " was ",
                             kFates[static_cast<size_t>(fate)]),
                      back.status()))
        continue;
      context.Check(kResults, back->AsF32() == wanted.AsF32(), "array ", i, " is [",
                    StrJoin(back->AsF32()), "], not [", StrJoin(wanted.AsF32()), "], after array ",
                    gone, " was ", kFates[static_cast<size_t>(fate)]);
    }
  }
}

// What a program returns is its caller's, also where no argument is in it: the next run starts from
// what the program says.
void ConstantGoes(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  Expected<OwnedLoadedExecutable> program = context.Compile(
      "module { func.func public @main() -> (tensor<4xf32>, tensor<4xf32>) {\n"
      "  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n"
      "  %1 = stablehlo.iota dim = 0 : tensor<4xf32>\n"
      "  return %0, %1 : tensor<4xf32>, tensor<4xf32>\n} }");
  Expected<OwnedLoadedExecutable> donating = context.Compile(ProgramFor(context, "donating"));
  if (!context.Ok("", "PJRT_Client_Compile", program.status()) ||
      !context.Ok("", "PJRT_Client_Compile", donating.status()))
    return;
  const std::vector<float> wanted[] = {{1, 2, 3, 4}, {0, 1, 2, 3}};
  std::vector<OwnedBuffer> made;
  for (int run = 0; run < 3; ++run) {
    auto results = context.Execute(program->get(), {});
    if (!context.Ok(kResults, "PJRT_LoadedExecutable_Execute", results.status())) return;
    for (size_t i = 0; i < results->size(); ++i) {
      Expected<HostArray> back = context.Download((*results)[i].get());
      if (!context.Ok(kResults, "PJRT_Buffer_ToHostBuffer", back.status())) return;
      context.Check(kResults, back->AsF32() == wanted[i], "the constant result ", i, " of run ",
                    run, " is [", StrJoin(back->AsF32()), "], not [", StrJoin(wanted[i]),
                    "], after those before were donated");
      PJRT_Buffer* donated[] = {(*results)[i].get()};
      auto next = context.Execute(donating->get(), donated);
      if (!context.Ok("PJRT-LoadedExecutable_Execute-donation",
                      "an execution that it is donated to", next.status()))
        return;
      // It keeps the donated memory, where the plugin works in place.
      made.push_back(std::move((*next)[0]));
    }
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  cases.push_back({"L2/order/same_results/constants",
                   Level::kL2,
                   ClientNeed::kShared,
                   {kResults, "PJRT-LoadedExecutable_Execute-donation"},
                   ConstantGoes,
                   false});
  for (Fate fate : {Fate::kDelete, Fate::kDestroy, Fate::kDonate}) {
    cases.push_back({StrCat("L2/order/same_results/", kFates[static_cast<size_t>(fate)]),
                     Level::kL2,
                     ClientNeed::kShared,
                     {kResults, "PJRT-LoadedExecutable_Execute-donation", "PJRT-Buffer_Delete-uses",
                      "PJRT-Args-output-lifetime"},
                     [=](Context& context) { OneGoes(context, fate); },
                     false});
  }
}

}  // namespace shared_results

void AddSharedResultCases(std::vector<Case>& cases) { shared_results::AddCases(cases); }

}  // namespace plinth::conformance
