// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_LAYOUT_H_
#define PLINTH_CLIENT_LAYOUT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "pjrt_c_api.h"
#include "plinth/support/shape.h"
#include "plinth/support/status.h"

namespace plinth::client {

// How an array lies in memory: by order of dimensions, with tiles, or by strides. A plain value
// type.
struct Layout : plinth::Layout {
  // Bytes to step in each dimension, instead of an order and tiles.
  std::vector<int64_t> byte_strides;

  static Layout RowMajor(size_t rank);
  // Copies what a plugin wrote. INTERNAL for an unknown kind and for nulls with a size.
  static Expected<Layout> FromC(const PJRT_Buffer_MemoryLayout& layout);
  friend bool operator==(const Layout&, const Layout&) = default;
};

// The C form of a layout, at addresses that stay as long as this object.
class LayoutArgument {
 public:
  // Null, for the default, gives get() == null.
  explicit LayoutArgument(const Layout* layout);
  // That of a shape; the default if it has none.
  explicit LayoutArgument(const Shape& shape);
  LayoutArgument(const LayoutArgument&) = delete;
  LayoutArgument& operator=(const LayoutArgument&) = delete;
  PJRT_Buffer_MemoryLayout* get() { return is_set_ ? &c_layout_ : nullptr; }

 private:
  void SetOrder(std::span<const int64_t> minor_to_major, const plinth::Layout& layout);

  bool is_set_;
  PJRT_Buffer_MemoryLayout c_layout_ = {};
  std::vector<int64_t> row_major_;  // Where the layout says so by an empty order.
  std::vector<int64_t> tile_dims_;
  std::vector<size_t> tile_dim_sizes_;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_LAYOUT_H_
