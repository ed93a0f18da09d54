#include <algorithm>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/builder.h"
#include "reference_plugin/compiler/elementary.h"
#include "reference_plugin/compiler/import_table.h"
#include "reference_plugin/compiler/op_checks.h"
#include "reference_plugin/compiler/scalar.h"

// Custom calls that frameworks use for what is no call into foreign code.
namespace plinth::compiler {
namespace {

// Annotations. On one device each result is the operand of its number; for several they say what
// goes where, and those of the second list change shapes.
constexpr std::string_view kAnnotations[] = {
    "Sharding",
    "annotate_device_placement",
    "xla.sdy.FuncResultSharding",
    "local_xla.sdy.FuncResultSharding",
};
constexpr std::string_view kShardingViews[] = {
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "xla.sdy.GlobalToLocalShape",
    "xla.sdy.LocalToGlobalShape",
    "local_xla.sdy.GlobalToLocalShape",
    "local_xla.sdy.LocalToGlobalShape",
};

template <size_t N>
bool IsOneOf(std::string_view target, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), target) != std::end(list);
}

bool ResultsAreOperands(const Importer& importer) {
  const std::span<Value* const> operands = importer.operands();
  const std::span<const Type> results = importer.result_types();
  if (operands.size() != results.size()) return false;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!(operands[i]->type == results[i])) return false;
  }
  return true;
}

// mhlo.topk: attributes k and largest in "mhlo.attributes".
Status ImportTopK(Importer& importer, const program::Operation& operation) {
  const program::AttributeRef attributes = operation.Find("mhlo.attributes");
  const program::AttributeRef k = attributes == nullptr ? nullptr : attributes->Find("k");
  if (k == nullptr) return InvalidArgument("the attribute k is missing in mhlo.attributes");
  const program::AttributeRef largest = attributes->Find("largest");
  if (largest != nullptr && largest->integer() == 0) {
    return Unimplemented("the k smallest elements are not supported");
  }
  DimensionAttributes top;
  top.count = k->integer();
  const std::span<Value* const> operands = importer.operands();
  top.dimension = operands.empty() ? 0 : operands[0]->type.rank() - 1;
  PLINTH_ASSIGN_OR_RETURN(
      Op* const op,
      importer.Append(Opcode::kTopK, operands, importer.result_types(), MakeAttributes(top)));
  return importer.Define({op->results.data(), op->results.size()});
}

// mhlo.erf and its like: one real operand. Sets `*known` when there is such a function.
Status ImportElementary(Importer& importer, std::string_view name, bool* known) {
  const std::span<Value* const> operands = importer.operands();
  if (operands.size() != 1 || !IsIeeeFloat(operands[0]->type.dtype)) return Status();
  Builder builder(importer.module(), importer.ops(), importer.location());
  Value* const result = BuildElementary(builder, name, operands[0]);
  if (result == nullptr) return Status();
  *known = true;
  return importer.Define({&result, 1});
}

}  // namespace

Status ImportCustomCall(Importer& importer, const program::Operation& operation) {
  const std::string_view target = operation.Text("call_target_name");
  const bool single_device =
      importer.module().num_replicas == 1 && importer.module().num_partitions == 1;
  if (single_device && IsOneOf(target, kAnnotations)) {
    if (!ResultsAreOperands(importer)) {
      return InvalidArgument("@", target, " has results of other types than its operands");
    }
    return importer.Define(importer.operands());
  }
  if (single_device && IsOneOf(target, kShardingViews) && ResultsAreOperands(importer)) {
    return importer.Define(importer.operands());
  }
  if (target == "mhlo.topk") return ImportTopK(importer, operation);
  if (target.substr(0, 5) == "mhlo.") {
    bool known = false;
    PLINTH_RETURN_IF_ERROR(ImportElementary(importer, target.substr(5), &known));
    if (known) return Status();
  }
  if (target.substr(0, 10) == "stablehlo.") {
    return Unimplemented("@", target, " has dynamic dimensions, which are not supported");
  }
  PLINTH_ASSIGN_OR_RETURN(AttributesRef attributes,
                          ConvertCustomCall({operation, importer.operands(),
                                             importer.result_types(), importer.owner()}));
  PLINTH_ASSIGN_OR_RETURN(Op* const op,
                          importer.Append(Opcode::kCustomCall, importer.operands(),
                                          importer.result_types(), std::move(attributes)));
  return importer.Define({op->results.data(), op->results.size()});
}

}  // namespace plinth::compiler
