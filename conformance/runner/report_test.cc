// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/report.h"

#include <set>

#include "gtest/gtest.h"
#include "plinth/reflection/reflection.h"

namespace plinth::conformance {
namespace {

Report MakeReport() {
  Report report;
  report.plugin_path = "/a<b>/plugin.so";
  report.plugin_version = "0.114";
  report.plugin_minor = 114;
  report.results = {{"L0/a", Verdict::kPass},
                    {"L1/b", Verdict::kPass},
                    {"L1/c", Verdict::kUnsupported},
                    {"L2/d", Verdict::kFail, false, 0.5, {{"PJRT-Error-head", "no <mark>"}}, {"n"}},
                    {"L0/e", Verdict::kCrash, true}};
  return report;
}

TEST(ReportTest, FindingsOfClassRobustLowerNoLevel) {
  Report report = MakeReport();
  EXPECT_EQ(report.HighestLevel(), "L1");
  EXPECT_EQ(report.Count(Verdict::kCrash), 0);
  EXPECT_EQ(report.CountRobust(Verdict::kCrash), 1);
  report.results[4].is_robust = false;
  EXPECT_EQ(report.HighestLevel(), "");
}

TEST(ReportTest, ALevelThatDidNotRunIsNotReached) {
  Report report = MakeReport();
  report.results.erase(report.results.begin(), report.results.begin() + 1);
  EXPECT_EQ(report.HighestLevel(), "");
}

TEST(ReportTest, JsonGoesBothWays) {
  Report report = MakeReport();
  report.plugin_sha256 = "aa";
  report.profile_sha256 = "bb";
  report.results.push_back({"L3/g", Verdict::kUnsupported});
  report.results.back().lacks_devices = true;
  report.results.push_back({"L0/f", Verdict::kWaived});
  report.results.back().unwaived = Verdict::kHang;
  Expected<Json> json = Json::Parse(ReportToJson(report).ToString());
  ASSERT_TRUE(json.ok()) << json.status().ToString();
  Expected<Report> read = ReportFromJson(*json);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(ReportToJson(*read).ToString(), ReportToJson(report).ToString());
  EXPECT_EQ(read->results.back().unwaived, Verdict::kHang);
  EXPECT_TRUE(read->results[read->results.size() - 2].lacks_devices);
  EXPECT_EQ(read->plugin_sha256, "aa");
  EXPECT_FALSE(ReportFromJson(Json::Object{}).ok());
}

TEST(ReportTest, WhatIsResumedHasToBeOfTheSameRun) {
  Report before = MakeReport(), now = MakeReport();
  EXPECT_FALSE(CheckIsSameRun(before, now).ok()) << "nobody knows";
  before.plugin_sha256 = now.plugin_sha256 = "aa";
  EXPECT_TRUE(CheckIsSameRun(before, now).ok());
  now.plugin_sha256 = "bb";
  EXPECT_FALSE(CheckIsSameRun(before, now).ok());
  now.plugin_sha256 = "aa";
  now.profile_sha256 = "cc";
  EXPECT_FALSE(CheckIsSameRun(before, now).ok());
  before.profile_sha256 = "cc";
  now.seed = 2;
  EXPECT_FALSE(CheckIsSameRun(before, now).ok());
}

TEST(ReportTest, PagesEscapeText) {
  Report report = MakeReport();
  for (const std::string& page : {ReportToHtml(report), ReportToJunit(report)}) {
    EXPECT_EQ(page.find("<mark>"), std::string::npos);
    EXPECT_NE(page.find("no &lt;mark&gt;"), std::string::npos);
  }
  EXPECT_NE(ReportToHtml(report).find("No level reached"), std::string::npos);
}

TEST(ReportTest, DifferencesAreNamed) {
  Report before = MakeReport(), after = MakeReport();
  bool is_worse = true;
  EXPECT_EQ(DiffReports(before, after, is_worse), "no difference\n");
  EXPECT_FALSE(is_worse);
  after.results[0].verdict = Verdict::kHang;
  after.results.pop_back();
  std::string text = DiffReports(before, after, is_worse);
  EXPECT_TRUE(is_worse);
  EXPECT_NE(text.find("worse    L0/a: PASS -> HANG"), std::string::npos) << text;
  EXPECT_NE(text.find("gone     L0/e: was CRASH"), std::string::npos) << text;
}

TEST(CasesTest, NamesAreUniqueAndRequirementsExist) {
  std::set<std::string> names;
  for (const Case& item : AllCases()) {
    EXPECT_TRUE(names.insert(item.name).second) << item.name;
    EXPECT_EQ(item.name.substr(0, 3), StrCat("L", static_cast<int>(item.level), "/"));
    for (const std::string& requirement : item.requirements) {
      EXPECT_NE(reflection::FindRequirement(requirement), nullptr)
          << item.name << " names " << requirement;
    }
  }
  EXPECT_GT(names.size(), 1000u);
}

}  // namespace
}  // namespace plinth::conformance
