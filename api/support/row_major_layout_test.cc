// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/row_major_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

namespace plinth {
namespace {

TEST(RowMajorLayout, LastDimensionIsFastest) {
  RowMajorLayout layout(3);
  const PJRT_Buffer_MemoryLayout& c = *layout.get();
  EXPECT_EQ(c.struct_size, StructOf<PJRT_Buffer_MemoryLayout>::kSize);
  EXPECT_EQ(c.type, PJRT_Buffer_MemoryLayout_Type_Tiled);
  EXPECT_EQ(c.tiled.struct_size, StructOf<PJRT_Buffer_MemoryLayout_Tiled>::kSize);
  EXPECT_THAT(std::span(c.tiled.minor_to_major, c.tiled.minor_to_major_size),
              testing::ElementsAre(2, 1, 0));
  EXPECT_EQ(c.tiled.num_tiles, 0u);
}

TEST(RowMajorLayout, AScalarHasOneToo) {
  EXPECT_EQ(RowMajorLayout(0).get()->tiled.minor_to_major_size, 0u);
}

}  // namespace
}  // namespace plinth
