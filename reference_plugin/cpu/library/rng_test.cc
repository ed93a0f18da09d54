// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "reference_plugin/cpu/library/test_support.h"

namespace plinth::cpu::library {
namespace {

using compiler::Attributes;
using compiler::Opcode;
using compiler::RngAlgorithm;
using compiler::RngDistribution;

struct BitsCase {
  RngAlgorithm algorithm;
  DType dtype;
  compiler::Dims dims;
  uint64_t next_counter;
  std::vector<uint64_t> bits;
};

constexpr uint64_t kKey = 0x9abcdef012345678u, kCounter = 0xfffffffffffffffeu;

// What XLA's CPU backend gives for the state (kKey, kCounter).
const BitsCase kBitsCases[] = {
    {RngAlgorithm::kThreeFry,
     DType::kU32,
     {3, 4},
     0x4u,
     {0xb67b1508u, 0xd04e5495u, 0x22b3e624u, 0xfaab5466u, 0xed280379u, 0xa0bb73c3u, 0x19101b65u,
      0x62326731u, 0x5e33164eu, 0x7911ffa6u, 0x437c43ffu, 0x6c92731au}},
    {RngAlgorithm::kThreeFry,
     DType::kU32,
     {3, 5},
     0x7u,
     {0xb67b1508u, 0xd04e5495u, 0x22b3e624u, 0xfaab5466u, 0xed280379u, 0x19101b65u, 0x62326731u,
      0x5e33164eu, 0x7911ffa6u, 0x437c43ffu, 0x3c45e0f3u, 0x65c6e6a8u, 0x37b265fau, 0xb3344480u,
      0xb27245eu}},
    {RngAlgorithm::kThreeFry, DType::kU16, {5}, 0x1u, {0x1508, 0x5495, 0xe624, 0x5466, 0x379}},
    {RngAlgorithm::kThreeFry,
     DType::kU64,
     {3},
     0x1u,
     {0xd04e5495b67b1508u, 0xfaab546622b3e624u, 0xa0bb73c3ed280379u}},
    {RngAlgorithm::kThreeFry, DType::kU8, {}, 0xffffffffffffffffu, {0x8}},
    {RngAlgorithm::kPhilox,
     DType::kU32,
     {2, 5},
     0x1u,
     {0x78e50b5cu, 0xd13f68cbu, 0x7a6012f5u, 0xb29a5028u, 0x1f9672e0u, 0x2ccb3c66u, 0xec33af7fu,
      0x8c473e42u, 0xeac18854u, 0x50052cd8u}},
    {RngAlgorithm::kPhilox,
     DType::kU64,
     {3},
     0x0u,
     {0xd13f68cb78e50b5cu, 0xb29a50287a6012f5u, 0x2ccb3c661f9672e0u}},
    {RngAlgorithm::kDefault, DType::kU8, {6}, 0x0u, {0x5c, 0xcb, 0xf5, 0x28, 0xe0, 0x66}},
    {RngAlgorithm::kDefault,
     DType::kU16,
     {3, 3},
     0x1u,
     {0xb5c, 0x68cb, 0x12f5, 0x5028, 0x72e0, 0x3c66, 0xaf7f, 0x3e42, 0x8854}},
};

compiler::plan::PlanStep BitsStep(RngAlgorithm algorithm, const compiler::Type& state,
                                  const compiler::Type& bits) {
  return MakeStep(Opcode::kRngBitGenerator, {state}, {state, bits},
                  std::make_shared<Attributes>(compiler::RngBitGeneratorAttributes{algorithm}));
}

TEST(RngBitGeneratorTest, BitsOfXla) {
  for (const BitsCase& c : kBitsCases) {
    TestArray state(DType::kU64, {2}), new_state(DType::kU64, {2}), bits(c.dtype, c.dims);
    state.Set(0, kKey);
    state.Set(1, kCounter);
    const Status status =
        RunStep(BitsStep(c.algorithm, state.type, bits.type), {&state}, {&new_state, &bits});
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(new_state.Get<uint64_t>(0), kKey);
    EXPECT_EQ(new_state.Get<uint64_t>(1), c.next_counter);
    for (size_t i = 0; i < c.bits.size(); ++i) {
      EXPECT_EQ(bits.Get<uint64_t>(static_cast<int64_t>(i)), c.bits[i])
          << bits.type.ToString() << " element " << i;
    }
  }
}

TEST(RngBitGeneratorTest, CarriesIntoAThirdStateWord) {
  TestArray state(DType::kU64, {3}), new_state(DType::kU64, {3}), bits(DType::kU32, {12});
  state.Set(0, kKey);
  state.Set(1, kCounter);
  state.Set(2, uint64_t{7});
  ASSERT_TRUE(
      RunStep(BitsStep(RngAlgorithm::kPhilox, state.type, bits.type), {&state}, {&new_state, &bits})
          .ok());
  EXPECT_EQ(new_state.Get<uint64_t>(1), 1u);
  EXPECT_EQ(new_state.Get<uint64_t>(2), 8u);
}

// Continuing from the new state gives what one longer run gives, on any number of threads.
TEST(RngBitGeneratorTest, ContinuesAndSplits) {
  backend::ThreadPool pool(3);
  const int64_t size = 1 << 17;
  TestArray state(DType::kU64, {2}), middle(DType::kU64, {2}), end(DType::kU64, {2});
  state.Set(0, kKey);
  state.Set(1, uint64_t{5});
  TestArray whole(DType::kU32, {size}), first(DType::kU32, {size / 2}), second = first;
  const auto run = [&](const TestArray& from, TestArray* to, TestArray* bits,
                       backend::ThreadPool* threads) {
    return RunStep(BitsStep(RngAlgorithm::kDefault, state.type, bits->type), {&from}, {to, bits},
                   threads);
  };
  ASSERT_TRUE(run(state, &end, &whole, &pool).ok());
  ASSERT_TRUE(run(state, &middle, &first, nullptr).ok());
  ASSERT_TRUE(run(middle, &end, &second, nullptr).ok());
  std::vector<std::byte> joined = first.bytes;
  joined.insert(joined.end(), second.bytes.begin(), second.bytes.end());
  EXPECT_EQ(joined, whole.bytes);
}

// A part has the bits that the whole has there, wherever it begins, on any number of threads.
TEST(RngBitGeneratorTest, PartsOfTheWhole) {
  backend::ThreadPool pool(3);
  std::minstd_rand random(7);
  const compiler::Dims shapes[] = {{1},          {6},       {7},       {3, 5},    {4, 6},
                                   {5, 1},       {1, 8},    {3, 4, 5}, {5, 7, 3}, {2, 3, 4},
                                   {7, 2, 1, 5}, {9, 8, 8}, {70, 300}, {300, 71}};
  TestArray state(DType::kU64, {2}), next(DType::kU64, {2}), next_of_part(DType::kU64, {2});
  state.Set(0, kKey);
  state.Set(1, kCounter);
  for (const RngAlgorithm algorithm : {RngAlgorithm::kThreeFry, RngAlgorithm::kPhilox}) {
    for (const DType dtype : {DType::kU8, DType::kS16, DType::kU32, DType::kU64}) {
      for (const compiler::Dims& shape : shapes) {
        TestArray whole(dtype, shape);
        ASSERT_TRUE(
            RunStep(BitsStep(algorithm, state.type, whole.type), {&state}, {&next, &whole}, &pool)
                .ok());
        for (int round = 0; round < 8; ++round) {
          std::vector<TestArray> starts;
          compiler::Dims sizes, first;
          for (int64_t extent : shape) {
            // As it is, or any part of it.
            const int64_t size = random() % 3 == 0 ? extent : 1 + random() % extent;
            first.push_back(static_cast<int64_t>(random() % (extent - size + 1)));
            sizes.push_back(size);
            starts.emplace_back(DType::kS32, compiler::Dims{}).Set(0, first.back());
          }
          TestArray part(dtype, sizes);
          std::vector<compiler::Type> types = {state.type};
          std::vector<const TestArray*> operands = {&state};
          for (const TestArray& start : starts) {
            types.push_back(start.type);
            operands.push_back(&start);
          }
          const compiler::plan::PlanStep step = MakeStep(
              Opcode::kRngBitGenerator, types, {state.type, part.type},
              std::make_shared<Attributes>(compiler::RngBitGeneratorAttributes{algorithm, shape}));
          ASSERT_TRUE(
              RunStep(step, operands, {&next_of_part, &part}, round % 2 == 0 ? &pool : nullptr)
                  .ok());
          ASSERT_EQ(next_of_part.bytes, next.bytes);
          for (int64_t i = 0; i < part.NumElements(); ++i) {
            int64_t rest = i, at = 0, weight = 1;
            for (size_t d = shape.size(); d-- > 0;) {
              at += (first[d] + rest % sizes[d]) * weight;
              rest /= sizes[d];
              weight *= shape[d];
            }
            ASSERT_EQ(part.Get<uint64_t>(i), whole.Get<uint64_t>(at))
                << part.type.ToString() << " of " << whole.type.ToString() << " element " << i;
          }
        }
      }
    }
  }
}

TEST(RngBitGeneratorTest, RefusesWhatItCannotDo) {
  const auto tensor = [](DType dtype, compiler::Dims dims) {
    return compiler::Type::Tensor(dtype, std::move(dims));
  };
  EXPECT_FALSE(PrepareLibraryStep(BitsStep(RngAlgorithm::kThreeFry, tensor(DType::kU64, {3}),
                                           tensor(DType::kU32, {4})))
                   .ok());
  EXPECT_FALSE(PrepareLibraryStep(BitsStep(RngAlgorithm::kPhilox, tensor(DType::kU32, {4}),
                                           tensor(DType::kU32, {4})))
                   .ok());
  EXPECT_FALSE(PrepareLibraryStep(BitsStep(RngAlgorithm::kPhilox, tensor(DType::kU64, {2}),
                                           tensor(DType::kF32, {4})))
                   .ok());
}

TestArray Draw(DType dtype, RngDistribution distribution, double a, double b, int64_t count) {
  TestArray low(dtype, {}), high(dtype, {}), result(dtype, {count});
  low.Set(0, a);
  high.Set(0, b);
  const Status status =
      RunStep(MakeStep(Opcode::kRng, {low.type, high.type}, {result.type},
                       std::make_shared<Attributes>(compiler::RngAttributes{distribution})),
              {&low, &high}, {&result});
  EXPECT_TRUE(status.ok()) << status.message();
  return result;
}

TEST(RngTest, UniformStaysInRangeAndFillsIt) {
  for (DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kS32, DType::kU8,
                      DType::kS64}) {
    const bool is_float = InfoOf(dtype).kind == DTypeClass::kFloat;
    const double a = is_float ? -1 : 3, b = is_float ? 3 : 11;
    const int64_t count = 20000;
    const TestArray values = Draw(dtype, RngDistribution::kUniform, a, b, count);
    double sum = 0, least = b, most = a;
    for (int64_t i = 0; i < count; ++i) {
      const double value = values.Get<double>(i);
      sum += value;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    EXPECT_GE(least, a);
    EXPECT_LT(most, b);
    const double mean = is_float ? (a + b) / 2 : (a + b - 1) / 2;
    EXPECT_NEAR(sum / count, mean, 0.08) << Name(dtype);
    EXPECT_LE(least, a + 0.1);
  }
}

TEST(RngTest, NormalHasMeanAndDeviation) {
  const int64_t count = 40000;
  const TestArray values = Draw(DType::kF32, RngDistribution::kNormal, 2, 3, count);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = values.Get<double>(i);
    sum += value;
    squares += (value - 2) * (value - 2);
  }
  EXPECT_NEAR(sum / count, 2, 0.08);
  EXPECT_NEAR(std::sqrt(squares / count), 3, 0.06);
}

// From -2^-16 to 20480: 3/8 of the range lies a little below the middle between 7168 and 8192, and
// an f32 has no digit for so little. None of the other eighths is near 8192.
TEST(RngTest, NarrowTypesAreRoundedOnce) {
  TestArray low(DType::kF8E5M2, {}), high(DType::kF8E5M2, {}), result(DType::kF8E5M2, {1000});
  low.bytes[0] = std::byte{0x81};
  high.bytes[0] = std::byte{0x75};
  const Status status = RunStep(
      MakeStep(Opcode::kRng, {low.type, high.type}, {result.type},
               std::make_shared<Attributes>(compiler::RngAttributes{RngDistribution::kUniform})),
      {&low, &high}, {&result});
  ASSERT_TRUE(status.ok()) << status.message();
  constexpr std::byte k7168{0x6f}, k8192{0x70};
  EXPECT_GT(std::count(result.bytes.begin(), result.bytes.begin() + 1000, k7168), 0);
  EXPECT_EQ(std::count(result.bytes.begin(), result.bytes.begin() + 1000, k8192), 0);
}

TEST(RngTest, EveryRunIsDifferent) {
  const auto draw = [] { return Draw(DType::kU64, RngDistribution::kUniform, 0, 1e18, 8).bytes; };
  EXPECT_NE(draw(), draw());
}

}  // namespace
}  // namespace plinth::cpu::library
