// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <unordered_set>

#include "impl/ifrt/c_api.h"
#include "impl/ifrt/callback_store.h"
#include "impl/ifrt/ladder.h"
#include "impl/loader/named_value_json.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

struct PluginHandle {
  plinth_plugin* plugin = nullptr;
  ~PluginHandle() { plinth_plugin_destroy(plugin); }
};

// A plugin is initialized once per process, whoever else here asks for it.
Status InitializeOnce(const client::Api& api) {
  // Never freed: plugins are never unloaded.
  static auto* const mutex = new std::mutex;
  static auto* const initialized = new std::unordered_set<const PJRT_Api*>;
  const std::lock_guard lock(*mutex);
  if (initialized->contains(api.table())) return {};
  const Status status = api.Initialize();
  if (!status.ok()) return status.WithContext("PJRT_Plugin_Initialize");
  initialized->insert(api.table());
  return {};
}

Expected<client::Client> MakeClient(const plinth_ifrt_client_options& options,
                                    client::KeyValueStore* store) {
  client::Options values;
  const PJRT_Api* table = GetField(options, &plinth_ifrt_client_options::api, nullptr);
  const bool is_callers = table != nullptr;
  if (!is_callers) {
    plinth_load_options load = {};
    load.struct_size = plinth_load_options_STRUCT_SIZE;
    load.plugin = GetField(options, &plinth_ifrt_client_options::plugin, nullptr);
    load.layers = GetField(options, &plinth_ifrt_client_options::layers, nullptr);
    PluginHandle plugin;
    PLINTH_IFRT_RETURN_IF_ERROR(TakeCStatus(plinth_load(&load, &plugin.plugin)));
    table = plinth_plugin_api(plugin.plugin);
    if (const char* json = plinth_plugin_create_options(plugin.plugin); json != nullptr) {
      PLINTH_ASSIGN_OR_RETURN(const std::vector<NamedValue> asked, loader::OptionsFromJson(json));
      for (const NamedValue& value : asked) {
        std::visit([&](const auto& one) { values.Set(value.name, one); }, value.value);
      }
    }
  }
  PLINTH_ASSIGN_OR_RETURN(const client::Api api, client::Api::FromTable(table));
  if (!is_callers) PLINTH_IFRT_RETURN_IF_ERROR(InitializeOnce(api));
  const size_t count = GetField(options, &plinth_ifrt_client_options::num_options, 0);
  const char* const* texts = GetField(options, &plinth_ifrt_client_options::options, nullptr);
  for (size_t i = 0; i < count; ++i) {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(texts, "the list of options"));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(texts[i], "an option"));
    PLINTH_IFRT_RETURN_IF_ERROR(values.Parse(texts[i]));
  }
  return client::Client::Create(api, values, store);
}

}  // namespace
}  // namespace plinth::ifrt

using plinth::ifrt::Device;

plinth_status* plinth_ifrt_client_create(const plinth_ifrt_client_options* options,
                                         plinth_ifrt_client** client) {
  return plinth::ifrt::Guarded([&]() -> plinth::Status {
    PLINTH_IFRT_RETURN_IF_ERROR(plinth::ifrt::NeedNotNull(client, "`client`"));
    *client = nullptr;
    plinth_ifrt_client_options defaults = {};
    defaults.struct_size = plinth_ifrt_client_options_STRUCT_SIZE;
    const plinth_ifrt_client_options& given = options == nullptr ? defaults : *options;
    PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<plinth::client::KeyValueStore> store,
                            plinth::ifrt::StoreFromC(given));
    PLINTH_ASSIGN_OR_RETURN(plinth::client::Client raw,
                            plinth::ifrt::MakeClient(given, store.get()));
    PLINTH_ASSIGN_OR_RETURN(plinth::ifrt::Ref<plinth::ifrt::Client> made,
                            plinth::ifrt::Client::Create(std::move(raw), std::move(store)));
    *client = ToC(made.Give());
    return {};
  });
}

const char* plinth_ifrt_client_platform_name(const plinth_ifrt_client* client) {
  return plinth::ifrt::FromC(client)->platform_name().c_str();
}

const char* plinth_ifrt_client_platform_version(const plinth_ifrt_client* client) {
  return plinth::ifrt::FromC(client)->platform_version().c_str();
}

const PJRT_Api* plinth_ifrt_client_api(const plinth_ifrt_client* client) {
  return plinth::ifrt::FromC(client)->raw().api().table();
}

plinth_status* plinth_ifrt_client_ladder(plinth_ifrt_client* client, char** json) {
  return plinth::ifrt::Guarded([&]() -> plinth::Status {
    PLINTH_IFRT_RETURN_IF_ERROR(plinth::ifrt::NeedNotNull(client, "the client"));
    PLINTH_ASSIGN_OR_RETURN(const plinth::Json ladder,
                            plinth::ifrt::LadderOf(*plinth::ifrt::FromC(client)));
    return plinth::ifrt::GiveText(ladder.ToString(), json);
  });
}

int32_t plinth_ifrt_client_process_index(const plinth_ifrt_client* client) {
  return plinth::ifrt::FromC(client)->process_index();
}

const plinth_ifrt_device* const* plinth_ifrt_client_devices(const plinth_ifrt_client* client,
                                                            size_t* num_devices) {
  *num_devices = plinth::ifrt::FromC(client)->devices().size();
  return reinterpret_cast<const plinth_ifrt_device* const*>(
      plinth::ifrt::FromC(client)->device_list());
}

const plinth_ifrt_device* plinth_ifrt_client_find_device(const plinth_ifrt_client* client,
                                                         int32_t id) {
  return plinth::ifrt::ToC(plinth::ifrt::FromC(client)->FindDevice(id));
}

int32_t plinth_ifrt_device_id(const plinth_ifrt_device* device) {
  return plinth::ifrt::FromC(device)->id;
}

int32_t plinth_ifrt_device_process_index(const plinth_ifrt_device* device) {
  return plinth::ifrt::FromC(device)->process_index;
}

bool plinth_ifrt_device_is_addressable(const plinth_ifrt_device* device) {
  return plinth::ifrt::FromC(device)->is_addressable;
}

const char* plinth_ifrt_device_kind(const plinth_ifrt_device* device) {
  return plinth::ifrt::FromC(device)->kind.c_str();
}

const char* plinth_ifrt_device_text(const plinth_ifrt_device* device) {
  return plinth::ifrt::FromC(device)->text.c_str();
}

size_t plinth_ifrt_device_num_memories(const plinth_ifrt_device* device) {
  return plinth::ifrt::FromC(device)->memories.size();
}

const char* plinth_ifrt_device_memory_kind(const plinth_ifrt_device* device, size_t index) {
  const Device& one = *plinth::ifrt::FromC(device);
  return index < one.memories.size() ? one.memories[index].kind.c_str() : nullptr;
}
