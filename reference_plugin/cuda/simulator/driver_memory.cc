// SPDX-License-Identifier: Apache-2.0
// The driver's functions for arrays, pinned memory and copies.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "reference_plugin/cuda/simulator/address.h"
#include "reference_plugin/cuda/simulator/memory.h"
#include "reference_plugin/cuda/simulator/report.h"
#include "reference_plugin/cuda/simulator/world.h"

namespace plinth::cuda::simulator {
namespace {

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

bool IsArray(CUdeviceptr pointer, size_t size, const char* what) {
  if (Memory::Get().Contains(pointer, size)) return true;
  Report(std::string(what) + " of " + std::to_string(size) + " bytes leaves its array");
  Break(kCudaIllegalAddress);
  return false;
}

}  // namespace

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  PLINTH_SIMULATOR_ENTER(cuMemGetInfo, true);
  *total = Memory::Get().capacity();
  *free = *total - Memory::Get().in_use();
  return kCudaSuccess;
}
CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps*) {
  PLINTH_SIMULATOR_ENTER(cuMemPoolCreate, true);
  *pool = new CUmemPoolHandle_st();
  return kCudaSuccess;
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  delete pool;
  PLINTH_SIMULATOR_ENTER(cuMemPoolDestroy, true);
  return kCudaSuccess;
}
CUresult cuMemPoolSetAttribute(CUmemoryPool, int, void*) {
  PLINTH_SIMULATOR_ENTER(cuMemPoolSetAttribute, true);
  return kCudaSuccess;
}
CUresult cuMemPoolTrimTo(CUmemoryPool, size_t) {
  PLINTH_SIMULATOR_ENTER(cuMemPoolTrimTo, true);
  return kCudaSuccess;
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* pointer, size_t size, CUmemoryPool, CUstream stream) {
  PLINTH_SIMULATOR_ENTER(cuMemAllocFromPoolAsync, true);
  Clock before;
  const User user = stream->Begin("its allocation", &before);
  *pointer = Memory::Get().Allocate(size, user);
  return *pointer == 0 ? kCudaOutOfMemory : kCudaSuccess;
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  PLINTH_SIMULATOR_ENTER(cuMemFreeAsync, true);
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
  PLINTH_SIMULATOR_ENTER(cuMemHostAlloc, true);
  *pointer = malloc(size == 0 ? 1 : size);
  if (*pointer == nullptr) return kCudaOutOfMemory;
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  world.pinned[*pointer] = size;
  return kCudaSuccess;
}
CUresult cuMemFreeHost(void* pointer) {
  PLINTH_SIMULATOR_ENTER(cuMemFreeHost, true);
  World& world = TheWorld();
  const std::lock_guard lock(world.mutex);
  if (world.pinned.erase(pointer) == 0) return kCudaInvalidValue;
  free(pointer);
  return kCudaSuccess;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t size, CUstream stream) {
  PLINTH_SIMULATOR_ENTER(cuMemcpyHtoDAsync, true);
  if (!IsArray(to, size, "cuMemcpyHtoDAsync")) return kCudaInvalidValue;
  CheckPinned(from, size, "cuMemcpyHtoDAsync");
  Clock before;
  const User user = stream->Begin("cuMemcpyHtoDAsync", &before);
  Memory::Get().Use(to, /*writes=*/true, user, before);
  stream->Enqueue([=] { std::memcpy(ToHost(to), from, size); });
  return kCudaSuccess;
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t size, CUstream stream) {
  PLINTH_SIMULATOR_ENTER(cuMemcpyDtoHAsync, true);
  if (!IsArray(from, size, "cuMemcpyDtoHAsync")) return kCudaInvalidValue;
  CheckPinned(to, size, "cuMemcpyDtoHAsync");
  Clock before;
  const User user = stream->Begin("cuMemcpyDtoHAsync", &before);
  Memory::Get().Use(from, /*writes=*/false, user, before);
  stream->Enqueue([=] { std::memcpy(to, ToHost(from), size); });
  return kCudaSuccess;
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  PLINTH_SIMULATOR_ENTER(cuMemcpyDtoDAsync, true);
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
  PLINTH_SIMULATOR_ENTER(cuMemsetD8Async, true);
  if (!IsArray(to, size, "cuMemsetD8Async")) return kCudaInvalidValue;
  Clock before;
  const User user = stream->Begin("cuMemsetD8Async", &before);
  Memory::Get().Use(to, /*writes=*/true, user, before);
  stream->Enqueue([=] { std::memset(ToHost(to), value, size); });
  return kCudaSuccess;
}

CUresult cuPointerGetAttribute(void* value, int attribute, CUdeviceptr pointer) {
  PLINTH_SIMULATOR_ENTER(cuPointerGetAttribute, true);
  const bool is_device = Memory::Get().Contains(pointer, 1);
  if (!is_device && !IsPinned(reinterpret_cast<const void*>(pointer), 1)) return kCudaInvalidValue;
  if (attribute == kCudaPointerMemoryType) {
    *static_cast<unsigned*>(value) = is_device ? kCudaMemoryDevice : kCudaMemoryHost;
  } else {
    *static_cast<int*>(value) = CurrentContext()->device;
  }
  return kCudaSuccess;
}

}  // namespace plinth::cuda::simulator
