// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/extremes.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace plinth::cpu::kernels {
namespace {

using compiler::Combiner;
using compiler::ComparisonDirection;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;

// Parameters of a combiner of pairs.
constexpr int32_t kValue = 0, kIndex = 1, kOtherValue = 2, kOtherIndex = 3;

// Looks for the combiner that argmax and argmin have:
//   first = value beats other_value, or value is a NaN
//   (first ? value : other_value,
//    first or (value == other_value and index < other_index) ? index : other_index)
class Matcher {
 public:
  explicit Matcher(const Combiner& combiner) : nodes_(combiner.nodes), combiner_(combiner) {}

  bool Match(bool* is_max) const {
    const Node& value = At(combiner_.results[0]);
    const Node& index = At(combiner_.results[1]);
    if (!IsSelect(value, kValue, kOtherValue) || !IsSelect(index, kIndex, kOtherIndex)) {
      return false;
    }
    const int32_t first = value.operands[0];
    if (!IsFirst(first, is_max)) return false;
    const Node& either = At(index.operands[0]);
    if (!IsOp(either, Opcode::kOr)) return false;
    for (int side : {0, 1}) {
      if (either.operands[side] == first && IsTie(either.operands[1 - side])) return true;
    }
    return false;
  }

 private:
  const Node& At(int32_t node) const { return nodes_[static_cast<size_t>(node)]; }
  bool IsParameter(int32_t node, int32_t number) const {
    return At(node).kind == NodeKind::kParameter && At(node).index == number;
  }
  static bool IsOp(const Node& node, Opcode opcode) {
    return node.kind == NodeKind::kOp && node.opcode == opcode;
  }
  bool IsSelect(const Node& node, int32_t on_true, int32_t on_false) const {
    return IsOp(node, Opcode::kSelect) && IsParameter(node.operands[1], on_true) &&
           IsParameter(node.operands[2], on_false);
  }
  bool IsCompare(int32_t number, ComparisonDirection direction, int32_t a, int32_t b) const {
    const Node& node = At(number);
    return IsOp(node, Opcode::kCompare) && node.compare.direction == direction &&
           node.compare.type != compiler::ComparisonType::kTotalOrder &&
           IsParameter(node.operands[0], a) && IsParameter(node.operands[1], b);
  }

  bool IsBeating(int32_t number, bool* is_max) const {
    *is_max = IsCompare(number, ComparisonDirection::kGt, kValue, kOtherValue) ||
              IsCompare(number, ComparisonDirection::kLt, kOtherValue, kValue);
    return *is_max || IsCompare(number, ComparisonDirection::kLt, kValue, kOtherValue) ||
           IsCompare(number, ComparisonDirection::kGt, kOtherValue, kValue);
  }

  bool IsFirst(int32_t number, bool* is_max) const {
    const DType type = nodes_[static_cast<size_t>(combiner_.results[0])].dtype;
    if (InfoOf(type).kind != DTypeClass::kFloat) return IsBeating(number, is_max);
    const Node& either = At(number);
    if (!IsOp(either, Opcode::kOr)) return false;
    for (int side : {0, 1}) {
      if (IsCompare(either.operands[1 - side], ComparisonDirection::kNe, kValue, kValue) &&
          IsBeating(either.operands[side], is_max)) {
        return true;
      }
    }
    return false;
  }

  bool IsTie(int32_t number) const {
    const Node& both = At(number);
    if (!IsOp(both, Opcode::kAnd)) return false;
    for (int side : {0, 1}) {
      const int32_t equal = both.operands[side], less = both.operands[1 - side];
      const bool are_equal = IsCompare(equal, ComparisonDirection::kEq, kValue, kOtherValue) ||
                             IsCompare(equal, ComparisonDirection::kEq, kOtherValue, kValue);
      const bool is_less = IsCompare(less, ComparisonDirection::kLt, kIndex, kOtherIndex) ||
                           IsCompare(less, ComparisonDirection::kGt, kOtherIndex, kIndex);
      if (are_equal && is_less) return true;
    }
    return false;
  }

  const std::vector<Node>& nodes_;
  const Combiner& combiner_;
};

// Adds up what a sum of iotas steps by along each dimension. False for other nodes.
bool AddSteps(const compiler::Phase& phase, const Node& node, int depth, compiler::Dims& steps) {
  if (node.kind == NodeKind::kIota) {
    steps[static_cast<size_t>(node.index)] += static_cast<int64_t>(node.constant.high);
    return node.constant.low == 0;
  }
  if (node.kind != NodeKind::kOp || node.opcode != Opcode::kAdd || depth == 0) return false;
  const auto at = [&](int i) -> const Node& {
    return phase.nodes[static_cast<size_t>(node.operands[i])];
  };
  return AddSteps(phase, at(0), depth - 1, steps) && AddSteps(phase, at(1), depth - 1, steps);
}

// Whether indices count the reduced points in their order from the initial index, 0, on: then of
// two NaNs the first has the smaller index, as of two equal elements.
bool CountsPoints(const compiler::KernelShape& shape, const compiler::Phase& phase,
                  const Node& index, const Node& initial) {
  constexpr int kMostIotas = 8;
  if (initial.kind != NodeKind::kConstant || initial.constant.low != 0) return false;
  compiler::Dims steps(shape.extents.size(), 0);
  if (!AddSteps(phase, index, kMostIotas, steps)) return false;
  int64_t points = 1;
  for (size_t d = shape.extents.size(); d-- > 0;) {
    const bool is_reduced = d >= static_cast<size_t>(shape.num_parallel);
    if (shape.extents[d] != 1 && steps[d] != (is_reduced ? points : 0)) return false;
    if (is_reduced && shape.extents[d] > std::numeric_limits<int32_t>::max() / points) return false;
    if (is_reduced) points *= std::max<int64_t>(shape.extents[d], 1);
  }
  return true;
}

// How often something reads each node of a phase.
std::vector<int32_t> CountReaders(const compiler::Kernel& kernel, const compiler::Phase& phase) {
  std::vector<int32_t> readers(phase.nodes.size());
  const auto read = [&](int32_t node) { ++readers[static_cast<size_t>(node)]; };
  for (const Node& node : phase.nodes) {
    for (size_t i = 0; i < node.num_operands; ++i) read(node.operands[i]);
  }
  for (const compiler::Store& store : phase.stores) read(store.node);
  for (const compiler::Reduction& reduction : phase.reductions) {
    for (const auto& nodes :
         {std::span<const int32_t>(reduction.inputs), std::span<const int32_t>(reduction.initial),
          std::span<const int32_t>(reduction.captured)}) {
      for (int32_t node : nodes) read(node);
    }
  }
  const auto number = &phase - kernel.body.phases.data();
  for (const compiler::Phase& reader : kernel.body.phases) {
    for (const Node& node : reader.nodes) {
      if (node.kind == NodeKind::kRow && node.index == number) read(node.component);
    }
  }
  return readers;
}

// Appends the iotas of a sum, unless another than the sum reads a part of it.
bool AppendIotas(const compiler::Phase& phase, const std::vector<int32_t>& readers, int32_t number,
                 std::vector<int32_t>* iotas) {
  const Node& node = phase.nodes[static_cast<size_t>(number)];
  if (readers[static_cast<size_t>(number)] != 1) return false;
  if (node.kind == NodeKind::kIota) {
    iotas->push_back(number);
    return true;
  }
  return AppendIotas(phase, readers, node.operands[0], iotas) &&
         AppendIotas(phase, readers, node.operands[1], iotas);
}

bool IsUsed(const compiler::Kernel& kernel, int32_t reduction, int32_t component) {
  for (const compiler::Phase& phase : kernel.body.phases) {
    for (const Node& node : phase.nodes) {
      if (node.kind == NodeKind::kReduced && node.index == reduction &&
          node.component == component) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

Extremes FindExtremesOf(const compiler::Kernel& kernel, const compiler::Phase& phase,
                        const compiler::Reduction& reduction, int32_t number) {
  if (reduction.inputs.size() != 2 || !reduction.captured.empty()) return {};
  const Node& value = phase.nodes[static_cast<size_t>(reduction.inputs[0])];
  const Node& index = phase.nodes[static_cast<size_t>(reduction.inputs[1])];
  const Node& initial = phase.nodes[static_cast<size_t>(reduction.initial[1])];
  bool is_max = false;
  // Of equal elements, which may be zeros of either sign, any is kept.
  if (!CountsPoints(kernel.shape, phase, index, initial) || IsUsed(kernel, number, 0) ||
      !Matcher(reduction.combiner).Match(&is_max)) {
    return {};
  }
  const DType type = math::TileTypeOf(value.dtype);
  const math::ExtremesFunction of_lanes = math::FindExtremes(is_max, type, index.dtype);
  if (of_lanes == nullptr) return {};
  return {of_lanes, math::FindFirstExtreme(is_max, type)};
}

std::vector<int32_t> IotasOfExtremes(const compiler::Kernel& kernel, const compiler::Phase& phase) {
  if (phase.reductions.size() != 1) return {};
  int32_t number = 0;
  for (const compiler::Phase* p = kernel.body.phases.data(); p != &phase; ++p) {
    number += static_cast<int32_t>(p->reductions.size());
  }
  const compiler::Reduction& reduction = phase.reductions.front();
  if (FindExtremesOf(kernel, phase, reduction, number).of_lanes == nullptr) return {};
  std::vector<int32_t> iotas;
  const std::vector<int32_t> readers = CountReaders(kernel, phase);
  if (!AppendIotas(phase, readers, reduction.inputs[1], &iotas)) return {};
  return iotas;
}

}  // namespace plinth::cpu::kernels
