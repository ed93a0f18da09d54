#ifndef PLINTH_IMPL_LOADER_NAMED_VALUE_JSON_H_
#define PLINTH_IMPL_LOADER_NAMED_VALUE_JSON_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "impl/loader/json.h"
#include "plinth/support/named_value.h"
#include "plinth/support/status.h"

namespace plinth::loader {

// With every digit; cJSON's own numbers are doubles.
Json JsonInteger(int64_t value);

Json ValueToJson(const Value& value);

// The values of a JSON object: texts, booleans, whole numbers, lists of them, other numbers as
// floats. None for an empty text. INVALID_ARGUMENT names the option.
Expected<std::vector<NamedValue>> OptionsFromJson(std::string_view text);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_NAMED_VALUE_JSON_H_
