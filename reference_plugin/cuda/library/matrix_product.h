// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_MATRIX_PRODUCT_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_MATRIX_PRODUCT_H_

#include <optional>

#include "reference_plugin/compiler/ir/attributes.h"
#include "reference_plugin/compiler/kernel/product.h"
#include "reference_plugin/cuda/print/program.h"

namespace plinth::cuda {

// How elements may be rounded, by what the program asks for.
MatrixProduct::Rounding RoundingOf(compiler::Precision precision,
                                   const std::optional<compiler::DotAlgorithm>& algorithm,
                                   DType operands, bool allow_tf32);

// Appends the actions by which a library computes the product of operands 0 and 1 into result 0.
// False, and nothing is appended, if the product is none of matrices (windows, strides that no
// matrix has), too small, or the library does not take it. Without a library nothing is taken;
// what a library would need to be compiled is then in PrintedStep::spare.
bool AppendMatrixProduct(const compiler::Product& product, MatrixProduct::Rounding rounding,
                         const ProductChoices& choices, PrintedStep& step);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_MATRIX_PRODUCT_H_
