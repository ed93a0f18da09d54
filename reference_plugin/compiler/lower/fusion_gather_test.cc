// SPDX-License-Identifier: Apache-2.0
// Gathers of elements, which are loads of a kernel.
#include <gtest/gtest.h>

#include <string_view>

#include "reference_plugin/compiler/testing/lower_test_util.h"

namespace plinth::compiler::lower {
namespace {

using testing::ExpectFusionKeepsResults;
using testing::LowerText;
using testing::Steps;

// What take_along_axis is: indices that count from the end are made others, and elements outside
// are replaced.
constexpr std::string_view kTakeAlong = R"(
  func.func @main(%x: tensor<3x5xf32>, %i: tensor<3x4xi32>) -> tensor<3x4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<3x4xi32>
    %size = stablehlo.constant dense<5> : tensor<3x4xi32>
    %nan = stablehlo.constant dense<0x7FC00000> : tensor<3x4xf32>
    %0 = stablehlo.compare LT, %i, %zero, SIGNED
      : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %1 = stablehlo.add %i, %size : tensor<3x4xi32>
    %2 = stablehlo.select %0, %1, %i : tensor<3x4xi1>, tensor<3x4xi32>
    %3 = stablehlo.reshape %2 : (tensor<3x4xi32>) -> tensor<3x4x1xi32>
    %4 = "stablehlo.gather"(%x, %3) {
      dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1],
        operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1],
        index_vector_dim = 2>,
      slice_sizes = array<i64: 1, 1>} : (tensor<3x5xf32>, tensor<3x4x1xi32>) -> tensor<3x4xf32>
    %5 = stablehlo.compare LT, %2, %size, SIGNED
      : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %6 = stablehlo.select %5, %4, %nan : tensor<3x4xi1>, tensor<3x4xf32>
    return %6 : tensor<3x4xf32>
  })";

TEST(FusionGather, GatherOfElementsJoinsWhatItsIndicesAndElementsGoThrough) {
  plan::Schedule schedule = LowerText(kTakeAlong);
  ASSERT_EQ(schedule.entry.steps.size(), 1u) << ToString(schedule);
  const Kernel& kernel = *schedule.entry.steps[0].kernel;
  ASSERT_EQ(kernel.shape.inputs.size(), 2u) << ToString(kernel);
  EXPECT_TRUE(schedule.entry.steps[0].in_place.empty() ||
              schedule.entry.steps[0].in_place[0].operand != 1)
      << ToString(schedule);
  ExpectFusionKeepsResults(kTakeAlong);
  // A target whose kernels cannot do it has a step for it.
  const plan::Schedule odd = LowerText(kTakeAlong, true, testing::kOddTarget);
  EXPECT_TRUE(std::ranges::any_of(Steps(odd), [](const plan::ScheduleStep* step) {
    return step->kind == plan::StepKind::kLibrary && step->opcode == Opcode::kGather;
  }));
}

// Two indices of each element, one of them a number, as the vectors of the last dimension; the
// result is reduced by rows.
TEST(FusionGather, GatherAtPairsOfIndices) {
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<6x5xf32>, %i: tensor<3x4xi32>, %y: tensor<3x4xf32>)
        -> (tensor<3xf32>, tensor<4x3xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.iota dim = 1 : tensor<3x4x1xi32>
      %1 = stablehlo.reshape %i : (tensor<3x4xi32>) -> tensor<3x4x1xi32>
      %2 = stablehlo.concatenate %0, %1, dim = 2
        : (tensor<3x4x1xi32>, tensor<3x4x1xi32>) -> tensor<3x4x2xi32>
      %3 = "stablehlo.gather"(%x, %2) {
        dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1],
          start_index_map = [0, 1], index_vector_dim = 2>,
        slice_sizes = array<i64: 1, 1>} : (tensor<6x5xf32>, tensor<3x4x2xi32>) -> tensor<3x4xf32>
      %4 = stablehlo.add %3, %y : tensor<3x4xf32>
      %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
      %6 = stablehlo.transpose %4, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
      return %5, %6 : tensor<3xf32>, tensor<4x3xf32>
    })";
  const plan::Schedule schedule = LowerText(kText);
  for (const plan::ScheduleStep* step : Steps(schedule)) {
    EXPECT_EQ(step->kind, plan::StepKind::kKernel);
  }
  ExpectFusionKeepsResults(kText);
}

// Where the pad has no element, there is no index either; and an array that is updated in place is
// not read elsewhere by the kernel that does.
TEST(FusionGather, GatherStaysAStepBehindAPadAndBesideAnUpdate) {
  constexpr std::string_view kPadded = R"(
    func.func @main(%x: tensor<6xf32>, %i: tensor<4x1xi32>) -> tensor<7xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = "stablehlo.gather"(%x, %i) {
        dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
          index_vector_dim = 1>,
        slice_sizes = array<i64: 1>} : (tensor<6xf32>, tensor<4x1xi32>) -> tensor<4xf32>
      %1 = stablehlo.pad %0, %zero, low = [2], high = [1], interior = [0]
        : (tensor<4xf32>, tensor<f32>) -> tensor<7xf32>
      return %1 : tensor<7xf32>
    })";
  EXPECT_EQ(Steps(LowerText(kPadded)).size(), 2u);
  ExpectFusionKeepsResults(kPadded);
  constexpr std::string_view kUpdated = R"(
    func.func @main(%x: tensor<6xf32>, %i: tensor<2x1xi32>) -> tensor<6xf32> {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %0 = "stablehlo.gather"(%x, %i) {
        dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
          index_vector_dim = 1>,
        slice_sizes = array<i64: 1>} : (tensor<6xf32>, tensor<2x1xi32>) -> tensor<2xf32>
      %1 = stablehlo.dynamic_update_slice %x, %0, %two
        : (tensor<6xf32>, tensor<2xf32>, tensor<i32>) -> tensor<6xf32>
      return %1 : tensor<6xf32>
    })";
  EXPECT_EQ(Steps(LowerText(kUpdated)).size(), 2u);
  ExpectFusionKeepsResults(kUpdated);
}

}  // namespace
}  // namespace plinth::compiler::lower
