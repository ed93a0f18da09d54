// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/pool.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace plinth::compiler {
namespace {

constexpr int kMany = 200;  // several pieces of memory

// Knows how often it was made and destroyed.
struct Counted {
  static inline int made = 0, destroyed = 0;
  static inline bool fails = false;

  Counted() : number(made) {
    if (fails) throw std::runtime_error("no");
    ++made;
  }
  ~Counted() { destroyed += number; }
  const int number;
};

TEST(Pool, ObjectsStayWhereTheyAreEvenIfOneCannotBeMade) {
  Counted::made = Counted::destroyed = 0;
  {
    Pool<Counted> pool;
    std::vector<const Counted*> all;
    for (int i = 0; i < kMany; ++i) {
      Counted::fails = true;
      EXPECT_THROW(pool.emplace_back(), std::runtime_error);
      Counted::fails = false;
      all.push_back(&pool.emplace_back());
    }
    EXPECT_EQ(pool.size(), static_cast<size_t>(kMany));
    for (int i = 0; i < kMany; ++i) EXPECT_EQ(all[static_cast<size_t>(i)]->number, i);
  }
  EXPECT_EQ(Counted::destroyed, kMany * (kMany - 1) / 2);
}

}  // namespace
}  // namespace plinth::compiler
