// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/plan/plan_test_util.h"

namespace plinth::compiler::plan {
namespace {

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
  ScheduleBuilder b_;
};

// A sanitizer takes twenty times as long, and needs no more than some of each kind.
#ifdef PLINTH_IS_SANITIZED
constexpr uint32_t kSchedules = 300;
#else
constexpr uint32_t kSchedules = 2000;
#endif

TEST(RandomPlansTest, ReadWhatTheyWrote) {
  for (uint32_t seed = 0; seed < kSchedules && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    PlanAndCompare(RandomSchedule(seed).Make());
  }
}

}  // namespace
}  // namespace plinth::compiler::plan
