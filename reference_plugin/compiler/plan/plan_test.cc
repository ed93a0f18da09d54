// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/plan/plan.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference_plugin/compiler/plan/plan_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::plan {
namespace {

int CountCopies(const Plan& plan) {
  int copies = 0;
  for (const PlanStep& step : plan.steps) copies += step.kind == PlanStepKind::kCopy;
  return copies;
}

TEST(PlanTest, ChainWorksInPlaceInTheOutput) {
  ScheduleBuilder b;
  int32_t value = b.Argument(256);
  for (int i = 0; i < 5; ++i) value = b.Step(b.schedule.entry, {value}, {256}, {{0, 0}})[0];
  b.schedule.entry.results = {value};
  Plan plan = PlanAndCompare(b.schedule);
  EXPECT_EQ(plan.arena_size, 0);
  EXPECT_EQ(plan.allocations.size(), 2u);
}

TEST(PlanTest, TemporariesReuseTheArena) {
  ScheduleBuilder b;
  int32_t value = b.Argument(256);
  for (int i = 0; i < 10; ++i) value = b.Step(b.schedule.entry, {value}, {256})[0];
  b.schedule.entry.results = {value};
  EXPECT_EQ(PlanAndCompare(b.schedule).arena_size, 512);
}

TEST(PlanTest, ArgumentsAndConstantsAreNeverWrittenUnlessGivenAway) {
  ScheduleBuilder b;
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
  ScheduleBuilder b;
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
  ScheduleBuilder b;
  b.schedule.entry.results = {b.Argument(1 << 20)};
  EXPECT_GT(PlanAndCompare(b.schedule).cost_ns, 50'000);
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
  ScheduleBuilder b;
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
  ScheduleBuilder b;
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
    ScheduleBuilder b;
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
  ScheduleBuilder b;
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
  ScheduleBuilder b;
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

}  // namespace
}  // namespace plinth::compiler::plan
