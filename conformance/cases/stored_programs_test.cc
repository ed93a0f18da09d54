// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/stored_programs.h"

#include <gtest/gtest.h>

namespace plinth::conformance {
namespace {

constexpr const char* kPrograms[] = {"add_donated", "add_one",        "argument_returned",
                                     "donating",    "elementary",     "empty_array",
                                     "loop",        "gather_scatter", "matmul",
                                     "no_results",  "no_arguments",   "two_results"};

TEST(StoredProgramsTest, EveryProgramIsThereInEveryForm) {
  for (const char* program : kPrograms) {
    const std::string module = StrCat("module @", program, " {\n");
    EXPECT_TRUE(StoredText(program).starts_with(module)) << program;
    for (const StoredVersion& version : StoredVersions()) {
      const std::string_view artifact = StoredArtifact(program, version);
      EXPECT_TRUE(artifact.starts_with("ML\xefR")) << program << " " << version.name;
      const std::string producer = StrCat("StableHLO_v", version.name, ".0");
      EXPECT_NE(artifact.find(producer), std::string_view::npos) << program << " " << producer;
    }
  }
  EXPECT_FALSE(StoredFile("one_device.compileopts.pb").empty());
  EXPECT_TRUE(StoredFile("nothing").empty());
}

TEST(StoredProgramsTest, OpsThatAPluginLacksAreFound) {
  Profile profile;
  EXPECT_EQ(OpThatIsLacking(profile, "loop"), "");
  profile.unsupported_ops = {"while", "convolution", "dot_general/s32"};
  EXPECT_EQ(OpThatIsLacking(profile, "loop"), "while");
  EXPECT_EQ(OpThatIsLacking(profile, "matmul"), "");
  EXPECT_EQ(OpThatIsLacking(profile, "no_results"), "");
}

TEST(StoredProgramsTest, VersionsAreChosenByTheAttributes) {
  struct Row {
    StablehloRange range;
    std::string_view chosen;    // "" is text
    std::string_view promised;  // of the stored ones
  };
  const Row rows[] = {
      {{}, "1.13", ""},
      {{{}, {{1, 13}}}, "1.13", "1.13"},
      {{{}, {{1, 17}}}, "1.13", ""},
      {{{}, {{1, 10}}}, "1.0", ""},
      {{{{0, 9}}, {{1, 17}}}, "1.13", "0.9 1.0 1.13"},
      {{{{0, 9}}, {{1, 12}}}, "1.0", "0.9 1.0"},
      {{{{0, 10}}, {{1, 0}}}, "1.0", "1.0"},
      {{{{1, 14}}, {{1, 17}}}, "", ""},
      {{{{0, 9}}, {}}, "1.13", ""},
      {{{}, {{0, 8}}}, "", ""},
  };
  for (const Row& row : rows) {
    const StoredVersion* chosen = VersionFor(row.range);
    EXPECT_EQ(chosen == nullptr ? "" : chosen->name, row.chosen) << &row - rows;
    std::string promised;
    for (const StoredVersion& version : StoredVersions()) {
      if (!row.range.Promises(version.version)) continue;
      promised += StrCat(promised.empty() ? "" : " ", version.name);
    }
    EXPECT_EQ(promised, row.promised) << &row - rows;
  }
}

}  // namespace
}  // namespace plinth::conformance
