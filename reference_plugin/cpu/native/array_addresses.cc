// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/array_addresses.h"

namespace plinth::cpu::native {

using Xbyak::util::dword;
using Xbyak::util::eax;
using Xbyak::util::ecx;
using Xbyak::util::ptr;
using Xbyak::util::rax;
using Xbyak::util::rcx;
using Xbyak::util::rdx;

void ArrayAddresses::FindAll(const compiler::Phase& phase) {
  for (const compiler::Node& node : phase.nodes) {
    if (node.kind != compiler::NodeKind::kInput) continue;
    Find(shape_.inputs[static_cast<size_t>(node.index)], operands_);
  }
  for (const compiler::Store& store : phase.stores) {
    Find(shape_.outputs[static_cast<size_t>(store.output)], results_);
  }
}

void ArrayAddresses::Find(const Access& access, std::span<const Place> places) {
  if (access.dynamic_offsets.empty() || found_.contains(&access)) return;
  code_.lea(rdx, ptr[Load(access, places)]);
  const Xbyak::Address address = stack_.NewVector();
  code_.mov(address, rdx);
  found_.emplace(&access, address);
}

Xbyak::RegExp ArrayAddresses::Of(const Access& access, std::span<const Place> places) {
  const auto found = found_.find(&access);
  if (found == found_.end()) return Load(access, places);
  code_.mov(rdx, found->second);
  return rdx;
}

Xbyak::RegExp ArrayAddresses::Load(const Access& access, std::span<const Place> places) {
  const Place& place = places[static_cast<size_t>(access.buffer)];
  code_.mov(rdx, ptr[kBases + 8 * place.allocation]);
  for (size_t i = 0; i < access.dynamic_offsets.size(); ++i) {
    const compiler::DynamicOffset& index = access.dynamic_offsets[i];
    LoadIndex(index);
    const auto stride = static_cast<int>(index.byte_stride);
    const bool is_last = i + 1 == access.dynamic_offsets.size();
    if (is_last && (stride == 1 || stride == 2 || stride == 4 || stride == 8)) {
      return rdx + rax * stride;
    }
    code_.imul(rax, rax, stride);
    code_.add(rdx, rax);
  }
  return rdx;
}

// eax = the index within its bounds, where it nearly always is: no op has to wait for the bounds.
void ArrayAddresses::LoadIndex(const compiler::DynamicOffset& index) {
  const Place& place = operands_[static_cast<size_t>(index.buffer)];
  if (place.reg.has_value()) {
    code_.vmovd(eax, Xbyak::Xmm(place.reg->getIdx()));
  } else {
    code_.mov(rcx, ptr[kBases + 8 * place.allocation]);
    code_.mov(eax, dword[rcx]);
  }
  Xbyak::Label outside, inside;
  const auto maximum = static_cast<uint32_t>(index.maximum);
  code_.cmp(eax, maximum);
  code_.ja(outside);  // a negative number, too
  code_.L(inside);
  const bool has_sign = index.dtype == DType::kS32;
  context_.later([=, &code = code_]() mutable {
    code.L(outside);
    code.mov(ecx, maximum);
    if (has_sign) {
      code.cmp(eax, 0);
      code.mov(eax, 0);
      code.cmovge(eax, ecx);
    } else {
      code.mov(eax, ecx);
    }
    code.jmp(inside);
  });
}

}  // namespace plinth::cpu::native
