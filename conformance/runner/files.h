// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_FILES_H_
#define PLINTH_CONFORMANCE_RUNNER_FILES_H_

#include <string>

#include "plinth/support/status.h"

namespace plinth::conformance {

// A whole file. NOT_FOUND if it cannot be read.
Expected<std::string> ReadFile(const std::string& path);
// Replaces a file.
Status WriteFile(const std::string& path, const std::string& text);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_FILES_H_
