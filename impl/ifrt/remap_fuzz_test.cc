// SPDX-License-Identifier: Apache-2.0
// The committed inputs of remap_fuzz, and many that a seed makes, without the fuzzer.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

// The target, compiled into this test under this name.
extern "C" int RemapFuzz(const uint8_t* data, size_t size);

namespace plinth::ifrt {
namespace {

std::vector<std::string> Corpus() {
  std::vector<std::string> inputs;
  for (const auto& entry : std::filesystem::directory_iterator("testdata/remap_fuzz")) {
    std::ifstream file(entry.path(), std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

int Replay(const std::string& bytes) {
  return RemapFuzz(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

TEST(RemapFuzz, CommittedInputs) {
  const std::vector<std::string> inputs = Corpus();
  EXPECT_GE(inputs.size(), 6u);
  for (const std::string& input : inputs) EXPECT_EQ(Replay(input), 0);
}

// Each a committed one with a few bytes changed.
TEST(RemapFuzz, ChangedInputs) {
  const std::vector<std::string> inputs = Corpus();
  std::mt19937 random(20261123);
  for (int i = 0; i < 3000; ++i) {
    std::string input = inputs[random() % inputs.size()];
    for (size_t changes = random() % 4; changes > 0; --changes) {
      input[random() % input.size()] =
          static_cast<char>(random() % 2 == 0 ? random() % 10 : random());
    }
    EXPECT_EQ(Replay(input), 0);
  }
}

}  // namespace
}  // namespace plinth::ifrt
