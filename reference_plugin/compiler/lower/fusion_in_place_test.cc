// SPDX-License-Identifier: Apache-2.0
// Updates of a part of an array, in place: nothing is read after it was written.
#include <gtest/gtest.h>

#include <string_view>

#include "reference_plugin/compiler/testing/lower_test_util.h"

namespace plinth::compiler::lower {
namespace {

using testing::CountKernels;
using testing::ExpectFusionKeepsResults;
using testing::LowerText;

// out[i] = f(x[i], out[i]) in a loop.
constexpr std::string_view kLoop = R"(
  func.func @main(%xs: tensor<5x3xf32>, %init: tensor<5x3xf32>) -> tensor<5x3xf32> {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<5> : tensor<i32>
    %0:2 = stablehlo.while(%i = %z, %out = %init) : tensor<i32>, tensor<5x3xf32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %x = stablehlo.dynamic_slice %xs, %i, %z, sizes = [1, 3]
          : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
        %o = stablehlo.dynamic_slice %out, %i, %z, sizes = [1, 3]
          : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
        %y = stablehlo.multiply %x, %o : tensor<1x3xf32>
        %w = stablehlo.reshape %y : (tensor<1x3xf32>) -> tensor<3xf32>
        %v = stablehlo.sine %w : tensor<3xf32>
        %u = stablehlo.reshape %v : (tensor<3xf32>) -> tensor<1x3xf32>
        %r = stablehlo.dynamic_update_slice %out, %u, %i, %z
          : (tensor<5x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %r : tensor<i32>, tensor<5x3xf32>
      }
    return %0#1 : tensor<5x3xf32>
  })";

TEST(FusionInPlace, UpdateInALoopIsOneKernelInPlace) {
  plan::Schedule schedule = LowerText(kLoop);
  ASSERT_EQ(schedule.entry.steps.size(), 1u);
  const plan::ScheduleBlock& body = schedule.entry.steps[0].blocks[1];
  EXPECT_EQ(CountKernels(body), 2) << ToString(schedule);
  bool required = false;
  for (const plan::ScheduleStep& step : body.steps) {
    EXPECT_NE(step.kind, plan::StepKind::kCopy);
    for (const plan::InPlace& in_place : step.in_place) required |= in_place.required;
  }
  EXPECT_TRUE(required);
  ExpectFusionKeepsResults(kLoop);
}

TEST(FusionInPlace, UpdateFromElsewhereInTheSameArray) {
  // out[i + 1] = sin(out[i]): what is read is not what is written.
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<6xf32>, %i: tensor<i32>) -> tensor<6xf32> {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %0 = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<6xf32>, tensor<i32>) -> tensor<3xf32>
      %1 = stablehlo.sine %0 : tensor<3xf32>
      %2 = stablehlo.dynamic_update_slice %x, %1, %j
        : (tensor<6xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6xf32>
      return %2 : tensor<6xf32>
    })";
  ExpectFusionKeepsResults(kText);
  constexpr std::string_view kWhole = R"(
    func.func @main(%x: tensor<6xf32>, %i: tensor<i32>) -> tensor<1x6xf32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.reshape %x : (tensor<6xf32>) -> tensor<1x6xf32>
      %1 = stablehlo.reverse %0, dims = [1] : tensor<1x6xf32>
      %2 = stablehlo.dynamic_update_slice %0, %1, %z, %z
        : (tensor<1x6xf32>, tensor<1x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
      return %2 : tensor<1x6xf32>
    })";
  ExpectFusionKeepsResults(kWhole);
}

TEST(FusionInPlace, NothingIsReadAfterItWasUpdatedInPlace) {
  // The row is needed again when its sum is known, after the new row was stored.
  constexpr std::string_view kRow = R"(
    func.func @main(%c: tensor<4x5xf32>, %i: tensor<i32>)
        -> (tensor<2x5xf32>, tensor<4x5xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.constant dense<0> : tensor<i32>
      %s = stablehlo.dynamic_slice %c, %i, %0, sizes = [2, 5]
        : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x5xf32>
      %1 = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
      %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<2xf32>) -> tensor<2x5xf32>
      %3 = stablehlo.subtract %s, %2 : tensor<2x5xf32>
      %4 = stablehlo.add %s, %s : tensor<2x5xf32>
      %5 = stablehlo.dynamic_update_slice %c, %4, %i, %0
        : (tensor<4x5xf32>, tensor<2x5xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
      return %3, %5 : tensor<2x5xf32>, tensor<4x5xf32>
    })";
  ExpectFusionKeepsResults(kRow);
  // Two updates in one kernel, each of what the other reads.
  constexpr std::string_view kCross = R"(
    func.func @main(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>, %i: tensor<i32>)
        -> (tensor<4x5xf32>, tensor<4x5xf32>) {
      %0 = stablehlo.constant dense<0> : tensor<i32>
      %s = stablehlo.dynamic_slice %a, %i, %0, sizes = [1, 5]
        : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
      %t = stablehlo.dynamic_slice %b, %i, %0, sizes = [1, 5]
        : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
      %1 = stablehlo.dynamic_update_slice %a, %t, %i, %0
        : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
      %2 = stablehlo.dynamic_update_slice %b, %s, %i, %0
        : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
      return %1, %2 : tensor<4x5xf32>, tensor<4x5xf32>
    })";
  ExpectFusionKeepsResults(kCross);
}

TEST(FusionInPlace, TwoUpdatesOfOneArray) {
  ExpectFusionKeepsResults(R"(
    func.func @main(%x: tensor<4x3xf32>, %u: tensor<1x3xf32>, %i: tensor<i32>)
        -> (tensor<4x3xf32>, tensor<4x3xf32>) {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %v = stablehlo.negate %u : tensor<1x3xf32>
      %0 = stablehlo.dynamic_update_slice %x, %u, %i, %z
        : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
      %1 = stablehlo.dynamic_update_slice %x, %v, %i, %z
        : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
      return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
    })");
}

}  // namespace
}  // namespace plinth::compiler::lower
