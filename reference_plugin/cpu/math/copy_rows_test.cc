// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/math/copy_rows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "reference_plugin/cpu/math/tile_test_support.h"

namespace plinth::cpu::math {
namespace {

// Both arrays are exactly as long as what is read and written, so that a sanitizer sees more; what
// lies between rows stays.
TEST(CopyRowsTest, CopiesRowsAndNothingElse) {
  for (const SimdTarget target : SupportedTargets()) {
    for (size_t bytes = kCopyRowBytes; bytes <= 4 * kCopyRowBytes + 1; ++bytes) {
      constexpr size_t kRows = 3;
      const size_t source_stride = bytes + 3, result_stride = bytes + 5;
      std::vector<unsigned char> source((kRows - 1) * source_stride + bytes);
      for (size_t i = 0; i < source.size(); ++i) {
        source[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
      }
      std::vector<unsigned char> result((kRows - 1) * result_stride + bytes, 0xA5);
      std::vector<unsigned char> expected = result;
      for (size_t r = 0; r < kRows; ++r) {
        std::memcpy(&expected[r * result_stride], &source[r * source_stride], bytes);
      }
      FindCopyRows(target)(source.data(), static_cast<int64_t>(source_stride), result.data(),
                           static_cast<int64_t>(result_stride), bytes, kRows);
      EXPECT_EQ(result, expected) << bytes << " bytes, target " << static_cast<int>(target);
    }
  }
}

TEST(CopyRowsTest, RowsMayRepeatAndGoBack) {
  constexpr size_t kBytes = 100, kRows = 4;
  std::vector<unsigned char> source(kRows * kBytes);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned char>(i % 251);
  for (const SimdTarget target : SupportedTargets()) {
    std::vector<unsigned char> result(kRows * kBytes), expected = result;
    FindCopyRows(target)(source.data(), 0, result.data(), kBytes, kBytes, kRows);
    for (size_t r = 0; r < kRows; ++r) {
      std::memcpy(&expected[r * kBytes], source.data(), kBytes);
    }
    EXPECT_EQ(result, expected) << "target " << static_cast<int>(target);
    FindCopyRows(target)(&source[(kRows - 1) * kBytes], -static_cast<int64_t>(kBytes),
                         result.data(), kBytes, kBytes, kRows);
    for (size_t r = 0; r < kRows; ++r) {
      std::memcpy(&expected[r * kBytes], &source[(kRows - 1 - r) * kBytes], kBytes);
    }
    EXPECT_EQ(result, expected) << "back, target " << static_cast<int>(target);
  }
}

}  // namespace
}  // namespace plinth::cpu::math
