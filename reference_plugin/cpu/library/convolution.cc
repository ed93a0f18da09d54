// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cpu/library/convolution_parts.h"
#include "reference_plugin/cpu/library/gemm.h"
#include "reference_plugin/cpu/library/library.h"

namespace plinth::cpu::library {
namespace {

using compiler::ConvolutionAttributes;

struct PartProblem {
  compiler::Product product;
  bool pixels_left;  // the input is the left operand, the kernel the right one
};

// The product of a part, its dimensions in the order in which Gemm takes them best.
PartProblem MakeProblem(const ConvolutionArrays& x, const ConvolutionPart& part) {
  compiler::Product product = compiler::ConvolutionProduct(x, part);
  OperandMap &pixels = product.a, &weights = product.b;
  std::vector<MapDim>& output_pixels = product.c.rows;
  const MapDim batch = pixels.outer.front(), feature = pixels.inner.back();
  const MapDim output_feature = product.c.columns.front();
  int64_t num_pixels = 1;
  for (const Spatial& s : part) num_pixels *= s.outputs;
  // Runs along the features, unless those are far apart and rows are neighbours instead.
  const bool features_last = batch.stride != 1 || batch.size < 8;
  if (!features_last) {
    for (std::vector<MapDim>* inner : {&pixels.inner, &weights.inner}) {
      std::rotate(inner->begin(), inner->end() - 1, inner->end());
    }
  }
  // The result's contiguous side becomes the columns, unless too few features would be in a tile.
  constexpr int64_t kFewFeatures = 8;
  const bool in_place = pixels.dtype == DType::kF32 && (feature.stride == 1 || feature.size == 1) &&
                        feature.size <= 256;  // as Gemm reads pixels without packing
  const bool pixels_left =
      output_feature.stride == 1 &&
      (output_feature.size > kFewFeatures || in_place || num_pixels * batch.size < 64 ||
       (x.groups() > 1 && output_feature.size == 1));
  if (!pixels_left && num_pixels >= 64) {
    product.batch.insert(product.batch.begin(),
                         {batch.size, batch.stride, 0, output_pixels.front().stride});
    pixels.outer.erase(pixels.outer.begin());
    output_pixels.erase(output_pixels.begin());
  }
  // Neighbours in memory become neighbours in the panels: of the input for the left operand, of
  // the output for the right one, whose columns tiles write in place.
  auto stride = [&](size_t d) {
    if (!pixels_left) return output_pixels[d].stride;
    const MapDim& input = pixels.outer[d];
    return input.window < 0 ? input.stride : input.step * pixels.windows[input.window].stride;
  };
  std::vector<size_t> order(output_pixels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return stride(a) > stride(b); });
  std::vector<MapDim> inputs, outputs;
  for (size_t d : order) {
    inputs.push_back(pixels.outer[d]);
    outputs.push_back(output_pixels[d]);
  }
  pixels.outer = std::move(inputs);
  output_pixels = std::move(outputs);
  if (!pixels_left) {
    std::swap(product.a, product.b);
    std::swap(product.c.rows, product.c.columns);
    for (compiler::BatchDim& dim : product.batch) std::swap(dim.a_stride, dim.b_stride);
  }
  return {std::move(product), pixels_left};
}

// A matrix product whose left (or right) operand is the input seen through the window. Operand 0 is
// the input.
class ProductStep final : public backend::PreparedStep {
 public:
  ProductStep(Gemm gemm, bool pixels_left) : gemm_(std::move(gemm)), pixels_left_(pixels_left) {}
  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    return gemm_.Run(operands[pixels_left_ ? 0 : 1], operands[pixels_left_ ? 1 : 0], results[0],
                     context);
  }
  int64_t scratch_bytes() const override { return gemm_.scratch_bytes(); }

 private:
  Gemm gemm_;
  bool pixels_left_;
};

// One part per class of outputs.
class ConvolutionStep final : public backend::PreparedStep {
 public:
  explicit ConvolutionStep(std::vector<std::unique_ptr<backend::PreparedStep>> parts)
      : parts_(std::move(parts)) {}
  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
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
  std::vector<std::unique_ptr<backend::PreparedStep>> parts_;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareConvolution(
    const compiler::plan::PlanStep& step, const LibraryOptions& options) {
  const ConvolutionAttributes& conv = *std::get_if<ConvolutionAttributes>(step.attributes.get());
  const ConvolutionArrays arrays{conv, step.operands[0].type, step.operands[1].type,
                                 step.results[0].type};
  const size_t rank = conv.input_spatial.size();
  if (rank > kMaxMapWindows) {
    return Unimplemented("a convolution over ", rank, " spatial dimensions; at most ",
                         kMaxMapWindows, " are supported");
  }
  constexpr int64_t kMaxParts = 64;
  std::vector<std::unique_ptr<backend::PreparedStep>> parts;
  for (const ConvolutionPart& part : compiler::PartsOf(arrays, kMaxParts)) {
    parts.push_back(MakeRowConvolution(arrays, part));
    if (parts.back() == nullptr) {
      PartProblem problem = MakeProblem(arrays, part);
      PLINTH_ASSIGN_OR_RETURN(Gemm gemm, Gemm::Make(std::move(problem.product), options.blas));
      parts.back() = std::make_unique<ProductStep>(std::move(gemm), problem.pixels_left);
    }
  }
  return std::unique_ptr<backend::PreparedStep>(new ConvolutionStep(std::move(parts)));
}

}  // namespace plinth::cpu::library
