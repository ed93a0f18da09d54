// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_check_helpers.h"
#include "reference_plugin/compiler/ir/window_extent.h"

namespace plinth::compiler {
namespace {

// Operands have one element type, the result any: `recognize` makes products that kernels compute
// of those that they do not.
Status CheckProductElements(const Op& op) {
  const DType lhs = op.operands[0]->type.dtype;
  const DType rhs = op.operands[1]->type.dtype;
  if (lhs == rhs) return Status();
  return InvalidArgument("operand 1 has elements of ", Name(rhs), "; expected those of operand 0, ",
                         Name(lhs));
}

Status ExpectPositive(std::string_view name, std::span<const int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 1) {
      return InvalidArgument(name, " entry ", i, " is ", values[i], "; expected at least 1");
    }
  }
  return Status();
}

}  // namespace

Status CheckDot(const Op& op) {
  const Type& lhs = op.operands[0]->type;
  const Type& rhs = op.operands[1]->type;
  const auto& dot = op.Get<DotAttributes>();
  PLINTH_RETURN_IF_ERROR(CheckProductElements(op));
  Dims lhs_used = dot.lhs_batch;
  for (int64_t dim : dot.lhs_contracting) lhs_used.push_back(dim);
  Dims rhs_used = dot.rhs_batch;
  for (int64_t dim : dot.rhs_contracting) rhs_used.push_back(dim);
  PLINTH_RETURN_IF_ERROR(
      ExpectDims("lhs batching and contracting dimensions", lhs_used, lhs.rank()));
  PLINTH_RETURN_IF_ERROR(
      ExpectDims("rhs batching and contracting dimensions", rhs_used, rhs.rank()));
  PLINTH_RETURN_IF_ERROR(ExpectCount("rhs_batching_dimensions", dot.rhs_batch.size(),
                                     static_cast<int64_t>(dot.lhs_batch.size()),
                                     "as many as of the lhs"));
  PLINTH_RETURN_IF_ERROR(ExpectCount("rhs_contracting_dimensions", dot.rhs_contracting.size(),
                                     static_cast<int64_t>(dot.lhs_contracting.size()),
                                     "as many as of the lhs"));
  for (size_t i = 0; i < lhs_used.size(); ++i) {
    const int64_t left = lhs.dims[static_cast<size_t>(lhs_used[i])];
    const int64_t right = rhs.dims[static_cast<size_t>(rhs_used[i])];
    if (left != right) {
      return InvalidArgument(i < dot.lhs_batch.size() ? "batching" : "contracting", " dimension ",
                             lhs_used[i], " of the lhs has ", left, " entries, dimension ",
                             rhs_used[i], " of the rhs ", right, "; expected equal extents");
    }
  }
  Type expected = Type::Tensor(op.type().dtype, {});
  for (int64_t dim : dot.lhs_batch) expected.dims.push_back(lhs.dims[static_cast<size_t>(dim)]);
  const uint64_t lhs_mask = MaskOf(lhs_used);
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    if (!Contains(lhs_mask, d)) expected.dims.push_back(lhs.dims[static_cast<size_t>(d)]);
  }
  const uint64_t rhs_mask = MaskOf(rhs_used);
  for (int64_t d = 0; d < rhs.rank(); ++d) {
    if (!Contains(rhs_mask, d)) expected.dims.push_back(rhs.dims[static_cast<size_t>(d)]);
  }
  return ExpectResult(op, 0, expected, "batch, lhs and rhs dimensions");
}

Status CheckConvolution(const Op& op) {
  const Type& input = op.operands[0]->type;
  const Type& kernel = op.operands[1]->type;
  const Type& result = op.type();
  const auto& conv = op.Get<ConvolutionAttributes>();
  PLINTH_RETURN_IF_ERROR(CheckProductElements(op));
  const int64_t rank = input.rank();
  const int64_t spatial = rank - 2;
  if (spatial < 0 || kernel.rank() != rank || result.rank() != rank) {
    return InvalidArgument("operands and result have ", rank, ", ", kernel.rank(), " and ",
                           result.rank(), " dimensions; expected the same number, at least 2");
  }
  struct Layout {
    std::string_view name;
    int64_t first, second;
    const Dims& spatial;
  };
  for (const Layout& layout :
       {Layout{"input dimension numbers", conv.input_batch, conv.input_feature, conv.input_spatial},
        Layout{"kernel dimension numbers", conv.kernel_input_feature, conv.kernel_output_feature,
               conv.kernel_spatial},
        Layout{"output dimension numbers", conv.output_batch, conv.output_feature,
               conv.output_spatial}}) {
    Dims all = layout.spatial;
    all.push_back(layout.first);
    all.push_back(layout.second);
    PLINTH_RETURN_IF_ERROR(ExpectCount(layout.name, all.size(), rank, "one per dimension"));
    PLINTH_RETURN_IF_ERROR(ExpectDims(layout.name, all, rank));
  }
  const Window& window = conv.window;
  struct List {
    std::string_view name;
    size_t size;
  };
  for (const List& list :
       {List{"window_strides", window.strides.size()}, List{"padding", window.padding_low.size()},
        List{"padding", window.padding_high.size()},
        List{"lhs_dilation", window.base_dilation.size()},
        List{"rhs_dilation", window.window_dilation.size()},
        List{"window_reversal", window.reversal.size()}, List{"the window", window.sizes.size()}}) {
    PLINTH_RETURN_IF_ERROR(ExpectCount(list.name, list.size, spatial, "one per spatial dimension"));
  }
  PLINTH_RETURN_IF_ERROR(ExpectPositive("window_strides", window.strides));
  PLINTH_RETURN_IF_ERROR(ExpectPositive("lhs_dilation", window.base_dilation));
  PLINTH_RETURN_IF_ERROR(ExpectPositive("rhs_dilation", window.window_dilation));

  const int64_t features = conv.feature_group_count;
  const int64_t batches = conv.batch_group_count;
  if (features < 1 || batches < 1 || (features > 1 && batches > 1)) {
    return InvalidArgument("feature_group_count is ", features, " and batch_group_count ", batches,
                           "; expected at least 1, and one of them 1");
  }
  const auto extent = [](const Type& type, int64_t dim) {
    return type.dims[static_cast<size_t>(dim)];
  };
  const int64_t input_batch = extent(input, conv.input_batch);
  const int64_t input_features = extent(input, conv.input_feature);
  const int64_t kernel_inputs = extent(kernel, conv.kernel_input_feature);
  const int64_t kernel_outputs = extent(kernel, conv.kernel_output_feature);
  if (input_features % features != 0 || kernel_outputs % features != 0 ||
      kernel_inputs != input_features / features) {
    return InvalidArgument("the input has ", input_features, " features, the kernel takes ",
                           kernel_inputs, " and gives ", kernel_outputs,
                           "; expected them to fit feature_group_count ", features);
  }
  if (input_batch % batches != 0 || kernel_outputs % batches != 0) {
    return InvalidArgument("the input has a batch of ", input_batch, " and the kernel gives ",
                           kernel_outputs, " features; expected multiples of batch_group_count ",
                           batches);
  }
  Type expected = Type::Tensor(result.dtype, Dims(static_cast<size_t>(rank), 0));
  expected.dims[static_cast<size_t>(conv.output_batch)] = input_batch / batches;
  expected.dims[static_cast<size_t>(conv.output_feature)] = kernel_outputs;
  for (size_t i = 0; i < static_cast<size_t>(spatial); ++i) {
    if (window.sizes[i] != extent(kernel, conv.kernel_spatial[i])) {
      return InvalidArgument("the window's extent ", i, " is not the kernel's");
    }
    const auto positions = WindowPositions(window, i, extent(input, conv.input_spatial[i]));
    if (!positions) return InvalidArgument("spatial dimension ", i, " is too large");
    expected.dims[static_cast<size_t>(conv.output_spatial[i])] = *positions;
  }
  return ExpectResult(op, 0, expected, "batch, window positions and output features");
}

}  // namespace plinth::compiler
