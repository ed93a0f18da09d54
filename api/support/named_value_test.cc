// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/named_value.h"

#include <gtest/gtest.h>

#include <cstring>

namespace plinth {
namespace {

std::vector<NamedValue> Sample() {
  return {{"text", "abc"}, {"number", int64_t{-3}}, {"list", std::vector<int64_t>{1, 2}},
          {"real", 0.5f},  {"yes", true},           {"", std::string()}};
}

TEST(NamedValue, RoundTripThroughC) {
  NamedValueArray array(Sample());
  ASSERT_EQ(array.size(), 6u);
  Expected<std::vector<NamedValue>> back = NamedValuesFromC(array.data(), array.size());
  ASSERT_TRUE(back.ok());
  for (size_t i = 0; i < array.size(); ++i) {
    EXPECT_EQ((*back)[i].name, Sample()[i].name);
    EXPECT_EQ((*back)[i].value, Sample()[i].value);
    EXPECT_EQ(array.data()[i].struct_size, size_t{PJRT_NamedValue_STRUCT_SIZE});
  }
  EXPECT_EQ(array.data()[0].value_size, 3u);
  EXPECT_EQ(array.data()[1].value_size, 1u);
  EXPECT_EQ(array.data()[2].value_size, 2u);
}

TEST(NamedValue, BadListsAreRefused) {
  EXPECT_TRUE(NamedValuesFromC(nullptr, 0).ok());
  EXPECT_EQ(NamedValuesFromC(nullptr, 1).status().code(), StatusCode::kInvalidArgument);
  PJRT_NamedValue value = {};
  value.name_size = 4;
  EXPECT_EQ(NamedValuesFromC(&value, 1).status().code(), StatusCode::kInvalidArgument);
  value.name = "name";
  value.value_size = 2;  // A string of two bytes at null.
  EXPECT_EQ(NamedValuesFromC(&value, 1).status().code(), StatusCode::kInvalidArgument);
  for (int type : {5, -1, 1000}) {
    std::memcpy(&value.type, &type, sizeof(type));
    EXPECT_EQ(NamedValuesFromC(&value, 1).status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(NamedValue, Text) {
  EXPECT_EQ(ToString(Value(std::vector<int64_t>{1, 2})), "[1, 2]");
  EXPECT_EQ(ToString(Value(std::string("a"))), "\"a\"");
  EXPECT_EQ(TypeName(Value(true)), "bool");
}

}  // namespace
}  // namespace plinth
