// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "plinth/program/program.h"
#include "reference_plugin/compiler/pipeline.h"
#include "reference_plugin/cuda/print/form.h"
#include "reference_plugin/cuda/target.h"

// What target.cc asks of plans, in the plans of stored programs.
namespace plinth::cuda {
namespace {

namespace fs = std::filesystem;
using compiler::Access;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The dimension whose neighbours are neighbours in memory; -1 if none are.
int32_t FastestDim(const Kernel& kernel, const Access& access) {
  for (size_t d = 0; d < access.byte_strides.size(); ++d) {
    if (kernel.shape.extents[d] < kTile / 2) continue;
    if (std::abs(access.byte_strides[d]) == ByteSize(access.dtype)) return static_cast<int32_t>(d);
  }
  return -1;
}

// What phases over points read and write of large arrays: the fastest dimensions of those.
std::set<int32_t> FastestDims(const Kernel& kernel) {
  std::set<int32_t> dims;
  const auto add = [&](const Access& access) {
    int64_t elements = 1;
    for (size_t d = 0; d < access.byte_strides.size(); ++d) {
      if (access.byte_strides[d] != 0) elements *= kernel.shape.extents[d];
    }
    const int32_t dim = FastestDim(kernel, access);
    if (dim >= 0 && elements >= kTile * kTile &&
        elements >= NumRows(kernel.shape) * RowLength(kernel.shape) / 2)
      dims.insert(dim);
  };
  for (const Phase& phase : kernel.body.phases) {
    if (!phase.over_reduced && RowLength(kernel.shape) > 1) continue;
    for (const Node& node : phase.nodes) {
      if (node.kind == NodeKind::kInput) add(kernel.shape.inputs[static_cast<size_t>(node.index)]);
    }
    for (const auto& store : phase.stores) {
      add(kernel.shape.outputs[static_cast<size_t>(store.output)]);
    }
  }
  return dims;
}

std::vector<Kernel> KernelsOf(const std::string& source) {
  std::vector<Kernel> kernels;
  auto module = source.starts_with("func.func")
                    ? program::ReadText(source)
                    : program::ReadBytecode(std::as_bytes(std::span(source)));
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  if (!module.ok()) return kernels;
  auto program = compiler::CompileProgram(*std::move(module), kTarget, {});
  if (!program.ok()) return kernels;
  for (const compiler::plan::PlanStep& step : program->plan.steps) {
    if (step.kind == compiler::plan::PlanStepKind::kKernel) kernels.push_back(*step.kernel);
  }
  return kernels;
}

// Points of a row, when they are gone over more than once.
int CountPasses(const Kernel& kernel) {
  return static_cast<int>(std::count_if(kernel.body.phases.begin(), kernel.body.phases.end(),
                                        [](const Phase& phase) { return phase.over_reduced; }));
}

// Neighbouring rows lie side by side in what a kernel with reductions reads and writes.
bool LiesAcross(const Kernel& kernel) {
  const std::set<int32_t> dims = FastestDims(kernel);
  return !dims.empty() && *dims.begin() < kernel.shape.num_parallel;
}

void ExpectPlanIsGood(const std::string& name, const Kernel& kernel) {
  const Form form = ChooseForm(kernel, {});
  if (form.kind == FormKind::kTiles) return;
  // A change of the fastest dimension goes through a tile.
  EXPECT_LT(FastestDims(kernel).size(), 2u) << name << "\n" << ToString(kernel);
  if (form.kind != FormKind::kRows || CountPasses(kernel) < 2) return;
  EXPECT_FALSE(LiesAcross(kernel)) << name << " goes over columns more than once\n"
                                   << ToString(kernel);
  EXPECT_TRUE(NumRows(kernel.shape) > kTarget.kernels.few_rows ||
              RowLength(kernel.shape) <= kTarget.kernels.row_elements)
      << name << " goes over few long rows more than once\n"
      << ToString(kernel);
}

TEST(PlanTest, StoredPrograms) {
  int rows = 0;
  std::vector<fs::path> programs;
  for (const auto& entry : fs::directory_iterator(PLINTH_TEST_PROGRAMS "/jax-0.10.2")) {
    const std::string name = entry.path().filename();
    // The other files are the same programs in other forms.
    if (name.ends_with(".mlirbc") && !name.ends_with("vhlo-1.17.mlirbc")) {
      programs.push_back(entry.path());
    }
  }
  std::sort(programs.begin(), programs.end());
  for (const fs::path& path : programs) {
    for (const Kernel& kernel : KernelsOf(ReadFile(path))) {
      ExpectPlanIsGood(path.filename(), kernel);
      rows += ChooseForm(kernel, {}).kind == FormKind::kRows ? 1 : 0;
    }
  }
  EXPECT_GT(rows, 0);
}

// `body`: of a function of %x and %y, with types in which N and M stand for numbers.
struct Case {
  const char* name;
  const char* body;
  int64_t rows, columns;
  int kernels;
};

constexpr char kSoftmax[] = R"(
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %max = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<NxMxf32>, tensor<f32>) -> tensor<Nxf32>
    %wide = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<Nxf32>) -> tensor<NxMxf32>
    %low = stablehlo.subtract %x, %wide : tensor<NxMxf32>
    %exp = stablehlo.exponential %low : tensor<NxMxf32>
    %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<NxMxf32>, tensor<f32>) -> tensor<Nxf32>
    %all = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<Nxf32>) -> tensor<NxMxf32>
    %result = stablehlo.divide %exp, %all : tensor<NxMxf32>)";
constexpr char kSoftmaxOfColumns[] = R"(
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %max = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<NxMxf32>, tensor<f32>) -> tensor<Mxf32>
    %wide = stablehlo.broadcast_in_dim %max, dims = [1] : (tensor<Mxf32>) -> tensor<NxMxf32>
    %low = stablehlo.subtract %x, %wide : tensor<NxMxf32>
    %exp = stablehlo.exponential %low : tensor<NxMxf32>
    %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<NxMxf32>, tensor<f32>) -> tensor<Mxf32>
    %all = stablehlo.broadcast_in_dim %sum, dims = [1] : (tensor<Mxf32>) -> tensor<NxMxf32>
    %result = stablehlo.divide %exp, %all : tensor<NxMxf32>)";
constexpr char kSum[] = R"(
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %turned = stablehlo.transpose %y, dims = [1, 0] : (tensor<MxNxf32>) -> tensor<NxMxf32>
    %both = stablehlo.add %x, %turned : tensor<NxMxf32>
    %result = stablehlo.reduce(%both init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<NxMxf32>, tensor<f32>) -> tensor<Nxf32>)";
constexpr char kSumOfTurned[] = R"(
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %turned = stablehlo.transpose %y, dims = [1, 0] : (tensor<MxNxf32>) -> tensor<NxMxf32>
    %both = stablehlo.multiply %turned, %turned : tensor<NxMxf32>
    %result = stablehlo.reduce(%both init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<NxMxf32>, tensor<f32>) -> tensor<Nxf32>)";
constexpr char kAdd[] = R"(
    %turned = stablehlo.transpose %y, dims = [1, 0] : (tensor<MxNxf32>) -> tensor<NxMxf32>
    %result = stablehlo.add %x, %turned : tensor<NxMxf32>)";

std::string Replaced(std::string text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class ShapesTest : public ::testing::TestWithParam<Case> {};

TEST_P(ShapesTest, KernelsAreGood) {
  const Case& c = GetParam();
  std::string body = c.body;
  // The last type is the result's.
  const std::string type = body.substr(body.rfind("tensor<"));
  std::string text = "func.func @main(%x: tensor<NxMxf32>, %y: tensor<MxNxf32>) -> " + type + " {" +
                     body + "\n  return %result : " + type + "\n}\n";
  text = Replaced(Replaced(std::move(text), "Nx", std::to_string(c.rows) + "x"), "Mx",
                  std::to_string(c.columns) + "x");
  const std::vector<Kernel> kernels = KernelsOf(text);
  EXPECT_EQ(kernels.size(), static_cast<size_t>(c.kernels));
  for (const Kernel& kernel : kernels) {
    if (kernels.size() != static_cast<size_t>(c.kernels)) ADD_FAILURE() << ToString(kernel);
    ExpectPlanIsGood(c.name, kernel);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ShapesTest,
    ::testing::Values(Case{"softmax", kSoftmax, 4096, 1024, 1},
                      // Longer rows than are kept: the exponentials are stored.
                      Case{"softmax of long rows", kSoftmax, 4096, 40000, 2},
                      Case{"softmax of few short rows", kSoftmax, 16, 4096, 1},
                      Case{"softmax of few long rows", kSoftmax, 16, 1000000, 3},
                      Case{"softmax of columns", kSoftmaxOfColumns, 4096, 1024, 3},
                      Case{"sum with a transposed array", kSum, 2048, 1024, 2},
                      Case{"sum of a transposed array", kSumOfTurned, 2048, 1024, 1},
                      Case{"a transposed array", kAdd, 2048, 1024, 1}),
    [](const auto& param) { return Replaced(param.param.name, " ", "_"); });

}  // namespace
}  // namespace plinth::cuda
