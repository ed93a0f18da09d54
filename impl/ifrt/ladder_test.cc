// SPDX-License-Identifier: Apache-2.0
// What operations rest on, on plugins that have much and on one that has little.
#include <gmock/gmock.h>

#include "impl/ifrt/testing/fixture.h"
#include "plinth/support/json.h"

namespace plinth::ifrt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LadderTest : public IfrtTest {
 protected:
  void Read(const Client& client) {
    ASSERT_VALUE(const std::string text, client.Ladder());
    plinth::Expected<Json> json = Json::Parse(text);
    ASSERT_TRUE(json.ok()) << text;
    ladder_ = *std::move(json);
  }
  std::string At(std::string_view operation, std::string_view key) const {
    for (const Json& one : ladder_.Elements()) {
      if (one.At("operation").Text() == operation) return std::string(one.At(key).Text());
    }
    return "not there";
  }
  std::string RungOf(std::string_view operation) const { return At(operation, "rung"); }

  Json ladder_;
};

TEST_F(LadderTest, OfThePluginOfThisTree) {
  Read(*client_);
  EXPECT_EQ(RungOf("copy to another device"), "PJRT_Buffer_CopyToMemory");
  EXPECT_EQ(RungOf("reshard of pieces"), "one program over all devices");
  EXPECT_EQ(RungOf("reshard to a layout"), "a small program");
  EXPECT_EQ(RungOf("copy to another process"), "none: UNIMPLEMENTED");
  EXPECT_THAT(At("copy to another process", "why"), HasSubstr("has no CrossHostTransfers"));
  EXPECT_EQ(RungOf("memory as a DLPack tensor"), "PJRT_Buffer_IncreaseExternalReferenceCount");
  EXPECT_EQ(RungOf("shardings of programs"), "the extension Shardings");
  EXPECT_EQ(RungOf("programs"), "StableHLO, for any device");
  EXPECT_THAT(At("programs", "why"), IsEmpty());
}

TEST_F(LadderTest, OfAPluginThatCompilesNoStableHlo) {
  ASSERT_VALUE(const Client client, Client::Create({.plugin = PLINTH_TEST_DEVICES_PLUGIN}));
  Read(client);
  EXPECT_EQ(RungOf("copy to another process"), "the extension CrossHostTransfers");
  EXPECT_EQ(RungOf("reshard of pieces"), "host memory");
  EXPECT_THAT(At("reshard of pieces", "why"), HasSubstr("small programs: UNIMPLEMENTED"));
  EXPECT_EQ(RungOf("reshard to a layout"), "host memory");
  EXPECT_EQ(RungOf("strides in host memory"), "packed on the host first");
  EXPECT_EQ(RungOf("programs"), "none: UNIMPLEMENTED");
}

TEST_F(LadderTest, WithOneDevice) {
  ASSERT_VALUE(const Client client,
               Client::Create({.plugin = PluginPath(), .options = {"num_devices=1"}}));
  Read(client);
  EXPECT_EQ(RungOf("copy to another device"), "not tried: one device");
  EXPECT_EQ(RungOf("reshard of pieces"), "small programs");
}

}  // namespace
}  // namespace plinth::ifrt::testing
