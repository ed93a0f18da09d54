// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "reference_plugin/compiler/partition/rule_functions.h"

namespace plinth::compiler::partition {
namespace {

// Batch dimensions pass; the last `count` dimensions are computed as a whole.
Rule BatchFactors(const Op& op, int64_t count) {
  RuleBuilder builder(op);
  const int64_t rank = op.operands[0]->type.rank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    builder.AddToAll(dim, ShapeOf(op.operands[0])[static_cast<size_t>(dim)],
                     dim < rank - count ? Factor() : kReplicated);
  }
  return std::move(builder).Build();
}

template <size_t N>
bool IsOneOf(std::string_view target, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), target) != std::end(list);
}

// Their results have the dimensions of their operands.
constexpr std::string_view kElementwiseCalls[] = {
    "annotate_device_placement",
    "InspectSharding",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
};

Rule RuleOfCall(const CallRule& said) {
  Rule rule;
  for (int64_t size : said.factor_sizes) rule.factors.push_back({size, FactorKind::kPassThrough});
  const auto set = [&](const std::vector<int64_t>& factors, FactorKind kind) {
    for (int64_t factor : factors) rule.factors[static_cast<size_t>(factor)].kind = kind;
  };
  set(said.reduced, FactorKind::kReduction);
  set(said.replicated, FactorKind::kNeedReplication);
  set(said.permuted, FactorKind::kPermutation);
  for (int64_t factor : said.blocked) rule.factors[static_cast<size_t>(factor)].is_blocked = true;
  const auto add = [](const auto& said_tensors, std::vector<TensorFactors>& tensors) {
    for (const auto& dims : said_tensors) {
      TensorFactors& tensor = tensors.emplace_back();
      for (const std::vector<int64_t>& factors : dims) {
        DimFactors& dim = tensor.emplace_back();
        for (int64_t factor : factors) dim.push_back(static_cast<int32_t>(factor));
      }
    }
  };
  add(said.operands, rule.operands);
  add(said.results, rule.results);
  return rule;
}

// The first dimensions of all arrays that have them pass.
Rule RuleOfBatches(const Op& op) {
  RuleBuilder builder(op);
  const auto has = [](const Value* value, int64_t dim, int64_t size) {
    return value->type.kind == Type::Kind::kTensor && value->type.rank() > dim &&
           ShapeOf(value)[static_cast<size_t>(dim)] == size;
  };
  const Value* const first = op.operands.empty() ? nullptr : op.operands[0];
  const int64_t count =
      first == nullptr ? 0 : std::min(op.shardings->num_batch_dims, first->type.rank());
  for (int64_t dim = 0; dim < count; ++dim) {
    const int64_t size = ShapeOf(first)[static_cast<size_t>(dim)];
    std::vector<int64_t> operands, results;
    for (const Value* value : op.operands) operands.push_back(has(value, dim, size) ? dim : kNoDim);
    for (const Value* value : op.results) results.push_back(has(value, dim, size) ? dim : kNoDim);
    builder.Add(operands, results, size);
  }
  Rule rule = std::move(builder).Build();
  return rule;
}

}  // namespace

Rule CholeskyFactors(const Op& op) { return BatchFactors(op, 2); }

Rule FftFactors(const Op& op) {
  const Dims &in = ShapeOf(op.operands[0]), &out = op.type().dims;
  const int64_t rank = std::ssize(in);
  const int64_t batch = rank - std::ssize(op.Get<FftAttributes>().length);
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < rank; ++dim) {
    const bool is_cut = dim == rank - 1 && in.back() != out.back();
    builder.AddToAll(dim, in[static_cast<size_t>(dim)],
                     dim < batch ? Factor()
                     : is_cut    ? kBlocked
                                 : kReplicated);
  }
  return std::move(builder).Build();
}

Rule BatchNormInferenceFactors(const Op& op) {
  const int64_t feature = op.Get<BatchNormAttributes>().feature_index;
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < op.type().rank(); ++dim) {
    const int64_t other = dim == feature ? 0 : kNoDim;
    builder.Add({dim, other, other, other, other}, {dim}, op.type().dims[static_cast<size_t>(dim)]);
  }
  return std::move(builder).Build();
}

// Each device makes its part of the stream, from the one state.
Rule RngBitGeneratorFactors(const Op& op) {
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < op.operands[0]->type.rank(); ++dim) {
    builder.Add({dim}, {dim, kNoDim}, ShapeOf(op.operands[0])[static_cast<size_t>(dim)], kBlocked);
  }
  for (int64_t dim = 0; dim < op.results[1]->type.rank(); ++dim) {
    builder.Add({kNoDim}, {kNoDim, dim}, ShapeOf(op.results[1])[static_cast<size_t>(dim)]);
  }
  return std::move(builder).Build();
}

// op(a) x = b, or x op(a) = b.
Rule TriangularSolveFactors(const Op& op) {
  const TriangularSolveAttributes& solve = op.Get<TriangularSolveAttributes>();
  const Dims &a = ShapeOf(op.operands[0]), &b = ShapeOf(op.operands[1]);
  const int64_t rows = std::ssize(a) - 2, columns = rows + 1;
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < rows; ++dim) builder.AddToAll(dim, a[static_cast<size_t>(dim)]);
  const bool transposed = solve.transpose_a != TransposeMode::kNoTranspose;
  // The dimension of a that is b's, and that which is x's.
  const int64_t of_b = transposed == solve.left_side ? columns : rows;
  const int64_t of_x = of_b == rows ? columns : rows;
  const int64_t solved = solve.left_side ? rows : columns;
  const int64_t other = solve.left_side ? columns : rows;
  const auto size_of = [](const Dims& dims, int64_t dim) { return dims[static_cast<size_t>(dim)]; };
  if (!solve.left_side) builder.Add({kNoDim, other}, {other}, size_of(b, other), kReplicated);
  builder.Add({of_b, solved}, {kNoDim}, size_of(a, of_b), kReplicated);
  if (solve.left_side) builder.Add({kNoDim, other}, {other}, size_of(b, other), kReplicated);
  builder.Add({of_x, kNoDim}, {solved}, size_of(a, of_x), kReplicated);
  return std::move(builder).Build();
}

Rule CustomCallFactors(const Op& op) {
  if (op.shardings != nullptr && op.shardings->call_rule != nullptr) {
    return RuleOfCall(*op.shardings->call_rule);
  }
  if (op.shardings != nullptr && op.shardings->num_batch_dims > 0) return RuleOfBatches(op);
  if (!IsOneOf(op.Get<CustomCallAttributes>().target, kElementwiseCalls) || op.results.empty() ||
      op.type().kind != Type::Kind::kTensor) {
    return Rule();
  }
  RuleBuilder builder(op);
  builder.AddShape(op.type().dims);
  return std::move(builder).Build();
}

Rule AllGatherFactors(const Op& op) {
  const int64_t gathered = op.Get<CollectiveAttributes>().dimension;
  const Dims& in = ShapeOf(op.operands[0]);
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < std::ssize(in); ++dim) {
    if (dim != gathered) builder.AddToAll(dim, in[static_cast<size_t>(dim)]);
  }
  builder.AddToOperands(gathered, in[static_cast<size_t>(gathered)], kReplicated);
  builder.AddToResults(gathered, op.type().dims[static_cast<size_t>(gathered)], kReplicated);
  return std::move(builder).Build();
}

Rule ReduceScatterFactors(const Op& op) { return AllGatherFactors(op); }

Rule AllToAllFactors(const Op& op) {
  const CollectiveAttributes& collective = op.Get<CollectiveAttributes>();
  const Dims &in = ShapeOf(op.operands[0]), &out = op.type().dims;
  const int64_t split = collective.dimension, joined = collective.concat_dimension;
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < std::ssize(in); ++dim) {
    if (dim != split && dim != joined) builder.AddToAll(dim, in[static_cast<size_t>(dim)]);
  }
  const auto add = [&](int64_t dim) {
    builder.AddToOperands(dim, in[static_cast<size_t>(dim)], kReplicated);
    builder.AddToResults(dim, out[static_cast<size_t>(dim)], kReplicated);
  };
  add(split);
  if (joined != split) add(joined);
  return std::move(builder).Build();
}

}  // namespace plinth::compiler::partition
