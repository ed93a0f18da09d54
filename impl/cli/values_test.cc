// SPDX-License-Identifier: Apache-2.0
// Elements, literals, npy files and how arrays are printed.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "impl/cli/array_text.h"
#include "impl/cli/element.h"
#include "impl/cli/literal.h"
#include "impl/cli/npy.h"
#include "impl/cli/npy_header.h"

namespace plinth::cli {
namespace {

using client::HostArray;
using ::testing::HasSubstr;

std::string TextOf(std::string_view literal) {
  const Expected<HostArray> array = ParseLiteral(literal);
  return array.ok() ? ArrayText(*array, false) : array.status().ToString();
}

TEST(ElementTest, ThereAndBack) {
  struct {
    DType type;
    std::string_view text, printed;
  } const cases[] = {
      {DType::kPred, "true", "true"},
      {DType::kS8, "-128", "-128"},
      {DType::kS4, "-8", "-8"},
      {DType::kU4, "15", "15"},
      {DType::kU64, "18446744073709551615", "18446744073709551615"},
      {DType::kS64, "-9223372036854775808", "-9223372036854775808"},
      {DType::kF32, "0.1", "0.1"},
      {DType::kF64, "0.1", "0.1"},
      {DType::kF16, "65504", "65504"},
      {DType::kBF16, "1e10", "9999220736"},
      {DType::kF32, "-inf", "-inf"},
      {DType::kF32, "nan", "nan"},
      {DType::kF8E4M3FN, "1.1", "1.125"},
      {DType::kC64, "1+2i", "1+2i"},
      {DType::kC64, "-1e-3-2e+1i", "-0.001-20i"},
      {DType::kC128, "2i", "0+2i"},
      {DType::kC128, "-2i", "0-2i"},
      {DType::kC64, "3", "3+0i"},
  };
  for (const auto& one : cases) {
    std::byte bytes[16];
    const Status status = ParseElement(one.type, one.text, bytes);
    ASSERT_TRUE(status.ok()) << one.text << ": " << status.ToString();
    const std::string printed = ElementText(one.type, bytes);
    EXPECT_EQ(printed, one.printed) << Name(one.type) << " " << one.text;
  }
}

TEST(ElementTest, Refused) {
  struct {
    DType type;
    std::string_view text;
  } const cases[] = {
      {DType::kS8, "128"},   {DType::kU8, "-1"},   {DType::kU4, "16"},   {DType::kS4, "8"},
      {DType::kS32, "1.5"},  {DType::kF32, "one"}, {DType::kF32, ""},    {DType::kPred, "yes"},
      {DType::kC64, "1+i2"}, {DType::kToken, "1"}, {DType::kF64, "1 2"}, {DType::kC64, ""},
  };
  for (const auto& one : cases) {
    std::byte bytes[16];
    EXPECT_EQ(ParseElement(one.type, one.text, bytes).code(), StatusCode::kInvalidArgument)
        << one.text;
  }
}

TEST(LiteralTest, Forms) {
  EXPECT_EQ(TextOf("f32=1.5"), "f32[] 1.5");
  EXPECT_EQ(TextOf("f32[3]=2"), "f32[3] [2, 2, 2]");
  EXPECT_EQ(TextOf("s32[2,2]=1,2,3,4"), "s32[2,2]\n[[1, 2],\n [3, 4]]");
  EXPECT_EQ(TextOf("i32[2,2]=[[1, 2], [3, 4]]"), "s32[2,2]\n[[1, 2],\n [3, 4]]");
  EXPECT_EQ(TextOf("uint8[4]=range"), "u8[4] [0, 1, 2, 3]");
  EXPECT_EQ(TextOf("f32[3]=range(1,0.5)"), "f32[3] [1, 1.5, 2]");
  EXPECT_EQ(TextOf("s32[4]=range(0,0.5)"), "s32[4] [0, 0, 1, 1]");
  EXPECT_EQ(TextOf("bool[2]=true,false"), "pred[2] [true, false]");
  EXPECT_EQ(TextOf("f32[0]="), "f32[0] []");
  EXPECT_EQ(TextOf("f32[1000000000000,0]="), "f32[1000000000000,0] []");
  EXPECT_EQ(TextOf("c64[2]=1+2i,3"), "c64[2] [1+2i, 3+0i]");
  EXPECT_EQ(TextOf("f32[1000]=range"), "f32[1000] [0, 1, 2, ..., 997, 998, 999]");
}

TEST(LiteralTest, RangesOfIntegersAreExactAndWrap) {
  EXPECT_EQ(TextOf("u64[2]=range(10000000000000000000,0)"),
            "u64[2] [10000000000000000000, 10000000000000000000]");
  EXPECT_EQ(TextOf("s64[2]=range(9007199254740993)"),
            "s64[2] [9007199254740993, 9007199254740994]");
  EXPECT_EQ(TextOf("u64[2]=range(0,-1)"), "u64[2] [0, 18446744073709551615]");
  EXPECT_EQ(TextOf("u8[3]=range(254)"), "u8[3] [254, 255, 0]");
  // Numbers that are no integers go through double, and wrap as well.
  EXPECT_EQ(TextOf("u64=range(1e19)"), "u64[] 10000000000000000000");
  EXPECT_EQ(TextOf("u64=range(-1.0)"), "u64[] 18446744073709551615");
  EXPECT_EQ(TextOf("s32=range(1e300)"), "s32[] 0");
}

TEST(LiteralTest, RandomIsTheSameEverywhere) {
  EXPECT_EQ(TextOf("s32[6]=random(1)"), TextOf("s32[6]=random(1)"));
  EXPECT_NE(TextOf("s32[6]=random(1)"), TextOf("s32[6]=random(2)"));
  EXPECT_EQ(TextOf("s32[6]=random"), "s32[6] [89, 43, 2, 98, 10, 33]");
  const HostArray array = *ParseLiteral("f32[1000]=random(3,-2,2)");
  for (float value : array.elements<float>()) {
    EXPECT_GE(value, -2);
    EXPECT_LE(value, 2);
  }
}

TEST(LiteralTest, Refused) {
  EXPECT_THAT(TextOf("f32[2]=1,2,3"), HasSubstr("f32[2] has 2 elements; 3 are given"));
  EXPECT_THAT(TextOf("f32[2,3=1"), HasSubstr("no ] at its end"));
  EXPECT_THAT(TextOf("f32[-1]=1"), HasSubstr("no extent"));
  EXPECT_THAT(TextOf("f33[1]=1"), HasSubstr("\"f33\" is no element type"));
  EXPECT_THAT(TextOf("s8[2]=1,300"), HasSubstr("element 1: \"300\" is no s8"));
  EXPECT_THAT(TextOf("f32[0]=1"), HasSubstr("has no elements"));
  EXPECT_THAT(TextOf("f32[4]=range(1,2,3)"), HasSubstr("at most 2 numbers"));
  EXPECT_THAT(TextOf("f32[4]=random(x)"), HasSubstr("\"x\" is no number"));
  EXPECT_THAT(TextOf("f32[99999999999999999999]=1"), HasSubstr("no extent"));
  EXPECT_THAT(TextOf("f32[4611686018427387904,16]=1"), HasSubstr("larger than 2^62"));
  EXPECT_THAT(TextOf("f32[1000000000000000]=1"), HasSubstr("RESOURCE_EXHAUSTED"));
  EXPECT_FALSE(IsLiteral("a=b.npy"));
  EXPECT_FALSE(IsLiteral("f32.npy"));
  EXPECT_TRUE(IsLiteral("f32[2=1"));
}

class NpyTest : public ::testing::Test {
 protected:
  NpyTest() : path_(::testing::TempDir() + "/plinth_npy_test_" + std::to_string(getpid())) {}
  ~NpyTest() override { unlink(path_.c_str()); }
  void Write(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
  }
  static std::string File(const std::string& header, const std::string& data, int major = 1) {
    std::string bytes = "\x93NUMPY";
    bytes.push_back(static_cast<char>(major));
    bytes.push_back(0);
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
      bytes.push_back(static_cast<char>(header.size() >> (8 * i)));
    }
    return bytes + header + data;
  }
  std::string ErrorOf(const std::string& bytes, std::optional<DType> as = std::nullopt) {
    Write(bytes);
    const Expected<HostArray> array = ReadNpy(path_, as);
    return array.ok() ? "read " + ArrayText(*array, true) : array.status().ToString();
  }
  std::string path_;
};

TEST_F(NpyTest, EveryTypeThereAndBack) {
  for (int i = 1; i < kNumDTypes; ++i) {
    const DType type = static_cast<DType>(i);
    if (type == DType::kToken) continue;
    const HostArray array =
        *ParseLiteral(StrCat(Name(type), "[2,3]=", InfoOf(type).bits < 2 ? "0" : "range"));
    ASSERT_TRUE(WriteNpy(path_, array).ok());
    const Expected<HostArray> back = ReadNpy(path_, type);
    ASSERT_TRUE(back.ok()) << back.status().ToString();
    EXPECT_EQ(ArrayText(*back, true), ArrayText(array, true));
  }
}

TEST_F(NpyTest, ScalarVectorAndEmpty) {
  for (const char* literal : {"f32=7", "f32[3]=range", "f64[0,5]=", "s8[2,1,2]=range"}) {
    const HostArray array = *ParseLiteral(literal);
    ASSERT_TRUE(WriteNpy(path_, array).ok());
    EXPECT_EQ(ArrayText(*ReadNpy(path_), true), ArrayText(array, true)) << literal;
  }
}

TEST_F(NpyTest, FortranOrderAndBigEndian) {
  const std::string data("\0\0\0\3\1\4\2\5", 8);
  Write(File("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }\n", data, 2));
  EXPECT_EQ(ArrayText(*ReadNpy(path_), true), "s16[2,2]\n[[0, 260],\n [3, 517]]");
}

TEST_F(NpyTest, RawBytesNeedAType) {
  const std::string file =
      File("{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }", std::string("\x80\x3f", 2));
  EXPECT_THAT(ErrorOf(file), HasSubstr("bf16@FILE"));
  EXPECT_EQ(ErrorOf(file, DType::kBF16), "read bf16[1] [1]");
  EXPECT_THAT(ErrorOf(file, DType::kF32), HasSubstr("cannot be taken as f32"));
}

TEST_F(NpyTest, HostileHeaders) {
  const auto shape = [](const std::string& text) {
    return File("{'descr': '<f4', 'fortran_order': False, 'shape': " + text + ", }", "1234");
  };
  EXPECT_EQ(ErrorOf(shape("(1,)")).substr(0, 4), "read");
  EXPECT_THAT(ErrorOf(""), HasSubstr("only 0 bytes"));
  EXPECT_THAT(ErrorOf("\x93NUMPX______"), HasSubstr("does not begin"));
  EXPECT_THAT(ErrorOf(File("{}", "", 9)), HasSubstr("version 9"));
  EXPECT_THAT(ErrorOf(std::string("\x93NUMPY\1\0\xff\xff{", 11)), HasSubstr("within its header"));
  EXPECT_THAT(ErrorOf(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)), HasSubstr("too long"));
  EXPECT_THAT(ErrorOf(std::string("\x93NUMPY\2\0\xff\xff", 10)), HasSubstr("within its header"));
  EXPECT_THAT(ErrorOf(shape("(2,)")), HasSubstr("8 bytes, and 4 follow"));
  EXPECT_THAT(ErrorOf(shape("(9223372036854775807, 9223372036854775807)")), HasSubstr("2^62"));
  EXPECT_THAT(ErrorOf(shape("(1000000000000,)")), HasSubstr("4 follow"));
  EXPECT_THAT(ErrorOf(shape("(-1,)")), HasSubstr("an extent"));
  EXPECT_THAT(ErrorOf(shape("(99999999999999999999,)")), HasSubstr("an extent"));
  EXPECT_THAT(ErrorOf(shape("1")), HasSubstr("a tuple"));
  EXPECT_THAT(ErrorOf(shape("(1")), HasSubstr("an extent"));
  std::string many = "(";
  for (int i = 0; i < 200; ++i) many += "1,";
  EXPECT_THAT(ErrorOf(shape(many + ")")), HasSubstr("more than 64 dimensions"));
  EXPECT_THAT(ErrorOf(File("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", "")),
              HasSubstr("structures"));
  EXPECT_THAT(ErrorOf(File("{'descr': '|O', 'fortran_order': False, 'shape': ()}", "")),
              HasSubstr("\"|O\""));
  EXPECT_THAT(ErrorOf(File("{'descr': '<f4', 'descr': '<f4'}", "")), HasSubstr("twice"));
  EXPECT_THAT(ErrorOf(File("{'shape': ()}", "")), HasSubstr("lacks"));
  EXPECT_THAT(ErrorOf(File("{'descr", "")), HasSubstr("the end of a string"));
}

TEST_F(NpyTest, MissingAndOddFiles) {
  EXPECT_EQ(ReadNpy("/nowhere/a.npy").status().code(), StatusCode::kNotFound);
  EXPECT_THAT(ReadNpy("/").status().message(), HasSubstr("no regular file"));
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(ReadNpy(path_).status().message(), HasSubstr("no regular file"));
  EXPECT_FALSE(WriteNpy("/nowhere/a.npy", *ParseLiteral("f32=1")).ok());
}

std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(NpyTest, WritesThroughLinks) {
  const std::string link = path_ + "_link";
  ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
  // The first write makes what the link names, the second replaces it.
  for (const char* literal : {"f32[3]=range", "f32[2]=range"}) {
    ASSERT_TRUE(WriteNpy(link, *ParseLiteral(literal)).ok());
    struct stat info;
    ASSERT_EQ(lstat(link.c_str(), &info), 0);
    EXPECT_TRUE(S_ISLNK(info.st_mode));
    EXPECT_EQ(ArrayText(*ReadNpy(path_), true), ArrayText(*ParseLiteral(literal), true));
  }
  unlink(link.c_str());
}

TEST_F(NpyTest, WritesIntoPipes) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(WriteNpy(path_, *ParseLiteral("f32[3]=range")).ok());
  struct stat info;
  ASSERT_EQ(lstat(path_.c_str(), &info), 0);
  EXPECT_TRUE(S_ISFIFO(info.st_mode));
  char bytes[256];
  EXPECT_EQ(read(reader, bytes, sizeof(bytes)), 128 + 12);
  close(reader);
}

TEST_F(NpyTest, TemporaryFileIsNobodyElses) {
  // What somebody put at the name that the temporary file would have.
  const std::string victim = path_ + "_victim", guessed = StrCat(path_, ".part", getpid(), "-0");
  std::ofstream(victim) << "precious";
  ASSERT_EQ(symlink(victim.c_str(), guessed.c_str()), 0);
  EXPECT_TRUE(WriteNpy(path_, *ParseLiteral("f32=1")).ok());
  EXPECT_EQ(BytesOf(victim), "precious");
  EXPECT_EQ(ArrayText(*ReadNpy(path_), true), "f32[] 1");
  unlink(victim.c_str());
  unlink(guessed.c_str());
}

TEST(ArrayTextTest, ManyDimensionsAreShortened) {
  // Each too short to be cut; all together 65,536 elements.
  const std::string text = TextOf("f32[2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2]=1");
  EXPECT_LT(text.size(), 20000u);
  EXPECT_THAT(text, HasSubstr("..."));
  EXPECT_EQ(std::count(text.begin(), text.end(), '['), std::count(text.begin(), text.end(), ']'));
  EXPECT_EQ(TextOf("f32[100,2,2]=range").substr(0, 40),
            "f32[100,2,2]\n[[[0, 1],\n  [2, 3]],\n [[4, ");
}

TEST(ArrayJsonTest, Forms) {
  EXPECT_EQ(Json(ArrayJson(*ParseLiteral("f32[2]=nan,1"), false)).ToString(),
            R"({"type":"f32","shape":[2],"data":["nan",1]})");
  EXPECT_EQ(Json(ArrayJson(*ParseLiteral("u64=18446744073709551615"), false)).ToString(),
            R"({"type":"u64","shape":[],"data":18446744073709551615})");
  EXPECT_EQ(Json(ArrayJson(*ParseLiteral("s32[999]=range"), false)).ToString(),
            R"({"type":"s32","shape":[999],"first":[0,1,2,3,4,5,6,7]})");
}

}  // namespace
}  // namespace plinth::cli
