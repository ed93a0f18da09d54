// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_PRODUCT_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_PRODUCT_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/product.h"
#include "reference_plugin/cuda/print/program.h"

namespace plinth::cuda {

// A dot or a convolution, of any maps and types: products that a library of the device takes
// (matrix_product.h) are its, the others kernels. Sums of kernels go in the order of the inner
// index, split over blocks where the result is small.
Expected<PrintedStep> PrintProducts(const compiler::plan::PlanStep& step,
                                    const Architecture& architecture,
                                    const ProductChoices& products);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_PRODUCT_H_
