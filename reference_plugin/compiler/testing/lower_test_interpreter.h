// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LOWER_TEST_INTERPRETER_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LOWER_TEST_INTERPRETER_H_

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/plan/schedule.h"

// Runs schedules one element at a time, for tests: as close to the definition of kernels as can be
// written. Elements are doubles while they are computed with, so integers are exact up to 2^53.
namespace plinth::compiler::testing {

using Bytes = std::vector<std::byte>;

// Of a complex number, the real part. What overflows or is not a number becomes some integer,
// always the same.
inline double Load(DType type, const std::byte* element) {
  type = RealTypeOf(type);
  return IsIeeeFloat(type) ? ReadFloat(type, element)
                           : static_cast<double>(ReadInteger(type, element));
}
inline void Save(DType type, double value, std::byte* element) {
  type = RealTypeOf(type);
  if (IsIeeeFloat(type)) {
    WriteFloat(type, value, element);
  } else {
    const double bounded = std::isfinite(value) ? std::fmod(value, 9e18) : 0;
    WriteInteger(type, static_cast<int64_t>(bounded), element);
  }
}
inline double Rounded(DType type, double value) {
  std::byte element[16] = {};
  Save(type, value, element);
  return Load(type, element);
}

class Interpreter {
 public:
  explicit Interpreter(const Schedule& schedule)
      : schedule_(schedule), arrays_(schedule.values.size()) {}

  std::vector<Bytes> Run(const std::vector<Bytes>& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      arrays_[schedule_.entry.arguments[i]] = arguments[i];
    }
    RunBlock(schedule_.entry);
    std::vector<Bytes> results;
    for (int32_t result : schedule_.entry.results) results.push_back(Get(result));
    return results;
  }

  const std::vector<std::string>& errors() const { return errors_; }

 private:
  Bytes Get(int32_t value) {
    const ArrayValue& array = schedule_.values[value];
    if (array.view_of >= 0) return Get(array.view_of);
    if (array.constant != nullptr) {
      const auto& constant = std::get<ConstantAttributes>(*array.constant);
      if (!constant.is_splat) return Bytes(constant.bytes.begin(), constant.bytes.end());
      Bytes bytes;
      for (int64_t i = 0; i < array.type.NumElements(); ++i) {
        bytes.insert(bytes.end(), constant.bytes.begin(), constant.bytes.end());
      }
      return bytes;
    }
    if (arrays_[value].empty() && array.type.SizeInBytes() > 0) {
      errors_.push_back(StrCat("value ", value, " is read before it is written"));
      arrays_[value].resize(static_cast<size_t>(array.type.SizeInBytes()));
    }
    return arrays_[value];
  }

  double Scalar(int32_t value) {
    return Load(schedule_.values[value].type.dtype, Get(value).data());
  }

  void RunBlock(const ScheduleBlock& block) {
    for (const ScheduleStep& step : block.steps) RunStep(step);
  }

  void RunStep(const ScheduleStep& step) {
    switch (step.kind) {
      case StepKind::kKernel:
        return RunKernelStep(step);
      case StepKind::kCopy:
        arrays_[step.results[0]] = Get(step.operands[0]);
        return;
      case StepKind::kCase: {
        int32_t index = static_cast<int32_t>(Scalar(step.operands[0]));
        if (schedule_.values[step.operands[0]].type.dtype == DType::kPred) index = index ? 0 : 1;
        const int32_t last = static_cast<int32_t>(step.blocks.size()) - 1;
        if (index < 0 || index > last) index = last;
        RunBlock(step.blocks[index]);
        for (size_t i = 0; i < step.results.size(); ++i) {
          arrays_[step.results[i]] = Get(step.blocks[index].results[i]);
        }
        return;
      }
      case StepKind::kWhile: {
        std::vector<Bytes> carries;
        for (int32_t operand : step.operands) carries.push_back(Get(operand));
        for (int turn = 0; turn < 1000; ++turn) {
          for (size_t i = 0; i < carries.size(); ++i) {
            arrays_[step.blocks[0].arguments[i]] = carries[i];
            arrays_[step.blocks[1].arguments[i]] = carries[i];
          }
          RunBlock(step.blocks[0]);
          if (Scalar(step.blocks[0].results[0]) == 0) break;
          RunBlock(step.blocks[1]);
          for (size_t i = 0; i < carries.size(); ++i) carries[i] = Get(step.blocks[1].results[i]);
        }
        for (size_t i = 0; i < carries.size(); ++i) arrays_[step.results[i]] = carries[i];
        return;
      }
      case StepKind::kLibrary:
        return RunLibraryStep(step);
    }
  }

  // Anything that depends on all operands: the same for the same operands.
  void RunLibraryStep(const ScheduleStep& step) {
    double sum = 0.1;
    for (int32_t operand : step.operands) {
      const Bytes bytes = Get(operand);
      const Type& type = schedule_.values[operand].type;
      for (int64_t i = 0; i < type.NumElements(); ++i) {
        const double element = Load(type.dtype, bytes.data() + i * ByteSize(type.dtype));
        if (std::isfinite(element)) sum = std::fmod(sum * 1.25 + element, 64);
      }
    }
    for (int32_t result : step.results) {
      const Type& type = schedule_.values[result].type;
      Bytes bytes(static_cast<size_t>(type.SizeInBytes()));
      for (int64_t i = 0; i < type.NumElements(); ++i) {
        sum = std::fmod(sum + 0.37, 4);
        Save(type.dtype, sum - 2, bytes.data() + i * ByteSize(type.dtype));
      }
      arrays_[result] = std::move(bytes);
    }
  }

  // Besides the plain run, each way of working in place that the step allows must give the same.
  void RunKernelStep(const ScheduleStep& step) {
    if (Status status = Verify(*step.kernel); !status.ok()) {
      errors_.push_back(StrCat(step.kernel->name, ": ", status.message()));
      return;
    }
    std::vector<Bytes> operands;
    for (int32_t operand : step.operands) operands.push_back(Get(operand));
    auto run = [&](const std::vector<InPlace>& tried) {
      std::vector<Bytes> results;
      for (int32_t result : step.results) {
        size_t size = static_cast<size_t>(schedule_.values[result].type.SizeInBytes());
        results.emplace_back(size, std::byte{0xa5});
      }
      std::vector<Bytes> inputs = operands;
      std::vector<std::byte*> in, out;
      for (const InPlace& in_place : step.in_place) {
        if (in_place.required) results[in_place.result] = operands[in_place.operand];
      }
      for (const InPlace& pair : tried) results[pair.result] = operands[pair.operand];
      for (Bytes& bytes : inputs) in.push_back(bytes.data());
      for (Bytes& bytes : results) out.push_back(bytes.data());
      for (const InPlace& pair : tried) in[pair.operand] = out[pair.result];
      RunKernel(*step.kernel, in, out, inputs, results);
      return results;
    };
    std::vector<Bytes> expected = run({});
    std::vector<InPlace> required;
    for (const InPlace& in_place : step.in_place) {
      if (in_place.required) required.push_back(in_place);
      if (run({in_place}) != expected) {
        errors_.push_back(StrCat(step.kernel->name, ": differs when operand ", in_place.operand,
                                 " and result ", in_place.result, " share memory"));
      }
    }
    // What must share memory does so all at once.
    if (run(required) != expected) {
      errors_.push_back(StrCat(step.kernel->name, ": differs when it works in place"));
    }
    for (size_t i = 0; i < step.results.size(); ++i) {
      arrays_[step.results[i]] = std::move(expected[i]);
    }
  }

  struct Point {
    Dims index;
  };

  void RunKernel(const Kernel& kernel, const std::vector<std::byte*>& in,
                 const std::vector<std::byte*>& out, const std::vector<Bytes>& in_sizes,
                 const std::vector<Bytes>& out_sizes) {
    Dims row(kernel.extents.begin(), kernel.extents.begin() + kernel.num_parallel);
    Dims inner(kernel.extents.begin() + kernel.num_parallel, kernel.extents.end());
    std::vector<std::vector<double>> reductions;
    // nodes[phase][point of the row][node]
    ForEach(row, [&](const Dims& parallel) {
      std::vector<std::vector<std::vector<double>>> nodes(kernel.phases.size());
      reductions.clear();
      for (size_t p = 0; p < kernel.phases.size(); ++p) {
        const Phase& phase = kernel.phases[p];
        const size_t first = reductions.size();
        bool started = false;
        const Dims range = phase.over_reduced ? inner : Dims(inner.size(), 1);
        auto visit = [&](const Dims& reduced) {
          Dims point = parallel;
          for (int64_t i : reduced) point.push_back(i);
          std::vector<double> values;
          const size_t where = nodes[p].size();
          for (const Node& node : phase.nodes) {
            values.push_back(
                Evaluate(kernel, node, values, point, nodes, where, reductions, in, in_sizes, {}));
          }
          for (size_t r = 0; r < phase.reductions.size(); ++r) {
            const Reduction& reduction = phase.reductions[r];
            if (!started) {
              auto& state = reductions.emplace_back();
              for (int32_t initial : reduction.initial) state.push_back(values[initial]);
            }
            std::vector<double> parameters = reductions[first + r];
            for (int32_t input : reduction.inputs) parameters.push_back(values[input]);
            for (int32_t captured : reduction.captured) parameters.push_back(values[captured]);
            reductions[first + r] = Combine(kernel, reduction.combiner, parameters);
          }
          started = true;
          for (const Store& store : phase.stores) {
            const Access& access = kernel.outputs[store.output];
            int64_t at = Address(access, point, in, in_sizes);
            CheckRange(access, at, out_sizes, "writes");
            Save(access.dtype, values[store.node], out[access.buffer] + at);
          }
          nodes[p].push_back(std::move(values));
        };
        ForEach(range, visit);
        if (!started && !phase.reductions.empty()) {
          // Nothing to reduce: the initial values, which are the same everywhere.
          Dims point = parallel;
          point.resize(kernel.extents.size(), 0);
          for (const Reduction& reduction : phase.reductions) {
            auto& state = reductions.emplace_back();
            for (int32_t initial : reduction.initial) {
              state.push_back(Evaluate(kernel, phase.nodes[initial], {}, point, nodes, 0,
                                       reductions, in, in_sizes, {}));
            }
          }
        }
      }
    });
  }

  std::vector<double> Combine(const Kernel& kernel, const Combiner& combiner,
                              const std::vector<double>& parameters) {
    std::vector<double> values;
    for (const Node& node : combiner.nodes) {
      values.push_back(Evaluate(kernel, node, values, {}, {}, 0, {}, {}, {}, parameters));
    }
    std::vector<double> results;
    for (int32_t result : combiner.results) results.push_back(values[result]);
    return results;
  }

  template <typename Visit>
  static void ForEach(const Dims& extents, const Visit& visit) {
    Dims point(extents.size(), 0);
    for (int64_t extent : extents) {
      if (extent == 0) return;
    }
    for (;;) {
      visit(point);
      size_t d = extents.size();
      while (d > 0 && ++point[d - 1] == extents[d - 1]) point[--d] = 0;
      if (d == 0) return;
    }
  }

  static int64_t Address(const Access& access, const Dims& point, const std::vector<std::byte*>& in,
                         const std::vector<Bytes>& in_sizes) {
    int64_t at = access.byte_offset;
    for (size_t d = 0; d < point.size(); ++d) at += access.byte_strides[d] * point[d];
    for (const DynamicOffset& dynamic : access.dynamic_offsets) {
      int64_t index = static_cast<int64_t>(Load(dynamic.dtype, in[dynamic.buffer]));
      at += std::clamp<int64_t>(index, 0, dynamic.maximum) * dynamic.byte_stride;
    }
    return at;
  }

  void CheckRange(const Access& access, int64_t at, const std::vector<Bytes>& sizes,
                  std::string_view what) {
    int64_t size = static_cast<int64_t>(sizes[access.buffer].size());
    if (at < 0 || at + ByteSize(access.dtype) > size) {
      errors_.push_back(StrCat("a kernel ", what, " byte ", at, " of ", size));
    }
  }

  double Evaluate(const Kernel& kernel, const Node& node, const std::vector<double>& values,
                  const Dims& point, const std::vector<std::vector<std::vector<double>>>& nodes,
                  size_t where, const std::vector<std::vector<double>>& reductions,
                  const std::vector<std::byte*>& in, const std::vector<Bytes>& in_sizes,
                  const std::vector<double>& parameters) {
    switch (node.kind) {
      case NodeKind::kConstant:
        return Load(node.dtype, reinterpret_cast<const std::byte*>(&node.constant.low));
      case NodeKind::kIota:
        return Rounded(node.dtype, static_cast<double>(static_cast<int64_t>(node.constant.low) +
                                                       static_cast<int64_t>(node.constant.high) *
                                                           point[node.index]));
      case NodeKind::kParameter:
        return parameters[node.index];
      case NodeKind::kReduced:
        return reductions[node.index][node.component];
      case NodeKind::kRow: {
        const auto& row = nodes[node.index];
        return row[kernel.phases[node.index].over_reduced ? where : 0][node.component];
      }
      case NodeKind::kInput: {
        const Access& access = kernel.inputs[node.index];
        for (const Bound& bound : access.bounds) {
          int64_t index = bound.offset;
          for (size_t d = 0; d < point.size(); ++d) index += bound.coefficients[d] * point[d];
          if (index < 0 || index >= bound.extent) {
            return Load(access.dtype, reinterpret_cast<const std::byte*>(&access.fill.low));
          }
        }
        int64_t at = Address(access, point, in, in_sizes);
        CheckRange(access, at, in_sizes, "reads");
        return Load(access.dtype, in[access.buffer] + at);
      }
      case NodeKind::kOp:
        break;
    }
    auto operand = [&](int i) { return values[node.operands[i]]; };
    const double a = operand(0);
    const double b = node.num_operands > 1 ? operand(1) : 0;
    double result = 0;
    switch (node.opcode) {
      case Opcode::kAdd:
        result = a + b;
        break;
      case Opcode::kSubtract:
        result = a - b;
        break;
      case Opcode::kMultiply:
        result = a * b;
        break;
      case Opcode::kDivide:
        result = a / b;
        break;
      case Opcode::kMaximum:
        result = std::max(a, b);
        break;
      case Opcode::kMinimum:
        result = std::min(a, b);
        break;
      case Opcode::kPower:
        result = std::pow(a, b);
        break;
      case Opcode::kAnd:
        result = static_cast<double>(static_cast<int64_t>(a) & static_cast<int64_t>(b));
        break;
      case Opcode::kOr:
        result = static_cast<double>(static_cast<int64_t>(a) | static_cast<int64_t>(b));
        break;
      case Opcode::kXor:
        result = static_cast<double>(static_cast<int64_t>(a) ^ static_cast<int64_t>(b));
        break;
      case Opcode::kNot:
        result = node.dtype == DType::kPred ? 1 - a : -a - 1;
        break;
      case Opcode::kNegate:
        result = -a;
        break;
      case Opcode::kAbs:
        result = std::fabs(a);
        break;
      case Opcode::kExponential:
        result = std::exp(a);
        break;
      case Opcode::kLog:
        result = std::log(a);
        break;
      case Opcode::kTanh:
        result = std::tanh(a);
        break;
      case Opcode::kSqrt:
        result = std::sqrt(a);
        break;
      case Opcode::kRsqrt:
        result = 1 / std::sqrt(a);
        break;
      case Opcode::kSine:
        result = std::sin(a);
        break;
      case Opcode::kErf:
        result = std::erf(a);
        break;
      case Opcode::kConvert:
        result = node.dtype == DType::kPred ? a != 0 : a;
        break;
      case Opcode::kSelect:
        result = a != 0 ? b : operand(2);
        break;
      case Opcode::kClamp:
        result = std::min(std::max(b, a), operand(2));
        break;
      case Opcode::kCompare:
        switch (node.compare.direction) {
          case ComparisonDirection::kEq:
            result = a == b;
            break;
          case ComparisonDirection::kNe:
            result = a != b;
            break;
          case ComparisonDirection::kGe:
            result = a >= b;
            break;
          case ComparisonDirection::kGt:
            result = a > b;
            break;
          case ComparisonDirection::kLe:
            result = a <= b;
            break;
          case ComparisonDirection::kLt:
            result = a < b;
            break;
        }
        break;
      default:
        // A stand-in that tells operands apart: fused and unfused programs must still agree.
        result = std::sin(1.3 * a + 0.7 * b + static_cast<double>(node.opcode));
    }
    return Rounded(node.dtype, result);
  }

  const Schedule& schedule_;
  std::vector<Bytes> arrays_;
  std::vector<std::string> errors_;
};

}  // namespace plinth::compiler::testing

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LOWER_TEST_INTERPRETER_H_
