// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "reference_plugin/cpu/math/tile_test_support.h"

// Loads, stores and rounding of the narrow types; raw copies and iota.
namespace plinth::cpu::math {
namespace {

using testing::ElementsAre;

constexpr DType kSmallFloats[] = {DType::kF16,           DType::kBF16,       DType::kF8E5M2,
                                  DType::kF8E4M3,        DType::kF8E3M4,     DType::kF8E4M3FN,
                                  DType::kF8E4M3B11FNUZ, DType::kF8E5M2FNUZ, DType::kF8E4M3FNUZ,
                                  DType::kF6E2M3FN,      DType::kF6E3M2FN,   DType::kF4E2M1FN,
                                  DType::kF8E8M0FNU};

class NarrowTest : public testing::TestWithParam<SimdTarget> {
 protected:
  void SetUp() override {
    if (!IsSupported(GetParam())) GTEST_SKIP() << "this machine lacks the instructions";
  }

  // The values of all patterns of a type.
  std::vector<float> AllValues(DType type) const {
    const size_t count = size_t{1} << InfoOf(type).bits;
    std::vector<float> values(count);
    const TileFunction load = FindLoad(type, GetParam());
    if (ByteSize(type) == 2) {
      std::vector<uint16_t> patterns(count);
      for (size_t i = 0; i < count; ++i) patterns[i] = static_cast<uint16_t>(i);
      load(values.data(), patterns.data(), nullptr, nullptr, count, {});
    } else {
      std::vector<uint8_t> patterns(count);
      for (size_t i = 0; i < count; ++i) patterns[i] = static_cast<uint8_t>(i);
      load(values.data(), patterns.data(), nullptr, nullptr, count, {});
    }
    return values;
  }

  std::vector<float> Round(DType type, const std::vector<float>& x) const {
    return RunTile<float>({FindFinish(type, GetParam()), nullptr}, x);
  }

  std::vector<int> Store(DType type, const std::vector<float>& x) const {
    std::vector<int> result;
    if (ByteSize(type) == 2) {
      for (uint16_t v : RunTile<uint16_t>({FindStore(type, GetParam()), nullptr}, x)) {
        result.push_back(v);
      }
    } else {
      for (uint8_t v : RunTile<uint8_t>({FindStore(type, GetParam()), nullptr}, x)) {
        result.push_back(v);
      }
    }
    return result;
  }
};

TEST_P(NarrowTest, EveryPatternSurvivesLoadAndStore) {
  for (DType type : kSmallFloats) {
    const std::vector<float> values = AllValues(type);
    const std::vector<float> rounded = Round(type, values);
    const std::vector<int> patterns = Store(type, rounded);
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) {
        EXPECT_TRUE(std::isnan(rounded[i])) << Name(type) << " " << i;
        continue;
      }
      EXPECT_EQ(values[i], rounded[i]) << Name(type) << " " << i;
      EXPECT_EQ(patterns[i], static_cast<int>(i)) << Name(type);
    }
  }
}

// Between neighbours: the midpoint goes to the even pattern, everything else to the nearer one.
TEST_P(NarrowTest, RoundsToNearestEven) {
  for (DType type : kSmallFloats) {
    if (type == DType::kF8E8M0FNU) continue;  // its ties go up
    const std::vector<float> values = AllValues(type);
    std::vector<float> x, expected;
    for (size_t i = 0; i + 1 < values.size() / 2; ++i) {
      if (!std::isfinite(values[i]) || !std::isfinite(values[i + 1])) break;
      const float middle = static_cast<float>((double{values[i]} + double{values[i + 1]}) / 2);
      if (middle == values[i] || middle == values[i + 1]) continue;
      for (float sign : {1.f, -1.f}) {
        x.insert(x.end(), {sign * middle, sign * std::nextafter(middle, 0.f),
                           sign * std::nextafter(middle, std::numeric_limits<float>::max())});
        expected.insert(expected.end(), {sign * values[i % 2 == 0 ? i : i + 1], sign * values[i],
                                         sign * values[i + 1]});
      }
    }
    ASSERT_GT(x.size(), 10u);
    const std::vector<float> rounded = Round(type, x);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(rounded[i], expected[i]) << Name(type) << " " << x[i];
    }
  }
}

// The bytes that XLA's CPU backend and ml_dtypes make of these numbers.
TEST_P(NarrowTest, OverflowNanAndZeros) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {-0.f, -1e-40f, 448,   464, 465,    61440, 1e9f, -inf,
                                nan,  5,       0.75f, 30,  15.75f, 240,   248};
  const auto convert = [&](DType type) { return Store(type, Round(type, x)); };
  EXPECT_THAT(convert(DType::kF8E4M3FN),
              ElementsAre(128, 128, 126, 126, 127, 127, 127, 255, 127, 74, 52, 95, 88, 119, 120));
  EXPECT_THAT(convert(DType::kF8E5M2),
              ElementsAre(128, 128, 95, 95, 95, 124, 124, 252, 126, 69, 58, 80, 76, 92, 92));
  EXPECT_THAT(convert(DType::kF8E4M3B11FNUZ),
              ElementsAre(0, 0, 128, 128, 128, 128, 128, 128, 128, 106, 84, 127, 120, 128, 128));
  EXPECT_THAT(convert(DType::kF8E4M3FNUZ),
              ElementsAre(0, 0, 128, 128, 128, 128, 128, 128, 128, 82, 60, 103, 96, 127, 128));
  EXPECT_THAT(convert(DType::kF8E5M2FNUZ),
              ElementsAre(0, 0, 99, 99, 99, 128, 128, 128, 128, 73, 62, 84, 80, 96, 96));
  EXPECT_THAT(convert(DType::kF8E4M3),
              ElementsAre(128, 128, 120, 120, 120, 120, 120, 248, 124, 74, 52, 95, 88, 119, 120));
  EXPECT_THAT(convert(DType::kF8E3M4),
              ElementsAre(128, 128, 112, 112, 112, 112, 112, 240, 120, 84, 40, 112, 112, 112, 112));
  EXPECT_THAT(convert(DType::kF4E2M1FN), ElementsAre(8, 8, 7, 7, 7, 7, 7, 15, 8, 6, 2, 7, 7, 7, 7));
  EXPECT_THAT(convert(DType::kF8E8M0FNU), ElementsAre(255, 255, 136, 136, 136, 143, 157, 255, 255,
                                                      129, 127, 132, 131, 135, 135));
}

TEST_P(NarrowTest, NansKeepAQuietBit) {
  // A signalling NaN whose payload is only in the bits that a narrow type drops.
  const std::vector<float> x = {std::bit_cast<float>(0x7F800001u),
                                std::bit_cast<float>(0xFF800001u)};
  EXPECT_THAT(Store(DType::kF16, Round(DType::kF16, x)), ElementsAre(0x7E00, 0xFE00));
  EXPECT_THAT(Store(DType::kBF16, Round(DType::kBF16, x)), ElementsAre(0x7FC0, 0xFFC0));
}

// The same bits in whole vectors and in the elements behind them.
TEST_P(NarrowTest, LoadsOfF16QuietNans) {
  for (size_t count = 1; count <= 40; ++count) {
    const std::vector<uint16_t> positive(count, 0x7C01), negative(count, 0xFD00);
    std::vector<float> values(count);
    const TileFunction load = FindLoad(DType::kF16, GetParam());
    load(values.data(), positive.data(), nullptr, nullptr, count, {});
    EXPECT_THAT(Store(DType::kF16, values), testing::Each(0x7E01)) << count;
    for (float value : values) EXPECT_EQ(std::bit_cast<uint32_t>(value), 0x7FC02000u) << count;
    load(values.data(), negative.data(), nullptr, nullptr, count, {});
    EXPECT_THAT(Store(DType::kF16, values), testing::Each(0xFF00)) << count;
  }
}

TEST_P(NarrowTest, SubByteIntegersAndPredsLoadTheirLowBits) {
  const std::vector<uint8_t> bytes = {0x0F, 0xF7, 0x08, 0x00};
  EXPECT_THAT(RunTile<int8_t>({FindLoad(DType::kS4, GetParam()), nullptr}, bytes),
              ElementsAre(-1, 7, -8, 0));
  EXPECT_THAT(RunTile<uint8_t>({FindLoad(DType::kU4, GetParam()), nullptr}, bytes),
              ElementsAre(15, 7, 8, 0));
  EXPECT_THAT(RunTile<int8_t>({FindLoad(DType::kS2, GetParam()), nullptr}, bytes),
              ElementsAre(-1, -1, 0, 0));
  EXPECT_THAT(RunTile<uint8_t>({FindLoad(DType::kPred, GetParam()), nullptr}, bytes),
              ElementsAre(1, 1, 1, 0));
  EXPECT_THAT(
      RunTile<int8_t>({FindStore(DType::kS4, GetParam()), nullptr}, std::vector<int8_t>{-8, -1, 7}),
      ElementsAre(8, 15, 7));
  EXPECT_EQ(FindLoad(DType::kF32, GetParam()), nullptr);
}

TEST_P(NarrowTest, RawElementsOfEverySize) {
  for (size_t size : {1, 2, 4, 8, 16}) {
    const StridedLoadFunction load = FindStridedLoad(size, GetParam());
    const StridedStoreFunction store = FindStridedStore(size, GetParam());
    ASSERT_NE(load, nullptr);
    constexpr int64_t kCount = 37;
    std::vector<unsigned char> memory(20 * 16 * kCount);
    for (size_t i = 0; i < memory.size(); ++i) {
      memory[i] = static_cast<unsigned char>(i * 7 + i / 256);
    }
    const unsigned char* middle = memory.data() + memory.size() / 2 + 1;
    const int64_t element = static_cast<int64_t>(size);
    for (int64_t stride : {element, -element, int64_t{0}, 2 * element, 3 * element, 4 * element,
                           8 * element, -2 * element, element + 1}) {
      std::vector<unsigned char> tile(size * kCount);
      load(tile.data(), middle, stride, kCount);
      for (int64_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(std::memcmp(tile.data() + i * element, middle + i * stride, size), 0) << stride;
      }
      if (stride == 0) continue;
      // What lies between the elements stays.
      std::vector<unsigned char> copy(memory.size(), 0xA5), expected = copy;
      const size_t base = copy.size() / 2 + 1;
      store(copy.data() + base, stride, tile.data(), kCount);
      for (int64_t i = 0; i < kCount; ++i) {
        std::memcpy(expected.data() + base + i * stride, tile.data() + i * element, size);
      }
      ASSERT_EQ(copy, expected) << "elements of " << size << ", stride " << stride;
    }
    std::vector<unsigned char> tile(size * kCount);
    FindFill(size, GetParam())(tile.data(), middle, kCount);
    for (int64_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(std::memcmp(tile.data() + i * element, middle, size), 0);
    }
  }
  EXPECT_EQ(FindFill(3, GetParam()), nullptr);
  EXPECT_EQ(FindFill(0, GetParam()), nullptr);
  EXPECT_EQ(FindStridedLoad(32, GetParam()), nullptr);
}

// Vectors read what lies between the elements too, but nothing in front of the first or behind the
// last: there may be the end of the memory.
TEST_P(NarrowTest, StridedLoadsStayBetweenTheirElements) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  void* pages = mmap(nullptr, static_cast<size_t>(3 * page), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  unsigned char* const begin = static_cast<unsigned char*>(pages) + page;
  for (int64_t i = 0; i < page; ++i) begin[i] = static_cast<unsigned char>(i * 7 + i / 256);
  ASSERT_EQ(mprotect(pages, static_cast<size_t>(page), PROT_NONE), 0);
  ASSERT_EQ(mprotect(begin + page, static_cast<size_t>(page), PROT_NONE), 0);
  for (const int64_t size : {1, 2, 4, 8, 16}) {
    const StridedLoadFunction load = FindStridedLoad(static_cast<size_t>(size), GetParam());
    for (const int64_t stride : {1, 2, 3, 4, 5, 8}) {
      for (const int64_t count : {1, 2, 7, 8, 9, 16, 17, 33, 50}) {
        const int64_t bytes = ((count - 1) * stride + 1) * size;
        if (bytes > page) continue;
        std::vector<unsigned char> tile(static_cast<size_t>(count * size));
        for (unsigned char* base : {begin, begin + page - bytes}) {
          load(tile.data(), base, stride * size, static_cast<size_t>(count));
          for (int64_t i = 0; i < count; ++i) {
            ASSERT_EQ(std::memcmp(tile.data() + i * size, base + i * stride * size,
                                  static_cast<size_t>(size)),
                      0)
                << size << " bytes, every " << stride << "th of " << count << ": " << i;
          }
        }
      }
    }
  }
  munmap(pages, static_cast<size_t>(3 * page));
}

TEST_P(NarrowTest, Iota) {
  std::vector<int8_t> bytes(4);
  FindIota(DType::kS8, GetParam())(bytes.data(), 126, 1, 4);
  EXPECT_THAT(bytes, ElementsAre(126, 127, -128, -127));
  FindIota(DType::kS4, GetParam())(bytes.data(), 6, 1, 4);
  EXPECT_THAT(bytes, ElementsAre(6, 7, -8, -7));
  std::vector<float> floats(4);
  FindIota(DType::kBF16, GetParam())(floats.data(), 255, 1, 4);
  EXPECT_THAT(floats, ElementsAre(255, 256, 256, 258));
  FindIota(DType::kC64, GetParam())(floats.data(), 3, -2, 2);
  EXPECT_THAT(floats, ElementsAre(3, 0, 1, 0));
  EXPECT_EQ(FindIota(DType::kPred, GetParam()), nullptr);
  EXPECT_EQ(FindIota(DType::kToken, GetParam()), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Targets, NarrowTest,
                         testing::Values(SimdTarget::kBaseline, SimdTarget::kAvx2,
                                         SimdTarget::kAvx512));

}  // namespace
}  // namespace plinth::cpu::math
