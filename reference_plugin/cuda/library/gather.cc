// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reference_plugin/cuda/library/library.h"
#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {
namespace {

using compiler::Dims;
using compiler::GatherAttributes;

}  // namespace

// A thread copies one element of the result.
Expected<PrintedStep> PrintGather(const compiler::plan::PlanStep& step, const Architecture&) {
  const auto& attributes = std::get<GatherAttributes>(*step.attributes);
  const compiler::Type& operand = step.operands[0].type;
  const compiler::Type& indices = step.operands[1].type;
  const compiler::Type& result = step.results[0].type;
  const Dims operand_strides = compiler::DenseStrides(operand.dims);
  const Dims index_strides = compiler::DenseStrides(indices.dims);
  const int64_t vector_dim = attributes.index_vector_dim;

  Code code;
  const std::vector<std::string> r = SplitIndex(code, result.dims, "t", "r");
  // The batch dimensions of the result are those of the indices, without the vector's.
  std::vector<std::string> batch;
  for (int64_t d = 0; d < result.rank(); ++d) {
    if (!Has(attributes.offset_dims, d)) batch.push_back(r[static_cast<size_t>(d)]);
  }
  Terms index, position;
  std::vector<std::string> batch_of_index_dim(static_cast<size_t>(indices.rank()));
  size_t next = 0;
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d == vector_dim) continue;
    batch_of_index_dim[static_cast<size_t>(d)] = batch[next];
    index.push_back({index_strides[d], batch[next++]});
  }
  for (size_t i = 0; i < attributes.operand_batching_dims.size(); ++i) {
    position.push_back(
        {operand_strides[attributes.operand_batching_dims[i]],
         batch_of_index_dim[static_cast<size_t>(attributes.start_indices_batching_dims[i])]});
  }
  size_t offset = 0;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (Has(attributes.collapsed_slice_dims, d) || Has(attributes.operand_batching_dims, d)) {
      continue;
    }
    position.push_back(
        {operand_strides[d], r[static_cast<size_t>(attributes.offset_dims[offset++])]});
  }
  const int64_t vector_stride = vector_dim < indices.rank() ? index_strides[vector_dim] : 0;
  for (size_t i = 0; i < attributes.start_index_map.size(); ++i) {
    const int64_t dim = attributes.start_index_map[i];
    const std::string at = SumText(index, static_cast<int64_t>(i) * vector_stride);
    code.Line("const s64 s", i, " = start_index<", TypeText(indices.dtype), ">(",
              ElementAddress("i1", at, indices.dtype), ", ",
              operand.dims[dim] - attributes.slice_sizes[dim], "ll);");
    position.push_back({operand_strides[dim], StrCat("s", i)});
  }
  const std::string bits = BitsType(operand.dtype);
  code.Line("*(", bits, "*)(", ElementAddress("o0", "(s64)t", operand.dtype), ") = *(const ", bits,
            "*)(", ElementAddress("i0", SumText(position), operand.dtype), ");");
  PrintedStep printed;
  AppendPoints(step, result.NumElements(), code.Take(), false, printed);
  return printed;
}

}  // namespace plinth::cuda
