// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/lane_memory.h"

#include <algorithm>
#include <limits>

namespace plinth::cpu::native {
namespace {

using emit::Vec;
using Xbyak::Xmm;
using Xbyak::util::byte;
using Xbyak::util::dword;
using Xbyak::util::eax;
using Xbyak::util::ecx;
using Xbyak::util::ptr;
using Xbyak::util::qword;

constexpr int64_t kHalf = kLanes / 2;

Xbyak::RegExp At(const Xbyak::RegExp& array, int64_t element, int64_t bytes) {
  return array + static_cast<size_t>(element * bytes);
}

}  // namespace

void LaneMemory::Load(Vec dst, const Xbyak::RegExp& array, DType type, const LaneMap& map,
                      uint32_t fill, int64_t size) {
  int64_t low = std::numeric_limits<int64_t>::max(), high = -1;
  uint8_t filled = 0;
  for (size_t lane = 0; lane < map.elements.size(); ++lane) {
    const int64_t element = map.elements[lane];
    if (element == LaneMap::kFill) {
      filled = static_cast<uint8_t>(filled | (1 << lane));
    } else {
      low = std::min(low, element);
      high = std::max(high, element);
    }
  }
  if (high < 0) return vector_.Load(dst, pool_.Splat(fill));
  if (type == DType::kPred) {
    LoadPreds(dst, array, map);
  } else if (map.IsDense()) {
    vector_.LoadLanes(dst, ptr[At(array, low, kLaneBytes)], high - low + 1);
  } else if (map.IsUniform()) {
    vector_.LoadUniform(dst, ptr[At(array, low, kLaneBytes)]);
  } else if (high - low < kLanes) {
    LoadWindow(dst, array, map, low, high, size);
  } else if (high - low < 2 * kLanes) {
    LoadTwoWindows(dst, array, map, low, high);
  } else {
    LoadOneByOne(dst, array, map);
  }
  if (filled != 0) code_.vblendps(dst, dst, pool_.Splat(fill), filled);
}

// All elements lie within a register's lanes.
void LaneMemory::LoadWindow(Vec dst, const Xbyak::RegExp& array, const LaneMap& map, int64_t low,
                            int64_t high, int64_t size) {
  int64_t count = high - low + 1;
  // More than asked for is read without a mask.
  const int64_t wide = count <= kHalf ? kHalf : kLanes;
  if (count > 2 && wide <= size) {
    low = std::min(low, size - wide);
    count = wide;
  }
  vector_.LoadLanes(dst, ptr[At(array, low, kLaneBytes)], count);
  std::vector<int64_t> lanes = map.elements;
  for (int64_t& lane : lanes) lane = lane == LaneMap::kFill ? 0 : lane - low;
  vector_.Shuffle(dst, dst, lanes, 0);
}

void LaneMemory::LoadTwoWindows(Vec dst, const Xbyak::RegExp& array, const LaneMap& map,
                                int64_t low, int64_t high) {
  const int64_t second = high - kLanes + 1;
  std::vector<int64_t> first_lanes(map.elements.size(), 0), second_lanes = first_lanes;
  uint8_t of_second = 0;
  for (size_t lane = 0; lane < map.elements.size(); ++lane) {
    const int64_t element = map.elements[lane];
    if (element == LaneMap::kFill) continue;
    if (element < low + kLanes) {
      first_lanes[lane] = element - low;
    } else {
      second_lanes[lane] = element - second;
      of_second = static_cast<uint8_t>(of_second | (1 << lane));
    }
  }
  const Vec other = vector_.other_scratch();
  vector_.Load(other, ptr[At(array, second, kLaneBytes)]);
  vector_.Shuffle(other, other, second_lanes, 0);
  vector_.Load(dst, ptr[At(array, low, kLaneBytes)]);
  vector_.Shuffle(dst, dst, first_lanes, 0);
  vector_.Blend(dst, other, of_second);
}

void LaneMemory::LoadOneByOne(Vec dst, const Xbyak::RegExp& array, const LaneMap& map) {
  const auto lanes = static_cast<int64_t>(map.elements.size());
  const Xmm low(dst.getIdx()), high(vector_.scratch().getIdx());
  const auto load = [&](const Xmm& reg, int64_t first) {
    code_.vxorps(reg, reg, reg);
    for (int64_t lane = first; lane < std::min(lanes, first + kHalf); ++lane) {
      const int64_t element = map.elements[static_cast<size_t>(lane)];
      if (element == LaneMap::kFill) continue;
      code_.vinsertps(reg, reg, dword[At(array, element, kLaneBytes)],
                      static_cast<uint8_t>((lane - first) << 4));
    }
  };
  load(low, 0);
  if (lanes <= kHalf) return;
  load(high, kHalf);
  code_.vinsertf128(dst, dst, high, 1);
}

// A byte that is not zero is a lane of ones.
void LaneMemory::LoadPreds(Vec dst, const Xbyak::RegExp& array, const LaneMap& map) {
  const Xmm low(dst.getIdx());
  if (const std::optional<int64_t> element = map.OneElement()) {
    code_.movzx(eax, byte[At(array, *element, 1)]);
    code_.MaskOf(eax);
    code_.vmovd(low, eax);
    if (map.elements.size() > 1) code_.vbroadcastss(dst, low);
    return;
  }
  const auto lanes = static_cast<int64_t>(map.elements.size());
  if (map.IsDense() && lanes == kLanes) {
    code_.vpmovzxbd(dst, qword[At(array, map.elements[0], 1)]);
  } else {
    code_.vpxor(low, low, low);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t element = map.elements[static_cast<size_t>(lane)];
      if (element == LaneMap::kFill) continue;
      code_.vpinsrb(low, low, byte[At(array, element, 1)], static_cast<uint8_t>(lane));
    }
    code_.vpmovzxbd(dst, low);
  }
  vector_.SetZero(vector_.scratch());
  code_.vpcmpgtd(dst, dst, vector_.scratch());
}

void LaneMemory::Store(const Xbyak::RegExp& array, DType type, const LaneMap& map, Vec source) {
  if (type == DType::kPred) return StorePreds(array, map, source);
  const auto lanes = static_cast<int64_t>(map.elements.size());
  if (map.IsDense()) {
    return vector_.StoreLanes(ptr[At(array, map.elements[0], kLaneBytes)], source, lanes);
  }
  Xmm part(source.getIdx());
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (lane == kHalf) {
      part = Xmm(vector_.scratch().getIdx());
      code_.vextractf128(part, source, 1);
    }
    code_.vextractps(dword[At(array, map.elements[static_cast<size_t>(lane)], kLaneBytes)], part,
                     static_cast<uint8_t>(lane % kHalf));
  }
}

void LaneMemory::StorePreds(const Xbyak::RegExp& array, const LaneMap& map, Vec source) {
  const auto lanes = static_cast<int64_t>(map.elements.size());
  const Xmm low(source.getIdx()), bytes(vector_.scratch().getIdx());
  if (lanes == 1) {
    code_.vmovd(ecx, low);
    code_.and_(ecx, 1);
    return code_.mov(byte[At(array, map.elements[0], 1)], Xbyak::util::cl);
  }
  constexpr uint32_t kOneInEach = 0x01010101;
  code_.vextracti128(bytes, source, 1);
  code_.vpackssdw(bytes, low, bytes);
  code_.vpacksswb(bytes, bytes, bytes);
  code_.vpand(bytes, bytes, pool_.Splat(kOneInEach));
  if (map.IsDense() && lanes == kLanes) {
    return code_.vmovq(qword[At(array, map.elements[0], 1)], bytes);
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    code_.vpextrb(byte[At(array, map.elements[static_cast<size_t>(lane)], 1)], bytes,
                  static_cast<uint8_t>(lane));
  }
}

}  // namespace plinth::cpu::native
