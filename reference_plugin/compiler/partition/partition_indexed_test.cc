// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters along dimensions that are spread and that indices go into: what is indexed
// stays where it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/partitioned.h"

namespace plinth::compiler::partition {
namespace {

using testing::CheckPartitioned;
using testing::Count;

std::string Spread(std::string_view dims) {
  return StrCat(" {sdy.sharding = #sdy.sharding<@mesh, ", dims, ">}");
}

// A table, and indices some of which are outside of it. %rows is spread as `rows`.
std::string Program(std::string_view table, std::string_view rows, std::string_view result,
                    std::string_view to, std::string_view body) {
  return StrCat(R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%table: tensor<32x8xi32>)",
                Spread(table), ", %rows: tensor<8x8xi32>", Spread(rows), ") -> (tensor<", result,
                ">", Spread(to), R"() {
    %0 = stablehlo.constant dense<[[-5], [0], [7], [8], [31], [32], [17], [-1]]> : tensor<8x1xi32>
    )",
                body, "\n    return %1 : tensor<", result, ">\n  }\n}");
}

testing::Partitioned Check(std::string_view text) {
  auto made = CheckPartitioned(text);
  EXPECT_TRUE(made.ok()) << made.status().ToString() << text;
  return made.ok() ? *std::move(made) : testing::Partitioned();
}

std::string Gather(int size) {
  return StrCat(R"(%1 = "stablehlo.gather"(%table, %0) <{dimension_numbers = #stablehlo.gather<
      offset_dims = [)",
                size == 1 ? "1" : "1, 2", "], ", size == 1 ? "collapsed_slice_dims = [0], " : "",
                "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: ", size,
                ", 8>}> : (tensor<32x8xi32>, tensor<8x1xi32>) -> tensor<8x",
                size == 1 ? "" : StrCat(size, "x"), "8xi32>");
}

TEST(PartitionIndexed, Gathers) {
  struct Row {
    std::string_view table, to;
    int all_reduces, scatters;
  };
  for (const Row& row : {
           Row{"[{\"x\"}, {}]", "[{}, {}]", 1, 0},
           Row{"[{\"x\"}, {\"y\"}]", "[{}, {\"y\"}]", 1, 0},
           Row{"[{\"y\", \"x\"}, {}]", "[{}, {}]", 1, 0},
           Row{"[{\"x\":(1)2}, {}]", "[{}, {}]", 1, 0},
           // A batch over the same devices: each gets the sum of its rows.
           Row{"[{\"x\"}, {}]", "[{\"x\"}, {}]", 0, 1},
       }) {
    const auto made = Check(Program(row.table, "[{}, {}]", "8x8xi32", row.to, Gather(1)));
    ASSERT_NE(made.module, nullptr);
    EXPECT_EQ(made.report.num_fallbacks, 0);
    EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0) << ToString(*made.module);
    EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), row.all_reduces) << ToString(*made.module);
    EXPECT_EQ(Count(*made.module, Opcode::kReduceScatter), row.scatters);
  }
}

TEST(PartitionIndexed, GathersOfWindows) {
  for (const int size : {3, 4}) {
    const std::string result = StrCat("8x", size, "x8xi32");
    const std::string gather = Gather(size);
    const auto made =
        Check(Program("[{\"x\"}, {\"y\"}]", "[{}, {}]", result, "[{}, {}, {\"y\"}]", gather));
    ASSERT_NE(made.module, nullptr);
    // What is taken is more than what it is taken from where there are four rows of it.
    EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 1) << ToString(*made.module);
    EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0) << ToString(*made.module);
    // A window of a part that is smaller than it.
    Check(Program("[{\"x\", \"y\"}, {}]", "[{}, {}]", result, "[{}, {}, {}]", gather));
  }
  const auto made =
      Check(Program("[{\"x\"}, {}]", "[{}, {}]", "8x5x8xi32", "[{}, {}, {}]", Gather(5)));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 1) << ToString(*made.module);
}

std::string Scatter(int size, std::string_view combiner) {
  const std::string updates = size == 1 ? "tensor<8x8xi32>" : StrCat("tensor<8x", size, "x8xi32>");
  return StrCat(size == 1 ? ""
                          : StrCat("%u = stablehlo.broadcast_in_dim %rows, dims = [0, 2] : "
                                   "(tensor<8x8xi32>) -> ",
                                   updates, "\n"),
                R"(%1 = "stablehlo.scatter"(%table, %0, )", size == 1 ? "%rows" : "%u",
                R"() <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [)",
                size == 1 ? "1], inserted_window_dims = [0" : "1, 2", R"(],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      )",
                combiner, R"( : tensor<i32>
    }) : (tensor<32x8xi32>, tensor<8x1xi32>, )",
                updates, ") -> tensor<32x8xi32>");
}
constexpr std::string_view kAdd =
    "%c = stablehlo.add %a, %b : tensor<i32>\n      stablehlo.return %c";

// No index, and no update that is not here already, goes anywhere.
TEST(PartitionIndexed, Scatters) {
  for (const std::string_view table :
       {"[{\"x\"}, {}]", "[{\"x\"}, {\"y\"}]", "[{\"y\", \"x\"}, {}]", "[{\"x\":(1)2}, {}]"}) {
    for (const std::string_view combiner : {kAdd, std::string_view("stablehlo.return %b")}) {
      for (const int size : {1, 3, 4}) {
        const auto made =
            Check(Program(table, "[{}, {}]", "32x8xi32", table, Scatter(size, combiner)));
        ASSERT_NE(made.module, nullptr);
        EXPECT_EQ(made.report.num_fallbacks, 0);
        for (const Opcode opcode : {Opcode::kAllGather, Opcode::kAllReduce, Opcode::kAllToAll}) {
          EXPECT_EQ(Count(*made.module, opcode), 0) << ToString(*made.module);
        }
      }
    }
  }
}

// Updates that are spread by index go to all, since they are fewer than what they go into; over
// other devices, each makes terms of what it has.
TEST(PartitionIndexed, SpreadUpdates) {
  auto made = Check(
      Program("[{\"x\"}, {}]", "[{\"x\"}, {}]", "32x8xi32", "[{\"x\"}, {}]", Scatter(1, kAdd)));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 1) << ToString(*made.module);
  EXPECT_EQ(Count(*made.module, Opcode::kReduceScatter), 0) << ToString(*made.module);
  made = Check(
      Program("[{\"x\"}, {}]", "[{\"y\"}, {}]", "32x8xi32", "[{\"x\"}, {}]", Scatter(1, kAdd)));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0) << ToString(*made.module);
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 1) << ToString(*made.module);
  for (const std::string_view op : {"multiply", "maximum", "minimum"}) {
    const std::string combiner =
        StrCat("%c = stablehlo.", op, " %a, %b : tensor<i32>\n      stablehlo.return %c");
    made =
        Check(Program("[{}, {}]", "[{\"x\"}, {}]", "32x8xi32", "[{}, {}]", Scatter(1, combiner)));
    ASSERT_NE(made.module, nullptr);
    EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0) << op << ToString(*made.module);
    EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 1) << op << ToString(*made.module);
  }
}

}  // namespace
}  // namespace plinth::compiler::partition
