// SPDX-License-Identifier: Apache-2.0
// Executions on several devices, of a program that knows of one.

#include <gtest/gtest.h>

#include <cstring>

#include "reference_plugin/backend/executable/loaded_executable.h"
#include "reference_plugin/backend/testing/backend_under_test.h"

namespace plinth::backend {
namespace {

constexpr int64_t kDims[] = {4};
constexpr size_t kDevices = 3;

// %x + %x, in the memory of %x, which is given away; and %y.
constexpr std::string_view kTwice = R"(
func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %z = stablehlo.add %x, %x : tensor<4xf32>
  return %z, %y : tensor<4xf32>, tensor<4xf32>
})";

class Executables : public ::testing::Test {
 protected:
  std::unique_ptr<sdk::Buffer> Upload(sdk::Device* device, float first) {
    const float data[] = {first, first + 1, first + 2, first + 3};
    const int64_t strides[] = {sizeof(float)};
    sdk::HostBufferRequest request;
    request.data = data;
    request.dtype = DType::kF32;
    request.dims = kDims;
    request.byte_strides = strides;
    request.size = sizeof(data);
    request.memory = device->default_memory();
    request.device = device;
    auto result = client_->BufferFromHostBuffer(request);
    return result.ok() ? std::move(result->buffer) : nullptr;
  }
  static std::vector<float> Download(sdk::Buffer& buffer) {
    std::vector<float> data(4);
    const int64_t strides[] = {sizeof(float)};
    auto done = buffer.CopyToHost({data.data(), strides, true, 4 * sizeof(float)});
    if (!done.ok() || !done->Await().ok()) data.clear();
    return data;
  }

  std::unique_ptr<BackendClient> client_ = ClientUnderTest(kDevices);
};

TEST_F(Executables, AreLoadedOntoTheDevicesOfTheOptions) {
  auto compiled = BackendExecutable::Compile({"mlir", kTwice}, {}, BackendUnderTest());
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  program::CompileOptions options;
  options.device_assignment = {1, 1, {kDevices - 1}};
  auto last = client_->Load(*compiled, program::WriteCompileOptions(options));
  ASSERT_TRUE(last.ok()) << last.status().ToString();
  EXPECT_EQ((*last)->info().addressable_devices[0]->id(), kDevices - 1);
  auto first = client_->Load(*compiled, {});
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_EQ((*first)->info().addressable_devices[0]->id(), 0);

  options.device_assignment = {1, 1, {kDevices}};
  EXPECT_EQ(client_->Load(*compiled, program::WriteCompileOptions(options)).status().code(),
            StatusCode::kInvalidArgument);
  options.device_assignment = {2, 1, {0, 1}};
  EXPECT_EQ(client_->Load(*compiled, program::WriteCompileOptions(options)).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(client_->Load(*compiled, "\xFF").status().code(), StatusCode::kInvalidArgument);
}

// What is donated is the first argument, unless `keeps`.
TEST_F(Executables, EveryDeviceHasArgumentsOfItsOwn) {
  std::vector<sdk::Device*> devices;
  for (const auto& device : client_->devices()) devices.push_back(device.get());
  ASSERT_EQ(devices.size(), kDevices);
  auto compiled = BackendExecutable::Compile({"mlir", kTwice}, {}, BackendUnderTest());
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  auto loaded = BackendLoadedExecutable::CreateOn(*client_, *compiled, devices);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  for (const bool is_donated : {false, true}) {
    std::unique_ptr<sdk::Buffer> inputs[kDevices][2];
    PJRT_Buffer* arguments[kDevices][2];
    PJRT_Buffer* const* lists[kDevices];
    PJRT_Buffer* outputs[kDevices][2] = {};
    PJRT_Buffer** output_lists[kDevices];
    for (size_t d = 0; d < kDevices; ++d) {
      for (size_t i = 0; i < 2; ++i) {
        inputs[d][i] = Upload(devices[d], static_cast<float>(10 * d + 100 * i));
        ASSERT_NE(inputs[d][i], nullptr);
        arguments[d][i] = sdk::ToC(inputs[d][i].get());
      }
      lists[d] = arguments[d];
      output_lists[d] = outputs[d];
    }
    sdk::ExecuteRequest request;
    request.devices = kDevices;
    request.num_args = 2;
    request.arguments_per_device = lists;
    const bool donated[] = {true, false};
    if (is_donated) request.donated = donated;
    std::vector<sdk::Event> completions(kDevices);
    sdk::ExecuteResults results(output_lists, kDevices, 2, completions);
    const Status status = (*loaded)->Execute(request, results);
    ASSERT_TRUE(status.ok()) << status.ToString();
    for (size_t d = 0; d < kDevices; ++d) {
      const std::unique_ptr<sdk::Buffer> twice(sdk::FromC(outputs[d][0]));
      const std::unique_ptr<sdk::Buffer> same(sdk::FromC(outputs[d][1]));
      EXPECT_TRUE(completions[d].Await().ok());
      const auto x = static_cast<float>(10 * d), y = x + 100;
      EXPECT_EQ(Download(*twice), (std::vector<float>{2 * x, 2 * x + 2, 2 * x + 4, 2 * x + 6}));
      EXPECT_EQ(Download(*same), (std::vector<float>{y, y + 1, y + 2, y + 3}));
      EXPECT_EQ(twice->device(), devices[d]);
      EXPECT_EQ(inputs[d][0]->IsDeleted(), is_donated);
      EXPECT_FALSE(inputs[d][1]->IsDeleted());
    }
  }
}

// One argument of the last device is gone: nothing is taken anywhere, nothing runs.
TEST_F(Executables, ARefusedCallTakesNothing) {
  std::vector<sdk::Device*> devices;
  for (const auto& device : client_->devices()) devices.push_back(device.get());
  auto compiled = BackendExecutable::Compile({"mlir", kTwice}, {}, BackendUnderTest());
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  auto loaded = BackendLoadedExecutable::CreateOn(*client_, *compiled, devices);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  std::unique_ptr<sdk::Buffer> inputs[kDevices][2];
  PJRT_Buffer* arguments[kDevices][2];
  PJRT_Buffer* const* lists[kDevices];
  PJRT_Buffer* outputs[kDevices][2] = {};
  PJRT_Buffer** output_lists[kDevices];
  for (size_t d = 0; d < kDevices; ++d) {
    for (size_t i = 0; i < 2; ++i) {
      inputs[d][i] = Upload(devices[d], 1);
      arguments[d][i] = sdk::ToC(inputs[d][i].get());
    }
    lists[d] = arguments[d];
    output_lists[d] = outputs[d];
  }
  inputs[kDevices - 1][1]->Delete();
  sdk::ExecuteRequest request;
  request.devices = kDevices;
  request.num_args = 2;
  request.arguments_per_device = lists;
  const bool donated[] = {true, false};
  request.donated = donated;
  sdk::ExecuteResults results(output_lists, kDevices, 2, {});
  EXPECT_EQ((*loaded)->Execute(request, results).code(), StatusCode::kInvalidArgument);
  for (size_t d = 0; d < kDevices; ++d) {
    EXPECT_FALSE(inputs[d][0]->IsDeleted());
    EXPECT_EQ(outputs[d][0], nullptr);
  }
}

}  // namespace
}  // namespace plinth::backend
