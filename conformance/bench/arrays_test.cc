// SPDX-License-Identifier: Apache-2.0
#include "conformance/bench/arrays.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <string>

namespace plinth::bench {
namespace {

template <typename T>
std::vector<T> Made(std::string_view text, uint64_t seed = 1) {
  Expected<ArraySpec> spec = ParseArraySpec(text);
  if (!spec.ok()) {
    ADD_FAILURE() << spec.status().ToString();
    return {};
  }
  EXPECT_EQ(spec->num_bytes() % static_cast<int64_t>(sizeof(T)), 0);
  Expected<Bytes> bytes = MakeArray(*spec, seed);
  std::vector<T> values(static_cast<size_t>(spec->num_bytes()) / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes->get(), values.size() * sizeof(T));
  return values;
}

TEST(ArraysTest, Values) {
  EXPECT_EQ(Made<int32_t>("s32:3:values:1:-2:7"), (std::vector<int32_t>{1, -2, 7}));
  EXPECT_EQ(Made<uint32_t>("u32::values:42"), std::vector<uint32_t>{42});
  EXPECT_EQ(Made<float>("f32:2x2:constant:0.5"), std::vector<float>(4, 0.5f));
  EXPECT_EQ(Made<uint16_t>("bf16:1:values:1.5"), std::vector<uint16_t>{0x3fc0});
  EXPECT_EQ(Made<uint16_t>("f16:2:values:1.5:-2"), (std::vector<uint16_t>{0x3e00, 0xc000}));
  EXPECT_TRUE(Made<float>("f32:0x4:constant:0").empty());
}

TEST(ArraysTest, Distributions) {
  for (float x : Made<float>("f32:1000:uniform:0.1:1.1")) {
    EXPECT_GE(x, 0.1f);
    EXPECT_LT(x, 1.1001f);
  }
  const auto bytes = Made<int8_t>("s8:1000:uniform:-3:3");
  EXPECT_EQ((std::set<int8_t>(bytes.begin(), bytes.end())),
            (std::set<int8_t>{-3, -2, -1, 0, 1, 2, 3}));
  double sum = 0, squares = 0;
  for (double x : Made<double>("f64:100x100:normal:2:3")) sum += x, squares += (x - 2) * (x - 2);
  EXPECT_NEAR(sum / 10000, 2, 0.1);
  EXPECT_NEAR(std::sqrt(squares / 10000), 3, 0.1);
  const auto sorted = Made<float>("f32:1000:sorted:0:1");
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  EXPECT_LT(sorted.front(), -1);
  EXPECT_EQ(Made<float>("c64:10:normal:0:1").size(), 20u);
}

TEST(ArraysTest, Distinct) {
  const auto values = Made<int32_t>("s32:100:distinct:1000");
  EXPECT_EQ(std::set<int32_t>(values.begin(), values.end()).size(), 100u);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 1000);
}

TEST(ArraysTest, Matrices) {
  const auto spd = Made<float>("f32:2x4x4:spd:8:1");
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(spd[16 + 5 * i], 8);
    for (size_t j = 0; j < 4; ++j) EXPECT_EQ(spd[16 + 4 * i + j], spd[16 + 4 * j + i]);
  }
  const auto lower = Made<float>("f32:4x4:lower:8:1");
  EXPECT_EQ(lower[1], 0);
  EXPECT_NE(lower[4], 0);
}

TEST(ArraysTest, SeedDecides) {
  EXPECT_EQ(Made<float>("f32:9:normal:0:1", 5), Made<float>("f32:9:normal:0:1", 5));
  EXPECT_NE(Made<float>("f32:9:normal:0:1", 5), Made<float>("f32:9:normal:0:1", 6));
}

TEST(ArraysTest, WhatIsWrongIsSaid) {
  for (auto [text, problem] : {std::pair{"f32:4", "expected TYPE"},
                               {"f99:4:constant:0", "f99"},
                               {"token::constant:0", "token"},
                               {"f32:4xx:constant:0", "no dimension"},
                               {"f32:-4:constant:0", "negative"},
                               {"f32:99999999x99999999x99:constant:0", "too large"},
                               {"f32:4:strange:0", "strange"},
                               {"f32:4:constant:x", "no number"},
                               {"f32:4:uniform:1", "takes 2"},
                               {"f32:4:values:1:2", "2 values for 4"},
                               {"s32:4:distinct:3", "distinct"},
                               {"f32:4x5:spd:1:1", "square"}}) {
    Expected<ArraySpec> spec = ParseArraySpec(text);
    ASSERT_FALSE(spec.ok()) << text;
    EXPECT_NE(spec.status().message().find(problem), std::string::npos) << spec.status().ToString();
  }
}

TEST(ArraysTest, ProgramList) {
  auto programs = ParseProgramList("# comment\n\na/b a_b.mlirbc f32:4:constant:1 s32::values:3\n");
  ASSERT_TRUE(programs.ok()) << programs.status().ToString();
  ASSERT_EQ(programs->size(), 1u);
  EXPECT_EQ((*programs)[0].name, "a/b");
  EXPECT_EQ((*programs)[0].arguments.size(), 2u);
  EXPECT_NE(ParseProgramList("x y\nz\n").status().message().find("line 2"), std::string::npos);
  EXPECT_NE(ParseProgramList("x y f32\n").status().message().find("line 1"), std::string::npos);
}

}  // namespace
}  // namespace plinth::bench
