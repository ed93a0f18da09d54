// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_ARRAY_ADDRESSES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_ARRAY_ADDRESSES_H_

#include <map>
#include <span>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/native/inline_step.h"
#include "reference_plugin/cpu/native/vector_stack.h"

namespace plinth::cpu::native {

// Where the arrays in memory begin that a kernel's accesses mean, moved by their indices.
class ArrayAddresses {
 public:
  ArrayAddresses(const compiler::KernelShape& shape, const InlineContext& context,
                 VectorStack& stack, std::span<const Place> operands,
                 std::span<const Place> results)
      : shape_(shape),
        context_(context),
        code_(context.code),
        stack_(stack),
        operands_(operands),
        results_(results) {}

  // Emits code that looks at the indices of a phase once, for all code that follows. Without it,
  // each use of an access looks at them.
  void FindAll(const compiler::Phase& phase);
  void Forget() { found_.clear(); }

  // Emits code that finds the array of the input or output with this number. The expression names
  // rdx and rax; rcx is overwritten, too.
  Xbyak::RegExp OfInput(size_t number) { return Of(shape_.inputs[number], operands_); }
  Xbyak::RegExp OfOutput(size_t number) { return Of(shape_.outputs[number], results_); }

 private:
  using Access = compiler::Access;

  Xbyak::RegExp Of(const Access& access, std::span<const Place> places);
  void Find(const Access& access, std::span<const Place> places);
  Xbyak::RegExp Load(const Access& access, std::span<const Place> places);
  void LoadIndex(const compiler::DynamicOffset& index);

  const compiler::KernelShape& shape_;
  const InlineContext& context_;
  Assembler& code_;
  VectorStack& stack_;
  const std::span<const Place> operands_, results_;
  std::map<const Access*, Xbyak::Address> found_;
};

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_ARRAY_ADDRESSES_H_
