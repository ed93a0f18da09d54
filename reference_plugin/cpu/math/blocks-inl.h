// SPDX-License-Identifier: Apache-2.0
// Vectors as blocks of 16 bytes that lie apart, and squares of elements that are turned in them; no
// include guard on purpose, see Highway's foreach_target.h. Included inside a namespace
// HWY_NAMESPACE that has `hn`, not for the target without vectors.

// Elements of 16 bytes, the part of a vector that interleaving works in.
template <typename T>
inline constexpr int kBlockSize = static_cast<int>(16 / sizeof(T));

// A vector whose block b is at from(b); loads that insert are cheaper than gathers by far.
template <int kFirst = 0, class D, class From>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const From& from) {
  constexpr int kBlocks = static_cast<int>(hn::MaxLanes(d)) / kBlockSize<hn::TFromD<D>>;
  if constexpr (kBlocks <= 1) {
    return hn::LoadU(d, from(kFirst));
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadBlocks<kFirst + kBlocks / 2>(half, from),
                       LoadBlocks<kFirst>(half, from));
  }
}

// Calls store(b, d16, block) for every block of a vector.
template <int kFirst = 0, class D, class V, class Store>
HWY_INLINE void ForBlocks(D d, V v, const Store& store) {
  constexpr int kBlocks = static_cast<int>(hn::MaxLanes(d)) / kBlockSize<hn::TFromD<D>>;
  if constexpr (kBlocks <= 1) {
    store(kFirst, d, v);
  } else {
    const hn::Half<D> half;
    ForBlocks<kFirst>(half, hn::LowerHalf(half, v), store);
    ForBlocks<kFirst + kBlocks / 2>(half, hn::UpperHalf(half, v), store);
  }
}

// Element i of block b of vector j to element j of block b of vector i; kBlockSize vectors.
template <class D, class V>
HWY_INLINE void TransposeBlocks(D d, V* v) {
  if constexpr (kBlockSize<hn::TFromD<D>> == 2) {
    const V low = hn::InterleaveLower(d, v[0], v[1]);
    v[1] = hn::InterleaveUpper(d, v[0], v[1]);
    v[0] = low;
  } else {
    const hn::Repartition<double, D> pairs;
    const auto low_01 = hn::BitCast(pairs, hn::InterleaveLower(d, v[0], v[1]));
    const auto high_01 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[0], v[1]));
    const auto low_23 = hn::BitCast(pairs, hn::InterleaveLower(d, v[2], v[3]));
    const auto high_23 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[2], v[3]));
    v[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low_01, low_23));
    v[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low_01, low_23));
    v[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high_01, high_23));
    v[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high_01, high_23));
  }
}
