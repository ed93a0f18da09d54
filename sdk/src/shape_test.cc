// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/shape.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "sdk/src/wire.h"

namespace plinth::sdk {
namespace {

// An array without elements may have dimensions whose product is too large.
TEST(Shape, StridesOfEmptyArraysDoNotOverflow) {
  const int64_t dims[] = {0, int64_t{1} << 62, int64_t{1} << 62};
  int64_t strides[3] = {};
  DenseByteStrides(dims, 4, {}, strides);
  EXPECT_EQ(strides[2], 4);
  EXPECT_TRUE(internal::AreDense(dims, strides, 4));
  EXPECT_TRUE(internal::AreDense(dims, dims, 4));
}

// Copies random arrays between random strided places and compares element by element.
TEST(Shape, CopyStridedAgreesWithTheDefinition) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const int64_t element_sizes[] = {1, 2, 4, 8, 16, 3};
    const int64_t element_size = element_sizes[random() % 6];
    const size_t rank = random() % 5;
    Dims dims, order;
    for (size_t i = 0; i < rank; ++i) {
      dims.push_back(static_cast<int64_t>(random() % 5 + (random() % 8 != 0)));
      order.push_back(static_cast<int64_t>(i));
    }
    auto place = [&](Dims& strides) {
      std::shuffle(order.begin(), order.end(), random);
      strides.resize(rank);
      DenseByteStrides(dims, element_size, order, {strides.data(), rank});
      int64_t pad = random() % 2 == 0 ? 1 : 2;
      for (int64_t& stride : strides) stride *= pad;
      return static_cast<size_t>(pad * element_size *
                                 std::accumulate(dims.begin(), dims.end(), int64_t{1},
                                                 [](int64_t a, int64_t b) { return a * b; })) +
             static_cast<size_t>(element_size);
    };
    Dims from_strides, to_strides;
    std::vector<uint8_t> from(place(from_strides)), to(place(to_strides)), expected;
    for (uint8_t& byte : from) byte = static_cast<uint8_t>(random());
    // Some source dimensions run backwards.
    const uint8_t* start = from.data();
    for (size_t i = 0; i < rank; ++i) {
      if (dims[i] == 0 || random() % 3 != 0) continue;
      start += from_strides[i] * (dims[i] - 1);
      from_strides[i] = -from_strides[i];
    }
    expected = to;
    const int64_t count = *NumElements(dims);
    for (int64_t n = 0; n < count; ++n) {
      int64_t rest = n, a = 0, b = 0;
      for (size_t i = rank; i-- > 0;) {
        a += rest % dims[i] * from_strides[i];
        b += rest % dims[i] * to_strides[i];
        rest /= dims[i];
      }
      std::copy_n(start + a, element_size, expected.data() + b);
    }
    CopyStrided(to.data(), to_strides, start, from_strides, dims, element_size);
    ASSERT_EQ(to, expected) << "round " << round;
  }
}

}  // namespace
}  // namespace plinth::sdk
