// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "reference_plugin/cuda/print/kernel.h"

// The text of one small kernel of each form, in testdata/. With PLINTH_WRITE_GOLDENS set, the files
// are written instead.
namespace plinth::cuda {
namespace {

using compiler::Access;
using compiler::Dims;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;

Access MakeAccess(int32_t buffer, Dims strides) {
  Access access;
  access.buffer = buffer;
  access.dtype = DType::kF32;
  access.byte_strides = std::move(strides);
  return access;
}

Node MakeNode(NodeKind kind, int32_t index) {
  Node node;
  node.kind = kind;
  node.dtype = DType::kF32;
  node.index = index;
  return node;
}

Node MakeOp(Opcode opcode, std::initializer_list<int32_t> operands) {
  Node node;
  node.opcode = opcode;
  node.dtype = DType::kF32;
  for (int32_t operand : operands) node.operands[node.num_operands++] = operand;
  return node;
}

// o = i0 + i1.
Kernel MakeAdd(int64_t points) {
  Kernel kernel;
  kernel.shape = {{points}, 1, {MakeAccess(0, {4}), MakeAccess(1, {4})}, {MakeAccess(0, {4})}};
  kernel.body.phases.push_back(
      {false,
       {MakeNode(NodeKind::kInput, 0), MakeNode(NodeKind::kInput, 1), MakeOp(Opcode::kAdd, {0, 1})},
       {},
       {{2, 0}}});
  return kernel;
}

compiler::Reduction MakeReduction(Opcode opcode, int32_t input, int32_t initial) {
  compiler::Reduction reduction;
  reduction.combiner.nodes = {MakeNode(NodeKind::kParameter, 0), MakeNode(NodeKind::kParameter, 1),
                              MakeOp(opcode, {0, 1})};
  reduction.combiner.results = {2};
  reduction.inputs = {input};
  reduction.initial = {initial};
  return reduction;
}

// Each row of i0 divided by its sum.
Kernel MakeNormalize(int64_t rows, int64_t length) {
  Kernel kernel;
  kernel.shape = {
      {rows, length}, 1, {MakeAccess(0, {4 * length, 4})}, {MakeAccess(0, {4 * length, 4})}};
  kernel.body.phases.push_back({true,
                                {MakeNode(NodeKind::kInput, 0), MakeNode(NodeKind::kConstant, 0),
                                 MakeOp(Opcode::kExponential, {0})},
                                {MakeReduction(Opcode::kAdd, 2, 1)},
                                {}});
  Node row = MakeNode(NodeKind::kRow, 0);
  row.component = 2;
  kernel.body.phases.push_back(
      {true,
       {row, MakeNode(NodeKind::kReduced, 0), MakeOp(Opcode::kDivide, {0, 1})},
       {},
       {{2, 0}}});
  return kernel;
}

// The sum of each column of i0.
Kernel MakeColumnSum(int64_t columns, int64_t length) {
  Kernel kernel;
  kernel.shape = {{columns, length}, 1, {MakeAccess(0, {4, 4 * columns})}, {MakeAccess(0, {4, 0})}};
  kernel.body.phases.push_back({true,
                                {MakeNode(NodeKind::kInput, 0), MakeNode(NodeKind::kConstant, 0)},
                                {MakeReduction(Opcode::kAdd, 0, 1)},
                                {}});
  kernel.body.phases.push_back({false, {MakeNode(NodeKind::kReduced, 0)}, {}, {{0, 0}}});
  return kernel;
}

// Each row of i0 divided by its sum, without anything between.
Kernel MakeDivideBySum(int64_t rows, int64_t length) {
  Kernel kernel = MakeNormalize(rows, length);
  kernel.body.phases[0].reductions[0].inputs = {0};
  kernel.body.phases[0].nodes.resize(2);
  kernel.body.phases[1].nodes[0] = MakeNode(NodeKind::kInput, 0);
  return kernel;
}

void ExpectGolden(const Kernel& kernel, const std::string& name) {
  ASSERT_TRUE(Verify(kernel).ok()) << Verify(kernel).ToString();
  auto step = PrintKernel(kernel, {});
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  std::string text;
  for (const Action& action : step->actions) {
    text += "// grid " + std::to_string(action.grid) + ", block " + std::to_string(action.block) +
            "\n" + action.kernel->text;
  }
  const std::string path = "testdata/" + name + ".cu";
  if (std::getenv("PLINTH_WRITE_GOLDENS") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream in(path);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(in), {}))
      << "PLINTH_WRITE_GOLDENS=1 writes " << path;
}

TEST(GoldenTest, FlatPoints) { ExpectGolden(MakeAdd(1 << 20), "add_flat"); }
TEST(GoldenTest, ManyPoints) { ExpectGolden(MakeAdd(1 << 26), "add_many"); }
TEST(GoldenTest, FewPoints) { ExpectGolden(MakeAdd(1000), "add_few"); }
TEST(GoldenTest, RowsOfAWarp) { ExpectGolden(MakeNormalize(4096, 256), "normalize_warp"); }
TEST(GoldenTest, RowsOfABlock) { ExpectGolden(MakeNormalize(300, 20000), "normalize_block"); }
TEST(GoldenTest, RowsThatAreReadOnce) { ExpectGolden(MakeDivideBySum(4096, 256), "divide_by_sum"); }
TEST(GoldenTest, Columns) { ExpectGolden(MakeColumnSum(640, 1000), "column_sum"); }
TEST(GoldenTest, SplitColumns) { ExpectGolden(MakeColumnSum(64, 200704), "column_sum_split"); }

TEST(GoldenTest, ATransposedOperand) {
  Kernel kernel = MakeAdd(100);
  kernel.shape.extents = {300, 100};
  kernel.shape.inputs = {MakeAccess(0, {400, 4}), MakeAccess(1, {4, 1200})};
  kernel.shape.outputs = {MakeAccess(0, {400, 4})};
  kernel.shape.num_parallel = 2;
  ExpectGolden(kernel, "add_turned");
}

TEST(GoldenTest, OneTextForEveryLength) {
  EXPECT_EQ(PrintKernel(MakeAdd(1 << 20), {})->actions[0].kernel->text,
            PrintKernel(MakeAdd((1 << 20) + 3), {})->actions[0].kernel->text);
  EXPECT_EQ(PrintKernel(MakeAdd(1 << 22), {})->actions[0].kernel->text,
            PrintKernel(MakeAdd((1 << 26) + 3), {})->actions[0].kernel->text);
}

TEST(GoldenTest, ArchitecturesAreNamed) {
  EXPECT_EQ(ArchitectureOf(80)->multiprocessors, 108);
  EXPECT_EQ(ArchitectureOf(90)->multiprocessors, 132);
  EXPECT_EQ(ArchitectureOf(70).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace plinth::cuda
