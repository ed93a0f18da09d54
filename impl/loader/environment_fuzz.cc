// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "impl/loader/discover.h"
#include "impl/loader/files.h"
#include "impl/loader/layer_list.h"

// Any bytes as the values of the variables, one per line, in the order of kVariables. Absolute
// paths are those of an empty root, so nothing of the machine is searched.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plinth::loader;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Environment environment;
  environment.root = "/nowhere";
  std::string layers(text.substr(0, text.find('\n')));
  for (const Variable& variable : kVariables) {
    size_t end = text.find('\n');
    std::string value(text.substr(0, end));
    // Folders of this machine are not the subject, and reading them is slow.
    for (char& c : value) {
      if (c == '/' || c == '\0') c = '_';
    }
    if (!value.empty()) environment.variables[variable.name] = value;
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  FindOptions options;
  Discovery discovery = Discover(options, environment);
  for (const Candidate& candidate : discovery.candidates) {
    // A file that is no manifest, in the folder of this process, is told but has no name.
    if (candidate.name.empty() && candidate.ignored_because.empty()) __builtin_trap();
  }
  (void)Select(std::nullopt, options, environment);
  if (auto split = SplitLayers(layers); split.ok()) {
    for (const std::string& layer : *split) {
      if (layer.empty()) __builtin_trap();
    }
  }
  return 0;
}
