// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_KERNELS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_KERNELS_H_

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/cuda/driver/types.h"
#include "reference_plugin/cuda/jit/jit.h"
#include "reference_plugin/cuda/print/program.h"

namespace plinth::cuda {

class Gpu;

// A binary with some kernels, loaded on each device when that first runs one of them. Any thread.
class LoadedUnit {
 public:
  explicit LoadedUnit(CompiledUnit unit) : unit_(std::move(unit)) {}
  ~LoadedUnit();
  LoadedUnit(const LoadedUnit&) = delete;
  LoadedUnit& operator=(const LoadedUnit&) = delete;

  const CompiledUnit& compiled() const { return unit_; }
  // Needs the device's context. The function is valid as long as this lives, and may be launched
  // with so many bytes of shared memory, which follow from the kernel.
  Expected<CUfunction> Function(Gpu& gpu, const std::string& kernel, uint32_t shared_bytes);

 private:
  struct OnDevice {
    std::shared_ptr<Gpu> gpu;
    CUmodule module = nullptr;
    std::map<std::string, CUfunction> functions;
  };
  // Null if it was not asked for yet; *module is set where the unit is loaded.
  CUfunction Find(const Gpu& gpu, const std::string& kernel, CUmodule* module);
  Expected<CUmodule> Load(Gpu& gpu, const std::string& kernel);

  const CompiledUnit unit_;
  std::mutex mutex_;
  std::vector<OnDevice> devices_;  // guarded
};

// A kernel of a program: its text, and from the end of the compilation on its binary.
struct ProgramKernel {
  std::shared_ptr<const KernelText> text;
  std::shared_ptr<LoadedUnit> unit;
};

// The kernels of all programs of a client: equal texts are one kernel. Any thread.
class KernelTable {
 public:
  // Fills in `unit` of those that a living program has. Whether that is all.
  bool Find(std::span<ProgramKernel* const> kernels);
  // Compiles those that no living program has; fills in `unit` of all.
  Status Compile(std::span<ProgramKernel* const> kernels, const Architecture& architecture,
                 const UnitCompiler& compiler, const JitOptions& options);

  // The binaries of these kernels as bytes; and back, known by the names of their kernels as long
  // as somebody has them. INVALID_ARGUMENT if the bytes are none.
  static std::string Write(std::span<const std::shared_ptr<LoadedUnit>> units);
  Expected<std::vector<std::shared_ptr<LoadedUnit>>> Read(std::string_view bytes);

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<LoadedUnit>> units_;  // by name of the kernel; guarded
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_KERNELS_H_
