// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_MATRIX_PRODUCT_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_MATRIX_PRODUCT_H_

#include <compare>
#include <cstdint>
#include <optional>

#include "plinth/support/dtype.h"

namespace plinth::cuda {

// A product, or several of one shape, that a library of the device may compute instead of a kernel:
// result = activation(left * right + bias). A matrix lies column by column, `leading` elements from
// one to the next.
struct MatrixProduct {
  // To what elements of f32 may be rounded before they are multiplied.
  enum class Rounding : uint8_t { kNone, kTf32, kBF16, kF16 };
  enum class Activation : uint8_t { kNone, kRelu, kGelu };
  struct Matrix {
    int64_t leading = 1;
    bool is_turned = false;    // it is its transpose that lies so
    int64_t batch_stride = 0;  // elements, from one product to the next
    int32_t alignment = 16;    // bytes: of the first element of each product, at least

    friend auto operator<=>(const Matrix&, const Matrix&) = default;
  };

  DType operands = DType::kInvalid, result_type = DType::kInvalid;
  Rounding rounding = Rounding::kNone;
  int64_t rows = 1, columns = 1, depth = 1;  // the left matrix is rows by depth
  int64_t batch = 1;
  // Each array is a list of addresses, one per product, in memory of the device.
  bool by_pointers = false;
  Matrix left, right, result;
  Activation activation = Activation::kNone;
  // An element of the result's type for each row, the same for all columns and products.
  bool has_bias = false;

  friend auto operator<=>(const MatrixProduct&, const MatrixProduct&) = default;
};

// A library of products on a device.
class ProductLibrary {
 public:
  // Bytes of workspace that it needs for the product, a multiple of kArrayAlignment; nothing: it
  // does not compute it. The same for the life of the process. Any thread.
  virtual std::optional<int64_t> Workspace(const MatrixProduct& product) = 0;

 protected:
  ~ProductLibrary() = default;
};

// How products are computed.
struct ProductChoices {
  ProductLibrary* library = nullptr;  // null: every product is printed
  // What f32 is rounded to where a program asks for no precision: to TF32, or not at all.
  bool allow_tf32 = true;
  // Multiplications: a smaller product is printed.
  double least_work = 1 << 22;
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_MATRIX_PRODUCT_H_
