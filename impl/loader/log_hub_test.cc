// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/log_hub.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "impl/loader/descriptor.h"
#include "impl/loader/test_folder.h"

namespace plinth::loader {
namespace {

using ::testing::ElementsAre;

TEST(LogHubTest, LinesAreKeptForAReportOnly) {
  std::vector<std::string> lines;
  auto hub = LogHub::Make([&](LogLevel, const std::string& line) { lines.push_back(line); }, "");
  const LogSink sink = hub->Sink();
  sink(LogLevel::kInfo, "before");
  {
    LogHub::Report report(hub);
    sink(LogLevel::kInfo, "one");
    sink(LogLevel::kDebug, "two");
    EXPECT_EQ(report.Take(), "one\ntwo");
    sink(LogLevel::kInfo, "after it was taken");
    EXPECT_EQ(report.Take(), "");
  }
  {
    LogHub::Report dropped(hub);  // As when a load fails.
    sink(LogLevel::kInfo, "lost");
  }
  sink(LogLevel::kInfo, "after it is gone");
  LogHub::Report report(hub);
  EXPECT_EQ(report.Take(), "");
  EXPECT_THAT(
      lines, ElementsAre("before", "one", "two", "after it was taken", "lost", "after it is gone"));
}

TEST(LogHubTest, WhyTheFileCannotBeWrittenIsToldOnce) {
  TestFolder folder;
  const std::string pipe = folder.Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Descriptor reader(open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  ASSERT_GE(fcntl(reader.get(), F_SETPIPE_SZ, 4096), 4096);
  struct {
    std::string file, message, why;
  } const cases[] = {
      {folder.Path("none/log"), "line", "No such file or directory"},
      {"/dev/full", "line", "No space left on device"},
      {pipe, std::string(100000, 'x'), "only a part of a line fits"},
  };
  for (const auto& c : cases) {
    std::vector<std::string> warnings;
    auto hub = LogHub::Make(
        [&](LogLevel level, const std::string& line) {
          if (level == LogLevel::kWarning) warnings.push_back(line);
        },
        c.file);
    for (int i = 0; i < 2; ++i) {
      errno = ENOTTY;  // Of something else.
      hub->Sink()(LogLevel::kInfo, c.message);
    }
    EXPECT_THAT(warnings, ElementsAre("PLINTH_LOG: " + c.file + " cannot be written: " + c.why));
  }
}

}  // namespace
}  // namespace plinth::loader
