// SPDX-License-Identifier: Apache-2.0
// Functions of a client that programs in the server call: both sides in one test, by the messages
// that the wheel's module remote_callbacks makes jaxlib send.
#include "impl/serve/callbacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "impl/serve/convert.h"
#include "impl/serve/session.h"
#include "impl/serve/testing/test_client.h"
#include "plinth/support/xla_messages.h"

namespace plinth::serve {
namespace {

using ::testing::HasSubstr;

constexpr const char* kKey = "plinth-callbacks:0123456789abcdef0123456789abcdef";

template <typename T>
std::string Bytes(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

class CallbacksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static const Status added =
        AddCallbackHandlers(TestDevices().api(), TestDevices().platform_name());
    ASSERT_TRUE(added.ok()) << added.ToString();
    client_.Begin();
  }

  // A program of one custom call; its handle.
  uint64_t Compile(std::string_view target, std::string_view operands, std::string_view result,
                   std::string_view attributes = "") {
    std::string parameters;
    std::string names;
    std::string types;
    for (size_t i = 0; !operands.empty(); ++i) {
      const size_t size = std::min(operands.find(' '), operands.size());
      const std::string type = StrCat("tensor<", operands.substr(0, size), ">");
      const char* const comma = i == 0 ? "" : ", ";
      parameters += StrCat(comma, "%arg", i, ": ", type);
      names += StrCat(comma, "%arg", i);
      types += StrCat(comma, type);
      operands.remove_prefix(std::min(size + 1, operands.size()));
    }
    const std::string type = StrCat("tensor<", result, ">");
    proxy::CompileRequest request;
    request.program = {"xla::ifrt::XlaProgram",
                       StrCat("module @m { func.func public @main(", parameters, ") -> ", type,
                              " { %0 = stablehlo.custom_call @", target, "(", names,
                              ") {api_version = 4 : i32, has_side_effect = true, backend_config = "
                              "{key = \"",
                              kKey, "\"", attributes, "}} : (", types, ") -> ", type,
                              " return %0 : ", type, " } }")};
    messages::CompileOptions options;
    options.device_assignment = DeviceAssignment{1, 1, {0}};
    request.compile_options = {
        "xla::ifrt::XlaCompileOptions",
        proxy::Write(proxy::XlaCompileOptionsProto{messages::WriteCompileOptions(options)})};
    const auto compiled = client_.Ask(request);
    const auto* program = std::get_if<proxy::CompileResponse>(&compiled.response);
    EXPECT_NE(program, nullptr) << StatusIn(compiled).ToString();
    return program == nullptr ? 0 : program->loaded_executable_handle;
  }

  uint64_t Put(proxy::DTypeProto type, std::vector<int64_t> dims, const std::string& bytes) {
    const uint64_t handle = next_++;
    proxy::MakeArrayFromHostBufferRequest request;
    request.dtype = std::move(type);
    request.shape.dims = std::move(dims);
    request.sharding = {{"xla::ifrt::SingleDeviceSharding",
                         proxy::Write(proxy::SingleDeviceShardingProto{0, std::nullopt})}};
    request.host_buffer_handle = handle;
    request.array_handle = handle;
    EXPECT_TRUE(client_.Store(handle, bytes).ok());
    EXPECT_TRUE(StatusIn(client_.Ask(request)).ok());
    return handle;
  }
  uint64_t Numbers(uint32_t first, uint32_t second) {
    return Put(ToProto(DType::kU32), {2}, Bytes<uint32_t>({first, second}));
  }

  uint64_t Run(uint64_t program, std::vector<uint64_t> arguments) {
    const uint64_t result = next_++;
    proxy::LoadedExecutableExecuteRequest execute;
    execute.loaded_executable_handle = program;
    execute.args_handles = std::move(arguments);
    execute.result_array_handle = {result};
    client_.Post(std::move(execute));
    return result;
  }

  Expected<std::string> Read(uint64_t array) {
    const uint64_t buffer = next_++;
    const Status status =
        StatusIn(client_.Ask(proxy::CopyToHostBufferRequest{buffer, array, std::nullopt}));
    if (!status.ok()) return status;
    return client_.Lookup(buffer);
  }

  uint64_t CallProgram() {
    return Compile("plinth_callback_call", "4xf32", "2xf32", ", index = 7 : ui32");
  }
  uint64_t Call(uint64_t program) {
    return Run(program, {Put(ToProto(DType::kF32), {4}, Bytes<float>({1, 2, 3, 4}))});
  }
  // Number and index of the next call.
  std::pair<uint32_t, uint32_t> Poll() {
    const Expected<std::string> bytes =
        Read(Run(Compile("plinth_callback_poll", "", "2xui32"), {}));
    uint32_t numbers[2] = {};
    EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
    if (bytes.ok()) std::memcpy(numbers, bytes->data(), sizeof(numbers));
    return {numbers[0], numbers[1]};
  }
  Expected<std::string> Fetch(uint32_t number, std::string_view type) {
    return Read(Run(Compile("plinth_callback_fetch", "1xui32", type),
                    {Put(ToProto(DType::kU32), {1}, Bytes<uint32_t>({number}))}));
  }
  Status Reply(uint32_t number, uint32_t is_error, const std::string& bytes) {
    const auto size = static_cast<int64_t>(bytes.size());
    return Read(Run(Compile("plinth_callback_reply", StrCat("2xui32 ", size, "xui8"), "1xui32"),
                    {Numbers(number, is_error), Put(ToProto(DType::kU8), {size}, bytes)}))
        .status();
  }

  Service service_{TestDevices(), {64 << 20}, nullptr};
  TestClient client_{&service_};
  uint64_t next_ = 1;
};

TEST_F(CallbacksTest, ProgramsCallFunctionsOfTheClient) {
  const uint64_t program = CallProgram();
  const uint64_t first = Call(program);
  const auto [number, index] = Poll();
  EXPECT_NE(number, 0u);
  EXPECT_EQ(index, 7u);
  EXPECT_EQ(*Fetch(number, "16xui8"), Bytes<float>({1, 2, 3, 4}));
  EXPECT_TRUE(Reply(number, 0, Bytes<float>({5, 6})).ok());
  EXPECT_EQ(*Read(first), Bytes<float>({5, 6}));

  const uint64_t second = Call(program);
  const auto [next, again] = Poll();
  EXPECT_EQ(again, 7u);
  EXPECT_TRUE(Reply(next, 1, "ValueError: no").ok());
  EXPECT_THAT(Read(second).status().message(), HasSubstr("ValueError: no"));
}

TEST_F(CallbacksTest, SeveralCallsAreAnsweredInAnyOrder) {
  const uint64_t program = CallProgram();
  const uint64_t a = Call(program);
  const auto [first, index] = Poll();
  const uint64_t b = Call(program);
  const auto [second, same] = Poll();
  EXPECT_NE(first, second);
  EXPECT_TRUE(Reply(second, 0, Bytes<float>({2, 2})).ok());
  EXPECT_EQ(*Read(b), Bytes<float>({2, 2}));
  EXPECT_TRUE(Reply(first, 0, Bytes<float>({1, 1})).ok());
  EXPECT_EQ(*Read(a), Bytes<float>({1, 1}));
}

// A client that asks again and again whether something is there pays for each question.
TEST_F(CallbacksTest, RequestsThatWaitAreCharged) {
  const uint64_t call = Call(CallProgram());
  const size_t before = client_.connection().Count().memory;
  constexpr size_t kCount = 1000;
  std::vector<uint64_t> asked;
  for (size_t i = 0; i < kCount; ++i) {
    asked.push_back(client_.Post(proxy::CheckValueReadyRequest{{call}}));
  }
  // What is counted before may go meanwhile, such as the call itself.
  EXPECT_GE(client_.connection().Count().memory, before + 500 * kCount);
  const auto [number, index] = Poll();
  EXPECT_TRUE(Reply(number, 0, Bytes<float>({5, 6})).ok());
  for (const uint64_t op : asked) EXPECT_TRUE(StatusIn(client_.Wait(op)).ok());
  EXPECT_LT(client_.connection().Count().memory, before + 100 * kCount);
}

TEST_F(CallbacksTest, WrongAnswers) {
  const uint64_t call = Call(CallProgram());
  const auto [number, index] = Poll();
  EXPECT_THAT(Fetch(number + 1, "16xui8").status().message(), HasSubstr("there is no call"));
  EXPECT_THAT(Fetch(number, "15xui8").status().message(),
              HasSubstr("16 bytes of operands, not 15"));
  EXPECT_THAT(Fetch(number, "0xui8").status().message(), HasSubstr("16 bytes of operands, not 0"));
  EXPECT_FALSE(Reply(number + 1, 0, Bytes<float>({5, 6})).ok());
  EXPECT_TRUE(Reply(number, 0, Bytes<float>({5})).ok());
  EXPECT_THAT(Read(call).status().message(), HasSubstr("4 bytes of results for 8"));
  EXPECT_FALSE(Reply(number, 0, Bytes<float>({5, 6})).ok());  // Answered.
  EXPECT_THAT(Read(Run(Compile("plinth_callback_poll", "", "3xui32"), {})).status().message(),
              HasSubstr("wrong size"));
  EXPECT_THAT(Read(Run(Compile("plinth_callback_call", "", "2xf32"), {})).status().message(),
              HasSubstr("`index`"));
}

TEST_F(CallbacksTest, TheClientEndsItsPoll) {
  EXPECT_TRUE(Reply(0, 0, "").ok());
  EXPECT_EQ(Poll().first, 0u);
}

TEST(CallbackChannels, OfAThousandKeysAtMost) {
  std::string program;
  for (int i = 0; i < 2000; ++i)
    program += std::string(kKey).replace(17, 4, std::to_string(1000 + i));
  CallbackChannels channels;
  channels.Open(program);
  EXPECT_EQ(channels.size(), 1024u);
}

TEST(CallbackChannels, OfKeysThatAreKeys) {
  CallbackChannels channels;
  channels.Open(StrCat("a", kKey, "b", kKey));
  channels.Open(kKey);
  EXPECT_EQ(channels.size(), 1u);
  channels.Open("plinth-callbacks:0123");
  channels.Open(std::string(kKey).replace(20, 1, "G"));
  EXPECT_EQ(channels.size(), 1u);
}

// A call that nobody answers ends with its client; the test would hang else.
TEST_F(CallbacksTest, CallsEndWithTheirClient) {
  constexpr const char* kOther = "plinth-callbacks:ffffffffffffffffffffffffffffffff";
  const auto program = TestDevices().Compile(
      StrCat("module @m { func.func public @main() -> tensor<2xui32> { %0 = stablehlo.custom_call "
             "@plinth_callback_poll() {api_version = 4 : i32, has_side_effect = true, "
             "backend_config = {key = \"",
             kOther, "\"}} : () -> tensor<2xui32> return %0 : tensor<2xui32> } }"),
      {.devices = {TestDevices().devices()[0]}});
  ASSERT_TRUE(program.ok()) << program.status().message();
  CallbackChannels calling;
  calling.Open(kOther);
  std::optional<CallbackChannels> polling(std::in_place);
  polling->Open(StrCat("plinth_callback_poll", kOther));
  const auto outputs = program->Execute({});
  ASSERT_TRUE(outputs.ok()) << outputs.status().message();
  const auto ready = (*outputs)[0].Ready();
  EXPECT_FALSE(ready.IsReady());
  polling.reset();
  EXPECT_THAT(std::string(ready.Await().message()), HasSubstr("is gone"));
  const auto late = program->Execute({});
  ASSERT_TRUE(late.ok());
  EXPECT_THAT(std::string((*late)[0].Ready().Await().message()), HasSubstr("is gone"));
}

TEST_F(CallbacksTest, KeysOfNoSession) {
  const auto program = TestDevices().Compile(
      "module @m { func.func public @main() -> tensor<2xui32> { %0 = stablehlo.custom_call "
      "@plinth_callback_poll() {api_version = 4 : i32, has_side_effect = true, backend_config = "
      "{key = \"nobody's\"}} : () -> tensor<2xui32> return %0 : tensor<2xui32> } }",
      {.devices = {TestDevices().devices()[0]}});
  ASSERT_TRUE(program.ok()) << program.status().message();
  const auto outputs = program->Execute({});
  ASSERT_TRUE(outputs.ok()) << outputs.status().message();
  EXPECT_THAT(std::string((*outputs)[0].Ready().Await().message()), HasSubstr("no session"));
}

TEST(CallbackHandlers, NotWhereMemoryIsNotTheHosts) {
  EXPECT_EQ(AddCallbackHandlers(TestDevices().api(), "cuda").code(), StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace plinth::serve
