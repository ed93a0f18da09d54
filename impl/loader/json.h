#ifndef PLINTH_IMPL_LOADER_JSON_H_
#define PLINTH_IMPL_LOADER_JSON_H_

#include <cjson/cJSON.h>

#include <memory>
#include <string>
#include <string_view>

#include "plinth/support/status.h"

namespace plinth::loader {

struct JsonDeleter {
  void operator()(cJSON* json) const { cJSON_Delete(json); }
};
using Json = std::unique_ptr<cJSON, JsonDeleter>;

// Reads one JSON object. Refused are: nesting deeper than 32, a key that occurs twice in an object,
// text after the object, NUL characters, and bytes that are not UTF-8. The error says line and
// column.
Expected<Json> ParseJsonObject(std::string_view text);

// Null if there is no such key.
const cJSON* JsonMember(const cJSON* object, const char* key);

// "a text", "an object" and so on.
const char* JsonTypeName(const cJSON* value);

// Without line breaks. Fails only without memory.
std::string JsonText(const cJSON* value);

// Adds a text to an object; bytes that are not UTF-8 become U+FFFD.
void JsonAddText(cJSON* object, const char* key, std::string_view text);
// Adds a value to an object, which owns it from then on.
void JsonAdd(cJSON* object, const char* key, Json value);
void JsonAppend(cJSON* array, Json value);
Json JsonTextValue(std::string_view text);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_JSON_H_
