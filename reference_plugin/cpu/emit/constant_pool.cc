// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/constant_pool.h"

#include <algorithm>
#include <cstring>

namespace plinth::cpu::emit {

LaneBits LaneBits::Of(DType type, const void* element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, math::TileElementBytes(type));
  if (type == DType::kPred) return bits != 0 ? ~0u : 0;
  if (IsSignedShort(type)) {
    const int padding = 64 - 8 * static_cast<int>(ByteSize(type));
    return static_cast<uint32_t>(static_cast<int64_t>(bits << padding) >> padding);
  }
  return IsWideType(type) ? Wide(bits) : LaneBits(static_cast<uint32_t>(bits));
}

namespace {

// Where it lies behind the label.
template <class T>
Xbyak::RegRip FindOrAdd(std::vector<T>* all, const T& wanted, const Xbyak::Label& start) {
  const auto found = std::find(all->begin(), all->end(), wanted);
  const auto index = found - all->begin();
  if (found == all->end()) all->push_back(wanted);
  return Xbyak::util::rip + start + static_cast<int>(index * static_cast<int64_t>(sizeof(T)));
}

}  // namespace

Xbyak::Address ConstantPool::Find(const Vector& vector) {
  return Xbyak::util::ptr[FindOrAdd(&vectors_, vector, vectors_start_)];
}

Xbyak::Address ConstantPool::Scalar(LaneBits bits) {
  return Xbyak::util::ptr[FindOrAdd(&scalars_, bits, scalars_start_)];
}

Xbyak::Address ConstantPool::Broadcast(LaneBits bits) {
  return Xbyak::util::ptr_b[FindOrAdd(&scalars_, bits, scalars_start_)];
}

Xbyak::Address ConstantPool::Splat(LaneBits bits) {
  Vector vector;
  for (size_t lane = 0; lane < vector.size(); lane += 2) {
    vector[lane] = bits.lane();
    vector[lane + 1] = static_cast<uint32_t>(bits.both() >> 32);
  }
  return Find(vector);
}

void ConstantPool::Write(Assembler& code) {
  code.align(sizeof(Vector));
  code.L(vectors_start_);
  for (const Vector& vector : vectors_) {
    for (const uint32_t lane : vector) code.dd(lane);
  }
  code.L(scalars_start_);
  for (const LaneBits scalar : scalars_) code.dq(scalar.both());
}

}  // namespace plinth::cpu::emit
