// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/domain.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "reference_plugin/cpu/kernels/extremes.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Access;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;

struct Use {
  bool over_reduced = false;
  bool once_per_point = false;
};

// Which inputs and outputs (outputs numbered after the inputs) which kind of phase uses.
std::vector<Use> FindUses(const Kernel& kernel) {
  std::vector<Use> uses(kernel.shape.inputs.size() + kernel.shape.outputs.size());
  for (const Phase& phase : kernel.body.phases) {
    auto mark = [&](size_t access) {
      (phase.over_reduced ? uses[access].over_reduced : uses[access].once_per_point) = true;
    };
    for (const Node& node : phase.nodes) {
      if (node.kind == NodeKind::kInput || node.kind == NodeKind::kGathered) {
        mark(static_cast<size_t>(node.index));
      }
    }
    for (const compiler::Store& store : phase.stores) {
      mark(kernel.shape.inputs.size() + static_cast<size_t>(store.output));
    }
  }
  return uses;
}

const Access& AccessAt(const Kernel& kernel, size_t index) {
  return index < kernel.shape.inputs.size()
             ? kernel.shape.inputs[index]
             : kernel.shape.outputs[index - kernel.shape.inputs.size()];
}

// The order of dimensions [begin, end) in which the accesses run most smoothly: the dimension with
// the most unit strides innermost, the others by falling stride of the access that counts most.
// An access that stays where it is runs as smoothly, unless sums are what takes time.
std::vector<size_t> BestOrder(const Kernel& kernel, std::span<const Use> uses,
                              std::span<const size_t> dims) {
  std::vector<size_t> order(dims.begin(), dims.end());
  if (order.size() < 2) return order;
  const bool only_maps =
      std::none_of(uses.begin(), uses.end(), [](const Use& use) { return use.over_reduced; });
  double best_score = 0;
  size_t innermost = order.back();
  const Access* leading = nullptr;
  double leading_weight = 0;
  for (size_t a = 0; a < uses.size(); ++a) {
    const Access& access = AccessAt(kernel, a);
    double weight = a < kernel.shape.inputs.size() ? 1 : 1.5;
    if (uses[a].over_reduced) weight *= 4;
    bool varies = false;
    for (size_t d : dims) varies = varies || access.byte_strides[d] != 0;
    if (varies && weight > leading_weight) {
      leading = &access;
      leading_weight = weight;
    }
  }
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    double score = 0;
    for (size_t a = 0; a < uses.size(); ++a) {
      const Access& access = AccessAt(kernel, a);
      double weight = a < kernel.shape.inputs.size() ? 1 : 1.5;
      if (uses[a].over_reduced) weight *= 4;
      const int64_t stride = access.byte_strides[*d];
      if (stride == ByteSize(access.dtype) || (stride == 0 && only_maps)) score += weight;
    }
    // A short innermost dimension serves nobody: it must win clearly.
    if (kernel.shape.extents[*d] < 8) score *= 0.5;
    if (score > best_score) {
      best_score = score;
      innermost = *d;
    }
  }
  if (leading == nullptr) return order;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::abs(leading->byte_strides[a]) > std::abs(leading->byte_strides[b]);
  });
  if (best_score > 0) {
    order.erase(std::find(order.begin(), order.end(), innermost));
    order.push_back(innermost);
  }
  return order;
}

// Whether dimension d + 1 continues dimension d in every form.
bool CanMerge(const Domain& domain, size_t d) {
  return std::all_of(domain.forms.begin(), domain.forms.end(), [&](const LinearForm& form) {
    return form.coefficients[d] == form.coefficients[d + 1] * domain.extents[d + 1];
  });
}

// Lets the first of some iotas that together count the reduced points do so alone, for which all
// of these may be one dimension. They are in their order then.
void CountByFirst(const std::vector<int32_t>& iotas, const std::vector<int32_t>& forms,
                  Domain* domain) {
  for (size_t i = 0; i < iotas.size(); ++i) {
    Dims& coefficients =
        domain->forms[static_cast<size_t>(forms[static_cast<size_t>(iotas[i])])].coefficients;
    int64_t points = i == 0 ? 1 : 0;
    for (size_t d = coefficients.size(); d-- > 0;) {
      const bool is_reduced = static_cast<int32_t>(d) >= domain->num_parallel;
      coefficients[d] = is_reduced ? points : 0;
      points *= domain->extents[d];
    }
  }
}

void Merge(Domain* domain, size_t d) {
  domain->extents[d + 1] *= domain->extents[d];
  domain->extents.erase(domain->extents.begin() + d);
  for (LinearForm& form : domain->forms) form.coefficients.erase(form.coefficients.begin() + d);
}

}  // namespace

Domain SimplifyDomain(const Kernel& kernel, bool reorder_reduced) {
  const std::vector<Use> uses = FindUses(kernel);
  std::vector<size_t> parallel, reduced;
  for (size_t d = 0; d < kernel.shape.extents.size(); ++d) {
    if (kernel.shape.extents[d] == 1) continue;
    (static_cast<int64_t>(d) < kernel.shape.num_parallel ? parallel : reduced).push_back(d);
  }
  parallel = BestOrder(kernel, uses, parallel);
  if (reorder_reduced) reduced = BestOrder(kernel, uses, reduced);

  std::vector<size_t> order = parallel;
  order.insert(order.end(), reduced.begin(), reduced.end());
  Domain domain;
  domain.num_parallel = static_cast<int32_t>(parallel.size());
  for (size_t d : order) {
    domain.extents.push_back(kernel.shape.extents[d]);
    (static_cast<int64_t>(d) < kernel.shape.num_parallel ? domain.parallel_points
                                                         : domain.reduced_points) *=
        kernel.shape.extents[d];
  }

  auto add = [&](int64_t offset, const Dims& coefficients, bool with_reduced) {
    LinearForm form{offset, {}};
    for (size_t d : order) {
      const bool keep = with_reduced || static_cast<int64_t>(d) < kernel.shape.num_parallel;
      form.coefficients.push_back(keep ? coefficients[d] : 0);
    }
    domain.forms.push_back(std::move(form));
  };
  for (size_t a = 0; a < uses.size(); ++a) {
    const Access& access = AccessAt(kernel, a);
    add(access.byte_offset, access.byte_strides, uses[a].over_reduced);
  }
  for (size_t i = 0; i < kernel.shape.inputs.size(); ++i) {
    domain.first_bound.push_back(static_cast<int32_t>(domain.forms.size()));
    for (const compiler::Bound& bound : kernel.shape.inputs[i].bounds) {
      add(bound.offset, bound.coefficients, uses[i].over_reduced);
    }
  }
  for (const Phase& phase : kernel.body.phases) {
    std::vector<int32_t>& numbers = domain.iota_forms.emplace_back(phase.nodes.size(), -1);
    for (size_t n = 0; n < phase.nodes.size(); ++n) {
      const Node& node = phase.nodes[n];
      if (node.kind != NodeKind::kIota) continue;
      numbers[n] = static_cast<int32_t>(domain.forms.size());
      Dims coefficients(kernel.shape.extents.size());
      coefficients[static_cast<size_t>(node.index)] = static_cast<int64_t>(node.constant.high);
      add(static_cast<int64_t>(node.constant.low), coefficients, phase.over_reduced);
    }
    CountByFirst(IotasOfExtremes(kernel, phase), numbers, &domain);
  }

  for (size_t d = domain.extents.size(); d-- > 1;) {
    const bool same_group = (static_cast<int64_t>(d) < domain.num_parallel) ==
                            (static_cast<int64_t>(d) - 1 < domain.num_parallel);
    if (!same_group || !CanMerge(domain, d - 1)) continue;
    if (static_cast<int64_t>(d) < domain.num_parallel) --domain.num_parallel;
    Merge(&domain, d - 1);
  }
  return domain;
}

int64_t LargestMagnitude(const Domain& domain, const LinearForm& form) {
  int64_t most = std::abs(form.offset);
  for (size_t d = 0; d < form.coefficients.size(); ++d) {
    most += std::abs(form.coefficients[d]) * domain.extents[d];
  }
  return most;
}

}  // namespace plinth::cpu::kernels
