// SPDX-License-Identifier: Apache-2.0
// Every committed input of the fuzz targets, without the fuzzer.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// The targets, compiled into this test under these names.
extern "C" int OpShardingFuzz(const uint8_t* data, size_t size);

namespace plinth::ifrt {
namespace {

void Replay(const std::string& folder, int (*target)(const uint8_t*, size_t)) {
  size_t inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    EXPECT_EQ(target(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), 0)
        << entry.path();
    ++inputs;
  }
  EXPECT_GE(inputs, 3u);
}

TEST(FuzzCorpus, OpShardings) { Replay("testdata/op_sharding_fuzz", &OpShardingFuzz); }

}  // namespace
}  // namespace plinth::ifrt
