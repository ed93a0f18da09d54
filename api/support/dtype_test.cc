// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/dtype.h"

#include <gtest/gtest.h>

#include "api/support/ffi_dtype.h"

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

TEST(DTypeTest, TypesOfTheFfi) {
  for (int number = 1; number < kNumDTypes; ++number) {
    const DType type = *DTypeFromC(number);
    const XLA_FFI_DataType ffi = FfiDataType(type);
    // It has no floats of 6 bits.
    if (type == DType::kF6E2M3FN || type == DType::kF6E3M2FN) {
      EXPECT_EQ(ffi, XLA_FFI_DataType_INVALID);
    } else {
      EXPECT_EQ(DTypeFromFfi(ffi), type) << Name(type);
    }
  }
  EXPECT_FALSE(DTypeFromFfi(XLA_FFI_DataType_INVALID).has_value());
  EXPECT_FALSE(DTypeFromFfi(static_cast<XLA_FFI_DataType>(99)).has_value());
}

TEST(DTypeTest, MlirNamesRoundTrip) {
  EXPECT_EQ(DTypeFromMlirName("i1"), DType::kPred);
  EXPECT_EQ(DTypeFromMlirName("complex<f64>"), DType::kC128);
  EXPECT_FALSE(DTypeFromMlirName("").has_value());
  EXPECT_FALSE(DTypeFromMlirName("f33").has_value());
}

}  // namespace
}  // namespace plinth
