// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/testing/worlds.h"

namespace plinth::ifrt::testing {

std::string NameOf(const ::testing::TestParamInfo<World>& info) {
  switch (info.param) {
    case World::kPlugin:
      return "Plugin";
    case World::kDenseOnly:
      return "DenseOnly";
    case World::kFourElsewhere:
      return "FourElsewhere";
  }
  return "";
}

void WorldTest::SetUp() {
  if (GetParam() == World::kPlugin) {
    IfrtTest::SetUp();
  } else {
    const char* const remote =
        GetParam() == World::kDenseOnly ? "remote_devices=0" : "remote_devices=4";
    ASSERT_VALUE(client_,
                 Client::Create({.plugin = PLINTH_TEST_DEVICES_PLUGIN, .options = {remote}}));
    devices_ = client_->devices();
    ASSERT_EQ(devices_.size(), 8u);
  }
  std::copy_if(devices_.begin(), devices_.end(), std::back_inserter(here_),
               [](const Device& device) { return device.is_addressable(); });
}

Expected<Sharding> WorldTest::Cut(std::vector<Device> devices, const AxesOfDims& axes,
                                  const std::string& memory_kind) const {
  const auto count = static_cast<int64_t>(devices.size());
  return client_->Named({{{"a", count}}, std::move(devices)}, axes, memory_kind);
}

}  // namespace plinth::ifrt::testing
