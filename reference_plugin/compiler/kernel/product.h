// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_KERNEL_PRODUCT_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_KERNEL_PRODUCT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plinth/support/dtype.h"
#include "reference_plugin/compiler/ir/ir.h"

// Dots and convolutions as products of matrices that are read and written through index maps: any
// array as a matrix, transposed, with several dimensions on one side, or as the windows of a
// convolution. Strides, offsets and positions count elements.
namespace plinth::compiler {

// One dimension of a side of the matrix, outermost first in a list. An index i adds i * stride to
// the position; with a window, it adds i * step to that window's coordinate instead.
struct MapDim {
  int64_t size = 1;
  int64_t stride = 0;
  int window = -1;
  int64_t step = 0;
  friend bool operator==(const MapDim&, const MapDim&) = default;
};

// A coordinate starts at `low`. Inside [0, extent) and divisible by `dilation` it adds
// coordinate / dilation * stride to the position; anywhere else the element is zero.
struct MapWindow {
  int64_t low = 0;
  int64_t extent = 0;
  int64_t dilation = 1;
  int64_t stride = 0;
  friend bool operator==(const MapWindow&, const MapWindow&) = default;
};

struct OperandMap {
  DType dtype = DType::kInvalid;
  int64_t offset = 0;
  std::vector<MapDim> outer;  // rows of the left, columns of the right operand
  std::vector<MapDim> inner;  // what is summed over
  std::vector<MapWindow> windows;
  // Set by Simplify: the innermost summed steps that only need a stride.
  int64_t run_length = 1;
  int64_t run_stride = 0;

  // Removes windows that never leave the array, drops and merges dimensions, splits off the run.
  void Simplify();
  bool IsPlain() const { return windows.empty(); }
};

// Positions of the result; plain dimensions only.
struct ResultMap {
  DType dtype = DType::kInvalid;
  int64_t offset = 0;
  std::vector<MapDim> rows, columns;
};

// One product per index; the strides move the operands and the result.
struct BatchDim {
  int64_t size = 1;
  int64_t a_stride = 0, b_stride = 0, c_stride = 0;
};

// c[i][j] = sum over k of a[i][k] * b[k][j].
struct Product {
  OperandMap a, b;
  ResultMap c;
  std::vector<BatchDim> batch;
};

// Merges neighbours that are one dimension, drops those of size one.
void MergeDims(std::vector<MapDim>& dims);
int64_t NumElements(const std::vector<MapDim>& dims);

// Rows are the free dimensions of the left operand, columns those of the right one; what is summed
// over goes in the order in which the left operand lies in memory.
Product DotProduct(const DotAttributes& dot, const Type& lhs, const Type& rhs, const Type& result);

// The arrays of a convolution.
struct ConvolutionArrays {
  const ConvolutionAttributes& conv;
  const Type& input;
  const Type& kernel;
  const Type& output;
  Dims input_strides = DenseStrides(input.dims);
  Dims kernel_strides = DenseStrides(kernel.dims);
  Dims output_strides = DenseStrides(output.dims);

  // Of the input, the kernel and the result from one group to the next.
  struct GroupStrides {
    int64_t input, kernel, output;
  };
  // Sizes of one group.
  int64_t batch() const { return input.dims[conv.input_batch] / conv.batch_group_count; }
  int64_t features() const { return kernel.dims[conv.kernel_input_feature]; }
  int64_t output_features() const { return kernel.dims[conv.kernel_output_feature] / groups(); }
  // Feature groups or batch groups: never both.
  int64_t groups() const { return conv.feature_group_count * conv.batch_group_count; }
  GroupStrides group_strides() const {
    return {conv.batch_group_count > 1 ? batch() * input_strides[conv.input_batch]
                                       : features() * input_strides[conv.input_feature],
            output_features() * kernel_strides[conv.kernel_output_feature],
            output_features() * output_strides[conv.output_feature]};
  }
};

// One spatial dimension of a part of a convolution: output o reads the input at coordinate
// low + o * output_step + t * tap_step with kernel element first_tap + t * kernel_step.
struct SpatialPart {
  int64_t outputs, first_output, output_period;  // output index = first + i * period
  int64_t taps, first_tap, kernel_step;
  MapWindow window;
  int64_t output_step, tap_step;
};

// A part of a convolution, by spatial dimension. Parts write disjoint outputs, together all.
using ConvolutionPart = std::vector<SpatialPart>;

// The zeros between the elements of a dilated input are never multiplied: outputs fall into classes
// that meet the same taps, each a part without dilation. With more than `max_parts` classes, which
// then cost more than the zeros that they avoid, the convolution is one part.
std::vector<ConvolutionPart> PartsOf(const ConvolutionArrays& arrays, int64_t max_parts);

// A part as a product. `a` is the input, its rows the batch and the outputs' positions, outermost
// first; `b` is the kernel, its columns the features of the output. What is summed over is the taps
// of each dimension, then the features of the input.
Product ConvolutionProduct(const ConvolutionArrays& arrays, const ConvolutionPart& part);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_KERNEL_PRODUCT_H_
