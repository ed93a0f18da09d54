// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_NAMED_VALUE_JSON_H_
#define PLINTH_IMPL_LOADER_NAMED_VALUE_JSON_H_

#include <string_view>
#include <vector>

#include "plinth/support/json.h"
#include "plinth/support/named_value.h"
#include "plinth/support/status.h"

namespace plinth::loader {

Json ValueToJson(const Value& value);

// The values of a JSON object: texts, booleans, whole numbers, lists of them, other numbers as
// floats. None for an empty text. INVALID_ARGUMENT names the option.
Expected<std::vector<NamedValue>> OptionsFromJson(std::string_view text);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_NAMED_VALUE_JSON_H_
