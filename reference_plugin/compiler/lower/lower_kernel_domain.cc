// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reference_plugin/compiler/lower/lower_kernel.h"

namespace plinth::compiler::lower {
namespace {

// Calls visit(coefficients) for every list of the kernel that has one number per dimension.
template <typename Visit>
void ForEachRow(Kernel& kernel, const Visit& visit) {
  for (std::vector<Access>* accesses : {&kernel.shape.inputs, &kernel.shape.outputs}) {
    for (Access& access : *accesses) {
      visit(access.byte_strides);
      for (Bound& bound : access.bounds) visit(bound.coefficients);
    }
  }
}

void RemoveDim(Kernel& kernel, int32_t dim) {
  kernel.shape.extents.erase(kernel.shape.extents.begin() + dim);
  if (dim < kernel.shape.num_parallel) --kernel.shape.num_parallel;
  ForEachRow(kernel, [&](Dims& row) { row.erase(row.begin() + dim); });
  for (Phase& phase : kernel.body.phases) {
    for (Node& node : phase.nodes) {
      if (node.kind == NodeKind::kIota && node.index > dim) --node.index;
    }
  }
}

}  // namespace

void CoalesceDomain(Kernel& kernel) {
  std::vector<bool> counted(kernel.shape.extents.size(), false);  // by an iota
  bool has_reductions = false;
  for (const Phase& phase : kernel.body.phases) {
    has_reductions |= !phase.reductions.empty();
    for (const Node& node : phase.nodes) {
      if (node.kind == NodeKind::kIota) counted[node.index] = true;
    }
  }
  auto num_reduced = [&] {
    return static_cast<int32_t>(kernel.shape.extents.size()) - kernel.shape.num_parallel;
  };
  for (int32_t dim = static_cast<int32_t>(kernel.shape.extents.size()); dim-- > 0;) {
    if (kernel.shape.extents[dim] != 1 || counted[dim]) continue;
    if (dim >= kernel.shape.num_parallel && has_reductions && num_reduced() == 1) continue;
    RemoveDim(kernel, dim);
    counted.erase(counted.begin() + dim);
  }
  // Dimension `dim` steps by what the whole of dimension `dim` + 1 spans.
  for (int32_t dim = static_cast<int32_t>(kernel.shape.extents.size()) - 2; dim >= 0; --dim) {
    if (dim + 1 == kernel.shape.num_parallel || counted[dim] || counted[dim + 1]) continue;
    bool contiguous = true;
    ForEachRow(kernel, [&](const Dims& row) {
      contiguous &= row[dim] == row[dim + 1] * kernel.shape.extents[dim + 1];
    });
    if (!contiguous) continue;
    kernel.shape.extents[dim + 1] *= kernel.shape.extents[dim];
    RemoveDim(kernel, dim);
    counted.erase(counted.begin() + dim);
  }
}

double KernelCost(const Kernel& kernel, const Target& target) {
  double rows = 1, points = 1;
  for (size_t d = 0; d < kernel.shape.extents.size(); ++d) {
    points *= static_cast<double>(kernel.shape.extents[d]);
    if (static_cast<int32_t>(d) < kernel.shape.num_parallel) rows = points;
  }
  double cost = target.rates.kernel_start_ns;
  for (const Phase& phase : kernel.body.phases) {
    double units = static_cast<double>(phase.stores.size());
    for (const Node& node : phase.nodes) {
      if (node.kind == NodeKind::kOp) units += target.work.Of(node.opcode);
      if (node.kind == NodeKind::kGathered) units += target.work.function;
    }
    for (const Reduction& reduction : phase.reductions) {
      for (const Node& node : reduction.combiner.nodes) {
        if (node.kind == NodeKind::kOp) units += target.work.Of(node.opcode);
      }
    }
    cost += (phase.over_reduced ? points : rows) * units * target.rates.kernel_ns_per_unit;
  }
  for (const std::vector<Access>* accesses : {&kernel.shape.inputs, &kernel.shape.outputs}) {
    for (const Access& access : *accesses) {
      double bytes = static_cast<double>(ByteSize(access.dtype));
      for (size_t d = 0; d < kernel.shape.extents.size(); ++d) {
        if (access.byte_strides[d] != 0) bytes *= static_cast<double>(kernel.shape.extents[d]);
      }
      cost += bytes * target.rates.kernel_ns_per_byte;
    }
  }
  return cost;
}

}  // namespace plinth::compiler::lower
