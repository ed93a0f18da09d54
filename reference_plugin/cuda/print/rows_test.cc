// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "reference_plugin/compiler/testing/oracle.h"
#include "reference_plugin/cuda/print/kernel.h"
#include "reference_plugin/cuda/testing/host_device.h"

// Rows so few and so long that several blocks take each; rows that are read once and gone over
// twice.
namespace plinth::cuda {
namespace {

using compiler::Access;
using compiler::Combiner;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using testing::GuardedArray;

Node MakeNode(NodeKind kind, DType type, int32_t index, int32_t component = 0) {
  Node node;
  node.kind = kind;
  node.dtype = type;
  node.index = index;
  node.component = component;
  return node;
}

Access MakeAccess(int32_t buffer, DType type, int64_t row, int64_t point) {
  Access access;
  access.buffer = buffer;
  access.dtype = type;
  access.byte_strides = {row * ByteSize(type), point * ByteSize(type)};
  return access;
}

// Of each row of i0 the sum and, by a combiner that does not commute, the last element; the sum is
// stored with i1 of the row added.
Kernel MakeSumAndLast(DType type, int64_t rows, int64_t length, bool columns) {
  Kernel kernel;
  kernel.name = "sum and last";
  kernel.shape = {{rows, length},
                  1,
                  {columns ? MakeAccess(0, type, 1, rows) : MakeAccess(0, type, length, 1),
                   MakeAccess(1, type, 1, 0)},
                  {MakeAccess(0, type, 1, 0), MakeAccess(1, type, 1, 0)}};
  Node add;
  add.opcode = Opcode::kAdd;
  add.dtype = type;
  add.num_operands = 2;
  add.operands[1] = 1;
  auto make_reduction = [&](bool last) {
    compiler::Reduction reduction;
    Combiner& combiner = reduction.combiner;
    combiner.nodes = {MakeNode(NodeKind::kParameter, type, 0),
                      MakeNode(NodeKind::kParameter, type, 1)};
    if (!last) combiner.nodes.push_back(add);
    combiner.results = {last ? 1 : 2};
    reduction.inputs = {0};
    reduction.initial = {1};
    return reduction;
  };
  kernel.body.phases.push_back(
      {true,
       {MakeNode(NodeKind::kInput, type, 0), MakeNode(NodeKind::kConstant, type, 0)},
       {make_reduction(false), make_reduction(true)},
       {}});
  kernel.body.phases.push_back(
      {false,
       {MakeNode(NodeKind::kReduced, type, 0), MakeNode(NodeKind::kInput, type, 1), add,
        MakeNode(NodeKind::kReduced, type, 1)},
       {},
       {{2, 0}, {3, 1}}});
  return kernel;
}

struct Case {
  DType type;
  int64_t rows, length;
  bool columns;
  size_t launches;
};

// Runs a kernel with the operands and results of MakeSumAndLast.
void ExpectAgreesWithTheDefinition(const Kernel& kernel, const Case& c) {
  ASSERT_TRUE(Verify(kernel).ok()) << Verify(kernel).ToString();
  auto step = PrintKernel(kernel, {});
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  EXPECT_EQ(step->actions.size(), c.launches);
  testing::HostDevice device;
  const Status loaded = device.Load({&*step, 1});
  ASSERT_TRUE(loaded.ok()) << loaded.ToString();
  std::mt19937 random(5);
  GuardedArray data(c.rows * c.length * ByteSize(c.type)), bias(c.rows * ByteSize(c.type));
  for (GuardedArray* array : {&data, &bias}) {
    for (size_t at = 0; at < array->bytes().size(); at += static_cast<size_t>(ByteSize(c.type))) {
      compiler::testing::Save(c.type, static_cast<double>(random() % 7) - 3, array->data() + at);
    }
  }
  std::deque<GuardedArray> expected, actual;
  for (int i = 0; i < 2; ++i) {
    expected.emplace_back(c.rows * ByteSize(c.type));
    actual.emplace_back(c.rows * ByteSize(c.type));
  }
  const std::span<std::byte> in[] = {data.bytes(), bias.bytes()};
  const std::span<std::byte> out[] = {expected[0].bytes(), expected[1].bytes()};
  ASSERT_TRUE(compiler::testing::RunKernel(kernel, in, out).empty());
  std::byte* const operands[] = {data.data(), bias.data()};
  std::byte* const results[] = {actual[0].data(), actual[1].data()};
  const Status run = device.Run(*step, operands, results);
  ASSERT_TRUE(run.ok()) << run.ToString();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(actual[i].IsIntact());
    for (int64_t row = 0; row < c.rows; ++row) {
      const int64_t at = row * ByteSize(c.type);
      ASSERT_EQ(compiler::testing::Load(c.type, actual[i].data() + at),
                compiler::testing::Load(c.type, expected[i].data() + at))
          << "output " << i << " row " << row << "\n"
          << step->actions[0].kernel->text << step->actions.back().kernel->text;
    }
  }
}

class LongRowsTest : public ::testing::TestWithParam<Case> {};

TEST_P(LongRowsTest, AgreeWithTheDefinition) {
  const Case& c = GetParam();
  ExpectAgreesWithTheDefinition(MakeSumAndLast(c.type, c.rows, c.length, c.columns), c);
}

// Of each row of i0 the sum of its elements minus twice i1 of the row, which is stored too: the
// variance of columns, as in batch norm.
TEST_P(LongRowsTest, MayNeedAValueOfTheRow) {
  const Case& c = GetParam();
  if (c.type == DType::kPred) return;  // has no subtraction
  Kernel kernel = MakeSumAndLast(c.type, c.rows, c.length, c.columns);
  Node twice = kernel.body.phases[1].nodes[2], minus = twice;
  twice.operands[0] = twice.operands[1] = 0;
  minus.opcode = Opcode::kSubtract;
  compiler::Reduction sum = kernel.body.phases[0].reductions[0];
  sum.inputs = {2};
  sum.initial = {3};
  kernel.body.phases = {
      {false, {MakeNode(NodeKind::kInput, c.type, 1), twice}, {}, {{1, 1}}},
      {true,
       {MakeNode(NodeKind::kInput, c.type, 0), MakeNode(NodeKind::kRow, c.type, 0, 1), minus,
        MakeNode(NodeKind::kConstant, c.type, 0)},
       {sum},
       {}},
      {false, {MakeNode(NodeKind::kReduced, c.type, 0)}, {}, {{0, 0}}}};
  ExpectAgreesWithTheDefinition(kernel, c);
}

// One division for each row, of the initial value: no number may come in between.
TEST(ShortRowsTest, CombinerThatHasNoIdentity) {
  const Case c = {DType::kS32, 5, 1, false, 1};
  Kernel kernel = MakeSumAndLast(c.type, c.rows, c.length, c.columns);
  kernel.body.phases[0].nodes[1].constant.low = 100;
  kernel.body.phases[0].reductions[0].combiner.nodes[2].opcode = Opcode::kDivide;
  ExpectAgreesWithTheDefinition(kernel, c);
}

// How many elements a row has, and the number of the last one: of more than 32 bits can count, in
// parts and, if it is gone over twice, in one. Takes no memory: all elements are one.
class LongestRowTest : public ::testing::TestWithParam<bool> {};

TEST_P(LongestRowTest, IsCounted) {
  constexpr int64_t kLength = (int64_t{1} << 32) + 5;
  const bool twice = GetParam();
  const DType type = DType::kS64;
  Kernel kernel = MakeSumAndLast(type, 1, kLength, false);
  kernel.shape.inputs[0].byte_strides = {0, 0};
  Node iota = MakeNode(NodeKind::kIota, type, 1);
  iota.constant.high = 1;
  kernel.body.phases[0].nodes.push_back(iota);
  kernel.body.phases[0].reductions[1].inputs = {2};
  if (twice) {
    compiler::Phase again = kernel.body.phases[0];
    again.reductions.resize(1);
    kernel.body.phases.insert(kernel.body.phases.begin() + 1, again);
    kernel.body.phases[2].nodes[0].index = 2;
  }
  ASSERT_TRUE(Verify(kernel).ok()) << Verify(kernel).ToString();
  auto step = PrintKernel(kernel, {});
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  EXPECT_EQ(step->actions.size(), twice ? 1u : 2u);
  testing::HostDevice device;
  const Status loaded = device.Load({&*step, 1});
  ASSERT_TRUE(loaded.ok()) << loaded.ToString();
  GuardedArray data(8), bias(8), count(8), last(8);
  for (GuardedArray* array : {&data, &bias}) compiler::testing::Save(type, 1, array->data());
  std::byte* const operands[] = {data.data(), bias.data()};
  std::byte* const results[] = {count.data(), last.data()};
  const Status run = device.Run(*step, operands, results);
  ASSERT_TRUE(run.ok()) << run.ToString();
  EXPECT_EQ(compiler::testing::Load(type, count.data()), kLength + 1);
  EXPECT_EQ(compiler::testing::Load(type, last.data()), kLength - 1);
}

INSTANTIATE_TEST_SUITE_P(Times, LongestRowTest, ::testing::Bool());

INSTANTIATE_TEST_SUITE_P(
    Shapes, LongRowsTest,
    ::testing::Values(Case{DType::kF32, 1, 40000, false, 2}, Case{DType::kF32, 40, 6144, true, 2},
                      Case{DType::kBF16, 3, 12345, false, 2}, Case{DType::kS64, 2, 8192, false, 2},
                      Case{DType::kPred, 2, 8192, false, 2},
                      // The last part of a prime length is shorter.
                      Case{DType::kF32, 2, 8191, false, 2}, Case{DType::kF32, 1, 100003, false, 2},
                      Case{DType::kF32, 37, 6143, true, 2},
                      // Neighbouring columns by packs.
                      Case{DType::kF32, 64, 5003, true, 2}, Case{DType::kBF16, 1000, 999, true, 2},
                      Case{DType::kS8, 24, 4099, true, 2},
                      // Wide, in one part.
                      Case{DType::kF32, 4096, 600, true, 2}));

// Each element of i0 minus the sum of its row.
Kernel MakeMinusSum(DType type, int64_t rows, int64_t length, bool columns) {
  const Access access = columns ? MakeAccess(0, type, 1, rows) : MakeAccess(0, type, length, 1);
  Kernel kernel = MakeSumAndLast(type, rows, length, columns);
  kernel.shape.inputs = kernel.shape.outputs = {access};
  kernel.body.phases[0].reductions.resize(1);
  Node subtract;
  subtract.opcode = Opcode::kSubtract;
  subtract.dtype = type;
  subtract.num_operands = 2;
  subtract.operands[1] = 1;
  kernel.body.phases[1] = {
      true,
      {MakeNode(NodeKind::kInput, type, 0), MakeNode(NodeKind::kReduced, type, 0), subtract},
      {},
      {{2, 0}}};
  return kernel;
}

// `block`: its threads, and `text` what reads an element.
struct KeptCase {
  DType type;
  int64_t rows, length;
  bool columns;
  uint32_t block;
  const char* text;
};

class KeptRowsTest : public ::testing::TestWithParam<KeptCase> {};

// Also in place: all of a thread's elements are read before it writes.
TEST_P(KeptRowsTest, AgreeWithTheDefinition) {
  const KeptCase& c = GetParam();
  const Kernel kernel = MakeMinusSum(c.type, c.rows, c.length, c.columns);
  ASSERT_TRUE(Verify(kernel).ok()) << Verify(kernel).ToString();
  auto step = PrintKernel(kernel, {});
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  const std::string& text = step->actions[0].kernel->text;
  EXPECT_EQ(step->actions[0].block, c.block);
  EXPECT_NE(text.find(c.text), std::string::npos) << text;
  testing::HostDevice device;
  const Status loaded = device.Load({&*step, 1});
  ASSERT_TRUE(loaded.ok()) << loaded.ToString();
  const int64_t bytes = c.rows * c.length * ByteSize(c.type);
  std::mt19937 random(5);
  GuardedArray data(bytes), expected(bytes), actual(bytes);
  for (size_t at = 0; at < data.bytes().size(); at += static_cast<size_t>(ByteSize(c.type))) {
    compiler::testing::Save(c.type, static_cast<double>(random() % 7) - 3, data.data() + at);
  }
  const std::span<std::byte> in[] = {data.bytes()}, out[] = {expected.bytes()};
  ASSERT_TRUE(compiler::testing::RunKernel(kernel, in, out).empty());
  std::byte* const operands[] = {data.data()};
  for (GuardedArray* result : {&actual, &data}) {
    std::byte* const results[] = {result->data()};
    const Status run = device.Run(*step, operands, results);
    ASSERT_TRUE(run.ok()) << run.ToString();
    EXPECT_TRUE(result->IsIntact());
    EXPECT_TRUE(
        std::equal(expected.bytes().begin(), expected.bytes().end(), result->bytes().begin()))
        << text;
  }
}

// What is computed for each point and needed later: in shared memory that a launch asks for, where
// it is too much for registers and not too much for the device.
TEST(KeptValuesTest, LieWhereTheyFit) {
  struct Place {
    int32_t capability;
    int64_t length;
    uint32_t shared_bytes;
    bool has_scratch;
  };
  for (const Place& p : {Place{90, 8000, 0, false}, Place{90, 40000, 160000, false},
                         Place{89, 40000, 0, true}, Place{90, 60000, 0, true}}) {
    Kernel kernel = MakeMinusSum(DType::kF32, 2, p.length, false);
    Node twice = kernel.body.phases[1].nodes[2];
    twice.opcode = Opcode::kAdd;
    twice.operands[0] = twice.operands[1] = 0;
    kernel.body.phases[0].nodes.push_back(twice);
    kernel.body.phases[0].reductions[0].inputs = {2};
    kernel.body.phases[1].nodes[0] = MakeNode(NodeKind::kRow, DType::kF32, 0, 2);
    ASSERT_TRUE(Verify(kernel).ok()) << Verify(kernel).ToString();
    auto step = PrintKernel(kernel, *ArchitectureOf(p.capability));
    ASSERT_TRUE(step.ok()) << step.status().ToString();
    EXPECT_EQ(step->actions[0].shared_bytes, p.shared_bytes);
    EXPECT_EQ(step->scratch_bytes > 0, p.has_scratch);
    testing::HostDevice device;
    const Status loaded = device.Load({&*step, 1});
    ASSERT_TRUE(loaded.ok()) << loaded.ToString();
    GuardedArray data(8 * p.length), expected(8 * p.length), actual(8 * p.length);
    for (int64_t i = 0; i < 2 * p.length; ++i) {
      compiler::testing::Save(DType::kF32, static_cast<double>(i % 5) - 2, data.data() + 4 * i);
    }
    const std::span<std::byte> in[] = {data.bytes()}, out[] = {expected.bytes()};
    ASSERT_TRUE(compiler::testing::RunKernel(kernel, in, out).empty());
    std::byte *const operands[] = {data.data()}, *const results[] = {actual.data()};
    const Status run = device.Run(*step, operands, results);
    ASSERT_TRUE(run.ok()) << run.ToString();
    EXPECT_TRUE(actual.IsIntact());
    EXPECT_TRUE(
        std::equal(expected.bytes().begin(), expected.bytes().end(), actual.bytes().begin()))
        << step->actions[0].kernel->text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, KeptRowsTest,
    ::testing::Values(KeptCase{DType::kF32, 9, 256, false, 256, "= e0[k];"},
                      KeptCase{DType::kF32, 5, 100, false, 256, "= e0[k];"},
                      KeptCase{DType::kF32, 2000, 33, false, 256, "::from(e0[k])"},
                      KeptCase{DType::kBF16, 3, 4104, false, 128, "= e0[k];"},
                      KeptCase{DType::kF64, 2, 8192, false, 512, "= e0[k];"},
                      KeptCase{DType::kS8, 3, 1000, false, 64, "= e0[k];"},
                      KeptCase{DType::kF32, 40, 30, true, 64, "::from(e0[k])"},
                      // Too long: what is gone over twice is read twice.
                      KeptCase{DType::kF32, 1, 40000, false, 512, "ldp<F32::B, 4>(i0"}));

}  // namespace
}  // namespace plinth::cuda
