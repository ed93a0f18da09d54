// SPDX-License-Identifier: Apache-2.0
// Vectors from register to register, and from and to memory.
#include <algorithm>

#include "reference_plugin/cpu/emit/vector_code.h"

namespace plinth::cpu::emit {

void VectorCode::Move(Vec dst, Vec source) {
  if (dst == source) return;
  if (IsMask(dst)) {
    return code_.kmovw(Xbyak::Opmask(dst.getIdx()), Xbyak::Opmask(source.getIdx()));
  }
  code_.vmovaps(dst, source);
}

void VectorCode::Load(Vec dst, const Xbyak::Address& from) {
  if (IsMask(dst)) return code_.kmovw(Xbyak::Opmask(dst.getIdx()), from);
  code_.vmovups(dst, from);
}

void VectorCode::Store(const Xbyak::Address& to, Vec source) {
  if (IsMask(source)) return code_.kmovw(to, Xbyak::Opmask(source.getIdx()));
  code_.vmovups(to, source);
}

void VectorCode::LoadMask(Vec dst, int64_t count) {
  ConstantPool::Vector mask{};
  std::fill_n(mask.begin(), count, ~0u);
  Load(dst, pool_.Find(mask));
}

void VectorCode::LoadLanes(Vec dst, const Xbyak::Address& from, int64_t count) {
  const Xbyak::Xmm low(dst.getIdx());
  switch (count) {
    case 1:
      return code_.vmovss(low, from);
    case 2:
      return code_.vmovsd(low, from);
    case 4:
      return code_.vmovups(low, from);
    case 8:
      return Load(dst, from);
    default:
      LoadMask(scratch(), count);
      code_.vmaskmovps(dst, scratch(), from);
  }
}

void VectorCode::StoreLanes(const Xbyak::Address& to, Vec source, int64_t count) {
  const Xbyak::Xmm low(source.getIdx());
  switch (count) {
    case 1:
      return code_.vmovss(to, low);
    case 2:
      return code_.vmovsd(to, low);
    case 4:
      return code_.vmovups(to, low);
    case 8:
      return Store(to, source);
    default:
      LoadMask(scratch(), count);
      code_.vmaskmovps(to, scratch(), source);
  }
}

void VectorCode::LoadUniform(Vec dst, const Xbyak::Address& from) {
  code_.vbroadcastss(Sized(dst), from);
}

void VectorCode::Shuffle(Vec dst, Vec source, std::span<const int64_t> elements, uint32_t fill) {
  uint8_t filled = 0, four = 0;
  bool in_four = elements.size() <= 4, uniform = true;
  ConstantPool::Vector indices{};
  for (size_t lane = 0; lane < elements.size(); ++lane) {
    if (elements[lane] == kNoLane) {
      filled = static_cast<uint8_t>(filled | (1 << lane));
      continue;
    }
    indices[lane] = static_cast<uint32_t>(elements[lane]);
    uniform = uniform && elements[lane] == 0;
    in_four = in_four && elements[lane] < 4;
    if (lane < 4) four = static_cast<uint8_t>(four | ((elements[lane] & 3) << (2 * lane)));
  }
  if (uniform) {
    code_.vbroadcastss(dst, Xbyak::Xmm(source.getIdx()));
  } else if (in_four) {
    code_.vpermilps(Xbyak::Xmm(dst.getIdx()), Xbyak::Xmm(source.getIdx()), four);
  } else {
    Load(scratch(), pool_.Find(indices));
    code_.vpermps(dst, scratch(), source);
  }
  if (filled != 0) code_.vblendps(dst, dst, pool_.Splat(fill), filled);
}

void VectorCode::Blend(Vec dst, Vec source, uint8_t lanes) {
  code_.vblendps(dst, dst, source, lanes);
}

}  // namespace plinth::cpu::emit
