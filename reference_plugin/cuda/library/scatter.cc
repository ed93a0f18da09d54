// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reference_plugin/cuda/library/library.h"
#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {
namespace {

using compiler::Dims;
using compiler::ScatterAttributes;

// Threads over which windows that may meet are spread.
constexpr int64_t kMostOwners = 4096;
constexpr int64_t kThreads = 1 << 16;

}  // namespace

// The result holds the input. Where windows may meet, each thread goes through all windows in order
// and takes those of its share of the rows, one element of each, so that every element sees its
// updates in order. Where they do not, a thread takes one element of one window.
Expected<PrintedStep> PrintScatter(const compiler::plan::PlanStep& step, const Architecture&) {
  const auto& attributes = std::get<ScatterAttributes>(*step.attributes);
  const size_t arrays = step.results.size();
  const compiler::Type& input = step.operands[0].type;
  const compiler::Type& indices = step.operands[arrays].type;
  const compiler::Type& updates = step.operands[arrays + 1].type;
  PrintedStep printed;
  if (updates.NumElements() == 0 || input.NumElements() == 0) return printed;
  const Dims input_strides = compiler::DenseStrides(input.dims);
  const Dims update_strides = compiler::DenseStrides(updates.dims);
  const Dims index_strides = compiler::DenseStrides(indices.dims);
  const int64_t vector_dim = attributes.index_vector_dim;

  std::vector<int64_t> window_sizes, batch_sizes, input_window(input.dims.size(), 1);
  Dims window_dims;  // of the input
  for (int64_t d = 0; d < input.rank(); ++d) {
    if (Has(attributes.inserted_window_dims, d) || Has(attributes.input_batching_dims, d)) continue;
    const int64_t size = updates.dims[attributes.update_window_dims[window_dims.size()]];
    input_window[static_cast<size_t>(d)] = size;
    window_dims.push_back(d);
    window_sizes.push_back(size);
  }
  int64_t windows = 1, elements = 1;
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d != vector_dim) batch_sizes.push_back(indices.dims[d]);
  }
  for (int64_t size : batch_sizes) windows *= size;
  for (int64_t size : window_sizes) elements *= size;

  const bool is_parallel = attributes.unique_indices || windows == 1;
  int64_t owners = 1;
  if (!is_parallel && !attributes.scatter_dims_to_operand_dims.empty()) {
    const int64_t first = attributes.scatter_dims_to_operand_dims[0];
    // Windows of one row at most lie in no other's share.
    if (input_window[static_cast<size_t>(first)] == 1) {
      owners =
          std::clamp<int64_t>(kThreads / elements, 1, std::min(kMostOwners, input.dims[first]));
    }
  }

  Code code;
  code.Line("const u64 at = (u64)t % ", elements, "ull;");
  const std::vector<std::string> w = SplitIndex(code, window_sizes, "at", "w");
  if (is_parallel) {
    code.Line("const u64 window = (u64)t / ", elements, "ull;");
    code.Open("do");
  } else {
    code.Line("const u64 owner = (u64)t / ", elements, "ull;");
    code.Open("for (u64 window = 0; window < ", windows, "ull; ++window)");
  }
  const std::vector<std::string> b = SplitIndex(code, batch_sizes, "window", "b");
  Terms index, to, from;
  std::vector<std::string> batch_of_index_dim(static_cast<size_t>(indices.rank()));
  size_t next = 0;
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d == vector_dim) continue;
    batch_of_index_dim[static_cast<size_t>(d)] = b[next];
    index.push_back({index_strides[d], b[next++]});
  }
  const int64_t vector_stride = vector_dim < indices.rank() ? index_strides[vector_dim] : 0;
  for (size_t i = 0; i < attributes.scatter_dims_to_operand_dims.size(); ++i) {
    const int64_t dim = attributes.scatter_dims_to_operand_dims[i];
    const std::string at = SumText(index, static_cast<int64_t>(i) * vector_stride);
    const int64_t most = input.dims[dim] - input_window[static_cast<size_t>(dim)];
    code.Line("const ", ValueType(indices.dtype), " x", i, " = ",
              LoadText("i" + std::to_string(arrays), at, indices.dtype), ";");
    // A window that is not wholly inside is dropped.
    code.Line("if (x", i, " < 0 || (u64)x", i, " > ", most, "ull) continue;");
    code.Line("const s64 s", i, " = (s64)x", i, ";");
    if (i == 0 && owners > 1) code.Line("if ((u64)s0 % ", owners, "ull != owner) continue;");
    to.push_back({input_strides[dim], StrCat("s", i)});
  }
  for (size_t i = 0; i < attributes.input_batching_dims.size(); ++i) {
    to.push_back(
        {input_strides[attributes.input_batching_dims[i]],
         batch_of_index_dim[static_cast<size_t>(attributes.scatter_indices_batching_dims[i])]});
  }
  for (size_t i = 0; i < window_dims.size(); ++i) {
    to.push_back({input_strides[window_dims[i]], w[i]});
    from.push_back({update_strides[attributes.update_window_dims[i]], w[i]});
  }
  next = 0;
  for (int64_t d = 0; d < updates.rank(); ++d) {
    if (!Has(attributes.update_window_dims, d)) from.push_back({update_strides[d], b[next++]});
  }
  code.Line("const s64 to = ", SumText(to), ", from = ", SumText(from), ";");
  std::vector<std::string> parameters;
  for (size_t i = 0; i < arrays; ++i) {
    parameters.push_back(LoadText(StrCat("o", i), "to", step.results[i].type.dtype));
  }
  for (size_t i = 0; i < arrays; ++i) {
    parameters.push_back(
        LoadText(StrCat("i", arrays + 1 + i), "from", step.operands[arrays + 1 + i].type.dtype));
  }
  for (std::string& value : CapturedValues(step, 2 * arrays + 1)) {
    parameters.push_back(std::move(value));
  }
  PLINTH_ASSIGN_OR_RETURN(const CombinedText text, CombineText(step.combiners[0], parameters, "c"));
  for (const std::string& statement : text.statements) code.Line(statement);
  for (size_t i = 0; i < arrays; ++i) {
    code.Line("const ", ValueType(step.results[i].type.dtype), " y", i, " = ", text.results[i],
              ";");
  }
  for (size_t i = 0; i < arrays; ++i) {
    const DType type = step.results[i].type.dtype;
    code.Line("st<", TypeText(type), ">(", ElementAddress(StrCat("o", i), "to", type), ", y", i,
              ");");
  }
  code.Close();
  if (is_parallel) code.Line("while (false);");
  AppendPoints(step, is_parallel ? elements * windows : elements * owners, code.Take(), false,
               printed);
  return printed;
}

}  // namespace plinth::cuda
