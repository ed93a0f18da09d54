// SPDX-License-Identifier: Apache-2.0
// L1: arguments that few programs have: more of them than a word has bits, and tokens.

#include <algorithm>
#include <charconv>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/examples.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/sweep.h"

namespace plinth::conformance {
namespace run_arguments {
namespace {

constexpr char kNotDonated[] = "PJRT-LoadedExecutable_Execute-not-donated";
constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";
constexpr char kAccepted[] = "PJRT-Args-accepted";

// Doubles each of its arguments, all of which are donated.
std::string Doubling(size_t count) {
  std::string arguments, body, results, types;
  for (size_t i = 0; i < count; ++i) {
    const char* comma = i == 0 ? "" : ", ";
    arguments += StrCat(comma, "%arg", i, ": tensor<2xf32> {tf.aliasing_output = ", i, " : i32}");
    body += StrCat("    %", i, " = stablehlo.add %arg", i, ", %arg", i, " : tensor<2xf32>\n");
    results += StrCat(comma, "%", i);
    types += StrCat(comma, "tensor<2xf32>");
  }
  return StrCat("module @doubling_", count, " {\n  func.func public @main(", arguments, ") -> (",
                types, ") {\n", body, "    return ", results, " : ", types, "\n  }\n}\n");
}

std::vector<int64_t> KeptOf(std::string_view how, size_t count) {
  std::vector<int64_t> all(count), kept;
  for (size_t i = 0; i < count; ++i) all[i] = static_cast<int64_t>(i);
  if (how == "the last") return {all.back()};
  if (how == "the first") return {0};
  if (how == "all") return all;
  if (how == "all, from the last") return {all.rbegin(), all.rend()};
  for (size_t i = how == "odd ones" ? 1 : 0; i < count; i += how == "odd ones" ? 2 : 7)
    kept.push_back(all[i]);
  return kept;
}

void KeptOfMany(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  const std::vector<Parameter> parameters = {
      {"arguments", {"1", "2", "9", "31", "32", "33", "40", "64", "65", "129", "260"}},
      {"kept", {"the last", "the first", "all", "all, from the last", "odd ones", "every 7th"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    const std::string& text = parameters[0].values[row[0]];
    size_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    Expected<OwnedLoadedExecutable> program =
        probe.CompileAnyway(Doubling(count), "mlir", SingleDeviceCompileOptions());
    if (!program.ok()) return probe.Unsupported(program.status().ToString());
    std::vector<HostArray> arrays;
    for (size_t i = 0; i < count; ++i) arrays.push_back(Counted({2}, static_cast<float>(i)));
    std::vector<OwnedBuffer> buffers, results;
    const std::vector<PJRT_Buffer*> handles = UploadAll(probe, arrays, buffers);
    if (handles.size() != count) return;
    const std::vector<int64_t> kept = KeptOf(parameters[1].values[row[1]], count);
    auto options = MakeArgs<PJRT_ExecuteOptions>();
    options.non_donatable_input_indices = kept.data();
    options.num_non_donatable_input_indices = kept.size();
    std::vector<PJRT_Buffer*> outputs(count);
    PJRT_Buffer** output_list = outputs.data();
    PJRT_Buffer* const* argument_list = handles.data();
    auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = program->get();
    args.options = &options;
    args.argument_lists = &argument_list;
    args.num_devices = 1;
    args.num_args = count;
    args.output_lists = &output_list;
    if (!Succeeds(probe, args)) return;
    for (PJRT_Buffer* output : outputs) results.emplace_back(probe.plugin(), output);
    for (size_t i = 0; i < count; i += 1 + count / 6) {
      JudgeBuffer(
          probe, outputs[i],
          {HostArray::F32({2}, {2 * static_cast<float>(i), 2 * static_cast<float>(i + 1)})});
    }
    for (int64_t index : kept) {
      const auto i = static_cast<size_t>(index);
      if (!probe.Check(kNotDonated, !IsBufferDeleted(probe, handles[i]), "argument ", i, " of ",
                       count, " was kept and counts as deleted"))
        return;
      Expected<HostArray> still = probe.Download(handles[i]);
      if (!probe.Ok(kNotDonated, "reading a kept argument", still.status())) return;
      CheckSameArray(probe, kNotDonated, StrCat("argument ", i), arrays[i], *still);
    }
  });
}

// What one program gives goes into the next, beside arrays and alone.
void Tokens(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  constexpr std::string_view kMaking =
      "module @making {\n  func.func public @main(%a: tensor<4xf32>) -> (tensor<4xf32>, "
      "!stablehlo.token) {\n    %t = stablehlo.create_token : !stablehlo.token\n"
      "    return %a, %t : tensor<4xf32>, !stablehlo.token\n  }\n}\n";
  constexpr std::string_view kTaking =
      "module @taking {\n  func.func public @main(%t: !stablehlo.token, %a: tensor<4xf32>) -> "
      "(!stablehlo.token, tensor<4xf32>) {\n    %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
      "    return %t, %0 : !stablehlo.token, tensor<4xf32>\n  }\n}\n";
  std::vector<OwnedLoadedExecutable> programs;
  for (std::string_view text : {kMaking, kTaking}) {
    Expected<OwnedLoadedExecutable> made =
        context.CompileAnyway(text, "mlir", SingleDeviceCompileOptions());
    if (!made.ok()) return context.Unsupported(made.status().ToString());
    programs.push_back(*std::move(made));
  }
  Expected<OwnedBuffer> array = context.Upload(Counted({4}, 1));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", array.status())) return;
  PJRT_Buffer* first[] = {array->get()};
  auto made = context.Execute(programs[0].get(), first);
  if (!made.ok()) return context.Unsupported(made.status().ToString());
  if (!context.Check(kResults, made->size() == 2, made->size(), " outputs, not 2")) return;
  OwnedBuffer token = std::move((*made)[1]);
  if (auto type = Get<&PJRT_Buffer_ElementType_Args::buffer>(context, token.get())) {
    if (RawEnum(type->type) != PJRT_Buffer_Type_TOKEN)
      context.Note(StrCat("a token has the type ", RawEnum(type->type)));
  }
  for (int turn = 0; turn < 3; ++turn) {
    PJRT_Buffer* handles[] = {token.get(), array->get()};
    OwnedEvent done;
    auto results = context.Execute(programs[1].get(), handles, &done);
    if (!context.Check(kAccepted, results.ok(), "an execution on the token of another gave ",
                       results.status().ToString()) ||
        !context.Check(kResults, results->size() == 2, results->size(), " outputs, not 2"))
      return;
    JudgeBuffer(context, (*results)[1].get(), {HostArray::F32({4}, {2, 4, 6, 8})});
    context.Ok("PJRT-LoadedExecutable_Execute-done", "its event", context.Await(done.get()));
    token = std::move((*results)[0]);
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  cases.push_back({"L1/sweep/kept_of_many",
                   Level::kL1,
                   ClientNeed::kShared,
                   {kNotDonated, kResults, kAccepted},
                   KeptOfMany,
                   false});
  cases.push_back({"L1/form/tokens",
                   Level::kL1,
                   ClientNeed::kShared,
                   {kAccepted, kResults, "PJRT-LoadedExecutable_Execute-done"},
                   Tokens,
                   false});
}

}  // namespace run_arguments

void AddRunArgumentCases(std::vector<Case>& cases) { run_arguments::AddCases(cases); }

}  // namespace plinth::conformance
