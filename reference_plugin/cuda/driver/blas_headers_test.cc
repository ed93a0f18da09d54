// SPDX-License-Identifier: Apache-2.0
// Our declarations of cuBLASLt against NVIDIA's header, where that is.
#include <cublasLt.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "reference_plugin/cuda/driver/same_signature.h"
#include "reference_plugin/cuda/driver/types.h"

// Else these names, of blas_types.h, would be those of the header, which are no names of structs.
namespace plinth::cuda {
struct cublasLtMatmulDescOpaque_t;
struct cublasLtMatrixLayoutOpaque_t;
struct cublasLtMatmulPreferenceOpaque_t;
}  // namespace plinth::cuda

#include "reference_plugin/cuda/driver/blas_types.h"

namespace plinth::cuda {
namespace {

TEST(BlasHeadersTest, Functions) {
#define PLINTH_BLAS_FUNCTION(name, since, parameters)                \
  {                                                                  \
    using Ours = cublasStatus_t(*) parameters;                       \
    EXPECT_TRUE((kSameSignature<Ours, decltype(&::name)>)) << #name; \
  }
#include "reference_plugin/cuda/driver/blas_functions.inc"
  EXPECT_TRUE((kSameSignature<size_t (*)(), decltype(&::cublasLtGetVersion)>));
  using GetStatusName = const char* (*)(cublasStatus_t);
  EXPECT_TRUE((kSameSignature<GetStatusName, decltype(&::cublasLtGetStatusName)>));
}

TEST(BlasHeadersTest, Numbers) {
#define PLINTH_SAME(ours, theirs) EXPECT_EQ(static_cast<int>(ours), static_cast<int>(theirs))
  PLINTH_SAME(kBlasSuccess, CUBLAS_STATUS_SUCCESS);
  PLINTH_SAME(kBlasNotInitialized, CUBLAS_STATUS_NOT_INITIALIZED);
  PLINTH_SAME(kBlasAllocFailed, CUBLAS_STATUS_ALLOC_FAILED);
  PLINTH_SAME(kBlasInvalidValue, CUBLAS_STATUS_INVALID_VALUE);
  PLINTH_SAME(kBlasArchMismatch, CUBLAS_STATUS_ARCH_MISMATCH);
  PLINTH_SAME(kBlasExecutionFailed, CUBLAS_STATUS_EXECUTION_FAILED);
  PLINTH_SAME(kBlasNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
  PLINTH_SAME(kBlasR32F, CUDA_R_32F);
  PLINTH_SAME(kBlasR64F, CUDA_R_64F);
  PLINTH_SAME(kBlasR16F, CUDA_R_16F);
  PLINTH_SAME(kBlasR8I, CUDA_R_8I);
  PLINTH_SAME(kBlasC32F, CUDA_C_32F);
  PLINTH_SAME(kBlasC64F, CUDA_C_64F);
  PLINTH_SAME(kBlasR32I, CUDA_R_32I);
  PLINTH_SAME(kBlasR16BF, CUDA_R_16BF);
  PLINTH_SAME(kBlasCompute32F, CUBLAS_COMPUTE_32F);
  PLINTH_SAME(kBlasCompute64F, CUBLAS_COMPUTE_64F);
  PLINTH_SAME(kBlasCompute32I, CUBLAS_COMPUTE_32I);
  PLINTH_SAME(kBlasCompute32FFast16F, CUBLAS_COMPUTE_32F_FAST_16F);
  PLINTH_SAME(kBlasCompute32FFast16BF, CUBLAS_COMPUTE_32F_FAST_16BF);
  PLINTH_SAME(kBlasCompute32FFastTf32, CUBLAS_COMPUTE_32F_FAST_TF32);
  PLINTH_SAME(kBlasTransposeLeft, CUBLASLT_MATMUL_DESC_TRANSA);
  PLINTH_SAME(kBlasTransposeRight, CUBLASLT_MATMUL_DESC_TRANSB);
  PLINTH_SAME(kBlasTranspose, CUBLAS_OP_T);
  PLINTH_SAME(kBlasEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
  PLINTH_SAME(kBlasBias, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  PLINTH_SAME(kBlasPlain, CUBLASLT_EPILOGUE_DEFAULT);
  PLINTH_SAME(kBlasRelu, CUBLASLT_EPILOGUE_RELU);
  PLINTH_SAME(kBlasGelu, CUBLASLT_EPILOGUE_GELU);
  PLINTH_SAME(kBlasAddBias, CUBLASLT_EPILOGUE_BIAS);
  PLINTH_SAME(kBlasRelu | kBlasAddBias, CUBLASLT_EPILOGUE_RELU_BIAS);
  PLINTH_SAME(kBlasGelu | kBlasAddBias, CUBLASLT_EPILOGUE_GELU_BIAS);
  PLINTH_SAME(kBlasBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  PLINTH_SAME(kBlasBatchStride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
#if CUBLAS_VER_MAJOR >= 13
  PLINTH_SAME(kBlasBatchMode, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE);
  PLINTH_SAME(kBlasPointerArray, CUBLASLT_BATCH_MODE_POINTER_ARRAY);
#endif
  PLINTH_SAME(kBlasMaxWorkspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  PLINTH_SAME(kBlasReductionSchemes, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
  PLINTH_SAME(kBlasAlignmentLeft, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  PLINTH_SAME(kBlasAlignmentRight, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
  PLINTH_SAME(kBlasAlignmentAdded, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
  PLINTH_SAME(kBlasAlignmentResult, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
  PLINTH_SAME(kBlasReduceInComputeType, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
#undef PLINTH_SAME
}

TEST(BlasHeadersTest, Structs) {
  EXPECT_EQ(sizeof(cublasLtMatmulAlgo_t), sizeof(::cublasLtMatmulAlgo_t));
  using Ours = cublasLtMatmulHeuristicResult_t;
  using Theirs = ::cublasLtMatmulHeuristicResult_t;
  EXPECT_EQ(sizeof(Ours), sizeof(Theirs));
  EXPECT_EQ(offsetof(Ours, algo), offsetof(Theirs, algo));
  EXPECT_EQ(offsetof(Ours, workspaceSize), offsetof(Theirs, workspaceSize));
  EXPECT_EQ(offsetof(Ours, state), offsetof(Theirs, state));
  EXPECT_EQ(offsetof(Ours, wavesCount), offsetof(Theirs, wavesCount));
}

}  // namespace
}  // namespace plinth::cuda
