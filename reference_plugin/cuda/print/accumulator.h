// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_ACCUMULATOR_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_ACCUMULATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cuda/print/form.h"
#include "reference_plugin/cuda/print/kernel_code.h"

namespace plinth::cuda {

// One reduction over the points of a row: what each thread has of its points, and how the threads
// of a row come to one value. Writes statements; all that it is given outlives it.
class Accumulator {
 public:
  // `number`: the reduction's among those of all phases.
  Accumulator(KernelCode& out, const Form& form, int32_t phase,
              const compiler::Reduction& reduction, int32_t number);

  int32_t number() const { return number_; }
  size_t num_components() const { return reduction_.inputs.size(); }
  // The node of the phase that is combined.
  int32_t input(size_t component) const { return reduction_.inputs[component]; }
  DType type(size_t component) const;
  // The variable that holds what the thread has so far; of several columns that of column `j`.
  std::string Name(size_t component) const {
    return StrCat("c", number_, "_", component, form_.columns > 1 ? "[j]" : "");
  }

  // Whether it has had any point, if that has to be known.
  std::string HasName() const { return StrCat("h", number_, form_.columns > 1 ? "[j]" : ""); }

  // The variables, without points.
  void Declare();
  // What `body` writes, for each of a thread's columns.
  Status ForEachColumn(const std::function<Status()>& body);
  // One more point.
  Status Add(std::span<const std::string> elements);
  // What the first `live` threads of each row have, an expression that is `most` at most, becomes
  // one value of the first of them, combined in the order of threads; with `for_all` of every
  // thread of the row. All threads of the block come here.
  Status Exchange(int64_t most, std::string_view live, bool for_all);
  // The initial value, which alone stands for a row without points; then the result, rounded.
  Status Finish(bool has_points);

 private:
  Status Combine(std::span<const std::string> left, std::span<const std::string> right);
  Status ThroughWarps(int64_t most, std::string_view live);
  Status ThroughShared(int64_t most, std::string_view live, bool for_all);
  std::vector<std::string> Names() const;

  KernelCode& out_;
  Code& code_;
  const Form& form_;
  const int32_t phase_number_;
  const compiler::Phase& phase_;
  const compiler::Reduction& reduction_;
  const int32_t number_;
  const std::optional<std::string> identity_;
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_ACCUMULATOR_H_
