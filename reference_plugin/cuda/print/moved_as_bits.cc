// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/moved_as_bits.h"

#include <utility>
#include <vector>

namespace plinth::cuda {
namespace {

using compiler::Access;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::Phase;
using compiler::Reduction;
using compiler::Store;

bool IsNarrowFloat(DType type) {
  return InfoOf(type).kind == DTypeClass::kFloat && InfoOf(type).bits <= 16;
}

bool IsSelect(const Node& node) {
  return node.kind == NodeKind::kOp && node.opcode == Opcode::kSelect;
}

// Which nodes, inputs and outputs may be bits. At first all that could; then those go that meet
// another one that may not, until nothing changes.
class Moves {
 public:
  explicit Moves(const compiler::Kernel& kernel)
      : kernel_(kernel),
        inputs_(kernel.shape.inputs.size(), true),
        outputs_(kernel.shape.outputs.size(), true) {
    for (const Phase& phase : kernel.body.phases) {
      std::vector<bool>& nodes = nodes_.emplace_back();
      for (const Node& node : phase.nodes) {
        nodes.push_back(
            IsNarrowFloat(node.dtype) &&
            (node.kind == NodeKind::kInput || node.kind == NodeKind::kConstant || IsSelect(node)));
      }
    }
    for (const Phase& phase : kernel.body.phases) DropReduced(phase);
    do {
      changed_ = false;
      for (size_t p = 0; p < nodes_.size(); ++p) Narrow(kernel.body.phases[p], nodes_[p]);
    } while (changed_);
  }

  bool node(size_t phase, size_t node) const { return nodes_[phase][node]; }
  bool input(size_t input) const { return inputs_[input]; }
  bool output(size_t output) const { return outputs_[output]; }

 private:
  void Drop(std::vector<bool>& all, size_t one) {
    changed_ |= all[one];
    all[one] = false;
  }
  // If one of them may not be bits, neither may the other.
  void Tie(std::vector<bool>& all, size_t one, std::vector<bool>& others, size_t other) {
    if (!all[one]) Drop(others, other);
    if (!others[other]) Drop(all, one);
  }

  // Values that are reduced, or kept for a later phase.
  void DropReduced(const Phase& phase) {
    std::vector<bool>& nodes = nodes_[static_cast<size_t>(&phase - kernel_.body.phases.data())];
    for (const Reduction& reduction : phase.reductions) {
      for (const auto* used : {&reduction.inputs, &reduction.initial}) {
        for (const int32_t n : *used) Drop(nodes, static_cast<size_t>(n));
      }
      for (const int32_t n : reduction.captured) Drop(nodes, static_cast<size_t>(n));
    }
    for (const Node& node : phase.nodes) {
      if (node.kind != NodeKind::kRow) continue;
      Drop(nodes_[static_cast<size_t>(node.index)], static_cast<size_t>(node.component));
    }
  }

  void Narrow(const Phase& phase, std::vector<bool>& nodes) {
    for (size_t n = 0; n < phase.nodes.size(); ++n) {
      const Node& node = phase.nodes[n];
      if (node.kind == NodeKind::kInput) Tie(nodes, n, inputs_, static_cast<size_t>(node.index));
      for (size_t i = 0; i < node.num_operands; ++i) {
        const auto operand = static_cast<size_t>(node.operands[i]);
        if (IsSelect(node) && i > 0) {
          Tie(nodes, n, nodes, operand);
        } else {
          Drop(nodes, operand);
        }
      }
    }
    for (const Store& store : phase.stores) {
      Tie(nodes, static_cast<size_t>(store.node), outputs_, static_cast<size_t>(store.output));
    }
  }

  const compiler::Kernel& kernel_;
  std::vector<std::vector<bool>> nodes_;
  std::vector<bool> inputs_, outputs_;
  bool changed_ = false;
};

DType BitsOf(DType type) { return InfoOf(type).bits == 16 ? DType::kU16 : DType::kU8; }

}  // namespace

void MoveAsBits(compiler::Kernel& kernel) {
  const Moves moves(kernel);
  for (size_t p = 0; p < kernel.body.phases.size(); ++p) {
    std::vector<Node>& nodes = kernel.body.phases[p].nodes;
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (moves.node(p, n)) nodes[n].dtype = BitsOf(nodes[n].dtype);
    }
  }
  auto change = [](Access& access, bool moved) {
    if (moved && IsNarrowFloat(access.dtype)) access.dtype = BitsOf(access.dtype);
  };
  for (size_t i = 0; i < kernel.shape.inputs.size(); ++i) {
    change(kernel.shape.inputs[i], moves.input(i));
  }
  for (size_t o = 0; o < kernel.shape.outputs.size(); ++o) {
    change(kernel.shape.outputs[o], moves.output(o));
  }
}

}  // namespace plinth::cuda
