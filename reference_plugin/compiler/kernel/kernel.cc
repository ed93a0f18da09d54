// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/kernel/kernel.h"

#include <array>
#include <limits>
#include <span>

#include "reference_plugin/compiler/ir/elementwise_rules.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler {
namespace {

// --- Verify -------------------------------------------------------------------------------------

bool InRange(int64_t index, size_t size) {
  return index >= 0 && static_cast<uint64_t>(index) < size;
}

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel) {}

  Status Run() {
    PLINTH_RETURN_IF_ERROR(CheckDomain());
    for (const Access& access : kernel_.shape.inputs) {
      PLINTH_RETURN_IF_ERROR(CheckAccess(access).WithContext("input"));
    }
    for (const Access& access : kernel_.shape.outputs) {
      PLINTH_RETURN_IF_ERROR(CheckAccess(access).WithContext("output"));
      if (!access.bounds.empty()) return Internal("an output access has bounds");
      if (!access.value_offsets.empty()) return Internal("an output is stored at values");
    }
    for (size_t p = 0; p < kernel_.body.phases.size(); ++p) {
      PLINTH_RETURN_IF_ERROR(CheckPhase(static_cast<int32_t>(p)).WithContext(StrCat("phase ", p)));
    }
    return Status();
  }

 private:
  Status CheckDomain() {
    if (kernel_.shape.num_parallel < 0 ||
        kernel_.shape.num_parallel > static_cast<int64_t>(kernel_.shape.extents.size())) {
      return Internal(kernel_.shape.num_parallel, " parallel dimensions in a domain of ",
                      kernel_.shape.extents.size());
    }
    int64_t points = 1;
    for (int64_t extent : kernel_.shape.extents) {
      if (extent < 0) return Internal("an extent is negative: ", extent);
      if (extent > 0 && __builtin_mul_overflow(points, extent, &points)) {
        return Internal("the domain [", StrJoin(kernel_.shape.extents), "] overflows");
      }
    }
    return Status();
  }

  Status CheckType(DType type) {
    if ((MaskOf(InfoOf(type).kind) & kAnyMask) != 0) return Status();
    return Internal("type ", Name(type), " is not an element type");
  }

  Status CheckAccess(const Access& access) {
    const size_t rank = kernel_.shape.extents.size();
    PLINTH_RETURN_IF_ERROR(CheckType(access.dtype));
    if (access.buffer < 0) return Internal("buffer ", access.buffer);
    if (access.byte_strides.size() != rank) {
      return Internal(access.byte_strides.size(), " strides for a domain of rank ", rank);
    }
    for (const Bound& bound : access.bounds) {
      if (bound.coefficients.size() != rank) {
        return Internal(bound.coefficients.size(), " bound coefficients for a domain of rank ",
                        rank);
      }
    }
    for (const DynamicOffset& dynamic : access.dynamic_offsets) {
      if (dynamic.buffer < 0) return Internal("index buffer ", dynamic.buffer);
      if (!IsInteger(dynamic.dtype) || InfoOf(dynamic.dtype).bits < 8) {
        return Internal("a dynamic offset has type ", Name(dynamic.dtype));
      }
      if (dynamic.maximum < 0) return Internal("dynamic offset up to ", dynamic.maximum);
    }
    for (const ValueOffset& offset : access.value_offsets) {
      if (offset.maximum < 0) return Internal("value offset up to ", offset.maximum);
    }
    if (!access.value_offsets.empty() && !access.bounds.empty()) {
      return Internal("a gathered input has bounds");
    }
    return Status();
  }

  Status CheckPhase(int32_t index) {
    const Phase& phase = kernel_.body.phases[static_cast<size_t>(index)];
    if (!phase.over_reduced && !phase.reductions.empty()) {
      return Internal("a reduction in a phase that does not run over the reduced dimensions");
    }
    for (size_t n = 0; n < phase.nodes.size(); ++n) {
      PLINTH_RETURN_IF_ERROR(CheckNode(phase.nodes, n, index, {}).WithContext(StrCat("node ", n)));
    }
    for (size_t r = 0; r < phase.reductions.size(); ++r) {
      PLINTH_RETURN_IF_ERROR(
          CheckReduction(phase, phase.reductions[r]).WithContext(StrCat("reduction ", r)));
      reductions_.push_back(&phase.reductions[r]);
      reduction_phases_.push_back(&phase);
    }
    for (const Store& store : phase.stores) {
      if (!InRange(store.node, phase.nodes.size()) ||
          !InRange(store.output, kernel_.shape.outputs.size())) {
        return Internal("store of node ", store.node, " to output ", store.output);
      }
      const DType from = phase.nodes[static_cast<size_t>(store.node)].dtype;
      const DType to = kernel_.shape.outputs[static_cast<size_t>(store.output)].dtype;
      if (from != to) return Internal("store of ", Name(from), " to an output of ", Name(to));
    }
    return Status();
  }

  // `parameters` are the types of a combiner's parameters; `phase` is -1 inside a combiner.
  Status CheckNode(std::span<const Node> nodes, size_t number, int32_t phase,
                   std::span<const DType> parameters) {
    const Node& node = nodes[number];
    PLINTH_RETURN_IF_ERROR(CheckType(node.dtype));
    DType expected = node.dtype;
    const bool in_phase = phase >= 0;
    switch (node.kind) {
      case NodeKind::kConstant:
        return Status();
      case NodeKind::kOp:
        return CheckOp(nodes, number);
      case NodeKind::kParameter:
        if (in_phase || !InRange(node.index, parameters.size())) {
          return Internal("parameter ", node.index, " of ", parameters.size());
        }
        expected = parameters[static_cast<size_t>(node.index)];
        break;
      case NodeKind::kInput:
        if (!in_phase || !InRange(node.index, kernel_.shape.inputs.size())) {
          return Internal("input ", node.index, " of ", kernel_.shape.inputs.size());
        }
        if (!kernel_.shape.inputs[static_cast<size_t>(node.index)].value_offsets.empty()) {
          return Internal("input ", node.index, " is read at values that the node does not have");
        }
        expected = kernel_.shape.inputs[static_cast<size_t>(node.index)].dtype;
        break;
      case NodeKind::kGathered:
        if (!in_phase || !InRange(node.index, kernel_.shape.inputs.size())) {
          return Internal("input ", node.index, " of ", kernel_.shape.inputs.size());
        }
        PLINTH_RETURN_IF_ERROR(CheckGathered(nodes, number));
        expected = kernel_.shape.inputs[static_cast<size_t>(node.index)].dtype;
        break;
      case NodeKind::kIota:
        if (!in_phase || !InRange(node.index, kernel_.shape.extents.size())) {
          return Internal("iota over dimension ", node.index);
        }
        break;
      case NodeKind::kReduced: {
        if (!in_phase || !InRange(node.index, reductions_.size())) {
          return Internal("reduction ", node.index, " is not of an earlier phase");
        }
        const Reduction& reduction = *reductions_[static_cast<size_t>(node.index)];
        if (!InRange(node.component, reduction.inputs.size())) {
          return Internal("component ", node.component, " of reduction ", node.index);
        }
        expected =
            reduction_phases_[static_cast<size_t>(node.index)]
                ->nodes[static_cast<size_t>(reduction.inputs[static_cast<size_t>(node.component)])]
                .dtype;
        break;
      }
      case NodeKind::kRow: {
        if (!in_phase || node.index < 0 || node.index >= phase) {
          return Internal("row of phase ", node.index, ", which is not an earlier one");
        }
        const Phase& earlier = kernel_.body.phases[static_cast<size_t>(node.index)];
        if (!InRange(node.component, earlier.nodes.size())) {
          return Internal("row of node ", node.component, " of phase ", node.index);
        }
        if (earlier.over_reduced && !kernel_.body.phases[static_cast<size_t>(phase)].over_reduced) {
          return Internal("a phase once per parallel point reads a row of phase ", node.index);
        }
        expected = earlier.nodes[static_cast<size_t>(node.component)].dtype;
        break;
      }
      default:
        return Internal("unknown node kind ", static_cast<int>(node.kind));
    }
    if (node.dtype != expected) {
      return Internal("its type is ", Name(node.dtype), ", what it reads is ", Name(expected));
    }
    return Status();
  }

  Status CheckGathered(std::span<const Node> nodes, size_t number) {
    const Node& node = nodes[number];
    const size_t indices =
        kernel_.shape.inputs[static_cast<size_t>(node.index)].value_offsets.size();
    if (node.num_operands != indices || indices == 0 || indices > std::size(node.operands)) {
      return Internal(node.num_operands, " indices for ", indices, " offsets");
    }
    for (size_t i = 0; i < indices; ++i) {
      if (!InRange(node.operands[i], number)) {
        return Internal("index ", i, " is node ", node.operands[i], ", which is not before it");
      }
      const DType type = nodes[static_cast<size_t>(node.operands[i])].dtype;
      if (!IsGatherIndex(type) || type != nodes[static_cast<size_t>(node.operands[0])].dtype) {
        return Internal("index ", i, " has type ", Name(type));
      }
    }
    return Status();
  }

  Status CheckOp(std::span<const Node> nodes, size_t number) {
    const Node& node = nodes[number];
    const ElementwiseRule* rule =
        static_cast<int>(node.opcode) < kNumOpcodes ? FindElementwiseRule(node.opcode) : nullptr;
    if (rule == nullptr) {
      return Internal("opcode ", static_cast<int>(node.opcode), " is not elementwise");
    }
    if (node.num_operands != rule->num_operands) {
      return Internal(Name(node.opcode), " has ", node.num_operands, " operands, not ",
                      rule->num_operands);
    }
    std::array<DType, 3> types{};
    for (size_t i = 0; i < node.num_operands; ++i) {
      if (!InRange(node.operands[i], number)) {
        return Internal("operand ", i, " is node ", node.operands[i], ", which is not before it");
      }
      types[i] = nodes[static_cast<size_t>(node.operands[i])].dtype;
    }
    const DType last = types[node.num_operands - 1u];
    bool consistent = (MaskOf(InfoOf(last).kind) & rule->types & ~rule->unimplemented) != 0;
    for (size_t i = rule->result == ResultRule::kSelect ? 1 : 0; i < node.num_operands; ++i) {
      consistent = consistent && types[i] == last;
    }
    switch (rule->result) {
      case ResultRule::kSame:
        consistent = consistent && node.dtype == last;
        break;
      case ResultRule::kRealPart:
        consistent = consistent && node.dtype == RealTypeOf(last);
        break;
      case ResultRule::kPred:
        consistent = consistent && node.dtype == DType::kPred;
        break;
      case ResultRule::kComplex:
        consistent = consistent && IsComplex(node.dtype) && RealTypeOf(node.dtype) == last;
        break;
      case ResultRule::kAny:
        break;
      case ResultRule::kSameBits:
        consistent = consistent && InfoOf(node.dtype).bits == InfoOf(last).bits;
        break;
      case ResultRule::kSelect:
        consistent = consistent && types[0] == DType::kPred && node.dtype == last;
        break;
    }
    if (!consistent) {
      std::string list;
      for (size_t i = 0; i < node.num_operands; ++i) {
        list += StrCat(i > 0 ? ", " : "", Name(types[i]));
      }
      return Internal(Name(node.opcode), " of (", list, ") to ", Name(node.dtype));
    }
    return Status();
  }

  Status CheckReduction(const Phase& phase, const Reduction& reduction) {
    const size_t count = reduction.inputs.size();
    if (count == 0 || reduction.initial.size() != count ||
        reduction.combiner.results.size() != count) {
      return Internal(count, " values, ", reduction.initial.size(), " initial values, ",
                      reduction.combiner.results.size(), " results");
    }
    std::vector<DType> parameters;
    for (size_t i = 0; i < count; ++i) {
      if (!InRange(reduction.inputs[i], phase.nodes.size()) ||
          !InRange(reduction.initial[i], phase.nodes.size())) {
        return Internal("it reads node ", reduction.inputs[i], " from ", reduction.initial[i]);
      }
      const Node& initial = phase.nodes[static_cast<size_t>(reduction.initial[i])];
      const Node& input = phase.nodes[static_cast<size_t>(reduction.inputs[i])];
      if (initial.dtype != input.dtype) {
        return Internal("value ", i, " is ", Name(input.dtype), ", its initial value ",
                        Name(initial.dtype));
      }
      PLINTH_RETURN_IF_ERROR(CheckUniform(initial, "an initial"));
      parameters.push_back(input.dtype);
    }
    parameters.insert(parameters.end(), parameters.begin(),
                      parameters.begin() + static_cast<int64_t>(count));
    for (int32_t captured : reduction.captured) {
      if (!InRange(captured, phase.nodes.size())) return Internal("it captures node ", captured);
      const Node& node = phase.nodes[static_cast<size_t>(captured)];
      PLINTH_RETURN_IF_ERROR(CheckUniform(node, "a captured"));
      parameters.push_back(node.dtype);
    }
    const std::vector<Node>& nodes = reduction.combiner.nodes;
    for (size_t n = 0; n < nodes.size(); ++n) {
      PLINTH_RETURN_IF_ERROR(
          CheckNode(nodes, n, -1, parameters).WithContext(StrCat("combiner node ", n)));
    }
    for (size_t i = 0; i < count; ++i) {
      const int32_t result = reduction.combiner.results[i];
      if (!InRange(result, nodes.size())) return Internal("combiner result ", result);
      if (nodes[static_cast<size_t>(result)].dtype != parameters[i]) {
        return Internal("combiner result ", i, " has type ",
                        Name(nodes[static_cast<size_t>(result)].dtype), ", not ",
                        Name(parameters[i]));
      }
    }
    return Status();
  }

  // What a reduction uses at no point in particular is the same for all points.
  Status CheckUniform(const Node& node, std::string_view what) {
    if (node.kind == NodeKind::kConstant) return Status();
    if (node.kind == NodeKind::kInput) {
      const Access& access = kernel_.shape.inputs[static_cast<size_t>(node.index)];
      bool uniform = access.bounds.empty();
      for (int64_t stride : access.byte_strides) uniform = uniform && stride == 0;
      if (uniform) return Status();
    }
    return Internal(what, " value is neither a constant nor an input with zero strides");
  }

  const Kernel& kernel_;
  std::vector<const Reduction*> reductions_;  // of the phases checked so far
  std::vector<const Phase*> reduction_phases_;
};

// --- ToString -----------------------------------------------------------------------------------

std::string AccessToString(const Access& access) {
  std::string out = StrCat(Name(access.dtype), " buffer ", access.buffer);
  if (access.byte_offset != 0) out += StrCat(" + ", access.byte_offset);
  for (const DynamicOffset& dynamic : access.dynamic_offsets) {
    out += StrCat(" + ", dynamic.byte_stride, " * clamp(", Name(dynamic.dtype), " buffer ",
                  dynamic.buffer, ", ", dynamic.maximum, ")");
  }
  for (size_t i = 0; i < access.value_offsets.size(); ++i) {
    const ValueOffset& offset = access.value_offsets[i];
    out += StrCat(" + ", offset.byte_stride, " * clamp(index ", i, ", ", offset.maximum, ")");
  }
  out += StrCat(" strides [", StrJoin(access.byte_strides), "]");
  for (const Bound& bound : access.bounds) {
    out += StrCat(" if 0 <= ", bound.offset, " + [", StrJoin(bound.coefficients), "] . p < ",
                  bound.extent);
  }
  if (!access.bounds.empty()) {
    out += StrCat(" else ",
                  ElementToString(access.dtype, reinterpret_cast<const std::byte*>(&access.fill)));
  }
  return out;
}

std::string NodeToString(const Node& node) {
  switch (node.kind) {
    case NodeKind::kInput:
      return StrCat("input ", node.index);
    case NodeKind::kGathered: {
      std::string out = StrCat("input ", node.index, " at");
      for (size_t i = 0; i < node.num_operands; ++i) {
        out += StrCat(i > 0 ? ", n" : " n", node.operands[i]);
      }
      return out;
    }
    case NodeKind::kConstant:
      return StrCat(
          "constant ",
          ElementToString(node.dtype, reinterpret_cast<const std::byte*>(&node.constant)));
    case NodeKind::kIota:
      return StrCat("iota ", static_cast<int64_t>(node.constant.low), " + ",
                    static_cast<int64_t>(node.constant.high), " * p", node.index);
    case NodeKind::kParameter:
      return StrCat("parameter ", node.index);
    case NodeKind::kReduced:
      return StrCat("reduced ", node.index, ".", node.component);
    case NodeKind::kRow:
      return StrCat("row of phase ", node.index, " n", node.component);
    case NodeKind::kOp:
      break;
  }
  constexpr std::string_view kDirections[] = {"eq", "ne", "ge", "gt", "le", "lt"};
  constexpr std::string_view kTypes[] = {"", " total_order", "", ""};
  std::string out(Name(node.opcode));
  if (node.opcode == Opcode::kCompare) {
    out += StrCat(" ", kDirections[static_cast<size_t>(node.compare.direction)],
                  kTypes[static_cast<size_t>(node.compare.type)]);
  }
  if (node.opcode == Opcode::kReducePrecision) {
    out +=
        StrCat(" e", node.reduce_precision.exponent_bits, "m", node.reduce_precision.mantissa_bits);
  }
  for (size_t i = 0; i < node.num_operands; ++i) {
    out += StrCat(i > 0 ? ", n" : " n", node.operands[i]);
  }
  return out;
}

void AppendNodes(std::span<const Node> nodes, std::string_view indent, std::string* out) {
  for (size_t n = 0; n < nodes.size(); ++n) {
    *out += StrCat(indent, "n", n, ": ", Name(nodes[n].dtype), " = ", NodeToString(nodes[n]), "\n");
  }
}

class Hasher {
 public:
  void Add(int64_t value) {
    hash_ = (hash_ ^ static_cast<size_t>(value)) * 0x9e3779b97f4a7c15u + (hash_ >> 29);
  }
  size_t hash() const { return hash_; }

 private:
  size_t hash_ = 0;
};

}  // namespace

size_t HashOf(const KernelBody& body) {
  Hasher hasher;
  for (const Phase& phase : body.phases) {
    for (const Node& node : phase.nodes) {
      hasher.Add(static_cast<int64_t>(node.opcode) * 256 + static_cast<int64_t>(node.dtype));
      hasher.Add(static_cast<int64_t>(node.constant.low) + node.operands[0] * 3 + node.operands[1]);
    }
  }
  return hasher.hash();
}

size_t HashOf(const KernelShape& shape) {
  Hasher hasher;
  hasher.Add(shape.num_parallel);
  for (int64_t extent : shape.extents) hasher.Add(extent);
  for (const auto* accesses : {&shape.inputs, &shape.outputs}) {
    for (const Access& access : *accesses) {
      hasher.Add(access.buffer);
      hasher.Add(access.byte_offset);
      for (int64_t stride : access.byte_strides) hasher.Add(stride);
    }
  }
  return hasher.hash();
}

bool SameWork(const Kernel& a, const Kernel& b) { return a.body == b.body && a.shape == b.shape; }

size_t WorkHash(const Kernel& kernel) {
  Hasher hasher;
  hasher.Add(static_cast<int64_t>(HashOf(kernel.body)));
  hasher.Add(static_cast<int64_t>(HashOf(kernel.shape)));
  return hasher.hash();
}

Status Verify(const Kernel& kernel) {
  return Verifier(kernel).Run().WithContext(StrCat("kernel \"", kernel.name, "\""));
}

std::string ToString(const Kernel& kernel) {
  std::string out = StrCat("kernel \"", kernel.name, "\" [");
  for (size_t d = 0; d < kernel.shape.extents.size(); ++d) {
    const bool reduced = static_cast<int64_t>(d) >= kernel.shape.num_parallel;
    out += StrCat(d > 0 ? ", " : "", reduced ? "reduce " : "", kernel.shape.extents[d]);
  }
  out += "]\n";
  for (size_t i = 0; i < kernel.shape.inputs.size(); ++i) {
    out += StrCat("  input ", i, ": ", AccessToString(kernel.shape.inputs[i]), "\n");
  }
  for (size_t i = 0; i < kernel.shape.outputs.size(); ++i) {
    out += StrCat("  output ", i, ": ", AccessToString(kernel.shape.outputs[i]), "\n");
  }
  size_t number = 0;
  for (size_t p = 0; p < kernel.body.phases.size(); ++p) {
    const Phase& phase = kernel.body.phases[p];
    out += StrCat("  phase ", p, phase.over_reduced ? ", every point\n" : "\n");
    AppendNodes(phase.nodes, "    ", &out);
    for (const Reduction& reduction : phase.reductions) {
      out += StrCat("    reduction ", number++, ": n", StrJoin(reduction.inputs, ", n"), " from n",
                    StrJoin(reduction.initial, ", n"));
      if (!reduction.captured.empty()) out += StrCat(" with n", StrJoin(reduction.captured, ", n"));
      out += "\n";
      AppendNodes(reduction.combiner.nodes, "      ", &out);
      out += StrCat("      n", StrJoin(reduction.combiner.results, ", n"), "\n");
    }
    for (const Store& store : phase.stores) {
      out += StrCat("    output ", store.output, " = n", store.node, "\n");
    }
  }
  return out;
}

}  // namespace plinth::compiler
