// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/integer_quotients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/lower_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::passes {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int32_t kSmallest = std::numeric_limits<int32_t>::min();
constexpr int32_t kLargest = std::numeric_limits<int32_t>::max();

std::string Program(std::string_view op, size_t elements, int64_t divisor, int bits = 32) {
  const std::string type = StrCat("tensor<", elements, "xi", bits, ">");
  return StrCat("func.func @main(%a: ", type, ") -> ", type, " {\n%c = stablehlo.constant dense<",
                divisor, "> : ", type, "\n%0 = stablehlo.", op, " %a, %c : ", type,
                "\nreturn %0 : ", type, "\n}");
}

// Multiples of the divisor and their neighbours, over the whole range.
std::vector<int32_t> Dividends(int32_t divisor) {
  std::vector<int32_t> dividends = {0, 1, -1, kSmallest, kSmallest + 1, kLargest, kLargest - 1};
  const int64_t step = std::abs(int64_t{divisor});
  const int64_t last = kLargest / step;
  for (int64_t number = 0; number < 60; ++number) {
    for (const int64_t multiple : {number, last - number, last * number / 60}) {
      for (const int64_t offset : {-1, 0, 1}) {
        const auto dividend = static_cast<int32_t>(multiple % (last + 1) * step + offset);
        dividends.push_back(dividend);
        if (dividend != kSmallest) dividends.push_back(-dividend);
      }
    }
  }
  return dividends;
}

TEST(IntegerQuotients, AreExact) {
  Target target = testing::kPlainTarget;
  target.quotient_elements = 2;
  for (const int32_t divisor : {2, 3, 7, 8, 10, 641, 65537, 1 << 30, kLargest - 1, kLargest, -2, -7,
                                -1000, -kLargest, kSmallest}) {
    SCOPED_TRACE(divisor);
    const std::vector<int32_t> dividends = Dividends(divisor);
    std::vector<int32_t> quotients, remainders;
    for (const int32_t dividend : dividends) {
      quotients.push_back(dividend / divisor);
      remainders.push_back(dividend % divisor);
    }
    const auto bytes = [](const std::vector<int32_t>& numbers) {
      testing::Bytes result(numbers.size() * sizeof(int32_t));
      std::memcpy(result.data(), numbers.data(), result.size());
      return result;
    };
    for (const bool divides : {true, false}) {
      auto module =
          ImportText(Program(divides ? "divide" : "remainder", dividends.size(), divisor));
      OptimizeOptions options;
      options.verify = true;
      ASSERT_TRUE(Optimize(*module, target, options).ok());
      const bool is_power = divisor > 0 && (divisor & (divisor - 1)) == 0;
      EXPECT_THAT(Body(*module), HasSubstr(is_power ? "shift_right_arithmetic" : "f64"));
      const auto results = testing::RunAndPlan(testing::LegalizeAndLower(*module, true, target),
                                               target, {bytes(dividends)});
      ASSERT_EQ(results.size(), 1u);
      EXPECT_TRUE(results[0] == bytes(divides ? quotients : remainders));
    }
  }
}

TEST(IntegerQuotients, OfWideNumbersByPowersOfTwoAreShifts) {
  Target target = testing::kPlainTarget;
  target.quotient_elements = 1024;  // few elements are enough
  for (const int shift : {1, 3, 31, 32, 62}) {
    SCOPED_TRACE(shift);
    const int64_t divisor = int64_t{1} << shift;
    std::vector<int64_t> dividends = {0, std::numeric_limits<int64_t>::min(),
                                      std::numeric_limits<int64_t>::max()};
    for (const int64_t multiple : {divisor, -divisor, divisor / 2, int64_t{1}}) {
      for (const int64_t offset : {-1, 0, 1}) dividends.push_back(multiple + offset);
    }
    for (const bool divides : {true, false}) {
      std::vector<int64_t> expected;
      for (const int64_t x : dividends) expected.push_back(divides ? x / divisor : x % divisor);
      auto module =
          ImportText(Program(divides ? "divide" : "remainder", dividends.size(), divisor, 64));
      ASSERT_TRUE(Optimize(*module, target, {}).ok());
      EXPECT_THAT(Body(*module), HasSubstr("shift_right_arithmetic"));
      const auto bytes = [](const std::vector<int64_t>& numbers) {
        testing::Bytes result(numbers.size() * sizeof(int64_t));
        std::memcpy(result.data(), numbers.data(), result.size());
        return result;
      };
      const auto results = testing::RunAndPlan(testing::LegalizeAndLower(*module, true, target),
                                               target, {bytes(dividends)});
      ASSERT_EQ(results.size(), 1u);
      EXPECT_TRUE(results[0] == bytes(expected));
    }
  }
}

// x // divisor, or x % divisor, as JAX writes it; `limit` is what a remainder is compared with.
std::string RoundedDown(bool divides, size_t elements, int32_t divisor, int32_t limit = 0) {
  const std::string type = StrCat("tensor<", elements, "xi32>");
  const std::string bools = StrCat("tensor<", elements, "xi1>");
  const auto constant = [&](std::string_view name, int32_t value) {
    return StrCat(name, " = stablehlo.constant dense<", value, "> : ", type, "\n");
  };
  const auto compare = [&](std::string_view text) {
    return StrCat(text, " : (", type, ", ", type, ") -> ", bools, "\n");
  };
  const std::string begin =
      StrCat("func.func @main(%x: ", type, ") -> ", type, " {\n", constant("%c", divisor),
             constant("%zero", 0), constant("%limit", limit), constant("%one", 1),
             "%rest = stablehlo.remainder %x, %c : ", type, "\n",
             compare("%is_rest = stablehlo.compare NE, %rest, %zero, SIGNED"));
  const std::string end =
      StrCat("%result = stablehlo.select %both, %corrected, ", divides ? "%cut" : "%rest", " : ",
             bools, ", ", type, "\nreturn %result : ", type, "\n}");
  if (divides) {
    return StrCat(begin, "%cut = stablehlo.divide %x, %c : ", type,
                  "\n%sign = stablehlo.sign %x : ", type, "\n",
                  compare("%differs = stablehlo.compare NE, %sign, %one, SIGNED"),
                  "%both = stablehlo.and %differs, %is_rest : ", bools,
                  "\n%corrected = stablehlo.subtract %cut, %one : ", type, "\n", end);
  }
  return StrCat(begin, compare("%below = stablehlo.compare LT, %rest, %limit, SIGNED"),
                "%both = stablehlo.and %below, %is_rest : ", bools,
                "\n%corrected = stablehlo.add %rest, %c : ", type, "\n", end);
}

TEST(IntegerQuotients, ThatAreRoundedDownAreOneOp) {
  Target target = testing::kPlainTarget;
  target.quotient_elements = 2;
  for (const int32_t divisor : {2, 8, 1 << 30, 12}) {
    SCOPED_TRACE(divisor);
    const std::vector<int32_t> dividends = Dividends(divisor);
    testing::Bytes input(dividends.size() * sizeof(int32_t));
    std::memcpy(input.data(), dividends.data(), input.size());
    for (const bool divides : {true, false}) {
      std::vector<int32_t> expected;
      for (const int32_t x : dividends) {
        const int32_t rest = (x % divisor + divisor) % divisor;
        const int64_t multiple = int64_t{x} - rest;
        expected.push_back(divides ? static_cast<int32_t>(multiple / divisor) : rest);
      }
      auto module = ImportText(RoundedDown(divides, dividends.size(), divisor));
      ASSERT_TRUE(Optimize(*module, target, {}).ok());
      const bool is_power = divisor != 12;
      EXPECT_EQ(Body(*module).find("select") == std::string::npos, is_power) << Body(*module);
      if (!is_power) continue;
      const auto results =
          testing::RunAndPlan(testing::LegalizeAndLower(*module, true, target), target, {input});
      ASSERT_EQ(results.size(), 1u);
      EXPECT_EQ(std::memcmp(results[0].data(), expected.data(), input.size()), 0);
    }
  }
  // This corrects remainders above zero too.
  auto module = ImportText(RoundedDown(/*divides=*/false, 100, 8, /*limit=*/2));
  ASSERT_TRUE(Optimize(*module, target, {}).ok());
  EXPECT_THAT(Body(*module), HasSubstr("select"));
}

TEST(IntegerQuotients, OfFewElementsOrByOnesStay) {
  Target target = testing::kPlainTarget;
  target.quotient_elements = 10;
  const auto body = [&](size_t elements, int32_t divisor) {
    auto module = ImportText(Program("divide", elements, divisor));
    EXPECT_TRUE(Optimize(*module, target, {}).ok());
    return Body(*module);
  };
  EXPECT_THAT(body(10, 3), HasSubstr("f64"));
  EXPECT_THAT(body(9, 3), Not(HasSubstr("f64")));
  for (const int32_t divisor : {0, -1}) EXPECT_THAT(body(10, divisor), Not(HasSubstr("f64")));
}

}  // namespace
}  // namespace plinth::compiler::passes
