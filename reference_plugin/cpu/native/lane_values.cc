// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/lane_values.h"

#include <algorithm>

namespace plinth::cpu::native {

using compiler::Node;
using compiler::NodeKind;

void LaneValues::Start(const compiler::Phase& phase) {
  phase_ = &phase;
  position_ = 0;
  values_.assign(phase.nodes.size(), Value());
  for (std::optional<int32_t>& owner : owner_) owner.reset();
}

void LaneValues::Release(int32_t node) {
  Value& value = At(node);
  if (--value.uses <= 0 && value.owns_register) GiveUpRegister(&value);
}

void LaneValues::SetRegister(int32_t node, Vec reg) {
  Value& value = At(node);
  value.reg = reg;
  value.owns_register = true;
  owner_[reg.getIdx()] = node;
}

void LaneValues::BeSame(int32_t node, int32_t as) {
  Value& source = At(as);
  Value& value = At(node);
  if (source.owns_register && source.uses > 1) {
    const Vec from = Register(as), reg = NewRegister();
    vector_.Move(reg, from);
    SetRegister(node, reg);
    Release(as);
    return Unlock();
  }
  value.reg = source.reg;
  value.owns_register = source.owns_register;
  value.memory = source.memory;
  if (source.owns_register) owner_[source.reg->getIdx()] = node;
  --source.uses;
  source.reg.reset();
  source.owns_register = false;
  Unlock();
}

// The first node from the position on that reads the value, if there is one.
size_t LaneValues::NextUse(int32_t node) const {
  const std::vector<Node>& nodes = phase_->nodes;
  for (size_t n = position_; n < nodes.size(); ++n) {
    const Node& user = nodes[n];
    if (user.kind != NodeKind::kOp || values_[n].uses == 0) continue;
    const int32_t* const end = user.operands + user.num_operands;
    if (std::find(user.operands, end, node) != end) return n;
  }
  return nodes.size();
}

Vec LaneValues::NewRegister() {
  std::optional<Vec> farthest;
  size_t farthest_use = 0;
  for (int number = first_free_; number < kEndFree; ++number) {
    const Vec reg(number);
    if (std::find(locked_.begin(), locked_.end(), reg) != locked_.end()) continue;
    if (!owner_[number].has_value()) {
      locked_.push_back(reg);
      return reg;
    }
    const size_t use = NextUse(*owner_[number]);
    if (!farthest.has_value() || use > farthest_use) {
      farthest = reg;
      farthest_use = use;
    }
  }
  PutAside(*owner_[farthest->getIdx()]);
  locked_.push_back(*farthest);
  return *farthest;
}

Vec LaneValues::Register(int32_t node) {
  if (!HasRegister(node)) {
    const Vec reg = NewRegister();
    vector_.Load(reg, *At(node).memory);
    SetRegister(node, reg);
  }
  locked_.push_back(*At(node).reg);
  return *At(node).reg;
}

void LaneValues::LockIfOwned(const Vec& reg) {
  if (owner_[reg.getIdx()].has_value()) locked_.push_back(reg);
}

void LaneValues::PutAside(int32_t node) {
  Value& value = At(node);
  if (!value.memory.has_value()) {
    value.memory = stack_.NewVector();
    vector_.Store(*value.memory, *value.reg);
  }
  if (value.owns_register) GiveUpRegister(&value);
}

void LaneValues::PutAllAside() {
  for (const std::optional<int32_t>& owner : owner_) {
    if (owner.has_value()) PutAside(*owner);
  }
}

void LaneValues::GiveUpRegister(Value* value) {
  owner_[value->reg->getIdx()].reset();
  value->reg.reset();
  value->owns_register = false;
}

}  // namespace plinth::cpu::native
