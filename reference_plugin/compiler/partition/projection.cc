// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/projection.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

namespace plinth::compiler::partition {
namespace {

int64_t FactorSize(const Rule& rule, int32_t factor) {
  return rule.factors[static_cast<size_t>(factor)].size;
}

// Takes axes of a dimension one by one, in parts where a factor wants no more.
class AxisCursor {
 public:
  explicit AxisCursor(const AxisList& axes) : axes_(axes) {
    if (!axes_.empty()) rest_ = axes_[0];
  }
  bool empty() const { return at_ >= axes_.size(); }
  int64_t size() const { return rest_.size; }
  // The major part of that size.
  Axis Take(int64_t size) {
    const Axis taken = {rest_.index, rest_.pre_size, size};
    if (size < rest_.size) {
      rest_ = {rest_.index, rest_.pre_size * size, rest_.size / size};
    } else if (++at_ < axes_.size()) {
      rest_ = axes_[at_];
    }
    return taken;
  }
  void TakeAll(AxisList& list) {
    while (!empty()) AddOrMerge(list, Take(size()));
  }

 private:
  const AxisList& axes_;
  size_t at_ = 0;
  Axis rest_;
};

void Clear(const Rule& rule, TensorProjection& projection) {
  projection.factors.resize(rule.factors.size());
  for (FactorSharding& factor : projection.factors) {
    factor.axes.clear();
    factor.overflow.clear();
    factor.is_there = factor.is_closed = factor.is_minor_most = false;
  }
  projection.replicated.clear();
  projection.unreduced.clear();
  projection.is_updated = false;
}

void ProjectDimension(const DimFactors& factors, const AxisList& axes, bool is_closed,
                      const Rule& rule, TensorProjection& projection) {
  AxisCursor cursor(axes);
  bool has_overflow = false;
  for (int32_t index : factors) {
    FactorSharding& factor = projection.factors[static_cast<size_t>(index)];
    factor.is_there = true;
    factor.is_minor_most = index == factors.back();
    if (has_overflow) {
      factor.is_closed = true;
      return;
    }
    factor.is_closed = is_closed;
    if (factor.is_minor_most) {
      cursor.TakeAll(factor.axes);
      return;
    }
    int64_t remaining = FactorSize(rule, index);
    while (!cursor.empty()) {
      const int64_t common = std::gcd(remaining, cursor.size());
      if (common == 1 && cursor.size() > 1) break;
      factor.axes.push_back(cursor.Take(common));
      remaining /= common;
    }
    if (remaining > 1 && !cursor.empty()) {
      has_overflow = true;
      cursor.TakeAll(factor.overflow);
    }
  }
}

// What two lists have in common from the major end on, and whether it may still grow.
struct Major {
  AxisList axes;
  bool can_expand = true;
};

Major Common(const AxisList& old_axes, const AxisList& new_axes, bool can_expand) {
  Major common;
  const size_t both = std::min(old_axes.size(), new_axes.size());
  for (size_t i = 0; i < both; ++i) {
    const Axis &a = old_axes[i], &b = new_axes[i];
    if (a == b) {
      common.axes.push_back(b);
    } else if (IsPrefixOf(b, a)) {
      const bool is_last = i + 1 == new_axes.size();
      common.axes.push_back(is_last ? a : b);
      if (!is_last) return {common.axes, false};
    } else if (IsPrefixOf(a, b)) {
      const bool grows = can_expand && i + 1 == old_axes.size();
      common.axes.push_back(grows ? b : a);
      if (!grows) return {common.axes, false};
    } else {
      return {common.axes, false};
    }
  }
  for (size_t i = both; i < old_axes.size(); ++i) common.axes.push_back(old_axes[i]);
  if (can_expand) {
    for (size_t i = both; i < new_axes.size(); ++i) common.axes.push_back(new_axes[i]);
  }
  common.can_expand = can_expand;
  return common;
}

// The axes of one factor, whatever other factors have.
AxisList MajorAxes(const ProjectedOp& op, size_t factor, Direction direction) {
  Major major;
  if (direction == kNowhere) return major.axes;
  const auto add = [&](std::span<const TensorProjection> tensors) {
    for (const TensorProjection& tensor : tensors) {
      const AxisList& axes = tensor.factors[factor].axes;
      // What Common comes to where there is one list, or two that are the same.
      if (axes.empty() || axes == major.axes) continue;
      if (!major.axes.empty()) {
        major = Common(major.axes, axes, major.can_expand);
      } else if (major.can_expand) {
        major.axes = axes;
      }
    }
  };
  const bool backward = direction == kBackward;
  add(backward ? op.results : op.operands);
  // The tensors that are propagated to may conflict, but bring nothing new.
  if (direction != kBothWays) major.can_expand = false;
  add(backward ? op.operands : op.results);
  return major.axes;
}

// Whether a tensor has fewer axes along the factor than these.
bool MayGrow(std::span<const TensorProjection> tensors, size_t factor, const AxisList& axes) {
  return !axes.empty() && std::any_of(tensors.begin(), tensors.end(), [&](const auto& tensor) {
    return tensor.factors[factor].is_there &&
           IsStrictListPrefixOf(tensor.factors[factor].axes, axes);
  });
}

// Cuts the list where `fit` finds less than an axis.
template <typename Fit>
void Truncate(AxisList& axes, Fit fit) {
  int64_t before = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    const std::optional<Axis> fitting = fit(axes[i], before);
    if (fitting == axes[i]) {
      before *= axes[i].size;
      continue;
    }
    axes.resize(i);
    if (fitting.has_value()) axes.push_back(*fitting);
    return;
  }
}

std::optional<Axis> FitAcrossFactors(const Axis& axis, const TensorProjection& tensor,
                                     size_t factor) {
  std::optional<Axis> fitting = axis;
  for (size_t i = 0; i < tensor.factors.size(); ++i) {
    if (i == factor || !tensor.factors[i].is_there) continue;
    fitting = PrefixWithoutOverlap(*fitting, tensor.factors[i].overflow);
    if (fitting.has_value()) fitting = PrefixWithoutOverlap(*fitting, tensor.factors[i].axes);
    if (!fitting.has_value()) return fitting;
  }
  return fitting;
}

// `before`: how many parts the factor has before this axis.
std::optional<Axis> FitWithinFactor(const Axis& axis, const TensorProjection& tensor,
                                    const FactorSharding& factor, int64_t before, int64_t size) {
  std::optional<Axis> fitting = PrefixWithoutOverlap(axis, tensor.replicated);
  if (fitting.has_value()) fitting = PrefixWithoutOverlap(*fitting, tensor.unreduced);
  if (!fitting.has_value()) return fitting;
  for (const Axis& own : factor.axes) {
    if (Contains(own, *fitting)) return fitting;
  }
  if (!factor.is_closed && factor.overflow.empty()) {
    if (factor.is_minor_most) return fitting;
    if (size % before == 0) {
      const int64_t common = std::gcd(size / before, fitting->size);
      if (common > 1 || fitting->size == 1) {
        return Axis{fitting->index, fitting->pre_size, common};
      }
    }
  }
  if (!factor.axes.empty() && IsPrefixOf(factor.axes.back(), *fitting)) return factor.axes.back();
  return std::nullopt;
}

// The tensor from which the axes of a factor come: the largest of those that have them.
struct Source {
  int64_t size = -1, index = -1;
};

using Sources = SmallVector<Source, 8>;

Sources SourcesOf(const ProjectedOp& op, const Rule& rule, const std::vector<AxisList>& axes) {
  Sources sources(rule.factors.size());
  int64_t index = 0;
  const auto visit = [&](std::span<const TensorProjection> tensors) {
    for (const TensorProjection& tensor : tensors) {
      int64_t size = 1;
      for (size_t i = 0; i < tensor.factors.size(); ++i) {
        if (tensor.factors[i].is_there) size *= rule.factors[i].size;
      }
      for (size_t i = 0; i < tensor.factors.size(); ++i) {
        if (tensor.factors[i].is_there && !axes[i].empty() && size > sources[i].size &&
            IsListPrefixOf(axes[i], tensor.factors[i].axes)) {
          sources[i] = {size, index};
        }
      }
      ++index;
    }
  };
  visit(op.operands);
  visit(op.results);
  return sources;
}

}  // namespace

void Project(const TensorFactors& tensor, const Sharding* sharding, const Rule& rule,
             TensorProjection& projection) {
  Clear(rule, projection);
  const AxisList none = {};
  for (size_t dim = 0; dim < tensor.size(); ++dim) {
    ProjectDimension(tensor[dim], sharding == nullptr ? none : sharding->dims[dim].axes,
                     sharding != nullptr && sharding->dims[dim].is_closed, rule, projection);
  }
  if (sharding != nullptr) {
    projection.replicated = sharding->replicated;
    projection.unreduced = sharding->unreduced;
  }
}

void Project(const TensorFactors& tensor, std::span<const AxisList> dims, const Rule& rule,
             TensorProjection& projection) {
  Clear(rule, projection);
  for (size_t dim = 0; dim < tensor.size(); ++dim) {
    ProjectDimension(tensor[dim], dims[dim], false, rule, projection);
  }
}

Sharding Unproject(const TensorProjection& projection, const TensorFactors& tensor,
                   const Rule& rule, const MeshRef& mesh, ReductionOp reduction) {
  Sharding sharding;
  sharding.mesh = mesh;
  sharding.replicated = projection.replicated;
  sharding.unreduced = projection.unreduced;
  sharding.reduction = reduction;
  for (const DimFactors& factors : tensor) {
    DimSharding& dim = sharding.dims.emplace_back();
    dim.is_closed = false;
    for (int32_t index : factors) {
      const FactorSharding& factor = projection.factors[static_cast<size_t>(index)];
      dim.is_closed |= factor.is_closed;
      for (const Axis& axis : factor.axes) AddOrMerge(dim.axes, axis);
      for (const Axis& axis : factor.overflow) AddOrMerge(dim.axes, axis);
      // A further factor would have its parts in strides.
      if (!factor.overflow.empty() || SizeOf(factor.axes) < FactorSize(rule, index)) break;
    }
  }
  return sharding;
}

void PropagateFactors(const ProjectedOp& op, const Rule& rule, bool is_elementwise,
                      FactorDirections directions) {
  const size_t count = rule.factors.size();
  std::vector<AxisList> axes(count);
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    axes[i] = MajorAxes(op, i, directions.Of(rule.factors[i]));
    any = any || MayGrow(op.operands, i, axes[i]) || MayGrow(op.results, i, axes[i]);
  }
  if (!any) return;

  const Sources sources = SourcesOf(op, rule, axes);
  SmallVector<size_t, 8> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto rank = [&](size_t i) {
    return std::tuple(-sources[i].size, is_elementwise ? -SizeOf(axes[i]) : 0, sources[i].index, i);
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });

  // What the tensor can take of the axes of the factor; empty if nothing is new.
  const auto fitting = [&](const TensorProjection& tensor, size_t i) {
    AxisList fit;
    if (!tensor.factors[i].is_there) return fit;
    fit = axes[i];
    Truncate(fit, [&](const Axis& axis, int64_t before) {
      return FitWithinFactor(axis, tensor, tensor.factors[i], before, rule.factors[i].size);
    });
    if (!IsStrictListPrefixOf(tensor.factors[i].axes, fit)) return AxisList();
    Truncate(fit, [&](const Axis& axis, int64_t) { return FitAcrossFactors(axis, tensor, i); });
    return fit;
  };
  const auto expand = [](TensorProjection& tensor, size_t i, const AxisList& fit) {
    if (!IsStrictListPrefixOf(tensor.factors[i].axes, fit)) return;
    tensor.factors[i].axes = fit;
    tensor.is_updated = true;
  };
  for (TensorProjection& result : op.results) {
    for (size_t i : order) {
      const AxisList fit = fitting(result, i);
      if (!fit.empty()) expand(result, i, fit);
    }
  }
  for (TensorProjection& operand : op.operands) {
    for (size_t i : order) {
      AxisList fit = fitting(operand, i);
      if (fit.empty()) continue;
      // Operands do not become more spread than what is made of them.
      if (is_elementwise) {
        for (const TensorProjection& result : op.results) {
          if (result.factors[i].is_there && IsStrictListPrefixOf(result.factors[i].axes, fit)) {
            fit = result.factors[i].axes;
          }
        }
      }
      expand(operand, i, fit);
    }
  }
}

}  // namespace plinth::compiler::partition
