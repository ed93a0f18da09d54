// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/loop_places.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace plinth::cpu::native {
namespace {

using compiler::plan::Allocation;
using compiler::plan::AllocationKind;
using compiler::plan::ArrayRef;
using compiler::plan::Plan;
using compiler::plan::PlanStep;
using compiler::plan::PlanStepKind;

// Whether registers hold arrays of both types in the same way: as bits, but for preds.
bool SameForm(const compiler::Type& a, const compiler::Type& b) {
  return a.SizeInBytes() == b.SizeInBytes() && IsLaneType(a.dtype) && IsLaneType(b.dtype) &&
         (a.dtype == DType::kPred) == (b.dtype == DType::kPred);
}

bool ShareBytes(const Allocation& a, const Allocation& b) {
  return a.kind == AllocationKind::kArena && b.kind == AllocationKind::kArena &&
         a.arena_offset < b.arena_offset + b.size && b.arena_offset < a.arena_offset + a.size;
}

}  // namespace

LoopPlaces::LoopPlaces(const Plan& plan, int32_t first, int32_t last)
    : plan_(plan),
      first_(first),
      last_(last),
      may_reside_(plan.allocations.size(), false),
      comes_(plan.allocations.size(), false) {
  FindLocations();
  // Candidates are arrays of one form, which all steps of the loop agree about.
  std::vector<const ArrayRef*> form(plan.allocations.size(), nullptr);
  std::vector<bool> differs(plan.allocations.size(), false);
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const PlanStep& step = plan.steps[s];
    const bool inside = static_cast<int32_t>(s) >= first && static_cast<int32_t>(s) <= last;
    for (const auto* arrays : {&step.operands, &step.results}) {
      for (const ArrayRef& array : *arrays) {
        const size_t a = LocationOf(array);
        if (!inside) {
          comes_[a] = true;
          continue;
        }
        const bool same = form[a] == nullptr || SameForm(form[a]->type, array.type);
        differs[a] = differs[a] || !same;
        form[a] = &array;
      }
    }
  }
  for (size_t a = 0; a < form.size(); ++a) {
    comes_[a] = comes_[a] || plan.allocations[a].kind != AllocationKind::kArena;
    if (form[a] == nullptr || differs[a] || !IsLaneType(form[a]->type.dtype)) continue;
    const int64_t bytes = form[a]->type.SizeInBytes();
    const int64_t elements = bytes / ByteSize(form[a]->type.dtype);
    may_reside_[a] =
        elements >= 1 && elements <= (form[a]->type.dtype == DType::kPred ? 1 : kLanes);
  }
  for (int32_t s = first; s <= last; ++s) {
    const PlanStep& step = plan.steps[static_cast<size_t>(s)];
    steps_.push_back(InlineStep::Make(step));
  }
  FindOverlaps();
  Settle();
  Choose();
}

void LoopPlaces::FindLocations() {
  std::map<std::pair<int64_t, int64_t>, size_t> first;
  for (size_t a = 0; a < plan_.allocations.size(); ++a) {
    const Allocation& allocation = plan_.allocations[a];
    const bool is_alone = allocation.kind != AllocationKind::kArena;
    location_.push_back(
        is_alone ? a
                 : first.try_emplace({allocation.arena_offset, allocation.size}, a).first->second);
  }
}

// What is read after the loop goes back to memory at its end. There, nothing that the loop has left
// in the same bytes may be overwritten.
void LoopPlaces::FindOverlaps() {
  std::vector<bool> used(plan_.allocations.size(), false);
  for (int32_t s = first_; s <= last_; ++s) {
    const PlanStep& step = plan_.steps[static_cast<size_t>(s)];
    for (const auto* arrays : {&step.operands, &step.results}) {
      for (const ArrayRef& array : *arrays) used[LocationOf(array)] = true;
    }
  }
  for (size_t a = 0; a < used.size(); ++a) {
    if (!may_reside_[a] || !comes_[a]) continue;
    for (size_t b = 0; b < used.size() && may_reside_[a]; ++b) {
      if (a != b && used[b] && comes_[b] &&
          ShareBytes(plan_.allocations[a], plan_.allocations[b])) {
        may_reside_[a] = false;
      }
    }
  }
}

bool LoopPlaces::Fits(const PlanStep& step, const InlineStep& code) const {
  const auto fits = [&](const std::vector<ArrayRef>& arrays, std::span<const PlaceUse> uses) {
    for (size_t i = 0; i < arrays.size(); ++i) {
      const bool resides = may_reside_[LocationOf(arrays[i])];
      if (resides ? !uses[i].in_register : !uses[i].in_memory) return false;
    }
    return true;
  };
  return fits(step.operands, code.operands()) && fits(step.results, code.results());
}

// A step that is a call needs its arrays in memory, and so does one that reads parts of them in
// ways that registers cannot; that may take the code from another step.
void LoopPlaces::Settle() {
  for (bool changed = true; changed;) {
    changed = false;
    const auto refuse = [&](const ArrayRef& array) {
      changed = changed || may_reside_[LocationOf(array)];
      may_reside_[LocationOf(array)] = false;
    };
    for (int32_t s = first_; s <= last_; ++s) {
      const PlanStep& step = plan_.steps[static_cast<size_t>(s)];
      std::unique_ptr<InlineStep>& code = steps_[static_cast<size_t>(s - first_)];
      if (code != nullptr) {
        for (size_t i = 0; i < step.operands.size(); ++i) {
          if (!code->operands()[i].in_register) refuse(step.operands[i]);
        }
        for (size_t i = 0; i < step.results.size(); ++i) {
          if (!code->results()[i].in_register) refuse(step.results[i]);
        }
        if (!Fits(step, *code)) {
          code.reset();
          changed = true;
        }
      } else if (step.kind == PlanStepKind::kKernel || step.kind == PlanStepKind::kLibrary) {
        for (const ArrayRef& array : step.operands) refuse(array);
        for (const ArrayRef& array : step.results) refuse(array);
      } else if (step.kind == PlanStepKind::kJumpUnless || step.kind == PlanStepKind::kSwitch) {
        const DType type = step.kind == PlanStepKind::kSwitch ? DType::kS32 : DType::kPred;
        if (step.operands[0].type.dtype != type) refuse(step.operands[0]);
      }
    }
  }
}

// Those that are used most, as long as there are registers.
void LoopPlaces::Choose() {
  std::vector<int32_t> uses(plan_.allocations.size(), 0);
  std::vector<Resident> found(plan_.allocations.size());
  for (int32_t s = first_; s <= last_; ++s) {
    const PlanStep& step = plan_.steps[static_cast<size_t>(s)];
    for (const auto* arrays : {&step.operands, &step.results}) {
      for (const ArrayRef& array : *arrays) {
        const size_t a = LocationOf(array);
        if (!may_reside_[a]) continue;
        ++uses[a];
        found[a].allocation = static_cast<int32_t>(a);
        found[a].bytes = array.type.SizeInBytes();
        found[a].dtype = array.type.dtype;
        found[a].comes = comes_[a];
        found[a].is_written = found[a].is_written || arrays == &step.results;
      }
    }
  }
  std::vector<size_t> order;
  for (size_t a = 0; a < uses.size(); ++a) {
    if (uses[a] > 0) order.push_back(a);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return uses[a] > uses[b]; });
  if (order.size() > kFirstFree) {
    for (size_t i = kFirstFree; i < order.size(); ++i) may_reside_[order[i]] = false;
    order.resize(kFirstFree);
    Settle();  // others may have to leave, too
  }
  for (const size_t a : order) {
    if (!may_reside_[a]) continue;
    found[a].reg = Vec(static_cast<int>(residents_.size()));
    residents_.push_back(found[a]);
  }
}

Place LoopPlaces::PlaceOf(const ArrayRef& array) const {
  Place place = {RegisterOf(array.allocation), array.allocation, array.type.SizeInBytes(), {}};
  const Allocation& allocation = plan_.allocations[static_cast<size_t>(array.allocation)];
  if (allocation.kind == AllocationKind::kConstant && array.type.dtype == DType::kPred &&
      place.bytes == 1) {
    const auto& constant = *std::get_if<compiler::ConstantAttributes>(allocation.constant.get());
    place.pred = constant.bytes[0] != std::byte{0};
  }
  return place;
}

std::optional<Vec> LoopPlaces::RegisterOf(int32_t allocation) const {
  for (const Resident& resident : residents_) {
    if (static_cast<size_t>(resident.allocation) == location_[static_cast<size_t>(allocation)]) {
      return resident.reg;
    }
  }
  return std::nullopt;
}

}  // namespace plinth::cpu::native
