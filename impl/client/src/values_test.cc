// SPDX-License-Identifier: Apache-2.0
// The plain values of the client: options, layouts, host arrays.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <span>
#include <string>

#include "plinth/client/host_array.h"
#include "plinth/client/layout.h"
#include "plinth/client/options.h"
#include "plinth/support/xla_messages.h"

namespace plinth::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OptionsTest, TypesOfSet) {
  Options options = Options().Set("i", 4).Set("s", "text").Set("b", true).Set("i", int64_t{5});
  options.Set("l", std::vector<int64_t>{1, 2});
  ASSERT_EQ(options.values().size(), 4u);
  EXPECT_EQ(std::get<int64_t>(options.values()[0].value), 5);
  EXPECT_EQ(std::get<std::string>(options.values()[1].value), "text");
  EXPECT_EQ(std::get<bool>(options.values()[2].value), true);
}

TEST(OptionsTest, Parse) {
  struct {
    std::string_view text;
    Value value;
  } const cases[] = {
      {"a=true", true},
      {"a=-3", int64_t{-3}},
      {"a=[1, 2]", std::vector<int64_t>{1, 2}},
      {"a=[]", std::vector<int64_t>{}},
      {"a=0.5", 0.5f},
      {"a=\"7\"", std::string("7")},
      {"a=x=y", std::string("x=y")},
      {"a=", std::string()},
      {"a=[1,]", std::string("[1,]")},
      {"a=1e20", 1e20f},
      {"a=-9223372036854775808", INT64_MIN},
      {"a=-", std::string("-")},
  };
  for (const auto& one : cases) {
    Options options;
    ASSERT_TRUE(options.Parse(one.text).ok()) << one.text;
    EXPECT_EQ(options.values()[0].name, "a");
    EXPECT_EQ(options.values()[0].value, one.value) << one.text;
  }
  Options options;
  EXPECT_EQ(options.Parse("novalue").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(options.Parse("=1").code(), StatusCode::kInvalidArgument);
  for (const char* text :
       {"a=99999999999999999999", "a=9223372036854775808", "a=-99999999999999999999"}) {
    EXPECT_THAT(options.Parse(text).message(), HasSubstr("64 bits")) << text;
  }
  EXPECT_TRUE(options.empty());
}

TEST(OptionsTest, ParseList) {
  Options options;
  ASSERT_TRUE(options.ParseList(";num_devices=4;;name=left;num_devices=2;").ok());
  ASSERT_EQ(options.values().size(), 2u);
  EXPECT_EQ(options.values()[0].value, plinth::Value(int64_t{2}));
  EXPECT_EQ(options.values()[1].value, plinth::Value(std::string("left")));
  EXPECT_TRUE(options.ParseList("").ok());
  EXPECT_THAT(options.ParseList("a=1;b").message(), HasSubstr("\"b\" is not of the form"));
}

TEST(CompileOptionsTest, ParseOverride) {
  CompileOptions options;
  for (const char* text : {"d=0.1", "i=-3", "b=true", "s=x", "i=4"}) {
    EXPECT_TRUE(options.ParseOverride(text).ok()) << text;
  }
  using Override = CompileOptions::Override;
  EXPECT_EQ(options.overrides.size(), 4u);
  // Not the float nearest to it.
  EXPECT_EQ(options.overrides["d"], Override(0.1));
  EXPECT_EQ(options.overrides["i"], Override(int64_t{4}));
  EXPECT_EQ(options.overrides["b"], Override(true));
  EXPECT_EQ(options.overrides["s"], Override(std::string("x")));
  EXPECT_THAT(options.ParseOverride("l=[1,2]").message(), HasSubstr("cannot be a list"));
  EXPECT_EQ(options.ParseOverride("=1").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(options.overrides.size(), 4u);
}

TEST(CompileOptionsTest, WireForm) {
  CompileOptions options;
  // Field 3 { 1: -1 (ten bytes), 4: 1, 5: 1 }.
  EXPECT_EQ(options.Serialize(), std::string("\x1a\x0f\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                                             "\x20\x01\x28\x01",
                                             17));
  options.overrides["k"] = true;
  // Field 7 { 1: "k", 2 { 2: true } }.
  EXPECT_THAT(options.Serialize(), HasSubstr(std::string("\x3a\x07\x0a\x01k\x12\x02\x10\x01", 9)));
}

Expected<DeviceAssignment> ReadAssignment(const std::string& proto) {
  return messages::ReadDeviceAssignment(std::as_bytes(std::span(proto)));
}

TEST(DeviceAssignmentTest, RoundTrip) {
  const DeviceAssignment assignment{2, 3, {0, 1, 2, 3, 4, 5}};
  EXPECT_EQ(assignment.At(1, 2), 5);
  const std::string proto = messages::WriteDeviceAssignment(assignment);
  // A list of replicas for each of the three partitions.
  EXPECT_EQ(proto, std::string("\x08\x02\x10\x03\x1a\x04\x0a\x02\x00\x03\x1a\x04\x0a\x02\x01\x04"
                               "\x1a\x04\x0a\x02\x02\x05",
                               22));
  const Expected<DeviceAssignment> again = ReadAssignment(proto);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(*again, assignment);
}

TEST(DeviceAssignmentTest, BadBytes) {
  EXPECT_FALSE(ReadAssignment("\xff\xff\xff").ok());
  // A billion replicas that are not listed.
  EXPECT_FALSE(ReadAssignment(std::string("\x08\x80\x94\xeb\xdc\x03\x10\x01", 8)).ok());
  EXPECT_FALSE(ReadAssignment(std::string("\x08\x02\x10\x01\x1a\x03\x0a\x01\x07", 9)).ok());
}

TEST(LayoutTest, RoundTrip) {
  Layout layout;
  layout.minor_to_major = {1, 0};
  layout.tiles = {{8, 128}, {2}};
  LayoutArgument argument(&layout);
  EXPECT_EQ(*Layout::FromC(*argument.get()), layout);
  EXPECT_EQ(LayoutArgument(nullptr).get(), nullptr);
  EXPECT_THAT(Layout::RowMajor(3).minor_to_major, ElementsAre(2, 1, 0));
}

TEST(LayoutTest, OfAShape) {
  EXPECT_EQ(LayoutArgument(Shape{DType::kF32, {2, 3}}).get(), nullptr);
  Shape shape{DType::kF32, {2, 3}, std::make_shared<plinth::Layout>()};
  EXPECT_EQ(*Layout::FromC(*LayoutArgument(shape).get()), Layout::RowMajor(2));
  shape.layout = std::make_shared<plinth::Layout>(plinth::Layout{{0, 1}, {{2}}});
  Layout columns;
  columns.minor_to_major = {0, 1};
  columns.tiles = {{2}};
  EXPECT_EQ(*Layout::FromC(*LayoutArgument(shape).get()), columns);
}

TEST(LayoutTest, GarbageFromAPlugin) {
  PJRT_Buffer_MemoryLayout layout = {};
  layout.type = static_cast<PJRT_Buffer_MemoryLayout_Type>(7);
  EXPECT_FALSE(Layout::FromC(layout).ok());
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major_size = 2;
  EXPECT_FALSE(Layout::FromC(layout).ok());
  layout.tiled.minor_to_major_size = SIZE_MAX;
  EXPECT_FALSE(Layout::FromC(layout).ok());
}

TEST(HostArrayTest, SizesAreChecked) {
  const int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_FALSE(HostByteSize(DType::kF32, huge).ok());
  const int64_t negative[] = {-1};
  EXPECT_FALSE(HostByteSize(DType::kF32, negative).ok());
  EXPECT_FALSE(HostByteSize(DType::kInvalid, {}).ok());
  const int64_t empty[] = {int64_t{1} << 62, int64_t{1} << 62, 0};
  EXPECT_EQ(*HostByteSize(DType::kF64, empty), 0);
  const Expected<HostArray> array = HostArray::Create(DType::kF64, empty);
  ASSERT_TRUE(array.ok());
  EXPECT_NE(array->data(), nullptr);
  const int64_t terabytes[] = {int64_t{1} << 60};
  EXPECT_EQ(HostArray::Create(DType::kU8, terabytes).status().code(),
            StatusCode::kResourceExhausted);
}

TEST(HostArrayTest, CopyStrided) {
  const int64_t dims[] = {2, 3};
  std::vector<int32_t> from = {0, 1, 2, 3, 4, 5};
  std::vector<int32_t> to(6, -1);
  const int64_t column_major[] = {4, 8};
  ASSERT_TRUE(CopyStrided({from.data(), DType::kS32, dims, {}},
                          {to.data(), DType::kS32, dims, column_major})
                  .ok());
  EXPECT_THAT(to, ElementsAre(0, 3, 1, 4, 2, 5));
  // Rows backwards, every other element.
  const int64_t backwards[] = {-12, 4};
  ASSERT_TRUE(CopyStrided({from.data() + 3, DType::kS32, dims, backwards},
                          {to.data(), DType::kS32, dims, {}})
                  .ok());
  EXPECT_THAT(to, ElementsAre(3, 4, 5, 0, 1, 2));
  const int64_t other[] = {3, 2};
  EXPECT_FALSE(
      CopyStrided({from.data(), DType::kS32, dims, {}}, {to.data(), DType::kS32, other, {}}).ok());
  const int64_t one_stride[] = {4};
  EXPECT_FALSE(
      CopyStrided({from.data(), DType::kS32, dims, one_stride}, {to.data(), DType::kS32, dims, {}})
          .ok());
}

}  // namespace
}  // namespace plinth::client
