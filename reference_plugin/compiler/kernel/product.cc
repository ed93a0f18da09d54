// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/kernel/product.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace plinth::compiler {
namespace {

bool Contains(const Dims& dims, int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

// The smallest and the largest coordinate of a window.
std::pair<int64_t, int64_t> RangeOf(const OperandMap& map, int window) {
  int64_t low = map.windows[window].low, high = low;
  for (const std::vector<MapDim>* dims : {&map.outer, &map.inner}) {
    for (const MapDim& dim : *dims) {
      if (dim.window != window) continue;
      const int64_t reach = (dim.size - 1) * dim.step;
      (reach < 0 ? low : high) += reach;
    }
  }
  return {low, high};
}

void ReplaceWindow(OperandMap& map, int window) {
  const MapWindow& replaced = map.windows[window];
  map.offset += replaced.low * replaced.stride;
  for (std::vector<MapDim>* dims : {&map.outer, &map.inner}) {
    for (MapDim& dim : *dims) {
      if (dim.window == window) {
        dim = {dim.size, dim.step * replaced.stride, -1, 0};
      } else if (dim.window > window) {
        --dim.window;
      }
    }
  }
  map.windows.erase(map.windows.begin() + window);
}

// The parts along one spatial dimension. `split`: one per class of outputs.
std::vector<SpatialPart> PartsAlong(const ConvolutionArrays& x, size_t d, bool split) {
  const Window& window = x.conv.window;
  const int64_t input_dim = x.conv.input_spatial[d];
  const int64_t input = x.input.dims[input_dim], input_stride = x.input_strides[input_dim];
  const int64_t outputs = x.output.dims[x.conv.output_spatial[d]];
  const int64_t dilation = window.base_dilation[d];
  const bool reversed = !window.reversal.empty() && window.reversal[d];
  const int64_t taps = window.sizes[d];
  SpatialPart whole{
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
  std::vector<SpatialPart> parts;
  const int64_t step = std::gcd(window.strides[d], dilation);
  const int64_t tap_step = std::gcd(window.window_dilation[d], dilation);
  const int64_t period = dilation / step;
  const int64_t tap_period = dilation / tap_step;
  for (int64_t r = 0; r < std::min(period, outputs); ++r) {
    SpatialPart part = whole;
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
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

void OperandMap::Simplify() {
  for (int window = static_cast<int>(windows.size()); window-- > 0;) {
    const auto [low, high] = RangeOf(*this, window);
    if (windows[window].dilation == 1 && low >= 0 && high < windows[window].extent) {
      ReplaceWindow(*this, window);
    }
  }
  MergeDims(outer);
  MergeDims(inner);
  if (!inner.empty() && inner.back().window < 0) {
    run_length = inner.back().size;
    run_stride = inner.back().stride;
    inner.pop_back();
  }
}

void MergeDims(std::vector<MapDim>& dims) {
  std::vector<MapDim> merged;
  for (const MapDim& dim : dims) {
    if (dim.size == 1) continue;
    if (!merged.empty() && merged.back().window < 0 && dim.window < 0 &&
        merged.back().stride == dim.size * dim.stride) {
      merged.back() = {merged.back().size * dim.size, dim.stride, -1, 0};
    } else {
      merged.push_back(dim);
    }
  }
  dims = std::move(merged);
}

int64_t NumElements(const std::vector<MapDim>& dims) {
  int64_t count = 1;
  for (const MapDim& dim : dims) count *= dim.size;
  return count;
}

Product DotProduct(const DotAttributes& dot, const Type& lhs, const Type& rhs, const Type& result) {
  const Dims a_strides = DenseStrides(lhs.dims);
  const Dims b_strides = DenseStrides(rhs.dims);
  const Dims c_strides = DenseStrides(result.dims);
  Product product;
  product.a.dtype = lhs.dtype;
  product.b.dtype = rhs.dtype;
  product.c.dtype = result.dtype;
  // The result's dimensions: batch, then the free ones of the left, then of the right operand.
  size_t out = 0;
  for (size_t i = 0; i < dot.lhs_batch.size(); ++i, ++out) {
    product.batch.push_back({lhs.dims[dot.lhs_batch[i]], a_strides[dot.lhs_batch[i]],
                             b_strides[dot.rhs_batch[i]], c_strides[out]});
  }
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    if (Contains(dot.lhs_batch, d) || Contains(dot.lhs_contracting, d)) continue;
    product.a.outer.push_back({lhs.dims[d], a_strides[d]});
    product.c.rows.push_back({lhs.dims[d], c_strides[out++]});
  }
  for (int64_t d = 0; d < rhs.rank(); ++d) {
    if (Contains(dot.rhs_batch, d) || Contains(dot.rhs_contracting, d)) continue;
    product.b.outer.push_back({rhs.dims[d], b_strides[d]});
    product.c.columns.push_back({rhs.dims[d], c_strides[out++]});
  }
  std::vector<size_t> order(dot.lhs_contracting.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t x, size_t y) { return dot.lhs_contracting[x] < dot.lhs_contracting[y]; });
  for (size_t i : order) {
    const int64_t size = lhs.dims[dot.lhs_contracting[i]];
    product.a.inner.push_back({size, a_strides[dot.lhs_contracting[i]]});
    product.b.inner.push_back({size, b_strides[dot.rhs_contracting[i]]});
  }
  return product;
}

std::vector<ConvolutionPart> PartsOf(const ConvolutionArrays& arrays, int64_t max_parts) {
  const size_t rank = arrays.conv.input_spatial.size();
  int64_t num_classes = 1;
  for (size_t d = 0; d < rank && num_classes <= max_parts; ++d) {
    num_classes *= std::min(arrays.conv.window.base_dilation[d], max_parts + 1);
  }
  std::vector<ConvolutionPart> parts = {{}};
  for (size_t d = 0; d < rank; ++d) {
    std::vector<ConvolutionPart> longer;
    const std::vector<SpatialPart> choices = PartsAlong(arrays, d, num_classes <= max_parts);
    for (const ConvolutionPart& part : parts) {
      for (const SpatialPart& choice : choices) {
        longer.push_back(part);
        longer.back().push_back(choice);
      }
    }
    parts = std::move(longer);
  }
  return parts;
}

Product ConvolutionProduct(const ConvolutionArrays& arrays, const ConvolutionPart& part) {
  const ConvolutionAttributes& conv = arrays.conv;
  const int64_t input_batch = arrays.input_strides[conv.input_batch];
  const int64_t input_feature = arrays.input_strides[conv.input_feature];
  const int64_t kernel_output = arrays.kernel_strides[conv.kernel_output_feature];
  const int64_t output_feature = arrays.output_strides[conv.output_feature];
  const int64_t batch = arrays.batch(), features = arrays.features();
  const int64_t output_features = arrays.output_features();

  Product product;
  OperandMap &pixels = product.a, &weights = product.b;
  ResultMap& output = product.c;
  pixels.dtype = arrays.input.dtype;
  weights.dtype = arrays.kernel.dtype;
  output.dtype = arrays.output.dtype;
  pixels.outer.push_back({batch, input_batch});
  output.rows.push_back({batch, arrays.output_strides[conv.output_batch]});
  for (size_t d = 0; d < part.size(); ++d) {
    const SpatialPart& s = part[d];
    const int window = static_cast<int>(d);
    const int64_t kernel_stride = arrays.kernel_strides[conv.kernel_spatial[d]];
    const int64_t output_stride = arrays.output_strides[conv.output_spatial[d]];
    pixels.windows.push_back(s.window);
    pixels.outer.push_back({s.outputs, 0, window, s.output_step});
    pixels.inner.push_back({s.taps, 0, window, s.tap_step});
    weights.inner.push_back({s.taps, s.kernel_step * kernel_stride});
    weights.offset += s.first_tap * kernel_stride;
    output.rows.push_back({s.outputs, s.output_period * output_stride});
    output.offset += s.first_output * output_stride;
  }
  pixels.inner.push_back({features, input_feature});
  weights.inner.push_back({features, arrays.kernel_strides[conv.kernel_input_feature]});
  weights.outer.push_back({output_features, kernel_output});
  output.columns.push_back({output_features, output_feature});
  if (conv.batch_group_count > 1) {
    product.batch.push_back({conv.batch_group_count, batch * input_batch,
                             output_features * kernel_output, output_features * output_feature});
  }
  if (conv.feature_group_count > 1) {
    product.batch.push_back({conv.feature_group_count, features * input_feature,
                             output_features * kernel_output, output_features * output_feature});
  }
  return product;
}

}  // namespace plinth::compiler
