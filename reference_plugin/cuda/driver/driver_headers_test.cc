// SPDX-License-Identifier: Apache-2.0
// Our declarations of the driver API and of NVRTC against NVIDIA's headers, where those are.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <cstddef>

#include "reference_plugin/cuda/driver/same_signature.h"
#include "reference_plugin/cuda/driver/types.h"

namespace plinth::cuda {
namespace {

// `since` of a row is what cuGetProcAddress is asked for: NVIDIA's type of that version has to be
// the row's signature.
TEST(DriverHeadersTest, FunctionsAreThoseOfTheirVersions) {
#define PLINTH_CUDA_FUNCTION(name, since, parameters)                    \
  {                                                                      \
    using Ours = CUresult(*) parameters;                                 \
    EXPECT_TRUE((kSameSignature<Ours, PFN_##name##_v##since>)) << #name; \
  }
#include "reference_plugin/cuda/driver/driver_functions.inc"
  EXPECT_TRUE((kSameSignature<CudaGetProcAddress, PFN_cuGetProcAddress_v12000>));
}

TEST(DriverHeadersTest, FunctionsOfNvrtc) {
#define PLINTH_NVRTC_FUNCTION(name, since, parameters)               \
  {                                                                  \
    using Ours = nvrtcResult(*) parameters;                          \
    EXPECT_TRUE((kSameSignature<Ours, decltype(&::name)>)) << #name; \
  }
#include "reference_plugin/cuda/driver/nvrtc_functions.inc"
  using GetErrorString = const char* (*)(nvrtcResult);
  EXPECT_TRUE((kSameSignature<GetErrorString, decltype(&::nvrtcGetErrorString)>));
}

TEST(DriverHeadersTest, Numbers) {
#define PLINTH_SAME(ours, theirs) EXPECT_EQ(static_cast<int>(ours), static_cast<int>(theirs))
  PLINTH_SAME(kCudaSuccess, CUDA_SUCCESS);
  PLINTH_SAME(kCudaInvalidValue, CUDA_ERROR_INVALID_VALUE);
  PLINTH_SAME(kCudaOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
  PLINTH_SAME(kCudaNotInitialized, CUDA_ERROR_NOT_INITIALIZED);
  PLINTH_SAME(kCudaDeinitialized, CUDA_ERROR_DEINITIALIZED);
  PLINTH_SAME(kCudaStubLibrary, CUDA_ERROR_STUB_LIBRARY);
  PLINTH_SAME(kCudaDeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE);
  PLINTH_SAME(kCudaNoDevice, CUDA_ERROR_NO_DEVICE);
  PLINTH_SAME(kCudaInvalidDevice, CUDA_ERROR_INVALID_DEVICE);
  PLINTH_SAME(kCudaInvalidImage, CUDA_ERROR_INVALID_IMAGE);
  PLINTH_SAME(kCudaInvalidContext, CUDA_ERROR_INVALID_CONTEXT);
  PLINTH_SAME(kCudaNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
  PLINTH_SAME(kCudaEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
  PLINTH_SAME(kCudaNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE);
#if CUDA_VERSION >= 13000
  PLINTH_SAME(kCudaContained, CUDA_ERROR_CONTAINED);
  PLINTH_SAME(kCudaTensorMemoryLeak, CUDA_ERROR_TENSOR_MEMORY_LEAK);
#endif
  PLINTH_SAME(kCudaNotFound, CUDA_ERROR_NOT_FOUND);
  PLINTH_SAME(kCudaNotReady, CUDA_ERROR_NOT_READY);
  PLINTH_SAME(kCudaIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
  PLINTH_SAME(kCudaLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
  PLINTH_SAME(kCudaAssert, CUDA_ERROR_ASSERT);
  PLINTH_SAME(kCudaHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
  PLINTH_SAME(kCudaIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  PLINTH_SAME(kCudaMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
  PLINTH_SAME(kCudaInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
  PLINTH_SAME(kCudaInvalidPc, CUDA_ERROR_INVALID_PC);
  PLINTH_SAME(kCudaLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
  PLINTH_SAME(kCudaSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  PLINTH_SAME(kCudaExternalDevice, CUDA_ERROR_EXTERNAL_DEVICE);
  PLINTH_SAME(kCudaUnknown, CUDA_ERROR_UNKNOWN);
  PLINTH_SAME(kCudaMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  PLINTH_SAME(kCudaMaxSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  PLINTH_SAME(kCudaMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  PLINTH_SAME(kCudaComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  PLINTH_SAME(kCudaComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  PLINTH_SAME(kCudaMemoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
  PLINTH_SAME(kCudaStreamNonBlocking, CU_STREAM_NON_BLOCKING);
  PLINTH_SAME(kCudaEventBlockingSync, CU_EVENT_BLOCKING_SYNC);
  PLINTH_SAME(kCudaEventDisableTiming, CU_EVENT_DISABLE_TIMING);
  PLINTH_SAME(kCudaPoolReleaseThreshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
  PLINTH_SAME(kCudaPointerMemoryType, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
  PLINTH_SAME(kCudaPointerDeviceOrdinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
  PLINTH_SAME(kCudaMemoryHost, CU_MEMORYTYPE_HOST);
  PLINTH_SAME(kCudaMemoryDevice, CU_MEMORYTYPE_DEVICE);
  PLINTH_SAME(kCudaAllocationPinned, CU_MEM_ALLOCATION_TYPE_PINNED);
  PLINTH_SAME(kCudaLocationDevice, CU_MEM_LOCATION_TYPE_DEVICE);
#undef PLINTH_SAME
}

TEST(DriverHeadersTest, Structs) {
  EXPECT_EQ(sizeof(CUmemPoolProps), sizeof(::CUmemPoolProps));
  EXPECT_EQ(offsetof(CUmemPoolProps, allocation_type), offsetof(::CUmemPoolProps, allocType));
  EXPECT_EQ(offsetof(CUmemPoolProps, handle_types), offsetof(::CUmemPoolProps, handleTypes));
  EXPECT_EQ(offsetof(CUmemPoolProps, location.type), offsetof(::CUmemPoolProps, location.type));
  EXPECT_EQ(offsetof(CUmemPoolProps, location.id), offsetof(::CUmemPoolProps, location.id));
  EXPECT_EQ(offsetof(CUmemPoolProps, win32_security_attributes),
            offsetof(::CUmemPoolProps, win32SecurityAttributes));
  EXPECT_EQ(offsetof(CUmemPoolProps, max_size), offsetof(::CUmemPoolProps, maxSize));
#if CUDA_VERSION >= 13000
  EXPECT_EQ(offsetof(CUmemPoolProps, usage), offsetof(::CUmemPoolProps, usage));
#endif
  EXPECT_EQ(sizeof(CUdeviceptr), sizeof(::CUdeviceptr));
  EXPECT_EQ(sizeof(CUdevice), sizeof(::CUdevice));
}

}  // namespace
}  // namespace plinth::cuda
