// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "plinth/program/compile_options.h"
#include "reference_plugin/program/sharding_text.h"

// Any bytes: errors, or messages that can be written again; what is written is read back.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plinth::program;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto as_bytes = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  if (auto options = ReadCompileOptions(bytes); options.ok()) {
    if (!ReadCompileOptions(as_bytes(WriteCompileOptions(*options))).ok()) std::abort();
  }
  if (auto assignment = ReadDeviceAssignment(bytes); assignment.ok()) {
    auto again = ReadDeviceAssignment(as_bytes(WriteDeviceAssignment(*assignment)));
    if (!again.ok() || !(*again == *assignment)) std::abort();
  }
  if (auto sharding = ReadOpSharding(bytes); sharding.ok()) {
    auto again = ReadOpSharding(as_bytes(WriteOpSharding(*sharding)));
    if (!again.ok() || !(*again == *sharding)) std::abort();
  }
  (void)ReadShardingText({reinterpret_cast<const char*>(data), size});
  return 0;
}
