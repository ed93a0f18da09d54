// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_BLAS_DTYPE_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_BLAS_DTYPE_H_

#include "plinth/support/dtype.h"
#include "reference_plugin/cuda/driver/blas_types.h"

namespace plinth::cuda {

// The cudaDataType of a type that products of cuBLASLt have; -1 for every other.
constexpr int BlasType(DType type) {
  switch (type) {
    case DType::kF16:
      return kBlasR16F;
    case DType::kBF16:
      return kBlasR16BF;
    case DType::kF32:
      return kBlasR32F;
    case DType::kF64:
      return kBlasR64F;
    case DType::kC64:
      return kBlasC32F;
    case DType::kC128:
      return kBlasC64F;
    case DType::kS8:
      return kBlasR8I;
    case DType::kS32:
      return kBlasR32I;
    default:
      return -1;
  }
}

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_BLAS_DTYPE_H_
