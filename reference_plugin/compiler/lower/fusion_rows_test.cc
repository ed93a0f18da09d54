// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/lower_test_util.h"

// Softmax and layer norm: one kernel with phases, also where values of the forward pass are kept
// for the backward pass, and where rows are long.
namespace plinth::compiler::lower {
namespace {

using testing::CountKernels;
using testing::ExpectFusionKeepsResults;
using testing::LowerText;

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Of NxM elements: `results` are values of the text below, `types` theirs.
std::string WithShape(std::string_view body, int64_t rows, int64_t columns,
                      std::string_view results, std::string_view types) {
  std::string text = Replaced(std::string(body), "RESULTS", results);
  text = Replaced(text, "TYPES", types);
  text = Replaced(text, "NxM", StrCat(rows, "x", columns));
  text = Replaced(text, "Nx", StrCat(rows, "x"));
  return Replaced(text, "<M", StrCat("<", columns, ""));
}

constexpr std::string_view kLayerNorm = R"(
  func.func @main(%x: tensor<NxMxf32>, %gamma: tensor<Mxf32>, %beta: tensor<Mxf32>) -> (TYPES) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %count = stablehlo.constant dense<100.0> : tensor<Nx1xf32>
    %eps = stablehlo.constant dense<1.0e-5> : tensor<Nx1xf32>
    %half = stablehlo.constant dense<-0.5> : tensor<Nx1xf32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<NxMxf32>, tensor<f32>) -> tensor<Nxf32>
    %1 = stablehlo.reshape %0 : (tensor<Nxf32>) -> tensor<Nx1xf32>
    %mean = stablehlo.divide %1, %count : tensor<Nx1xf32>
    %3 = stablehlo.broadcast_in_dim %mean, dims = [0, 1] : (tensor<Nx1xf32>) -> tensor<NxMxf32>
    %centered = stablehlo.subtract %x, %3 : tensor<NxMxf32>
    %5 = stablehlo.multiply %centered, %centered : tensor<NxMxf32>
    %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<NxMxf32>, tensor<f32>) -> tensor<Nxf32>
    %7 = stablehlo.reshape %6 : (tensor<Nxf32>) -> tensor<Nx1xf32>
    %8 = stablehlo.divide %7, %count : tensor<Nx1xf32>
    %9 = stablehlo.add %8, %eps : tensor<Nx1xf32>
    %root = stablehlo.rsqrt %9 : tensor<Nx1xf32>
    %10 = stablehlo.divide %root, %9 : tensor<Nx1xf32>
    %slope = stablehlo.multiply %10, %half : tensor<Nx1xf32>
    %11 = stablehlo.broadcast_in_dim %root, dims = [0, 1] : (tensor<Nx1xf32>) -> tensor<NxMxf32>
    %normal = stablehlo.multiply %centered, %11 : tensor<NxMxf32>
    %13 = stablehlo.broadcast_in_dim %gamma, dims = [1] : (tensor<Mxf32>) -> tensor<NxMxf32>
    %14 = stablehlo.multiply %normal, %13 : tensor<NxMxf32>
    %15 = stablehlo.broadcast_in_dim %beta, dims = [1] : (tensor<Mxf32>) -> tensor<NxMxf32>
    %result = stablehlo.add %14, %15 : tensor<NxMxf32>
    return RESULTS : TYPES
  })";

constexpr std::string_view kSoftmax = R"(
  func.func @main(%x: tensor<NxMxf32>) -> (TYPES) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %least = stablehlo.constant dense<-3.0e38> : tensor<Nxf32>
    %0 = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [1]
      : (tensor<NxMxf32>, tensor<f32>) -> tensor<Nxf32>
    %max = stablehlo.maximum %least, %0 : tensor<Nxf32>
    %2 = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<Nxf32>) -> tensor<NxMxf32>
    %3 = stablehlo.subtract %x, %2 : tensor<NxMxf32>
    %exp = stablehlo.exponential %3 : tensor<NxMxf32>
    %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<NxMxf32>, tensor<f32>) -> tensor<Nxf32>
    %log = stablehlo.log %sum : tensor<Nxf32>
    %6 = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<Nxf32>) -> tensor<NxMxf32>
    %result = stablehlo.divide %exp, %6 : tensor<NxMxf32>
    return RESULTS : TYPES
  })";

int CountNodes(const plan::Schedule& schedule, Opcode opcode) {
  int count = 0;
  for (const plan::ScheduleStep* step : testing::Steps(schedule)) {
    if (step->kind != plan::StepKind::kKernel) continue;
    for (const Phase& phase : step->kernel->body.phases) {
      for (const Node& node : phase.nodes) {
        count += node.kind == NodeKind::kOp && node.opcode == opcode;
      }
    }
  }
  return count;
}

struct Case {
  std::string_view name, body;
  int64_t rows, columns;
  std::string_view results, types;
  int kernels;
};

class RowsTest : public ::testing::TestWithParam<Case> {};

TEST_P(RowsTest, KernelsAndResults) {
  const Case& c = GetParam();
  const std::string text = WithShape(c.body, c.rows, c.columns, c.results, c.types);
  const plan::Schedule schedule = LowerText(text);
  EXPECT_EQ(CountKernels(schedule.entry), c.kernels) << ToString(schedule);
  EXPECT_EQ(CountNodes(schedule, c.body == kSoftmax ? Opcode::kExponential : Opcode::kRsqrt), 1)
      << ToString(schedule);
  ExpectFusionKeepsResults(text);
}

INSTANTIATE_TEST_SUITE_P(
    All, RowsTest,
    ::testing::Values(
        Case{"LayerNorm", kLayerNorm, 5, 100, "%result", "tensor<NxMxf32>", 1},
        Case{"LayerNormOfOneRow", kLayerNorm, 1, 100, "%result", "tensor<NxMxf32>", 1},
        Case{"LayerNormInTraining", kLayerNorm, 5, 100, "%result, %root, %centered",
             "tensor<NxMxf32>, tensor<Nx1xf32>, tensor<NxMxf32>", 1},
        Case{"LayerNormInTrainingMore", kLayerNorm, 5, 100,
             "%mean, %normal, %result, %slope, %root, %centered",
             "tensor<Nx1xf32>, tensor<NxMxf32>, tensor<NxMxf32>, tensor<Nx1xf32>, "
             "tensor<Nx1xf32>, tensor<NxMxf32>",
             1},
        Case{"LayerNormOfLongRows", kLayerNorm, 2, 33000, "%result", "tensor<NxMxf32>", 1},
        Case{"LayerNormOfLongRowsInTraining", kLayerNorm, 2, 33000, "%result, %root, %centered",
             "tensor<NxMxf32>, tensor<Nx1xf32>, tensor<NxMxf32>", 1},
        Case{"Softmax", kSoftmax, 5, 100, "%result", "tensor<NxMxf32>", 1},
        Case{"SoftmaxInTraining", kSoftmax, 5, 100, "%result, %exp, %sum, %max",
             "tensor<NxMxf32>, tensor<NxMxf32>, tensor<Nxf32>, tensor<Nxf32>", 1},
        Case{"SoftmaxAndItsLogarithm", kSoftmax, 5, 100, "%log, %result",
             "tensor<Nxf32>, tensor<NxMxf32>", 1},
        // The exponential of a long row is stored, not computed twice.
        Case{"SoftmaxOfLongRows", kSoftmax, 2, 33000, "%result", "tensor<NxMxf32>", 2},
        Case{"SumOfExponentialsOfLongRows", kSoftmax, 2, 33000, "%log", "tensor<Nxf32>", 1}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Fusion, WhatIsOncePerRowIsNotComputedAtEveryPoint) {
  // The root is of a reduction that another group makes: a row, though nothing is reduced.
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>)
        -> (tensor<8x64xf32>, tensor<8x8xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.multiply %x, %x : tensor<8x64xf32>
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
      %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8xf32>) -> tensor<8x64xf32>
      %3 = stablehlo.add %y, %2 : tensor<8x64xf32>
      %4 = stablehlo.dot_general %3, %x, contracting_dims = [1] x [1]
        : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x8xf32>
      %5 = stablehlo.slice %4 [0:8, 0:1] : (tensor<8x8xf32>) -> tensor<8x1xf32>
      %6 = stablehlo.reshape %5 : (tensor<8x1xf32>) -> tensor<8xf32>
      %7 = stablehlo.abs %1 : tensor<8xf32>
      %8 = stablehlo.sqrt %7 : tensor<8xf32>
      %9 = stablehlo.add %8, %6 : tensor<8xf32>
      %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<8xf32>) -> tensor<8x64xf32>
      %11 = stablehlo.multiply %y, %10 : tensor<8x64xf32>
      return %11, %4 : tensor<8x64xf32>, tensor<8x8xf32>
    })";
  const plan::Schedule schedule = LowerText(kText);
  for (const plan::ScheduleStep* step : testing::Steps(schedule)) {
    if (step->kind != plan::StepKind::kKernel) continue;
    for (const Phase& phase : step->kernel->body.phases) {
      for (const Node& node : phase.nodes) {
        const bool is_root = node.kind == NodeKind::kOp && node.opcode == Opcode::kSqrt;
        EXPECT_FALSE(is_root && phase.over_reduced) << ToString(schedule);
      }
    }
  }
  ExpectFusionKeepsResults(kText);
}

}  // namespace
}  // namespace plinth::compiler::lower
