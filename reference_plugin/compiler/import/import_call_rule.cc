// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/importer.h"

// What a program says of how a custom call may be spread over devices.
namespace plinth::compiler::importer {
namespace {

using program::AttributeRef;

constexpr int64_t kMostFactors = 1024;

// One tensor's mapping; the call has its dimensions in the order that they have in memory.
Status ReadMapping(AttributeRef tensor, const Type& type, const Dims& layout, const CallRule& rule,
                   std::vector<std::vector<int64_t>>* factors) {
  const auto dims = tensor->Find("dim_mappings")->elements();
  if (static_cast<int64_t>(dims.size()) != type.rank()) {
    return InvalidArgument("it has ", dims.size(), " dimensions for ", type.ToString());
  }
  for (size_t place = 0; place < dims.size(); ++place) {
    // Layouts name the dimension that varies fastest first.
    const size_t dim =
        layout.empty() ? place : static_cast<size_t>(layout[dims.size() - 1 - place]);
    std::vector<int64_t>& own = factors->emplace_back();
    int64_t size = 1;
    for (int64_t factor : dims[dim]->Find("factor_indices")->integers()) {
      if (factor < 0 || factor >= std::ssize(rule.factor_sizes)) {
        return InvalidArgument("there is no factor ", factor);
      }
      size *= rule.factor_sizes[static_cast<size_t>(factor)];
      own.push_back(factor);
    }
    if (size != type.dims[place] || own.empty()) {
      return InvalidArgument("the factors of a dimension of ", type.dims[place], " make ", size);
    }
  }
  return Status();
}

Status ReadMappings(AttributeRef mappings, std::span<Value* const> values,
                    std::span<const Dims> layouts, const CallRule& rule,
                    std::vector<std::vector<std::vector<int64_t>>>* tensors) {
  const auto each = mappings->elements();
  if (each.size() != values.size()) {
    return InvalidArgument("it is for ", each.size(), " arrays; there are ", values.size());
  }
  for (size_t i = 0; i < each.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(
        ReadMapping(each[i], values[i]->type, layouts[i], rule, &tensors->emplace_back()));
  }
  return Status();
}

Expected<std::vector<int64_t>> ReadFactors(AttributeRef source, std::string_view name,
                                           const CallRule& rule) {
  const AttributeRef list = source->Find(name);
  std::vector<int64_t> factors;
  if (list == nullptr) return factors;
  for (int64_t factor : list->integers()) {
    if (factor < 0 || factor >= std::ssize(rule.factor_sizes)) {
      return InvalidArgument("there is no factor ", factor);
    }
    factors.push_back(factor);
  }
  return factors;
}

Expected<CallRule> ReadRule(AttributeRef source, const Op& op) {
  const auto& call = op.Get<CustomCallAttributes>();
  CallRule rule;
  const auto sizes = source->Find("factor_sizes")->integers();
  rule.factor_sizes.assign(sizes.begin(), sizes.end());
  for (int64_t size : rule.factor_sizes) {
    if (size < 1 || std::ssize(rule.factor_sizes) > kMostFactors) {
      return InvalidArgument("it has ", rule.factor_sizes.size(), " factors, one of size ", size);
    }
  }
  PLINTH_RETURN_IF_ERROR(ReadMappings(source->Find("operand_mappings"),
                                      {op.operands.data(), op.operands.size()},
                                      call.operand_layouts, rule, &rule.operands));
  PLINTH_RETURN_IF_ERROR(ReadMappings(source->Find("result_mappings"),
                                      {op.results.data(), op.results.size()}, call.result_layouts,
                                      rule, &rule.results));
  PLINTH_ASSIGN_OR_RETURN(rule.reduced, ReadFactors(source, "reduction_factors", rule));
  PLINTH_ASSIGN_OR_RETURN(rule.replicated, ReadFactors(source, "need_replication_factors", rule));
  PLINTH_ASSIGN_OR_RETURN(rule.permuted, ReadFactors(source, "permutation_factors", rule));
  PLINTH_ASSIGN_OR_RETURN(rule.blocked, ReadFactors(source, "blocked_propagation_factors", rule));
  return rule;
}

int64_t NumBatchDims(const program::Operation& operation) {
  const AttributeRef frontend = program::Find(operation.attributes, "mhlo.frontend_attributes");
  const AttributeRef number = frontend == nullptr ? nullptr : frontend->Find("num_batch_dims");
  if (number == nullptr || !number->Is(program::AttributeKind::kString)) return 0;
  const std::string_view text = number->text();
  int64_t dims = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), dims);
  return error == std::errc() && end == text.data() + text.size() ? std::max<int64_t>(0, dims) : 0;
}

}  // namespace

Status Importer::ImportCallRule(const program::Operation& operation, Op& op) {
  if (!HasSeveralDevices()) return Status();
  OpShardings shardings;
  shardings.num_batch_dims = NumBatchDims(operation);
  const AttributeRef rule = program::Find(operation.attributes, "sdy.sharding_rule");
  if (rule != nullptr && rule->struct_name() == "sdy.op_sharding_rule") {
    auto read = ReadRule(rule, op);
    if (!read.ok()) {
      return read.status().WithContext(StrCat("sharding rule ", program::ToString(rule)));
    }
    shardings.call_rule = std::make_shared<const CallRule>(*std::move(read));
  }
  if (shardings.call_rule != nullptr || shardings.num_batch_dims > 0) {
    op.shardings = std::make_shared<const OpShardings>(std::move(shardings));
  }
  return Status();
}

}  // namespace plinth::compiler::importer
