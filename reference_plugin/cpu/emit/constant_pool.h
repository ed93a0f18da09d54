// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_CONSTANT_POOL_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_CONSTANT_POOL_H_

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "reference_plugin/cpu/emit/assembler.h"
#include "reference_plugin/cpu/emit/lane_types.h"

namespace plinth::cpu::emit {

// What all elements of a register have: bits of one lane, or of two.
class LaneBits {
 public:
  constexpr LaneBits(uint32_t bits)  // NOLINT(google-explicit-constructor): most are of one lane
      : bits_(bits * kBoth) {}
  static constexpr LaneBits Wide(uint64_t bits) {
    LaneBits result(0);
    result.bits_ = bits;
    return result;
  }
  // Of an element of the type in tile form (../math); true is all ones, short numbers are s32.
  static LaneBits Of(DType type, const void* element);

  constexpr uint32_t lane() const { return static_cast<uint32_t>(bits_); }
  constexpr uint64_t both() const { return bits_; }
  auto operator<=>(const LaneBits&) const = default;

 private:
  static constexpr uint64_t kBoth = 0x1'0000'0001;

  uint64_t bits_;
};

// Vectors that code reads. They lie after it.
class ConstantPool {
 public:
  using Vector = std::array<uint32_t, kLanes>;

  // Valid as long as the pool.
  Xbyak::Address Find(const Vector& vector);
  Xbyak::Address Splat(LaneBits bits);
  // Two lanes; and the same as an operand of which AVX-512 repeats one element, or two lanes.
  Xbyak::Address Scalar(LaneBits bits);
  Xbyak::Address Broadcast(LaneBits bits);

  // To be called once, after the code.
  void Write(Assembler& code);

 private:
  Xbyak::Label vectors_start_, scalars_start_;
  std::vector<Vector> vectors_;
  std::vector<LaneBits> scalars_;
};

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_CONSTANT_POOL_H_
