// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_VECTOR_CODE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_VECTOR_CODE_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/emit/assembler.h"

// Ops on the lanes of registers as instructions. They give the bits of the routines in ../math.
namespace plinth::cpu::emit {

// A vector register has so many elements, of four bytes each; a pred takes a lane, too: all ones or
// zeros.
inline constexpr int64_t kLanes = 8;
inline constexpr int64_t kLaneBytes = 4;
inline constexpr int64_t kNoLane = -1;

// Types whose values take one lane.
bool IsLaneType(DType type);

// Vectors that code reads. They lie after it.
class ConstantPool {
 public:
  using Vector = std::array<uint32_t, kLanes>;

  // Valid as long as the pool.
  Xbyak::Address Find(const Vector& vector);
  Xbyak::Address Splat(uint32_t bits);

  // To be called once, after the code.
  void Write(Assembler& code);

 private:
  Xbyak::Label start_;
  std::vector<Vector> vectors_;
};

// Never hold a value from one op to the next.
inline constexpr Vec kScratch(15), kOtherScratch(14);

// dst = an op of a and b, each of as many lanes.
using Instruction = void (*)(Assembler& code, const Xbyak::Xmm& dst, const Xbyak::Xmm& a,
                             const Xbyak::Operand& b);

class VectorCode {
 public:
  VectorCode(Assembler& code, ConstantPool& pool) : code_(code), pool_(pool) {}

  // Of the following instructions.
  void set_lanes(int64_t lanes) { lanes_ = lanes; }
  int64_t lanes() const { return lanes_; }

  // Whether the op has code for so many lanes. `operand` is the type of operand 0, of a select that
  // of operand 1.
  static bool Has(const compiler::Node& node, DType operand, int64_t lanes);
  // Whether it is one instruction, which has read its operands when it writes the result.
  static bool IsOneInstruction(const compiler::Node& node, DType operand);
  // Whether operand 1 may be a whole vector in memory, and the op with such a one.
  static bool HasMemoryForm(const compiler::Node& node, DType operand);
  void EmitOnMemory(const compiler::Node& node, DType operand, Vec dst, Vec a,
                    const Xbyak::Address& b);
  // dst = node of these operands, as many as it has. `dst` is none of them, unless the op is one
  // instruction.
  void Emit(const compiler::Node& node, DType operand, Vec dst, std::span<const Vec> operands);
  // dst = a `opcode` b, for what reductions combine with.
  static bool CanCombine(compiler::Opcode opcode, DType type);
  void Combine(compiler::Opcode opcode, DType type, Vec dst, Vec a, Vec b);

  // dst = max(a, constant) or min of f32, where that is short. `is_quiet`: a is never a signaling
  // NaN. `dst` may be `a`.
  static bool HasExtremeOfConstant(bool maximum, uint32_t constant);
  void ExtremeOfConstant(bool maximum, Vec dst, Vec a, uint32_t constant, bool is_quiet);

  void Move(Vec dst, Vec source);
  void Load(Vec dst, const Xbyak::Address& from);  // a whole vector, of the pool or the stack
  void Store(const Xbyak::Address& to, Vec source);
  // So many elements, one after the other; the other lanes are zero.
  void LoadLanes(Vec dst, const Xbyak::Address& from, int64_t count);
  void StoreLanes(const Xbyak::Address& to, Vec source, int64_t count);
  void LoadUniform(Vec dst, const Xbyak::Address& from);
  // Lane i of dst is lane elements[i] of the source; those with kNoLane have `fill`.
  void Shuffle(Vec dst, Vec source, std::span<const int64_t> elements, uint32_t fill);
  // dst's lanes of which the bit is set become those of the source.
  void Blend(Vec dst, Vec source, uint8_t lanes);

 private:
  // As many lanes of it as count, rounded up to a register.
  Xbyak::Xmm Sized(Vec reg) const {
    return lanes_ > 4 ? Xbyak::Xmm(reg) : Xbyak::Xmm(reg.getIdx());
  }
  void SetZero(Vec dst) { code_.vxorps(Sized(dst), Sized(dst), Sized(dst)); }
  void Invert(Vec dst, Vec a);
  void LoadMask(Vec dst, int64_t count);
  void Compare(const compiler::CompareAttributes& compare, DType type, Vec dst, Vec a, Vec b);
  void Divide(bool remainder, Vec dst, Vec a, Vec b);
  void Convert(DType from, DType to, Vec dst, Vec a);
  void Extreme(bool maximum, Vec dst, Vec a, Vec b);
  void Round(uint8_t mode, Vec dst, Vec a);
  void Sign(Vec dst, Vec a);

  Assembler& code_;
  ConstantPool& pool_;
  int64_t lanes_ = 1;
};

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_VECTOR_CODE_H_
