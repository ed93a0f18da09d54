// SPDX-License-Identifier: Apache-2.0
// The driver's functions for modules and kernels.
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference_plugin/cuda/simulator/address.h"
#include "reference_plugin/cuda/simulator/fibers.h"
#include "reference_plugin/cuda/simulator/memory.h"
#include "reference_plugin/cuda/simulator/modules.h"
#include "reference_plugin/cuda/simulator/report.h"
#include "reference_plugin/cuda/simulator/world.h"

namespace plinth::cuda::simulator {
namespace {

constexpr unsigned kMostGrid = 0x7fffffff;
constexpr size_t kMostParameterBytes = 4096;

std::string NameOf(const CUfunc_st& function) { return function.kernel->name; }

// The first wrong access of the launch that runs: one at a time does.
std::string wrong_access;

void NoteAccess(uintptr_t address, size_t size, bool writes) {
  if (!wrong_access.empty()) return;
  const auto* at = reinterpret_cast<const std::byte*>(address);
  const std::string wrong = Memory::Get().WrongAccess(at, size);
  if (wrong.empty()) return;
  wrong_access = (writes ? " writes " : " reads ") + std::to_string(size) + " bytes, " + wrong;
}

// On the stream's thread.
void RunGrid(const CUfunc_st& function, plinth_simulator_index grid, plinth_simulator_index block,
             std::vector<std::vector<std::byte>> values,
             const std::vector<plinth_simulator_range>& ranges, uint64_t seed) {
  World& world = TheWorld();
  if (world.sticky.load() != 0) return;
  const std::lock_guard lock(world.multiprocessors);
  std::vector<void*> parameters;
  parameters.reserve(values.size());
  for (auto& value : values) parameters.push_back(value.data());
  plinth_simulator_state& state = *function.module->state;
  state.grid_size = grid;
  state.block_size = block;
  state.ranges = ranges.data();
  state.num_ranges = static_cast<unsigned>(ranges.size());
  state.access = &NoteAccess;
  wrong_access.clear();
  const std::string name = "kernel " + NameOf(function);
  PoisonSharedMemory(state);
  seed += std::hash<std::string>()(NameOf(function));
  const AnyOrder order(grid.x, seed);
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned i = 0; i < grid.x; ++i) {
        const unsigned x = order[i];
        state.block = {x, y, z};
        const std::string problem =
            RunBlock(state, function.kernel->launch, parameters.data(), seed + x);
        if (problem.empty()) continue;
        Report(std::string(name).append(", block " + std::to_string(x) + ": ").append(problem));
        Break(kCudaLaunchFailed);
        return;
      }
    }
  }
  if (!wrong_access.empty()) Report(name + wrong_access);
  if (!wrong_access.empty() || !Memory::Get().CheckRedzones(name)) Break(kCudaIllegalAddress);
}

}  // namespace

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  PLINTH_SIMULATOR_ENTER(cuModuleLoadData, true);
  const std::string_view binary(static_cast<const char*>(image));
  if (!binary.starts_with(kBinaryMark)) return kCudaInvalidImage;
  const size_t line_end = binary.find('\n');
  const std::string_view architecture =
      binary.substr(kBinaryMark.size(), line_end - kBinaryMark.size());
  if (architecture != "sm_" + std::to_string(TheWorld().options.capability)) {
    return kCudaNoBinaryForGpu;
  }
  std::string error;
  std::shared_ptr<const Module> loaded =
      LoadText(std::string(binary.substr(line_end + 1)), TheWorld().options.bounds, &error);
  if (loaded == nullptr) {
    Report(error);
    return kCudaInvalidImage;
  }
  *module = new CUmod_st{std::move(loaded)};
  ++TheWorld().num_modules;
  return kCudaSuccess;
}
CUresult cuModuleUnload(CUmodule module) {
  if (*module->launches > 0 && TheWorld().sticky == 0) {
    Report("a module was unloaded before its kernels had run");
  }
  delete module;
  --TheWorld().num_modules;
  PLINTH_SIMULATOR_ENTER(cuModuleUnload, true);
  return kCudaSuccess;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  PLINTH_SIMULATOR_ENTER(cuModuleGetFunction, true);
  const plinth_simulator_kernel* kernel = module->module->Find(name);
  if (kernel == nullptr) return kCudaNotFound;
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  CUfunc_st& made = module->functions[name];
  made.module = module->module;
  made.kernel = kernel;
  made.launches = module->launches;
  *function = &made;
  return kCudaSuccess;
}
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  PLINTH_SIMULATOR_ENTER(cuFuncSetAttribute, true);
  if (attribute != kCudaMaxDynamicSharedSizeBytes || value < 0 ||
      static_cast<unsigned>(value) > kMostSharedOptin) {
    return kCudaInvalidValue;
  }
  function->most_shared = static_cast<unsigned>(value);
  return kCudaSuccess;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** parameters, void**) {
  PLINTH_SIMULATOR_ENTER(cuLaunchKernel, true);
  const plinth_simulator_index grid = {grid_x, grid_y, grid_z};
  const plinth_simulator_index block = {block_x, block_y, block_z};
  const uint64_t threads = uint64_t{block_x} * block_y * block_z;
  const unsigned most_threads = function->kernel->most_threads;
  size_t parameter_bytes = 0;
  for (unsigned p = 0; p < function->kernel->num_parameters; ++p) {
    parameter_bytes += function->kernel->parameters[p].size;
  }
  if (threads == 0 || threads > most_threads || parameter_bytes > kMostParameterBytes ||
      grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_x > kMostGrid ||
      shared_bytes > function->most_shared) {
    Report("cuLaunchKernel of " + NameOf(*function) +
           ": the grid, the block or the parameters are too large, or its shared memory");
    return kCudaInvalidValue;
  }
  World& world = TheWorld();
  if (++world.num_launches == world.options.lose) Break(kCudaLaunchFailed);
  Clock before;
  const User user = stream->Begin("kernel " + NameOf(*function), &before);
  std::vector<std::vector<std::byte>> values;
  std::vector<plinth_simulator_range> ranges;
  for (unsigned p = 0; p < function->kernel->num_parameters; ++p) {
    const plinth_simulator_parameter& kind = function->kernel->parameters[p];
    const auto* bytes = static_cast<const std::byte*>(parameters[p]);
    values.emplace_back(bytes, bytes + kind.size);
    if (kind.is_pointer == 0) continue;
    CUdeviceptr pointer = 0;
    std::memcpy(&pointer, bytes, sizeof(pointer));
    if (!Memory::Get().Contains(pointer, 0)) {
      Report("parameter " + std::to_string(p) + " of kernel " + NameOf(*function) +
             " points to no array");
      continue;
    }
    Memory::Get().Use(pointer, kind.is_constant == 0, user, before);
    ranges.push_back(Memory::Get().RangeOf(pointer));
    std::byte* const at = ToHost(pointer);
    std::memcpy(values.back().data(), &at, sizeof(at));
  }
  ++*function->launches;
  stream->Enqueue([=, copy = *function, seed = world.options.seed] {
    RunGrid(copy, grid, block, values, ranges, seed);
    --*copy.launches;
  });
  return kCudaSuccess;
}

}  // namespace plinth::cuda::simulator
