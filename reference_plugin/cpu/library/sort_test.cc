// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cpu/library/order.h"
#include "reference_plugin/cpu/library/order_bits.h"
#include "reference_plugin/cpu/library/radix_sort.h"
#include "reference_plugin/cpu/library/test_combiners.h"
#include "reference_plugin/cpu/library/test_support.h"

// Sort, its keys and top_k against what their definition says.
namespace plinth::cpu::library {
namespace {

using compiler::CanonicalFloat;
using compiler::Combiner;
using compiler::ComparisonDirection;
using compiler::ComparisonType;
using compiler::FindSortKeys;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::SortKey;

TEST(SortTest, EveryTypeBothDirectionsAnyDimension) {
  std::mt19937_64 random(2);
  for (DType dtype : kTestTypes) {
    DTypeClass kind = InfoOf(dtype).kind;
    if (kind == DTypeClass::kComplex) continue;
    ComparisonType type = kind == DTypeClass::kFloat    ? ComparisonType::kFloat
                          : kind == DTypeClass::kSigned ? ComparisonType::kSigned
                                                        : ComparisonType::kUnsigned;
    for (auto direction : {ComparisonDirection::kLt, ComparisonDirection::kGt}) {
      for (int64_t length : {0, 1, 7, 600}) {
        TestArray operand(dtype, {2, length, 3}), result = operand;
        operand.FillRandom(random);
        auto step = MakeStep(Opcode::kSort, {operand.type}, {result.type}, AlongDimension(1));
        step.combiners = {ComparatorOfTwo(direction, type, dtype)};
        Status status = RunStep(step, {&operand}, {&result});
        ASSERT_TRUE(status.ok()) << status.ToString();
        for (int64_t row = 0; row < 6; ++row) {
          std::vector<double> expected, got;
          for (int64_t e = 0; e < length; ++e) {
            int64_t at = (row / 3 * length + e) * 3 + row % 3;
            expected.push_back(operand.Get<double>(at));
            got.push_back(result.Get<double>(at));
          }
          std::sort(expected.begin(), expected.end());
          if (direction == ComparisonDirection::kGt) std::reverse(expected.begin(), expected.end());
          EXPECT_EQ(got, expected) << Name(dtype) << " length " << length;
        }
      }
    }
  }
}

TEST(SortTest, CarriesOtherOperandsAndIsStable) {
  for (int64_t length : {5, 1000}) {
    TestArray keys(DType::kS32, {length}), values(DType::kF64, {length});
    for (int64_t i = 0; i < length; ++i) {
      keys.Set(i, (i * 7) % 3);
      values.Set(i, static_cast<double>(i));
    }
    TestArray sorted_keys = keys, sorted_values = values;
    auto step = MakeStep(Opcode::kSort, {keys.type, values.type}, {keys.type, values.type},
                         AlongDimension(0));
    Combiner comparator =
        ComparatorOfTwo(ComparisonDirection::kLt, ComparisonType::kSigned, DType::kS32);
    step.combiners = {comparator};
    ASSERT_TRUE(RunStep(step, {&keys, &values}, {&sorted_keys, &sorted_values}).ok());
    for (int64_t i = 1; i < length; ++i) {
      int64_t a = sorted_keys.Get<int64_t>(i - 1), b = sorted_keys.Get<int64_t>(i);
      EXPECT_LE(a, b);
      if (a != b) continue;
      EXPECT_LT(sorted_values.Get<double>(i - 1), sorted_values.Get<double>(i));
    }
  }
}

// A comparator as JAX writes it for floats: zeros are equal, NaN are equal and last.
Combiner CanonicalComparator(DType dtype, uint64_t nan_bits, bool descending) {
  Combiner comparator;
  std::vector<Node>& nodes = comparator.nodes;
  auto add = [&](Node node) {
    nodes.push_back(node);
    return static_cast<int32_t>(nodes.size()) - 1;
  };
  auto constant = [&](uint64_t bits) {
    Node node;
    node.kind = NodeKind::kConstant;
    node.dtype = dtype;
    node.constant.low = bits;
    return add(node);
  };
  auto select = [&](int32_t test, int32_t a, int32_t b) {
    Node node = Binary(Opcode::kSelect, dtype, test, a);
    node.num_operands = 3;
    node.operands[2] = b;
    return add(node);
  };
  int32_t sides[2];
  for (int32_t side = 0; side < 2; ++side) {
    const int32_t x = add(Parameter(side, dtype)), zero = constant(0);
    const int32_t is_zero = add(Compare(ComparisonDirection::kEq, ComparisonType::kFloat, x, zero));
    const int32_t rest = select(is_zero, constant(0), x);
    const int32_t is_nan = add(Compare(ComparisonDirection::kNe, ComparisonType::kFloat, x, x));
    sides[side] = select(is_nan, constant(nan_bits), rest);
  }
  const auto direction = descending ? ComparisonDirection::kGt : ComparisonDirection::kLt;
  comparator.results = {add(Compare(direction, ComparisonType::kTotalOrder, sides[0], sides[1]))};
  return comparator;
}

// Every bit of every element: zeros and NaN of all kinds stay in their order.
TEST(SortTest, FloatsAsJaxSortsThem) {
  struct Type {
    DType dtype;
    uint64_t nan, sign;
  };
  std::mt19937_64 random(5);
  backend::ThreadPool pool(3);
  for (const Type& t : {Type{DType::kF16, 0x7e00, 0x8000}, Type{DType::kBF16, 0x7fc0, 0x8000},
                        Type{DType::kF32, 0x7fc00000, 0x80000000},
                        Type{DType::kF64, 0x7ff8000000000000, 0x8000000000000000}}) {
    const auto bytes = static_cast<size_t>(ByteSize(t.dtype));
    for (int64_t length : {3, 47, 500, 5000, 70000}) {
      for (bool descending : {false, true}) {
        for (int64_t inner : {1, 3}) {
          if (length == 70000 && inner > 1) continue;
          TestArray operand(t.dtype, {length, inner}), positions(DType::kS32, {length, inner});
          for (int64_t i = 0; i < length * inner; ++i) {
            uint64_t bits = 0;
            operand.Set(i, std::normal_distribution<double>()(random));
            switch (random() % 8) {
              case 0:
                bits = random() % 2 == 0 ? 0 : t.sign;
                break;
              case 1:
                bits = (random() % 2 == 0 ? 0 : t.sign) | t.nan | random() % 4;
                break;
              default:
                std::memcpy(&bits, operand.bytes.data() + static_cast<size_t>(i) * bytes, bytes);
            }
            std::memcpy(operand.bytes.data() + static_cast<size_t>(i) * bytes, &bits, bytes);
            positions.Set(i, i / inner);
          }
          TestArray alone = operand, beside = operand, order = positions;
          auto step = MakeStep(Opcode::kSort, {operand.type}, {operand.type}, AlongDimension(0));
          step.combiners = {CanonicalComparator(t.dtype, t.nan, descending)};
          ASSERT_TRUE(FindSortKeys(step.combiners[0], 1).has_value());
          ASSERT_TRUE(CanonicalFloat((*FindSortKeys(step.combiners[0], 1))[0].key).has_value());
          ASSERT_TRUE(RunStep(step, {&operand}, {&alone}, &pool).ok());
          // With positions, which are of the third and fourth parameter.
          step = MakeStep(Opcode::kSort, {operand.type, positions.type},
                          {operand.type, positions.type}, AlongDimension(0));
          step.combiners = {CanonicalComparator(t.dtype, t.nan, descending)};
          ASSERT_TRUE(RunStep(step, {&operand, &positions}, {&beside, &order}, &pool).ok());
          for (int64_t k = 0; k < inner; ++k) {
            std::vector<int64_t> expected(static_cast<size_t>(length));
            std::iota(expected.begin(), expected.end(), 0);
            auto value = [&](int64_t i) { return operand.Get<double>(i * inner + k); };
            std::stable_sort(expected.begin(), expected.end(), [&](int64_t i, int64_t j) {
              if (descending) std::swap(i, j);
              const double a = value(i), b = value(j);
              if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
              return a < b;
            });
            for (int64_t i = 0; i < length; ++i) {
              const int64_t at = i * inner + k;
              const auto* const wanted =
                  operand.bytes.data() + static_cast<size_t>(expected[i] * inner + k) * bytes;
              for (const TestArray* got : {&alone, &beside}) {
                ASSERT_EQ(
                    std::memcmp(got->bytes.data() + static_cast<size_t>(at) * bytes, wanted, bytes),
                    0)
                    << Name(t.dtype) << " length " << length << " element " << i;
              }
              ASSERT_EQ(order.Get<int64_t>(at), expected[static_cast<size_t>(i)]);
            }
          }
        }
      }
    }
  }
}

TEST(RadixSortTest, SortsByTheBitsItIsGiven) {
  std::mt19937_64 random(7);
  backend::ThreadPool pool(3);
  for (size_t size : {0, 1, 2, 40, 300, 9000, 200000}) {
    for (auto [first, end] : {std::pair{0, 64}, {32, 64}, {8, 21}, {32, 40}}) {
      for (uint64_t mask : {~uint64_t{0}, uint64_t{0xff}, uint64_t{0x00ffff0000000000}}) {
        std::vector<uint64_t> keys(size), spare(size);
        for (uint64_t& key : keys) key = random() & mask;
        std::vector<uint64_t> expected = keys, alone = keys;
        auto digits = [first = first, end = end](uint64_t key) {
          return key << (64 - end) >> (64 - end) >> first;
        };
        std::stable_sort(expected.begin(), expected.end(),
                         [&](uint64_t a, uint64_t b) { return digits(a) < digits(b); });
        RadixSort<uint64_t>(keys, spare, first, end, &pool);
        RadixSort<uint64_t>(alone, spare, first, end, nullptr);
        EXPECT_EQ(keys, expected) << size << " keys, bits " << first << " to " << end;
        EXPECT_EQ(alone, expected) << size << " keys, bits " << first << " to " << end;
      }
    }
  }
}

TEST(SortTest, ComparatorThatIsNoKey) {
  // a * a < b * b + 0 with an operation that differs between the sides: no common key.
  DType dtype = DType::kS32;
  Combiner comparator{
      {Parameter(0, dtype), Parameter(1, dtype), Binary(Opcode::kMultiply, dtype, 0, 0),
       Binary(Opcode::kMultiply, dtype, 1, 1), Binary(Opcode::kSubtract, dtype, 2, 3),
       Binary(Opcode::kSubtract, dtype, 4, 4),
       Compare(ComparisonDirection::kLt, ComparisonType::kSigned, 4, 5)},
      {6}};
  EXPECT_FALSE(FindSortKeys(comparator, 1).has_value());
  for (int64_t length : {1, 2, 3, 8, 100, 1025}) {
    TestArray operand(dtype, {length}), result = operand;
    for (int64_t i = 0; i < length; ++i) operand.Set(i, (i * 31) % 41 - 20);
    auto step = MakeStep(Opcode::kSort, {operand.type}, {operand.type}, AlongDimension(0));
    step.combiners = {comparator};
    ASSERT_TRUE(RunStep(step, {&operand}, {&result}).ok());
    std::vector<int64_t> expected;
    for (int64_t i = 0; i < length; ++i) expected.push_back(operand.Get<int64_t>(i));
    std::stable_sort(expected.begin(), expected.end(),
                     [](int64_t a, int64_t b) { return a * a < b * b; });
    for (int64_t i = 0; i < length; ++i) EXPECT_EQ(result.Get<int64_t>(i), expected[i]) << length;
  }
}

TEST(SortKeyTest, TotalOrderAndSignedZeros) {
  float values[] = {-std::numeric_limits<float>::quiet_NaN(),
                    -1,
                    -0.0f,
                    0.0f,
                    1,
                    std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::quiet_NaN()};
  uint64_t bits[7];
  FindOrderBits(DType::kF32, false, FloatOrder::kTotal)(values, bits, 7);
  EXPECT_TRUE(std::is_sorted(bits, bits + 7));
  EXPECT_LT(bits[2], bits[3]);
  FindOrderBits(DType::kF32, false, FloatOrder::kZerosEqual)(values, bits, 7);
  EXPECT_EQ(bits[2], bits[3]);
  FindOrderBits(DType::kF32, true, FloatOrder::kTotal)(values, bits, 7);
  EXPECT_TRUE(std::is_sorted(std::rbegin(bits), std::rend(bits)));
  EXPECT_EQ(FindOrderBits(DType::kC64, false, FloatOrder::kTotal), nullptr);
}

TEST(SortKeyTest, SeveralKeys) {
  // lt(a0, b0) or (eq(a0, b0) and lt(a1, b1))
  DType dtype = DType::kS32;
  auto signed_compare = ComparisonType::kSigned;
  Combiner comparator{
      {Parameter(0, dtype), Parameter(1, dtype), Parameter(2, dtype), Parameter(3, dtype),
       Compare(ComparisonDirection::kLt, signed_compare, 0, 1),
       Compare(ComparisonDirection::kEq, signed_compare, 0, 1),
       Compare(ComparisonDirection::kGt, signed_compare, 2, 3),
       Binary(Opcode::kAnd, DType::kPred, 5, 6), Binary(Opcode::kOr, DType::kPred, 4, 7)},
      {8}};
  auto keys = FindSortKeys(comparator, 2);
  ASSERT_TRUE(keys.has_value());
  ASSERT_EQ(keys->size(), 2u);
  EXPECT_FALSE((*keys)[0].descending);
  EXPECT_TRUE((*keys)[1].descending);
}

TEST(SortKeyTest, EqualityOfAnotherTypeEndsNoKey) {
  // A NaN comes before none, and is not equal to itself: the second key must not order such rows.
  DType dtype = DType::kF32;
  const auto comparator = [&](ComparisonType less, ComparisonType equal) {
    return Combiner{
        {Parameter(0, dtype), Parameter(1, dtype), Parameter(2, DType::kS32),
         Parameter(3, DType::kS32), Compare(ComparisonDirection::kLt, less, 0, 1),
         Compare(ComparisonDirection::kEq, equal, 0, 1),
         Compare(ComparisonDirection::kLt, ComparisonType::kSigned, 2, 3),
         Binary(Opcode::kAnd, DType::kPred, 5, 6), Binary(Opcode::kOr, DType::kPred, 4, 7)},
        {8}};
  };
  constexpr auto kFloat = ComparisonType::kFloat, kTotal = ComparisonType::kTotalOrder;
  EXPECT_TRUE(FindSortKeys(comparator(kTotal, kTotal), 2).has_value());
  EXPECT_TRUE(FindSortKeys(comparator(kFloat, kFloat), 2).has_value());
  EXPECT_FALSE(FindSortKeys(comparator(kFloat, kTotal), 2).has_value());
  EXPECT_FALSE(FindSortKeys(comparator(kTotal, kFloat), 2).has_value());

  TestArray values(dtype, {3}), order(DType::kS32, {3});
  for (int64_t i = 0; i < 3; ++i) {
    values.Set(i, std::numeric_limits<double>::quiet_NaN());
    order.Set(i, 2 - i);
  }
  TestArray sorted = values, sorted_order = order;
  auto step = MakeStep(Opcode::kSort, {values.type, order.type}, {values.type, order.type},
                       AlongDimension(0));
  step.combiners = {comparator(kTotal, kFloat)};
  ASSERT_TRUE(RunStep(step, {&values, &order}, {&sorted, &sorted_order}).ok());
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(sorted_order.Get<int64_t>(i), 2 - i);
}

TEST(SortKeyTest, LargeExpressionsAreNoKey) {
  // x + x, `depth` times over, of each side: 2^depth terms.
  const auto comparator = [](int32_t depth, Opcode opcode) {
    Combiner made{{Parameter(0, DType::kF32), Parameter(1, DType::kF32)}, {}};
    int32_t sides[] = {0, 1};
    for (int32_t& side : sides) {
      for (int32_t d = 0; d < depth; ++d) {
        made.nodes.push_back(Binary(opcode, DType::kF32, side, side));
        if (opcode == Opcode::kNegate) made.nodes.back().num_operands = 1;
        side = static_cast<int32_t>(made.nodes.size()) - 1;
      }
    }
    made.nodes.push_back(
        Compare(ComparisonDirection::kLt, ComparisonType::kFloat, sides[0], sides[1]));
    made.results = {static_cast<int32_t>(made.nodes.size()) - 1};
    return made;
  };
  EXPECT_TRUE(FindSortKeys(comparator(3, Opcode::kAdd), 1).has_value());
  EXPECT_FALSE(FindSortKeys(comparator(60, Opcode::kAdd), 1).has_value());
  EXPECT_FALSE(FindSortKeys(comparator(1'000'000, Opcode::kNegate), 1).has_value());
  TestArray operand(DType::kF32, {5}), result = operand;
  for (int64_t i = 0; i < 5; ++i) operand.Set(i, static_cast<double>(i * 3 % 5));
  auto step = MakeStep(Opcode::kSort, {operand.type}, {operand.type}, AlongDimension(0));
  step.combiners = {comparator(40, Opcode::kAdd)};
  ASSERT_TRUE(RunStep(step, {&operand}, {&result}).ok());
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(result.Get<double>(i), static_cast<double>(i));
}

TEST(SortKeyTest, VeryManyKeysAreLeftToTheComparator) {
  // lt(a, b) or (eq(a, b) and (lt(a, b) or ...)), from the innermost.
  constexpr DType kType = DType::kS32;
  Combiner comparator{{Parameter(0, kType), Parameter(1, kType),
                       Compare(ComparisonDirection::kLt, ComparisonType::kSigned, 0, 1),
                       Compare(ComparisonDirection::kEq, ComparisonType::kSigned, 0, 1)},
                      {2}};
  for (int key = 1; key < 1'000'000; ++key) {
    if (key == 8) {
      EXPECT_EQ(FindSortKeys(comparator, 1).value_or(std::vector<SortKey>()).size(), 8u);
    }
    const auto size = static_cast<int32_t>(comparator.nodes.size());
    comparator.nodes.push_back(Binary(Opcode::kAnd, DType::kPred, 3, comparator.results[0]));
    comparator.nodes.push_back(Binary(Opcode::kOr, DType::kPred, 2, size));
    comparator.results = {size + 1};
  }
  EXPECT_FALSE(FindSortKeys(comparator, 1).has_value());
}

TEST(TopKTest, ManyCandidatesArePlanned) {
  constexpr int64_t kLength = 1 << 20, kCount = kLength / 4;
  TestArray operand(DType::kF32, {2, kLength}), values(DType::kF32, {2, kCount}),
      positions(DType::kS32, {2, kCount});
  for (int64_t i = 0; i < 2 * kLength; ++i) operand.Set(i, static_cast<double>(i * 7919 % kLength));
  auto step =
      MakeStep(Opcode::kTopK, {operand.type}, {values.type, positions.type}, AlongDimension(1));
  const auto prepared = PrepareLibraryStep(step);
  ASSERT_TRUE(prepared.ok());
  // Of both rows: 16 bytes for each of twice as many.
  EXPECT_GE((*prepared)->scratch_bytes(), 2 * 2 * kCount * 16);
  backend::ThreadPool pool(2);
  ASSERT_TRUE(RunStep(step, {&operand}, {&values, &positions}, &pool).ok());
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t i = 0; i < kCount; ++i) {
      const int64_t position = positions.Get<int64_t>(row * kCount + i);
      ASSERT_EQ(values.Get<double>(row * kCount + i), static_cast<double>(kLength - 1 - i));
      ASSERT_EQ((row * kLength + position) * 7919 % kLength, kLength - 1 - i);
    }
  }
}

TEST(TopKTest, LargestFirstEarlierFirst) {
  for (int64_t length : {1, 5, 3000}) {
    int64_t k = std::min<int64_t>(length, 4);
    TestArray operand(DType::kF32, {2, length}), values(DType::kF32, {2, k}),
        positions(DType::kS32, {2, k});
    for (int64_t i = 0; i < 2 * length; ++i) operand.Set(i, static_cast<double>((i * 37) % 11));
    auto step =
        MakeStep(Opcode::kTopK, {operand.type}, {values.type, positions.type}, AlongDimension(1));
    ASSERT_TRUE(RunStep(step, {&operand}, {&values, &positions}).ok());
    for (int64_t row = 0; row < 2; ++row) {
      std::vector<int64_t> order(length);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return operand.Get<double>(row * length + a) > operand.Get<double>(row * length + b);
      });
      for (int64_t i = 0; i < k; ++i) {
        EXPECT_EQ(positions.Get<int64_t>(row * k + i), order[i]) << length;
        EXPECT_EQ(values.Get<double>(row * k + i), operand.Get<double>(row * length + order[i]));
      }
    }
  }
}

// Random bits (NaNs, too), in long rows that a bound is found for; few values; elements that
// ascend, so that all are candidates; all the smallest there is.
TEST(TopKTest, EveryTypeAndOrder) {
  std::mt19937_64 random(5);
  for (DType dtype : kTestTypes) {
    if (InfoOf(dtype).kind == DTypeClass::kComplex) continue;
    const OrderBitsFunction order_bits = FindOrderBits(dtype, true, FloatOrder::kTotal);
    for (const auto& [length, k] : {std::pair<int64_t, int64_t>{1, 1},
                                    {66, 5},
                                    {600, 1},
                                    {1100, 40},
                                    {2003, 65},
                                    {70'000, 7}}) {
      for (int kind = 0; kind < 4; ++kind) {
        TestArray operand(dtype, {length}), values(dtype, {k}), positions(DType::kS32, {k});
        for (int64_t i = 0; i < length; ++i) operand.Set(i, static_cast<double>(random() % 3));
        if (kind == 0 && dtype != DType::kPred) {
          for (std::byte& byte : operand.bytes) byte = static_cast<std::byte>(random());
        }
        std::vector<uint64_t> keys(static_cast<size_t>(length));
        if (kind > 1) {
          std::vector<TestArray> elements(static_cast<size_t>(std::min<int64_t>(length, 100)),
                                          TestArray(dtype, {1}));
          for (TestArray& element : elements) {
            for (std::byte& byte : element.bytes) {
              byte = static_cast<std::byte>(dtype == DType::kPred ? random() % 2 : random());
            }
          }
          std::sort(elements.begin(), elements.end(), [&](const TestArray& a, const TestArray& b) {
            uint64_t first, second;
            order_bits(a.bytes.data(), &first, 1);
            order_bits(b.bytes.data(), &second, 1);
            return first > second;
          });
          for (int64_t i = 0; i < length; ++i) {
            const auto from =
                kind == 2 ? static_cast<size_t>(i) * elements.size() / keys.size() : 0;
            std::memcpy(operand.bytes.data() + i * ByteSize(dtype), elements[from].bytes.data(),
                        static_cast<size_t>(ByteSize(dtype)));
          }
        }
        order_bits(operand.bytes.data(), keys.data(), length);
        std::vector<int64_t> order(static_cast<size_t>(length));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
        auto step = MakeStep(Opcode::kTopK, {operand.type}, {values.type, positions.type},
                             AlongDimension(0));
        ASSERT_TRUE(RunStep(step, {&operand}, {&values, &positions}).ok());
        for (int64_t i = 0; i < k; ++i) {
          ASSERT_EQ(positions.Get<int64_t>(i), order[i]) << Name(dtype) << length << "," << kind;
          ASSERT_EQ(std::memcmp(values.bytes.data() + i * ByteSize(dtype),
                                operand.bytes.data() + order[i] * ByteSize(dtype),
                                static_cast<size_t>(ByteSize(dtype))),
                    0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace plinth::cpu::library
