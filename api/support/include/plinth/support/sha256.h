// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_SHA256_H_
#define PLINTH_SUPPORT_SHA256_H_

#include <string>
#include <string_view>

namespace plinth {

// The SHA-256 digest of the bytes (FIPS 180-4), as 64 hexadecimal digits. Of our
// own, so that the suite and the plugins need no library for it.
std::string Sha256(std::string_view bytes);

}  // namespace plinth

#endif  // PLINTH_SUPPORT_SHA256_H_
