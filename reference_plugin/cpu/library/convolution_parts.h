// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_CONVOLUTION_PARTS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_CONVOLUTION_PARTS_H_

#include <memory>
#include <vector>

#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/cpu/library/operand_map.h"

namespace plinth::cpu {

// One spatial dimension of a part of the convolution: output o reads the input at coordinate
// low + o * output_step + t * tap_step with kernel element first_tap + t * kernel_step.
struct Spatial {
  int64_t outputs, first_output, output_period;  // output index = first + i * period
  int64_t taps, first_tap, kernel_step;
  MapWindow window;
  int64_t output_step, tap_step;
};

// Everything about the arrays that the parts share. Strides count elements.
struct ConvolutionArrays {
  const compiler::ConvolutionAttributes& conv;
  const compiler::Type& input;
  const compiler::Type& kernel;
  const compiler::Type& output;
  compiler::Dims input_strides, kernel_strides, output_strides;

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

// A part whose arrays have their last spatial dimension innermost, by vectors along it: few terms
// or few features per result (depthwise and grouped ones, few channels), or the gradient of such a
// kernel. Null for any other.
std::unique_ptr<PreparedStep> MakeRowConvolution(const ConvolutionArrays& arrays,
                                                 const std::vector<Spatial>& spatial);

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_CONVOLUTION_PARTS_H_
