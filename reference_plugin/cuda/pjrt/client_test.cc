// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/pjrt/client.h"

#include <atomic>
#include <initializer_list>

#include "reference_plugin/cuda/pjrt/client_test_util.h"

namespace plinth::cuda {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kTwice = R"(
func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  %z = stablehlo.add %x, %x : tensor<4xf32>
  return %z : tensor<4xf32>
})";

// Doubles as long as the first element is less than 100: nobody knows how often.
constexpr std::string_view kUntilHundred = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %limit = stablehlo.constant dense<1.0e+02> : tensor<f32>
  %r = stablehlo.while(%c = %x) : tensor<4xf32>
    cond {
      %s = stablehlo.slice %c [0:1] : (tensor<4xf32>) -> tensor<1xf32>
      %v = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
      %p = stablehlo.compare LT, %v, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %d = stablehlo.add %c, %c : tensor<4xf32>
      stablehlo.return %d : tensor<4xf32>
    }
  return %r : tensor<4xf32>
})";

// Doubles five times.
constexpr std::string_view kFiveTimes = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %d = stablehlo.add %c, %c : tensor<4xf32>
      stablehlo.return %j, %d : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
})";

TEST_F(ClientTest, TellsItsDevices) {
  Open("devices=2,capability=80");
  ASSERT_EQ(client_->devices().size(), 2u);
  const sdk::Device& device = *client_->devices()[1];
  EXPECT_EQ(device.description().info().kind, "Simulated GPU");
  EXPECT_EQ(device.default_memory()->kind(), "device");
}

TEST_F(ClientTest, RunsPrograms) {
  for (const char* seed : {"seed=1", "seed=2,delay=500"}) {
    Open(seed);
    const auto twice = Run(kTwice);
    ASSERT_TRUE(twice.ok()) << twice.status().ToString();
    EXPECT_THAT(*twice, ElementsAre(2, 4, 6, 8));
    const auto loop = Run(kUntilHundred);
    ASSERT_TRUE(loop.ok()) << loop.status().ToString();
    EXPECT_THAT(*loop, ElementsAre(128, 256, 384, 512));
    client_ = nullptr;
    Reports();
  }
}

// What is kept of each row takes 160 kB of shared memory, which the launch has to ask for.
TEST_F(ClientTest, RowsAreKeptInSharedMemory) {
  Open("");
  const auto sums = Run(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %wide = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  %rows = stablehlo.broadcast_in_dim %wide, dims = [0] : (tensor<4xf64>) -> tensor<4x20000xf64>
  %i = stablehlo.iota dim = 1 : tensor<4x20000xf64>
  %angle = stablehlo.multiply %rows, %i : tensor<4x20000xf64>
  %sine = stablehlo.sine %angle : tensor<4x20000xf64>
  %exp = stablehlo.exponential %sine : tensor<4x20000xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<4x20000xf64>, tensor<f64>) -> tensor<4xf64>
  %all = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<4xf64>) -> tensor<4x20000xf64>
  %share = stablehlo.divide %exp, %all : tensor<4x20000xf64>
  %one = stablehlo.reduce(%share init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<4x20000xf64>, tensor<f64>) -> tensor<4xf64>
  %result = stablehlo.convert %one : (tensor<4xf64>) -> tensor<4xf32>
  return %result : tensor<4xf32>
})");
  ASSERT_TRUE(sums.ok()) << sums.status().ToString();
  EXPECT_THAT(*sums, ElementsAre(1, 1, 1, 1));
}

TEST_F(ClientTest, ALoopOfKnownLengthReadsNothingBack) {
  // The first copy to the host is that of the result.
  Open("fail=cuMemcpyDtoHAsync:2:999");
  const auto known = Run(kFiveTimes);
  ASSERT_TRUE(known.ok()) << known.status().ToString();
  EXPECT_THAT(*known, ElementsAre(32, 64, 96, 128));
  const auto unknown = Run(kUntilHundred);
  EXPECT_EQ(unknown.status().code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(unknown.status().message()),
              AllOf(HasSubstr("program '"), HasSubstr("cuMemcpyDtoHAsync")));
}

// Its arena is of no bytes: nothing is allocated for it.
TEST_F(ClientTest, RunsProgramsOfEmptyArraysAlone) {
  Open("seed=1");
  auto loaded = client_->Compile({"mlir", R"(
func.func @main(%x: tensor<4xf32>) -> tensor<0xi32> {
  %e = stablehlo.slice %x [2:2] : (tensor<4xf32>) -> tensor<0xf32>
  %i = stablehlo.iota dim = 0 : tensor<0xi32>
  %s:2 = "stablehlo.sort"(%e, %i) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
      %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
  }) : (tensor<0xf32>, tensor<0xi32>) -> (tensor<0xf32>, tensor<0xi32>)
  return %s#1 : tensor<0xi32>
})"},
                                 {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  auto input = Upload({1, 2, 3, 4});
  ASSERT_TRUE(input.ok()) << input.status().ToString();
  auto output = Execute(**loaded, **input, false);
  ASSERT_TRUE(output.ok()) << output.status().ToString();
  EXPECT_TRUE((*output)->ReadyEvent().Await().ok());
}

TEST_F(ClientTest, ADonatedArgumentGivesItsMemory) {
  Open("");
  auto loaded = client_->Compile({"mlir", kTwice}, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  auto value = Upload({1, 2, 3, 4});
  ASSERT_TRUE(value.ok());
  const void* first = (*value)->HoldMemory()->get();
  for (int step = 0; step < 10; ++step) {
    auto next = Execute(**loaded, **value, /*donates=*/true);
    ASSERT_TRUE(next.ok()) << next.status().ToString();
    EXPECT_TRUE((*value)->IsDeleted());
    value = std::move(next);
  }
  EXPECT_EQ((*value)->HoldMemory()->get(), first);
  EXPECT_THAT(*Download(**value), ElementsAre(1024, 2048, 3072, 4096));
  // A copy is under way: the program waits for it, or works on another array.
  const auto read = Download(**value);
  auto kept = (*value)->CopyToDevice(client_->devices().front().get());
  ASSERT_TRUE(kept.ok());
  auto last = Execute(**loaded, **value, /*donates=*/true);
  ASSERT_TRUE(last.ok());
  EXPECT_THAT(*Download(**kept), ElementsAre(1024, 2048, 3072, 4096));
  EXPECT_THAT(*Download(**last), ElementsAre(2048, 4096, 6144, 8192));
}

// Two arrays of different shapes that two sorts need, and that nothing else joins.
constexpr std::string_view kSmallNeighbours = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.add %x, %x : tensor<4xf32>
  %y = stablehlo.concatenate %x, %x, %x, dim = 0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<12xf32>
  %b = stablehlo.negate %y : tensor<12xf32>
  %s = "stablehlo.sort"(%a) ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %p = stablehlo.compare GT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %t = "stablehlo.sort"(%b) ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %p = stablehlo.compare GT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<12xf32>) -> tensor<12xf32>
  %u = stablehlo.slice %t [0:4] : (tensor<12xf32>) -> tensor<4xf32>
  %z = stablehlo.add %s, %u : tensor<4xf32>
  return %z : tensor<4xf32>
})";

TEST_F(ClientTest, SmallNeighboursAreOneLaunch) {
  Open("");
  auto loaded = client_->Compile({"mlir", kSmallNeighbours}, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  const auto result = RunLoaded(**loaded);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_THAT(*result, ElementsAre(7, 5, 3, 0));
  // The first launch is both: what says so is its error.
  loaded->reset();
  client_ = nullptr;
  Reports();
  Open("fail=cuLaunchKernel:1:999");
  const auto failed = Run(kSmallNeighbours);
  EXPECT_THAT(std::string(failed.status().message()), HasSubstr(" + "));
}

// From the device to pinned memory and back, before the numbers are there, and as an argument.
TEST_F(ClientTest, ArraysGoToPinnedMemoryAndBack) {
  for (const char* seed : {"seed=1", "seed=2,delay=2000"}) {
    client_ = nullptr;
    Reports();
    Open(seed);
    sdk::Device* device = client_->devices().front().get();
    sdk::Memory* pinned = device->FindMemory("pinned_host");
    ASSERT_NE(pinned, nullptr);
    EXPECT_EQ(device->default_memory()->kind(), "device");
    auto loaded = client_->Compile({"mlir", kTwice}, {});
    ASSERT_TRUE(loaded.ok());
    auto value = Upload({1, 2, 3, 4});
    ASSERT_TRUE(value.ok());
    auto twice = Execute(**loaded, **value, /*donates=*/true);
    ASSERT_TRUE(twice.ok());
    auto on_host = (*twice)->CopyToMemory(pinned);
    ASSERT_TRUE(on_host.ok()) << on_host.status().ToString();
    twice->reset();
    EXPECT_TRUE((*on_host)->IsOnCpu());
    EXPECT_EQ((*on_host)->memory(), pinned);
    const auto memory = (*on_host)->HoldMemory();
    ASSERT_TRUE(memory.ok()) << memory.status().ToString();
    EXPECT_EQ(static_cast<const float*>(memory->get())[3], 8);
    EXPECT_THAT(*Download(**on_host), ElementsAre(2, 4, 6, 8));
    auto back = (*on_host)->CopyToMemory(device->default_memory());
    ASSERT_TRUE(back.ok());
    EXPECT_FALSE((*back)->IsOnCpu());
    EXPECT_THAT(*Download(**back), ElementsAre(2, 4, 6, 8));
    // The program works in place, but not in what the host reads.
    auto four_times = Execute(**loaded, **on_host, /*donates=*/true);
    ASSERT_TRUE(four_times.ok()) << four_times.status().ToString();
    EXPECT_THAT(*Download(**four_times), ElementsAre(4, 8, 12, 16));
    EXPECT_EQ(static_cast<const float*>(memory->get())[3], 8);
    auto empty = client_->CreateUninitializedBuffer({DType::kF32, sdk::Dims{0}}, pinned, device);
    EXPECT_TRUE(empty.ok());
  }
}

// More than is in pinned memory at once; the array is dropped while pieces of it are still to go.
TEST_F(ClientTest, LargeArraysGoOutInPieces) {
  constexpr int64_t kElements = (45 << 20) / 4 + 3;
  std::vector<float> values(kElements);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const int64_t dims[] = {kElements};
  const int64_t strides[] = {sizeof(float)};
  for (const char* fails : {"", "cuMemcpyDtoHAsync:7:999", "cuEventRecord:20:999"}) {
    Open(StrCat("seed=4,delay=300,fail=", fails));
    sdk::HostBufferRequest request;
    request.data = values.data();
    request.dtype = DType::kF32;
    request.dims = dims;
    request.byte_strides = strides;
    request.size = kElements * 4;
    request.is_dense = true;
    request.device = client_->devices().front().get();
    request.memory = request.device->default_memory();
    auto uploaded = client_->BufferFromHostBuffer(request);
    ASSERT_TRUE(uploaded.ok()) << uploaded.status().ToString();
    std::vector<float> back(kElements);
    auto copied = uploaded->buffer->CopyToHost({back.data(), strides, true, kElements * 4});
    ASSERT_TRUE(copied.ok()) << copied.status().ToString();
    uploaded->buffer = nullptr;
    const Status status = copied->Await();
    if (*fails == '\0') {
      EXPECT_TRUE(status.ok()) << status.ToString();
      EXPECT_TRUE(back == values);
    } else {
      EXPECT_FALSE(status.ok()) << fails;
    }
    client_ = nullptr;
    EXPECT_THAT(Reports(), IsEmpty()) << fails;
  }
}

TEST_F(ClientTest, SaysWhatHasNoRoom) {
  Open("capacity=100000");
  const sdk::Shape large{DType::kF32, sdk::Dims{int64_t{1} << 28}};
  sdk::Device* device = client_->devices().front().get();
  const auto buffer = client_->CreateUninitializedBuffer(large, device->default_memory(), device);
  EXPECT_EQ(buffer.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(buffer.status().message()),
              AllOf(HasSubstr("1073741824 bytes"), HasSubstr("of at most 100000 bytes")));
  // The rest goes on.
  EXPECT_TRUE(Run(kTwice).ok());
}

TEST_F(ClientTest, HeedsTheLimit) {
  Open("", {.memory_limit = 1000});
  const sdk::Shape half{DType::kF32, sdk::Dims{150}};
  sdk::Device* device = client_->devices().front().get();
  const auto first = client_->CreateUninitializedBuffer(half, device->default_memory(), device);
  EXPECT_TRUE(first.ok());
  const auto second = client_->CreateUninitializedBuffer(half, device->default_memory(), device);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("600 of at most 1000 bytes"));
}

TEST_F(ClientTest, WhatIsPreallocatedIsNoArray) {
  Open("", {.memory_limit = 1 << 20, .preallocate = true});
  const auto before = client_->devices().front()->GetMemoryStats();
  ASSERT_TRUE(before.ok());
  EXPECT_EQ(before->bytes_in_use, 0);
  EXPECT_EQ(before->peak_bytes_in_use, 0);
  EXPECT_EQ(before->largest_alloc_size, 0);
  EXPECT_TRUE(Run(kTwice).ok());
}

// The constants of programs that are gone go when there is no room.
TEST_F(ClientTest, ConstantsOfOldProgramsMakeRoom) {
  Open("", {.memory_limit = 3000});
  std::string numbers;
  for (int i = 0; i < 400; ++i) numbers += StrCat(i == 0 ? "" : ", ", i, ".0");
  const auto summed = Run(StrCat(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<[)",
                                 numbers, R"(]> : tensor<400xf32>
  %table = stablehlo.reshape %c : (tensor<400xf32>) -> tensor<100x4xf32>
  %i = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi32>
  %rows = "stablehlo.gather"(%table, %i) {dimension_numbers = #stablehlo.gather<
      offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 4>} : (tensor<100x4xf32>, tensor<4xi32>) -> tensor<4x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%rows init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %sum : tensor<4xf32>
})"));
  ASSERT_TRUE(summed.ok()) << summed.status().ToString();
  EXPECT_THAT(*summed, ElementsAre(22, 38, 54, 70));
  const sdk::Shape most{DType::kF32, sdk::Dims{700}};
  sdk::Device* device = client_->devices().front().get();
  const auto array = client_->CreateUninitializedBuffer(most, device->default_memory(), device);
  EXPECT_TRUE(array.ok()) << array.status().ToString();
}

// A driver that has no room until everything freed has come back.
TEST_F(ClientTest, TriesAgainWhenTheDeviceIsFull) {
  for (int call = 1; call <= 6; ++call) {
    Open(StrCat("fail=cuMemAllocFromPoolAsync:", call, ":2"));
    const auto result = Run(kUntilHundred);
    EXPECT_TRUE(result.ok()) << call << ": " << result.status().ToString();
    client_ = nullptr;
    EXPECT_THAT(Reports(), IsEmpty());
  }
}

TEST_F(ClientTest, ALostDeviceAnswersWithItsFirstError) {
  Open("lose=2");
  const auto first = Run(kFiveTimes);
  EXPECT_EQ(first.status().code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(first.status().message()),
              AllOf(HasSubstr("is lost"), HasSubstr("CUDA_ERROR_LAUNCH_FAILED (719)")));
  const auto again = Upload({1, 2, 3, 4});
  EXPECT_THAT(std::string(again.status().message()), HasSubstr("CUDA_ERROR_LAUNCH_FAILED (719)"));
}

// That which the device has to finish first, not that which learns of it.
TEST_F(ClientTest, ALostDeviceNamesTheProgram) {
  Open("delay=0,lose=4");
  auto slow = client_->Compile({"mlir", R"(
module @slow {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %many = stablehlo.iota dim = 0 : tensor<400000xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sines = stablehlo.sine %many : tensor<400000xf32>
  %sum = stablehlo.reduce(%sines init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<400000xf32>, tensor<f32>) -> tensor<f32>
  %all = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %y = stablehlo.add %x, %all : tensor<4xf32>
  return %y : tensor<4xf32>
}
})"},
                               {});
  ASSERT_TRUE(slow.ok()) << slow.status().ToString();
  auto input = Upload({1, 2, 3, 4});
  ASSERT_TRUE(input.ok()) << input.status().ToString();
  auto output = Execute(**slow, **input, false);
  ASSERT_TRUE(output.ok()) << output.status().ToString();
  for (const Status& status : {Run(StrCat("module @next {", kTwice, "}")).status(),
                               Upload({1, 2, 3, 4}).status(), Download(**output).status()}) {
    EXPECT_EQ(status.code(), StatusCode::kInternal);
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("of program 'slow' first"), HasSubstr("CUDA_LAUNCH_BLOCKING=1")));
  }
}

// The first to learn of it is a thread that waits for an event.
TEST_F(ClientTest, AnErrorOfAnEventIsKept) {
  expects_no_report_ = false;  // Nothing is given back.
  Open("fail=cuEventQuery:1:700");
  const auto input = Upload({1, 2, 3, 4});
  ASSERT_TRUE(input.ok()) << input.status().ToString();
  // It waits for two events, one after the other: for the memory of the copy and for the array.
  static_cast<void>((*input)->ReadyEvent().Await());
  const auto first = Run(kTwice);
  const auto again = Upload({1, 2, 3, 4});
  for (const Status& status : {first.status(), again.status()}) {
    EXPECT_EQ(status.code(), StatusCode::kInternal);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("is lost: cuEventQuery: CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  }
}

// Its first kernels are still under way when the program is gone.
TEST_F(ClientTest, KernelsOfARunThatFailsStayLoaded) {
  Open("delay=0,fail=cuLaunchKernel:2:1");
  auto loaded = client_->Compile({"mlir", R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %many = stablehlo.iota dim = 0 : tensor<400000xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sines = stablehlo.sine %many : tensor<400000xf32>
  %sum = stablehlo.reduce(%sines init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<400000xf32>, tensor<f32>) -> tensor<f32>
  %all = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %y = stablehlo.add %x, %all : tensor<4xf32>
  return %y : tensor<4xf32>
})"},
                                 {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  const Status status = RunLoaded(**loaded).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("launch of kernel"));
  loaded->reset();
}

// Each thread says that it reads; the free waits for all that were enqueued.
TEST_F(ClientTest, AnArrayThatIsReadByThreadsGoesAfterAllHaveRead) {
  Open("seed=3,delay=1000");
  constexpr int kThreads = 4;
  for (int round = 0; round < 100; ++round) {
    auto array = Upload({1, 2, 3, 4});
    ASSERT_TRUE(array.ok());
    ASSERT_TRUE((*array)->ReadyEvent().Await().ok());
    std::vector<Floats> read(kThreads, Floats(4));
    std::vector<sdk::Event> over(kThreads);
    std::atomic<int> waiting{kThreads};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        const int64_t strides[] = {sizeof(float)};
        --waiting;
        while (waiting > 0) std::this_thread::yield();
        auto copied = (*array)->CopyToHost({read[t].data(), strides, true, 4 * sizeof(float)});
        ASSERT_TRUE(copied.ok());
        over[t] = *std::move(copied);
      });
    }
    for (std::thread& thread : threads) thread.join();
    array->reset();
    for (int t = 0; t < kThreads; ++t) {
      ASSERT_TRUE(over[t].Await().ok());
      ASSERT_THAT(read[t], ElementsAre(1, 2, 3, 4));
    }
  }
}

TEST_F(ClientTest, TwoClientsShareADevice) {
  Open("");
  auto other = Make("");
  ASSERT_TRUE(other.ok()) << other.status().ToString();
  EXPECT_TRUE(Run(kTwice).ok());
  client_.swap(*other);
  EXPECT_TRUE(Run(kTwice).ok());
  *other = nullptr;
  EXPECT_TRUE(Run(kTwice).ok());
}

// Memory of the device that is missing once is there after what is free has come back. If it stays
// away, and of pinned memory, the error says so; nothing is left behind.
TEST_F(ClientTest, EveryAllocationMayFail) {
  const std::pair<const char*, const char*> functions[] = {
      {"cuMemAllocFromPoolAsync", "after everything freed was given back"},
      {"cuMemHostAlloc", "cuMemHostAlloc"}};
  for (const auto& [function, says] : functions) {
    const bool is_pinned = function == functions[1].first;
    int failures = 0;
    for (int call = 1; call <= 12; ++call) {
      for (const char* again : {"", "+"}) {
        SCOPED_TRACE(StrCat(function, " ", call, again));
        auto client = Make(StrCat("delay=0,fail=", function, ":", call, again, ":2"));
        if (!client.ok()) {
          EXPECT_EQ(client.status().code(), StatusCode::kResourceExhausted);
          ++failures;
        } else {
          client_ = *std::move(client);
          const auto loop = Run(kUntilHundred);
          if (!loop.ok()) {
            EXPECT_EQ(loop.status().code(), StatusCode::kResourceExhausted)
                << loop.status().ToString();
            EXPECT_NE(std::string(loop.status().message()).find(says), std::string::npos)
                << loop.status().ToString();
            EXPECT_TRUE(is_pinned || again[0] == '+');
            ++failures;
          }
          client_ = nullptr;
        }
        EXPECT_EQ(Reports(), "");
        std::filesystem::remove(report_);
      }
    }
    EXPECT_GE(failures, 2);
  }
}

// What gives something back may fail to, or to be ordered; after any other failure nothing is left.
TEST_F(ClientTest, NothingIsLeftAfterAFailure) {
  const char* const functions[] = {
#define PLINTH_CUDA_FUNCTION(name, since, parameters) #name,
#include "reference_plugin/cuda/driver/driver_functions.inc"
  };
  for (const std::string_view function : functions) {
    const bool gives_back =
        function.find("Free") != std::string_view::npos ||
        function.find("Destroy") != std::string_view::npos || function == "cuModuleUnload" ||
        function == "cuDevicePrimaryCtxRelease" || function == "cuStreamWaitEvent";
    for (int call = 1; call <= 3 && !gives_back; ++call) {
      auto client = Make(StrCat("delay=0,fail=", function, ":", call, ":999"));
      if (client.ok()) {
        client_ = *std::move(client);
        static_cast<void>(Run(kUntilHundred));
        static_cast<void>(Run(kTwice, /*donates=*/true));
        client_ = nullptr;
      }
      EXPECT_EQ(Reports(), "") << function << " " << call;
      std::filesystem::remove(report_);
    }
  }
}

// After an error that the device does not survive every call answers with the first message,
// wherever it came.
TEST_F(ClientTest, EveryCallMayLoseTheDevice) {
  expects_no_report_ = false;  // Nothing is given back.
  int losses = 0;
  for (int call = 1; call <= 150; call += 2) {
    auto client = Make(StrCat("delay=0,fail=any:", call, ":700"));
    if (!client.ok()) continue;
    client_ = *std::move(client);
    std::string first;
    for (int turn = 0; turn < 2; ++turn) {
      for (const Status& status : {Run(kUntilHundred).status(), Run(kTwice, true).status(),
                                   Upload({1, 2, 3, 4}).status()}) {
        const std::string message(status.message());
        const size_t lost = message.find("GPU 0 (");
        if (status.ok() || lost == std::string::npos) {
          // Before it is lost, or where nobody had to ask the device.
          EXPECT_TRUE(first.empty()) << call << ": " << status.ToString() << "; " << first;
          continue;
        }
        if (first.empty()) first = message.substr(lost);
        EXPECT_EQ(message.substr(lost), first) << call;
        EXPECT_EQ(status.code(), StatusCode::kInternal);
      }
    }
    if (!first.empty()) ++losses;
    client_ = nullptr;
  }
  EXPECT_GT(losses, 20);
}

// Whatever call fails once, there is an answer, and the next client works.
TEST_F(ClientTest, EveryCallMayFail) {
  expects_no_report_ = false;
  int failures = 0;
  // More than such a run has.
  for (int call = 1; call <= 250; ++call) {
    auto client = Make(StrCat("delay=0,fail=any:", call, ":999"));
    Expected<Floats> loop = Internal("no client");
    Expected<Floats> twice = loop;
    if (client.ok()) {
      client_ = *std::move(client);
      loop = Run(kUntilHundred);
      twice = Run(kTwice, /*donates=*/true);
      client_ = nullptr;
    }
    if (loop.ok()) {
      EXPECT_THAT(*loop, ElementsAre(128, 256, 384, 512)) << call;
    }
    if (twice.ok()) {
      EXPECT_THAT(*twice, ElementsAre(2, 4, 6, 8)) << call;
    }
    if (!loop.ok() || !twice.ok()) ++failures;
    const std::string reports = Reports();
    // What fails may leave memory behind; nothing is used at the wrong time.
    for (const char* words :
         {"without an event", "wrote after", "wrote before", "that was freed"}) {
      EXPECT_EQ(reports.find(words), std::string::npos) << call << ": " << reports;
    }
    std::filesystem::remove(report_);
  }
  EXPECT_GT(failures, 20);
}

}  // namespace
}  // namespace plinth::cuda
