// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/plugin_chain.h"

#include <cstring>
#include <new>
#include <utility>

#include "impl/loader/layer_spec.h"
#include "plinth/support/error.h"
#include "plinth/support/str_cat.h"

namespace plinth::loader {
namespace {

bool ReturnsNothing(int function) {
  return reflection::Functions()[function].returns == reflection::Returns::kNothing;
}

// What comes out of a function whose body threw: nothing crosses the edge of the C ABI.
template <typename Body>
PJRT_Error* Guarded(int function, Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return ReturnsNothing(function)
               ? nullptr
               : MakeCallbackError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "out of host memory", 18);
  } catch (...) {
    constexpr char kMessage[] = "a layer threw an exception";
    return ReturnsNothing(function)
               ? nullptr
               : MakeCallbackError(PJRT_Error_Code_INTERNAL, kMessage, sizeof(kMessage) - 1);
  }
}

}  // namespace

PluginChain::PluginChain(PluginTable table, int reported_minor, LogSink log)
    : table_(std::move(table)),
      reported_minor_(reported_minor),
      log_(std::move(log)),
      adapter_(table_) {
  if (table_.minor < kMemoryHeadMinor && reported_minor_ >= kMemoryHeadMinor) {
    adapter_.UseMemoryHeads();
  }
}

Status PluginChain::AddLayers(const std::vector<std::string>& specs) {
  layers_.resize(specs.size());
  layer_names_.resize(specs.size());
  // From the plugin upwards: a layer may call what is below it while it is made.
  for (size_t i = specs.size(); i-- > 0;) {
    PLINTH_ASSIGN_OR_RETURN(LayerSpec spec, ParseLayerSpec(specs[i]));
    layers::LayerContext context;
    context.plugin_path = table_.path;
    context.plugin_minor = reported_minor_;
    context.options = spec.options;
    context.log = [log = log_](std::string_view line) { Log(log, LogLevel::kInfo, line); };
    context.chain = this;
    context.depth = static_cast<int>(i);
    Expected<std::unique_ptr<layers::Layer>> layer = MakeLayer(spec, context);
    if (!layer.ok()) {
      return layer.status().WithContext(StrCat("cannot make the layer ", specs[i]));
    }
    layers_[i] = *std::move(layer);
    layer_names_[i] = spec.name;
  }
  return {};
}

const PJRT_Api* PluginChain::HandOut(const Thunks& thunks) {
  extensions_ = CopyExtensions(table_, thunks.functions, adapter_, log_);
  api_.struct_size = PJRT_Api_STRUCT_SIZE;
  api_.extension_start = extensions_.first;
  api_.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  api_.pjrt_api_version.major_version = kPjrtMajor;
  api_.pjrt_api_version.minor_version = reported_minor_;

  ThunkInstance& instance = *thunks.instance;
  for (int i = 0; i < reflection::kFunctionCount; ++i) {
    ThunkInstance::Slot& slot = instance.slots[static_cast<size_t>(i)];
    slot.target = adapter_.Target(i);
    bool is_direct = layers_.empty() && adapter_.DirectSize(i) != 0 && table_.HasErrorHeads();
    slot.direct_size = is_direct ? adapter_.DirectSize(i) : ThunkInstance::kNeverDirect;
    const reflection::Function& function = reflection::Functions()[i];
    if (function.table >= 0) continue;
    void* thunk = function.absent == reflection::Absent::kNull && !adapter_.Offers(i)
                      ? nullptr
                      : thunks.functions[static_cast<size_t>(i)];
    std::memcpy(reinterpret_cast<char*>(&api_) + function.offset, &thunk, sizeof(thunk));
  }
  instance.chain = this;
  return &api_;
}

PJRT_Error* PluginChain::Call(int depth, int function, void* args) const {
  if (static_cast<size_t>(depth) < layers_.size()) {
    return layers_[static_cast<size_t>(depth)]->OnCall(layers::Call(*this, depth, function, args));
  }
  return adapter_.Call(function, args);
}

PJRT_Error* PluginChain::CallFromThunk(int function, void* args) const noexcept {
  return Guarded(function, [&] { return Call(0, function, args); });
}

std::string PluginChain::Describe() const {
  std::string text = "caller -> ";
  for (const std::string& name : layer_names_) text += StrCat(name, " -> ");
  return StrCat(text, "adapter -> ", table_.Describe());
}

}  // namespace plinth::loader
