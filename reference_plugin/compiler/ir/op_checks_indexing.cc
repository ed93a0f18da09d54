// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_check_helpers.h"

// Gather and scatter: two ways through the same map between an operand and a list of start indices.
namespace plinth::compiler {
namespace {

Status ExpectSortedDims(std::string_view name, std::span<const int64_t> dims, int64_t rank) {
  PLINTH_RETURN_IF_ERROR(ExpectDims(name, dims, rank));
  if (std::is_sorted(dims.begin(), dims.end())) return Status();
  return InvalidArgument(name, " is ", DimsText(dims), "; expected ascending dimensions");
}

// What gather and scatter have in common. `collapsed` are the operand dimensions that have no
// counterpart in a window (with the batching dimensions), `index_map` the operand dimension of each
// entry of an index vector.
struct IndexMap {
  std::string_view collapsed_name, operand_batching_name, indices_batching_name, index_map_name;
  const Dims& collapsed;
  const Dims& operand_batching;
  const Dims& indices_batching;
  const Dims& index_map;
  int64_t index_vector_dim;
};

Status CheckIndexMap(const Op& op, const Type& operand, size_t indices_operand,
                     const IndexMap& map) {
  const Type& indices = op.operands[indices_operand]->type;
  PLINTH_RETURN_IF_ERROR(CheckElements(op, indices_operand, kIntegerMask));
  PLINTH_RETURN_IF_ERROR(
      ExpectInRange("index_vector_dim", map.index_vector_dim, 0, indices.rank()));
  PLINTH_RETURN_IF_ERROR(ExpectSortedDims(map.collapsed_name, map.collapsed, operand.rank()));
  PLINTH_RETURN_IF_ERROR(
      ExpectSortedDims(map.operand_batching_name, map.operand_batching, operand.rank()));
  PLINTH_RETURN_IF_ERROR(
      ExpectDims(map.indices_batching_name, map.indices_batching, indices.rank()));
  PLINTH_RETURN_IF_ERROR(ExpectDims(map.index_map_name, map.index_map, operand.rank()));
  const uint64_t batching = MaskOf(map.operand_batching);
  if ((batching & MaskOf(map.collapsed)) != 0) {
    return InvalidArgument(map.collapsed_name, " and ", map.operand_batching_name,
                           " name the same dimension");
  }
  if ((batching & MaskOf(map.index_map)) != 0) {
    return InvalidArgument(map.index_map_name, " and ", map.operand_batching_name,
                           " name the same dimension");
  }
  const int64_t vector_size = map.index_vector_dim < indices.rank()
                                  ? indices.dims[static_cast<size_t>(map.index_vector_dim)]
                                  : 1;
  PLINTH_RETURN_IF_ERROR(ExpectCount(map.index_map_name, map.index_map.size(), vector_size,
                                     "the length of an index vector"));
  PLINTH_RETURN_IF_ERROR(ExpectCount(map.indices_batching_name, map.indices_batching.size(),
                                     static_cast<int64_t>(map.operand_batching.size()),
                                     "one per operand batching dimension"));
  for (size_t i = 0; i < map.indices_batching.size(); ++i) {
    if (map.indices_batching[i] == map.index_vector_dim) {
      return InvalidArgument(map.indices_batching_name, " names the index vector dimension ",
                             map.index_vector_dim);
    }
    const int64_t indices_extent = indices.dims[static_cast<size_t>(map.indices_batching[i])];
    const int64_t operand_extent = operand.dims[static_cast<size_t>(map.operand_batching[i])];
    if (indices_extent != operand_extent) {
      return InvalidArgument("batching dimension ", i, " has ", indices_extent,
                             " entries in the indices and ", operand_extent, " in the operand");
    }
  }
  return Status();
}

// The dimensions of the indices that are not the index vector.
Dims BatchDims(const Type& indices, int64_t index_vector_dim) {
  Dims dims;
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d != index_vector_dim) dims.push_back(indices.dims[static_cast<size_t>(d)]);
  }
  return dims;
}

}  // namespace

Status CheckGather(const Op& op) {
  const Type& operand = op.operands[0]->type;
  const Type& indices = op.operands[1]->type;
  const auto& gather = op.Get<GatherAttributes>();
  PLINTH_RETURN_IF_ERROR(CheckIndexMap(
      op, operand, 1,
      {"collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
       "start_index_map", gather.collapsed_slice_dims, gather.operand_batching_dims,
       gather.start_indices_batching_dims, gather.start_index_map, gather.index_vector_dim}));
  PLINTH_RETURN_IF_ERROR(ExpectCount("slice_sizes", gather.slice_sizes.size(), operand.rank(),
                                     "one per operand dimension"));
  const uint64_t collapsed =
      MaskOf(gather.collapsed_slice_dims) | MaskOf(gather.operand_batching_dims);
  Dims window;
  for (size_t i = 0; i < gather.slice_sizes.size(); ++i) {
    const bool is_collapsed = Contains(collapsed, static_cast<int64_t>(i));
    const int64_t most = is_collapsed ? std::min<int64_t>(operand.dims[i], 1) : operand.dims[i];
    PLINTH_RETURN_IF_ERROR(
        ExpectInRange(StrCat("slice_sizes entry ", i), gather.slice_sizes[i], 0, most));
    if (!is_collapsed) window.push_back(gather.slice_sizes[i]);
  }
  const Dims batch = BatchDims(indices, gather.index_vector_dim);
  const int64_t rank = static_cast<int64_t>(batch.size() + gather.offset_dims.size());
  PLINTH_RETURN_IF_ERROR(ExpectCount("offset_dims", gather.offset_dims.size(),
                                     static_cast<int64_t>(window.size()),
                                     "operand dimensions that are not collapsed or batching"));
  if (rank > 64) {
    return InvalidArgument("the result has ", rank, " dimensions; expected at most 64");
  }
  PLINTH_RETURN_IF_ERROR(ExpectSortedDims("offset_dims", gather.offset_dims, rank));
  Type expected = Type::Tensor(operand.dtype, {});
  const uint64_t offsets = MaskOf(gather.offset_dims);
  size_t next_window = 0;
  size_t next_batch = 0;
  for (int64_t d = 0; d < rank; ++d) {
    expected.dims.push_back(Contains(offsets, d) ? window[next_window++] : batch[next_batch++]);
  }
  return ExpectResult(op, 0, expected, "windows and index batch");
}

Status CheckScatter(const Op& op) {
  if (op.operands.size() % 2 != 1) {
    return InvalidArgument("there are ", op.operands.size(),
                           " operands; expected n inputs, the indices and n updates");
  }
  const size_t count = op.operands.size() / 2;
  PLINTH_RETURN_IF_ERROR(ExpectCount("the list of results", op.results.size(),
                                     static_cast<int64_t>(count), "one per input"));
  const Type& operand = op.operands[0]->type;
  const Type& indices = op.operands[count]->type;
  const auto& scatter = op.Get<ScatterAttributes>();
  PLINTH_RETURN_IF_ERROR(
      CheckIndexMap(op, operand, count,
                    {"inserted_window_dims", "input_batching_dims", "scatter_indices_batching_dims",
                     "scatter_dims_to_operand_dims", scatter.inserted_window_dims,
                     scatter.input_batching_dims, scatter.scatter_indices_batching_dims,
                     scatter.scatter_dims_to_operand_dims, scatter.index_vector_dim}));
  const uint64_t inserted =
      MaskOf(scatter.inserted_window_dims) | MaskOf(scatter.input_batching_dims);
  Dims window_limits;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (!Contains(inserted, d)) window_limits.push_back(operand.dims[static_cast<size_t>(d)]);
  }
  const Dims batch = BatchDims(indices, scatter.index_vector_dim);
  const Type& update = op.operands[count + 1]->type;
  PLINTH_RETURN_IF_ERROR(ExpectCount("update_window_dims", scatter.update_window_dims.size(),
                                     static_cast<int64_t>(window_limits.size()),
                                     "operand dimensions that are not inserted or batching"));
  PLINTH_RETURN_IF_ERROR(ExpectCount("the shape of the updates", update.dims.size(),
                                     static_cast<int64_t>(batch.size() + window_limits.size()),
                                     "index batch and windows"));
  PLINTH_RETURN_IF_ERROR(
      ExpectSortedDims("update_window_dims", scatter.update_window_dims, update.rank()));
  const uint64_t windows = MaskOf(scatter.update_window_dims);
  size_t next_window = 0;
  size_t next_batch = 0;
  for (int64_t d = 0; d < update.rank(); ++d) {
    const int64_t extent = update.dims[static_cast<size_t>(d)];
    if (Contains(windows, d)) {
      const int64_t limit = window_limits[next_window++];
      if (extent <= limit) continue;
      return InvalidArgument("dimension ", d, " of the updates has ", extent,
                             " entries; expected at most ", limit);
    }
    const int64_t expected = batch[next_batch++];
    if (extent == expected) continue;
    return InvalidArgument("dimension ", d, " of the updates has ", extent,
                           " entries; expected as many as the indices: ", expected);
  }
  std::vector<Type> scalars;
  for (size_t i = 0; i < count; ++i) {
    const Type& input = op.operands[i]->type;
    PLINTH_RETURN_IF_ERROR(
        ExpectOperand(op, i, Type::Tensor(input.dtype, operand.dims), "inputs have one shape"));
    PLINTH_RETURN_IF_ERROR(ExpectOperand(op, count + 1 + i, Type::Tensor(input.dtype, update.dims),
                                         "updates have one shape and their input's elements"));
    PLINTH_RETURN_IF_ERROR(ExpectResult(op, i, input, "the type of its input"));
    scalars.push_back(Type::Tensor(input.dtype, {}));
  }
  std::vector<Type> arguments = scalars;
  arguments.insert(arguments.end(), scalars.begin(), scalars.end());
  return ExpectRegion(op, 0, arguments, scalars);
}

}  // namespace plinth::compiler
