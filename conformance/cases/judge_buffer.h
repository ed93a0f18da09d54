// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_JUDGE_BUFFER_H_
#define PLINTH_CONFORMANCE_CASES_JUDGE_BUFFER_H_

#include <string_view>
#include <vector>

#include "conformance/runner/context.h"

namespace plinth::conformance {

// What a buffer has to say about itself.
struct BufferFacts {
  HostArray array;                // its type and dimensions, and unless empty its contents
  PJRT_Device* device = nullptr;  // null: on any
  PJRT_Memory* memory = nullptr;  // null: in any of its device
  bool has_contents = true;       // false: nobody wrote them
};

// Every bit pattern is a value, but pred is 0 or 1 and sub-byte types use their low bits only.
HostArray RandomBits(DType type, std::vector<int64_t> dims, uint64_t seed);

// Compares everything that functions tell about a buffer with the facts and with one another.
// Waits for the buffer.
void JudgeBuffer(Context& context, PJRT_Buffer* buffer, const BufferFacts& facts);

// Whether a buffer lies dense and row by row.
bool LiesRowMajor(Context& context, PJRT_Buffer* buffer);

// A finding unless both hold the same; bits that say nothing are not looked at.
void CheckSameArray(Context& context, std::string_view requirement, std::string_view what,
                    HostArray wanted, HostArray found);

// The shapes that sweeps try, as "[7,1009]".
const std::vector<std::string>& SweptShapes();
std::vector<int64_t> ShapeOf(std::string_view text);
// "tensor<2x3xf32>", as programs write it.
std::string TypeText(DType type, const std::vector<int64_t>& dims);
// The types that the plugin has to have, as their names.
std::vector<std::string> SweptTypes();
// The type of that name.
DType TypeNamed(std::string_view name);
bool HasSweptType(Context& context, DType type);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_JUDGE_BUFFER_H_
