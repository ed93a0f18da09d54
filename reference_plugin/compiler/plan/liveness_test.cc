// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/plan/liveness.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace plinth::compiler::plan {
namespace {

// Writes linear code of nested branches and loops.
class CodeWriter {
 public:
  explicit CodeWriter(uint32_t seed) : random_(seed) {}

  LinearCode Random() {
    std::vector<int32_t> known;
    for (int i = 0; i < 4; ++i) known.push_back(NewVariable());  // arguments
    AddRandom(known, 3);
    for (int i = 0; i < 3; ++i) {
      code_.outputs.push_back(NewVariable());
      Add(PlanStepKind::kCopy, {Pick(known)}, {code_.outputs.back()});
    }
    return std::move(code_);
  }

  // `count` conditionals, each of the value of the one before. All of `count` values that come from
  // before the first are used behind the last.
  LinearCode ManyConditionals(int count) {
    std::vector<int32_t> first;
    for (int i = 0; i < count; ++i) first.push_back(NewVariable());
    int32_t value = NewVariable();
    for (int i = 0; i < count; ++i) {
      const int32_t joined = NewVariable();
      AddConditional(PlanStepKind::kJumpUnless, value, 2, [&](int) {
        const int32_t inner = NewVariable();
        Add(PlanStepKind::kKernel, {value}, {inner});
        Add(PlanStepKind::kCopy, {inner}, {joined});
      });
      value = joined;
    }
    for (int32_t variable : first) Add(PlanStepKind::kKernel, {variable}, {NewVariable()});
    code_.outputs = {value};
    return std::move(code_);
  }

 private:
  int Below(int limit) { return static_cast<int>(random_() % static_cast<uint32_t>(limit)); }
  int32_t Pick(const std::vector<int32_t>& known) {
    return known[static_cast<size_t>(Below(static_cast<int>(known.size())))];
  }
  int32_t NewVariable() {
    code_.variables.push_back({64, -1, nullptr});
    return static_cast<int32_t>(code_.variables.size()) - 1;
  }
  int32_t Next() const { return static_cast<int32_t>(code_.steps.size()); }
  void Add(PlanStepKind kind, std::vector<int32_t> operands, std::vector<int32_t> results,
           std::vector<int32_t> targets = {}) {
    LinearStep& step = code_.steps.emplace_back();
    step.kind = kind;
    step.operands = std::move(operands);
    step.results = std::move(results);
    step.targets = std::move(targets);
  }

  template <typename F>
  void AddConditional(PlanStepKind kind, int32_t selector, int num_branches, const F& add_branch) {
    const int32_t parting = Next();
    Add(kind, {selector}, {});
    std::vector<int32_t> begins, ends;
    for (int i = 0; i < num_branches; ++i) {
      begins.push_back(Next());
      add_branch(i);
      ends.push_back(Next());
      Add(PlanStepKind::kJump, {}, {});
    }
    for (int32_t end : ends) code_.steps[end].targets = {Next()};
    if (kind == PlanStepKind::kJumpUnless) begins.erase(begins.begin());
    code_.steps[parting].targets = begins;
  }

  void AddRandom(std::vector<int32_t>& known, int depth) {
    for (int i = Below(6); i >= 0; --i) {
      const int choice = Below(6);
      if (depth > 0 && choice == 0) {
        AddRandomLoop(known, depth - 1);
      } else if (depth > 0 && choice == 1) {
        const bool is_if = Below(2) == 0;
        const int32_t joined = NewVariable(), selector = Pick(known);
        AddConditional(is_if ? PlanStepKind::kJumpUnless : PlanStepKind::kSwitch, selector,
                       is_if ? 2 : Below(3) + 1, [&](int) {
                         std::vector<int32_t> inside = known;
                         AddRandom(inside, depth - 1);
                         Add(PlanStepKind::kCopy, {Pick(inside)}, {joined});
                       });
        known.push_back(joined);
      } else {
        const int32_t result = NewVariable(), unused = NewVariable();
        Add(PlanStepKind::kKernel, {Pick(known), Pick(known)}, {result, unused});
        if (choice == 2) {  // an update
          const int32_t updated = in_condition_ ? result : Pick(known);
          Add(PlanStepKind::kKernel, {updated, result}, {updated});
        } else if (choice == 3 && !in_condition_) {
          Add(PlanStepKind::kCopy, {result}, {Pick(known)});
        }
        known.push_back(result);
      }
    }
  }

  void AddRandomLoop(std::vector<int32_t>& known, int depth) {
    std::vector<int32_t> carries, inside = known;
    for (int c = Below(4); c > 0; --c) {
      carries.push_back(NewVariable());
      Add(PlanStepKind::kCopy, {Pick(known)}, {carries.back()});
    }
    inside.insert(inside.end(), carries.begin(), carries.end());
    const int32_t head = Next();
    std::vector<int32_t> in_condition = inside;
    if (Below(2) == 0) {
      const bool outside = std::exchange(in_condition_, true);
      AddRandom(in_condition, depth);
      in_condition_ = outside;
    }
    const int32_t exit = Next();
    Add(PlanStepKind::kJumpUnless, {Pick(in_condition)}, {});
    AddRandom(inside, depth);
    for (int32_t carry : carries) Add(PlanStepKind::kKernel, {Pick(inside)}, {carry});
    Add(PlanStepKind::kJump, {}, {}, {head});
    code_.steps[exit].targets = {Next()};
    known.insert(known.end(), carries.begin(), carries.end());
  }

  std::mt19937 random_;
  LinearCode code_;
  bool in_condition_ = false;  // of a loop: writes nothing that is read behind the loop
};

// Whether a variable is live at the positions from kEntryPosition on, by data flow over the steps.
std::vector<bool> LivePositions(const LinearCode& code, int32_t variable) {
  const size_t count = code.steps.size();
  auto has = [&](const std::vector<int32_t>& list) {
    return std::find(list.begin(), list.end(), variable) != list.end();
  };
  std::vector<bool> before(count + 1), behind(count);
  before[count] = has(code.outputs);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = count; k-- > 0;) {
      const LinearStep& step = code.steps[k];
      bool live = false;
      for (int32_t target : step.targets) live = live || before[target];
      if (step.kind != PlanStepKind::kJump && step.kind != PlanStepKind::kSwitch) {
        live = live || before[k + 1];
      }
      behind[k] = live;
      live = has(step.operands) || (live && !has(step.results));
      changed = changed || live != before[k];
      before[k] = live;
    }
  }
  std::vector<bool> positions(2 * count + 2);
  for (size_t k = 0; k < count; ++k) {
    const bool writes = has(code.steps[k].results);
    // Behind a jump nothing leads from the position before.
    if (before[k] && (k == 0 || code.steps[k - 1].kind != PlanStepKind::kJump)) {
      positions[2 * k] = true;
    }
    positions[2 * k + 1] = has(code.steps[k].operands) || writes || (before[k] && behind[k]);
    positions[2 * k + 2] = writes || behind[k];
  }
  positions[2 * count + 1] = before[count];
  return positions;
}

// A sanitizer takes twenty times as long.
#ifdef PLINTH_IS_SANITIZED
constexpr uint32_t kCodes = 10;
#else
constexpr uint32_t kCodes = 60;
#endif

TEST(LivenessTest, RangesAreWhatDataFlowOverTheStepsFinds) {
  for (uint32_t seed = 0; seed < kCodes && !::testing::Test::HasFailure(); ++seed) {
    const LinearCode code = CodeWriter(seed).Random();
    const std::vector<LiveRanges> ranges = ComputeLiveness(code);
    ASSERT_EQ(ranges.size(), code.variables.size());
    for (size_t v = 0; v < ranges.size(); ++v) {
      std::vector<bool> positions(2 * code.steps.size() + 2);
      int32_t last_end = kEntryPosition - 2;
      for (const LiveRange& range : ranges[v]) {
        EXPECT_GT(range.begin, last_end + 1) << "ranges that touch are one";
        last_end = range.end;
        std::fill(positions.begin() + range.begin - kEntryPosition,
                  positions.begin() + range.end - kEntryPosition + 1, true);
      }
      EXPECT_EQ(positions, LivePositions(code, static_cast<int32_t>(v)))
          << "variable " << v << " of seed " << seed;
    }
  }
}

size_t PeakMemory() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

// Nothing is kept per conditional for each variable, which would be gigabytes.
TEST(LivenessTest, MemoryGrowsWithTheCodeOnly) {
  constexpr int kConditionals = 20'000;
  const LinearCode code = CodeWriter(0).ManyConditionals(kConditionals);
  const size_t before = PeakMemory();
  const std::vector<LiveRanges> ranges = ComputeLiveness(code);
  EXPECT_LT(PeakMemory() - before, size_t{100} << 20);
  size_t num_ranges = 0;
  for (const LiveRanges& list : ranges) num_ranges += list.size();
  EXPECT_LT(num_ranges, 10 * size_t{kConditionals});
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
