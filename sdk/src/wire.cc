// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/wire.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "plinth/support/args.h"
#include "plinth/support/error.h"
#include "plinth/support/named_value.h"
#include "sdk/src/entry.h"
#include "sdk/src/not_offered.h"

namespace plinth::sdk::internal {

Expected<DType> ReadDType(const char* function, const PJRT_Buffer_Type& type) {
  int number = RawEnum(type);
  if (std::optional<DType> dtype = DTypeFromC(number)) return *dtype;
  return InvalidArgument(function, ": ", number, " is no element type; known are 1 to ",
                         kNumDTypes - 1);
}

Expected<std::span<const int64_t>> ReadDims(const char* function, const int64_t* dims,
                                            size_t num_dims) {
  if (num_dims > kMaxRank) {
    return InvalidArgument(function, ": an array of ", num_dims, " dimensions; at most ", kMaxRank,
                           " are supported");
  }
  if (dims == nullptr && num_dims != 0) return NullArgument(function, "dims");
  for (size_t i = 0; i < num_dims; ++i) {
    if (dims[i] < 0) {
      return InvalidArgument(function, ": dimension ", i, " has the negative size ", dims[i]);
    }
  }
  return std::span<const int64_t>(dims, num_dims);
}

namespace {

// struct_size is not looked at: PJRT_Buffer_GetMemoryLayout_Args holds the struct by value, and it
// holds the inner ones, so none can have grown; and JAX 0.10.2 leaves the field uninitialized where
// it makes a view or copies an array to a device of another client.
Expected<std::span<const int64_t>> ReadMinorToMajor(const char* function,
                                                    const PJRT_Buffer_MemoryLayout_Tiled& tiled,
                                                    size_t rank) {
  if (tiled.minor_to_major_size != rank) {
    return InvalidArgument(function, ": minor_to_major has ", tiled.minor_to_major_size,
                           " entries for an array of ", rank, " dimensions");
  }
  if (rank != 0 && tiled.minor_to_major == nullptr) return NullArgument(function, "minor_to_major");
  uint64_t seen = 0;
  for (size_t i = 0; i < rank; ++i) {
    int64_t dim = tiled.minor_to_major[i];
    if (dim < 0 || dim >= static_cast<int64_t>(rank) || (seen >> dim & 1) != 0) {
      return InvalidArgument(function, ": minor_to_major {",
                             StrJoin(std::span(tiled.minor_to_major, rank), ","),
                             "} is no permutation of ", rank, " dimensions");
    }
    seen |= uint64_t{1} << dim;
  }
  return std::span<const int64_t>(tiled.minor_to_major, rank);
}

Expected<std::vector<std::vector<int64_t>>> ReadTiles(const char* function,
                                                      const PJRT_Buffer_MemoryLayout_Tiled& tiled) {
  std::vector<std::vector<int64_t>> tiles;
  if (tiled.num_tiles == 0) return tiles;
  if (tiled.tile_dims == nullptr || tiled.tile_dim_sizes == nullptr) {
    return NullArgument(function, "tile_dims");
  }
  const int64_t* dims = tiled.tile_dims;
  for (size_t i = 0; i < tiled.num_tiles; ++i) {
    size_t rank = tiled.tile_dim_sizes[i];
    if (rank > kMaxRank) {
      return InvalidArgument(function, ": tile ", i, " has ", rank, " dimensions");
    }
    tiles.emplace_back(dims, dims + rank);
    dims += rank;
  }
  return tiles;
}

Expected<std::span<const int64_t>> ReadByteStrides(const char* function,
                                                   const PJRT_Buffer_MemoryLayout_Strides& strides,
                                                   size_t rank) {
  if (strides.num_byte_strides != rank) {
    return InvalidArgument(function, ": ", strides.num_byte_strides,
                           " byte strides for an array of ", rank, " dimensions");
  }
  if (rank != 0 && strides.byte_strides == nullptr) return NullArgument(function, "byte_strides");
  return std::span<const int64_t>(strides.byte_strides, rank);
}

// The order of dimensions of a dense array with these strides.
Expected<std::vector<int64_t>> OrderOfStrides(const char* function, DType dtype,
                                              std::span<const int64_t> dims,
                                              std::span<const int64_t> strides) {
  std::vector<int64_t> order(dims.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(order.size() - 1 - i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return strides[static_cast<size_t>(a)] < strides[static_cast<size_t>(b)];
  });
  int64_t dense[kMaxRank];
  DenseByteStrides(dims, ByteSize(dtype), order, {dense, dims.size()});
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] > 1 && strides[i] != dense[i]) {
      return Unimplemented(function, ": a device layout of byte strides [", StrJoin(strides, ","),
                           "], which are not those of a dense ", ToString(dtype, dims));
    }
  }
  return order;
}

}  // namespace

Expected<std::shared_ptr<const Layout>> ReadLayout(const char* function,
                                                   const PJRT_Buffer_MemoryLayout* layout,
                                                   DType dtype, std::span<const int64_t> dims) {
  if (layout == nullptr) return std::shared_ptr<const Layout>();
  Layout result;
  switch (RawEnum(layout->type)) {
    case PJRT_Buffer_MemoryLayout_Type_Tiled: {
      PLINTH_ASSIGN_OR_RETURN(std::span<const int64_t> order,
                              ReadMinorToMajor(function, layout->tiled, dims.size()));
      result.minor_to_major.assign(order.begin(), order.end());
      PLINTH_ASSIGN_OR_RETURN(result.tiles, ReadTiles(function, layout->tiled));
      break;
    }
    case PJRT_Buffer_MemoryLayout_Type_Strides: {
      PLINTH_ASSIGN_OR_RETURN(std::span<const int64_t> strides,
                              ReadByteStrides(function, layout->strides, dims.size()));
      PLINTH_RETURN_IF_ERROR(DenseSizeInBytes(dtype, dims).status());
      PLINTH_ASSIGN_OR_RETURN(result.minor_to_major,
                              OrderOfStrides(function, dtype, dims, strides));
      break;
    }
    default:
      return InvalidArgument(function, ": ", RawEnum(layout->type),
                             " is no kind of layout; known are 0 (tiled) and 1 (strides)");
  }
  return std::shared_ptr<const Layout>(std::make_shared<const Layout>(std::move(result)));
}

Expected<Shape> ReadShape(const char* function, const PJRT_Buffer_Type& type, const int64_t* dims,
                          size_t num_dims, const PJRT_Buffer_MemoryLayout* layout) {
  Shape shape;
  PLINTH_ASSIGN_OR_RETURN(shape.dtype, ReadDType(function, type));
  PLINTH_ASSIGN_OR_RETURN(std::span<const int64_t> view, ReadDims(function, dims, num_dims));
  shape.dims = Dims(view);
  Expected<int64_t> size = DenseSizeInBytes(shape.dtype, view);
  if (!size.ok()) return InvalidArgument(function, ": ", size.status().message());
  PLINTH_ASSIGN_OR_RETURN(shape.layout, ReadLayout(function, layout, shape.dtype, view));
  if (shape.layout != nullptr && shape.layout->IsRowMajor()) shape.layout = nullptr;
  return shape;
}

bool AreDense(std::span<const int64_t> dims, std::span<const int64_t> strides,
              int64_t element_size) {
  // Without elements any strides do; the others could be too large to multiply.
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return true;
  int64_t stride = element_size;
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i] != 1 && strides[i] != stride) return false;
    stride *= dims[i];
  }
  return true;
}

Status ReadHostLayout(const char* function, const PJRT_Buffer_MemoryLayout* layout,
                      const Layout* own, DType dtype, std::span<const int64_t> dims,
                      HostStrides& result) {
  const int64_t element_size = ByteSize(dtype);
  PLINTH_ASSIGN_OR_RETURN(int64_t dense_size, DenseSizeInBytes(dtype, dims));
  std::span<int64_t> storage(result.storage, dims.size());
  result.span = dense_size;
  result.strides = storage;
  if (layout == nullptr) {
    if (own != nullptr && !own->tiles.empty()) {
      return Unimplemented(function, ": without a host layout the result has the buffer's, ",
                           own->ToString(dims.size()),
                           ", whose tiles are not written; give an order of dimensions or strides");
    }
    DenseByteStrides(dims, element_size,
                     own == nullptr ? std::span<const int64_t>() : own->minor_to_major, storage);
    result.is_dense = AreDense(dims, storage, element_size);
    return {};
  }
  if (RawEnum(layout->type) == PJRT_Buffer_MemoryLayout_Type_Tiled) {
    PLINTH_ASSIGN_OR_RETURN(std::span<const int64_t> order,
                            ReadMinorToMajor(function, layout->tiled, dims.size()));
    if (layout->tiled.num_tiles != 0) {
      return Unimplemented(function, ": a host layout with ", layout->tiled.num_tiles,
                           " tiles; give an order of dimensions or strides");
    }
    DenseByteStrides(dims, element_size, order, storage);
    result.is_dense = AreDense(dims, storage, element_size);
    return {};
  }
  if (RawEnum(layout->type) != PJRT_Buffer_MemoryLayout_Type_Strides) {
    return InvalidArgument(function, ": ", RawEnum(layout->type),
                           " is no kind of layout; known are 0 (tiled) and 1 (strides)");
  }
  PLINTH_ASSIGN_OR_RETURN(result.strides, ReadByteStrides(function, layout->strides, dims.size()));
  result.is_dense = AreDense(dims, result.strides, element_size);
  if (dense_size == 0 || result.is_dense) return {};
  int64_t span = element_size;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t reach = 0;
    if (result.strides[i] < 0 || __builtin_mul_overflow(result.strides[i], dims[i] - 1, &reach) ||
        __builtin_add_overflow(span, reach, &span)) {
      return InvalidArgument(function, ": byte strides [", StrJoin(result.strides, ","),
                             "] do not fit a destination of ", ToString(dtype, dims));
    }
  }
  result.span = span;
  return {};
}

Expected<Place> ReadPlace(const char* function, const ClientCore& client, PJRT_Memory* memory,
                          PJRT_Device* device) {
  Place place;
  if (memory != nullptr) {
    MemoryHandle* handle = FromC(memory);
    if (GenerationOf(*handle) != CurrentGeneration()) return MadeBeforeFork(function, "memory");
    place.memory = handle->memory;
    if (place.memory->devices().empty()) {
      return InvalidArgument(function, ": memory ", place.memory->info().to_string,
                             " belongs to no device");
    }
    place.device = place.memory->devices().front();
    // A device given beside the memory is the one to report, if it can address the memory.
    if (device != nullptr) {
      for (Device* candidate : place.memory->devices()) {
        if (candidate == FromC(device)) place.device = candidate;
      }
    }
  } else if (device != nullptr) {
    place.device = FromC(device);
    if (GenerationOf(*place.device) != CurrentGeneration()) {
      return MadeBeforeFork(function, "device");
    }
    place.memory = place.device->default_memory();
    if (place.memory == nullptr) {
      return InvalidArgument(function, ": device ", place.device->description().info().to_string,
                             " is not addressable from this process");
    }
  } else {
    return InvalidArgument(function, ": neither a memory nor a device is given");
  }
  if (place.device->core != &client) {
    return InvalidArgument(function, ": the memory or device belongs to another client");
  }
  return place;
}

Status ReadError(const char* function, const PJRT_Error_Code& code, const char* message,
                 size_t message_size, const PJRT_NamedValue* payload, size_t num_payload,
                 Status& error) {
  if (RawEnum(code) == PJRT_Error_Code_OK) {
    return InvalidArgument(function, ": an error with code OK");
  }
  error = StatusFromParts(RawEnum(code), message, message_size);
  Expected<std::vector<NamedValue>> values = NamedValuesFromC(payload, num_payload);
  if (!values.ok()) return values.status().WithContext(function);
  for (const NamedValue& named : *values) {
    const auto* text = std::get_if<std::string>(&named.value);
    if (text == nullptr) {
      return InvalidArgument(function, ": payload \"", named.name, "\" is a ",
                             TypeName(named.value), "; payloads are strings");
    }
    if (named.name == kNotOffered) {
      return InvalidArgument(function, ": payload \"", kNotOffered, "\" is the SDK's own");
    }
    error = error.WithPayload(named.name, *text);
  }
  return {};
}

void WriteLayout(const std::shared_ptr<const Layout>& layout, size_t rank,
                 PJRT_Buffer_MemoryLayout& result) {
  // 63, 62, ..., 0: the end of it is the row-major order of any rank.
  static constexpr auto kDescending = [] {
    std::array<int64_t, kMaxRank> order = {};
    for (size_t i = 0; i < kMaxRank; ++i) order[i] = static_cast<int64_t>(kMaxRank - 1 - i);
    return order;
  }();
  std::memset(&result, 0, sizeof(result));
  result.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  result.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  result.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  result.tiled.minor_to_major = kDescending.data() + (kMaxRank - rank);
  result.tiled.minor_to_major_size = rank;
  if (layout != nullptr && layout->minor_to_major.size() == rank) {
    result.tiled.minor_to_major = layout->minor_to_major.data();
  }
}

}  // namespace plinth::sdk::internal
