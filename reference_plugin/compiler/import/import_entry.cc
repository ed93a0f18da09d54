// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/importer.h"

// What the attributes of the module and of the entry's parameters and results say.
namespace plinth::compiler::importer {
namespace {

constexpr int64_t kMaxDevices = 1 << 20;

}  // namespace

Status Importer::ImportModuleAttributes() {
  struct Row {
    std::string_view name;
    int64_t* value;
  };
  for (const Row& row : {Row{"mhlo.num_replicas", &module_.num_replicas},
                         Row{"mhlo.num_partitions", &module_.num_partitions}}) {
    const program::AttributeRef attribute = program::Find(program_->attributes(), row.name);
    if (attribute == nullptr) continue;
    *row.value = attribute->integer();
    if (*row.value < 1 || *row.value > kMaxDevices) {
      return InvalidArgument("the module has ", row.name, " = ", *row.value,
                             "; expected a number in [1, ", kMaxDevices, "]");
    }
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
  std::set<int64_t> aliased;
  for (size_t i = 0; i < source.argument_attributes.size() && i < parameters.size(); ++i) {
    const program::Attributes attributes = source.argument_attributes[i];
    module_.parameter_memory_kinds.push_back(text_of(attributes, "mhlo.memory_kind"));
    any_memory_kind = any_memory_kind || !module_.parameter_memory_kinds.back().empty();
    if (const auto* output = program::Find(attributes, "tf.aliasing_output")) {
      const int64_t number = output->integer();
      if (number < 0 || number >= static_cast<int64_t>(outputs.size())) {
        return InvalidArgument("argument ", i, " of @", source.name, " is donated to output ",
                               number, "; there are ", outputs.size(), " outputs");
      }
      if (!aliased.insert(number).second) {
        return InvalidArgument("argument ", i, " of @", source.name, " is donated to output ",
                               number, ", as is another argument");
      }
      // Of another type it is still given away.
      const bool fits = parameters[i]->type == outputs[static_cast<size_t>(number)]->type;
      module_.donations.push_back(
          {static_cast<int32_t>(i), fits ? static_cast<int32_t>(number) : -1});
    } else if (const auto* donor = program::Find(attributes, "jax.buffer_donor");
               donor != nullptr &&
               (donor->Is(program::AttributeKind::kUnit) || donor->integer() != 0)) {
      module_.donations.push_back({static_cast<int32_t>(i), -1});
    }
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
