// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_INDEX_DOMAIN_H_
#define PLINTH_IMPL_IFRT_INDEX_DOMAIN_H_

#include <cstdint>
#include <span>
#include <string>

#include "plinth/support/shape.h"

namespace plinth::ifrt {

// A box of an array: which elements a shard holds. A plain value.
struct IndexDomain {
  Dims origin = {};
  Dims extents = {};

  // All of an array.
  static IndexDomain Whole(std::span<const int64_t> dims);
  bool IsEmpty() const;
  // The product of the extents, which the caller knows to fit.
  int64_t NumElements() const;
  // "[0:2,4:8]".
  std::string ToString() const;
  friend bool operator==(const IndexDomain&, const IndexDomain&) = default;
};

// What two boxes of one array have in common; empty (some extent is 0) if that is nothing.
IndexDomain Intersect(const IndexDomain& a, const IndexDomain& b);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_INDEX_DOMAIN_H_
