// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/plan/plan_test_util.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::plan {
namespace {

// Arrays are stood for by a hash of how they were computed, so that a plan that reads stale or
// overwritten bytes computes another hash than the schedule it was made from.
using Hash = uint64_t;

Hash Mix(Hash a, Hash b) {
  a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
  a *= 0xff51afd7ed558ccdu;
  return a ^ (a >> 33);
}
Hash ResultOf(double uid, int result, const std::vector<Hash>& operands) {
  Hash hash = Mix(static_cast<Hash>(uid), result);
  for (Hash operand : operands) hash = Mix(hash, operand);
  return hash;
}
bool IsTrue(Hash hash) { return hash % 4 != 0; }
Hash HashOf(const std::shared_ptr<const Attributes>& constant) {
  return reinterpret_cast<Hash>(std::get_if<ConstantAttributes>(constant.get())->bytes.data());
}
Hash ArgumentHash(int32_t argument) { return 1000 + argument; }

// Runs the schedule with a place of its own for every value.
class ScheduleRunner {
 public:
  explicit ScheduleRunner(const Schedule& schedule) : schedule_(schedule) {}
  std::vector<Hash> Run() {
    RunBlock(schedule_.entry);
    return Results(schedule_.entry);
  }

 private:
  Hash Get(int32_t value) {
    while (schedule_.values[value].view_of >= 0) value = schedule_.values[value].view_of;
    const ArrayValue& array = schedule_.values[value];
    if (array.argument >= 0) return ArgumentHash(array.argument);
    if (array.constant) return HashOf(array.constant);
    return hashes_.at(value);
  }
  std::vector<Hash> Results(const ScheduleBlock& block) {
    std::vector<Hash> hashes;
    for (int32_t result : block.results) hashes.push_back(Get(result));
    return hashes;
  }
  void RunBlock(const ScheduleBlock& block) {
    for (const ScheduleStep& step : block.steps) {
      std::vector<Hash> operands;
      for (int32_t operand : step.operands) operands.push_back(Get(operand));
      std::vector<Hash> results;
      if (step.kind == StepKind::kWhile) {
        results = operands;
        for (;;) {
          Bind(step.blocks[0].arguments, results);
          RunBlock(step.blocks[0]);
          if (!IsTrue(Get(step.blocks[0].results[0]))) break;
          Bind(step.blocks[1].arguments, results);
          RunBlock(step.blocks[1]);
          results = Results(step.blocks[1]);
        }
      } else if (step.kind == StepKind::kCase) {
        const ScheduleBlock& branch = step.blocks[operands[0] % step.blocks.size()];
        RunBlock(branch);
        results = Results(branch);
      } else {
        for (size_t i = 0; i < step.results.size(); ++i) {
          results.push_back(ResultOf(step.cost_ns, static_cast<int>(i), operands));
        }
      }
      Bind(step.results, results);
    }
  }
  void Bind(const std::vector<int32_t>& values, const std::vector<Hash>& hashes) {
    for (size_t i = 0; i < values.size(); ++i) hashes_[values[i]] = hashes[i];
  }

  const Schedule& schedule_;
  std::map<int32_t, Hash> hashes_;
};

// Runs the plan in memory whose granules hold hashes.
class PlanRunner {
 public:
  PlanRunner(const Plan& plan, const Schedule& schedule)
      : plan_(plan), arena_(plan.arena_size / plan.arena_alignment) {
    FindHints(schedule.entry);
    for (const Allocation& allocation : plan.allocations) {
      Hash initial = allocation.kind == AllocationKind::kArgument   ? ArgumentHash(allocation.index)
                     : allocation.kind == AllocationKind::kConstant ? HashOf(allocation.constant)
                                                                    : 0;
      own_.push_back(initial);
    }
  }
  std::vector<Hash> Run() {
    size_t k = 0;
    while (k < plan_.steps.size()) {
      const PlanStep& step = plan_.steps[k++];
      std::vector<Hash> operands = ReadOperands(step);
      if (step.kind == PlanStepKind::kJump) {
        k = step.targets[0];
      } else if (step.kind == PlanStepKind::kJumpUnless) {
        if (!IsTrue(operands[0])) k = step.targets[0];
      } else if (step.kind == PlanStepKind::kSwitch) {
        k = step.targets[operands[0] % step.targets.size()];
      } else {
        for (size_t i = 0; i < step.results.size(); ++i) {
          Write(step.results[i].allocation,
                step.kind == PlanStepKind::kCopy
                    ? operands[0]
                    : ResultOf(step.cost_ns, static_cast<int>(i), operands));
        }
      }
    }
    std::vector<Hash> outputs;
    for (const ArrayRef& output : plan_.outputs) outputs.push_back(Read(output.allocation));
    return outputs;
  }

 private:
  void FindHints(const ScheduleBlock& block) {
    for (const ScheduleStep& step : block.steps) {
      for (const InPlace& hint : step.in_place) hints_.insert({step.cost_ns, hint.operand});
      for (const ScheduleBlock& inner : step.blocks) FindHints(inner);
    }
  }
  // A step may read operands without a hint when it has already written: they must lie elsewhere.
  std::vector<Hash> ReadOperands(const PlanStep& step) {
    std::vector<Hash> operands(step.operands.size());
    bool in_place[2] = {true, false};
    for (bool hinted : in_place) {
      for (size_t i = 0; i < operands.size(); ++i) {
        bool has_hint = step.kind == PlanStepKind::kCopy || hints_.count({step.cost_ns, i}) > 0;
        if (has_hint == hinted) operands[i] = Read(step.operands[i].allocation);
      }
      for (const ArrayRef& result : step.results) Write(result.allocation, 0);
    }
    return operands;
  }

  template <typename F>
  void ForGranules(const Allocation& allocation, F f) {
    for (int64_t at = 0; at < allocation.size; at += plan_.arena_alignment) {
      f(arena_[(allocation.arena_offset + at) / plan_.arena_alignment]);
    }
  }
  Hash Read(int32_t number) {
    const Allocation& allocation = plan_.allocations[number];
    if (allocation.kind != AllocationKind::kArena) return own_[number];
    Hash hash = arena_[allocation.arena_offset / plan_.arena_alignment];
    ForGranules(allocation, [&](Hash granule) {
      if (granule != hash) hash = Mix(hash, granule);  // torn: no value has this hash
    });
    return hash;
  }
  void Write(int32_t number, Hash hash) {
    const Allocation& allocation = plan_.allocations[number];
    if (allocation.kind != AllocationKind::kArena) {
      own_[number] = hash;
    } else {
      ForGranules(allocation, [&](Hash& granule) { granule = hash; });
    }
  }

  const Plan& plan_;
  std::set<std::pair<double, int32_t>> hints_;  // step uid and operand
  std::vector<Hash> arena_;
  std::vector<Hash> own_;
};

}  // namespace

Plan PlanAndCompare(const Schedule& schedule) {
  Plan plain;
  for (const Target* target : {&testing::kOddTarget, &testing::kPlainTarget}) {
    auto plan = PlanMemory(schedule, *target);
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    Status verified = Verify(*plan);
    EXPECT_TRUE(verified.ok()) << verified.ToString() << "\n" << ToString(*plan);
    EXPECT_EQ(PlanRunner(*plan, schedule).Run(), ScheduleRunner(schedule).Run()) << ToString(*plan);
    plain = *std::move(plan);
  }
  return plain;
}

Schedule NestedLoops(double outer_trips, double inner_trips) {
  ScheduleBuilder b;
  const int32_t count = b.Argument(8);
  auto loop_around = [&](double trips, const std::vector<ScheduleStep>& steps) {
    ScheduleStep loop;
    loop.kind = StepKind::kWhile;
    loop.trips = trips;
    loop.operands = {count};
    loop.results = {b.Value(8)};
    loop.blocks.resize(2);
    ScheduleBlock &condition = loop.blocks[0], &body = loop.blocks[1];
    condition.arguments = {b.Value(8)};
    condition.results = b.Step(condition, {condition.arguments[0]}, {1});
    body.arguments = {b.Value(8)};
    body.steps = steps;
    body.results = b.Step(body, {body.arguments[0]}, {8});
    return loop;
  };
  ScheduleStep branches;
  branches.kind = StepKind::kCase;
  branches.operands = {b.Argument(4)};
  branches.results = {b.Value(8)};
  branches.blocks.resize(2);
  branches.blocks[0].steps = {loop_around(outer_trips, {loop_around(inner_trips, {})})};
  branches.blocks[0].results = branches.blocks[0].steps[0].results;
  branches.blocks[1].results = b.Step(branches.blocks[1], {count}, {8});
  b.schedule.entry.results = branches.results;
  b.schedule.entry.steps.push_back(branches);
  return b.schedule;
}

}  // namespace plinth::compiler::plan
