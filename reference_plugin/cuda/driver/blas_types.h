// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_BLAS_TYPES_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_BLAS_TYPES_H_

#include <cstddef>
#include <cstdint>

// cuBLASLt's types and numbers, as far as they are used here. Source: NVIDIA's reference of
// cuBLASLt, 12.4; that of 13.0 where it says so.
namespace plinth::cuda {

using cublasStatus_t = int;
using cublasLtHandle_t = struct cublasLtContext*;
using cublasLtMatmulDesc_t = struct cublasLtMatmulDescOpaque_t*;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayoutOpaque_t*;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreferenceOpaque_t*;

inline constexpr cublasStatus_t kBlasSuccess = 0;
inline constexpr cublasStatus_t kBlasNotInitialized = 1;
inline constexpr cublasStatus_t kBlasAllocFailed = 3;
inline constexpr cublasStatus_t kBlasInvalidValue = 7;
inline constexpr cublasStatus_t kBlasArchMismatch = 8;
inline constexpr cublasStatus_t kBlasExecutionFailed = 13;
inline constexpr cublasStatus_t kBlasNotSupported = 15;

// cudaDataType.
inline constexpr int kBlasR32F = 0;
inline constexpr int kBlasR64F = 1;
inline constexpr int kBlasR16F = 2;
inline constexpr int kBlasR8I = 3;
inline constexpr int kBlasC32F = 4;
inline constexpr int kBlasC64F = 5;
inline constexpr int kBlasR32I = 10;
inline constexpr int kBlasR16BF = 14;

// cublasComputeType_t.
inline constexpr int kBlasCompute32F = 68;
inline constexpr int kBlasCompute64F = 70;
inline constexpr int kBlasCompute32I = 72;
inline constexpr int kBlasCompute32FFast16F = 74;
inline constexpr int kBlasCompute32FFast16BF = 75;
inline constexpr int kBlasCompute32FFastTf32 = 77;

// cublasLtMatmulDescAttributes_t: values of int32_t.
inline constexpr int kBlasTransposeLeft = 3;
inline constexpr int kBlasTransposeRight = 4;
// uint32_t; const void*, one element for each row of the result.
inline constexpr int kBlasEpilogue = 7;
inline constexpr int kBlasBias = 8;
// cublasLtEpilogue_t: one of the first three, and kBlasAddBias with any.
inline constexpr uint32_t kBlasPlain = 1;
inline constexpr uint32_t kBlasRelu = 2;
inline constexpr uint32_t kBlasGelu = 32;
inline constexpr uint32_t kBlasAddBias = 4;
// cublasOperation_t.
inline constexpr int32_t kBlasTranspose = 1;

// cublasLtMatrixLayoutAttribute_t: int32_t, int64_t, and from 13.0 on uint32_t.
inline constexpr int kBlasBatchCount = 5;
inline constexpr int kBlasBatchStride = 6;
inline constexpr int kBlasBatchMode = 8;
// cublasLtBatchMode_t.
inline constexpr uint32_t kBlasPointerArray = 1;
// cublasLtGetVersion of the first library that heeds it.
inline constexpr int64_t kBlasFirstWithPointers = 130000;

// cublasLtMatmulPreferenceAttributes_t: uint64_t, then uint32_t.
inline constexpr int kBlasMaxWorkspace = 1;
inline constexpr int kBlasReductionSchemes = 3;
inline constexpr int kBlasAlignmentLeft = 5;
inline constexpr int kBlasAlignmentRight = 6;
inline constexpr int kBlasAlignmentAdded = 7;
inline constexpr int kBlasAlignmentResult = 8;
// cublasLtReductionScheme_t: parts of a sum are kept in the type that they are added up in.
inline constexpr uint32_t kBlasReduceInComputeType = 2;

struct cublasLtMatmulAlgo_t {
  uint64_t data[8] = {};
};

struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize = 0;
  cublasStatus_t state = 0;
  float wavesCount = 0;
  int reserved[4] = {};
};
static_assert(sizeof(cublasLtMatmulHeuristicResult_t) == 96);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_BLAS_TYPES_H_
