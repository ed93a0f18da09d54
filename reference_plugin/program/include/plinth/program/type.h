// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_PROGRAM_TYPE_H_
#define PLINTH_PROGRAM_TYPE_H_

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "plinth/support/dtype.h"

namespace plinth::program {

class Attribute;
class Type;

// Types are unique within a module: equal types have equal addresses. They live as long as it.
using TypeRef = const Type*;

inline constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();

enum class TypeKind : uint8_t {
  kTensor,    // tensor<4x?xf32>
  kScalar,    // f32, i32, complex<f32>: the type of an attribute, not of a value
  kIndex,     // index
  kToken,     // !stablehlo.token
  kTuple,     // tuple<...>
  kFunction,  // (...) -> (...)
  kNone,      // none
  kTf32,      // tf32: in dot algorithms only; it is no element type
  kFuture,    // !stablehlo.future<...>: what an async_start gives
};

class Type {
 public:
  TypeKind kind = TypeKind::kNone;
  // Tensor and scalar: the element type. An element type of `index` is kS64 with is_index set.
  DType dtype = DType::kInvalid;
  bool is_index = false;
  // Tensor: kDynamic for an unknown extent; otherwise not negative, and the product of all known
  // extents fits int64_t.
  std::span<const int64_t> dims;
  // Tensor: null, or the encoding attribute (a "stablehlo.bounds" struct: one upper bound per
  // dimension, kDynamic where there is none).
  const Attribute* encoding = nullptr;
  // Tuple and future: the elements. Function: the inputs.
  std::span<const TypeRef> elements;
  // Function: the results.
  std::span<const TypeRef> results;

  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  // Whether a value of a program can be of this type.
  bool IsValueType() const {
    return kind == TypeKind::kTensor || kind == TypeKind::kToken || kind == TypeKind::kTuple ||
           kind == TypeKind::kFuture;
  }
  bool IsTensor() const { return kind == TypeKind::kTensor; }
  bool HasStaticShape() const {
    for (int64_t dim : dims) {
      if (dim == kDynamic) return false;
    }
    return true;
  }
  // Number of elements of a static tensor.
  int64_t NumElements() const {
    int64_t count = 1;
    for (int64_t dim : dims) count *= dim;
    return count;
  }
};

// As in MLIR text: "tensor<4x?xf32>".
std::string ToString(TypeRef type);

}  // namespace plinth::program

#endif  // PLINTH_PROGRAM_TYPE_H_
