// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "reference_plugin/cuda/driver/blas.h"
#include "reference_plugin/cuda/driver/driver.h"
#include "reference_plugin/cuda/driver/nvrtc.h"

namespace plinth::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What a mistake looks like to the simulator: each test makes one, by hand.
class SimulatorTest : public testing::Test {
 protected:
  void Open(const std::string& options) {
    report_ = std::filesystem::path(testing::TempDir()) / StrCat("simulator_", getpid(), ".txt");
    std::filesystem::remove(report_);
    setenv("PLINTH_SIMULATOR", StrCat("report=", report_.string(), ",", options).c_str(), 1);
    LibraryPlaces places;
    places.asked = {PLINTH_CUDA_SIMULATOR};
    auto driver = Driver::Open(places);
    ASSERT_TRUE(driver.ok()) << driver.status().ToString();
    driver_ = *driver;
    auto nvrtc = Nvrtc::Open(places);
    ASSERT_TRUE(nvrtc.ok()) << nvrtc.status().ToString();
    nvrtc_ = *nvrtc;
    CUcontext context = nullptr;
    ASSERT_EQ(cuda().cuDevicePrimaryCtxRetain(&context, 0), kCudaSuccess);
    ASSERT_EQ(cuda().cuCtxSetCurrent(context), kCudaSuccess);
    ASSERT_EQ(cuda().cuStreamCreate(&stream_, kCudaStreamNonBlocking), kCudaSuccess);
    ASSERT_EQ(cuda().cuMemPoolCreate(&pool_, &properties_), kCudaSuccess);
  }
  void TearDown() override {
    if (driver_ == nullptr) return;
    cuda().cuMemPoolDestroy(pool_);
    cuda().cuStreamDestroy(stream_);
    cuda().cuDevicePrimaryCtxRelease(0);
    cuda().cuCtxSetCurrent(nullptr);
    unsetenv("PLINTH_SIMULATOR");
    std::filesystem::remove(report_);
    driver_ = nullptr;
  }

  const DriverFunctions& cuda() const { return driver_->api(); }
  std::string Reports() const {
    std::ifstream file(report_);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  CUdeviceptr Allocate(size_t size) {
    CUdeviceptr pointer = 0;
    EXPECT_EQ(cuda().cuMemAllocFromPoolAsync(&pointer, size, pool_, stream_), kCudaSuccess);
    return pointer;
  }
  CUfunction Kernel(const std::string& text, const char* name) {
    const std::string options[] = {"--gpu-architecture=sm_90"};
    const auto binary = nvrtc_->Compile(text, options);
    EXPECT_TRUE(binary.ok());
    EXPECT_EQ(cuda().cuModuleLoadData(&module_, binary->data()), kCudaSuccess) << Reports();
    CUfunction function = nullptr;
    EXPECT_EQ(cuda().cuModuleGetFunction(&function, module_, name), kCudaSuccess);
    return function;
  }
  CUresult Launch(CUfunction function, unsigned grid, unsigned block, CUdeviceptr pointer,
                  unsigned number) {
    void* parameters[] = {&pointer, &number};
    const CUresult result =
        cuda().cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream_, parameters, nullptr);
    return result != kCudaSuccess ? result : cuda().cuStreamSynchronize(stream_);
  }
  std::vector<float> Read(CUdeviceptr pointer, size_t count) {
    void* pinned = nullptr;
    EXPECT_EQ(cuda().cuMemHostAlloc(&pinned, count * sizeof(float), 0), kCudaSuccess);
    EXPECT_EQ(cuda().cuMemcpyDtoHAsync(pinned, pointer, count * sizeof(float), stream_),
              kCudaSuccess);
    EXPECT_EQ(cuda().cuStreamSynchronize(stream_), kCudaSuccess);
    std::vector<float> values(count);
    std::memcpy(values.data(), pinned, count * sizeof(float));
    cuda().cuMemFreeHost(pinned);
    return values;
  }

  std::filesystem::path report_;
  std::shared_ptr<const Driver> driver_;
  std::shared_ptr<const Nvrtc> nvrtc_;
  CUmemPoolProps properties_;
  CUstream stream_ = nullptr;
  CUmemoryPool pool_ = nullptr;
  CUmodule module_ = nullptr;
};

// More shared memory than a block has without asking for it.
TEST_F(SimulatorTest, SharedMemoryIsAskedFor) {
  Open("");
  CUfunction function = Kernel(R"(
extern "C" __global__ void __launch_bounds__(32) nothing(char* out, unsigned n) {}
)",
                               "nothing");
  CUdeviceptr pointer = Allocate(4);
  unsigned number = 0;
  void* parameters[] = {&pointer, &number};
  const auto launch = [&](unsigned bytes) {
    return cuda().cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, bytes, stream_, parameters, nullptr);
  };
  EXPECT_EQ(launch(48 << 10), kCudaSuccess);
  EXPECT_EQ(launch(100 << 10), kCudaInvalidValue);
  EXPECT_NE(Reports().find("or its shared memory"), std::string::npos);
  EXPECT_EQ(cuda().cuFuncSetAttribute(function, kCudaMaxDynamicSharedSizeBytes, 300 << 10),
            kCudaInvalidValue);
  EXPECT_EQ(cuda().cuFuncSetAttribute(function, kCudaMaxDynamicSharedSizeBytes, 100 << 10),
            kCudaSuccess);
  EXPECT_EQ(launch(100 << 10), kCudaSuccess);
  EXPECT_EQ(cuda().cuStreamSynchronize(stream_), kCudaSuccess);
}

// Sums of rows: shuffles within warps, shared memory and a barrier between them.
constexpr const char* kSums = R"(
extern "C" __global__ void __launch_bounds__(64) sums(char* out, unsigned n) {
  __shared__ float parts[2];
  float sum = 0;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += i + blockIdx.x;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) ((float*)out)[blockIdx.x] = parts[0] + parts[1];
})";

TEST_F(SimulatorTest, RunsBarriersAndShuffles) {
  Open("seed=3");
  const CUdeviceptr out = Allocate(2 * sizeof(float));
  ASSERT_EQ(Launch(Kernel(kSums, "sums"), 2, 64, out, 100), kCudaSuccess) << Reports();
  EXPECT_THAT(Read(out, 2), testing::ElementsAre(4950, 5050));
  cuda().cuMemFreeAsync(out, stream_);
  cuda().cuModuleUnload(module_);
  EXPECT_THAT(Reports(), IsEmpty());
}

TEST_F(SimulatorTest, ReportsDivergentBarriers) {
  Open("");
  const CUdeviceptr out = Allocate(4);
  const CUfunction kernel = Kernel(R"(
extern "C" __global__ void some(char* out, unsigned n) {
  if (threadIdx.x < n) __syncthreads();
})",
                                   "some");
  EXPECT_EQ(Launch(kernel, 1, 64, out, 40), kCudaLaunchFailed);
  EXPECT_THAT(Reports(), HasSubstr("divergent barriers: of 64 threads 40 wait at __syncthreads"));
  // The context is lost.
  EXPECT_EQ(cuda().cuStreamSynchronize(stream_), kCudaLaunchFailed);
}

TEST_F(SimulatorTest, ReportsExchangesWithLanesThatAreGone) {
  Open("");
  const CUdeviceptr out = Allocate(4);
  const CUfunction kernel = Kernel(R"(
extern "C" __global__ void gone(char* out, unsigned n) {
  if (threadIdx.x == n) return;
  ((unsigned*)out)[0] = __shfl_xor_sync(0xffffffffu, n, 1);
})",
                                   "gone");
  EXPECT_EQ(Launch(kernel, 1, 32, out, 7), kCudaLaunchFailed);
  EXPECT_THAT(Reports(), HasSubstr("31 at an exchange within a warp, 1 have returned"));
}

TEST_F(SimulatorTest, ReportsMisalignedAccesses) {
  Open("");
  const CUdeviceptr out = Allocate(64);
  const CUfunction kernel = Kernel(R"(
extern "C" __global__ void wide(char* out, unsigned n) {
  *(unsigned long long*)(out + n) = 1;
})",
                                   "wide");
  EXPECT_EQ(Launch(kernel, 1, 1, out, 8), kCudaSuccess);
  EXPECT_THAT(Reports(), IsEmpty());
  EXPECT_EQ(Launch(kernel, 1, 1, out, 4), kCudaLaunchFailed);
  EXPECT_THAT(Reports(), HasSubstr("an access at line 3 of the unit, of alignment 8"));
}

// A barrier is missing: on a device the sum may be right for years. Here some thread reads what its
// neighbour has not written yet, in whichever order they run.
TEST_F(SimulatorTest, RunsThreadsInNoOrderThatAKernelCanRelyOn) {
  Open("");
  const CUdeviceptr out = Allocate(64 * sizeof(float));
  const CUfunction kernel = Kernel(R"(
extern "C" __global__ void racy(char* out, unsigned n) {
  __shared__ float parts[64];
  parts[threadIdx.x] = 1;
  ((float*)out)[threadIdx.x] = parts[(threadIdx.x + n) % 64];
})",
                                   "racy");
  for (unsigned distance : {1u, 32u, 63u}) {
    ASSERT_EQ(Launch(kernel, 1, 64, out, distance), kCudaSuccess) << Reports();
    // Shared memory begins as NaN.
    EXPECT_THAT(Read(out, 64), testing::Contains(testing::IsNan())) << distance;
  }
  cuda().cuMemFreeAsync(out, stream_);
  cuda().cuModuleUnload(module_);
}

TEST_F(SimulatorTest, ReportsReadsOutOfBounds) {
  Open("bounds=1");
  const CUdeviceptr out = Allocate(10 * sizeof(float));
  const CUfunction kernel = Kernel(R"(
extern "C" __global__ void sum(char* out, unsigned n) {
  if (threadIdx.x < n) *(float*)out += ((float*)out)[threadIdx.x];
})",
                                   "sum");
  EXPECT_EQ(Launch(kernel, 1, 32, out, 10), kCudaSuccess);
  EXPECT_THAT(Reports(), IsEmpty());
  EXPECT_EQ(Launch(kernel, 1, 32, out, 11), kCudaIllegalAddress);
  EXPECT_THAT(Reports(), HasSubstr("kernel sum reads 4 bytes, 4 bytes after an array of 40 bytes"));
}

TEST_F(SimulatorTest, ReportsWritesOutOfBounds) {
  const std::pair<const char*, const char*> said[] = {
      {"bounds=0", "kernel fill wrote after an array of 40 bytes"},
      {"bounds=1", "kernel fill writes 4 bytes, 4 bytes after an array of 40 bytes"}};
  for (const auto& [options, report] : said) {
    Open(options);
    const CUdeviceptr out = Allocate(10 * sizeof(float));
    const CUfunction kernel = Kernel(R"(
extern "C" __global__ void fill(char* out, unsigned n) {
  if (threadIdx.x < n) ((float*)out)[threadIdx.x] = 1;
})",
                                     "fill");
    EXPECT_EQ(Launch(kernel, 1, 32, out, 10), kCudaSuccess);
    EXPECT_THAT(Reports(), IsEmpty());
    EXPECT_EQ(Launch(kernel, 1, 32, out, 11), kCudaIllegalAddress);
    EXPECT_THAT(Reports(), HasSubstr(report));
    TearDown();
  }
}

// As on a device: whoever runs on the host and reads an array through its address gets nothing.
TEST_F(SimulatorTest, TheHostCannotReadArrays) {
  Open("");
  const CUdeviceptr array = Allocate(64);
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], reinterpret_cast<const void*>(array), 1), -1);
  EXPECT_EQ(errno, EFAULT);
  close(ends[0]);
  close(ends[1]);
  cuda().cuMemFreeAsync(array, stream_);
}

constexpr const char* kReads = R"(
extern "C" __global__ void __launch_bounds__(32) reads(char* out, unsigned n) {
  ((float*)out)[0] = ((float*)out)[n];
})";

TEST_F(SimulatorTest, ReportsBlocksThatAreTooLarge) {
  Open("");
  const CUdeviceptr array = Allocate(64);
  const CUfunction kernel = Kernel(kReads, "reads");
  EXPECT_EQ(Launch(kernel, 1, 32, array, 1), kCudaSuccess);
  EXPECT_EQ(Launch(kernel, 1, 64, array, 1), kCudaInvalidValue);
  EXPECT_THAT(Reports(), HasSubstr("the block or the parameters are too large"));
  cuda().cuMemFreeAsync(array, stream_);
  cuda().cuModuleUnload(module_);
}

TEST_F(SimulatorTest, ReportsUseWithoutAnEvent) {
  Open("");
  CUstream other = nullptr;
  CUevent event = nullptr;
  ASSERT_EQ(cuda().cuStreamCreate(&other, 0), kCudaSuccess);
  ASSERT_EQ(cuda().cuEventCreate(&event, 0), kCudaSuccess);
  const CUdeviceptr array = Allocate(64);
  EXPECT_EQ(cuda().cuMemsetD8Async(array, 1, 64, stream_), kCudaSuccess);
  ASSERT_EQ(cuda().cuEventRecord(event, stream_), kCudaSuccess);
  ASSERT_EQ(cuda().cuStreamWaitEvent(other, event, 0), kCudaSuccess);
  EXPECT_EQ(cuda().cuMemsetD8Async(array, 2, 64, other), kCudaSuccess);
  EXPECT_THAT(Reports(), IsEmpty());
  EXPECT_EQ(cuda().cuMemFreeAsync(array, stream_), kCudaSuccess);
  EXPECT_THAT(Reports(), HasSubstr("cuMemFreeAsync on stream"));
  EXPECT_THAT(Reports(), HasSubstr("without an event between them"));
  cuda().cuEventDestroy(event);
  cuda().cuStreamDestroy(other);
}

TEST_F(SimulatorTest, ReportsWhatIsLeft) {
  Open("");
  Allocate(100);
  CUevent event = nullptr;
  ASSERT_EQ(cuda().cuEventCreate(&event, 0), kCudaSuccess);
  cuda().cuDevicePrimaryCtxRelease(0);
  EXPECT_THAT(Reports(), HasSubstr("1 arrays, 100 bytes, were not freed"));
  EXPECT_THAT(Reports(), HasSubstr("1 events were not destroyed"));
  cuda().cuEventDestroy(event);
}

TEST_F(SimulatorTest, ReportsCallsWithoutAContext) {
  Open("");
  cuda().cuCtxSetCurrent(nullptr);
  EXPECT_EQ(cuda().cuStreamSynchronize(stream_), kCudaInvalidContext);
  EXPECT_THAT(Reports(), HasSubstr("cuStreamSynchronize was called without a context"));
}

// A product of two 4 x 4 matrices of f32, by a library that was told some other things.
TEST_F(SimulatorTest, ReportsWhatALibraryOfProductsWouldTripOver) {
  Open("");
  LibraryPlaces places;
  places.asked = {PLINTH_CUDA_SIMULATOR};
  const auto library = BlasLibrary::Open(places);
  ASSERT_TRUE(library.ok()) << library.status().ToString();
  const BlasFunctions& blas = (*library)->api();
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t layout = nullptr, long_layout = nullptr, narrow = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  ASSERT_EQ(blas.cublasLtCreate(&handle), kBlasSuccess);
  ASSERT_EQ(blas.cublasLtMatmulDescCreate(&product, kBlasCompute32F, kBlasR32F), kBlasSuccess);
  ASSERT_EQ(blas.cublasLtMatrixLayoutCreate(&layout, kBlasR32F, 4, 4, 4), kBlasSuccess);
  ASSERT_EQ(blas.cublasLtMatrixLayoutCreate(&long_layout, kBlasR32F, 4, 100, 4), kBlasSuccess);
  ASSERT_EQ(blas.cublasLtMatrixLayoutCreate(&narrow, kBlasR32F, 100, 4, 99), kBlasSuccess);
  ASSERT_EQ(blas.cublasLtMatmulPreferenceCreate(&preference), kBlasSuccess);
  const uint64_t workspace = 1 << 20;
  blas.cublasLtMatmulPreferenceSetAttribute(preference, kBlasMaxWorkspace, &workspace,
                                            sizeof(workspace));
  for (const int attribute : {kBlasAlignmentLeft, kBlasAlignmentRight, kBlasAlignmentResult}) {
    const uint32_t bytes = 16;
    blas.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &bytes, sizeof(bytes));
  }
  auto find = [&](cublasLtMatrixLayout_t left, cublasLtMatrixLayout_t right,
                  cublasLtMatmulHeuristicResult_t* found) {
    int count = 0;
    return blas.cublasLtMatmulAlgoGetHeuristic(handle, product, left, right, layout, layout,
                                               preference, 1, found, &count);
  };
  cublasLtMatmulHeuristicResult_t small, large;
  ASSERT_EQ(find(layout, layout, &small), kBlasSuccess);
  EXPECT_EQ(find(long_layout, narrow, &large), kBlasInvalidValue);
  blas.cublasLtMatrixLayoutDestroy(narrow);
  ASSERT_EQ(blas.cublasLtMatrixLayoutCreate(&narrow, kBlasR32F, 100, 4, 100), kBlasSuccess);
  ASSERT_EQ(find(long_layout, narrow, &large), kBlasSuccess);
  ASSERT_GT(large.workspaceSize, 0u);

  const CUdeviceptr array = Allocate(4096);
  cuda().cuMemsetD8Async(array, 0, 4096, stream_);
  auto multiply = [&](const cublasLtMatmulHeuristicResult_t& found, cublasLtMatrixLayout_t left,
                      cublasLtMatrixLayout_t right, CUdeviceptr left_at, size_t workspace_bytes) {
    const float factors[] = {1, 0};
    auto* result = reinterpret_cast<void*>(array + 2048);
    const cublasStatus_t status = blas.cublasLtMatmul(
        handle, product, &factors[0], reinterpret_cast<void*>(left_at), left,
        reinterpret_cast<void*>(array), right, &factors[1], result, layout, result, layout,
        &found.algo, reinterpret_cast<void*>(array), workspace_bytes, stream_);
    cuda().cuStreamSynchronize(stream_);
    return status;
  };
  EXPECT_EQ(multiply(small, layout, layout, array, 0), kBlasSuccess);
  EXPECT_THAT(Reports(), IsEmpty());
  EXPECT_EQ(multiply(small, layout, layout, array + 4, 0), kBlasSuccess);
  EXPECT_THAT(Reports(), HasSubstr("the left matrix of product 0 is not aligned"));
  EXPECT_EQ(multiply(small, layout, layout, array + 4064, 0), kBlasSuccess);
  EXPECT_THAT(Reports(), HasSubstr("the left matrix of product 0 leaves its array"));
  EXPECT_EQ(multiply(large, long_layout, narrow, array, 100), kBlasInvalidValue);
  EXPECT_THAT(Reports(), HasSubstr("the workspace is too small"));
  EXPECT_EQ(multiply(large, long_layout, narrow, array, 5000), kBlasInvalidValue);
  EXPECT_THAT(Reports(), HasSubstr("the workspace is not aligned, or leaves its array"));
  EXPECT_EQ(multiply({}, layout, layout, array, 0), kBlasInvalidValue);
  EXPECT_THAT(Reports(), HasSubstr("an algorithm that the heuristic did not give"));
  blas.cublasLtMatrixLayoutDestroy(layout);
  blas.cublasLtMatrixLayoutDestroy(long_layout);
  blas.cublasLtMatmulPreferenceDestroy(preference);
  blas.cublasLtMatmulDescDestroy(product);
  cuda().cuMemFreeAsync(array, stream_);
  blas.cublasLtDestroy(handle);
  EXPECT_THAT(Reports(), HasSubstr("1 descriptors of cuBLASLt were not destroyed"));
}

TEST_F(SimulatorTest, FailsTheCallItIsTold) {
  Open("fail=cuMemsetD8Async:2:999,capacity=1000");
  const CUdeviceptr array = Allocate(600);
  EXPECT_EQ(cuda().cuMemsetD8Async(array, 1, 8, stream_), kCudaSuccess);
  EXPECT_EQ(cuda().cuMemsetD8Async(array, 1, 8, stream_), kCudaUnknown);
  EXPECT_EQ(cuda().cuMemsetD8Async(array, 1, 8, stream_), kCudaSuccess);
  CUdeviceptr more = 0;
  EXPECT_EQ(cuda().cuMemAllocFromPoolAsync(&more, 600, pool_, stream_), kCudaOutOfMemory);
  cuda().cuMemFreeAsync(array, stream_);
}

}  // namespace
}  // namespace plinth::cuda
