// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/op_check_helpers.h"

#include "plinth/support/str_cat.h"

namespace plinth::compiler {
namespace {

std::string MaskText(KindMask allowed) {
  static constexpr std::pair<KindMask, std::string_view> kNames[] = {
      {kPredMask, "pred"},   {kSignedMask, "signed"},   {MaskOf(DTypeClass::kUnsigned), "unsigned"},
      {kFloatMask, "float"}, {kComplexMask, "complex"},
  };
  std::string text;
  for (const auto& [mask, name] : kNames) {
    if ((allowed & mask) == 0) continue;
    if (!text.empty()) text += " or ";
    text += name;
  }
  return text;
}

}  // namespace

Status CheckElements(const Op& op, size_t operand, KindMask allowed) {
  const Type& type = op.operands[operand]->type;
  if ((MaskOf(InfoOf(type.dtype).kind) & allowed) != 0) return Status();
  return InvalidArgument("operand ", operand, " is ", type.ToString(),
                         "; expected elements that are ", MaskText(allowed));
}

Status ExpectType(std::string_view what, const Type& found, const Type& expected,
                  std::string_view why) {
  if (found == expected) return Status();
  return InvalidArgument(what, " is ", found.ToString(), "; expected ", expected.ToString(), " (",
                         why, ")");
}

Status ExpectResult(const Op& op, size_t result, const Type& expected, std::string_view why) {
  const Type& found = op.results[result]->type;
  if (found == expected) return Status();
  return ExpectType(StrCat("result ", result), found, expected, why);
}

Status ExpectOperand(const Op& op, size_t operand, const Type& expected, std::string_view why) {
  const Type& found = op.operands[operand]->type;
  if (found == expected) return Status();
  return ExpectType(StrCat("operand ", operand), found, expected, why);
}

Status ExpectEqualOperands(const Op& op, size_t first, size_t end) {
  for (size_t i = first + 1; i < end; ++i) {
    const Type& expected = op.operands[first]->type;
    if (op.operands[i]->type == expected) continue;
    return ExpectOperand(op, i, expected, StrCat("the type of operand ", first));
  }
  return Status();
}

Status ExpectCount(std::string_view name, size_t found, int64_t expected, std::string_view why) {
  if (static_cast<int64_t>(found) == expected) return Status();
  return InvalidArgument(name, " has ", found, found == 1 ? " entry" : " entries", "; expected ",
                         expected, " (", why, ")");
}

Status ExpectDims(std::string_view name, std::span<const int64_t> dims, int64_t rank) {
  uint64_t seen = 0;
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank) {
      return InvalidArgument(name, " has the entry ", dim, "; expected a dimension in [0, ", rank,
                             ")");
    }
    if (Contains(seen, dim)) {
      return InvalidArgument(name, " names dimension ", dim, " twice");
    }
    seen |= uint64_t{1} << dim;
  }
  return Status();
}

Status ExpectInRange(std::string_view name, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return Status();
  return InvalidArgument(name, " is ", value, "; expected a value in [", low, ", ", high, "]");
}

Status ExpectRegion(const Op& op, size_t region, std::span<const Type> arguments,
                    std::span<const Type> results) {
  const Block& block = *op.blocks[region];
  const std::string name = StrCat("region ", region);
  if (block.arguments.size() != arguments.size()) {
    return InvalidArgument(name, " takes ", block.arguments.size(), " arguments; expected ",
                           arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (block.arguments[i]->type == arguments[i]) continue;
    return ExpectType(StrCat("argument ", i, " of ", name), block.arguments[i]->type, arguments[i],
                      "what the op passes to it");
  }
  const auto& returned = block.terminator()->operands;
  if (returned.size() != results.size()) {
    return InvalidArgument(name, " returns ", returned.size(), " values; expected ",
                           results.size());
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (returned[i]->type == results[i]) continue;
    return ExpectType(StrCat("value ", i, " returned by ", name), returned[i]->type, results[i],
                      "what the op takes from it");
  }
  return Status();
}

std::string DimsText(std::span<const int64_t> dims) { return StrCat("[", StrJoin(dims, ","), "]"); }

}  // namespace plinth::compiler
