// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/kernel_code.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "reference_plugin/cuda/print/form.h"
#include "reference_plugin/cuda/print/scalar_text.h"

namespace plinth::cuda {
namespace {

using compiler::Access;
using compiler::Bound;
using compiler::DynamicOffset;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;
using compiler::Store;

// Whether constant + sum(factors * coordinates) needs more than 31 bits on the way.
bool IsLarge(int64_t constant, std::span<const int64_t> factors, std::span<const int64_t> extents) {
  double most = std::fabs(static_cast<double>(constant));
  for (size_t d = 0; d < factors.size(); ++d) {
    most += std::fabs(static_cast<double>(factors[d])) * static_cast<double>(extents[d]);
  }
  return most > INT32_MAX - 64;
}

bool NeedsWideIndices(const Kernel& kernel) {
  const std::span<const int64_t> extents = kernel.shape.extents;
  double points = 1;
  for (int64_t extent : extents) points *= static_cast<double>(extent);
  if (points > INT32_MAX / 2) return true;
  for (const auto* accesses : {&kernel.shape.inputs, &kernel.shape.outputs}) {
    for (const Access& access : *accesses) {
      if (IsLarge(access.byte_offset, access.byte_strides, extents)) return true;
      for (const Bound& bound : access.bounds) {
        if (!FitsS32(bound.extent) || IsLarge(bound.offset, bound.coefficients, extents)) {
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace

KernelCode::KernelCode(const Kernel& kernel, bool takes_length)
    : kernel_(kernel), is_wide_(!takes_length && NeedsWideIndices(kernel)) {}

std::vector<Argument> KernelCode::arguments() const {
  std::set<int32_t> operands, results;
  for (const Access& access : kernel_.shape.inputs) operands.insert(access.buffer);
  for (const Access& access : kernel_.shape.outputs) results.insert(access.buffer);
  for (const auto* accesses : {&kernel_.shape.inputs, &kernel_.shape.outputs}) {
    for (const Access& access : *accesses) {
      for (const DynamicOffset& offset : access.dynamic_offsets) operands.insert(offset.buffer);
    }
  }
  std::vector<Argument> arguments;
  arguments.reserve(operands.size() + results.size());
  for (int32_t operand : operands) arguments.push_back({Argument::Kind::kOperand, operand, 0, 0});
  for (int32_t result : results) arguments.push_back({Argument::Kind::kResult, result, 0, 0});
  return arguments;
}

std::vector<std::string> KernelCode::parameters() const {
  std::vector<std::string> parameters;
  for (const Argument& argument : arguments()) {
    const bool is_operand = argument.kind == Argument::Kind::kOperand;
    parameters.push_back(is_operand ? StrCat("const char* i", argument.index)
                                    : StrCat("char* o", argument.index));
  }
  return parameters;
}

void KernelCode::Begin() {
  for (const auto* accesses : {&kernel_.shape.inputs, &kernel_.shape.outputs}) {
    const char prefix = accesses == &kernel_.shape.inputs ? 'i' : 'o';
    for (size_t a = 0; a < accesses->size(); ++a) {
      const Access& access = (*accesses)[a];
      if (access.dynamic_offsets.empty()) continue;
      std::string sum;
      for (const DynamicOffset& offset : access.dynamic_offsets) {
        sum += StrCat(sum.empty() ? "" : " + ", offset.byte_stride, "ll * start_index<",
                      TypeText(offset.dtype), ">(i", offset.buffer, ", ", offset.maximum, "ll)");
      }
      code_.Line("const s64 d", prefix, a, " = ", sum, ";");
    }
  }
}

void KernelCode::Split(std::string_view index, int64_t count, int32_t first,
                       std::span<const std::string> names) {
  const std::string_view type = count > INT32_MAX ? "u64" : "u32";
  std::string rest(index);
  for (size_t d = names.size(); d-- > 0;) {
    const int64_t extent = kernel_.shape.extents[static_cast<size_t>(first) + d];
    if (d == 0) {
      code_.Line("const ", index_type(), " ", names[d], " = (", index_type(), ")(", rest, ");");
      return;
    }
    code_.Line("const ", index_type(), " ", names[d], " = (", index_type(), ")((", rest, ") % ",
               extent, "u);");
    code_.Line("const ", type, " ", names[d], "r = (", rest, ") / ", extent, "u;");
    rest = StrCat(names[d], "r");
  }
}

std::string KernelCode::Sum(int64_t constant, std::span<const int64_t> factors,
                            const Point& point) const {
  const std::string_view suffix = is_wide_ ? "ll" : "";
  std::string sum;
  for (size_t d = 0; d < factors.size(); ++d) {
    if (factors[d] == 0 || point[d].empty() || point[d] == "0") continue;
    if (!sum.empty()) sum += " + ";
    sum += factors[d] == 1 ? point[d] : StrCat(factors[d], suffix, " * (", point[d], ")");
  }
  if (sum.empty()) return StrCat(constant, suffix);
  return constant == 0 ? sum : StrCat(constant, suffix, " + ", sum);
}

std::string KernelCode::Offset(const Access& access, const Point& point, bool is_input,
                               size_t number) const {
  std::string offset = Sum(access.byte_offset, access.byte_strides, point);
  if (!access.dynamic_offsets.empty()) {
    offset = StrCat("d", is_input ? 'i' : 'o', number, " + (", offset, ")");
  }
  return offset;
}

std::string KernelCode::InputAddress(int32_t input, const Point& point) const {
  const Access& access = kernel_.shape.inputs[static_cast<size_t>(input)];
  return StrCat("i", access.buffer, " + (", Offset(access, point, true, static_cast<size_t>(input)),
                ")");
}

std::string KernelCode::OutputAddress(int32_t output, const Point& point) const {
  const Access& access = kernel_.shape.outputs[static_cast<size_t>(output)];
  return StrCat("o", access.buffer, " + (",
                Offset(access, point, false, static_cast<size_t>(output)), ")");
}

std::string KernelCode::Condition(const Access& access, const Point& point) const {
  std::string condition;
  const std::string_view type = is_wide_ ? "u64" : "u32";
  for (const Bound& bound : access.bounds) {
    if (!condition.empty()) condition += " && ";
    condition += StrCat("(", type, ")(", Sum(bound.offset, bound.coefficients, point), ") < ",
                        std::max<int64_t>(bound.extent, 0), is_wide_ ? "ull" : "u");
  }
  return condition;
}

std::string KernelCode::LoadText(int32_t input, const Point& point) const {
  const Access& access = kernel_.shape.inputs[static_cast<size_t>(input)];
  std::string load = StrCat("ld<", TypeText(access.dtype), ">(", InputAddress(input, point), ")");
  if (access.bounds.empty()) return load;
  return StrCat("(", Condition(access, point), ") ? ", load, " : ",
                LiteralText(access.dtype, access.fill));
}

std::string KernelCode::PackType(int32_t input, int32_t vector) const {
  const DType type = kernel_.shape.inputs[static_cast<size_t>(input)].dtype;
  if (vector == 1) return StrCat(TypeText(type), "::B");
  return StrCat("Pack<", BitsType(type), ", ", vector, ">");
}

std::string KernelCode::PackText(int32_t input, const Point& point, int32_t vector) const {
  const std::string address = InputAddress(input, point);
  if (vector == 1) return StrCat("*(const ", PackType(input, vector), "*)(", address, ")");
  const DType type = kernel_.shape.inputs[static_cast<size_t>(input)].dtype;
  return StrCat("ldp<", BitsType(type), ", ", vector, ">(", address, ")");
}

std::string KernelCode::UniformValue(int32_t phase, int32_t number) {
  const Node& node =
      kernel_.body.phases[static_cast<size_t>(phase)].nodes[static_cast<size_t>(number)];
  if (node.kind == NodeKind::kConstant) return LiteralText(node.dtype, node.constant);
  return LoadText(node.index, Point(kernel_.shape.extents.size(), "0"));
}

Status KernelCode::Nodes(int32_t phase, const Point& point,
                         const std::function<std::string(int32_t)>& load,
                         const std::function<std::string(int32_t, int32_t)>& row) {
  const std::vector<Node>& nodes = kernel_.body.phases[static_cast<size_t>(phase)].nodes;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    const int32_t number = static_cast<int32_t>(n);
    std::string value;
    switch (node.kind) {
      case NodeKind::kInput:
        value = load(number);
        if (value.empty()) value = LoadText(node.index, point);
        break;
      case NodeKind::kConstant:
        value = LiteralText(node.dtype, node.constant);
        break;
      case NodeKind::kIota: {
        const std::string& at = point[static_cast<size_t>(node.index)];
        value = StrCat("cv<", TypeText(node.dtype), ">(", static_cast<int64_t>(node.constant.low),
                       "ll + ", static_cast<int64_t>(node.constant.high), "ll * (s64)(",
                       at.empty() ? "0" : at, "))");
        break;
      }
      case NodeKind::kReduced:
        value = ReducedName(node.index, node.component);
        break;
      case NodeKind::kRow:
        value = kernel_.body.phases[static_cast<size_t>(node.index)].over_reduced
                    ? row(node.index, node.component)
                    : StrCat(row_first_, node.index, "_", node.component, row_end_);
        break;
      case NodeKind::kGathered:
        return Internal("a gathered element, which target.cc does not ask for");
      case NodeKind::kParameter:
        return Internal("a parameter outside of a combiner");
      case NodeKind::kOp: {
        std::vector<DType> types;
        std::vector<std::string> operands;
        for (size_t i = 0; i < node.num_operands; ++i) {
          types.push_back(nodes[static_cast<size_t>(node.operands[i])].dtype);
          operands.push_back(ValueName(phase, node.operands[i]));
        }
        PLINTH_ASSIGN_OR_RETURN(value, OperationText(node, types, operands, true));
        break;
      }
    }
    code_.Line("const ", ValueType(node.dtype), " ", ValueName(phase, number), " = ", value, ";");
  }
  return Status();
}

Status KernelCode::Points(std::span<const int32_t> phases, Point point, int32_t dim, int32_t vector,
                          const std::function<std::string(int32_t, int32_t)>& row,
                          const std::function<Status(int32_t, std::string_view)>& after,
                          const std::function<std::string(int32_t)>& kept) {
  auto kept_at = [&](int32_t input) { return kept == nullptr ? std::string() : kept(input); };
  auto pack_of = [&](const Access& access) {
    return StrCat("Pack<", BitsType(access.dtype), ", ", vector, ">");
  };
  if (vector > 1) {
    for (int32_t p : phases) {
      const Phase& phase = kernel_.body.phases[static_cast<size_t>(p)];
      for (size_t n = 0; n < phase.nodes.size(); ++n) {
        const Node& node = phase.nodes[n];
        if (node.kind != NodeKind::kInput) continue;
        const Access& access = kernel_.shape.inputs[static_cast<size_t>(node.index)];
        if (!IsPacked(access, dim, vector)) continue;
        std::string pack = kept_at(node.index);
        if (pack.empty()) {
          pack = StrCat("ldp<", BitsType(access.dtype), ", ", vector, ">(",
                        InputAddress(node.index, point), ")");
        }
        code_.Line("const ", pack_of(access), " a", p, "_", n, " = ", pack, ";");
      }
      for (const Store& store : phase.stores) {
        const Access& access = kernel_.shape.outputs[static_cast<size_t>(store.output)];
        if (IsPacked(access, dim, vector)) code_.Line(pack_of(access), " s", store.output, ";");
      }
    }
    code_.Line("#pragma unroll");
    code_.Open("for (u32 j = 0; j < ", vector, "; ++j)");
  }
  Point at = point;
  if (vector > 1) {
    code_.Line("const ", index_type(), " c = (", point[static_cast<size_t>(dim)], ") + (",
               index_type(), ")j;");
    at[static_cast<size_t>(dim)] = "c";
  }
  for (int32_t p : phases) {
    const Phase& phase = kernel_.body.phases[static_cast<size_t>(p)];
    auto load = [&](int32_t node) {
      const int32_t input = phase.nodes[static_cast<size_t>(node)].index;
      const Access& access = kernel_.shape.inputs[static_cast<size_t>(input)];
      if (vector == 1 || access.byte_strides[static_cast<size_t>(dim)] == 0) {
        const std::string bits = kept_at(input);
        return bits.empty() ? bits : StrCat(TypeText(access.dtype), "::from(", bits, ")");
      }
      if (!IsPacked(access, dim, vector)) return std::string();
      return StrCat(TypeText(access.dtype), "::from(a", p, "_", node, ".v[j])");
    };
    PLINTH_RETURN_IF_ERROR(Nodes(p, at, load, row));
    PLINTH_RETURN_IF_ERROR(after(p, vector > 1 ? "j" : "0"));
    for (const Store& store : phase.stores) {
      const Access& access = kernel_.shape.outputs[static_cast<size_t>(store.output)];
      const std::string value = ValueName(p, store.node);
      if (IsPacked(access, dim, vector)) {
        code_.Line("s", store.output, ".v[j] = ", TypeText(access.dtype), "::bits(", value, ");");
      } else {
        code_.Line("st<", TypeText(access.dtype), ">(", OutputAddress(store.output, at), ", ",
                   value, ");");
      }
    }
  }
  if (vector > 1) {
    code_.Close();
    for (int32_t p : phases) {
      for (const Store& store : kernel_.body.phases[static_cast<size_t>(p)].stores) {
        const Access& access = kernel_.shape.outputs[static_cast<size_t>(store.output)];
        if (!IsPacked(access, dim, vector)) continue;
        code_.Line("stp<", BitsType(access.dtype), ", ", vector, ">(",
                   OutputAddress(store.output, point), ", s", store.output, ");");
      }
    }
  }
  return Status();
}

}  // namespace plinth::cuda
