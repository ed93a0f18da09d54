// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_BACKEND_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_BACKEND_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/named_value.h"
#include "plinth/support/status.h"
#include "reference_plugin/backend/run/collective_step.h"
#include "reference_plugin/backend/run/native_loop.h"
#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::backend {

// Memory that the attributes of one program's calls may take. They are shared in the program, and
// may be much shorter there.
class AttributeBudget {
 public:
  // RESOURCE_EXHAUSTED if so much is not left.
  Status Take(int64_t bytes);

 private:
  static constexpr int64_t kMostBytes = int64_t{64} << 20;
  int64_t left_ = kMostBytes;
};

// What the steps of one program share while they are made ready.
struct Preparation {
  AttributeBudget attributes;
  LaneGroupsTable lanes;
};

// One way to run steps.
struct Engine {
  // Whether it runs steps of this kind.
  std::function<bool(const compiler::plan::PlanStep& step)> matches;
  // Checks the step and decides everything that depends on its types and attributes. What it makes
  // of a kernel depends on PlanStep::kernel alone, because kernels that do the same work share it.
  // Errors name the step and its place.
  std::function<Expected<std::unique_ptr<PreparedStep>>(const compiler::plan::PlanStep& step,
                                                        Preparation& shared)>
      prepare;
};

// Neighbours among a plan's steps, [begin, end), that run as one: it gets the operands of all of
// them, one step after the other, and the results likewise.
struct CombinedStep {
  size_t begin = 0, end = 0;
  std::shared_ptr<const PreparedStep> step;
};

// What a back end tells the code that all of them share. Executables keep it alive; immutable.
struct Backend {
  std::string name;  // In messages: "CPU".
  // The code that this machine runs ("avx512"): part of fingerprints; an executable is loaded only
  // where it is the same.
  std::string hardware;
  compiler::Target target;      // What the compiler is told.
  std::vector<Engine> engines;  // The first that matches a step runs it.
  // Whether several ops become one kernel, unless a compilation's options say otherwise.
  bool fusion = true;
  // Called once per program, before its steps are prepared; may be empty. Gives more properties of
  // PJRT_Executable_GetCostAnalysis; an error is that of the compilation.
  std::function<Expected<std::vector<NamedValue>>(const compiler::plan::Plan& plan)> examine = {};
  // Called once per program before `finish`, by back ends with a queue alone; may be empty. In the
  // order of the plan; none overlap, and nothing jumps into one.
  std::function<std::vector<CombinedStep>(
      const compiler::plan::Plan& plan, std::span<const std::shared_ptr<const PreparedStep>> steps)>
      combine = {};
  // Called once per program with all its steps, when each was prepared by itself, those that are
  // combined as one; may be empty.
  // Steps with nothing to prepare are null; equal ones are one object.
  std::function<Status(std::span<const std::shared_ptr<const PreparedStep>> steps)> finish = {};
  // Called last, for programs with loops; may be empty. Loops that run as machine code of their
  // own; what is prepared of their steps lives as long as they do.
  std::function<std::vector<std::unique_ptr<NativeLoop>>(const compiler::plan::Plan& plan,
                                                         std::span<const NativeStep> steps)>
      translate = {};
  // Both or none: bytes of a program's steps that are kept beside it in a serialized executable, so
  // that whoever loads it has less to do; and what is done with them there before the program is
  // prepared, whose result lives until that is over.
  std::function<std::string(std::span<const std::shared_ptr<const PreparedStep>> steps)> keep = {};
  std::function<Expected<std::shared_ptr<void>>(std::string_view kept)> restore = {};
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_BACKEND_H_
