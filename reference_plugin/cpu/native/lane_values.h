// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANE_VALUES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANE_VALUES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/native/inline_step.h"
#include "reference_plugin/cpu/native/vector_stack.h"

namespace plinth::cpu::native {

// The values of a phase's nodes for the points of a register: each in a register of its own, in
// that of an array, in memory as a whole vector, or in several of these places.
class LaneValues {
 public:
  LaneValues(const InlineContext& context, VectorCode& vector, VectorStack& stack)
      : vector_(vector), stack_(stack), first_free_(context.first_free) {}

  // Begins anew: no value is anywhere, or needed. The phase outlives its use here.
  void Start(const compiler::Phase& phase);
  // The node that is computed: only nodes from here on read values.
  void set_position(size_t node) { position_ = node; }

  // One more use to come.
  void Need(int32_t node) { ++At(node).uses; }
  bool IsNeeded(int32_t node) const { return At(node).uses > 0; }
  // A use less. With the last one the value's own register is free.
  void Release(int32_t node);

  bool IsAnywhere(int32_t node) const { return HasRegister(node) || MemoryOf(node).has_value(); }
  bool HasRegister(int32_t node) const { return At(node).reg.has_value(); }
  bool OwnsRegister(int32_t node) const { return At(node).owns_register; }
  const std::optional<Xbyak::Address>& MemoryOf(int32_t node) const { return At(node).memory; }

  void SetRegister(int32_t node, Vec reg);  // of its own
  void SetArrayRegister(int32_t node, Vec reg) { At(node).reg = reg; }
  void SetMemory(int32_t node, const Xbyak::Address& memory) { At(node).memory = memory; }
  // The value is that of another node, one of whose uses this is.
  void BeSame(int32_t node, int32_t as);

  // A free register, or that whose value is needed last. It stays what it is until Unlock, as does
  // that of a value, which is somewhere.
  Vec NewRegister();
  Vec Register(int32_t node);
  // The same for a register that has been released, if a value is still in it.
  void LockIfOwned(const Vec& reg);
  void Unlock() { locked_.clear(); }

  // The value is in memory afterwards, and no more in a register of its own; all values.
  void PutAside(int32_t node);
  void PutAllAside();

 private:
  struct Value {
    std::optional<Vec> reg;
    bool owns_register = false;            // not an array's
    std::optional<Xbyak::Address> memory;  // a constant, or put aside
    int32_t uses = 0;                      // to come
  };

  Value& At(int32_t node) { return values_[static_cast<size_t>(node)]; }
  const Value& At(int32_t node) const { return values_[static_cast<size_t>(node)]; }
  void GiveUpRegister(Value* value);
  size_t NextUse(int32_t node) const;

  VectorCode& vector_;
  VectorStack& stack_;
  const int first_free_;
  const compiler::Phase* phase_ = nullptr;
  size_t position_ = 0;
  std::vector<Value> values_;
  std::optional<int32_t> owner_[16];  // of registers
  std::vector<Vec> locked_;
};

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANE_VALUES_H_
