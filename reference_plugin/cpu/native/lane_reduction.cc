// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/lane_reduction.h"

#include <algorithm>
#include <array>
#include <vector>

#include "reference_plugin/cpu/math/partials.h"
#include "reference_plugin/cpu/native/lane_ops.h"

namespace plinth::cpu::native {

// The order of ../math/partials.
void LaneReduction::FoldRow(const Row& row, int64_t points) {
  constexpr int64_t kPartials = static_cast<int64_t>(math::kPartialBytes) / kLaneBytes;
  const auto combine = [&](int64_t first, int64_t from, int64_t end) {
    for (int64_t lane = from; lane < end; lane += kLanes) {
      CombineVectors(row, (first + lane - from) / kLanes, lane / kLanes,
                     std::min(kLanes, end - lane));
    }
  };
  for (int64_t block = kPartials; block < points; block += kPartials) {
    combine(0, block, std::min(block + kPartials, points));
  }
  int64_t count = std::min(points, kPartials);
  for (int64_t half = kPartials / 2; half >= kLanes; half /= 2) {
    if (half >= count) continue;
    combine(0, half, count);
    count = half;
  }
}

// Vector `to` of the row, combined with `from` in the first lanes.
void LaneReduction::CombineVectors(const Row& row, int64_t to, int64_t from, int64_t lanes) {
  const Vec sum = values_.NewRegister(), other = values_.NewRegister(),
            combined = values_.NewRegister();
  vector_.Load(sum, row.Vector(to));
  vector_.Load(other, row.Vector(from));
  vector_.Combine(opcode_, type_, combined, sum, other);
  if (lanes < kLanes) {
    vector_.Blend(sum, combined, static_cast<uint8_t>((1 << lanes) - 1));
    vector_.Store(row.Vector(to), sum);
  } else {
    vector_.Store(row.Vector(to), combined);
  }
  values_.Unlock();
}

// The order of FoldLanes in ../kernels/reduction.cc.
void LaneReduction::FoldLanes(Vec sum, Vec moved, Vec combined) {
  int64_t count = vector_.lanes(), half = 1;
  while (2 * half < count) half *= 2;
  for (; count > 1; count = half, half /= 2) {
    std::vector<int64_t> elements(static_cast<size_t>(vector_.lanes() <= 4 ? 4 : kLanes), 0);
    for (int64_t lane = 0; lane < count - half; ++lane) {
      elements[static_cast<size_t>(lane)] = lane + half;
    }
    vector_.Shuffle(moved, sum, elements, 0);
    vector_.Combine(opcode_, type_, combined, sum, moved);
    vector_.Blend(sum, combined, static_cast<uint8_t>((1 << (count - half)) - 1));
  }
}

void LaneReduction::AddInitial(Vec dst, Vec initial, Vec sum) {
  compiler::Node node;
  node.opcode = opcode_;
  node.operands[1] = 1;
  node = InOrder(node, type_);
  const std::array<Vec, 2> ends = {initial, sum};
  vector_.Combine(opcode_, type_, dst, ends[static_cast<size_t>(node.operands[0])],
                  ends[static_cast<size_t>(node.operands[1])]);
}

}  // namespace plinth::cpu::native
