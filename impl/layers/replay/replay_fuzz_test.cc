// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

// In replay_fuzz.cc.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void Try(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

// Hostile captures, on a plugin that reads all that it is given.
TEST(ReplayFuzzTest, TheFuzzerInputsAreHarmless) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("testdata/replay_fuzz")) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::string input((std::istreambuf_iterator<char>(file)), {});
    Try(input);
    // Each of them with one byte changed, and cut.
    size_t step = 1 + input.size() / 200;
    for (size_t i = 0; i < input.size(); i += step) {
      std::string changed = input;
      changed[i] = static_cast<char>(changed[i] ^ (1 + i % 255));
      Try(changed);
      Try(input.substr(0, i));
    }
    ++files;
  }
  EXPECT_GT(files, 2);
}

}  // namespace
