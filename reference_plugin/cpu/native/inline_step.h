// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_INLINE_STEP_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_INLINE_STEP_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/cpu/emit/assembler.h"
#include "reference_plugin/cpu/emit/vector_code.h"
#include "reference_plugin/cpu/native/lanes.h"

namespace plinth::cpu::native {

using emit::Assembler;
using emit::ConstantPool;
using emit::Vec;
using emit::VectorCode;

// Where a loop keeps an array.
struct Place {
  std::optional<Vec> reg;  // all of it, element i in lane i
  int32_t allocation = 0;  // else at bases[allocation]
  int64_t bytes = 0;
  std::optional<bool> pred;  // its one element, which never changes
};

// Points to the addresses of all allocations.
inline constexpr Xbyak::Reg64 kBases(Xbyak::Operand::R12);

// The registers that no array ever lives in.
inline constexpr int kFirstFree = 8, kEndFree = 14;

// How a step reads or writes an array.
struct PlaceUse {
  bool in_register = false, in_memory = false;  // whether it can
};

// What the code of a step uses of the loop around it.
struct InlineContext {
  Assembler& code;
  ConstantPool& pool;
  int32_t stack = 0;   // Values that find no register lie at rsp + `stack` and behind.
  int first_free = 0;  // Registers from this one up to kEndFree hold no array.
  // Calls the function at this address, whose arguments are in their registers. No register keeps
  // its value but those of arrays.
  std::function<void(uint64_t function)> call;
  // Emits code behind the loop's, to which rare ways lead.
  std::function<void(std::function<void()> emit)> later;
};

// A step as code of its own. `step` is always the one that it was made of.
class InlineStep {
 public:
  // Null where the step has a value of another type, an op without code, or more elements than
  // lanes.
  static std::unique_ptr<InlineStep> Make(const compiler::plan::PlanStep& step);
  virtual ~InlineStep() = default;

  std::span<const PlaceUse> operands() const { return operands_; }
  std::span<const PlaceUse> results() const { return results_; }

  // The bytes of the stack that are used from `context.stack` on.
  virtual int32_t Emit(const compiler::plan::PlanStep& step, const InlineContext& context,
                       std::span<const Place> operands, std::span<const Place> results) const = 0;

 protected:
  std::vector<PlaceUse> operands_, results_;
};

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_INLINE_STEP_H_
