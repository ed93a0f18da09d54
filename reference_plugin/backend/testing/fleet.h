// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_TESTING_FLEET_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_TESTING_FLEET_H_

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plinth/program/compile_options.h"
#include "plinth/support/dtype.h"
#include "reference_plugin/backend/executable/loaded_executable.h"
#include "reference_plugin/backend/testing/backend_under_test.h"

namespace plinth::backend {

// A client of several devices, and programs that run on them.
class Fleet {
 public:
  explicit Fleet(int num_devices) : client_(ClientUnderTest(num_devices)) {}

  BackendClient& client() { return *client_; }

  // For the numbers of replicas and partitions that the text says. `devices` by lane; empty: the
  // first ones.
  Expected<std::unique_ptr<sdk::LoadedExecutable>> Compile(std::string_view text,
                                                           std::vector<int64_t> devices = {},
                                                           int64_t num_replicas = 1) {
    program::CompileOptions options;
    if (!devices.empty()) {
      program::DeviceAssignment& assignment = options.device_assignment.emplace();
      const size_t partitions = devices.size() / static_cast<size_t>(num_replicas);
      assignment = {static_cast<int>(num_replicas), static_cast<int>(partitions), devices};
      options.num_replicas = num_replicas;
      options.num_partitions = static_cast<int64_t>(partitions);
    }
    return client_->Compile({"mlir", text}, program::WriteCompileOptions(options));
  }

  template <typename T>
  std::unique_ptr<ContentsBuffer> Upload(sdk::Device* device, std::span<const T> data,
                                         DType dtype) {
    const int64_t dims[] = {static_cast<int64_t>(data.size())};
    const int64_t strides[] = {sizeof(T)};
    sdk::HostBufferRequest request;
    request.data = data.data();
    request.dtype = dtype;
    request.dims = dims;
    request.byte_strides = strides;
    request.size = static_cast<int64_t>(data.size_bytes());
    request.memory = device->default_memory();
    request.device = device;
    auto result = client_->BufferFromHostBuffer(request);
    if (!result.ok()) return nullptr;
    return std::unique_ptr<ContentsBuffer>(static_cast<ContentsBuffer*>(result->buffer.release()));
  }

  template <typename T>
  static Expected<std::vector<T>> Download(sdk::Buffer& buffer) {
    size_t count = 1;
    for (int64_t dim : buffer.dims()) count *= static_cast<size_t>(dim);
    std::vector<T> data(count);
    // Bytes, so that every type does.
    auto done = buffer.CopyRawToHost(data.data(), 0, static_cast<int64_t>(count * sizeof(T)));
    if (!done.ok()) return done.status();
    PLINTH_RETURN_IF_ERROR(done->Await());
    return data;
  }

  // The outputs of a launch, by lane.
  struct Results {
    std::vector<std::vector<std::unique_ptr<sdk::Buffer>>> outputs;
    std::vector<sdk::Event> completions;
  };
  // One buffer per lane and argument.
  Expected<Results> Execute(sdk::LoadedExecutable& executable,
                            const std::vector<std::vector<sdk::Buffer*>>& arguments,
                            std::span<const bool> donated = {}) {
    const size_t lanes = arguments.size();
    const size_t num_outputs = executable.executable()->num_outputs();
    std::vector<std::vector<PJRT_Buffer*>> inputs(lanes), outputs(lanes);
    std::vector<PJRT_Buffer* const*> input_lists;
    std::vector<PJRT_Buffer**> output_lists;
    for (size_t lane = 0; lane < lanes; ++lane) {
      for (sdk::Buffer* buffer : arguments[lane]) inputs[lane].push_back(sdk::ToC(buffer));
      outputs[lane].resize(num_outputs);
      input_lists.push_back(inputs[lane].data());
      output_lists.push_back(outputs[lane].data());
    }
    sdk::ExecuteRequest request;
    request.devices = lanes;
    request.num_args = arguments[0].size();
    request.arguments_per_device = input_lists.data();
    request.donated = donated;
    Results results;
    results.completions.resize(lanes);
    sdk::ExecuteResults filled(output_lists.data(), lanes, num_outputs, results.completions);
    PLINTH_RETURN_IF_ERROR(executable.Execute(request, filled));
    results.outputs.resize(lanes);
    for (size_t lane = 0; lane < lanes; ++lane) {
      for (PJRT_Buffer* output : outputs[lane]) {
        results.outputs[lane].emplace_back(sdk::FromC(output));
      }
    }
    return results;
  }

  // Runs a program of one argument and one output: what every lane gave, by lane.
  template <typename T>
  Expected<std::vector<std::vector<T>>> Run(sdk::LoadedExecutable& executable,
                                            const std::vector<std::vector<T>>& inputs,
                                            DType dtype) {
    std::vector<std::unique_ptr<ContentsBuffer>> buffers;
    std::vector<std::vector<sdk::Buffer*>> arguments;
    for (size_t lane = 0; lane < inputs.size(); ++lane) {
      buffers.push_back(
          Upload<T>(executable.info().addressable_devices[lane], inputs[lane], dtype));
      if (buffers.back() == nullptr) return Internal("an upload failed");
      arguments.push_back({buffers.back().get()});
    }
    PLINTH_ASSIGN_OR_RETURN(Results results, Execute(executable, arguments));
    std::vector<std::vector<T>> outputs;
    for (auto& lane : results.outputs) {
      PLINTH_ASSIGN_OR_RETURN(std::vector<T> data, Download<T>(*lane[0]));
      outputs.push_back(std::move(data));
    }
    return outputs;
  }

 private:
  std::unique_ptr<BackendClient> client_;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_TESTING_FLEET_H_
