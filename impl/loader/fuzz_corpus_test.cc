// SPDX-License-Identifier: Apache-2.0
// Every committed input of the fuzz targets, without the fuzzer.

#include <gtest/gtest.h>

#include "impl/loader/files.h"

// The targets, compiled into this test under these names.
extern "C" int ElfFuzz(const uint8_t* data, size_t size);
extern "C" int ManifestFuzz(const uint8_t* data, size_t size);
extern "C" int EnvironmentFuzz(const uint8_t* data, size_t size);

namespace plinth::loader {
namespace {

void Replay(const std::string& folder, int (*target)(const uint8_t*, size_t)) {
  Expected<std::vector<std::string>> names = ReadFolder(folder, 1000);
  ASSERT_TRUE(names.ok()) << names.status().ToString();
  EXPECT_GE(names->size(), 3u);
  for (const std::string& name : *names) {
    Expected<std::string> text = ReadFile(Below(folder, name), 1 << 20);
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    EXPECT_EQ(target(reinterpret_cast<const uint8_t*>(text->data()), text->size()), 0) << name;
  }
}

TEST(FuzzCorpusTest, Libraries) { Replay("testdata/elf_fuzz", &ElfFuzz); }
TEST(FuzzCorpusTest, Manifests) { Replay("testdata/manifest_fuzz", &ManifestFuzz); }
TEST(FuzzCorpusTest, Environments) { Replay("testdata/environment_fuzz", &EnvironmentFuzz); }

}  // namespace
}  // namespace plinth::loader
