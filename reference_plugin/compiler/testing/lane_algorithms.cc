// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/testing/lane_algorithms.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace plinth::compiler::testing {
namespace {

using Place = std::vector<int64_t>;

size_t FlatPlace(const Dims& dims, const Place& place) {
  int64_t flat = 0;
  for (size_t i = 0; i < dims.size(); ++i) flat = flat * dims[i] + place[i];
  return static_cast<size_t>(flat);
}

// Stops at the first error.
template <typename Visit>
Status ForEachPlace(const Dims& dims, const Visit& visit) {
  Place place(dims.size(), 0);
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  for (int64_t i = 0; i < count; ++i) {
    PLINTH_RETURN_IF_ERROR(visit(std::as_const(place)));
    for (size_t d = dims.size(); d-- > 0;) {
      if (++place[d] < dims[d]) break;
      place[d] = 0;
    }
  }
  return Status();
}

bool Has(const Dims& dims, int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

class Algorithm {
 public:
  Algorithm(const Op& op, std::span<const Numbers* const> operands, const RunRegion& region)
      : op_(op), operands_(operands), region_(region) {
    for (const Value* result : op.results) {
      results_.emplace_back(static_cast<size_t>(result->type.NumElements()), 0.0);
    }
  }

  Expected<std::vector<Numbers>> Run() && {
    PLINTH_RETURN_IF_ERROR(Dispatch());
    return std::move(results_);
  }

 private:
  Status Dispatch() {
    switch (op_.opcode) {
      case Opcode::kSort:
        return Sort();
      case Opcode::kTopK:
        return TopK();
      case Opcode::kReduce:
        return Reduce();
      case Opcode::kReduceWindow:
        return ReduceWindow();
      case Opcode::kSelectAndScatter:
        return SelectAndScatter();
      case Opcode::kGather:
        return Gather();
      case Opcode::kScatter:
        return Scatter();
      default:
        return Unimplemented("lanes do not know this op");
    }
  }

  const Dims& DimsOf(size_t operand) const { return op_.operands[operand]->type.dims; }
  double At(size_t operand, const Place& place) const {
    return (*operands_[operand])[FlatPlace(DimsOf(operand), place)];
  }
  // The places along a dimension, all others as in `place`.
  std::vector<size_t> Along(size_t dim, Place place) const {
    std::vector<size_t> line;
    for (int64_t i = 0; i < DimsOf(0)[dim]; ++i) {
      place[dim] = i;
      line.push_back(FlatPlace(DimsOf(0), place));
    }
    return line;
  }
  Status ForEachLine(size_t dim, const std::function<Status(const Place&)>& visit) const {
    Dims firsts = DimsOf(0);
    if (firsts[dim] == 0) return Status();
    firsts[dim] = 1;
    return ForEachPlace(firsts, visit);
  }

  Status Sort() {
    const size_t dim = static_cast<size_t>(op_.Get<DimensionAttributes>().dimension);
    return ForEachLine(dim, [&](const Place& first) -> Status {
      const std::vector<size_t> line = Along(dim, first);
      std::vector<size_t> order = line;
      Status status;
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        Numbers pair;
        for (const Numbers* operand : operands_) {
          pair.push_back((*operand)[a]);
          pair.push_back((*operand)[b]);
        }
        const auto less = region_(*op_.blocks[0], pair);
        if (!less.ok()) status = less.status();
        return less.ok() && (*less)[0] != 0;
      });
      for (size_t i = 0; i < results_.size(); ++i) {
        for (size_t k = 0; k < line.size(); ++k) results_[i][line[k]] = (*operands_[i])[order[k]];
      }
      return status;
    });
  }

  Status TopK() {
    const size_t dim = static_cast<size_t>(op_.Get<DimensionAttributes>().dimension);
    return ForEachLine(dim, [&](const Place& first) -> Status {
      const std::vector<size_t> line = Along(dim, first);
      std::vector<size_t> order(line.size());
      std::iota(order.begin(), order.end(), size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return (*operands_[0])[line[a]] > (*operands_[0])[line[b]];
      });
      Place to = first;
      for (int64_t i = 0; i < op_.type().dims[dim]; ++i) {
        to[dim] = i;
        const size_t at = FlatPlace(op_.type().dims, to);
        results_[0][at] = (*operands_[0])[line[order[static_cast<size_t>(i)]]];
        results_[1][at] = static_cast<double>(order[static_cast<size_t>(i)]);
      }
      return Status();
    });
  }

  // Puts `region(what is there, new)` there, for all results together.
  Status Accumulate(size_t at, const std::vector<double>& more) {
    Numbers arguments;
    for (const Numbers& result : results_) arguments.push_back(result[at]);
    arguments.insert(arguments.end(), more.begin(), more.end());
    PLINTH_ASSIGN_OR_RETURN(const Numbers made, region_(*op_.blocks[0], arguments));
    for (size_t i = 0; i < results_.size(); ++i) results_[i][at] = made[i];
    return Status();
  }
  void BeginWithInits() {
    for (size_t i = 0; i < results_.size(); ++i) {
      std::fill(results_[i].begin(), results_[i].end(), (*operands_[results_.size() + i])[0]);
    }
  }
  std::vector<double> InputsAt(const Place& place) const {
    std::vector<double> numbers;
    for (size_t i = 0; i < results_.size(); ++i) numbers.push_back(At(i, place));
    return numbers;
  }

  Status Reduce() {
    const Dims& reduced = op_.Get<DimensionsAttributes>().dimensions;
    BeginWithInits();
    return ForEachPlace(DimsOf(0), [&](const Place& place) {
      Place to;
      for (size_t i = 0; i < place.size(); ++i) {
        if (!Has(reduced, static_cast<int64_t>(i))) to.push_back(place[i]);
      }
      return Accumulate(FlatPlace(op_.type().dims, to), InputsAt(place));
    });
  }

  // The place in the operand of an element of a window; false: it is beyond it or in a hole.
  static bool InWindow(const Window& window, const Dims& operand, const Place& at,
                       const Place& element, Place& place) {
    place.assign(at.size(), 0);
    for (size_t d = 0; d < at.size(); ++d) {
      const int64_t i = at[d] * window.strides[d] + element[d] * window.window_dilation[d] -
                        window.padding_low[d];
      place[d] = i / window.base_dilation[d];
      if (i < 0 || i % window.base_dilation[d] != 0 || place[d] >= operand[d]) return false;
    }
    return true;
  }

  Status ReduceWindow() {
    const Window& window = op_.Get<WindowAttributes>().window;
    BeginWithInits();
    return ForEachPlace(op_.type().dims, [&](const Place& at) {
      return ForEachPlace(window.sizes, [&](const Place& element) {
        Place place;
        if (!InWindow(window, DimsOf(0), at, element, place)) return Status();
        return Accumulate(FlatPlace(op_.type().dims, at), InputsAt(place));
      });
    });
  }

  Status SelectAndScatter() {
    const Window& window = op_.Get<WindowAttributes>().window;
    std::fill(results_[0].begin(), results_[0].end(), (*operands_[2])[0]);
    return ForEachPlace(DimsOf(1), [&](const Place& at) -> Status {
      Place selected;
      PLINTH_RETURN_IF_ERROR(ForEachPlace(window.sizes, [&](const Place& element) -> Status {
        Place place;
        if (!InWindow(window, DimsOf(0), at, element, place)) return Status();
        if (!selected.empty()) {
          PLINTH_ASSIGN_OR_RETURN(const Numbers keeps,
                                  region_(*op_.blocks[0], {At(0, selected), At(0, place)}));
          if (keeps[0] != 0) return Status();
        }
        selected = place;
        return Status();
      }));
      if (selected.empty()) return Status();
      double& there = results_[0][FlatPlace(op_.type().dims, selected)];
      PLINTH_ASSIGN_OR_RETURN(const Numbers sum, region_(*op_.blocks[1], {At(1, at), there}));
      there = sum[0];
      return Status();
    });
  }

  // Of what `slices` names, the place among the indices, and where the slice begins.
  struct Indexing {
    const Dims &window_dims, &collapsed, &batching, &indices_batching, &map;
    int64_t vector_dim;
  };
  Place StartOf(const Indexing& how, size_t indices, const Dims& operand,
                const Place& batch) const {
    Place start(operand.size(), 0);
    for (size_t k = 0; k < how.map.size(); ++k) {
      Place at = batch;
      if (how.vector_dim < std::ssize(DimsOf(indices))) {
        at.insert(at.begin() + how.vector_dim, static_cast<int64_t>(k));
      }
      start[static_cast<size_t>(how.map[k])] = static_cast<int64_t>(At(indices, at));
    }
    for (size_t k = 0; k < how.batching.size(); ++k) {
      int64_t dim = how.indices_batching[k];
      if (dim > how.vector_dim) --dim;
      start[static_cast<size_t>(how.batching[k])] = batch[static_cast<size_t>(dim)];
    }
    return start;
  }
  static void Split(const Indexing& how, const Place& place, size_t rank, Place& batch,
                    Place& window) {
    window.assign(rank, 0);
    size_t dim = 0;
    for (size_t i = 0; i < place.size(); ++i) {
      if (!Has(how.window_dims, static_cast<int64_t>(i))) {
        batch.push_back(place[i]);
        continue;
      }
      while (Has(how.collapsed, static_cast<int64_t>(dim)) ||
             Has(how.batching, static_cast<int64_t>(dim))) {
        ++dim;
      }
      window[dim++] = place[i];
    }
  }

  Status Gather() {
    const auto& gather = op_.Get<GatherAttributes>();
    const Indexing how = {gather.offset_dims,           gather.collapsed_slice_dims,
                          gather.operand_batching_dims, gather.start_indices_batching_dims,
                          gather.start_index_map,       gather.index_vector_dim};
    const Dims& operand = DimsOf(0);
    return ForEachPlace(op_.type().dims, [&](const Place& place) {
      Place batch, window;
      Split(how, place, operand.size(), batch, window);
      const Place start = StartOf(how, 1, operand, batch);
      for (size_t d = 0; d < operand.size(); ++d) {
        window[d] += std::clamp<int64_t>(start[d], 0, operand[d] - gather.slice_sizes[d]);
      }
      results_[0][FlatPlace(op_.type().dims, place)] = At(0, window);
      return Status();
    });
  }

  Status Scatter() {
    const auto& scatter = op_.Get<ScatterAttributes>();
    const Indexing how = {
        scatter.update_window_dims,           scatter.inserted_window_dims,
        scatter.input_batching_dims,          scatter.scatter_indices_batching_dims,
        scatter.scatter_dims_to_operand_dims, scatter.index_vector_dim};
    const size_t inputs = results_.size();
    const Dims &operand = DimsOf(0), &updates = DimsOf(inputs + 1);
    for (size_t i = 0; i < inputs; ++i) results_[i] = *operands_[i];
    Place last, no_batch;
    for (int64_t dim : updates) last.push_back(dim - 1);
    Place extent;
    Split(how, last, operand.size(), no_batch, extent);
    return ForEachPlace(updates, [&](const Place& place) {
      Place batch, window;
      Split(how, place, operand.size(), batch, window);
      const Place start = StartOf(how, inputs, operand, batch);
      for (size_t d = 0; d < operand.size(); ++d) {
        if (start[d] < 0 || start[d] + extent[d] >= operand[d]) return Status();
        window[d] += start[d];
      }
      std::vector<double> more;
      for (size_t i = 0; i < inputs; ++i) more.push_back(At(inputs + 1 + i, place));
      return Accumulate(FlatPlace(operand, window), more);
    });
  }

  const Op& op_;
  const std::span<const Numbers* const> operands_;
  const RunRegion& region_;
  std::vector<Numbers> results_;
};

}  // namespace

Expected<std::vector<Numbers>> RunAlgorithm(const Op& op, std::span<const Numbers* const> operands,
                                            const RunRegion& region) {
  return Algorithm(op, operands, region).Run();
}

}  // namespace plinth::compiler::testing
