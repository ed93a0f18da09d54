// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/shape.h"

#include <gtest/gtest.h>

namespace plinth {
namespace {

TEST(Shape, SizesAreChecked) {
  int64_t dims[] = {2, 3};
  EXPECT_EQ(*DenseSizeInBytes(DType::kF32, dims), 24);
  EXPECT_EQ(*DenseSizeInBytes(DType::kS4, dims), 6);
  EXPECT_EQ(*NumElements({}), 1);
  int64_t huge[] = {int64_t{1} << 32, int64_t{1} << 32};
  EXPECT_EQ(NumElements(huge).status().code(), StatusCode::kOutOfRange);
  int64_t nearly[] = {int64_t{1} << 62};
  EXPECT_EQ(DenseSizeInBytes(DType::kF32, nearly).status().code(), StatusCode::kOutOfRange);
  int64_t empty[] = {int64_t{1} << 62, int64_t{1} << 62, 0};
  EXPECT_EQ(*NumElements(empty), 0);
}

TEST(Shape, LayoutText) {
  EXPECT_EQ(Layout().ToString(0), "{}");
  EXPECT_EQ(Layout().ToString(3), "{2,1,0}");
  EXPECT_EQ((Layout{{0, 1}, {{8, 128}, {2, 1}}}.ToString(2)), "{0,1:T(8,128)(2,1)}");
  EXPECT_TRUE((Layout{{1, 0}, {}}.IsRowMajor()));
  EXPECT_FALSE((Layout{{0, 1}, {}}.IsRowMajor()));
}

}  // namespace
}  // namespace plinth
