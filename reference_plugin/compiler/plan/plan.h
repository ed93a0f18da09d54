// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_PLAN_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/plan/schedule.h"
#include "reference_plugin/compiler/target.h"

// The program as a flat list of steps over planned memory: what a back end runs. Control flow is
// jumps, so that an execution is a frame of data (program counter, allocations) and nothing
// recurses.
namespace plinth::compiler::plan {

enum class AllocationKind : uint8_t {
  kArgument,  // the bytes of entry argument `index`; written only if `donated`
  kConstant,  // `constant`; never written
  kArena,     // [arena_offset, arena_offset + size) of the execution's arena
  kOutput,    // a fresh allocation that becomes output buffers
};

struct Allocation {
  AllocationKind kind = AllocationKind::kArena;
  int64_t size = 0;  // bytes
  int64_t arena_offset = 0;
  int32_t index = -1;    // kArgument
  bool donated = false;  // kArgument: steps write to it, or it is an output; when the caller did
                         // not give the argument away, or its bytes are shared or borrowed, the
                         // run-time copies it first
  std::shared_ptr<const Attributes> constant;  // kConstant, not a splat
};

// A dense row-major array at the start of an allocation.
struct ArrayRef {
  int32_t allocation = -1;
  Type type;
};

enum class PlanStepKind : uint8_t {
  kKernel,
  kLibrary,
  kCopy,        // results[0] = operands[0]
  kJump,        // to targets[0]
  kJumpUnless,  // to targets[0] when the predicate operands[0] is false
  kSwitch,      // to targets[clamped index operands[0]]; an index out of range takes the last
};

struct PlanStep {
  PlanStepKind kind = PlanStepKind::kKernel;
  Opcode opcode = Opcode::kAdd;
  std::vector<ArrayRef> operands, results;
  std::shared_ptr<const Kernel> kernel;
  std::shared_ptr<const Attributes> attributes;
  std::vector<Combiner> combiners;
  // Kernels and library steps: which operand may lie, or, if required, must lie in the allocation
  // of which result. No other operand does.
  std::vector<InPlace> in_place;
  std::vector<int32_t> targets;
  double cost_ns = 0;
  Location location;
};

// A loop or a branch among the steps, which still jump: for back ends that have control flow of
// their own.
struct PlanRegion {
  enum class Kind : uint8_t { kLoop, kBranch };
  Kind kind = Kind::kLoop;
  int32_t parent = -1;         // number of the innermost region around it
  int32_t begin = 0, end = 0;  // steps [begin, end)
  // kLoop: the kJumpUnless that leaves it. Steps before it are the condition, steps after it the
  // body, the last of which is the kJump back to `begin`.
  int32_t test = 0;
  double trips = 0;  // kLoop: turns each time it is entered; infinity if they are not known
  // kBranch: step `begin` chooses; the first step of each branch. Each ends where the next begins,
  // in a kJump to `end`.
  std::vector<int32_t> branches;
};

struct Plan {
  std::string name;
  std::vector<Type> argument_types, output_types;
  std::vector<Allocation> allocations;
  std::vector<PlanStep> steps;
  std::vector<PlanRegion> regions;  // ControlFlow::kRegions only; outer ones first, in order
  ControlFlow control_flow = ControlFlow::kJumps;
  std::vector<ArrayRef> outputs;  // an allocation each: a fresh one, or a donated argument's
  int64_t arena_size = 0;         // bytes
  int64_t arena_alignment = 1;    // bytes; offsets in the arena are multiples of it
  int64_t constant_bytes = 0;
  double cost_ns = 0;  // of one run; infinity with a loop whose trips are not known
};

// Places every value: shares allocation where a step may work in place, donates arguments to
// outputs, copies where loop carries or donation need it, lays temporaries into one arena by
// liveness.
Expected<Plan> PlanMemory(const Schedule& schedule, const Target& target);

// Nothing but donated arguments, arena and outputs is written; on every path what is read was
// written before; arrays lie within their allocations, jumps within the plan; outputs share no
// memory with each other, with constants, or with arguments that are not given away. Steps work in
// place where they must and nowhere but where they may; allocations of the arena that share bytes
// are never needed at once, each being needed from its first use to its last. Regions nest, and
// each jump is of one region, if the plan has them.
Status Verify(const Plan& plan);
std::string ToString(const Plan& plan);

}  // namespace plinth::compiler::plan

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_PLAN_H_
