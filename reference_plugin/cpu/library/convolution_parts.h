// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_CONVOLUTION_PARTS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_CONVOLUTION_PARTS_H_

#include <memory>

#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/kernel/product.h"
#include "reference_plugin/compiler/plan/plan.h"

namespace plinth::cpu::library {

using compiler::ConvolutionArrays;
using compiler::ConvolutionPart;
using Spatial = compiler::SpatialPart;

// A part whose arrays have their last spatial dimension innermost, by vectors along it: few terms
// or few features per result (depthwise and grouped ones, few channels), or the gradient of such a
// kernel. Null for any other.
std::unique_ptr<backend::PreparedStep> MakeRowConvolution(const ConvolutionArrays& arrays,
                                                          const ConvolutionPart& part);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_CONVOLUTION_PARTS_H_
