// SPDX-License-Identifier: Apache-2.0
// L1: programs of one name that have nothing else in common. Each says of itself what it said under
// a name of its own, whatever a plugin keeps by the name.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/answers.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_executable.h"

namespace plinth::conformance {
namespace namesakes {
namespace {

constexpr char kTrue[] = "PJRT-Args-output-true";

// Functions without the module around them.
constexpr const char* kPrograms[] = {
    "func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n}\n",
    "func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = stablehlo.multiply %a, %a : tensor<4xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<4xf32>\n"
    "  %2 = stablehlo.subtract %1, %a : tensor<4xf32>\n"
    "  %3 = stablehlo.multiply %2, %1 : tensor<4xf32>\n"
    "  return %3 : tensor<4xf32>\n}\n",
    "func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xi1>, "
    "tensor<2x3xf32>) {\n"
    "  %0 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
    "tensor<2x3xi1>\n"
    "  %1 = stablehlo.maximum %a, %b : tensor<2x3xf32>\n"
    "  return %0, %1 : tensor<2x3xi1>, tensor<2x3xf32>\n}\n",
    "func.func public @main(%a: tensor<8xi32>) -> tensor<2xi32> {\n"
    "  %0 = stablehlo.slice %a [2:6:2] : (tensor<8xi32>) -> tensor<2xi32>\n"
    "  return %0 : tensor<2xi32>\n}\n",
    "func.func public @main(%a: tensor<32x48xf32>, %b: tensor<48x16xf32>) -> tensor<32x16xf32> {\n"
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<32x48xf32>, "
    "tensor<48x16xf32>) -> tensor<32x16xf32>\n"
    "  return %0 : tensor<32x16xf32>\n}\n",
    "func.func public @main() -> tensor<f32> {\n"
    "  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n"
    "  return %0 : tensor<f32>\n}\n"};

// What is said of an executable, but for what the name is part of. The properties of a cost are in
// any order.
Answers Said(Context& context, const Compiled& compiled) {
  Answers all = AnswersOf(context, reflection::handle::kPJRT_Executable, compiled.executable.get());
  for (auto& answer :
       AnswersOf(context, reflection::handle::kPJRT_LoadedExecutable, compiled.loaded.get()))
    all.push_back(std::move(answer));
  std::erase_if(all, [](const auto& answer) {
    std::string_view name = answer.first->name.view();
    return name.ends_with("_Name") || name.ends_with("Fingerprint");
  });
  for (auto& [function, answer] : all) {
    if (function->name.view() == "PJRT_Executable_GetCostAnalysis")
      std::sort(answer.begin(), answer.end());
  }
  return all;
}

bool CompileAs(Context& context, std::string_view name, std::string_view program, bool is_first,
               Compiled& compiled) {
  Expected<OwnedLoadedExecutable> loaded = context.CompileAnyway(
      StrCat("module @", name, " {\n", program, "}\n"), "mlir", SingleDeviceCompileOptions());
  // They are not stored as artifacts; a plugin need not read text.
  if (!loaded.ok() && is_first) {
    context.Unsupported(loaded.status().ToString());
    return false;
  }
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_Compile", loaded.status())) return false;
  compiled.loaded = *std::move(loaded);
  return FindExecutable(context, compiled);
}

void Run(Context& context) {
  std::vector<Answers> wanted;
  for (const char* program : kPrograms) {
    Compiled alone;
    if (!CompileAs(context, StrCat("alone_", wanted.size()), program, wanted.empty(), alone))
      return;
    wanted.push_back(Said(context, alone));
  }
  std::vector<Compiled> all(std::size(kPrograms));
  for (size_t i = 0; i < all.size(); ++i) {
    if (!CompileAs(context, "one_name", kPrograms[i], false, all[i])) return;
  }
  // Turned, so that what was compiled last is not asked last.
  for (size_t turn = 0; turn < 2 * all.size(); ++turn) {
    const size_t i = turn < all.size() ? turn : 2 * all.size() - 1 - turn;
    const Answers found = Said(context, all[i]);
    for (size_t k = 0; k < found.size() && k < wanted[i].size(); ++k) {
      context.Check(kTrue, found[k].second == wanted[i][k].second, found[k].first->name,
                    " answers otherwise of program ", i, " when others have its name");
    }
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  cases.push_back({"L1/program/namesakes",
                   Level::kL1,
                   ClientNeed::kShared,
                   {kTrue, "PJRT-Executable_NumOutputs-program"},
                   Run,
                   false});
}

}  // namespace namesakes

void AddNamesakeCases(std::vector<Case>& cases) { namesakes::AddCases(cases); }

}  // namespace plinth::conformance
