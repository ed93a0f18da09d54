// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/run/prepared_program.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/run/frame.h"

namespace plinth::backend {
namespace {

using compiler::plan::AllocationKind;
using compiler::plan::ArrayRef;
using compiler::plan::PlanStep;
using compiler::plan::PlanStepKind;

// A run below this is done by the caller. On two processors of a Zen 3 that are a virtual
// machine's, waking the thread that runs and then the one that waits takes 30 to 50 us of a call
// from JAX; one call after the other, without a wait between them, take the same time either way.
constexpr double kShortRunNs = 50'000;
// What each further device adds: to queue its lane, wake a thread for it, and hand it over at
// collectives.
constexpr double kLaneNs = 2'000;

// What it takes to start a step, which machine code in place of a loop's steps does not, and the
// least that a step then takes. `x.at[i].set` in 4,096 turns takes 1,459 us step by step and 34 as
// machine code on a Zen 3, a pendulum of 1,000 turns 174 and 10.
constexpr double kKernelStartNs = 50, kLibraryStartNs = 150, kLeastStepNs = 1;

// Pointers that a run finds for the bound steps in its loops; steps beyond are run like others.
constexpr int64_t kMostSlots = 1 << 16;

Expected<std::unique_ptr<PreparedStep>> PrepareStep(const Backend& backend, const PlanStep& step,
                                                    Preparation& shared) {
  for (const Engine& engine : backend.engines) {
    if (engine.matches(step)) return engine.prepare(step, shared);
  }
  return Unimplemented("the ", backend.name, " plugin does not run ", compiler::Name(step.opcode));
}

// The kernels of a program by the work they do: layers of one model often do the same.
class SharedKernels {
 public:
  Expected<std::shared_ptr<const PreparedStep>> Prepare(const Backend& backend,
                                                        const PlanStep& step, Preparation& shared) {
    const size_t hash = compiler::WorkHash(*step.kernel);
    auto [first, last] = prepared_.equal_range(hash);
    for (auto same = first; same != last; ++same) {
      if (compiler::SameWork(*same->second.kernel, *step.kernel)) return same->second.prepared;
    }
    PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<const PreparedStep> prepared,
                            PrepareStep(backend, step, shared));
    prepared_.emplace(hash, Entry{step.kernel.get(), prepared});
    return prepared;
  }

 private:
  struct Entry {
    const compiler::Kernel* kernel;
    std::shared_ptr<const PreparedStep> prepared;
  };
  std::unordered_multimap<size_t, Entry> prepared_;
};

}  // namespace

Status AttributeBudget::Take(int64_t bytes) {
  if (bytes > left_) {
    return ResourceExhausted(bytes, " bytes of attributes; the calls of a program may have ",
                             kMostBytes, " together, and ", left_, " of them are left");
  }
  left_ -= bytes;
  return Status();
}

Expected<std::shared_ptr<const PreparedProgram>> PreparedProgram::Create(compiler::plan::Plan plan,
                                                                         const Backend& backend) {
  std::shared_ptr<PreparedProgram> program(new PreparedProgram(std::move(plan)));
  PLINTH_RETURN_IF_ERROR(program->Prepare(backend));
  return std::shared_ptr<const PreparedProgram>(std::move(program));
}

Status PreparedProgram::Prepare(const Backend& backend) {
  constants_.resize(plan_.allocations.size());
  for (size_t s = 0; s < plan_.allocations.size(); ++s) {
    const compiler::plan::Allocation& allocation = plan_.allocations[s];
    if (allocation.kind != AllocationKind::kConstant) continue;
    const auto& constant = *std::get_if<compiler::ConstantAttributes>(allocation.constant.get());
    constants_[s] = StoragePtr::Borrow(constant.bytes.data(), allocation.size, allocation.constant);
  }
  SharedKernels kernels;
  Preparation shared;
  steps_.reserve(plan_.steps.size());
  for (const PlanStep& source : plan_.steps) {
    Step& step = steps_.emplace_back();
    step.kind = source.kind;
    step.first_array = static_cast<int32_t>(array_allocations_.size());
    step.num_operands = static_cast<int32_t>(source.operands.size());
    step.num_results = static_cast<int32_t>(source.results.size());
    step.targets = source.targets;
    for (const auto& operand : source.operands) array_allocations_.push_back(operand.allocation);
    for (const auto& result : source.results) array_allocations_.push_back(result.allocation);
    most_arrays_ = std::max(most_arrays_, step.num_operands + step.num_results);
    if (source.kind == PlanStepKind::kKernel) {
      PLINTH_ASSIGN_OR_RETURN(step.prepared, kernels.Prepare(backend, source, shared));
    } else if (source.kind == PlanStepKind::kLibrary) {
      PLINTH_ASSIGN_OR_RETURN(step.prepared, PrepareStep(backend, source, shared));
      has_custom_calls_ |= source.opcode == compiler::Opcode::kCustomCall;
    } else if (source.kind == PlanStepKind::kCopy) {
      step.copy_bytes = source.results[0].type.SizeInBytes();
    }
    if (step.prepared != nullptr) {
      scratch_bytes_ = std::max(scratch_bytes_, step.prepared->scratch_bytes());
      may_wait_ |= step.prepared->may_wait();
      may_pause_ |= step.prepared->may_pause();
      if (source.kind == PlanStepKind::kLibrary &&
          compiler::InfoOf(source.opcode).category == compiler::Category::kCollective) {
        step.collective = static_cast<const CollectiveStep*>(step.prepared.get());
        step.first_meeting = num_meetings_;
        num_meetings_ += step.collective->groups().size();
      }
    }
  }
  if (backend.combine != nullptr) {
    combined_ = backend.combine(plan_, prepared_steps());
    for (size_t c = 0; c < combined_.size(); ++c) {
      steps_[combined_[c].begin].combined = static_cast<int32_t>(c);
      scratch_bytes_ = std::max(scratch_bytes_, combined_[c].step->scratch_bytes());
    }
  }
  if (backend.finish != nullptr) {
    const Status finished = backend.finish(prepared_steps());
    if (!finished.ok()) return finished.WithContext(StrCat("program '", plan_.name, "'"));
  }
  const std::vector<int32_t> loop_depths = LoopDepths();
  FindBindable(loop_depths);
  FindShared(loop_depths);
  TranslateLoops(backend);
  FindSaved(loop_depths);
  constexpr int64_t kMostMemory = int64_t{1} << 60;
  if (plan_.arena_size > kMostMemory || scratch_bytes_ > kMostMemory) {
    return ResourceExhausted("program '", plan_.name, "' needs more than 2^60 bytes to run");
  }
  return Status();
}

bool PreparedProgram::IsShort(size_t devices) const {
  const auto count = static_cast<double>(devices);
  return count * (plan_.cost_ns - shared_ns_ - saved_ns_) < kShortRunNs + (count - 1) * kLaneNs &&
         !has_custom_calls_ && !may_pause_;
}

std::vector<std::shared_ptr<const PreparedStep>> PreparedProgram::prepared_steps() const {
  std::vector<std::shared_ptr<const PreparedStep>> prepared;
  prepared.reserve(steps_.size());
  for (const Step& step : steps_) prepared.push_back(step.prepared);
  for (const CombinedStep& combined : combined_) {
    for (size_t s = combined.begin; s < combined.end; ++s) prepared[s] = nullptr;
    prepared[combined.begin] = combined.step;
  }
  return prepared;
}

// How many loops each step is in.
std::vector<int32_t> PreparedProgram::LoopDepths() const {
  std::vector<int32_t> depth_change(steps_.size() + 1, 0);
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (int32_t target : steps_[s].targets) {
      if (static_cast<size_t>(target) > s) continue;
      ++depth_change[static_cast<size_t>(target)];
      --depth_change[s + 1];
    }
  }
  std::partial_sum(depth_change.begin(), depth_change.end(), depth_change.begin());
  return depth_change;
}

// Steps in loops that can be bound are, once per run: what then repeats costs little more than the
// routines that it calls.
void PreparedProgram::FindBindable(std::span<const int32_t> loop_depths) {
  for (size_t s = 0; s < steps_.size(); ++s) {
    Step& step = steps_[s];
    if (loop_depths[s] == 0 || step.kind != PlanStepKind::kKernel) continue;
    step.bindable = step.prepared->bindable();
    if (step.bindable == nullptr || num_slots_ > kMostSlots) {
      step.bindable = nullptr;
      continue;
    }
    step.first_slot = static_cast<int32_t>(num_slots_);
    num_slots_ += static_cast<int64_t>(step.bindable->num_slots());
    register_bytes_ = std::max(register_bytes_, step.bindable->register_bytes());
  }
}

// Outputs that are, as a collective gives them, the same on all devices of a group are written
// once: their buffers refer to one storage, as those of copies between devices do. Others may not
// write there, and bound steps have found their arrays before lanes meet.
void PreparedProgram::FindShared(std::span<const int32_t> loop_depths) {
  if (num_meetings_ == 0) return;
  std::vector<int32_t> writers(plan_.allocations.size(), 0);
  std::vector<bool> is_bound(plan_.allocations.size(), false);
  for (const Step& step : steps_) {
    const std::span<const int32_t> arrays =
        std::span(array_allocations_)
            .subspan(step.first_array, static_cast<size_t>(step.num_operands) +
                                           static_cast<size_t>(step.num_results));
    for (int32_t written : arrays.subspan(step.num_operands)) ++writers[written];
    if (step.bindable == nullptr) continue;
    for (int32_t array : arrays) is_bound[array] = true;
  }
  for (size_t s = 0; s < steps_.size(); ++s) {
    Step& step = steps_[s];
    const bool gives_the_same =
        step.collective != nullptr && step.collective->GivesAllTheSame() && loop_depths[s] == 0;
    if (!gives_the_same) continue;
    double bytes = 0, shared_bytes = 0;
    for (const ArrayRef& operand : plan_.steps[s].operands) {
      bytes += static_cast<double>(operand.type.SizeInBytes());
    }
    for (int32_t r = 0; r < step.num_results; ++r) {
      const int32_t allocation = array_allocations_[step.first_array + step.num_operands + r];
      const auto size = static_cast<double>(plan_.allocations[allocation].size);
      bytes += size;
      const bool is_free = plan_.allocations[allocation].kind == AllocationKind::kOutput &&
                           writers[allocation] == 1 && !is_bound[allocation];
      if (!is_free) continue;
      is_shared_.resize(plan_.allocations.size(), false);
      is_shared_[allocation] = true;
      step.shared_results.push_back(r);
      shared_bytes += size;
    }
    const auto groups = static_cast<double>(std::max(step.collective->groups().size(), 1));
    const auto lanes = static_cast<double>(step.collective->groups().num_lanes());
    if (shared_bytes > 0 && lanes > groups) {
      shared_ns_ += plan_.steps[s].cost_ns * shared_bytes / bytes * (1 - groups / lanes);
    }
  }
}

void PreparedProgram::TranslateLoops(const Backend& backend) {
  const auto jumps_back = [&](const Step& step) {
    return step.kind == PlanStepKind::kJump && step.targets[0] <= &step - steps_.data();
  };
  if (backend.translate == nullptr || std::none_of(steps_.begin(), steps_.end(), jumps_back)) {
    return;
  }
  std::vector<NativeStep> steps;
  steps.reserve(steps_.size());
  for (const Step& step : steps_) {
    const bool may_stop =
        step.collective != nullptr ||
        (step.prepared != nullptr && (step.prepared->may_wait() || step.prepared->may_pause()));
    steps.push_back({step.bindable, step.first_slot, !may_stop});
  }
  loops_ = backend.translate(plan_, steps);
  for (const std::unique_ptr<NativeLoop>& loop : loops_) {
    steps_[static_cast<size_t>(loop->first_step())].loop = loop.get();
  }
}

// The plan's cost is that of steps, which all loops may have become machine code for.
void PreparedProgram::FindSaved(std::span<const int32_t> loop_depths) {
  if (loops_.empty() || !std::isfinite(plan_.cost_ns)) return;
  std::vector<size_t> ends(steps_.size());  // of the loop that a step begins
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (const int32_t target : steps_[s].targets) {
      if (static_cast<size_t>(target) <= s) ends[static_cast<size_t>(target)] = s + 1;
    }
  }
  double outside = 0, by_step = 0, as_code = 0;
  size_t native_end = 0;
  for (size_t s = 0; s < steps_.size(); ++s) {
    if (steps_[s].loop != nullptr) native_end = std::max(native_end, ends[s]);
    const double cost = plan_.steps[s].cost_ns;
    if (loop_depths[s] == 0) {
      outside += cost;
      continue;
    }
    if (s >= native_end) return;
    const bool is_library = steps_[s].kind == PlanStepKind::kLibrary;
    by_step += cost;
    as_code += std::max(cost - (is_library ? kLibraryStartNs : kKernelStartNs), kLeastStepNs);
  }
  if (by_step <= as_code) return;
  saved_ns_ = std::max(plan_.cost_ns - outside, 0.0) * (1 - as_code / by_step);
}

Status PreparedProgram::Run(Runtime& runtime, std::span<RunArgument> arguments,
                            std::span<StoragePtr> outputs, const Lane& lane,
                            CallContext* call) const {
  Frame frame(*this, runtime, lane, call);
  PLINTH_RETURN_IF_ERROR(frame.Bind(arguments));
  for (Outcome outcome = frame.Run(); !outcome.is_done(); outcome = frame.Run()) {
    if (!outcome.waits()) return outcome.status();
    if (frame.place() == Frame::Place::kCollective) {
      return Internal("a collective was reached by a run without others");
    }
    PLINTH_RETURN_IF_ERROR(outcome.over().Await());
  }
  frame.TakeOutputs(outputs);
  return Status();
}

}  // namespace plinth::backend
