// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "reference_plugin/compiler/lower/fusion_block.h"

// Rows that lie along different dimensions in different arrays. Points in any order can be walked
// in tiles of both; rows are walked along one.
namespace plinth::compiler::lower {
namespace {

// The dimension of the domain along which neighbours are neighbours in an array of these
// dimensions; -1 if there is none.
int32_t FastestDim(const Group& group, const IndexMap& map, std::span<const int64_t> dims) {
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i] == 1) continue;
    for (int32_t d = 0; d < group.rank(); ++d) {
      if (group.extents[d] > 1 && std::abs(map.At(static_cast<int32_t>(i), d)) == 1) return d;
    }
    return -1;
  }
  return -1;
}

// Whether reading it is much of what the group reads. What all rows share, or all points of a row,
// is small.
bool IsLarge(const Group& group, const Value* value, int64_t least) {
  const int64_t elements = value->type.NumElements();
  return elements >= least && elements >= group.NumPoints() / 2;
}

}  // namespace

bool BlockFusion::MixesTurns(const Group& group) const {
  const int64_t least = context_.target().fusion.turned_elements;
  if (least == 0) return false;
  int32_t fastest = -1;
  for (const Instance& instance : group.instances) {
    if (instance.kind != InstanceKind::kLoad || !IsLarge(group, instance.value, least)) continue;
    const int32_t dim = FastestDim(group, group.maps[instance.map], instance.value->type.dims);
    if (dim < 0) continue;
    if (fastest >= 0 && dim != fastest) return true;
    fastest = dim;
  }
  return false;
}

bool BlockFusion::MixesTurns(const Op& op, int32_t group) {
  const int64_t least = context_.target().fusion.turned_elements;
  const Group& g = GroupAt(group);
  if (least == 0 || !g.has_reduced || op.opcode != Opcode::kTranspose ||
      !IsLarge(g, op.result(), least)) {
    return false;
  }
  for (int32_t wanted : WantedInstances(op, group)) {
    IndexMap source;
    if (!MapThrough(g.maps[g.instances[wanted].map], op, 0, g.extents, source)) continue;
    const int32_t turned = FastestDim(g, source, op.operands[0]->type.dims);
    if (turned < 0) continue;
    const auto differs = [&](int32_t index) {
      const Instance& instance = g.instances[index];
      if (instance.value == op.result() || !IsLarge(g, instance.value, least)) return false;
      const int32_t dim = FastestDim(g, g.maps[instance.map], instance.value->type.dims);
      return dim >= 0 && dim != turned;
    };
    for (size_t i = 0; i < g.instances.size(); ++i) {
      if (g.instances[i].kind == InstanceKind::kLoad && differs(static_cast<int32_t>(i))) {
        return true;
      }
    }
    for (const GroupOutput& output : g.outputs) {
      if (g.UsesReduced(g.maps[g.instances[output.instance].map]) && differs(output.instance)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace plinth::compiler::lower
