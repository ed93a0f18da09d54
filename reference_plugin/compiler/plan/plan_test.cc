// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "reference_plugin/compiler/plan/arena.h"
#include "reference_plugin/compiler/plan/linear_code.h"
#include "reference_plugin/compiler/plan/liveness.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::plan {
namespace {

using ::testing::HasSubstr;

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

// Builds schedules; step uids travel in cost_ns.
struct Builder {
  Schedule schedule;
  double next_uid = 1;

  int32_t Value(int64_t bytes) {
    ArrayValue value;
    value.type = Type::Tensor(DType::kU8, Dims{bytes});
    schedule.values.push_back(value);
    return static_cast<int32_t>(schedule.values.size()) - 1;
  }
  int32_t Argument(int64_t bytes) {
    int32_t value = Value(bytes);
    schedule.values[value].argument = static_cast<int32_t>(schedule.entry.arguments.size());
    schedule.entry.arguments.push_back(value);
    return value;
  }
  int32_t Constant(int64_t bytes) {
    int32_t value = Value(bytes);
    auto allocation = std::make_shared<std::vector<std::byte>>(bytes);
    schedule.values[value].constant =
        MakeAttributes(ConstantAttributes{*allocation, /*is_splat=*/false, allocation});
    return value;
  }
  int32_t View(int32_t of) {
    int32_t value = Value(schedule.values[of].type.SizeInBytes());
    schedule.values[value].view_of = of;
    return value;
  }
  std::vector<int32_t> Step(ScheduleBlock& block, std::vector<int32_t> operands,
                            std::vector<int64_t> result_bytes, std::vector<InPlace> in_place = {}) {
    ScheduleStep step;
    step.kind = StepKind::kKernel;
    step.cost_ns = next_uid++;
    step.operands = std::move(operands);
    for (int64_t bytes : result_bytes) step.results.push_back(Value(bytes));
    step.in_place = std::move(in_place);
    block.steps.push_back(step);
    return step.results;
  }
};

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

// The plan for the plain target.
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

int CountCopies(const Plan& plan) {
  int copies = 0;
  for (const PlanStep& step : plan.steps) copies += step.kind == PlanStepKind::kCopy;
  return copies;
}

TEST(PlanTest, ChainWorksInPlaceInTheOutput) {
  Builder b;
  int32_t value = b.Argument(256);
  for (int i = 0; i < 5; ++i) value = b.Step(b.schedule.entry, {value}, {256}, {{0, 0}})[0];
  b.schedule.entry.results = {value};
  Plan plan = PlanAndCompare(b.schedule);
  EXPECT_EQ(plan.arena_size, 0);
  EXPECT_EQ(plan.allocations.size(), 2u);
}

TEST(PlanTest, TemporariesReuseTheArena) {
  Builder b;
  int32_t value = b.Argument(256);
  for (int i = 0; i < 10; ++i) value = b.Step(b.schedule.entry, {value}, {256})[0];
  b.schedule.entry.results = {value};
  EXPECT_EQ(PlanAndCompare(b.schedule).arena_size, 512);
}

TEST(PlanTest, ArgumentsAndConstantsAreNeverWrittenUnlessGivenAway) {
  Builder b;
  int32_t argument = b.Argument(64), constant = b.Constant(64);
  int32_t x = b.Step(b.schedule.entry, {argument}, {64}, {{0, 0}})[0];
  int32_t y = b.Step(b.schedule.entry, {constant}, {64}, {{0, 0}})[0];
  b.schedule.entry.results = {x, y, argument, constant, x};
  Plan plan = PlanAndCompare(b.schedule);
  EXPECT_EQ(CountCopies(plan), 3) << ToString(plan);  // The argument, the constant, x once more.
  for (const ArrayRef& output : plan.outputs) {
    EXPECT_EQ(plan.allocations[output.allocation].kind, AllocationKind::kOutput);
  }
}

TEST(PlanTest, ArgumentsGivenAwayAreReturnedAsTheyAre) {
  Builder b;
  int32_t x = b.Argument(64), y = b.Argument(64), kept = b.Argument(64);
  b.schedule.entry.results = {y, b.View(x), kept};
  b.schedule.donations = {{0, 0}, {1, 1}};
  Plan plan = PlanAndCompare(b.schedule);
  EXPECT_EQ(CountCopies(plan), 1) << ToString(plan);
  const Allocation &first = plan.allocations[plan.outputs[0].allocation],
                   &second = plan.allocations[plan.outputs[1].allocation];
  EXPECT_EQ(first.index, 1);
  EXPECT_EQ(second.index, 0);
  EXPECT_TRUE(first.donated && second.donated);
}

TEST(PlanTest, CopiesCount) {
  Builder b;
  b.schedule.entry.results = {b.Argument(1 << 20)};
  EXPECT_GT(PlanAndCompare(b.schedule).cost_ns, 50'000);
}

// A loop in a loop in a branch; the other branch is cheap.
Schedule NestedLoops(double outer_trips, double inner_trips) {
  Builder b;
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

double CostOfNestedLoops(double outer_trips, double inner_trips) {
  return PlanAndCompare(NestedLoops(outer_trips, inner_trips)).cost_ns;
}

TEST(PlanTest, LoopsOfUnknownLengthCostWhateverElseRunsInThem) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  EXPECT_EQ(CostOfNestedLoops(kUnknown, 0), kUnknown);
  EXPECT_EQ(CostOfNestedLoops(kUnknown, 1), kUnknown);
  EXPECT_EQ(CostOfNestedLoops(1, kUnknown), kUnknown);
  // Never reached: a loop that makes no turn, whatever its body.
  EXPECT_LT(CostOfNestedLoops(0, kUnknown), 1000);
  EXPECT_GT(CostOfNestedLoops(0, kUnknown), 0);
}

TEST(PlanTest, DonationLendsTheArgumentToTheOutput) {
  Builder b;
  int32_t parameter = b.Argument(1024), gradient = b.Argument(1024);
  int32_t updated = b.Step(b.schedule.entry, {parameter, gradient}, {1024}, {{0, 0}, {1, 0}})[0];
  b.schedule.entry.results = {updated};
  b.schedule.donations = {{0, 0}};
  Plan plan = PlanAndCompare(b.schedule);
  const Allocation& allocation = plan.allocations[plan.outputs[0].allocation];
  EXPECT_EQ(allocation.kind, AllocationKind::kArgument);
  EXPECT_EQ(allocation.index, 0);
  EXPECT_TRUE(allocation.donated);
}

TEST(PlanTest, UpdateInALoopCopiesOnceBeforeIt) {
  Builder b;
  int32_t array = b.Argument(4096), count = b.Argument(8);
  ScheduleStep loop;
  loop.kind = StepKind::kWhile;
  loop.operands = {array, count};
  loop.blocks.resize(2);
  ScheduleBlock &condition = loop.blocks[0], &body = loop.blocks[1];
  condition.arguments = {b.Value(4096), b.Value(8)};
  condition.results = b.Step(condition, {condition.arguments[1]}, {1});
  body.arguments = {b.Value(4096), b.Value(8)};
  int32_t updated = b.Step(body, {body.arguments[0]}, {4096}, {{0, 0, true}})[0];
  int32_t next = b.Step(body, {body.arguments[1]}, {8}, {{0, 0}})[0];
  body.results = {updated, next};
  loop.results = {b.Value(4096), b.Value(8)};
  b.schedule.entry.results = {loop.results[0]};
  b.schedule.entry.steps.push_back(loop);
  Plan plan = PlanAndCompare(b.schedule);
  EXPECT_EQ(CountCopies(plan), 2) << ToString(plan);  // Both arguments, before the loop.
  EXPECT_EQ(plan.allocations[plan.outputs[0].allocation].kind, AllocationKind::kOutput);
}

// One branch updates the array, the others return it unchanged.
TEST(PlanTest, BranchesThatUpdateOrReturnAnArrayInALoopCopyNothing) {
  for (size_t update_at : {0u, 1u, 2u}) {
    Builder b;
    const int32_t array = b.Argument(4096), count = b.Argument(8), index = b.Argument(4);
    ScheduleStep loop;
    loop.kind = StepKind::kWhile;
    loop.operands = {array, count};
    loop.blocks.resize(2);
    ScheduleBlock &condition = loop.blocks[0], &body = loop.blocks[1];
    condition.arguments = {b.Value(4096), b.Value(8)};
    condition.results = b.Step(condition, {condition.arguments[1]}, {1});
    body.arguments = {b.Value(4096), b.Value(8)};
    ScheduleStep branches;
    branches.kind = StepKind::kCase;
    branches.operands = {index};
    branches.blocks.resize(3);
    for (size_t i = 0; i < 3; ++i) {
      ScheduleBlock& branch = branches.blocks[i];
      branch.results = {body.arguments[0]};
      if (i != update_at) continue;
      branch.results = b.Step(branch, {body.arguments[0]}, {4096}, {{0, 0, true}});
    }
    branches.results = {b.Value(4096)};
    body.steps.push_back(branches);
    const int32_t next = b.Step(body, {body.arguments[1]}, {8}, {{0, 0}})[0];
    body.results = {branches.results[0], next};
    loop.results = {b.Value(4096), b.Value(8)};
    b.schedule.entry.results = {loop.results[0]};
    b.schedule.entry.steps.push_back(loop);
    const Plan plan = PlanAndCompare(b.schedule);
    EXPECT_EQ(CountCopies(plan), 2) << ToString(plan);  // Both arguments, before the loop.
  }
}

TEST(PlanTest, SwappedCarriesNeedOneTemporary) {
  Builder b;
  ScheduleStep loop;
  loop.kind = StepKind::kWhile;
  loop.operands = {b.Argument(64), b.Argument(64), b.Argument(8)};
  loop.blocks.resize(2);
  ScheduleBlock &condition = loop.blocks[0], &body = loop.blocks[1];
  condition.arguments = {b.Value(64), b.Value(64), b.Value(8)};
  condition.results = b.Step(condition, {condition.arguments[2]}, {1});
  body.arguments = {b.Value(64), b.Value(64), b.Value(8)};
  body.results = {body.arguments[1], body.arguments[0],
                  b.Step(body, {body.arguments[2]}, {8}, {{0, 0}})[0]};
  loop.results = {b.Value(64), b.Value(64), b.Value(8)};
  b.schedule.entry.results = {loop.results[1], loop.results[0]};
  b.schedule.entry.steps.push_back(loop);
  Plan plan = PlanAndCompare(b.schedule);
  EXPECT_EQ(CountCopies(plan), 3 + 3) << ToString(plan);
}

// A loop that swaps two arrays and makes a third anew from the whole of it.
Schedule ExchangingLoop() {
  Builder b;
  ScheduleStep loop;
  loop.kind = StepKind::kWhile;
  loop.trips = 100;
  loop.operands = {b.Argument(64), b.Argument(64), b.Argument(64), b.Argument(8)};
  loop.blocks.resize(2);
  for (ScheduleBlock& block : loop.blocks) {
    block.arguments = {b.Value(64), b.Value(64), b.Value(64), b.Value(8)};
  }
  ScheduleBlock &condition = loop.blocks[0], &body = loop.blocks[1];
  ScheduleStep test;
  test.kind = StepKind::kKernel;
  test.cost_ns = 50;
  test.operands = {condition.arguments[3]};
  test.results = {b.Value(1)};
  condition.steps = {test};
  condition.results = test.results;
  body.results = {body.arguments[1], body.arguments[0], b.Step(body, {body.arguments[2]}, {64})[0],
                  b.Step(body, {body.arguments[3]}, {8}, {{0, 0}})[0]};
  loop.results = {b.Value(64), b.Value(64), b.Value(64), b.Value(8)};
  b.schedule.entry.results = {loop.results[1], loop.results[0], loop.results[2]};
  b.schedule.entry.steps.push_back(loop);
  return b.schedule;
}

TEST(PlanTest, TwoTurnsExchangeTheirStorages) {
  const Plan plan = PlanAndCompare(ExchangingLoop());
  // The loop's test, then that of the second turn, which jumps to what leaves the loop.
  std::vector<size_t> tests;
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    if (plan.steps[k].kind == PlanStepKind::kJumpUnless) tests.push_back(k);
  }
  ASSERT_EQ(tests.size(), 2u) << ToString(plan);
  for (size_t k = tests[0]; k < static_cast<size_t>(plan.steps[tests[1]].targets[0]); ++k) {
    EXPECT_NE(plan.steps[k].kind, PlanStepKind::kCopy) << ToString(plan);
  }
}

TEST(PlanTest, LoopsOfManyStepsAreNotPaired) {
  Target target = testing::kPlainTarget;
  for (int32_t steps : {0, 12, 13}) {
    target.loops.paired_steps = steps;
    const auto plan = PlanMemory(ExchangingLoop(), target);
    ASSERT_TRUE(plan.ok());
    int tests = 0;
    for (const PlanStep& step : plan->steps) tests += step.kind == PlanStepKind::kJumpUnless;
    EXPECT_EQ(tests, steps == 13 ? 2 : 1) << ToString(*plan);
  }
}

// Random programs with loops, branches, views, donation and in-place hints of both kinds.
class RandomSchedule {
 public:
  explicit RandomSchedule(uint32_t seed) : random_(seed) {}

  Schedule Make() {
    std::vector<int32_t> values;
    for (int i = 0; i < 4; ++i) values.push_back(b_.Argument(Bytes()));
    for (int i = 0; i < 2; ++i) values.push_back(b_.Constant(Bytes()));
    Fill(b_.schedule.entry, values, 2);
    for (int i = 0; i < 4; ++i) b_.schedule.entry.results.push_back(Pick(values));
    for (int i = 0; i < 4; ++i) {
      if (Below(2) == 0) b_.schedule.donations.push_back({i, Below(3) == 0 ? Below(4) : -1});
    }
    return std::move(b_.schedule);
  }

 private:
  int Below(int limit) { return static_cast<int>(random_() % limit); }
  int64_t Bytes() { return Below(3) == 0 ? 100 : 64; }
  int32_t Pick(const std::vector<int32_t>& values) {
    return values[Below(static_cast<int>(values.size()))];
  }
  int64_t BytesOf(int32_t value) { return b_.schedule.values[value].type.SizeInBytes(); }

  void Fill(ScheduleBlock& block, std::vector<int32_t>& values, int depth) {
    for (int i = Below(8) + 1; i > 0; --i) {
      int choice = Below(10);
      if (choice == 0 && depth > 0) {
        AddWhile(block, values, depth);
      } else if (choice == 1 && depth > 0) {
        AddCase(block, values, depth);
      } else if (choice == 2) {
        values.push_back(b_.View(Pick(values)));
      } else {
        std::vector<int32_t> operands;
        for (int n = Below(3) + 1; n > 0; --n) operands.push_back(Pick(values));
        int64_t bytes = BytesOf(operands[0]);
        std::vector<InPlace> in_place;
        int kind = Below(4);
        if (kind == 0) in_place.push_back({0, 0, true});
        if (kind == 1) in_place.push_back({0, 0, false});
        for (int32_t r : b_.Step(block, operands, {bytes, Bytes()}, in_place)) values.push_back(r);
      }
    }
  }

  void AddWhile(ScheduleBlock& block, std::vector<int32_t>& values, int depth) {
    ScheduleStep loop;
    loop.kind = StepKind::kWhile;
    loop.blocks.resize(2);
    int carries = Below(4) + 1;
    for (int i = 0; i < carries; ++i) loop.operands.push_back(Pick(values));
    for (ScheduleBlock& inner : loop.blocks) {
      for (int32_t operand : loop.operands) inner.arguments.push_back(b_.Value(BytesOf(operand)));
    }
    ScheduleBlock &condition = loop.blocks[0], &body = loop.blocks[1];
    condition.results = b_.Step(condition, {condition.arguments[0]}, {1});
    std::vector<int32_t> inside = values;
    inside.insert(inside.end(), body.arguments.begin(), body.arguments.end());
    Fill(body, inside, depth - 1);
    // The first carry changes every time, so that the loop ends.
    body.results = b_.Step(body, {body.arguments[0]}, {BytesOf(loop.operands[0])}, {{0, 0, false}});
    for (int i = 1; i < carries; ++i) {
      int32_t result = Pick(inside);
      while (BytesOf(result) != BytesOf(loop.operands[i])) result = Pick(inside);
      body.results.push_back(result);
    }
    for (int32_t operand : loop.operands) loop.results.push_back(b_.Value(BytesOf(operand)));
    values.insert(values.end(), loop.results.begin(), loop.results.end());
    block.steps.push_back(std::move(loop));
  }

  void AddCase(ScheduleBlock& block, std::vector<int32_t>& values, int depth) {
    ScheduleStep step;
    step.kind = StepKind::kCase;
    step.operands = {Pick(values)};
    step.blocks.resize(Below(2) + 2);
    int64_t bytes = BytesOf(Pick(values));
    for (ScheduleBlock& branch : step.blocks) {
      std::vector<int32_t> inside = values;
      Fill(branch, inside, depth - 1);
      int32_t result = Pick(inside);
      while (BytesOf(result) != bytes) result = Pick(inside);
      branch.results = {result};
    }
    step.results = {b_.Value(bytes)};
    values.push_back(step.results[0]);
    block.steps.push_back(std::move(step));
  }

  std::mt19937 random_;
  Builder b_;
};

TEST(PlanTest, RandomProgramsReadWhatTheyWrote) {
  for (uint32_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    PlanAndCompare(RandomSchedule(seed).Make());
  }
}

std::string BrokenPlan(Plan plan, const std::function<void(Plan&)>& break_it) {
  break_it(plan);
  return std::string(Verify(plan).message());
}

TEST(PlanTest, VerifierSeesBadPlans) {
  Builder b;
  int32_t argument = b.Argument(64);
  b.schedule.entry.results = b.Step(b.schedule.entry, {argument}, {64});
  const Plan good = PlanAndCompare(b.schedule);
  auto broken = [&](const std::function<void(Plan&)>& f) { return BrokenPlan(good, f); };
  EXPECT_THAT(broken([](Plan& p) { p.steps[0].results[0] = p.steps[0].operands[0]; }),
              HasSubstr("step 0 writes allocation 0, which is not its own"));
  EXPECT_THAT(broken([](Plan& p) {
                p.steps.insert(p.steps.begin(), p.steps[0]);
                p.steps[0].operands[0] = p.outputs[0];
                p.steps[0].results.clear();
              }),
              HasSubstr("step 0 reads allocation 1 before it is written"));
  EXPECT_THAT(broken([](Plan& p) { p.allocations[p.outputs[0].allocation].size = 8; }),
              HasSubstr("step 0 has a result of 64 bytes in allocation 1 of 8"));
  EXPECT_THAT(broken([](Plan& p) { p.outputs[0] = p.steps[0].operands[0]; }),
              HasSubstr("an output is in allocation 0, which is not its own"));
  EXPECT_THAT(broken([](Plan& p) { p.outputs.push_back(p.outputs[0]); }),
              HasSubstr("an output is in allocation 1"));
  EXPECT_THAT(broken([](Plan& p) { p.steps.clear(); }), HasSubstr("not written on every path"));
}

TEST(PlanTest, RegionsOfLoopsAndBranches) {
  auto planned = PlanMemory(NestedLoops(3, 5), testing::kOddTarget);
  ASSERT_TRUE(planned.ok());
  const Plan& good = *planned;
  ASSERT_EQ(good.regions.size(), 3u) << ToString(good);
  const PlanRegion &branch = good.regions[0], &outer = good.regions[1], &inner = good.regions[2];
  EXPECT_EQ(branch.kind, PlanRegion::Kind::kBranch);
  EXPECT_EQ(branch.parent, -1);
  EXPECT_EQ(branch.branches.size(), 2u);
  EXPECT_EQ(outer.parent, 0);
  EXPECT_EQ(outer.trips, 3);
  EXPECT_EQ(inner.parent, 1);
  EXPECT_EQ(inner.trips, 5);
  EXPECT_GT(inner.begin, outer.test);
  EXPECT_TRUE(PlanMemory(NestedLoops(3, 5), testing::kPlainTarget)->regions.empty());

  auto broken = [&](const std::function<void(Plan&)>& f) { return BrokenPlan(good, f); };
  EXPECT_EQ(broken([](Plan&) {}), "");
  EXPECT_THAT(broken([](Plan& p) { p.regions.pop_back(); }), HasSubstr("is of no region"));
  EXPECT_THAT(broken([](Plan& p) { p.regions[2].parent = 0; }),
              HasSubstr("region 2 is not within one part of region 0"));
  EXPECT_THAT(broken([](Plan& p) { p.regions[1].parent = 2; }), HasSubstr("within region 2"));
  EXPECT_THAT(broken([](Plan& p) { p.regions[2].parent = -1; }),
              HasSubstr("region 2 is not within one part of region -1"));
  EXPECT_THAT(broken([](Plan& p) { ++p.regions[2].test; }),
              HasSubstr("the jumps of region 2 are not those of a loop"));
  EXPECT_THAT(broken([](Plan& p) { p.regions[1].trips = -1; }),
              HasSubstr("the jumps of region 1 are not those of a loop"));
  EXPECT_THAT(broken([](Plan& p) { p.regions[0].branches.pop_back(); }),
              HasSubstr("the jumps of region 0 are not those of a branch"));
  EXPECT_THAT(broken([](Plan& p) { p.control_flow = ControlFlow::kJumps; }),
              HasSubstr("a plan of jumps has regions"));
}

TEST(PlanTest, VerifierSeesWrongWorkInPlace) {
  Builder b;
  int32_t argument = b.Argument(64);
  int32_t a = b.Step(b.schedule.entry, {argument}, {64})[0];
  int32_t updated = b.Step(b.schedule.entry, {a}, {64, 64}, {{0, 0, true}})[0];
  b.schedule.entry.results = {b.Step(b.schedule.entry, {updated}, {64}, {{0, 0, false}})[0]};
  const Plan good = PlanAndCompare(b.schedule);
  ASSERT_EQ(good.steps.size(), 3u) << ToString(good);
  auto broken = [&](const std::function<void(Plan&)>& f) { return BrokenPlan(good, f); };
  EXPECT_THAT(
      broken([](Plan& p) { p.steps[1].results[0].allocation = p.steps[1].results[1].allocation; }),
      HasSubstr("step 1 updates operand 0 in allocation 1, but its result is in allocation 2"));
  EXPECT_THAT(broken([](Plan& p) { p.steps[1].results[1] = p.steps[1].results[0]; }),
              HasSubstr("step 1 writes two results to allocation 1"));
  EXPECT_THAT(broken([](Plan& p) { p.steps[2].in_place.clear(); }),
              HasSubstr("step 2 writes result 0 over operand 0 in allocation 1, which it may not"));
  EXPECT_THAT(broken([](Plan& p) { p.steps[2].in_place[0].operand = 1; }),
              HasSubstr("step 2 may write result 0 over operand 1"));
}

TEST(PlanTest, VerifierSeesStoragesThatOverlap) {
  Builder b;
  int32_t argument = b.Argument(64);
  int32_t x = b.Step(b.schedule.entry, {argument}, {128})[0];
  int32_t y = b.Step(b.schedule.entry, {argument}, {128})[0];
  int32_t z = b.Step(b.schedule.entry, {x, y}, {64})[0];
  int32_t later = b.Step(b.schedule.entry, {z}, {128})[0];
  b.schedule.entry.results = b.Step(b.schedule.entry, {later}, {64});
  const Plan good = PlanAndCompare(b.schedule);
  const int32_t of_x = good.steps[0].results[0].allocation,
                of_y = good.steps[1].results[0].allocation;
  const int32_t of_later = good.steps[3].results[0].allocation;
  auto moved = [&](int32_t allocation, int64_t offset) {
    return BrokenPlan(good, [&](Plan& p) { p.allocations[allocation].arena_offset = offset; });
  };
  const int64_t x_at = good.allocations[of_x].arena_offset,
                y_at = good.allocations[of_y].arena_offset;
  const std::string words = StrCat("allocations ", of_x, " and ", of_y,
                                   " share bytes of the arena, and both are needed at step 1");
  EXPECT_THAT(moved(of_y, x_at), HasSubstr(words));
  EXPECT_THAT(moved(of_y, (x_at + y_at) / 2), HasSubstr(words));
  // What is not needed any more lends its place.
  EXPECT_EQ(moved(of_later, x_at), "");
  EXPECT_EQ(moved(of_later, y_at), "");
}

constexpr int64_t kAlignment = 64;

TEST(ArenaTest, LiveBlocksAreDisjoint) {
  std::mt19937 random(1);
  std::vector<ArenaBlock> blocks;
  for (int i = 0; i < 300; ++i) {
    int32_t begin = static_cast<int32_t>(random() % 100);
    blocks.push_back({static_cast<int64_t>(random() % 1000), begin,
                      begin + static_cast<int32_t>(random() % 20)});
  }
  int64_t size = LayOutArena(blocks, kAlignment);
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_LE(blocks[i].offset + blocks[i].size, size);
    EXPECT_EQ(blocks[i].offset % kAlignment, 0);
    for (size_t j = 0; j < i; ++j) {
      bool in_time = blocks[i].begin <= blocks[j].end && blocks[j].begin <= blocks[i].end;
      bool in_space = blocks[i].offset < blocks[j].offset + blocks[j].size &&
                      blocks[j].offset < blocks[i].offset + blocks[i].size;
      EXPECT_FALSE(in_time && in_space) << i << " and " << j;
    }
  }
}

// Best fit in order of begin, by looking at everything that is alive.
void LayOutOneByOne(std::vector<ArenaBlock>& blocks) {
  std::vector<ArenaBlock*> order;
  for (ArenaBlock& block : blocks) order.push_back(&block);
  std::stable_sort(order.begin(), order.end(), [](const ArenaBlock* a, const ArenaBlock* b) {
    return a->begin != b->begin ? a->begin < b->begin : a->size > b->size;
  });
  std::vector<ArenaBlock*> alive;
  for (ArenaBlock* block : order) {
    std::erase_if(alive, [&](const ArenaBlock* other) { return other->end < block->begin; });
    std::sort(alive.begin(), alive.end(),
              [](const ArenaBlock* a, const ArenaBlock* b) { return a->offset < b->offset; });
    int64_t smallest = std::numeric_limits<int64_t>::max(), gap_begin = 0;
    for (const ArenaBlock* other : alive) {
      const int64_t gap = other->offset - gap_begin;
      if (gap >= block->size && gap < smallest) {
        smallest = gap;
        block->offset = gap_begin;
      }
      gap_begin = other->offset + (other->size + kAlignment - 1) / kAlignment * kAlignment;
    }
    if (smallest == std::numeric_limits<int64_t>::max()) block->offset = gap_begin;
    alive.push_back(block);
  }
}

TEST(ArenaTest, IsBestFit) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<ArenaBlock> blocks;
    for (int i = 0; i < 200; ++i) {
      const auto begin = static_cast<int32_t>(random() % 100);
      blocks.push_back({static_cast<int64_t>(random() % 1000) + 1, begin,
                        begin + static_cast<int32_t>(random() % 20)});
    }
    std::vector<ArenaBlock> expected = blocks;
    LayOutOneByOne(expected);
    LayOutArena(blocks, kAlignment);
    for (size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_EQ(blocks[i].offset, expected[i].offset) << "block " << i << " of round " << round;
    }
  }
}

// Would take many minutes if each block, or each that ends, looked at all that are alive.
TEST(ArenaTest, ManyBlocksAliveAtOnce) {
  constexpr int32_t kBlocks = 1 << 19;
  std::vector<ArenaBlock> blocks;
  for (int32_t i = 0; i < kBlocks; ++i) {
    // Every second one makes room for another, in the order in which they began.
    blocks.push_back({64, i, i % 2 == 0 ? 4 * kBlocks : kBlocks + i});
  }
  for (int32_t i = 1; i < kBlocks; i += 2) blocks.push_back({64, kBlocks + i + 1, 4 * kBlocks});
  EXPECT_EQ(LayOutArena(blocks, kAlignment), int64_t{64} * kBlocks);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const int64_t place = i < kBlocks ? i : 2 * (i - kBlocks) + 1;
    ASSERT_EQ(blocks[i].offset, 64 * place);
  }
}

TEST(ArenaTest, MoreThanNumbersCanSay) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  std::vector<ArenaBlock> blocks(4, ArenaBlock{int64_t{1} << 61, 0, 1});
  EXPECT_EQ(LayOutArena(blocks, kAlignment), most);
  blocks.resize(3);
  EXPECT_EQ(LayOutArena(blocks, kAlignment), int64_t{3} << 61);
}

TEST(LiveSetTest, TouchIsAllowedOnlyWhereNamed) {
  auto never = [](int32_t) { return false; };
  for (bool swapped : {false, true}) {
    LiveSet a({{0, 4}}), b({{4, 8}});
    if (swapped) std::swap(a, b);
    EXPECT_FALSE(AreDisjoint(a, b, never));
    EXPECT_TRUE(AreDisjoint(a, b, [](int32_t at) { return at == 4; }));
    EXPECT_FALSE(AreDisjoint(a, b, [](int32_t at) { return at == 2; }));
  }
  EXPECT_TRUE(AreDisjoint(LiveSet({{0, 1}, {6, 7}}), LiveSet({{2, 5}, {8, 9}}), never));
  auto always = [](int32_t) { return true; };
  for (LiveRange inside : {LiveRange{4, 8}, {4, 6}, {6, 8}, {5, 7}, {2, 5}, {7, 9}, {0, 20}}) {
    EXPECT_FALSE(AreDisjoint(LiveSet({{0, 2}, {4, 8}, {12, 14}}), LiveSet({inside}), always));
    EXPECT_FALSE(AreDisjoint(LiveSet({inside}), LiveSet({{0, 2}, {4, 8}, {12, 14}}), always));
  }
}

TEST(LiveSetTest, RangesThatTouchAreOne) {
  LiveSet set({{0, 2}, {4, 6}});
  set.Absorb(LiveSet({{2, 4}, {9, 10}}));
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(set.begin(), 0);
  EXPECT_EQ(set.end(), 10);
  EXPECT_TRUE(AreDisjoint(set, LiveSet({{7, 8}}), [](int32_t) { return false; }));
  LiveSet chain;
  for (int32_t i = 0; i < 1000; ++i) chain.Absorb(LiveSet({{2 * i, 2 * i + 2}}));
  EXPECT_EQ(chain.size(), 1u);
}

// What planning a step of many operands costs: each range moves few times, whichever set of two
// takes the other in.
TEST(LiveSetTest, TheSmallerSetMoves) {
  constexpr int32_t kRanges = 1 << 14;
  LiveSet grown;
  size_t moved = 0;
  for (int32_t i = 0; i < kRanges; ++i) {
    LiveSet next({{4 * i, 4 * i + 1}});
    moved += i % 2 == 0 ? next.Absorb(std::move(grown)) : grown.Absorb(std::move(next));
    if (i % 2 == 0) grown = std::move(next);
  }
  EXPECT_EQ(grown.size(), size_t{kRanges});
  EXPECT_LE(moved, size_t{kRanges});

  // Always two of one size: a logarithm of moves each.
  std::vector<LiveSet> sets;
  for (int32_t i = 0; i < kRanges; ++i) sets.push_back(LiveSet({{4 * i, 4 * i + 1}}));
  moved = 0;
  for (; sets.size() > 1; sets.resize(sets.size() / 2)) {
    for (size_t i = 0; i < sets.size() / 2; ++i) {
      moved += sets[i].Absorb(std::move(sets[i + sets.size() / 2]));
    }
  }
  EXPECT_EQ(sets[0].size(), size_t{kRanges});
  EXPECT_LE(moved, size_t{kRanges} * 14 / 2);
}

}  // namespace
}  // namespace plinth::compiler::plan
