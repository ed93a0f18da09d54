// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/loop.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "reference_plugin/cpu/emit/code_memory.h"
#include "reference_plugin/cpu/math/tile_functions.h"
#include "reference_plugin/cpu/native/loop_code.h"

namespace plinth::cpu::native {
namespace {

using backend::NativeFrame;
using compiler::plan::Plan;
using compiler::plan::PlanStepKind;
using emit::CodeMemory;

class Loop final : public backend::NativeLoop {
 public:
  Loop(int32_t first, std::unique_ptr<CodeMemory> code) : first_(first), code_(std::move(code)) {}

  int32_t first_step() const override { return first_; }
  int32_t Run(const NativeFrame& frame) const override {
    int32_t (*run)(const NativeFrame*);
    const uint8_t* const start = code_->data();
    std::memcpy(&run, &start, sizeof(run));
    return run(&frame);
  }

 private:
  const int32_t first_;
  const std::unique_ptr<CodeMemory> code_;
};

// Steps [first, last], the last of which jumps to the first.
struct Candidate {
  int32_t first = 0, last = 0;
  int32_t size() const { return last - first; }
};

// The largest first.
std::vector<Candidate> FindLoops(const Plan& plan) {
  std::vector<Candidate> loops;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const auto& step = plan.steps[s];
    if (step.kind != PlanStepKind::kJump || step.targets[0] > static_cast<int32_t>(s)) continue;
    loops.push_back({step.targets[0], static_cast<int32_t>(s)});
  }
  std::stable_sort(loops.begin(), loops.end(),
                   [](const Candidate& a, const Candidate& b) { return a.size() > b.size(); });
  return loops;
}

// Whether no step outside jumps between the loop's steps.
bool HasOneEntry(const Plan& plan, const Candidate& loop) {
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const auto step = static_cast<int32_t>(s);
    if (step >= loop.first && step <= loop.last) continue;
    for (const int32_t target : plan.steps[s].targets) {
      if (target > loop.first && target <= loop.last) return false;
    }
  }
  return true;
}

std::unique_ptr<CodeMemory> Load(const LoopCode& loop) {
  const std::span<const uint8_t> bytes = loop.bytes();
  std::unique_ptr<CodeMemory> memory = CodeMemory::Make(bytes.size());
  if (memory == nullptr) return nullptr;
  std::copy(bytes.begin(), bytes.end(), memory->data());
  return memory->Seal() ? std::move(memory) : nullptr;
}

}  // namespace

std::vector<std::unique_ptr<backend::NativeLoop>> TranslateLoops(
    const Plan& plan, std::span<const backend::NativeStep> steps) {
  std::vector<std::unique_ptr<backend::NativeLoop>> loops;
  if (math::BestSimdTarget() < math::SimdTarget::kAvx2) return loops;
  std::vector<Candidate> done;
  for (const Candidate& candidate : FindLoops(plan)) {
    const bool overlaps = std::any_of(done.begin(), done.end(), [&](const Candidate& other) {
      return candidate.first <= other.last && other.first <= candidate.last;
    });
    if (overlaps || !HasOneEntry(plan, candidate)) continue;
    const std::optional<LoopCode> code =
        LoopCode::Make(plan, steps, candidate.first, candidate.last);
    if (!code.has_value()) continue;
    std::unique_ptr<CodeMemory> memory = Load(*code);
    if (memory == nullptr) return loops;
    loops.push_back(std::make_unique<Loop>(candidate.first, std::move(memory)));
    done.push_back(candidate);
  }
  return loops;
}

}  // namespace plinth::cpu::native
