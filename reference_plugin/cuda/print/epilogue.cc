// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/epilogue.h"

#include <array>
#include <cmath>
#include <vector>

#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::cuda {
namespace {

using compiler::Access;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using Activation = MatrixProduct::Activation;

// Coefficients of 1, x, x^2, ...
using Polynomial = std::array<double, 5>;

std::optional<Polynomial> Multiply(const Polynomial& a, const Polynomial& b) {
  Polynomial product{};
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) {
      if (a[i] == 0 || b[j] == 0) continue;
      if (i + j >= product.size()) return std::nullopt;
      product[i + j] += a[i] * b[j];
    }
  }
  return product;
}
Polynomial Add(const Polynomial& a, const Polynomial& b) {
  Polynomial sum{};
  for (size_t i = 0; i < a.size(); ++i) sum[i] = a[i] + b[i];
  return sum;
}

// A value of the kernel: plain + factor * tanh(inner), of x, which is the product's element and, if
// `has_bias`, the bias' added to it. `is_bias`: the bias' element itself. `is_relu`: max(plain, 0).
struct Value {
  Polynomial plain{}, factor{}, inner{};
  bool has_bias = false, is_bias = false, is_relu = false;

  bool has_tanh() const { return factor != Polynomial{}; }
  bool is_constant() const {
    Polynomial constant{};
    constant[0] = plain[0];
    return !has_tanh() && plain == constant && !is_bias;
  }
  bool is_product() const { return !has_tanh() && !has_bias && plain == Polynomial{0, 1}; }
};

std::optional<Value> AddValues(const Value& a, const Value& b) {
  if (a.is_bias || b.is_bias) {
    if (!(a.is_bias ? b : a).is_product()) return std::nullopt;
    Value sum;
    sum.plain[1] = 1;
    sum.has_bias = true;
    return sum;
  }
  if (a.has_tanh() && b.has_tanh()) return std::nullopt;
  // x has to mean the same in both.
  if (a.has_bias != b.has_bias && !a.is_constant() && !b.is_constant()) return std::nullopt;
  Value sum;
  sum.plain = Add(a.plain, b.plain);
  sum.factor = a.has_tanh() ? a.factor : b.factor;
  sum.inner = a.has_tanh() ? a.inner : b.inner;
  sum.has_bias = a.has_bias || b.has_bias;
  return sum;
}

std::optional<Value> MultiplyValues(const Value& a, const Value& b) {
  if (a.is_bias || b.is_bias || (a.has_tanh() && b.has_tanh())) return std::nullopt;
  if (a.has_bias != b.has_bias && !a.is_constant() && !b.is_constant()) return std::nullopt;
  const Value& with = a.has_tanh() ? a : b;
  const Value& without = a.has_tanh() ? b : a;
  const auto plain = Multiply(a.plain, b.plain);
  const auto factor = Multiply(with.factor, without.plain);
  if (!plain.has_value() || !factor.has_value()) return std::nullopt;
  Value product;
  product.plain = *plain;
  product.factor = *factor;
  product.inner = with.inner;
  product.has_bias = a.has_bias || b.has_bias;
  return product;
}

// Whether both are the same but for the rounding of a type's constants.
bool IsNear(const Polynomial& a, const Polynomial& b, DType type) {
  const double tolerance = type == DType::kF32 ? 0x1p-22 : type == DType::kF16 ? 0x1p-9 : 0x1p-6;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::fabs(a[i] - b[i]) > tolerance * std::fabs(b[i])) return false;
  }
  return true;
}

std::optional<Activation> ActivationOf(const Value& value, DType type) {
  const Polynomial identity = {0, 1};
  if (value.is_relu) return Activation::kRelu;
  if (!value.has_tanh()) {
    if (value.plain == identity) return Activation::kNone;
    return std::nullopt;
  }
  // x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).
  const Polynomial half = {0, 0.5};
  const double scale = std::sqrt(2 / M_PI);
  const Polynomial inner = {0, scale, 0, scale * 0.044715};
  if (IsNear(value.plain, half, type) && IsNear(value.factor, half, type) &&
      IsNear(value.inner, inner, type)) {
    return Activation::kGelu;
  }
  return std::nullopt;
}

bool IsPlain(const Access& access) {
  return access.byte_offset == 0 && access.bounds.empty() && access.dynamic_offsets.empty() &&
         access.value_offsets.empty();
}

// How many neighbours of a dense array `access` has elements for, one after the other; zero if it
// goes through them in another way.
int64_t RunLength(const Access& access, const Access& dense, const compiler::Dims& extents) {
  int64_t length = 1;
  bool repeats = false;
  const int64_t bytes = ByteSize(access.dtype);
  for (size_t d = extents.size(); d-- > 0;) {
    if (extents[d] == 1) continue;
    if (access.byte_strides[d] == 0) {
      repeats = true;
    } else if (repeats || access.byte_strides[d] != length * bytes ||
               dense.byte_strides[d] != length * bytes) {
      return 0;
    } else {
      length *= extents[d];
    }
  }
  return length;
}

class Reader {
 public:
  Reader(const Kernel& kernel, int32_t product) : kernel_(kernel), product_(product) {}

  std::optional<Epilogue> Read() {
    const auto& phases = kernel_.body.phases;
    const compiler::KernelShape& shape = kernel_.shape;
    if (phases.size() != 1 || phases[0].over_reduced || phases[0].stores.size() != 1 ||
        shape.outputs.size() != 1) {
      return std::nullopt;
    }
    const Access& output = shape.outputs[0];
    const DType type = output.dtype;
    if (type != DType::kF32 && type != DType::kF16 && type != DType::kBF16) return std::nullopt;
    // The whole result, in its order.
    int64_t stride = ByteSize(type);
    for (size_t d = shape.extents.size(); d-- > 0;) {
      if (shape.extents[d] != 1 && output.byte_strides[d] != stride) return std::nullopt;
      stride *= shape.extents[d];
    }
    if (!IsPlain(output)) return std::nullopt;
    std::vector<std::optional<Value>> values;
    for (const Node& node : phases[0].nodes) {
      values.push_back(node.dtype == type ? ValueOf(node, values) : std::nullopt);
    }
    const auto& stored = values[static_cast<size_t>(phases[0].stores[0].node)];
    if (!stored.has_value() || stored->is_bias || stored->has_bias != (bias_.bias >= 0)) {
      return std::nullopt;
    }
    const auto activation = ActivationOf(*stored, type);
    if (!activation.has_value()) return std::nullopt;
    // A copy is none.
    if (*activation == Activation::kNone && !stored->has_bias) return std::nullopt;
    bias_.activation = *activation;
    return bias_;
  }

 private:
  std::optional<Value> Input(const Node& node) {
    const Access& access = kernel_.shape.inputs[static_cast<size_t>(node.index)];
    const Access& output = kernel_.shape.outputs[0];
    if (!IsPlain(access)) return std::nullopt;
    Value value;
    if (access.buffer == product_) {
      for (size_t d = 0; d < kernel_.shape.extents.size(); ++d) {
        const bool is_same = access.byte_strides[d] == output.byte_strides[d];
        if (!is_same && kernel_.shape.extents[d] != 1) return std::nullopt;
      }
      value.plain[1] = 1;
      return value;
    }
    const int64_t length = RunLength(access, output, kernel_.shape.extents);
    if (length == 0 || bias_.bias >= 0) return std::nullopt;
    bias_.bias = access.buffer;
    bias_.bias_length = length;
    value.is_bias = true;
    return value;
  }

  std::optional<Value> ValueOf(const Node& node, const std::vector<std::optional<Value>>& values) {
    if (node.kind == NodeKind::kInput) return Input(node);
    if (node.kind == NodeKind::kConstant) {
      Value value;
      value.plain[0] =
          compiler::ReadFloat(node.dtype, reinterpret_cast<const std::byte*>(&node.constant.low));
      return value;
    }
    if (node.kind != NodeKind::kOp) return std::nullopt;
    const Value absent;
    const Value* operands[3] = {&absent, &absent, &absent};
    for (size_t i = 0; i < node.num_operands; ++i) {
      const auto& operand = values[static_cast<size_t>(node.operands[i])];
      if (!operand.has_value() || operand->is_relu) return std::nullopt;
      operands[i] = &*operand;
    }
    switch (node.opcode) {
      case Opcode::kAdd:
        return AddValues(*operands[0], *operands[1]);
      case Opcode::kMultiply:
        return MultiplyValues(*operands[0], *operands[1]);
      case Opcode::kMaximum: {
        const Value& zero = operands[0]->is_constant() ? *operands[0] : *operands[1];
        Value value = operands[0]->is_constant() ? *operands[1] : *operands[0];
        const Polynomial identity = {0, 1};
        if (!zero.is_constant() || zero.plain[0] != 0 || value.has_tanh() || value.is_bias ||
            value.plain != identity) {
          return std::nullopt;
        }
        value.is_relu = true;
        return value;
      }
      case Opcode::kTanh: {
        if (operands[0]->has_tanh() || operands[0]->is_bias) return std::nullopt;
        Value value;
        value.factor[0] = 1;
        value.inner = operands[0]->plain;
        value.has_bias = operands[0]->has_bias;
        return value;
      }
      default:
        return std::nullopt;
    }
  }

  const Kernel& kernel_;
  const int32_t product_;
  Epilogue bias_;
};

}  // namespace

std::optional<Epilogue> EpilogueOf(const Kernel& kernel, int32_t product) {
  return Reader(kernel, product).Read();
}

}  // namespace plinth::cuda
