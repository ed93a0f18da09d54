// SPDX-License-Identifier: Apache-2.0
// On which devices a program is launched, with what, and from how many threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <numeric>
#include <thread>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/testing/fleet.h"
#include "reference_plugin/cpu/collectives/collectives_test_util.h"

namespace plinth::cpu::collectives {
namespace {

using ::testing::HasSubstr;

TEST(Launches, OnAnyAssignmentOfDevices) {
  Fleet fleet(6);
  const std::string text = Module(2, 2, "2xf32", "2xf32", R"(
    %p = stablehlo.partition_id : tensor<ui32>
    %r = stablehlo.replica_id : tensor<ui32>
    %ten = stablehlo.constant dense<10> : tensor<ui32>
    %1 = stablehlo.multiply %r, %ten : tensor<ui32>
    %2 = stablehlo.add %1, %p : tensor<ui32>
    %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %0 = stablehlo.add %4, %a : tensor<2xf32>)");
  auto executable = fleet.Compile(text, {5, 3, 0, 1}, 2);
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  EXPECT_EQ((*executable)->info().addressable_devices[0]->id(), 5);
  EXPECT_EQ((*executable)->executable()->info().num_replicas, 2u);
  EXPECT_EQ((*executable)->executable()->info().num_partitions, 2u);
  const std::vector<std::vector<float>> zeros(4, {0, 0});
  auto outputs = fleet.Run<float>(**executable, zeros, DType::kF32);
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_EQ((*outputs)[0][0], 0);
  EXPECT_EQ((*outputs)[1][0], 1);
  EXPECT_EQ((*outputs)[2][0], 10);
  EXPECT_EQ((*outputs)[3][0], 11);

  for (const auto& [devices, words] :
       {std::pair(std::vector<int64_t>{0, 1, 2, 1}, "names device 1 twice"),
        std::pair(std::vector<int64_t>{0, 1, 2, 6}, "one of them device 6")}) {
    auto refused = fleet.Compile(text, devices, 2);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr(words));
  }
}

TEST(Launches, OfManyDevices) {
  constexpr size_t kLanes = 512;
  Fleet fleet(kLanes);
  const auto numbers = Numbers<float>(kLanes, 3);
  const auto outputs = MustRun(
      fleet, Module(1, kLanes, "3xf32", "3xf32", AllReduce("add", 3, "f32")), numbers, DType::kF32);
  ASSERT_EQ(outputs.size(), kLanes);
  std::vector<size_t> all(kLanes);
  std::iota(all.begin(), all.end(), 0);
  for (const auto& output : outputs) EXPECT_EQ(output, SumOf(numbers, all));
}

// Donated arguments are taken on every device, and an all_reduce works in them.
TEST(Launches, TakeWhatIsDonated) {
  Fleet fleet(2);
  std::string text = Module(1, 2, "3xf32", "3xf32", AllReduce("add", 3, "f32"));
  const std::string_view argument = "tensor<3xf32>)";
  text.replace(text.find(argument), argument.size(),
               "tensor<3xf32> {tf.aliasing_output = 0 : i32})");
  auto executable = fleet.Compile(text);
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const std::vector<float> data = {1, 2, 3};
  std::vector<std::unique_ptr<backend::ContentsBuffer>> buffers;
  std::vector<std::vector<sdk::Buffer*>> arguments;
  std::vector<const void*> places;
  for (const auto& device : fleet.client().devices()) {
    buffers.push_back(fleet.Upload<float>(device.get(), data, DType::kF32));
    places.push_back(buffers.back()->contents()->storage->data());
    arguments.push_back({buffers.back().get()});
  }
  const bool donated[] = {true};
  auto results = fleet.Execute(**executable, arguments, donated);
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  for (size_t lane = 0; lane < 2; ++lane) {
    EXPECT_TRUE(buffers[lane]->IsDeleted());
    sdk::Buffer& output = *results->outputs[lane][0];
    auto sum = Fleet::Download<float>(output);
    ASSERT_TRUE(sum.ok());
    EXPECT_EQ(*sum, (std::vector<float>{2, 4, 6}));
    EXPECT_EQ(static_cast<backend::ContentsBuffer&>(output).contents()->storage->data(),
              places[lane]);
  }
}

const std::byte* PlaceOf(sdk::Buffer& output) {
  return static_cast<backend::ContentsBuffer&>(output).contents()->storage->data();
}

// What a group gets together is one storage, which nobody writes while others refer to it.
TEST(Launches, GroupsHaveOneOutputTogether) {
  constexpr size_t kLanes = 4;
  constexpr std::string_view kPairs = "dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>";
  Fleet fleet(kLanes);
  for (const int64_t count : {int64_t{12}, int64_t{200'000}}) {
    const auto size = static_cast<size_t>(count);
    const std::string type = StrCat(count, "xi32");
    auto sum = fleet.Compile(Module(1, kLanes, type, type, AllReduce("add", count, "i32", kPairs)));
    ASSERT_TRUE(sum.ok()) << sum.status().ToString();
    auto twice = fleet.Compile(StrCat("module attributes {mhlo.num_partitions = ", kLanes,
                                      " : i32} {\nfunc.func @main(%a: tensor<", type,
                                      "> {tf.aliasing_output = 0 : i32}) -> tensor<", type,
                                      "> {\n%0 = stablehlo.add %a, ", "%a : tensor<", type,
                                      ">\nreturn %0 : tensor<", type, ">\n}\n}"));
    ASSERT_TRUE(twice.ok()) << twice.status().ToString();

    const auto numbers = Numbers<int32_t>(kLanes, size);
    std::vector<std::unique_ptr<backend::ContentsBuffer>> inputs;
    std::vector<std::vector<sdk::Buffer*>> arguments;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      inputs.push_back(
          fleet.Upload<int32_t>(fleet.client().devices()[lane].get(), numbers[lane], DType::kS32));
      arguments.push_back({inputs.back().get()});
    }
    auto sums = fleet.Execute(**sum, arguments);
    ASSERT_TRUE(sums.ok()) << sums.status().ToString();
    for (auto& lane : sums->outputs) ASSERT_TRUE(lane[0]->ReadyEvent().Await().ok());
    const auto place = [&](size_t lane) { return PlaceOf(*sums->outputs[lane][0]); };
    EXPECT_EQ(place(0), place(2));
    EXPECT_EQ(place(1), place(3));
    EXPECT_NE(place(0), place(1));

    // One output stays, three are given away.
    auto kept = sums->outputs[2][0]->CopyToDevice(fleet.client().devices()[2].get());
    ASSERT_TRUE(kept.ok()) << kept.status().ToString();
    for (size_t lane = 0; lane < kLanes; ++lane) arguments[lane] = {sums->outputs[lane][0].get()};
    const bool donated[] = {true};
    auto doubles = fleet.Execute(**twice, arguments, donated);
    ASSERT_TRUE(doubles.ok()) << doubles.status().ToString();
    const auto first = SumOf(numbers, {0, 2}), second = SumOf(numbers, {1, 3});
    EXPECT_EQ(*Fleet::Download<int32_t>(**kept), first);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      auto expected = lane % 2 == 0 ? first : second;
      for (int32_t& number : expected) number *= 2;
      EXPECT_EQ(*Fleet::Download<int32_t>(*doubles->outputs[lane][0]), expected) << lane;
    }
  }
}

// Other steps write to the outputs, or loops have them.
TEST(Launches, OutputsThatOthersWriteAreNotShared) {
  constexpr size_t kLanes = 3;
  Fleet fleet(kLanes);
  const std::string lane_type = "tensor<5xi32>";
  const std::string sum = AllReduce("add", 5, "i32", "dense<> : tensor<0x0xi64>", "%s", "%b");
  const std::string own =
      "%id = stablehlo.partition_id : tensor<ui32>\n%i = stablehlo.convert %id : (tensor<ui32>) -> "
      "tensor<i32>\n%ids = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> "
      "tensor<5xi32>\n";
  const auto numbers = Numbers<int32_t>(kLanes, 5);
  const auto all = SumOf(numbers, {0, 1, 2});
  // The sum is read on every device after it was made.
  const auto after = MustRun(fleet,
                             Module(1, kLanes, "5xi32", "5xi32",
                                    StrCat("%b = stablehlo.negate %a : ", lane_type, "\n", own, sum,
                                           "\n%0 = stablehlo.add %s, %ids : ", lane_type)),
                             numbers, DType::kS32);
  // The loop goes on with it.
  const auto loop = MustRun(
      fleet,
      Module(
          1, kLanes, "5xi32", "5xi32",
          StrCat("%n0 = stablehlo.constant dense<0> : tensor<i32>\n"
                 "%n1 = stablehlo.constant dense<1> : tensor<i32>\n"
                 "%n3 = stablehlo.constant dense<3> : tensor<i32>\n",
                 own, "%n, %0 = stablehlo.while(%k = %n0, %b = %a) : tensor<i32>, ", lane_type,
                 "\ncond {\n%more = stablehlo.compare LT, %k, %n3 : (tensor<i32>, tensor<i32>) ->"
                 " tensor<i1>\nstablehlo.return %more : tensor<i1>\n} do {\n",
                 sum, "\n%c = stablehlo.add %s, %ids : ", lane_type,
                 "\n%next = stablehlo.add %k, %n1 : tensor<i32>\n"
                 "stablehlo.return %next, %c : tensor<i32>, ",
                 lane_type, "\n}\n")),
      numbers, DType::kS32);
  ASSERT_EQ(after.size(), kLanes);
  ASSERT_EQ(loop.size(), kLanes);
  for (size_t lane = 0; lane < kLanes; ++lane) {
    const auto id = static_cast<int32_t>(lane);
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(after[lane][i], -all[i] + id);
      // A turn makes three times what the one before has made, and the sum of the lanes' numbers.
      EXPECT_EQ(loop[lane][i], 9 * all[i] + 12 + id);
    }
  }
}

// Programs with collectives do not run on one device, those without do.
TEST(Launches, OnOneDeviceAlone) {
  Fleet fleet(2);
  auto executable = fleet.Compile(Module(1, 2, "3xf32", "3xf32", AllReduce("add", 3, "f32")));
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const std::vector<float> data = {1, 2, 3};
  sdk::Device* const device = fleet.client().devices()[1].get();
  const auto buffer = fleet.Upload<float>(device, data, DType::kF32);
  PJRT_Buffer* inputs[] = {sdk::ToC(buffer.get())};
  PJRT_Buffer* const* lists[] = {inputs};
  PJRT_Buffer* outputs[] = {nullptr};
  PJRT_Buffer** output_lists[] = {outputs};
  sdk::ExecuteRequest request;
  request.num_args = 1;
  request.arguments_per_device = lists;
  request.execute_device = device;
  sdk::ExecuteResults results(output_lists, 1, 1, {});
  EXPECT_EQ((*executable)->Execute(request, results).code(), StatusCode::kInvalidArgument);
}

// Threads enqueue different programs in different orders on the same devices.
TEST(Launches, FromManyThreads) {
  constexpr size_t kLanes = 8, kPrograms = 3;
  Fleet fleet(kLanes);
  std::vector<std::unique_ptr<sdk::LoadedExecutable>> programs;
  for (const int64_t count : {int64_t{5}, int64_t{2000}, int64_t{100'000}}) {
    const std::string type = StrCat(count, "xf32");
    auto executable = fleet.Compile(Module(
        1, kLanes, type, type,
        StrCat(AllReduce("add", count, "f32",
                         "dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>", "%b"),
               "\n", AllReduce("add", count, "f32", "dense<> : tensor<0x0xi64>", "%0", "%b"))));
    ASSERT_TRUE(executable.ok()) << executable.status().ToString();
    programs.push_back(*std::move(executable));
  }
  const size_t counts[] = {5, 2000, 100'000};
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t round = 0; round < 12; ++round) {
        const size_t p = (t + round * (1 + t % 2)) % kPrograms;
        std::vector<std::vector<float>> numbers(kLanes, std::vector<float>(counts[p], 1));
        auto outputs = fleet.Run<float>(*programs[p], numbers, DType::kF32);
        const std::vector<float> expected(counts[p], 4 * 8);
        if (!outputs.ok()) {
          ++failures;
          continue;
        }
        for (const auto& output : *outputs) failures += output != expected;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace plinth::cpu::collectives
