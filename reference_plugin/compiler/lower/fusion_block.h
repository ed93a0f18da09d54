// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_FUSION_BLOCK_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_FUSION_BLOCK_H_

#include <span>
#include <vector>

#include "reference_plugin/compiler/lower/fusion.h"

namespace plinth::compiler::lower {

// Divides one block into units, from the last op to the first: when an op is looked at, all groups
// that want its results exist, with the index maps through which they want them.
class BlockFusion {
 public:
  BlockFusion(LowerContext& context, FusedBlock& fused) : context_(context), fused_(fused) {}

  Status Run();

 private:
  // Flags that go from an instance to what it needs.
  struct Need {
    bool in_reduction = false;
    uint8_t duplicated = 0;
    uint8_t recomputed = 0;
    uint64_t passes = kLastPass;
  };

  Status VisitOp(int32_t position);
  void VisitView(const Op& op);
  void VisitBarrier(const Op& op);
  void VisitFusible(const Op& op);
  void VisitMovement(const Op& op);
  void VisitComputation(const Op& op);
  void VisitUpdate(const Op& op);
  void VisitConcatenate(const Op& op);
  void VisitGappedPad(const Op& op);
  void VisitStandalone(const Op& op);
  Status VisitControl(const Op& op);

  // What wants the results of an op.
  SmallVector<int32_t, 8> WantingGroups(const Op& op);
  SmallVector<int32_t, 4> WantedInstances(const Op& op, int32_t group);
  bool IsHard(const Op& op) const;
  void SetHard(const Value* value);

  // fusion_rows.cc: groups with phases.
  SmallVector<const Op*, 8> RowOps(const Op& op, int64_t rows);
  static bool ReducesRows(std::span<const Op* const> row_ops, int64_t row_elements);
  void MakeRows(const Op& op, std::span<const int32_t> groups);
  bool TryJoinRows(const Op& op);
  bool TryJoinRowsOf(const Op& op, LowerContext::Want want, std::span<const Op* const> row_ops);
  void ForgetUnusedRows();

  // fusion_turns.cc: whether a kernel with reductions would read, or write, large arrays along
  // different dimensions: if the group had reductions, and if it read through the transpose.
  bool MixesTurns(const Group& group) const;
  bool MixesTurns(const Op& op, int32_t group);

  // Joining an existing group.
  bool CanCompute(const Op& op, int32_t group);
  bool ReadsUpdatedElsewhere(const Op& op, int32_t group);
  bool CanReduce(const Op& op, int32_t group);
  bool CanGather(const Op& op, int32_t group);
  bool Compute(const Op& op, int32_t group, bool duplicate);
  bool TryInline(const Op& op, int32_t group, bool duplicate) {
    return CanCompute(op, group) && Compute(op, group, duplicate);
  }
  bool IsDuplicable(const Op& op, std::span<const int32_t> groups);
  bool TryHost(const Op& op, std::span<const int32_t> groups);
  bool TryJoinSibling(const Op& op);
  // Whether the op can be one more root of a group.
  bool HasRoom(const Op& op, int32_t group);
  bool CanJoinAsSibling(const Op& op, int32_t group);
  bool ReducesOtherDims(const Op& op, int32_t group);
  int32_t GroupForUpdate(const Op& op);
  // Whether what uses the op's results, other than the group itself where it takes them from within
  // (`direct`), must run before the group.
  bool Reaches(const Op& op, int32_t group, bool direct);

  // Results of the op at `position` are stored from the group.
  void AddStore(int32_t position, int32_t group);
  // The last position that some path may come to that comes to `position` again.
  int32_t SpanEnd(int32_t position);

  // New groups.
  int32_t NewGroup(const Op& op, std::span<const int64_t> extents);
  void MakeRoot(const Op& op);
  void AddRoot(const Op& op, int32_t group);
  void AddOutputs(const Op& op, int32_t group);
  void AddPart(const Op& op, int32_t group, const Value* value, IndexMap map, IndexMap address);
  int32_t NewPart(const Op& op, std::span<const int64_t> extents, const Value* value, IndexMap map,
                  IndexMap address);

  // fusion_expand.cc: instances.
  int32_t AddInstance(int32_t group, const Value* value, int32_t map, Need need);
  int32_t Demand(int32_t group, const Value* value, int32_t map, Need need);
  int32_t DemandInMemory(int32_t group, const Value* value);
  bool Expand(const Op& op, int32_t group, int32_t instance, Need need);
  bool ExpandConcatenate(const Op& op, int32_t group, int32_t instance, Need need);
  bool ExpandGather(const Op& op, int32_t group, int32_t instance, Need need);
  bool ExpandReshape(const Op& op, int32_t group, int32_t instance, Need need);
  void ExpandReduction(const Op& op, int32_t group, const IndexMap& map, int32_t first_reduced,
                       std::span<const int32_t> instances);
  void NeedIndices(const Op& op, size_t first_operand, int32_t group);

  const KernelLimits& limits() const { return context_.target().kernels; }
  bool HasLongRows(const Group& group) const { return group.HasRowsAbove(limits().row_elements); }
  Group& GroupAt(int32_t group) { return fused_.groups[static_cast<size_t>(group)]; }
  bool IsHere(const Value* value) const { return context_.BlockOf(value) == fused_.number; }

  LowerContext& context_;
  FusedBlock& fused_;
  std::vector<const Op*> ops_;
  std::vector<SmallVector<int32_t, 2>> groups_of_;  // groups that compute an op, by position
  std::vector<int32_t> next_effect_;                // by position
  std::vector<int32_t> visited_;                    // by position: the last search that saw it
  std::vector<int32_t> visited_groups_;
  int32_t search_ = 0;
  // By position: itself at the end of a span, else one further on. Groups that store results of
  // several ops join all positions between to a span, as paths lead back from the last op.
  std::vector<int32_t> span_next_;
};

// Sizes of the dimensions that a kReduce or kReduceWindow reduces over.
Dims ReducedSizes(const Op& op);

// An op that takes no work in a kernel: elements are read elsewhere.
inline bool OnlyMoves(const Op& op) {
  return WorkOf(op.opcode) == OpWork::kNone && op.opcode != Opcode::kGather;
}

// A pad that leaves gaps cannot be read through an affine map.
bool HasGaps(const Op& op);

}  // namespace plinth::compiler::lower

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_FUSION_BLOCK_H_
