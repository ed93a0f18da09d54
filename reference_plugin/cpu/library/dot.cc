// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "reference_plugin/cpu/library/gemm.h"
#include "reference_plugin/cpu/library/library.h"

namespace plinth::cpu::library {
namespace {

using compiler::DotAttributes;

class DotStep : public backend::PreparedStep {
 public:
  explicit DotStep(Gemm gemm) : gemm_(std::move(gemm)) {}
  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    return gemm_.Run(operands[0], operands[1], results[0], context);
  }
  int64_t scratch_bytes() const override { return gemm_.scratch_bytes(); }

 private:
  Gemm gemm_;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareDotGeneral(
    const compiler::plan::PlanStep& step, const LibraryOptions& options) {
  const DotAttributes& dot = *std::get_if<DotAttributes>(step.attributes.get());
  compiler::Product product =
      compiler::DotProduct(dot, step.operands[0].type, step.operands[1].type, step.results[0].type);
  PLINTH_ASSIGN_OR_RETURN(Gemm gemm, Gemm::Make(std::move(product), options.blas));
  return std::unique_ptr<backend::PreparedStep>(std::make_unique<DotStep>(std::move(gemm)));
}

}  // namespace plinth::cpu::library
