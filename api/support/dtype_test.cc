// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/dtype.h"

#include <gtest/gtest.h>

namespace plinth {
namespace {

TEST(DTypeTest, EveryTypeHasARow) {
  for (int number = 1; number < kNumDTypes; ++number) {
    auto type = DTypeFromC(number);
    ASSERT_TRUE(type.has_value()) << number;
    EXPECT_FALSE(Name(*type).empty()) << number;
    EXPECT_EQ(ToC(*type), number);
    const DTypeInfo& info = InfoOf(*type);
    EXPECT_EQ(info.bytes, (info.bits + 7) / 8) << info.name;
  }
}

TEST(DTypeTest, NumbersThatAreNoType) {
  EXPECT_FALSE(DTypeFromC(0).has_value());
  EXPECT_FALSE(DTypeFromC(-1).has_value());
  EXPECT_FALSE(DTypeFromC(kNumDTypes).has_value());
  EXPECT_EQ(Name(static_cast<DType>(200)), "invalid");
}

TEST(DTypeTest, MlirNamesRoundTrip) {
  EXPECT_EQ(DTypeFromMlirName("i1"), DType::kPred);
  EXPECT_EQ(DTypeFromMlirName("complex<f64>"), DType::kC128);
  EXPECT_FALSE(DTypeFromMlirName("").has_value());
  EXPECT_FALSE(DTypeFromMlirName("f33").has_value());
}

}  // namespace
}  // namespace plinth
