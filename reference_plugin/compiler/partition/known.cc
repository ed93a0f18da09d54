// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/known.h"

#include "reference_plugin/compiler/partition/local_op.h"

namespace plinth::compiler::partition {

OpRules::Rules& OpRules::Of(const Op& op) {
  const auto [found, is_new] = rules_.try_emplace(&op);
  if (is_new) found->second.propagated = RuleOf(op);
  return found->second;
}

OpRules::Local OpRules::LocalOf(const Op& op) {
  Rules& rules = Of(op);
  if (!rules.spreadable.has_value()) {
    rules.local = OtherLocalRule(op, rules.propagated);
    const Rule& local = rules.local.has_value() ? *rules.local : rules.propagated;
    rules.spreadable = local.empty() ? std::vector<bool>() : SpreadableFactors(op, local);
  }
  return {rules.local.has_value() ? *rules.local : rules.propagated, *rules.spreadable};
}

}  // namespace plinth::compiler::partition
