// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_ELEMENT_H_
#define PLINTH_IMPL_CLI_ELEMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "plinth/support/dtype.h"
#include "plinth/support/status.h"

namespace plinth::cli {

// Elements of any type as text and from numbers. `bytes` has ByteSize(type) bytes, in the machine's
// order; types of less than a byte take one, signed ones with their sign extended.

// "true", "-3", "0.5", "inf", "nan", "1+2i". INVALID_ARGUMENT says what was expected; integers that
// the type cannot hold are refused, floats are rounded.
Status ParseElement(DType type, std::string_view text, std::byte* bytes);

// Shortest text that reads back as the same value.
std::string ElementText(DType type, const std::byte* bytes);

// A number rounded to the type (its real part; integers wrap as in two's complement; pred: not
// zero).
void StoreNumber(DType type, double value, std::byte* bytes);
void StoreInteger(DType type, int64_t value, std::byte* bytes);

// The type with that name as PJRT ("s32"), MLIR ("i32", "ui8") or NumPy ("int32", "bool") says it.
Expected<DType> ParseDType(std::string_view name);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_ELEMENT_H_
