// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_TESTING_FIXTURE_H_
#define PLINTH_IMPL_IFRT_TESTING_FIXTURE_H_

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "plinth/ifrt.hpp"

namespace plinth::ifrt::testing {

// Unwraps an Expected or fails the test.
#define IFRT_CONCAT_INNER(a, b) a##b
#define IFRT_CONCAT(a, b) IFRT_CONCAT_INNER(a, b)
#define ASSERT_VALUE(left, expression) \
  ASSERT_VALUE_IMPL(IFRT_CONCAT(value_, __LINE__), left, expression)
#define ASSERT_VALUE_IMPL(temporary, left, expression)         \
  auto temporary = (expression);                               \
  ASSERT_TRUE(temporary.ok()) << temporary.status().message(); \
  left = *std::move(temporary)
#define ASSERT_OK(expression)                           \
  do {                                                  \
    const Status ok_status = (expression);              \
    ASSERT_TRUE(ok_status.ok()) << ok_status.message(); \
  } while (false)

constexpr PJRT_Error_Code kInvalid = PJRT_Error_Code_INVALID_ARGUMENT;

// INVALID_ARGUMENT, and a message that names what is wrong.
void ExpectInvalid(const Status& status, const std::string& text);

// The plugin that the tests run on.
std::string PluginPath();

// 0, 1, 2, ...
template <typename T = int32_t>
std::vector<T> Iota(size_t count) {
  std::vector<T> elements(count);
  std::iota(elements.begin(), elements.end(), T{0});
  return elements;
}

// Eight devices of one client, which all tests of a program share.
class IfrtTest : public ::testing::Test {
 protected:
  void SetUp() override;

  // All devices along axes of those sizes, called a, b, ...
  Mesh MeshOf(std::vector<int64_t> sizes) const;
  std::vector<Device> DevicesOf(std::initializer_list<int> ids) const;
  // s32 of that shape, 0, 1, 2, ...
  Expected<Array> MakeIota(const std::vector<int64_t>& dims, const Sharding& sharding) const;
  // The program compiled for one device.
  Expected<Executable> CompileFor(const Device& device, const std::string& text) const;

  std::optional<Client> client_;
  std::vector<Device> devices_;
};

}  // namespace plinth::ifrt::testing

#endif  // PLINTH_IMPL_IFRT_TESTING_FIXTURE_H_
