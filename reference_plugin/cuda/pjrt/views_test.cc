// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "reference_plugin/cuda/driver/nvrtc.h"
#include "reference_plugin/cuda/pjrt/client_test_util.h"

// Arrays in memory of others: DLPack.
namespace plinth::cuda {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTwice = R"(
func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  %z = stablehlo.add %x, %x : tensor<4xf32>
  return %z : tensor<4xf32>
})";

class ViewsTest : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    is_back_ = std::make_shared<std::atomic<bool>>(false);
  }
  Expected<BufferPtr> ViewOf(void* data, intptr_t stream = 0,
                             std::shared_ptr<const sdk::Layout> layout = nullptr) {
    sdk::ViewRequest request;
    request.data = data;
    request.shape = {DType::kF32, sdk::Dims{4}, std::move(layout)};
    request.device = client_->devices().front().get();
    request.memory = request.device->default_memory();
    request.stream = stream;
    request.owner = std::shared_ptr<void>(nullptr, [back = is_back_](void*) { back->store(true); });
    return client_->CreateViewOfDeviceBuffer(request);
  }
  bool ComesBack() const {
    for (int wait = 0; wait < kPatience && !is_back_->load(); ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return is_back_->load();
  }
  std::shared_ptr<std::atomic<bool>> is_back_;
};

TEST_F(ViewsTest, AViewIsReadWhereItLiesAndNeverWritten) {
  Open("delay=300,seed=5");
  auto loaded = client_->Compile({"mlir", kTwice}, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  auto lent = Upload({1, 2, 3, 4});
  ASSERT_TRUE(lent.ok());
  const auto memory = (*lent)->HoldMemory();
  ASSERT_TRUE(memory.ok());
  auto view = ViewOf(memory->get());
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  EXPECT_EQ((*view)->HoldMemory()->get(), memory->get());
  EXPECT_THAT(*Download(**view), ElementsAre(1, 2, 3, 4));
  // The program may not work in place.
  auto result = Execute(**loaded, **view, /*donates=*/true);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_THAT(*Download(**result), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(*Download(**lent), ElementsAre(1, 2, 3, 4));
  view->reset();
  result->reset();
  EXPECT_TRUE(ComesBack());
}

// Somebody else's stream reads what a program has just been asked for, without a word to the host.
TEST_F(ViewsTest, StreamsOfOthersWaitForArrays) {
  Open("delay=20000,seed=9");
  LibraryPlaces places;
  places.asked = {PLINTH_CUDA_SIMULATOR};
  auto loaded = client_->Compile({"mlir", kTwice}, {});
  ASSERT_TRUE(loaded.ok());
  auto value = Upload({1, 2, 3, 4});
  ASSERT_TRUE(value.ok());
  // The program works in place, so that the address is known before.
  const auto address = reinterpret_cast<CUdeviceptr>((*value)->HoldMemory()->get());
  const Floats copied = [&] {
    auto driver = Driver::Open(places);
    const DriverFunctions& cuda = (*driver)->api();
    CUcontext context = nullptr;
    CUstream other = nullptr;
    void* host = nullptr;
    EXPECT_EQ(cuda.cuDevicePrimaryCtxRetain(&context, 0), kCudaSuccess);
    EXPECT_EQ(cuda.cuCtxSetCurrent(context), kCudaSuccess);
    EXPECT_EQ(cuda.cuStreamCreate(&other, kCudaStreamNonBlocking), kCudaSuccess);
    EXPECT_EQ(cuda.cuMemHostAlloc(&host, 16, 0), kCudaSuccess);
    auto twice = Execute(**loaded, **value, /*donates=*/true);
    EXPECT_TRUE(twice.ok());
    EXPECT_TRUE((*twice)->WaitUntilReadyOnStream(reinterpret_cast<intptr_t>(other)).ok());
    EXPECT_EQ(cuda.cuMemcpyDtoHAsync(host, address, 16, other), kCudaSuccess);
    EXPECT_EQ(cuda.cuStreamSynchronize(other), kCudaSuccess);
    const auto* floats = static_cast<const float*>(host);
    const Floats read(floats, floats + 4);
    cuda.cuMemFreeHost(host);
    cuda.cuStreamDestroy(other);
    cuda.cuDevicePrimaryCtxRelease(0);
    cuda.cuCtxSetCurrent(nullptr);
    return read;
  }();
  EXPECT_THAT(copied, ElementsAre(2, 4, 6, 8));
  EXPECT_NE(*client_->devices().front()->StreamForExternalReadyEvents(), 0);
}

// The lender has its memory back only when what was enqueued has read it.
TEST_F(ViewsTest, TheLenderWaitsForRunsUnderWay) {
  Open("delay=20000,seed=6");
  auto loaded = client_->Compile({"mlir", kTwice}, {});
  ASSERT_TRUE(loaded.ok());
  auto lent = Upload({1, 2, 3, 4});
  ASSERT_TRUE(lent.ok());
  const auto memory = (*lent)->HoldMemory();
  auto view = ViewOf(memory->get());
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  auto result = Execute(**loaded, **view, /*donates=*/false);
  ASSERT_TRUE(result.ok());
  view->reset();
  ASSERT_TRUE(ComesBack());
  // The run was before, on the same stream.
  EXPECT_TRUE((*result)->ReadyEvent().IsReady());
  EXPECT_THAT(*Download(**result), ElementsAre(2, 4, 6, 8));
}

TEST_F(ViewsTest, AViewHasItsContentsWhenTheStreamHas) {
  Open("delay=2000,seed=7");
  LibraryPlaces places;
  places.asked = {PLINTH_CUDA_SIMULATOR};
  auto driver = Driver::Open(places);
  ASSERT_TRUE(driver.ok());
  const DriverFunctions& cuda = (*driver)->api();
  CUcontext context = nullptr;
  ASSERT_EQ(cuda.cuDevicePrimaryCtxRetain(&context, 0), kCudaSuccess);
  ASSERT_EQ(cuda.cuCtxSetCurrent(context), kCudaSuccess);
  CUstream stream = nullptr;
  ASSERT_EQ(cuda.cuStreamCreate(&stream, kCudaStreamNonBlocking), kCudaSuccess);
  auto lent = Upload({1, 2, 3, 4});
  ASSERT_TRUE(lent.ok());
  const auto memory = (*lent)->HoldMemory();
  ASSERT_TRUE(memory.ok());
  // Each element becomes the float of bits 0x40404040.
  ASSERT_EQ(cuda.cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(memory->get()), 0x40, 16, stream),
            kCudaSuccess);
  auto view = ViewOf(memory->get(), reinterpret_cast<intptr_t>(stream));
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  auto loaded = client_->Compile({"mlir", kTwice}, {});
  ASSERT_TRUE(loaded.ok());
  auto result = Execute(**loaded, **view, /*donates=*/false);
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(*Download(**result), Each(testing::FloatEq(6.0078430f)));
  view->reset();
  EXPECT_TRUE(ComesBack());
  lent->reset();
  EXPECT_EQ(cuda.cuStreamDestroy(stream), kCudaSuccess);
  cuda.cuCtxSetCurrent(nullptr);
  cuda.cuDevicePrimaryCtxRelease(0);
}

// A stream of others that comes to no end may wait for what the host does next, and the host for an
// array of its own.
TEST_F(ViewsTest, ArraysOfTheHostDoNotWaitForStreamsOfOthers) {
  expects_no_report_ = false;  // A kernel reads what another stream writes, without an event.
  Open("delay=0");
  LibraryPlaces places;
  places.asked = {PLINTH_CUDA_SIMULATOR};
  auto driver = Driver::Open(places);
  auto nvrtc = Nvrtc::Open(places);
  ASSERT_TRUE(driver.ok() && nvrtc.ok());
  const DriverFunctions& cuda = (*driver)->api();
  CUcontext context = nullptr;
  ASSERT_EQ(cuda.cuDevicePrimaryCtxRetain(&context, 0), kCudaSuccess);
  ASSERT_EQ(cuda.cuCtxSetCurrent(context), kCudaSuccess);
  CUstream stream = nullptr, other = nullptr;
  ASSERT_EQ(cuda.cuStreamCreate(&stream, kCudaStreamNonBlocking), kCudaSuccess);
  ASSERT_EQ(cuda.cuStreamCreate(&other, kCudaStreamNonBlocking), kCudaSuccess);
  const std::string options[] = {"--gpu-architecture=sm_90"};
  const auto binary = (*nvrtc)->Compile(R"(
extern "C" __global__ void __launch_bounds__(1) waits(const char* flag) {
  while (*(const volatile char*)flag != 1) {}
})",
                                        options);
  CUmodule module = nullptr;
  CUfunction waits = nullptr;
  ASSERT_EQ(cuda.cuModuleLoadData(&module, binary->data()), kCudaSuccess);
  ASSERT_EQ(cuda.cuModuleGetFunction(&waits, module, "waits"), kCudaSuccess);
  auto flag = Upload({0, 0, 0, 0}), lent = Upload({1, 2, 3, 4});
  ASSERT_TRUE(flag.ok() && lent.ok());
  ASSERT_TRUE((*flag)->ReadyEvent().Await().ok());
  auto address = reinterpret_cast<CUdeviceptr>((*flag)->HoldMemory()->get());
  void* parameters[] = {&address};
  ASSERT_EQ(cuda.cuLaunchKernel(waits, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr),
            kCudaSuccess);
  auto view = ViewOf((*lent)->HoldMemory()->get(), reinterpret_cast<intptr_t>(stream));
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  auto next = Upload({5, 6, 7, 8});
  ASSERT_TRUE(next.ok());
  const sdk::Event ready = (*next)->ReadyEvent();
  for (int wait = 0; wait < kPatience && !ready.IsReady(); ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(ready.IsReady());
  // Nor do programs, because of a view that nobody has used.
  const sdk::Event written = (*view)->ReadyEvent();
  view->reset();
  EXPECT_TRUE(ComesBack());
  EXPECT_FALSE(written.IsReady());
  ASSERT_EQ(cuda.cuMemsetD8Async(address, 1, 16, other), kCudaSuccess);
  EXPECT_TRUE(written.Await().ok());
  EXPECT_EQ(cuda.cuStreamSynchronize(other), kCudaSuccess);
  flag->reset();
  lent->reset();
  next->reset();
  EXPECT_EQ(cuda.cuModuleUnload(module), kCudaSuccess);
  EXPECT_EQ(cuda.cuStreamDestroy(stream), kCudaSuccess);
  EXPECT_EQ(cuda.cuStreamDestroy(other), kCudaSuccess);
  cuda.cuCtxSetCurrent(nullptr);
  cuda.cuDevicePrimaryCtxRelease(0);
}

TEST_F(ViewsTest, RefusesOtherMemory) {
  Open("");
  auto lent = Upload({1, 2, 3, 4});
  ASSERT_TRUE(lent.ok());
  const auto memory = (*lent)->HoldMemory();
  const auto misaligned = ViewOf(static_cast<char*>(memory->get()) + 4);
  EXPECT_EQ(misaligned.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(misaligned.status().message()),
              AllOf(HasSubstr("4 modulo 16"), HasSubstr("is not aligned to 16 bytes.")));
  alignas(16) float of_host[4] = {};
  const auto host = ViewOf(of_host);
  EXPECT_EQ(host.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(host.status().message()), HasSubstr("memory of the host"));
}

}  // namespace
}  // namespace plinth::cuda
