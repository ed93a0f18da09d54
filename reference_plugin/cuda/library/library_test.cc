// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/library/library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference_plugin/cuda/library/library_test_util.h"

namespace plinth::cuda {
namespace {

using compiler::Combiner;
using compiler::Dims;
using compiler::MakeAttributes;
using compiler::Opcode;
using compiler::Type;
using compiler::plan::PlanStep;
using testing::Array;
using testing::ForEachIndex;
using testing::LibraryTest;
using testing::MakeCombiner;
using testing::MakeStep;
using testing::Place;
using testing::RunStep;

TEST_F(LibraryTest, MatrixProducts) {
  struct Case {
    DType in, out;
    int64_t batch, m, n, k;
  };
  const Case cases[] = {
      {DType::kF32, DType::kF32, 1, 5, 7, 3},     {DType::kF32, DType::kF32, 2, 40, 33, 70},
      {DType::kF32, DType::kF32, 1, 10, 12, 700}, {DType::kBF16, DType::kBF16, 1, 33, 20, 18},
      {DType::kF16, DType::kF32, 3, 1, 65, 17},   {DType::kF64, DType::kF64, 1, 17, 16, 16},
      {DType::kS8, DType::kS32, 1, 9, 34, 20},    {DType::kU16, DType::kU16, 1, 4, 4, 40},
      {DType::kPred, DType::kPred, 1, 12, 12, 5}, {DType::kF32, DType::kF32, 1, 4, 4, 0},
  };
  for (const Case& c : cases) {
    for (const bool turned : {false, true}) {
      compiler::DotAttributes dot;
      dot.lhs_batch = {0};
      dot.rhs_batch = {turned ? 1 : 0};
      dot.lhs_contracting = {2};
      dot.rhs_contracting = {turned ? 2 : 1};
      const std::vector<Array> in = {
          Random(c.in, {c.batch, c.m, c.k}),
          Random(c.in, turned ? Dims{c.n, c.batch, c.k} : Dims{c.batch, c.k, c.n})};
      const Dims out_dims = {c.batch, c.m, c.n};
      const PlanStep step =
          MakeStep(Opcode::kDotGeneral, in, {Type::Tensor(c.out, out_dims)}, MakeAttributes(dot));
      const Array out = RunStep(step, in)[0];
      ForEachIndex(out_dims, [&](const Dims& i) {
        double sum = 0;
        for (int64_t k = 0; k < c.k; ++k) {
          sum += in[0][Place(in[0].type.dims, {i[0], i[1], k})] *
                 in[1][Place(in[1].type.dims, turned ? Dims{i[2], i[0], k} : Dims{i[0], k, i[2]})];
        }
        if (c.out == DType::kPred) sum = sum != 0;
        ASSERT_EQ(out[Place(out_dims, i)], sum) << Name(c.in) << " " << c.m << " " << c.n;
      });
    }
  }
}

TEST_F(LibraryTest, Convolutions) {
  for (int round = 0; round < 12; ++round) {
    compiler::ConvolutionAttributes conv{};
    conv.input_batch = 0, conv.input_spatial = {1, 2}, conv.input_feature = 3;
    conv.kernel_spatial = {0, 1}, conv.kernel_input_feature = 2, conv.kernel_output_feature = 3;
    conv.output_batch = 0, conv.output_spatial = {1, 2}, conv.output_feature = 3;
    const int64_t groups = round % 3 == 2 ? 2 : 1, features = 1 + Below(3);
    conv.feature_group_count = groups;
    Dims in_dims = {1 + Below(2), 4 + Below(5), 3 + Below(5), features * groups};
    Dims kernel_dims = {1 + Below(3), 1 + Below(3), features, groups * (1 + Below(4))};
    Dims out_dims = {in_dims[0], 0, 0, kernel_dims[3]};
    compiler::Window& w = conv.window;
    bool is_empty = false;
    for (int64_t d = 0; d < 2; ++d) {
      w.sizes.push_back(kernel_dims[d]);
      w.strides.push_back(1 + Below(2));
      w.padding_low.push_back(Below(3)), w.padding_high.push_back(Below(3));
      w.base_dilation.push_back(1 + Below(2)), w.window_dilation.push_back(1 + Below(2));
      w.reversal.push_back(Below(2) == 0);
      const int64_t padded =
          (in_dims[1 + d] - 1) * w.base_dilation[d] + 1 + w.padding_low[d] + w.padding_high[d];
      const int64_t window = (kernel_dims[d] - 1) * w.window_dilation[d] + 1;
      out_dims[1 + d] = padded < window ? 0 : (padded - window) / w.strides[d] + 1;
      is_empty |= out_dims[1 + d] == 0;
    }
    if (is_empty) continue;
    const std::vector<Array> in = {Random(DType::kF32, in_dims), Random(DType::kF32, kernel_dims)};
    const PlanStep step = MakeStep(Opcode::kConvolution, in, {Type::Tensor(DType::kF32, out_dims)},
                                   MakeAttributes(conv));
    const Array out = RunStep(step, in)[0];
    ForEachIndex(out_dims, [&](const Dims& o) {
      double sum = 0;
      const int64_t group = o[3] / (kernel_dims[3] / groups);
      ForEachIndex({kernel_dims[0], kernel_dims[1], features}, [&](const Dims& t) {
        Dims at = {o[0], 0, 0, group * features + t[2]}, tap = {t[0], t[1], t[2], o[3]};
        for (int64_t d = 0; d < 2; ++d) {
          int64_t x = o[1 + d] * w.strides[d] + t[d] * w.window_dilation[d] - w.padding_low[d];
          if (x < 0 || x % w.base_dilation[d] != 0) return;
          at[1 + d] = x / w.base_dilation[d];
          if (at[1 + d] >= in_dims[1 + d]) return;
          if (w.reversal[d]) tap[d] = kernel_dims[d] - 1 - t[d];
        }
        sum += in[0][Place(in_dims, at)] * in[1][Place(kernel_dims, tap)];
      });
      ASSERT_EQ(out[Place(out_dims, o)], sum) << "round " << round;
    });
  }
}

TEST_F(LibraryTest, CumulativeSumsBothWays) {
  for (const bool reverse : {false, true}) {
    compiler::DimensionAttributes attributes;
    attributes.dimension = 1;
    attributes.reverse = reverse;
    for (const DType type : {DType::kF32, DType::kS16}) {
      const std::vector<Array> in = {Random(type, {3, 20, 2}), Array(type, {}, {4})};
      const auto out =
          RunStep(MakeStep(Opcode::kCumulativeReduce, in, {in[0].type}, MakeAttributes(attributes),
                           {MakeCombiner(Opcode::kAdd, type, type)}),
                  in);
      for (size_t row = 0; row < 6; ++row) {
        double sum = 4;
        for (size_t k = 0; k < 20; ++k) {
          const size_t at = (row / 2 * 20 + (reverse ? 19 - k : k)) * 2 + row % 2;
          sum += in[0][at];
          ASSERT_EQ(out[0][at], sum);
        }
      }
    }
  }
}

// Rows in parts: by warps where neighbours lie side by side, by threads where rows do; a device
// with few multiprocessors cuts them coarsely. The combiner that gives its right operand tells
// orders apart.
TEST_F(LibraryTest, CumulativeReductionsOfLongRows) {
  struct Case {
    int64_t outer, length, inner;
  };
  for (const Case& c : {Case{1, 5000, 1}, Case{3, 1100, 2}, Case{2, 700, 40}, Case{2, 33, 1}}) {
    for (const int32_t multiprocessors : {1, 132}) {
      for (const bool reverse : {false, true}) {
        compiler::DimensionAttributes attributes;
        attributes.dimension = 1;
        attributes.reverse = reverse;
        Architecture architecture;
        architecture.multiprocessors = multiprocessors;
        // The maximum of the right operand and itself.
        Combiner last = MakeCombiner(Opcode::kMaximum, DType::kS32, DType::kS32);
        last.nodes[2].operands[0] = 1;
        const bool sums = multiprocessors == 1;
        const std::vector<Array> in = {Random(DType::kS32, {c.outer, c.length, c.inner}, 1000),
                                       Array(DType::kS32, {}, {4})};
        const auto out = RunStep(
            MakeStep(Opcode::kCumulativeReduce, in, {in[0].type}, MakeAttributes(attributes),
                     {sums ? MakeCombiner(Opcode::kAdd, DType::kS32, DType::kS32) : last}),
            in, {}, architecture);
        for (int64_t row = 0; row < c.outer * c.inner; ++row) {
          double expected = 4;
          for (int64_t k = 0; k < c.length; ++k) {
            const auto at = static_cast<size_t>(
                (row / c.inner * c.length + (reverse ? c.length - 1 - k : k)) * c.inner +
                row % c.inner);
            expected = sums ? expected + in[0][at] : in[0][at];
            ASSERT_EQ(out[0][at], expected) << c.length << " " << k << " " << reverse;
          }
        }
      }
    }
  }
}

// The words of Random123's known answers.
TEST_F(LibraryTest, RandomBitsAreThePublishedOnes) {
  Array state(DType::kU64, {2});
  compiler::RngBitGeneratorAttributes attributes{compiler::RngAlgorithm::kThreeFry};
  const std::vector<Array> in = {state};
  auto out =
      RunStep(MakeStep(Opcode::kRngBitGenerator, in, {state.type, Type::Tensor(DType::kU32, {2})},
                       MakeAttributes(attributes)),
              in);
  EXPECT_EQ(out[1].values, (std::vector<double>{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(out[0].values, (std::vector<double>{0, 1}));
  attributes.algorithm = compiler::RngAlgorithm::kPhilox;
  out = RunStep(MakeStep(Opcode::kRngBitGenerator, in, {state.type, Type::Tensor(DType::kU32, {5})},
                         MakeAttributes(attributes)),
                in);
  out[1].values.resize(4);
  EXPECT_EQ(out[1].values, (std::vector<double>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(out[0].values, (std::vector<double>{0, 2}));
}

TEST_F(LibraryTest, Factors) {
  constexpr int64_t kOrder = 19;
  Array root(DType::kF64, {2, kOrder, kOrder}), a(DType::kF64, {2, kOrder, kOrder});
  auto at = [](int64_t m, int64_t i, int64_t j) {
    return static_cast<size_t>((m * kOrder + i) * kOrder + j);
  };
  ForEachIndex({2, kOrder, kOrder}, [&](const Dims& i) {
    if (i[2] <= i[1]) root[at(i[0], i[1], i[2])] = i[1] == i[2] ? 3 + Below(3) : Below(5) - 2.0;
  });
  ForEachIndex({2, kOrder, kOrder, kOrder}, [&](const Dims& i) {
    a[at(i[0], i[1], i[2])] += root[at(i[0], i[1], i[3])] * root[at(i[0], i[2], i[3])];
  });
  for (const bool lower : {true, false}) {
    const auto out = RunStep(MakeStep(Opcode::kCholesky, {a}, {a.type},
                                      MakeAttributes(compiler::CholeskyAttributes{lower})),
                             {a});
    ForEachIndex({2, kOrder, kOrder}, [&](const Dims& i) {
      const double expected = lower ? root[at(i[0], i[1], i[2])] : root[at(i[0], i[2], i[1])];
      ASSERT_NEAR(out[0][at(i[0], i[1], i[2])], expected, 1e-9);
    });
  }
  Array negative = a;
  negative[at(1, 4, 4)] = -1;
  const auto bad = RunStep(MakeStep(Opcode::kCholesky, {negative}, {a.type},
                                    MakeAttributes(compiler::CholeskyAttributes{true})),
                           {negative});
  EXPECT_NEAR(bad[0][0], root[0], 1e-9);
  EXPECT_TRUE(std::isnan(bad[0][at(1, 0, 0)]));

  using compiler::TransposeMode;
  for (const bool left : {true, false}) {
    for (const bool lower : {true, false}) {
      for (const TransposeMode mode : {TransposeMode::kNoTranspose, TransposeMode::kTranspose}) {
        Array factor = root;
        if (!lower) {
          ForEachIndex({2, kOrder, kOrder}, [&](const Dims& i) {
            factor[at(i[0], i[1], i[2])] = root[at(i[0], i[2], i[1])];
          });
        }
        const Dims dims = left ? Dims{2, kOrder, 3} : Dims{2, 3, kOrder};
        const Array b = Random(DType::kF64, dims);
        const compiler::TriangularSolveAttributes how{left, lower, false, mode};
        const auto x =
            RunStep(MakeStep(Opcode::kTriangularSolve, {factor, b}, {b.type}, MakeAttributes(how)),
                    {factor, b});
        ForEachIndex(dims, [&](const Dims& i) {
          double sum = 0;
          for (int64_t k = 0; k < kOrder; ++k) {
            int64_t r = left ? i[1] : k, c = left ? k : i[2];
            if (mode == TransposeMode::kTranspose) std::swap(r, c);
            const Dims other = left ? Dims{i[0], k, i[2]} : Dims{i[0], i[1], k};
            sum += factor[at(i[0], r, c)] * x[0][Place(dims, other)];
          }
          ASSERT_NEAR(sum, b[Place(dims, i)], 1e-6) << left << lower << static_cast<int>(mode);
        });
      }
    }
  }
}

TEST_F(LibraryTest, MorePointsThanALaunchTakesAreRefused) {
  compiler::GatherAttributes gather;
  gather.offset_dims = {1}, gather.start_index_map = {0}, gather.collapsed_slice_dims = {0};
  gather.slice_sizes = {1, 256};
  gather.index_vector_dim = 1;
  const std::vector<Array> in = {Array(DType::kS8, {2, 256}), Array(DType::kS32, {1, 1})};
  const auto print = [&](int64_t rows) {
    PlanStep step = MakeStep(Opcode::kGather, in, {Type::Tensor(DType::kS8, {rows, 256})},
                             MakeAttributes(gather));
    step.operands[1].type = Type::Tensor(DType::kS32, {rows, 1});
    return Print(step, {});
  };
  constexpr int64_t kMost = INT32_MAX;  // blocks
  EXPECT_TRUE(print(kMost).ok());
  for (const int64_t rows : {kMost + 1, (int64_t{1} << 32) + 1}) {
    const Status status = print(rows).status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(status.ToString().find("gather: a step over more than 549755813632 points"),
              std::string::npos)
        << status.ToString();
  }
}

TEST_F(LibraryTest, WhatIsNotHereIsRefusedByName) {
  const Array x(DType::kF32, {8});
  PlanStep step = MakeStep(Opcode::kFft, {x}, {x.type}, nullptr);
  step.location = std::make_shared<const std::string>("model.py:3");
  const auto printed = Print(step, {});
  ASSERT_FALSE(printed.ok());
  EXPECT_EQ(printed.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(printed.status().ToString().find("fft at model.py:3"), std::string::npos)
      << printed.status().ToString();
}

}  // namespace
}  // namespace plinth::cuda
