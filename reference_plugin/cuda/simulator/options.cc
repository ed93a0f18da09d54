// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/simulator/options.h"

#include <stdio.h>
#include <stdlib.h>

#include <sstream>

namespace plinth::cuda::simulator {

Options ReadOptions() {
  Options options;
  const char* text = getenv("PLINTH_SIMULATOR");
  std::istringstream list(text == nullptr ? "" : text);
  for (std::string entry; std::getline(list, entry, ',');) {
    const size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : entry.substr(equals + 1);
    const int64_t number = strtoll(value.c_str(), nullptr, 10);
    if (name == "report") {
      options.report = value;
    } else if (name == "seed") {
      options.seed = static_cast<uint64_t>(number);
    } else if (name == "delay") {
      options.delay = static_cast<int>(number);
    } else if (name == "capacity") {
      options.capacity = static_cast<size_t>(number);
    } else if (name == "quarantine") {
      options.quarantine = static_cast<size_t>(number);
    } else if (name == "devices") {
      options.devices = static_cast<int>(number);
    } else if (name == "capability") {
      options.capability = static_cast<int>(number);
    } else if (name == "version") {
      options.version = static_cast<int>(number);
    } else if (name == "init") {
      options.init = static_cast<int>(number);
    } else if (name == "lacks") {
      options.lacks = value;
    } else if (name == "lose") {
      options.lose = number;
    } else if (name == "blas") {
      options.blas = number;
    } else if (name == "bounds") {
      options.bounds = number != 0;
    } else if (name == "fail") {
      const size_t first = value.find(':'), last = value.rfind(':');
      options.fail_function = value.substr(0, first);
      if (first != std::string::npos) options.fail_call = atoll(value.c_str() + first + 1);
      options.fails_from_there = last != std::string::npos && last > 0 && value[last - 1] == '+';
      if (last != std::string::npos) options.fail_code = atoi(value.c_str() + last + 1);
    } else if (!name.empty()) {
      fprintf(stderr, "PLINTH_SIMULATOR: unknown name '%s'\n", name.c_str());
    }
  }
  return options;
}

}  // namespace plinth::cuda::simulator
