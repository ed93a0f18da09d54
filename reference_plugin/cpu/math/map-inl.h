// SPDX-License-Identifier: Apache-2.0
// Loops over a tile. Included once per target (see Highway's foreach_target.h).
#if defined(PLINTH_REFERENCE_PLUGIN_CPU_MATH_MAP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLINTH_REFERENCE_PLUGIN_CPU_MATH_MAP_INL_H_
#undef PLINTH_REFERENCE_PLUGIN_CPU_MATH_MAP_INL_H_
#else
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_MAP_INL_H_
#endif

#include <cstring>

#include "hwy/highway.h"
#include "reference_plugin/cpu/math/tile_functions.h"

// Iterations touch only their own index, also when the result is an operand: no aliasing checks.
#if defined(__clang__)
#define PLINTH_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define PLINTH_INDEPENDENT _Pragma("GCC ivdep")
#endif

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Simple ops are scalar functions `Op::Apply`; the compiler vectorizes the loop for the target.
template <class Op, class T, class R = T>
void MapUnary(void* result, const void* a, const void*, const void*, size_t count,
              const TileParameters&) {
  const T* x = static_cast<const T*>(a);
  R* r = static_cast<R*>(result);
  PLINTH_INDEPENDENT
  for (size_t i = 0; i < count; ++i) r[i] = Op::Apply(x[i]);
}

template <class Op, class T, class R = T>
void MapBinary(void* result, const void* a, const void* b, const void*, size_t count,
               const TileParameters&) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  R* r = static_cast<R*>(result);
  PLINTH_INDEPENDENT
  for (size_t i = 0; i < count; ++i) r[i] = Op::Apply(x[i], y[i]);
}

template <class Op, class A, class B, class C, class R>
void MapTernary(void* result, const void* a, const void* b, const void* c, size_t count,
                const TileParameters&) {
  const A* x = static_cast<const A*>(a);
  const B* y = static_cast<const B*>(b);
  const C* z = static_cast<const C*>(c);
  R* r = static_cast<R*>(result);
  PLINTH_INDEPENDENT
  for (size_t i = 0; i < count; ++i) r[i] = Op::Apply(x[i], y[i], z[i]);
}

// The first `count` lanes, the others 1: a value on which every function is cheap and quiet.
// Nothing after them is touched.
template <class D, class T>
HWY_INLINE hn::Vec<D> LoadFirst(D d, const T* from, size_t count) {
  static_assert(sizeof(T) >= 4, "AVX2 has masks for these alone");
#if HWY_TARGET <= HWY_AVX2
  const auto mask = hn::FirstN(d, count);
  return hn::IfThenElse(mask, hn::MaskedLoad(mask, d, from), hn::Set(d, T{1}));
#else
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(hn::Set(d, T{1}), d, lanes);
  std::memcpy(lanes, from, count * sizeof(T));
  return hn::Load(d, lanes);
#endif
}
template <class D, class V, class T>
HWY_INLINE void StoreFirst(V v, D d, T* to, size_t count) {
#if HWY_TARGET <= HWY_AVX2
  hn::BlendedStore(v, hn::FirstN(d, count), d, to);
#else
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  std::memcpy(to, lanes, count * sizeof(T));
#endif
}

// Ops on whole vectors: `Op::Apply(d, v...)`.
template <class Op, class T>
void VectorUnary(void* result, const void* a, const void*, const void*, size_t count,
                 const TileParameters&) {
  const T* x = static_cast<const T*>(a);
  T* r = static_cast<T*>(result);
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(Op::Apply(d, hn::LoadU(d, x + i)), d, r + i);
  }
  if (i < count) StoreFirst(Op::Apply(d, LoadFirst(d, x + i, count - i)), d, r + i, count - i);
}

template <class Op, class T, class D = hn::ScalableTag<T>>
void VectorBinary(void* result, const void* a, const void* b, const void*, size_t count,
                  const TileParameters&) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  T* r = static_cast<T*>(result);
  const D d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(Op::Apply(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, r + i);
  }
  if (i < count) {
    const size_t rest = count - i;
    StoreFirst(Op::Apply(d, LoadFirst(d, x + i, rest), LoadFirst(d, y + i, rest)), d, r + i, rest);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_MAP_INL_H_
