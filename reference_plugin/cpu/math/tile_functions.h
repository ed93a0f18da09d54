// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_TILE_FUNCTIONS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_TILE_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>

#include "plinth/support/dtype.h"
#include "reference_plugin/compiler/ir/attributes.h"
#include "reference_plugin/compiler/ir/opcode.h"

// Precompiled SIMD routines over a tile: `count` elements, one after the other in memory.
//
// A value has a memory form (host form, what buffers hold) and a tile form, in which ops compute:
//   f16, bf16, f8*, f6*, f4*   f32, always already rounded to a value of the type
//   s1, s2, s4 / u1, u2, u4    s8 / u8, always in the type's range
//   all others                 the memory form itself; pred is one byte, 0 or 1
//
// All routines: pointers need the alignment of one element only; exactly `count` elements are read
// and written. `result` may be the same pointer as an operand of the same tile element size, and
// must not overlap an operand in any other way. No state, no locks, no allocation: any thread.
// The finders are constant-time look-ups; they answer a null function where there is none.
namespace plinth::cpu::math {

// What a tile is aligned to where speed matters: no vector then crosses a cache line.
inline constexpr size_t kTileAlignment = 64;

// Immediate parameters of an op.
struct TileParameters {
  int32_t exponent_bits = 0;  // kReducePrecision
  int32_t mantissa_bits = 0;  // kReducePrecision
};

using TileFunction = void (*)(void* result, const void* a, const void* b, const void* c,
                              size_t count, const TileParameters& parameters);

// How an op runs: `compute` on the operands, then, unless null, `finish` with `result` as its
// operand `a` in place (rounding to f16, wrapping to s4, ...).
struct TileRoutine {
  TileFunction compute = nullptr;
  TileFunction finish = nullptr;
  explicit operator bool() const { return compute != nullptr; }
};

// The instruction sets that routines are compiled for. kBaseline runs everywhere.
enum class SimdTarget : uint8_t { kBaseline, kAvx2, kAvx512 };
inline constexpr int kNumSimdTargets = 3;

bool IsSupported(SimdTarget target);
// The widest that this machine supports, or the narrower one that the environment variable
// PLINTH_SIMD names: baseline, avx2 or avx512. The same for the life of the process.
SimdTarget BestSimdTarget();

// The type of a value's elements in tile form.
DType TileTypeOf(DType type);
inline size_t TileElementBytes(DType type) {
  return static_cast<size_t>(ByteSize(TileTypeOf(type)));
}

// An elementwise op. `operand` is the type of operand 0, except for kSelect (operand 0 is the pred)
// that of operands 1 and 2; `result` the type of the result. `compare` counts for kCompare only.
// Every operand is a full tile: a scalar is broadcast with a fill. kBitcastConvert: equal widths
// only.
TileRoutine FindTileRoutine(compiler::Opcode opcode, DType operand, DType result,
                            const compiler::CompareAttributes& compare = {},
                            SimdTarget target = BestSimdTarget());

// Memory form at `a` -> tile form at `result`, and tile form at `a` -> memory form at `result`.
// Null where the two are the same bytes (memcpy serves). A load takes the low bits of a sub-byte
// element and reads a pred byte other than 0 as 1.
TileFunction FindLoad(DType type, SimdTarget target = BestSimdTarget());
TileFunction FindStore(DType type, SimdTarget target = BestSimdTarget());

// Rounds (f16, ...) or wraps (s4, ...) tile elements at `a` to values of `type`; null where every
// tile element is one.
TileFunction FindFinish(DType type, SimdTarget target = BestSimdTarget());

// Raw elements of 1, 2, 4, 8 or 16 bytes, null for other sizes. Strides are in bytes, may be
// negative or zero; element i lies at base + i * byte_stride, and need not be aligned.
using FillFunction = void (*)(void* result, const void* element, size_t count);
using StridedLoadFunction = void (*)(void* result, const void* base, int64_t byte_stride,
                                     size_t count);
using StridedStoreFunction = void (*)(void* base, int64_t byte_stride, const void* source,
                                      size_t count);
FillFunction FindFill(size_t element_bytes, SimdTarget target = BestSimdTarget());
// Each of `count` elements so many times. Null but for eight times a byte.
using RepeatFunction = void (*)(void* result, const void* elements, size_t count);
RepeatFunction FindRepeat(size_t element_bytes, int64_t times,
                          SimdTarget target = BestSimdTarget());
StridedLoadFunction FindStridedLoad(size_t element_bytes, SimdTarget target = BestSimdTarget());
StridedStoreFunction FindStridedStore(size_t element_bytes, SimdTarget target = BestSimdTarget());

// Tile element i = start + i * step converted to `type` (integers wrap, floats round; complex with
// imaginary part 0).
using IotaFunction = void (*)(void* result, int64_t start, int64_t step, size_t count);
IotaFunction FindIota(DType type, SimdTarget target = BestSimdTarget());

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_TILE_FUNCTIONS_H_
