// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/plan/linear_code.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace plinth::compiler::plan {
namespace {

ScalarBits SplatBits(const ConstantAttributes& constant) {
  ScalarBits bits;
  uint64_t words[2] = {0, 0};
  std::memcpy(words, constant.bytes.data(), std::min<size_t>(constant.bytes.size(), 16));
  bits.low = words[0];
  bits.high = words[1];
  return bits;
}

// The product of counts and costs that may be infinite: nothing, however often, is nothing.
double Times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

// A kernel that writes one element everywhere.
std::shared_ptr<const Kernel> MakeFill(const Type& type, ScalarBits element) {
  auto kernel = std::make_shared<Kernel>();
  kernel->name = "fill";
  kernel->shape.extents = Dims{type.NumElements()};
  kernel->shape.num_parallel = 1;
  Access output;
  output.dtype = type.dtype;
  output.byte_strides = Dims{ByteSize(type.dtype)};
  kernel->shape.outputs.push_back(output);
  Phase phase;
  Node node;
  node.kind = NodeKind::kConstant;
  node.dtype = type.dtype;
  node.constant = element;
  phase.nodes.push_back(node);
  phase.stores.push_back({0, 0});
  kernel->body.phases.push_back(std::move(phase));
  return kernel;
}

class Linearizer {
 public:
  Linearizer(const Schedule& schedule, const Target& target, const PairedLoops& paired)
      : schedule_(schedule), target_(target), paired_(paired) {}

  Expected<LinearCode> Run() {
    variable_of_.assign(schedule_.values.size(), -1);
    PLINTH_RETURN_IF_ERROR(AddBlock(schedule_.entry, 1));
    // Every output is its own array. The planner removes the copy of what is computed here; those
    // of constants, of arguments that are not given away, and of what is returned again stay.
    for (int32_t result : schedule_.entry.results) {
      code_.outputs.push_back(NewVariable(TypeOf(result).SizeInBytes()));
      code_.output_types.push_back(TypeOf(result));
      PLINTH_RETURN_IF_ERROR(AddCopy(result, code_.outputs.back()));
    }
    return std::move(code_);
  }

 private:
  const Type& TypeOf(int32_t value) const { return schedule_.values[value].type; }

  int32_t NewVariable(int64_t size) {
    code_.variables.push_back({size, -1, nullptr});
    return static_cast<int32_t>(code_.variables.size()) - 1;
  }

  // The variable that holds a value; arguments and constants get theirs at first use.
  Expected<int32_t> VariableOf(int32_t value) {
    int32_t root = value;
    while (schedule_.values[root].view_of >= 0) root = schedule_.values[root].view_of;
    if (variable_of_[root] >= 0) return variable_of_[root];
    const ArrayValue& array = schedule_.values[root];
    if (array.argument >= 0) {
      variable_of_[root] = NewVariable(array.type.SizeInBytes());
      code_.variables.back().argument = array.argument;
    } else if (array.constant != nullptr) {
      const auto& constant = *std::get_if<ConstantAttributes>(array.constant.get());
      int32_t variable = NewVariable(array.type.SizeInBytes());
      if (constant.is_splat && array.type.NumElements() != 1) {
        // Written where it is first needed and not kept: inside a loop another use may come first.
        AddFill(array.type, constant, variable);
        return variable;
      }
      code_.variables.back().constant = array.constant;
      variable_of_[root] = variable;
    } else {
      return Internal("the schedule reads value ", value, " before it is computed");
    }
    return variable_of_[root];
  }

  LinearStep& AddStep(PlanStepKind kind) {
    LinearStep& step = code_.steps.emplace_back();
    step.kind = kind;
    step.loop_depth = loop_depth_;
    step.share = share_;
    return step;
  }
  int32_t NextStep() const { return static_cast<int32_t>(code_.steps.size()); }

  void AddFill(const Type& type, const ConstantAttributes& constant, int32_t variable) {
    LinearStep& step = AddStep(PlanStepKind::kKernel);
    step.kernel = MakeFill(type, SplatBits(constant));
    step.results = {variable};
    step.result_types = {type};
  }

  // variable = value
  Status AddCopy(int32_t value, int32_t variable) {
    PLINTH_ASSIGN_OR_RETURN(int32_t source, VariableOf(value));
    AddCopy(source, variable, TypeOf(value));
    return Status();
  }
  LinearStep& AddCopy(int32_t source, int32_t destination, const Type& type) {
    LinearStep& step = AddStep(PlanStepKind::kCopy);
    step.operands = {source};
    step.operand_types = {type};
    step.results = {destination};
    step.result_types = {type};
    step.in_place = {{0, 0, false}};
    return step;
  }

  // `trips`: how often the block runs.
  Status AddBlock(const ScheduleBlock& block, double trips) {
    for (const ScheduleStep& step : block.steps) {
      switch (step.kind) {
        case StepKind::kWhile:
          PLINTH_RETURN_IF_ERROR(AddWhile(step, trips));
          break;
        case StepKind::kCase:
          PLINTH_RETURN_IF_ERROR(AddCase(step, trips));
          break;
        default:
          if (step.cost_ns > 0) code_.cost_ns += Times(trips, step.cost_ns);
          PLINTH_RETURN_IF_ERROR(AddComputation(step));
      }
    }
    return Status();
  }

  Status AddComputation(const ScheduleStep& source) {
    std::vector<int32_t> operands, results;
    for (int32_t value : source.operands) {
      PLINTH_ASSIGN_OR_RETURN(int32_t variable, VariableOf(value));
      operands.push_back(variable);
    }
    for (int32_t value : source.results) {
      results.push_back(NewVariable(TypeOf(value).SizeInBytes()));
    }
    std::vector<InPlace> in_place;
    for (const InPlace& hint : source.in_place) {
      if (!hint.required) {
        in_place.push_back(hint);
        continue;
      }
      // The step updates its result, which starts as a copy of the operand.
      AddCopy(operands[hint.operand], results[hint.result], TypeOf(source.operands[hint.operand]));
      operands[hint.operand] = results[hint.result];
    }
    LinearStep& step = AddStep(source.kind == StepKind::kKernel    ? PlanStepKind::kKernel
                               : source.kind == StepKind::kLibrary ? PlanStepKind::kLibrary
                                                                   : PlanStepKind::kCopy);
    step.source = &source;
    step.operands = std::move(operands);
    step.results = std::move(results);
    step.in_place = std::move(in_place);
    for (int32_t value : source.operands) step.operand_types.push_back(TypeOf(value));
    for (size_t i = 0; i < source.results.size(); ++i) {
      step.result_types.push_back(TypeOf(source.results[i]));
      variable_of_[source.results[i]] = step.results[i];
    }
    return Status();
  }

  // Makes `values` (a block's arguments or a step's results) names of `variables`.
  Status Bind(const std::vector<int32_t>& values, const std::vector<int32_t>& variables) {
    if (values.size() != variables.size()) {
      return Internal("the schedule joins ", values.size(), " values with ", variables.size());
    }
    for (size_t i = 0; i < values.size(); ++i) variable_of_[values[i]] = variables[i];
    return Status();
  }

  Status AddWhile(const ScheduleStep& step, double trips) {
    const ScheduleBlock& condition = step.blocks[0];
    const ScheduleBlock& body = step.blocks[1];
    if (body.results.size() != step.operands.size() || condition.results.size() != 1) {
      return Internal("a loop carries ", step.operands.size(), " values, its body makes ",
                      body.results.size());
    }
    std::vector<int32_t> carries;
    for (int32_t operand : step.operands) {
      carries.push_back(NewVariable(TypeOf(operand).SizeInBytes()));
    }
    for (size_t i = 0; i < carries.size(); ++i) {
      PLINTH_RETURN_IF_ERROR(AddCopy(step.operands[i], carries[i]));
    }
    const bool paired = paired_.contains(&step);
    double turns = Times(trips, step.trips), tests = Times(trips, step.trips + 1);
    code_.cost_ns += tests * target_.rates.loop_turn_ns;
    const double share = share_;
    if (paired) turns /= 2, tests /= 2, share_ /= 2;  // of either half
    int32_t begin = NextStep();
    const int32_t region = BeginRegion(PlanRegion::Kind::kLoop);
    ++loop_depth_;
    PLINTH_ASSIGN_OR_RETURN(int32_t predicate, AddCondition(condition, carries, tests));
    int32_t exit = AddTest(predicate, condition);
    PLINTH_ASSIGN_OR_RETURN(std::vector<int32_t> next, AddTurn(step, carries, turns));
    if (paired) {
      PLINTH_RETURN_IF_ERROR(AddSecondTurn(step, carries, next, turns));
    } else {
      CopyCarries(step, next, carries);
    }
    AddStep(PlanStepKind::kJump).targets = {begin};
    --loop_depth_;
    code_.steps[exit].targets = {NextStep()};
    if (PlanRegion* loop = EndRegion(region)) {
      loop->test = exit;
      loop->trips = step.trips;
    }
    share_ = share;
    code_.loops.push_back({&step, NextStep() - begin});
    return Bind(step.results, carries);
  }

  // The variable of the predicate.
  Expected<int32_t> AddCondition(const ScheduleBlock& condition,
                                 const std::vector<int32_t>& carries, double tests) {
    PLINTH_RETURN_IF_ERROR(Bind(condition.arguments, carries));
    PLINTH_RETURN_IF_ERROR(AddBlock(condition, tests));
    return VariableOf(condition.results[0]);
  }

  // A jump, without its target yet, for when the predicate is false; returns its number.
  int32_t AddTest(int32_t predicate, const ScheduleBlock& condition) {
    LinearStep& leave = AddStep(PlanStepKind::kJumpUnless);
    leave.operands = {predicate};
    leave.operand_types = {TypeOf(condition.results[0])};
    return NextStep() - 1;
  }

  // What a turn makes of these carries. In variables of their own, because a result may be another
  // carry's old value (a swap).
  Expected<std::vector<int32_t>> AddTurn(const ScheduleStep& loop,
                                         const std::vector<int32_t>& carries, double turns) {
    const ScheduleBlock& body = loop.blocks[1];
    PLINTH_RETURN_IF_ERROR(Bind(body.arguments, carries));
    PLINTH_RETURN_IF_ERROR(AddBlock(body, turns));
    std::vector<int32_t> next;
    for (size_t i = 0; i < carries.size(); ++i) {
      next.push_back(NewVariable(code_.variables[carries[i]].size));
      PLINTH_RETURN_IF_ERROR(AddCopy(body.results[i], next[i]));
      code_.steps.back().turn_of = &loop;
    }
    return next;
  }

  void CopyCarries(const ScheduleStep& loop, const std::vector<int32_t>& from,
                   const std::vector<int32_t>& to) {
    for (size_t i = 0; i < to.size(); ++i) {
      AddCopy(from[i], to[i], TypeOf(loop.blocks[1].results[i])).turn_of = &loop;
    }
  }

  // If the condition holds once more, `carries` become what a turn makes of `next`, else `next`.
  Status AddSecondTurn(const ScheduleStep& step, const std::vector<int32_t>& carries,
                       const std::vector<int32_t>& next, double turns) {
    PLINTH_ASSIGN_OR_RETURN(int32_t predicate, AddCondition(step.blocks[0], next, turns));
    const int32_t branch = AddTest(predicate, step.blocks[0]);
    PLINTH_ASSIGN_OR_RETURN(std::vector<int32_t> last, AddTurn(step, next, turns));
    CopyCarries(step, last, carries);
    const int32_t end = NextStep();
    AddStep(PlanStepKind::kJump);
    code_.steps[branch].targets = {NextStep()};
    const int32_t leaving = NextStep();
    AddStep(PlanStepKind::kCopy);  // a position between two branches, as in AddCase
    std::vector<int32_t> moved;
    moved.reserve(next.size());
    for (int32_t variable : next) moved.push_back(NewVariable(code_.variables[variable].size));
    CopyCarries(step, next, moved);
    CopyCarries(step, moved, carries);
    for (int32_t k = leaving; k < NextStep(); ++k) code_.steps[k].share = 0;
    AddStep(PlanStepKind::kJump).targets = {NextStep() + 1};
    code_.steps[end].targets = {NextStep()};
    return Status();
  }

  Status AddCase(const ScheduleStep& step, double trips) {
    const Type& selector_type = TypeOf(step.operands[0]);
    PLINTH_ASSIGN_OR_RETURN(int32_t selector, VariableOf(step.operands[0]));
    bool is_if = selector_type.dtype == DType::kPred;
    if (step.blocks.empty() || (is_if && step.blocks.size() != 2)) {
      return Internal("a conditional has ", step.blocks.size(), " branches");
    }
    int32_t branch = NextStep();
    const int32_t region = BeginRegion(PlanRegion::Kind::kBranch);
    LinearStep& jump = AddStep(is_if ? PlanStepKind::kJumpUnless : PlanStepKind::kSwitch);
    jump.operands = {selector};
    jump.operand_types = {selector_type};

    std::vector<int32_t> joined;
    for (int32_t result : step.results) {
      joined.push_back(NewVariable(TypeOf(result).SizeInBytes()));
    }
    std::vector<int32_t> begins, ends;
    const double cost_before = code_.cost_ns;
    double most_cost = cost_before;  // of the branches: any may be taken
    for (const ScheduleBlock& block : step.blocks) {
      code_.cost_ns = cost_before;
      begins.push_back(NextStep());
      // The last branch has ended before what this one reads begins to be needed: so a value that
      // this one hands on as it is, or updates, may lie where the branches join.
      if (begins.size() > 1) AddStep(PlanStepKind::kCopy);
      if (block.results.size() != joined.size()) {
        return Internal("a branch makes ", block.results.size(), " results instead of ",
                        joined.size());
      }
      PLINTH_RETURN_IF_ERROR(AddBlock(block, trips));
      most_cost = std::max(most_cost, code_.cost_ns);
      for (size_t i = 0; i < joined.size(); ++i) {
        PLINTH_RETURN_IF_ERROR(AddCopy(block.results[i], joined[i]));
      }
      ends.push_back(NextStep());
      AddStep(PlanStepKind::kJump);
    }
    code_.cost_ns = most_cost;
    for (int32_t end : ends) code_.steps[end].targets = {NextStep()};
    if (is_if) {
      code_.steps[branch].targets = {begins[1]};
    } else {
      code_.steps[branch].targets = begins;
    }
    if (PlanRegion* region_of_branches = EndRegion(region)) {
      region_of_branches->branches = std::move(begins);
    }
    return Bind(step.results, joined);
  }

  // The number of the region that begins with the next step; -1 where the target wants none.
  int32_t BeginRegion(PlanRegion::Kind kind) {
    if (target_.control_flow != ControlFlow::kRegions) return -1;
    const int32_t number = static_cast<int32_t>(code_.regions.size());
    PlanRegion& region = code_.regions.emplace_back();
    region.kind = kind;
    region.parent = region_;
    region.begin = NextStep();
    region_ = number;
    return number;
  }

  // The region, which ends with the last step; null for -1.
  PlanRegion* EndRegion(int32_t number) {
    if (number < 0) return nullptr;
    PlanRegion& region = code_.regions[number];
    region.end = NextStep();
    region_ = region.parent;
    return &region;
  }

  const Schedule& schedule_;
  const Target& target_;
  const PairedLoops& paired_;
  LinearCode code_;
  std::vector<int32_t> variable_of_;  // by value; -1 until written
  int32_t loop_depth_ = 0;
  double share_ = 1;
  int32_t region_ = -1;  // the innermost one
};

}  // namespace

Expected<LinearCode> Linearize(const Schedule& schedule, const Target& target,
                               const PairedLoops& paired) {
  return Linearizer(schedule, target, paired).Run();
}

}  // namespace plinth::compiler::plan
