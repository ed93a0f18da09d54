// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/json.h"

namespace plinth::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> FindingsOfText(std::string_view probe) {
  static constexpr const char* kKinds[] = {"problem: ", "warning: ", "note: "};
  const Expected<Json> json = Json::Parse(probe);
  EXPECT_TRUE(json.ok()) << json.status().ToString();
  std::vector<std::string> texts;
  for (const Finding& finding : FindingsOf(*json)) {
    texts.push_back(kKinds[static_cast<int>(finding.kind)] + finding.text);
  }
  return texts;
}

TEST(FindingsTest, NothingWrong) {
  EXPECT_THAT(FindingsOfText(R"({"verdict":"works","message":"","standard_error":"",
      "table":{"major":0,"minor":114,"slots":138,"slots_null":["PJRT_Client_Load"]},
      "extensions":[{"type":4},{"type":5}]})"),
              IsEmpty());
}

TEST(FindingsTest, AnswerWithoutAnything) {
  EXPECT_THAT(FindingsOfText("{}"), ElementsAre("problem: it : "));
  EXPECT_THAT(FindingsOfText(R"({"verdict":7,"table":"x","extensions":3,"missing_libraries":[1]})"),
              Contains(HasSubstr("problem")));
}

TEST(FindingsTest, MissingLibraries) {
  EXPECT_THAT(
      FindingsOfText(R"({"verdict":"fails","message":"cannot be opened",
      "missing_libraries":[{"name":"libcudnn.so.9","reason":"r"},{"name":"libodd.so","reason":"r"}]})"),
      ElementsAre(HasSubstr("missing libraries of CUDA: libcudnn.so.9 (install pip nvidia-cudnn"),
                  HasSubstr("missing libraries: libodd.so (install the package"),
                  HasSubstr("it fails")));
  // One problem for each vendor; who needs it is said, but not to blame.
  EXPECT_THAT(FindingsOfText(R"({"verdict":"works","missing_libraries":[
      {"name":"libccl.so.1","reason":"r","needed_by":"/x/sycl_onednn.so"},
      {"name":"libsycl.so.8","reason":"r"}]})"),
              ElementsAre(AllOf(HasSubstr("missing libraries of oneAPI: libccl.so.1, which "
                                          "/x/sycl_onednn.so needs (install apt intel-oneapi-ccl"),
                                HasSubstr("; libsycl.so.8 (install"))));
}

TEST(FindingsTest, NullSlots) {
  EXPECT_THAT(FindingsOfText(R"({"verdict":"works","table":{"minor":114,"slots":138,
      "slots_null":["PJRT_Client_Compile","PJRT_Buffer_UnsafePointer","PJRT_Event_Create"]}})"),
              ElementsAre(HasSubstr("problem: PJRT_Client_Compile is null"),
                          HasSubstr("warning: PJRT_Buffer_UnsafePointer is null")));
}

TEST(FindingsTest, AnotherMajorVersionIsNotLookedInto) {
  EXPECT_THAT(FindingsOfText(R"({"verdict":"fails","message":"m","table":{"major":1,"minor":0,
      "slots":0,"slots_null":["PJRT_Client_Compile"]}})"),
              ElementsAre("problem: it fails: m",
                          HasSubstr("only the version of a table of PJRT 1.x is read")));
}

TEST(FindingsTest, WhatCameSinceIsSaid) {
  EXPECT_EQ(NewerThan(117), "");
  EXPECT_THAT(NewerThan(114), HasSubstr("0.117; since 0.114 no function was added"));
  EXPECT_THAT(NewerThan(109),
              HasSubstr("built before PJRT_TopologyDescription_GetMemorySpaceKind"));
  EXPECT_THAT(NewerThan(60), HasSubstr(" more"));
  EXPECT_EQ(NewerThan(0), "");
}

TEST(FindingsTest, OddTables) {
  EXPECT_THAT(
      FindingsOfText(R"({"verdict":"works","table":{"minor":57,"slots":138}})"),
      ElementsAre(HasSubstr("says PJRT 0.57 and has 138 functions; that revision has 101")));
  EXPECT_THAT(FindingsOfText(R"({"verdict":"works","table":{"minor":999,"slots":200}})"),
              ElementsAre(HasSubstr("0.999 is newer")));
  EXPECT_THAT(FindingsOfText(R"({"verdict":"works","extensions":[{"type":4},{"type":4}]})"),
              ElementsAre(HasSubstr("extension 4 is twice")));
}

TEST(FindingsTest, Hints) {
  EXPECT_THAT(FindingsOfText(R"({"verdict":"hung","path":"/x/libtpu.so","message":"no answer"})"),
              Contains(HasSubstr("TPU_SKIP_MDS_QUERY=1")));
  EXPECT_THAT(FindingsOfText(R"({"verdict":"hung","path":"/x/other.so","message":"no answer"})"),
              ElementsAre("problem: it hung: no answer"));
  EXPECT_THAT(FindingsOfText(R"({"verdict":"fails","message":"No visible GPU devices.",
      "standard_error":"failed call to cuInit\nmore"})"),
              ElementsAre(HasSubstr("it fails"), HasSubstr("nvidia-smi"),
                          "note: it wrote to standard error: failed call to cuInit"));
}

TEST(FindingsTest, Quirks) {
  EXPECT_THAT(KnownQuirks(76), Contains(HasSubstr("PJRT_Client_CreateAliasBuffer: Upstream's")));
  EXPECT_THAT(KnownQuirks(5), IsEmpty());
}

}  // namespace
}  // namespace plinth::cli
