// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_PRODUCT_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_PRODUCT_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/product.h"
#include "reference_plugin/cuda/print/program.h"

namespace plinth::cuda {

// Appends the actions that compute the product of operands 0 and 1 into result 0, of any maps and
// types. Sums go in the order of the inner index, split over blocks where the result is small.
Status AppendProduct(compiler::Product product, const Architecture& architecture,
                     PrintedStep& step);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_PRODUCT_H_
