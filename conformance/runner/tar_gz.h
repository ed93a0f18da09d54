// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_TAR_GZ_H_
#define PLINTH_CONFORMANCE_RUNNER_TAR_GZ_H_

#include <map>
#include <string>
#include <string_view>

#include "plinth/support/status.h"

// A few files as one: ustar (POSIX.1-1988) in gzip (RFC 1952), as `tar -xzf` reads it.
namespace plinth::conformance {

// By name; the same bytes for the same files.
using Files = std::map<std::string, std::string>;

// Names have at most 90 characters.
std::string PackTarGz(const Files& files);

// INVALID_ARGUMENT for what is none, is cut off or was changed on the way, and for anything but
// regular files without a folder in their names. RESOURCE_EXHAUSTED for more than 256 MB.
Expected<Files> UnpackTarGz(std::string_view bytes);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_TAR_GZ_H_
