// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/client_option.h"
#include "plinth/support/str_cat.h"
#include "sdk/src/api_instance.h"
#include "sdk/src/entry.h"
#include "sdk/src/plugin_attributes.h"

namespace plinth::sdk::internal {
namespace {

std::vector<NamedValue> WithOptions(const PluginInfo& info) {
  std::vector<NamedValue> attributes = info.attributes;
  for (const OptionSpec& option : info.options) {
    attributes.push_back({StrCat(kClientOptionAttribute, option.name), option.default_value});
  }
  return attributes;
}

std::vector<NamedValue> WithoutStableHloVersion(const std::vector<NamedValue>& attributes) {
  std::vector<NamedValue> kept;
  for (const NamedValue& attribute : attributes) {
    if (attribute.name != "stablehlo_current_version") kept.push_back(attribute);
  }
  return kept;
}

}  // namespace

PluginAttributes::PluginAttributes(const PluginInfo& info)
    : all(WithOptions(info)), for_old_callers(WithoutStableHloVersion(info.attributes)) {}

Status Call(PJRT_Plugin_Initialize_Args&) {
  PLINTH_ASSIGN_OR_RETURN(Plugin * plugin, ThePlugin());
  return plugin->Initialize();
}

Status Call(PJRT_Plugin_Attributes_Args& args) {
  PLINTH_ASSIGN_OR_RETURN(const PluginAttributes* attributes, ThePluginAttributes());
  // Callers that announce 24 are of before 0.72 (JAX through 0.6.2). One of them, 0.4.35, fails
  // every compile when it learns of a StableHLO newer than its own.
  const NamedValueArray& list = args.struct_size < PJRT_Plugin_Attributes_Args_STRUCT_SIZE
                                    ? attributes->for_old_callers
                                    : attributes->all;
  SetField(args, &PJRT_Plugin_Attributes_Args::attributes, list.data());
  SetField(args, &PJRT_Plugin_Attributes_Args::num_attributes, list.size());
  return {};
}

Status Call(PJRT_ExecuteContext_Create_Args& args) {
  auto context = std::make_unique<ExecuteContext>();
  context->generation = CurrentGeneration();
  args.context = ToC(context.release());
  return {};
}

Status Call(PJRT_ExecuteContext_Destroy_Args& args) {
  DestroyHandle(FromC(args.context));
  return {};
}

}  // namespace plinth::sdk::internal
