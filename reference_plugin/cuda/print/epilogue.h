// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_EPILOGUE_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_EPILOGUE_H_

#include <cstdint>
#include <optional>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cuda/print/matrix_product.h"

namespace plinth::cuda {

// What a library of products can do to each element before it stores it.
struct Epilogue {
  MatrixProduct::Activation activation = MatrixProduct::Activation::kNone;
  // The operand that is added first, and how many neighbours in memory it has an element for; the
  // next neighbours begin again. -1: nothing is added.
  int32_t bias = -1;
  int64_t bias_length = 0;
};

// The epilogue that a kernel is of its operand `product`, whose elements it goes through in their
// order: a bias, relu, or gelu (by tanh), of f16, bf16 or f32. Nothing if it does anything else.
std::optional<Epilogue> EpilogueOf(const compiler::Kernel& kernel, int32_t product);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_EPILOGUE_H_
