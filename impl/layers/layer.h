// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_LAYER_H_
#define PLINTH_IMPL_LAYERS_LAYER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "pjrt_c_api.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/status.h"

// A layer stands between a client and a plugin. It sees every call of every function that the
// registry describes, of the core table and of extensions, and passes it on, changes it or answers
// it. Layers never wrap handles.
namespace plinth::layers {

class Layer;

// The way down from a layer: the layers below it, the adapter, the plugin.
class Chain {
 public:
  virtual ~Chain() = default;

  // Calls `function` (an index in reflection::Functions()) at `depth`: the layer of that number, or
  // the plugin after the last one.
  virtual PJRT_Error* Call(int depth, int function, void* args) const = 0;
};

// One call on its way down. Lives on the stack of the calling thread.
class Call {
 public:
  Call(const Chain& chain, int depth, int function, void* args)
      : chain_(chain), depth_(depth), function_(function), args_(args) {}

  const reflection::Function& function() const { return reflection::Functions()[function_]; }
  reflection::function::Id id() const { return static_cast<reflection::function::Id>(function_); }

  // The argument struct as the client gave it: of any struct_size, possibly null.
  void* args() const { return args_; }

  // Hands the call down. The result is null for functions that return nothing. Errors have the head
  // of 0.107, whatever the plugin's minor.
  PJRT_Error* Next() const { return chain_.Call(depth_ + 1, function_, args_); }

  // A call of the layer's own to what lies below it.
  PJRT_Error* Below(reflection::function::Id function, void* args) const {
    return chain_.Call(depth_ + 1, function, args);
  }

 private:
  const Chain& chain_;
  int depth_;
  int function_;
  void* args_;
};

// One line of text for the program that loaded the plugin. Called from any thread.
using LogSink = std::function<void(std::string_view line)>;

// What a layer knows when its chain is made.
struct LayerContext {
  std::string plugin_path;
  int plugin_minor = 0;  // that the table handed out reports
  std::string options;   // what followed the layer's name: `trace(file=a.json,capture=b)` -> inside
  LogSink log;           // never empty
  const Chain* chain = nullptr;  // outlives the layer
  int depth = 0;                 // of this layer in it
};

// Made once for each chain and never destroyed, as a plugin is never unloaded. OnCall runs on any
// thread, also inside of another call and in callbacks; it holds no lock while it calls down.
class Layer {
 public:
  virtual ~Layer() = default;
  virtual PJRT_Error* OnCall(const Call& call) = 0;
};

// Makes a layer; the error says which option was not understood and which there are.
using LayerFactory = Expected<std::unique_ptr<Layer>> (*)(const LayerContext& context);

struct LayerEntry {
  const char* name;
  LayerFactory create;
  const char* doc;  // one line, and the options
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_LAYER_H_
