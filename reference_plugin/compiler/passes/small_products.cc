// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/small_products.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/columns.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/passes/walk.h"

namespace plinth::compiler::passes {
namespace {

// The type in which a product is computed; none for what the library knows better.
std::optional<DType> ComputeType(const Op& dot) {
  const DType from = dot.operands[0]->type.dtype;
  const DType to = dot.type().dtype;
  if (from != dot.operands[1]->type.dtype || from == DType::kPred) return std::nullopt;
  // Floats below 32 bits are summed in f32 and rounded once.
  if (IsFloat(from) && InfoOf(from).bits < 32) {
    if (from != to && to != DType::kF32) return std::nullopt;
    return DType::kF32;
  }
  if (from != to || InfoOf(from).bits < 8) return std::nullopt;
  return from;
}

// One operand, and where its dimensions are in the result.
struct Side {
  Value* value;
  const Dims& contracting;
  Dims result_dims;  // of each dimension of the operand; -1: it is summed over
};

class SmallProduct {
 public:
  SmallProduct(const Op& dot, DType type, const FusionLimits& limits)
      : dot_(dot),
        attributes_(dot.Get<DotAttributes>()),
        type_(Type::Tensor(type, dot.type().dims)),
        lhs_{dot.operands[0], attributes_.lhs_contracting, {}},
        rhs_{dot.operands[1], attributes_.rhs_contracting, {}} {
    int64_t next = static_cast<int64_t>(attributes_.lhs_batch.size());
    lhs_.result_dims = ResultDims(lhs_, attributes_.lhs_batch, &next);
    rhs_.result_dims = ResultDims(rhs_, attributes_.rhs_batch, &next);
    for (int64_t dim : attributes_.lhs_contracting) {
      terms_ *= lhs_.value->type.dims[static_cast<size_t>(dim)];
    }
    const Dims& dims = type_.dims;
    results_ = std::accumulate(dims.begin() + static_cast<int64_t>(attributes_.lhs_batch.size()),
                               dims.end(), int64_t{1}, std::multiplies<>());
    by_columns_ = dims.size() > attributes_.lhs_batch.size() && HasShortRows(type_, limits);
  }

  // Null where it is too large.
  Value* Make(Builder& builder, const SmallProductLimits& limits) const {
    if (terms_ <= limits.terms && terms_ * results_ <= limits.multiplications) {
      return SpellOut(builder);
    }
    if (terms_ > limits.row) return nullptr;
    return results_ == 1 || (results_ <= limits.rows && IsRowsTimesVector()) ? SumOfRows(builder)
                                                                             : nullptr;
  }

 private:
  Value* SpellOut(Builder& builder) const {
    if (!by_columns_) return Sum(builder, std::nullopt);
    std::vector<Value*> columns;
    for (int64_t i = 0; i < type_.dims.back(); ++i) columns.push_back(Sum(builder, i));
    return builder.Concatenate(columns, type_.rank() - 1);
  }

  // Whether one side gives each batch element a vector and the other rows that lie in memory as
  // they are summed.
  bool IsRowsTimesVector() const {
    const auto is_vector = [](const Side& side, const Dims& batch) {
      return side.result_dims.size() == batch.size() + side.contracting.size();
    };
    const auto has_rows = [](const Side& side) {
      return side.contracting == Dims{static_cast<int64_t>(side.result_dims.size()) - 1};
    };
    return !attributes_.lhs_batch.empty() &&
           ((is_vector(rhs_, attributes_.rhs_batch) && has_rows(lhs_)) ||
            (is_vector(lhs_, attributes_.lhs_batch) && has_rows(rhs_)));
  }

  // Of vectors for each batch element.
  Value* SumOfRows(Builder& builder) const {
    const int64_t rank = type_.rank();
    Dims dims = type_.dims, summed(lhs_.contracting.size());
    std::iota(summed.begin(), summed.end(), rank);
    for (int64_t dim : lhs_.contracting) {
      dims.push_back(lhs_.value->type.dims[static_cast<size_t>(dim)]);
    }
    const auto row = [&](const Side& side) {
      Dims to = side.result_dims;
      for (size_t i = 0; i < side.contracting.size(); ++i) {
        to[static_cast<size_t>(side.contracting[i])] = rank + static_cast<int64_t>(i);
      }
      return builder.Broadcast(builder.Convert(side.value, type_.dtype), dims, std::move(to));
    };
    Value* const products = builder.Binary(Opcode::kMultiply, row(lhs_), row(rhs_));
    return builder.Convert(builder.ReduceSum(products, summed), dot_.type().dtype);
  }

  static Dims ResultDims(const Side& side, const Dims& batch, int64_t* next) {
    Dims result_dims;
    for (int64_t dim = 0; dim < side.value->type.rank(); ++dim) {
      const auto batch_dim = std::find(batch.begin(), batch.end(), dim);
      if (batch_dim != batch.end()) {
        result_dims.push_back(batch_dim - batch.begin());
      } else if (std::find(side.contracting.begin(), side.contracting.end(), dim) !=
                 side.contracting.end()) {
        result_dims.push_back(-1);
      } else {
        result_dims.push_back((*next)++);
      }
    }
    return result_dims;
  }

  // The result, or one column of it.
  Value* Sum(Builder& builder, std::optional<int64_t> column) const {
    Value* sum = nullptr;
    for (int64_t term = 0; term < terms_; ++term) {
      Value* const product = builder.Binary(Opcode::kMultiply, Factor(builder, lhs_, term, column),
                                            Factor(builder, rhs_, term, column));
      sum = sum == nullptr ? product : builder.Binary(Opcode::kAdd, sum, product);
    }
    return builder.Convert(sum, dot_.type().dtype);
  }

  // What one side gives to a term, as an array of the shape of the result or of its column.
  Value* Factor(Builder& builder, const Side& side, int64_t term,
                std::optional<int64_t> column) const {
    const Dims& dims = side.value->type.dims;
    SliceAttributes slice{Dims(dims.size(), 0), dims, Dims(dims.size(), 1)};
    const auto take = [&slice](int64_t dim, int64_t index) {
      slice.start[static_cast<size_t>(dim)] = index;
      slice.limit[static_cast<size_t>(dim)] = index + 1;
    };
    for (size_t i = side.contracting.size(); i-- > 0;) {
      const int64_t size = dims[static_cast<size_t>(side.contracting[i])];
      take(side.contracting[i], term % size);
      term /= size;
    }
    Dims sliced, kept, kept_dims, result_dims = type_.dims;
    if (column) result_dims.back() = 1;
    for (size_t i = 0; i < dims.size(); ++i) {
      const int64_t result_dim = side.result_dims[i];
      if (column && result_dim + 1 == static_cast<int64_t>(type_.rank())) {
        take(static_cast<int64_t>(i), *column);
      }
      sliced.push_back(slice.limit[i] - slice.start[i]);
      if (result_dim < 0) continue;
      kept.push_back(sliced.back());
      kept_dims.push_back(result_dim);
    }
    Value* value = side.value;
    if (sliced != dims) {
      value = builder.Add(Opcode::kSlice, {value}, Type::Tensor(value->type.dtype, sliced),
                          MakeAttributes(std::move(slice)));
    }
    value = builder.Convert(builder.Reshape(value, kept), type_.dtype);
    return kept == result_dims && std::is_sorted(kept_dims.begin(), kept_dims.end())
               ? value
               : builder.Broadcast(value, result_dims, std::move(kept_dims));
  }

  const Op& dot_;
  const DotAttributes& attributes_;
  const Type type_;  // of the result before it is rounded
  Side lhs_, rhs_;
  int64_t terms_ = 1, results_ = 1;
  bool by_columns_;
};

bool IsEmpty(const Type& type) { return type.NumElements() == 0; }

}  // namespace

bool SpellOutSmallProducts(Module& module, const Target& target) {
  return ReplaceOps(module, [&](const Op& op, std::vector<Op*>& out) -> Value* {
    if (op.opcode != Opcode::kDotGeneral) return nullptr;
    const std::optional<DType> type = ComputeType(op);
    if (!type || IsEmpty(op.operands[0]->type) || IsEmpty(op.type())) return nullptr;
    Builder builder(module, out, op.location);
    return SmallProduct(op, *type, target.fusion).Make(builder, target.small_products);
  });
}

}  // namespace plinth::compiler::passes
