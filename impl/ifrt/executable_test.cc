// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <fstream>
#include <thread>
#include <utility>

#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

constexpr const char* kAdd = R"(
module @add {
  func.func public @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %x, %y : tensor<4xf32>
    %1 = stablehlo.subtract %x, %y : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
})";
constexpr const char* kDonate = R"(
module @donate {
  func.func public @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<4xf32>)
      -> tensor<4xf32> {
    %0 = stablehlo.add %x, %y : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})";

class ExecutableTest : public IfrtTest {
 protected:
  Expected<Array> Floats(const Device& device, std::vector<float> elements) const {
    const Expected<Sharding> single = client_->Single(device);
    return client_->FromHost<float>({static_cast<int64_t>(elements.size())}, *single, elements);
  }
};

TEST_F(ExecutableTest, CompilesAndRuns) {
  ASSERT_VALUE(const Executable add, CompileFor(devices_[2], kAdd));
  ASSERT_OK(add.Ready().Await());
  ASSERT_VALUE(const std::string name, add.Name());
  EXPECT_EQ(name, "add");
  ASSERT_VALUE(const std::vector<Device> devices, add.Devices());
  EXPECT_EQ(devices, DevicesOf({2}));
  ASSERT_VALUE(const ArraySpec output, add.Output(1));
  EXPECT_EQ(output.type, PJRT_Buffer_Type_F32);
  EXPECT_EQ(output.dims, std::vector<int64_t>{4});
  EXPECT_EQ(add.Output(2).status().code(), kInvalid);
  ASSERT_VALUE(const Array x, Floats(devices_[2], {1, 2, 3, 4}));
  ASSERT_VALUE(const Array y, Floats(devices_[2], {4, 3, 2, 1}));
  std::optional<Future<>> done;
  const Array arguments[] = {x, y};
  ASSERT_VALUE(const std::vector<Array> outputs, add.Execute(arguments, {}, &done));
  ASSERT_OK(done->Await());
  ASSERT_VALUE(const std::vector<float> sum, outputs[0].ToHost<float>());
  EXPECT_EQ(sum, std::vector<float>(4, 5.0f));
  ASSERT_VALUE(const std::vector<float> difference, outputs[1].ToHost<float>());
  EXPECT_EQ(difference, (std::vector<float>{-3, -1, 1, 3}));
  EXPECT_TRUE(add.Cost().ok());
  EXPECT_TRUE(add.Fingerprint().ok());
}

TEST_F(ExecutableTest, SerializedProgramsRunAgain) {
  ASSERT_VALUE(const Executable add, CompileFor(devices_[0], kAdd));
  ASSERT_VALUE(const std::string bytes, add.Serialize());
  ASSERT_VALUE(const Executable again, client_->Compile(bytes, {.format = "serialized"}));
  ASSERT_OK(again.Ready().Await());
  ASSERT_VALUE(const Array x, Floats(devices_[0], {1, 2, 3, 4}));
  ASSERT_VALUE(const std::vector<Array> outputs, again({x, x}));
  ASSERT_VALUE(const std::vector<float> sum, outputs[0].ToHost<float>());
  EXPECT_EQ(sum, (std::vector<float>{2, 4, 6, 8}));
}

TEST_F(ExecutableTest, PortableProgramsRunOnAnyDevice) {
  ASSERT_VALUE(const Executable add, client_->Compile(kAdd, {.portable = true}));
  ASSERT_VALUE(const Array x, Floats(devices_[5], {1, 2, 3, 4}));
  const Array arguments[] = {x, x};
  ASSERT_VALUE(const std::vector<Array> outputs, add.Execute(arguments, {.device = devices_[5]}));
  EXPECT_EQ(outputs[0].sharding().devices(), DevicesOf({5}));
  ASSERT_VALUE(const std::vector<float> sum, outputs[0].ToHost<float>());
  EXPECT_EQ(sum, (std::vector<float>{2, 4, 6, 8}));
  ExpectInvalid(add({x, x}).status(), "needs the device");
  ExpectInvalid(add.Execute(arguments, {.device = devices_[4]}).status(), "argument 0, f32[4]");
}

TEST_F(ExecutableTest, DonatedArgumentsAreGoneAtOnceAndForGood) {
  ASSERT_VALUE(const Executable donate, CompileFor(devices_[0], kDonate));
  ASSERT_VALUE(const Array x, Floats(devices_[0], {1, 2, 3, 4}));
  ASSERT_VALUE(const Array y, Floats(devices_[0], {1, 1, 1, 1}));
  std::vector<float> before(4);
  ASSERT_VALUE(const Future<> read, x.CopyToHost(before.data()));
  ASSERT_VALUE(const std::vector<Array> outputs, donate({x, y}));
  EXPECT_TRUE(x.is_deleted());
  EXPECT_FALSE(y.is_deleted());
  ASSERT_OK(read.Await());
  EXPECT_EQ(before, (std::vector<float>{1, 2, 3, 4}));
  ASSERT_VALUE(const std::vector<float> sum, outputs[0].ToHost<float>());
  EXPECT_EQ(sum, (std::vector<float>{2, 3, 4, 5}));
  ExpectInvalid(donate({x, y}).status(), "argument 0, f32[4]");
  ExpectInvalid(donate({y, y}).status(), "also another argument");
  const Array arguments[] = {y, outputs[0]};
  ASSERT_VALUE(const std::vector<Array> kept, donate.Execute(arguments, {.non_donatable = {0}}));
  EXPECT_FALSE(y.is_deleted());
  ExpectInvalid(donate.Execute(arguments, {.non_donatable = {7}}).status(),
                "non-donatable argument 7 of 2");
}

TEST_F(ExecutableTest, WrongArguments) {
  ASSERT_VALUE(const Executable add, CompileFor(devices_[0], kAdd));
  ASSERT_VALUE(const Array x, Floats(devices_[0], {1, 2, 3, 4}));
  ASSERT_VALUE(const Array elsewhere, Floats(devices_[1], {1, 2, 3, 4}));
  ASSERT_VALUE(const Array longer, Floats(devices_[0], {1, 2, 3, 4, 5}));
  ASSERT_VALUE(const Sharding pair, client_->Replicated(DevicesOf({0, 1})));
  ASSERT_VALUE(const Array spread, client_->FromHost<float>({4}, pair, Iota<float>(4)));
  ExpectInvalid(add({x}).status(), "1 argument");
  ExpectInvalid(add({x, elsewhere}).status(), "argument 1, f32[4]");
  ExpectInvalid(add({x, longer}).status(), "f32[5]");
  ExpectInvalid(add({x, spread}).status(), "argument 1, f32[4]");
  plinth_ifrt_array* const null_arguments[] = {x.get(), nullptr};
  plinth_ifrt_array* outputs[2];
  ExpectInvalid(Status(plinth_ifrt_executable_execute(add.get(), null_arguments, 2, nullptr,
                                                      outputs, 2, nullptr)),
                "argument 1 is null");
  ExpectInvalid(Status(plinth_ifrt_executable_execute(add.get(), null_arguments, 2, nullptr,
                                                      outputs, 1, nullptr)),
                "2 outputs; there is room for 1");
}

TEST_F(ExecutableTest, AnErrorOfAnArgumentBecomesThatOfEveryOutput) {
  ASSERT_VALUE(const Executable add, CompileFor(devices_[0], kAdd));
  ASSERT_VALUE(const Sharding single, client_->Single(devices_[0]));
  ASSERT_VALUE(const Array bad, client_->ErrorArray({PJRT_Buffer_Type_F32, {4}, single},
                                                    PJRT_Error_Code_ABORTED, "no data"));
  ASSERT_VALUE(const Array x, Floats(devices_[0], {1, 2, 3, 4}));
  std::optional<Future<>> done;
  const Array arguments[] = {x, bad};
  ASSERT_VALUE(const std::vector<Array> outputs, add.Execute(arguments, {}, &done));
  EXPECT_EQ(done->Await().code(), PJRT_Error_Code_ABORTED);
  for (const Array& output : outputs) {
    EXPECT_EQ(output.Ready().Await().code(), PJRT_Error_Code_ABORTED);
    EXPECT_EQ(output.ToHost<float>().status().message(), "no data");
  }
}

TEST_F(ExecutableTest, CompileErrorsAreThoseOfTheExecutable) {
  ASSERT_VALUE(const Executable broken, client_->Compile("no program"));
  const Status status = broken.Ready().Await();
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(broken.NumOutputs().status().code(), status.code());
  EXPECT_EQ(broken({}).status().code(), status.code());
  ASSERT_VALUE(const Executable serial, client_->Compile("no program", {.serial = true}));
  EXPECT_TRUE(serial.Ready().IsReady());
  EXPECT_EQ(client_->Compile(kAdd, {.devices = {Device()}}).status().code(), kInvalid);
}

// What the plugin was asked, by a table that keeps it.
struct Asked {
  std::string compile_options;
  int launch_id = 0;
  std::string call_location;
  bool wants_status = false;
  int poisoned = 0;
  std::string poison;
  decltype(PJRT_Api::PJRT_Client_Compile) compile = nullptr;
  decltype(PJRT_Api::PJRT_LoadedExecutable_Execute) execute = nullptr;
};
Asked asked;

PJRT_Error* Compile(PJRT_Client_Compile_Args* args) {
  asked.compile_options.assign(args->compile_options, args->compile_options_size);
  return asked.compile(args);
}
PJRT_Error* Execute(PJRT_LoadedExecutable_Execute_Args* args) {
  asked.launch_id = args->options->launch_id;
  asked.call_location = args->options->call_location == nullptr ? "" : args->options->call_location;
  asked.wants_status = args->device_complete_events != nullptr;
  return asked.execute(args);
}
PJRT_Error* Poison(PJRT_Device_PoisonExecution_Args* args) {
  asked.poisoned = args->launch_id;
  asked.poison.assign(args->error_message, args->error_message_size);
  args->poisoned = true;
  return nullptr;
}

TEST_F(ExecutableTest, OptionsReachThePlugin) {
  static PJRT_Api table = *client_->api();
  asked = {};
  asked.compile = std::exchange(table.PJRT_Client_Compile, &Compile);
  asked.execute = std::exchange(table.PJRT_LoadedExecutable_Execute, &Execute);
  table.PJRT_Device_PoisonExecution = &Poison;
  ASSERT_VALUE(const Client client, Client::Create({.api = &table}));
  const plinth_ifrt_device* const device = client.devices()[0].get();
  // A typed option, and a field of the options that only the plugin may know.
  const char* const override = "xla_embed_ir_in_executable=true";
  const std::string unknown = "\xc0\x3e\x01";  // Field 1000.
  plinth_ifrt_compile_options options = {};
  options.struct_size = plinth_ifrt_compile_options_STRUCT_SIZE;
  options.code = kAdd;
  options.code_size = std::char_traits<char>::length(kAdd);
  options.devices = &device;
  options.num_devices = 1;
  options.overrides = &override;
  options.num_overrides = 1;
  options.extra_proto = unknown.data();
  options.extra_proto_size = unknown.size();
  plinth_ifrt_executable* made = nullptr;
  ASSERT_OK(Status(plinth_ifrt_executable_compile(client.get(), &options, &made)));
  plinth_ifrt_client_retain(client.get());
  const Executable add(internal::ClientHandle(client.get()), made);
  ASSERT_OK(add.Ready().Await());
  EXPECT_NE(asked.compile_options.find("xla_embed_ir_in_executable"), std::string::npos);
  EXPECT_NE(asked.compile_options.find(unknown), std::string::npos);

  ASSERT_VALUE(const Sharding single, client.Single(client.devices()[0]));
  ASSERT_VALUE(const Array x, client.FromHost<float>({4}, single, Iota<float>(4)));
  const Array arguments[] = {x, x};
  ASSERT_VALUE(const std::vector<Array> quiet, add.Execute(arguments));
  EXPECT_EQ(asked.launch_id, 0);
  EXPECT_EQ(asked.call_location, "");
  EXPECT_FALSE(asked.wants_status);
  std::optional<Future<>> done;
  ASSERT_VALUE(const std::vector<Array> outputs,
               add.Execute(arguments, {.launch_id = 7, .call_location = "train.py:12"}, &done));
  ASSERT_OK(done->Await());
  EXPECT_EQ(asked.launch_id, 7);
  EXPECT_EQ(asked.call_location, "train.py:12");
  EXPECT_TRUE(asked.wants_status);
  ASSERT_OK(add.Cancel(7, PJRT_Error_Code_CANCELLED, "not wanted any more"));
  EXPECT_EQ(asked.poisoned, 7);
  EXPECT_EQ(asked.poison, "not wanted any more");
}

TEST_F(ExecutableTest, HloModules) {
  std::ifstream file("../../conformance/programs/pytorch-xla-2.9/addone_1.hlo.pb",
                     std::ios::binary);
  const std::string code((std::istreambuf_iterator<char>(file)), {});
  ASSERT_FALSE(code.empty());
  ASSERT_VALUE(const Executable program, client_->Compile(code, {.format = "hlo"}));
  ASSERT_OK(program.Ready().Await());
  ASSERT_VALUE(const ArraySpec output, program.Output(0));
  ASSERT_VALUE(const Executable nonsense, client_->Compile("no module", {.format = "hlo"}));
  EXPECT_EQ(nonsense.Ready().Await().code(), kInvalid);
  ASSERT_VALUE(const Executable unknown, client_->Compile(code, {.format = "cobol"}));
  EXPECT_NE(unknown.Ready().Await().message().find("cobol"), std::string::npos);
}

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

Task CompileThenRun(Client client, Device device, Array x, std::atomic<int>& result) {
  const Expected<Future<Executable>> pending = client.CompileAsync(kAdd, {.devices = {device}});
  const Expected<Executable> add = co_await *pending;
  const Expected<std::vector<Array>> outputs = (*add)({x, x});
  const Status ready = co_await (*outputs)[0].Ready();
  result = ready.ok() ? 1 : -1;
}

TEST_F(ExecutableTest, Coroutines) {
  ASSERT_VALUE(const Array x, Floats(devices_[0], {1, 2, 3, 4}));
  std::atomic<int> result = 0;
  CompileThenRun(*client_, devices_[0], x, result);
  while (result == 0) std::this_thread::yield();
  EXPECT_EQ(result, 1);
}

}  // namespace
}  // namespace plinth::ifrt::testing
