// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_MULTIPLY_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_MULTIPLY_H_

#include <cstddef>
#include <cstdint>

// Products of matrices on the host, by their definition.
namespace plinth::cuda::simulator {

// A matrix of cudaDataType `type` that lies column by column, or whose transpose does.
struct Matrix {
  std::byte* data = nullptr;
  int type = 0;
  int64_t leading = 1;
  bool is_turned = false;
};

// Of a type; 0 if it is not known here.
size_t SizeOf(int type);

// What is done to sums before they are rounded: cublasLtEpilogue_t, and its bias.
struct Epilogue {
  uint32_t kind = 1;
  const std::byte* bias = nullptr;  // an element of the result's type for each row
};

// result = left * right, with left of rows x depth. `mantissa`: bits to which elements of f32 are
// rounded first; 23 for all. Sums of floats are kept in f64 and rounded once.
void Multiply(const Matrix& left, const Matrix& right, const Matrix& result, int64_t rows,
              int64_t columns, int64_t depth, int mantissa, const Epilogue& epilogue = {});

// By a cublasComputeType_t.
int MantissaOf(int compute_type);

}  // namespace plinth::cuda::simulator

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_MULTIPLY_H_
