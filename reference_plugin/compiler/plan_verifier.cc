#include <algorithm>
#include <vector>

#include "reference_plugin/compiler/arena.h"
#include "reference_plugin/compiler/plan.h"

namespace plinth::compiler {
namespace {

Status CheckArray(const Plan& plan, const ArrayRef& array, size_t step, const char* role) {
  if (array.storage < 0 || array.storage >= static_cast<int64_t>(plan.storages.size())) {
    return Internal("step ", step, " has a ", role, " in storage ", array.storage, " of ",
                    plan.storages.size());
  }
  const Storage& storage = plan.storages[array.storage];
  if (array.type.kind == Type::Kind::kTensor && array.type.SizeInBytes() > storage.size) {
    return Internal("step ", step, " has a ", role, " of ", array.type.SizeInBytes(),
                    " bytes in storage ", array.storage, " of ", storage.size);
  }
  return Status();
}

// The step numbers that may follow step `k`.
std::vector<int32_t> Successors(const Plan& plan, int32_t k) {
  const PlanStep& step = plan.steps[k];
  std::vector<int32_t> next = step.targets;
  if (step.kind != PlanStepKind::kJump && step.kind != PlanStepKind::kSwitch) next.push_back(k + 1);
  return next;
}

// Follows every path with the set of storages that were certainly written.
Status CheckWrittenBeforeRead(const Plan& plan) {
  size_t count = plan.steps.size();
  std::vector<std::vector<bool>> written(count + 1);  // at the start of a step; empty: not reached
  std::vector<bool> at_entry(plan.storages.size());
  for (size_t s = 0; s < plan.storages.size(); ++s) {
    StorageKind kind = plan.storages[s].kind;
    at_entry[s] = kind == StorageKind::kArgument || kind == StorageKind::kConstant ||
                  plan.storages[s].size == 0;
  }
  written[0] = std::move(at_entry);
  std::vector<int32_t> work = {0};
  while (!work.empty()) {
    int32_t k = work.back();
    work.pop_back();
    if (k == static_cast<int32_t>(count)) continue;
    const PlanStep& step = plan.steps[k];
    std::vector<bool> after = written[k];
    for (const ArrayRef& operand : step.operands) {
      if (!after[operand.storage]) {
        return Internal("step ", k, " reads storage ", operand.storage, " before it is written");
      }
    }
    for (const ArrayRef& result : step.results) after[result.storage] = true;
    for (int32_t next : Successors(plan, k)) {
      if (written[next].empty()) {
        written[next] = after;
        work.push_back(next);
        continue;
      }
      bool changed = false;
      for (size_t s = 0; s < after.size(); ++s) {
        if (written[next][s] && !after[s]) {
          written[next][s] = false;
          changed = true;
        }
      }
      if (changed) work.push_back(next);
    }
  }
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    if (!written[count].empty() && !written[count][plan.outputs[o].storage]) {
      return Internal("output ", o, " is in storage ", plan.outputs[o].storage,
                      ", which is not written on every path");
    }
  }
  return Status();
}

}  // namespace

Status Verify(const Plan& plan) {
  int32_t count = static_cast<int32_t>(plan.steps.size());
  for (const Storage& storage : plan.storages) {
    if (storage.size < 0) return Internal("a storage has ", storage.size, " bytes");
    if (storage.kind == StorageKind::kArena &&
        (storage.arena_offset < 0 || storage.arena_offset % kArenaAlignment != 0 ||
         storage.arena_offset + storage.size > plan.arena_size)) {
      return Internal("an arena storage at ", storage.arena_offset, " of ", storage.size,
                      " bytes does not fit into ", plan.arena_size);
    }
    if (storage.kind == StorageKind::kArgument &&
        (storage.index < 0 || storage.index >= static_cast<int64_t>(plan.argument_types.size()))) {
      return Internal("a storage names argument ", storage.index, " of ",
                      plan.argument_types.size());
    }
  }
  for (int32_t k = 0; k < count; ++k) {
    const PlanStep& step = plan.steps[k];
    for (const ArrayRef& operand : step.operands) {
      PLINTH_RETURN_IF_ERROR(CheckArray(plan, operand, k, "operand"));
    }
    for (const ArrayRef& result : step.results) {
      PLINTH_RETURN_IF_ERROR(CheckArray(plan, result, k, "result"));
      const Storage& storage = plan.storages[result.storage];
      if (storage.kind == StorageKind::kConstant ||
          (storage.kind == StorageKind::kArgument && !storage.donated)) {
        return Internal("step ", k, " writes storage ", result.storage, ", which is not its own");
      }
    }
    for (int32_t target : step.targets) {
      if (target < 0 || target > count) {
        return Internal("step ", k, " jumps to ", target, " of ", count);
      }
    }
    size_t wanted = step.kind == PlanStepKind::kJump || step.kind == PlanStepKind::kJumpUnless;
    if (step.kind == PlanStepKind::kSwitch ? step.targets.empty() : step.targets.size() != wanted) {
      return Internal("step ", k, " has ", step.targets.size(), " targets");
    }
  }
  std::vector<bool> is_taken(plan.storages.size());
  for (const ArrayRef& output : plan.outputs) {
    PLINTH_RETURN_IF_ERROR(CheckArray(plan, output, count, "output"));
    const Storage& storage = plan.storages[output.storage];
    bool is_own = storage.kind == StorageKind::kOutput ||
                  (storage.kind == StorageKind::kArgument && storage.donated);
    if (!is_own || is_taken[output.storage]) {
      return Internal("an output is in storage ", output.storage, ", which is not its own");
    }
    is_taken[output.storage] = true;
  }
  return CheckWrittenBeforeRead(plan);
}

std::string ToString(const Plan& plan) {
  static constexpr const char* kStorageKinds[] = {"argument", "constant", "arena", "output"};
  std::string out = StrCat("plan ", plan.name, ": arena ", plan.arena_size, " bytes, constants ",
                           plan.constant_bytes, " bytes\n");
  for (size_t s = 0; s < plan.storages.size(); ++s) {
    const Storage& storage = plan.storages[s];
    out += StrCat("  %", s, " = ", kStorageKinds[static_cast<int>(storage.kind)], " ", storage.size,
                  " bytes");
    if (storage.kind == StorageKind::kArena) out += StrCat(" at ", storage.arena_offset);
    if (storage.kind == StorageKind::kArgument) out += StrCat(" ", storage.index);
    if (storage.donated) out += " donated";
    out += "\n";
  }
  auto list = [](const std::vector<ArrayRef>& arrays) {
    std::string text;
    for (const ArrayRef& array : arrays) {
      text += StrCat(text.empty() ? "" : ", ", "%", array.storage, ":", array.type.ToString());
    }
    return text;
  };
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    const PlanStep& step = plan.steps[k];
    static constexpr const char* kKinds[] = {"kernel", "library",     "copy",
                                             "jump",   "jump_unless", "switch"};
    out += StrCat("  ", k, ": ", list(step.results), step.results.empty() ? "" : " = ",
                  kKinds[static_cast<int>(step.kind)]);
    if (step.kind == PlanStepKind::kLibrary) out += StrCat(" ", Name(step.opcode));
    if (step.kernel != nullptr) out += StrCat(" ", step.kernel->name);
    if (!step.operands.empty()) out += StrCat(" (", list(step.operands), ")");
    if (!step.targets.empty()) out += StrCat(" -> ", StrJoin(step.targets));
    out += "\n";
  }
  return out + StrCat("  return ", list(plan.outputs), "\n");
}

}  // namespace plinth::compiler
