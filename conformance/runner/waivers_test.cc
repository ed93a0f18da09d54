// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/waivers.h"

#include "gtest/gtest.h"

namespace plinth::conformance {
namespace {

TEST(WaiversTest, AWaiverExpires) {
  auto waivers = ParseWaivers(R"({"waivers": [{"cases": "L1/x*", "reason": "known",
      "address": "https://example.org/1", "until_minor": 114}]})");
  ASSERT_TRUE(waivers.ok()) << waivers.status().ToString();
  Result failed{"L1/xy", Verdict::kFail};
  Result expired = failed, other{"L1/y", Verdict::kCrash}, passed{"L1/xy", Verdict::kPass};
  ApplyWaivers(*waivers, 114, failed);
  EXPECT_EQ(failed.verdict, Verdict::kWaived);
  EXPECT_NE(failed.waiver.find("https://example.org/1"), std::string::npos);
  ApplyWaivers(*waivers, 115, expired);
  EXPECT_EQ(expired.verdict, Verdict::kFail);
  ApplyWaivers(*waivers, 114, other);
  EXPECT_EQ(other.verdict, Verdict::kCrash);
  ApplyWaivers(*waivers, 114, passed);
  EXPECT_EQ(passed.verdict, Verdict::kPass);
  // What was waived is not for ever.
  ApplyWaivers(*waivers, 114, failed);
  EXPECT_EQ(failed.verdict, Verdict::kWaived);
  ApplyWaivers({}, 114, failed);
  EXPECT_EQ(failed.verdict, Verdict::kFail);
  EXPECT_EQ(failed.waiver, "");
}

TEST(WaiversTest, EveryFieldIsNeeded) {
  EXPECT_FALSE(ParseWaivers("{}").ok());
  EXPECT_FALSE(
      ParseWaivers(R"({"waivers": [{"cases": "a", "reason": "b", "address": "c"}]})").ok());
  EXPECT_FALSE(
      ParseWaivers(
          R"({"waivers": [{"cases": "a", "reason": "", "address": "c", "until_minor": 1}]})")
          .ok());
}

}  // namespace
}  // namespace plinth::conformance
