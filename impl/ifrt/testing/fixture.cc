// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/testing/fixture.h"

#include <cstdlib>

namespace plinth::ifrt::testing {

void ExpectInvalid(const Status& status, const std::string& text) {
  EXPECT_EQ(status.code(), kInvalid) << status.message();
  EXPECT_NE(status.message().find(text), std::string::npos)
      << "no \"" << text << "\" in: " << status.message();
}

std::string PluginPath() {
  const char* const other = std::getenv("PLINTH_IFRT_TEST_PLUGIN");
  return other == nullptr ? PLINTH_TEST_PLUGIN : other;
}

void IfrtTest::SetUp() {
  static const Expected<Client>* const shared =
      new Expected<Client>(Client::Create({.plugin = PluginPath(), .options = {"num_devices=8"}}));
  ASSERT_TRUE(shared->ok()) << shared->status().message();
  client_ = **shared;
  devices_ = client_->devices();
  ASSERT_EQ(devices_.size(), 8u);
}

Mesh IfrtTest::MeshOf(std::vector<int64_t> sizes) const {
  Mesh mesh;
  size_t count = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    mesh.axes.push_back({std::string(1, static_cast<char>('a' + i)), sizes[i]});
    count *= static_cast<size_t>(sizes[i]);
  }
  mesh.devices.assign(devices_.begin(), devices_.begin() + static_cast<ptrdiff_t>(count));
  return mesh;
}

std::vector<Device> IfrtTest::DevicesOf(std::initializer_list<int> ids) const {
  std::vector<Device> devices;
  for (const int id : ids) devices.push_back(devices_[static_cast<size_t>(id)]);
  return devices;
}

Expected<Array> IfrtTest::MakeIota(const std::vector<int64_t>& dims,
                                   const Sharding& sharding) const {
  size_t count = 1;
  for (const int64_t extent : dims) count *= static_cast<size_t>(extent);
  const std::vector<int32_t> elements = Iota(count);
  return client_->FromHost<int32_t>(dims, sharding, elements);
}

Expected<Executable> IfrtTest::CompileFor(const Device& device, const std::string& text) const {
  return client_->Compile(text, {.devices = {device}});
}

}  // namespace plinth::ifrt::testing
