// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/core_cache.h"

#include <gtest/gtest.h>

namespace plinth::backend {
namespace {

// Systems that do not know say 0 or -1, which must not reach those who divide work by it.
TEST(CoreCacheTest, IsWhatACoreMayHave) {
  const int64_t bytes = CoreCacheBytes();
  EXPECT_GE(bytes, 64 << 10);
  EXPECT_LE(bytes, 1 << 30);
  EXPECT_EQ(CoreCacheBytes(), bytes);
}

}  // namespace
}  // namespace plinth::backend
