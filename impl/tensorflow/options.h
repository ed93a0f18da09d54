// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_TENSORFLOW_OPTIONS_H_
#define PLINTH_IMPL_TENSORFLOW_OPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace plinth::tensorflow {

// Neither the headers of TensorFlow nor those of the client stand here: they do not go together.
using OptionValue = std::variant<std::string, int64_t, std::vector<int64_t>, float, bool>;

// What PLINTH_CLIENT_OPTIONS says; `*error` is a sentence where it cannot be read.
std::map<std::string, OptionValue> ClientOptions(std::string* error);

}  // namespace plinth::tensorflow

#endif  // PLINTH_IMPL_TENSORFLOW_OPTIONS_H_
