// SPDX-License-Identifier: Apache-2.0
// What the client says of the devices, memories, buffers and programs of a real plugin.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "impl/client/src/plugin_test_util.h"
#include "plinth/client/client.h"
#include "plinth/client/cross_host.h"
#include "plinth/client/layouts.h"

namespace plinth::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class FactsTest : public PluginTest {};

TEST_F(FactsTest, Platform) {
  ASSERT_VALUE(auto version, client_->PlatformVersion());
  EXPECT_THAT(version, Not(IsEmpty()));
  ASSERT_VALUE(int process, client_->ProcessIndex());
  EXPECT_EQ(process, 0);
  ASSERT_VALUE(auto all, client_->Devices());
  EXPECT_EQ(all, devices_);
  ASSERT_VALUE(auto found, client_->LookupAddressableDevice(1));
  EXPECT_EQ(found, devices_[1]);
  EXPECT_FALSE(client_->LookupAddressableDevice(7).ok());
}

TEST_F(FactsTest, Device) {
  ASSERT_VALUE(bool is_addressable, devices_[1].IsAddressable());
  EXPECT_TRUE(is_addressable);
  ASSERT_VALUE(int number, devices_[1].LocalHardwareId());
  EXPECT_EQ(number, 1);
  ASSERT_VALUE(auto attributes, devices_[1].Attributes());
  ASSERT_VALUE(auto description, devices_[1].Description());
  ASSERT_VALUE(int id, description.Id());
  EXPECT_EQ(id, 1);
  ASSERT_VALUE(int process, description.ProcessIndex());
  EXPECT_EQ(process, 0);
  ASSERT_VALUE(auto kind, description.Kind());
  EXPECT_EQ(kind, "cpu");
  ASSERT_VALUE(auto text, description.ToString());
  EXPECT_THAT(text, HasSubstr("1"));
  ASSERT_VALUE(auto long_text, description.DebugString());
  EXPECT_THAT(long_text, HasSubstr("1"));
  EXPECT_TRUE(description.Attributes().ok());
}

TEST_F(FactsTest, Memories) {
  ASSERT_VALUE(auto memories, devices_[1].Memories());
  ASSERT_VALUE(auto of_client, client_->AddressableMemories());
  ASSERT_VALUE(auto first, devices_[1].DefaultMemory());
  EXPECT_THAT(memories, ::testing::IsSubsetOf(of_client));
  EXPECT_THAT(memories, ::testing::Contains(first));
  EXPECT_GT(of_client.size(), memories.size());  // Device 0 has its own.
  ASSERT_VALUE(auto other, devices_[0].DefaultMemory());
  ASSERT_VALUE(int id, first.Id());
  ASSERT_VALUE(int other_id, other.Id());
  EXPECT_NE(id, other_id);
  ASSERT_VALUE(auto kind, first.Kind());
  EXPECT_EQ(kind, "device");
  ASSERT_VALUE(int kind_id, first.KindId());
  ASSERT_VALUE(int other_kind_id, other.KindId());
  EXPECT_EQ(kind_id, other_kind_id);
  ASSERT_VALUE(auto text, first.ToString());
  EXPECT_THAT(text, Not(IsEmpty()));
  ASSERT_VALUE(auto long_text, first.DebugString());
  EXPECT_THAT(long_text, Not(IsEmpty()));
}

TEST_F(FactsTest, CountersOfADevice) {
  std::optional<Buffer> buffer;
  const std::vector<float> values(1 << 16);
  const int64_t dims[] = {1 << 16};
  ASSERT_VALUE(buffer,
               client_->BufferFromHost({values.data(), DType::kF32, dims, {}}, devices_[1]));
  ASSERT_OK(buffer->Await());
  ASSERT_VALUE(auto full, devices_[1].Stats());
  EXPECT_GE(full.bytes_in_use, 4 << 16);
  ASSERT_TRUE(full.peak_bytes_in_use.has_value());
  EXPECT_GE(*full.peak_bytes_in_use, full.bytes_in_use);
  buffer.reset();
  ASSERT_VALUE(auto before, devices_[1].Stats());
  EXPECT_EQ(before.peak_bytes_in_use, full.peak_bytes_in_use);
  ASSERT_OK(devices_[1].ClearStats());
  ASSERT_VALUE(auto after, devices_[1].Stats());
  EXPECT_LT(*after.peak_bytes_in_use, *full.peak_bytes_in_use);
}

TEST_F(FactsTest, Buffer) {
  ASSERT_VALUE(auto x, FromFloats({0, 1, 2, 3, 4, 5}));
  ASSERT_VALUE(auto dims, x.Dims());
  EXPECT_THAT(dims, ElementsAre(2, 3));
  ASSERT_VALUE(auto unpadded, x.UnpaddedDims());
  EXPECT_EQ(unpadded, dims);
  ASSERT_VALUE(auto dynamic, x.DynamicDimensions());
  EXPECT_THAT(dynamic, IsEmpty());
  ASSERT_VALUE(size_t size, x.OnDeviceByteSize());
  EXPECT_EQ(size, 24u);
  ASSERT_VALUE(auto layout, x.DeviceLayout());
  EXPECT_EQ(layout, Layout::RowMajor(2));
  ASSERT_VALUE(auto layout_text, LayoutText(x));
  EXPECT_EQ(layout_text, "{1,0}");
  ASSERT_VALUE(auto default_layout, DefaultLayoutText(*client_, DType::kF32, kDims));
  EXPECT_EQ(default_layout, layout_text);
  ASSERT_VALUE(bool is_on_cpu, x.IsOnCpu());
  EXPECT_TRUE(is_on_cpu);
  ASSERT_VALUE(auto memory, x.Memory());
  ASSERT_VALUE(auto default_memory, devices_[0].DefaultMemory());
  EXPECT_EQ(memory, default_memory);
  ASSERT_OK(x.Await());
  ASSERT_VALUE(auto reference, x.AddExternalReference());
  ASSERT_VALUE(uintptr_t address, x.UnsafePointer());
  EXPECT_EQ(address, reinterpret_cast<uintptr_t>(reference.data()));
}

TEST_F(FactsTest, BuffersWithoutContents) {
  ASSERT_VALUE(auto memory, devices_[1].DefaultMemory());
  ASSERT_VALUE(auto buffer, client_->CreateUninitialized({DType::kS16, {5}}, memory));
  ASSERT_OK(buffer.Await());
  ASSERT_VALUE(size_t size, buffer.OnDeviceByteSize());
  EXPECT_EQ(size, 10u);
  const Shape shapes[] = {{DType::kF32, {4}}, {DType::kU8, {3}}};
  ASSERT_VALUE(auto manager, client_->CreateBuffersForTransfer(shapes, memory));
  ASSERT_VALUE(auto device, manager.TargetDevice());
  EXPECT_EQ(device, devices_[1]);
  ASSERT_VALUE(size_t first, manager.BufferByteSize(0));
  EXPECT_EQ(first, 16u);
  ASSERT_VALUE(size_t second, manager.BufferByteSize(1));
  EXPECT_EQ(second, 3u);
  EXPECT_FALSE(manager.BufferByteSize(2).ok());
}

TEST_F(FactsTest, HostMemoryThatDevicesReach) {
  std::vector<float> values(1024);
  ASSERT_OK(client_->DmaMap(values.data(), values.size() * sizeof(float)));
  ASSERT_OK(client_->DmaUnmap(values.data()));
}

TEST_F(FactsTest, Program) {
  CompileOptions options;
  options.num_replicas = 2;
  ASSERT_VALUE(auto loaded, client_->Compile(client::Program{kAddAndDouble}, options));
  const Executable& executable = loaded.executable();
  ASSERT_VALUE(size_t replicas, executable.NumReplicas());
  EXPECT_EQ(replicas, 2u);
  ASSERT_VALUE(size_t partitions, executable.NumPartitions());
  EXPECT_EQ(partitions, 1u);
  EXPECT_TRUE(executable.GeneratedCodeSize().ok());
  ASSERT_VALUE(auto kinds, executable.ParameterMemoryKinds());
  EXPECT_THAT(kinds, ElementsAre("device", "device"));
  ASSERT_VALUE(auto layouts, ParameterLayoutTexts(executable));
  EXPECT_THAT(layouts, ElementsAre("{1,0}", "{1,0}"));
  ASSERT_VALUE(auto proto, executable.CompileOptionsProto());
  EXPECT_THAT(proto, Not(IsEmpty()));
  ASSERT_VALUE(auto devices, loaded.AddressableDevices());
  EXPECT_EQ(devices, devices_);
  ASSERT_VALUE(auto assignment, loaded.Assignment());
  EXPECT_EQ(assignment.num_replicas, 2);
  EXPECT_THAT(assignment.devices, ElementsAre(0, 1));
  ASSERT_VALUE(auto ids, loaded.LogicalIds());
  ASSERT_THAT(ids, SizeIs(2));
  EXPECT_EQ(ids[1].replica, 1);
  EXPECT_EQ(ids[1].partition, 0);
  ASSERT_VALUE(auto fingerprint, loaded.Fingerprint());
  EXPECT_THAT(fingerprint, Not(IsEmpty()));
  ASSERT_OK(loaded.Delete());
  ASSERT_VALUE(bool is_deleted, loaded.IsDeleted());
  EXPECT_TRUE(is_deleted);
}

TEST_F(FactsTest, TopologyThereAndBack) {
  ASSERT_VALUE(auto topology, client_->Topology());
  ASSERT_VALUE(auto name, topology.PlatformName());
  EXPECT_EQ(name, "cpu");
  ASSERT_VALUE(auto version, topology.PlatformVersion());
  ASSERT_VALUE(auto of_client, client_->PlatformVersion());
  EXPECT_EQ(version, of_client);
  EXPECT_TRUE(topology.Attributes().ok());
  ASSERT_VALUE(auto bytes, topology.Serialize());
  ASSERT_VALUE(auto again, Topology::Deserialize(*api_, bytes));
  ASSERT_VALUE(auto devices, again.Devices());
  EXPECT_THAT(devices, SizeIs(2));
  ASSERT_VALUE(auto fingerprint, topology.Fingerprint());
  ASSERT_VALUE(auto same, again.Fingerprint());
  EXPECT_EQ(fingerprint, same);
}

TEST_F(FactsTest, CompiledForATopologyAndLoaded) {
  ASSERT_VALUE(auto topology, client_->Topology());
  ASSERT_VALUE(auto executable, topology.Compile(client::Program{kAddAndDouble}));
  ASSERT_VALUE(auto loaded, client_->Load(executable));
  ASSERT_VALUE(auto x, FromFloats({0, 1, 2, 3, 4, 5}));
  ASSERT_VALUE(auto y, FromFloats({1, 1, 1, 1, 1, 1}));
  const client::Buffer* arguments[] = {&x, &y};
  ASSERT_VALUE(auto outputs, loaded.ExecuteOne(arguments));
  ASSERT_VALUE(auto sum, outputs[0].ToHost());
  EXPECT_THAT(sum.elements<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

// The other side of what impl/ifrt does between processes.
TEST_F(FactsTest, CopiesBetweenProcessesAreRefusedWhereThereIsNoExtension) {
  const Status status = CheckCrossHost(*api_);
  ASSERT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("CrossHostTransfers"));
  ASSERT_VALUE(auto x, FromFloats({0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(SendAcross(*client_, x, 1, 7).status().message(), status.message());
  const Shape shape = {DType::kF32, {2, 3}};
  EXPECT_EQ(ReceiveAcross(*client_, shape, devices_[1], 0, 7).status().message(), status.message());
}

}  // namespace
}  // namespace plinth::client
