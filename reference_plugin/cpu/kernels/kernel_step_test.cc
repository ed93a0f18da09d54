// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/kernel_step.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <numeric>
#include <utility>

#include "reference_plugin/cpu/kernels/kernel_test_util.h"
#include "reference_plugin/cpu/kernels/tile_program.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Access;
using compiler::Kernel;
using compiler::Node;
using compiler::Opcode;

TEST(KernelStepTest, AddsAConstant) {
  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), 0.0f);
  const Kernel kernel =
      Elementwise(1000, {DType::kF32}, {Input(0), Constant(1.0f), Operation(Opcode::kAdd, {0, 1})});
  const std::vector<float> y = RunStep<float>(kernel, {x.data()}, x.size());
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] + 1);
}

TEST(KernelStepTest, ComplexElements) {
  std::vector<std::complex<double>> x(333);
  for (size_t i = 0; i < x.size(); ++i) x[i] = {static_cast<double>(i), 1};
  const Kernel kernel =
      Elementwise(333, {DType::kC128},
                  {Input(0, DType::kC128), Operation(Opcode::kMultiply, DType::kC128, {0, 0})});
  const auto y = RunStep<std::complex<double>>(kernel, {x.data()}, x.size());
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] * x[i]);
}

TEST(KernelStepTest, FourBitIntegersTakeAByteAndWrap) {
  std::vector<int8_t> x(100);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int8_t>(i % 16 - 8);
  const Kernel kernel = Elementwise(
      100, {DType::kS4}, {Input(0, DType::kS4), Operation(Opcode::kAdd, DType::kS4, {0, 0})});
  const auto y = RunStep<int8_t>(kernel, {x.data()}, x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(y[i], (2 * x[i]) & 0xf) << i;
  }
}

// Parts of the rows of an array, which are read where they lie if a tile is one of them.
TEST(KernelStepTest, RowsThatLieApartAreTilesOfTheirOwn) {
  constexpr int32_t kRows = 16, kColumns = 128, kParts = 4;
  const auto sum_of_parts = [](int64_t row_bytes) {
    Kernel kernel;
    kernel.name = "parts";
    kernel.shape.extents = {kRows, kColumns};
    kernel.shape.num_parallel = 2;
    compiler::Phase phase;
    for (int32_t part = 0; part < kParts; ++part) {
      kernel.shape.inputs.push_back(MakeAccess(0, DType::kF32, {row_bytes, 4}));
      kernel.shape.inputs.back().byte_offset = part * kColumns * 4;
      phase.nodes.push_back(Input(part));
    }
    for (int32_t part = 1; part < kParts; ++part) {
      phase.nodes.push_back(Operation(Opcode::kAdd, {part == 1 ? 0 : kParts - 2 + part, part}));
    }
    phase.stores = {{2 * kParts - 2, 0}};
    kernel.shape.outputs = {MakeAccess(0, DType::kF32, {kColumns * 4, 4})};
    kernel.body.phases = {phase};
    return kernel;
  };
  const auto lanes_of = [](const Kernel& kernel) {
    auto program = MakeTileProgram(kernel);
    EXPECT_TRUE(program.ok()) << program.status().ToString();
    return (*program)->parallel.max_lanes;
  };
  const Kernel apart = sum_of_parts(kParts * kColumns * 4);
  EXPECT_EQ(lanes_of(apart), kColumns);
  EXPECT_GT(lanes_of(sum_of_parts(kColumns * 4)), kColumns);
  std::vector<float> x(kRows * kParts * kColumns);
  std::iota(x.begin(), x.end(), 0.0f);
  const std::vector<float> y = RunStep<float>(apart, {x.data()}, kRows * kColumns);
  for (size_t i = 0; i < y.size(); ++i) {
    const float* const first = &x[i / kColumns * kParts * kColumns + i % kColumns];
    ASSERT_EQ(y[i], first[0] + first[kColumns] + first[2 * kColumns] + first[3 * kColumns]) << i;
  }
}

TEST(KernelStepTest, ResultsMayLieOverOperands) {
  std::vector<float> x(5000);
  std::iota(x.begin(), x.end(), 0.0f);
  // Two results; the first lies over the operand that the second needs as well.
  Kernel kernel = Elementwise(5000, {DType::kF32},
                              {Input(0), Constant(1.0f), Operation(Opcode::kAdd, {0, 1}),
                               Operation(Opcode::kMultiply, {0, 0})});
  kernel.shape.outputs.push_back(MakeAccess(1, DType::kF32, {4}));
  kernel.body.phases[0].stores = {{2, 0}, {3, 1}};
  std::vector<float> square(5000);
  Expected<std::unique_ptr<backend::PreparedStep>> step =
      PrepareKernel(std::make_shared<const Kernel>(kernel));
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  void* operands[] = {x.data()};
  void* results[] = {x.data(), square.data()};
  ASSERT_TRUE((*step)->Run(operands, results, backend::RunContext()).is_done());
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(x[i], static_cast<float>(i) + 1);
    ASSERT_EQ(square[i], static_cast<float>(i) * static_cast<float>(i));
  }
}

// Tiles that are one to machine code: a scalar, which is in a register of one tile, is not to be
// read behind it; nor is more than the array, whose last tile has fewer elements.
TEST(KernelStepTest, CodeTakesManyTilesAtOnce) {
  constexpr size_t kSize = 5003;
  std::vector<float> x(kSize);
  std::iota(x.begin(), x.end(), 0.0f);
  float factor = 3;
  for (const bool has_scalar : {false, true}) {
    Kernel kernel =
        Elementwise(kSize, {DType::kF32, DType::kF32},
                    {Input(0), has_scalar ? Input(1) : Constant(factor), Constant(1.0f),
                     Operation(Opcode::kMultiply, {0, 1}), Operation(Opcode::kAdd, {3, 2})});
    kernel.shape.inputs[1].byte_strides = {0};
    for (const std::shared_ptr<emit::CodeCache>& codes : AllCodes()) {
      Expected<std::unique_ptr<backend::PreparedStep>> step =
          PrepareKernel(std::make_shared<const Kernel>(kernel), codes);
      ASSERT_TRUE(step.ok()) << step.status().ToString();
      for (int run = 0; run < 3; ++run) {
        std::vector<float> y(kSize + 1, -1.0f);
        void* operands[] = {x.data(), &factor};
        void* results[] = {y.data()};
        ASSERT_TRUE((*step)->Run(operands, results, backend::RunContext()).is_done());
        for (size_t i = 0; i < kSize; ++i) ASSERT_EQ(y[i], x[i] * factor + 1) << i;
        EXPECT_EQ(y[kSize], -1.0f);
      }
    }
  }
}

// Each result lies over the operand that the other one is a copy of.
TEST(KernelStepTest, OperandsMayChangePlaces) {
  std::vector<float> x(5000), y(5000);
  std::iota(x.begin(), x.end(), 0.0f);
  std::iota(y.begin(), y.end(), 0.5f);
  const std::vector<float> old_x = x, old_y = y;
  Kernel kernel = Elementwise(5000, {DType::kF32, DType::kF32}, {Input(0), Input(1)});
  kernel.shape.outputs.push_back(MakeAccess(1, DType::kF32, {4}));
  kernel.body.phases[0].stores = {{1, 0}, {0, 1}};
  Expected<std::unique_ptr<backend::PreparedStep>> step =
      PrepareKernel(std::make_shared<const Kernel>(kernel));
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  std::vector<std::byte> scratch(static_cast<size_t>((*step)->scratch_bytes()) + 64);
  void* aligned = scratch.data();
  size_t space = scratch.size();
  std::align(64, space - 64, aligned, space);
  backend::RunContext context;
  context.scratch = {static_cast<std::byte*>(aligned), space};
  void* buffers[] = {x.data(), y.data()};
  ASSERT_TRUE((*step)->Run(buffers, buffers, context).is_done());
  EXPECT_EQ(x, old_y);
  EXPECT_EQ(y, old_x);
}

// pad, then reshape to rows, of which only the first columns are taken: rows may end before the
// padding does.
TEST(KernelStepTest, PaddingThatGoesOnBehindTheRow) {
  constexpr int64_t kRows = 150, kColumns = 20, kWidth = 50, kLow = 1200, kSize = 1000;
  std::vector<float> x(kSize);
  std::iota(x.begin(), x.end(), 1.0f);
  Kernel kernel =
      Elementwise(kRows * kColumns, {DType::kF32}, {Input(0), Operation(Opcode::kAdd, {0, 0})});
  kernel.shape.extents = {kRows, kColumns};
  kernel.shape.num_parallel = 2;
  Access& access = kernel.shape.inputs[0];
  access.byte_strides = {4 * kWidth, 4};
  access.byte_offset = -4 * kLow;
  access.bounds.resize(1);
  access.bounds[0].coefficients = {kWidth, 1};
  access.bounds[0].offset = -kLow;
  access.bounds[0].extent = kSize;
  kernel.shape.outputs[0].byte_strides = {4 * kColumns, 4};
  const auto y = RunStep<float>(kernel, {x.data()}, kRows * kColumns);
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    const int64_t at = i / kColumns * kWidth + i % kColumns - kLow;
    ASSERT_EQ(y[static_cast<size_t>(i)], at < 0 || at >= kSize ? 0 : 2 * x[static_cast<size_t>(at)])
        << "element " << i;
  }
}

// What takes the square of this many steps takes minutes.
TEST(KernelStepTest, PreparesVeryManyNodes) {
  constexpr int32_t kAdds = 300'000;
  std::vector<Node> nodes = {Input(0, DType::kS32), Input(1, DType::kS32)};
  for (int32_t i = 0; i < kAdds; ++i) {
    nodes.push_back(Operation(Opcode::kAdd, DType::kS32, {i == 0 ? 0 : i + 1, 1}));
  }
  for (int32_t i = 0; i < kAdds; ++i) {
    const int32_t sum = static_cast<int32_t>(nodes.size()) - 1;
    nodes.push_back(Constant(i, DType::kS32));
    nodes.push_back(Operation(Opcode::kXor, DType::kS32, {sum, sum + 1}));
  }
  int32_t expected = 1 + 2 * kAdds;
  for (int32_t i = 0; i < kAdds; ++i) expected ^= i;
  std::vector<int32_t> x(5, 1), y(5, 2);
  const Kernel kernel = Elementwise(5, {DType::kS32, DType::kS32}, std::move(nodes));
  for (int32_t result : RunStep<int32_t>(kernel, {x.data(), y.data()}, 5)) {
    EXPECT_EQ(result, expected);
  }
}

TEST(KernelStepTest, StopsWhenAsked) {
  std::vector<float> x(1 << 20);
  const Kernel kernel =
      Elementwise(1 << 20, {DType::kF32}, {Input(0), Operation(Opcode::kExponential, {0})});
  Expected<std::unique_ptr<backend::PreparedStep>> step =
      PrepareKernel(std::make_shared<const Kernel>(kernel));
  ASSERT_TRUE(step.ok());
  std::atomic<bool> stop = true;
  backend::RunContext context;
  context.stop = &stop;
  void* buffers[] = {x.data()};
  EXPECT_EQ((*step)->Run(buffers, buffers, context).status().code(), StatusCode::kCancelled);
}

TEST(KernelStepTest, MissingBuffersAreErrors) {
  std::vector<float> x(8);
  const Kernel kernel = Elementwise(8, {DType::kF32, DType::kF32},
                                    {Input(0), Input(1), Operation(Opcode::kAdd, {0, 1})});
  Expected<std::unique_ptr<backend::PreparedStep>> step =
      PrepareKernel(std::make_shared<const Kernel>(kernel));
  ASSERT_TRUE(step.ok());
  void* buffers[] = {x.data()};
  const Status status = (*step)->Run(buffers, buffers, backend::RunContext()).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_NE(status.message().find("buffer 1 of 1"), std::string::npos) << status.ToString();
}

TEST(KernelStepTest, KernelsThatBreakTheRulesAreErrors) {
  const Kernel good = Elementwise(8, {DType::kF32}, {Input(0), Operation(Opcode::kNegate, {0})});
  auto prepare = [](Kernel kernel) {
    return PrepareKernel(std::make_shared<const Kernel>(std::move(kernel))).status();
  };
  EXPECT_TRUE(prepare(good).ok());
  Kernel bad = good;
  bad.body.phases[0].nodes[1].operands[0] = 1;
  EXPECT_EQ(prepare(bad).code(), StatusCode::kInternal);
  bad = good;
  bad.shape.inputs[0].byte_strides = {};
  EXPECT_EQ(prepare(bad).code(), StatusCode::kInternal);
  bad = good;
  bad.body.phases[0].nodes[1].opcode = Opcode::kReshape;
  EXPECT_EQ(prepare(bad).code(), StatusCode::kInternal);
  bad = good;
  bad.body.phases[0].stores[0].output = 1;
  EXPECT_EQ(prepare(bad).code(), StatusCode::kInternal);
  bad = good;
  bad.shape.extents = {-1};
  EXPECT_EQ(prepare(bad).code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace plinth::cpu::kernels
