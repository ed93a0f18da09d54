// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/summary.h"

#include "conformance/runner/causes.h"
#include "conformance/runner/must_pass.h"
#include "conformance/runner/next_level.h"
#include "conformance/runner/profile.h"
#include "conformance/runner/suggest_profile.h"
#include "gmock/gmock.h"

namespace plinth::conformance {
namespace {

using testing::HasSubstr;
using testing::Not;

Result Named(std::string name, Verdict verdict, std::string text = "",
             std::string requirement = "") {
  Result result;
  result.name = std::move(name);
  result.verdict = verdict;
  if (verdict == Verdict::kUnsupported) {
    result.notes.push_back(std::move(text));
  } else if (!text.empty()) {
    result.findings.push_back({std::move(requirement), std::move(text)});
  }
  return result;
}

// A plugin of 0.114 that passes all that must pass up to a level.
Report Reaching(const std::string& highest) {
  Report report;
  report.plugin_path = "p.so";
  report.plugin_minor = 114;
  for (const char* level : {"L0", "L1", "L2", "L3", "L4"}) {
    if (level > highest) break;
    for (const std::string& name : MustPass(level, 114)) {
      report.results.push_back(Named(name, Verdict::kPass));
    }
  }
  return report;
}

TEST(CausesTest, GroupsAreAllButTheLastPartThreeAtMost) {
  EXPECT_EQ(GroupName("L4/op/reduce_window/f32_sum"), "L4/op/reduce_window");
  EXPECT_EQ(GroupName("L4/jax/dot"), "L4/jax");
  EXPECT_EQ(GroupName("L0/a/b/c/d"), "L0/a/b");
  EXPECT_EQ(GroupName("alone"), "alone");
}

TEST(CausesTest, OneLineForEachCause) {
  Report report;
  for (int i = 0; i < 300; ++i) {
    report.results.push_back(Named(StrCat("L4/op/reduce_window/f32_", i), Verdict::kFail,
                                   StrCat("expected success, got UNIMPLEMENTED: window ", i),
                                   "PJRT-LoadedExecutable_Execute-results"));
  }
  report.results.push_back(Named("L4/op/reduce_window/odd", Verdict::kFail, "wrong numbers",
                                 "PJRT-LoadedExecutable_Execute-results"));
  std::string text = CausesText(report);
  EXPECT_THAT(text, HasSubstr("300 of L4/op/reduce_window: FAIL as L4/op/reduce_window/f32_0"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

TEST(SummaryTest, TheNextLevelSaysWhatItNeeds) {
  Report report = Reaching("L0");
  std::vector<std::string> needed = MustPass("L1", 114);
  ASSERT_GT(needed.size(), 10u);
  for (size_t i = 0; i < needed.size(); ++i) {
    bool lacks = i < 4;
    report.results.push_back(Named(needed[i], lacks ? Verdict::kUnsupported : Verdict::kPass,
                                   lacks ? "PJRT_X: UNIMPLEMENTED: not yet" : ""));
    report.results.back().requirements = {"PJRT-Buffer_Delete-uses"};
  }
  NextLevel next = WhatIsNext(report);
  EXPECT_EQ(next.level, "L1");
  ASSERT_EQ(next.lacks.size(), 1u);
  EXPECT_EQ(next.lacks[0].cases.size(), 4u);
  std::string text = LevelText(report, {});
  EXPECT_THAT(text, HasSubstr("conforms to L0\nL1 needs 4 more cases to pass:\n  UNSUPPORTED " +
                              needed[0] + " and 3 more\n    PJRT_X: UNIMPLEMENTED: not yet\n"));
  EXPECT_THAT(text, HasSubstr("PJRT-Buffer_Delete-uses: "));
  EXPECT_THAT(text, Not(HasSubstr("also ")));
  EXPECT_THAT(LevelText(report, {.shows_all = true}), HasSubstr("also " + needed[1]));
}

TEST(SummaryTest, LevelsThatWereNotLookedAtAreNotTold) {
  Report report = Reaching("L0");
  EXPECT_THAT(LevelText(report, {.asked_level = "L0"}), HasSubstr("L1 was not looked at"));
  EXPECT_THAT(LevelText(report, {.asked_level = "L0"}), Not(HasSubstr("L1 0 of")));
  Report few;
  few.plugin_minor = 114;
  few.results = {Named("L0/table/version", Verdict::kPass)};
  EXPECT_EQ(LevelText(few, {.is_selection = true}), "");
  // What is left out by name is no lack of a plugin.
  report.results.push_back(Named("L1/client/create", Verdict::kPass));
  EXPECT_THAT(LevelText(report, {.is_selection = true}), Not(HasSubstr("needs")));
}

TEST(SummaryTest, WithoutAClientThereIsNoLevel) {
  Report report = Reaching("L4");
  report.no_client = "no hardware";
  EXPECT_EQ(LevelText(report, {}), "no level reached: every level needs a client\n");
}

TEST(SummaryTest, CasesOfMoreDevicesAreCountedAndNotNeeded) {
  Report report = Reaching("L4");
  size_t lacking = 0;
  for (Result& result : report.results) {
    if (!result.name.starts_with("L3/collective/")) continue;
    result = Named(result.name, Verdict::kUnsupported, "the client has one device");
    result.lacks_devices = true;
    ++lacking;
  }
  ASSERT_GT(lacking, 50u);
  std::string text = LevelText(report, {});
  EXPECT_THAT(text, HasSubstr(StrCat(" (", lacking, " need more devices), L4 ")));
  EXPECT_THAT(text, HasSubstr(StrCat("conforms to L4, but for ", lacking, " cases of more")));
  EXPECT_EQ(ConformingLevel(report), "L4");
  // What is refused for another reason is needed.
  for (Result& result : report.results) result.lacks_devices = false;
  EXPECT_THAT(LevelText(report, {}), HasSubstr("conforms to L2\n"));
}

TEST(SummaryTest, RobustIsFoldedByFunction) {
  Report report;
  for (const char* name : {"L0/null/PJRT_A/x", "L0/null/PJRT_A/y", "L0/enum/PJRT_B/z"}) {
    report.results.push_back(Named(name, Verdict::kCrash, "killed"));
    report.results.back().is_robust = true;
  }
  std::string text = RobustText(report, {});
  EXPECT_THAT(text, HasSubstr("3 of 3 did not pass"));
  EXPECT_THAT(text, HasSubstr("PJRT_A: CRASH 2; L0/null/PJRT_A/x: killed"));
  EXPECT_EQ(CountsText(report),
            "PASS 0  FAIL 0  CRASH 0  HANG 0  UNSUPPORTED 0  WAIVED 0  (robust: PASS 0, FAIL 0, "
            "CRASH 3, HANG 0)\n");
  EXPECT_EQ(RobustText(Reaching("L0"), {}), "");
}

TEST(SuggestProfileTest, OpsAndTypesAreFolded) {
  Report report;
  auto add = [&](const char* name, const char* text) {
    report.results.push_back(Named(name, *text == 0 ? Verdict::kPass : Verdict::kFail, text));
  };
  constexpr char kNo[] = "PJRT_Client_Compile: expected success, got UNIMPLEMENTED: no";
  add("L4/op/fft/c64", kNo);
  add("L4/op/fft/c128", kNo);
  add("L4/op/add/f32", "");
  add("L4/op/add/s32_rank2", kNo);
  add("L4/op/add/s32", kNo);
  add("L4/op/sine/f32_a", "");
  add("L4/op/sine/f32_b", kNo);
  add("L4/op/cosine/f32", "wrong numbers");
  add("L4/jax/cholesky_7", kNo);
  Expected<std::string> text =
      SuggestProfile(report, R"({"case_seconds": 5, "unsupported_ops": ["while"]})");
  ASSERT_TRUE(text.ok());
  Expected<Json> json = Json::Parse(*text);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->At("unsupported_ops").ToString(), R"(["add/s32","cholesky_7","fft","while"])");
  EXPECT_EQ(json->At("case_seconds").AsInteger(), 5);
  EXPECT_TRUE(ParseProfile(*text).ok());
  EXPECT_FALSE(SuggestProfile(report, "[]").ok());
}

}  // namespace
}  // namespace plinth::conformance
