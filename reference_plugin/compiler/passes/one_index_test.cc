// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/one_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/lower_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::passes {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Gather(std::string_view type) {
  return StrCat(R"(
    func.func @main(%a: tensor<5x4xf32>, %i: tensor<2x)",
                type, R"(>) -> tensor<2xf32> {
      %two = stablehlo.constant dense<2> : tensor<2x)",
                type, R"(>
      %0 = stablehlo.subtract %i, %two : tensor<2x)",
                type, R"(>
      %1 = "stablehlo.gather"(%a, %0) {
        dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0],
            start_index_map = [1, 0], index_vector_dim = 0>,
        slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}
        : (tensor<5x4xf32>, tensor<2x)",
                type, R"(>) -> tensor<2xf32>
      return %1 : tensor<2xf32>
    })");
}

using testing::Bytes;
using Floats = std::vector<float>;

Floats ToFloats(const Bytes& bytes) {
  Floats floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

// Element `number` minus two in the type of the indices; what is unsigned wraps around to more than
// any extent.
int64_t IndexOf(DType type, const Bytes& bytes, size_t number) {
  const auto size = static_cast<size_t>(ByteSize(type));
  const int64_t index = ReadInteger(type, bytes.data() + number * size) - 2;
  const bool is_unsigned = InfoOf(type).kind == DTypeClass::kUnsigned;
  return is_unsigned && index < 0 ? std::numeric_limits<int64_t>::max() : index;
}

// `expected` computes the result from the arguments, for indices inside and outside.
template <typename Expect>
void ExpectResults(const std::string& text, const Expect& expected) {
  SCOPED_TRACE(text);
  const std::vector<const Target*> targets = {&testing::kPlainTarget, &testing::kOddTarget};
  for (const Target* target : targets) {
    auto module = ImportText(text);
    OptimizeOptions options;
    options.verify = true;
    const Status status = Optimize(*module, *target, options);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_THAT(Body(*module), Not(HasSubstr("gather")));
    const plan::Schedule schedule = testing::LegalizeAndLower(*module, true, *target);
    for (uint32_t seed = 1; seed < 40; ++seed) {
      const std::vector<Bytes> arguments = testing::MakeArguments(schedule, seed);
      ASSERT_EQ(ToFloats(testing::RunAndPlan(schedule, *target, arguments)[0]), expected(arguments))
          << target->name << "\n"
          << ToString(schedule);
    }
  }
}

struct IndexType {
  std::string_view name;
  DType type;
};
constexpr IndexType kIndexTypes[] = {
    {"i32", DType::kS32}, {"ui32", DType::kU32}, {"i8", DType::kS8}, {"ui64", DType::kU64}};

TEST(OneIndex, GathersAreSlices) {
  for (const IndexType& index : kIndexTypes) {
    ExpectResults(Gather(index.name), [&](const std::vector<Bytes>& arguments) {
      const Floats array = ToFloats(arguments[0]);
      const int64_t column = std::clamp<int64_t>(IndexOf(index.type, arguments[1], 0), 0, 2);
      const int64_t row = std::clamp<int64_t>(IndexOf(index.type, arguments[1], 1), 0, 4);
      const size_t first = static_cast<size_t>(4 * row + column);
      return Floats{array[first], array[first + 1]};
    });
  }
}

TEST(OneIndex, SeveralIndicesStay) {
  auto module = ImportText(R"(
    func.func @main(%a: tensor<5x4xf32>, %i: tensor<2x1xi32>) -> tensor<2x4xf32> {
      %1 = "stablehlo.gather"(%a, %i) {
        dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
            start_index_map = [0], index_vector_dim = 1>,
        slice_sizes = array<i64: 1, 4>, indices_are_sorted = false}
        : (tensor<5x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
      return %1 : tensor<2x4xf32>
    })");
  ASSERT_TRUE(Optimize(*module, testing::kPlainTarget, {}).ok());
  EXPECT_THAT(Body(*module), HasSubstr("gather"));
}

}  // namespace
}  // namespace plinth::compiler::passes
