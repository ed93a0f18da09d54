// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_SHARDING_TEXT_H_
#define REFERENCE_PLUGIN_PROGRAM_SHARDING_TEXT_H_

#include <string>
#include <string_view>

#include "plinth/program/compile_options.h"

namespace plinth::program {

// An OpSharding as attributes "mhlo.sharding" have it: {replicated}, {manual}, {maximal device=3},
// {devices=[2,1]0,1}, {devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}, last_tile_dims={...},
// and tuples of those in braces. What it says is not looked into.
//
// INVALID_ARGUMENT with the place in the text and what was expected. Memory is bounded by a
// multiple of the text.
// `group`: of values that are to be spread alike, if the text names one.
inline constexpr int64_t kNoShardingGroup = -1;
Expected<OpSharding> ReadShardingText(std::string_view text, int64_t* group = nullptr);

// The text of a sharding, which ReadShardingText reads back.
std::string WriteShardingText(const OpSharding& sharding);

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_SHARDING_TEXT_H_
