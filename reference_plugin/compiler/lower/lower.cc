// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/lower/lower.h"

#include <algorithm>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/trip_count.h"
#include "reference_plugin/compiler/lower/fusion.h"
#include "reference_plugin/compiler/lower/lower_kernel.h"
#include "reference_plugin/compiler/lower/lower_steps.h"

// Units (fusion.h) to steps, each after what it needs.
namespace plinth::compiler::lower {
namespace {

class BlockLowering {
 public:
  BlockLowering(LowerContext& context, const FusedBlock& fused, plan::ScheduleBlock& block)
      : context_(context), fused_(fused), block_(block) {}

  Status Run();

 private:
  enum class State : uint8_t { kWaiting, kStarted, kDone };

  void FindProducers();
  void Dependencies(int32_t unit, std::vector<int32_t>& units) const;
  void AddDependency(const Value* value, std::vector<int32_t>& units) const;
  Status WriteWithDependencies(int32_t unit);
  Status Write(const Unit& unit);
  Status WriteGroup(int32_t group);
  Status WriteControl(const Unit& unit);
  Status AddResults(const Op& terminator);
  Status AddNumbers(const Value* value, std::vector<int32_t>& numbers, const Op& op);

  LowerContext& context_;
  const FusedBlock& fused_;
  plan::ScheduleBlock& block_;
  std::vector<State> states_;
  std::vector<int32_t> previous_effect_;  // by unit
  std::vector<int32_t> parts_;            // by group
};

void BlockLowering::FindProducers() {
  previous_effect_.assign(fused_.units.size(), -1);
  int32_t last_effect = -1;
  for (size_t i = fused_.units.size(); i-- > 0;) {
    const Unit& unit = fused_.units[i];
    const int32_t number = static_cast<int32_t>(i);
    if (unit.op != nullptr) {
      for (const Value* result : unit.op->results) context_.Fusion(result).unit = number;
      if (EffectOf(*unit.op) != Effect::kPure) {
        previous_effect_[i] = last_effect;
        last_effect = number;
      }
      continue;
    }
    const Group& group = fused_.groups[unit.group];
    for (const GroupOutput& output : group.outputs) {
      if (output.is_part && group.next_part >= 0) continue;
      context_.Fusion(output.value).unit = number;
    }
  }
}

void BlockLowering::AddDependency(const Value* value, std::vector<int32_t>& units) const {
  if (value->type.kind == Type::Kind::kTuple) {
    for (const Value* element : value->op->operands) AddDependency(element, units);
    return;
  }
  value = context_.Base(value);
  if (context_.BlockOf(value) != fused_.number) return;
  if (int32_t unit = context_.Fusion(value).unit; unit >= 0) units.push_back(unit);
}

void BlockLowering::Dependencies(int32_t number, std::vector<int32_t>& units) const {
  const Unit& unit = fused_.units[number];
  if (unit.op != nullptr) {
    for (const Value* operand : context_.OperandsOf(*unit.op)) AddDependency(operand, units);
    for (const Value* capture : unit.captures) AddDependency(capture, units);
    if (previous_effect_[number] >= 0) units.push_back(previous_effect_[number]);
    return;
  }
  const Group& group = fused_.groups[unit.group];
  for (const Instance& instance : group.instances) {
    if (instance.kind == InstanceKind::kLoad) AddDependency(instance.value, units);
  }
  for (const Value* needed : group.needed) AddDependency(needed, units);
  if (group.previous_part >= 0) units.push_back(fused_.groups[group.previous_part].unit);
}

Status BlockLowering::Run() {
  states_.assign(fused_.units.size(), State::kWaiting);
  parts_.assign(fused_.groups.size(), -1);
  FindProducers();
  for (size_t i = fused_.units.size(); i-- > 0;) {
    PLINTH_RETURN_IF_ERROR(WriteWithDependencies(static_cast<int32_t>(i)));
  }
  return AddResults(*fused_.block->terminator());
}

// Depth first with a stack of its own: chains of units may be as long as the program.
Status BlockLowering::WriteWithDependencies(int32_t first) {
  if (states_[first] == State::kDone) return Status();
  std::vector<int32_t> stack = {first};
  std::vector<int32_t> dependencies;
  while (!stack.empty()) {
    const int32_t unit = stack.back();
    if (states_[unit] == State::kWaiting) {
      states_[unit] = State::kStarted;
      dependencies.clear();
      Dependencies(unit, dependencies);
      for (int32_t dependency : dependencies) {
        if (states_[dependency] == State::kStarted) {
          return Internal("lowering: kernels depend on each other in a circle");
        }
        if (states_[dependency] == State::kWaiting) stack.push_back(dependency);
      }
      continue;
    }
    stack.pop_back();
    if (states_[unit] == State::kDone) continue;
    states_[unit] = State::kDone;
    PLINTH_RETURN_IF_ERROR(Write(fused_.units[unit]));
  }
  return Status();
}

Status BlockLowering::Write(const Unit& unit) {
  if (unit.op == nullptr) return WriteGroup(unit.group);
  if (!unit.blocks.empty()) return WriteControl(unit);
  PLINTH_ASSIGN_OR_RETURN(plan::ScheduleStep step, MakeLibraryStep(context_, *unit.op));
  block_.steps.push_back(std::move(step));
  return Status();
}

Status BlockLowering::WriteGroup(int32_t number) {
  const Group& group = fused_.groups[number];
  int32_t previous = -1;
  if (group.previous_part >= 0) previous = parts_[group.previous_part];
  KernelWriter writer(context_, group, previous);
  PLINTH_ASSIGN_OR_RETURN(plan::ScheduleStep step, writer.Write());
  parts_[number] = writer.part();
  for (size_t index : writer.needed_copies()) {
    const int32_t rest = step.operands[step.in_place[index].operand];
    const Type type = context_.schedule().values[rest].type;
    plan::ScheduleStep copy;
    copy.kind = plan::StepKind::kCopy;
    copy.location = group.location;
    copy.operands = {rest};
    copy.results = {context_.NewArray(type)};
    copy.in_place = {{0, 0, false}};
    copy.cost_ns =
        context_.target().rates.copy_ns_per_byte * static_cast<double>(type.SizeInBytes());
    step.in_place[index].operand = static_cast<int32_t>(step.operands.size());
    step.operands.push_back(copy.results[0]);
    block_.steps.push_back(std::move(copy));
  }
  block_.steps.push_back(std::move(step));
  return Status();
}

Status BlockLowering::AddNumbers(const Value* value, std::vector<int32_t>& numbers, const Op& op) {
  if (value->type.kind == Type::Kind::kTuple) {
    for (const Value* element : value->op->operands) {
      PLINTH_RETURN_IF_ERROR(AddNumbers(element, numbers, op));
    }
    return Status();
  }
  const int32_t number = context_.Number(value);
  if (number < 0) {
    return Internal("lowering ", Describe(op), ": a value (", value->type.ToString(),
                    ") has not been computed");
  }
  numbers.push_back(number);
  return Status();
}

Status BlockLowering::WriteControl(const Unit& unit) {
  const Op& op = *unit.op;
  plan::ScheduleStep step;
  step.kind = op.opcode == Opcode::kWhile ? plan::StepKind::kWhile : plan::StepKind::kCase;
  step.opcode = op.opcode;
  step.location = op.location;
  for (const Value* operand : op.operands) {
    PLINTH_RETURN_IF_ERROR(AddNumbers(operand, step.operands, op));
  }
  for (const Value* result : op.results) {
    const int32_t number = context_.NewArray(result->type);
    context_.SetNumber(result, number);
    step.results.push_back(number);
  }
  double longest = 0, sum = 0;
  for (size_t i = 0; i < unit.blocks.size(); ++i) {
    plan::ScheduleBlock& block = step.blocks.emplace_back();
    for (const Value* argument : op.blocks[i]->arguments) {
      const int32_t number = context_.NewArray(argument->type);
      context_.SetNumber(argument, number);
      block.arguments.push_back(number);
    }
    PLINTH_RETURN_IF_ERROR(BlockLowering(context_, *unit.blocks[i], block).Run());
    double cost = 0;
    for (const plan::ScheduleStep& inner : block.steps) cost += inner.cost_ns;
    longest = std::max(longest, cost);
    sum += cost;
  }
  if (step.kind == plan::StepKind::kWhile) step.trips = TripCount(op);
  step.cost_ns = step.kind == plan::StepKind::kWhile ? sum : longest;
  block_.steps.push_back(std::move(step));
  return Status();
}

Status BlockLowering::AddResults(const Op& terminator) {
  for (const Value* result : terminator.operands) {
    PLINTH_RETURN_IF_ERROR(AddNumbers(result, block_.results, terminator));
  }
  return Status();
}

}  // namespace

Expected<plan::Schedule> Lower(const Module& module, const Target& target,
                               const LowerOptions& options) {
  const Block& body = *module.entry->body;
  LowerContext context(module, target, options);
  plan::Schedule& schedule = context.schedule();
  for (size_t i = 0; i < body.arguments.size(); ++i) {
    const int32_t number = context.NewArray(body.arguments[i]->type);
    schedule.values[number].argument = static_cast<int32_t>(i);
    context.SetNumber(body.arguments[i], number);
    schedule.entry.arguments.push_back(number);
  }
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<FusedBlock> fused, FuseBlock(context, body));
  PLINTH_RETURN_IF_ERROR(BlockLowering(context, *fused, schedule.entry).Run());
  return std::move(schedule);
}

}  // namespace plinth::compiler::lower
