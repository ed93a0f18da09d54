// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_CONTEXT_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_CONTEXT_H_

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/compiler/lower/lower.h"
#include "reference_plugin/compiler/plan/schedule.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::lower {

// Whether an op is a constant that stands for itself in kernels (a splat or one element).
bool IsScalarConstant(const Op* op);
ScalarBits ConstantBits(const Op& op);

// The region of a reduction, sort, scatter or map as scalar code. Its parameters are the block's
// arguments, then the scalars that it uses from outside. UNIMPLEMENTED names what it cannot say.
Expected<Combiner> MakeCombiner(const class LowerContext& context, const Op& op,
                                const Block& block);

// What the whole module's lowering shares. Tables are indexed by Value::id and Op::id.
class LowerContext {
 public:
  LowerContext(const Module& module, const Target& target, const LowerOptions& options);

  const Target& target() const { return target_; }
  bool fusion() const { return options_.fusion; }
  plan::Schedule& schedule() { return schedule_; }

  LowerClass ClassOf(const Op& op) const { return target_.ClassOf(op.opcode); }
  // Whether the op is a gather of single elements that a kernel of the target can compute.
  bool IsElementGather(const Op& op) const;
  // Work of one element, in units.
  int32_t CostOf(const Op& op) const;

  // Lists the ops to lower, in order, and notes what lowering asks of them.
  void Prepare(const Block& block, int32_t block_number, std::vector<const Op*>& ops);

  // The op's own operands, then the scalars that its scalar regions use from outside. Of an op that
  // was prepared.
  std::span<Value* const> OperandsOf(const Op& op) const;

  int32_t BlockOf(const Value* value) const { return values_[value->id].block; }
  // The value whose bytes a value has.
  const Value* Base(const Value* value) const {
    const Value* base = values_[value->id].base;
    return base != nullptr ? base : value;
  }

  // Filled while a value's block is divided into groups.
  struct Want {
    int32_t group = 0, instance = 0;
  };
  struct FusionInfo {
    SmallVector<Want, 2> wants;     // groups of the block that need the value
    SmallVector<int32_t, 4> users;  // positions in the block of the ops that use it
    int32_t unit = -1;              // that makes it
  };
  // Most values that passes have made are gone: those that are here get a place when asked for.
  FusionInfo& Fusion(const Value* value) {
    int32_t& place = values_[value->id].fusion;
    if (place < 0) {
      place = static_cast<int32_t>(fusion_infos_.size());
      fusion_infos_.emplace_back();
    }
    return fusion_infos_[static_cast<size_t>(place)];
  }
  // Position of an op in its block; -1 before the block was prepared.
  int32_t& Position(const Op* op) { return positions_[op->id]; }

  bool IsHard(const Value* value) const { return values_[value->id].hard; }
  // The value must be in memory.
  void SetHard(const Value* value) { values_[value->id].hard = true; }

  // False if the last call for the value was for the same block.
  bool MarkCaptured(const Value* value, int32_t block) {
    return std::exchange(values_[value->id].captured_by, block) != block;
  }

  // Number in the schedule; makes views and constants when first asked for. -1 where the value has
  // not been made.
  int32_t Number(const Value* value);
  int32_t NewArray(const Type& type);
  void SetNumber(const Value* value, int32_t number) { values_[value->id].number = number; }
  // A scalar `true` in memory, which kernels read through bounds as a mask.
  int32_t TrueConstant();

  int32_t NextBlockNumber() { return num_blocks_++; }

  int32_t num_kernels = 0;  // made so far, for their names

 private:
  struct ValueInfo {
    const Value* base = nullptr;
    int32_t block = -1;
    int32_t number = -1;
    int32_t captured_by = -1;  // block number
    int32_t fusion = -1;       // place in fusion_infos_
    bool hard = false;
  };

  void FindCaptures(const Op& op);

  const Target& target_;
  LowerOptions options_;
  plan::Schedule schedule_;
  std::vector<ValueInfo> values_;
  std::deque<FusionInfo> fusion_infos_;
  std::vector<int32_t> positions_;
  int32_t num_blocks_ = 0;
  int32_t true_constant_ = -1;
  // Own operands and captures of the ops that have captures.
  std::unordered_map<const Op*, SmallVector<Value*, 8>> with_captures_;
};

}  // namespace plinth::compiler::lower

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_CONTEXT_H_
