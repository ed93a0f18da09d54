// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/epilogue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::cuda {
namespace {

using compiler::Access;
using compiler::Dims;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using Activation = MatrixProduct::Activation;

// A kernel over 6 x 10 points: operand 0 is a product, operand 1 a bias of 10. Statements add nodes
// and say which is stored.
class Builder {
 public:
  explicit Builder(DType type = DType::kF32) : type_(type) {
    const int64_t bytes = ByteSize(type);
    kernel.shape = {
        {6, 10}, 2, {At(0, {10 * bytes, bytes}), At(1, {0, bytes})}, {At(0, {10 * bytes, bytes})}};
    kernel.body.phases.resize(1);
  }
  Access At(int32_t buffer, Dims strides) const {
    Access access;
    access.buffer = buffer;
    access.dtype = type_;
    access.byte_strides = std::move(strides);
    return access;
  }
  int32_t Input(int32_t index) {
    Node node;
    node.kind = NodeKind::kInput;
    node.index = index;
    return Append(node);
  }
  int32_t Constant(double value) {
    Node node;
    node.kind = NodeKind::kConstant;
    compiler::WriteFloat(type_, value, reinterpret_cast<std::byte*>(&node.constant.low));
    return Append(node);
  }
  int32_t Op(Opcode opcode, int32_t a, int32_t b = -1) {
    Node node;
    node.opcode = opcode;
    node.operands[node.num_operands++] = a;
    if (b >= 0) node.operands[node.num_operands++] = b;
    return Append(node);
  }
  // As jax.nn.gelu writes it.
  int32_t Gelu(int32_t x, double cubic = 0.044715) {
    const int32_t cube = Op(Opcode::kMultiply, Op(Opcode::kMultiply, x, x), x);
    const int32_t inner = Op(Opcode::kMultiply, Constant(std::sqrt(2 / M_PI)),
                             Op(Opcode::kAdd, x, Op(Opcode::kMultiply, Constant(cubic), cube)));
    const int32_t sum = Op(Opcode::kAdd, Constant(1), Op(Opcode::kTanh, inner));
    return Op(Opcode::kMultiply, x, Op(Opcode::kMultiply, Constant(0.5), sum));
  }
  std::optional<Epilogue> Store(int32_t node) {
    kernel.body.phases[0].stores = {{node, 0}};
    return EpilogueOf(kernel, 0);
  }

  Kernel kernel;

 private:
  int32_t Append(Node node) {
    node.dtype = type_;
    auto& nodes = kernel.body.phases[0].nodes;
    nodes.push_back(node);
    return static_cast<int32_t>(nodes.size()) - 1;
  }
  const DType type_;
};

TEST(EpilogueTest, BiasAndActivations) {
  for (const DType type : {DType::kF32, DType::kBF16, DType::kF16}) {
    for (const bool biased : {false, true}) {
      const std::pair<Activation, std::function<int32_t(Builder&, int32_t)>> kinds[] = {
          {Activation::kNone, [](Builder&, int32_t x) { return x; }},
          {Activation::kRelu,
           [](Builder& b, int32_t x) { return b.Op(Opcode::kMaximum, b.Constant(0), x); }},
          {Activation::kGelu, [](Builder& b, int32_t x) { return b.Gelu(x); }}};
      for (const auto& [activation, make] : kinds) {
        Builder builder(type);
        int32_t x = builder.Input(0);
        if (biased) x = builder.Op(Opcode::kAdd, builder.Input(1), x);
        const auto found = builder.Store(make(builder, x));
        // A copy is no epilogue.
        ASSERT_EQ(found.has_value(), biased || activation != Activation::kNone) << Name(type);
        if (!found.has_value()) continue;
        EXPECT_EQ(found->activation, activation);
        EXPECT_EQ(found->bias, biased ? 1 : -1);
        EXPECT_EQ(found->bias_length, biased ? 10 : 0);
      }
    }
  }
}

TEST(EpilogueTest, NothingElse) {
  auto none = [](const std::function<int32_t(Builder&)>& make, DType type = DType::kF32) {
    Builder builder(type);
    return !builder.Store(make(builder)).has_value();
  };
  EXPECT_TRUE(none([](Builder& b) { return b.Gelu(b.Input(0), 0.0447); }));
  EXPECT_TRUE(none([](Builder& b) { return b.Op(Opcode::kMaximum, b.Input(0), b.Constant(1)); }));
  EXPECT_TRUE(none([](Builder& b) { return b.Op(Opcode::kMultiply, b.Input(0), b.Input(1)); }));
  EXPECT_TRUE(none([](Builder& b) { return b.Op(Opcode::kTanh, b.Input(0)); }));
  EXPECT_TRUE(none([](Builder& b) { return b.Op(Opcode::kAdd, b.Input(0), b.Constant(1)); }));
  EXPECT_TRUE(none([](Builder& b) { return b.Op(Opcode::kAdd, b.Input(0), b.Input(0)); }));
  // The bias comes after the activation, or is in only one of the places.
  EXPECT_TRUE(none([](Builder& b) {
    return b.Op(Opcode::kAdd, b.Op(Opcode::kMaximum, b.Input(0), b.Constant(0)), b.Input(1));
  }));
  EXPECT_TRUE(none([](Builder& b) {
    const int32_t x = b.Input(0), y = b.Op(Opcode::kAdd, x, b.Input(1));
    return b.Op(Opcode::kMultiply, b.Op(Opcode::kMultiply, y, b.Constant(0.5)),
                b.Op(Opcode::kAdd, b.Constant(1), b.Op(Opcode::kTanh, x)));
  }));
  // The bias alone, and a type without epilogues.
  EXPECT_TRUE(none([](Builder& b) { return b.Op(Opcode::kMaximum, b.Input(1), b.Constant(0)); }));
  EXPECT_TRUE(
      none([](Builder& b) { return b.Op(Opcode::kAdd, b.Input(0), b.Input(1)); }, DType::kF64));
}

TEST(EpilogueTest, ABiasGoesAlongTheMemoryOfTheResult) {
  auto length = [](Dims strides) {
    Builder builder;
    builder.kernel.shape.inputs[1].byte_strides = std::move(strides);
    const int32_t x = builder.Input(0);
    const auto found = builder.Store(builder.Op(Opcode::kAdd, x, builder.Input(1)));
    return found.has_value() ? found->bias_length : 0;
  };
  EXPECT_EQ(length({0, 4}), 10);
  EXPECT_EQ(length({40, 4}), 60);  // a matrix: no bias of any product's row
  EXPECT_EQ(length({0, 0}), 1);
  EXPECT_EQ(length({4, 0}), 0);
  EXPECT_EQ(length({0, -4}), 0);
  // The product read turned.
  Builder turned;
  turned.kernel.shape.inputs[0].byte_strides = {4, 24};
  EXPECT_FALSE(turned.Store(turned.Op(Opcode::kMaximum, turned.Input(0), turned.Constant(0))));
}

}  // namespace
}  // namespace plinth::cuda
