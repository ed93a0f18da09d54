// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/manifest.h"

#include <algorithm>
#include <span>

#include "impl/loader/files.h"
#include "plinth/support/json.h"

namespace plinth::loader {
namespace {

enum class Kind { kText, kBool, kInteger, kObject, kTextOrObject };

struct Key {
  const char* name;
  Kind kind;
};

// Texts that are for people only are checked as the others are, and otherwise not used.
constexpr Key kManifestKeys[] = {
    {"$schema", Kind::kText},          {"manifest_version", Kind::kText}, {"name", Kind::kText},
    {"library", Kind::kTextOrObject},  {"description", Kind::kText},      {"vendor", Kind::kText},
    {"license", Kind::kText},          {"version", Kind::kText},          {"pjrt_api", Kind::kText},
    {"create_options", Kind::kObject}, {"default_layouts", Kind::kBool},
};
constexpr Key kRedirectKeys[] = {
    {"$schema", Kind::kText}, {"manifest_version", Kind::kText}, {"plugin", Kind::kText},
    {"layers", Kind::kText},  {"api_minor", Kind::kInteger},     {"allow_old", Kind::kBool},
};
constexpr Key kJaxKeys[] = {
    {"library_path", Kind::kText},
    {"create_options", Kind::kObject},
};

bool HasKind(const Json& value, Kind kind) {
  switch (kind) {
    case Kind::kText:
      return value.AsString() != nullptr;
    case Kind::kBool:
      return value.AsBool() != nullptr;
    case Kind::kInteger:
      return value.AsInteger().has_value();
    case Kind::kObject:
      return value.AsObject() != nullptr;
    case Kind::kTextOrObject:
      return value.AsString() != nullptr || value.AsObject() != nullptr;
  }
  return false;
}

constexpr const char* kKindNames[] = {"a text", "a boolean", "a whole number", "an object",
                                      "a text or an object"};

// Checks the kind of every known key, and lists those that are not known.
Expected<std::vector<std::string>> CheckKeys(const Json::Object& object,
                                             std::span<const Key> keys) {
  std::vector<std::string> warnings;
  for (const auto& [name, value] : object) {
    const Key* known = nullptr;
    for (const Key& key : keys) {
      if (key.name == name) known = &key;
    }
    if (known == nullptr) {
      warnings.push_back(StrCat("the key '", name, "' is not known and was ignored"));
    } else if (!HasKind(value, known->kind)) {
      return InvalidArgument("the key '", known->name, "' must be ",
                             kKindNames[static_cast<int>(known->kind)], "; it is ",
                             value.KindName());
    }
  }
  return warnings;
}

Status CheckVersion(const Json::Object& object) {
  const Json* version = object.Find("manifest_version");
  if (version == nullptr) return InvalidArgument("the key 'manifest_version' is missing");
  std::string_view text = version->Text();
  std::string_view major = text.substr(0, text.find('.'));
  if (major.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) {
    return InvalidArgument("manifest_version is '", text, "'; a form like 1.0 is needed");
  }
  if (major != "1") {
    return FailedPrecondition("manifest_version is ", text,
                              "; this loader reads 1.x. A newer libplinth is needed");
  }
  return Status();
}

Expected<std::string> Text(const Json::Object& object, std::string_view key) {
  const Json* value = object.Find(key);
  if (value == nullptr) return InvalidArgument("the key '", key, "' is missing");
  const std::string_view text = value->Text();
  if (text.empty()) return InvalidArgument("the key '", key, "' is empty");
  // Texts are shown: none may forge a line, or tell a terminal what to do.
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; })) {
    return InvalidArgument("the key '", key, "' has a control character");
  }
  return std::string(text);
}

// Options are texts, numbers, booleans and lists of whole numbers: what PJRT_NamedValue holds.
Expected<std::string> CreateOptions(const Json::Object& object) {
  const Json* options = object.Find("create_options");
  if (options == nullptr) return std::string();
  for (const auto& [name, value] : options->Members()) {
    bool fits = value.AsString() != nullptr || value.AsBool() != nullptr || value.AsNumber() ||
                value.AsArray() != nullptr;
    for (const Json& element : value.Elements()) fits = fits && element.AsInteger();
    if (!fits) {
      return InvalidArgument("create_options: '", name,
                             "' must be a text, a number, a boolean or a list of whole numbers");
    }
  }
  return options->ToString();
}

Expected<std::string> Library(const Json::Object& object) {
  const Json::Object* library = object.At("library").AsObject();
  if (library == nullptr) return Text(object, "library");
  std::vector<std::string> platforms;
  for (const auto& [platform, path] : *library) {
    if (path.AsString() == nullptr) {
      return InvalidArgument("library: '", platform, "' must be a text; it is ", path.KindName());
    }
    if (platform == kPlatform) return Text(*library, platform);
    platforms.push_back(platform);
  }
  return NotFound("the library for ", kPlatform,
                  " is missing; there are those for: ", StrJoin(platforms));
}

}  // namespace

#if defined(__x86_64__)
const char kPlatform[] = "x86_64-linux";
#elif defined(__aarch64__)
const char kPlatform[] = "aarch64-linux";
#else
const char kPlatform[] = "unknown";
#endif

bool IsPluginName(std::string_view name) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  if (name.empty() || name.size() > 100 || name.front() == '.') return false;
  for (char c : name) {
    if (!fits(c)) return false;
  }
  return true;
}

std::vector<std::string_view> ManifestKeys() {
  std::vector<std::string_view> names;
  for (const Key& key : kManifestKeys) names.emplace_back(key.name);
  return names;
}

Expected<Manifest> ParseManifest(std::string_view text, std::string_view folder) {
  PLINTH_ASSIGN_OR_RETURN(const Json::Object json, Json::ParseObject(text));
  Manifest manifest;
  // The version first: what a newer major means by its keys is not known.
  if (json.At("manifest_version").AsString() != nullptr) {
    PLINTH_RETURN_IF_ERROR(CheckVersion(json));
  }
  PLINTH_ASSIGN_OR_RETURN(manifest.warnings, CheckKeys(json, kManifestKeys));
  PLINTH_RETURN_IF_ERROR(CheckVersion(json));
  PLINTH_ASSIGN_OR_RETURN(manifest.name, Text(json, "name"));
  if (!IsPluginName(manifest.name)) {
    return InvalidArgument("name is '", manifest.name,
                           "'; letters, digits, '_', '-' and '.' are allowed, at most 100");
  }
  if (json.Find("library") == nullptr) {
    return InvalidArgument("the key 'library' is missing");
  }
  PLINTH_ASSIGN_OR_RETURN(std::string library, Library(json));
  manifest.library = Below(folder, library);
  PLINTH_ASSIGN_OR_RETURN(manifest.create_options_json, CreateOptions(json));
  manifest.default_layouts = json.At("default_layouts").IsTrue();
  return manifest;
}

Expected<Manifest> ParseJaxConfig(std::string_view text) {
  PLINTH_ASSIGN_OR_RETURN(const Json::Object json, Json::ParseObject(text));
  Manifest manifest;
  PLINTH_ASSIGN_OR_RETURN(manifest.warnings, CheckKeys(json, kJaxKeys));
  PLINTH_ASSIGN_OR_RETURN(manifest.library, Text(json, "library_path"));
  PLINTH_ASSIGN_OR_RETURN(manifest.create_options_json, CreateOptions(json));
  return manifest;
}

Expected<Redirect> ParseRedirect(std::string_view text, std::string_view folder) {
  PLINTH_ASSIGN_OR_RETURN(const Json::Object json, Json::ParseObject(text));
  Redirect redirect;
  if (json.At("manifest_version").AsString() != nullptr) {
    PLINTH_RETURN_IF_ERROR(CheckVersion(json));
  }
  PLINTH_ASSIGN_OR_RETURN(redirect.warnings, CheckKeys(json, kRedirectKeys));
  PLINTH_RETURN_IF_ERROR(CheckVersion(json));
  PLINTH_ASSIGN_OR_RETURN(redirect.plugin, Text(json, "plugin"));
  // A name stays one; a path is relative to the file.
  if (redirect.plugin.find('/') != std::string::npos) {
    redirect.plugin = Below(folder, redirect.plugin);
  }
  if (const Json* layers = json.Find("layers"); layers != nullptr) {
    redirect.has_layers = true;
    redirect.layers = layers->Text();
  }
  if (const auto minor = json.At("api_minor").AsInteger(); minor) {
    if (*minor < 0 || *minor > 100000) {
      return InvalidArgument("api_minor is ", *minor, "; 0 to 100000 is allowed");
    }
    redirect.api_minor = static_cast<int>(*minor);
  }
  redirect.allow_old = json.At("allow_old").IsTrue();
  return redirect;
}

}  // namespace plinth::loader
