// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/explain.h"

#include <algorithm>
#include <map>

#include "conformance/runner/causes.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/str_cat.h"
#include "plinth/support/text.h"

namespace plinth::conformance {
namespace {

struct MutantRow {
  std::string_view name, requirement, breaks;
};
// From the tables of conformance/mutants; the last row is empty.
constexpr MutantRow kMutants[] = {
#include "conformance/mutant_rows.inc"
    {"", "", ""},
};

std::string_view ClassText(reflection::RequirementClass requirement_class) {
  switch (requirement_class) {
    case reflection::RequirementClass::kContract:
      return "contract: every plugin keeps it; a case that fails lowers the level";
    case reflection::RequirementClass::kRobust:
      return "robust: a good plugin keeps it; it lowers no level";
    case reflection::RequirementClass::kUndefined:
      return "undefined: callers keep it; the validation layer watches them";
  }
  return "";
}

// Groups of cases with their numbers: "L0/null/PJRT_X (3)".
std::string GroupsText(const std::vector<const Case*>& cases) {
  std::map<std::string, int> groups;
  for (const Case* item : cases) ++groups[GroupName(item->name)];
  std::string text;
  size_t lines = 0;
  for (const auto& [group, count] : groups) {
    if (++lines > 20) {
      text += StrCat("  and ", groups.size() - 20, " other groups\n");
      break;
    }
    text += StrCat("  ", group, "/*: ", count, count == 1 ? " case\n" : " cases\n");
  }
  return text;
}

// Calls that a framework makes are asked in its order in these.
bool IsOfJax(const Case& item) {
  return item.name.starts_with("L4/start/") || item.name.starts_with("L4/compile/") ||
         item.name.starts_with("L4/execute/") || item.name.starts_with("L4/transfer/") ||
         item.name.starts_with("L4/jax/") || item.name.starts_with("L4/form/");
}

std::string Lookalikes(std::string_view id) {
  std::string text;
  size_t count = 0;
  const std::string pattern = StrCat("*", id, "*");
  for (const auto& requirement : reflection::Requirements()) {
    if (!GlobMatches(pattern, requirement.id.view(), LetterCase::kIgnored)) continue;
    if (++count > 20) break;
    text += StrCat(text.empty() ? "; like it: " : ", ", requirement.id);
  }
  return text;
}

}  // namespace

Expected<std::string> Explain(std::string_view id, const std::vector<Case>& cases) {
  const reflection::Requirement* requirement = reflection::FindRequirement(id);
  if (requirement == nullptr) return NotFound("no requirement ", id, Lookalikes(id));
  std::string text = StrCat(requirement->id, "\n\n", requirement->text, "\n\nclass ",
                            ClassText(requirement->requirement_class), "\n");
  if (requirement->function >= 0) {
    const auto& function = reflection::Functions()[static_cast<size_t>(requirement->function)];
    text += StrCat("of ", function.name, ", since 0.", function.since, "\n");
  } else {
    text += "holds everywhere\n";
  }
  std::vector<const Case*> checking, of_jax;
  for (const Case& item : cases) {
    const auto& ids = item.requirements;
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) continue;
    checking.push_back(&item);
    if (IsOfJax(item)) of_jax.push_back(&item);
  }
  text += checking.empty()
              ? "\nno case checks it\n"
              : StrCat("\nchecked by ", checking.size(), " cases:\n", GroupsText(checking));
  if (!of_jax.empty()) {
    text += StrCat("JAX's calls rest on it, as ", of_jax.size(), " of them show:\n",
                   GroupsText(of_jax));
  }
  std::string broken;
  for (const MutantRow& mutant : kMutants) {
    if (mutant.requirement != id) continue;
    broken += StrCat("  ", mutant.name, ": ", mutant.breaks, "\n");
  }
  text += broken.empty() ? "\nno mutant breaks it\n" : StrCat("\nmutants break it so:\n", broken);
  return text;
}

}  // namespace plinth::conformance
