#include "impl/loader/json.h"

#include <cstdlib>
#include <set>

namespace plinth::loader {
namespace {

constexpr int kMaxDepth = 32;

// Bytes of the UTF-8 character at the beginning of `text`; 0 if there is none.
size_t Utf8Length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  if (first < 0x80) return 1;
  size_t length = first >= 0xC2 && first < 0xE0   ? 2
                  : first >= 0xE0 && first < 0xF0 ? 3
                  : first >= 0xF0 && first < 0xF5 ? 4
                                                  : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

std::string Position(std::string_view text, size_t offset) {
  size_t line = 1, column = 1;
  for (char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
  return StrCat("line ", line, ", column ", column);
}

// What cJSON would accept although a manifest must not hold it.
Status CheckText(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size();) {
    size_t length = Utf8Length(text.substr(i));
    auto here = [&] { return Position(text, i); };
    if (length == 0) return InvalidArgument(here(), ": bytes that are not UTF-8");
    char c = text[i];
    if (c == '\0') return InvalidArgument(here(), ": a NUL character");
    if (in_string && c == '\\') {
      if (text.substr(i, 6) == "\\u0000") return InvalidArgument(here(), ": a NUL character");
      length = i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0x80 ? 2 : 1;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '{' || c == '[')) {
      if (++depth > kMaxDepth) return InvalidArgument(here(), ": nested deeper than ", kMaxDepth);
    } else if (!in_string && (c == '}' || c == ']')) {
      --depth;
    }
    i += length;
  }
  return Status();
}

Status CheckKeys(const cJSON* value) {
  std::set<std::string_view> keys;
  for (const cJSON* child = value->child; child != nullptr; child = child->next) {
    if (cJSON_IsObject(value) && !keys.insert(child->string).second) {
      return InvalidArgument("the key '", child->string, "' occurs twice");
    }
    PLINTH_RETURN_IF_ERROR(CheckKeys(child));
  }
  return Status();
}

std::string ToUtf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t length = Utf8Length(text);
    if (length == 0 || text.front() == '\0') {
      out.append("\xEF\xBF\xBD");
      text.remove_prefix(1);
    } else {
      out.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return out;
}

}  // namespace

Expected<Json> ParseJsonObject(std::string_view text) {
  PLINTH_RETURN_IF_ERROR(CheckText(text));
  const char* end = nullptr;
  Json json(
      cJSON_ParseWithLengthOpts(text.data(), text.size(), &end, /*require_null_terminated=*/0));
  size_t offset = end == nullptr ? 0 : static_cast<size_t>(end - text.data());
  if (json == nullptr) return InvalidArgument(Position(text, offset), ": this is not JSON");
  size_t rest = text.find_first_not_of(" \t\r\n", offset);
  if (rest != std::string_view::npos) {
    return InvalidArgument(Position(text, rest), ": text after the end");
  }
  if (!cJSON_IsObject(json.get())) {
    return InvalidArgument("an object is needed; this is ", JsonTypeName(json.get()));
  }
  PLINTH_RETURN_IF_ERROR(CheckKeys(json.get()));
  return json;
}

const cJSON* JsonMember(const cJSON* object, const char* key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char* JsonTypeName(const cJSON* value) {
  if (cJSON_IsObject(value)) return "an object";
  if (cJSON_IsArray(value)) return "a list";
  if (cJSON_IsString(value)) return "a text";
  if (cJSON_IsNumber(value)) return "a number";
  if (cJSON_IsBool(value)) return "a boolean";
  return "null";
}

std::string JsonText(const cJSON* value) {
  char* text = cJSON_PrintUnformatted(value);
  if (text == nullptr) return {};
  std::string copy = text;
  cJSON_free(text);
  return copy;
}

Json JsonTextValue(std::string_view text) { return Json(cJSON_CreateString(ToUtf8(text).c_str())); }

void JsonAdd(cJSON* object, const char* key, Json value) {
  if (value != nullptr) cJSON_AddItemToObject(object, key, value.release());
}

void JsonAppend(cJSON* array, Json value) {
  if (value != nullptr) cJSON_AddItemToArray(array, value.release());
}

void JsonAddText(cJSON* object, const char* key, std::string_view text) {
  JsonAdd(object, key, JsonTextValue(text));
}

}  // namespace plinth::loader
