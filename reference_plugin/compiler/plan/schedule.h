// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_SCHEDULE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_SCHEDULE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/kernel/kernel.h"

// The program as steps over whole arrays, before memory is planned: what fusion makes of the IR.
namespace plinth::compiler::plan {

// An array that a step reads or writes: dense, row major. Values are numbered densely.
struct ArrayValue {
  Type type;
  int32_t view_of = -1;  // >= 0: the same bytes as that value (reshape, same-width bitcast)
  std::shared_ptr<const Attributes> constant;  // ConstantAttributes of a constant, else null
  int32_t argument = -1;                       // >= 0: that entry argument
};

enum class StepKind : uint8_t {
  kKernel,   // `kernel`; operands and results are its buffers
  kLibrary,  // `opcode` with `attributes`: dot, convolution, sort, gather, ...
  kCopy,     // results[0] = operands[0], byte for byte
  kWhile,    // blocks = {condition, body}; operands are the initial carries, results the final ones
  kCase,     // operands[0] is the index (S32) or predicate (kPred: block 0 when true, 1 when false)
};

// Result `result` may share allocation with operand `operand` if that operand's value is dead
// afterwards: the step then works in place. `required` means that the step only writes part of
// the result (an update), the rest being what the operand held: the planner copies the operand
// into the result first where it cannot share.
struct InPlace {
  int32_t operand = 0;
  int32_t result = 0;
  bool required = false;
};

struct ScheduleBlock;

struct ScheduleStep {
  StepKind kind = StepKind::kKernel;
  Opcode opcode = Opcode::kAdd;            // kLibrary
  std::vector<int32_t> operands, results;  // value numbers
  std::vector<InPlace> in_place;
  std::shared_ptr<const Kernel> kernel;          // kKernel
  std::shared_ptr<const Attributes> attributes;  // kLibrary
  std::vector<Combiner> combiners;               // kLibrary: its regions (sort, scatter, ...)
  std::vector<ScheduleBlock> blocks;             // kWhile, kCase
  double cost_ns = 0;                            // rough time on one core; kWhile: of one turn
  double trips = 1;                              // kWhile: turns; infinity if they are not known
  Location location;
};

struct ScheduleBlock {
  std::vector<int32_t> arguments;  // kWhile only: the carries
  std::vector<ScheduleStep> steps;
  std::vector<int32_t> results;
};

struct Schedule {
  std::string name;
  std::vector<ArrayValue> values;
  ScheduleBlock entry;  // arguments are the entry arguments, results the outputs
  std::vector<Donation> donations;
};

// Every value is made once, by a step, as an argument or a constant, before it is used and where it
// is visible (what a block makes is seen in it and within it); views have the bytes of what they
// show; steps fit their kinds, loops and branches what they carry and join, kernels their buffers;
// what must be updated in place has room for it. The order of steps is that of their effects.
// INTERNAL: a schedule that fails was broken by lowering, not by the program.
Status Verify(const Schedule& schedule);
std::string ToString(const Schedule& schedule);

}  // namespace plinth::compiler::plan

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_SCHEDULE_H_
