// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "reference_plugin/compiler/testing/oracle.h"
#include "reference_plugin/cuda/print/form.h"
#include "reference_plugin/cuda/print/kernel.h"
#include "reference_plugin/cuda/testing/host_device.h"

// Arrays so large that a thread takes neighbours several times, on a device of few multiprocessors.
namespace plinth::cuda {
namespace {

using compiler::Access;
using compiler::Dims;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using testing::GuardedArray;

// `strides` of i0 and the result, and of i1 `others`, in elements. `vector`, `turns`: of the form.
struct Case {
  DType type;
  Dims extents, strides, others;
  int32_t vector, turns;
};

Kernel MakeAdd(const Case& c) {
  Kernel kernel;
  kernel.name = "add";
  auto make_access = [&](int32_t buffer, Dims strides) {
    Access access;
    access.buffer = buffer;
    access.dtype = c.type;
    for (int64_t& stride : strides) stride *= ByteSize(c.type);
    access.byte_strides = std::move(strides);
    return access;
  };
  kernel.shape = {c.extents,
                  static_cast<int32_t>(c.extents.size()),
                  {make_access(0, c.strides), make_access(1, c.others)},
                  {make_access(0, c.strides)}};
  compiler::Phase& phase = kernel.body.phases.emplace_back();
  for (int32_t i = 0; i < 2; ++i) {
    Node& input = phase.nodes.emplace_back();
    input.kind = NodeKind::kInput;
    input.dtype = c.type;
    input.index = i;
  }
  Node& add = phase.nodes.emplace_back();
  add.opcode = Opcode::kAdd;
  add.dtype = c.type;
  add.num_operands = 2;
  add.operands[1] = 1;
  phase.stores = {{2, 0}};
  return kernel;
}

class ManyPointsTest : public ::testing::TestWithParam<Case> {};

// Also in place: all of a thread's elements are read before it writes over them.
TEST_P(ManyPointsTest, AgreeWithTheDefinition) {
  const Case& c = GetParam();
  const Kernel kernel = MakeAdd(c);
  ASSERT_TRUE(Verify(kernel).ok()) << Verify(kernel).ToString();
  Architecture architecture;
  architecture.multiprocessors = 1;
  const Form form = ChooseForm(kernel, architecture);
  EXPECT_EQ(form.vector, c.vector);
  EXPECT_EQ(form.turns, c.turns);
  auto step = PrintKernel(kernel, architecture);
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  testing::HostDevice device;
  const Status loaded = device.Load({&*step, 1});
  ASSERT_TRUE(loaded.ok()) << loaded.ToString();
  const auto bytes_of = [&](const Dims& strides) {
    int64_t elements = 1;
    for (size_t d = 0; d < strides.size(); ++d) elements += strides[d] * (c.extents[d] - 1);
    return elements * ByteSize(c.type);
  };
  const int64_t bytes = bytes_of(c.strides);
  GuardedArray left(bytes), right(bytes_of(c.others)), expected(bytes), actual(bytes);
  std::mt19937 random(5);
  for (GuardedArray* array : {&left, &right}) {
    for (size_t at = 0; at < array->bytes().size(); at += static_cast<size_t>(ByteSize(c.type))) {
      compiler::testing::Save(c.type, static_cast<double>(random() % 7) - 3, array->data() + at);
    }
  }
  for (GuardedArray* array : {&expected, &actual}) {
    std::fill(array->bytes().begin(), array->bytes().end(), std::byte{0});
  }
  const std::span<std::byte> in[] = {left.bytes(), right.bytes()}, out[] = {expected.bytes()};
  ASSERT_TRUE(compiler::testing::RunKernel(kernel, in, out).empty());
  std::byte* const operands[] = {left.data(), right.data()};
  for (GuardedArray* result : {&actual, &left}) {
    std::byte* const results[] = {result->data()};
    const Status run = device.Run(*step, operands, results);
    ASSERT_TRUE(run.ok()) << run.ToString();
    EXPECT_TRUE(result->IsIntact());
    EXPECT_TRUE(
        std::equal(expected.bytes().begin(), expected.bytes().end(), result->bytes().begin()))
        << step->actions[0].kernel->text;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ManyPointsTest,
                         ::testing::Values(Case{DType::kF32, {16384}, {1}, {1}, 4, 2},
                                           Case{DType::kF32, {20003}, {1}, {1}, 4, 2},
                                           Case{DType::kF32, {20003}, {1}, {0}, 4, 4},
                                           Case{DType::kBF16, {30001}, {1}, {1}, 8, 2},
                                           Case{DType::kS8, {70001}, {1}, {1}, 16, 2},
                                           // Fewer points: neighbours once.
                                           Case{DType::kF32, {5003}, {1}, {1}, 4, 1},
                                           // One element of i1 for a row; for a column.
                                           Case{DType::kF32, {130, 300}, {300, 1}, {1, 0}, 4, 4},
                                           Case{DType::kF32, {130, 300}, {300, 1}, {0, 1}, 4, 2},
                                           // Rows of odd length have no packs.
                                           Case{DType::kF32, {130, 301}, {301, 1}, {1, 0}, 1, 8},
                                           Case{
                                               DType::kF64, {130, 303}, {303, 1}, {303, 1}, 1, 4}));

}  // namespace
}  // namespace plinth::cuda
