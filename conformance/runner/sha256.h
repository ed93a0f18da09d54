// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_SHA256_H_
#define PLINTH_CONFORMANCE_RUNNER_SHA256_H_

#include <string>
#include <string_view>

namespace plinth::conformance {

// SHA-256 (FIPS 180-4) as 64 hexadecimal digits. Of our own, so that the suite needs no library.
std::string Sha256(std::string_view bytes);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_SHA256_H_
