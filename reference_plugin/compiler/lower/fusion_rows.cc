// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reference_plugin/compiler/lower/fusion_block.h"

// Groups with phases, such as softmax and layer norm: what is computed once per row (the mean, its
// root) stands between the reductions of the rows and the points that use them. The walk meets it
// before it meets the reductions, so the group's last dimensions become rows as soon as something
// is wanted that depends on a reduction over them.
namespace plinth::compiler::lower {
namespace {

// How many ops above one are looked at.
constexpr size_t kMaxRowOps = 24;

}  // namespace

// The op and what it is computed from with one element per row, up to reductions.
SmallVector<const Op*, 8> BlockFusion::RowOps(const Op& op, int64_t rows) {
  SmallVector<const Op*, 8> found = {&op};
  for (size_t next = 0; next < found.size() && next < kMaxRowOps; ++next) {
    const Op& at = *found[next];
    if (at.opcode == Opcode::kReduce) continue;
    for (const Value* operand : context_.OperandsOf(at)) {
      if (!IsHere(operand) || operand->type.NumElements() != rows) continue;
      const Op* producer = operand->op;
      if (producer == nullptr) continue;
      const LowerClass lower_class = context_.ClassOf(*producer);
      if (lower_class != LowerClass::kElementwise && lower_class != LowerClass::kView &&
          lower_class != LowerClass::kReduction && producer->opcode != Opcode::kBroadcastInDim) {
        continue;
      }
      if (std::find(found.begin(), found.end(), producer) == found.end()) {
        found.push_back(producer);
      }
    }
  }
  return found;
}

// Whether one of the row ops reduces rows of so many elements (0: of any number).
bool BlockFusion::ReducesRows(std::span<const Op* const> row_ops, int64_t row_elements) {
  return std::any_of(row_ops.begin(), row_ops.end(), [&](const Op* op) {
    if (op->opcode != Opcode::kReduce) return false;
    if (row_elements == 0) return true;
    int64_t reduced = 1;
    for (int64_t size : ReducedSizes(*op)) reduced *= size;
    return reduced == row_elements;
  });
}

void BlockFusion::MakeRows(const Op& op, std::span<const int32_t> groups) {
  const int64_t rows = op.type().NumElements();
  SmallVector<const Op*, 8> row_ops;
  for (int32_t group : groups) {
    Group& g = GroupAt(group);
    if (g.has_reduced || g.NumPoints() <= rows || rows == 0) continue;
    SmallVector<int32_t, 4> instances = WantedInstances(op, group);
    const int32_t map = g.instances[instances[0]].map;
    const bool one_map = std::all_of(instances.begin(), instances.end(),
                                     [&](int32_t index) { return g.instances[index].map == map; });
    int32_t first = 0;
    int64_t row_elements = 0;
    if (!one_map || !IsPerRow(g, g.maps[map], op.type().dims, first, row_elements)) continue;
    if (rows <= limits().few_rows && row_elements > limits().row_elements) continue;
    if (MixesTurns(g)) continue;
    if (row_ops.empty()) row_ops = RowOps(op, rows);
    if (!ReducesRows({row_ops.data(), row_ops.size()}, row_elements)) continue;
    g.num_parallel = first;
    g.has_reduced = true;
  }
}

// A result with one element per row joins the group whose points need what it is computed from.
bool BlockFusion::TryJoinRows(const Op& op) {
  const int64_t rows = op.type().NumElements();
  if (context_.ClassOf(op) != LowerClass::kElementwise || rows < 2) return false;
  const SmallVector<const Op*, 8> row_ops = RowOps(op, rows);
  if (!ReducesRows({row_ops.data(), row_ops.size()}, 0)) return false;
  for (const Op* row_op : row_ops) {
    if (row_op == &op) continue;
    for (const Value* value : row_op->results) {
      if (!(value->type.dims == op.type().dims)) continue;
      for (const LowerContext::Want& want : context_.Fusion(value).wants) {
        if (TryJoinRowsOf(op, want, {row_ops.data(), row_ops.size()})) return true;
      }
    }
  }
  return false;
}

bool BlockFusion::TryJoinRowsOf(const Op& op, LowerContext::Want want,
                                std::span<const Op* const> row_ops) {
  Group& g = GroupAt(want.group);
  const int32_t map = g.instances[want.instance].map;
  if (g.NumPoints() <= op.type().NumElements() || !HasRoom(op, want.group)) return false;
  if (g.has_reduced) {
    if (CoverageOf(g, g.maps[map], op.type().dims) != Coverage::kRows) return false;
  } else {
    int32_t first = 0;
    int64_t row_elements = 0;
    if (!IsPerRow(g, g.maps[map], op.type().dims, first, row_elements) ||
        !ReducesRows(row_ops, row_elements)) {
      return false;
    }
  }
  if (ReadsUpdatedElsewhere(op, want.group) || Reaches(op, want.group, false)) return false;
  Demand(want.group, op.result(), map, {});
  const int32_t groups[] = {want.group};
  MakeRows(op, groups);
  Compute(op, want.group, false);
  AddOutputs(op, want.group);
  return true;
}

// Rows without a reduction are points like others unless something is done once for each.
void BlockFusion::ForgetUnusedRows() {
  for (Group& g : fused_.groups) {
    if (!g.has_reduced || !g.reductions.empty()) continue;
    const auto is_per_row = [&](const IndexMap& map) { return !g.UsesReduced(map); };
    const bool stores = std::any_of(g.outputs.begin(), g.outputs.end(), [&](const auto& output) {
      return is_per_row(output.is_part ? output.address : g.maps[g.instances[output.instance].map]);
    });
    const bool computes =
        std::any_of(g.instances.begin(), g.instances.end(), [&](const Instance& instance) {
          const bool is_computed =
              instance.kind == InstanceKind::kElementwise || instance.kind == InstanceKind::kMap;
          return is_computed && context_.CostOf(*instance.op) > context_.target().work.cheap &&
                 is_per_row(g.maps[instance.map]);
        });
    if (stores || computes) continue;
    g.num_parallel = g.rank();
    g.has_reduced = false;
  }
}

}  // namespace plinth::compiler::lower
