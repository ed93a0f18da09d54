// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "plinth/program/donation.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/importer.h"

// What the attributes of the module and of the entry's parameters and results say.
namespace plinth::compiler::importer {
namespace {

// Lanes that a launch may have.
constexpr int64_t kMaxDevices = 1 << 20;

}  // namespace

Status Importer::ImportModuleAttributes() {
  struct Row {
    std::string_view name, attribute;
    int64_t asked;
    int64_t* value;
  };
  for (const Row& row :
       {Row{"replicas", "mhlo.num_replicas", asked_.replicas, &module_.num_replicas},
        Row{"partitions", "mhlo.num_partitions", asked_.partitions, &module_.num_partitions}}) {
    if (row.asked < 1 || row.asked > kMaxDevices) {
      return InvalidArgument("the compile options ask for ", row.asked, " ", row.name,
                             "; expected a number in [1, ", kMaxDevices, "]");
    }
    *row.value = row.asked;
    const program::AttributeRef attribute = program::Find(program_->attributes(), row.attribute);
    if (attribute == nullptr) continue;
    const int64_t said = attribute->integer();
    if (said < 1 || said > kMaxDevices) {
      return InvalidArgument("the module has ", row.attribute, " = ", said,
                             "; expected a number in [1, ", kMaxDevices, "]");
    }
    if (said == 1) continue;
    if (row.asked != 1 && row.asked != said) {
      return InvalidArgument("module @", module_.name, " is for ", said, " ", row.name,
                             ", the compile options ask for ", row.asked);
    }
    *row.value = said;
  }
  if (module_.num_replicas * module_.num_partitions > kMaxDevices) {
    return InvalidArgument("module @", module_.name, " is for ", module_.num_replicas,
                           " replicas of ", module_.num_partitions,
                           " partitions; expected at most ", kMaxDevices, " devices together");
  }
  return Status();
}

Status Importer::ImportEntryAttributes(const program::Function& source) {
  const auto& parameters = module_.entry->body->arguments;
  const auto& outputs = module_.entry->body->terminator()->operands;
  const auto text_of = [](program::Attributes attributes, std::string_view name) {
    const program::AttributeRef attribute = program::Find(attributes, name);
    return attribute == nullptr ? std::string() : std::string(attribute->text());
  };
  bool any_memory_kind = false;
  for (size_t i = 0; i < source.argument_attributes.size() && i < parameters.size(); ++i) {
    const program::Attributes attributes = source.argument_attributes[i];
    module_.parameter_memory_kinds.push_back(text_of(attributes, "mhlo.memory_kind"));
    any_memory_kind = any_memory_kind || !module_.parameter_memory_kinds.back().empty();
  }
  PLINTH_ASSIGN_OR_RETURN(const std::vector<program::Donation> donations,
                          program::ReadDonations(source));
  for (const program::Donation& donation : donations) {
    if (donation.argument >= parameters.size()) continue;
    // To an output of another type it is still given away.
    const bool fits = donation.output.has_value() && *donation.output < outputs.size() &&
                      parameters[donation.argument]->type == outputs[*donation.output]->type;
    module_.donations.push_back({static_cast<int32_t>(donation.argument),
                                 fits ? static_cast<int32_t>(*donation.output) : -1});
  }
  for (size_t i = 0; i < source.result_attributes.size() && i < outputs.size(); ++i) {
    module_.output_memory_kinds.push_back(text_of(source.result_attributes[i], "mhlo.memory_kind"));
    any_memory_kind = any_memory_kind || !module_.output_memory_kinds.back().empty();
  }
  module_.parameter_memory_kinds.resize(parameters.size());
  module_.output_memory_kinds.resize(outputs.size());
  if (!any_memory_kind) {
    module_.parameter_memory_kinds.clear();
    module_.output_memory_kinds.clear();
  }
  return Status();
}

}  // namespace plinth::compiler::importer
