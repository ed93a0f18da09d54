// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "reference_plugin/compiler/plan/schedule.h"

namespace plinth::compiler::plan {
namespace {

using ::testing::HasSubstr;

const Type kArray = Type::Tensor(DType::kF32, Dims{4});
const Type kBool = Type::Tensor(DType::kPred, Dims{});

ScheduleStep Library(std::vector<int32_t> operands, std::vector<int32_t> results) {
  ScheduleStep step;
  step.kind = StepKind::kLibrary;
  step.opcode = Opcode::kCholesky;
  step.operands = std::move(operands);
  step.results = std::move(results);
  return step;
}

// %0, %1 arguments; %2 = update(%0); %3 view of %2; (%8, %9) = while(%3, %1) with condition (%4,
// %5) and body (%6, %7) -> %10; %11 = if(%9) {%12} {%13}.
Schedule MakeGood() {
  Schedule schedule;
  for (int32_t i = 0; i < 14; ++i) {
    const bool is_bool = i == 1 || i == 5 || i == 7 || i == 9;
    schedule.values.push_back({is_bool ? kBool : kArray, -1, nullptr, -1});
  }
  schedule.values[0].argument = 0;
  schedule.values[1].argument = 1;
  schedule.values[3].view_of = 2;
  ScheduleBlock& entry = schedule.entry;
  entry.arguments = {0, 1};
  entry.steps.push_back(Library({0}, {2}));
  entry.steps[0].in_place = {{0, 0, true}};
  ScheduleStep loop;
  loop.kind = StepKind::kWhile;
  loop.operands = {3, 1};
  loop.results = {8, 9};
  loop.blocks.resize(2);
  loop.blocks[0].arguments = {4, 5};
  loop.blocks[0].results = {5};
  loop.blocks[1].arguments = {6, 7};
  loop.blocks[1].steps.push_back(Library({6, 2}, {10}));
  loop.blocks[1].results = {10, 7};
  entry.steps.push_back(loop);
  ScheduleStep branch;
  branch.kind = StepKind::kCase;
  branch.operands = {9};
  branch.results = {11};
  branch.blocks.resize(2);
  for (int i : {0, 1}) {
    branch.blocks[i].steps.push_back(Library({8}, {12 + i}));
    branch.blocks[i].results = {12 + i};
  }
  entry.steps.push_back(branch);
  entry.results = {11, 0};
  schedule.donations = {{0, -1}};
  return schedule;
}

std::string Broken(const std::function<void(Schedule&)>& break_it) {
  Schedule schedule = MakeGood();
  break_it(schedule);
  return std::string(Verify(schedule).message());
}

TEST(ScheduleVerifier, TakesWhatIsRight) {
  const Status status = Verify(MakeGood());
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(Verify(Schedule()).ok());
}

TEST(ScheduleVerifier, ValuesAreMadeOnceBeforeTheirUse) {
  EXPECT_THAT(Broken([](Schedule& s) { std::swap(s.entry.steps[0], s.entry.steps[1]); }),
              HasSubstr("while: %3 is used where it has not been made"));
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.results[0] = 10; }),
              HasSubstr("%10 is used where it has not been made"));  // Inside the loop only.
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[2].blocks[1].steps[0].operands = {12}; }),
              HasSubstr("%12 is used where it has not been made"));  // In the other branch.
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps.push_back(Library({0}, {2})); }),
              HasSubstr("library step cholesky: %2 is made twice"));
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[0].results = {0}; }),
              HasSubstr("%0 is made twice"));
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[0].results = {99}; }), HasSubstr("%99"));
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.results = {-1}; }), HasSubstr("%-1 of 14"));
  EXPECT_THAT(Broken([](Schedule& s) {
                s.entry.arguments = {1, 0};
              }),
              HasSubstr("%1 is not argument 0"));
  EXPECT_THAT(Broken([](Schedule& s) { s.values[10].argument = 2; }),
              HasSubstr("%10 names argument 2 of 2"));
}

TEST(ScheduleVerifier, ViewsEnd) {
  EXPECT_THAT(Broken([](Schedule& s) { s.values[3].view_of = 3; }), HasSubstr("%3 is a view of"));
  EXPECT_THAT(Broken([](Schedule& s) { s.values[3].view_of = 77; }), HasSubstr("view of %77"));
  EXPECT_THAT(Broken([](Schedule& s) { s.values[3].view_of = 1; }),
              HasSubstr("%3:f32[4] cannot be a view of %1:pred[]"));
}

TEST(ScheduleVerifier, StepsFitTheirKinds) {
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[1].blocks[1].results[0] = 7; }),
              HasSubstr("while: the body's end joins %7 and %3, which differ"));
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[1].results.pop_back(); }),
              HasSubstr("the loop has 1 values instead of 2"));
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[1].blocks[0].results = {4}; }),
              HasSubstr("the condition does not make one pred[]"));
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[1].blocks.pop_back(); }),
              HasSubstr("while: has 1 blocks"));
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[2].operands = {8}; }),
              HasSubstr("case: chooses by f32[4]"));
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[2].blocks.resize(1); }),
              HasSubstr("case: has 1 branches"));
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[2].blocks[0].results = {9}; }),
              HasSubstr("case: a branch joins %9 and %11"));
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[0].kind = StepKind::kKernel; }),
              HasSubstr("has no kernel"));
  EXPECT_THAT(Broken([](Schedule& s) {
                auto kernel = std::make_shared<Kernel>();
                kernel->name = "k";
                kernel->shape.inputs.push_back({1, DType::kF32, 0, {}, {}, {}, {}, {}});
                s.entry.steps[0].kind = StepKind::kKernel;
                s.entry.steps[0].kernel = kernel;
              }),
              HasSubstr("kernel k: accesses operand 1 of 1"));
}

TEST(ScheduleVerifier, PairsInPlaceAndDonationsAreThere) {
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[0].in_place[0].operand = 1; }),
              HasSubstr("writes result 0 over operand 1"));
  EXPECT_THAT(Broken([](Schedule& s) { s.entry.steps[0].operands = {1}; }),
              HasSubstr("cannot update %1 as %2"));
  EXPECT_THAT(Broken([](Schedule& s) {
                s.entry.steps[0].in_place.push_back({0, 0, true});
              }),
              HasSubstr("cannot update %0 as %2"));
  EXPECT_THAT(Broken([](Schedule& s) { s.donations = {{2, 0}}; }), HasSubstr("argument 2"));
  EXPECT_THAT(Broken([](Schedule& s) { s.donations = {{0, 2}}; }), HasSubstr("output 2"));
}

}  // namespace
}  // namespace plinth::compiler::plan
