// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/layout.h"

#include "plinth/support/args.h"

namespace plinth::client {
namespace {

// More than any array has; a larger count is garbage.
constexpr size_t kMaxCount = 1 << 16;

Status CheckList(const void* list, size_t size, const char* name) {
  if (size > kMaxCount) return Internal("a layout from the plugin has ", size, " ", name);
  if (list == nullptr && size != 0) {
    return Internal("a layout from the plugin has null for its ", size, " ", name);
  }
  return {};
}

}  // namespace

Layout Layout::RowMajor(size_t rank) {
  Layout layout;
  layout.minor_to_major.resize(rank);
  for (size_t i = 0; i < rank; ++i) {
    layout.minor_to_major[i] = static_cast<int64_t>(rank - 1 - i);
  }
  return layout;
}

Expected<Layout> Layout::FromC(const PJRT_Buffer_MemoryLayout& layout) {
  Layout result;
  const int kind = RawEnum(layout.type);
  if (kind == PJRT_Buffer_MemoryLayout_Type_Strides) {
    const auto& strides = layout.strides;
    PLINTH_RETURN_IF_ERROR(CheckList(strides.byte_strides, strides.num_byte_strides, "strides"));
    result.byte_strides.assign(strides.byte_strides,
                               strides.byte_strides + strides.num_byte_strides);
    return result;
  }
  if (kind != PJRT_Buffer_MemoryLayout_Type_Tiled) {
    return Internal("a layout from the plugin is of unknown kind ", kind);
  }
  const auto& tiled = layout.tiled;
  PLINTH_RETURN_IF_ERROR(CheckList(tiled.minor_to_major, tiled.minor_to_major_size, "dimensions"));
  PLINTH_RETURN_IF_ERROR(CheckList(tiled.tile_dim_sizes, tiled.num_tiles, "tiles"));
  result.minor_to_major.assign(tiled.minor_to_major,
                               tiled.minor_to_major + tiled.minor_to_major_size);
  const int64_t* dims = tiled.tile_dims;
  for (size_t tile = 0; tile < tiled.num_tiles; ++tile) {
    const size_t size = tiled.tile_dim_sizes[tile];
    PLINTH_RETURN_IF_ERROR(CheckList(dims, size, "tile dimensions"));
    result.tiles.emplace_back(dims, dims + size);
    dims += size;
  }
  return result;
}

LayoutArgument::LayoutArgument(const Layout* layout) : is_set_(layout != nullptr) {
  if (layout == nullptr) return;
  c_layout_.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  if (!layout->byte_strides.empty()) {
    c_layout_.type = PJRT_Buffer_MemoryLayout_Type_Strides;
    auto& strides = c_layout_.strides;
    strides.struct_size = PJRT_Buffer_MemoryLayout_Strides_STRUCT_SIZE;
    strides.byte_strides = layout->byte_strides.data();
    strides.num_byte_strides = layout->byte_strides.size();
    return;
  }
  SetOrder(layout->minor_to_major, *layout);
}

LayoutArgument::LayoutArgument(const Shape& shape) : is_set_(shape.layout != nullptr) {
  if (shape.layout == nullptr) return;
  c_layout_.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  if (shape.layout->minor_to_major.empty()) {
    row_major_ = Layout::RowMajor(shape.dims.size()).minor_to_major;
    SetOrder(row_major_, *shape.layout);
  } else {
    SetOrder(shape.layout->minor_to_major, *shape.layout);
  }
}

void LayoutArgument::SetOrder(std::span<const int64_t> minor_to_major,
                              const plinth::Layout& layout) {
  for (const std::vector<int64_t>& tile : layout.tiles) {
    tile_dims_.insert(tile_dims_.end(), tile.begin(), tile.end());
    tile_dim_sizes_.push_back(tile.size());
  }
  c_layout_.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  auto& tiled = c_layout_.tiled;
  tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  tiled.minor_to_major = minor_to_major.data();
  tiled.minor_to_major_size = minor_to_major.size();
  tiled.tile_dims = tile_dims_.data();
  tiled.tile_dim_sizes = tile_dim_sizes_.data();
  tiled.num_tiles = tile_dim_sizes_.size();
}

}  // namespace plinth::client
