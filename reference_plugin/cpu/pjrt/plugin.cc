// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/plugin.h"

#include <stdlib.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "reference_plugin/backend/calls/call_partitioners.h"
#include "reference_plugin/backend/calls/ffi_registry.h"
#include "reference_plugin/backend/executable/build_id.h"
#include "reference_plugin/backend/executable/executable.h"
#include "reference_plugin/cpu/math/simd_name.h"
#include "reference_plugin/cpu/pjrt/client.h"
#include "reference_plugin/cpu/pjrt/num_devices.h"

namespace plinth::cpu {
namespace {

constexpr int64_t kMostThreads = 1024;

// An unknown name would change nothing, and say nothing.
Status CheckSimdName() {
  const char* wanted = secure_getenv("PLINTH_SIMD");
  if (wanted == nullptr || *wanted == '\0') return Status();
  std::string names;
  for (int i = 0; i < math::kNumSimdTargets; ++i) {
    const std::string_view name = math::NameOf(static_cast<math::SimdTarget>(i));
    if (name == wanted) return Status();
    names += StrCat(names.empty() ? "" : ", ", name);
  }
  return InvalidArgument("the environment variable PLINTH_SIMD is '", wanted, "'; known are ",
                         names);
}

sdk::PluginInfo MakeInfo() {
  sdk::PluginInfo info;
  info.name = "plinth_cpu";
  info.version = PLINTH_VERSION;
  // JAX's lowering rules, donation and compilation cache go by this name.
  info.platform_name = "cpu";
  // Part of the keys of JAX's compilation cache: whatever an executable depends on is in it.
  info.platform_version = StrCat("plinth ", PLINTH_VERSION, " build ", backend::BuildId(), " on ",
                                 math::NameOf(math::BestSimdTarget()));
  info.attributes = {
      {"stablehlo_current_version", std::vector<int64_t>{1, 17, 0}},
      {"stablehlo_minimum_version", std::vector<int64_t>{0, 9, 0}},
  };
  info.options = {
      {"num_devices", int64_t{0},
       "devices that the client has; they share the machine. 0 for what JAX_NUM_CPU_DEVICES or "
       "XLA_FLAGS=--xla_force_host_platform_device_count ask JAX's own CPU for, else 1",
       0, kMostDevices},
      {"num_threads", int64_t{0},
       "threads that compute; 0 for one per processor that the process may use", 0, kMostThreads},
      {"memory_limit_bytes", int64_t{0},
       "of all arrays and running programs at once; 0 for the memory of the machine or container, "
       "as far as it is free",
       0},
      {"device_memory_limit_bytes", int64_t{0},
       "of the arrays and running programs of each device; 0 for no other limit than that of all",
       0},
      {"blas", std::string(),
       "file of the BLAS library for large matrix products; \"none\" for the built-in one; empty "
       "to search"},
      {"flush_subnormals", false,
       "programs read and write numbers below the smallest normal one as zeros, as JAX's own CPU "
       "does; false: as IEEE 754 has them"},
      {"native_loops", true,
       "loops over few elements run as machine code that is made for them; false: step by step, "
       "with the same results"},
      {"native_kernels", true,
       "what runs often gets machine code for its elementwise ops; false: a routine for each, with "
       "the same results"},
  };
  info.supports_bitcast = true;
  info.supports_load = true;
  info.supports_clear_memory_stats = true;
  info.extensions.push_back(backend::CustomPartitionerExtension());
  return info;
}

class CpuPlugin final : public sdk::Plugin {
 public:
  const sdk::PluginInfo& info() const override { return info_; }

  Expected<std::unique_ptr<sdk::Client>> CreateClient(const sdk::ClientRequest& request) override {
    PLINTH_RETURN_IF_ERROR(CheckSimdName());
    CpuClientOptions options;
    int64_t num_devices = request.options.GetInt64("num_devices");
    if (num_devices == 0) {
      PLINTH_ASSIGN_OR_RETURN(num_devices, NumDevicesFromEnvironment());
    }
    options.num_devices = static_cast<int>(num_devices);
    options.num_threads = static_cast<int>(request.options.GetInt64("num_threads"));
    options.memory_limit = request.options.GetInt64("memory_limit_bytes");
    options.device_memory_limit = request.options.GetInt64("device_memory_limit_bytes");
    if (request.options.GetBool("flush_subnormals")) {
      options.subnormals = backend::Subnormals::kFlushed;
    }
    options.native.loops = request.options.GetBool("native_loops");
    options.native.kernels = request.options.GetBool("native_kernels");
    options.library.blas.path = request.options.GetString("blas");
    return std::unique_ptr<sdk::Client>(std::make_unique<CpuClient>(options));
  }

  sdk::Ffi* ffi() override { return &backend::FfiRegistry::Get(); }

  Expected<std::shared_ptr<const sdk::Executable>> Compile(const sdk::Topology&,
                                                           const sdk::Program& program,
                                                           std::string_view options,
                                                           sdk::Client*) override {
    PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<const backend::BackendExecutable> executable,
                            backend::BackendExecutable::Compile(program, options, MakeBackend()));
    return std::shared_ptr<const sdk::Executable>(std::move(executable));
  }

 private:
  const sdk::PluginInfo info_ = MakeInfo();
};

}  // namespace
}  // namespace plinth::cpu

PLINTH_DEFINE_PLUGIN(plinth::cpu::CpuPlugin)
