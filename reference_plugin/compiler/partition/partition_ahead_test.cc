// SPDX-License-Identifier: Apache-2.0
// Sums of which nobody asked how they lie: whole, or in parts where much follows from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/partitioned.h"

namespace plinth::compiler::partition {
namespace {

using testing::CheckPartitioned;
using testing::Count;
using testing::Partition;

// Two products with `depth` ops in between. The first one's terms are summed along "d", which the
// array between the products does not use.
std::string TwoLayers(int batch, int hidden, int depth) {
  const std::string type = StrCat("tensor<", batch, "x", hidden, "xf32>");
  std::string text =
      StrCat(R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["d"=4, "m"=2]>
  func.func @main(
      %x: tensor<)",
             batch, R"(x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}]>},
      %w: tensor<8x)",
             hidden, R"(xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {"m"}]>},
      %v: tensor<)",
             hidden, R"(x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}, {"d"}]>})
      -> (tensor<)",
             batch, R"(x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}]>}) {
    %h0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<)",
             batch, "x8xf32>, tensor<8x", hidden, "xf32>) -> ", type, "\n");
  for (int i = 0; i < depth; ++i) {
    text += StrCat("    %h", i + 1, " = stablehlo.negate %h", i, " : ", type, "\n");
  }
  return StrCat(text, "    %y = stablehlo.dot_general %h", depth,
                ", %v, contracting_dims = [1] x [0] : (", type, ", tensor<", hidden,
                "x8xf32>) -> tensor<", batch, "x8xf32>\n    return %y : tensor<", batch,
                "x8xf32>\n  }\n}");
}

struct Moved {
  int scatters, gathers, reduces;
  friend bool operator==(const Moved&, const Moved&) = default;
};

Moved MovedIn(const Module& module) {
  return {Count(module, Opcode::kReduceScatter), Count(module, Opcode::kAllGather),
          Count(module, Opcode::kAllReduce)};
}

Moved MovedIn(const std::string& text) {
  auto module = testing::ReadInlined(std::as_bytes(std::span(text)));
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  const Status status = Partition(**module).status();
  EXPECT_TRUE(status.ok()) << status.ToString();
  return MovedIn(**module);
}

constexpr Moved kWhole = {0, 0, 2}, kInParts = {1, 1, 1};

TEST(PartitionAhead, SumsAreSpreadWhereMuchFollows) {
  EXPECT_EQ(MovedIn(TwoLayers(64, 8192, 16)), kInParts);
  EXPECT_EQ(MovedIn(TwoLayers(64, 8192, 1)), kWhole);
  // A collective costs more than all that would be saved.
  EXPECT_EQ(MovedIn(TwoLayers(64, 64, 16)), kWhole);
  // The axis does not divide the dimension that is free.
  EXPECT_EQ(MovedIn(TwoLayers(63, 8192, 16)), kWhole);
}

TEST(PartitionAhead, PartsOfSumsAreTheSameNumbers) {
  PartitionOptions options;
  options.least_gain = 0;
  auto made = CheckPartitioned(TwoLayers(8, 16, 2), 0, options);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_GE(MovedIn(*made->module).scatters, 1);
}

// It has another number of dimensions than what it is made of. The axis divides the last one alone.
TEST(PartitionAhead, BitcastsOfAnotherWidthAreNotSpread) {
  for (const char* sharding :
       {"", " {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"m\"}]>]>}"}) {
    const std::string text = StrCat(R"(
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["d"=2, "m"=3]>
  func.func @main(
      %x: tensor<65535x8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}]>},
      %w: tensor<8x2xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>})
      -> tensor<65535x1xui64> {
    %s = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<65535x8xui32>, tensor<8x2xui32>) -> tensor<65535x2xui32>
    %b = stablehlo.bitcast_convert %s)",
                                    sharding, R"( : (tensor<65535x2xui32>) -> tensor<65535xui64>
    %r = stablehlo.reshape %b : (tensor<65535xui64>) -> tensor<65535x1xui64>
    return %r : tensor<65535x1xui64>
  }
})");
    EXPECT_EQ(MovedIn(text), (Moved{0, 0, 1})) << sharding;
  }
}

}  // namespace
}  // namespace plinth::compiler::partition
