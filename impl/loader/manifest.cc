#include "impl/loader/manifest.h"

#include <cmath>
#include <span>

#include "impl/loader/files.h"
#include "impl/loader/json.h"

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

bool IsInteger(const cJSON* value) {
  return cJSON_IsNumber(value) && std::floor(value->valuedouble) == value->valuedouble &&
         std::fabs(value->valuedouble) <= 9007199254740992.0;
}

bool HasKind(const cJSON* value, Kind kind) {
  switch (kind) {
    case Kind::kText:
      return cJSON_IsString(value);
    case Kind::kBool:
      return cJSON_IsBool(value);
    case Kind::kInteger:
      return IsInteger(value);
    case Kind::kObject:
      return cJSON_IsObject(value);
    case Kind::kTextOrObject:
      return cJSON_IsString(value) || cJSON_IsObject(value);
  }
  return false;
}

constexpr const char* kKindNames[] = {"a text", "a boolean", "a whole number", "an object",
                                      "a text or an object"};

// Checks the kind of every known key, and lists those that are not known.
Expected<std::vector<std::string>> CheckKeys(const cJSON* object, std::span<const Key> keys) {
  std::vector<std::string> warnings;
  for (const cJSON* child = object->child; child != nullptr; child = child->next) {
    const Key* known = nullptr;
    for (const Key& key : keys) {
      if (std::string_view(key.name) == child->string) known = &key;
    }
    if (known == nullptr) {
      warnings.push_back(StrCat("the key '", child->string, "' is not known and was ignored"));
    } else if (!HasKind(child, known->kind)) {
      return InvalidArgument("the key '", known->name, "' must be ",
                             kKindNames[static_cast<int>(known->kind)], "; it is ",
                             JsonTypeName(child));
    }
  }
  return warnings;
}

Status CheckVersion(const cJSON* object) {
  const cJSON* version = JsonMember(object, "manifest_version");
  if (version == nullptr) return InvalidArgument("the key 'manifest_version' is missing");
  std::string_view text = version->valuestring;
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

Expected<std::string> Text(const cJSON* object, const char* key) {
  const cJSON* value = JsonMember(object, key);
  if (value == nullptr) return InvalidArgument("the key '", key, "' is missing");
  if (value->valuestring[0] == '\0') return InvalidArgument("the key '", key, "' is empty");
  return std::string(value->valuestring);
}

bool Flag(const cJSON* object, const char* key) { return cJSON_IsTrue(JsonMember(object, key)); }

// Options are texts, numbers, booleans and lists of whole numbers: what PJRT_NamedValue holds.
Expected<std::string> CreateOptions(const cJSON* object) {
  const cJSON* options = JsonMember(object, "create_options");
  if (options == nullptr) return std::string();
  for (const cJSON* child = options->child; child != nullptr; child = child->next) {
    bool fits = cJSON_IsString(child) || cJSON_IsBool(child) || cJSON_IsNumber(child);
    if (cJSON_IsArray(child)) {
      fits = true;
      for (const cJSON* item = child->child; item != nullptr; item = item->next) {
        fits = fits && IsInteger(item);
      }
    }
    if (!fits) {
      return InvalidArgument("create_options: '", child->string,
                             "' must be a text, a number, a boolean or a list of whole numbers");
    }
  }
  return JsonText(options);
}

Expected<std::string> Library(const cJSON* object) {
  const cJSON* library = JsonMember(object, "library");
  if (!cJSON_IsObject(library)) return Text(object, "library");
  std::vector<std::string> platforms;
  for (const cJSON* child = library->child; child != nullptr; child = child->next) {
    if (!cJSON_IsString(child)) {
      return InvalidArgument("library: '", child->string, "' must be a text; it is ",
                             JsonTypeName(child));
    }
    if (std::string_view(child->string) == kPlatform) return Text(library, child->string);
    platforms.emplace_back(child->string);
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
  PLINTH_ASSIGN_OR_RETURN(Json json, ParseJsonObject(text));
  Manifest manifest;
  // The version first: what a newer major means by its keys is not known.
  if (cJSON_IsString(JsonMember(json.get(), "manifest_version"))) {
    PLINTH_RETURN_IF_ERROR(CheckVersion(json.get()));
  }
  PLINTH_ASSIGN_OR_RETURN(manifest.warnings, CheckKeys(json.get(), kManifestKeys));
  PLINTH_RETURN_IF_ERROR(CheckVersion(json.get()));
  PLINTH_ASSIGN_OR_RETURN(manifest.name, Text(json.get(), "name"));
  if (!IsPluginName(manifest.name)) {
    return InvalidArgument("name is '", manifest.name,
                           "'; letters, digits, '_', '-' and '.' are allowed, at most 100");
  }
  if (JsonMember(json.get(), "library") == nullptr) {
    return InvalidArgument("the key 'library' is missing");
  }
  PLINTH_ASSIGN_OR_RETURN(std::string library, Library(json.get()));
  manifest.library = Below(folder, library);
  PLINTH_ASSIGN_OR_RETURN(manifest.create_options_json, CreateOptions(json.get()));
  manifest.default_layouts = Flag(json.get(), "default_layouts");
  return manifest;
}

Expected<Manifest> ParseJaxConfig(std::string_view text) {
  PLINTH_ASSIGN_OR_RETURN(Json json, ParseJsonObject(text));
  Manifest manifest;
  PLINTH_ASSIGN_OR_RETURN(manifest.warnings, CheckKeys(json.get(), kJaxKeys));
  PLINTH_ASSIGN_OR_RETURN(manifest.library, Text(json.get(), "library_path"));
  PLINTH_ASSIGN_OR_RETURN(manifest.create_options_json, CreateOptions(json.get()));
  return manifest;
}

Expected<Redirect> ParseRedirect(std::string_view text, std::string_view folder) {
  PLINTH_ASSIGN_OR_RETURN(Json json, ParseJsonObject(text));
  Redirect redirect;
  if (cJSON_IsString(JsonMember(json.get(), "manifest_version"))) {
    PLINTH_RETURN_IF_ERROR(CheckVersion(json.get()));
  }
  PLINTH_ASSIGN_OR_RETURN(redirect.warnings, CheckKeys(json.get(), kRedirectKeys));
  PLINTH_RETURN_IF_ERROR(CheckVersion(json.get()));
  PLINTH_ASSIGN_OR_RETURN(redirect.plugin, Text(json.get(), "plugin"));
  // A name stays one; a path is relative to the file.
  if (redirect.plugin.find('/') != std::string::npos) {
    redirect.plugin = Below(folder, redirect.plugin);
  }
  if (const cJSON* layers = JsonMember(json.get(), "layers"); layers != nullptr) {
    redirect.has_layers = true;
    redirect.layers = layers->valuestring;
  }
  if (const cJSON* minor = JsonMember(json.get(), "api_minor"); minor != nullptr) {
    if (minor->valuedouble < 0 || minor->valuedouble > 100000) {
      return InvalidArgument("api_minor is ", JsonText(minor), "; 0 to 100000 is allowed");
    }
    redirect.api_minor = minor->valueint;
  }
  redirect.allow_old = Flag(json.get(), "allow_old");
  return redirect;
}

}  // namespace plinth::loader
