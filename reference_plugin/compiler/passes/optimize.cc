// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/optimize.h"

#include <array>
#include <cstddef>
#include <iterator>

#include "reference_plugin/compiler/ir/verifier.h"
#include "reference_plugin/compiler/passes/columns.h"
#include "reference_plugin/compiler/passes/cse.h"
#include "reference_plugin/compiler/passes/dead_code.h"
#include "reference_plugin/compiler/passes/fold_transposes.h"
#include "reference_plugin/compiler/passes/inline.h"
#include "reference_plugin/compiler/passes/integer_quotients.h"
#include "reference_plugin/compiler/passes/loop_invariants.h"
#include "reference_plugin/compiler/passes/loop_products.h"
#include "reference_plugin/compiler/passes/recognize.h"
#include "reference_plugin/compiler/passes/simplify.h"
#include "reference_plugin/compiler/passes/simplify_loops.h"
#include "reference_plugin/compiler/passes/small_products.h"
#include "reference_plugin/compiler/passes/unroll_loops.h"

namespace plinth::compiler::passes {
namespace {

struct Pass {
  std::string_view name;
  bool (*run)(Module& module, const Target& target);
  bool simplifies;  // Left out when the options do not ask for simplification.
};

// A pass that does not depend on the target.
template <bool (*run)(Module& module)>
bool OnAny(Module& module, const Target&) {
  return run(module);
}

// Dead code goes first: simplifying it would be for nothing.
constexpr Pass kRound[] = {
    {"dead_code", OnAny<EliminateDeadCode>, false},
    {"simplify", OnAny<Simplify>, true},
    {"small_products", SpellOutSmallProducts, true},
    {"columns", SplitIntoColumns, true},
    {"integer_quotients", DivideIntegersByMultiplying, true},
    {"simplify_loops", OnAny<SimplifyLoops>, true},
    {"unroll_loops", UnrollLoops, true},
    {"cse", OnAny<EliminateCommonSubexpressions>, true},
    {"fold_transposes", OnAny<FoldTransposes>, true},
    {"loop_products", MoveProductsOutOfLoops, true},
    {"loop_invariants", HoistLoopInvariants, true},
    {"recognize", Recognize, false},
};

// What one pass finds may be work for an earlier one; programs need two or three rounds.
constexpr int kMaxRounds = 8;

class Pipeline {
 public:
  Pipeline(Module& module, const Target& target, const OptimizeOptions& options)
      : module_(module), target_(target), options_(options) {}

  Status Run() {
    PLINTH_RETURN_IF_ERROR(Inline(module_));
    PLINTH_RETURN_IF_ERROR(After("inline"));
    // Changes so far, and at how many of them a pass has found nothing: nor would it now.
    int changes = 0, before = -1;
    std::array<int, std::size(kRound)> idle_at;
    idle_at.fill(-1);
    for (int round = 0; changes > before && round < kMaxRounds; ++round) {
      before = changes;
      for (size_t i = 0; i < std::size(kRound); ++i) {
        const Pass& pass = kRound[i];
        if ((pass.simplifies && !options_.simplify) || idle_at[i] == changes) continue;
        if (!pass.run(module_, target_)) {
          idle_at[i] = changes;
          continue;
        }
        ++changes;
        PLINTH_RETURN_IF_ERROR(After(pass.name));
      }
    }
    return Status();
  }

 private:
  Status After(std::string_view pass) {
    Dump(pass);
    return options_.verify ? Verify(module_).WithContext(pass) : Status();
  }
  void Dump(std::string_view stage) {
    if (options_.dumper == nullptr) return;
    options_.dumper->Dump(stage, [&] { return ToString(module_); });
  }

  Module& module_;
  const Target& target_;
  const OptimizeOptions& options_;
};

}  // namespace

Status Optimize(Module& module, const Target& target, const OptimizeOptions& options) {
  return Pipeline(module, target, options).Run();
}

}  // namespace plinth::compiler::passes
