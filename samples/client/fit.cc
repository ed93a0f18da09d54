// SPDX-License-Identifier: Apache-2.0
// Fits a line to points by gradient descent on any PJRT plugin, with Plinth's C++ client.
//
//   fit [PLUGIN]
//
// With an installed Plinth (components headers, support, client, libplinth):
//   c++ -std=c++20 fit.cc -o fit $(pkg-config --cflags --libs plinth-client plinth)
//
// PLUGIN is a path or the name of an installed plugin. The state (slope and offset) stays on the
// device: each step donates it to the next.

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "plinth/client/client.h"

using plinth::Status;
namespace client = plinth::client;

namespace {

constexpr int kSteps = 200;
constexpr int64_t kPoints[] = {5};
constexpr int64_t kState[] = {2};

// One step: state - rate * gradient of the mean squared error, and that error. The first argument
// may be overwritten by the first result.
constexpr std::string_view kStep = R"(
module @step {
  func.func public @main(%state: tensor<2xf32> {tf.aliasing_output = 0 : i32},
                         %x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<2xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %scale = stablehlo.constant dense<0.2> : tensor<f32>
    %slope_1 = stablehlo.slice %state [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %offset_1 = stablehlo.slice %state [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %slope = stablehlo.broadcast_in_dim %slope_1, dims = [0] : (tensor<1xf32>) -> tensor<5xf32>
    %offset = stablehlo.broadcast_in_dim %offset_1, dims = [0] : (tensor<1xf32>) -> tensor<5xf32>
    %product = stablehlo.multiply %slope, %x : tensor<5xf32>
    %line = stablehlo.add %product, %offset : tensor<5xf32>
    %residual = stablehlo.subtract %line, %y : tensor<5xf32>
    %square = stablehlo.multiply %residual, %residual : tensor<5xf32>
    %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %error = stablehlo.multiply %sum, %scale : tensor<f32>
    %slopes = stablehlo.multiply %residual, %x : tensor<5xf32>
    %slope_gradient = stablehlo.reduce(%slopes init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %offset_gradient = stablehlo.reduce(%residual init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %g0 = stablehlo.reshape %slope_gradient : (tensor<f32>) -> tensor<1xf32>
    %g1 = stablehlo.reshape %offset_gradient : (tensor<f32>) -> tensor<1xf32>
    %gradient = stablehlo.concatenate %g0, %g1, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %rate = stablehlo.constant dense<0.05> : tensor<2xf32>
    %change = stablehlo.multiply %gradient, %rate : tensor<2xf32>
    %next = stablehlo.subtract %state, %change : tensor<2xf32>
    return %next, %error : tensor<2xf32>, tensor<f32>
  }
})";

Status Fit(const char* plugin) {
  PLINTH_ASSIGN_OR_RETURN(const client::Api api, client::Api::Load(plugin));
  PLINTH_ASSIGN_OR_RETURN(const client::Client client, client::Client::Create(api));
  PLINTH_ASSIGN_OR_RETURN(const std::vector<client::Device> devices, client.AddressableDevices());
  if (devices.empty()) return plinth::NotFound("the plugin has no device");
  PLINTH_ASSIGN_OR_RETURN(const client::LoadedExecutable step,
                          client.Compile(client::Program{kStep}));

  const float start[] = {0, 0}, xs[] = {-1, -0.5, 0, 0.5, 1}, ys[] = {-1, 0.1, 0.9, 2.1, 2.9};
  const auto to_device = [&](const float* values, std::span<const int64_t> dims) {
    return client.BufferFromHost({values, plinth::DType::kF32, dims, {}}, devices[0]);
  };
  PLINTH_ASSIGN_OR_RETURN(client::Buffer state, to_device(start, kState));
  PLINTH_ASSIGN_OR_RETURN(const client::Buffer x, to_device(xs, kPoints));
  PLINTH_ASSIGN_OR_RETURN(const client::Buffer y, to_device(ys, kPoints));
  for (int i = 0; i < kSteps; ++i) {
    // Nothing waits here: the next step is enqueued while this one may still run.
    const client::Buffer* arguments[] = {&state, &x, &y};
    PLINTH_ASSIGN_OR_RETURN(std::vector<client::Buffer> outputs, step.ExecuteOne(arguments));
    state = std::move(outputs[0]);
    if (i % 50 != 0 && i + 1 != kSteps) continue;
    PLINTH_ASSIGN_OR_RETURN(const client::HostArray error, outputs[1].ToHost());
    std::printf("step %3d: error %.4f\n", i, static_cast<double>(error.elements<float>()[0]));
  }
  PLINTH_ASSIGN_OR_RETURN(const client::HostArray line, state.ToHost());
  std::printf("y = %.3f x + %.3f\n", static_cast<double>(line.elements<float>()[0]),
              static_cast<double>(line.elements<float>()[1]));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = Fit(argc > 1 ? argv[1] : nullptr);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
