// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/waivers.h"

#include <utility>

#include "plinth/support/json.h"
#include "plinth/support/text.h"

namespace plinth::conformance {

Expected<std::vector<Waiver>> ParseWaivers(std::string_view json) {
  PLINTH_ASSIGN_OR_RETURN(Json document, Json::Parse(json));
  const Json* list = document.Find("waivers");
  if (list == nullptr || list->AsArray() == nullptr) {
    return InvalidArgument("waivers: expected {\"waivers\": [...]}");
  }
  std::vector<Waiver> waivers;
  for (const Json& entry : *list->AsArray()) {
    auto text = [&](std::string_view key) { return std::string(entry.At(key).Text()); };
    Waiver waiver{text("cases"), text("reason"), text("address")};
    const auto until = entry.At("until_minor").AsInteger();
    if (waiver.cases.empty() || waiver.reason.empty() || waiver.address.empty() || !until) {
      return InvalidArgument("waiver ", waivers.size() + 1,
                             ": needs cases, reason, address and until_minor, got ",
                             entry.ToString());
    }
    waiver.until_minor = static_cast<int>(*until);
    waivers.push_back(std::move(waiver));
  }
  return waivers;
}

void ApplyWaivers(const std::vector<Waiver>& waivers, int minor, Result& result) {
  if (result.verdict == Verdict::kWaived) {
    result.verdict = result.unwaived;
    result.waiver.clear();
  }
  if (result.verdict != Verdict::kFail && result.verdict != Verdict::kCrash &&
      result.verdict != Verdict::kHang) {
    return;
  }
  for (const Waiver& waiver : waivers) {
    if (minor > waiver.until_minor || !GlobMatches(waiver.cases, result.name)) continue;
    result.waiver = StrCat(VerdictName(result.verdict), " waived until 0.", waiver.until_minor,
                           ": ", waiver.reason, " (", waiver.address, ")");
    result.unwaived = std::exchange(result.verdict, Verdict::kWaived);
    return;
  }
}

}  // namespace plinth::conformance
