// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/import/raise_manual.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_sharding.h"
#include "reference_plugin/compiler/ir/print.h"
#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/ir/sharding_views.h"

namespace plinth::compiler::importer {
namespace {

using UsersOfValues = std::unordered_map<const Value*, SmallVector<Op*, 2>>;

void FindUsers(const Block& block, UsersOfValues& users) {
  for (Op* op : block.ops) {
    for (const Value* operand : op->operands) users[operand].push_back(op);
    for (const Block* inner : op->blocks) FindUsers(*inner, users);
  }
}

bool IsBorder(const Op& op) { return IsCallOf(op, kGlobalToLocal) || IsCallOf(op, kLocalToGlobal); }

bool HasViews(const Block& block) {
  return std::any_of(block.ops.begin(), block.ops.end(), [](const Op* op) {
    return IsCallOf(*op, kFullToShard) || IsCallOf(*op, kShardToFull) || IsBorder(*op) ||
           std::any_of(op->blocks.begin(), op->blocks.end(),
                       [](const Block* inner) { return HasViews(*inner); });
  });
}

AxisList ManualPartsAt(const Op* op) {
  return op == nullptr || op->shardings == nullptr ? AxisList() : op->shardings->manual_parts;
}

ShardingRef ShardingOf(const Op* op) {
  const bool is_said =
      op != nullptr && op->shardings != nullptr && op->shardings->results.size() == 1;
  return is_said ? op->shardings->results[0] : nullptr;
}

// What is `inner` and not `outer`; nothing unless all of `outer` is in `inner`, and more.
AxisList Without(const AxisList& outer, const AxisList& inner, const Mesh& flat) {
  AxisList used = UnusedAxes(flat, inner);
  for (const Axis& axis : outer) {
    if (Overlap(axis, used)) return {};
    used.push_back(axis);
  }
  return UnusedAxes(flat, used);
}

class Raiser {
 public:
  Raiser(Module& module, Block& body) : module_(module), flat_(FlatMesh(module.num_partitions)) {
    FindUsers(body, users_);
  }

  Status Run(Block& body) {
    PLINTH_RETURN_IF_ERROR(Visit(body));
    replacements_.Apply(body);
    return Status();
  }

 private:
  // What a call is between.
  struct Border {
    std::vector<Op*> to_shards, to_wholes;    // by operand and by result
    std::vector<Op*> constraints;             // by result; null: none
    std::optional<AxisList> inside, outside;  // manual along these
  };

  Status Visit(Block& block) {
    for (Op*& op : block.ops) {
      for (Block* inner : op->blocks) PLINTH_RETURN_IF_ERROR(Visit(*inner));
      if (op->opcode != Opcode::kCall) continue;
      if (const std::optional<Border> border = BorderOf(*op)) {
        op = Raised(*op, *border);
        continue;
      }
      Op* const entry = EntryOf(*op);
      Op* const exit = ExitOf(*op);
      if (entry == nullptr && exit == nullptr) continue;
      op = Raised(*op, entry, exit);
      PLINTH_RETURN_IF_ERROR(CheckShardings(*op).WithContext(Describe(*op)));
    }
    std::erase_if(block.ops, [&](Op* op) { return dead_.contains(op); });
    for (const Op* op : block.ops) {
      if (!IsBorder(*op)) continue;
      return Unimplemented(Describe(*op), ": it is not beside a call of a function that has all ",
                           "that it makes or makes all that it is given");
    }
    return Status();
  }

  // The call whose results are all that the function is given, one by one; null if there is none.
  Op* EntryOf(const Op& call) {
    if (call.operands.empty()) return nullptr;
    Op* const entry = call.operands[0]->op;
    if (entry == nullptr || !IsCallOf(*entry, kGlobalToLocal)) return nullptr;
    const bool fits = std::equal(call.operands.begin(), call.operands.end(), entry->results.begin(),
                                 entry->results.end()) &&
                      std::all_of(entry->results.begin(), entry->results.end(),
                                  [&](const Value* result) { return UserOf(result) == &call; });
    return fits ? entry : nullptr;
  }
  // The call that is given all that the function makes, one by one.
  Op* ExitOf(const Op& call) {
    if (call.results.empty()) return nullptr;
    Op* const exit = UserOf(call.results[0]);
    if (exit == nullptr || !IsCallOf(*exit, kLocalToGlobal)) return nullptr;
    const bool fits = std::equal(call.results.begin(), call.results.end(), exit->operands.begin(),
                                 exit->operands.end()) &&
                      std::all_of(call.results.begin(), call.results.end(),
                                  [&](const Value* result) { return UserOf(result) == exit; });
    return fits ? exit : nullptr;
  }

  // Where there are no operands or no results, that call is missing.
  Op* Raised(Op& call, Op* entry, Op* exit) {
    Block* const body = module_.NewBlock();
    OpShardings shardings;
    std::vector<Value*> wholes;
    std::vector<Type> types;
    if (entry != nullptr) {
      shardings = *entry->shardings;
      wholes.assign(entry->operands.begin(), entry->operands.end());
      for (size_t i = 0; i < call.operands.size(); ++i) {
        call.operands[i] = module_.NewArgument(body, entry->results[i]->type);
      }
      dead_.insert(entry);
    }
    if (exit != nullptr) {
      shardings.results = exit->shardings->results;
      shardings.manual_axes = exit->shardings->manual_axes;
      for (const Value* result : exit->results) types.push_back(result->type);
      dead_.insert(exit);
    }
    const std::vector<Value*> returned(call.results.begin(), call.results.end());
    body->ops.push_back(&call);
    body->ops.push_back(
        module_.NewOp(Opcode::kReturn, returned, std::span<const Type>(), nullptr, call.location));
    Op* const made =
        module_.NewOp(Opcode::kManualComputation, wholes, types, nullptr, call.location);
    made->blocks.push_back(body);
    made->shardings = std::make_shared<const OpShardings>(std::move(shardings));
    for (size_t i = 0; i < types.size(); ++i) {
      replacements_.Replace(exit->results[i], made->results[i]);
    }
    return made;
  }

  static bool Agree(std::optional<AxisList>& known, const AxisList& said) {
    if (!known.has_value()) known = said;
    return *known == said;
  }

  std::optional<Border> BorderOf(const Op& call) {
    Border border;
    for (const Value* operand : call.operands) {
      Op* const view = operand->op;
      if (view == nullptr || !IsCallOf(*view, kFullToShard) || users_[operand].size() != 1 ||
          !Agree(border.inside, ManualPartsAt(view)) ||
          !Agree(border.outside, ManualPartsAt(ConstraintOf(view->operands[0])))) {
        return std::nullopt;
      }
      border.to_shards.push_back(view);
    }
    for (const Value* result : call.results) {
      Op* view = UserOf(result);
      Op* constraint = nullptr;
      if (view != nullptr && !ManualPartsAt(view).empty() &&
          view->opcode == Opcode::kShardingConstraint) {
        constraint = view;
        view = UserOf(constraint->result());
      }
      const AxisList inside =
          constraint == nullptr ? UnusedAxes(*flat_, {}) : ManualPartsAt(constraint);
      if (view == nullptr || !IsCallOf(*view, kShardToFull) || !Agree(border.inside, inside) ||
          !Agree(border.outside, ManualPartsAt(view))) {
        return std::nullopt;
      }
      border.to_wholes.push_back(view);
      border.constraints.push_back(constraint);
    }
    if (!border.inside.has_value()) return std::nullopt;
    const bool is_manual_alone =
        border.outside->empty() && SizeOf(*border.inside) == flat_->num_devices();
    if (is_manual_alone || Without(*border.outside, *border.inside, *flat_).empty()) {
      return std::nullopt;
    }
    return border;
  }

  static Op* ConstraintOf(const Value* value) {
    const bool is_constraint =
        value->op != nullptr && value->op->opcode == Opcode::kShardingConstraint;
    return is_constraint ? value->op : nullptr;
  }

  // Its only user, or null.
  Op* UserOf(const Value* value) {
    const auto found = users_.find(value);
    return found == users_.end() || found->second.size() != 1 ? nullptr : found->second[0];
  }

  Op* Raised(Op& call, const Border& border) {
    Block* const body = module_.NewBlock();
    OpShardings shardings;
    std::vector<Value*> wholes, returned;
    std::vector<Type> types;
    for (size_t i = 0; i < border.to_shards.size(); ++i) {
      Op* const view = border.to_shards[i];
      wholes.push_back(view->operands[0]);
      shardings.operands.push_back(ShardingOf(ConstraintOf(wholes.back())));
      call.operands[i] = module_.NewArgument(body, view->type());
      dead_.insert(view);
    }
    body->ops.push_back(&call);
    for (size_t i = 0; i < border.to_wholes.size(); ++i) {
      Op* const view = border.to_wholes[i];
      if (Op* const constraint = border.constraints[i]) {
        body->ops.push_back(constraint);
        dead_.insert(constraint);
      }
      returned.push_back(view->operands[0]);
      types.push_back(view->type());
      shardings.results.push_back(ShardingOf(view));
      dead_.insert(view);
    }
    body->ops.push_back(
        module_.NewOp(Opcode::kReturn, returned, std::span<const Type>(), nullptr, call.location));
    shardings.manual_parts = Without(*border.outside, *border.inside, *flat_);
    Op* const made =
        module_.NewOp(Opcode::kManualComputation, wholes, types, nullptr, call.location);
    made->blocks.push_back(body);
    made->shardings = std::make_shared<const OpShardings>(std::move(shardings));
    for (size_t i = 0; i < border.to_wholes.size(); ++i) {
      replacements_.Replace(border.to_wholes[i]->result(), made->results[i]);
    }
    return made;
  }

  Module& module_;
  const MeshRef flat_;
  UsersOfValues users_;
  Replacements replacements_;
  std::unordered_set<const Op*> dead_;  // where they were: of no use, or within the region
};

}  // namespace

Status RaiseManualCalls(Module& module) {
  for (Function& function : module.functions) {
    if (!HasViews(*function.body)) continue;
    PLINTH_RETURN_IF_ERROR(Raiser(module, *function.body)
                               .Run(*function.body)
                               .WithContext(StrCat("in @", function.name)));
  }
  return Status();
}

}  // namespace plinth::compiler::importer
