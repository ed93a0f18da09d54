// SPDX-License-Identifier: Apache-2.0
#include "plinth/reference/plugin.h"

#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/calls/call_partitioners.h"
#include "reference_plugin/backend/calls/ffi_registry.h"
#include "reference_plugin/backend/executable/build_id.h"
#include "reference_plugin/backend/executable/executable.h"
#include "reference_plugin/cpu/backend.h"
#include "reference_plugin/cpu/pjrt/client.h"
#include "reference_plugin/reference/device_step.h"
#include "reference_plugin/reference/fallback.h"

namespace plinth::reference {
namespace {

constexpr int64_t kMostDevices = 1024;
constexpr int64_t kMostThreads = 1024;

Fallback FallbackOf(std::string_view text) {
  if (text == "warn") return Fallback::kWarn;
  return text == "error" ? Fallback::kError : Fallback::kAllow;
}

// The CPU's back end, with the device in front of it.
Expected<std::shared_ptr<const backend::Backend>> MakeBackend(const PluginOptions& options,
                                                              const sdk::Options& given) {
  cpu::library::LibraryOptions library;
  library.blas.path = given.GetString("blas");
  std::shared_ptr<const Device> device;
  if (options.make_device != nullptr) {
    PLINTH_ASSIGN_OR_RETURN(device, options.make_device(given));
  }
  // Machine code would run the ops of a device here.
  backend::Backend made = *cpu::MakeBackend(library, {.loops = false, .kernels = false});
  // The device is asked for products as programs write them.
  made.target.small_products = {};
  made.name = options.name;
  made.hardware = StrCat(options.name, " ", options.version, " on ", made.hardware);
  made.fusion = options.fusion;
  if (device != nullptr) made.engines.insert(made.engines.begin(), DeviceEngine(device));
  const Fallback fallback = FallbackOf(given.GetString("fallback"));
  made.examine = [device, fallback, name = options.name](const compiler::plan::Plan& plan) {
    return ExamineFallback(plan, device.get(), fallback, name);
  };
  return std::make_shared<const backend::Backend>(std::move(made));
}

}  // namespace

Plugin::Plugin(PluginOptions options) : options_(std::move(options)) {
  info_.name = options_.name;
  info_.version = options_.version;
  info_.platform_name = options_.name;
  // JAX registers handlers of jax.ffi by the platform's name.
  backend::FfiRegistry::Get().SetPlatform(options_.name);
  info_.platform_version =
      StrCat(options_.name, " ", options_.version, " build ", backend::BuildId());
  info_.attributes = {
      {"stablehlo_current_version", std::vector<int64_t>{1, 17, 0}},
      {"stablehlo_minimum_version", std::vector<int64_t>{0, 9, 0}},
  };
  info_.options = {
      {"num_devices", int64_t{1}, "devices that the client has; they share the machine", 1,
       kMostDevices},
      {"num_threads", int64_t{0},
       "threads of the host that compute; 0 for one per processor that the process may use", 0,
       kMostThreads},
      {"memory_limit_bytes", int64_t{0},
       "of all arrays and running programs at once; 0 for the memory of the machine", 0},
      {"blas", std::string(),
       "file of the BLAS library for large matrix products on the host; \"none\" for the built-in "
       "one; empty to search"},
      {.name = "fallback",
       .default_value = std::string("allow"),
       .doc = "what if the device does not run a step of a program: allow (the host does), warn, "
              "error",
       .choices = {"allow", "warn", "error"}},
  };
  info_.options.insert(info_.options.end(), options_.options.begin(), options_.options.end());
  info_.supports_bitcast = true;
  info_.supports_load = true;
  info_.supports_clear_memory_stats = true;
  info_.extensions.push_back(backend::CustomPartitionerExtension());
}

Expected<std::unique_ptr<sdk::Client>> Plugin::CreateClient(const sdk::ClientRequest& request) {
  cpu::CpuClientOptions options;
  options.device_kind = options_.name;
  options.num_devices = static_cast<int>(request.options.GetInt64("num_devices"));
  options.num_threads = static_cast<int>(request.options.GetInt64("num_threads"));
  options.memory_limit = request.options.GetInt64("memory_limit_bytes");
  PLINTH_ASSIGN_OR_RETURN(options.backend, MakeBackend(options_, request.options));
  return std::unique_ptr<sdk::Client>(std::make_unique<cpu::CpuClient>(options));
}

sdk::Ffi* Plugin::ffi() { return &backend::FfiRegistry::Get(); }

Expected<std::shared_ptr<const sdk::Executable>> Plugin::Compile(const sdk::Topology&,
                                                                 const sdk::Program& program,
                                                                 std::string_view options,
                                                                 sdk::Client*) {
  PLINTH_ASSIGN_OR_RETURN(const sdk::Options defaults, sdk::Options::Parse(info_.options, {}));
  PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<const backend::Backend> backend,
                          MakeBackend(options_, defaults));
  PLINTH_ASSIGN_OR_RETURN(
      std::shared_ptr<const backend::BackendExecutable> executable,
      backend::BackendExecutable::Compile(program, options, std::move(backend)));
  return std::shared_ptr<const sdk::Executable>(std::move(executable));
}

}  // namespace plinth::reference
