// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/predicate_sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::passes {
namespace {

// What a byte of a word holds.
constexpr int64_t kMostSum = 255;

// The largest whole number that the type and all smaller ones hold, up to what matters here.
int64_t LargestOf(DType type) {
  const auto& info = InfoOf(type);
  if (type == DType::kPred) return 1;
  if (type == DType::kS8) return kMostSum / 2;
  const bool is_wide = info.bits >= (info.kind == DTypeClass::kFloat ? 32 : 8);
  const bool is_number = IsInteger(type) || type == DType::kF32 || type == DType::kF64;
  return is_wide && is_number ? kMostSum : 0;
}

// The number that every row has in this column, if that is known and from 0 to the largest one.
std::optional<int64_t> NumberIn(const Value* value, int64_t column) {
  const Op* const op = value->op;
  const Dims& dims = value->type.dims;
  if (op == nullptr) return std::nullopt;
  switch (op->opcode) {
    case Opcode::kConstant: {
      const auto& constant = op->Get<ConstantAttributes>();
      if (!IsInteger(value->type.dtype) || InfoOf(value->type.dtype).bits < 8) return std::nullopt;
      if (!constant.is_splat && dims.size() != 1) return std::nullopt;
      const auto bytes = static_cast<size_t>(ByteSize(value->type.dtype));
      const size_t place = constant.is_splat ? 0 : static_cast<size_t>(column) * bytes;
      const int64_t number =
          ReadInteger(value->type.dtype, constant.bytes.subspan(place, bytes).data());
      if (number < 0 || number > kMostSum) return std::nullopt;
      return number;
    }
    case Opcode::kIota:
      if (op->Get<DimensionAttributes>().dimension + 1 != value->type.rank()) return std::nullopt;
      return column;
    case Opcode::kConvert: {
      const std::optional<int64_t> number = NumberIn(op->operands[0], column);
      if (!number.has_value() || *number > LargestOf(value->type.dtype)) return std::nullopt;
      return number;
    }
    case Opcode::kReshape: {
      const Dims& from = op->operands[0]->type.dims;
      if (from.empty() || dims.empty() || from.back() != dims.back()) return std::nullopt;
      return NumberIn(op->operands[0], column);
    }
    case Opcode::kReverse: {
      const Dims& reversed = op->Get<DimensionsAttributes>().dimensions;
      const bool is_reversed =
          std::find(reversed.begin(), reversed.end(), value->type.rank() - 1) != reversed.end();
      return NumberIn(op->operands[0], is_reversed ? dims.back() - 1 - column : column);
    }
    case Opcode::kBroadcastInDim: {
      const Value* const from = op->operands[0];
      if (from->type.NumElements() == 1) return NumberIn(from, 0);
      const Dims& places = op->Get<DimensionsAttributes>().dimensions;
      if (places.back() + 1 != value->type.rank() || from->type.dims.back() != dims.back()) {
        return std::nullopt;
      }
      return NumberIn(from, column);
    }
    default:
      return std::nullopt;
  }
}

// Through conversions of numbers up to `most` and, if asked for, other shapes of the same elements.
Value* Unconverted(Value* value, int64_t most, bool any_shape) {
  while (value->op != nullptr) {
    const Op& op = *value->op;
    if (op.opcode == Opcode::kConvert) {
      if (value->type.dtype == DType::kPred || most > LargestOf(value->type.dtype)) break;
    } else if (op.opcode != Opcode::kReshape || !any_shape) {
      break;
    }
    value = op.operands[0];
  }
  return value;
}

// An array of predicates, of whatever shape, and by what those of a row are multiplied.
struct WeightedPredicates {
  Value* predicates = nullptr;
  std::vector<int64_t> weights;
};

class Finder {
 public:
  explicit Finder(int64_t columns) : columns_(columns) {}

  std::optional<WeightedPredicates> Find(Value* rows) const {
    Value* const terms = Unconverted(rows, /*most=*/0, /*any_shape=*/false);
    std::optional<WeightedPredicates> found = Terms(terms);
    if (!found.has_value()) return std::nullopt;
    int64_t sum = 0, most = 0;
    for (const int64_t weight : found->weights) {
      sum += weight;
      most = std::max(most, weight);
    }
    // Each conversion on the way has to hold what it converts.
    if (sum > kMostSum || Unconverted(rows, most, false) != terms ||
        most > LargestOf(rows->type.dtype)) {
      return std::nullopt;
    }
    return found;
  }

 private:
  std::optional<WeightedPredicates> Terms(Value* terms) const {
    const Op* const op = terms->op;
    switch (op == nullptr ? Opcode::kConvert : op->opcode) {
      case Opcode::kShiftLeft:
        return Weighted(op->operands[0], op->operands[1],
                        [](int64_t shift) { return shift < 8 ? int64_t{1} << shift : -1; });
      case Opcode::kMultiply: {
        const auto same = [](int64_t weight) { return weight; };
        auto found = Weighted(op->operands[0], op->operands[1], same);
        return found.has_value() ? found : Weighted(op->operands[1], op->operands[0], same);
      }
      default:
        return Weighted(terms, nullptr, [](int64_t) { return int64_t{1}; });
    }
  }

  template <class WeightOf>
  std::optional<WeightedPredicates> Weighted(Value* ones, const Value* numbers,
                                             const WeightOf& weight_of) const {
    WeightedPredicates found;
    found.predicates = Unconverted(ones, /*most=*/1, /*any_shape=*/true);
    if (found.predicates->type.dtype != DType::kPred) return std::nullopt;
    const int64_t most = LargestOf(ones->type.dtype);
    for (int64_t column = 0; column < columns_; ++column) {
      const std::optional<int64_t> number = numbers == nullptr ? 0 : NumberIn(numbers, column);
      const int64_t weight = number.has_value() ? weight_of(*number) : -1;
      if (weight < 0 || weight > most) return std::nullopt;
      found.weights.push_back(weight);
    }
    return found;
  }

  const int64_t columns_;
};

}  // namespace

Value* ExpandSumOfPredicates(Builder& builder, const Target& target, const Op& op) {
  if (target.predicate_rows == 0 || op.operands.size() != 2) return nullptr;
  Value* const rows = op.operands[0];
  const Dims& dims = rows->type.dims;
  if (dims.empty() || op.Get<DimensionsAttributes>().dimensions != Dims{rows->type.rank() - 1}) {
    return nullptr;
  }
  const int64_t columns = dims.back();
  if ((columns != 4 && columns != 8) || op.type().NumElements() < target.predicate_rows ||
      OnlyOpOf(*op.blocks[0]) != Opcode::kAdd || !IsSplat(op.operands[1], 0) ||
      LargestOf(op.type().dtype) == 0) {
    return nullptr;
  }
  const std::optional<WeightedPredicates> found = Finder(columns).Find(rows);
  if (!found.has_value()) return nullptr;
  // Of a product, the last byte is the sum of the first byte times the last, the second times the
  // last but one and so on. No byte before it is too large for a byte, so nothing is carried.
  uint64_t factor = 0;
  for (const int64_t weight : found->weights) {
    factor = factor << 8 | static_cast<uint64_t>(weight);
  }
  std::array<std::byte, 8> element;
  std::memcpy(element.data(), &factor, sizeof(factor));
  const auto bytes = static_cast<size_t>(columns);
  const DType word_type = columns == 8 ? DType::kU64 : DType::kU32;
  Value* const ones = builder.Reshape(builder.Convert(found->predicates, DType::kU8), dims);
  Value* const words =
      builder.Add(Opcode::kBitcastConvert, {ones}, Type::Tensor(word_type, op.type().dims));
  Value* const factors = builder.Add(Opcode::kConstant, {}, words->type,
                                     SplatAttributes(std::span(element).first(bytes)));
  Value* const products = builder.Binary(Opcode::kMultiply, words, factors);
  Value* const sums =
      builder.Binary(Opcode::kShiftRightLogical, products,
                     builder.SplatLike(words, static_cast<double>(8 * (columns - 1))));
  return builder.Convert(sums, op.type().dtype);
}

}  // namespace plinth::compiler::passes
