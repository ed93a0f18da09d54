// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/partials.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/partition/local_op.h"
#include "reference_plugin/compiler/passes/fold_element.h"

namespace plinth::compiler::partition {
namespace {

using Element = std::array<std::byte, 16>;

Value* GatherAlong(Emitter& emitter, Value* value, int64_t dim, const Mesh& mesh,
                   const AxisList& axes) {
  CollectiveAttributes attributes;
  attributes.groups = emitter.Groups(mesh, axes);
  attributes.dimension = dim;
  Type type = value->type;
  type.dims[static_cast<size_t>(dim)] *= SizeOf(axes);
  return emitter.Collective(Opcode::kAllGather, {&value, 1}, type, std::move(attributes));
}

}  // namespace

bool MayCountInitsAgain(const Op& op) {
  const Block& region = *op.blocks[0];
  const size_t count = op.results.size();
  std::unordered_map<const Value*, Element> known;
  for (size_t i = 0; i < count; ++i) {
    const Value* const init = op.operands[op.operands.size() - count + i];
    const std::span<const std::byte> splat = SplatOf(init);
    if (splat.empty() || splat.size() > sizeof(Element)) return false;
    Element element = {};
    std::copy(splat.begin(), splat.end(), element.begin());
    known[region.arguments[i]] = known[region.arguments[count + i]] = element;
  }
  for (const Op* inner : region.ops) {
    if (inner->opcode == Opcode::kReturn) break;
    if (inner->opcode == Opcode::kConstant) {
      const std::span<const std::byte> splat = SplatOf(inner->result());
      if (splat.empty() || splat.size() > sizeof(Element)) return false;
      std::copy(splat.begin(), splat.end(), known[inner->result()].begin());
      continue;
    }
    std::vector<const std::byte*> operands;
    for (const Value* operand : inner->operands) {
      const auto found = known.find(operand);
      if (found == known.end()) return false;
      operands.push_back(found->second.data());
    }
    if (!IsElementwise(inner->opcode) || inner->results.size() != 1) return false;
    Element made = {};
    if (!passes::FoldElement(*inner, operands.data(), made.data())) return false;
    known[inner->result()] = made;
  }
  for (size_t i = 0; i < count; ++i) {
    const auto made = known.find(region.terminator()->operands[i]);
    if (made == known.end() || made->second != known[region.arguments[i]]) return false;
  }
  return true;
}

void CombinePartials(Emitter& emitter, const Op& local, const Mesh& mesh, const AxisList& axes,
                     std::span<Value*> results) {
  Cloner cloner(emitter.module());
  for (size_t i = 0; i < results.size(); ++i) {
    Type type = local.results[i]->type;
    type.dims.insert(type.dims.begin(), 1);
    Value* const one = emitter.builder().Add(Opcode::kReshape, {local.results[i]}, type);
    cloner.Map(local.operands[i], GatherAlong(emitter, one, 0, mesh, axes));
  }
  Op* const again = cloner.Clone(local);
  // One array may be reduced twice.
  for (size_t i = 0; i < results.size(); ++i) {
    again->operands[i] = cloner.Find(local.operands[i]);
    results[i] = again->results[i];
  }
  again->attributes = MakeAttributes(DimensionsAttributes{{0}});
  emitter.ops().push_back(again);
}

std::optional<Cumulative> CumulativeOf(const Op& op) {
  if (op.opcode != Opcode::kReduceWindow || op.results.size() != 1) return std::nullopt;
  const std::optional<Opcode> combiner = OnlyOpOf(*op.blocks[0]);
  if (!combiner.has_value() || !IsCommonCombiner(*combiner) ||
      !IsNeutral(op.operands[1], *combiner)) {
    return std::nullopt;
  }
  const Window& window = op.Get<WindowAttributes>().window;
  const Dims& dims = op.type().dims;
  std::optional<Cumulative> found;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t rest = dims[d] - 1;
    const bool dilated = window.base_dilation[d] != 1 || window.window_dilation[d] != 1;
    if (dilated || window.strides[d] != 1 || op.operands[0]->type.dims[d] != dims[d]) {
      return std::nullopt;
    }
    if (window.sizes[d] == 1) continue;
    const bool is_reverse = window.padding_low[d] == 0;
    const int64_t padding = is_reverse ? window.padding_high[d] : window.padding_low[d];
    const int64_t other = is_reverse ? window.padding_low[d] : window.padding_high[d];
    if (found.has_value() || window.sizes[d] != dims[d] || padding != rest || other != 0) {
      return std::nullopt;
    }
    found = Cumulative{d, *combiner, is_reverse};
  }
  return found;
}

Value* WithTotalsBefore(Emitter& emitter, const Cumulative& how, Value* local, Value* init,
                        const Mesh& mesh, const AxisList& axes) {
  Builder build = emitter.builder();
  const Dims& part = local->type.dims;
  const int64_t dim = static_cast<int64_t>(how.dim);
  Value* const total = build.Take(local, dim, how.is_reverse ? 0 : part[how.dim] - 1);
  Value* const totals = GatherAlong(emitter, total, dim, mesh, axes);
  // Those of the devices before this one.
  DimensionAttributes along;
  along.dimension = dim;
  Value* const places = build.Add(Opcode::kIota, {}, Type::Tensor(DType::kS32, totals->type.dims),
                                  MakeAttributes(along));
  Value* const own = build.Broadcast(emitter.IndexAlong(mesh, axes), totals->type.dims, {});
  Value* const counts = build.Compare(
      how.is_reverse ? ComparisonDirection::kGt : ComparisonDirection::kLt, places, own);
  Value* const counted = build.Select(counts, totals, build.Broadcast(init, totals->type.dims, {}));
  Dims others, map;
  for (size_t d = 0; d < part.size(); ++d) {
    if (d == how.dim) continue;
    others.push_back(part[d]);
    map.push_back(static_cast<int64_t>(d));
  }
  Value* const before =
      build.Add(Opcode::kReduce, {counted, init}, Type::Tensor(local->type.dtype, others),
                MakeAttributes(DimensionsAttributes{{dim}}));
  before->op->blocks.push_back(emitter.CombinerOf(how.combiner, local->type.dtype));
  return build.Binary(how.combiner, build.Broadcast(before, part, map), local);
}

}  // namespace plinth::compiler::partition
