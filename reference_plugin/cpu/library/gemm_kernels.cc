// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/gemm_kernels.h"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "reference_plugin/cpu/library/element.h"

#define HWY_TARGET_INCLUDE "reference_plugin/cpu/library/gemm_kernels.cc"
#include "reference_plugin/cpu/math/simd_targets.h"
// Again for every target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::library::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Elsewhere (SSE2 in Highway from 1.1 on, NEON) masked loads read whole vectors, which may end
// behind the last page of an array, and masked stores write again what they leave as it is, which
// another thread may be writing.
static_assert(HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_EMU128 ||
                  HWY_TARGET == HWY_SCALAR,
              "loops over rows want masks that keep from memory: build on x86-64 with Highway 1.0");

#include "reference_plugin/cpu/library/gemm_pack-inl.h"
#include "reference_plugin/cpu/library/gemm_stream-inl.h"
#include "reference_plugin/cpu/library/gemm_tiles-inl.h"
#include "reference_plugin/cpu/library/row_kernels-inl.h"

template <typename T>
void AddRealPacks(GemmKernels& kernels) {
#define PLINTH_PACK(dtype, Type) kernels.pack[static_cast<int>(DType::dtype)] = PackPanel<T, Type>;
  PLINTH_FOR_EACH_REAL_ELEMENT(PLINTH_PACK)
#undef PLINTH_PACK
}

// Integers as bits of the kind's width: signedness only matters for widening.
template <typename T>
void AddIntegerPacks(GemmKernels& kernels) {
  auto add = [&kernels](DType type, auto example) {
    kernels.pack[static_cast<int>(type)] = PackPanel<T, decltype(example)>;
  };
  add(DType::kPred, Pred());
  add(DType::kS8, int8_t());
  add(DType::kS16, int16_t());
  add(DType::kS32, int32_t());
  add(DType::kS64, int64_t());
  add(DType::kU8, uint8_t());
  add(DType::kU16, uint16_t());
  // The same bits as the signed type where the width is the kind's, or where it is cut.
  add(DType::kU32, std::conditional_t<sizeof(T) == 4, int32_t, uint32_t>());
  add(DType::kU64, int64_t());
}

template <typename T>
void SetFloat(GemmKernels& kernels, DType native) {
  kernels.mr = kWideRows;
  kernels.nr = 2 * static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
  kernels.scalar_bytes = sizeof(T);
  kernels.native = native;
  kernels.tile = PackedTile<T>;
  kernels.direct = DirectTile<T>;
  kernels.narrow = NarrowProducts<T>;
  kernels.axpy = Axpy<T>;
  kernels.dots = Dots<T>;
  AddRealPacks<T>(kernels);
}

template <typename T>
void SetComplex(GemmKernels& kernels, DType native) {
  kernels.mr = kComplexRows;
  kernels.nr = static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
  kernels.scalar_bytes = sizeof(T);
  kernels.scalars = 2;
  kernels.native = native;
  kernels.tile = ComplexTile<T>;
  kernels.pack[static_cast<int>(DType::kF32)] = PackPlanes<T, float>;
  kernels.pack[static_cast<int>(DType::kF64)] = PackPlanes<T, double>;
  kernels.pack[static_cast<int>(DType::kC64)] = PackPlanes<T, std::complex<float>>;
  kernels.pack[static_cast<int>(DType::kC128)] = PackPlanes<T, std::complex<double>>;
}

void FillKernels(GemmKernels* kernels) {
  SetFloat<float>(kernels[static_cast<int>(GemmKind::kF32)], DType::kF32);
  GemmKernels& floats = kernels[static_cast<int>(GemmKind::kF32)];
  floats.indirect = IndirectTile<float>;
  floats.terms = TermTile<float>;
  floats.weighted_rows = WeightedRows;
  floats.row_products = RowProducts;
  SetFloat<double>(kernels[static_cast<int>(GemmKind::kF64)], DType::kF64);
  SetComplex<float>(kernels[static_cast<int>(GemmKind::kC64)], DType::kC64);
  SetComplex<double>(kernels[static_cast<int>(GemmKind::kC128)], DType::kC128);

  auto add_lanes = [kernels](GemmKind kind, DType type, GemmKernels::LaneSums function) {
    kernels[static_cast<int>(kind)].lanes[static_cast<int>(type)] = function;
  };
  add_lanes(GemmKind::kF32, DType::kF32, NativeLaneSums<float>);
  add_lanes(GemmKind::kF32, DType::kF16, LaneSums<float, Half>);
  add_lanes(GemmKind::kF32, DType::kBF16, LaneSums<float, BFloat16>);
  add_lanes(GemmKind::kF64, DType::kF64, NativeLaneSums<double>);
  kernels[static_cast<int>(GemmKind::kF32)].lane_rows[static_cast<int>(DType::kF32)] =
      NativeLaneRowSums<float>;
  kernels[static_cast<int>(GemmKind::kF64)].lane_rows[static_cast<int>(DType::kF64)] =
      NativeLaneRowSums<double>;
  // Unsigned arithmetic wraps.
  add_lanes(GemmKind::kI32, DType::kS32, LaneSums<uint32_t, uint32_t>);
  add_lanes(GemmKind::kI32, DType::kU32, LaneSums<uint32_t, uint32_t>);
  add_lanes(GemmKind::kI32, DType::kS8, LaneSums<uint32_t, int8_t>);
  add_lanes(GemmKind::kI32, DType::kU8, LaneSums<uint32_t, uint8_t>);

  GemmKernels& narrow = kernels[static_cast<int>(GemmKind::kI32)];
  narrow.mr = kWideRows;
  narrow.nr = 2 * static_cast<int>(hn::Lanes(hn::ScalableTag<int32_t>()));
  narrow.scalar_bytes = 4;
  narrow.native = DType::kS32;
  narrow.tile = PackedTile<int32_t>;
  AddIntegerPacks<int32_t>(narrow);

#if HWY_TARGET != HWY_SCALAR
  GemmKernels& bytes = kernels[static_cast<int>(GemmKind::kI8)];
  bytes.mr = kPairRows;
  bytes.nr = narrow.nr;
  bytes.scalar_bytes = 4;
  bytes.packed_bytes = 2;
  bytes.step_unit = 2;
  bytes.native = DType::kS32;
  bytes.tile = AnyPairTile;
  bytes.pack[static_cast<int>(DType::kS8)] = PackPairs<int8_t>;
  bytes.pack[static_cast<int>(DType::kU8)] = PackPairs<uint8_t>;
  bytes.pack[static_cast<int>(DType::kPred)] = PackPairs<Pred>;
#endif

  GemmKernels& wide = kernels[static_cast<int>(GemmKind::kI64)];
  wide.mr = kLongRows;
  wide.nr = kLongColumns;
  wide.scalar_bytes = 8;
  wide.native = DType::kS64;
  wide.tile = LongTile;
  AddIntegerPacks<int64_t>(wide);

  for (int kind = 0; kind < kNumGemmKinds; ++kind) {
    if (kernels[kind].packed_bytes == 0) {
      kernels[kind].packed_bytes = kernels[kind].scalar_bytes * kernels[kind].scalars;
    }
  }
}

}  // namespace plinth::cpu::library::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::library {
namespace {

struct KernelTable {
  KernelTable() { PLINTH_CALL_FOR_TARGET(math::BestSimdTarget(), FillKernels, kernels); }
  GemmKernels kernels[kNumGemmKinds];
};

}  // namespace

const GemmKernels& KernelsFor(GemmKind kind) {
  static const KernelTable table;
  return table.kernels[static_cast<int>(kind)];
}

}  // namespace plinth::cpu::library
#endif  // HWY_ONCE
