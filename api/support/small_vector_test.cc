// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/small_vector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace plinth {
namespace {

using ::testing::ElementsAre;

TEST(SmallVector, KeepsElementsWhereverTheyLie) {
  SmallVector<int, 2> list = {1, 3};
  list.insert(list.begin() + 1, 2);
  list.push_back(4);
  EXPECT_THAT(list, ElementsAre(1, 2, 3, 4));
  SmallVector<int, 2> moved = std::move(list);
  moved.erase(moved.begin());
  EXPECT_THAT(moved, ElementsAre(2, 3, 4));
  moved.resize(4, 7);
  EXPECT_THAT(moved, ElementsAre(2, 3, 4, 7));
}

TEST(SmallVector, RefusesMoreThanItCounts) {
  SmallVector<char, 4> list = {'a'};
  EXPECT_THROW(list.reserve(size_t{1} << 32), std::length_error);
  EXPECT_THAT(list, ElementsAre('a'));
}

}  // namespace
}  // namespace plinth
