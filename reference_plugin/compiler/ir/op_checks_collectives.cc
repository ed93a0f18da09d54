// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_check_helpers.h"

namespace plinth::compiler {
namespace {

Status CheckGroups(const CollectiveAttributes& collective) {
  for (const std::vector<int64_t>& group : collective.groups) {
    for (int64_t id : group) {
      if (id < 0 || id > INT32_MAX) {
        return InvalidArgument("replica_groups names ", id,
                               "; expected a device or replica number");
      }
    }
  }
  return Status();
}

Status ExpectOneResultPerOperand(const Op& op) {
  return ExpectCount("the list of results", op.results.size(),
                     static_cast<int64_t>(op.operands.size()), "one per operand");
}

// Operands and results agree but for dimension `dim`.
Status ExpectSameBut(const Op& op, size_t i, std::span<const int64_t> free_dims) {
  const Type& operand = op.operands[i]->type;
  Type expected = op.results[i]->type;
  if (expected.rank() == operand.rank()) {
    for (int64_t dim : free_dims) {
      expected.dims[static_cast<size_t>(dim)] = operand.dims[static_cast<size_t>(dim)];
    }
  }
  if (expected == operand) return Status();
  return ExpectResult(op, i, operand, "but for the dimensions that are split or gathered");
}

}  // namespace

Status CheckAllGather(const Op& op) {
  const auto& collective = op.Get<CollectiveAttributes>();
  PLINTH_RETURN_IF_ERROR(CheckGroups(collective));
  PLINTH_RETURN_IF_ERROR(ExpectOneResultPerOperand(op));
  for (size_t i = 0; i < op.operands.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(
        ExpectInRange("all_gather_dim", collective.dimension, 0, op.operands[i]->type.rank() - 1));
    PLINTH_RETURN_IF_ERROR(ExpectSameBut(op, i, {&collective.dimension, 1}));
  }
  return Status();
}

Status CheckAllReduce(const Op& op) {
  PLINTH_RETURN_IF_ERROR(CheckGroups(op.Get<CollectiveAttributes>()));
  PLINTH_RETURN_IF_ERROR(ExpectOneResultPerOperand(op));
  for (size_t i = 0; i < op.operands.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(ExpectResult(op, i, op.operands[i]->type, "the type of its operand"));
  }
  const Type scalar = Type::Tensor(op.operands[0]->type.dtype, {});
  const Type arguments[] = {scalar, scalar};
  return ExpectRegion(op, 0, arguments, {&scalar, 1});
}

Status CheckAllToAll(const Op& op) {
  const auto& collective = op.Get<CollectiveAttributes>();
  PLINTH_RETURN_IF_ERROR(CheckGroups(collective));
  PLINTH_RETURN_IF_ERROR(ExpectOneResultPerOperand(op));
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Type& operand = op.operands[i]->type;
    PLINTH_RETURN_IF_ERROR(
        ExpectInRange("split_dimension", collective.dimension, 0, operand.rank() - 1));
    PLINTH_RETURN_IF_ERROR(
        ExpectInRange("concat_dimension", collective.concat_dimension, 0, operand.rank() - 1));
    const int64_t split = operand.dims[static_cast<size_t>(collective.dimension)];
    if (collective.split_count < 1 || split % collective.split_count != 0) {
      return InvalidArgument("split_count is ", collective.split_count,
                             "; expected a divisor of the split extent ", split);
    }
    const int64_t free_dims[] = {collective.dimension, collective.concat_dimension};
    PLINTH_RETURN_IF_ERROR(ExpectSameBut(op, i, free_dims));
  }
  return Status();
}

Status CheckCollectivePermute(const Op& op) {
  const auto& collective = op.Get<CollectiveAttributes>();
  PLINTH_RETURN_IF_ERROR(CheckGroups(collective));
  for (const std::vector<int64_t>& pair : collective.groups) {
    PLINTH_RETURN_IF_ERROR(
        ExpectCount("an entry of source_target_pairs", pair.size(), 2, "source and target"));
  }
  return CheckIdentity(op);
}

Status CheckCollectiveBroadcast(const Op& op) {
  PLINTH_RETURN_IF_ERROR(CheckGroups(op.Get<CollectiveAttributes>()));
  return CheckIdentity(op);
}

namespace {

Status CheckBegins(const Begins& begins, int64_t num_dims, int64_t group) {
  PLINTH_RETURN_IF_ERROR(
      ExpectCount("what begins on the ranks", begins.first.size(), num_dims, "one per dimension"));
  auto digits = begins.digits;
  std::sort(digits.begin(), digits.end(),
            [](const auto& a, const auto& b) { return a.stride < b.stride; });
  int64_t below = 1;
  for (const Begins::Digit& digit : digits) {
    const bool is_in_range = digit.dim < begins.first.size() && digit.stride > 0 &&
                             digit.size > 0 && digit.stride <= group && digit.size <= group;
    if (!is_in_range || digit.stride % below != 0 || group % (digit.stride * digit.size) != 0) {
      return InvalidArgument("a digit of ", digit.size, " from ", digit.stride,
                             " on for dimension ", digit.dim, "; expected parts of a rank among ",
                             group);
    }
    below = digit.stride * digit.size;
  }
  return Status();
}

// One result, of the arrays that stand at `first` and after it.
Status CheckRedistribution(const Op& op, const Type& type, const Redistribution& how, size_t first,
                           int64_t group) {
  const int64_t rank = type.rank();
  PLINTH_RETURN_IF_ERROR(CheckBegins(how.windows, rank, group));
  for (size_t i = 0; i < how.sources.size(); ++i) {
    const Redistribution::Source& source = how.sources[i];
    PLINTH_RETURN_IF_ERROR(CheckBegins(source.parts, rank, group));
    PLINTH_RETURN_IF_ERROR(ExpectCount("low", source.low.size(), rank, "one per dimension"));
    PLINTH_RETURN_IF_ERROR(ExpectCount("high", source.high.size(), rank, "one per dimension"));
    const Type& operand = op.operands[first + i]->type;
    if (operand.dtype != type.dtype || operand.rank() != rank) {
      return InvalidArgument("operand ", first + i, " is ", operand.ToString(), ", the result ",
                             type.ToString(), "; expected one element type and rank");
    }
  }
  const Type& fill = op.operands.back()->type;
  if (fill == Type::Tensor(type.dtype, {})) return Status();
  return InvalidArgument("the last operand is ", fill.ToString(), "; expected a scalar of ",
                         "the result's element type");
}

}  // namespace

Status CheckRedistribute(const Op& op) {
  const auto& collective = op.Get<CollectiveAttributes>();
  PLINTH_RETURN_IF_ERROR(CheckGroups(collective));
  const int64_t group = collective.groups.empty() ? 0 : std::ssize(collective.groups[0]);
  for (const std::vector<int64_t>& other : collective.groups) {
    if (std::ssize(other) != group) return InvalidArgument("its groups are of different sizes");
  }
  PLINTH_RETURN_IF_ERROR(ExpectCount("the list of redistributions",
                                     collective.redistributions.size(),
                                     static_cast<int64_t>(op.results.size()), "one per result"));
  size_t sources = 0;
  for (const Redistribution& how : collective.redistributions) sources += how.sources.size();
  PLINTH_RETURN_IF_ERROR(ExpectCount("the list of sources", sources,
                                     static_cast<int64_t>(op.operands.size()) - 1,
                                     "one per operand but the last"));
  size_t first = 0;
  for (size_t i = 0; i < op.results.size(); ++i) {
    const Redistribution& how = collective.redistributions[i];
    PLINTH_RETURN_IF_ERROR(CheckRedistribution(op, op.results[i]->type, how, first, group));
    first += how.sources.size();
  }
  return Status();
}

Status CheckReduceScatter(const Op& op) {
  const auto& collective = op.Get<CollectiveAttributes>();
  PLINTH_RETURN_IF_ERROR(CheckGroups(collective));
  PLINTH_RETURN_IF_ERROR(
      ExpectInRange("scatter_dimension", collective.dimension, 0, op.operands[0]->type.rank() - 1));
  PLINTH_RETURN_IF_ERROR(ExpectSameBut(op, 0, {&collective.dimension, 1}));
  const Type scalar = Type::Tensor(op.operands[0]->type.dtype, {});
  const Type arguments[] = {scalar, scalar};
  return ExpectRegion(op, 0, arguments, {&scalar, 1});
}

}  // namespace plinth::compiler
