// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/math/columns.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference_plugin/cpu/math/tile_test_support.h"

namespace plinth::cpu::math {
namespace {

// Rows that are as long as their columns, and longer ones, the last of which ends with them.
struct Rows {
  SimdTarget target;
  size_t columns, stride, count;  // in elements

  size_t size() const { return (count - 1) * stride + columns; }
};

std::vector<Rows> AllRows() {
  std::vector<Rows> all;
  for (const SimdTarget target : SupportedTargets()) {
    for (size_t columns = kFewestColumns; columns <= kMostColumns; ++columns) {
      for (const size_t beside : {0, 1, 5}) {
        for (const size_t count : {1, 7, 8, 9, 17, 64}) {
          all.push_back({target, columns, columns + beside, count});
        }
      }
    }
  }
  return all;
}

constexpr size_t kBytes = sizeof(uint32_t);
constexpr uint32_t kCanary = 0xA5A5A5A5;

// Of element c of row i.
uint32_t Number(size_t i, size_t c) { return static_cast<uint32_t>(i * 100 + c + 1); }

std::vector<std::vector<uint32_t>> Columns(const Rows& rows, bool are_set) {
  std::vector<std::vector<uint32_t>> columns(rows.columns);
  for (size_t c = 0; c < rows.columns; ++c) {
    for (size_t i = 0; i < rows.count; ++i) columns[c].push_back(are_set ? Number(i, c) : kCanary);
  }
  return columns;
}

std::vector<uint32_t> Elements(const Rows& rows) {
  std::vector<uint32_t> elements(rows.size() + 1, kCanary);  // one lies behind them
  for (size_t i = 0; i < rows.count; ++i) {
    for (size_t c = 0; c < rows.columns; ++c) elements[i * rows.stride + c] = Number(i, c);
  }
  return elements;
}

TEST(ColumnsTest, RowsAreTakenApart) {
  for (const Rows& rows : AllRows()) {
    const std::vector<uint32_t> elements = Elements(rows);
    for (size_t missing = 0; missing <= rows.columns; ++missing) {
      std::vector<std::vector<uint32_t>> columns = Columns(rows, /*are_set=*/false);
      std::vector<void*> pointers;
      for (size_t c = 0; c < rows.columns; ++c) {
        pointers.push_back(c == missing ? nullptr : columns[c].data());
      }
      FindColumns(kBytes, rows.columns, rows.target)
          .load(elements.data(), static_cast<int64_t>(rows.stride * kBytes), pointers.data(),
                rows.count);
      std::vector<std::vector<uint32_t>> expected = Columns(rows, /*are_set=*/true);
      if (missing < rows.columns) expected[missing].assign(rows.count, kCanary);
      EXPECT_EQ(columns, expected) << rows.columns << " of " << rows.stride << ", " << rows.count
                                   << " rows without " << missing;
    }
  }
}

TEST(ColumnsTest, RowsArePutTogether) {
  for (const Rows& rows : AllRows()) {
    const std::vector<std::vector<uint32_t>> columns = Columns(rows, /*are_set=*/true);
    std::vector<const void*> pointers;
    for (const std::vector<uint32_t>& column : columns) pointers.push_back(column.data());
    std::vector<uint32_t> elements(rows.size() + 1, kCanary);
    FindColumns(kBytes, rows.columns, rows.target)
        .store(elements.data(), static_cast<int64_t>(rows.stride * kBytes), pointers.data(),
               rows.count);
    EXPECT_EQ(elements, Elements(rows))
        << rows.columns << " of " << rows.stride << ", " << rows.count << " rows";
  }
}

TEST(ColumnsTest, OtherSizesHaveNone) {
  EXPECT_EQ(FindColumns(8, 3).load, nullptr);
  EXPECT_EQ(FindColumns(1, 3).store, nullptr);
  EXPECT_EQ(FindColumns(kBytes, 1).load, nullptr);
  EXPECT_EQ(FindColumns(kBytes, kMostColumns + 1).store, nullptr);
}

}  // namespace
}  // namespace plinth::cpu::math
