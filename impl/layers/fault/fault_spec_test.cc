// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/fault/fault_spec.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plinth/reflection/reflection.h"

namespace plinth::layers {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
namespace fn = reflection::function;

TEST(FaultSpecTest, ReadsEveryPart) {
  Expected<FaultSpec> spec = ParseFaultSpec(
      " PJRT_Client_Compile:3=INTERNAL; PJRT_Buffer_*:every 10=UNAVAILABLE ;alloc : from 5 = "
      "RESOURCE_EXHAUSTED; delay events 20ms;");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  ASSERT_EQ(spec->rules.size(), 3u);
  EXPECT_EQ(spec->rules[0].text, "PJRT_Client_Compile:3=INTERNAL");
  EXPECT_THAT(spec->rules[0].functions, ElementsAre(fn::kPJRT_Client_Compile));
  EXPECT_EQ(spec->rules[0].code, StatusCode::kInternal);
  EXPECT_EQ(spec->rules[1].when, FaultRule::When::kEvery);
  EXPECT_EQ(spec->rules[1].count, 10u);
  EXPECT_THAT(spec->rules[1].functions, Contains(fn::kPJRT_Buffer_ToHostBuffer));
  EXPECT_THAT(spec->rules[1].functions, Not(Contains(fn::kPJRT_Buffer_Destroy)));
  EXPECT_THAT(spec->rules[2].functions, Contains(fn::kPJRT_LoadedExecutable_Execute));
  EXPECT_EQ(spec->rules[2].when, FaultRule::When::kFrom);
  EXPECT_EQ(spec->event_delay.count(), 20000);
}

TEST(FaultSpecTest, RulesSayWhichCallsFail) {
  FaultRule rule;
  rule.count = 3;
  EXPECT_FALSE(rule.Fires(2));
  EXPECT_TRUE(rule.Fires(3));
  EXPECT_FALSE(rule.Fires(6));
  rule.when = FaultRule::When::kEvery;
  EXPECT_TRUE(rule.Fires(6));
  EXPECT_FALSE(rule.Fires(7));
  rule.when = FaultRule::When::kFrom;
  EXPECT_FALSE(rule.Fires(2));
  EXPECT_TRUE(rule.Fires(7));
}

TEST(FaultSpecTest, AnExactNameMayBeADestroy) {
  Expected<FaultSpec> spec = ParseFaultSpec("PJRT_Buffer_Destroy:1=INTERNAL");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
}

TEST(FaultSpecTest, ErrorsNameThePartAndTheGrammar) {
  struct Case {
    const char* text;
    const char* part;
    const char* why;
  };
  for (const Case& c : {
           Case{"", "no options", "FUNCTION:WHEN=CODE"},
           Case{" ; ;", "no options", "FUNCTION:WHEN=CODE"},
           Case{"alloc:1=INTERNAL; what", "`what`", "missing"},
           Case{"PJRT_Client_Compile=INTERNAL", "`PJRT_Client_Compile=INTERNAL`", "missing"},
           Case{"PJRT_Client_Complie:1=INTERNAL", "Complie", "no function"},
           Case{"pjrt_*:1=INTERNAL", "pjrt_*", "no function"},
           Case{"PJRT_Error_Destroy:1=INTERNAL", "PJRT_Error_Destroy", "returns no error"},
           Case{"alloc:0=INTERNAL", "alloc:0", "from 1"},
           Case{"alloc:-1=INTERNAL", "alloc:-1", "from 1"},
           Case{"alloc:99999999999999999999=INTERNAL", "alloc:9", "from 1"},
           Case{"alloc:every=INTERNAL", "alloc:every", "every N"},
           Case{"alloc:every 2 3=INTERNAL", "every 2 3", "every N"},
           Case{"alloc:1=OK", "alloc:1=OK", "no error code"},
           Case{"alloc:1=internal", "internal", "no error code"},
           Case{"delay events", "delay events", "whole number"},
           Case{"delay events 20", "delay events 20", "whole number"},
           Case{"delay events 61s", "61s", "at most 60s"},
           Case{"delay calls 20ms", "delay calls", "only `events`"},
       }) {
    Expected<FaultSpec> spec = ParseFaultSpec(c.text);
    ASSERT_FALSE(spec.ok()) << c.text;
    EXPECT_EQ(spec.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(spec.status().message(), HasSubstr(c.part));
    EXPECT_THAT(spec.status().message(), HasSubstr(c.why));
    EXPECT_THAT(spec.status().message(), HasSubstr("FUNCTION:WHEN=CODE"));
  }
}

TEST(FaultSpecTest, SizesAreBounded) {
  std::string rule = "alloc:1=INTERNAL;";
  std::string many;
  for (int i = 0; i < 65; ++i) many += rule;
  EXPECT_FALSE(ParseFaultSpec(many).ok());
  EXPECT_FALSE(ParseFaultSpec(std::string(5000, ' ')).ok());
  // Patterns that a careless matcher takes exponential time for.
  EXPECT_FALSE(ParseFaultSpec(std::string(1000, '*') + "!:1=INTERNAL").ok());
}

TEST(FaultSpecTest, TheFuzzerInputsAreHarmless) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("testdata/fault_spec_fuzz")) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    static_cast<void>(ParseFaultSpec(text));
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace plinth::layers
