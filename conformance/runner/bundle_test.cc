// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/bundle.h"

#include <unistd.h>

#include <filesystem>

#include "conformance/runner/files.h"
#include "conformance/runner/must_pass.h"
#include "conformance/runner/tar_gz.h"
#include "gmock/gmock.h"
#include "plinth/support/sha256.h"
#include "plinth/support/str_cat.h"

namespace plinth::conformance {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A plugin that passed all that there is at L0.
class BundleTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = StrCat(testing::TempDir(), "/plinth_bundle_test.", getpid());
    std::filesystem::remove_all(folder_);
    plugin_ = folder_ + ".so";
    ASSERT_TRUE(WriteFile(plugin_, "a plugin").ok());
    report_.plugin_path = plugin_;
    report_.plugin_version = "0.114";
    report_.plugin_minor = 114;
    cases_ = AllCases();
    for (const Case& item : cases_) {
      if (item.level == Level::kL0) {
        report_.results.push_back({item.name, Verdict::kPass, item.is_robust});
      }
    }
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::remove(plugin_);
  }

  Result& Named(const std::string& name) {
    for (Result& result : report_.results) {
      if (result.name == name) return result;
    }
    ADD_FAILURE() << name;
    return report_.results[0];
  }
  void Write(std::string waivers = "") {
    Status status = WriteBundle(folder_, {report_, plugin_, "", waivers});
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::vector<std::string> Verify() { return CheckBundle(folder_, cases_, plugin_).problems; }
  // Replaces text in a file; with `rehash` the bundle names the file as it is then.
  void Tamper(const std::string& name, const std::string& from, const std::string& to,
              bool rehash) {
    std::string path = folder_ + "/" + name, text = *ReadFile(path), old = Sha256(text);
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    ASSERT_TRUE(WriteFile(path, text).ok());
    if (rehash) Tamper("bundle.json", old, Sha256(text), false);
  }

  std::string folder_, plugin_;
  Report report_;
  std::vector<Case> cases_;
};

TEST_F(BundleTest, AnHonestOneHolds) {
  Write();
  EXPECT_THAT(Verify(), IsEmpty());
  EXPECT_EQ(ConformingLevel(report_), "L0");
}

TEST_F(BundleTest, AnExistingFolderIsNotTouched) {
  Write();
  EXPECT_FALSE(WriteBundle(folder_, {report_, plugin_, "", ""}).ok());
}

TEST_F(BundleTest, AChangedFileIsFound) {
  for (const char* file : {"report.json", "profile.json", "waivers.json", "must_pass.txt"}) {
    std::filesystem::remove_all(folder_);
    Write();
    Tamper(file, "\n", " \n", false);
    EXPECT_THAT(Verify(), Contains(HasSubstr(std::string(file) + " is not the file"))) << file;
  }
}

TEST_F(BundleTest, AMissingFileIsFound) {
  Write();
  std::filesystem::remove(folder_ + "/waivers.json");
  EXPECT_THAT(Verify(), Contains(HasSubstr("cannot read")));
}

TEST_F(BundleTest, ALevelThatTheResultsDoNotReachIsFound) {
  Named("L0/table/version").verdict = Verdict::kFail;
  Write();
  EXPECT_THAT(Verify(), IsEmpty());
  Tamper("report.json", "\"level\":\"\"", "\"level\":\"L0\"", true);
  Tamper("bundle.json", "\"level\":\"\"", "\"level\":\"L0\"", false);
  EXPECT_THAT(Verify(), Contains(HasSubstr("the results reach level \"\"")));
}

TEST_F(BundleTest, ClaimsThatTheReportDoesNotBearOutAreFound) {
  Named("L0/table/version").verdict = Verdict::kWaived;
  Write(R"({"waivers": [{"cases": "L0/table/*", "reason": "known", "address": "https://x",
                         "until_minor": 114}]})");
  EXPECT_THAT(Verify(), IsEmpty());
  Tamper("bundle.json", "\"waived\":1", "\"waived\":0", false);
  EXPECT_THAT(Verify(), ElementsAre("the report has waived 1, the bundle says 0"));
  Tamper("bundle.json", "\"waived\":0", "\"waived\":1", false);
  Tamper("bundle.json", "\"minor\":114", "\"minor\":\"newest\"", false);
  EXPECT_THAT(Verify(), ElementsAre("the report has minor 114, the bundle says \"newest\""));
}

TEST_F(BundleTest, AFailureThatWasTakenOutIsFound) {
  std::erase_if(report_.results, [](const Result& r) { return r.name == "L0/table/attributes"; });
  Write();
  // It is on the list of what must pass, so the level goes.
  EXPECT_EQ(ConformingLevel(report_), "");
  std::filesystem::remove_all(folder_);
  SetUp();
  std::erase_if(report_.results, [](const Result& r) { return r.is_robust; });
  Write();
  EXPECT_THAT(Verify(), Contains(HasSubstr("was not run")));
}

TEST_F(BundleTest, AWaiverOfNobodyIsFound) {
  Named("L0/table/version").verdict = Verdict::kWaived;
  Write();
  EXPECT_THAT(Verify(), Contains(HasSubstr("no waiver that is valid for 0.114")));
  std::filesystem::remove_all(folder_);
  Write(R"({"waivers": [{"cases": "L0/table/*", "reason": "known", "address": "https://x",
                         "until_minor": 113}]})");
  EXPECT_THAT(Verify(), Contains(HasSubstr("no waiver that is valid for 0.114")));
  std::filesystem::remove_all(folder_);
  Write(R"({"waivers": [{"cases": "L0/table/*", "reason": "known", "address": "https://x",
                         "until_minor": 114}]})");
  EXPECT_THAT(Verify(), IsEmpty());
}

TEST_F(BundleTest, AnotherClassIsFound) {
  Named("L0/table/version").is_robust = true;
  Write();
  EXPECT_THAT(Verify(), Contains(HasSubstr("of another class")));
}

TEST_F(BundleTest, AnotherPluginIsFound) {
  Write();
  ASSERT_TRUE(WriteFile(plugin_, "another").ok());
  EXPECT_THAT(Verify(), Contains(HasSubstr("is not the plugin that was examined")));
}

constexpr char kStatement[] = R"({"company": "Firm", "product": "P", "device": "D",
    "driver": "none", "operating_system": "Debian 12", "date": "2026-11-22"})";

// The same as one file.
class BundleFileTest : public BundleTest {
 protected:
  void SetUp() override {
    BundleTest::SetUp();
    file_ = folder_ + ".tar.gz";
  }
  void TearDown() override {
    std::filesystem::remove(file_);
    BundleTest::TearDown();
  }
  std::string file_;
};

TEST_F(BundleFileTest, AnHonestOneHolds) {
  Status status = WriteBundle(file_, {report_, plugin_, "", "", kStatement});
  ASSERT_TRUE(status.ok()) << status.ToString();
  BundleCheck check = CheckBundle(file_, cases_, plugin_);
  EXPECT_THAT(check.problems, IsEmpty());
  std::string text = ToText(check);
  EXPECT_THAT(text, HasSubstr("level:              L0"));
  EXPECT_THAT(text, HasSubstr(Sha256("a plugin")));
  EXPECT_THAT(text, HasSubstr("signature:          none"));
  EXPECT_THAT(text, HasSubstr("the bundle holds: these results make a plugin of this hash conform "
                              "to L0; that they were measured with it is the word of Firm"));
  EXPECT_FALSE(CheckBundle(file_, cases_, "", "/no/such/signers").problems.empty());
}

TEST_F(BundleFileTest, NeedsAStatement) {
  EXPECT_EQ(WriteBundle(file_, {report_, plugin_, "", ""}).code(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(WriteBundle(file_, {report_, plugin_, "", "", "{}"}).ok());
}

TEST_F(BundleFileTest, CutOffOrChangedIsFound) {
  ASSERT_TRUE(WriteBundle(file_, {report_, plugin_, "", "", kStatement}).ok());
  std::string bytes = *ReadFile(file_);
  for (size_t size : {size_t{0}, size_t{10}, bytes.size() / 2, bytes.size() - 1}) {
    ASSERT_TRUE(WriteFile(file_, bytes.substr(0, size)).ok());
    EXPECT_FALSE(CheckBundle(file_, cases_, "").problems.empty()) << size;
  }
  Files files = *UnpackTarGz(bytes);
  for (const auto& [name, contents] : files) {
    Files changed = files;
    changed[name] += " ";
    ASSERT_TRUE(WriteFile(file_, PackTarGz(changed)).ok());
    // Of bundle.json only what it says counts.
    if (name != "bundle.json") {
      EXPECT_FALSE(CheckBundle(file_, cases_, "").problems.empty()) << name;
    }
    changed.erase(name);
    ASSERT_TRUE(WriteFile(file_, PackTarGz(changed)).ok());
    EXPECT_FALSE(CheckBundle(file_, cases_, "").problems.empty()) << name;
  }
  files["more.txt"] = "";
  ASSERT_TRUE(WriteFile(file_, PackTarGz(files)).ok());
  EXPECT_THAT(CheckBundle(file_, cases_, "").problems,
              Contains(HasSubstr("more.txt is not the file")));
}

TEST_F(BundleFileTest, ManyMakeATable) {
  std::filesystem::create_directory(folder_);
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(
        WriteBundle(StrCat(folder_, "/", name, ".tar.gz"), {report_, plugin_, "", "", kStatement})
            .ok());
  }
  ASSERT_TRUE(WriteFile(folder_ + "/broken.tar.gz", "x").ok());
  Expected<std::string> page = BundleTable(folder_, cases_);
  ASSERT_TRUE(page.ok());
  size_t rows = 0;
  for (size_t at = page->find("<tr>"); at != std::string::npos; at = page->find("<tr>", at + 1)) {
    ++rows;
  }
  EXPECT_EQ(rows, 4u);
  EXPECT_THAT(*page, HasSubstr("does not hold"));
  EXPECT_FALSE(BundleTable(folder_ + "/nothing", cases_).ok());
}

TEST_F(BundleTest, GarbageIsAnswered) {
  EXPECT_THAT(Verify(), Contains(HasSubstr("cannot read")));
  Write();
  ASSERT_TRUE(WriteFile(folder_ + "/bundle.json", "garbage").ok());
  EXPECT_THAT(Verify(), Contains(HasSubstr("bundle.json")));
  std::filesystem::remove(folder_ + "/waivers.json");
  std::filesystem::create_directory(folder_ + "/waivers.json");
  Tamper("bundle.json", "garbage", "{}", false);
  EXPECT_THAT(Verify(), Contains(HasSubstr("waivers.json: it is a folder")));
  ASSERT_TRUE(WriteFile(folder_ + "/bundle.json", "[]").ok());
  ASSERT_TRUE(WriteFile(folder_ + "/report.json", "{}").ok());
  EXPECT_THAT(Verify(), Contains(HasSubstr("not a report")));
}

}  // namespace
}  // namespace plinth::conformance
