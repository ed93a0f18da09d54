// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/plugin_hint.h"

#include "gtest/gtest.h"

namespace plinth {
namespace {

TEST(PluginHintTest, TheFirstThatFitsPathAndText) {
  EXPECT_NE(PluginHint("/x/libtpu/libtpu.so", "it hung").find("TPU_SKIP_MDS_QUERY=1"),
            std::string_view::npos);
  EXPECT_EQ(PluginHint("/x/other.so", "it hung"), "");
  EXPECT_NE(PluginHint("/x/cuda.so", "FAILED_PRECONDITION: No visible GPU devices.")
                .find("no GPU can be seen"),
            std::string_view::npos);
  EXPECT_EQ(PluginHint("", ""), "");
}

}  // namespace
}  // namespace plinth
