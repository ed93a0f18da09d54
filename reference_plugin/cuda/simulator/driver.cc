// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1 of the simulator: what cuGetProcAddress finds.
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "reference_plugin/cuda/driver/types.h"
#include "reference_plugin/cuda/simulator/address.h"
#include "reference_plugin/cuda/simulator/driver_access.h"
#include "reference_plugin/cuda/simulator/fibers.h"
#include "reference_plugin/cuda/simulator/memory.h"
#include "reference_plugin/cuda/simulator/modules.h"
#include "reference_plugin/cuda/simulator/options.h"
#include "reference_plugin/cuda/simulator/report.h"
#include "reference_plugin/cuda/simulator/streams.h"

#define PLINTH_EXPORT extern "C" __attribute__((visibility("default")))

namespace plinth::cuda {

// What the handles of the driver API point at.
struct CUctx_st {
  CUdevice device = 0;
};
struct CUstream_st : simulator::Stream {
  using Stream::Stream;
};
struct CUevent_st : simulator::Event {};
struct CUfunc_st {
  std::shared_ptr<const simulator::Module> module;
  const plinth_simulator_kernel* kernel = nullptr;
  std::shared_ptr<std::atomic<int64_t>> launches;  // of the module, that are not over
};
struct CUmod_st {
  std::shared_ptr<const simulator::Module> module;
  std::shared_ptr<std::atomic<int64_t>> launches = std::make_shared<std::atomic<int64_t>>(0);
  std::map<std::string, CUfunc_st> functions = {};
};
struct CUmemPoolHandle_st {};

namespace simulator {
namespace {

constexpr unsigned kMostThreads = 1024;
constexpr unsigned kMostShared = 48 << 10;
constexpr unsigned kMostGrid = 0x7fffffff;
constexpr size_t kMostParameterBytes = 4096;

struct World {
  std::mutex mutex;
  Options options;
  std::map<CUdevice, std::unique_ptr<CUctx_st>> contexts;
  std::map<CUdevice, int> retained;
  std::map<std::string, int64_t, std::less<>> calls;
  int64_t all_calls = 0;
  std::map<const void*, size_t> pinned;  // host memory that the driver gave
  std::atomic<int64_t> num_streams{0}, num_events{0}, num_modules{0};
  std::atomic<int64_t> num_launches{0};
  std::atomic<int> sticky{0};  // what every call answers
  std::mutex multiprocessors;  // one kernel at a time
};

World& TheWorld() {
  static World& world = *new World();
  return world;
}

thread_local CUcontext current_context = nullptr;

// What a call answers before it does anything; zero: go on.
CUresult Enter(const char* name, bool needs_context) {
  World& world = TheWorld();
  {
    const std::lock_guard lock(world.mutex);
    const Options& options = world.options;
    // How often an event is asked for is no business of the plugin's.
    const bool counts_all =
        options.fail_function == "any" && std::strcmp(name, "cuEventQuery") != 0;
    const int64_t calls = counts_all ? ++world.all_calls : ++world.calls[name];
    if ((options.fail_function == name || counts_all) && calls == options.fail_call) {
      return options.fail_code;
    }
  }
  if (const int sticky = world.sticky; sticky != 0) return sticky;
  if (needs_context && current_context == nullptr) {
    Report(std::string(name) + " was called without a context");
    return kCudaInvalidContext;
  }
  return kCudaSuccess;
}

void Break(CUresult error) {
  int none = 0;
  TheWorld().sticky.compare_exchange_strong(none, error);
}

bool IsPinned(const void* pointer, size_t size) {
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  auto after = world.pinned.upper_bound(pointer);
  if (after == world.pinned.begin()) return false;
  --after;
  const auto* begin = static_cast<const char*>(after->first);
  return static_cast<const char*>(pointer) + size <= begin + after->second;
}

void CheckPinned(const void* pointer, size_t size, const char* what) {
  if (!IsPinned(pointer, size)) {
    Report(std::string(what) + " copies " + std::to_string(size) +
           " bytes of pageable memory, which is no asynchronous copy");
  }
}

#define ENTER(name, needs_context) \
  if (const CUresult entered = Enter(#name, needs_context); entered != 0) return entered

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
  ENTER(cuDeviceGetCount, false);
  *count = TheWorld().options.devices;
  return kCudaSuccess;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  ENTER(cuDeviceGet, false);
  if (ordinal < 0 || ordinal >= TheWorld().options.devices) return kCudaInvalidDevice;
  *device = ordinal;
  return kCudaSuccess;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  ENTER(cuDeviceGetName, false);
  snprintf(name, static_cast<size_t>(size), "Simulated GPU");
  return kCudaSuccess;
}
CUresult cuDeviceTotalMem(size_t* bytes, CUdevice) {
  ENTER(cuDeviceTotalMem, false);
  *bytes = Memory::Get().capacity();
  return kCudaSuccess;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  ENTER(cuDeviceGetAttribute, false);
  switch (attribute) {
    case kCudaMaxThreadsPerBlock:
      *value = kMostThreads;
      return kCudaSuccess;
    case kCudaMaxSharedMemoryPerBlock:
    case kCudaMaxSharedMemoryPerBlockOptin:
      *value = kMostShared;
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
  ENTER(cuDevicePrimaryCtxRetain, false);
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
  return kCudaSuccess;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  // A lost context can still be chosen.
  const CUresult entered = Enter("cuCtxSetCurrent", false);
  if (entered != kCudaSuccess && entered != TheWorld().sticky) return entered;
  current_context = context;
  return kCudaSuccess;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current_context;
  return kCudaSuccess;
}

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  ENTER(cuMemGetInfo, true);
  *total = Memory::Get().capacity();
  *free = *total - Memory::Get().in_use();
  return kCudaSuccess;
}
CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps*) {
  ENTER(cuMemPoolCreate, true);
  *pool = new CUmemPoolHandle_st();
  return kCudaSuccess;
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  delete pool;
  ENTER(cuMemPoolDestroy, true);
  return kCudaSuccess;
}
CUresult cuMemPoolSetAttribute(CUmemoryPool, int, void*) {
  ENTER(cuMemPoolSetAttribute, true);
  return kCudaSuccess;
}
CUresult cuMemPoolTrimTo(CUmemoryPool, size_t) {
  ENTER(cuMemPoolTrimTo, true);
  return kCudaSuccess;
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* pointer, size_t size, CUmemoryPool, CUstream stream) {
  ENTER(cuMemAllocFromPoolAsync, true);
  Clock before;
  const User user = stream->Begin("its allocation", &before);
  *pointer = Memory::Get().Allocate(size, user);
  return *pointer == 0 ? kCudaOutOfMemory : kCudaSuccess;
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  ENTER(cuMemFreeAsync, true);
  Clock before;
  const User user = stream->Begin("cuMemFreeAsync", &before);
  if (!Memory::Get().BeginFree(pointer, user, before)) {
    Report("cuMemFreeAsync frees what is no array");
    return kCudaInvalidValue;
  }
  stream->Enqueue([pointer] { Memory::Get().EndFree(pointer); });
  return kCudaSuccess;
}
CUresult cuMemHostAlloc(void** pointer, size_t size, unsigned) {
  ENTER(cuMemHostAlloc, true);
  *pointer = malloc(size == 0 ? 1 : size);
  if (*pointer == nullptr) return kCudaOutOfMemory;
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  world.pinned[*pointer] = size;
  return kCudaSuccess;
}
CUresult cuMemFreeHost(void* pointer) {
  ENTER(cuMemFreeHost, true);
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  if (world.pinned.erase(pointer) == 0) return kCudaInvalidValue;
  free(pointer);
  return kCudaSuccess;
}

bool IsArray(CUdeviceptr pointer, size_t size, const char* what) {
  if (Memory::Get().Contains(pointer, size)) return true;
  Report(std::string(what) + " of " + std::to_string(size) + " bytes leaves its array");
  Break(kCudaIllegalAddress);
  return false;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t size, CUstream stream) {
  ENTER(cuMemcpyHtoDAsync, true);
  if (!IsArray(to, size, "cuMemcpyHtoDAsync")) return kCudaInvalidValue;
  CheckPinned(from, size, "cuMemcpyHtoDAsync");
  Clock before;
  const User user = stream->Begin("cuMemcpyHtoDAsync", &before);
  Memory::Get().Use(to, /*writes=*/true, user, before);
  stream->Enqueue([=] { std::memcpy(ToHost(to), from, size); });
  return kCudaSuccess;
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t size, CUstream stream) {
  ENTER(cuMemcpyDtoHAsync, true);
  if (!IsArray(from, size, "cuMemcpyDtoHAsync")) return kCudaInvalidValue;
  CheckPinned(to, size, "cuMemcpyDtoHAsync");
  Clock before;
  const User user = stream->Begin("cuMemcpyDtoHAsync", &before);
  Memory::Get().Use(from, /*writes=*/false, user, before);
  stream->Enqueue([=] { std::memcpy(to, ToHost(from), size); });
  return kCudaSuccess;
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  ENTER(cuMemcpyDtoDAsync, true);
  if (!IsArray(from, size, "cuMemcpyDtoDAsync") || !IsArray(to, size, "cuMemcpyDtoDAsync")) {
    return kCudaInvalidValue;
  }
  Clock before;
  const User user = stream->Begin("cuMemcpyDtoDAsync", &before);
  Memory::Get().Use(from, /*writes=*/false, user, before);
  Memory::Get().Use(to, /*writes=*/true, user, before);
  stream->Enqueue([=] { std::memmove(ToHost(to), ToHost(from), size); });
  return kCudaSuccess;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t size, CUstream stream) {
  ENTER(cuMemsetD8Async, true);
  if (!IsArray(to, size, "cuMemsetD8Async")) return kCudaInvalidValue;
  Clock before;
  const User user = stream->Begin("cuMemsetD8Async", &before);
  Memory::Get().Use(to, /*writes=*/true, user, before);
  stream->Enqueue([=] { std::memset(ToHost(to), value, size); });
  return kCudaSuccess;
}

CUresult cuPointerGetAttribute(void* value, int attribute, CUdeviceptr pointer) {
  ENTER(cuPointerGetAttribute, true);
  const bool is_device = Memory::Get().Contains(pointer, 1);
  if (!is_device && !IsPinned(reinterpret_cast<const void*>(pointer), 1)) return kCudaInvalidValue;
  if (attribute == kCudaPointerMemoryType) {
    *static_cast<unsigned*>(value) = is_device ? kCudaMemoryDevice : kCudaMemoryHost;
  } else {
    *static_cast<int*>(value) = current_context->device;
  }
  return kCudaSuccess;
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  ENTER(cuStreamCreate, true);
  World& world = TheWorld();
  *stream = new CUstream_st(world.options.seed, world.options.delay);
  ++world.num_streams;
  return kCudaSuccess;
}
CUresult cuStreamDestroy(CUstream stream) {
  // What is enqueued still runs.
  stream->Finish();
  --TheWorld().num_streams;
  delete stream;
  ENTER(cuStreamDestroy, true);
  return kCudaSuccess;
}
CUresult cuStreamSynchronize(CUstream stream) {
  ENTER(cuStreamSynchronize, true);
  const std::shared_ptr<Mark> mark = stream->Record();
  mark->Wait();
  HostWaitedFor(mark->clock);
  return TheWorld().sticky.load();
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  ENTER(cuStreamWaitEvent, true);
  std::shared_ptr<Mark> mark;
  {
    const std::lock_guard lock(event->mutex);
    mark = event->mark;
  }
  if (mark == nullptr) return kCudaSuccess;
  if (stream == nullptr) {
    // The default stream: the host waits for all that is on it, here at once.
    mark->Wait();
    HostWaitedFor(mark->clock);
    return kCudaSuccess;
  }
  stream->WaitFor(std::move(mark));
  return kCudaSuccess;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  ENTER(cuEventCreate, true);
  *event = new CUevent_st();
  ++TheWorld().num_events;
  return kCudaSuccess;
}
CUresult cuEventDestroy(CUevent event) {
  delete event;
  --TheWorld().num_events;
  ENTER(cuEventDestroy, true);
  return kCudaSuccess;
}
// What another thread does next may come before what this one does next.
void ReturnLate() {
  constexpr uint64_t kOneIn = 8;
  static std::atomic<uint64_t> num_calls{0};
  const Options& options = TheWorld().options;
  if (options.delay <= 0) return;
  std::mt19937_64 random(options.seed + num_calls.fetch_add(1));
  if (random() % kOneIn != 0) return;
  const auto longest = static_cast<uint64_t>(options.delay);
  std::this_thread::sleep_for(std::chrono::microseconds(random() % longest));
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  ENTER(cuEventRecord, true);
  std::shared_ptr<Mark> mark = stream->Record();
  {
    const std::lock_guard lock(event->mutex);
    event->mark = std::move(mark);
  }
  ReturnLate();
  return kCudaSuccess;
}
std::shared_ptr<Mark> MarkOf(CUevent event) {
  const std::lock_guard lock(event->mutex);
  return event->mark;
}
CUresult cuEventQuery(CUevent event) {
  ENTER(cuEventQuery, true);
  const std::shared_ptr<Mark> mark = MarkOf(event);
  if (mark != nullptr && !mark->IsDone()) return kCudaNotReady;
  if (mark != nullptr) HostWaitedFor(mark->clock);
  return TheWorld().sticky.load();
}
CUresult cuEventSynchronize(CUevent event) {
  ENTER(cuEventSynchronize, true);
  const std::shared_ptr<Mark> mark = MarkOf(event);
  if (mark != nullptr) {
    mark->Wait();
    HostWaitedFor(mark->clock);
  }
  return TheWorld().sticky.load();
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  ENTER(cuModuleLoadData, true);
  const std::string_view binary(static_cast<const char*>(image));
  if (!binary.starts_with(kBinaryMark)) return kCudaInvalidImage;
  const size_t line_end = binary.find('\n');
  const std::string_view architecture =
      binary.substr(kBinaryMark.size(), line_end - kBinaryMark.size());
  if (architecture != "sm_" + std::to_string(TheWorld().options.capability)) {
    return kCudaNoBinaryForGpu;
  }
  std::string error;
  std::shared_ptr<const Module> loaded = LoadText(std::string(binary.substr(line_end + 1)), &error);
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
  ENTER(cuModuleUnload, true);
  return kCudaSuccess;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  ENTER(cuModuleGetFunction, true);
  const plinth_simulator_kernel* kernel = module->module->Find(name);
  if (kernel == nullptr) return kCudaNotFound;
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  CUfunc_st& made = module->functions[name];
  made = {module->module, kernel, module->launches};
  *function = &made;
  return kCudaSuccess;
}

std::string NameOf(const CUfunc_st& function) { return function.kernel->name; }

// On the stream's thread.
void RunGrid(const CUfunc_st& function, plinth_simulator_index grid, plinth_simulator_index block,
             std::vector<std::vector<std::byte>> values, uint64_t seed) {
  World& world = TheWorld();
  if (world.sticky.load() != 0) return;
  const std::lock_guard lock(world.multiprocessors);
  std::vector<void*> parameters;
  parameters.reserve(values.size());
  for (auto& value : values) parameters.push_back(value.data());
  plinth_simulator_state& state = *function.module->state;
  state.grid_size = grid;
  state.block_size = block;
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
  if (!Memory::Get().CheckRedzones(name)) Break(kCudaIllegalAddress);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** parameters, void**) {
  ENTER(cuLaunchKernel, true);
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
      shared_bytes > kMostShared) {
    Report("cuLaunchKernel of " + NameOf(*function) +
           ": the grid, the block or the parameters are too large");
    return kCudaInvalidValue;
  }
  World& world = TheWorld();
  if (++world.num_launches == world.options.lose) Break(kCudaLaunchFailed);
  Clock before;
  const User user = stream->Begin("kernel " + NameOf(*function), &before);
  std::vector<std::vector<std::byte>> values;
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
    std::byte* const at = ToHost(pointer);
    std::memcpy(values.back().data(), &at, sizeof(at));
  }
  ++*function->launches;
  stream->Enqueue([=, copy = *function, seed = world.options.seed] {
    RunGrid(copy, grid, block, values, seed);
    --*copy.launches;
  });
  return kCudaSuccess;
}

#undef ENTER

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
}  // namespace simulator
}  // namespace plinth::cuda

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
