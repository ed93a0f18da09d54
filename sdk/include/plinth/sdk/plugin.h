// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_PLUGIN_H_
#define PLINTH_SDK_PLUGIN_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/sdk/client.h"
#include "plinth/sdk/executable.h"
#include "plinth/sdk/ffi.h"
#include "plinth/sdk/key_value_store.h"
#include "plinth/sdk/options.h"
#include "plinth/sdk/topology.h"

namespace plinth::sdk {

// The facts about a plugin and its abilities. Filled in once; never changes.
struct PluginInfo {
  std::string name = {};     // For messages, for example "plinth_cpu".
  std::string version = {};  // Of the plugin, for messages.
  // JAX chooses lowering rules by it; "cpu" gets those of the CPU.
  std::string platform_name = {};
  // Part of the key of JAX's compilation cache: change it with every build that compiles
  // differently.
  std::string platform_version = {};
  // PJRT_Plugin_Attributes. "stablehlo_current_version" (a list of 3 int64) tells JAX which version
  // to send; the SDK leaves it out for callers of before 0.72, which would fail on it.
  std::vector<NamedValue> attributes = {};
  // The options of Client::Create and of CreateTopology. PJRT_Plugin_Attributes tells their
  // defaults (support/client_option.h).
  std::vector<OptionSpec> options = {};
  // Takes part in runs of several processes: num_nodes > 1 is accepted, and CreateClient gets the
  // node's number and the key-value store.
  bool supports_distributed = false;
  // Functions whose slot is null unless the plugin has them, because frameworks test for null.
  bool supports_bitcast = false;
  bool supports_load = false;
  bool supports_clear_memory_stats = false;
  bool supports_canonical_shape = false;
  // Things that an execution may bring (the last one: the load of an executable too). If one is
  // false, the SDK answers UNIMPLEMENTED to callers that bring it: send and recv callbacks,
  // ExecuteRequest::custom_options, ExecuteRequest::multi_slice_config.
  bool supports_send_recv = false;
  bool supports_custom_options = false;
  bool supports_multi_slice = false;
  // Whether frameworks can order their own work with the plugin's by streams of the platform, for
  // DLPack: the Stream extension is there.
  bool supports_streams = false;
  // Further extensions, in front of the SDK's (Layouts, Shardings, FFI, Stream). They live for
  // ever; `next` is written by the SDK.
  std::vector<PJRT_Extension_Base*> extensions = {};
};

struct ClientRequest {
  const Options& options;
  // Distributed runs only (PluginInfo::supports_distributed).
  int num_nodes = 1;
  int node_id = 0;
  std::shared_ptr<const KeyValueStore> key_value_store = {};  // Null if not distributed.
};

// The root of a plugin: one per process, made at the first GetPjrtApi, never destroyed. Its
// functions may be called from any thread, also at once.
class Plugin {
 public:
  virtual ~Plugin() = default;

  virtual const PluginInfo& info() const = 0;
  // PJRT_Plugin_Initialize; may be called several times. Load the libraries of the hardware here or
  // in CreateClient, so that the plugin itself always loads.
  virtual Status Initialize() { return {}; }
  virtual Expected<std::unique_ptr<Client>> CreateClient(const ClientRequest& request) = 0;

  // Null, or the object of the FFI extension; lives as long as the plugin. Asked once,
  // when the plugin is made.
  virtual Ffi* ffi() { return nullptr; }

  // Compiling ahead of time; UNIMPLEMENTED by default.
  virtual Expected<std::unique_ptr<Topology>> CreateTopology(std::string_view name,
                                                             const Options& options);
  // By default for what Topology::Serialize writes by default.
  virtual Expected<std::unique_ptr<Topology>> DeserializeTopology(std::string_view serialized);
  // `client` may be null.
  virtual Expected<std::shared_ptr<const Executable>> Compile(const Topology& topology,
                                                              const Program& program,
                                                              std::string_view options,
                                                              Client* client);
};

namespace internal {
// Makes the plugin on the first call and returns its table, which lives for ever. Never null: if
// the plugin cannot be made, Initialize and Create of the table say why.
const PJRT_Api* GetApi(std::unique_ptr<Plugin> (*make_plugin)());
}  // namespace internal

// In one source file, outside of any namespace: defines GetPjrtApi, the only symbol that a plugin
// exports. `plugin_class` derives from plinth::sdk::Plugin and is default-constructible.
#define PLINTH_DEFINE_PLUGIN(plugin_class)                                                  \
  extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {          \
    return ::plinth::sdk::internal::GetApi([]() -> std::unique_ptr<::plinth::sdk::Plugin> { \
      return std::make_unique<plugin_class>();                                              \
    });                                                                                     \
  }

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_PLUGIN_H_
