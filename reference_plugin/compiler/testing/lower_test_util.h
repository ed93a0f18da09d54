// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LOWER_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LOWER_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/program/program.h"
#include "reference_plugin/compiler/import/import.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/ir/verifier.h"
#include "reference_plugin/compiler/lower/lower.h"
#include "reference_plugin/compiler/passes/legalize.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/compiler/plan/schedule.h"
#include "reference_plugin/compiler/testing/oracle.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::testing {

inline std::unique_ptr<Module> Parse(std::string_view text) {
  auto program = program::ReadText(text);
  if (!program.ok()) {
    ADD_FAILURE() << program.status().ToString();
    return nullptr;
  }
  auto module = importer::Import(*std::move(program));
  if (!module.ok()) {
    ADD_FAILURE() << module.status().ToString();
    return nullptr;
  }
  return *std::move(module);
}

// Legalizes the module and lowers it; the schedule is verified.
inline plan::Schedule LegalizeAndLower(Module& module, bool fusion = true,
                                       const Target& target = kPlainTarget) {
  Status status = passes::Legalize(module, target);
  if (status.ok()) status = Verify(module);
  if (!status.ok()) {
    ADD_FAILURE() << target.name << ": " << status.ToString() << "\n" << ToString(module);
    return {};
  }
  auto schedule = lower::Lower(module, target, lower::LowerOptions{fusion});
  if (!schedule.ok()) {
    ADD_FAILURE() << target.name << ": " << schedule.status().ToString();
    return {};
  }
  const Status verified = Verify(*schedule);
  EXPECT_TRUE(verified.ok()) << target.name << ": " << verified.ToString() << "\n"
                             << ToString(*schedule);
  return *std::move(schedule);
}

inline plan::Schedule LowerText(std::string_view text, bool fusion = true,
                                const Target& target = kPlainTarget) {
  std::unique_ptr<Module> module = Parse(text);
  return module == nullptr ? plan::Schedule() : LegalizeAndLower(*module, fusion, target);
}

inline void CollectSteps(const plan::ScheduleBlock& block,
                         std::vector<const plan::ScheduleStep*>& steps) {
  for (const plan::ScheduleStep& step : block.steps) {
    steps.push_back(&step);
    for (const plan::ScheduleBlock& inner : step.blocks) CollectSteps(inner, steps);
  }
}

// All steps, those of loop bodies and branches too.
inline std::vector<const plan::ScheduleStep*> Steps(const plan::Schedule& schedule) {
  std::vector<const plan::ScheduleStep*> steps;
  CollectSteps(schedule.entry, steps);
  return steps;
}

inline int CountKernels(const plan::ScheduleBlock& block) {
  std::vector<const plan::ScheduleStep*> steps;
  CollectSteps(block, steps);
  int count = 0;
  for (const plan::ScheduleStep* step : steps) count += step->kind == plan::StepKind::kKernel;
  return count;
}

// Deterministic arguments: floats in [-2, 2), integers in [0, 5), predicates.
inline std::vector<Bytes> MakeArguments(const plan::Schedule& schedule, uint32_t seed = 1) {
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

inline plan::Plan PlanFor(const plan::Schedule& schedule, const Target& target) {
  auto plan = plan::PlanMemory(schedule, target);
  if (!plan.ok()) {
    ADD_FAILURE() << target.name << ": " << plan.status().ToString();
    return {};
  }
  const Status verified = Verify(*plan);
  EXPECT_TRUE(verified.ok()) << target.name << ": " << verified.ToString() << "\n"
                             << ToString(*plan);
  return *std::move(plan);
}

// What the schedule gives; its plan for the target must give the same.
inline std::vector<Bytes> RunAndPlan(const plan::Schedule& schedule, const Target& target,
                                     const std::vector<Bytes>& arguments) {
  Outcome run = Run(schedule, arguments);
  for (const std::string& error : run.errors) {
    ADD_FAILURE() << target.name << ": " << error << "\n" << ToString(schedule);
  }
  const plan::Plan plan = PlanFor(schedule, target);
  const Outcome planned = Run(plan, arguments);
  for (const std::string& error : planned.errors) {
    ADD_FAILURE() << target.name << ": " << error << "\n" << ToString(plan);
  }
  EXPECT_EQ(planned.results, run.results) << target.name << "\n" << ToString(plan);
  return std::move(run.results);
}

// Runs the program fused and unfused, for either target. All must agree, bit for bit: a reduction
// rounds in another order only if it was asked for in another order.
inline void ExpectFusionKeepsResults(std::string_view text) {
  const plan::Schedule expected = LowerText(text, false);
  for (uint32_t seed : {1u, 7u}) {
    const std::vector<Bytes> arguments = MakeArguments(expected, seed);
    const std::vector<Bytes> results = RunAndPlan(expected, kPlainTarget, arguments);
    for (const Target* target : {&kPlainTarget, &kOddTarget}) {
      for (bool fusion : {true, false}) {
        const plan::Schedule schedule = LowerText(text, fusion, *target);
        EXPECT_EQ(RunAndPlan(schedule, *target, arguments), results)
            << target->name << (fusion ? " fused\n" : " unfused\n") << ToString(schedule);
      }
    }
  }
}

}  // namespace plinth::compiler::testing

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LOWER_TEST_UTIL_H_
