// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/comparison.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/testing/oracle.h"

namespace plinth::compiler::testing {
namespace {

// A number of any real type: floats are in `real`, all others in `integer`.
struct Number {
  double real = 0;
  int64_t integer = 0;
};

bool IsReal(DType type) { return IsIeeeFloat(RealTypeOf(type)); }
bool IsUnsigned(DType type) { return InfoOf(type).kind == DTypeClass::kUnsigned; }

Number Decode(DType type, const std::byte* element) {
  Number number;
  type = RealTypeOf(type);
  if (IsReal(type)) {
    number.real = ReadFloat(type, element);
  } else {
    number.integer = ReadInteger(type, element);
  }
  return number;
}

ScalarBits Encode(DType type, const Number& number) {
  ScalarBits bits;
  std::byte* bytes = reinterpret_cast<std::byte*>(&bits);
  type = RealTypeOf(type);
  if (IsReal(type)) {
    WriteFloat(type, number.real, bytes);
  } else if (type == DType::kPred) {
    bytes[0] = std::byte(number.integer & 1);
  } else {
    WriteInteger(type, number.integer, bytes);
  }
  return bits;
}

Number Decode(DType type, const ScalarBits& bits) {
  return Decode(type, reinterpret_cast<const std::byte*>(&bits));
}

int64_t Wrap(uint64_t value) { return static_cast<int64_t>(value); }

int64_t ToInteger(double value) {
  return std::isfinite(value) ? static_cast<int64_t>(std::fmod(value, 9e18)) : 0;
}

bool IsLess(DType type, const Number& a, const Number& b) {
  if (IsReal(type)) return a.real < b.real;
  if (IsUnsigned(type)) {
    return static_cast<uint64_t>(a.integer) < static_cast<uint64_t>(b.integer);
  }
  return a.integer < b.integer;
}

Number Larger(DType type, const Number& a, const Number& b, bool larger) {
  if (std::isnan(a.real) || std::isnan(b.real)) return {NAN, 0};
  return IsLess(type, a, b) == larger ? b : a;
}

// Keeps at least 53 digits; the last of them is one if digits are dropped.
template <typename T>
double RoundedToOdd(T x) {
  const double exact = static_cast<double>(x);
  if (std::fabs(exact) < 0x1p53) return exact;
  return static_cast<double>((x >> 11) | T{(x & 0x7ff) != 0}) * 0x1p11;
}

Number Convert(DType from, DType to, const Number& a) {
  if (IsReal(from)) {
    if (IsReal(to)) return a;
    if (to == DType::kPred) return {0, a.real != 0};
    return {0, ToInteger(a.real)};
  }
  if (!IsReal(to)) return {0, to == DType::kPred ? a.integer != 0 : a.integer};
  // Rounded once: by Encode, where the number or one that lies as it does is an f64.
  const uint64_t bits = static_cast<uint64_t>(a.integer);
  switch (RealTypeOf(to)) {
    case DType::kF64:
      return {IsUnsigned(from) ? static_cast<double>(bits) : static_cast<double>(a.integer), 0};
    case DType::kF32:
      return {IsUnsigned(from) ? static_cast<float>(bits) : static_cast<float>(a.integer), 0};
    default:
      return {IsUnsigned(from) ? RoundedToOdd(bits) : RoundedToOdd(a.integer), 0};
  }
}

// By zero: all bits set.
int64_t Quotient(DType type, int64_t a, int64_t b) {
  if (b == 0) return -1;
  if (IsUnsigned(type)) return Wrap(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  return b == -1 ? Wrap(0 - static_cast<uint64_t>(a)) : a / b;
}

// A count is read as unsigned: negative ones are as large as any.
int64_t Shifted(Opcode opcode, DType type, uint64_t a, uint64_t count) {
  const auto padding = static_cast<uint64_t>(64 - InfoOf(type).bits);
  const uint64_t bits = static_cast<uint64_t>(InfoOf(type).bits);
  const bool is_far = (count << padding >> padding) >= bits;
  switch (opcode) {
    case Opcode::kShiftLeft:
      return is_far ? 0 : Wrap(a << count);
    case Opcode::kShiftRightLogical:
      return is_far ? 0 : Wrap(a << padding >> padding >> count);
    default:
      return Wrap(a << padding) >> padding >> (is_far ? bits - 1 : count);
  }
}

// The unrounded result of operands of `type` (of select: of its last two).
Number Apply(const Node& node, DType type, const Number& a, const Number& b, const Number& c) {
  const uint64_t ua = static_cast<uint64_t>(a.integer), ub = static_cast<uint64_t>(b.integer);
  switch (node.opcode) {
    case Opcode::kAdd:
      return {a.real + b.real, type == DType::kPred ? (a.integer | b.integer) : Wrap(ua + ub)};
    case Opcode::kSubtract:
      return {a.real - b.real, Wrap(ua - ub)};
    case Opcode::kMultiply:
      return {a.real * b.real, Wrap(ua * ub)};
    case Opcode::kDivide:
      return {a.real / b.real, Quotient(type, a.integer, b.integer)};
    case Opcode::kMaximum:
      return Larger(type, a, b, true);
    case Opcode::kMinimum:
      return Larger(type, a, b, false);
    case Opcode::kClamp:
      return Larger(type, Larger(type, b, a, true), c, false);
    case Opcode::kNegate:
      return {-a.real, Wrap(0 - ua)};
    case Opcode::kAbs:
      return {std::abs(a.real), a.integer < 0 && !IsUnsigned(type) ? Wrap(0 - ua) : a.integer};
    case Opcode::kAnd:
      return {0, a.integer & b.integer};
    case Opcode::kOr:
      return {0, a.integer | b.integer};
    case Opcode::kXor:
      return {0, a.integer ^ b.integer};
    case Opcode::kNot:
      return {0, ~a.integer};
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightLogical:
    case Opcode::kShiftRightArithmetic:
      return {0, Shifted(node.opcode, type, ua, ub)};
    case Opcode::kCompare:
      return {0, IsReal(type)       ? Compares(node.compare.direction, a.real, b.real)
                 : IsUnsigned(type) ? Compares(node.compare.direction, ua, ub)
                                    : Compares(node.compare.direction, a.integer, b.integer)};
    case Opcode::kSelect:
      return a.integer != 0 ? b : c;
    case Opcode::kConvert:
      return Convert(type, node.dtype, a);
    case Opcode::kBitcastConvert:
      return Decode(node.dtype, Encode(type, a));
    default:
      break;
  }
  if (IsReal(type)) {
    switch (node.opcode) {
      case Opcode::kPower:
        return {std::pow(a.real, b.real)};
      case Opcode::kExponential:
        return {std::exp(a.real)};
      case Opcode::kLog:
        return {std::log(a.real)};
      case Opcode::kTanh:
        return {std::tanh(a.real)};
      case Opcode::kSqrt:
        return {std::sqrt(a.real)};
      case Opcode::kRsqrt:
        return {1 / std::sqrt(a.real)};
      case Opcode::kSine:
        return {std::sin(a.real)};
      case Opcode::kErf:
        return {std::erf(a.real)};
      default:
        break;
    }
  }
  const uint64_t number = static_cast<uint64_t>(node.opcode);
  return {std::sin(1.3 * a.real + 0.7 * b.real + static_cast<double>(number)),
          Wrap(5 * ua + 3 * ub + number)};
}

class Evaluator {
 public:
  Evaluator(const Kernel& kernel, std::span<const std::span<std::byte>> operands,
            std::span<const std::span<std::byte>> results)
      : kernel_(kernel), operands_(operands), results_(results) {}

  std::vector<std::string> Run() {
    const Dims& extents = kernel_.shape.extents;
    const Dims parallel(extents.begin(), extents.begin() + kernel_.shape.num_parallel);
    const Dims reduced(extents.begin() + kernel_.shape.num_parallel, extents.end());
    point_.resize(extents.size(), 0);
    ForEach(parallel, [&](const Dims& index) {
      std::copy(index.begin(), index.end(), point_.begin());
      reduced_.clear();
      rows_.clear();
      for (const Phase& phase : kernel_.body.phases) RunPhase(phase, reduced);
    });
    return std::move(errors_);
  }

 private:
  using Values = std::vector<ScalarBits>;

  template <typename Visit>
  static void ForEach(const Dims& extents, const Visit& visit) {
    for (int64_t extent : extents) {
      if (extent == 0) return;
    }
    Dims index(extents.size(), 0);
    for (;;) {
      visit(index);
      size_t d = extents.size();
      while (d > 0 && ++index[d - 1] == extents[d - 1]) index[--d] = 0;
      if (d == 0) return;
    }
  }

  void RunPhase(const Phase& phase, const Dims& reduced) {
    rows_.emplace_back();
    std::fill(point_.begin() + kernel_.shape.num_parallel, point_.end(), 0);
    std::vector<std::vector<Number>> accumulators;
    for (const Reduction& reduction : phase.reductions) {
      std::vector<Number>& accumulator = accumulators.emplace_back();
      for (int32_t initial : reduction.initial) {
        const Node& node = phase.nodes[initial];
        accumulator.push_back(Decode(node.dtype, Evaluate(phase, node, {}, 0)));
      }
    }
    auto visit = [&](size_t at) {
      Values values;
      for (const Node& node : phase.nodes) values.push_back(Evaluate(phase, node, values, at));
      for (const Store& store : phase.stores) Write(store, values);
      for (size_t r = 0; r < phase.reductions.size(); ++r) {
        Combine(phase, phase.reductions[r], values, accumulators[r]);
      }
      rows_.back().push_back(std::move(values));
    };
    if (phase.over_reduced) {
      size_t at = 0;
      ForEach(reduced, [&](const Dims& index) {
        std::copy(index.begin(), index.end(), point_.begin() + kernel_.shape.num_parallel);
        visit(at++);
      });
    } else {
      visit(0);
    }
    for (size_t r = 0; r < phase.reductions.size(); ++r) {
      Values& values = reduced_.emplace_back();
      for (size_t c = 0; c < accumulators[r].size(); ++c) {
        const DType type = phase.nodes[phase.reductions[r].inputs[c]].dtype;
        values.push_back(Encode(type, accumulators[r][c]));
      }
    }
  }

  // Where the element lies, or null with an error noted.
  std::byte* Find(const Access& access, std::span<const std::span<std::byte>> buffers,
                  std::string_view what, int64_t more = 0) {
    int64_t offset = access.byte_offset + more;
    for (size_t d = 0; d < point_.size(); ++d) offset += access.byte_strides[d] * point_[d];
    for (const DynamicOffset& dynamic : access.dynamic_offsets) {
      const int64_t index = ReadInteger(dynamic.dtype, operands_[dynamic.buffer].data());
      // Large unsigned numbers are no negative ones.
      const bool is_large = index < 0 && IsUnsigned(dynamic.dtype);
      offset += (is_large ? dynamic.maximum : std::clamp<int64_t>(index, 0, dynamic.maximum)) *
                dynamic.byte_stride;
    }
    const std::span<std::byte> buffer = buffers[access.buffer];
    if (offset < 0 || offset + ByteSize(access.dtype) > static_cast<int64_t>(buffer.size())) {
      errors_.push_back(
          StrCat(what, " byte ", offset, " of buffer ", access.buffer, " of ", buffer.size()));
      return nullptr;
    }
    return buffer.data() + offset;
  }

  // `more`: bytes that run-time values add.
  ScalarBits Read(const Access& access, int64_t more = 0) {
    for (const Bound& bound : access.bounds) {
      int64_t index = bound.offset;
      for (size_t d = 0; d < point_.size(); ++d) index += bound.coefficients[d] * point_[d];
      if (index < 0 || index >= bound.extent) return access.fill;
    }
    ScalarBits bits;
    const std::byte* element = Find(access, operands_, "reads", more);
    if (element != nullptr) std::memcpy(&bits, element, ByteSize(access.dtype));
    return bits;
  }

  void Write(const Store& store, const Values& values) {
    const Access& access = kernel_.shape.outputs[store.output];
    std::byte* element = Find(access, results_, "writes");
    if (element != nullptr) std::memcpy(element, &values[store.node], ByteSize(access.dtype));
  }

  // `at`: which point of the row.
  ScalarBits Evaluate(const Phase& phase, const Node& node, const Values& values, size_t at) {
    switch (node.kind) {
      case NodeKind::kInput:
        return Read(kernel_.shape.inputs[node.index]);
      case NodeKind::kGathered: {
        const Access& access = kernel_.shape.inputs[node.index];
        int64_t more = 0;
        for (size_t i = 0; i < node.num_operands; ++i) {
          const ScalarBits& bits = values[node.operands[i]];
          const int64_t index = ReadInteger(phase.nodes[node.operands[i]].dtype,
                                            reinterpret_cast<const std::byte*>(&bits));
          const ValueOffset& offset = access.value_offsets[i];
          more += std::clamp<int64_t>(index, 0, offset.maximum) * offset.byte_stride;
        }
        return Read(access, more);
      }
      case NodeKind::kConstant:
        return node.constant;
      case NodeKind::kIota: {
        const int64_t value = static_cast<int64_t>(node.constant.low) +
                              static_cast<int64_t>(node.constant.high) * point_[node.index];
        return Encode(node.dtype, {static_cast<double>(value), value});
      }
      case NodeKind::kReduced:
        return reduced_[node.index][node.component];
      case NodeKind::kRow:
        return rows_[node.index][kernel_.body.phases[node.index].over_reduced ? at : 0]
                    [node.component];
      default:
        break;
    }
    return Encode(node.dtype, ApplyTo(phase.nodes, node, [&](int32_t operand) {
                    return Decode(phase.nodes[operand].dtype, values[operand]);
                  }));
  }

  template <typename NumberOf>
  static Number ApplyTo(std::span<const Node> nodes, const Node& node, const NumberOf& number_of) {
    Number operands[3];
    for (size_t i = 0; i < node.num_operands; ++i) operands[i] = number_of(node.operands[i]);
    const DType type = nodes[node.operands[node.opcode == Opcode::kSelect ? 2 : 0]].dtype;
    return Apply(node, type, operands[0], operands[1], operands[2]);
  }

  // Leaves floats unrounded.
  static void Combine(const Phase& phase, const Reduction& reduction, const Values& values,
                      std::vector<Number>& accumulator) {
    std::vector<Number> parameters = accumulator;
    auto add = [&](int32_t node) {
      parameters.push_back(Decode(phase.nodes[node].dtype, values[node]));
    };
    for (int32_t input : reduction.inputs) add(input);
    for (int32_t captured : reduction.captured) add(captured);
    std::vector<Number> numbers;
    for (const Node& node : reduction.combiner.nodes) {
      if (node.kind == NodeKind::kParameter) {
        numbers.push_back(parameters[node.index]);
      } else if (node.kind == NodeKind::kConstant) {
        numbers.push_back(Decode(node.dtype, node.constant));
      } else {
        const Number number = ApplyTo(reduction.combiner.nodes, node,
                                      [&](int32_t operand) { return numbers[operand]; });
        numbers.push_back(IsReal(node.dtype) ? number
                                             : Decode(node.dtype, Encode(node.dtype, number)));
      }
    }
    for (size_t c = 0; c < accumulator.size(); ++c) {
      accumulator[c] = numbers[reduction.combiner.results[c]];
    }
  }

  const Kernel& kernel_;
  const std::span<const std::span<std::byte>> operands_, results_;
  Dims point_;
  std::vector<Values> reduced_;            // [reduction][component], of this row
  std::vector<std::vector<Values>> rows_;  // [phase][point of the row][node]
  std::vector<std::string> errors_;
};

}  // namespace

double Load(DType type, const std::byte* element) {
  const Number number = Decode(type, element);
  return IsReal(type) ? number.real : static_cast<double>(number.integer);
}

void Save(DType type, double value, std::byte* element) {
  type = RealTypeOf(type);
  if (IsReal(type)) {
    WriteFloat(type, value, element);
  } else {
    WriteInteger(type, ToInteger(value), element);
  }
}

std::vector<std::string> RunKernel(const Kernel& kernel,
                                   std::span<const std::span<std::byte>> operands,
                                   std::span<const std::span<std::byte>> results) {
  return Evaluator(kernel, operands, results).Run();
}

}  // namespace plinth::compiler::testing
