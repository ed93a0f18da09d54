// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

class ShardingsTest : public IfrtTest {};

TEST_F(ShardingsTest, ClientAndDevices) {
  EXPECT_EQ(client_->platform_name(), "cpu");
  EXPECT_EQ(client_->process_index(), 0);
  for (const Device& device : devices_) {
    EXPECT_EQ(client_->FindDevice(device.id()), device);
    EXPECT_TRUE(device.is_addressable());
    EXPECT_FALSE(device.ToString().empty());
    const std::vector<Memory> memories = device.memories();
    ASSERT_FALSE(memories.empty());
    EXPECT_EQ(memories[0], device.default_memory());
    for (const Memory& memory : memories) {
      EXPECT_EQ(memory.device(), device);
      EXPECT_EQ(memory.is_default(), memory == memories[0]);
      EXPECT_EQ(device.FindMemory(memory.kind()), memory);
      ASSERT_VALUE(const Sharding single, client_->Single(memory));
      EXPECT_EQ(single.memory_kind(), memory.kind());
      EXPECT_EQ(single.devices(), std::vector<Device>{device});
    }
    EXPECT_FALSE(device.FindMemory("no such memory"));
  }
  EXPECT_FALSE(client_->FindDevice(12345));
}

TEST_F(ShardingsTest, NamedOpShardingAndConcreteMeanTheSame) {
  const std::vector<int64_t> dims = {8, 6};
  ASSERT_VALUE(const Sharding named, client_->Named(MeshOf({4, 2}), {{"a"}, {"b"}}));
  ASSERT_VALUE(const std::string bytes, named.ToOpSharding(2));
  ASSERT_VALUE(const Sharding read, client_->FromOpSharding(devices_, bytes));
  EXPECT_EQ(named, read);
  EXPECT_EQ(named.hash(), read.hash());
  ASSERT_VALUE(const std::vector<IndexDomain> domains, named.IndexDomains(dims));
  EXPECT_EQ(domains[3], (IndexDomain{{2, 3}, {2, 3}}));
  ASSERT_VALUE(const Sharding concrete, client_->Concrete(devices_, dims, domains));
  EXPECT_FALSE(named == concrete);
  EXPECT_TRUE(named.SameFor(concrete, dims));
  ASSERT_VALUE(const std::vector<int64_t> shape, concrete.ShardShape(dims));
  EXPECT_EQ(shape, (std::vector<int64_t>{2, 3}));
  ASSERT_VALUE(const Sharding moved, named.WithDevices(DevicesOf({7, 6, 5, 4, 3, 2, 1, 0})));
  EXPECT_FALSE(named.SameFor(moved, dims));
  EXPECT_EQ(moved.devices()[0], devices_[7]);
}

TEST_F(ShardingsTest, BadInput) {
  const auto expect = [](const auto& made, const std::string& text) {
    ExpectInvalid(made.status(), text);
  };
  expect(client_->Replicated(DevicesOf({1, 1})), "is twice in the devices");
  expect(client_->Replicated({}), "at least one shard");
  expect(client_->Replicated(DevicesOf({1}), "no such memory"), "no memory of kind no such memory");
  const std::vector<Device> null_device(1);
  expect(client_->Replicated(null_device), "device 0 of a sharding is null");
  Mesh mesh = MeshOf({4});
  mesh.axes[0].size = 5;
  expect(client_->Named(mesh, {{"a"}}), "the mesh has 5 places for 4 devices");
  expect(client_->Named(MeshOf({4}), {{"a"}, {"a"}}), "\"a\" is used twice");
  expect(client_->Named(MeshOf({4}), {{"z"}}), "z");
  ASSERT_VALUE(const Client other,
               Client::Create({.plugin = PluginPath(), .options = {"num_devices=2"}}));
  expect(client_->Replicated(other.devices()), "is of another client");
  EXPECT_EQ(client_->FromOpSharding(devices_, "\x08\x04").status().code(),
            PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_EQ(
      Status(plinth_ifrt_sharding_replicated(client_->get(), nullptr, 1, nullptr, nullptr)).code(),
      kInvalid);
  plinth_ifrt_named_sharding small = {};
  small.struct_size = 8;
  plinth_ifrt_sharding* made = nullptr;
  const plinth_ifrt_device* device = devices_[0].get();
  EXPECT_EQ(
      Status(plinth_ifrt_sharding_named(client_->get(), &device, 1, nullptr, &small, &made)).code(),
      kInvalid);
  ASSERT_VALUE(const Sharding opaque, client_->Opaque(devices_));
  EXPECT_EQ(opaque.IndexDomains(std::vector<int64_t>{8}).status().code(),
            PJRT_Error_Code_FAILED_PRECONDITION);
  EXPECT_EQ(opaque, opaque);
}

TEST_F(ShardingsTest, ClientsThatCannotBeMade) {
  EXPECT_EQ(Client::Create({.plugin = "/no/such/plugin.so"}).status().code(),
            PJRT_Error_Code_NOT_FOUND);
  EXPECT_EQ(
      Client::Create({.plugin = PluginPath(), .options = {"no_such_option=1"}}).status().code(),
      kInvalid);
  EXPECT_EQ(Client::Create({.plugin = PluginPath(), .options = {"no value"}}).status().code(),
            kInvalid);
}

}  // namespace
}  // namespace plinth::ifrt::testing
