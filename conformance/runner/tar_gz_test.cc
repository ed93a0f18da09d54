// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/tar_gz.h"

#include "gtest/gtest.h"

namespace plinth::conformance {
namespace {

TEST(TarGzTest, GoesBothWays) {
  Files files = {{"a", ""}, {"b.json", std::string(512, 'x')}, {"c", std::string(100000, '\0')}};
  std::string packed = PackTarGz(files);
  EXPECT_EQ(packed, PackTarGz(files));
  Expected<Files> read = UnpackTarGz(packed);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(*read, files);
}

TEST(TarGzTest, CutOffAnywhereIsRefused) {
  std::string packed = PackTarGz({{"a", "one"}, {"b", "two"}});
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(UnpackTarGz(std::string_view(packed).substr(0, size)).ok()) << size;
  }
}

TEST(TarGzTest, ChangedAnywhereIsRefusedOrTheSame) {
  const Files files = {{"a", "one"}, {"b", "two"}};
  std::string packed = PackTarGz(files);
  for (size_t i = 0; i < packed.size(); ++i) {
    std::string changed = packed;
    changed[i] = static_cast<char>(changed[i] ^ 0x41);
    Expected<Files> read = UnpackTarGz(changed);
    // The head of gzip has bytes that mean nothing.
    EXPECT_TRUE(!read.ok() || *read == files) << i;
  }
}

TEST(TarGzTest, NamesThatLeaveTheFolderAreRefused) {
  for (const char* name : {"../a", "/etc/a", "a/b", ".hidden"}) {
    EXPECT_FALSE(UnpackTarGz(PackTarGz({{name, "x"}})).ok()) << name;
  }
}

}  // namespace
}  // namespace plinth::conformance
