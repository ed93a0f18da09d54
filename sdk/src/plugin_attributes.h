// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_PLUGIN_ATTRIBUTES_H_
#define PLINTH_SDK_SRC_PLUGIN_ATTRIBUTES_H_

#include "plinth/sdk/plugin.h"
#include "plinth/support/named_value.h"
#include "plinth/support/status.h"

namespace plinth::sdk::internal {

// PluginInfo::attributes and the defaults of its options, as PJRT_Plugin_Attributes answers them.
struct PluginAttributes {
  explicit PluginAttributes(const PluginInfo& info);

  NamedValueArray all;
  NamedValueArray for_old_callers;  // PluginInfo::attributes without the StableHLO version.
};

Expected<const PluginAttributes*> ThePluginAttributes();

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_PLUGIN_ATTRIBUTES_H_
