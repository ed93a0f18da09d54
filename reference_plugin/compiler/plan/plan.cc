// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/plan/plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "reference_plugin/compiler/plan/arena.h"
#include "reference_plugin/compiler/plan/linear_code.h"
#include "reference_plugin/compiler/plan/liveness.h"

namespace plinth::compiler::plan {
namespace {

// A set of variables that share one allocation because no two of them are live at once.
struct SharedStorage {
  LiveSet live;
  int64_t size = 0;
  int32_t argument = -1;
  bool writable = true;  // false: a constant or an argument that is not given away
  bool is_output = false;
  int32_t allocation = -1;
};

// A step may make `to` where `from` lies.
struct Candidate {
  int32_t from, to;
  int32_t loop_depth;
  bool donates;
  int64_t size;
};

class Planner {
 public:
  // The schedule outlives it.
  Planner(LinearCode code, const Schedule& schedule, const Target& target)
      : code_(std::move(code)), schedule_(schedule), target_(target) {
    MakeSharedStorages(schedule);
    ShareStorages(schedule);
  }

  // Loops that copy what a turn makes to where the next one reads it, though two turns could use
  // each other's allocations.
  PairedLoops LoopsToPair() const {
    PairedLoops loops;
    if (target_.control_flow != ControlFlow::kJumps) return loops;
    for (const LinearStep& step : code_.steps) {
      if (step.turn_of != nullptr && IsCopied(step)) loops.insert(step.turn_of);
    }
    std::erase_if(loops, [&](const ScheduleStep* step) {
      const auto loop = std::find_if(code_.loops.begin(), code_.loops.end(),
                                     [&](const LinearLoop& l) { return l.step == step; });
      return loop->num_steps > target_.loops.paired_steps || !HasOnlyKernels(*step);
    });
    return loops;
  }

  // Time that a turn of each loop spends on copies, roughly.
  double CopiesInLoops() const {
    double cost = 0;
    for (const LinearStep& step : code_.steps) {
      if (step.loop_depth == 0 || !IsCopied(step)) continue;
      cost += step.share * (target_.rates.loop_turn_ns +
                            target_.rates.copy_ns_per_byte *
                                static_cast<double>(code_.variables[step.results[0]].size));
    }
    return cost;
  }

  Plan Run() {
    PlaceStorages();
    EmitSteps();
    plan_.name = schedule_.name;
    for (int32_t argument : schedule_.entry.arguments) {
      plan_.argument_types.push_back(schedule_.values[argument].type);
    }
    plan_.output_types = code_.output_types;
    for (size_t i = 0; i < code_.outputs.size(); ++i) {
      int32_t allocation = SharedBy(code_.outputs[i]).allocation;
      plan_.outputs.push_back({allocation, code_.output_types[i]});
      plan_.allocations[allocation].donated =
          plan_.allocations[allocation].kind == AllocationKind::kArgument;
    }
    plan_.cost_ns += code_.cost_ns;
    return std::move(plan_);
  }

 private:
  int32_t Find(int32_t variable) {
    while (parent_[variable] != variable) {
      parent_[variable] = parent_[parent_[variable]];
      variable = parent_[variable];
    }
    return variable;
  }
  SharedStorage& SharedBy(int32_t variable) { return shared_[Find(variable)]; }
  int32_t Find(int32_t variable) const {
    while (parent_[variable] != variable) variable = parent_[variable];
    return variable;
  }

  // Whether the step is a copy from one allocation to another.
  bool IsCopied(const LinearStep& step) const {
    return step.kind == PlanStepKind::kCopy && !step.results.empty() &&
           Find(step.operands[0]) != Find(step.results[0]) &&
           code_.variables[step.results[0]].size != 0;
  }

  // Kernels have no effects, so their code may stand there twice; and CostOf(plan) knows them.
  // Beside library steps, copies cost little.
  static bool HasOnlyKernels(const ScheduleStep& loop) {
    return std::all_of(loop.blocks.begin(), loop.blocks.end(), [](const ScheduleBlock& block) {
      return std::all_of(block.steps.begin(), block.steps.end(), [](const ScheduleStep& step) {
        return step.kind != StepKind::kLibrary && HasOnlyKernels(step);
      });
    });
  }

  void MakeSharedStorages(const Schedule& schedule) {
    std::vector<LiveRanges> live = ComputeLiveness(code_);
    parent_.resize(code_.variables.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    shared_.resize(code_.variables.size());
    std::vector<bool> donated(schedule.entry.arguments.size(), false);
    for (const Donation& donation : schedule.donations) donated[donation.argument] = true;
    for (size_t v = 0; v < shared_.size(); ++v) {
      const Variable& variable = code_.variables[v];
      shared_[v].live = LiveSet(live[v]);
      shared_[v].size = variable.size;
      shared_[v].argument = variable.argument;
      shared_[v].writable =
          variable.constant == nullptr && (variable.argument < 0 || donated[variable.argument]);
      if (variable.argument >= 0) variable_of_argument_[variable.argument] = v;
    }
    for (int32_t output : code_.outputs) shared_[output].is_output = true;
  }

  // Whether `step` reads the group of `operand` only through operands that `result` may overwrite.
  bool MayWorkInPlace(const LinearStep& step, int32_t operand, int32_t result) {
    for (size_t i = 0; i < step.operands.size(); ++i) {
      if (Find(step.operands[i]) != Find(operand)) continue;
      bool allowed = false;
      for (const InPlace& hint : step.in_place) {
        allowed |= hint.operand == static_cast<int32_t>(i) && step.results[hint.result] == result;
      }
      if (!allowed) return false;
    }
    return true;
  }

  // Whether the step at this read position may write one of the groups where it reads the other.
  bool MayTouch(int32_t position, int32_t a, int32_t b) {
    if (position < 0 || position % 2 != 0) return false;
    if (position / 2 >= static_cast<int32_t>(code_.steps.size())) return false;
    const LinearStep& step = code_.steps[position / 2];
    for (const InPlace& hint : step.in_place) {
      int32_t from = step.operands[hint.operand], to = step.results[hint.result];
      bool joins = (Find(from) == a && Find(to) == b) || (Find(from) == b && Find(to) == a);
      if (joins && MayWorkInPlace(step, from, to)) return true;
    }
    return false;
  }

  // Gives two variables one allocation if nothing forbids it.
  bool Merge(int32_t a, int32_t b) {
    a = Find(a);
    b = Find(b);
    if (a == b) return true;
    SharedStorage &x = shared_[a], &y = shared_[b];
    if (!x.writable || !y.writable || x.size != y.size) return false;
    if (x.argument >= 0 && y.argument >= 0) return false;
    if (!AreDisjoint(x.live, y.live, [&](int32_t at) { return MayTouch(at, a, b); })) return false;
    x.live.Absorb(std::move(y.live));
    x.argument = std::max(x.argument, y.argument);
    x.is_output |= y.is_output;
    y.live = LiveSet();
    parent_[b] = a;
    return true;
  }

  void ShareStorages(const Schedule& schedule) {
    std::vector<Candidate> candidates;
    for (const LinearStep& step : code_.steps) {
      for (const InPlace& hint : step.in_place) {
        int32_t from = step.operands[hint.operand], to = step.results[hint.result];
        const Variable& source = code_.variables[from];
        if (!shared_[from].writable || source.size != code_.variables[to].size) continue;
        // Copies behind the last turn matter less than those in every turn.
        const int32_t depth = step.share > 0 ? step.loop_depth : step.loop_depth - 1;
        candidates.push_back({from, to, depth, source.argument >= 0, source.size});
      }
    }
    // What a loop copies costs most; then what the caller gave away for this; then large arrays.
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                       if (a.loop_depth != b.loop_depth) return a.loop_depth > b.loop_depth;
                       if (a.donates != b.donates) return a.donates;
                       return a.size > b.size;
                     });
    for (const Candidate& candidate : candidates) {
      Merge(candidate.from, candidate.to);
    }
    // A donated argument that is dead before the output is made lends it its bytes.
    for (const Donation& donation : schedule.donations) {
      auto argument = variable_of_argument_.find(donation.argument);
      if (argument == variable_of_argument_.end()) continue;  // never used: nothing to wait for
      for (size_t o = 0; o < code_.outputs.size(); ++o) {
        if (donation.output >= 0 && donation.output != static_cast<int32_t>(o)) continue;
        SharedStorage& output = SharedBy(code_.outputs[o]);
        if (output.argument < 0 && Merge(argument->second, code_.outputs[o])) break;
      }
    }
  }

  void PlaceStorages() {
    std::vector<ArenaBlock> blocks;
    std::vector<int32_t> block_allocations;
    for (size_t v = 0; v < shared_.size(); ++v) {
      if (Find(static_cast<int32_t>(v)) != static_cast<int32_t>(v)) continue;
      SharedStorage& shared = shared_[v];
      if (shared.live.empty()) continue;
      shared.allocation = static_cast<int32_t>(plan_.allocations.size());
      Allocation& allocation = plan_.allocations.emplace_back();
      allocation.size = shared.size;
      if (shared.argument >= 0) {
        allocation.kind = AllocationKind::kArgument;
        allocation.index = shared.argument;
      } else if (code_.variables[v].constant != nullptr) {
        allocation.kind = AllocationKind::kConstant;
        allocation.constant = code_.variables[v].constant;
        plan_.constant_bytes += shared.size;
      } else if (shared.is_output) {
        allocation.kind = AllocationKind::kOutput;
      } else {
        blocks.push_back({shared.size, shared.live.begin(), shared.live.end()});
        block_allocations.push_back(shared.allocation);
      }
    }
    plan_.arena_alignment = target_.arena_alignment;
    plan_.arena_size = LayOutArena(blocks, plan_.arena_alignment);
    for (size_t i = 0; i < blocks.size(); ++i) {
      plan_.allocations[block_allocations[i]].arena_offset = blocks[i].offset;
    }
  }

  void EmitSteps() {
    // Copies within one allocation are gone; jumps go to what is left.
    std::vector<int32_t> new_number(code_.steps.size() + 1);
    auto is_needed = [&](const LinearStep& step) {
      return step.kind != PlanStepKind::kCopy || IsCopied(step);
    };
    int32_t count = 0;
    for (size_t k = 0; k < code_.steps.size(); ++k) {
      new_number[k] = count;
      count += is_needed(code_.steps[k]);
    }
    new_number[code_.steps.size()] = count;
    plan_.steps.reserve(count);
    for (LinearStep& source : code_.steps) {
      if (!is_needed(source)) continue;
      PlanStep& step = plan_.steps.emplace_back();
      step.kind = source.kind;
      step.kernel = source.kernel;
      if (source.source != nullptr) {
        step.opcode = source.source->opcode;
        step.kernel = source.source->kernel;
        step.attributes = source.source->attributes;
        step.combiners = source.source->combiners;
        step.in_place = source.source->in_place;
        step.cost_ns = source.source->cost_ns;
        step.location = source.source->location;
      } else if (source.kind == PlanStepKind::kCopy && source.loop_depth == 0) {
        step.cost_ns =
            target_.rates.copy_ns_per_byte * static_cast<double>(SharedBy(source.results[0]).size);
        plan_.cost_ns += step.cost_ns;
      }
      for (size_t i = 0; i < source.operands.size(); ++i) {
        step.operands.push_back(
            {SharedBy(source.operands[i]).allocation, std::move(source.operand_types[i])});
      }
      for (size_t i = 0; i < source.results.size(); ++i) {
        Allocation& allocation = plan_.allocations[SharedBy(source.results[i]).allocation];
        if (allocation.kind == AllocationKind::kArgument) allocation.donated = true;
        step.results.push_back(
            {SharedBy(source.results[i]).allocation, std::move(source.result_types[i])});
      }
      for (int32_t target : source.targets) step.targets.push_back(new_number[target]);
    }
    // No jump is gone, so a region is not empty.
    plan_.control_flow = target_.control_flow;
    plan_.regions = std::move(code_.regions);
    for (PlanRegion& region : plan_.regions) {
      for (int32_t* step : {&region.begin, &region.end, &region.test}) *step = new_number[*step];
      for (int32_t& branch : region.branches) branch = new_number[branch];
    }
  }

  LinearCode code_;
  const Schedule& schedule_;
  const Target& target_;
  std::vector<int32_t> parent_;        // union-find over variables
  std::vector<SharedStorage> shared_;  // valid at representatives
  std::map<int32_t, int32_t> variable_of_argument_;
  Plan plan_;
};

}  // namespace

Expected<Plan> PlanMemory(const Schedule& schedule, const Target& target) {
  PLINTH_ASSIGN_OR_RETURN(LinearCode code, Linearize(schedule, target));
  Planner planner(std::move(code), schedule, target);
  if (const PairedLoops loops = planner.LoopsToPair(); !loops.empty()) {
    PLINTH_ASSIGN_OR_RETURN(LinearCode paired_code, Linearize(schedule, target, loops));
    Planner paired(std::move(paired_code), schedule, target);
    if (paired.CopiesInLoops() < planner.CopiesInLoops()) return paired.Run();
  }
  return planner.Run();
}

}  // namespace plinth::compiler::plan
