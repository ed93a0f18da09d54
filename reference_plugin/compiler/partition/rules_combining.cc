// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reference_plugin/compiler/partition/rule_functions.h"

namespace plinth::compiler::partition {
namespace {

bool IsIn(const Dims& dims, int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

// Windows of one element, next to one another.
bool IsPlain(const Window& window, size_t dim) {
  return window.padding_low[dim] == 0 && window.padding_high[dim] == 0 &&
         window.strides[dim] == 1 && window.sizes[dim] == 1;
}

// Dimension numbers of gather, and of scatter read backwards: `slices` are the result of the one
// and the updates of the other.
struct GatherShape {
  const Dims& input;
  const Dims& slices;
  const Dims& indices;
  const Dims& offset_dims;
  const Dims& collapsed_dims;
  const Dims& input_batching;
  const Dims& indices_batching;
  int64_t index_vector_dim;
  // Scatter: of factors that indices and updates alone have.
  bool is_scatter;
  Factor batch;
};

// `add` is told the dimension of each, or kNoDim.
template <typename AddFunction>
void AddGatherFactors(const GatherShape& shape, AddFunction add) {
  int64_t input_dim = 0, batch = 0;
  const auto size_of = [](const Dims& dims, int64_t dim) { return dims[static_cast<size_t>(dim)]; };
  for (int64_t dim = 0; dim < std::ssize(shape.slices); ++dim) {
    const int64_t size = size_of(shape.slices, dim);
    if (!IsIn(shape.offset_dims, dim)) {
      const int64_t indices_dim = batch < shape.index_vector_dim ? batch : batch + 1;
      ++batch;
      const auto* const found =
          std::find(shape.indices_batching.begin(), shape.indices_batching.end(), indices_dim);
      const bool is_explicit = found != shape.indices_batching.end();
      const int64_t input_batch =
          is_explicit
              ? shape.input_batching[static_cast<size_t>(found - shape.indices_batching.begin())]
              : kNoDim;
      add(input_batch, indices_dim, dim, size,
          shape.is_scatter && !is_explicit ? shape.batch : Factor());
      continue;
    }
    while (IsIn(shape.collapsed_dims, input_dim) || IsIn(shape.input_batching, input_dim)) {
      ++input_dim;
    }
    const int64_t whole = size_of(shape.input, input_dim);
    if (whole == size) {
      add(input_dim, kNoDim, dim, whole, Factor());
    } else if (shape.is_scatter) {
      add(input_dim, kNoDim, kNoDim, whole, kReplicated);
      add(kNoDim, kNoDim, dim, size, kReplicated);
    } else if (size == 1) {
      add(input_dim, kNoDim, kNoDim, whole, kReduced);
      add(kNoDim, kNoDim, dim, size, kReplicated);
    } else {
      add(input_dim, kNoDim, dim, whole, kBlocked);
    }
    ++input_dim;
  }
  for (int64_t dim : shape.collapsed_dims) {
    const int64_t size = size_of(shape.input, dim);
    add(dim, kNoDim, kNoDim, size,
        shape.is_scatter ? Factor()
        : size == 1      ? kReplicated
                         : kReduced);
  }
  if (shape.index_vector_dim < std::ssize(shape.indices)) {
    add(kNoDim, shape.index_vector_dim, kNoDim, size_of(shape.indices, shape.index_vector_dim),
        kReplicated);
  }
}

// Whether the terms may come from different devices.
bool CombinesTerms(const Block& region) {
  return region.ops.size() == 2 && IsCommonCombiner(region.ops[0]->opcode);
}

}  // namespace

Rule DotGeneralFactors(const Op& op) {
  const DotAttributes& dot = op.Get<DotAttributes>();
  const Dims &lhs = ShapeOf(op.operands[0]), &rhs = ShapeOf(op.operands[1]);
  RuleBuilder builder(op);
  int64_t out = 0;
  for (size_t i = 0; i < dot.lhs_batch.size(); ++i) {
    builder.Add({dot.lhs_batch[i], dot.rhs_batch[i]}, {out++},
                lhs[static_cast<size_t>(dot.lhs_batch[i])]);
  }
  for (int64_t dim = 0; dim < std::ssize(lhs); ++dim) {
    if (IsIn(dot.lhs_batch, dim) || IsIn(dot.lhs_contracting, dim)) continue;
    builder.Add({dim, kNoDim}, {out++}, lhs[static_cast<size_t>(dim)]);
  }
  for (int64_t dim = 0; dim < std::ssize(rhs); ++dim) {
    if (IsIn(dot.rhs_batch, dim) || IsIn(dot.rhs_contracting, dim)) continue;
    builder.Add({kNoDim, dim}, {out++}, rhs[static_cast<size_t>(dim)]);
  }
  for (size_t i = 0; i < dot.lhs_contracting.size(); ++i) {
    builder.Add({dot.lhs_contracting[i], dot.rhs_contracting[i]}, {kNoDim},
                lhs[static_cast<size_t>(dot.lhs_contracting[i])], kReduced);
  }
  return std::move(builder).Build();
}

Rule ConvolutionFactors(const Op& op) {
  const ConvolutionAttributes& conv = op.Get<ConvolutionAttributes>();
  const Dims &lhs = ShapeOf(op.operands[0]), &rhs = ShapeOf(op.operands[1]), &out = op.type().dims;
  const auto size_of = [](const Dims& dims, int64_t dim) { return dims[static_cast<size_t>(dim)]; };
  RuleBuilder builder(op);
  if (conv.batch_group_count > 1) {
    builder.Add({conv.input_batch, conv.kernel_output_feature}, {conv.output_feature},
                conv.batch_group_count);
  }
  builder.Add({conv.input_batch, kNoDim}, {conv.output_batch}, size_of(out, conv.output_batch));
  for (size_t i = 0; i < conv.input_spatial.size(); ++i) {
    const int64_t lhs_dim = conv.input_spatial[i], rhs_dim = conv.kernel_spatial[i];
    const int64_t out_dim = conv.output_spatial[i];
    const int64_t windows = size_of(out, out_dim), window = size_of(rhs, rhs_dim);
    int64_t remaining = size_of(lhs, lhs_dim);
    // Of the input, either windows or places within a window are spread; the more there are of
    // them, the more major they are.
    const auto add = [&](int64_t size, bool contracting) {
      size = std::min(size, remaining);
      if (size <= 1) return;
      builder.Add({lhs_dim, contracting ? rhs_dim : kNoDim}, {contracting ? kNoDim : out_dim}, size,
                  contracting ? kReduced : kPermuted);
      remaining /= size;
    };
    const bool windows_first = windows >= window;
    add(windows_first ? windows : window, !windows_first);
    add(windows_first ? window : windows, windows_first);
  }
  if (conv.feature_group_count > 1) {
    builder.Add({conv.input_feature, conv.kernel_output_feature}, {conv.output_feature},
                conv.feature_group_count);
  }
  builder.Add({conv.input_feature, conv.kernel_input_feature}, {kNoDim},
              size_of(rhs, conv.kernel_input_feature), kReduced);
  const int64_t features =
      size_of(out, conv.output_feature) / (conv.batch_group_count * conv.feature_group_count);
  if (features > 1) {
    builder.Add({kNoDim, conv.kernel_output_feature}, {conv.output_feature}, features);
  }
  return std::move(builder).Build();
}

Rule ReduceFactors(const Op& op) {
  const Dims& reduced = op.Get<DimensionsAttributes>().dimensions;
  const size_t inputs = op.operands.size() / 2;
  const Dims& shape = ShapeOf(op.operands[0]);
  RuleBuilder builder(op);
  std::vector<int64_t> operand_dims(op.operands.size(), kNoDim), result_dims(inputs, kNoDim);
  int64_t out = 0;
  for (int64_t dim = 0; dim < std::ssize(shape); ++dim) {
    const bool is_reduced = IsIn(reduced, dim);
    std::fill_n(operand_dims.begin(), inputs, dim);
    result_dims.assign(inputs, is_reduced ? kNoDim : out);
    out += is_reduced ? 0 : 1;
    builder.Add(operand_dims, result_dims, shape[static_cast<size_t>(dim)],
                is_reduced ? kReduced : Factor());
  }
  return std::move(builder).Build();
}

Rule ReduceWindowFactors(const Op& op) {
  const Window& window = op.Get<WindowAttributes>().window;
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < op.type().rank(); ++dim) {
    const size_t d = static_cast<size_t>(dim);
    builder.AddToAll(dim, op.type().dims[d], IsPlain(window, d) ? Factor() : kPermuted);
  }
  return std::move(builder).Build();
}

// It is a reduce_window with windows as long as the dimension.
Rule CumulativeReduceFactors(const Op& op) {
  const int64_t cumulative = op.Get<DimensionAttributes>().dimension;
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < op.type().rank(); ++dim) {
    builder.AddToAll(dim, op.type().dims[static_cast<size_t>(dim)],
                     dim == cumulative ? kPermuted : Factor());
  }
  return std::move(builder).Build();
}

Rule SelectAndScatterFactors(const Op& op) {
  const Window& window = op.Get<WindowAttributes>().window;
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < op.type().rank(); ++dim) {
    const size_t d = static_cast<size_t>(dim);
    if (IsPlain(window, d)) {
      builder.AddToAll(dim, op.type().dims[d]);
      continue;
    }
    builder.Add({kNoDim, dim, kNoDim}, {kNoDim}, ShapeOf(op.operands[1])[d], kReplicated);
    builder.Add({dim, kNoDim, kNoDim}, {dim}, op.type().dims[d], kPermuted);
  }
  return std::move(builder).Build();
}

Rule GatherFactors(const Op& op) {
  const GatherAttributes& gather = op.Get<GatherAttributes>();
  RuleBuilder builder(op);
  AddGatherFactors({ShapeOf(op.operands[0]), op.type().dims, ShapeOf(op.operands[1]),
                    gather.offset_dims, gather.collapsed_slice_dims, gather.operand_batching_dims,
                    gather.start_indices_batching_dims, gather.index_vector_dim, false, Factor()},
                   [&](int64_t input, int64_t indices, int64_t slices, int64_t size, Factor like) {
                     builder.Add({input, indices}, {slices}, size, like);
                   });
  return std::move(builder).Build();
}

Rule ScatterFactors(const Op& op) {
  const ScatterAttributes& scatter = op.Get<ScatterAttributes>();
  const size_t inputs = op.results.size();
  RuleBuilder builder(op);
  AddGatherFactors(
      {ShapeOf(op.operands[0]), ShapeOf(op.operands[inputs + 1]), ShapeOf(op.operands[inputs]),
       scatter.update_window_dims, scatter.inserted_window_dims, scatter.input_batching_dims,
       scatter.scatter_indices_batching_dims, scatter.index_vector_dim, true,
       CombinesTerms(*op.blocks[0]) ? kReduced : kReplicated},
      [&](int64_t input, int64_t indices, int64_t slices, int64_t size, Factor like) {
        std::vector<int64_t> operands(inputs, input), results(inputs, input);
        operands.push_back(indices);
        operands.insert(operands.end(), inputs, slices);
        builder.Add(operands, results, size, like);
      });
  return std::move(builder).Build();
}

Rule SortFactors(const Op& op) {
  const int64_t sorted = op.Get<DimensionAttributes>().dimension;
  const Dims& shape = ShapeOf(op.operands[0]);
  bool alone = true;
  for (int64_t dim = 0; dim < std::ssize(shape); ++dim) {
    alone &= dim == sorted || shape[static_cast<size_t>(dim)] == 1;
  }
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < std::ssize(shape); ++dim) {
    builder.AddToAll(dim, shape[static_cast<size_t>(dim)],
                     dim != sorted ? Factor()
                     : alone       ? kBlocked
                                   : kReplicated);
  }
  return std::move(builder).Build();
}

Rule TopKFactors(const Op& op) {
  RuleBuilder builder(op);
  builder.AddShapes(ShapeOf(op.operands[0]), op.type().dims, kBlocked);
  return std::move(builder).Build();
}

}  // namespace plinth::compiler::partition
