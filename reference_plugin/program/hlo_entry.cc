// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "api/support/xla_message_fields.h"
#include "plinth/program/compile_options.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/program/hlo_reader.h"
#include "reference_plugin/program/hlo_wire.h"
#include "reference_plugin/program/sharding_text.h"

// What is said of the whole module, of the entry's parameters and results, and of shardings.
namespace plinth::program {
namespace {

using messages::AliasEntryProto;
using messages::BufferDonorEntryProto;
using messages::FrontendAttributeEntry;
using messages::FrontendAttributesProto;
using messages::HloBufferDonorProto;
using messages::HloInputOutputAliasProto;
using messages::HloInstructionProto;
using messages::HloModuleProto;

// The leaf that a path through tuples leads to, or nothing.
std::optional<size_t> LeafAt(const HloShape& shape, std::span<const int64_t> path) {
  const HloShape* at = &shape;
  size_t leaf = 0;
  for (const int64_t index : path) {
    if (index < 0 || index >= std::ssize(at->elements)) return std::nullopt;
    leaf += at->LeavesBefore(static_cast<size_t>(index));
    at = &at->elements[static_cast<size_t>(index)];
  }
  if (at->is_tuple) return std::nullopt;
  return leaf;
}

}  // namespace

// An empty one is none.
Expected<AttributeRef> HloReader::FrontendAttributes(std::string_view message) {
  std::vector<NamedAttribute> entries;
  PLINTH_RETURN_IF_ERROR(
      ForEachBytes<Status>(message, FrontendAttributesProto::kMap, [&](std::string_view entry) {
        const auto text = [&](uint32_t field) {
          return builder_.arena().Copy(BytesField(entry, field));
        };
        entries.push_back({text(FrontendAttributeEntry::kKey),
                           builder_.New(Attribute::String(text(FrontendAttributeEntry::kValue)))});
        return Status();
      }));
  if (entries.empty()) return AttributeRef(nullptr);
  const AttributeRef dictionary = builder_.NewDictionary(std::move(entries));
  if (dictionary == nullptr) return InvalidArgument("two frontend attributes have one name");
  return dictionary;
}

Status HloReader::ReadShardings(std::string_view message, const HloShape& shape,
                                std::span<AttributeRef> leaves) {
  const auto as_bytes = std::as_bytes(std::span(message.data(), message.size()));
  PLINTH_ASSIGN_OR_RETURN(const OpSharding sharding, ReadOpSharding(as_bytes));
  const bool is_tuple = sharding.kind == OpSharding::Kind::kTuple;
  // The shardings of a tuple are listed by leaf. No leaf, no sharding: XLA has one for "()".
  if (is_tuple && sharding.elements.size() != leaves.size() && !leaves.empty()) {
    return InvalidArgument("its sharding is for ", sharding.elements.size(), " arrays; ",
                           ToString(shape), " has ", leaves.size());
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    const std::string text = WriteShardingText(is_tuple ? sharding.elements[i] : sharding);
    if (!is_tuple && !builder_.SpendOnList(leaves.size(), text.size())) {
      return ModuleBuilder::Disproportion();
    }
    leaves[i] = builder_.New(Attribute::String(builder_.arena().Copy(std::string_view(text))));
  }
  return {};
}

// What an instruction says that means nothing to its ops themselves, for BeginOps.
Status HloReader::ReadDiscardable(const Instruction& in) {
  std::vector<NamedAttribute>& attributes = body_->discardable;
  if (std::string_view message; FindBytes(in.rest, HloInstructionProto::kSharding, &message)) {
    const auto as_bytes = std::as_bytes(std::span(message.data(), message.size()));
    PLINTH_ASSIGN_OR_RETURN(const OpSharding sharding, ReadOpSharding(as_bytes));
    const std::string text = WriteShardingText(sharding);
    attributes.push_back({"mhlo.sharding", builder_.New(Attribute::String(
                                               builder_.arena().Copy(std::string_view(text))))});
  }
  PLINTH_ASSIGN_OR_RETURN(
      const AttributeRef frontend,
      FrontendAttributes(BytesField(in.rest, HloInstructionProto::kFrontendAttributes)));
  if (frontend != nullptr) attributes.push_back({"mhlo.frontend_attributes", frontend});
  return {};
}

Status HloReader::AddModuleAttributes() {
  if (!module_.name.empty()) {
    module_attributes_.push_back(
        {"sym_name", builder_.New(Attribute::String(builder_.arena().Copy(module_.name)))});
  }
  PLINTH_ASSIGN_OR_RETURN(
      const AttributeRef frontend,
      FrontendAttributes(BytesField(module_.message, HloModuleProto::kFrontendAttributes)));
  if (frontend != nullptr) module_attributes_.push_back({"mhlo.frontend_attributes", frontend});
  return {};
}

Status HloReader::AddEntryAttributes(const HloBody& entry) {
  const HloShape& result = entry.root_shape();
  std::vector<size_t> first_leaf;  // Of each parameter.
  size_t num_leaves = 0;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    first_leaf.push_back(num_leaves);
    num_leaves += entry.parameter_shape(i).leaves.size();
  }
  std::vector<std::vector<NamedAttribute>> arguments(num_leaves), results(result.leaves.size());

  // Shardings: those of the module, if it has them, else those of the instructions.
  const auto add_shardings = [&](std::string_view message, const HloShape& shape,
                                 std::vector<NamedAttribute>* lists) -> Status {
    std::vector<AttributeRef> texts(shape.leaves.size());
    PLINTH_RETURN_IF_ERROR(ReadShardings(message, shape, texts));
    for (size_t i = 0; i < texts.size(); ++i) lists[i].push_back({"mhlo.sharding", texts[i]});
    return {};
  };
  std::vector<std::string_view> given;
  PLINTH_RETURN_IF_ERROR(ForEachBytes<Status>(
      module_.message, HloModuleProto::kSpmdParametersShardings, [&](std::string_view message) {
        given.push_back(message);
        return Status();
      }));
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const HloInstruction& in = entry.instructions[entry.parameters[i]];
    std::vector<NamedAttribute>* const lists = arguments.data() + first_leaf[i];
    std::string_view message;
    bool has_sharding = i < given.size();
    if (has_sharding) {
      message = given[i];
    } else if (in.has_sharding) {
      has_sharding = FindBytes(in.rest, HloInstructionProto::kSharding, &message);
    }
    if (has_sharding) {
      Status status = add_shardings(message, *in.shape, lists);
      if (!status.ok()) return status.WithContext(StrCat("parameter ", i));
    }
    if (in.shape->is_tuple || !in.has_frontend_attributes) continue;
    PLINTH_ASSIGN_OR_RETURN(
        const AttributeRef frontend,
        FrontendAttributes(BytesField(in.rest, HloInstructionProto::kFrontendAttributes)));
    if (frontend != nullptr) lists[0].push_back({"mhlo.frontend_attributes", frontend});
  }
  const HloInstruction& root = entry.instructions[entry.root];
  std::string_view message;
  if (FindBytes(module_.message, HloModuleProto::kSpmdOutputSharding, &message) ||
      (root.has_sharding && FindBytes(root.rest, HloInstructionProto::kSharding, &message))) {
    Status status = add_shardings(message, result, results.data());
    if (!status.ok()) return status.WithContext("the result");
  }

  // Donations.
  const auto argument_of = [&](std::string_view what, int64_t number,
                               std::span<const int64_t> path) -> Expected<size_t> {
    if (number < 0 || number >= std::ssize(first_leaf)) {
      return InvalidArgument(what, " names parameter ", number, "; the entry computation has ",
                             first_leaf.size());
    }
    const auto parameter = static_cast<size_t>(number);
    const HloShape& shape = entry.parameter_shape(parameter);
    const std::optional<size_t> leaf = LeafAt(shape, path);
    if (!leaf.has_value()) {
      return InvalidArgument(what, " names {", StrJoin(path, ",").substr(0, 100), "} of parameter ",
                             number, ", which is ", ToString(shape));
    }
    return first_leaf[parameter] + *leaf;
  };
  PLINTH_RETURN_IF_ERROR(ForEachBytes<Status>(
      BytesField(module_.message, HloModuleProto::kInputOutputAlias),
      HloInputOutputAliasProto::kEntries, [&](std::string_view alias) -> Status {
        const std::vector<int64_t> path = IntsField(alias, AliasEntryProto::kOutputShapeIndex);
        const std::optional<size_t> output = LeafAt(result, path);
        if (!output.has_value()) {
          return InvalidArgument("input_output_alias names {", StrJoin(path, ",").substr(0, 100),
                                 "} of the result, which is ", ToString(result));
        }
        PLINTH_ASSIGN_OR_RETURN(
            const size_t argument,
            argument_of("input_output_alias", IntField(alias, AliasEntryProto::kParameterNumber),
                        IntsField(alias, AliasEntryProto::kParameterShapeIndex)));
        arguments[argument].push_back(
            {"tf.aliasing_output", builder_.NewInt(DType::kS32, static_cast<int64_t>(*output))});
        return {};
      }));
  PLINTH_RETURN_IF_ERROR(ForEachBytes<Status>(
      BytesField(module_.message, HloModuleProto::kBufferDonor), HloBufferDonorProto::kEntries,
      [&](std::string_view donor) -> Status {
        PLINTH_ASSIGN_OR_RETURN(
            const size_t argument,
            argument_of("buffer_donor", IntField(donor, BufferDonorEntryProto::kParameterNumber),
                        IntsField(donor, BufferDonorEntryProto::kParameterShapeIndex)));
        arguments[argument].push_back({"jax.buffer_donor", builder_.New(Attribute::Bool(true))});
        return {};
      }));

  const auto to_dictionaries = [&](std::vector<std::vector<NamedAttribute>>& lists,
                                   std::vector<AttributeRef>* made) -> Status {
    for (std::vector<NamedAttribute>& list : lists) {
      made->push_back(builder_.NewDictionary(std::move(list)));
      if (made->back() == nullptr) {
        return InvalidArgument("a parameter of the entry computation is donated twice");
      }
    }
    return {};
  };
  PLINTH_RETURN_IF_ERROR(to_dictionaries(arguments, &argument_attributes_));
  return to_dictionaries(results, &result_attributes_);
}

}  // namespace plinth::program
