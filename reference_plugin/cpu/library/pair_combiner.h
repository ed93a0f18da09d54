// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_PAIR_COMBINER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_PAIR_COMBINER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plinth/support/dtype.h"
#include "plinth/support/small_vector.h"
#include "plinth/support/status.h"
#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::library {

// Types of a step's operands from `first` on: what its combiners capture.
SmallVector<DType, 4> CapturedTypes(const compiler::plan::PlanStep& step, size_t first);

// A combiner, made ready to be applied element by element to runs of `count` elements in memory
// form: results = combiner(parameters, captured values). Immutable; any thread.
class PairCombiner {
 public:
  // `types` are those of the combiner's parameters, `captured` those of the parameters behind,
  // which are one element for all.
  static Expected<PairCombiner> Make(const compiler::Combiner& combiner,
                                     std::span<const DType> types, std::span<const DType> captured,
                                     int64_t count);

  // parameters[p] and results[r] point at `count` elements, the parameters of captured values at
  // one; a result may be the same run as a parameter of its element size.
  Status Run(std::span<void* const> parameters, std::span<void* const> results) const;

 private:
  enum class Kind { kAssignment, kTileRoutine, kKernel };
  Kind kind_ = Kind::kKernel;
  int64_t count_ = 0;
  int64_t bytes_ = 0;  // kAssignment: of a run
  math::TileRoutine routine_;
  std::shared_ptr<const backend::PreparedStep> kernel_;
};

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_PAIR_COMBINER_H_
