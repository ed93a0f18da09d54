// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PJRT_CLIENT_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PJRT_CLIENT_TEST_UTIL_H_

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "reference_plugin/cuda/pjrt/client.h"

namespace plinth::cuda {

using Floats = std::vector<float>;
using BufferPtr = std::unique_ptr<sdk::Buffer>;
// In waits of 1 ms: what does not come at all fails by its name.
constexpr int kPatience = 300'000;

// A client on the simulated driver. At the end nothing was reported, unless a test says so.
class ClientTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("PLINTH_CUDA_CACHE", "off", 1);
    report_ = std::filesystem::path(testing::TempDir()) / StrCat("cuda_client_", getpid(), ".txt");
    std::filesystem::remove(report_);
  }
  void TearDown() override {
    client_ = nullptr;
    // In any case: what goes later would be a report on the next test.
    const std::string reports = Reports();
    if (expects_no_report_) {
      EXPECT_THAT(reports, ::testing::IsEmpty());
    }
    std::filesystem::remove(report_);
    unsetenv("PLINTH_SIMULATOR");
  }

  Expected<std::unique_ptr<sdk::Client>> Make(const std::string& options,
                                              const GpuOptions& gpu = {}) {
    setenv("PLINTH_SIMULATOR", StrCat("bounds=1,report=", report_.string(), ",", options).c_str(),
           1);
    GpuClientOptions made;
    made.places.asked = {PLINTH_CUDA_SIMULATOR};
    made.gpu = gpu;
    made.programs = programs_;
    return GpuClient::Create(made);
  }
  void Open(const std::string& options, const GpuOptions& gpu = {}) {
    auto client = Make(options, gpu);
    ASSERT_TRUE(client.ok()) << client.status().ToString();
    client_ = *std::move(client);
  }
  // After the client is gone and its threads have let the device go.
  std::string Reports() const {
    void* driver = dlopen(PLINTH_CUDA_SIMULATOR "/libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (driver != nullptr && client_ == nullptr) {
      auto* retained = reinterpret_cast<int (*)()>(dlsym(driver, "plinth_simulator_retained"));
      for (int wait = 0; wait < kPatience && retained() > 0; ++wait) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      EXPECT_EQ(retained(), 0);
    }
    std::ifstream file(report_);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  Expected<BufferPtr> Upload(const Floats& values) {
    static constexpr int64_t kDims[] = {4};
    const int64_t strides[] = {sizeof(float)};
    sdk::HostBufferRequest request;
    request.data = values.data();
    request.dtype = DType::kF32;
    request.dims = kDims;
    request.byte_strides = strides;
    request.size = 4 * sizeof(float);
    request.device = client_->devices().front().get();
    request.memory = request.device->default_memory();
    PLINTH_ASSIGN_OR_RETURN(sdk::HostBufferResult result, client_->BufferFromHostBuffer(request));
    return std::move(result.buffer);
  }
  static Expected<Floats> Download(sdk::Buffer& buffer) {
    Floats data(4);
    const int64_t strides[] = {sizeof(float)};
    PLINTH_ASSIGN_OR_RETURN(sdk::Event done,
                            buffer.CopyToHost({data.data(), strides, true, 4 * sizeof(float)}));
    PLINTH_RETURN_IF_ERROR(done.Await());
    return data;
  }
  Expected<BufferPtr> Execute(sdk::LoadedExecutable& loaded, sdk::Buffer& argument, bool donates) {
    PJRT_Buffer* arguments[] = {sdk::ToC(&argument)};
    PJRT_Buffer* const* lists[] = {arguments};
    PJRT_Buffer* outputs[1] = {};
    PJRT_Buffer** output_lists[] = {outputs};
    sdk::ExecuteRequest request;
    request.num_args = 1;
    request.arguments_per_device = lists;
    const bool donated[] = {true};
    if (donates) request.donated = donated;
    std::vector<sdk::Event> completions(1);
    sdk::ExecuteResults results(output_lists, 1, 1, completions);
    PLINTH_RETURN_IF_ERROR(loaded.Execute(request, results));
    return BufferPtr(sdk::FromC(outputs[0]));
  }
  Expected<Floats> Run(std::string_view program, bool donates = false,
                       const Floats& values = {1, 2, 3, 4}) {
    PLINTH_ASSIGN_OR_RETURN(auto loaded, client_->Compile({"mlir", program}, {}));
    return RunLoaded(*loaded, donates, values);
  }
  Expected<Floats> RunLoaded(sdk::LoadedExecutable& loaded, bool donates = false,
                             const Floats& values = {1, 2, 3, 4}) {
    PLINTH_ASSIGN_OR_RETURN(BufferPtr input, Upload(values));
    PLINTH_ASSIGN_OR_RETURN(BufferPtr output, Execute(loaded, *input, donates));
    return Download(*output);
  }

  std::filesystem::path report_;
  std::unique_ptr<sdk::Client> client_;
  ProgramSettings programs_;
  bool expects_no_report_ = true;
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PJRT_CLIENT_TEST_UTIL_H_
