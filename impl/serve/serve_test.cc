// SPDX-License-Identifier: Apache-2.0
// The server through its protocol, on the built CPU plugin: what clients may ask.
#include <cstring>
#include <thread>

#include "impl/serve/sender.h"
#include "impl/serve/testing/fixture.h"

namespace plinth::serve {
namespace {

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
