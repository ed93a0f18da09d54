// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/plugin.h"

#include "sdk/src/api_instance.h"
#include "sdk/src/not_offered.h"
#include "sdk/src/topology_text.h"

namespace plinth::sdk {

Expected<std::unique_ptr<Topology>> Plugin::CreateTopology(std::string_view name, const Options&) {
  return internal::NotOffered("the plugin describes no topologies without a client; asked for \"",
                              name, "\"");
}

Expected<std::unique_ptr<Topology>> Plugin::DeserializeTopology(std::string_view serialized) {
  PLINTH_ASSIGN_OR_RETURN(TopologyInfo topology, internal::ReadTopology(serialized));
  return std::make_unique<Topology>(std::move(topology));
}

Expected<std::shared_ptr<const Executable>> Plugin::Compile(const Topology&, const Program&,
                                                            std::string_view, Client*) {
  return internal::NotOffered("the plugin cannot compile without a client");
}

namespace internal {

Expected<ClientOptions> ParseClientOptions(const PluginInfo& info,
                                           std::span<const NamedValue> given) {
  // What JAX adds when jax.distributed is initialized. One process is no distributed run.
  static const auto* const kDistributed =
      new std::vector<OptionSpec>{{.name = "num_nodes",
                                   .default_value = int64_t{1},
                                   .doc = "processes of a distributed run",
                                   .min = 1,
                                   .max = 1 << 30},
                                  {.name = "node_id",
                                   .default_value = int64_t{0},
                                   .doc = "number of this process in a distributed run",
                                   .min = 0,
                                   .max = 1 << 30}};
  std::vector<OptionSpec> specs = info.options;
  for (const OptionSpec& spec : *kDistributed) {
    bool is_taken = false;
    for (const OptionSpec& own : info.options) is_taken = is_taken || own.name == spec.name;
    if (!is_taken) specs.push_back(spec);
  }
  ClientOptions result;
  PLINTH_ASSIGN_OR_RETURN(result.own, Options::Parse(specs, given));
  result.num_nodes = static_cast<int>(result.own.GetInt64("num_nodes"));
  result.node_id = static_cast<int>(result.own.GetInt64("node_id"));
  if (result.num_nodes > 1 && !info.supports_distributed) {
    return Unimplemented("plugin ", info.name, " ", info.version,
                         " does not take part in distributed runs; num_nodes is ",
                         result.num_nodes);
  }
  if (result.node_id < 0 || result.node_id >= std::max(result.num_nodes, 1)) {
    return InvalidArgument("node_id is ", result.node_id, "; num_nodes is ", result.num_nodes);
  }
  return result;
}

}  // namespace internal
}  // namespace plinth::sdk
