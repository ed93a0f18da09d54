// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "reference_plugin/cpu/library/pair_combiner.h"
#include "reference_plugin/cpu/library/test_combiners.h"
#include "reference_plugin/cpu/library/test_support.h"

// Cumulative reductions against loops that do what their definition says.
namespace plinth::cpu::library {
namespace {

using compiler::Opcode;

TEST(CumulativeReduceTest, SumsAndMaximaFromBothEnds) {
  std::mt19937_64 random(3);
  for (DType dtype : {DType::kS32, DType::kF32, DType::kBF16, DType::kC64, DType::kU8}) {
    for (Opcode opcode : {Opcode::kAdd, Opcode::kMaximum}) {
      if (opcode == Opcode::kMaximum && dtype == DType::kC64) continue;
      for (bool reverse : {false, true}) {
        for (int64_t inner : {1, 3, 20}) {
          TestArray operand(dtype, {2, 6, inner}), initial(dtype, {}), result = operand;
          for (int64_t i = 0; i < operand.NumElements(); ++i) operand.Set(i, (i * 13) % 5);
          initial.Set(0, int64_t{1});
          auto step = MakeStep(Opcode::kCumulativeReduce, {operand.type, initial.type},
                               {result.type}, AlongDimension(1, reverse));
          step.combiners = {OfTwo(opcode, dtype)};
          ASSERT_TRUE(RunStep(step, {&operand, &initial}, {&result}).ok());
          for (int64_t o = 0; o < 2; ++o) {
            for (int64_t i = 0; i < inner; ++i) {
              double accumulated = 1;
              for (int64_t s = 0; s < 6; ++s) {
                int64_t at = (o * 6 + (reverse ? 5 - s : s)) * inner + i;
                double x = operand.Get<std::complex<double>>(at).real();
                accumulated = opcode == Opcode::kAdd ? accumulated + x : std::max(accumulated, x);
                EXPECT_EQ(result.Get<std::complex<double>>(at).real(), accumulated) << Name(dtype);
              }
            }
          }
        }
      }
    }
  }
}

// Maxima, minima and products of rows, bit for bit those of the combiner.
TEST(CumulativeReduceTest, RowsGiveTheBitsOfTheCombiner) {
  std::mt19937_64 random(17);
  for (DType dtype : {DType::kS8, DType::kS32, DType::kU64, DType::kF16, DType::kBF16, DType::kF32,
                      DType::kF64}) {
    const auto bytes = static_cast<size_t>(ByteSize(dtype));
    const bool is_float = InfoOf(dtype).kind == DTypeClass::kFloat;
    for (Opcode opcode : {Opcode::kMaximum, Opcode::kMinimum, Opcode::kMultiply}) {
      for (int64_t inner : {1, 3}) {
        for (bool with_nan : {false, true}) {
          const int64_t length = 40;
          TestArray operand(dtype, {length, inner}), initial(dtype, {}), result = operand;
          operand.FillRandom(random);
          initial.Set(0, opcode == Opcode::kMultiply ? 1.5 : -0.25);
          if (is_float) {
            operand.Set(4, -0.0);
            operand.Set(9, 0.0);
            const uint64_t nan = dtype == DType::kF16    ? 0xfc01
                                 : dtype == DType::kBF16 ? 0xff81
                                 : dtype == DType::kF32  ? 0xff800001
                                                         : 0xfff0000000000001;
            if (with_nan)
              std::memcpy(&operand.bytes[60 * bytes % operand.bytes.size()], &nan, bytes);
          }
          auto combine =
              PairCombiner::Make(OfTwo(opcode, dtype), std::vector<DType>{dtype, dtype}, {}, 1);
          ASSERT_TRUE(combine.ok());
          TestArray expected = operand;
          for (int64_t i = 0; i < operand.NumElements(); ++i) {
            auto* const at = &expected.bytes[static_cast<size_t>(i) * bytes];
            auto* const before =
                i < inner ? initial.bytes.data() : at - static_cast<size_t>(inner) * bytes;
            void* parameters[] = {before, at};
            void* results[] = {at};
            ASSERT_TRUE(combine->Run(parameters, results).ok());
          }
          auto step = MakeStep(Opcode::kCumulativeReduce, {operand.type, initial.type},
                               {result.type}, AlongDimension(0));
          step.combiners = {OfTwo(opcode, dtype)};
          ASSERT_TRUE(RunStep(step, {&operand, &initial}, {&result}).ok());
          EXPECT_EQ(result.bytes, expected.bytes) << Name(dtype) << " " << compiler::Name(opcode);
        }
      }
    }
  }
}

TEST(CumulativeReduceTest, LongRowsArePlanned) {
  constexpr int64_t kInner = 5 << 20;
  TestArray operand(DType::kU8, {1, 2, kInner}), initial(DType::kU8, {}), result = operand;
  for (int64_t i = 0; i < 2 * kInner; ++i) {
    operand.bytes[static_cast<size_t>(i)] = static_cast<std::byte>(i * 7 % 100);
  }
  initial.Set(0, int64_t{3});
  auto step = MakeStep(Opcode::kCumulativeReduce, {operand.type, initial.type}, {result.type},
                       AlongDimension(1, false));
  step.combiners = {OfTwo(Opcode::kAdd, DType::kU8)};
  const auto prepared = PrepareLibraryStep(step);
  ASSERT_TRUE(prepared.ok());
  EXPECT_GE((*prepared)->scratch_bytes(), kInner);
  ASSERT_TRUE(RunStep(step, {&operand, &initial}, {&result}).ok());
  for (int64_t i = 0; i < kInner; i += 9973) {
    const int64_t first = i * 7 % 100 + 3, second = first + (kInner + i) * 7 % 100;
    EXPECT_EQ(static_cast<int64_t>(result.bytes[static_cast<size_t>(i)]), first);
    EXPECT_EQ(static_cast<int64_t>(result.bytes[static_cast<size_t>(kInner + i)]), second);
  }
}

}  // namespace
}  // namespace plinth::cpu::library
