// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/external_layer.h"

#include <dlfcn.h>

#include <map>
#include <utility>

#include "plinth/support/error.h"
#include "plinth_layer.h"

// The two opaque types of plinth_layer.h.
struct plinth_layer_host {
  plinth::layers::LayerContext context;
  // (extension type, slot) -> index in reflection::Functions().
  std::map<std::pair<int32_t, int32_t>, int> functions;
  plinth_layer_context c_context = {};
};
struct plinth_layer_next {
  const plinth::layers::Call& call;
};

namespace plinth::layers {
namespace {

constexpr int32_t kVersion = 1;

// As the C interface numbers it.
int32_t ExtensionTypeOf(const reflection::Function& function) {
  return function.table < 0 ? -1 : reflection::Tables()[static_cast<size_t>(function.table)].type;
}

PJRT_Error* Next(const plinth_layer_next* next) { return next->call.Next(); }

PJRT_Error* Invoke(const plinth_layer_host* host, int32_t extension_type, int32_t slot,
                   void* args) {
  auto found = host->functions.find({extension_type, slot});
  if (found == host->functions.end()) {
    return MakeError(Unimplemented("no function with extension type ", extension_type, " and slot ",
                                   slot, " is known to this libplinth"));
  }
  return host->context.chain->Call(host->context.depth + 1, found->second, args);
}

void LogLine(const plinth_layer_host* host, const char* message) {
  if (message != nullptr) host->context.log(message);
}

PJRT_Error* MakeErrorOf(const plinth_layer_host*, PJRT_Error_Code code, const char* message) {
  std::string_view text = message == nullptr ? "" : message;
  Status status = StatusFromParts(static_cast<int>(code), text.data(), text.size());
  if (status.ok()) status = Status(StatusCode::kUnknown, std::string(text));
  return MakeError(status);
}

class ExternalLayer : public Layer {
 public:
  ExternalLayer(const plinth_layer* layer, std::unique_ptr<plinth_layer_host> host, void* state)
      : layer_(layer), host_(std::move(host)), state_(state) {}

  ~ExternalLayer() override {
    if (layer_->destroy != nullptr) layer_->destroy(state_);
  }

  PJRT_Error* OnCall(const Call& call) override {
    const reflection::Function& function = call.function();
    plinth_layer_next next{call};
    plinth_layer_call c_call = {};
    c_call.struct_size = plinth_layer_call_STRUCT_SIZE;
    c_call.extension_type = ExtensionTypeOf(function);
    c_call.slot = function.slot;
    c_call.function = function.name;
    c_call.args = call.args();
    c_call.token = &next;
    c_call.next = &Next;
    PJRT_Error* error = layer_->call(state_, &c_call);
    if (function.returns == reflection::Returns::kError) return error;
    static_cast<void>(TakeError(error));
    return nullptr;
  }

 private:
  const plinth_layer* layer_;
  std::unique_ptr<plinth_layer_host> host_;
  void* state_;
};

std::unique_ptr<plinth_layer_host> MakeHost(const LayerContext& context) {
  auto host = std::make_unique<plinth_layer_host>();
  host->context = context;
  std::span<const reflection::Function> functions = reflection::Functions();
  for (size_t i = 0; i < functions.size(); ++i) {
    if (!functions[i].IsRegular()) continue;
    host->functions[{ExtensionTypeOf(functions[i]), functions[i].slot}] = static_cast<int>(i);
  }
  plinth_layer_context& c_context = host->c_context;
  c_context.struct_size = plinth_layer_context_STRUCT_SIZE;
  c_context.host = host.get();
  c_context.plugin_path = host->context.plugin_path.c_str();
  c_context.plugin_minor = context.plugin_minor;
  c_context.options = host->context.options.c_str();
  c_context.log = &LogLine;
  c_context.make_error = &MakeErrorOf;
  c_context.invoke = &Invoke;
  return host;
}

// The layer of a library, checked.
Expected<const plinth_layer*> FindLayer(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return NotFound("layer `", path, "` cannot be loaded: ", reason == nullptr ? "" : reason);
  }
  auto get = reinterpret_cast<const plinth_layer* (*)(int32_t)>(dlsym(library, "plinth_layer_get"));
  if (get == nullptr) {
    return InvalidArgument("`", path, "` is no layer: it does not export plinth_layer_get");
  }
  const plinth_layer* layer = get(kVersion);
  if (layer == nullptr) {
    return FailedPrecondition("layer `", path, "` does not work with version ", kVersion,
                              " of the layer interface, the newest that this libplinth knows");
  }
  if (layer->struct_size < plinth_layer_STRUCT_SIZE) {
    return InvalidArgument("layer `", path, "`: its plinth_layer has struct_size ",
                           layer->struct_size, ", and version 1 has ",
                           size_t{plinth_layer_STRUCT_SIZE});
  }
  if (layer->version < 1 || layer->version > kVersion) {
    return FailedPrecondition("layer `", path, "` was written for version ", layer->version,
                              " of the layer interface; this libplinth knows 1 to ", kVersion);
  }
  if (layer->name == nullptr || layer->call == nullptr) {
    return InvalidArgument("layer `", path, "`: its plinth_layer has a null `",
                           layer->name == nullptr ? "name" : "call", "`");
  }
  return layer;
}

}  // namespace

Expected<std::unique_ptr<Layer>> LoadExternalLayer(const std::string& path,
                                                   const LayerContext& context) {
  PLINTH_ASSIGN_OR_RETURN(const plinth_layer* layer, FindLayer(path));
  std::unique_ptr<plinth_layer_host> host = MakeHost(context);
  void* state = nullptr;
  if (layer->create != nullptr) {
    Status status = TakeError(layer->create(&host->c_context, &state));
    if (!status.ok()) {
      return status.WithContext(StrCat("layer `", layer->name, "` (", path, ")"));
    }
  }
  return std::unique_ptr<Layer>(new ExternalLayer(layer, std::move(host), state));
}

}  // namespace plinth::layers
