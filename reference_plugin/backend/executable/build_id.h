// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_BUILD_ID_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_BUILD_ID_H_

#include <initializer_list>
#include <string>
#include <string_view>

namespace plinth::backend {

// Hexadecimal identity of the binary that this code is in, from the linker's build-id note; equal
// for equal builds. "unknown" where the linker wrote none.
const std::string& BuildId();

// 32 hexadecimal digits that depend on every byte of every part. Not cryptographic.
std::string Fingerprint(std::initializer_list<std::string_view> parts);

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_BUILD_ID_H_
