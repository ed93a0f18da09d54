// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_TESTING_FIXTURE_H_
#define PLINTH_IMPL_SERVE_TESTING_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "impl/serve/convert.h"
#include "impl/serve/session.h"
#include "impl/serve/testing/test_client.h"
#include "plinth/support/xla_messages.h"

namespace plinth::serve {

using ::testing::HasSubstr;

inline constexpr int64_t kMemory = 64 << 20;

inline std::string Bytes(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

inline proxy::ShardingProto OnDevice(int id) {
  return {{"xla::ifrt::SingleDeviceSharding",
           proxy::Write(proxy::SingleDeviceShardingProto{id, std::nullopt})}};
}

// Over devices 0 and 1.
inline proxy::ShardingProto Rows() {
  messages::OpSharding tiled;
  tiled.kind = messages::OpSharding::Kind::kTiled;
  tiled.tile_dimensions = {2};
  tiled.devices = {0, 1};
  return {
      {"xla::ifrt::HloSharding", proxy::Write(proxy::HloShardingProto{
                                     {{0, 1}}, messages::WriteOpSharding(tiled), std::nullopt})}};
}

// Of f32; the buffer and the array have the same handle.
inline proxy::MakeArrayFromHostBufferRequest Make(uint64_t handle, std::vector<int64_t> dims,
                                                  proxy::ShardingProto sharding) {
  proxy::MakeArrayFromHostBufferRequest request;
  request.dtype = ToProto(DType::kF32);
  request.shape.dims = std::move(dims);
  request.sharding = std::move(sharding);
  request.host_buffer_handle = handle;
  request.array_handle = handle;
  return request;
}

// A program for device 1.
inline proxy::CompileRequest Double() {
  messages::CompileOptions options;
  options.device_assignment = DeviceAssignment{1, 1, {1}};
  proxy::CompileRequest request;
  request.program = {"xla::ifrt::XlaProgram",
                     "module @double { func.func public @main(%arg0: tensor<4xf32>) -> "
                     "tensor<4xf32> { %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32> "
                     "return %0 : tensor<4xf32> } }"};
  request.compile_options = {
      "xla::ifrt::XlaCompileOptions",
      proxy::Write(proxy::XlaCompileOptionsProto{messages::WriteCompileOptions(options)})};
  return request;
}

// The answer is an error with that code, and the text in its message.
#define EXPECT_REFUSED(response, wanted, text)                           \
  do {                                                                   \
    const Status refused = StatusIn(response);                           \
    EXPECT_EQ(refused.code(), StatusCode::wanted) << refused.ToString(); \
    EXPECT_THAT(refused.message(), HasSubstr(text));                     \
  } while (false)

// A server of two devices without sockets.
class ServeTest : public ::testing::Test {
 protected:
  std::string Read(TestClient& client, uint64_t array, uint64_t buffer) {
    const auto copied = client.Ask(proxy::CopyToHostBufferRequest{buffer, array, std::nullopt});
    EXPECT_TRUE(StatusIn(copied).ok()) << StatusIn(copied).ToString();
    Expected<std::string> bytes = client.Lookup(buffer);
    EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
    return bytes.ok() ? *bytes : "";
  }

  Service service_{TestDevices(), {kMemory}, nullptr};
};

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_TESTING_FIXTURE_H_
