// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_LITERAL_H_
#define PLINTH_IMPL_CLI_LITERAL_H_

#include <string_view>

#include "plinth/client/host_array.h"
#include "plinth/support/status.h"

namespace plinth::cli {

// Whether an --input is a literal, "TYPE=..." or "TYPE[...]=...", and not the name of a file.
bool IsLiteral(std::string_view text);

// An array written on the command line:
//   f32=1.5             a scalar
//   f32[2,3]=1          every element 1
//   f32[2,3]=1,2,3,4,5,6   elements in row-major order; brackets around rows are allowed
//   s32[8]=range        0, 1, 2, ...; range(START,STEP)
//   f32[8]=random       evenly in [0, 1), integers in 0 to 100, pred both;
//                       random(SEED), random(SEED,LOW,HIGH): the same on every machine
// INVALID_ARGUMENT says what is wrong with which part. RESOURCE_EXHAUSTED for more than half of the
// machine's memory.
Expected<client::HostArray> ParseLiteral(std::string_view text);

// Parses "f32[2,3]" or "f32".
struct TypeAndDims {
  DType type = DType::kInvalid;
  std::vector<int64_t> dims;
};
Expected<TypeAndDims> ParseShape(std::string_view text);

// An array of that shape whose size was checked against the machine's memory.
Expected<client::HostArray> CreateBounded(DType type, std::span<const int64_t> dims);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_LITERAL_H_
