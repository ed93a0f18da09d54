// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/testing/reference_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::cpu {
namespace {

using compiler::Access;
using compiler::Dims;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::Phase;
using compiler::Reduction;
using compiler::ScalarBits;

struct Number {
  double real = 0;
  int64_t integer = 0;
};

const std::byte* Bytes(const ScalarBits& bits) { return reinterpret_cast<const std::byte*>(&bits); }

bool IsReal(DType type) { return InfoOf(type).kind == DTypeClass::kFloat; }

Number Decode(DType type, const ScalarBits& bits) {
  Number number;
  if (IsReal(type)) {
    number.real = compiler::ReadFloat(type, Bytes(bits));
  } else {
    number.integer = compiler::ReadInteger(type, Bytes(bits));
  }
  return number;
}

ScalarBits Encode(DType type, const Number& number) {
  ScalarBits bits;
  std::byte* bytes = reinterpret_cast<std::byte*>(&bits);
  if (IsReal(type)) {
    compiler::WriteFloat(type, number.real, bytes);
  } else if (type == DType::kPred) {
    bytes[0] = std::byte(number.integer & 1);
  } else {
    compiler::WriteInteger(type, number.integer, bytes);
  }
  return bits;
}

int64_t Wrap(uint64_t value) { return static_cast<int64_t>(value); }

// Keeps at least 53 digits; the last of them is one if digits are dropped.
template <typename T>
double RoundedToOdd(T x) {
  const double exact = static_cast<double>(x);
  if (std::fabs(exact) < 0x1p53) return exact;
  return static_cast<double>((x >> 11) | T{(x & 0x7ff) != 0}) * 0x1p11;
}

template <typename T>
bool CompareAs(compiler::ComparisonDirection direction, T a, T b) {
  switch (direction) {
    case compiler::ComparisonDirection::kEq:
      return a == b;
    case compiler::ComparisonDirection::kNe:
      return a != b;
    case compiler::ComparisonDirection::kGe:
      return a >= b;
    case compiler::ComparisonDirection::kGt:
      return a > b;
    case compiler::ComparisonDirection::kLe:
      return a <= b;
    case compiler::ComparisonDirection::kLt:
      return a < b;
  }
  return false;
}

// The unrounded result.
Number Apply(const Node& node, DType type, const Number& a, const Number& b, const Number& c) {
  Number r;
  const uint64_t ua = static_cast<uint64_t>(a.integer), ub = static_cast<uint64_t>(b.integer);
  const bool is_unsigned = InfoOf(type).kind == DTypeClass::kUnsigned;
  switch (node.opcode) {
    case Opcode::kAdd:
      r = {a.real + b.real, type == DType::kPred ? (a.integer | b.integer) : Wrap(ua + ub)};
      break;
    case Opcode::kSubtract:
      r = {a.real - b.real, Wrap(ua - ub)};
      break;
    case Opcode::kMultiply:
      r = {a.real * b.real, Wrap(ua * ub)};
      break;
    case Opcode::kMaximum:
    case Opcode::kMinimum: {
      const bool maximum = node.opcode == Opcode::kMaximum;
      if (std::isnan(a.real) || std::isnan(b.real)) {
        r.real = NAN;
      } else {
        r.real = maximum ? std::max(a.real, b.real) : std::min(a.real, b.real);
      }
      const bool less = is_unsigned ? ua < ub : a.integer < b.integer;
      r.integer = less == maximum ? b.integer : a.integer;
      break;
    }
    case Opcode::kNegate:
      r = {-a.real, Wrap(0 - ua)};
      break;
    case Opcode::kAbs:
      r = {std::abs(a.real), a.integer < 0 ? Wrap(0 - ua) : a.integer};
      break;
    case Opcode::kAnd:
      r.integer = a.integer & b.integer;
      break;
    case Opcode::kOr:
      r.integer = a.integer | b.integer;
      break;
    case Opcode::kXor:
      r.integer = a.integer ^ b.integer;
      break;
    case Opcode::kNot:
      r.integer = ~a.integer;
      break;
    case Opcode::kCompare:
      r.integer = IsReal(type)  ? CompareAs(node.compare.direction, a.real, b.real)
                  : is_unsigned ? CompareAs(node.compare.direction, ua, ub)
                                : CompareAs(node.compare.direction, a.integer, b.integer);
      break;
    case Opcode::kSelect:
      r = a.integer != 0 ? b : c;
      break;
    case Opcode::kConvert:
      if (IsReal(type)) {
        r = a;
      } else {
        // Rounded once: by Encode, where the number or one that lies as it does is an f64.
        if (node.dtype == DType::kF64) {
          r.real = is_unsigned ? static_cast<double>(ua) : static_cast<double>(a.integer);
        } else if (node.dtype == DType::kF32) {
          r.real = is_unsigned ? static_cast<float>(ua) : static_cast<float>(a.integer);
        } else {
          r.real = is_unsigned ? RoundedToOdd(ua) : RoundedToOdd(a.integer);
        }
        r.integer = a.integer;
        if (node.dtype == DType::kPred) r.integer = a.integer != 0;
      }
      break;
    default:
      break;
  }
  return r;
}

class Evaluator {
 public:
  Evaluator(const Kernel& kernel, std::span<void* const> operands, std::span<void* const> results)
      : kernel_(kernel), operands_(operands), results_(results) {}

  void Run() {
    Dims parallel(kernel_.extents.begin(), kernel_.extents.begin() + kernel_.num_parallel);
    Dims reduced(kernel_.extents.begin() + kernel_.num_parallel, kernel_.extents.end());
    Dims point(kernel_.extents.size());
    ForEach(parallel, [&](const Dims& p) {
      std::copy(p.begin(), p.end(), point.begin());
      reduced_.clear();
      rows_.clear();
      for (const Phase& phase : kernel_.phases) RunPhase(phase, reduced, &point);
    });
  }

 private:
  using Values = std::vector<ScalarBits>;
  using RowKey = std::vector<int64_t>;  // reduced index; empty for a phase once per point

  template <typename Body>
  static void ForEach(const Dims& extents, const Body& body) {
    for (int64_t extent : extents) {
      if (extent == 0) return;
    }
    Dims index(extents.size());
    while (true) {
      body(index);
      size_t d = extents.size();
      while (d > 0 && ++index[d - 1] == extents[d - 1]) index[--d] = 0;
      if (d == 0) return;
    }
  }

  void RunPhase(const Phase& phase, const Dims& reduced, Dims* point) {
    std::map<RowKey, Values>& rows = rows_.emplace_back();
    std::vector<std::vector<Number>> accumulators;
    std::fill(point->begin() + kernel_.num_parallel, point->end(), 0);
    for (const Reduction& reduction : phase.reductions) {
      std::vector<Number>& accumulator = accumulators.emplace_back();
      for (int32_t initial : reduction.initial) {
        const Node& node = phase.nodes[static_cast<size_t>(initial)];
        accumulator.push_back(Decode(node.dtype, Leaf(node, *point)));
      }
    }
    auto visit = [&](const RowKey& key) {
      const Values values = Evaluate(phase, *point, key);
      for (const compiler::Store& store : phase.stores) {
        Write(store, values, *point);
      }
      for (size_t r = 0; r < phase.reductions.size(); ++r) {
        Combine(phase, phase.reductions[r], values, &accumulators[r]);
      }
      rows[key] = values;
    };
    if (phase.over_reduced) {
      ForEach(reduced, [&](const Dims& index) {
        std::copy(index.begin(), index.end(), point->begin() + kernel_.num_parallel);
        visit(RowKey(index.begin(), index.end()));
      });
    } else {
      visit({});
    }
    for (size_t r = 0; r < phase.reductions.size(); ++r) {
      Values& values = reduced_.emplace_back();
      for (size_t c = 0; c < accumulators[r].size(); ++c) {
        const DType type = phase.nodes[static_cast<size_t>(phase.reductions[r].inputs[c])].dtype;
        values.push_back(Encode(type, accumulators[r][c]));
      }
    }
  }

  const std::byte* Address(const Access& access, const Dims& point) const {
    return static_cast<const std::byte*>(operands_[static_cast<size_t>(access.buffer)]) +
           Offset(access, point);
  }

  int64_t Offset(const Access& access, const Dims& point) const {
    int64_t offset = access.byte_offset;
    for (size_t d = 0; d < point.size(); ++d) offset += access.byte_strides[d] * point[d];
    for (const compiler::DynamicOffset& dynamic : access.dynamic_offsets) {
      const int64_t index = compiler::ReadInteger(
          dynamic.dtype,
          static_cast<const std::byte*>(operands_[static_cast<size_t>(dynamic.buffer)]));
      offset += std::clamp<int64_t>(index, 0, dynamic.maximum) * dynamic.byte_stride;
    }
    return offset;
  }

  ScalarBits Leaf(const Node& node, const Dims& point) const {
    if (node.kind == NodeKind::kConstant) return node.constant;
    const Access& access = kernel_.inputs[static_cast<size_t>(node.index)];
    for (const compiler::Bound& bound : access.bounds) {
      int64_t value = bound.offset;
      for (size_t d = 0; d < point.size(); ++d) value += bound.coefficients[d] * point[d];
      if (value < 0 || value >= bound.extent) return access.fill;
    }
    ScalarBits bits;
    std::memcpy(&bits, Address(access, point), static_cast<size_t>(ByteSize(access.dtype)));
    return bits;
  }

  void Write(const compiler::Store& store, const Values& values, const Dims& point) const {
    const Access& access = kernel_.outputs[static_cast<size_t>(store.output)];
    std::memcpy(static_cast<std::byte*>(results_[static_cast<size_t>(access.buffer)]) +
                    Offset(access, point),
                &values[static_cast<size_t>(store.node)],
                static_cast<size_t>(ByteSize(access.dtype)));
  }

  Values Evaluate(const Phase& phase, const Dims& point, const RowKey& key) {
    Values values;
    for (const Node& node : phase.nodes) {
      switch (node.kind) {
        case NodeKind::kIota: {
          const int64_t value =
              static_cast<int64_t>(node.constant.low) +
              static_cast<int64_t>(node.constant.high) * point[static_cast<size_t>(node.index)];
          values.push_back(Encode(node.dtype, {static_cast<double>(value), value}));
          break;
        }
        case NodeKind::kReduced:
          values.push_back(
              reduced_[static_cast<size_t>(node.index)][static_cast<size_t>(node.component)]);
          break;
        case NodeKind::kRow: {
          const size_t earlier = static_cast<size_t>(node.index);
          const RowKey row = kernel_.phases[earlier].over_reduced ? key : RowKey();
          values.push_back(rows_[earlier][row][static_cast<size_t>(node.component)]);
          break;
        }
        case NodeKind::kOp: {
          Number operands[3];
          DType type = DType::kInvalid;
          for (size_t i = 0; i < node.num_operands; ++i) {
            const size_t operand = static_cast<size_t>(node.operands[i]);
            if (i == 0 || node.opcode == Opcode::kSelect) type = phase.nodes[operand].dtype;
            operands[i] = Decode(phase.nodes[operand].dtype, values[operand]);
          }
          values.push_back(
              Encode(node.dtype, Apply(node, type, operands[0], operands[1], operands[2])));
          break;
        }
        default:
          values.push_back(Leaf(node, point));
      }
    }
    return values;
  }

  // Leaves sums of small floats unrounded.
  void Combine(const Phase& phase, const Reduction& reduction, const Values& values,
               std::vector<Number>* accumulator) {
    std::vector<Number> parameters = *accumulator;
    auto add = [&](int32_t node) {
      parameters.push_back(
          Decode(phase.nodes[static_cast<size_t>(node)].dtype, values[static_cast<size_t>(node)]));
    };
    for (int32_t input : reduction.inputs) add(input);
    for (int32_t captured : reduction.captured) add(captured);
    std::vector<Number> numbers;
    for (const Node& node : reduction.combiner.nodes) {
      if (node.kind == NodeKind::kParameter) {
        numbers.push_back(parameters[static_cast<size_t>(node.index)]);
      } else if (node.kind == NodeKind::kConstant) {
        numbers.push_back(Decode(node.dtype, node.constant));
      } else {
        Number operands[3];
        DType type = DType::kInvalid;
        for (size_t i = 0; i < node.num_operands; ++i) {
          const size_t operand = static_cast<size_t>(node.operands[i]);
          if (i == 0 || node.opcode == Opcode::kSelect) {
            type = reduction.combiner.nodes[operand].dtype;
          }
          operands[i] = numbers[operand];
        }
        Number result = Apply(node, type, operands[0], operands[1], operands[2]);
        if (!IsReal(node.dtype)) result = Decode(node.dtype, Encode(node.dtype, result));
        numbers.push_back(result);
      }
    }
    for (size_t c = 0; c < accumulator->size(); ++c) {
      (*accumulator)[c] = numbers[static_cast<size_t>(reduction.combiner.results[c])];
    }
  }

  const Kernel& kernel_;
  std::span<void*const> operands_, results_;
  std::vector<Values> reduced_;                 // [reduction][component], of this point
  std::vector<std::map<RowKey, Values>> rows_;  // [phase], of this point
};

}  // namespace

void RunReference(const Kernel& kernel, std::span<void* const> operands,
                  std::span<void* const> results) {
  Evaluator(kernel, operands, results).Run();
}

}  // namespace plinth::cpu
