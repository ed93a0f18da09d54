// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_PLUGIN_CHAIN_H_
#define PLINTH_IMPL_LOADER_PLUGIN_CHAIN_H_

#include <memory>
#include <string>
#include <vector>

#include "impl/layers/layer.h"
#include "impl/loader/adapter.h"
#include "impl/loader/extension_copy.h"
#include "impl/loader/log.h"
#include "impl/loader/plugin_table.h"
#include "impl/loader/thunks.h"
#include "plinth/support/status.h"

namespace plinth::loader {

// A plugin, the adapter in front of it and the layers in front of that, with the table that callers
// use. Never destroyed once its table is handed out. Any thread, after AddLayers and HandOut.
class PluginChain final : public layers::Chain {
 public:
  // `reported_minor` is what callers are told.
  PluginChain(PluginTable table, int reported_minor, LogSink log);

  // Makes the layers, the first nearest to the caller. An error names the layer.
  Status AddLayers(const std::vector<std::string>& specs);

  // Makes the table from thunks of its own and starts to answer them.
  const PJRT_Api* HandOut(const Thunks& thunks);

  PJRT_Error* Call(int depth, int function, void* args) const override;

  // From a thunk: nothing is thrown.
  PJRT_Error* CallFromThunk(int function, void* args) const noexcept;

  Adapter& adapter() { return adapter_; }
  // "caller -> trace -> adapter -> /a/b.so (PJRT 0.90)".
  std::string Describe() const;

 private:
  const PluginTable table_;
  const int reported_minor_;
  const LogSink log_;
  Adapter adapter_;
  std::vector<std::string> layer_names_;
  std::vector<std::unique_ptr<layers::Layer>> layers_;
  CopiedExtensions extensions_;
  PJRT_Api api_{};
};

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_PLUGIN_CHAIN_H_
