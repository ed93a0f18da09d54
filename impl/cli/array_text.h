// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_ARRAY_TEXT_H_
#define PLINTH_IMPL_CLI_ARRAY_TEXT_H_

#include <cstdint>
#include <string>

#include "plinth/client/host_array.h"
#include "plinth/support/json.h"

namespace plinth::cli {

// Arrays of more elements than this are shortened.
inline constexpr int64_t kFullElements = 256;

// "f32[2,3]" and the elements in brackets, one line a row; of a large array the first and last
// three of each dimension, about a thousand at most.
std::string ArrayText(const client::HostArray& array, bool in_full);

// {"type": "f32", "shape": [2, 3], "data": [[...], ...]}; a large array without "data" and with
// "first", its first eight elements, unless it is asked for in full. Infinities, NaNs and complex
// numbers are texts.
Json::Object ArrayJson(const client::HostArray& array, bool in_full);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_ARRAY_TEXT_H_
