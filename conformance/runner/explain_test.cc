// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/explain.h"

#include "gmock/gmock.h"

namespace plinth::conformance {
namespace {

using testing::HasSubstr;

TEST(ExplainTest, SaysWhatRestsOnIt) {
  Expected<std::string> text = Explain("PJRT-LoadedExecutable_Execute-results", AllCases());
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("class contract"));
  EXPECT_THAT(*text, HasSubstr("of PJRT_LoadedExecutable_Execute, since 0."));
  EXPECT_THAT(*text, HasSubstr("  L1/program/run/*: "));
  EXPECT_THAT(*text, HasSubstr("JAX's calls rest on it"));
  text = Explain("PJRT-Api-struct_size", AllCases());
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("wrong_major: the major version is 1"));
}

TEST(ExplainTest, WhatIsUnknownGetsNeighbours) {
  Expected<std::string> text = Explain("event_await", {});
  EXPECT_EQ(text.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(text.status().message()), HasSubstr("like it: PJRT-Event_Await"));
  EXPECT_FALSE(Explain("", {}).ok());
}

}  // namespace
}  // namespace plinth::conformance
