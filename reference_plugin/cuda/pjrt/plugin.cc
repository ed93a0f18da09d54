// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/plugin.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "reference_plugin/backend/calls/call_partitioners.h"
#include "reference_plugin/backend/calls/ffi_registry.h"
#include "reference_plugin/backend/executable/build_id.h"
#include "reference_plugin/cuda/pjrt/client.h"
#include "reference_plugin/cuda/pjrt/topology.h"

namespace plinth::cuda {
namespace {

sdk::PluginInfo MakeInfo() {
  sdk::PluginInfo info;
  info.name = "plinth_cuda";
  info.version = PLINTH_VERSION;
  info.platform_name = "cuda";
  // JAX looks for "cuda" in it when it exchanges arrays. Part of the keys of its compilation cache.
  info.platform_version = StrCat("plinth ", PLINTH_VERSION, " build ", backend::BuildId(), " cuda");
  info.attributes = {
      {"stablehlo_current_version", std::vector<int64_t>{1, 17, 0}},
      {"stablehlo_minimum_version", std::vector<int64_t>{0, 9, 0}},
  };
  info.options = {
      {"cuda_library_path", std::string(),
       "folders with NVIDIA's libraries, with colons between them, that come before all others; "
       "empty for those of PLINTH_CUDA_LIBRARY_PATH"},
      {"memory_limit_bytes", int64_t{0},
       "of all arrays and running programs on a GPU at once; 0 for what the GPU has", 0},
      {"preallocate", false, "take that memory when the client is made"},
      {"visible_devices", std::vector<int64_t>{}, "ordinals of the GPUs to use; empty for all", 0},
      {"allow_tf32", true,
       "products of f32 that ask for no precision may round operands to TF32, 10 bits of mantissa"},
      {"deterministic", true,
       "the same program gives the same bits each time; false: sums of floats by scatter in any "
       "order"},
      {"cublaslt", std::string("large"),
       "products of matrices that cuBLASLt computes: 'large' ones, 'all', or 'none'"},
      // What JAX gives to its own plugin of this name; they change nothing here.
      {"allocator", std::string(), "taken for JAX; changes nothing"},
      {"memory_fraction", 0.0f, "taken for JAX; changes nothing"},
      {"collective_memory_size", int64_t{0}, "taken for JAX; changes nothing"},
      {"enable_mock_nccl", false, "taken for JAX; changes nothing"},
      {"mock_gpu_topology", std::string(), "taken for JAX; changes nothing"},
      {"num_nodes", int64_t{1}, "processes of a run; one", 1, 1},
      {"node_id", int64_t{0}, "of this process", 0, 0},
      {"slice_index", int64_t{0}, "taken for JAX; changes nothing"},
      {"partition_index", int64_t{0}, "taken for JAX; changes nothing"},
      {"platform_name", std::string(), "taken for JAX; changes nothing"},
      {"use_tfrt_gpu_client", false, "taken for JAX; changes nothing"},
      {"should_stage_host_to_device_transfers", true, "taken for JAX; changes nothing"},
      {"abort_collectives_on_failure", false, "taken for JAX; changes nothing"},
  };
  info.supports_bitcast = true;
  info.supports_load = true;
  info.supports_clear_memory_stats = true;
  info.supports_streams = true;
  info.extensions.push_back(backend::CustomPartitionerExtension());
  return info;
}

Expected<ProgramSettings::Library> ProductsOf(std::string_view option) {
  if (option == "large") return ProgramSettings::Library::kLarge;
  if (option == "all") return ProgramSettings::Library::kAlways;
  if (option == "none") return ProgramSettings::Library::kNever;
  return InvalidArgument("the option cublaslt is '", option,
                         "'; it takes 'large', 'all' or 'none'");
}

class GpuPlugin final : public sdk::Plugin {
 public:
  GpuPlugin() { backend::FfiRegistry::Get().SetPlatform("cuda", /*is_default=*/true); }

  const sdk::PluginInfo& info() const override { return info_; }

  Expected<std::unique_ptr<sdk::Client>> CreateClient(const sdk::ClientRequest& request) override {
    GpuClientOptions options;
    PLINTH_ASSIGN_OR_RETURN(options.places, LibraryPlaces::OfThisProcess(
                                                request.options.GetString("cuda_library_path")));
    options.visible_devices = request.options.GetInt64List("visible_devices");
    options.gpu.memory_limit = request.options.GetInt64("memory_limit_bytes");
    options.gpu.preallocate = request.options.GetBool("preallocate");
    options.programs.allow_tf32 = request.options.GetBool("allow_tf32");
    options.programs.deterministic = request.options.GetBool("deterministic");
    PLINTH_ASSIGN_OR_RETURN(options.programs.library,
                            ProductsOf(request.options.GetString("cublaslt")));
    return GpuClient::Create(options);
  }

  Expected<std::unique_ptr<sdk::Topology>> CreateTopology(std::string_view name,
                                                          const sdk::Options&) override {
    return MakeTopology(name);
  }
  Expected<std::shared_ptr<const sdk::Executable>> Compile(const sdk::Topology& topology,
                                                           const sdk::Program& program,
                                                           std::string_view options,
                                                           sdk::Client*) override {
    PLINTH_ASSIGN_OR_RETURN(const LibraryPlaces places, LibraryPlaces::OfThisProcess(""));
    return ahead_of_time_.Compile(topology, program, options, places);
  }

  sdk::Ffi* ffi() override { return &backend::FfiRegistry::Get(); }

 private:
  const sdk::PluginInfo info_ = MakeInfo();
  AheadOfTimeCompiler ahead_of_time_;
};

}  // namespace
}  // namespace plinth::cuda

PLINTH_DEFINE_PLUGIN(plinth::cuda::GpuPlugin)
