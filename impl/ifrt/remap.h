// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_REMAP_H_
#define PLINTH_IMPL_IFRT_REMAP_H_

#include <cstdint>
#include <span>
#include <vector>

#include "impl/ifrt/array.h"

namespace plinth::ifrt {

// Shards start, start + step, ... below end, of an array. Counts all shards, also those on devices
// of other processes.
struct ShardInterval {
  int64_t start = 0;
  int64_t end = 0;
  int64_t step = 1;
};

// The shards of `from` of one input become those of `to` of one output, one after the other.
struct ShardMapping {
  size_t input = 0;
  size_t output = 0;
  std::span<const ShardInterval> from = {};
  std::span<const ShardInterval> to = {};
};

// Arrays made of the shards of others, on the devices where those are. Nothing is copied.
struct RemapPlan {
  std::vector<ArraySpec> inputs;
  std::vector<ArraySpec> outputs;
  std::vector<ShardMapping> mappings;

  // Whether it is sound, which takes time in the number of shards: every output shard comes from
  // exactly one input shard and no input shard is used twice; types, shapes, devices and memories
  // of the two are the same. INVALID_ARGUMENT names what is wrong.
  Status Validate(const Client& client) const;
};

// Follows a plan, which is validated. The arrays are those that it says. kAlwaysCopy is
// INVALID_ARGUMENT, as is kReuseInput where an output has shards of several inputs: kDonateInput
// makes that legal, and deletes all inputs.
Expected<std::vector<Ref<Array>>> RemapArrays(const Ref<const Client>& client,
                                              const RemapPlan& plan, std::span<Array* const> arrays,
                                              CopySemantics semantics);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_REMAP_H_
