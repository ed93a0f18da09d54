// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_VECTOR_CODE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_VECTOR_CODE_H_

#include <cstdint>
#include <map>
#include <span>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/emit/assembler.h"
#include "reference_plugin/cpu/emit/constant_pool.h"
#include "reference_plugin/cpu/emit/instruction.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::emit {

// Ops on the lanes of registers as instructions. They give the bits of the routines in ../math.
class VectorCode {
 public:
  // `target`: AVX2, or AVX-512, whose instructions are of all lanes.
  VectorCode(Assembler& code, ConstantPool& pool, math::SimdTarget target = math::SimdTarget::kAvx2)
      : code_(code), pool_(pool), is_wide_(target == math::SimdTarget::kAvx512) {}

  // Of the following instructions of AVX2.
  void set_lanes(int64_t lanes) { lanes_ = lanes; }
  int64_t lanes() const { return lanes_; }
  // All vectors have as many elements as there are wide ones in a register: of elements of one lane
  // the lower half counts. Without masks, preds then take two lanes.
  void set_half(bool half) { is_half_ = half; }
  bool is_half() const { return is_half_; }

  Vec Vector(int number) const { return is_wide_ ? Vec(Xbyak::Zmm(number)) : Vec(number); }
  static Vec Mask(int number) { return Vec(number, Xbyak::Operand::OPMASK, 64); }
  bool has_masks() const { return is_wide_; }
  // Never hold a value from one op to the next; nor do the first two masks.
  Vec scratch() const { return Vector(is_wide_ ? 31 : 15); }
  Vec other_scratch() const { return Vector(is_wide_ ? 30 : 14); }
  // Where one op may keep which lanes it means: a mask, 1 or 2, or without masks that vector.
  Vec MaskOr(int number, Vec vector) const { return is_wide_ ? Mask(number) : vector; }

  // Whether the op has code for so many lanes. `operand` is the type of operand 0, of a select that
  // of operand 1.
  static bool Has(const compiler::Node& node, DType operand, int64_t lanes);
  // The same where the operand's type or the result's is wide.
  static bool HasWide(const compiler::Node& node, DType operand);
  // Whether it is one instruction, which has read its operands when it writes the result.
  static bool IsOneInstruction(const compiler::Node& node, DType operand);
  // Whether operand 1 may be a whole vector in memory, and the op with such a one.
  bool HasMemoryForm(const compiler::Node& node, DType operand) const;
  void EmitOnMemory(const compiler::Node& node, DType operand, Vec dst, Vec a,
                    const Xbyak::Operand& b);
  // dst = node of these operands, as many as it has. `dst` is none of them, unless the op is one
  // instruction.
  void Emit(const compiler::Node& node, DType operand, Vec dst, std::span<const Vec> operands);
  // dst = a `opcode` b, for what reductions combine with.
  static bool CanCombine(compiler::Opcode opcode, DType type);
  void Combine(compiler::Opcode opcode, DType type, Vec dst, Vec a, Vec b);
  // What changes no value but a signaling NaN when it is combined with it.
  static uint32_t NeutralOf(compiler::Opcode opcode, DType type);  // of one lane
  // dst's lanes combined to one, lane i with lane i + half for ever smaller halves; it is in the
  // first lane. `spare` is overwritten; both have numbers below 16.
  void CombineLanes(compiler::Opcode opcode, DType type, Vec dst, Vec spare);

  // f32 become values of f16 or bf16, as ../math/narrow.cc rounds them.
  void RoundToHalf(DType type, Vec reg);
  // s32 become values of a short type: their lower bits, or the nearest that there is.
  void WrapToShort(DType type, Vec reg);
  void LimitToShort(DType type, Vec reg);

  // dst = max(a, constant) or min of floats, where that is short. `is_quiet`: a is never a
  // signaling NaN. `dst` may be `a`.
  static bool HasExtremeOfConstant(bool maximum, DType type, LaneBits constant);
  void ExtremeOfConstant(bool maximum, DType type, Vec dst, Vec a, LaneBits constant,
                         bool is_quiet);

  // An operand that has these bits in all lanes, valid as long as this; a register that has them,
  // `spare` if need be; and a register that gets them.
  const Xbyak::Operand& Constant(LaneBits bits);
  Vec InRegister(LaneBits bits, Vec spare);
  void LoadConstant(Vec dst, LaneBits bits);
  // From here on the register, which nobody may write, has the constant.
  void Pin(LaneBits bits, Vec reg);
  void Unpin() { pinned_.clear(); }
  const Vec* FindPinned(LaneBits bits) const;
  // How often code reads each constant.
  const std::map<LaneBits, int>& uses() const { return uses_; }
  void SetZero(Vec dst);
  // dst = the lanes' entries of a table of eight, by the last three bits of a number.
  void LookUp(Vec dst, const ConstantPool::Vector& table, Vec numbers);
  // From here on the methods up to AndMasks are of elements of the type.
  void set_type(DType type) { is_wide_type_ = IsWideType(type); }
  // mask = a `predicate` (of vcmpps) b.
  void CompareFloats(Vec mask, Vec a, const Xbyak::Operand& b, uint8_t predicate);
  // dst = a in the lanes of the mask, else zero; b there, else a; the mask's lanes also in `other`.
  void Keep(Vec dst, Vec a, Vec mask);
  void Choose(Vec dst, Vec a, const Xbyak::Operand& b, Vec mask);
  void AndMasks(Vec mask, Vec other);
  // eax may be overwritten.
  void JumpUnlessAll(Vec mask, const Xbyak::Label& target);

  void Move(Vec dst, Vec source);
  void Load(Vec dst, const Xbyak::Address& from);  // a whole register, of the pool or the stack
  void Store(const Xbyak::Address& to, Vec source);
  // So many elements, one after the other; the other lanes are zero.
  void LoadLanes(Vec dst, const Xbyak::Address& from, int64_t count);
  void StoreLanes(const Xbyak::Address& to, Vec source, int64_t count);
  void LoadUniform(Vec dst, const Xbyak::Address& from);
  // Rows, a power of two of them and at most as many as there are lanes, combined each as by
  // CombineLanes: its result is then lane LaneOfRow of the first vector. All are overwritten.
  void CombineRows(compiler::Opcode opcode, DType type, std::span<Vec> rows, Vec spare,
                   Vec other_spare);
  int64_t LaneOfRow(int64_t row) const;
  // Lane i of dst is lane elements[i] of the source; those with kNoLane have `fill`.
  void Shuffle(Vec dst, Vec source, std::span<const int64_t> elements, uint32_t fill);
  // dst's lanes of which the bit is set become those of the source.
  void Blend(Vec dst, Vec source, uint8_t lanes);

 private:
  static bool IsMask(Vec reg) { return reg.isOPMASK(); }
  void TakeHalves(int64_t half, Vec low, Vec high, Vec a, Vec b);
  // As many lanes of it as count, rounded up to a register.
  Xbyak::Xmm Sized(Vec reg) const {
    return is_wide_ || lanes_ > 4 ? Xbyak::Xmm(reg) : Xbyak::Xmm(reg.getIdx());
  }
  void Invert(Vec dst, Vec a);
  void CombineMasks(compiler::Opcode opcode, Vec dst, Vec a, Vec b);
  const Xbyak::Operand& Constant(LaneBits narrow, LaneBits wide);
  Vec InRegister(LaneBits narrow, LaneBits wide, Vec spare);
  void Do(const InstructionPair& instructions, Vec dst, Vec a, const Xbyak::Operand& b);
  // Without masks, of a half: the lanes of a mask of two lanes for one, and the other way.
  void NarrowMask(Vec dst, Vec mask);
  void WidenMask(Vec mask);
  void CompareMasks(compiler::ComparisonDirection direction, Vec dst, Vec a, Vec b);
  void ChooseMask(Vec dst, Vec a, Vec b, Vec mask);
  void LoadMask(Vec dst, int64_t count);
  void Compare(const compiler::CompareAttributes& compare, DType type, Vec dst, Vec a, Vec b);
  void Divide(bool remainder, Vec dst, Vec a, Vec b);
  void Convert(DType from, DType to, Vec dst, Vec a);
  void ConvertWide(DType from, DType to, Vec dst, Vec a);
  void ConvertPred(DType to, Vec dst, Vec a);
  void FloatOfWide(bool is_signed, Vec dst, Vec a);
  // Of wide integers, what AVX2 has no instructions for.
  void Multiply(Vec dst, Vec a, Vec b);
  void ExtremeOfIntegers(compiler::Opcode opcode, DType type, Vec dst, Vec a, Vec b);
  void ShiftRightArithmetic(Vec dst, Vec a, Vec b);
  void Abs(Vec dst, Vec a);
  void Extreme(bool maximum, Vec dst, Vec a, Vec b);
  void SquareRoot(Vec dst, Vec a);
  void Round(uint8_t mode, Vec dst, Vec a);
  void Sign(Vec dst, Vec a);

  Assembler& code_;
  ConstantPool& pool_;
  const bool is_wide_;
  int64_t lanes_ = 1;
  bool is_half_ = false, is_wide_type_ = false;
  // By the constant's bits.
  std::map<LaneBits, Xbyak::Address> addresses_;
  std::map<LaneBits, Vec> pinned_;
  std::map<LaneBits, int> uses_;
};

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_VECTOR_CODE_H_
