// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/op_checks.h"

#include <array>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_check_helpers.h"

namespace plinth::compiler {
namespace {

template <typename T, size_t I = 0>
constexpr int IndexOf() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, Attributes>, T>) {
    return static_cast<int>(I);
  } else {
    return IndexOf<T, I + 1>();
  }
}

constexpr int kNoAttributes = -1;
constexpr int kMany = 1 << 30;

struct Count {
  int least, most;
  constexpr bool Allows(size_t count) const {
    return count >= static_cast<size_t>(least) && count <= static_cast<size_t>(most);
  }
};
Status CheckNothing(const Op&) { return Status(); }

// Operand, result and region counts, which attributes, and the rest.
struct OpRule {
  Count operands;
  Count results;
  Count regions;
  int attributes;
  Status (*check)(const Op&);
  bool tensors_only;
};

constexpr std::array<OpRule, kNumOpcodes> kRules = {{
#include "reference_plugin/ops/op_rules.inc"
}};

Status ExpectCountOf(std::string_view what, size_t found, const Count& count) {
  if (count.Allows(found)) return Status();
  std::string expected = StrCat(count.least);
  if (count.most == kMany) {
    expected = StrCat("at least ", count.least);
  } else if (count.most != count.least) {
    expected = StrCat(count.least, " to ", count.most);
  }
  return InvalidArgument("there are ", found, " ", what, "; expected ", expected);
}

Status CheckTensor(std::string_view what, size_t i, const Type& type) {
  if (type.kind == Type::Kind::kTensor) return Status();
  return InvalidArgument(what, " ", i, " is ", type.ToString(), "; expected a tensor");
}

}  // namespace

Status CheckType(const Type& type) {
  switch (type.kind) {
    case Type::Kind::kToken:
      return Status();
    case Type::Kind::kTuple:
      for (const Type& element : type.elements) PLINTH_RETURN_IF_ERROR(CheckType(element));
      return Status();
    case Type::Kind::kTensor:
      break;
  }
  if (ByteSize(type.dtype) == 0) return InvalidArgument("a tensor has no element type");
  if (type.rank() > kMaxRank) {
    return Unimplemented("a tensor has ", type.rank(), " dimensions; at most ", kMaxRank,
                         " are supported");
  }
  int64_t size = ByteSize(type.dtype);
  for (int64_t dim : type.dims) {
    if (dim == kDynamicSize) {
      return Unimplemented("dynamic dimensions are not supported: ", type.ToString());
    }
    if (dim < 0) return InvalidArgument("a dimension is negative: ", type.ToString());
    if (dim > 0 && (__builtin_mul_overflow(size, dim, &size) || size >= int64_t{1} << 62)) {
      return InvalidArgument("a tensor is larger than 2^62 bytes: ", type.ToString());
    }
  }
  return Status();
}

Status CheckOp(const Op& op) {
  const OpRule& rule = kRules[static_cast<size_t>(op.opcode)];
  PLINTH_RETURN_IF_ERROR(ExpectCountOf("operands", op.operands.size(), rule.operands));
  PLINTH_RETURN_IF_ERROR(ExpectCountOf("results", op.results.size(), rule.results));
  PLINTH_RETURN_IF_ERROR(ExpectCountOf("regions", op.blocks.size(), rule.regions));
  const int attributes =
      op.attributes == nullptr ? kNoAttributes : static_cast<int>(op.attributes->index());
  if (attributes != rule.attributes) {
    return Internal("the op has attributes of kind ", attributes, "; expected ", rule.attributes);
  }
  if (rule.tensors_only) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      PLINTH_RETURN_IF_ERROR(CheckTensor("operand", i, op.operands[i]->type));
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      PLINTH_RETURN_IF_ERROR(CheckTensor("result", i, op.results[i]->type));
    }
  }
  return rule.check(op);
}

}  // namespace plinth::compiler
