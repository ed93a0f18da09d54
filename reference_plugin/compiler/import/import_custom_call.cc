// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/elementary.h"
#include "reference_plugin/compiler/import/import_table.h"
#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/op_checks.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/ir/sharding_views.h"

// Custom calls that frameworks use for what is no call into foreign code.
namespace plinth::compiler::importer {
namespace {

using program::AttributeKind;

// api_version of calls whose configuration is a dictionary.
constexpr int32_t kTypedFfi = 4;

// Annotations: each result is the operand of its number. Where a value lies in memory is ours to
// say.
constexpr std::string_view kPlacements[] = {
    "annotate_device_placement",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
};
// The same on one device; for several they say what goes where, and those of the last list change
// shapes.
constexpr std::string_view kShardings[] = {
    "Sharding",
    "xla.sdy.FuncResultSharding",
    "local_xla.sdy.FuncResultSharding",
};
constexpr std::string_view kResultShardings[] = {
    "xla.sdy.FuncResultSharding",
    "local_xla.sdy.FuncResultSharding",
};
constexpr std::string_view kShardingViews[] = {
    kFullToShard,
    kShardToFull,
    kGlobalToLocal,
    kLocalToGlobal,
    "local_xla.sdy.GlobalToLocalShape",
    "local_xla.sdy.LocalToGlobalShape",
};

// What they are given is computed in the order of the program anyway: nothing more is asked.
constexpr std::string_view kNothingToDo[] = {
    "control_dep",
    "dce_sink",
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

// One list of dimensions per type, from the fastest varying on; empty for row major.
Expected<std::vector<Dims>> ReadLayouts(const program::Operation& operation, std::string_view name,
                                        std::span<const Type> types) {
  std::vector<Dims> layouts(types.size());
  const program::AttributeRef list = operation.Find(name);
  if (list == nullptr) return layouts;
  if (list->elements().size() != types.size()) {
    return InvalidArgument(name, " has ", list->elements().size(), " entries; expected ",
                           types.size());
  }
  for (size_t i = 0; i < types.size(); ++i) {
    PLINTH_ASSIGN_OR_RETURN(Dims layout, ReadLayout(*list->elements()[i]));
    const int64_t rank = types[i].rank();
    uint64_t seen = 0;
    bool is_row_major = true;
    for (size_t d = 0; d < layout.size(); ++d) {
      if (layout[d] >= 0 && layout[d] < rank) seen |= uint64_t{1} << layout[d];
      is_row_major &= layout[d] == rank - 1 - static_cast<int64_t>(d);
    }
    if (static_cast<int64_t>(layout.size()) != rank || std::popcount(seen) != rank) {
      return InvalidArgument("entry ", i, " of ", name, " is ", StrJoin(layout, ","), " for ",
                             types[i].ToString(), "; expected each dimension once");
    }
    if (!is_row_major) layouts[i] = std::move(layout);
  }
  return layouts;
}

// Which dimension of the array stands at each place in memory, the slowest varying first.
Dims MemoryOrder(const Dims& layout) {
  Dims order = layout;
  std::reverse(order.begin(), order.end());
  return order;
}

Type TypeInMemory(const Type& type, const Dims& layout) {
  if (layout.empty()) return type;
  Type memory = type;
  memory.dims.clear();
  for (int64_t dim : MemoryOrder(layout)) memory.dims.push_back(type.dims[dim]);
  return memory;
}

Expected<std::vector<CustomCallAttributes::Alias>> ReadAliases(const program::Operation& operation,
                                                               std::span<const Type> operands,
                                                               std::span<const Type> results) {
  std::vector<CustomCallAttributes::Alias> aliases;
  const program::AttributeRef list = operation.Find("output_operand_aliases");
  if (list == nullptr) return aliases;
  const auto ints = [](program::AttributeRef alias, std::string_view field) {
    const program::AttributeRef value = alias->Find(field);
    return value == nullptr ? std::span<const int64_t>() : value->integers();
  };
  for (program::AttributeRef entry : list->elements()) {
    const std::span<const int64_t> outputs = ints(entry, "output_tuple_indices");
    const program::AttributeRef operand_index = entry->Find("operand_index");
    const int64_t result = outputs.empty() ? 0 : outputs[0];
    const int64_t operand = operand_index == nullptr ? -1 : operand_index->integer();
    if (outputs.size() > 1 || !ints(entry, "operand_tuple_indices").empty()) {
      return Unimplemented("output_operand_aliases goes into tuples; pass elements as values");
    }
    if (result < 0 || result >= std::ssize(results) || operand < 0 ||
        operand >= std::ssize(operands) || !(operands[operand] == results[result])) {
      return InvalidArgument("output_operand_aliases joins result ", result, " and operand ",
                             operand, ", which are not two arrays of one type and layout");
    }
    for (const CustomCallAttributes::Alias& other : aliases) {
      if (other.result == result || other.operand == operand) {
        return InvalidArgument("output_operand_aliases names result ", result, " or operand ",
                               operand, " twice");
      }
    }
    aliases.push_back({static_cast<int32_t>(result), static_cast<int32_t>(operand)});
  }
  return aliases;
}

// A call into foreign code, with arrays in the order in memory that it asks for.
Status ImportCall(Importer& importer, const program::Operation& operation) {
  CustomCallAttributes call;
  call.owner = importer.owner();
  call.target = operation.Text("call_target_name");
  call.api_version = static_cast<int32_t>(operation.Int("api_version", 1));
  call.has_side_effect = operation.Bool("has_side_effect");
  program::AttributeRef config = operation.Find("mhlo.backend_config");
  if (config == nullptr) config = operation.Find("backend_config");
  if (config != nullptr && config->Is(AttributeKind::kDictionary)) {
    call.dictionary = config;
    // JAX writes the dictionary beside the attribute that says so.
    call.api_version = kTypedFfi;
  } else if (config != nullptr) {
    call.backend_config = config->text();
  }

  // One tuple is as many results; layouts and aliases count its elements.
  const bool returns_tuple =
      importer.result_types().size() == 1 && importer.result_types()[0].kind == Type::Kind::kTuple;
  const std::vector<Type> returned_types =
      returns_tuple
          ? importer.result_types()[0].elements
          : std::vector<Type>(importer.result_types().begin(), importer.result_types().end());
  for (const Type& type : returned_types) {
    if (returns_tuple && type.kind == Type::Kind::kTuple) {
      return Unimplemented("@", call.target, " returns a tuple of tuples");
    }
  }
  std::vector<Type> operand_types;
  for (const Value* operand : importer.operands()) operand_types.push_back(operand->type);
  PLINTH_ASSIGN_OR_RETURN(call.operand_layouts,
                          ReadLayouts(operation, "operand_layouts", operand_types));
  PLINTH_ASSIGN_OR_RETURN(call.result_layouts,
                          ReadLayouts(operation, "result_layouts", returned_types));
  SmallVector<Value*, 8> operands;
  for (size_t i = 0; i < operand_types.size(); ++i) {
    Value* operand = importer.operands()[i];
    const Dims& layout = call.operand_layouts[i];
    operand_types[i] = TypeInMemory(operand_types[i], layout);
    if (!layout.empty()) {
      PLINTH_ASSIGN_OR_RETURN(
          operand, importer.AppendOne(Opcode::kTranspose, {operand}, operand_types[i],
                                      MakeAttributes(DimensionsAttributes{MemoryOrder(layout)})));
    }
    operands.push_back(operand);
  }
  std::vector<Type> result_types;
  for (size_t i = 0; i < returned_types.size(); ++i) {
    result_types.push_back(TypeInMemory(returned_types[i], call.result_layouts[i]));
  }
  PLINTH_ASSIGN_OR_RETURN(call.aliases, ReadAliases(operation, operand_types, result_types));

  const std::vector<Dims> result_layouts = call.result_layouts;
  PLINTH_ASSIGN_OR_RETURN(Op* const op,
                          importer.Append(Opcode::kCustomCall, {operands.data(), operands.size()},
                                          result_types, MakeAttributes(std::move(call))));
  PLINTH_RETURN_IF_ERROR(importer.ImportCallRule(operation, *op));
  std::vector<Value*> results;
  for (size_t i = 0; i < result_types.size(); ++i) {
    Value* result = op->results[i];
    if (!result_layouts[i].empty()) {
      const Dims order = MemoryOrder(result_layouts[i]);
      Dims back(order.size(), 0);
      for (size_t d = 0; d < order.size(); ++d) back[order[d]] = static_cast<int64_t>(d);
      PLINTH_ASSIGN_OR_RETURN(
          result, importer.AppendOne(Opcode::kTranspose, {result}, returned_types[i],
                                     MakeAttributes(DimensionsAttributes{std::move(back)})));
    }
    results.push_back(result);
  }
  if (!returns_tuple) return importer.Define(results);
  const Type tuple = importer.result_types()[0];
  PLINTH_ASSIGN_OR_RETURN(Op* const made, importer.Append(Opcode::kTuple, results, {&tuple, 1}));
  return importer.Define(0, made->results[0]);
}

}  // namespace

Status ImportCustomCall(Importer& importer, const program::Operation& operation) {
  const std::string_view target = operation.Text("call_target_name");
  const bool single_device =
      importer.module().num_replicas == 1 && importer.module().num_partitions == 1;
  if (IsOneOf(target, kPlacements) || (single_device && IsOneOf(target, kShardings))) {
    if (!ResultsAreOperands(importer)) {
      return InvalidArgument("@", target, " has results of other types than its operands");
    }
    return importer.Define(importer.operands());
  }
  if (single_device && IsOneOf(target, kShardingViews) && ResultsAreOperands(importer)) {
    return importer.Define(importer.operands());
  }
  if (!single_device) {
    if (target == "Sharding") return importer.ImportConstraint(operation, /*of_result=*/false);
    if (IsOneOf(target, kResultShardings)) {
      return importer.ImportConstraint(operation, /*of_result=*/true);
    }
    if (target == kFullToShard || target == kShardToFull) {
      return importer.ImportShardingView(operation);
    }
    if (IsOneOf(target, kShardingViews)) {
      return importer.ImportBorder(operation, target.ends_with(kGlobalToLocal));
    }
  }
  if (IsOneOf(target, kNothingToDo) && importer.result_types().empty()) return importer.Define({});
  if (target == "ApproxTopK") return ImportApproxTopK(importer, operation);
  if (target == "mhlo.topk") return ImportTopK(importer, operation);
  if (target.substr(0, 5) == "mhlo.") {
    bool known = false;
    PLINTH_RETURN_IF_ERROR(ImportElementary(importer, target.substr(5), &known));
    if (known) return Status();
  }
  if (target.substr(0, 10) == "stablehlo.") {
    return Unimplemented("@", target, " has dynamic dimensions, which are not supported");
  }
  return ImportCall(importer, operation);
}

}  // namespace plinth::compiler::importer
