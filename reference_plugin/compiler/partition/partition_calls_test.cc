// SPDX-License-Identifier: Apache-2.0
// Custom calls: foreign code with a rule, others that partition, effects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/partitioned.h"
#include "reference_plugin/compiler/testing/partitioned_test_util.h"
#include "reference_plugin/program/sharding_text.h"

namespace plinth::compiler::partition {
namespace {

using testing::Count;
using ::testing::HasSubstr;
using testing::Partition;

// Foreign code that computes each matrix on its own runs on the matrices that a device has; a rule
// says how shardings go through, whatever order the dimensions have in memory.
TEST(PartitionCalls, CustomCalls) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x3x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>})
      -> tensor<8x3x5xf32> {
    %0 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {NUMBER
        sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=8, j=3, k=5} need_replication={j, k}, custom>,
        operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]}
        : (tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
    return %0 : tensor<8x3x5xf32>
  }
})";
  for (const bool has_batches : {false, true}) {
    std::string text(kText);
    const std::string_view number =
        has_batches ? "mhlo.frontend_attributes = {num_batch_dims = \"1\"}, " : "";
    text.replace(text.find("NUMBER"), 6, number);
    auto module = testing::ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const auto report = Partition(**module);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(report->num_fallbacks, has_batches ? 0 : 1);
    EXPECT_EQ(Count(**module, Opcode::kAllGather), has_batches ? 0 : 1);
    // The output is spread as the operand in either case.
    EXPECT_EQ((*module)->entry->body->terminator()->operands[0]->type.ToString(), "f32[2,3,5]");
  }
}

// Calls of @twice are partitioned by somebody else, with the module and the shardings given here.
class Others final : public CallPartitioners {
 public:
  bool Has(std::string_view target) const override { return target == "twice"; }
  Expected<Part> Partition(const Op&, std::span<const Array> operands,
                           std::span<const Array> results, int64_t) override {
    told.push_back(program::WriteShardingText(operands[0].sharding));
    Part part;
    PLINTH_ASSIGN_OR_RETURN(part.module, testing::ReadInlined(std::as_bytes(std::span(program))));
    part.operands = {whole ? program::OpSharding() : operands[0].sharding};
    part.results = {whole ? program::OpSharding() : results[0].sharding};
    return part;
  }
  Status Tell(std::string_view config, const program::OpSharding& sharding) override {
    told.push_back(StrCat(config, " ", program::WriteShardingText(sharding)));
    return Status();
  }

  std::string program;
  bool whole = false;  // every device has all of the operand and the result
  std::vector<std::string> told;
};

TEST(PartitionCalls, CallsThatOthersPartition) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    stablehlo.custom_call @InspectSharding(%a) {has_side_effect = true, backend_config = "me"}
        : (tensor<8x4xi32>) -> tensor<8x4xi32>
    %0 = stablehlo.custom_call @twice(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>}
        : (tensor<8x4xi32>) -> tensor<8x4xi32>
    return %0 : tensor<8x4xi32>
  }
})";
  const auto twice = [](std::string_view type) {
    return StrCat("func.func @main(%a: ", type, ") -> ", type,
                  " {\n%0 = stablehlo.add %a, %a : ", type, "\nreturn %0 : ", type, "\n}");
  };
  for (const bool whole : {false, true}) {
    Others others;
    others.whole = whole;
    others.program = twice(whole ? "tensor<8x4xi32>" : "tensor<4x2xi32>");
    auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    PartitionOptions options;
    options.others = &others;
    options.tells_shardings = !whole;
    const auto report = Partition(**module, options);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_TRUE(Verify(**module).ok());
    const std::string text = ToString(**module);
    EXPECT_THAT(text, ::testing::ContainsRegex(whole ? "add\\(.*\\) : s32\\[8,4\\]"
                                                     : "add\\(.*\\) : s32\\[4,2\\]"));
    EXPECT_EQ(Count(**module, Opcode::kAllGather), whole ? 2 : 0) << text;
    std::vector<std::string> told = {"me {devices=[2,2]<=[4]T(0)}", "{devices=[2,2]<=[4]T(0)}"};
    if (whole) told.erase(told.begin());
    EXPECT_EQ(others.told, told);
  }
  // A program of other parts.
  Others others;
  others.program = twice("tensor<8x2xi32>");
  auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
  ASSERT_TRUE(module.ok());
  PartitionOptions options;
  options.others = &others;
  const auto report = Partition(**module, options);
  EXPECT_EQ(report.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(report.status().message()),
              HasSubstr("what its partitioner says of operand 0"));
}

TEST(PartitionCalls, EffectsOnTheDeviceThatHasThem) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @third = <[], device_ids=[2]>
  func.func @main(%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xi32> {
    %0 = stablehlo.custom_call @print(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@third, []>]>}
        : (tensor<8xi32>) -> tensor<8xi32>
    return %0 : tensor<8xi32>
  }
})";
  auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto report = Partition(**module);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  const Status verified = Verify(**module);
  EXPECT_TRUE(verified.ok()) << verified.ToString();
  const std::string text = ToString(**module);
  EXPECT_THAT(text, HasSubstr("all_gather"));
  EXPECT_THAT(text, HasSubstr("constant() {value=2} : s32[]"));
  EXPECT_THAT(text, HasSubstr("collective_broadcast"));
  EXPECT_THAT(text, HasSubstr("[[2,0,1,3]]"));
}

// As JAX sends an ordered callback, whose turn a token hands on.
TEST(PartitionCalls, EffectsInTheOrderOfTheirTokens) {
  for (const std::string_view sharding : {"sdy.sharding = #sdy.sharding_per_value<[<@first, []>]>",
                                          "mhlo.sharding = \"{maximal device=0}\""}) {
    const std::string text = StrCat(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @first = <[], device_ids=[0]>
  func.func @main(%t: !stablehlo.token, %a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> !stablehlo.token {
    %0 = stablehlo.custom_call @print(%t, %a) {has_side_effect = true, )",
                                    sharding, R"(}
        : (!stablehlo.token, tensor<8xi32>) -> !stablehlo.token
    return %0 : !stablehlo.token
  }
})");
    auto module = testing::ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const auto report = Partition(**module);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    const Status verified = Verify(**module);
    EXPECT_TRUE(verified.ok()) << verified.ToString();
    const std::string partitioned = ToString(**module);
    EXPECT_THAT(partitioned, HasSubstr("after_all"));
    // All know that it has happened; there is nothing to send.
    EXPECT_THAT(partitioned, Not(HasSubstr("collective_broadcast")));
  }
}

TEST(PartitionCalls, WrongRulesOfCustomCalls) {
  struct Row {
    std::string_view rule, words;
  };
  for (const Row& row : {
           Row{"([i, j])->([i]) {i=8, j=3}", "it has 2 dimensions for f32[8]"},
           Row{"([i])->([i]) {i=4}", "make 4"},
           Row{"([i], [i])->([i]) {i=8}", "it is for 2 arrays"},
       }) {
    const std::string text = StrCat(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @foo(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<)",
                                    row.rule, R"(, custom>} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
})");
    const auto module = testing::ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_FALSE(module.ok()) << row.rule;
    EXPECT_EQ(module.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(module.status().message(), HasSubstr(row.words));
  }
}

}  // namespace
}  // namespace plinth::compiler::partition
