// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_HOST_H_
#define PLINTH_IMPL_IFRT_HOST_H_

#include <functional>
#include <span>
#include <vector>

#include "impl/ifrt/array.h"
#include "plinth/client/client.h"

namespace plinth::ifrt {

// An array in host memory that becomes one over devices.
struct HostSpec {
  ArraySpec spec;
  // The whole array, its first element; bytes to step in each dimension, none for dense row-major.
  const void* data = nullptr;
  std::span<const int64_t> byte_strides = {};
  // Instead of `data`: the contents of each addressable shard, dense row-major.
  std::span<const void* const> shard_data = {};
  // The layout of each shard on its device; none for the plugin's default.
  std::span<const int64_t> minor_to_major = {};
};

// Arrays with what the host has, each shard with its own window. `done` runs once, on any thread,
// when nothing uses the host's memory any more (before the return with kDuringCall); it does not
// run if this fails, and then nothing uses the memory either. Types of less than a byte take a byte
// an element. INVALID_ARGUMENT for null data, a wrong number of strides or shards, a sharding that
// does not go with the shape, and a layout that is no order of the dimensions.
Expected<std::vector<Ref<Array>>> ArraysFromHost(const Ref<const Client>& client,
                                                 std::span<const HostSpec> specs,
                                                 client::HostSemantics semantics,
                                                 std::function<void()> done);

// Arrays whose contents are not set. UNIMPLEMENTED from plugins that lack it (before 0.69).
Expected<std::vector<Ref<Array>>> ArraysUninitialized(const Ref<const Client>& client,
                                                      std::span<const ArraySpec> specs);

struct HostDestination {
  void* data = nullptr;  // The first element.
  // Bytes to step in each dimension, not overlapping; none for dense row-major.
  std::span<const int64_t> byte_strides = {};
};

// Starts to copy whole arrays to the host, shard by shard; the memory stays valid until the future
// completes. INVALID_ARGUMENT for null memory, strides that overlap, deleted arrays, and arrays
// some of whose elements are on devices of other processes only.
Expected<Ref<Future>> ArraysToHost(const Ref<const Client>& client, std::span<Array* const> arrays,
                                   std::span<const HostDestination> to);

// INVALID_ARGUMENT if there is not one stride for each dimension, or they step further than any
// memory is large.
Status CheckStrides(std::span<const int64_t> dims, std::span<const int64_t> byte_strides);
// Byte strides of a dense row-major array.
std::vector<int64_t> RowMajorStrides(DType type, std::span<const int64_t> dims);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_HOST_H_
