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
#include "reference_plugin/cpu/native/inline_step.h"
#include "reference_plugin/cpu/native/known_lanes.h"
#include "reference_plugin/cpu/native/lane_memory.h"
#include "reference_plugin/cpu/native/lanes.h"

namespace plinth::cpu::native {

// Counts the lanes of repeated groups. A callee keeps it.
inline constexpr Xbyak::Reg64 kIndex(Xbyak::Operand::RBX);

// Emits one kernel, register by register of its points.
class KernelEmitter {
 public:
  // Whether a node that is an op, or a reduction, has code; `lanes` are those of a register.
  static bool HasOp(const compiler::Phase& phase, const compiler::Node& node, int64_t lanes);
  // Whether all numbers of an iota have lanes.
  static bool HasIota(const compiler::Node& node, const compiler::KernelShape& shape);
  // Whether that code is a call of the op's routine.
  static bool IsCall(const compiler::Phase& phase, const compiler::Node& node, int64_t lanes);
  static bool HasReduction(const compiler::Phase& phase, const compiler::Reduction& reduction);

  KernelEmitter(const compiler::Kernel& kernel, const InlineContext& context,
                std::span<const Place> operands, std::span<const Place> results);

  void Emit();
  int32_t stack_end() const { return stack_end_; }

 private:
  using Access = compiler::Access;
  using Node = compiler::Node;
  using Phase = compiler::Phase;

  // Where a node's value is: in one or more of these places.
  struct Value {
    std::optional<Vec> reg;
    bool owns_register = false;            // not an array's
    std::optional<Xbyak::Address> memory;  // as a whole vector: a constant, or put aside
    bool is_known = false;                 // at least one of them is set
    int32_t uses = 0;                      // to come
  };
  // Vectors on the stack, one for each register of the points of a phase; or one for all points.
  struct Row {
    int32_t place = 0;
    bool is_one = false;
  };

  Value& ValueOf(int32_t node) { return values_[static_cast<size_t>(node)]; }
  void CountUses();
  int32_t NextUse(int32_t node) const;
  Vec NewRegister();
  void Release(int32_t node);
  Vec Register(int32_t node);  // which holds the value, until Unlock
  void Unlock() { locked_.clear(); }
  int32_t Reserve(int64_t vectors);
  Xbyak::Address NewOnStack() { return Xbyak::util::ptr[Xbyak::util::rsp + Reserve(1)]; }
  Row NewRow() { return {Reserve((lanes_.points + kLanes - 1) / kLanes), lanes_.points == 1}; }
  Xbyak::Address InRow(const Row& row) const;
  Xbyak::Address VectorOf(const Row& row, int64_t number) const;
  void Keep(int32_t node, const Row& row);
  Xbyak::RegExp ArrayOf(const Access& access, std::span<const Place> places, const LaneMap& map);
  int64_t StepOf(const LaneMap& map) const;
  Xbyak::RegExp LoadAddress(const Access& access, std::span<const Place> places);
  void FindAddresses();
  void FindRows();
  void LoadIndex(const compiler::DynamicOffset& index);
  void LoadInput(int32_t node);
  void LoadConstant(const Node& node, Value* value);
  void LoadIota(int32_t n);
  void EmitOp(int32_t node);
  void EmitChoice(int32_t n, LaneSet chosen);
  void BeSame(int32_t n, int32_t as);
  void FindKnown();
  bool EmitOnMemory(int32_t n, const Node& node, DType type);
  void EmitRoutine(int32_t n);
  void EmitFunction(int32_t n);
  void EmitRest();
  void PutAside(int32_t node);
  void SetRegister(int32_t n, Vec reg);
  void CombineVectors(compiler::Opcode opcode, DType type, const Row& row, int64_t to, int64_t from,
                      int64_t lanes);
  void FoldRow(compiler::Opcode opcode, DType type, const Row& row);
  void EmitReduction(const compiler::Reduction& reduction, std::optional<Row> row);
  void EmitStore(const compiler::Store& store);
  void EmitPhase(size_t number);
  void EmitGroup(const LaneGroup& group, bool is_last);
  void EmitLanes(bool is_last);

  const compiler::Kernel& kernel_;
  const InlineContext& context_;
  Assembler& code_;
  ConstantPool& pool_;
  VectorCode vector_;
  LaneMemory memory_;
  emit::FunctionCode functions_;
  int32_t stack_, stack_end_;
  const std::span<const Place> operands_, results_;
  size_t number_ = 0;  // of the phase
  const Phase* phase_ = nullptr;
  PhaseLanes lanes_;
  LaneGroup group_;
  KnownLanes known_;
  std::vector<Value> values_;
  std::vector<Xbyak::Address> reduced_;                // by number
  std::map<std::pair<size_t, int32_t>, Row> rows_;     // by phase and node
  std::vector<Row> reduced_rows_;                      // of the phase
  std::map<const Access*, Xbyak::Address> addresses_;  // that are found before the phase
  int32_t position_ = 0;                               // the node that is computed
  std::optional<int32_t> owner_[16];                   // of registers
  std::vector<Vec> locked_;
};

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_KERNEL_EMITTER_H_
