// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/log_line.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace plinth {
namespace {

TEST(LogLine, TargetIsAFileAndALevel) {
  EXPECT_EQ(LogTarget::Parse("").file, "");
  EXPECT_FALSE(LogTarget::Parse("").wants_debug);
  EXPECT_EQ(LogTarget::Parse("stderr").file, "stderr");
  EXPECT_FALSE(LogTarget::Parse("stderr").wants_debug);
  EXPECT_EQ(LogTarget::Parse("debug:/tmp/log").file, "/tmp/log");
  EXPECT_TRUE(LogTarget::Parse("debug:/tmp/log").wants_debug);
}

TEST(LogLine, LinesAreAppended) {
  const std::string path = ::testing::TempDir() + "/log_line_test." + std::to_string(getpid());
  std::remove(path.c_str());
  EXPECT_EQ(AppendLogLine(path, "info", "one"), "");
  EXPECT_EQ(AppendLogLine(path, "error", "two"), "");
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(text, "plinth info: one\nplinth error: two\n");
}

TEST(LogLine, SaysWhyItCannotBeWritten) {
  EXPECT_EQ(AppendLogLine("/no/such/folder/log", "info", "one"), "No such file or directory");
  EXPECT_NE(AppendLogLine("/dev/full", "info", "one"), "");
}

}  // namespace
}  // namespace plinth
