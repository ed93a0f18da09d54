// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/import/elementary.h"

#include <limits>

#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::importer {
namespace {

constexpr double kLog2 = 0.693147180559945309417232121458;

Value* BuildErf(Builder& b, Value* x) { return b.Unary(Opcode::kErf, x); }
Value* BuildTan(Builder& b, Value* x) { return b.Unary(Opcode::kTan, x); }

// exp(x + log(1/2)) instead of exp(x) / 2: it overflows only where the result does.
Value* HalfExp(Builder& b, Value* x) {
  return b.Unary(Opcode::kExponential, b.Binary(Opcode::kSubtract, x, b.SplatLike(x, kLog2)));
}

// Near zero the difference of exponentials cancels: there (e + e / (e + 1)) / 2 with e = exp(x)
// - 1.
Value* BuildSinh(Builder& b, Value* x) {
  Value* const large =
      b.Binary(Opcode::kSubtract, HalfExp(b, x), HalfExp(b, b.Unary(Opcode::kNegate, x)));
  Value* const one = b.SplatLike(x, 1);
  Value* const e = b.Unary(Opcode::kExponentialMinusOne, x);
  Value* const quotient = b.Binary(Opcode::kDivide, e, b.Binary(Opcode::kAdd, e, one));
  Value* const small =
      b.Binary(Opcode::kMultiply, b.Binary(Opcode::kAdd, e, quotient), b.SplatLike(x, 0.5));
  Value* const is_small = b.Compare(ComparisonDirection::kLt, b.Unary(Opcode::kAbs, x), one);
  return b.Select(is_small, small, large);
}

Value* BuildCosh(Builder& b, Value* x) {
  return b.Binary(Opcode::kAdd, HalfExp(b, x), HalfExp(b, b.Unary(Opcode::kNegate, x)));
}

// 2 atan2(x, 1 + sqrt(1 - x^2)), the square root's argument as a product so that it is exact at 1.
Value* BuildAsin(Builder& b, Value* x) {
  Value* const one = b.SplatLike(x, 1);
  Value* const product = b.Binary(Opcode::kMultiply, b.Binary(Opcode::kSubtract, one, x),
                                  b.Binary(Opcode::kAdd, one, x));
  Value* const root = b.Unary(Opcode::kSqrt, product);
  return b.Binary(Opcode::kMultiply, b.SplatLike(x, 2),
                  b.Binary(Opcode::kAtan2, x, b.Binary(Opcode::kAdd, one, root)));
}

Value* BuildAcos(Builder& b, Value* x) {
  Value* const one = b.SplatLike(x, 1);
  Value* const y = b.Unary(Opcode::kSqrt, b.Binary(Opcode::kSubtract, one, x));
  Value* const z = b.Unary(Opcode::kSqrt, b.Binary(Opcode::kAdd, one, x));
  return b.Binary(Opcode::kMultiply, b.SplatLike(x, 2), b.Binary(Opcode::kAtan2, y, z));
}

// Where x^2 would overflow, log(2 |x|) is all there is.
Value* LargeThreshold(Builder& b, Value* x) {
  return b.SplatLike(x, x->type.dtype == DType::kF64 ? 1e154 : 1e19);
}

// sign(x) log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))).
Value* BuildAsinh(Builder& b, Value* x) {
  Value* const one = b.SplatLike(x, 1);
  Value* const a = b.Unary(Opcode::kAbs, x);
  Value* const square = b.Binary(Opcode::kMultiply, a, a);
  Value* const root = b.Unary(Opcode::kSqrt, b.Binary(Opcode::kAdd, square, one));
  Value* const quotient = b.Binary(Opcode::kDivide, square, b.Binary(Opcode::kAdd, one, root));
  Value* const small = b.Unary(Opcode::kLogPlusOne, b.Binary(Opcode::kAdd, a, quotient));
  Value* const large = b.Binary(Opcode::kAdd, b.Unary(Opcode::kLog, a), b.SplatLike(x, kLog2));
  Value* const is_large = b.Compare(ComparisonDirection::kGe, a, LargeThreshold(b, x));
  return b.Binary(Opcode::kMultiply, b.Unary(Opcode::kSign, x), b.Select(is_large, large, small));
}

// log(x + sqrt((x + 1) (x - 1))), which is log1p((x - 1) + root) without cancellation near 1.
Value* BuildAcosh(Builder& b, Value* x) {
  Value* const one = b.SplatLike(x, 1);
  Value* const below = b.Binary(Opcode::kSubtract, x, one);
  Value* const root =
      b.Unary(Opcode::kSqrt, b.Binary(Opcode::kMultiply, b.Binary(Opcode::kAdd, x, one), below));
  Value* const small = b.Unary(Opcode::kLogPlusOne, b.Binary(Opcode::kAdd, below, root));
  Value* const large = b.Binary(Opcode::kAdd, b.Unary(Opcode::kLog, x), b.SplatLike(x, kLog2));
  Value* const is_large = b.Compare(ComparisonDirection::kGe, x, LargeThreshold(b, x));
  // Below -1 the product is positive again.
  Value* const is_outside = b.Compare(ComparisonDirection::kLt, x, one);
  Value* const nan = b.SplatLike(x, std::numeric_limits<double>::quiet_NaN());
  return b.Select(is_outside, nan, b.Select(is_large, large, small));
}

Value* BuildAtanh(Builder& b, Value* x) {
  Value* const difference = b.Binary(Opcode::kSubtract, b.Unary(Opcode::kLogPlusOne, x),
                                     b.Unary(Opcode::kLogPlusOne, b.Unary(Opcode::kNegate, x)));
  return b.Binary(Opcode::kMultiply, difference, b.SplatLike(x, 0.5));
}

struct Row {
  std::string_view name;
  Value* (*build)(Builder&, Value*);
};
constexpr Row kElementaryRows[] = {
    {"acos", BuildAcos},   {"acosh", BuildAcosh}, {"asin", BuildAsin},
    {"asinh", BuildAsinh}, {"atanh", BuildAtanh}, {"cosh", BuildCosh},
    {"erf", BuildErf},     {"sinh", BuildSinh},   {"tan", BuildTan},
};

}  // namespace

Value* BuildElementary(Builder& builder, std::string_view name, Value* x) {
  for (const Row& row : kElementaryRows) {
    if (row.name != name) continue;
    const DType dtype = x->type.dtype;
    if (dtype == DType::kF32 || dtype == DType::kF64) return row.build(builder, x);
    return builder.Convert(row.build(builder, builder.Convert(x, DType::kF32)), dtype);
  }
  return nullptr;
}

}  // namespace plinth::compiler::importer
