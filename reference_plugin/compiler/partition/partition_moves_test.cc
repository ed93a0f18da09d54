// SPDX-License-Identifier: Apache-2.0
// Ops whose elements move along dimensions that are spread: nothing is gathered for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/verifier.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/partitioned.h"
#include "reference_plugin/compiler/testing/partitioned_test_util.h"

namespace plinth::compiler::partition {
namespace {

using testing::Count;
using testing::ExpectPartitioned;
using testing::Partitioned;

// %a is spread as `from`, %0 as `to`, over axes "x" of 4 devices and "y" of 2.
std::string Program(std::string_view type, std::string_view from, std::string_view result,
                    std::string_view to, std::string_view body) {
  return StrCat(R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%a: tensor<)",
                type, "> {sdy.sharding = #sdy.sharding<@mesh, ", from, ">}) -> (tensor<", result,
                "> {sdy.sharding = #sdy.sharding<@mesh, ", to, R"(>}) {
    %one = stablehlo.constant dense<1> : tensor<i32>
    )",
                body, "\n    return %0 : tensor<", result, ">\n  }\n}");
}

struct Row {
  std::string_view type, from, result, to, body;
  int redistributions = 1;
};

void CheckMoves(const Row& row) {
  const Partitioned made =
      ExpectPartitioned(Program(row.type, row.from, row.result, row.to, row.body));
  ASSERT_NE(made.module, nullptr) << row.body;
  EXPECT_EQ(made.report.num_fallbacks, 0) << row.body;
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0) << row.body;
  EXPECT_EQ(Count(*made.module, Opcode::kAllToAll), 0) << row.body;
  EXPECT_EQ(Count(*made.module, Opcode::kRedistribute), row.redistributions)
      << ToString(*made.module);
}

TEST(PartitionMoves, Slices) {
  for (const Row& row : {
           Row{"16x4xi32", "[{\"x\"}, {}]", "8x4xi32", "[{\"x\"}, {}]",
               "%0 = stablehlo.slice %a [5:13, 0:4] : (tensor<16x4xi32>) -> tensor<8x4xi32>"},
           Row{"16x4xi32", "[{\"x\"}, {}]", "4x4xi32", "[{\"x\"}, {}]",
               "%0 = stablehlo.slice %a [2:14:3, 0:4] : (tensor<16x4xi32>) -> tensor<4x4xi32>"},
           // Of a result that does not divide every device has all, and no more.
           Row{"16x4xi32", "[{\"x\"}, {\"y\"}]", "3x4xi32", "[{}, {\"y\"}]",
               "%0 = stablehlo.slice %a [5:8, 0:4] : (tensor<16x4xi32>) -> tensor<3x4xi32>"},
           Row{"16x8xi32", "[{\"x\"}, {\"y\"}]", "8x4xi32", "[{\"x\"}, {\"y\"}]",
               "%0 = stablehlo.slice %a [5:13, 3:7] : (tensor<16x8xi32>) -> tensor<8x4xi32>"},
           Row{"16x4xi32", "[{\"y\"}, {\"x\"}]", "8x4xi32", "[{\"x\"}, {\"y\"}]",
               "%0 = stablehlo.slice %a [5:13, 0:4] : (tensor<16x4xi32>) -> tensor<8x4xi32>"},
       }) {
    CheckMoves(row);
  }
}

TEST(PartitionMoves, Pads) {
  const auto pad = [](int low, int high, int interior, int size) {
    return StrCat("%0 = stablehlo.pad %a, %one, low = [", low, ", 0], high = [", high,
                  ", 0], interior = [", interior,
                  ", 0] : (tensor<8x4xi32>, tensor<i32>) -> tensor<", size, "x4xi32>");
  };
  const Row row = {"8x4xi32", "[{\"x\"}, {\"y\"}]", "16x4xi32", "[{\"x\"}, {\"y\"}]", ""};
  for (const std::string& body : {pad(1, 7, 0, 16), pad(-1, 9, 0, 16), pad(0, 8, 0, 16),
                                  pad(9, -1, 0, 16), pad(-2, 3, 1, 16), pad(3, -2, 1, 16)}) {
    Row with = row;
    with.body = body;
    CheckMoves(with);
  }
  // Each device has what it needs.
  const std::string between = pad(0, 1, 1, 16);
  CheckMoves({row.type, row.from, row.result, row.to, between, 0});
  // Holes that are elsewhere on each device: the operand is gathered.
  ExpectPartitioned(Program(row.type, row.from, row.result, row.to, pad(-3, -3, 2, 16)));
  CheckMoves({"8x4xi32", "[{\"x\"}, {\"y\"}]", "8x4xi32", "[{\"x\"}, {\"y\"}]", pad(1, -1, 0, 8)});
}

TEST(PartitionMoves, Reverses) {
  CheckMoves({"8x4xi32", "[{\"x\"}, {\"y\"}]", "8x4xi32", "[{\"x\"}, {\"y\"}]",
              "%0 = stablehlo.reverse %a, dims = [0] : tensor<8x4xi32>"});
  CheckMoves({"8x4xi32", "[{\"x\"}, {\"y\"}]", "8x4xi32", "[{\"x\"}, {\"y\"}]",
              "%0 = stablehlo.reverse %a, dims = [0, 1] : tensor<8x4xi32>"});
}

TEST(PartitionMoves, Joins) {
  CheckMoves({"8x4xi32", "[{\"x\"}, {\"y\"}]", "16x4xi32", "[{\"x\"}, {\"y\"}]",
              "%b = stablehlo.negate %a : tensor<8x4xi32>\n"
              "%0 = stablehlo.concatenate %a, %b, dim = 0 : "
              "(tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<16x4xi32>"});
  // jnp.roll: slices that do not divide are no arrays of their own.
  CheckMoves({"8x4xi32", "[{\"x\"}, {\"y\"}]", "8x4xi32", "[{\"x\"}, {\"y\"}]",
              "%b = stablehlo.slice %a [7:8, 0:4] : (tensor<8x4xi32>) -> tensor<1x4xi32>\n"
              "%c = stablehlo.slice %a [0:7, 0:4] : (tensor<8x4xi32>) -> tensor<7x4xi32>\n"
              "%0 = stablehlo.concatenate %b, %c, dim = 0 : "
              "(tensor<1x4xi32>, tensor<7x4xi32>) -> tensor<8x4xi32>"});
}

// A slice that begins anywhere goes to all devices, as terms of a sum; an update goes to none.
TEST(PartitionMoves, DynamicSlices) {
  const auto check = [](std::string_view result, std::string_view to, std::string_view body) {
    const Partitioned made =
        ExpectPartitioned(Program("16x4xi32", "[{\"x\"}, {\"y\"}]", result, to, body));
    ASSERT_NE(made.module, nullptr) << body;
    EXPECT_EQ(made.report.num_fallbacks, 0) << body;
    EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0) << ToString(*made.module);
    const bool is_scattered = to == "[{\"x\"}, {\"y\"}]";
    EXPECT_EQ(Count(*made.module, Opcode::kReduceScatter), is_scattered && result[0] == '8');
    EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), !is_scattered) << ToString(*made.module);
  };
  for (const int start : {-3, 0, 2, 5, 11, 15}) {
    const std::string at =
        StrCat("%i = stablehlo.constant dense<", start,
               "> : tensor<i32>\n%j = stablehlo.constant dense<0> : tensor<i32>\n");
    check("3x4xi32", "[{}, {\"y\"}]",
          StrCat(at,
                 "%0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [3, 4] : "
                 "(tensor<16x4xi32>, tensor<i32>, tensor<i32>) -> tensor<3x4xi32>"));
    check("8x4xi32", "[{\"x\"}, {\"y\"}]",
          StrCat(at,
                 "%0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [8, 4] : "
                 "(tensor<16x4xi32>, tensor<i32>, tensor<i32>) -> tensor<8x4xi32>"));
    for (const int size : {1, 6}) {
      check("16x4xi32", "[{\"x\"}, {\"y\"}]",
            StrCat(at, "%u = stablehlo.constant dense<77> : tensor<", size,
                   "x4xi32>\n%0 = stablehlo.dynamic_update_slice %a, %u, %i, %j : "
                   "(tensor<16x4xi32>, tensor<",
                   size, "x4xi32>, tensor<i32>, tensor<i32>) -> tensor<16x4xi32>"));
    }
  }
}

// What has gone somewhere once is there.
TEST(PartitionMoves, NothingMovesTwice) {
  CheckMoves({"16x4xi32", "[{\"x\"}, {}]", "8x4xi32", "[{\"x\"}, {}]",
              "%b = stablehlo.slice %a [5:13, 0:4] : (tensor<16x4xi32>) -> tensor<8x4xi32>\n"
              "%c = stablehlo.slice %a [5:13, 0:4] : (tensor<16x4xi32>) -> tensor<8x4xi32>\n"
              "%d = stablehlo.negate %b : tensor<8x4xi32>\n"
              "%0 = stablehlo.maximum %c, %d : tensor<8x4xi32>"});
  const Partitioned made = ExpectPartitioned(
      Program("16x4xi32", "[{\"x\"}, {}]", "4xi32", "[{}]",
              "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
              "%b = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] "
              ": (tensor<16x4xi32>, tensor<i32>) -> tensor<4xi32>\n"
              "%c = stablehlo.negate %b : tensor<4xi32>\n%d = stablehlo.abs %b : tensor<4xi32>\n"
              "%0 = stablehlo.maximum %c, %d : tensor<4xi32>"));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 1);
}

// In gradients of a convolution's kernel each device adds up what its part of the result's
// gradient, which is the kernel there, says. That is exchanged, not the arrays.
TEST(PartitionMoves, GradientsOfKernels) {
  struct {
    std::string_view window, kernel;
    int64_t result;
  } const rows[] = {
      {"pad = [[1, 1]]", "16", 3},
      {"stride = [2], pad = [[2, 3]]", "16", 3},
      {"pad = [[1, 0]], rhs_dilate = [2]", "8", 3},
      {"pad = [[-5, -6]], lhs_dilate = [2]", "16", 5},
      {"pad = [[-1, -2]]", "12", 2},
  };
  for (const auto& [window, kernel, size] : rows) {
    const std::string result = StrCat(size, "x2x2xi32"),
                      of = StrCat("tensor<1x", kernel, "x2xi32>");
    const bool is_every_second = kernel == "8";
    const std::string text = Program(
        "1x16x2xi32", "[{}, {\"x\"}, {}]", result, "[{}, {}, {}]",
        StrCat("%b = stablehlo.slice %a [0:1, 0:", is_every_second ? "16:2" : kernel,
               ", 0:2] : (tensor<1x16x2xi32>) -> ", of,
               "\n%0 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], "
               "window = {",
               window, "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : ",
               "(tensor<1x16x2xi32>, ", of, ") -> tensor<", result, ">"));
    const auto module = testing::ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    ASSERT_TRUE(testing::Partition(**module).ok()) << text;
    EXPECT_TRUE(Verify(**module).ok()) << Verify(**module).ToString();
    EXPECT_EQ(Count(**module, Opcode::kAllReduce), 1) << ToString(**module);
    EXPECT_EQ(Count(**module, Opcode::kRedistribute), 1) << ToString(**module);
    EXPECT_EQ(Count(**module, Opcode::kAllGather), 0) << ToString(**module);
  }
}

// What two arrays need of other devices comes at once, and what every device can make does not.
TEST(PartitionMoves, GathersMeetOnce) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                  %b: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %c: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
      -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
          tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
          tensor<2x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.negate %a : tensor<8xi32>
    %1 = stablehlo.abs %b : tensor<8x4xi32>
    %2 = sdy.sharding_constraint %c <@mesh, [{"x"}]> : tensor<8xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<8xi32>) -> tensor<2x8xi32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{}, {"x"}]> : tensor<2x8xi32>
    return %0, %1, %4 : tensor<8xi32>, tensor<8x4xi32>, tensor<2x8xi32>
  }
})";
  const Partitioned made = ExpectPartitioned(kText);
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 1) << ToString(*made.module);
  EXPECT_THAT(ToString(*made.module), ::testing::HasSubstr(": s32[8], s32[8,4]\n"));
}

// Parts of one axis are in two dimensions, and elements move along one of them.
TEST(PartitionMoves, PartsOfAnAxis) {
  CheckMoves({"2x8x1xi32", "[{\"x\":(1)2}, {\"x\":(2)2}, {}]", "2x16x1xi32",
              "[{\"x\":(1)2}, {\"x\":(2)2}, {}]",
              "%0 = stablehlo.concatenate %a, %a, dim = 1 : "
              "(tensor<2x8x1xi32>, tensor<2x8x1xi32>) -> tensor<2x16x1xi32>"});
}

// Where nothing is spread that moves, the slices are made and joined on each device.
TEST(PartitionMoves, SlicesOfWhatIsNotSpread) {
  CheckMoves({"8x4xi32", "[{\"x\"}, {}]", "8x4xi32", "[{\"x\"}, {}]",
              "%b = stablehlo.slice %a [0:8, 1:4] : (tensor<8x4xi32>) -> tensor<8x3xi32>\n"
              "%c = stablehlo.slice %a [0:8, 0:1] : (tensor<8x4xi32>) -> tensor<8x1xi32>\n"
              "%0 = stablehlo.concatenate %b, %c, dim = 1 : "
              "(tensor<8x3xi32>, tensor<8x1xi32>) -> tensor<8x4xi32>",
              0});
}

}  // namespace
}  // namespace plinth::compiler::partition
