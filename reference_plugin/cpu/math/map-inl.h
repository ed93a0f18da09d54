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

// Ops on whole vectors: `Op::Apply(d, v...)`. The last, partial vector goes through a buffer whose
// other lanes are 1: a value on which every function is cheap and quiet.
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
  if (i < count) {
    HWY_ALIGN T lanes[kLanes];
    hn::Store(hn::Set(d, T{1}), d, lanes);
    std::memcpy(lanes, x + i, (count - i) * sizeof(T));
    hn::Store(Op::Apply(d, hn::Load(d, lanes)), d, lanes);
    std::memcpy(r + i, lanes, (count - i) * sizeof(T));
  }
}

template <class Op, class T>
void VectorBinary(void* result, const void* a, const void* b, const void*, size_t count,
                  const TileParameters&) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  T* r = static_cast<T*>(result);
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(Op::Apply(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, r + i);
  }
  if (i < count) {
    HWY_ALIGN T first[kLanes];
    HWY_ALIGN T second[kLanes];
    hn::Store(hn::Set(d, T{1}), d, first);
    hn::Store(hn::Set(d, T{1}), d, second);
    std::memcpy(first, x + i, (count - i) * sizeof(T));
    std::memcpy(second, y + i, (count - i) * sizeof(T));
    hn::Store(Op::Apply(d, hn::Load(d, first), hn::Load(d, second)), d, first);
    std::memcpy(r + i, first, (count - i) * sizeof(T));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_MAP_INL_H_
