// SPDX-License-Identifier: Apache-2.0
// How the values of a body lie in memory: what loads and stores them.
#include <algorithm>

#include "reference_plugin/cpu/emit/body_emitter.h"

namespace plinth::cpu::emit {
namespace {

using Xbyak::util::byte;
using Xbyak::util::dword;
using Xbyak::util::eax;
using Xbyak::util::esi;
using Xbyak::util::ptr;
using Xbyak::util::qword;
using Xbyak::util::rax;
using Xbyak::util::rcx;
using Xbyak::util::T_z;
using Xbyak::util::word;

using Kind = PieceValue::Kind;

constexpr int kHalfBytes = 2, kHalfBits = 16;

}  // namespace

// rsi lanes are left.
void BodyEmitter::EmitTailMask() {
  if (vector_.has_masks()) {
    constexpr uint32_t kAll = 0xFFFF;
    code_.mov(eax, kAll);
    code_.bzhi(eax, eax, esi);
    return code_.kmovw(Xbyak::Opmask(kTailMask), eax);
  }
  mask_ = NewOnStack();
  ConstantPool::Vector numbers;
  for (size_t lane = 0; lane < numbers.size(); ++lane) numbers[lane] = static_cast<uint32_t>(lane);
  const Vec scratch = vector_.scratch();
  const Xbyak::Xmm low(scratch.getIdx());
  code_.vmovd(low, esi);
  code_.vpbroadcastd(scratch, low);
  code_.vpcmpgtd(scratch, scratch, pool_.Find(numbers));
  vector_.Store(mask_, scratch);
  if (!is_half_) return;
  wide_mask_ = NewOnStack();
  code_.vpmovsxdq(scratch, low);
  vector_.Store(wide_mask_, scratch);
}

Xbyak::RegExp BodyEmitter::AddressOf(const PieceValue& value) {
  const bool is_narrow = value.memory != DType::kInvalid;
  const auto bytes = static_cast<int>(ByteSize(is_narrow ? value.memory : value.type));
  int64_t offset = int64_t{value.first_lane} * bytes;
  if (value.row > 0) offset += value.row * apart_[static_cast<size_t>(value.slot)];
  return BaseOf(value.slot) + rcx * bytes + static_cast<size_t>(offset);
}

Xbyak::Xmm BodyEmitter::LanesOfElements(Vec reg) const {
  if (!is_half_) return Xbyak::Xmm(reg);
  return vector_.has_masks() ? Xbyak::Xmm(Xbyak::Ymm(reg.getIdx())) : Xbyak::Xmm(reg.getIdx());
}

void BodyEmitter::LoadInput(int32_t n, Vec reg) {
  const PieceValue& value = ValueOf(n);
  if (value.kind == Kind::kLane) return LoadLane(value, reg);
  if (value.kind == Kind::kScalar) return LoadScalar(value, reg);
  const Xbyak::Address from = ptr[AddressOf(value)];
  if (value.type == DType::kPred) return LoadPred(value, from, reg);
  if (IsHalf(value.memory)) return LoadHalf(value, from, reg);
  if (IsShort(value.memory)) return LoadShort(value, reg);
  const bool is_wide = IsWideType(value.type);
  const Xbyak::Xmm lanes = is_wide ? Xbyak::Xmm(reg) : LanesOfElements(reg);
  const Vec scratch = vector_.scratch();
  if (!is_tail_) return code_.vmovups(lanes, from);
  if (vector_.has_masks()) {
    const Vec there = reg | Xbyak::Opmask(kTailMask) | T_z;
    return is_wide ? code_.vmovupd(there, from) : code_.vmovups(there, from);
  }
  vector_.Load(scratch, is_wide ? wide_mask_ : mask_);
  if (is_wide) return code_.vmaskmovpd(reg, scratch, from);
  code_.vmaskmovps(lanes, LanesOfElements(scratch), from);
}

void BodyEmitter::LoadPred(const PieceValue& value, const Xbyak::Address& from, Vec reg) {
  if (vector_.has_masks()) {
    const Xbyak::Xmm bytes(vector_.scratch().getIdx());
    if (is_tail_) {
      code_.vmovdqu8(bytes | Xbyak::Opmask(kTailMask) | T_z, from);
    } else if (is_half_) {
      code_.vmovq(bytes, from);
    } else {
      code_.vmovups(bytes, from);
    }
    return code_.vptestmb(Xbyak::Opmask(reg.getIdx()), bytes, bytes);
  }
  const Xbyak::Xmm low(reg.getIdx());
  if (is_tail_) {
    LoadTail(value, 1, low);
  } else if (is_half_) {
    code_.vmovd(low, dword[AddressOf(value)]);
  } else {
    code_.vmovq(low, qword[AddressOf(value)]);
  }
  // Ones become all ones.
  const Vec scratch = vector_.scratch();
  vector_.SetZero(scratch);
  if (is_half_) {
    code_.vpmovzxbq(reg, low);
    return code_.vpcmpgtq(reg, reg, scratch);
  }
  code_.vpmovzxbd(reg, low);
  code_.vpcmpgtd(reg, reg, scratch);
}

void BodyEmitter::LoadHalf(const PieceValue& value, const Xbyak::Address& from, Vec reg) {
  const bool is_f16 = value.memory == DType::kF16;
  if (!is_tail_ || vector_.has_masks()) {
    const Xbyak::Xmm all = LanesOfElements(reg),
                     lanes = is_tail_ ? all | Xbyak::Opmask(kTailMask) | T_z : all;
    if (is_f16) return code_.vcvtph2ps(lanes, from);
    code_.vpmovzxwd(lanes, from);
    return code_.vpslld(reg, reg, kHalfBits);
  }
  const Xbyak::Xmm low(reg.getIdx());
  LoadTail(value, kHalfBytes, low);
  if (is_f16) return code_.vcvtph2ps(reg, low);
  code_.vpmovzxwd(reg, low);
  code_.vpslld(reg, reg, kHalfBits);
}

void BodyEmitter::LoadShort(const PieceValue& value, Vec reg) {
  const bool is_byte = ByteSize(value.memory) == 1, has_sign = IsSignedShort(value.memory);
  const Xbyak::Xmm all = LanesOfElements(reg);
  const auto widen = [&](const Xbyak::Xmm& lanes, const Xbyak::Operand& from) {
    if (is_byte) return has_sign ? code_.vpmovsxbd(lanes, from) : code_.vpmovzxbd(lanes, from);
    has_sign ? code_.vpmovsxwd(lanes, from) : code_.vpmovzxwd(lanes, from);
  };
  if (!is_tail_) return widen(all, ptr[AddressOf(value)]);
  if (vector_.has_masks()) {
    return widen(all | Xbyak::Opmask(kTailMask) | T_z, ptr[AddressOf(value)]);
  }
  const Xbyak::Xmm low(reg.getIdx());
  LoadTail(value, is_byte ? 1 : kHalfBytes, low);
  widen(all, low);
}

void BodyEmitter::LoadTail(const PieceValue& value, int bytes, Xbyak::Xmm reg) {
  const Xbyak::RegExp base = AddressOf(value);
  Xbyak::Label done;
  code_.vpxor(reg, reg, reg);
  for (uint8_t lane = 0; lane + 1 < lanes_; ++lane) {
    const Xbyak::RegExp at = base + static_cast<size_t>(bytes * lane);
    bytes == 1 ? code_.vpinsrb(reg, reg, byte[at], lane) : code_.vpinsrw(reg, reg, word[at], lane);
    code_.cmp(esi, lane + 1);
    code_.je(done);
  }
  code_.L(done);
}

void BodyEmitter::LoadLane(const PieceValue& value, Vec reg) {
  constexpr ConstantPool::Vector kNumbers = {0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C};
  const Vec first = vector_.scratch();
  const Xbyak::Xmm low(first.getIdx());
  code_.lea(eax, ptr[rcx + value.first_lane]);
  code_.vmovd(low, eax);
  code_.vpbroadcastd(first, low);
  code_.vpmovzxbd(reg, pool_.Find(kNumbers));
  code_.vpaddd(reg, reg, first);
}

// One element into all lanes.
void BodyEmitter::LoadScalar(const PieceValue& value, Vec reg) {
  const Xbyak::RegExp base = BaseOf(value.slot);
  const Vec scratch = vector_.scratch();
  const Xbyak::Xmm bytes(scratch.getIdx());
  if (IsHalf(value.memory)) {
    code_.movzx(eax, word[base]);
    if (value.memory == DType::kBF16) code_.shl(eax, kHalfBits);
    code_.vmovd(bytes, eax);
    if (value.memory == DType::kF16) code_.vcvtph2ps(bytes, bytes);
    return code_.vbroadcastss(reg, bytes);
  }
  if (IsShort(value.memory)) {
    const bool is_byte = ByteSize(value.memory) == 1;
    const Xbyak::Address from = is_byte ? byte[base] : word[base];
    IsSignedShort(value.memory) ? code_.movsx(eax, from) : code_.movzx(eax, from);
    code_.vmovd(bytes, eax);
    return code_.vbroadcastss(reg, bytes);
  }
  if (IsWideType(value.type)) return code_.vbroadcastsd(reg, qword[base]);
  if (value.type != DType::kPred) return code_.vbroadcastss(reg, dword[base]);
  code_.vpbroadcastb(bytes, byte[base]);
  if (vector_.has_masks()) return code_.vptestmb(Xbyak::Opmask(reg.getIdx()), bytes, bytes);
  is_half_ ? code_.vpmovzxbq(reg, bytes) : code_.vpmovzxbd(reg, bytes);
  vector_.SetZero(scratch);
  is_half_ ? code_.vpcmpgtq(reg, reg, scratch) : code_.vpcmpgtd(reg, reg, scratch);
}

void BodyEmitter::EmitPastCacheIfAligned(const Piece& piece,
                                         const std::function<void(bool past_cache)>& emit) {
  const auto is_past_cache = [](const PieceValue& value) { return value.past_cache; };
  Xbyak::Label unaligned, end;
  if (std::any_of(piece.begin(), piece.end(), is_past_cache)) {
    for (const PieceValue& value : piece) {
      if (!value.past_cache) continue;
      code_.lea(rax, ptr[BaseOf(value.slot)]);
      code_.test(eax, kMostVectorBytes - 1);
      code_.jnz(unaligned, Assembler::T_NEAR);
    }
    emit(/*past_cache=*/true);
    code_.jmp(end, Assembler::T_NEAR);
  }
  code_.L(unaligned);
  emit(/*past_cache=*/false);
  code_.L(end);
}

void BodyEmitter::Store(int32_t n) {
  const PieceValue& value = ValueOf(n);
  const Vec reg = Register(n);
  if (value.kept >= 0) return vector_.Store(Kept(value.kept), reg);
  if (value.type == DType::kPred) return StorePred(value, reg);
  if (IsHalf(value.memory)) return StoreHalf(value, reg);
  if (IsShort(value.memory)) return StoreShort(value, reg);
  const bool is_wide = IsWideType(value.type);
  const Xbyak::Xmm lanes = is_wide ? Xbyak::Xmm(reg) : LanesOfElements(reg);
  const Vec scratch = vector_.scratch();
  const Xbyak::Address to = ptr[AddressOf(value)];
  if (!is_tail_) return value.past_cache ? code_.vmovntps(to, lanes) : code_.vmovups(to, lanes);
  if (vector_.has_masks()) {
    const Xbyak::Address there = to | Xbyak::Opmask(kTailMask);
    return is_wide ? code_.vmovupd(there, reg) : code_.vmovups(there, lanes);
  }
  vector_.Load(scratch, is_wide ? wide_mask_ : mask_);
  if (is_wide) return code_.vmaskmovpd(to, scratch, reg);
  code_.vmaskmovps(to, LanesOfElements(scratch), lanes);
}

void BodyEmitter::StorePred(const PieceValue& value, Vec reg) {
  constexpr uint32_t kOnes = 0x01010101;
  const Xbyak::Xmm bytes(vector_.scratch().getIdx());
  if (vector_.has_masks()) {
    code_.vmovdqu8(bytes | Xbyak::Opmask(reg.getIdx()) | T_z, pool_.Splat(kOnes));
    const Xbyak::Address to = ptr[AddressOf(value)];
    if (is_tail_) return code_.vmovdqu8(to | Xbyak::Opmask(kTailMask), bytes);
    return is_half_ ? code_.vmovq(to, bytes) : code_.vmovups(to, bytes);
  }
  code_.vextracti128(bytes, reg, 1);
  code_.vpackssdw(bytes, Xbyak::Xmm(reg.getIdx()), bytes);
  if (is_half_) code_.vpacksswb(bytes, bytes, bytes);
  code_.vpacksswb(bytes, bytes, bytes);
  code_.vpand(bytes, bytes, pool_.Splat(kOnes));
  const Xbyak::RegExp base = AddressOf(value);
  if (!is_tail_)
    return is_half_ ? code_.vmovd(dword[base], bytes) : code_.vmovq(qword[base], bytes);
  StoreTail(value, 1, bytes);
}

// The value is one of the type already.
void BodyEmitter::StoreHalf(const PieceValue& value, Vec reg) {
  constexpr uint8_t kToNearestEven = 0;
  const Vec scratch = vector_.scratch();
  const Xbyak::RegExp base = AddressOf(value);
  if (vector_.has_masks()) {
    const Xbyak::Address to = ptr[base], lanes = is_tail_ ? to | Xbyak::Opmask(kTailMask) : to;
    if (value.memory == DType::kF16) {
      return code_.vcvtps2ph(lanes, LanesOfElements(reg), kToNearestEven);
    }
    code_.vpsrld(scratch, reg, kHalfBits);
    return code_.vpmovdw(lanes, LanesOfElements(scratch));
  }
  const Xbyak::Xmm low(scratch.getIdx()), high(vector_.other_scratch().getIdx());
  if (value.memory == DType::kF16) {
    code_.vcvtps2ph(low, reg, kToNearestEven);
  } else {
    code_.vpsrld(scratch, reg, kHalfBits);
    code_.vextracti128(high, scratch, 1);
    code_.vpackusdw(low, low, high);
  }
  if (!is_tail_) {
    return is_half_ ? code_.vmovq(qword[base], low) : code_.vmovups(ptr[base], low);
  }
  StoreTail(value, kHalfBytes, low);
}

// What the lanes have above the numbers does not count.
void BodyEmitter::StoreShort(const PieceValue& value, Vec reg) {
  const bool is_byte = ByteSize(value.memory) == 1;
  const Xbyak::RegExp base = AddressOf(value);
  if (vector_.has_masks()) {
    const Xbyak::Address to = ptr[base], lanes = is_tail_ ? to | Xbyak::Opmask(kTailMask) : to;
    return is_byte ? code_.vpmovdb(lanes, LanesOfElements(reg))
                   : code_.vpmovdw(lanes, LanesOfElements(reg));
  }
  // Of each half of a register the lower parts of the lanes, one after the other.
  constexpr ConstantPool::Vector kBytes = {0x0C080400, 0, 0, 0, 0x0C080400, 0, 0, 0};
  constexpr ConstantPool::Vector kWords = {0x05040100, 0x0D0C0908, 0, 0,
                                           0x05040100, 0x0D0C0908, 0, 0};
  const Vec scratch = vector_.scratch();
  const Xbyak::Xmm low(scratch.getIdx()), high(vector_.other_scratch().getIdx());
  code_.vpshufb(scratch, reg, pool_.Find(is_byte ? kBytes : kWords));
  if (!is_half_) {
    code_.vextracti128(high, scratch, 1);
    is_byte ? code_.vpunpckldq(low, low, high) : code_.vpunpcklqdq(low, low, high);
  }
  if (is_tail_) return StoreTail(value, is_byte ? 1 : kHalfBytes, low);
  const int64_t bytes = lanes_ * ByteSize(value.memory);
  if (bytes == 4) return code_.vmovd(dword[base], low);
  return bytes == 8 ? code_.vmovq(qword[base], low) : code_.vmovups(ptr[base], low);
}

void BodyEmitter::StoreTail(const PieceValue& value, int bytes, Xbyak::Xmm reg) {
  const Xbyak::RegExp base = AddressOf(value);
  Xbyak::Label done;
  for (uint8_t lane = 0; lane + 1 < lanes_; ++lane) {
    const Xbyak::RegExp at = base + static_cast<size_t>(bytes * lane);
    bytes == 1 ? code_.vpextrb(byte[at], reg, lane) : code_.vpextrw(word[at], reg, lane);
    code_.cmp(esi, lane + 1);
    code_.je(done);
  }
  code_.L(done);
}

}  // namespace plinth::cpu::emit
