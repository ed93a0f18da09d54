// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_JIT_JIT_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_JIT_JIT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/cuda/print/program.h"

// From the text of kernels to binaries of one architecture.
namespace plinth::cuda {

// What compiles a unit. NVRTC's is made by driver/; immutable, any thread at any time.
struct UnitCompiler {
  std::string version;  // part of the key of kept binaries: "nvrtc 13.0"
  // A binary for the options; INTERNAL has the log of the compiler.
  std::function<Expected<std::string>(const std::string& text,
                                      std::span<const std::string> options)>
      compile;
};

// Some kernels in one binary, for cuModuleLoadData or cuLibraryLoadData.
struct CompiledUnit {
  std::string binary;
  std::vector<std::shared_ptr<const KernelText>> kernels;  // those that it has
};

struct JitOptions {
  int32_t kernels_per_unit = 16;
  int32_t threads = 0;                     // 0: as the machine has, at most 8
  std::string cache_directory;             // empty: nothing is kept
  int64_t cache_bytes = int64_t{1} << 30;  // kept at most; the oldest go first
};

// Options that every unit is compiled with: the architecture's own binary, IEEE arithmetic, no
// contraction.
std::vector<std::string> CompilerOptions(const Architecture& architecture);

// PLINTH_CUDA_CACHE: a folder; "0" or "off" for none; not set, a folder below the user's cache.
// A relative path is refused with a message, as no folder.
std::string CacheDirectoryOfEnvironment();

// Compiles every kernel once, whatever number of times it is given. Errors name the kernel and its
// place in the text.
Expected<std::vector<CompiledUnit>> Compile(
    std::span<const std::shared_ptr<const KernelText>> kernels, const Architecture& architecture,
    const UnitCompiler& compiler, const JitOptions& options);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_JIT_JIT_H_
