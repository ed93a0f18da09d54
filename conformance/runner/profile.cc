// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/profile.h"

#include <algorithm>
#include <iterator>

#include "plinth/support/json.h"

namespace plinth::conformance {
namespace {

Status WrongKind(std::string_view key, std::string_view wanted) {
  return InvalidArgument("profile: `", key, "` must be ", wanted);
}

Status ReadOptions(const Json& value, Profile& profile) {
  if (value.AsObject() == nullptr) return WrongKind("create_options", "an object");
  for (const auto& [name, option] : *value.AsObject()) {
    if (const std::string* text = option.AsString()) {
      profile.create_options[name] = *text;
    } else if (const bool* truth = option.AsBool()) {
      profile.create_options[name] = *truth;
    } else if (auto integer = option.AsInteger()) {
      profile.create_options[name] = *integer;
    } else if (auto number = option.AsNumber()) {
      profile.create_options[name] = *number;
    } else {
      return WrongKind(StrCat("create_options.", name), "a string, a number or a bool");
    }
  }
  return Status();
}

Status ReadTypes(const Json& value, Profile& profile) {
  if (value.AsArray() == nullptr) return WrongKind("types", "an array of names such as \"f32\"");
  for (const Json& element : *value.AsArray()) {
    bool is_known = false;
    for (int i = 1; i < kNumDTypes; ++i) {
      auto type = static_cast<DType>(i);
      if (element.AsString() == nullptr || *element.AsString() != Name(type)) continue;
      profile.types.insert(type);
      is_known = true;
    }
    if (!is_known) return InvalidArgument("profile: unknown type ", element.ToString());
  }
  return Status();
}

Status ReadSeconds(std::string_view key, const Json& value, double& seconds) {
  if (!value.AsNumber() || *value.AsNumber() <= 0 || *value.AsNumber() > 86400) {
    return WrongKind(key, "a number of seconds in (0, 86400]");
  }
  seconds = *value.AsNumber();
  return Status();
}

Status ReadBool(std::string_view key, const Json& value, bool& truth) {
  if (value.AsBool() == nullptr) return WrongKind(key, "true or false");
  truth = *value.AsBool();
  return Status();
}

Status ReadForm(const Json& value, Profile& profile) {
  const std::string* form = value.AsString();
  if (form == nullptr || (*form != "artifact" && *form != "text")) {
    return WrongKind("program_form", "\"artifact\" or \"text\"");
  }
  profile.program_form = *form == "text" ? ProgramForm::kText : ProgramForm::kArtifact;
  return Status();
}

Status ReadPartitions(const Json& value, Profile& profile) {
  if (!value.AsInteger() || *value.AsInteger() < 1 || *value.AsInteger() > 1 << 20) {
    return WrongKind("max_partitions", "a number from 1 to 1048576");
  }
  profile.max_partitions = static_cast<int>(*value.AsInteger());
  return Status();
}

Status ReadOps(const Json& value, Profile& profile) {
  if (value.AsArray() == nullptr) {
    return WrongKind("unsupported_ops", "an array of names such as \"fft\"");
  }
  for (const Json& element : *value.AsArray()) {
    if (element.AsString() == nullptr || element.AsString()->empty()) {
      return InvalidArgument("profile: not the name of an op: ", element.ToString());
    }
    profile.unsupported_ops.insert(*element.AsString());
  }
  return Status();
}

Status ReadTolerances(const Json& value, Profile& profile) {
  static constexpr std::string_view kClasses[] = {"arithmetic", "elementary", "sum", "algorithm"};
  if (value.AsObject() == nullptr) return WrongKind("tolerances", "an object");
  for (const auto& [name, ulps] : *value.AsObject()) {
    if (std::find(std::begin(kClasses), std::end(kClasses), name) == std::end(kClasses)) {
      return InvalidArgument("profile: unknown class of tolerances `", name, "`; there are ",
                             StrJoin(kClasses));
    }
    if (!ulps.AsInteger() || *ulps.AsInteger() < 0) {
      return WrongKind(StrCat("tolerances.", name), "a number of units in the last place");
    }
    profile.tolerances[name] = *ulps.AsInteger();
  }
  return Status();
}

struct Key {
  std::string_view name;
  Status (*read)(const Json&, Profile&);
};

constexpr Key kKeys[] = {
    {"accepts_all_sizes",
     [](const Json& v, Profile& p) {
       return ReadBool("accepts_all_sizes", v, p.accepts_all_sizes);
     }},
    {"case_seconds",
     [](const Json& v, Profile& p) { return ReadSeconds("case_seconds", v, p.case_seconds); }},
    {"create_options", ReadOptions},
    {"exclusive",
     [](const Json& v, Profile& p) { return ReadBool("exclusive", v, p.is_exclusive); }},
    {"flushes_subnormals",
     [](const Json& v, Profile& p) {
       return ReadBool("flushes_subnormals", v, p.flushes_subnormals);
     }},
    {"max_partitions", ReadPartitions},
    {"program_form", ReadForm},
    {"reads_programs",
     [](const Json& v, Profile& p) { return ReadBool("reads_programs", v, p.reads_programs); }},
    {"start_seconds",
     [](const Json& v, Profile& p) { return ReadSeconds("start_seconds", v, p.start_seconds); }},
    {"tolerances", ReadTolerances},
    {"types", ReadTypes},
    {"unsupported_ops", ReadOps},
};

}  // namespace

Expected<Profile> ParseProfile(std::string_view json) {
  PLINTH_ASSIGN_OR_RETURN(Json document, Json::Parse(json));
  if (document.AsObject() == nullptr) return WrongKind("the document", "an object");
  Profile profile;
  for (const auto& [name, value] : *document.AsObject()) {
    const Key* key = nullptr;
    for (const Key& each : kKeys) {
      if (each.name == name) key = &each;
    }
    if (key == nullptr) {
      std::string known;
      for (const Key& each : kKeys) known += StrCat(known.empty() ? "" : ", ", each.name);
      return InvalidArgument("profile: unknown key `", name, "`; there are ", known);
    }
    PLINTH_RETURN_IF_ERROR(key->read(value, profile));
  }
  return profile;
}

}  // namespace plinth::conformance
