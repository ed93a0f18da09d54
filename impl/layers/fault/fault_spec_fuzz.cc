// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "impl/layers/fault/fault_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static_cast<void>(
      plinth::layers::ParseFaultSpec(std::string_view(reinterpret_cast<const char*>(data), size)));
  return 0;
}
