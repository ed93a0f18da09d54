// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/plan/schedule.h"

#include "plinth/support/str_cat.h"

namespace plinth::compiler::plan {
namespace {

void Indent(std::string& out, int depth) { out.append(2 * static_cast<size_t>(depth), ' '); }

std::string List(const std::vector<int32_t>& values) {
  std::string out;
  for (int32_t value : values) out += StrCat(out.empty() ? "%" : ", %", value);
  return out;
}

void Append(std::string& out, const Schedule& schedule, const ScheduleBlock& block, int depth) {
  for (const ScheduleStep& step : block.steps) {
    Indent(out, depth);
    for (size_t i = 0; i < step.results.size(); ++i) {
      out += StrCat(i > 0 ? ", %" : "%", step.results[i], ":",
                    schedule.values[step.results[i]].type.ToString());
    }
    out += " = ";
    switch (step.kind) {
      case StepKind::kKernel:
        out += StrCat("kernel \"", step.kernel->name, "\"");
        break;
      case StepKind::kLibrary:
        out += StrCat("library ", Name(step.opcode));
        break;
      case StepKind::kCopy:
        out += "copy";
        break;
      case StepKind::kWhile:
        out += "while";
        break;
      case StepKind::kCase:
        out += "case";
        break;
    }
    out += StrCat("(", List(step.operands), ")");
    for (const InPlace& in_place : step.in_place) {
      out += StrCat(in_place.required ? " in_place " : " may_alias ", in_place.operand, "->",
                    in_place.result);
    }
    out += "\n";
    for (size_t i = 0; i < step.blocks.size(); ++i) {
      Indent(out, depth + 1);
      out += StrCat("block ", i, "(", List(step.blocks[i].arguments), ")\n");
      Append(out, schedule, step.blocks[i], depth + 2);
    }
    if (step.kind == StepKind::kKernel) {
      std::string kernel = ToString(*step.kernel);
      size_t begin = 0;
      while (begin < kernel.size()) {
        size_t end = std::min(kernel.find('\n', begin), kernel.size());
        Indent(out, depth + 2);
        out.append(kernel, begin, end - begin);
        out += "\n";
        begin = end + 1;
      }
    }
  }
  Indent(out, depth);
  out += StrCat("return (", List(block.results), ")\n");
}

}  // namespace

std::string ToString(const Schedule& schedule) {
  std::string out = StrCat("schedule \"", schedule.name, "\"\n");
  for (size_t i = 0; i < schedule.values.size(); ++i) {
    const ArrayValue& value = schedule.values[i];
    if (value.argument < 0 && value.view_of < 0 && value.constant == nullptr) continue;
    out += StrCat("  %", i, ": ", value.type.ToString());
    if (value.argument >= 0) out += StrCat(" argument ", value.argument);
    if (value.view_of >= 0) out += StrCat(" view of %", value.view_of);
    if (value.constant != nullptr) out += " constant";
    out += "\n";
  }
  Append(out, schedule, schedule.entry, 1);
  return out;
}

}  // namespace plinth::compiler::plan
