// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/math/tile_functions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>
#include <string>

#include "reference_plugin/compiler/ir/op_work.h"
#include "reference_plugin/cpu/math/tile_test_support.h"

// The table as a whole: what is in it, that every entry can be called, and that targets agree.
namespace plinth::cpu::math {
namespace {

using compiler::ComparisonDirection;
using compiler::ComparisonType;
using compiler::Opcode;

std::vector<DType> AllTypes() {
  std::vector<DType> types;
  for (int i = 0; i < kNumDTypes; ++i) {
    const DType type = static_cast<DType>(i);
    if (type != DType::kInvalid && type != DType::kToken && !Name(type).empty() &&
        InfoOf(type).bytes > 0) {
      types.push_back(type);
    }
  }
  return types;
}

struct Case {
  Opcode opcode;
  DType operand, result;
  compiler::CompareAttributes compare{};
};

// All entries that the table has, found by asking for everything.
std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (int op = 0; op < compiler::kNumOpcodes; ++op) {
    const Opcode opcode = static_cast<Opcode>(op);
    for (DType operand : AllTypes()) {
      for (DType result : AllTypes()) {
        if (opcode == Opcode::kCompare) {
          for (int direction = 0; direction < 6; ++direction) {
            for (ComparisonType type : {ComparisonType::kFloat, ComparisonType::kTotalOrder}) {
              cases.push_back(
                  {opcode, operand, result, {static_cast<ComparisonDirection>(direction), type}});
            }
          }
        } else {
          cases.push_back({opcode, operand, result});
        }
      }
    }
  }
  std::erase_if(cases, [](const Case& c) {
    return !FindTileRoutine(c.opcode, c.operand, c.result, c.compare, SimdTarget::kBaseline);
  });
  return cases;
}

// Bytes of tile elements that are values of the type.
std::vector<unsigned char> RandomTile(DType type, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<unsigned char> bytes(TileElementBytes(type) * count);
  const DTypeInfo& info = InfoOf(TileTypeOf(type));
  const bool is_double = type == DType::kF64 || type == DType::kC128;
  const bool is_floating = info.kind == DTypeClass::kFloat || info.kind == DTypeClass::kComplex;
  const size_t unit = is_double ? 8 : 4;
  for (size_t i = 0; i < bytes.size(); i += is_floating ? unit : 1) {
    if (!is_floating) {
      bytes[i] = static_cast<unsigned char>(random() >> 13);
    } else if (is_double) {
      const double value = (random() % 3 == 0) ? std::bit_cast<double>(random())
                                               : (double(random() >> 11) / (1ull << 50) - 4);
      std::memcpy(bytes.data() + i, &value, 8);
    } else {
      const float value = (random() % 3 == 0)
                              ? std::bit_cast<float>(static_cast<uint32_t>(random()))
                              : (float(random() >> 40) / (1 << 21) - 4);
      std::memcpy(bytes.data() + i, &value, 4);
    }
  }
  if (type == DType::kPred) {
    for (unsigned char& byte : bytes) byte &= 1;
  } else if (const TileFunction finish = FindFinish(type, SimdTarget::kBaseline)) {
    finish(bytes.data(), bytes.data(), nullptr, nullptr, count, {});
  }
  return bytes;
}

constexpr size_t kCount = 163;

std::vector<unsigned char> RunCase(const Case& c, SimdTarget target) {
  const TileRoutine routine = FindTileRoutine(c.opcode, c.operand, c.result, c.compare, target);
  if (!routine) {
    ADD_FAILURE() << "no routine";
    return {};
  }
  const auto a = RandomTile(c.opcode == Opcode::kSelect ? DType::kPred : c.operand, kCount, 1);
  const auto b = RandomTile(c.operand, kCount, 2), d = RandomTile(c.operand, kCount, 3);
  return RunBytes(routine, TileElementBytes(c.result), kCount, a.data(), b.data(), d.data(),
                  {4, 5});
}

std::string Describe(const Case& c) {
  return std::string(compiler::Name(c.opcode)) + " " + std::string(Name(c.operand)) + " -> " +
         std::string(Name(c.result));
}

// Whether bytes agree, any NaN being as good as another.
bool SameBits(DType type, const std::vector<unsigned char>& a,
              const std::vector<unsigned char>& b) {
  if (a.size() != b.size()) return false;
  const DTypeInfo& info = InfoOf(TileTypeOf(type));
  if (info.kind != DTypeClass::kFloat && info.kind != DTypeClass::kComplex) return a == b;
  const size_t unit = type == DType::kF64 || type == DType::kC128 ? 8 : 4;
  for (size_t i = 0; i < a.size(); i += unit) {
    if (std::memcmp(&a[i], &b[i], unit) == 0) continue;
    double x = 0, y = 0;
    float xf, yf;
    if (unit == 8) {
      std::memcpy(&x, &a[i], 8);
      std::memcpy(&y, &b[i], 8);
    } else {
      std::memcpy(&xf, &a[i], 4);
      std::memcpy(&yf, &b[i], 4);
      x = xf;
      y = yf;
    }
    if (x == x || y == y) return false;
  }
  return true;
}

bool IsElementary(Opcode opcode) { return compiler::WorkOf(opcode) == compiler::OpWork::kFunction; }

TEST(TileFunctionsTest, EveryElementwiseOpHasARoutine) {
  for (int op = 0; op < compiler::kNumOpcodes; ++op) {
    const Opcode opcode = static_cast<Opcode>(op);
    bool found = false;
    for (DType operand : AllTypes()) {
      for (DType result : AllTypes()) {
        found = found || FindTileRoutine(opcode, operand, result);
      }
    }
    EXPECT_EQ(found, compiler::IsElementwise(opcode)) << compiler::Name(opcode);
  }
}

TEST(TileFunctionsTest, EveryFloatTypeHasTheFloatOps) {
  for (DType type : AllTypes()) {
    if (InfoOf(type).kind != DTypeClass::kFloat) continue;
    for (Opcode opcode :
         {Opcode::kAdd, Opcode::kExponential, Opcode::kPower, Opcode::kAtan2, Opcode::kClamp,
          Opcode::kSelect, Opcode::kReducePrecision, Opcode::kRoundNearestAfz, Opcode::kReal}) {
      const TileRoutine routine = FindTileRoutine(opcode, type, type);
      EXPECT_TRUE(routine) << compiler::Name(opcode) << " " << Name(type);
      if (opcode != Opcode::kSelect) {
        EXPECT_EQ(routine.finish != nullptr, TileTypeOf(type) != type) << Name(type);
      }
    }
    EXPECT_TRUE(FindTileRoutine(Opcode::kIsFinite, type, DType::kPred)) << Name(type);
  }
}

TEST(TileFunctionsTest, EveryPairOfTypesConverts) {
  for (DType from : AllTypes()) {
    for (DType to : AllTypes()) {
      EXPECT_TRUE(FindTileRoutine(Opcode::kConvert, from, to)) << Name(from) << " -> " << Name(to);
    }
  }
}

TEST(TileFunctionsTest, WhatDoesNotExistIsNull) {
  EXPECT_FALSE(FindTileRoutine(Opcode::kAdd, DType::kToken, DType::kToken));
  EXPECT_FALSE(FindTileRoutine(Opcode::kAdd, DType::kInvalid, DType::kInvalid));
  EXPECT_FALSE(FindTileRoutine(Opcode::kAdd, DType::kF32, DType::kF64));
  EXPECT_FALSE(FindTileRoutine(Opcode::kAdd, static_cast<DType>(200), static_cast<DType>(200)));
  EXPECT_FALSE(FindTileRoutine(Opcode::kExponential, DType::kS32, DType::kS32));
  EXPECT_FALSE(FindTileRoutine(Opcode::kReduce, DType::kF32, DType::kF32));
  EXPECT_FALSE(FindTileRoutine(Opcode::kCompare, DType::kF32, DType::kF32));
}

TEST(TileFunctionsTest, TargetsAgree) {
  const std::vector<Case> cases = AllCases();
  EXPECT_GT(cases.size(), 1800u);
  for (const Case& c : cases) {
    const std::vector<unsigned char> baseline = RunCase(c, SimdTarget::kBaseline);
    std::vector<unsigned char> fused;
    for (SimdTarget target : {SimdTarget::kAvx2, SimdTarget::kAvx512}) {
      if (!IsSupported(target)) continue;
      const std::vector<unsigned char> result = RunCase(c, target);
      // Without fused multiply-add elementary functions may differ in the last bits.
      if (!IsElementary(c.opcode)) {
        EXPECT_TRUE(SameBits(c.result, result, baseline)) << Describe(c);
      }
      if (!fused.empty()) {
        EXPECT_TRUE(SameBits(c.result, result, fused)) << Describe(c);
      }
      fused = result;
    }
  }
}

TEST(TileFunctionsTest, ResultsMayReplaceOperands) {
  for (const Case& c : AllCases()) {
    if (c.opcode == Opcode::kSelect || TileElementBytes(c.operand) != TileElementBytes(c.result)) {
      continue;
    }
    for (SimdTarget target : SupportedTargets()) {
      const TileRoutine routine = FindTileRoutine(c.opcode, c.operand, c.result, c.compare, target);
      const std::vector<unsigned char> expected = RunCase(c, target);
      const auto a = RandomTile(c.operand, kCount, 1), b = RandomTile(c.operand, kCount, 2),
                 d = RandomTile(c.operand, kCount, 3);
      for (int replaced = 0; replaced < 3; ++replaced) {
        std::vector<unsigned char> tiles[3] = {a, b, d};
        void* result = tiles[replaced].data();
        routine.compute(result, tiles[0].data(), tiles[1].data(), tiles[2].data(), kCount, {4, 5});
        if (routine.finish != nullptr) {
          routine.finish(result, result, nullptr, nullptr, kCount, {4, 5});
        }
        EXPECT_TRUE(SameBits(c.result, tiles[replaced], expected))
            << Describe(c) << " operand " << replaced;
      }
    }
  }
}

}  // namespace
}  // namespace plinth::cpu::math
