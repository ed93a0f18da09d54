// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/combined.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "reference_plugin/cuda/print/code.h"

namespace plinth::cuda {
namespace {

constexpr uint32_t kMostBlocks = 16;
constexpr std::string_view kBlockNumber = "blockIdx.x";

// The parameters and the body of a kernel's text, which MakeKernel has put together.
struct Parts {
  std::vector<std::string> parameters;
  std::string body;
};

Parts PartsOf(const KernelText& kernel) {
  const std::string_view text = kernel.text;
  const size_t open = text.find(kernel.name) + kernel.name.size();
  const size_t close = text.find(") {\n", open);
  Parts parts;
  std::string_view list = text.substr(open + 1, close - open - 1);
  while (!list.empty()) {
    const size_t comma = std::min(list.find(", "), list.size());
    parts.parameters.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 2, list.size()));
  }
  parts.body = text.substr(close + 4);
  parts.body.resize(parts.body.rfind('}'));
  for (size_t at = parts.body.find(kBlockNumber); at != std::string::npos;
       at = parts.body.find(kBlockNumber, at)) {
    parts.body.replace(at, kBlockNumber.size(), "block");
  }
  return parts;
}

}  // namespace

bool MayShareLaunch(const PrintedStep& step) {
  if (step.actions.size() != 1 || step.scratch_bytes != 0 || !step.spare.empty()) return false;
  const Action& action = step.actions[0];
  return action.kind == Action::Kind::kLaunch && !action.kernel->has_barriers &&
         action.grid <= kMostBlocks && action.shared_bytes == 0;
}

// Each step's text is a function of its own, within the kernel: names of one do not meet others'.
PrintedStep Combine(std::span<const SharedStep> steps) {
  PrintedStep combined;
  Action action;
  Code code;
  std::vector<std::string> parameters;
  std::string choice;
  uint32_t blocks = 0, block = 0;
  int32_t operands = 0, results = 0;
  for (size_t s = 0; s < steps.size(); ++s) {
    const Action& own = steps[s].step->actions[0];
    const Parts parts = PartsOf(*own.kernel);
    std::string list, arguments;
    for (size_t p = 0; p < parts.parameters.size(); ++p) {
      const std::string& parameter = parts.parameters[p];
      const std::string name = StrCat("a", s, "_", p);
      list += StrCat(", ", parameter);
      arguments += StrCat(", ", name);
      parameters.push_back(StrCat(parameter.substr(0, parameter.rfind(' ') + 1), name));
      Argument argument = own.arguments[p];
      if (argument.kind == Argument::Kind::kOperand) argument.index += operands;
      if (argument.kind == Argument::Kind::kResult) argument.index += results;
      action.arguments.push_back(argument);
    }
    code.Line("auto part", s, " = [](u32 block", list, ") {");
    code.Text(parts.body);
    code.Line("};");
    choice += StrCat(choice.empty() ? "" : " else ", "if (blockIdx.x < ", blocks + own.grid, "u) ");
    // Threads that the step does not have.
    choice += StrCat("{ if (threadIdx.x < ", own.block, "u) part", s, "(blockIdx.x - ", blocks, "u",
                     arguments, "); }");
    blocks += own.grid;
    block = std::max(block, own.block);
    operands += steps[s].operands;
    results += steps[s].results;
    combined.label += StrCat(s > 0 ? " + " : "", steps[s].step->label);
  }
  code.Line(choice);
  action.kernel = MakeKernel(parameters, code.Take(), static_cast<int32_t>(block), false);
  action.grid = blocks;
  action.block = block;
  combined.actions.push_back(std::move(action));
  return combined;
}

}  // namespace plinth::cuda
