// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/short_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

namespace plinth::backend {
namespace {

TEST(ShortArray, HasDefaultElementsInPlaceOrNot) {
  for (const size_t size : {0, 1, 4, 5, 100}) {
    ShortArray<int64_t, 4> array(size);
    EXPECT_EQ(array.size(), size);
    EXPECT_EQ(array.span().size(), size);
    for (const int64_t element : array) EXPECT_EQ(element, 0);
    const auto* const first = reinterpret_cast<const std::byte*>(array.begin());
    const auto* const own = reinterpret_cast<const std::byte*>(&array);
    EXPECT_EQ(first >= own && first < own + sizeof(array), size <= 4);
  }
}

TEST(ShortArray, EndsItsElements) {
  const auto shared = std::make_shared<int>(7);
  for (const size_t size : {3, 4, 9}) {
    {
      ShortArray<std::shared_ptr<int>, 4> array(size);
      for (std::shared_ptr<int>& element : array) element = shared;
      EXPECT_EQ(shared.use_count(), static_cast<int64_t>(size) + 1);
    }
    EXPECT_EQ(shared.use_count(), 1);
  }
}

}  // namespace
}  // namespace plinth::backend
