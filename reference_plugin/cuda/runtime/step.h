// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_STEP_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_STEP_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/cuda/print/program.h"
#include "reference_plugin/cuda/runtime/kernels.h"

namespace plinth::cuda {

// A printed step. Running it enqueues its actions on the compute stream of RunContext::queue.
class GpuStep final : public backend::PreparedStep {
 public:
  explicit GpuStep(PrintedStep printed);

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override;
  int64_t scratch_bytes() const override { return printed_.scratch_bytes; }

  const PrintedStep& printed() const { return printed_; }
  // What has to be compiled before it runs: one per action, with no text where nothing is launched;
  // then the spare ones.
  std::vector<ProgramKernel>& kernels() const { return kernels_; }

 private:
  static Status Multiply(Gpu& gpu, const Action& action, std::span<const uint64_t> arguments);

  const PrintedStep printed_;
  const uint64_t stream_key_;                   // zero unless it draws random numbers
  mutable std::atomic<uint64_t> runs_{0};       // of a step that does
  mutable std::vector<ProgramKernel> kernels_;  // filled in before the program runs
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_STEP_H_
