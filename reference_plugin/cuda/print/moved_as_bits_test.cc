// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/moved_as_bits.h"

#include <gtest/gtest.h>

#include <vector>

namespace plinth::cuda {
namespace {

using compiler::Access;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;

// Of ten points, from inputs of one type; the first is a predicate.
class Builder {
 public:
  explicit Builder(DType type) : type_(type) {
    kernel.shape.extents = {10};
    kernel.shape.num_parallel = 1;
    kernel.shape.inputs = {At(0, DType::kPred), At(1, type), At(2, type)};
    kernel.body.phases.resize(1);
  }
  int32_t Input(int32_t index) {
    return Append(NodeKind::kInput, index, index == 0 ? DType::kPred : type_);
  }
  int32_t Constant() { return Append(NodeKind::kConstant, 0, type_); }
  int32_t Op(Opcode opcode, std::vector<int32_t> operands) {
    const int32_t made = Append(NodeKind::kOp, 0, type_);
    Node& node = kernel.body.phases[0].nodes.back();
    node.opcode = opcode;
    for (const int32_t operand : operands) node.operands[node.num_operands++] = operand;
    return made;
  }
  void Store(int32_t node) {
    const auto output = static_cast<int32_t>(kernel.shape.outputs.size());
    kernel.shape.outputs.push_back(At(output, type_));
    kernel.body.phases[0].stores.push_back({node, output});
  }
  // What the node is once the kernel has been changed.
  DType TypeOf(int32_t node) const {
    return kernel.body.phases[0].nodes[static_cast<size_t>(node)].dtype;
  }

  Kernel kernel;

 private:
  Access At(int32_t buffer, DType type) const {
    Access access;
    access.buffer = buffer;
    access.dtype = type;
    access.byte_strides = {ByteSize(type)};
    return access;
  }
  int32_t Append(NodeKind kind, int32_t index, DType type) {
    Node node;
    node.kind = kind;
    node.index = index;
    node.dtype = type;
    kernel.body.phases[0].nodes.push_back(node);
    return static_cast<int32_t>(kernel.body.phases[0].nodes.size()) - 1;
  }
  const DType type_;
};

TEST(MovedAsBitsTest, WhatIsOnlyChosen) {
  for (const auto& [type, bits] :
       {std::pair(DType::kBF16, DType::kU16), std::pair(DType::kF16, DType::kU16),
        std::pair(DType::kF8E4M3FN, DType::kU8), std::pair(DType::kF4E2M1FN, DType::kU8),
        std::pair(DType::kF32, DType::kF32), std::pair(DType::kS16, DType::kS16)}) {
    Builder b(type);
    const int32_t x = b.Input(1), none = b.Constant();
    const int32_t chosen = b.Op(Opcode::kSelect, {b.Input(0), x, none});
    b.Store(chosen);
    MoveAsBits(b.kernel);
    EXPECT_EQ(b.TypeOf(x), bits);
    EXPECT_EQ(b.TypeOf(none), bits);
    EXPECT_EQ(b.TypeOf(chosen), bits);
    EXPECT_EQ(b.kernel.shape.inputs[0].dtype, DType::kPred);
    EXPECT_EQ(b.kernel.shape.inputs[1].dtype, bits);
    EXPECT_EQ(b.kernel.shape.outputs[0].dtype, bits);
  }
}

// One use that computes is enough, however far away.
TEST(MovedAsBitsTest, WhatIsComputedWith) {
  Builder b(DType::kF16);
  const int32_t x = b.Input(1), y = b.Input(2);
  const int32_t chosen = b.Op(Opcode::kSelect, {b.Input(0), x, y});
  b.Store(chosen);
  b.Store(b.Op(Opcode::kNegate, {x}));
  const Kernel before = b.kernel;
  MoveAsBits(b.kernel);
  EXPECT_EQ(b.kernel.body, before.body);
  EXPECT_EQ(b.kernel.shape, before.shape);
}

TEST(MovedAsBitsTest, OneOutputOfTwo) {
  Builder b(DType::kF16);
  const int32_t moved = b.Input(2);
  b.Store(b.Op(Opcode::kNegate, {b.Input(1)}));
  b.Store(moved);
  MoveAsBits(b.kernel);
  EXPECT_EQ(b.TypeOf(moved), DType::kU16);
  EXPECT_EQ(b.kernel.shape.inputs[1].dtype, DType::kF16);
  EXPECT_EQ(b.kernel.shape.outputs[0].dtype, DType::kF16);
  EXPECT_EQ(b.kernel.shape.outputs[1].dtype, DType::kU16);
}

TEST(MovedAsBitsTest, WhatIsReducedOrKept) {
  Builder b(DType::kBF16);
  const int32_t reduced = b.Input(1), kept = b.Input(2);
  b.Store(reduced);
  b.Store(kept);
  b.kernel.body.phases[0].reductions.resize(1);
  b.kernel.body.phases[0].reductions[0].inputs.push_back(reduced);
  Node row;
  row.kind = NodeKind::kRow;
  row.dtype = DType::kBF16;
  row.component = kept;
  b.kernel.body.phases.emplace_back().nodes.push_back(row);
  const Kernel before = b.kernel;
  MoveAsBits(b.kernel);
  EXPECT_EQ(b.kernel.body, before.body);
  EXPECT_EQ(b.kernel.shape, before.shape);
}

}  // namespace
}  // namespace plinth::cuda
