// SPDX-License-Identifier: Apache-2.0
#include "impl/tensorflow/options.h"

#include <cstdlib>

#include "plinth/client/options.h"

namespace plinth::tensorflow {

std::map<std::string, OptionValue> ClientOptions(std::string* error) {
  const char* const text = getenv("PLINTH_CLIENT_OPTIONS");
  if (text == nullptr) return {};
  client::Options options;
  const Status status = options.ParseList(text);
  if (!status.ok()) {
    *error = "PLINTH_CLIENT_OPTIONS: " + std::string(status.message());
    return {};
  }
  std::map<std::string, OptionValue> values;
  for (const NamedValue& one : options.values()) values[one.name] = one.value;
  return values;
}

}  // namespace plinth::tensorflow
