// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_SCALAR_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_SCALAR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "plinth/support/dtype.h"

// Single elements in host form (little endian, pred and sub-byte types one byte each), for folding
// and printing.
namespace plinth::compiler {

bool IsFloat(DType type);
bool IsInteger(DType type);  // signed or unsigned, without pred
bool IsComplex(DType type);
DType RealTypeOf(DType complex);  // kF32 for kC64; a real type is its own

// f16, bf16, f32 and f64: the float types whose elements this file reads and writes.
bool IsIeeeFloat(DType type);
double ReadFloat(DType type, const std::byte* element);
// Rounds once, to nearest even.
void WriteFloat(DType type, double value, std::byte* element);

// Pred and integers, sign- or zero-extended; u64 as its bits.
int64_t ReadInteger(DType type, const std::byte* element);
// Keeps the low bits, with zeros above, as kernels store them.
void WriteInteger(DType type, int64_t value, std::byte* element);

// "1.5", "-3", "true", "(1, 2)"; hexadecimal bits for the small floats.
std::string ElementToString(DType type, const std::byte* element);

// Whether the element is that number (of any type but the small floats); floats compare as values,
// so a zero must be told from a negative zero by IsNegativeZero.
bool ElementIs(DType type, std::span<const std::byte> element, double value);
bool IsNegativeZero(DType type, std::span<const std::byte> element);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_SCALAR_H_
