// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/profile.h"

#include "gtest/gtest.h"

namespace plinth::conformance {
namespace {

TEST(ProfileTest, ReadsEveryKey) {
  Expected<Profile> profile = ParseProfile(R"({
    "create_options": {"num_devices": 2, "name": "x", "fast": true, "share": 0.5},
    "types": ["f32", "s4"], "start_seconds": 90, "case_seconds": 1.5, "exclusive": true,
    "accepts_all_sizes": true, "program_form": "text", "max_partitions": 4,
    "tolerances": {"sum": 100}, "unsupported_ops": ["fft"], "flushes_subnormals": true})");
  ASSERT_TRUE(profile.ok()) << profile.status().ToString();
  EXPECT_EQ(std::get<int64_t>(profile->create_options["num_devices"]), 2);
  EXPECT_EQ(std::get<std::string>(profile->create_options["name"]), "x");
  EXPECT_TRUE(std::get<bool>(profile->create_options["fast"]));
  EXPECT_EQ(std::get<double>(profile->create_options["share"]), 0.5);
  EXPECT_TRUE(profile->Allows(DType::kS4));
  EXPECT_FALSE(profile->Allows(DType::kF64));
  EXPECT_EQ(profile->case_seconds, 1.5);
  EXPECT_TRUE(profile->is_exclusive);
  EXPECT_TRUE(profile->accepts_all_sizes);
  EXPECT_EQ(profile->program_form, ProgramForm::kText);
  EXPECT_EQ(profile->max_partitions, 4);
  EXPECT_EQ(profile->tolerances["sum"], 100);
  EXPECT_TRUE(profile->unsupported_ops.contains("fft"));
  EXPECT_TRUE(profile->flushes_subnormals);
}

TEST(ProfileTest, EveryTypeIsAllowedByDefault) {
  EXPECT_TRUE(ParseProfile("{}")->Allows(DType::kF8E4M3));
}

TEST(ProfileTest, RefusesWhatItDoesNotKnow) {
  for (const char* text :
       {R"({"tipes": []})", R"({"types": ["f33"]})", R"({"types": "f32"})",
        R"({"case_seconds": 0})", R"({"case_seconds": "1"})", R"({"create_options": {"a": [1]}})",
        R"({"exclusive": 1})", "[]", R"({"max_partitions": 0})", R"({"tolerances": {"exact": 1}})",
        R"({"tolerances": {"sum": -1}})", R"({"unsupported_ops": [1]})",
        R"({"program_form": "bytecode"})", R"({"program_form": true})"}) {
    EXPECT_EQ(ParseProfile(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace plinth::conformance
