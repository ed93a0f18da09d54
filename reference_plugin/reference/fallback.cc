// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/reference/fallback.h"

#include <cstdio>
#include <map>
#include <string>

#include "plinth/support/str_cat.h"
#include "reference_plugin/reference/step.h"

namespace plinth::reference {

using compiler::plan::PlanStep;
using compiler::plan::PlanStepKind;

Expected<std::vector<NamedValue>> ExamineFallback(const compiler::plan::Plan& plan,
                                                  const Device* device, Fallback fallback,
                                                  std::string_view plugin_name) {
  std::map<std::string, int64_t> steps;
  int64_t bytes = 0;
  for (const PlanStep& step : plan.steps) {
    if (step.kind != PlanStepKind::kKernel && step.kind != PlanStepKind::kLibrary) continue;
    const Step seen = StepOf(step);
    if (device != nullptr && IsOffered(step) && device->Takes(seen)) continue;
    if (fallback == Fallback::kError) {
      return Unimplemented("the ", plugin_name, " plugin does not run ", StrJoin(seen.ops),
                           seen.place.empty() ? "" : " at ", seen.place,
                           ", and its option fallback is 'error'; 'allow' runs it on the host");
    }
    for (const std::string_view op : seen.ops) ++steps[std::string(op)];
    for (const Array& array : seen.operands) bytes += array.size;
    for (const Array& array : seen.results) bytes += array.size;
  }
  std::vector<NamedValue> properties;
  std::string list;
  for (const auto& [op, count] : steps) {
    properties.push_back({StrCat("plinth_fallback.", op), static_cast<float>(count)});
    list += StrCat(list.empty() ? "" : ", ", op, " (", count, ")");
  }
  properties.push_back({"plinth_fallback_bytes", static_cast<float>(bytes)});
  if (fallback == Fallback::kWarn && !steps.empty()) {
    const std::string line = StrCat(plugin_name, ": the host runs steps of program '", plan.name,
                                    "': ", list, "; ", bytes, " bytes\n");
    std::fputs(line.c_str(), stderr);
  }
  return properties;
}

}  // namespace plinth::reference
