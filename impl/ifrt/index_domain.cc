// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/index_domain.h"

#include <algorithm>
#include <limits>

#include "plinth/support/str_cat.h"

namespace plinth::ifrt {

IndexDomain IndexDomain::Whole(std::span<const int64_t> dims) {
  return {Dims(dims.size(), 0), Dims(dims)};
}

bool IndexDomain::IsEmpty() const {
  return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

int64_t IndexDomain::NumElements() const {
  if (IsEmpty()) return 0;
  int64_t count = 1;
  for (const int64_t extent : extents) count *= extent;
  return count;
}

std::string IndexDomain::ToString() const {
  std::string text = "[";
  for (size_t i = 0; i < origin.size(); ++i) {
    int64_t end = 0;  // A domain that is refused may have none.
    if (__builtin_add_overflow(origin[i], extents[i], &end)) {
      end = std::numeric_limits<int64_t>::max();
    }
    text += StrCat(i == 0 ? "" : ",", origin[i], ":", end);
  }
  return text + "]";
}

IndexDomain Intersect(const IndexDomain& a, const IndexDomain& b) {
  IndexDomain common = a;
  for (size_t i = 0; i < a.origin.size(); ++i) {
    const int64_t begin = std::max(a.origin[i], b.origin[i]);
    const int64_t end = std::min(a.origin[i] + a.extents[i], b.origin[i] + b.extents[i]);
    common.origin[i] = begin;
    common.extents[i] = std::max<int64_t>(end - begin, 0);
  }
  return common;
}

}  // namespace plinth::ifrt
