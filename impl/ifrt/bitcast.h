// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_BITCAST_H_
#define PLINTH_IMPL_IFRT_BITCAST_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "impl/ifrt/array.h"

namespace plinth::ifrt {

// The bytes of each shard seen with another type and shape, on the same devices and in the same
// memories. INVALID_ARGUMENT for kAlwaysCopy, for other places, and for shards of another size;
// FAILED_PRECONDITION for opaque shardings. Where the plugin has no PJRT_Buffer_Bitcast, a program
// copies the bytes; UNIMPLEMENTED where it compiles none either.
Expected<std::vector<Ref<Array>>> BitcastArrays(const Ref<const Client>& client,
                                                std::span<Array* const> arrays,
                                                std::span<const ArraySpec> specs,
                                                CopySemantics semantics);

// StableHLO of a program that does it. Nothing for types whose elements are no whole bytes or no
// plain numbers.
std::optional<std::string> BitcastProgram(DType from, std::span<const int64_t> from_dims, DType to,
                                          std::span<const int64_t> to_dims);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_BITCAST_H_
