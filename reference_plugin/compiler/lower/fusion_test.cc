// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/lower/fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <string>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/lower/lower_context.h"
#include "reference_plugin/compiler/testing/lower_test_util.h"

namespace plinth::compiler::lower {
namespace {

using testing::CountKernels;
using testing::ExpectFusionKeepsResults;
using testing::LowerText;
using testing::Parse;
using testing::Steps;
constexpr std::string_view kSoftmax = R"(
  func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
    %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [1]
      : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xf32>) -> tensor<3x5xf32>
    %2 = stablehlo.subtract %x, %1 : tensor<3x5xf32>
    %3 = stablehlo.exponential %2 : tensor<3x5xf32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<3xf32>) -> tensor<3x5xf32>
    %6 = stablehlo.divide %3, %5 : tensor<3x5xf32>
    return %6 : tensor<3x5xf32>
  })";

TEST(Fusion, SoftmaxIsOneKernelOfThreePhases) {
  plan::Schedule schedule = LowerText(kSoftmax);
  ASSERT_EQ(schedule.entry.steps.size(), 1u) << ToString(schedule);
  const Kernel& kernel = *schedule.entry.steps[0].kernel;
  EXPECT_EQ(kernel.shape.num_parallel, 1);
  ASSERT_EQ(kernel.body.phases.size(), 3u) << ToString(kernel);
  int exponentials = 0, rows = 0;
  for (const Phase& phase : kernel.body.phases) {
    EXPECT_TRUE(phase.over_reduced);
    for (const Node& node : phase.nodes) {
      exponentials += node.kind == NodeKind::kOp && node.opcode == Opcode::kExponential;
      rows += node.kind == NodeKind::kRow;
    }
  }
  EXPECT_EQ(exponentials, 1) << "the exponential is kept for the last phase";
  EXPECT_EQ(rows, 1);
  ExpectFusionKeepsResults(kSoftmax);
}

constexpr std::string_view kLayerNorm = R"(
  func.func @main(%x: tensor<4x6xf32>, %gamma: tensor<6xf32>, %beta: tensor<6xf32>)
      -> tensor<4x6xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %count = stablehlo.constant dense<6.0> : tensor<4x1xf32>
    %eps = stablehlo.constant dense<1.0e-5> : tensor<4x1xf32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %2 = stablehlo.divide %1, %count : tensor<4x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %4 = stablehlo.subtract %x, %3 : tensor<4x6xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<4x6xf32>
    %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.reshape %6 : (tensor<4xf32>) -> tensor<4x1xf32>
    %8 = stablehlo.divide %7, %count : tensor<4x1xf32>
    %9 = stablehlo.add %8, %eps : tensor<4x1xf32>
    %10 = stablehlo.rsqrt %9 : tensor<4x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %12 = stablehlo.multiply %4, %11 : tensor<4x6xf32>
    %13 = stablehlo.broadcast_in_dim %gamma, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
    %14 = stablehlo.multiply %12, %13 : tensor<4x6xf32>
    %15 = stablehlo.broadcast_in_dim %beta, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
    %16 = stablehlo.add %14, %15 : tensor<4x6xf32>
    return %16 : tensor<4x6xf32>
  })";

TEST(Fusion, LayerNormIsOneKernel) {
  plan::Schedule schedule = LowerText(kLayerNorm);
  EXPECT_EQ(CountKernels(schedule.entry), 1) << ToString(schedule);
  ExpectFusionKeepsResults(kLayerNorm);
}

TEST(Fusion, LogSumExpAndVarianceHaveNoBroadcastBack) {
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
      %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [1]
        : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xf32>) -> tensor<3x5xf32>
      %2 = stablehlo.subtract %x, %1 : tensor<3x5xf32>
      %3 = stablehlo.exponential %2 : tensor<3x5xf32>
      %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
      %5 = stablehlo.log %4 : tensor<3xf32>
      %6 = stablehlo.add %5, %0 : tensor<3xf32>
      %7 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
      return %6, %7 : tensor<3xf32>, tensor<3xf32>
    })";
  plan::Schedule schedule = LowerText(kText);
  EXPECT_LE(CountKernels(schedule.entry), 2) << ToString(schedule);
  ExpectFusionKeepsResults(kText);
}

TEST(Fusion, ReductionsOverTheSameDimensionsShareAKernel) {
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<64x3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %n = stablehlo.constant dense<64.0> : tensor<3xf32>
      %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<64x3xf32>, tensor<f32>) -> tensor<3xf32>
      %sq = stablehlo.multiply %x, %x : tensor<64x3xf32>
      %1 = stablehlo.reduce(%sq init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<64x3xf32>, tensor<f32>) -> tensor<3xf32>
      %2 = stablehlo.divide %0, %n : tensor<3xf32>
      %3 = stablehlo.divide %1, %n : tensor<3xf32>
      %4 = stablehlo.multiply %2, %2 : tensor<3xf32>
      %5 = stablehlo.subtract %3, %4 : tensor<3xf32>
      return %0, %2, %5 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    })";
  plan::Schedule schedule = LowerText(kText);
  EXPECT_EQ(CountKernels(schedule.entry), 1) << ToString(schedule);
  ExpectFusionKeepsResults(kText);
}

// Either would read the array across its memory if they went over one domain. What needs both is
// computed with one of them.
TEST(Fusion, SumsOverRowsAndOverColumnsDoNotShareAKernel) {
  for (const std::string_view result : {"%0, %1", "%sum, %sum"}) {
    const std::string text = StrCat(R"(
      func.func @main(%x: tensor<48x48xf32>) -> (tensor<48xf32>, tensor<48xf32>) {
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %y = stablehlo.multiply %x, %x : tensor<48x48xf32>
        %0 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<48x48xf32>, tensor<f32>) -> tensor<48xf32>
        %1 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<48x48xf32>, tensor<f32>) -> tensor<48xf32>
        %sum = stablehlo.add %0, %1 : tensor<48xf32>
        return )",
                                    result, R"( : tensor<48xf32>, tensor<48xf32>
      })");
    const plan::Schedule schedule = LowerText(text);
    EXPECT_EQ(CountKernels(schedule.entry), 2) << ToString(schedule);
    ExpectFusionKeepsResults(text);
  }
}

constexpr std::string_view kAdam = R"(
  func.func @main(%p: tensor<8x4xf32>, %g: tensor<8x4xf32>, %m: tensor<8x4xf32>,
                  %v: tensor<8x4xf32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
    %b1 = stablehlo.constant dense<0.9> : tensor<8x4xf32>
    %c1 = stablehlo.constant dense<0.1> : tensor<8x4xf32>
    %b2 = stablehlo.constant dense<0.99> : tensor<8x4xf32>
    %c2 = stablehlo.constant dense<0.01> : tensor<8x4xf32>
    %lr = stablehlo.constant dense<0.001> : tensor<8x4xf32>
    %0 = stablehlo.multiply %b1, %m : tensor<8x4xf32>
    %1 = stablehlo.multiply %c1, %g : tensor<8x4xf32>
    %2 = stablehlo.add %0, %1 : tensor<8x4xf32>
    %3 = stablehlo.multiply %b2, %v : tensor<8x4xf32>
    %4 = stablehlo.multiply %g, %g : tensor<8x4xf32>
    %5 = stablehlo.multiply %c2, %4 : tensor<8x4xf32>
    %6 = stablehlo.add %3, %5 : tensor<8x4xf32>
    %7 = stablehlo.abs %6 : tensor<8x4xf32>
    %8 = stablehlo.sqrt %7 : tensor<8x4xf32>
    %9 = stablehlo.add %8, %c2 : tensor<8x4xf32>
    %10 = stablehlo.divide %2, %9 : tensor<8x4xf32>
    %11 = stablehlo.multiply %lr, %10 : tensor<8x4xf32>
    %12 = stablehlo.subtract %p, %11 : tensor<8x4xf32>
    return %12, %2, %6 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  })";

TEST(Fusion, AdamIsOneKernelThatMayWorkInPlace) {
  plan::Schedule schedule = LowerText(kAdam);
  ASSERT_EQ(schedule.entry.steps.size(), 1u) << ToString(schedule);
  const plan::ScheduleStep& step = schedule.entry.steps[0];
  EXPECT_EQ(step.kernel->shape.extents, Dims{32}) << "one contiguous pass";
  for (int32_t result = 0; result < 3; ++result) {
    bool found = false;
    for (const plan::InPlace& in_place : step.in_place) found |= in_place.result == result;
    EXPECT_TRUE(found) << result;
  }
  ExpectFusionKeepsResults(kAdam);
}

TEST(Fusion, GeluChainIsOneKernel) {
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
      %half = stablehlo.constant dense<0.5> : tensor<8x4xf32>
      %one = stablehlo.constant dense<1.0> : tensor<8x4xf32>
      %c = stablehlo.constant dense<0.044715> : tensor<8x4xf32>
      %s = stablehlo.constant dense<0.7978846> : tensor<8x4xf32>
      %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
      %1 = stablehlo.add %x, %0 : tensor<8x4xf32>
      %2 = stablehlo.multiply %1, %1 : tensor<8x4xf32>
      %3 = stablehlo.multiply %2, %1 : tensor<8x4xf32>
      %4 = stablehlo.multiply %c, %3 : tensor<8x4xf32>
      %5 = stablehlo.add %1, %4 : tensor<8x4xf32>
      %6 = stablehlo.multiply %s, %5 : tensor<8x4xf32>
      %7 = stablehlo.tanh %6 : tensor<8x4xf32>
      %8 = stablehlo.add %one, %7 : tensor<8x4xf32>
      %9 = stablehlo.multiply %half, %8 : tensor<8x4xf32>
      %10 = stablehlo.multiply %1, %9 : tensor<8x4xf32>
      return %10 : tensor<8x4xf32>
    })";
  EXPECT_EQ(CountKernels(LowerText(kText).entry), 1);
  ExpectFusionKeepsResults(kText);
}

TEST(Fusion, MovementsBecomeIndexMaps) {
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<4x6xf32>, %y: tensor<6x4xf32>) -> tensor<3x8xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
      %1 = stablehlo.add %0, %y : tensor<6x4xf32>
      %2 = stablehlo.slice %1 [0:6:2, 1:4] : (tensor<6x4xf32>) -> tensor<3x3xf32>
      %3 = stablehlo.reverse %y, dims = [0, 1] : tensor<6x4xf32>
      %4 = stablehlo.slice %3 [1:4, 0:3] : (tensor<6x4xf32>) -> tensor<3x3xf32>
      %5 = stablehlo.pad %2, %zero, low = [0, 1], high = [0, 0], interior = [0, 0]
        : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x4xf32>
      %6 = stablehlo.pad %4, %zero, low = [0, -1], high = [0, 2], interior = [0, 0]
        : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x4xf32>
      %7 = stablehlo.concatenate %5, %6, dim = 1
        : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
      %8 = stablehlo.negate %7 : tensor<3x8xf32>
      return %8 : tensor<3x8xf32>
    })";
  EXPECT_EQ(CountKernels(LowerText(kText).entry), 1) << ToString(LowerText(kText));
  ExpectFusionKeepsResults(kText);
}

TEST(Fusion, ReshapeSplitsTheDomain) {
  // Heads of attention: [B,T,HD] -> [B,T,H,D] -> [B,H,T,D], and back.
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<2x3x8xf32>, %y: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
      %0 = stablehlo.exponential %x : tensor<2x3x8xf32>
      %1 = stablehlo.reshape %0 : (tensor<2x3x8xf32>) -> tensor<2x3x4x2xf32>
      %2 = stablehlo.transpose %1, dims = [0, 2, 1, 3] : (tensor<2x3x4x2xf32>) -> tensor<2x4x3x2xf32>
      %3 = stablehlo.reverse %2, dims = [1] : tensor<2x4x3x2xf32>
      %4 = stablehlo.transpose %3, dims = [0, 2, 1, 3] : (tensor<2x4x3x2xf32>) -> tensor<2x3x4x2xf32>
      %5 = stablehlo.reshape %4 : (tensor<2x3x4x2xf32>) -> tensor<2x3x8xf32>
      %6 = stablehlo.add %5, %y : tensor<2x3x8xf32>
      return %6 : tensor<2x3x8xf32>
    })";
  plan::Schedule schedule = LowerText(kText);
  EXPECT_LE(CountKernels(schedule.entry), 2) << ToString(schedule);
  ExpectFusionKeepsResults(kText);
}

TEST(Fusion, ReshapeThatIsNotAffineIsAView) {
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<4x6xf32>, %y: tensor<3x8xf32>) -> tensor<3x8xf32> {
      %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
      %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<3x8xf32>
      %2 = stablehlo.slice %1 [0:3, 1:8] : (tensor<3x8xf32>) -> tensor<3x7xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %3 = stablehlo.pad %2, %zero, low = [0, 0], high = [0, 1], interior = [0, 0]
        : (tensor<3x7xf32>, tensor<f32>) -> tensor<3x8xf32>
      %4 = stablehlo.add %3, %y : tensor<3x8xf32>
      return %4 : tensor<3x8xf32>
    })";
  ExpectFusionKeepsResults(kText);
}

TEST(Fusion, IotaOverASplitDimension) {
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
      %0 = stablehlo.iota dim = 1 : tensor<2x3xf32>
      %1 = stablehlo.add %0, %x : tensor<2x3xf32>
      %2 = stablehlo.reshape %1 : (tensor<2x3xf32>) -> tensor<6xf32>
      %3 = stablehlo.iota dim = 0 : tensor<6xf32>
      %4 = stablehlo.multiply %2, %3 : tensor<6xf32>
      return %4 : tensor<6xf32>
    })";
  EXPECT_EQ(CountKernels(LowerText(kText).entry), 1);
  ExpectFusionKeepsResults(kText);
}

TEST(Fusion, ValueThatOthersNeedIsStoredOnTheWay) {
  // %1 goes to a library step and to the last add: one kernel makes it, and no cycle arises.
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %1 = stablehlo.tanh %x : tensor<4x4xf32>
      %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0]
        : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %3 = stablehlo.add %1, %2 : tensor<4x4xf32>
      %4 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      return %3, %4 : tensor<4x4xf32>, tensor<4xf32>
    })";
  plan::Schedule schedule = LowerText(kText);
  // The column sums store tanh as they go; the sum with the product cannot be part of that kernel.
  EXPECT_EQ(CountKernels(schedule.entry), 2) << ToString(schedule);
  int tanhs = 0;
  for (const plan::ScheduleStep* step : Steps(schedule)) {
    if (step->kind != plan::StepKind::kKernel) continue;
    for (const Phase& phase : step->kernel->body.phases) {
      for (const Node& node : phase.nodes) tanhs += node.opcode == Opcode::kTanh;
    }
  }
  EXPECT_EQ(tanhs, 1);
}

TEST(Fusion, NothingIsComputedAcrossABarrier) {
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>)
        -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<32xf32>) {
      %0 = stablehlo.sine %x : tensor<8x4xf32>
      %1:3 = stablehlo.optimization_barrier %0, %x, %y
        : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
      %2 = stablehlo.sine %1#1 : tensor<8x4xf32>
      %3 = stablehlo.add %1#0, %2 : tensor<8x4xf32>
      %4 = stablehlo.multiply %0, %3 : tensor<8x4xf32>
      %5 = stablehlo.reshape %1#0 : (tensor<8x4xf32>) -> tensor<32xf32>
      return %4, %1#0, %5 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<32xf32>
    })";
  plan::Schedule schedule = LowerText(kText);
  ASSERT_EQ(schedule.entry.steps.size(), 2u) << ToString(schedule) << "no copies";
  EXPECT_EQ(CountKernels(schedule.entry), 2);
  int sines = 0;
  for (const plan::ScheduleStep& step : schedule.entry.steps) {
    for (const Node& node : step.kernel->body.phases[0].nodes)
      sines += node.opcode == Opcode::kSine;
  }
  EXPECT_EQ(sines, 2);
  ExpectFusionKeepsResults(kText);
}

TEST(Fusion, ConvolutionBiasRelu) {
  plan::Schedule schedule = LowerText(R"(
    func.func @main(%x: tensor<1x6x6x2xf32>, %k: tensor<3x3x2x4xf32>, %b: tensor<4xf32>)
        -> tensor<1x4x4x4xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<1x4x4x4xf32>
      %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
        window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<1x6x6x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x4x4xf32>
      %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<4xf32>) -> tensor<1x4x4x4xf32>
      %2 = stablehlo.add %0, %1 : tensor<1x4x4x4xf32>
      %3 = stablehlo.maximum %2, %zero : tensor<1x4x4x4xf32>
      return %3 : tensor<1x4x4x4xf32>
    })");
  ASSERT_EQ(schedule.entry.steps.size(), 2u) << ToString(schedule);
  const plan::ScheduleStep& epilogue = schedule.entry.steps[1];
  ASSERT_FALSE(epilogue.in_place.empty());
  EXPECT_EQ(epilogue.operands[epilogue.in_place[0].operand], schedule.entry.steps[0].results[0]);
}

TEST(Fusion, ScalarsOfALoopBodyAreOneKernel) {
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.constant dense<5> : tensor<i32>
      %h = stablehlo.constant dense<0.5> : tensor<f32>
      %0:3 = stablehlo.while(%i = %z, %a = %x, %b = %y) : tensor<i32>, tensor<f32>, tensor<f32>
        cond {
          %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %1 = stablehlo.multiply %a, %h : tensor<f32>
          %2 = stablehlo.sine %1 : tensor<f32>
          %3 = stablehlo.add %b, %2 : tensor<f32>
          %4 = stablehlo.multiply %b, %h : tensor<f32>
          %5 = stablehlo.subtract %a, %4 : tensor<f32>
          %j = stablehlo.add %i, %one : tensor<i32>
          stablehlo.return %j, %5, %3 : tensor<i32>, tensor<f32>, tensor<f32>
        }
      return %0#1, %0#2 : tensor<f32>, tensor<f32>
    })";
  plan::Schedule schedule = LowerText(kText);
  EXPECT_EQ(CountKernels(schedule.entry.steps[0].blocks[1]), 1) << ToString(schedule);
  ExpectFusionKeepsResults(kText);
}

TEST(Fusion, ExpensiveProducerOfABroadcastIsComputedOnce) {
  plan::Schedule schedule = LowerText(R"(
    func.func @main(%x: tensor<128xf32>, %y: tensor<512x128xf32>) -> tensor<512x128xf32> {
      %0 = stablehlo.tanh %x : tensor<128xf32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<128xf32>) -> tensor<512x128xf32>
      %2 = stablehlo.add %1, %y : tensor<512x128xf32>
      return %2 : tensor<512x128xf32>
    })");
  EXPECT_EQ(CountKernels(schedule.entry), 2);
}

// A chain of `length` multiplications, alternating with what the last one made before.
std::string Chain(int length) {
  std::string text = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n";
  std::string last = "%x", before = "%x";
  for (int i = 0; i < length; ++i) {
    text += StrCat("  %v", i, " = stablehlo.multiply ", last, ", ", before, " : tensor<8xf32>\n");
    before = last;
    last = StrCat("%v", i);
  }
  return text + StrCat("  return ", last, " : tensor<8xf32>\n}");
}

TEST(Fusion, LongChainsAreCut) {
  plan::Schedule schedule = LowerText(Chain(1000));
  int kernels = CountKernels(schedule.entry);
  EXPECT_GE(kernels, 1000 / 128);
  EXPECT_LE(kernels, 1000 / 60);
  for (const plan::ScheduleStep* step : Steps(schedule)) {
    for (const Phase& phase : step->kernel->body.phases) EXPECT_LE(phase.nodes.size(), 128u + 40u);
  }
  ExpectFusionKeepsResults(Chain(300));
}

TEST(Fusion, TimeGrowsWithTheProgram) {
  auto time = [](int length) {
    std::unique_ptr<Module> module = Parse(Chain(length));
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
      const std::clock_t start = std::clock();  // time of this process, however busy the machine
      auto schedule = lower::Lower(*module, testing::kPlainTarget, {});
      EXPECT_TRUE(schedule.ok());
      best = std::min(best, 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return best;
  };
  const double small = time(500), large = time(8000);
  RecordProperty("us_500", std::to_string(small));
  RecordProperty("us_8000", std::to_string(large));
  EXPECT_LT(large, 100 * small) << "quadratic would be 256 times";
}

void ExpectCapturesOnce(const FusedBlock& fused, size_t& num_captures) {
  for (const Unit& unit : fused.units) {
    for (const auto& block : unit.blocks) {
      EXPECT_EQ(std::set<const Value*>(block->captures.begin(), block->captures.end()).size(),
                block->captures.size());
      num_captures += block->captures.size();
      ExpectCapturesOnce(*block, num_captures);
    }
  }
}

TEST(Fusion, BlocksCaptureAValueOnce) {
  // The body uses %y before and behind a block within it that does too.
  std::unique_ptr<Module> module = Parse(R"(
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %p: tensor<i1>)
        -> (tensor<4xf32>, tensor<4xf32>) {
      %0:2 = stablehlo.while(%a = %x, %b = %x) : tensor<4xf32>, tensor<4xf32>
        cond {
          stablehlo.return %p : tensor<i1>
        } do {
          %1 = stablehlo.sine %y : tensor<4xf32>
          %2:2 = "stablehlo.if"(%p) ({
            stablehlo.return %y, %y : tensor<4xf32>, tensor<4xf32>
          }, {
            stablehlo.return %1, %y : tensor<4xf32>, tensor<4xf32>
          }) : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
          %3 = stablehlo.add %2#0, %y : tensor<4xf32>
          stablehlo.return %3, %y : tensor<4xf32>, tensor<4xf32>
        }
      return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
    })");
  ASSERT_NE(module, nullptr);
  LowerContext context(*module, testing::kPlainTarget, {});
  auto fused = FuseBlock(context, *module->entry->body);
  ASSERT_TRUE(fused.ok()) << fused.status().ToString();
  size_t num_captures = 0;
  ExpectCapturesOnce(**fused, num_captures);
  EXPECT_EQ(num_captures, 1u + 2u + 1u + 2u) << "condition, body, and its branches";
}

TEST(Fusion, PathsLeadBackThroughGroupsOfSeveralOps) {
  // %q and %p are one tiny kernel, which needs the sort behind %b; %b needs %q.
  ExpectFusionKeepsResults(R"(
    func.func @main(%x: tensor<3xf32>, %y: tensor<6xf32>, %j: tensor<i32>)
        -> (tensor<3xf32>, tensor<i32>) {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %a = stablehlo.sine %x : tensor<3xf32>
      %q = stablehlo.add %j, %one : tensor<i32>
      %0 = stablehlo.dynamic_slice %y, %q, sizes = [3]
        : (tensor<6xf32>, tensor<i32>) -> tensor<3xf32>
      %b = stablehlo.tanh %0 : tensor<3xf32>
      %s = "stablehlo.sort"(%a) ({
        ^bb0(%l: tensor<f32>, %r: tensor<f32>):
          %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<3xf32>) -> tensor<3xf32>
      %1 = stablehlo.slice %s [0:1] : (tensor<3xf32>) -> tensor<1xf32>
      %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
      %3 = stablehlo.convert %2 : (tensor<f32>) -> tensor<i32>
      %p = stablehlo.add %3, %3 : tensor<i32>
      return %b, %p : tensor<3xf32>, tensor<i32>
    })");
}

}  // namespace
}  // namespace plinth::compiler::lower
