// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/partition/rule_functions.h"

namespace plinth::compiler::partition {
namespace {

bool IsSlice(const Value* value) {
  return value->op != nullptr && value->op->opcode == Opcode::kSlice;
}

// What the value is a slice of, or itself.
const Value* BeforeSlice(const Value* value) {
  return IsSlice(value) ? value->op->operands[0] : value;
}

// Parts of one array, or of several, put together anew: elements move, the whole stays spread.
bool JoinsSlices(const Op& op) {
  const auto all_of = [&](auto has) {
    return std::all_of(op.operands.begin(), op.operands.end(), has);
  };
  if (all_of(IsSlice)) return true;
  const Value* const first = BeforeSlice(op.operands[0]);
  return all_of([&](const Value* operand) { return BeforeSlice(operand) == first; }) &&
         std::any_of(op.operands.begin(), op.operands.end(), IsSlice);
}

}  // namespace

Rule BitcastConvertFactors(const Op& op) {
  const Dims &in = ShapeOf(op.operands[0]), &out = op.type().dims;
  RuleBuilder builder(op);
  builder.AddShape(in.size() < out.size() ? in : out);
  const int64_t last = static_cast<int64_t>(std::max(in.size(), out.size())) - 1;
  if (in.size() < out.size()) {
    builder.Add({kNoDim}, {last}, out.back(), kReplicated);
  } else if (in.size() > out.size()) {
    builder.Add({last}, {kNoDim}, in.back(), kReplicated);
  }
  return std::move(builder).Build();
}

Rule BroadcastInDimFactors(const Op& op) {
  const Dims& in = ShapeOf(op.operands[0]);
  const Dims& out = op.type().dims;
  const Dims& map = op.Get<DimensionsAttributes>().dimensions;
  RuleBuilder builder(op);
  for (size_t dim = 0; dim < out.size(); ++dim) {
    const auto* const found = std::find(map.begin(), map.end(), static_cast<int64_t>(dim));
    int64_t from = found == map.end() ? kNoDim : found - map.begin();
    if (from != kNoDim && in[static_cast<size_t>(from)] != out[dim]) {
      builder.Add({from}, {kNoDim}, 1);
      from = kNoDim;
    }
    builder.Add({from}, {static_cast<int64_t>(dim)}, out[dim]);
  }
  return std::move(builder).Build();
}

Rule ConcatenateFactors(const Op& op) {
  const int64_t joined = op.Get<DimensionAttributes>().dimension;
  const Dims& shape = op.type().dims;
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < op.type().rank(); ++dim) {
    builder.AddToAll(dim, shape[static_cast<size_t>(dim)],
                     dim != joined     ? Factor()
                     : JoinsSlices(op) ? kPermuted
                                       : kReplicated);
  }
  return std::move(builder).Build();
}

Rule DynamicSliceFactors(const Op& op) {
  RuleBuilder builder(op);
  builder.AddShapes(ShapeOf(op.operands[0]), op.type().dims, kBlocked);
  return std::move(builder).Build();
}

Rule DynamicUpdateSliceFactors(const Op& op) {
  const Dims &whole = ShapeOf(op.operands[0]), &update = ShapeOf(op.operands[1]);
  const bool is_static =
      std::all_of(op.operands.begin() + 2, op.operands.end(),
                  [](const Value* index) { return ConstantOf(index) != nullptr; });
  RuleBuilder builder(op);
  std::vector<int64_t> dims(op.operands.size(), kNoDim);
  for (int64_t dim = 0; dim < op.type().rank(); ++dim) {
    const int64_t size = whole[static_cast<size_t>(dim)];
    const int64_t part = update[static_cast<size_t>(dim)];
    if (size == part) {
      builder.AddToAll(dim, size);
      continue;
    }
    // Each device updates the part of the array that it has with the part of the update.
    const int64_t none = kNoDim;
    dims[0] = dim;
    builder.Add(dims, {&dim, 1}, size);
    dims[0] = kNoDim;
    dims[1] = dim;
    builder.Add(dims, {&none, 1}, part, is_static ? Factor() : kReplicated);
    dims[1] = kNoDim;
  }
  return std::move(builder).Build();
}

Rule PadFactors(const Op& op) {
  RuleBuilder builder(op);
  builder.AddShapes(ShapeOf(op.operands[0]), op.type().dims, kPermuted);
  return std::move(builder).Build();
}

Rule SliceFactors(const Op& op) { return PadFactors(op); }

Rule ReverseFactors(const Op& op) {
  const Dims& reversed = op.Get<DimensionsAttributes>().dimensions;
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < op.type().rank(); ++dim) {
    const bool moves = std::find(reversed.begin(), reversed.end(), dim) != reversed.end();
    builder.AddToAll(dim, op.type().dims[static_cast<size_t>(dim)], moves ? kPermuted : Factor());
  }
  return std::move(builder).Build();
}

Rule TransposeFactors(const Op& op) {
  const Dims& permutation = op.Get<DimensionsAttributes>().dimensions;
  RuleBuilder builder(op);
  for (size_t dim = 0; dim < permutation.size(); ++dim) {
    builder.Add({permutation[dim]}, {static_cast<int64_t>(dim)}, op.type().dims[dim]);
  }
  return std::move(builder).Build();
}

// Walks both shapes from the major dimension. Where the products of the factors taken so far are
// equal, what both have next in common is a factor of both; else the side that lags behind gets one
// of its own, as small as brings both together again.
Rule ReshapeFactors(const Op& op) {
  const Dims &in = ShapeOf(op.operands[0]), &out = op.type().dims;
  if (op.type().NumElements() == 0) return Rule();
  RuleBuilder builder(op);
  struct Side {
    const Dims& shape;
    size_t dim = 0;
    int64_t dims_product = 1, factors_product = 1;

    bool HasMore() const { return dim < shape.size(); }
    bool IsOne() const { return HasMore() && shape[dim] == 1; }
    void Begin() {
      if (HasMore() && dims_product == factors_product) dims_product *= shape[dim];
    }
    void End() {
      if (HasMore() && dims_product == factors_product) ++dim;
    }
    int64_t Next() const { return dims_product / factors_product; }
    int64_t at() const { return static_cast<int64_t>(dim); }
  };
  Side from{in}, to{out};
  const auto add = [&](Side* a, Side* b, int64_t size) {
    builder.Add({a == nullptr ? kNoDim : a->at()}, {b == nullptr ? kNoDim : b->at()}, size);
    if (a != nullptr) a->factors_product *= size;
    if (b != nullptr) b->factors_product *= size;
  };
  while (from.HasMore() || to.HasMore()) {
    if (from.IsOne()) {
      add(&from, nullptr, 1);
      ++from.dim;
      continue;
    }
    if (to.IsOne()) {
      add(nullptr, &to, 1);
      ++to.dim;
      continue;
    }
    from.Begin();
    to.Begin();
    const int64_t common = std::gcd(from.Next(), to.Next());
    const auto step = [&](const Side& behind, const Side& ahead) {
      const int64_t next = behind.Next();
      const int64_t gap = ahead.factors_product / behind.factors_product;
      if (ahead.factors_product % behind.factors_product == 0 && next % gap == 0) return gap;
      return next > common ? next / common : next;
    };
    if (from.factors_product < to.factors_product) {
      add(&from, nullptr, step(from, to));
    } else if (from.factors_product > to.factors_product) {
      add(nullptr, &to, step(to, from));
    } else if (common > 1) {
      add(&from, &to, common);
    } else {
      const int64_t next_from = from.Next(), next_to = to.Next();
      add(&from, nullptr, next_from);
      add(nullptr, &to, next_to);
    }
    from.End();
    to.End();
  }
  return std::move(builder).Build();
}

}  // namespace plinth::compiler::partition
