// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LOWER_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LOWER_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference_plugin/compiler/import/import.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/compiler/plan/schedule.h"
#include "reference_plugin/compiler/testing/lower_test_interpreter.h"
#include "reference_plugin/program/program.h"

namespace plinth::compiler::testing {

inline std::unique_ptr<Module> Parse(std::string_view text) {
  auto program = program::ReadText(text);
  if (!program.ok()) {
    ADD_FAILURE() << program.status().ToString();
    return nullptr;
  }
  auto module = Import(*std::move(program));
  if (!module.ok()) {
    ADD_FAILURE() << module.status().ToString();
    return nullptr;
  }
  return *std::move(module);
}

inline Schedule LowerText(std::string_view text, bool fusion = true) {
  std::unique_ptr<Module> module = Parse(text);
  if (module == nullptr) return {};
  auto schedule = Lower(*module, LowerOptions{fusion});
  if (!schedule.ok()) {
    ADD_FAILURE() << schedule.status().ToString();
    return {};
  }
  const Status verified = Verify(*schedule);
  EXPECT_TRUE(verified.ok()) << verified.ToString() << "\n" << ToString(*schedule);
  return *std::move(schedule);
}

inline void CollectSteps(const ScheduleBlock& block, std::vector<const ScheduleStep*>& steps) {
  for (const ScheduleStep& step : block.steps) {
    steps.push_back(&step);
    for (const ScheduleBlock& inner : step.blocks) CollectSteps(inner, steps);
  }
}

// All steps, those of loop bodies and branches too.
inline std::vector<const ScheduleStep*> Steps(const Schedule& schedule) {
  std::vector<const ScheduleStep*> steps;
  CollectSteps(schedule.entry, steps);
  return steps;
}

inline int CountKernels(const ScheduleBlock& block) {
  std::vector<const ScheduleStep*> steps;
  CollectSteps(block, steps);
  int count = 0;
  for (const ScheduleStep* step : steps) count += step->kind == StepKind::kKernel;
  return count;
}

// Deterministic arguments: floats in [-2, 2), integers in [0, 5), predicates.
inline std::vector<Bytes> MakeArguments(const Schedule& schedule, uint32_t seed = 1) {
  std::vector<Bytes> arguments;
  uint32_t state = seed;
  for (int32_t value : schedule.entry.arguments) {
    const Type& type = schedule.values[value].type;
    Bytes bytes(static_cast<size_t>(type.SizeInBytes()));
    for (int64_t i = 0; i < type.NumElements(); ++i) {
      state = state * 1664525u + 1013904223u;
      const double unit = (state >> 8) / 16777216.0;
      double element = 4 * unit - 2;
      if (!IsIeeeFloat(type.dtype)) {
        element = type.dtype == DType::kPred ? unit < 0.5 : int(5 * unit);
      }
      Save(type.dtype, element, bytes.data() + i * ByteSize(type.dtype));
    }
    arguments.push_back(std::move(bytes));
  }
  return arguments;
}

// Runs the program fused and unfused; both must agree, bit for bit but for the last places of
// floats (a reduction may round in another order only if it was asked for in another order).
inline void ExpectFusionKeepsResults(std::string_view text) {
  std::unique_ptr<Module> module = Parse(text);
  ASSERT_NE(module, nullptr);
  auto fused = Lower(*module, LowerOptions{true});
  auto unfused = Lower(*module, LowerOptions{false});
  ASSERT_TRUE(fused.ok()) << fused.status().ToString();
  ASSERT_TRUE(unfused.ok()) << unfused.status().ToString();
  for (const Schedule* schedule : {&*fused, &*unfused}) {
    const Status verified = Verify(*schedule);
    ASSERT_TRUE(verified.ok()) << verified.ToString() << "\n" << ToString(*schedule);
    auto plan = PlanMemory(*schedule);
    ASSERT_TRUE(plan.ok()) << plan.status().ToString();
    const Status plan_verified = Verify(*plan);
    ASSERT_TRUE(plan_verified.ok()) << plan_verified.ToString() << "\n" << ToString(*plan);
  }
  for (uint32_t seed : {1u, 7u}) {
    std::vector<Bytes> arguments = MakeArguments(*fused, seed);
    Interpreter a(*fused), b(*unfused);
    std::vector<Bytes> results_a = a.Run(arguments), results_b = b.Run(arguments);
    ASSERT_TRUE(a.errors().empty()) << a.errors()[0] << "\n" << ToString(*fused);
    ASSERT_TRUE(b.errors().empty()) << b.errors()[0] << "\n" << ToString(*unfused);
    ASSERT_EQ(results_a.size(), results_b.size());
    for (size_t r = 0; r < results_a.size(); ++r) {
      EXPECT_EQ(results_a[r], results_b[r]) << "result " << r << "\n" << ToString(*fused);
    }
  }
}

}  // namespace plinth::compiler::testing

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LOWER_TEST_UTIL_H_
