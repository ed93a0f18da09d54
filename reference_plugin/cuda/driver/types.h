// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_TYPES_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_TYPES_H_

#include <cstddef>
#include <cstdint>

// The driver API's types and numbers, as far as they are used here. Source: NVIDIA's reference of
// the CUDA driver API, 12.4.
namespace plinth::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
// cuGetProcAddress_v2, by which every other function is found. The last argument becomes why there
// is none.
using CudaGetProcAddress = CUresult (*)(const char* name, void** function, int version,
                                        uint64_t flags, int* why);

inline constexpr CUresult kCudaSuccess = 0;
inline constexpr CUresult kCudaInvalidValue = 1;
inline constexpr CUresult kCudaOutOfMemory = 2;
inline constexpr CUresult kCudaNotInitialized = 3;
inline constexpr CUresult kCudaDeinitialized = 4;
inline constexpr CUresult kCudaStubLibrary = 34;
inline constexpr CUresult kCudaDeviceUnavailable = 46;
inline constexpr CUresult kCudaNoDevice = 100;
inline constexpr CUresult kCudaInvalidDevice = 101;
inline constexpr CUresult kCudaInvalidImage = 200;
inline constexpr CUresult kCudaInvalidContext = 201;
inline constexpr CUresult kCudaNoBinaryForGpu = 209;
inline constexpr CUresult kCudaEccUncorrectable = 214;
inline constexpr CUresult kCudaNvlinkUncorrectable = 220;
inline constexpr CUresult kCudaContained = 226;
inline constexpr CUresult kCudaNotFound = 500;
inline constexpr CUresult kCudaNotReady = 600;
inline constexpr CUresult kCudaIllegalAddress = 700;
inline constexpr CUresult kCudaLaunchTimeout = 702;
inline constexpr CUresult kCudaContextIsDestroyed = 709;
inline constexpr CUresult kCudaAssert = 710;
inline constexpr CUresult kCudaHardwareStackError = 714;
inline constexpr CUresult kCudaIllegalInstruction = 715;
inline constexpr CUresult kCudaMisalignedAddress = 716;
inline constexpr CUresult kCudaInvalidAddressSpace = 717;
inline constexpr CUresult kCudaInvalidPc = 718;
inline constexpr CUresult kCudaLaunchFailed = 719;
inline constexpr CUresult kCudaTensorMemoryLeak = 721;
inline constexpr CUresult kCudaSystemNotReady = 802;
inline constexpr CUresult kCudaSystemDriverMismatch = 803;
inline constexpr CUresult kCudaCompatNotSupportedOnDevice = 804;
inline constexpr CUresult kCudaMpsConnectionFailed = 805;
inline constexpr CUresult kCudaMpsServerNotReady = 807;
inline constexpr CUresult kCudaMpsMaxClientsReached = 808;
inline constexpr CUresult kCudaMpsClientTerminated = 810;
inline constexpr CUresult kCudaExternalDevice = 911;
inline constexpr CUresult kCudaUnknown = 999;

// CUdevice_attribute.
inline constexpr int kCudaMaxThreadsPerBlock = 1;
inline constexpr int kCudaMaxSharedMemoryPerBlock = 8;
inline constexpr int kCudaMultiprocessorCount = 16;
inline constexpr int kCudaComputeCapabilityMajor = 75;
inline constexpr int kCudaComputeCapabilityMinor = 76;
inline constexpr int kCudaMaxSharedMemoryPerBlockOptin = 97;
inline constexpr int kCudaMemoryPoolsSupported = 115;

// CUfunction_attribute.
inline constexpr int kCudaMaxDynamicSharedSizeBytes = 8;

// CUstream_flags, CUevent_flags.
inline constexpr unsigned kCudaStreamNonBlocking = 1;
inline constexpr unsigned kCudaEventBlockingSync = 1;
inline constexpr unsigned kCudaEventDisableTiming = 2;

// CUmemPool_attribute, values of 64 bits.
inline constexpr int kCudaPoolReleaseThreshold = 4;

// CUpointer_attribute, CUmemorytype.
inline constexpr int kCudaPointerMemoryType = 2;
inline constexpr int kCudaPointerDeviceOrdinal = 9;
inline constexpr unsigned kCudaMemoryHost = 1;
inline constexpr unsigned kCudaMemoryDevice = 2;

inline constexpr int kCudaAllocationPinned = 1;
inline constexpr int kCudaLocationDevice = 1;

// CUmemPoolProps.
struct CUmemPoolProps {
  int allocation_type = kCudaAllocationPinned;
  int handle_types = 0;
  struct {
    int type = kCudaLocationDevice;
    int id = 0;
  } location;
  void* win32_security_attributes = nullptr;
  size_t max_size = 0;
  uint16_t usage = 0;
  unsigned char reserved[54] = {};
};
static_assert(sizeof(CUmemPoolProps) == 88);

using nvrtcResult = int;
using nvrtcProgram = struct nvrtcProgram_st*;

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_TYPES_H_
