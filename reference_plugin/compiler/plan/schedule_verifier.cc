// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "reference_plugin/compiler/plan/schedule.h"

namespace plinth::compiler::plan {
namespace {

class ScheduleVerifier {
 public:
  explicit ScheduleVerifier(const Schedule& schedule)
      : schedule_(schedule),
        num_values_(static_cast<int32_t>(schedule.values.size())),
        root_of_(schedule.values.size(), -1),
        is_made_(schedule.values.size()),
        is_visible_(schedule.values.size()) {}

  Status Run() {
    for (int32_t value = 0; value < num_values_; ++value) {
      PLINTH_RETURN_IF_ERROR(CheckValue(value));
    }
    const ScheduleBlock& entry = schedule_.entry;
    for (size_t i = 0; i < entry.arguments.size(); ++i) {
      const int32_t value = entry.arguments[i];
      if (!IsValue(value) || schedule_.values[value].argument != static_cast<int32_t>(i)) {
        return Internal("%", value, " is not argument ", i);
      }
      PLINTH_RETURN_IF_ERROR(Make(value, entry_values_));
    }
    for (int32_t value = 0; value < num_values_; ++value) {
      if (schedule_.values[value].constant != nullptr) {
        PLINTH_RETURN_IF_ERROR(Make(value, entry_values_));
      } else if (schedule_.values[value].argument >= 0 && !is_made_[value]) {
        return Internal("%", value, " names argument ", schedule_.values[value].argument, " of ",
                        entry.arguments.size());
      }
    }
    for (const Donation& donation : schedule_.donations) {
      if (donation.argument < 0 ||
          donation.argument >= static_cast<int64_t>(entry.arguments.size()) ||
          donation.output >= static_cast<int64_t>(entry.results.size())) {
        return Internal("argument ", donation.argument, " is given to output ", donation.output,
                        ", but there are ", entry.arguments.size(), " and ", entry.results.size());
      }
    }
    return CheckBlock(entry);
  }

 private:
  bool IsValue(int32_t value) const { return value >= 0 && value < num_values_; }
  const Type& TypeOf(int32_t value) const { return schedule_.values[value].type; }
  bool IsView(int32_t value) const { return schedule_.values[value].view_of >= 0; }

  // Finds what a view shows in the end.
  Status CheckValue(int32_t value) {
    std::vector<int32_t> path;
    int32_t root = value;
    while (root_of_[root] < 0 && IsView(root)) {
      const ArrayValue& view = schedule_.values[root];
      if (!IsValue(view.view_of) || path.size() > root_of_.size()) {
        return Internal("%", root, " is a view of %", view.view_of, ", which is no array");
      }
      if (view.argument >= 0 || view.constant != nullptr ||
          view.type.SizeInBytes() != TypeOf(view.view_of).SizeInBytes()) {
        return Internal("%", root, ":", view.type.ToString(), " cannot be a view of %",
                        view.view_of, ":", TypeOf(view.view_of).ToString());
      }
      path.push_back(root);
      root = view.view_of;
    }
    if (root_of_[root] >= 0) root = root_of_[root];
    root_of_[root] = root;
    for (int32_t view : path) root_of_[view] = root;
    return Status();
  }

  Status Make(int32_t value, std::vector<int32_t>& made) {
    if (!IsValue(value)) return Internal("%", value, " of ", num_values_, " values is made");
    if (is_made_[value] || IsView(value)) return Internal("%", value, " is made twice");
    is_made_[value] = is_visible_[value] = true;
    made.push_back(value);
    return Status();
  }

  Status CheckUses(const std::vector<int32_t>& values) {
    for (int32_t value : values) {
      if (!IsValue(value)) return Internal("%", value, " of ", num_values_, " values is used");
      if (!is_visible_[root_of_[value]]) {
        return Internal("%", value, " is used where it has not been made");
      }
    }
    return Status();
  }

  // Values of one list go where those of another are: a loop's into its carries, a branch's into
  // the results.
  Status CheckJoin(const char* what, const std::vector<int32_t>& from,
                   const std::vector<int32_t>& to) {
    if (from.size() != to.size()) {
      return Internal(what, " has ", from.size(), " values instead of ", to.size());
    }
    for (size_t i = 0; i < from.size(); ++i) {
      if (!IsValue(from[i]) || !IsValue(to[i]) || TypeOf(from[i]) != TypeOf(to[i])) {
        return Internal(what, " joins %", from[i], " and %", to[i], ", which differ");
      }
    }
    return Status();
  }

  Status CheckBlock(const ScheduleBlock& block) {
    std::vector<int32_t> made;
    if (&block != &schedule_.entry) {
      for (int32_t argument : block.arguments) PLINTH_RETURN_IF_ERROR(Make(argument, made));
    }
    for (const ScheduleStep& step : block.steps) {
      Status status = CheckUses(step.operands);
      if (status.ok()) status = CheckStep(step);
      for (size_t i = 0; status.ok() && i < step.results.size(); ++i) {
        status = Make(step.results[i], made);
      }
      if (!status.ok()) return std::move(status).WithContext(Describe(step));
    }
    PLINTH_RETURN_IF_ERROR(CheckUses(block.results));
    for (int32_t value : made) is_visible_[value] = false;
    return Status();
  }

  std::string Describe(const ScheduleStep& step) const {
    switch (step.kind) {
      case StepKind::kKernel:
        return StrCat("kernel ", step.kernel == nullptr ? "" : step.kernel->name);
      case StepKind::kLibrary:
        return StrCat("library step ", Name(step.opcode));
      case StepKind::kCopy:
        return "copy";
      case StepKind::kWhile:
        return "while";
      case StepKind::kCase:
        return "case";
    }
    return "step";
  }

  Status CheckStep(const ScheduleStep& step) {
    PLINTH_RETURN_IF_ERROR(CheckInPlacePairs(step));
    switch (step.kind) {
      case StepKind::kKernel:
        return CheckKernel(step);
      case StepKind::kLibrary:
        return Status();
      case StepKind::kCopy:
        return step.operands.size() == 1 ? CheckJoin("a copy", step.operands, step.results)
                                         : Internal("copies ", step.operands.size(), " arrays");
      case StepKind::kWhile:
        return CheckWhile(step);
      case StepKind::kCase:
        return CheckCase(step);
    }
    return Internal("has an unknown kind");
  }

  Status CheckInPlacePairs(const ScheduleStep& step) {
    std::vector<bool> is_updated(step.results.size());
    for (const InPlace& pair : step.in_place) {
      if (pair.operand < 0 || pair.operand >= static_cast<int64_t>(step.operands.size()) ||
          pair.result < 0 || pair.result >= static_cast<int64_t>(step.results.size())) {
        return Internal("writes result ", pair.result, " over operand ", pair.operand, ", but has ",
                        step.results.size(), " and ", step.operands.size());
      }
      if (!pair.required) continue;
      const int32_t from = step.operands[pair.operand], to = step.results[pair.result];
      if (!IsValue(to) || TypeOf(from).SizeInBytes() != TypeOf(to).SizeInBytes() ||
          is_updated[pair.result]) {
        return Internal("cannot update %", from, " as %", to);
      }
      is_updated[pair.result] = true;
    }
    return Status();
  }

  Status CheckKernel(const ScheduleStep& step) {
    if (step.kernel == nullptr) return Internal("has no kernel");
    PLINTH_RETURN_IF_ERROR(Verify(*step.kernel));
    auto check = [](const std::vector<Access>& accesses, size_t buffers, size_t operands,
                    const char* what) {
      for (const Access& access : accesses) {
        bool fits = access.buffer >= 0 && access.buffer < static_cast<int64_t>(buffers);
        for (const DynamicOffset& offset : access.dynamic_offsets) {
          fits &= offset.buffer >= 0 && offset.buffer < static_cast<int64_t>(operands);
        }
        if (!fits) return Internal("accesses ", what, " ", access.buffer, " of ", buffers);
      }
      return Status();
    };
    const size_t operands = step.operands.size();
    PLINTH_RETURN_IF_ERROR(check(step.kernel->shape.inputs, operands, operands, "operand"));
    return check(step.kernel->shape.outputs, step.results.size(), operands, "result");
  }

  Status CheckWhile(const ScheduleStep& step) {
    if (step.blocks.size() != 2) return Internal("has ", step.blocks.size(), " blocks");
    const ScheduleBlock &condition = step.blocks[0], &body = step.blocks[1];
    PLINTH_RETURN_IF_ERROR(CheckJoin("the condition", condition.arguments, step.operands));
    PLINTH_RETURN_IF_ERROR(CheckJoin("the body", body.arguments, step.operands));
    PLINTH_RETURN_IF_ERROR(CheckJoin("the body's end", body.results, step.operands));
    PLINTH_RETURN_IF_ERROR(CheckJoin("the loop", step.results, step.operands));
    if (condition.results.size() != 1 || !IsValue(condition.results[0]) ||
        TypeOf(condition.results[0]) != Type::Tensor(DType::kPred, Dims{})) {
      return Internal("the condition does not make one pred[]");
    }
    PLINTH_RETURN_IF_ERROR(CheckBlock(condition));
    return CheckBlock(body);
  }

  Status CheckCase(const ScheduleStep& step) {
    if (step.operands.empty()) return Internal("has no operand to choose by");
    const Type& selector = TypeOf(step.operands[0]);
    const bool is_if = selector == Type::Tensor(DType::kPred, Dims{});
    if (!is_if && selector != Type::Tensor(DType::kS32, Dims{})) {
      return Internal("chooses by ", selector.ToString());
    }
    if (step.blocks.empty() || (is_if && step.blocks.size() != 2)) {
      return Internal("has ", step.blocks.size(), " branches");
    }
    for (const ScheduleBlock& branch : step.blocks) {
      if (!branch.arguments.empty()) return Internal("has a branch with arguments");
      PLINTH_RETURN_IF_ERROR(CheckJoin("a branch", branch.results, step.results));
      PLINTH_RETURN_IF_ERROR(CheckBlock(branch));
    }
    return Status();
  }

  const Schedule& schedule_;
  const int32_t num_values_;
  std::vector<int32_t> root_of_;  // what a view shows, else the value itself; -1: not known yet
  std::vector<bool> is_made_;     // by any step so far
  std::vector<bool> is_visible_;  // in the block at hand
  std::vector<int32_t> entry_values_;  // arguments and constants: visible everywhere
};

}  // namespace

Status Verify(const Schedule& schedule) {
  return ScheduleVerifier(schedule).Run().WithContext("schedule");
}

}  // namespace plinth::compiler::plan
