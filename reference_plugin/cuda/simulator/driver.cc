// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1 of the simulator: what cuGetProcAddress finds, devices and contexts.
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference_plugin/cuda/driver/types.h"
#include "reference_plugin/cuda/simulator/driver_access.h"
#include "reference_plugin/cuda/simulator/memory.h"
#include "reference_plugin/cuda/simulator/options.h"
#include "reference_plugin/cuda/simulator/report.h"
#include "reference_plugin/cuda/simulator/world.h"

#define PLINTH_EXPORT extern "C" __attribute__((visibility("default")))

namespace plinth::cuda::simulator {

namespace {

constexpr unsigned kMostThreads = 1024;

}  // namespace

CUresult cuInit(unsigned) {
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  return world.options.init;
}

CUresult cuDriverGetVersion(int* version) {
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  // The first call of a client: tests change the variable between clients.
  world.options = ReadOptions();
  world.calls.clear();
  world.all_calls = 0;
  world.num_launches = 0;
  world.sticky = 0;
  ReportTo(world.options.report);
  Memory::Get().SetCapacity(world.options.capacity, world.options.quarantine);
  *version = world.options.version;
  return world.options.init == kCudaStubLibrary ? kCudaStubLibrary : kCudaSuccess;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  switch (error) {
    case kCudaInvalidValue:
      *name = "CUDA_ERROR_INVALID_VALUE";
      return kCudaSuccess;
    case kCudaOutOfMemory:
      *name = "CUDA_ERROR_OUT_OF_MEMORY";
      return kCudaSuccess;
    case kCudaStubLibrary:
      *name = "CUDA_ERROR_STUB_LIBRARY";
      return kCudaSuccess;
    case kCudaNoDevice:
      *name = "CUDA_ERROR_NO_DEVICE";
      return kCudaSuccess;
    case kCudaNoBinaryForGpu:
      *name = "CUDA_ERROR_NO_BINARY_FOR_GPU";
      return kCudaSuccess;
    case kCudaIllegalAddress:
      *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
      return kCudaSuccess;
    case kCudaLaunchFailed:
      *name = "CUDA_ERROR_LAUNCH_FAILED";
      return kCudaSuccess;
    case kCudaSystemDriverMismatch:
      *name = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
      return kCudaSuccess;
    default:
      *name = "CUDA_ERROR_UNKNOWN";
      return kCudaSuccess;
  }
}
CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "an error of the simulator";
  return kCudaSuccess;
}

CUresult cuDeviceGetCount(int* count) {
  PLINTH_SIMULATOR_ENTER(cuDeviceGetCount, false);
  *count = TheWorld().options.devices;
  return kCudaSuccess;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  PLINTH_SIMULATOR_ENTER(cuDeviceGet, false);
  if (ordinal < 0 || ordinal >= TheWorld().options.devices) return kCudaInvalidDevice;
  *device = ordinal;
  return kCudaSuccess;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  PLINTH_SIMULATOR_ENTER(cuDeviceGetName, false);
  snprintf(name, static_cast<size_t>(size), "Simulated GPU");
  return kCudaSuccess;
}
CUresult cuDeviceTotalMem(size_t* bytes, CUdevice) {
  PLINTH_SIMULATOR_ENTER(cuDeviceTotalMem, false);
  *bytes = Memory::Get().capacity();
  return kCudaSuccess;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  PLINTH_SIMULATOR_ENTER(cuDeviceGetAttribute, false);
  switch (attribute) {
    case kCudaMaxThreadsPerBlock:
      *value = kMostThreads;
      return kCudaSuccess;
    case kCudaMaxSharedMemoryPerBlock:
      *value = kMostShared;
      return kCudaSuccess;
    case kCudaMaxSharedMemoryPerBlockOptin:
      *value = kMostSharedOptin;
      return kCudaSuccess;
    case kCudaMultiprocessorCount:
      *value = 4;
      return kCudaSuccess;
    case kCudaComputeCapabilityMajor:
      *value = TheWorld().options.capability / 10;
      return kCudaSuccess;
    case kCudaComputeCapabilityMinor:
      *value = TheWorld().options.capability % 10;
      return kCudaSuccess;
    case kCudaMemoryPoolsSupported:
      *value = 1;
      return kCudaSuccess;
    default:
      return kCudaInvalidValue;
  }
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  PLINTH_SIMULATOR_ENTER(cuDevicePrimaryCtxRetain, false);
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  auto& made = world.contexts[device];
  if (made == nullptr) made = std::make_unique<CUctx_st>(CUctx_st{device});
  ++world.retained[device];
  *context = made.get();
  return kCudaSuccess;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  World& world = TheWorld();
  {
    const std::lock_guard lock(world.mutex);
    --world.retained[device];
    for (const auto& [each, count] : world.retained) {
      if (count > 0) return kCudaSuccess;
    }
    if (!world.pinned.empty() && world.sticky == 0) {
      Report(std::to_string(world.pinned.size()) + " blocks of pinned memory were not freed");
    }
    world.pinned.clear();
  }
  // A lost context takes all with it, and nobody can give anything back.
  if (world.sticky != 0) {
    Memory::Get().Clear();
    world.num_streams = world.num_events = world.num_modules = 0;
    return kCudaSuccess;
  }
  Memory::Get().ReportLeaks();
  Memory::Get().Clear();
  if (const int64_t left = world.num_streams; left != 0) {
    Report(std::to_string(left) + " streams were not destroyed");
  }
  if (const int64_t left = world.num_events; left != 0) {
    Report(std::to_string(left) + " events were not destroyed");
  }
  if (const int64_t left = world.num_modules; left != 0) {
    Report(std::to_string(left) + " modules were not unloaded");
  }
  // They went with the context, and are no fault of the next one's.
  world.num_streams = world.num_events = world.num_modules = 0;
  return kCudaSuccess;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  // A lost context can still be chosen.
  const CUresult entered = Enter("cuCtxSetCurrent", false);
  if (entered != kCudaSuccess && entered != TheWorld().sticky) return entered;
  CurrentContext() = context;
  return kCudaSuccess;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = CurrentContext();
  return kCudaSuccess;
}

namespace {

void EnqueueWork(CUstream stream, const std::string& what,
                 const std::vector<DriverAccess::Use>& uses, std::function<void()> work) {
  Clock before;
  const User user = stream->Begin(what, &before);
  for (const auto& use : uses) Memory::Get().Use(use.address, use.writes, user, before);
  stream->Enqueue([what, work = std::move(work)] {
    if (TheWorld().sticky.load() != 0) return;
    work();
    if (!Memory::Get().CheckRedzones(what)) Break(kCudaIllegalAddress);
  });
}

const DriverAccess& Access() {
  static const DriverAccess access = {
      .enter = [](const char* name) { return Enter(name, /*needs_context=*/true); },
      .blas_version = [] { return TheWorld().options.blas; },
      .contains = [](uint64_t address,
                     size_t size) { return Memory::Get().Contains(address, size); },
      .report = Report,
      .enqueue = EnqueueWork,
  };
  return access;
}

}  // namespace
}  // namespace plinth::cuda::simulator

PLINTH_EXPORT int cuDriverGetVersion(int* version) {
  return plinth::cuda::simulator::cuDriverGetVersion(version);
}

// For tests: how often contexts are retained now. When it is 0, everything was reported.
PLINTH_EXPORT int plinth_simulator_retained() {
  plinth::cuda::simulator::World& world = plinth::cuda::simulator::TheWorld();
  const std::lock_guard lock(world.mutex);
  int all = 0;
  for (const auto& [device, count] : world.retained) all += count;
  return all;
}

PLINTH_EXPORT const plinth::cuda::simulator::DriverAccess* plinth_simulator_access() {
  return &plinth::cuda::simulator::Access();
}

PLINTH_EXPORT int cuGetProcAddress_v2(const char* name, void** function, int, uint64_t, int* why) {
  namespace simulator = plinth::cuda::simulator;
  static const std::map<std::string_view, void*>& functions =
      *new std::map<std::string_view, void*>{
#define PLINTH_CUDA_FUNCTION(name, since, parameters) \
  {#name, reinterpret_cast<void*>(&simulator::name)},
#include "reference_plugin/cuda/driver/driver_functions.inc"
      };
  const auto found = functions.find(name);
  const bool is_missing = found == functions.end() || simulator::TheWorld().options.lacks == name;
  *function = is_missing ? nullptr : found->second;
  if (why != nullptr) *why = is_missing ? 1 : 0;
  return is_missing ? plinth::cuda::kCudaNotFound : plinth::cuda::kCudaSuccess;
}
