// SPDX-License-Identifier: Apache-2.0
// What the tests of the client on a real plugin share: the CPU plugin, from the file that
// PLINTH_TEST_CPU_PLUGIN names.
#ifndef IMPL_CLIENT_SRC_PLUGIN_TEST_UTIL_H_
#define IMPL_CLIENT_SRC_PLUGIN_TEST_UTIL_H_

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "plinth/client/client.h"

namespace plinth::client {

// Unwraps an Expected or fails the test.
#define ASSERT_VALUE(left, expression) \
  ASSERT_VALUE_IMPL(PLINTH_CONCAT(e_, __LINE__), left, expression)
#define ASSERT_VALUE_IMPL(temporary, left, expression)          \
  auto temporary = (expression);                                \
  ASSERT_TRUE(temporary.ok()) << temporary.status().ToString(); \
  left = *std::move(temporary)
#define ASSERT_OK(expression)                            \
  do {                                                   \
    const Status ok_status = (expression);               \
    ASSERT_TRUE(ok_status.ok()) << ok_status.ToString(); \
  } while (false)

inline constexpr std::string_view kAddAndDouble = R"(
module @add_and_double {
  func.func public @main(%x: tensor<2x3xf32> {tf.aliasing_output = 0 : i32},
                         %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.add %x, %y : tensor<2x3xf32>
    %1 = stablehlo.add %y, %y : tensor<2x3xf32>
    return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
  }
})";

inline constexpr int64_t kDims[] = {2, 3};

class PluginTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* path = std::getenv("PLINTH_TEST_CPU_PLUGIN");
    ASSERT_NE(path, nullptr) << "set PLINTH_TEST_CPU_PLUGIN to the CPU plugin's file";
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    auto get = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
    ASSERT_NE(get, nullptr);
    Expected<Api> api = Api::FromTable(get());
    ASSERT_TRUE(api.ok()) << api.status().ToString();
    ASSERT_TRUE(api->Initialize().ok());
    api_ = *api;
  }
  void SetUp() override {
    ASSERT_TRUE(api_.has_value());
    ASSERT_VALUE(client_, Client::Create(*api_, Options().Set("num_devices", 2)));
    ASSERT_VALUE(devices_, client_->AddressableDevices());
    ASSERT_EQ(devices_.size(), 2u);
  }
  Expected<Buffer> FromFloats(const std::vector<float>& values) {
    return client_->BufferFromHost({values.data(), DType::kF32, kDims, {}}, devices_[0]);
  }

  static inline std::optional<Api> api_;
  std::optional<Client> client_;
  std::vector<Device> devices_;
};

}  // namespace plinth::client

#endif  // IMPL_CLIENT_SRC_PLUGIN_TEST_UTIL_H_
