// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_ROW_MAJOR_LAYOUT_H_
#define PLINTH_SUPPORT_ROW_MAJOR_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plinth/support/args.h"

namespace plinth {

// The layout without gaps whose last dimension changes fastest, as PJRT_Buffer_ToHostBuffer takes
// it: without one, a plugin copies in the device's own.
class RowMajorLayout {
 public:
  explicit RowMajorLayout(size_t rank) : minor_to_major_(rank) {
    for (size_t i = 0; i < rank; ++i) minor_to_major_[i] = static_cast<int64_t>(rank - 1 - i);
    layout_.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout_.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
    layout_.tiled.minor_to_major = minor_to_major_.data();
    layout_.tiled.minor_to_major_size = rank;
  }
  RowMajorLayout(const RowMajorLayout&) = delete;
  RowMajorLayout& operator=(const RowMajorLayout&) = delete;

  // Lives as long as this object.
  PJRT_Buffer_MemoryLayout* get() { return &layout_; }

 private:
  std::vector<int64_t> minor_to_major_;
  PJRT_Buffer_MemoryLayout layout_ = MakeArgs<PJRT_Buffer_MemoryLayout>();
};

}  // namespace plinth

#endif  // PLINTH_SUPPORT_ROW_MAJOR_LAYOUT_H_
