// SPDX-License-Identifier: Apache-2.0
// What is not there yet: programs that a handler of the test holds up, so that nothing depends on
// how fast anything is.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "impl/ifrt/testing/fixture.h"
#include "pjrt_c_api_ffi_extension.h"
#include "xla_ffi_c_api.h"

namespace plinth::ifrt::testing {
namespace {

// Programs wait here until it is open.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false;

  static Gate& The() {
    static auto* const gate = new Gate;
    return *gate;
  }
  void Set(bool open) {
    const std::lock_guard lock(mutex);
    is_open = open;
    changed.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return is_open; });
  }
};

XLA_FFI_Error* WaitAtGate(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr &&
      frame->extension_start->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata& metadata =
        *reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start)->metadata;
    metadata.api_version.major_version = XLA_FFI_API_MAJOR;
    metadata.api_version.minor_version = XLA_FFI_API_MINOR;
    return nullptr;
  }
  Gate::The().Wait();
  return nullptr;
}

// The handler writes nothing: of integers any bits less themselves are 0.
constexpr const char* kHeldUp = R"(
module @held_up {
  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @plinth_ifrt_test_gate(%x) {api_version = 4 : i32,
        has_side_effect = true} : (tensor<2xf32>) -> tensor<2xi32>
    %1 = stablehlo.subtract %0, %0 : tensor<2xi32>
    %2 = stablehlo.convert %1 : (tensor<2xi32>) -> tensor<2xf32>
    %3 = stablehlo.add %2, %x : tensor<2xf32>
    return %3 : tensor<2xf32>
  }
})";

class PendingTest : public IfrtTest {
 protected:
  void SetUp() override {
    IfrtTest::SetUp();
    static const bool is_registered = Register(client_->api());
    ASSERT_TRUE(is_registered);
    Gate::The().Set(false);
  }
  void TearDown() override { Gate::The().Set(true); }

  static bool Register(const PJRT_Api* api) {
    const PJRT_Extension_Base* extension = api->extension_start;
    while (extension != nullptr && extension->type != PJRT_Extension_Type_FFI) {
      extension = extension->next;
    }
    if (extension == nullptr) return false;
    PJRT_FFI_Register_Handler_Args args = {};
    args.struct_size = PJRT_FFI_Register_Handler_Args_STRUCT_SIZE;
    args.target_name = "plinth_ifrt_test_gate";
    args.target_name_size = std::char_traits<char>::length(args.target_name);
    args.handler = reinterpret_cast<void*>(&WaitAtGate);
    args.platform_name = "cpu";
    args.platform_name_size = 3;
    return reinterpret_cast<const PJRT_FFI_Extension*>(extension)->register_handler(&args) ==
           nullptr;
  }

  // An output that is there when the gate is open, of a client and a device of it.
  static Expected<Array> Pending(const Client& client, const Device& device) {
    const Expected<Executable> program = client.Compile(kHeldUp, {.devices = {device}});
    if (!program.ok()) return program.status();
    const Expected<Sharding> single = client.Single(device);
    if (!single.ok()) return single.status();
    const std::vector<float> elements = {1, 2};
    const Expected<Array> x = client.FromHost<float>({2}, *single, elements);
    if (!x.ok()) return x.status();
    const Expected<std::vector<Array>> outputs = (*program)({*x});
    if (!outputs.ok()) return outputs.status();
    return (*outputs)[0];
  }
};

TEST_F(PendingTest, AFutureOfManyWaitsForAllAlsoWhenOneHasFailed) {
  ASSERT_VALUE(const Array pending, Pending(*client_, devices_[0]));
  ASSERT_VALUE(const Sharding single, client_->Single(devices_[1]));
  ASSERT_VALUE(const Array failed, client_->ErrorArray({PJRT_Buffer_Type_F32, {2}, single},
                                                       PJRT_Error_Code_ABORTED, "lost"));
  const Array both[] = {failed, pending};
  ASSERT_VALUE(const Future<> ready, client_->Ready(both));
  EXPECT_FALSE(ready.IsReady());
  EXPECT_EQ(ready.Await(1).code(), PJRT_Error_Code_DEADLINE_EXCEEDED);
  Gate::The().Set(true);
  const Status status = ready.Await();
  EXPECT_EQ(status.code(), PJRT_Error_Code_ABORTED);
  EXPECT_EQ(status.message(), "lost");
  ASSERT_VALUE(const std::vector<float> elements, pending.ToHost<float>());
  EXPECT_EQ(elements, (std::vector<float>{1, 2}));
}

TEST_F(PendingTest, WhatIsNotThereIsMovedAllTheSame) {
  ASSERT_VALUE(const Array pending, Pending(*client_, devices_[0]));
  ASSERT_VALUE(const Sharding everywhere, client_->Replicated(devices_));
  std::vector<float> host(2);
  ASSERT_VALUE(const Future<> read, pending.CopyToHost(host.data()));
  EXPECT_FALSE(read.IsReady());
  ASSERT_VALUE(const Array copy, pending.CopyTo(DevicesOf({5})));
  ASSERT_VALUE(const Array spread, copy.Reshard(everywhere));
  // Deleted while a copy of it is under way.
  pending.Delete();
  EXPECT_TRUE(pending.is_deleted());
  Gate::The().Set(true);
  ASSERT_OK(read.Await());
  EXPECT_EQ(host, (std::vector<float>{1, 2}));
  ASSERT_VALUE(const std::vector<float> elements, spread.ToHost<float>());
  EXPECT_EQ(elements, (std::vector<float>{1, 2}));
}

TEST_F(PendingTest, AClientGoesWhileFuturesArePending) {
  std::mutex mutex;
  std::condition_variable changed;
  int calls = 0;
  {
    ASSERT_VALUE(const Client own,
                 Client::Create({.plugin = PluginPath(), .options = {"num_devices=2"}}));
    ASSERT_VALUE(const Array pending, Pending(own, own.devices()[1]));
    pending.Ready().Then([&](const Status& status) {
      EXPECT_TRUE(status.ok()) << status.message();
      const std::lock_guard lock(mutex);
      ++calls;
      changed.notify_all();
    });
    const std::lock_guard lock(mutex);
    EXPECT_EQ(calls, 0);
  }
  Gate::The().Set(true);
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return calls != 0; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace plinth::ifrt::testing
