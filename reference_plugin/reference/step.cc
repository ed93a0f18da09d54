// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/reference/step.h"

#include <string_view>
#include <utility>
#include <variant>

#include "reference_plugin/compiler/kernel/product.h"

namespace plinth::reference {
namespace {

using compiler::Access;
using compiler::Kernel;
using compiler::MapDim;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::plan::ArrayRef;
using compiler::plan::PlanStep;
using compiler::plan::PlanStepKind;

std::vector<Array> ArraysOf(const std::vector<ArrayRef>& refs) {
  std::vector<Array> arrays(refs.size());
  for (size_t i = 0; i < refs.size(); ++i) {
    const compiler::Type& type = refs[i].type;
    arrays[i].dtype = type.dtype;
    arrays[i].dims.assign(type.dims.begin(), type.dims.end());
    arrays[i].size = type.kind == compiler::Type::Kind::kTensor ? type.SizeInBytes() : 0;
  }
  return arrays;
}

// The names in "fusion.3 (add, exponential)" or "add.3".
std::vector<std::string_view> NamesOf(std::string_view kernel_name) {
  std::vector<std::string_view> names;
  const size_t open = kernel_name.find('(');
  if (open == kernel_name.npos) {
    names.push_back(kernel_name.substr(0, kernel_name.rfind('.')));
    return names;
  }
  std::string_view list = kernel_name.substr(open + 1);
  if (list.ends_with(')')) list.remove_suffix(1);
  while (!list.empty()) {
    const size_t comma = list.find(", ");
    if (const std::string_view name = list.substr(0, comma); name != "...") names.push_back(name);
    list.remove_prefix(comma == list.npos ? list.size() : comma + 2);
  }
  return names;
}

// Whether it goes through a whole dense array, in the order of the domain.
bool IsIdentity(const Access& access, const compiler::Dims& extents) {
  if (access.byte_offset != 0 || !access.bounds.empty() || !access.dynamic_offsets.empty()) {
    return false;
  }
  int64_t stride = ByteSize(access.dtype);
  for (size_t d = extents.size(); d-- > 0;) {
    if (extents[d] != 1 && access.byte_strides[d] != stride) return false;
    stride *= extents[d];
  }
  return true;
}

// The only op of a kernel that is one op on each element; else null.
const Node* OnlyOp(const Kernel& kernel) {
  const auto& phases = kernel.body.phases;
  if (phases.size() != 1 || phases[0].over_reduced || phases[0].stores.size() != 1) return nullptr;
  const compiler::Phase& phase = phases[0];
  if (phase.nodes.empty() || phase.stores[0].node + 1 != static_cast<int32_t>(phase.nodes.size())) {
    return nullptr;
  }
  for (size_t n = 0; n + 1 < phase.nodes.size(); ++n) {
    if (phase.nodes[n].kind != NodeKind::kInput) return nullptr;
  }
  const Node& op = phase.nodes.back();
  if (op.kind != NodeKind::kOp) return nullptr;
  const compiler::KernelShape& shape = kernel.shape;
  for (const Access& access : shape.inputs) {
    if (!IsIdentity(access, shape.extents)) return nullptr;
  }
  return IsIdentity(shape.outputs[0], shape.extents) ? &op : nullptr;
}

std::optional<Elementwise> ElementwiseOf(const Kernel& kernel, const Node& op) {
  Elementwise elementwise;
  for (uint8_t i = 0; i < op.num_operands; ++i) {
    const Node& input = kernel.body.phases[0].nodes[static_cast<size_t>(op.operands[i])];
    const Access& access = kernel.shape.inputs[static_cast<size_t>(input.index)];
    elementwise.arguments.push_back(static_cast<size_t>(access.buffer));
  }
  return elementwise;
}

// The one dimension of a side that has more than one element; false if there are several.
bool OneDim(const std::vector<MapDim>& dims, int64_t& size, int64_t& stride_of_one) {
  size = 1;
  stride_of_one = 0;
  for (const MapDim& dim : dims) {
    if (dim.size == 1) continue;
    if (size != 1 || dim.window >= 0) return false;
    size = dim.size;
    stride_of_one = dim.stride;
  }
  return true;
}

std::optional<Matmul> MatmulOf(const PlanStep& step) {
  const auto* dot = std::get_if<compiler::DotAttributes>(step.attributes.get());
  if (dot == nullptr) return std::nullopt;
  const compiler::Product product = compiler::DotProduct(
      *dot, step.operands[0].type, step.operands[1].type, step.results[0].type);
  Matmul m;
  int64_t same = 0;
  if (!OneDim(product.a.outer, m.rows, m.a.row) || !OneDim(product.a.inner, m.inner, m.a.column) ||
      !OneDim(product.b.inner, same, m.b.row) || !OneDim(product.b.outer, m.columns, m.b.column) ||
      !OneDim(product.c.rows, same, m.c.row) || !OneDim(product.c.columns, same, m.c.column)) {
    return std::nullopt;
  }
  for (const compiler::BatchDim& dim : product.batch) {
    if (dim.size == 1) continue;
    if (m.batch != 1) return std::nullopt;
    m.batch = dim.size;
    m.a.batch = dim.a_stride;
    m.b.batch = dim.b_stride;
    m.c.batch = dim.c_stride;
  }
  return m;
}

}  // namespace

bool IsOffered(const PlanStep& step) {
  if (step.kind == PlanStepKind::kKernel) return true;
  return step.kind == PlanStepKind::kLibrary && step.opcode != Opcode::kCustomCall &&
         compiler::InfoOf(step.opcode).category != compiler::Category::kCollective;
}

Step StepOf(const PlanStep& step) {
  Step seen;
  seen.plan = &step;
  if (step.location != nullptr) seen.place = *step.location;
  seen.operands = ArraysOf(step.operands);
  seen.results = ArraysOf(step.results);
  if (step.kind == PlanStepKind::kLibrary) {
    seen.op = compiler::Name(step.opcode);
    seen.ops.push_back(seen.op);
    if (step.opcode == Opcode::kDotGeneral) seen.matmul = MatmulOf(step);
    return seen;
  }
  seen.ops = NamesOf(step.kernel->name);
  seen.op = seen.ops.size() == 1 ? seen.ops[0] : std::string_view("fusion");
  if (const Node* op = OnlyOp(*step.kernel)) {
    seen.op = compiler::Name(op->opcode);
    seen.ops = {seen.op};
    seen.elementwise = ElementwiseOf(*step.kernel, *op);
  }
  return seen;
}

}  // namespace plinth::reference
