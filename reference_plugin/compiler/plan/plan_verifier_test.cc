// SPDX-License-Identifier: Apache-2.0
// What Verify finds in plans, and the regions that it checks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/plan/plan_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::plan {
namespace {

using ::testing::HasSubstr;

std::string BrokenPlan(Plan plan, const std::function<void(Plan&)>& break_it) {
  break_it(plan);
  return std::string(Verify(plan).message());
}

TEST(PlanVerifierTest, SeesBadPlans) {
  ScheduleBuilder b;
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

TEST(PlanVerifierTest, RegionsOfLoopsAndBranches) {
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

TEST(PlanVerifierTest, SeesWrongWorkInPlace) {
  ScheduleBuilder b;
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

TEST(PlanVerifierTest, SeesStoragesThatOverlap) {
  ScheduleBuilder b;
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

}  // namespace
}  // namespace plinth::compiler::plan
