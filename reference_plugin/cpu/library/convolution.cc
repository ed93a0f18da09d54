// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cpu/library/convolution_parts.h"
#include "reference_plugin/cpu/library/gemm.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/strided_walk.h"

namespace plinth::cpu {
namespace {

using compiler::ConvolutionAttributes;
using compiler::Dims;
using compiler::Window;

// Zeros between the elements of a dilated input are never multiplied: the outputs fall into
// classes that meet the same taps, and each class is a convolution without dilation. Returns one
// entry per class.
std::vector<Spatial> ClassesOf(const Window& window, size_t d, int64_t input, int64_t input_stride,
                               int64_t outputs, bool split) {
  const int64_t dilation = window.base_dilation[d];
  const bool reversed = !window.reversal.empty() && window.reversal[d];
  const int64_t taps = window.sizes[d];
  Spatial whole{
      outputs,
      0,
      1,
      taps,
      reversed ? taps - 1 : 0,
      reversed ? -1 : 1,
      {-window.padding_low[d], input == 0 ? 0 : (input - 1) * dilation + 1, dilation, input_stride},
      window.strides[d],
      window.window_dilation[d]};
  if (dilation == 1 || !split) return {whole};
  std::vector<Spatial> classes;
  const int64_t step = std::gcd(window.strides[d], dilation);
  const int64_t tap_step = std::gcd(window.window_dilation[d], dilation);
  const int64_t period = dilation / step;
  const int64_t tap_period = dilation / tap_step;
  for (int64_t r = 0; r < std::min(period, outputs); ++r) {
    Spatial part = whole;
    part.first_output = r;
    part.output_period = period;
    part.outputs = (outputs - r + period - 1) / period;
    part.output_step = window.strides[d] / step;
    part.tap_step = window.window_dilation[d] / tap_step;
    part.taps = 0;
    part.window = {0, input, 1, input_stride};
    for (int64_t t = 0; t < std::min(tap_period, taps); ++t) {
      const int64_t at =
          r * window.strides[d] - window.padding_low[d] + t * window.window_dilation[d];
      if (at % dilation != 0) continue;
      part.window.low = at / dilation;
      part.taps = (taps - t + tap_period - 1) / tap_period;
      part.first_tap = reversed ? taps - 1 - t : t;
      part.kernel_step = (reversed ? -1 : 1) * tap_period;
      break;
    }
    classes.push_back(part);
  }
  return classes;
}

struct PixelDim {
  MapDim input;
  MapDim output;
};

struct PartProblem {
  GemmProblem gemm;
  bool pixels_left;  // the input is the left operand, the kernel the right one
};

PartProblem MakeProblem(const ConvolutionArrays& x, const std::vector<Spatial>& spatial) {
  const ConvolutionAttributes& conv = x.conv;
  const int64_t groups = conv.feature_group_count, batch_groups = conv.batch_group_count;
  const int64_t batch = x.batch(), features = x.features();
  const int64_t output_features = x.output_features();
  const int64_t input_batch = x.input_strides[conv.input_batch];
  const int64_t input_feature = x.input_strides[conv.input_feature];
  const int64_t kernel_output = x.kernel_strides[conv.kernel_output_feature];
  const int64_t output_feature = x.output_strides[conv.output_feature];

  OperandMap pixels, weights;
  pixels.dtype = x.input.dtype;
  weights.dtype = x.kernel.dtype;
  int64_t output_offset = 0, num_pixels = 1;
  std::vector<PixelDim> dims;
  for (size_t d = 0; d < spatial.size(); ++d) {
    const Spatial& s = spatial[d];
    const int w = static_cast<int>(d);
    const int64_t kernel_stride = x.kernel_strides[conv.kernel_spatial[d]];
    const int64_t output_stride = x.output_strides[conv.output_spatial[d]];
    pixels.windows.push_back(s.window);
    pixels.inner.push_back({s.taps, 0, w, s.tap_step});
    weights.inner.push_back({s.taps, s.kernel_step * kernel_stride});
    weights.offset += s.first_tap * kernel_stride;
    output_offset += s.first_output * output_stride;
    dims.push_back(
        {{s.outputs, 0, w, s.output_step}, {s.outputs, s.output_period * output_stride}});
    num_pixels *= s.outputs;
  }
  // Runs along the features, unless those are far apart and rows are neighbours instead.
  const bool features_last = input_batch != 1 || batch < 8;
  pixels.inner.insert(features_last ? pixels.inner.end() : pixels.inner.begin(),
                      {features, input_feature});
  weights.inner.insert(features_last ? weights.inner.end() : weights.inner.begin(),
                       {features, x.kernel_strides[conv.kernel_input_feature]});
  weights.outer.push_back({output_features, kernel_output});

  GemmProblem problem;
  const PixelDim batch_dim{{batch, input_batch}, {batch, x.output_strides[conv.output_batch]}};
  // The result's contiguous side becomes the columns, unless too few features would be in a tile.
  constexpr int64_t kFewFeatures = 8;
  const bool in_place = x.input.dtype == DType::kF32 && (input_feature == 1 || features == 1) &&
                        features <= 256;  // as Gemm reads pixels without packing
  const bool pixels_left = output_feature == 1 &&
                           (output_features > kFewFeatures || in_place || num_pixels * batch < 64 ||
                            (groups * batch_groups > 1 && output_features == 1));
  if (!pixels_left && num_pixels >= 64) {
    problem.batch.push_back({batch, input_batch, 0, batch_dim.output.stride});
  } else {
    dims.insert(dims.begin(), batch_dim);
  }
  // Neighbours in memory become neighbours in the panels: of the input for the left operand, of
  // the output for the right one, whose columns tiles write in place.
  auto stride = [&](const PixelDim& dim) {
    if (!pixels_left) return dim.output.stride;
    return dim.input.window < 0 ? dim.input.stride
                                : dim.input.step * pixels.windows[dim.input.window].stride;
  };
  std::stable_sort(dims.begin(), dims.end(),
                   [&](const PixelDim& a, const PixelDim& b) { return stride(a) > stride(b); });
  std::vector<MapDim> output_pixels;
  for (const PixelDim& dim : dims) {
    pixels.outer.push_back(dim.input);
    output_pixels.push_back(dim.output);
  }
  const std::vector<MapDim> output_columns = {{output_features, output_feature}};
  if (batch_groups > 1) {
    problem.batch.push_back({batch_groups, batch * input_batch, output_features * kernel_output,
                             output_features * output_feature});
  }
  if (groups > 1) {
    problem.batch.push_back({groups, features * input_feature, output_features * kernel_output,
                             output_features * output_feature});
  }
  problem.c.dtype = x.output.dtype;
  problem.c.offset = output_offset;
  if (pixels_left) {
    problem.a = std::move(pixels);
    problem.b = std::move(weights);
    problem.c.rows = std::move(output_pixels);
    problem.c.columns = output_columns;
  } else {
    problem.a = std::move(weights);
    problem.b = std::move(pixels);
    problem.c.rows = output_columns;
    problem.c.columns = std::move(output_pixels);
    for (BatchDim& dim : problem.batch) std::swap(dim.a_stride, dim.b_stride);
  }
  return {std::move(problem), pixels_left};
}

// A matrix product whose left (or right) operand is the input seen through the window. Operand 0 is
// the input.
class ProductStep final : public PreparedStep {
 public:
  ProductStep(Gemm gemm, bool pixels_left) : gemm_(std::move(gemm)), pixels_left_(pixels_left) {}
  Outcome Run(std::span<void* const> operands, std::span<void* const> results,
              const RunContext& context) const override {
    return gemm_.Run(operands[pixels_left_ ? 0 : 1], operands[pixels_left_ ? 1 : 0], results[0],
                     context);
  }
  int64_t scratch_bytes() const override { return gemm_.scratch_bytes(); }

 private:
  Gemm gemm_;
  bool pixels_left_;
};

// One part per class of outputs.
class ConvolutionStep final : public PreparedStep {
 public:
  explicit ConvolutionStep(std::vector<std::unique_ptr<PreparedStep>> parts)
      : parts_(std::move(parts)) {}
  Outcome Run(std::span<void* const> operands, std::span<void* const> results,
              const RunContext& context) const override {
    for (const auto& part : parts_) {
      PLINTH_RETURN_IF_ERROR(part->Run(operands, results, context).status());
    }
    return Status();
  }
  int64_t scratch_bytes() const override {
    int64_t most = 0;
    for (const auto& part : parts_) most = std::max(most, part->scratch_bytes());
    return most;
  }

 private:
  std::vector<std::unique_ptr<PreparedStep>> parts_;
};

}  // namespace

Expected<std::unique_ptr<PreparedStep>> PrepareConvolution(const compiler::PlanStep& step,
                                                           const LibraryOptions& options) {
  const ConvolutionAttributes& conv = *std::get_if<ConvolutionAttributes>(step.attributes.get());
  const ConvolutionArrays arrays{conv,
                                 step.operands[0].type,
                                 step.operands[1].type,
                                 step.results[0].type,
                                 DenseStrides(step.operands[0].type.dims, 1),
                                 DenseStrides(step.operands[1].type.dims, 1),
                                 DenseStrides(step.results[0].type.dims, 1)};
  const size_t rank = conv.input_spatial.size();
  if (rank > kMaxMapWindows) {
    return Unimplemented("a convolution over ", rank, " spatial dimensions; at most ",
                         kMaxMapWindows, " are supported");
  }
  // More classes than this cost more than the zeros they avoid.
  constexpr int64_t kMaxClasses = 64;
  int64_t num_classes = 1;
  for (size_t d = 0; d < rank && num_classes <= kMaxClasses; ++d) {
    num_classes *= std::min(conv.window.base_dilation[d], kMaxClasses + 1);
  }
  std::vector<std::vector<Spatial>> choices;
  for (size_t d = 0; d < rank; ++d) {
    choices.push_back(ClassesOf(conv.window, d, arrays.input.dims[conv.input_spatial[d]],
                                arrays.input_strides[conv.input_spatial[d]],
                                arrays.output.dims[conv.output_spatial[d]],
                                num_classes <= kMaxClasses));
  }
  std::vector<std::unique_ptr<PreparedStep>> parts;
  std::vector<size_t> index(rank, 0);
  std::vector<Spatial> spatial(rank);
  for (bool more = true; more;) {
    for (size_t d = 0; d < rank; ++d) {
      if (choices[d].empty()) return std::unique_ptr<PreparedStep>(new ConvolutionStep({}));
      spatial[d] = choices[d][index[d]];
    }
    parts.push_back(MakeRowConvolution(arrays, spatial));
    if (parts.back() == nullptr) {
      PartProblem problem = MakeProblem(arrays, spatial);
      PLINTH_ASSIGN_OR_RETURN(Gemm gemm, Gemm::Make(std::move(problem.gemm), options.blas));
      parts.back() = std::make_unique<ProductStep>(std::move(gemm), problem.pixels_left);
    }
    more = false;
    for (size_t d = rank; d-- > 0 && !more;) {
      more = ++index[d] < choices[d].size();
      if (!more) index[d] = 0;
    }
  }
  return std::unique_ptr<PreparedStep>(new ConvolutionStep(std::move(parts)));
}

}  // namespace plinth::cpu
