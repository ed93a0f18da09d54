// SPDX-License-Identifier: Apache-2.0
// On a plugin half of whose devices another process drives, which takes dense arrays only and
// compiles no StableHLO; and on the same plugin with all devices its own, for programs on several.
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

constexpr PJRT_Error_Code kUnimplemented = PJRT_Error_Code_UNIMPLEMENTED;

class ProcessesTest : public ::testing::Test {
 protected:
  void Open(int remote_devices) {
    ASSERT_VALUE(client_,
                 Client::Create({.plugin = PLINTH_TEST_DEVICES_PLUGIN,
                                 .options = {"remote_devices=" + std::to_string(remote_devices)}}));
    devices_ = client_->devices();
    ASSERT_EQ(devices_.size(), 8u);
  }
  std::span<const Device> Devices(size_t from, size_t to) const {
    return std::span<const Device>(devices_).subspan(from, to - from);
  }
  Expected<Sharding> Rows(std::vector<Device> devices, AxesOfDims axes = {{"x"}}) const {
    const auto count = static_cast<int64_t>(devices.size());
    return client_->Named({{{"x", count}}, std::move(devices)}, axes);
  }
  Expected<Sharding> Rows(size_t from, size_t to) const {
    const std::span<const Device> some = Devices(from, to);
    return Rows(std::vector<Device>(some.begin(), some.end()));
  }

  std::optional<Client> client_;
  std::vector<Device> devices_;
};

TEST_F(ProcessesTest, ArraysOverDevicesOfTwoProcesses) {
  Open(4);
  EXPECT_FALSE(devices_[3].is_addressable());
  EXPECT_EQ(devices_[3].process_index(), 1);
  EXPECT_TRUE(devices_[4].is_addressable());
  // What PJRT does not tell of devices that another process drives.
  EXPECT_FALSE(devices_[4].memories().empty());
  EXPECT_EQ(devices_[3].memory_kinds(), devices_[4].memory_kinds());
  ExpectInvalid(client_->Single(devices_[3], "no such memory").status(), "has no memory of kind");
  ASSERT_VALUE(const Sharding elsewhere, client_->Single(*devices_[3].default_memory()));
  EXPECT_EQ(elsewhere.memory_kind(), devices_[4].default_memory()->kind());
  ASSERT_VALUE(const Sharding rows, Rows(0, 8));
  EXPECT_EQ(rows.num_addressable(), 4u);
  ASSERT_VALUE(const Array array, client_->FromHost<int32_t>({16}, rows, Iota(16)));
  ASSERT_OK(array.Ready().Await());
  ASSERT_VALUE(const std::vector<Array> parts, array.Disassemble());
  ASSERT_EQ(parts.size(), 4u);
  ASSERT_VALUE(const std::vector<int32_t> first, parts[0].ToHost<int32_t>());
  EXPECT_EQ(first, (std::vector<int32_t>{8, 9}));
  EXPECT_EQ(array.ToHost<int32_t>().status().code(), kInvalid);
  ASSERT_VALUE(const Array again, client_->Assemble({PJRT_Buffer_Type_S32, {16}, rows}, parts));
  // Whole on every device: what is here is enough.
  ASSERT_VALUE(const Sharding replicated, client_->Replicated(devices_));
  ASSERT_VALUE(const Array everywhere, client_->FromHost<int32_t>({3}, replicated, Iota(3)));
  ASSERT_VALUE(const std::vector<int32_t> whole, everywhere.ToHost<int32_t>());
  EXPECT_EQ(whole, Iota(3));
}

TEST_F(ProcessesTest, ArraysOfWhichNothingIsHere) {
  Open(4);
  ASSERT_VALUE(const Sharding remote, Rows(0, 4));
  ASSERT_VALUE(const Sharding local, Rows(4, 8));
  ASSERT_VALUE(const Array array, client_->Assemble({PJRT_Buffer_Type_S32, {16}, remote}, {}));
  ASSERT_OK(array.Ready().Await());
  ASSERT_VALUE(const std::vector<Array> nothing, array.Disassemble());
  EXPECT_TRUE(nothing.empty());
  ASSERT_VALUE(const Array copy, array.CopyTo(Devices(0, 4)));
  // Nobody sends; that is known when it is read.
  ASSERT_VALUE(const Array nowhere, array.CopyTo(Devices(4, 8)));
  EXPECT_FALSE(nowhere.Ready().Await().ok());
  EXPECT_EQ(array.Reshard(local).status().code(), kUnimplemented);
  EXPECT_EQ(array.ReplicatedShard().status().code(), kInvalid);
  const ArraySpec spec = {PJRT_Buffer_Type_S32, {16}, remote};
  ASSERT_VALUE(const Array made, client_->FromHost(spec, nullptr));
  made.Delete();
  EXPECT_TRUE(made.is_deleted());
}

// Two processes of one run, each with its own client here, and what they share.
class TwoProcessesTest : public ::testing::Test {
 protected:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::string, std::string, std::less<>> values;
    int stores = 0;
  };
  // A reference for each client's store, which goes with it.
  KeyValueStore Store() {
    const std::shared_ptr<Shared> counted(shared_.get(), [shared = shared_](Shared*) {
      const std::lock_guard lock(shared->mutex);
      --shared->stores;
    });
    {
      const std::lock_guard lock(shared_->mutex);
      ++shared_->stores;
    }
    return {[counted](std::string_view key, int64_t timeout_ms) -> Expected<std::string> {
              std::unique_lock lock(counted->mutex);
              const bool is_there =
                  counted->changed.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                                            [&] { return counted->values.contains(key); });
              if (is_there) return counted->values.find(key)->second;
              return Status(
                  timeout_ms == 0 ? PJRT_Error_Code_NOT_FOUND : PJRT_Error_Code_DEADLINE_EXCEEDED,
                  "no such key");
            },
            [counted](std::string_view key, std::string_view value) {
              const std::lock_guard lock(counted->mutex);
              counted->values[std::string(key)] = value;
              counted->changed.notify_all();
              return Status();
            }};
  }
  Expected<Client> Open(int process) {
    return Client::Create({.plugin = PLINTH_TEST_DEVICES_PLUGIN,
                           .options = {"num_nodes=2", "node_id=" + std::to_string(process)},
                           .store = Store()});
  }
  static std::vector<Device> Some(const Client& client, size_t from, size_t to) {
    const std::vector<Device> all = client.devices();
    return {all.begin() + static_cast<ptrdiff_t>(from), all.begin() + static_cast<ptrdiff_t>(to)};
  }
  static Expected<Sharding> Rows(const Client& client, std::vector<Device> devices) {
    const auto count = static_cast<int64_t>(devices.size());
    return client.Named({{{"x", count}}, std::move(devices)}, {{"x"}});
  }

  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

// Rows on all devices change sides: four shards go one way, four the other. Then all of them go to
// devices of one process.
TEST_F(TwoProcessesTest, ShardsGoFromProcessToProcess) {
  const auto run = [this](int process, std::vector<int32_t>* seen) {
    ASSERT_VALUE(const Client client, Open(process));
    EXPECT_EQ(client.process_index(), process);
    ASSERT_VALUE(const Sharding rows, Rows(client, client.devices()));
    EXPECT_EQ(rows.num_addressable(), 4u);
    // Each process knows its own half only.
    std::vector<int32_t> elements(16, -1);
    for (int i = 0; i < 8; ++i) elements[8 * (1 - process) + i] = 8 * (1 - process) + i;
    ASSERT_VALUE(const Array array, client.FromHost<int32_t>({16}, rows, elements));
    std::vector<Device> turned = Some(client, 4, 8);
    for (const Device& device : Some(client, 0, 4)) turned.push_back(device);
    ASSERT_VALUE(const Array moved, array.CopyTo(turned, "", Copy::kDonate));
    EXPECT_TRUE(array.is_deleted());
    ASSERT_OK(moved.Ready().Await());
    ASSERT_VALUE(const std::vector<Array> parts, moved.Disassemble());
    ASSERT_EQ(parts.size(), 4u);
    for (const Array& part : parts) {
      ASSERT_VALUE(const std::vector<int32_t> two, part.ToHost<int32_t>());
      seen->insert(seen->end(), two.begin(), two.end());
    }
    // Into the other memory, from where it is now to devices 4 to 7.
    ASSERT_VALUE(const Sharding half, Rows(client, Some(client, 0, 4)));
    ASSERT_VALUE(const Array four, client.FromHost<int32_t>({8}, half, Iota(8)));
    ASSERT_VALUE(const Array there, four.CopyTo(Some(client, 4, 8), "pinned_host"));
    EXPECT_EQ(there.sharding().num_addressable(), process == 0 ? 4u : 0u);
    if (process == 0) {
      ASSERT_VALUE(const std::vector<int32_t> whole, there.ToHost<int32_t>());
      EXPECT_EQ(whole, Iota(8));
    }
  };
  std::vector<int32_t> seen[2];
  std::thread other([&] { run(1, &seen[1]); });
  run(0, &seen[0]);
  other.join();
  // Process 0 has devices 4 to 7, which got the rows of devices 0 to 3.
  EXPECT_EQ(seen[0], Iota(8));
  std::vector<int32_t> upper(8);
  std::iota(upper.begin(), upper.end(), 8);
  EXPECT_EQ(seen[1], upper);
  EXPECT_EQ(shared_->stores, 0) << "each store goes with its client";
}

TEST_F(TwoProcessesTest, StoresThatCannotBe) {
  // No store, for a run of two; one that the plugin has no use for goes with the client all the
  // same.
  {
    ASSERT_VALUE(const Client alone,
                 Client::Create({.plugin = PLINTH_TEST_DEVICES_PLUGIN, .store = Store()}));
    EXPECT_EQ(shared_->stores, 1);
  }
  EXPECT_EQ(shared_->stores, 0);
  EXPECT_FALSE(Client::Create({.plugin = "/no/such/plugin.so", .store = Store()}).ok());
  EXPECT_EQ(shared_->stores, 0);
  plinth_ifrt_client_options options = {};
  options.struct_size = plinth_ifrt_client_options_STRUCT_SIZE;
  options.plugin = PLINTH_TEST_DEVICES_PLUGIN;
  options.key_value_put = [](const char*, size_t, const char*, size_t, void*) -> plinth_status* {
    return nullptr;
  };
  plinth_ifrt_client* client = nullptr;
  EXPECT_EQ(Status(plinth_ifrt_client_create(&options, &client)).code(), kInvalid);
  EXPECT_EQ(client, nullptr);
}

TEST_F(ProcessesTest, CopiesBetweenProcessesNeedTheExtension) {
  Open(4);
  static PJRT_Api table = *client_->api();
  table.extension_start = nullptr;
  ASSERT_VALUE(client_, Client::Create({.api = &table}));
  devices_ = client_->devices();
  ASSERT_VALUE(const Sharding remote, Rows(0, 4));
  ASSERT_VALUE(const Array array, client_->Assemble({PJRT_Buffer_Type_S32, {16}, remote}, {}));
  const Status status = array.CopyTo(Devices(4, 8)).status();
  EXPECT_EQ(status.code(), kUnimplemented);
  EXPECT_NE(status.message().find("CrossHostTransfers"), std::string::npos) << status.message();
}

TEST_F(ProcessesTest, ReshardsWhatIsHereOverTheHost) {
  Open(4);
  ASSERT_VALUE(const Sharding local, Rows(4, 8));
  ASSERT_VALUE(const Sharding pair, Rows({devices_[7], devices_[5]}));
  ASSERT_VALUE(const Array array, client_->FromHost<int32_t>({16}, local, Iota(16)));
  ASSERT_VALUE(const Array moved, array.Reshard(pair));
  ASSERT_VALUE(const std::vector<int32_t> elements, moved.ToHost<int32_t>());
  EXPECT_EQ(elements, Iota(16));
  EXPECT_EQ(array.Reshard(pair, Copy::kAlways, Rung::kPrograms).status().code(), kUnimplemented);
  EXPECT_FALSE(array.is_deleted());
}

TEST_F(ProcessesTest, WindowsOfAPluginThatTakesDenseArraysOnly) {
  Open(0);
  ASSERT_VALUE(const Sharding columns, Rows(devices_, {{}, {"x"}}));
  for (const Host host : {Host::kDuringCall, Host::kUntilTransferred, Host::kZeroCopy}) {
    int calls = 0;
    const std::vector<int32_t> elements = Iota(24);
    ASSERT_VALUE(const Array array,
                 client_->FromHost({PJRT_Buffer_Type_S32, {3, 8}, columns}, elements.data(),
                                   nullptr, host, [&calls] { ++calls; }));
    EXPECT_EQ(calls, 1);
    ASSERT_VALUE(const std::vector<int32_t> back, array.ToHost<int32_t>());
    EXPECT_EQ(back, elements);
  }
}

TEST_F(ProcessesTest, ProgramsOnSeveralDevices) {
  for (const int remote : {0, 4}) {
    Open(remote);
    ASSERT_VALUE(const Executable copy, client_->Compile("copy"));
    ASSERT_VALUE(const ArraySpec output, copy.Output(0));
    EXPECT_EQ(output.dims, std::vector<int64_t>{16});
    ASSERT_VALUE(const Sharding rows, Rows(0, 8));
    EXPECT_EQ(output.sharding, rows);
    ASSERT_VALUE(const Array array, client_->FromHost<int32_t>({16}, rows, Iota(16)));
    for (int again = 0; again < 2; ++again) {
      std::optional<Future<>> done;
      ASSERT_VALUE(const std::vector<Array> outputs, copy.Execute({&array, 1}, {}, &done));
      ASSERT_OK(done->Await());
      ASSERT_VALUE(const std::vector<Array> parts, outputs[0].Disassemble());
      ASSERT_EQ(parts.size(), 8u - static_cast<size_t>(remote));
      ASSERT_VALUE(const std::vector<int32_t> last, parts.back().ToHost<int32_t>());
      EXPECT_EQ(last, (std::vector<int32_t>{14, 15}));
    }
    // The same boxes on the same devices, listed in another order.
    std::vector<Device> reversed(devices_.rbegin(), devices_.rend());
    std::vector<IndexDomain> domains;
    for (int64_t i = 8; i-- > 0;) domains.push_back({{2 * i}, {2}});
    ASSERT_VALUE(const Sharding same,
                 client_->Concrete(reversed, std::vector<int64_t>{16}, domains));
    ASSERT_VALUE(const Array listed, client_->FromHost<int32_t>({16}, same, Iota(16)));
    ASSERT_VALUE(const std::vector<Array> outputs, copy({listed}));
    ASSERT_VALUE(const std::vector<Array> parts, outputs[0].Disassemble());
    ASSERT_VALUE(const std::vector<int32_t> last, parts.back().ToHost<int32_t>());
    EXPECT_EQ(last, (std::vector<int32_t>{14, 15}));
  }
}

TEST_F(ProcessesTest, ArgumentsThatAreCutInAnotherWay) {
  Open(0);
  ASSERT_VALUE(const Executable donate, client_->Compile("donate"));
  ASSERT_VALUE(const Sharding rows, Rows(0, 8));
  ASSERT_VALUE(const Sharding replicated, client_->Replicated(devices_));
  ASSERT_VALUE(const Sharding turned, Rows({devices_.rbegin(), devices_.rend()}));
  ASSERT_VALUE(const Sharding half, Rows(0, 4));
  for (const Sharding& wrong : {replicated, turned, half}) {
    ASSERT_VALUE(const Array array, client_->FromHost<int32_t>({16}, wrong, Iota(16)));
    EXPECT_EQ(donate({array}).status().code(), kInvalid) << wrong.ToString();
    EXPECT_FALSE(array.is_deleted());
  }
  ASSERT_VALUE(const Array array, client_->FromHost<int32_t>({16}, rows, Iota(16)));
  ASSERT_VALUE(const Array sharer, array.CopyTo({}, "", Copy::kReuse));
  ASSERT_VALUE(const std::vector<Array> outputs, donate({array}));
  EXPECT_TRUE(array.is_deleted());
  EXPECT_TRUE(sharer.is_deleted());
  EXPECT_EQ(donate({array}).status().code(), kInvalid);
  ASSERT_VALUE(const std::vector<int32_t> elements, outputs[0].ToHost<int32_t>());
  EXPECT_EQ(elements, Iota(16));
}

}  // namespace
}  // namespace plinth::ifrt::testing
