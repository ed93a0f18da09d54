// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {

std::vector<std::string> SplitIndex(Code& code, std::span<const int64_t> sizes,
                                    std::string_view number, std::string_view name) {
  double points = 1;
  for (int64_t size : sizes) points *= static_cast<double>(size);
  const std::string_view type = points > UINT32_MAX ? "u64" : "u32";
  std::vector<std::string> names(sizes.size());
  std::string rest(number);
  for (size_t d = sizes.size(); d-- > 0;) {
    names[d] = StrCat(name, d);
    if (d == 0) {
      code.Line("const s64 ", names[d], " = (s64)(", rest, ");");
      break;
    }
    code.Line("const ", type, " ", names[d], "r = (", rest, ") / ", sizes[d], "u;");
    code.Line("const s64 ", names[d], " = (s64)((", rest, ") - ", names[d], "r * ", sizes[d],
              "u);");
    rest = StrCat(names[d], "r");
  }
  return names;
}

std::string SumText(const Terms& terms, int64_t constant) {
  std::string sum;
  for (const auto& [factor, name] : terms) {
    if (factor == 0) continue;
    if (!sum.empty()) sum += " + ";
    sum += factor == 1 ? name : StrCat(factor, "ll * ", name);
  }
  if (sum.empty()) return StrCat(constant, "ll");
  return constant == 0 ? sum : StrCat(constant, "ll + ", sum);
}

Action MakeStepAction(const compiler::plan::PlanStep& step, std::string_view body, int64_t blocks,
                      int32_t block, bool has_barriers, bool has_scratch,
                      const ExtraParameters& extra) {
  Action action;
  std::vector<std::string> parameters;
  for (size_t i = 0; i < step.operands.size(); ++i) {
    parameters.push_back(StrCat("const char* i", i));
    action.arguments.push_back({Argument::Kind::kOperand, static_cast<int32_t>(i), 0, 0});
  }
  for (size_t i = 0; i < step.results.size(); ++i) {
    parameters.push_back(StrCat("char* o", i));
    action.arguments.push_back({Argument::Kind::kResult, static_cast<int32_t>(i), 0, 0});
  }
  if (has_scratch) {
    parameters.push_back("char* scratch");
    action.arguments.push_back({Argument::Kind::kScratch, 0, 0, 0});
  }
  parameters.insert(parameters.end(), extra.names.begin(), extra.names.end());
  action.arguments.insert(action.arguments.end(), extra.arguments.begin(), extra.arguments.end());
  action.kernel = MakeKernel(parameters, body, block, has_barriers);
  action.grid = GridOf(blocks);
  action.block = static_cast<uint32_t>(block);
  return action;
}

void AppendPoints(const compiler::plan::PlanStep& step, int64_t points, std::string_view body,
                  bool has_scratch, PrintedStep& printed, const ExtraParameters& extra,
                  bool exchanges) {
  if (points == 0) return;
  Code code;
  const bool is_small = points <= INT32_MAX;
  const std::string_view type = is_small ? "u32" : "u64";
  code.Line("  const ", type, " t = (", type, ")blockIdx.x * ", kStepBlock, "u + threadIdx.x;");
  code.Line("  if (t >= ", points, is_small ? "u" : "ull", ") return;");
  code.Text(body);
  printed.actions.push_back(MakeStepAction(step, code.Take(),
                                           (points + kStepBlock - 1) / kStepBlock, kStepBlock,
                                           exchanges, has_scratch, extra));
}

std::string ElementAddress(std::string_view array, std::string_view position, DType type) {
  return StrCat(array, " + (", position, ") * ", ByteSize(type));
}

std::string LoadText(std::string_view array, std::string_view position, DType type) {
  return StrCat("ld<", TypeText(type), ">(", ElementAddress(array, position, type), ")");
}

std::vector<std::string> CapturedValues(const compiler::plan::PlanStep& step, size_t first) {
  std::vector<std::string> values;
  for (size_t i = first; i < step.operands.size(); ++i) {
    values.push_back(LoadText(StrCat("i", i), "0", step.operands[i].type.dtype));
  }
  return values;
}

}  // namespace plinth::cuda
