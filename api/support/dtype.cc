// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/dtype.h"

#include <array>

namespace plinth {
namespace {

struct Row {
  DType type;
  DTypeInfo info;
};

using enum DTypeClass;
constexpr Row kRows[] = {
    {DType::kInvalid, {"invalid", "", 0, 0, kNone}},
    {DType::kPred, {"pred", "i1", 1, 1, kPred}},
    {DType::kS8, {"s8", "i8", 8, 1, kSigned}},
    {DType::kS16, {"s16", "i16", 16, 2, kSigned}},
    {DType::kS32, {"s32", "i32", 32, 4, kSigned}},
    {DType::kS64, {"s64", "i64", 64, 8, kSigned}},
    {DType::kU8, {"u8", "ui8", 8, 1, kUnsigned}},
    {DType::kU16, {"u16", "ui16", 16, 2, kUnsigned}},
    {DType::kU32, {"u32", "ui32", 32, 4, kUnsigned}},
    {DType::kU64, {"u64", "ui64", 64, 8, kUnsigned}},
    {DType::kF16, {"f16", "f16", 16, 2, kFloat}},
    {DType::kF32, {"f32", "f32", 32, 4, kFloat}},
    {DType::kF64, {"f64", "f64", 64, 8, kFloat}},
    {DType::kBF16, {"bf16", "bf16", 16, 2, kFloat}},
    {DType::kC64, {"c64", "complex<f32>", 64, 8, kComplex}},
    {DType::kC128, {"c128", "complex<f64>", 128, 16, kComplex}},
    {DType::kF8E5M2, {"f8e5m2", "f8E5M2", 8, 1, kFloat}},
    {DType::kF8E4M3FN, {"f8e4m3fn", "f8E4M3FN", 8, 1, kFloat}},
    {DType::kF8E4M3B11FNUZ, {"f8e4m3b11fnuz", "f8E4M3B11FNUZ", 8, 1, kFloat}},
    {DType::kF8E5M2FNUZ, {"f8e5m2fnuz", "f8E5M2FNUZ", 8, 1, kFloat}},
    {DType::kF8E4M3FNUZ, {"f8e4m3fnuz", "f8E4M3FNUZ", 8, 1, kFloat}},
    {DType::kS4, {"s4", "i4", 4, 1, kSigned}},
    {DType::kU4, {"u4", "ui4", 4, 1, kUnsigned}},
    {DType::kToken, {"token", "!stablehlo.token", 0, 0, DTypeClass::kToken}},
    {DType::kS2, {"s2", "i2", 2, 1, kSigned}},
    {DType::kU2, {"u2", "ui2", 2, 1, kUnsigned}},
    {DType::kF8E4M3, {"f8e4m3", "f8E4M3", 8, 1, kFloat}},
    {DType::kF8E3M4, {"f8e3m4", "f8E3M4", 8, 1, kFloat}},
    {DType::kF8E8M0FNU, {"f8e8m0fnu", "f8E8M0FNU", 8, 1, kFloat}},
    {DType::kF4E2M1FN, {"f4e2m1fn", "f4E2M1FN", 4, 1, kFloat}},
    {DType::kS1, {"s1", "", 1, 1, kSigned}},
    {DType::kU1, {"u1", "ui1", 1, 1, kUnsigned}},
    {DType::kF6E2M3FN, {"f6e2m3fn", "f6E2M3FN", 6, 1, kFloat}},
    {DType::kF6E3M2FN, {"f6e3m2fn", "f6E3M2FN", 6, 1, kFloat}},
};
static_assert(std::size(kRows) == kNumDTypes);

constexpr std::array<DTypeInfo, kNumDTypes> kInfos = [] {
  std::array<DTypeInfo, kNumDTypes> infos{};
  for (const Row& row : kRows) infos[static_cast<size_t>(row.type)] = row.info;
  return infos;
}();

}  // namespace

const DTypeInfo& InfoOf(DType type) {
  auto index = static_cast<size_t>(type);
  return kInfos[index < kInfos.size() ? index : 0];
}

std::optional<DType> DTypeFromC(int pjrt_buffer_type) {
  if (pjrt_buffer_type <= 0 || pjrt_buffer_type >= kNumDTypes) return std::nullopt;
  return static_cast<DType>(pjrt_buffer_type);
}

std::optional<DType> DTypeFromMlirName(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const Row& row : kRows) {
    if (row.info.mlir_name == name) return row.type;
  }
  return std::nullopt;
}

}  // namespace plinth
