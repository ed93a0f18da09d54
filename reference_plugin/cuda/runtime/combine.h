// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_COMBINE_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_COMBINE_H_

#include <memory>
#include <span>
#include <vector>

#include "reference_plugin/backend/run/backend.h"
#include "reference_plugin/cuda/print/matrix_product.h"

namespace plinth::cuda {

// Backend::combine: small neighbours of a plan that share no bytes, but for those that they only
// read, are one launch; a product of `library` and the kernel after it, if that is a bias or an
// activation of the product alone, are one call. `library` may be null.
std::vector<backend::CombinedStep> CombineSteps(
    const compiler::plan::Plan& plan,
    std::span<const std::shared_ptr<const backend::PreparedStep>> steps, ProductLibrary* library);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_COMBINE_H_
