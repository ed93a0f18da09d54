// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_H_
#define PLINTH_REFERENCE_PLUGIN_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/reference/device.h"
#include "plinth/sdk/plugin.h"

// A whole plugin from a device that takes some steps. Unstable: releases may change it.
namespace plinth::reference {

struct PluginOptions {
  std::string name;     // "npu": of the plugin and, for JAX, of the platform
  std::string version;  // of the plugin: part of what an executable depends on
  // The device of a client with these options, or of a program that is compiled without a client;
  // an error is that call's. Empty: the host runs everything.
  std::function<Expected<std::shared_ptr<const Device>>(const sdk::Options& options)> make_device =
      {};
  // True: several elementwise ops become one step, which is faster on the host. False: each op is
  // a step, so that a device can take it.
  bool fusion = false;
  std::vector<sdk::OptionSpec> options = {};  // of the client, besides those below
};

// Every op runs from the start, on the host. Options of the client: num_devices, num_threads,
// memory_limit_bytes, blas (as of the CPU plugin), and
//   fallback = allow | warn | error: what if the device does not take a step: nothing, a line on
//   standard error for each program, or UNIMPLEMENTED with op and place.
// PJRT_Executable_GetCostAnalysis has, for what the host runs, `plinth_fallback.<op>` (steps) and
// `plinth_fallback_bytes` (of their operands and results, each step once).
class Plugin : public sdk::Plugin {
 public:
  explicit Plugin(PluginOptions options);

  const sdk::PluginInfo& info() const override { return info_; }
  Expected<std::unique_ptr<sdk::Client>> CreateClient(const sdk::ClientRequest& request) override;
  sdk::Ffi* ffi() override;
  Expected<std::shared_ptr<const sdk::Executable>> Compile(const sdk::Topology& topology,
                                                           const sdk::Program& program,
                                                           std::string_view options,
                                                           sdk::Client* client) override;

 protected:
  sdk::PluginInfo info_;  // to be completed by who derives, in the constructor

 private:
  const PluginOptions options_;
};

}  // namespace plinth::reference

#endif  // PLINTH_REFERENCE_PLUGIN_H_
