// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/small_kernel.h"

#include <gtest/gtest.h>

#include <cstring>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/cpu/kernels/kernel_step.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Access;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::Phase;

Node InputNode(DType type, int32_t index) {
  Node node;
  node.kind = NodeKind::kInput;
  node.dtype = type;
  node.index = index;
  return node;
}

Node OpNode(Opcode opcode, DType type, std::initializer_list<int32_t> operands) {
  Node node;
  node.opcode = opcode;
  node.dtype = type;
  for (int32_t operand : operands) node.operands[node.num_operands++] = operand;
  return node;
}

Access Dense(int32_t buffer, DType type) {
  Access access;
  access.buffer = buffer;
  access.dtype = type;
  access.byte_strides = {ByteSize(type)};
  return access;
}

// `nodes` over a vector; inputs and stored nodes have buffers in that order.
Kernel VectorKernel(int64_t points, std::vector<DType> inputs, std::vector<Node> nodes,
                    std::vector<int32_t> stored) {
  Kernel kernel;
  kernel.name = "vector";
  kernel.shape.extents = {points};
  kernel.shape.num_parallel = 1;
  for (DType type : inputs) {
    kernel.shape.inputs.push_back(Dense(static_cast<int32_t>(kernel.shape.inputs.size()), type));
  }
  Phase phase;
  for (int32_t node : stored) {
    const int32_t output = static_cast<int32_t>(kernel.shape.outputs.size());
    kernel.shape.outputs.push_back(Dense(output, nodes[static_cast<size_t>(node)].dtype));
    phase.stores.push_back({node, output});
  }
  phase.nodes = std::move(nodes);
  kernel.body.phases = {phase};
  return kernel;
}

Kernel AddKernel(int64_t points, DType type) {
  return VectorKernel(points, {type, type},
                      {InputNode(type, 0), InputNode(type, 1), OpNode(Opcode::kAdd, type, {0, 1})},
                      {2});
}

TEST(SmallKernelTest, IsOneTile) {
  EXPECT_NE(SmallKernel::Make(AddKernel(1, DType::kF32)), nullptr);
  EXPECT_NE(SmallKernel::Make(AddKernel(512, DType::kF32)), nullptr);
  EXPECT_EQ(SmallKernel::Make(AddKernel(513, DType::kF32)), nullptr);
  EXPECT_NE(SmallKernel::Make(AddKernel(256, DType::kF64)), nullptr);
  EXPECT_EQ(SmallKernel::Make(AddKernel(257, DType::kF64)), nullptr);
  EXPECT_EQ(SmallKernel::Make(AddKernel(0, DType::kF32)), nullptr);
  Kernel reduced = AddKernel(4, DType::kF32);
  reduced.shape.num_parallel = 0;
  EXPECT_EQ(SmallKernel::Make(reduced), nullptr);
  Kernel long_chain = AddKernel(1, DType::kF32);
  for (int32_t n = 3; n < 400; ++n) {
    long_chain.body.phases[0].nodes.push_back(OpNode(Opcode::kAdd, DType::kF32, {n - 1, 1}));
  }
  EXPECT_EQ(SmallKernel::Make(long_chain), nullptr);
}

// Element i of a buffer of any type, a number where the type has any.
void WriteElement(DType type, int64_t i, std::byte* element) {
  if (type == DType::kPred) {
    *element = static_cast<std::byte>(i % 2);
  } else if (compiler::IsInteger(type)) {
    compiler::WriteInteger(type, i * 37 - 11, element);
  } else if (compiler::IsIeeeFloat(type)) {
    compiler::WriteFloat(type, static_cast<double>(i % 97 - 40) * 0.37, element);
  } else if (compiler::IsComplex(type)) {
    const DType real = compiler::RealTypeOf(type);
    compiler::WriteFloat(real, static_cast<double>(i % 97 - 40) * 0.37, element);
    compiler::WriteFloat(real, static_cast<double>(i % 13) * 0.7, element + ByteSize(real));
  } else {
    *element = static_cast<std::byte>(i % (InfoOf(type).bits <= 4 ? 8 : 16));
  }
}

// What is computed for many elements at once by other kernels, small ones compute one by one and
// in runs.
TEST(SmallKernelTest, GivesTheBitsOfOtherKernels) {
  constexpr int64_t kSize = 600;
  constexpr Opcode kOps[] = {Opcode::kAdd,     Opcode::kMultiply, Opcode::kDivide, Opcode::kMaximum,
                             Opcode::kAnd,     Opcode::kPower,    Opcode::kTanh,   Opcode::kNegate,
                             Opcode::kCompare, Opcode::kConvert};
  int compared = 0;
  for (int t = 0; t < kNumDTypes; ++t) {
    const std::optional<DType> type = DTypeFromC(t);
    if (!type.has_value() || ByteSize(*type) == 0) continue;
    const int64_t bytes = ByteSize(*type);
    std::vector<std::byte> x(kSize * bytes), y(kSize * bytes);
    for (int64_t i = 0; i < kSize; ++i) {
      WriteElement(*type, i, &x[i * bytes]);
      WriteElement(*type, i + 5, &y[i * bytes]);
    }
    for (Opcode opcode : kOps) {
      const bool is_unary =
          opcode == Opcode::kTanh || opcode == Opcode::kNegate || opcode == Opcode::kConvert;
      const DType result = opcode == Opcode::kCompare   ? DType::kPred
                           : opcode == Opcode::kConvert ? DType::kF32
                                                        : *type;
      const auto make = [&](int64_t points) {
        return std::make_shared<const Kernel>(
            VectorKernel(points, {*type, *type},
                         {InputNode(*type, 0), InputNode(*type, 1),
                          is_unary ? OpNode(opcode, result, {0}) : OpNode(opcode, result, {0, 1})},
                         {2}));
      };
      if (!Verify(*make(kSize)).ok()) continue;
      Expected<std::unique_ptr<backend::PreparedStep>> large = PrepareKernel(make(kSize));
      if (!large.ok()) continue;
      const int64_t result_bytes = ByteSize(result);
      std::vector<std::byte> expected(kSize * result_bytes);
      void* operands[] = {x.data(), y.data()};
      void* results[] = {expected.data()};
      // 16-byte elements do not fit in one tile, so none of these is small.
      ASSERT_EQ((*large)->bindable(), nullptr);
      ASSERT_TRUE((*large)->Run(operands, results, {}).is_done());
      for (int64_t points : {1, 7, 100}) {
        const std::unique_ptr<SmallKernel> small = SmallKernel::Make(*make(points));
        ASSERT_NE(small, nullptr);
        std::vector<std::byte> got(kSize * result_bytes);
        for (int64_t i = 0; i + points <= kSize; i += points) {
          void* part[] = {&x[i * bytes], &y[i * bytes]};
          void* target[] = {&got[i * result_bytes]};
          ASSERT_TRUE(small->Run(part, target, {}).is_done());
        }
        const size_t whole = static_cast<size_t>(kSize / points * points * result_bytes);
        EXPECT_EQ(std::memcmp(got.data(), expected.data(), whole), 0)
            << Name(*type) << " " << compiler::Name(opcode) << " by " << points;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 300);
}

// Results that lie over operands, in every way: each must have been read before it is overwritten.
TEST(SmallKernelTest, WorksInPlace) {
  const DType type = DType::kS32;
  const std::vector<Node> nodes = {
      InputNode(type, 0),
      InputNode(type, 1),
      OpNode(Opcode::kAdd, type, {0, 1}),
      OpNode(Opcode::kMultiply, type, {0, 2}),
      OpNode(Opcode::kSubtract, type, {3, 1}),
  };
  for (int64_t points : {1, 3}) {
    for (int32_t first = 0; first < 5; ++first) {
      for (int32_t second = 0; second < 5; ++second) {
        const std::unique_ptr<SmallKernel> small =
            SmallKernel::Make(VectorKernel(points, {type, type}, nodes, {first, second}));
        ASSERT_NE(small, nullptr);
        for (const bool crossed : {false, true}) {
          int32_t x[] = {5, -6, 7}, y[] = {11, 13, -17}, expected[2][3];
          for (int i = 0; i < 3; ++i) {
            const int32_t sum = x[i] + y[i], product = x[i] * sum;
            const int32_t values[] = {x[i], y[i], sum, product, product - y[i]};
            expected[0][i] = i < points ? values[first] : crossed ? y[i] : x[i];
            expected[1][i] = i < points ? values[second] : crossed ? x[i] : y[i];
          }
          void* operands[] = {x, y};
          void* results[] = {crossed ? y : x, crossed ? x : y};
          ASSERT_TRUE(small->Run(operands, results, {}).is_done());
          EXPECT_EQ(std::memcmp(results[0], expected[0], sizeof(x)), 0)
              << first << " " << second << " " << crossed;
          EXPECT_EQ(std::memcmp(results[1], expected[1], sizeof(y)), 0)
              << first << " " << second << " " << crossed;
        }
      }
    }
  }
}

// A narrower element over a wider one, which other elements still need.
TEST(SmallKernelTest, ResultsOfOtherWidthsInPlace) {
  const std::unique_ptr<SmallKernel> small = SmallKernel::Make(
      VectorKernel(4, {DType::kS32},
                   {InputNode(DType::kS32, 0), OpNode(Opcode::kConvert, DType::kF64, {0})}, {1}));
  ASSERT_NE(small, nullptr);
  double memory[4] = {};
  const int32_t source[] = {1, -2, 3, -4};
  std::memcpy(memory, source, sizeof(source));
  void* buffers[] = {memory};
  ASSERT_TRUE(small->Run(buffers, buffers, {}).is_done());
  for (int i = 0; i < 4; ++i) EXPECT_EQ(memory[i], source[i]);
}

// x = x * 3 and whether the sum of the old x is above y: the sum reads what the store overwrites.
TEST(SmallKernelTest, ReducesToOneElement) {
  const DType type = DType::kS32;
  const auto constant = [&](int32_t value) {
    Node node;
    node.kind = NodeKind::kConstant;
    node.dtype = type;
    std::memcpy(&node.constant.low, &value, sizeof(value));
    return node;
  };
  const auto parameter = [&](int32_t index) {
    Node node = InputNode(type, index);
    node.kind = NodeKind::kParameter;
    return node;
  };
  for (int64_t points : {1, 2, 7, 200}) {
    Kernel kernel = VectorKernel(
        points, {type, type},
        {InputNode(type, 0), constant(3), OpNode(Opcode::kMultiply, type, {0, 1}), constant(1000)},
        {2});
    kernel.shape.num_parallel = 0;
    kernel.shape.inputs[1].byte_strides = {0};
    kernel.body.phases[0].over_reduced = true;
    compiler::Reduction sum;
    sum.inputs = {0};
    sum.initial = {3};
    sum.combiner.nodes = {parameter(0), parameter(1), OpNode(Opcode::kAdd, type, {0, 1})};
    sum.combiner.results = {2};
    kernel.body.phases[0].reductions = {sum};
    Node reduced = InputNode(type, 0);
    reduced.kind = NodeKind::kReduced;
    Node above = OpNode(Opcode::kCompare, DType::kPred, {0, 1});
    above.compare.direction = compiler::ComparisonDirection::kGt;
    Phase condition;
    condition.nodes = {reduced, InputNode(type, 1), above};
    condition.stores = {{2, 1}, {0, 2}};
    kernel.shape.outputs.push_back(Dense(1, DType::kPred));
    kernel.shape.outputs.push_back(Dense(2, type));
    kernel.shape.outputs[1].byte_strides = kernel.shape.outputs[2].byte_strides = {0};
    kernel.body.phases.push_back(condition);
    ASSERT_TRUE(Verify(kernel).ok()) << Verify(kernel).ToString();
    const std::unique_ptr<SmallKernel> small = SmallKernel::Make(kernel);
    ASSERT_NE(small, nullptr);
    std::vector<int32_t> x(static_cast<size_t>(points));
    int32_t expected = 1000, result = 0, limit = 1002;
    uint8_t is_above = 2;
    for (int64_t i = 0; i < points; ++i) expected += x[i] = static_cast<int32_t>(i % 5 * i);
    const std::vector<int32_t> old = x;
    void* operands[] = {x.data(), &limit};
    void* results[] = {x.data(), &is_above, &result};
    ASSERT_TRUE(small->Run(operands, results, {}).is_done());
    EXPECT_EQ(result, expected);
    EXPECT_EQ(is_above, expected > limit);
    for (int64_t i = 0; i < points; ++i) EXPECT_EQ(x[i], 3 * old[i]);
    // Rows are another matter.
    kernel.shape.extents.insert(kernel.shape.extents.begin(), 2);
    kernel.shape.num_parallel = 1;
    for (auto* accesses : {&kernel.shape.inputs, &kernel.shape.outputs}) {
      for (Access& access : *accesses) {
        access.byte_strides.insert(access.byte_strides.begin(), 64);
      }
    }
    EXPECT_EQ(SmallKernel::Make(kernel), nullptr);
  }
}

// x[index] + 1 into y[index], the index clamped; bound once, run many times.
TEST(SmallKernelTest, FindsElementsAtRunTime) {
  const DType type = DType::kF32;
  Node one;
  one.kind = NodeKind::kConstant;
  one.dtype = type;
  const float value = 1;
  std::memcpy(&one.constant.low, &value, sizeof(value));
  Kernel kernel =
      VectorKernel(1, {type}, {InputNode(type, 0), one, OpNode(Opcode::kAdd, type, {0, 1})}, {2});
  kernel.shape.inputs[0].dynamic_offsets.push_back({1, DType::kS32, 3, 4});
  kernel.shape.outputs[0].dynamic_offsets.push_back({1, DType::kS32, 3, 4});
  ASSERT_TRUE(Verify(kernel).ok()) << Verify(kernel).ToString();
  const std::unique_ptr<SmallKernel> small = SmallKernel::Make(kernel);
  ASSERT_NE(small, nullptr);
  float x[] = {10, 20, 30, 40}, y[4] = {};
  int32_t index = 0;
  void* operands[] = {x, &index};
  void* results[] = {y};
  std::vector<std::byte> registers(static_cast<size_t>(small->register_bytes()));
  std::vector<std::byte*> slots(small->num_slots());
  ASSERT_TRUE(small->Bind(operands, results, registers.data(), slots.data()).ok());
  for (index = 2; index < 6; ++index) small->RunBound(slots.data());
  EXPECT_EQ(y[2], 31);
  EXPECT_EQ(y[3], 41);
  index = -7;
  small->RunBound(slots.data());
  EXPECT_EQ(y[0], 11);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(small->Bind({operands, 1}, results, nullptr, slots.data()).code(),
            StatusCode::kInternal);
}

}  // namespace
}  // namespace plinth::cpu::kernels
