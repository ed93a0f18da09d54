// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_SAFETENSORS_H_
#define PLINTH_IMPL_CLI_SAFETENSORS_H_

#include <string>
#include <utility>
#include <vector>

#include "plinth/client/host_array.h"
#include "plinth/support/status.h"

namespace plinth::cli {

// The safetensors format of Hugging Face: a length of 8 bytes, a JSON header, dense row-major data.
// Files are not trusted: sizes are checked against the file before anything is allocated.

// Whether a name on the command line is of such a file, with or without ":NAME" behind it.
bool IsSafetensors(const std::string& path);

struct NamedArray {
  std::string name;
  client::HostArray array;
};

// The arrays of a file in the order of their data, or the one of a name, "a.safetensors:weights".
// NOT_FOUND for no file or no such array, INVALID_ARGUMENT for what is no such file, with the
// reason; holes, overlaps and data that nobody names are refused, as the format demands.
Expected<std::vector<NamedArray>> ReadSafetensors(const std::string& path);

// Writes arrays. INVALID_ARGUMENT for a type that the format does not have.
Status WriteSafetensors(
    const std::string& path,
    const std::vector<std::pair<std::string, const client::HostArray*>>& arrays);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_SAFETENSORS_H_
