// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/math/transpose.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "reference_plugin/cpu/math/tile_test_support.h"

namespace plinth::cpu::math {
namespace {

// Both are exactly as long as what is read and written, so that a sanitizer sees more; what lies
// between rows stays.
void ExpectTransposed(SimdTarget target, size_t bytes, size_t rows, size_t columns) {
  const size_t source_stride = rows * bytes + 3, result_stride = columns * bytes + 5;
  std::vector<unsigned char> source((columns - 1) * source_stride + rows * bytes);
  for (size_t i = 0; i < source.size(); ++i) {
    source[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
  }
  std::vector<unsigned char> result((rows - 1) * result_stride + columns * bytes, 0xA5);
  std::vector<unsigned char> expected = result;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) {
      std::memcpy(&expected[r * result_stride + c * bytes], &source[c * source_stride + r * bytes],
                  bytes);
    }
  }
  FindTranspose(bytes, target)(source.data(), static_cast<int64_t>(source_stride), result.data(),
                               static_cast<int64_t>(result_stride), rows, columns);
  EXPECT_EQ(result, expected) << rows << " x " << columns << " of " << bytes << " bytes, target "
                              << static_cast<int>(target);
}

TEST(TransposeTest, MovesEveryElement) {
  for (const SimdTarget target : SupportedTargets()) {
    for (const size_t bytes : {1, 2, 4, 8, 16}) {
      const size_t edge = kTransposeBytes / bytes;
      for (const size_t rows : {size_t{1}, edge - 1, edge, 2 * edge, 2 * edge + 3}) {
        for (const size_t columns : {size_t{1}, edge - 1, edge, edge + 1, 3 * edge}) {
          ExpectTransposed(target, bytes, rows, columns);
        }
      }
    }
  }
}

TEST(TransposeTest, OtherSizesHaveNone) {
  EXPECT_EQ(FindTranspose(0), nullptr);
  EXPECT_EQ(FindTranspose(3), nullptr);
  EXPECT_EQ(FindTranspose(32), nullptr);
}

}  // namespace
}  // namespace plinth::cpu::math
