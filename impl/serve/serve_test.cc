// SPDX-License-Identifier: Apache-2.0
// The server through its protocol, on the built CPU plugin: what clients may ask, and what they may
// get wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <span>
#include <thread>

#include "impl/serve/convert.h"
#include "impl/serve/sender.h"
#include "impl/serve/session.h"
#include "impl/serve/testing/test_client.h"
#include "plinth/support/xla_messages.h"

namespace plinth::serve {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMemory = 64 << 20;

std::string Bytes(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

proxy::ShardingProto OnDevice(int id) {
  return {{"xla::ifrt::SingleDeviceSharding",
           proxy::Write(proxy::SingleDeviceShardingProto{id, std::nullopt})}};
}

proxy::ShardingProto Rows() {
  messages::OpSharding tiled;
  tiled.kind = messages::OpSharding::Kind::kTiled;
  tiled.tile_dimensions = {2};
  tiled.devices = {0, 1};
  return {
      {"xla::ifrt::HloSharding", proxy::Write(proxy::HloShardingProto{
                                     {{0, 1}}, messages::WriteOpSharding(tiled), std::nullopt})}};
}

proxy::MakeArrayFromHostBufferRequest Make(uint64_t handle, std::vector<int64_t> dims,
                                           proxy::ShardingProto sharding) {
  proxy::MakeArrayFromHostBufferRequest request;
  request.dtype = ToProto(DType::kF32);
  request.shape.dims = std::move(dims);
  request.sharding = std::move(sharding);
  request.host_buffer_handle = handle;
  request.array_handle = handle;
  return request;
}

proxy::CompileRequest Double() {
  messages::CompileOptions options;
  options.device_assignment = DeviceAssignment{1, 1, {1}};
  proxy::CompileRequest request;
  request.program = {"xla::ifrt::XlaProgram",
                     "module @double { func.func public @main(%arg0: tensor<4xf32>) -> "
                     "tensor<4xf32> { %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32> "
                     "return %0 : tensor<4xf32> } }"};
  request.compile_options = {
      "xla::ifrt::XlaCompileOptions",
      proxy::Write(proxy::XlaCompileOptionsProto{messages::WriteCompileOptions(options)})};
  return request;
}

#define EXPECT_REFUSED(response, wanted, text)                           \
  do {                                                                   \
    const Status refused = StatusIn(response);                           \
    EXPECT_EQ(refused.code(), StatusCode::wanted) << refused.ToString(); \
    EXPECT_THAT(refused.message(), HasSubstr(text));                     \
  } while (false)

class ServeTest : public ::testing::Test {
 protected:
  std::string Read(TestClient& client, uint64_t array, uint64_t buffer) {
    const auto copied = client.Ask(proxy::CopyToHostBufferRequest{buffer, array, std::nullopt});
    EXPECT_TRUE(StatusIn(copied).ok()) << StatusIn(copied).ToString();
    Expected<std::string> bytes = client.Lookup(buffer);
    EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
    return bytes.ok() ? *bytes : "";
  }

  Service service_{TestDevices(), {kMemory}, nullptr};
};

TEST(Versions, LargestOfBoth) {
  const auto both = Negotiate({{16, 0}, {25, 3}});
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->protocol_version, 25);
  EXPECT_EQ(both->ifrt_serdes_version_number, 3);
  EXPECT_EQ(Negotiate({{15, 0}, {16, 0}})->protocol_version, 16);
  EXPECT_EQ(Negotiate({{16, 2}, {99, 99}})->ifrt_serdes_version_number, 6);
}

TEST(Versions, RefusedWithBothRanges) {
  const auto future = Negotiate({{26, 0}, {30, 0}});
  EXPECT_EQ(future.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(future.status().message(), HasSubstr("26 to 30"));
  EXPECT_THAT(future.status().message(), HasSubstr("16 to 25"));
  EXPECT_THAT(Negotiate({{16, 7}, {25, 9}}).status().message(), HasSubstr("7 to 9"));
  EXPECT_FALSE(Negotiate({{1, 0}, {15, 0}}).ok());
  EXPECT_FALSE(Negotiate({{25, 3}, {16, 0}}).ok());
}

TEST_F(ServeTest, TellsTheDevices) {
  TestClient client(&service_);
  const proxy::InitResponse init = client.Begin();
  EXPECT_EQ(init.all_devices.size(), 2u);
  EXPECT_EQ(init.addressable_device_ids, (std::vector<int32_t>{0, 1}));
  EXPECT_NE(init.session_id, 0u);
  EXPECT_GE(init.memories.size(), 2u);
}

TEST_F(ServeTest, BuffersComeBeforeOrAfter) {
  TestClient client(&service_);
  client.Begin();
  const std::vector<float> values = {1, 2, 3, 4};
  EXPECT_TRUE(client.Store(1, Bytes(values)).ok());
  EXPECT_TRUE(StatusIn(client.Ask(Make(1, {4}, OnDevice(1)))).ok());
  EXPECT_EQ(Read(client, 1, 100), Bytes(values));

  const uint64_t early = client.Post(Make(2, {4}, Rows()));
  const uint64_t next = client.Post(proxy::IsArrayDeletedRequest{1});
  EXPECT_FALSE(client.HasAnswer(early));
  EXPECT_FALSE(client.HasAnswer(next));  // In order.
  EXPECT_TRUE(client.Store(2, Bytes(values)).ok());
  EXPECT_TRUE(StatusIn(client.Wait(early)).ok()) << StatusIn(client.Wait(early)).ToString();
  EXPECT_TRUE(client.HasAnswer(next));
  EXPECT_EQ(Read(client, 2, 101), Bytes(values));
}

TEST_F(ServeTest, ComputesWithHandlesOfTheClient) {
  TestClient client(&service_);
  client.Begin();
  const std::vector<float> values = {1, 2, 3, 4};
  EXPECT_TRUE(client.Store(1, Bytes(values)).ok());
  client.Ask(Make(1, {4}, OnDevice(1)));
  const auto compiled = client.Ask(Double());
  const auto* program = std::get_if<proxy::CompileResponse>(&compiled.response);
  ASSERT_NE(program, nullptr) << StatusIn(compiled).ToString();
  EXPECT_GE(program->loaded_executable_handle, Session::kFirstServerHandle);
  proxy::LoadedExecutableExecuteRequest execute;
  execute.loaded_executable_handle = program->loaded_executable_handle;
  execute.args_handles = {1};
  const auto first = client.Ask(execute);
  const auto* executed = std::get_if<proxy::LoadedExecutableExecuteResponse>(&first.response);
  ASSERT_NE(executed, nullptr) << StatusIn(first).ToString();
  ASSERT_EQ(executed->outputs.size(), 1u);
  EXPECT_EQ(executed->outputs[0].shape.dims, std::vector<int64_t>{4});
  EXPECT_EQ(Read(client, executed->outputs[0].array_handle, 100),
            Bytes(std::vector<float>{2, 4, 6, 8}));
  execute.result_array_handle = {7};
  execute.args_handles = {executed->outputs[0].array_handle};
  execute.execute_options.fill_status = true;
  execute.result_status_handle = 8;
  EXPECT_TRUE(StatusIn(client.Ask(execute)).ok());
  EXPECT_TRUE(StatusIn(client.Ask(proxy::LoadedExecutableFetchExecuteResultRequest{8})).ok());
  EXPECT_EQ(Read(client, 7, 101), Bytes(std::vector<float>{4, 8, 12, 16}));
  // The same handles again, and one that is gone.
  EXPECT_REFUSED(client.Ask(execute), kInvalidArgument, "array handle 7 is in use");
  EXPECT_REFUSED(client.Ask(proxy::LoadedExecutableFetchExecuteResultRequest{8}), kInvalidArgument,
                 "handle 7");
  EXPECT_TRUE(StatusIn(client.Ask(proxy::LoadedExecutableDestructRequest{
                           program->loaded_executable_handle,
                       }))
                  .ok());
  execute.result_array_handle = {9};
  EXPECT_REFUSED(client.Ask(execute), kNotFound, "no executable");
  EXPECT_REFUSED(client.Ask(proxy::CheckValueReadyRequest{{9}}), kNotFound, "no executable");
}

TEST_F(ServeTest, SeesBytesAsAnotherType) {
  TestClient client(&service_);
  client.Begin();
  const std::vector<float> values = {1, 2, 3, 4};
  EXPECT_TRUE(client.Store(1, Bytes(values)).ok());
  client.Ask(Make(1, {4}, Rows()));
  const proxy::ArraySpecProto words = {ToProto(DType::kU32), {{4}}, Rows(), {}};
  const auto bitcast = [&](std::vector<uint64_t> arrays, std::vector<proxy::ArraySpecProto> specs,
                           int semantics, std::vector<uint64_t> results) {
    return client.Ask(proxy::BitcastArraysRequest{std::move(arrays), std::move(specs), semantics,
                                                  std::move(results)});
  };
  constexpr int kReuse = 2;
  constexpr int kDonate = 3;
  EXPECT_REFUSED(bitcast({1}, {}, kReuse, {2}), kInvalidArgument, "0 specs");
  EXPECT_REFUSED(client.Ask(proxy::CheckValueReadyRequest{{2}}), kInvalidArgument, "0 specs");
  auto larger = words;
  larger.dtype = ToProto(DType::kU64);
  EXPECT_REFUSED(bitcast({1}, {larger}, kReuse, {3}), kInvalidArgument, "another size");
  EXPECT_REFUSED(bitcast({77}, {words}, kReuse, {4}), kNotFound, "77");
  const size_t before = client.connection().Count().memory;
  EXPECT_TRUE(StatusIn(bitcast({1}, {words}, kReuse, {5})).ok());
  EXPECT_GE(client.connection().Count().memory, before + 16);
  EXPECT_EQ(Read(client, 5, 100), Bytes(values));
  const auto answer = bitcast({1}, {words}, kDonate, {});
  const auto* made = std::get_if<proxy::BitcastArraysResponse>(&answer.response);
  ASSERT_NE(made, nullptr) << StatusIn(answer).ToString();
  ASSERT_EQ(made->array_handles.size(), 1u);
  EXPECT_EQ(Read(client, made->array_handles[0], 101), Bytes(values));
  EXPECT_REFUSED(client.Ask(proxy::CopyToHostBufferRequest{102, 1, std::nullopt}), kInvalidArgument,
                 "deleted or donated");
}

TEST_F(ServeTest, TellsHowProgramsCutAndLayArguments) {
  TestClient client(&service_);
  client.Begin();
  const auto describe = [&](const proxy::CompileRequest& request) {
    const auto compiled = client.Ask(request);
    const auto* program = std::get_if<proxy::CompileResponse>(&compiled.response);
    EXPECT_NE(program, nullptr) << StatusIn(compiled).ToString();
    const auto told = client.Ask(
        proxy::LoadedExecutableMetadataRequest{program ? program->loaded_executable_handle : 0});
    const auto* metadata = std::get_if<proxy::LoadedExecutableMetadataResponse>(&told.response);
    EXPECT_NE(metadata, nullptr) << StatusIn(told).ToString();
    return metadata ? *metadata : proxy::LoadedExecutableMetadataResponse();
  };
  const auto on_one = describe(Double());
  ASSERT_TRUE(on_one.parameter_shardings.has_value());
  EXPECT_EQ(on_one.parameter_shardings->shardings,
            std::vector<std::string>{messages::WriteOpSharding({})});

  auto cut = Double();
  messages::CompileOptions options;
  options.device_assignment = DeviceAssignment{1, 2, {0, 1}};
  options.num_partitions = 2;
  options.use_spmd_partitioning = true;
  cut.program.data =
      "module @rows attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} { "
      "func.func public @main(%arg0: tensor<4x6xf32> {mhlo.sharding = \"{devices=[2,1]<=[2]}\"}, "
      "%arg1: tensor<f32> {mhlo.sharding = \"{replicated}\"}) -> (tensor<4x6xf32> {mhlo.sharding "
      "= \"{devices=[2,1]<=[2]}\"}) { return %arg0 : tensor<4x6xf32> } }";
  cut.compile_options.data =
      proxy::Write(proxy::XlaCompileOptionsProto{messages::WriteCompileOptions(options)});
  const auto on_two = describe(cut);
  ASSERT_TRUE(on_two.parameter_shardings.has_value());
  ASSERT_EQ(on_two.parameter_shardings->shardings.size(), 2u);
  const auto first = messages::ReadOpSharding(
      std::as_bytes(std::span<const char>(on_two.parameter_shardings->shardings[0])));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->kind, messages::OpSharding::Kind::kTiled);
  EXPECT_EQ(first->tile_dimensions, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(on_two.parameter_shardings->shardings[1], messages::WriteOpSharding({}));
  const auto* layouts = std::get_if<proxy::LayoutList>(&on_two.parameter_layouts);
  ASSERT_NE(layouts, nullptr)
      << ErrorFromProto(std::get<proxy::StatusProto>(on_two.parameter_layouts)).ToString();
  ASSERT_EQ(layouts->layouts.size(), 2u);
  EXPECT_EQ(layouts->layouts[0].minor_to_major, (std::vector<int64_t>{1, 0}));
  EXPECT_TRUE(layouts->layouts[1].minor_to_major.empty());
  const auto* outputs = std::get_if<proxy::LayoutList>(&on_two.output_layouts);
  ASSERT_NE(outputs, nullptr);
  ASSERT_EQ(outputs->layouts.size(), 1u);
  EXPECT_EQ(outputs->layouts[0].minor_to_major, (std::vector<int64_t>{1, 0}));
}

// Partial sums travel as the OpSharding that the plugin tells of them, and come back as that.
TEST_F(ServeTest, UnreducedArraysKeepTheirSharding) {
  TestClient client(&service_);
  client.Begin();
  auto partial = Double();
  messages::CompileOptions options;
  options.device_assignment = DeviceAssignment{1, 2, {0, 1}};
  options.num_partitions = 2;
  options.use_spmd_partitioning = true;
  options.use_shardy_partitioner = true;
  partial.program.data =
      "module @partial attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} { "
      "sdy.mesh @mesh = <[\"a\"=2]> func.func public @main(%x: tensor<4xf32> {sdy.sharding = "
      "#sdy.sharding<@mesh, [{\"a\"}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], "
      "unreduced={\"a\"}>}) { %zero = stablehlo.constant dense<0.0> : tensor<f32> %0 = "
      "stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : "
      "(tensor<4xf32>, tensor<f32>) -> tensor<f32> return %0 : tensor<f32> } }";
  partial.compile_options.data =
      proxy::Write(proxy::XlaCompileOptionsProto{messages::WriteCompileOptions(options)});
  const auto compiled = client.Ask(partial);
  const auto* program = std::get_if<proxy::CompileResponse>(&compiled.response);
  ASSERT_NE(program, nullptr) << StatusIn(compiled).ToString();
  const std::vector<float> values = {1, 2, 3, 4};
  EXPECT_TRUE(client.Store(1, Bytes(values)).ok());
  client.Ask(Make(1, {4}, Rows()));
  proxy::LoadedExecutableExecuteRequest execute;
  execute.loaded_executable_handle = program->loaded_executable_handle;
  execute.args_handles = {1};
  const auto first = client.Ask(execute);
  const auto* executed = std::get_if<proxy::LoadedExecutableExecuteResponse>(&first.response);
  ASSERT_NE(executed, nullptr) << StatusIn(first).ToString();
  const proxy::ShardingProto& sharding = executed->outputs[0].sharding;
  EXPECT_EQ(sharding.serialized_sharding.type_name, "xla::ifrt::HloSharding");
  proxy::HloShardingProto hlo;
  ASSERT_TRUE(proxy::Read(sharding.serialized_sharding.data, &hlo).ok());
  const auto told =
      messages::ReadOpSharding(std::as_bytes(std::span<const char>(hlo.xla_op_sharding)));
  ASSERT_TRUE(told.ok());
  EXPECT_TRUE(told->kind == messages::OpSharding::Kind::kUnreduced ||
              !told->last_tile_dims.empty());
  // Apart, and together again with the sharding that came.
  proxy::DisassembleIntoSingleDeviceArraysRequest apart;
  apart.array_handle = executed->outputs[0].array_handle;
  apart.result_handles = {10, 11};
  EXPECT_TRUE(StatusIn(client.Ask(apart)).ok());
  proxy::AssembleArrayFromSingleDeviceArraysRequest together;
  together.sharding = sharding;
  together.single_device_array_handles = {10, 11};
  together.copy_semantics = 2;
  together.result_handle = 12;
  EXPECT_TRUE(StatusIn(client.Ask(together)).ok());
  EXPECT_TRUE(StatusIn(client.Ask(proxy::CheckValueReadyRequest{{12}})).ok());
  float sum = 0;
  for (const uint64_t part : {10, 11}) {
    const std::string bytes = Read(client, part, 100 + part);
    float one = 0;
    ASSERT_EQ(bytes.size(), sizeof(one));
    std::memcpy(&one, bytes.data(), sizeof(one));
    sum += one;
  }
  EXPECT_EQ(sum, 10);
}

TEST_F(ServeTest, AnswersThatNobodyWaitsForGoWithTheNext) {
  TestClient client(&service_);
  client.Begin();
  EXPECT_TRUE(client.Store(1, "1234").ok());
  const uint64_t make = client.Post(Make(1, {1}, OnDevice(0)));
  const uint64_t copy = client.Post(proxy::CopyArraysRequest{{1}, {}, std::nullopt, 1, {2}});
  const uint64_t wrong = client.Post(proxy::CopyArraysRequest{{7}, {}, std::nullopt, 1, {3}});
  const uint64_t drop = client.Post(proxy::DestructArrayRequest{{2}});
  for (const uint64_t answer : {make, copy, wrong, drop}) EXPECT_FALSE(client.HasAnswer(answer));
  EXPECT_TRUE(client.connection().has_late());
  const uint64_t asked = client.Post(proxy::IsArrayDeletedRequest{1});
  EXPECT_TRUE(client.HasAnswer(asked));
  EXPECT_FALSE(client.connection().has_late());
  for (const uint64_t answer : {make, copy, wrong, drop}) EXPECT_TRUE(client.HasAnswer(answer));
  EXPECT_REFUSED(client.Wait(wrong), kNotFound, "7");
  // If nothing else comes, by themselves; and many of them do not pile up.
  const uint64_t alone = client.Post(proxy::DestructArrayRequest{{3}});
  EXPECT_TRUE(StatusIn(client.Wait(alone)).ok());
  uint64_t last = 0;
  for (int i = 0; i < 1000; ++i) last = client.Post(proxy::DestructArrayRequest{{99}});
  EXPECT_TRUE(client.HasAnswer(last - 300));
}

// A client ends its session over a string that is no UTF-8.
TEST_F(ServeTest, EveryStringIsUtf8) {
  TestClient client(&service_);
  client.Begin();
  const proxy::ArraySpecProto spec = {ToProto(DType::kF32), {{1}}, OnDevice(0), {}};
  client.Ask(proxy::MakeErrorArraysRequest{{10, "half of \xc3, and \xff"}, {spec}, {1}});
  EXPECT_REFUSED(client.Ask(proxy::CheckValueReadyRequest{{1}}), kAborted,
                 "half of \xef\xbf\xbd, and \xef\xbf\xbd");
  auto request = Double();
  request.program.data += " // the plugin gives it back: \xff";
  const auto compiled = client.Ask(request);
  const auto* program = std::get_if<proxy::CompileResponse>(&compiled.response);
  ASSERT_NE(program, nullptr) << StatusIn(compiled).ToString();
  const auto told = client.Ask(
      proxy::LoadedExecutableHumanReadableProgramTextRequest{program->loaded_executable_handle});
  const auto* text =
      std::get_if<proxy::LoadedExecutableHumanReadableProgramTextResponse>(&told.response);
  ASSERT_NE(text, nullptr) << StatusIn(told).ToString();
  const auto* refused = std::get_if<proxy::StatusProto>(&text->result);
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->code, static_cast<int>(StatusCode::kUnimplemented));
  EXPECT_THAT(refused->message, HasSubstr("not as text"));
}

// To clients that say so in their session; the wheel's does, and makes HLO of it.
TEST_F(ServeTest, SendsProgramsAsTheyAreToWhoReadsThem) {
  const std::string key(Session::kReadsEncodedPrograms);
  for (const bool reads : {true, false}) {
    TestClient client(&service_);
    client.Begin({{{key, {reads}}}});
    const auto compiled = client.Ask(Double());
    const auto* program = std::get_if<proxy::CompileResponse>(&compiled.response);
    ASSERT_NE(program, nullptr) << StatusIn(compiled).ToString();
    const auto told = client.Ask(
        proxy::LoadedExecutableHumanReadableProgramTextRequest{program->loaded_executable_handle});
    const auto* text =
        std::get_if<proxy::LoadedExecutableHumanReadableProgramTextResponse>(&told.response);
    ASSERT_NE(text, nullptr) << StatusIn(told).ToString();
    const auto* answer = std::get_if<std::string>(&text->result);
    ASSERT_NE(answer, nullptr);
    const std::string& code = Double().program.data;
    if (!reads) {
      EXPECT_EQ(*answer, code);
      continue;
    }
    const std::string head = StrCat(Session::kEncodedProgram, "mlir:");
    ASSERT_TRUE(answer->starts_with(head)) << *answer;
    const auto sent = grpc::DecodeBinaryHeader(answer->substr(head.size()));
    ASSERT_TRUE(sent.ok()) << sent.status().ToString();
    EXPECT_EQ(*sent, code);
  }
}

TEST_F(ServeTest, ErrorsLieUnderTheirHandles) {
  TestClient client(&service_);
  client.Begin();
  EXPECT_TRUE(client.Store(1, "12345").ok());
  EXPECT_REFUSED(client.Ask(Make(1, {4}, OnDevice(0))), kInvalidArgument, "5 bytes");
  EXPECT_REFUSED(client.Ask(proxy::CheckValueReadyRequest{{1}}), kInvalidArgument, "takes 16");
  EXPECT_REFUSED(client.Ask(proxy::CopyArraysRequest{{1}, {}, std::nullopt, 1, {4}}),
                 kInvalidArgument, "takes 16");
  EXPECT_REFUSED(client.Ask(proxy::CheckValueReadyRequest{{4}}), kInvalidArgument, "takes 16");
  EXPECT_TRUE(StatusIn(client.Ask(proxy::DestructArrayRequest{{1, 4}})).ok());
  EXPECT_REFUSED(client.Ask(proxy::DestructArrayRequest{{1}}), kNotFound, "1");
}

TEST_F(ServeTest, RefusesByName) {
  TestClient client(&service_);
  client.Begin();
  EXPECT_REFUSED(client.Ask(proxy::LoadedExecutableMpmdMetadataRequest{5}), kUnimplemented,
                 "loaded_executable_mpmd_metadata_request");
  EXPECT_REFUSED(client.Ask(proxy::LoadedHostCallbackPollRequest{1, 2}), kUnimplemented,
                 "loaded_host_callback_poll_request");
  EXPECT_REFUSED(client.Ask(std::monostate()), kUnimplemented, "kind");
  EXPECT_REFUSED(client.Ask(proxy::CheckFutureRequest{77}), kNotFound, "77");
  EXPECT_REFUSED(client.Ask(proxy::CopyArraysRequest{{}, {}, std::nullopt, 1, {1, 1}}),
                 kInvalidArgument, "in use");
  EXPECT_REFUSED(
      client.Ask(proxy::CopyArraysRequest{{}, {}, std::nullopt, 1, {Session::kFirstServerHandle}}),
      kInvalidArgument, "2^48");
  auto strings = Make(6, {}, OnDevice(0));
  strings.dtype.kind = 99;
  EXPECT_TRUE(client.Store(6, "").ok());
  EXPECT_REFUSED(client.Ask(strings), kUnimplemented, "strings");
  EXPECT_TRUE(client.Store(8, "").ok());
  EXPECT_REFUSED(client.Ask(Make(8, {-1}, OnDevice(0))), kInvalidArgument, "-1");
  auto compile = Double();
  compile.host_callbacks = {"x"};
  EXPECT_REFUSED(client.Ask(compile), kUnimplemented, "host callbacks");
  compile = Double();
  compile.program.data = "no program";
  EXPECT_REFUSED(client.Ask(compile), kUnimplemented, "1:1");
}

TEST_F(ServeTest, OtherSessionsDoNotSeeTheBuffers) {
  TestClient one(&service_), other(&service_);
  one.Begin();
  other.Begin();
  EXPECT_NE(one.session_id(), other.session_id());
  EXPECT_TRUE(one.Store(1, "1234").ok());
  EXPECT_EQ(other.Lookup(1).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(service_.num_sessions(), 2u);
  other.Finish(other.session_stream());
  other.Run();
  EXPECT_EQ(service_.num_sessions(), 1u);
  EXPECT_EQ(other.Lookup(1).status().message(),
            "there is no session " + std::to_string(other.session_id()));
}

TEST_F(ServeTest, BuffersOfWrongLength) {
  TestClient client(&service_);
  client.Begin();
  const auto expect = [](const Status& status, StatusCode code, std::string_view text) {
    EXPECT_EQ(status.code(), code) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr(text));
  };
  expect(client.Store(1, "1234", 5), StatusCode::kDataLoss,
         "host buffer 1: 4 bytes instead of the 5");
  expect(client.Store(2, "1234", 3), StatusCode::kDataLoss, "host buffer 2: more than the 3 bytes");
  expect(client.Store(3, "1234", int64_t{1} << 40), StatusCode::kResourceExhausted,
         "needs 1099511627776 bytes");
  EXPECT_EQ(client.Store(4, "1234").code(), StatusCode::kOk);
  expect(client.Store(4, "1234"), StatusCode::kInvalidArgument, "host buffer 4 is there already");
  for (const uint64_t handle : {1, 2, 3}) {
    EXPECT_FALSE(StatusIn(client.Ask(Make(handle, {1}, OnDevice(0)))).ok()) << handle;
  }
  // It stops in the middle: who waits is told.
  const proxy::GrpcHostBufferStoreMetadata metadata = {client.session_id(), 9, 100};
  const int stream =
      client.Open("HostBufferStore", {{"ifrt-proxy-grpc-host-buffer-store-metadata-bin",
                                       grpc::EncodeBase64(proxy::Write(metadata))}});
  const uint64_t waiting = client.Post(Make(9, {25}, OnDevice(0)));
  EXPECT_FALSE(client.HasAnswer(waiting));
  client.Abort(stream);
  EXPECT_REFUSED(client.Wait(waiting), kDataLoss, "stopped after 0 of 100 bytes");
}

TEST_F(ServeTest, MemoryIsLimited) {
  TestClient client(&service_);
  client.Begin();
  const std::string half(kMemory / 2 - 4096, 'x');
  EXPECT_TRUE(client.Store(1, half).ok());
  EXPECT_EQ(client.Store(2, half + half).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(client.Lookup(1).ok() ? client.Lookup(1)->size() : 0, half.size());
  EXPECT_TRUE(client
                  .Call("HostBufferDelete",
                        proxy::Write(proxy::GrpcHostBufferDeleteRequest{client.session_id(), 1}))
                  .status.ok());
  EXPECT_LE(client.connection().Count().memory, 1024u);  // The failed handle.
}

// There is room for one such array only: it goes out from where it is.
TEST_F(ServeTest, WholeArraysAreSentFromWhereTheyAre) {
  TestClient client(&service_);
  client.Begin();
  constexpr int64_t kCount = (kMemory / 4 - 4096) * 3 / 4;
  std::vector<float> values(kCount);
  std::iota(values.begin(), values.end(), 0.0f);
  EXPECT_TRUE(client.Store(1, Bytes(values)).ok());
  EXPECT_TRUE(StatusIn(client.Ask(Make(1, {kCount}, OnDevice(1)))).ok());
  EXPECT_TRUE(StatusIn(client.Ask(proxy::CheckValueReadyRequest{{1}})).ok());
  EXPECT_EQ(Read(client, 1, 100), Bytes(values));
  // It outlives the array.
  EXPECT_TRUE(StatusIn(client.Ask(proxy::CopyToHostBufferRequest{101, 1, std::nullopt})).ok());
  EXPECT_TRUE(StatusIn(client.Ask(proxy::DestructArrayRequest{{1}})).ok());
  const Expected<std::string> bytes = client.Lookup(101);
  EXPECT_TRUE(bytes.ok() && *bytes == Bytes(values));
}

// What is kept for the client counts, whichever handle keeps it.
TEST_F(ServeTest, BuffersOverArraysAreChargedWithoutTheArrays) {
  TestClient client(&service_);
  client.Begin();
  constexpr int64_t kCount = kMemory / 4 * 2 / 5;
  const std::string bytes(kCount * 4, 'x');
  const auto make_and_keep = [&](uint64_t handle) {
    EXPECT_TRUE(client.Store(handle, bytes).ok());
    EXPECT_TRUE(StatusIn(client.Ask(Make(handle, {kCount}, OnDevice(1)))).ok());
    EXPECT_TRUE(StatusIn(client.Ask(proxy::CheckValueReadyRequest{{handle}})).ok());
    EXPECT_TRUE(
        StatusIn(client.Ask(proxy::CopyToHostBufferRequest{100 + handle, handle, std::nullopt}))
            .ok());
    EXPECT_TRUE(StatusIn(client.Ask(proxy::DestructArrayRequest{{handle}})).ok());
    EXPECT_GE(client.connection().Count().memory, handle * bytes.size());
  };
  make_and_keep(1);
  make_and_keep(2);
  EXPECT_EQ(client.Store(3, bytes).code(), StatusCode::kResourceExhausted);
  for (const uint64_t buffer : {101, 102}) {
    const auto call =
        client.Call("HostBufferDelete",
                    proxy::Write(proxy::GrpcHostBufferDeleteRequest{client.session_id(), buffer}));
    EXPECT_TRUE(call.status.ok());
  }
  EXPECT_LT(client.connection().Count().memory, 4096u);
}

TEST_F(ServeTest, AMessageIsNoLongerThanTheMemoryOfItsSession) {
  TestClient client(&service_);
  client.Begin();
  const auto size = static_cast<uint32_t>(kMemory + 1);
  std::string header(1, '\0');
  for (const int shift : {24, 16, 8, 0}) header.push_back(static_cast<char>(size >> shift));
  client.Write(client.session_stream(), header);
  EXPECT_EQ(client.WaitFor(client.session_stream()).status.code(), StatusCode::kResourceExhausted);
}

// However many sessions a client opens.
TEST_F(ServeTest, SessionsOfAConnectionShareItsMemory) {
  Service service(TestDevices(), {1 << 20}, nullptr);
  TestClient client(&service);
  client.Begin();
  const std::string most((1 << 20) / 4 * 3, 'x');
  EXPECT_TRUE(client.Store(1, most).ok());
  const uint64_t first = client.session_id();
  client.Begin();
  EXPECT_NE(client.session_id(), first);
  EXPECT_EQ(client.Store(1, most).code(), StatusCode::kResourceExhausted);
  TestClient other(&service);
  other.Begin();
  EXPECT_TRUE(other.Store(1, most).ok());
}

TEST_F(ServeTest, HandlesAndProgramsAreCharged) {
  Service service(TestDevices(), {64 << 10}, nullptr);
  TestClient client(&service);
  client.Begin();
  const proxy::ArraySpecProto spec = {ToProto(DType::kF32), {{1}}, OnDevice(0), {}};
  const auto make = [&](std::vector<uint64_t> handles) {
    return client.Ask(proxy::MakeErrorArraysRequest{
        {10, "lost"}, std::vector<proxy::ArraySpecProto>(handles.size(), spec), handles});
  };
  std::vector<uint64_t> many(1000);
  std::iota(many.begin(), many.end(), 1);
  EXPECT_REFUSED(make(many), kResourceExhausted, "a list of handles needs 512000 bytes");
  // Those of the server too; what has no room is not there.
  std::vector<proxy::ArraySpecProto> specs(1000, spec);
  client.Ask(proxy::MakeErrorArraysRequest{{10, "lost"}, specs, {}});
  EXPECT_LE(client.connection().Count().arrays, 128u);
  EXPECT_LE(client.connection().Count().memory, 64u << 10);
  client.Ask(proxy::DestructArrayRequest{many});
  for (uint64_t i = 0; i < 1000; ++i) {
    client.Ask(proxy::DestructArrayRequest{{Session::kFirstServerHandle + i}});
  }
  EXPECT_EQ(client.connection().Count().memory, 0u);
  const auto compiled = client.Ask(Double());
  const auto* program = std::get_if<proxy::CompileResponse>(&compiled.response);
  ASSERT_NE(program, nullptr) << StatusIn(compiled).ToString();
  proxy::IfrtResponse last;
  for (int i = 0; i < 16; ++i) last = client.Ask(Double());
  EXPECT_REFUSED(last, kResourceExhausted, "a program needs");
  EXPECT_LE(client.connection().Count().executables, 16u);
  const proxy::LoadedExecutableDestructRequest drop{program->loaded_executable_handle};
  EXPECT_TRUE(StatusIn(client.Ask(drop)).ok());
  EXPECT_TRUE(StatusIn(client.Ask(Double())).ok());
}

// A byte of a message may be eight in memory, or two hundred.
TEST_F(ServeTest, MessagesThatGrowWhenTheyAreReadEndTheSession) {
  const std::vector<uint64_t> numbers((1 << 22) + 1, 1);
  proxy::MakeArraysFromHostBufferShardsRequest lists;
  lists.specs.resize(9);
  for (proxy::ShardsSpec& spec : lists.specs) spec.addressable_shard_indices.resize(60'000);
  for (const decltype(proxy::IfrtRequest::request)& request :
       {decltype(proxy::IfrtRequest::request)(proxy::DestructArrayRequest{numbers}),
        decltype(proxy::IfrtRequest::request)(lists)}) {
    TestClient client(&service_);
    client.Begin();
    client.Post(request);
    const Status status = client.WaitFor(client.session_stream()).status;
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("more than 4194304 numbers in all"));
  }
}

TEST_F(ServeTest, AClientThatDoesNotReadCostsNoMemory) {
  TestClient client(&service_);
  client.Begin();
  client.StopReading();
  // Its answers take 60 bytes each; after a megabyte of them no request is read.
  for (int i = 0; i < 100000; ++i) client.Post(proxy::CheckFutureRequest{1});
  EXPECT_LT(client.connection().Count().requests, 50000u);
}

TEST_F(ServeTest, RequestsForNothingCostNoMemory) {
  TestClient client(&service_);
  client.Begin();
  const size_t before = client.connection().Count().memory;
  proxy::IfrtRequest nothing;
  nothing.request_metadata.op_id = uint64_t{1} << 40;
  nothing.request = proxy::DestructArrayRequest{{}};
  std::string thousand;
  for (int i = 0; i < 1000; ++i) thousand += grpc::Frame(proxy::Write(nothing));
  for (int i = 0; i < 200; ++i) {
    client.Write(client.session_stream(), thousand);
    client.ForgetAnswers();
  }
  EXPECT_GE(client.connection().Count().requests, 200000u);
  EXPECT_EQ(client.connection().Count().memory, before);
  EXPECT_EQ(client.connection().Count().pending, 0u);
  EXPECT_TRUE(StatusIn(client.Ask(proxy::DestructArrayRequest{{}})).ok());
}

TEST_F(ServeTest, HandlesOfAnotherConnection) {
  TestClient one(&service_), other(&service_);
  one.Begin();
  other.Begin();
  EXPECT_TRUE(one.Store(1, "1234").ok());
  EXPECT_TRUE(StatusIn(one.Ask(Make(1, {1}, OnDevice(0)))).ok());
  const auto compiled = one.Ask(Double());
  const auto* program = std::get_if<proxy::CompileResponse>(&compiled.response);
  ASSERT_NE(program, nullptr);
  EXPECT_REFUSED(other.Ask(proxy::CheckValueReadyRequest{{1}}), kNotFound, "no array 1");
  EXPECT_REFUSED(other.Ask(proxy::CopyToHostBufferRequest{9, 1, std::nullopt}), kNotFound,
                 "no array 1");
  EXPECT_REFUSED(other.Ask(proxy::DestructArrayRequest{{1}}), kNotFound, "1");
  EXPECT_REFUSED(
      other.Ask(proxy::LoadedExecutableMetadataRequest{program->loaded_executable_handle}),
      kNotFound, "no executable");
  // What it could not touch is as it was, and the same numbers are its own to use.
  EXPECT_EQ(Read(one, 1, 100), "1234");
  EXPECT_TRUE(other.Store(1, "5678").ok());
  EXPECT_TRUE(StatusIn(other.Ask(Make(1, {1}, OnDevice(1)))).ok());
  EXPECT_EQ(Read(other, 1, 100), "5678");
}

TEST_F(ServeTest, HandlesThatAreUsedTwice) {
  TestClient client(&service_);
  client.Begin();
  for (const uint64_t handle : {1, 2}) {
    EXPECT_TRUE(client.Store(handle, "12345678").ok());
    EXPECT_TRUE(StatusIn(client.Ask(Make(handle, {2}, OnDevice(0)))).ok());
  }
  constexpr int kDonate = 3;
  EXPECT_REFUSED(client.Ask(proxy::CopyArraysRequest{{1, 1}, {}, std::nullopt, kDonate, {3, 4}}),
                 kInvalidArgument, "donated or deleted before");
  EXPECT_REFUSED(client.Ask(proxy::CopyArraysRequest{{1}, {}, std::nullopt, 1, {2}}),
                 kInvalidArgument, "array handle 2 is in use");
  EXPECT_REFUSED(client.Ask(proxy::CopyArraysRequest{{1, 2}, {}, std::nullopt, 1, {5, 5}}),
                 kInvalidArgument, "array handle 5 is in use");
  EXPECT_EQ(Read(client, 1, 100), "12345678");
  EXPECT_EQ(Read(client, 2, 101), "12345678");
  EXPECT_TRUE(StatusIn(client.Ask(proxy::DestructArrayRequest{{1}})).ok());
  EXPECT_REFUSED(client.Ask(proxy::DestructArrayRequest{{1}}), kNotFound, "1");
  EXPECT_REFUSED(client.Ask(proxy::CopyToHostBufferRequest{100, 2, std::nullopt}), kInvalidArgument,
                 "host buffer 100 is there already");
}

TEST_F(ServeTest, MalformedSessionsEnd) {
  for (const std::string& bytes :
       {std::string("\1\0\0\0\0", 5), std::string("\0\xff\xff\xff\xff", 5), grpc::Frame("\xff\xff"),
        std::string("\0\0\0\0\4abc", 8)}) {
    TestClient client(&service_);
    client.Begin();
    client.Write(client.session_stream(), bytes);
    client.Finish(client.session_stream());
    EXPECT_TRUE(client.reply(client.session_stream()).is_over);
    EXPECT_FALSE(client.reply(client.session_stream()).status.ok());
    EXPECT_EQ(service_.num_sessions(), 0u);
  }
}

TEST_F(ServeTest, OtherMethodsAndVersionsAreRefused) {
  TestClient client(&service_);
  EXPECT_EQ(client.Call("HostBufferReadFromDisk", "").status.code(), StatusCode::kUnimplemented);
  EXPECT_EQ(client.Call("GetVersion", "\xff").status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(client.Call("IfrtSession", "").status.code(), StatusCode::kInvalidArgument);
  const std::string future = proxy::Write(proxy::GrpcIfrtSessionMetadata{{99, 3}, {}});
  EXPECT_EQ(client
                .Call("IfrtSession", "",
                      {{"ifrt-proxy-grpc-ifrt-session-metadata-bin", grpc::EncodeBase64(future)}})
                .status.code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(client.Call("HostBufferLookup", std::string(100000, 'x')).status.code(),
            StatusCode::kResourceExhausted);
}

TEST_F(ServeTest, DrainingTakesNoNewSessions) {
  service_.Drain();
  TestClient client(&service_);
  EXPECT_EQ(client.Begin().session_id, 0u);
  EXPECT_EQ(client.reply(client.session_stream()).status.message(),
            "plinth-serve is about to end and takes no new sessions");
}

// A computation may end while the answer to something else is being sent.
TEST_F(ServeTest, WhatIsPostedWhileBytesGoIsSentToo) {
  Connection connection(&service_);
  std::string sent;
  int turns = 0;
  bool takes_bytes = true;
  Sender sender([&](std::string_view bytes) -> Expected<size_t> {
    if (turns++ == 0) {
      std::thread([&] {
        connection.mailbox()->Post([&connection] { connection.GoAway(); });
      }).join();
    }
    if (!takes_bytes) return size_t{0};
    sent += bytes;
    return bytes.size();
  });
  const auto is_left = [&] {
    std::string left;
    EXPECT_TRUE(connection.Send(&left, size_t{1} << 20).ok());
    return !left.empty();
  };
  const Expected<bool> is_blocked = sender.Flush(&connection);
  ASSERT_TRUE(is_blocked.ok());
  EXPECT_FALSE(*is_blocked);
  EXPECT_EQ(turns, 2) << "settings, then the end of the connection";
  EXPECT_FALSE(is_left());

  // Also where nothing is taken: what is posted has run, and goes when there is room.
  Connection slow(&service_);
  turns = 0;
  takes_bytes = false;
  bool has_run = false;
  Sender waiting([&](std::string_view bytes) -> Expected<size_t> {
    if (turns++ == 0) {
      std::thread([&] { slow.mailbox()->Post([&has_run] { has_run = true; }); }).join();
    }
    return takes_bytes ? bytes.size() : 0;
  });
  EXPECT_TRUE(*waiting.Flush(&slow));
  EXPECT_TRUE(has_run);
  takes_bytes = true;
  EXPECT_FALSE(*waiting.Flush(&slow));
}

TEST_F(ServeTest, ManySessionsLeaveNothing) {
  for (int i = 0; i < 200; ++i) {
    TestClient client(&service_);
    client.Begin();
    EXPECT_TRUE(client.Store(1, "1234").ok());
    client.Ask(Make(1, {1}, OnDevice(0)));
    client.Post(Make(2, {1}, OnDevice(0)));  // Waits for ever.
  }
  EXPECT_EQ(service_.num_sessions(), 0u);
}

}  // namespace
}  // namespace plinth::serve
