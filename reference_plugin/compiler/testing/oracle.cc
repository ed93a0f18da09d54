// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/testing/oracle.h"

#include <algorithm>
#include <cmath>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/testing/oracle_gather.h"

// Schedules and plans; kernels are in oracle_kernel.cc.
namespace plinth::compiler::testing {
namespace {

constexpr int kMostTurns = 1000;
// What memory holds before it is written.
constexpr std::byte kUnwritten{0xa5};

Bytes BytesOf(const Type& type, const ConstantAttributes& constant) {
  if (!constant.is_splat) return Bytes(constant.bytes.begin(), constant.bytes.end());
  Bytes bytes;
  for (int64_t i = 0; i < type.NumElements(); ++i) {
    bytes.insert(bytes.end(), constant.bytes.begin(), constant.bytes.end());
  }
  return bytes;
}

size_t SizeOf(const Type& type) { return static_cast<size_t>(type.SizeInBytes()); }

// Numbers that depend on all elements that were added, the same for the same elements.
class StandIn {
 public:
  void Add(const Type& type, const std::byte* data) {
    for (int64_t i = 0; i < type.NumElements(); ++i) {
      const double element = Load(type.dtype, data + i * ByteSize(type.dtype));
      if (std::isfinite(element)) sum_ = std::fmod(sum_ * 1.25 + element, 64);
    }
  }
  void Write(const Type& type, std::byte* data) {
    std::fill_n(data, SizeOf(type), std::byte{0});
    for (int64_t i = 0; i < type.NumElements(); ++i) {
      sum_ = std::fmod(sum_ + 0.37, 4);
      Save(type.dtype, sum_ - 2, data + i * ByteSize(type.dtype));
    }
  }

 private:
  double sum_ = 0.1;
};

class ScheduleRun {
 public:
  explicit ScheduleRun(const plan::Schedule& schedule)
      : schedule_(schedule), arrays_(schedule.values.size()) {}

  Outcome Run(const std::vector<Bytes>& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      arrays_[schedule_.entry.arguments[i]] = arguments[i];
    }
    RunBlock(schedule_.entry);
    for (int32_t result : schedule_.entry.results) outcome_.results.push_back(Get(result));
    return std::move(outcome_);
  }

 private:
  const Type& TypeOf(int32_t value) const { return schedule_.values[value].type; }

  Bytes Get(int32_t value) {
    const plan::ArrayValue& array = schedule_.values[value];
    if (array.view_of >= 0) return Get(array.view_of);
    if (array.constant != nullptr) {
      return BytesOf(array.type, std::get<ConstantAttributes>(*array.constant));
    }
    if (arrays_[value].empty() && array.type.SizeInBytes() > 0) {
      outcome_.errors.push_back(StrCat("value ", value, " is read before it is written"));
      arrays_[value].resize(SizeOf(array.type));
    }
    return arrays_[value];
  }

  double Scalar(int32_t value) { return Load(TypeOf(value).dtype, Get(value).data()); }

  void RunBlock(const plan::ScheduleBlock& block) {
    for (const plan::ScheduleStep& step : block.steps) RunStep(step);
  }

  void RunStep(const plan::ScheduleStep& step) {
    switch (step.kind) {
      case plan::StepKind::kKernel:
        return RunKernelStep(step);
      case plan::StepKind::kLibrary:
        return RunLibraryStep(step);
      case plan::StepKind::kCopy:
        arrays_[step.results[0]] = Get(step.operands[0]);
        return;
      case plan::StepKind::kCase:
        return RunCase(step);
      case plan::StepKind::kWhile:
        return RunWhile(step);
    }
  }

  void RunCase(const plan::ScheduleStep& step) {
    int32_t index = static_cast<int32_t>(Scalar(step.operands[0]));
    if (TypeOf(step.operands[0]).dtype == DType::kPred) index = index != 0 ? 0 : 1;
    const int32_t last = static_cast<int32_t>(step.blocks.size()) - 1;
    if (index < 0 || index > last) index = last;
    RunBlock(step.blocks[index]);
    for (size_t i = 0; i < step.results.size(); ++i) {
      arrays_[step.results[i]] = Get(step.blocks[index].results[i]);
    }
  }

  void RunWhile(const plan::ScheduleStep& step) {
    const plan::ScheduleBlock &condition = step.blocks[0], &body = step.blocks[1];
    std::vector<Bytes> carries;
    for (int32_t operand : step.operands) carries.push_back(Get(operand));
    for (int turn = 0; turn < kMostTurns; ++turn) {
      for (size_t i = 0; i < carries.size(); ++i) {
        arrays_[condition.arguments[i]] = carries[i];
        arrays_[body.arguments[i]] = carries[i];
      }
      RunBlock(condition);
      if (Scalar(condition.results[0]) == 0) break;
      RunBlock(body);
      for (size_t i = 0; i < carries.size(); ++i) carries[i] = Get(body.results[i]);
    }
    for (size_t i = 0; i < carries.size(); ++i) arrays_[step.results[i]] = carries[i];
  }

  void RunLibraryStep(const plan::ScheduleStep& step) {
    if (step.opcode == Opcode::kGather) {
      const int32_t from = step.operands[0], index = step.operands[1], to = step.results[0];
      arrays_[to].resize(SizeOf(TypeOf(to)));
      RunGather(std::get<GatherAttributes>(*step.attributes), TypeOf(from), Get(from).data(),
                TypeOf(index), Get(index).data(), TypeOf(to), arrays_[to].data());
      return;
    }
    StandIn stand_in;
    for (int32_t operand : step.operands) stand_in.Add(TypeOf(operand), Get(operand).data());
    for (int32_t result : step.results) {
      arrays_[result].resize(SizeOf(TypeOf(result)));
      stand_in.Write(TypeOf(result), arrays_[result].data());
    }
  }

  void RunKernelStep(const plan::ScheduleStep& step) {
    if (Status status = Verify(*step.kernel); !status.ok()) {
      outcome_.errors.push_back(StrCat(step.kernel->name, ": ", status.message()));
      return;
    }
    std::vector<Bytes> operands;
    for (int32_t operand : step.operands) operands.push_back(Get(operand));
    const std::vector<Bytes> expected = RunInPlace(step, operands, {});
    std::vector<plan::InPlace> required;
    for (const plan::InPlace& pair : step.in_place) {
      if (pair.required) required.push_back(pair);
      if (RunInPlace(step, operands, {pair}) != expected) {
        outcome_.errors.push_back(StrCat(step.kernel->name, ": differs when operand ", pair.operand,
                                         " and result ", pair.result, " share memory"));
      }
    }
    // What must share memory does so all at once.
    if (RunInPlace(step, operands, required) != expected) {
      outcome_.errors.push_back(StrCat(step.kernel->name, ": differs when it works in place"));
    }
    for (size_t i = 0; i < step.results.size(); ++i) {
      arrays_[step.results[i]] = expected[i];
    }
  }

  std::vector<Bytes> RunInPlace(const plan::ScheduleStep& step, std::vector<Bytes> operands,
                                const std::vector<plan::InPlace>& shared) {
    std::vector<Bytes> results;
    for (int32_t result : step.results) results.emplace_back(SizeOf(TypeOf(result)), kUnwritten);
    for (const plan::InPlace& pair : step.in_place) {
      if (pair.required) results[pair.result] = operands[pair.operand];
    }
    for (const plan::InPlace& pair : shared) results[pair.result] = operands[pair.operand];
    std::vector<std::span<std::byte>> in(operands.begin(), operands.end());
    const std::vector<std::span<std::byte>> out(results.begin(), results.end());
    for (const plan::InPlace& pair : shared) in[pair.operand] = out[pair.result];
    for (std::string& error : RunKernel(*step.kernel, in, out)) {
      outcome_.errors.push_back(StrCat(step.kernel->name, ": ", error));
    }
    return results;
  }

  const plan::Schedule& schedule_;
  std::vector<Bytes> arrays_;
  Outcome outcome_;
};

class PlanRun {
 public:
  explicit PlanRun(const plan::Plan& plan)
      : plan_(plan), arena_(static_cast<size_t>(plan.arena_size), kUnwritten) {}

  Outcome Run(const std::vector<Bytes>& arguments) {
    for (const plan::Allocation& allocation : plan_.allocations) {
      Bytes& bytes = own_.emplace_back();
      switch (allocation.kind) {
        case plan::AllocationKind::kArgument:
          bytes = arguments[allocation.index];
          break;
        case plan::AllocationKind::kConstant: {
          const auto& constant = std::get<ConstantAttributes>(*allocation.constant);
          bytes.assign(constant.bytes.begin(), constant.bytes.end());
          break;
        }
        case plan::AllocationKind::kOutput:
          bytes.assign(static_cast<size_t>(allocation.size), kUnwritten);
          break;
        case plan::AllocationKind::kArena:
          break;
      }
    }
    if (plan_.control_flow == ControlFlow::kRegions) {
      RunRange(0, static_cast<int32_t>(plan_.steps.size()), -1);
    } else {
      RunJumps();
    }
    for (const plan::ArrayRef& output : plan_.outputs) {
      const std::span<std::byte> bytes = Get(output);
      outcome_.results.emplace_back(bytes.begin(), bytes.end());
    }
    return std::move(outcome_);
  }

 private:
  std::span<std::byte> Get(const plan::ArrayRef& array) {
    const plan::Allocation& allocation = plan_.allocations[array.allocation];
    std::byte* data = allocation.kind == plan::AllocationKind::kArena
                          ? arena_.data() + allocation.arena_offset
                          : own_[array.allocation].data();
    return {data, SizeOf(array.type)};
  }

  double Scalar(const plan::ArrayRef& array) { return Load(array.type.dtype, Get(array).data()); }

  void RunJumps() {
    int jumps = 0;
    for (size_t k = 0; k < plan_.steps.size();) {
      const plan::PlanStep& step = plan_.steps[k];
      if (!step.targets.empty() && ++jumps > 100 * kMostTurns) {
        outcome_.errors.push_back("the plan does not end");
        return;
      }
      switch (step.kind) {
        case plan::PlanStepKind::kJump:
          k = step.targets[0];
          break;
        case plan::PlanStepKind::kJumpUnless:
          k = Scalar(step.operands[0]) != 0 ? k + 1 : step.targets[0];
          break;
        case plan::PlanStepKind::kSwitch:
          k = step.targets[Choose(step, step.targets.size())];
          break;
        default:
          RunStep(step);
          ++k;
      }
    }
  }

  // The number of the branch that the index chooses.
  size_t Choose(const plan::PlanStep& step, size_t count) {
    const double index = Scalar(step.operands[0]);
    return index >= 0 && index < static_cast<double>(count) ? static_cast<size_t>(index)
                                                            : count - 1;
  }

  // Steps [begin, end) of region `parent`: no jump but those of regions within.
  void RunRange(int32_t begin, int32_t end, int32_t parent) {
    for (int32_t k = begin; k < end;) {
      const auto region = std::find_if(
          plan_.regions.begin(), plan_.regions.end(),
          [&](const plan::PlanRegion& r) { return r.parent == parent && r.begin == k; });
      if (region == plan_.regions.end()) {
        RunStep(plan_.steps[k++]);
        continue;
      }
      const int32_t number = static_cast<int32_t>(region - plan_.regions.begin());
      if (region->kind == plan::PlanRegion::Kind::kLoop) {
        RunLoop(*region, number);
      } else {
        RunBranch(*region, number);
      }
      k = region->end;
    }
  }

  void RunLoop(const plan::PlanRegion& loop, int32_t number) {
    double turns = 0;
    for (;; ++turns) {
      RunRange(loop.begin, loop.test, number);
      if (Scalar(plan_.steps[loop.test].operands[0]) == 0 || turns == kMostTurns) break;
      RunRange(loop.test + 1, loop.end - 1, number);
    }
    if (std::isfinite(loop.trips) && turns != loop.trips) {
      outcome_.errors.push_back(
          StrCat("a loop makes ", turns, " turns; its region says ", loop.trips));
    }
  }

  void RunBranch(const plan::PlanRegion& region, int32_t number) {
    const plan::PlanStep& step = plan_.steps[region.begin];
    const size_t branch = step.kind == plan::PlanStepKind::kSwitch
                              ? Choose(step, region.branches.size())
                              : (Scalar(step.operands[0]) != 0 ? 0 : 1);
    const bool is_last = branch + 1 == region.branches.size();
    const int32_t end = is_last ? region.end : region.branches[branch + 1];
    RunRange(region.branches[branch], end - 1, number);
  }

  void RunStep(const plan::PlanStep& step) {
    if (step.kind == plan::PlanStepKind::kCopy) {
      const std::span<std::byte> from = Get(step.operands[0]), to = Get(step.results[0]);
      std::copy(from.begin(), from.end(), to.begin());
    } else if (step.opcode == Opcode::kGather && step.kind == plan::PlanStepKind::kLibrary) {
      const plan::ArrayRef &from = step.operands[0], &index = step.operands[1];
      RunGather(std::get<GatherAttributes>(*step.attributes), from.type, Get(from).data(),
                index.type, Get(index).data(), step.results[0].type, Get(step.results[0]).data());
    } else if (step.kind == plan::PlanStepKind::kLibrary) {
      StandIn stand_in;
      for (const plan::ArrayRef& operand : step.operands) {
        stand_in.Add(operand.type, Get(operand).data());
      }
      for (const plan::ArrayRef& result : step.results)
        stand_in.Write(result.type, Get(result).data());
    } else if (step.kind == plan::PlanStepKind::kKernel) {
      std::vector<std::span<std::byte>> operands, results;
      for (const plan::ArrayRef& operand : step.operands) operands.push_back(Get(operand));
      for (const plan::ArrayRef& result : step.results) results.push_back(Get(result));
      for (std::string& error : RunKernel(*step.kernel, operands, results)) {
        outcome_.errors.push_back(StrCat(step.kernel->name, ": ", error));
      }
    } else {
      outcome_.errors.push_back("a jump is of no region");
    }
  }

  const plan::Plan& plan_;
  std::vector<Bytes> own_;  // by allocation; nothing for those of the arena
  Bytes arena_;
  Outcome outcome_;
};

}  // namespace

Outcome Run(const plan::Schedule& schedule, const std::vector<Bytes>& arguments) {
  return ScheduleRun(schedule).Run(arguments);
}

Outcome Run(const plan::Plan& plan, const std::vector<Bytes>& arguments) {
  return PlanRun(plan).Run(arguments);
}

}  // namespace plinth::compiler::testing
