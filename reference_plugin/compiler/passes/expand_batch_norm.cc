// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/expand_batch_norm.h"

namespace plinth::compiler::passes {
namespace {

class Expansion {
 public:
  Expansion(Builder& builder, const Op& op)
      : b_(builder), op_(op), attributes_(op.Get<BatchNormAttributes>()) {
    const Type& type = op.operands[0]->type;
    dims_ = type.dims;
    dtype_ = type.dtype;
    wide_ = dtype_ == DType::kF64 ? DType::kF64 : DType::kF32;
    for (int64_t d = 0; d < type.rank(); ++d) {
      if (d == attributes_.feature_index) continue;
      others_.push_back(d);
      count_ *= static_cast<double>(type.dims[static_cast<size_t>(d)]);
    }
  }

  std::vector<Value*> Training() {
    Value* const x = Operand(0);
    Value* const mean = Mean(x);
    Value* const centered = b_.Binary(Opcode::kSubtract, x, Spread(mean));
    Value* const variance = Mean(b_.Binary(Opcode::kMultiply, centered, centered));
    Value* const result = Normalize(centered, variance, Operand(1), Operand(2));
    return {Narrow(result), Narrow(mean), Narrow(variance)};
  }

  std::vector<Value*> Inference() {
    Value* const centered = b_.Binary(Opcode::kSubtract, Operand(0), Spread(Operand(3)));
    return {Narrow(Normalize(centered, Operand(4), Operand(1), Operand(2)))};
  }

  // With n elements per feature, c = x - mean and v = variance + epsilon:
  // d offset = sum(g), d scale = sum(g c) / sqrt(v),
  // d x = scale / sqrt(v) / n * (n g - sum(g) - c sum(g c) / v).
  std::vector<Value*> Grad() {
    Value* const x = Operand(0);
    Value* const scale = Operand(1);
    Value* const gradient = Operand(4);
    Value* const centered = b_.Binary(Opcode::kSubtract, x, Spread(Operand(2)));
    Value* const shifted = Shifted(Operand(3));
    Value* const deviation = b_.Unary(Opcode::kSqrt, shifted);
    Value* const sum = b_.ReduceSum(gradient, others_);
    Value* const product = b_.ReduceSum(b_.Binary(Opcode::kMultiply, gradient, centered), others_);
    Value* const scale_gradient = b_.Binary(Opcode::kDivide, product, deviation);
    Value* const count = b_.SplatLike(scale, count_);
    Value* const factor =
        b_.Binary(Opcode::kDivide, b_.Binary(Opcode::kDivide, scale, deviation), count);
    Value* const counted = b_.Binary(Opcode::kMultiply, gradient, b_.SplatLike(x, count_));
    Value* const without_sum = b_.Binary(Opcode::kSubtract, counted, Spread(sum));
    Value* const ratio = b_.Binary(Opcode::kDivide, product, shifted);
    Value* const along = b_.Binary(Opcode::kMultiply, centered, Spread(ratio));
    Value* const difference = b_.Binary(Opcode::kSubtract, without_sum, along);
    Value* const result = b_.Binary(Opcode::kMultiply, difference, Spread(factor));
    return {Narrow(result), Narrow(scale_gradient), Narrow(sum)};
  }

 private:
  Value* Operand(size_t i) { return b_.Convert(op_.operands[i], wide_); }
  Value* Narrow(Value* x) { return b_.Convert(x, dtype_); }
  // One value per feature as one per element.
  Value* Spread(Value* x) { return b_.Broadcast(x, dims_, {attributes_.feature_index}); }
  Value* Mean(Value* x) {
    Value* const sum = b_.ReduceSum(x, others_);
    return b_.Binary(Opcode::kDivide, sum, b_.SplatLike(sum, count_));
  }
  Value* Shifted(Value* variance) {
    return b_.Binary(Opcode::kAdd, variance,
                     b_.SplatLike(variance, static_cast<double>(attributes_.epsilon)));
  }
  Value* Normalize(Value* centered, Value* variance, Value* scale, Value* offset) {
    Value* const deviation = b_.Unary(Opcode::kSqrt, Shifted(variance));
    Value* const normalized = b_.Binary(Opcode::kDivide, centered, Spread(deviation));
    Value* const scaled = b_.Binary(Opcode::kMultiply, normalized, Spread(scale));
    return b_.Binary(Opcode::kAdd, scaled, Spread(offset));
  }

  Builder& b_;
  const Op& op_;
  const BatchNormAttributes& attributes_;
  Dims dims_;
  Dims others_;  // The dimensions that are summed over.
  DType dtype_ = DType::kInvalid;
  DType wide_ = DType::kInvalid;
  double count_ = 1;
};

}  // namespace

std::vector<Value*> ExpandBatchNorm(Builder& builder, const Op& op) {
  Expansion expansion(builder, op);
  switch (op.opcode) {
    case Opcode::kBatchNormTraining:
      return expansion.Training();
    case Opcode::kBatchNormInference:
      return expansion.Inference();
    default:
      return expansion.Grad();
  }
}

}  // namespace plinth::compiler::passes
