// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/suggest_profile.h"

#include <map>
#include <set>
#include <vector>

#include "plinth/support/dtype.h"
#include "plinth/support/json.h"
#include "plinth/support/text.h"

namespace plinth::conformance {
namespace {

bool IsUnimplemented(const Result& result) {
  if (result.verdict != Verdict::kFail && result.verdict != Verdict::kUnsupported) return false;
  for (const Finding& finding : result.findings) {
    if (finding.text.find("UNIMPLEMENTED") != std::string::npos) return true;
  }
  return false;
}

// How many programs were asked, and how many of them were answered with UNIMPLEMENTED.
struct Tally {
  int asked = 0, refused = 0;
  void Add(bool is_refused) {
    ++asked;
    refused += is_refused ? 1 : 0;
  }
  bool IsLacking() const { return asked > 0 && asked == refused; }
};

struct Op {
  Tally all;
  std::map<std::string, Tally> types;
};

// The element types that the name of a program has as words: "s32_to_f32".
std::set<std::string> TypesOf(const std::string& program) {
  std::set<std::string> types;
  for (const std::string& word : Split(program, '_')) {
    for (int i = 1; i < kNumDTypes; ++i) {
      if (word == Name(static_cast<DType>(i))) types.insert(word);
    }
  }
  return types;
}

}  // namespace

Expected<std::string> SuggestProfile(const Report& report, std::string_view profile) {
  Json::Object object;
  if (!profile.empty()) {
    PLINTH_ASSIGN_OR_RETURN(object, Json::ParseObject(profile));
  }
  std::map<std::string, Op> ops;
  std::set<std::string> lacking;
  for (const Json& element : object.At("unsupported_ops").Elements()) {
    lacking.insert(std::string(element.Text()));
  }
  for (const Result& result : report.results) {
    const std::vector<std::string> parts = Split(result.name, '/');
    bool is_refused = IsUnimplemented(result);
    if (result.verdict == Verdict::kUnsupported && !is_refused) continue;
    if (parts.size() == 4 && parts[0] == "L4" && parts[1] == "op") {
      Op& op = ops[parts[2]];
      op.all.Add(is_refused);
      for (const std::string& type : TypesOf(parts[3])) op.types[type].Add(is_refused);
    } else if (parts.size() == 3 && parts[0] == "L4" && is_refused) {
      lacking.insert(parts[2]);
    }
  }
  for (const auto& [name, op] : ops) {
    if (op.all.IsLacking()) {
      lacking.insert(name);
      continue;
    }
    for (const auto& [type, tally] : op.types) {
      if (tally.IsLacking()) lacking.insert(StrCat(name, "/", type));
    }
  }
  if (!lacking.empty()) {
    object["unsupported_ops"] = Json::Array(lacking.begin(), lacking.end());
  }
  return Json(std::move(object)).ToIndentedString() + "\n";
}

}  // namespace plinth::conformance
