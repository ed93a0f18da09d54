// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_KERNEL_EMITTER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_KERNEL_EMITTER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/emit/function_code.h"
#include "reference_plugin/cpu/native/array_addresses.h"
#include "reference_plugin/cpu/native/inline_step.h"
#include "reference_plugin/cpu/native/known_lanes.h"
#include "reference_plugin/cpu/native/lane_memory.h"
#include "reference_plugin/cpu/native/lane_values.h"
#include "reference_plugin/cpu/native/lanes.h"
#include "reference_plugin/cpu/native/vector_stack.h"

namespace plinth::cpu::native {

// Counts the lanes of repeated groups. A callee keeps it.
inline constexpr Xbyak::Reg64 kIndex(Xbyak::Operand::RBX);

// Emits one kernel, register by register of its points.
class KernelEmitter {
 public:
  KernelEmitter(const compiler::Kernel& kernel, const InlineContext& context,
                std::span<const Place> operands, std::span<const Place> results);

  void Emit();
  int32_t stack_end() const { return stack_.end(); }

 private:
  using Node = compiler::Node;

  // The register that holds the value, until it is unlocked.
  Vec Register(int32_t node);
  void CountUses();
  void FindKnown();
  void FindRows();
  Xbyak::Address InRow(const Row& row) const;
  void Keep(int32_t node, const Row& row);
  int64_t StepOf(const LaneMap& map) const;
  Xbyak::RegExp LanesOf(const Xbyak::RegExp& array, DType type, const LaneMap& map) const;
  void LoadInput(int32_t n);
  void LoadIota(int32_t n);
  void EmitOp(int32_t n);
  void EmitChoice(int32_t n, LaneSet chosen);
  bool EmitOnMemory(int32_t n, const Node& node, DType type);
  void EmitRoutine(int32_t n);
  void EmitFunction(int32_t n);
  void EmitRest();
  void EmitNode(int32_t n);
  void EmitReduction(const compiler::Reduction& reduction, std::optional<Row> row);
  void EmitStore(const compiler::Store& store);
  void EmitLanes(bool is_last);
  void EmitGroup(const LaneGroup& group, bool is_last);
  void EmitPhase(size_t number);

  const compiler::Kernel& kernel_;
  const InlineContext& context_;
  Assembler& code_;
  ConstantPool& pool_;
  VectorCode vector_;
  LaneMemory memory_;
  emit::FunctionCode functions_;
  VectorStack stack_;
  LaneValues values_;
  ArrayAddresses addresses_;
  const std::span<const Place> operands_, results_;
  size_t number_ = 0;  // of the phase
  const compiler::Phase* phase_ = nullptr;
  PhaseLanes lanes_;
  LaneGroup group_;
  KnownLanes known_;
  std::vector<Xbyak::Address> reduced_;             // by number
  std::map<std::pair<size_t, int32_t>, Row> rows_;  // by phase and node
  std::vector<Row> reduced_rows_;                   // of the phase
};

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_KERNEL_EMITTER_H_
