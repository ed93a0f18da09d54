// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/sharding_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plinth::program {
namespace {

using ::testing::HasSubstr;
using Kind = OpSharding::Kind;

OpSharding Read(std::string_view text) {
  auto sharding = ReadShardingText(text);
  EXPECT_TRUE(sharding.ok()) << text << ": " << sharding.status().ToString();
  return sharding.ok() ? *std::move(sharding) : OpSharding();
}

TEST(ShardingText, FormsThatFrameworksSend) {
  EXPECT_EQ(Read("{replicated}"), OpSharding());
  EXPECT_EQ(Read("{manual}").kind, Kind::kManual);
  EXPECT_EQ(Read("{unreduced}").kind, Kind::kUnreduced);
  EXPECT_EQ(Read("{unknown}").kind, Kind::kUnknown);
  const OpSharding maximal = Read("{maximal device=3}");
  EXPECT_EQ(maximal.kind, Kind::kMaximal);
  EXPECT_EQ(maximal.devices, std::vector<int64_t>{3});
  const OpSharding list = Read("{devices=[2,2]0,2,1,3 metadata={op_name=\"a{b}\"}}");
  EXPECT_EQ(list.kind, Kind::kTiled);
  EXPECT_EQ(list.tile_dimensions, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(list.devices, (std::vector<int64_t>{0, 2, 1, 3}));
  const OpSharding iota = Read("{devices=[2,1,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}");
  EXPECT_TRUE(iota.replicate_on_last_tile_dim);
  EXPECT_TRUE(iota.devices.empty());
  EXPECT_EQ(iota.iota_reshape_dims, (std::vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(iota.iota_transpose_perm, (std::vector<int64_t>{1, 0, 2}));
  EXPECT_EQ(Read("{devices=[8]<=[8]}").iota_transpose_perm, std::vector<int64_t>{0});
  EXPECT_EQ(Read("{devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}").last_tile_dims,
            (std::vector<Kind>{Kind::kManual, Kind::kReplicated}));
  EXPECT_EQ(Read("{devices=[2]<=[2] shard_as 7}").kind, Kind::kTiled);
  EXPECT_EQ(Read("{shard_like 7}").kind, Kind::kUnknown);
  const OpSharding tuple = Read("{{replicated}, {devices=[2]<=[2]}}");
  EXPECT_EQ(tuple.kind, Kind::kTuple);
  ASSERT_EQ(tuple.elements.size(), 2u);
  EXPECT_EQ(tuple.elements[1].kind, Kind::kTiled);
  EXPECT_EQ(Read("{}").kind, Kind::kTuple);
}

TEST(ShardingText, Groups) {
  int64_t group = 0;
  ASSERT_TRUE(ReadShardingText("{unknown shard_as 3}", &group).ok());
  EXPECT_EQ(group, 3);
  ASSERT_TRUE(ReadShardingText("{shard_like 7}", &group).ok());
  EXPECT_EQ(group, 7);
  ASSERT_TRUE(ReadShardingText("{replicated}", &group).ok());
  EXPECT_EQ(group, kNoShardingGroup);
}

TEST(ShardingText, WrongTextsNameThePlace) {
  struct Row {
    std::string_view text, words;
  };
  for (const Row& row : {
           Row{"", "at character 0: expected '{'"},
           Row{"{", "at character 1: expected devices="},
           Row{"{replicated", "at character 11: expected last_tile_dim_replicate"},
           Row{"{replicated} x", "at character 13: expected the end"},
           Row{"{maximal}", "at character 8: expected 'device='"},
           Row{"{maximal device=-1}", "expected a number"},
           Row{"{devices=2}", "at character 9: expected '['"},
           Row{"{devices=[2,]0,1}", "at character 12: expected a number"},
           Row{"{devices=[2]}", "at character 12: expected a number"},
           Row{"{devices=[2]<=2}", "at character 14: expected '['"},
           Row{"{devices=[2]<=[2]T0}", "expected '('"},
           Row{"{devices=[99999999999999999999]<=[2]}", "expected a number"},
           Row{"{devices=[2]<=[2] last_tile_dims={maximal}}", "expected replicated, manual"},
           Row{"{devices=[2]<=[2] metadata={", "expected '}'"},
           Row{"{{{{{{{{{{{replicated}}}}}}}}}}}", "nested at most 8 deep"},
           Row{"{{replicated}, }", "expected '{'"},
       }) {
    const auto sharding = ReadShardingText(row.text);
    ASSERT_FALSE(sharding.ok()) << row.text;
    EXPECT_EQ(sharding.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(sharding.status().message(), HasSubstr(row.words)) << row.text;
  }
}

// Every text that is cut off is an error, or another sharding; never more.
TEST(ShardingText, CutOff) {
  const std::string_view text =
      "{{devices=[2,1,4]<=[2,2,2]T(1,0,2) last_tile_dims={manual, replicated}}, {maximal "
      "device=1}}";
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(ReadShardingText(text.substr(0, size)).ok());
  }
}

}  // namespace
}  // namespace plinth::program
