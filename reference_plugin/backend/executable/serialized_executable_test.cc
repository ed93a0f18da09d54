// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/serialized_executable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reference_plugin/backend/executable/build_id.h"

namespace plinth::backend {
namespace {

using ::testing::HasSubstr;

constexpr SerializedBy kHere = {"Test", "build-1", "avx2"};

std::string Sample() {
  return *WriteSerializedExecutable({"options", "hlo", std::string(2000, 'x') + "end"}, kHere);
}

// `bytes` with the checksum that fits them: what a reader must refuse for another reason.
std::string Resealed(std::string bytes) {
  std::string before = bytes.substr(0, 20);
  return before + Fingerprint({before, bytes.substr(52)}) + bytes.substr(52);
}

void ExpectRefused(const std::string& bytes, StatusCode code, const std::string& words,
                   const SerializedBy& reader = kHere) {
  Status status = ReadSerializedExecutable(bytes, reader).status();
  EXPECT_EQ(status.code(), code) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr(words));
}

TEST(SerializedExecutableTest, ReadsWhatItWroteAndCompresses) {
  for (const std::string& code : {std::string(), std::string(1, '\0'), std::string(100'000, 'x')}) {
    auto bytes = WriteSerializedExecutable({"options", "hlo", code, "kept"}, kHere);
    ASSERT_TRUE(bytes.ok());
    EXPECT_LT(bytes->size(), 400u);
    auto parts = ReadSerializedExecutable(*bytes, kHere);
    ASSERT_TRUE(parts.ok()) << parts.status().ToString();
    EXPECT_EQ(parts->options, "options");
    EXPECT_EQ(parts->format, "hlo");
    EXPECT_EQ(parts->code, code);
    EXPECT_EQ(parts->kept, "kept");
  }
}

TEST(SerializedExecutableTest, EveryDamagedBitIsFound) {
  const std::string good = Sample();
  for (size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_FALSE(ReadSerializedExecutable(damaged, kHere).ok()) << at << ", bit " << bit;
    }
  }
}

TEST(SerializedExecutableTest, EveryOtherLengthIsFound) {
  const std::string good = Sample();
  for (size_t size = 0; size < good.size(); ++size) {
    ExpectRefused(good.substr(0, size), StatusCode::kInvalidArgument, "bytes");
  }
  ExpectRefused(good + "x", StatusCode::kInvalidArgument, "checksum");
}

TEST(SerializedExecutableTest, OfAnotherVersionBuildOrCpu) {
  std::string newer = Sample();
  newer[16] = 5;
  ExpectRefused(newer, StatusCode::kFailedPrecondition, "found 5, expected 4; compile");
  ExpectRefused(Sample(), StatusCode::kFailedPrecondition, "found build-1, expected build-2",
                {"Test", "build-2", "avx2"});
  ExpectRefused(Sample(), StatusCode::kFailedPrecondition, "kind of CPU: found avx2, expected",
                {"Test", "build-1", "avx512"});
  ExpectRefused("plinth-cpu-executable-1\nsomething", StatusCode::kInvalidArgument,
                "no executable of the Test plugin");
}

// Bytes that somebody made to fit the checksum.
TEST(SerializedExecutableTest, LiesAboutSizes) {
  const std::string good = Sample();
  constexpr size_t kBuildId = 52, kSize = kBuildId + 4 + 7 + 4 + 4;
  ASSERT_EQ(Resealed(good), good);
  for (size_t at : {kBuildId + 3, kBuildId + 4 + 7 + 3}) {
    std::string longer = good;
    longer[at] = '\x7f';
    ExpectRefused(Resealed(longer), StatusCode::kInvalidArgument, "parts");
  }
  // Gigabytes are not allocated for a few bytes.
  for (size_t byte = 0; byte < 8; ++byte) {
    std::string other = good;
    other[kSize + byte] = static_cast<char>(other[kSize + byte] + 1);
    ExpectRefused(Resealed(other), StatusCode::kInvalidArgument, "inflated");
  }
  for (size_t at = kSize + 8; at < good.size(); ++at) {
    std::string other = good;
    other[at] = static_cast<char>(~other[at]);
    EXPECT_FALSE(ReadSerializedExecutable(Resealed(other), kHere).ok()) << at;
    EXPECT_FALSE(ReadSerializedExecutable(Resealed(good.substr(0, at)), kHere).ok()) << at;
  }
}

}  // namespace
}  // namespace plinth::backend
