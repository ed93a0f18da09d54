// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_KERNEL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_KERNEL_H_

#include <map>
#include <memory>
#include <vector>

#include "reference_plugin/compiler/lower/fusion.h"

namespace plinth::compiler::lower {

// Writes a group as the phases of a kernel and the step that runs it.
//
// With reductions, phases alternate: points of the whole domain, then rows (points of the parallel
// dimensions). An instance belongs to the first phase where the reductions that it needs are
// known. Later phases read what is cheap again, and keep what is not in row buffers.
class KernelWriter {
 public:
  // Values that the group reads have numbers already. `previous` is the array that holds the rest
  // of what the group writes a part of, or -1 where that is up to its outputs.
  KernelWriter(LowerContext& context, const Group& group, int32_t previous)
      : context_(context), group_(group), previous_(previous) {}

  // The group's values get their numbers, the part that it writes (`part` of the result) none.
  Expected<plan::ScheduleStep> Write();
  // The array that holds the part that the group writes, -1 if it writes none.
  int32_t part() const { return part_; }
  // Entries of the step's `in_place` whose operand must be a copy, as the kernel reads elsewhere,
  // or once more, what it updates.
  const std::vector<size_t>& needed_copies() const { return needed_copies_; }

 private:
  struct Info {
    bool known = false;
    bool over_reduced = false;
    int32_t ready = 0;     // phases over the whole domain that must have run before
    int32_t cost = 0;      // of computing it again from loads and reductions
    bool is_kept = false;  // of each point of a row, for later phases
  };
  struct PhaseDraft {
    Phase phase;
    std::vector<int32_t> node_of;  // by instance
    std::vector<int32_t> reduction_numbers;
  };

  const Info& InfoOf(int32_t instance);
  int32_t HomeOf(const Info& info) const { return 2 * info.ready + (info.over_reduced ? 1 : 0); }
  PhaseDraft& Draft(int32_t key);

  // Whether a value of each point of a row is kept for later phases: there is room for it.
  bool KeepsRow(int32_t instance);
  int32_t NodeFor(int32_t instance, int32_t key);
  int32_t ComputeNode(int32_t instance, int32_t key);
  int32_t AddNode(int32_t key, Node node);
  int32_t OpNode(int32_t key, Opcode opcode, DType dtype, std::initializer_list<int32_t> operands);
  int32_t ConstantNode(int32_t key, DType dtype, ScalarBits bits);
  int32_t IntegerNode(int32_t key, DType dtype, int64_t value);
  int32_t InputNode(int32_t key, Access access);
  int32_t LoadNode(int32_t key, const Instance& instance, ScalarBits fill);
  int32_t GatheredNode(int32_t key, const Instance& instance);
  int32_t MaskNode(int32_t key, const IndexMap& map, int32_t own_bounds_from);
  int32_t IotaNode(int32_t key, const Instance& instance);
  int32_t StartNode(int32_t key, const DynamicTerm& term, DType dtype);
  int32_t PaddedNode(int32_t key, const Instance& instance);
  int32_t MapNode(int32_t key, const Instance& instance);

  int32_t OperandFor(const Value* value);
  int32_t OperandNumber(int32_t number);
  Access AccessOf(const IndexMap& map, const Type& type);
  void WriteReductions();
  void WriteOutputs();
  void FinishPhases();
  void FinishParts();
  void FindInPlace();
  bool IsAddressedBy(int32_t operand) const;
  bool IsReadBehindStore(size_t input, size_t output) const;
  void NameKernel();

  LowerContext& context_;
  const Group& group_;
  const int32_t previous_;
  int32_t part_ = -1;
  size_t part_result_ = 0;  // of the step
  std::vector<size_t> needed_copies_;
  Status status_;
  int64_t row_bytes_ = 0;  // kept of each row
  plan::ScheduleStep step_;
  Kernel kernel_;
  std::vector<Info> infos_;
  std::map<int32_t, PhaseDraft> drafts_;  // by 2 * ready + over_reduced
};

// Rough time of a kernel on one core.
double KernelCost(const Kernel& kernel, const Target& target);

// Drops dimensions of extent one and joins those that every access walks as one.
void CoalesceDomain(Kernel& kernel);

}  // namespace plinth::compiler::lower

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_KERNEL_H_
