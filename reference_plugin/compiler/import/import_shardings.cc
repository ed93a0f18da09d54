// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/importer.h"
#include "reference_plugin/compiler/ir/sharding_views.h"

// Where a program says how its arrays are spread. What it says is kept; mapping/ uses it, or drops
// it. On one device only the sdy form is read.
namespace plinth::compiler::importer {
namespace {

using program::AttributeRef;

bool IsOfSdy(AttributeRef attribute, std::string_view name) {
  return attribute != nullptr && attribute->struct_name() == name;
}

// What `attributes` has under a name: one sharding, or one for each of several values.
std::vector<AttributeRef> SdyIn(program::Attributes attributes, std::string_view name) {
  const AttributeRef attribute = program::Find(attributes, name);
  if (IsOfSdy(attribute, "sdy.sharding")) return {attribute};
  if (!IsOfSdy(attribute, "sdy.sharding_per_value")) return {};
  const auto each = attribute->Find("shardings")->elements();
  return {each.begin(), each.end()};
}

}  // namespace

// One list of attributes per argument or result.
Expected<std::vector<ShardingRef>> Importer::ReadShardings(
    std::span<const program::Attributes> lists, std::span<Value* const> values) {
  std::vector<ShardingRef> shardings(values.size());
  bool any = false;
  for (size_t i = 0; i < lists.size() && i < values.size(); ++i) {
    const AttributeRef sdy = program::Find(lists[i], "sdy.sharding");
    if (IsOfSdy(sdy, "sdy.sharding")) {
      PLINTH_ASSIGN_OR_RETURN(shardings[i], sharding_reader_.ReadSdy(sdy));
    } else if (HasSeveralDevices()) {
      PLINTH_ASSIGN_OR_RETURN(shardings[i], sharding_reader_.ReadText(lists[i], values[i]->type));
    }
    any |= shardings[i] != nullptr;
  }
  if (!any) shardings.clear();
  return shardings;
}

Status Importer::ImportShardings(const program::Function& source, Function& function) {
  PLINTH_ASSIGN_OR_RETURN(function.argument_shardings,
                          ReadShardings(source.argument_attributes, function.body->arguments));
  const auto& returned = function.body->terminator()->operands;
  PLINTH_ASSIGN_OR_RETURN(
      function.result_shardings,
      ReadShardings(source.result_attributes, {returned.data(), returned.size()}));
  ApplyResultConstraints(function);
  return CheckShardings(function);
}

// The form of text has shardings of results as calls before the return.
void Importer::ApplyResultConstraints(Function& function) {
  if (result_constraints_.empty()) return;
  auto& returned = function.body->terminator()->operands;
  function.result_shardings.resize(returned.size());
  for (size_t i = 0; i < returned.size(); ++i) {
    Op* const op = returned[i]->op;
    if (op == nullptr || !result_constraints_.contains(op)) continue;
    function.result_shardings[i] = op->shardings->results[0];
    returned[i] = op->operands[0];
  }
  result_constraints_.clear();
}

Status Importer::ImportShardings(const program::Operation& operation, Op& op) {
  OpShardings shardings = op.shardings == nullptr ? OpShardings() : *op.shardings;
  const bool is_manual = op.opcode == Opcode::kManualComputation;
  const bool has_own = op.opcode == Opcode::kShardingConstraint || op.opcode == Opcode::kReshard;
  const std::vector<AttributeRef> results = SdyIn(operation.attributes, is_manual ? "out_shardings"
                                                                        : has_own ? "sharding"
                                                                                  : "sdy.sharding");
  PLINTH_ASSIGN_OR_RETURN(shardings.results, sharding_reader_.ReadSdy(results));
  if (is_manual) {
    const std::vector<AttributeRef> operands = SdyIn(operation.attributes, "in_shardings");
    PLINTH_ASSIGN_OR_RETURN(shardings.operands, sharding_reader_.ReadSdy(operands));
    if (const AttributeRef axes = operation.Find("manual_axes")) {
      const AttributeRef names = axes->Find("axes");
      for (AttributeRef name : (names == nullptr ? axes : names)->elements()) {
        shardings.manual_axes.emplace_back(name->text());
      }
    }
  }
  if (shardings.results.empty() && shardings.operands.empty() && shardings.manual_axes.empty()) {
    return Status();
  }
  op.shardings = std::make_shared<const OpShardings>(std::move(shardings));
  return CheckShardings(op);
}

// The device on which a call has its effects, in the form of text. It says so even of a call
// without results.
Status Importer::ImportPlaceOfEffect(const program::Operation& operation, Op& op) {
  if (!HasSeveralDevices() || !op.Get<CustomCallAttributes>().has_side_effect) return Status();
  const Type none = Type::Token();
  const bool has_results = !op.results.empty();
  PLINTH_ASSIGN_OR_RETURN(
      std::vector<ShardingRef> read,
      sharding_reader_.ReadTexts(operation.attributes, has_results
                                                           ? std::span<const Type>(result_types_)
                                                           : std::span(&none, 1)));
  const bool is_said = std::any_of(read.begin(), read.end(), [](const ShardingRef& sharding) {
    return sharding != nullptr && sharding->mesh->IsMaximal();
  });
  if (!is_said) return Status();
  OpShardings shardings = op.shardings == nullptr ? OpShardings() : *op.shardings;
  shardings.results = std::move(read);
  op.shardings = std::make_shared<const OpShardings>(std::move(shardings));
  return CheckShardings(op);
}

// What an op became: the last of the ops since `first` is the one that makes the results, if they
// are its own.
Status Importer::ImportShardings(const program::Operation& operation, size_t first) {
  if (block_->ops.size() <= first) return Status();
  Op& op = *block_->ops.back();
  if (op.opcode == Opcode::kCustomCall) PLINTH_RETURN_IF_ERROR(ImportPlaceOfEffect(operation, op));
  if (program::Find(operation.attributes, "sdy.sharding") == nullptr) return Status();
  const bool is_said = op.shardings != nullptr && op.opcode != Opcode::kCustomCall;
  if (is_said || op.results.size() != operation.result_types.size()) return Status();
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (values_[operation.first_result + i] != op.results[i]) return Status();
  }
  return ImportShardings(operation, op);
}

Status Importer::ImportConstraint(const program::Operation& operation, bool of_result) {
  if (operands_.size() != 1 || result_types_.size() != 1 ||
      !(operands_[0]->type == result_types_[0])) {
    return InvalidArgument("@", operation.Text("call_target_name"),
                           " has results of other types than its operands");
  }
  PLINTH_ASSIGN_OR_RETURN(const int64_t group, sharding_reader_.ReadGroup(operation.attributes));
  if (group != OpShardings::kNoGroup) PLINTH_RETURN_IF_ERROR(ImportShardingGroup(group));
  PLINTH_ASSIGN_OR_RETURN(std::vector<ShardingRef> read,
                          sharding_reader_.ReadTexts(operation.attributes, result_types_));
  if (read.size() > 1) {
    return InvalidArgument("there are ", read.size(), " shardings; expected that of one array");
  }
  // It says nothing: what is manual stays so.
  if (read.empty() || read[0] == nullptr) return Define(0, operands_[0]);
  PLINTH_ASSIGN_OR_RETURN(AxisList manual_parts,
                          sharding_reader_.ReadManualParts(operation.attributes, result_types_[0]));
  if (SizeOf(manual_parts) == module_.num_partitions) return Define(0, operands_[0]);
  PLINTH_ASSIGN_OR_RETURN(read[0], OpenDimensions(operation, read[0]));
  PLINTH_ASSIGN_OR_RETURN(Value* const value,
                          AppendOne(Opcode::kShardingConstraint, {operands_[0]}, result_types_[0]));
  OpShardings shardings;
  shardings.results = std::move(read);
  shardings.manual_parts = std::move(manual_parts);
  value->op->shardings = std::make_shared<const OpShardings>(std::move(shardings));
  PLINTH_RETURN_IF_ERROR(CheckShardings(*value->op));
  if (of_result) result_constraints_.insert(value->op);
  return Define(0, value);
}

Status Importer::ImportShardingView(const program::Operation& operation) {
  if (operands_.size() != 1 || result_types_.size() != 1 ||
      operands_[0]->type.dtype != result_types_[0].dtype ||
      operands_[0]->type.rank() != result_types_[0].rank()) {
    return InvalidArgument("@", operation.Text("call_target_name"),
                           " has a result that is not of the operand's element type and rank");
  }
  CustomCallAttributes call;
  call.owner = owner();
  call.target = operation.Text("call_target_name");
  call.operand_layouts.resize(1);
  call.result_layouts.resize(1);
  PLINTH_ASSIGN_OR_RETURN(Value* const value,
                          AppendOne(Opcode::kCustomCall, {operands_[0]}, result_types_[0],
                                    MakeAttributes(std::move(call))));
  OpShardings shardings;
  PLINTH_ASSIGN_OR_RETURN(shardings.results,
                          sharding_reader_.ReadTexts(operation.attributes, result_types_));
  if (!shardings.results.empty()) {
    ShardingRef& read = shardings.results[0];
    if (read != nullptr) {
      PLINTH_ASSIGN_OR_RETURN(read, OpenDimensions(operation, read));
    }
    PLINTH_ASSIGN_OR_RETURN(shardings.manual_parts, sharding_reader_.ReadManualParts(
                                                        operation.attributes, result_types_[0]));
    // As "{manual}".
    if (SizeOf(shardings.manual_parts) == module_.num_partitions) read = nullptr;
    value->op->shardings = std::make_shared<const OpShardings>(std::move(shardings));
    PLINTH_RETURN_IF_ERROR(CheckShardings(*value->op));
  }
  return Define(0, value);
}

Status Importer::ImportBorder(const program::Operation& operation, bool is_entry) {
  CustomCallAttributes call;
  call.owner = owner();
  call.target = is_entry ? kGlobalToLocal : kLocalToGlobal;
  call.operand_layouts.resize(operands_.size());
  call.result_layouts.resize(result_types_.size());
  OpShardings shardings;
  PLINTH_ASSIGN_OR_RETURN(
      (is_entry ? shardings.operands : shardings.results),
      sharding_reader_.ReadBorder(operation.attributes,
                                  is_entry ? "xla.sdy.in_shardings" : "xla.sdy.out_shardings"));
  PLINTH_ASSIGN_OR_RETURN(shardings.manual_axes,
                          ShardingReader::ReadManualAxes(operation.attributes));
  PLINTH_ASSIGN_OR_RETURN(Op* const made, Append(Opcode::kCustomCall, operands_, result_types_,
                                                 MakeAttributes(std::move(call))));
  made->shardings = std::make_shared<const OpShardings>(std::move(shardings));
  return Define(std::vector<Value*>(made->results.begin(), made->results.end()));
}

Status Importer::ImportShardingGroup(int64_t group) {
  if (!HasSeveralDevices() || operands_.size() != 1) return Status();
  if (group < 0) return InvalidArgument("group_id is ", group, "; expected at least 0");
  PLINTH_ASSIGN_OR_RETURN(Value* const value, AppendOne(Opcode::kShardingConstraint, {operands_[0]},
                                                        operands_[0]->type));
  OpShardings shardings;
  shardings.results.resize(1);
  shardings.group = group;
  value->op->shardings = std::make_shared<const OpShardings>(std::move(shardings));
  return Status();
}

Status Importer::ImportPropagationBarrier(int64_t direction) {
  if (direction < 0 || direction > 3) {
    return InvalidArgument("allowed_direction is ", direction, "; expected 0 to 3");
  }
  if (!HasSeveralDevices() || operands_.size() != 1) return Define(operands_);
  PLINTH_ASSIGN_OR_RETURN(Value* const value, AppendOne(Opcode::kShardingConstraint, {operands_[0]},
                                                        operands_[0]->type));
  OpShardings shardings;
  shardings.results.resize(1);
  shardings.passage = static_cast<Passage>(direction);
  value->op->shardings = std::make_shared<const OpShardings>(std::move(shardings));
  return Define(0, value);
}

// GSPMD names in the configuration of the call the dimensions that are left open:
// "unspecified_dims=[0,2]".
Expected<ShardingRef> Importer::OpenDimensions(const program::Operation& operation,
                                               const ShardingRef& sharding) {
  constexpr std::string_view kUnspecified = "unspecified_dims=[";
  const std::string_view config = operation.Text("backend_config");
  const size_t at = config.find(kUnspecified);
  if (at == config.npos) return sharding;
  Sharding open = *sharding;
  size_t dim = 0;
  for (const char c : config.substr(at + kUnspecified.size())) {
    if (c >= '0' && c <= '9') {
      dim = std::min<size_t>(dim * 10 + static_cast<size_t>(c - '0'), 1000);
      continue;
    }
    if (dim >= open.dims.size()) {
      return InvalidArgument("backend_config \"", config.substr(0, 120), "\" names dimension ", dim,
                             "; the array has ", open.dims.size());
    }
    open.dims[dim].is_closed = false;
    dim = 0;
    if (c != ',') break;
  }
  return std::make_shared<const Sharding>(std::move(open));
}

}  // namespace plinth::compiler::importer
