// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/open.h"

#include <dlfcn.h>

#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "impl/loader/broken_table.h"
#include "impl/loader/closures.h"
#include "impl/loader/own_memory.h"
#include "impl/loader/plugin_chain.h"
#include "impl/loader/plugin_table.h"
#include "impl/loader/reported_minor.h"
#include "plinth/support/extension_chain.h"
#include "plinth/support/str_cat.h"

namespace plinth::loader {
namespace {

// What one chain was made from.
using ChainKey = std::tuple<const PJRT_Api*, std::vector<std::string>, int, bool>;

// The chains of this process. They are never given back, so neither are the thunks.
struct Chains {
  struct Made {
    ChainKey key;
    std::unique_ptr<PluginChain> chain;
    const PJRT_Api* api;
  };
  std::mutex mutex;
  std::vector<Made> made;
};

Chains& AllChains() {
  static auto* const chains = new Chains();  // No destructor at exit.
  return *chains;
}

Expected<const PJRT_Api*> LoadTable(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return NotFound("cannot open the plugin ", path, ": ",
                    reason == nullptr ? "the system gives no reason" : reason);
  }
  void* symbol = dlsym(library, "GetPjrtApi");
  if (symbol == nullptr) {
    return FailedPrecondition(path, " is no PJRT plugin: it does not export GetPjrtApi");
  }
  const PJRT_Api* api = reinterpret_cast<const PJRT_Api* (*)()>(symbol)();
  if (api == nullptr) {
    return FailedPrecondition("GetPjrtApi of ", path,
                              " returned null; the plugin's own log may say why");
  }
  return api;
}

// Whether callers can have the plugin's own table: nothing in it is missing, and none of what
// stands between is wanted.
bool CanBeUsedDirectly(const PluginTable& table, const OpenOptions& options) {
  if (!options.layer_specs.empty() || table.IsNewerThanUs() ||
      table.function_count != kPjrtFunctionCount ||
      (options.api_minor != 0 && options.api_minor != table.minor)) {
    return false;
  }
  if (options.default_layouts &&
      FindExtension(table.Extensions(), PJRT_Extension_Type_Layouts) == nullptr) {
    return false;
  }
  for (const reflection::Function& function : reflection::Functions()) {
    if (function.table >= 0 || function.absent == reflection::Absent::kNull) continue;
    if (table.Slot(function) == nullptr) return false;
  }
  return true;
}

Expected<Thunks> ThunksOf(size_t chain, const std::string& path) {
  if (chain < kThunkInstances) return CompiledThunks(static_cast<int>(chain));
  Expected<Thunks> thunks = MakeClosures();
  if (thunks.ok()) return thunks;
  return thunks.status().WithContext(
      StrCat("cannot open ", path, ": this process already has ", kThunkInstances,
             " plugins or combinations of plugin and layers that need functions of their own, the "
             "number that exists without that. Open fewer of them, or without layers"));
}

// Set while this thread opens a plugin. A plugin or a layer that leads back here would wait for
// itself, or go round for ever.
thread_local bool is_opening = false;

struct Opening {
  Opening() { is_opening = true; }
  ~Opening() { is_opening = false; }
};

}  // namespace

Expected<const PJRT_Api*> OpenPlugin(const OpenOptions& options) {
  if (is_opening) {
    return FailedPrecondition("cannot open ", options.path,
                              ": it was asked for while this libplinth was opening another plugin. "
                              "Does the plugin lead back to libplinth itself?");
  }
  Opening opening;
  PLINTH_ASSIGN_OR_RETURN(const PJRT_Api* api, LoadTable(options.path));
  // After GetPjrtApi, which may have mapped what it returns.
  const OwnMemory memory = OwnMemory::Now();
  PLINTH_RETURN_IF_ERROR(CheckReadable(options.path, api, memory));
  PLINTH_ASSIGN_OR_RETURN(PluginTable table,
                          ReadPluginTable(options.path, api, options.allow_old, options.log));
  PLINTH_RETURN_IF_ERROR(CheckSlots(table, memory));
  PLINTH_RETURN_IF_ERROR(CheckExtensions(table, memory));
  if (CanBeUsedDirectly(table, options)) {
    Log(options.log, LogLevel::kInfo, StrCat("chain: caller -> ", table.Describe()));
    return api;
  }
  Chains& chains = AllChains();
  std::lock_guard lock(chains.mutex);
  ChainKey key{api, options.layer_specs, options.api_minor, options.default_layouts};
  for (const Chains::Made& made : chains.made) {
    if (made.key == key) return made.api;
  }
  PLINTH_ASSIGN_OR_RETURN(const Thunks thunks, ThunksOf(chains.made.size(), options.path));
  PLINTH_ASSIGN_OR_RETURN(int minor, MinorToReport(table, options.api_minor));
  auto chain = std::make_unique<PluginChain>(std::move(table), minor, options.log);
  if (options.default_layouts) chain->adapter().UseDefaultLayouts();
  PLINTH_RETURN_IF_ERROR(chain->AddLayers(options.layer_specs));
  const PJRT_Api* handed_out = chain->HandOut(thunks);
  Log(options.log, LogLevel::kInfo, StrCat("chain: ", chain->Describe()));
  chains.made.push_back({std::move(key), std::move(chain), handed_out});
  return handed_out;
}

}  // namespace plinth::loader
