// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "reference_plugin/cpu/library/gemm.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/strided_walk.h"

namespace plinth::cpu {
namespace {

using compiler::Dims;
using compiler::DotAttributes;
using compiler::Type;

bool Contains(const Dims& dims, int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

class DotStep : public PreparedStep {
 public:
  explicit DotStep(Gemm gemm) : gemm_(std::move(gemm)) {}
  Outcome Run(std::span<void* const> operands, std::span<void* const> results,
              const RunContext& context) const override {
    return gemm_.Run(operands[0], operands[1], results[0], context);
  }
  int64_t scratch_bytes() const override { return gemm_.scratch_bytes(); }

 private:
  Gemm gemm_;
};

}  // namespace

Expected<std::unique_ptr<PreparedStep>> PrepareDotGeneral(const compiler::PlanStep& step,
                                                          const LibraryOptions& options) {
  const DotAttributes& dot = *std::get_if<DotAttributes>(step.attributes.get());
  const Type& lhs = step.operands[0].type;
  const Type& rhs = step.operands[1].type;
  const Type& result = step.results[0].type;
  const Dims a_strides = DenseStrides(lhs.dims, 1);
  const Dims b_strides = DenseStrides(rhs.dims, 1);
  const Dims c_strides = DenseStrides(result.dims, 1);

  GemmProblem problem;
  problem.a.dtype = lhs.dtype;
  problem.b.dtype = rhs.dtype;
  problem.c.dtype = result.dtype;
  // The result's dimensions: batch, then the free ones of the left, then of the right operand.
  size_t out = 0;
  for (size_t i = 0; i < dot.lhs_batch.size(); ++i, ++out) {
    problem.batch.push_back({lhs.dims[dot.lhs_batch[i]], a_strides[dot.lhs_batch[i]],
                             b_strides[dot.rhs_batch[i]], c_strides[out]});
  }
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    if (Contains(dot.lhs_batch, d) || Contains(dot.lhs_contracting, d)) continue;
    problem.a.outer.push_back({lhs.dims[d], a_strides[d]});
    problem.c.rows.push_back({lhs.dims[d], c_strides[out++]});
  }
  for (int64_t d = 0; d < rhs.rank(); ++d) {
    if (Contains(dot.rhs_batch, d) || Contains(dot.rhs_contracting, d)) continue;
    problem.b.outer.push_back({rhs.dims[d], b_strides[d]});
    problem.c.columns.push_back({rhs.dims[d], c_strides[out++]});
  }
  // Summed in the order in which the left operand lies in memory.
  std::vector<size_t> order(dot.lhs_contracting.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t x, size_t y) { return dot.lhs_contracting[x] < dot.lhs_contracting[y]; });
  for (size_t i : order) {
    const int64_t size = lhs.dims[dot.lhs_contracting[i]];
    problem.a.inner.push_back({size, a_strides[dot.lhs_contracting[i]]});
    problem.b.inner.push_back({size, b_strides[dot.rhs_contracting[i]]});
  }
  PLINTH_ASSIGN_OR_RETURN(Gemm gemm, Gemm::Make(std::move(problem), options.blas));
  return std::unique_ptr<PreparedStep>(std::make_unique<DotStep>(std::move(gemm)));
}

}  // namespace plinth::cpu
