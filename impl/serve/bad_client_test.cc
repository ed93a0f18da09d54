// SPDX-License-Identifier: Apache-2.0
// What clients may get wrong, or do on purpose: wrong lengths and handles, bytes that are no
// messages, more than there is room for.
#include <numeric>

#include "impl/serve/testing/fixture.h"

namespace plinth::serve {
namespace {

class BadClientTest : public ServeTest {};

TEST_F(BadClientTest, OtherSessionsDoNotSeeTheBuffers) {
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

TEST_F(BadClientTest, BuffersOfWrongLength) {
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

TEST_F(BadClientTest, MemoryIsLimited) {
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
TEST_F(BadClientTest, WholeArraysAreSentFromWhereTheyAre) {
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
TEST_F(BadClientTest, BuffersOverArraysAreChargedWithoutTheArrays) {
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

TEST_F(BadClientTest, AMessageIsNoLongerThanTheMemoryOfItsSession) {
  TestClient client(&service_);
  client.Begin();
  const auto size = static_cast<uint32_t>(kMemory + 1);
  std::string header(1, '\0');
  for (const int shift : {24, 16, 8, 0}) header.push_back(static_cast<char>(size >> shift));
  client.Write(client.session_stream(), header);
  EXPECT_EQ(client.WaitFor(client.session_stream()).status.code(), StatusCode::kResourceExhausted);
}

// However many sessions a client opens.
TEST_F(BadClientTest, SessionsOfAConnectionShareItsMemory) {
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

TEST_F(BadClientTest, HandlesAndProgramsAreCharged) {
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
TEST_F(BadClientTest, MessagesThatGrowWhenTheyAreReadEndTheSession) {
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

TEST_F(BadClientTest, AClientThatDoesNotReadCostsNoMemory) {
  TestClient client(&service_);
  client.Begin();
  client.StopReading();
  // Its answers take 60 bytes each; after a megabyte of them no request is read.
  for (int i = 0; i < 100000; ++i) client.Post(proxy::CheckFutureRequest{1});
  EXPECT_LT(client.connection().Count().requests, 50000u);
}

TEST_F(BadClientTest, RequestsForNothingCostNoMemory) {
  TestClient client(&service_);
  client.Begin();
  const size_t before = client.connection().Count().memory;
  proxy::IfrtRequest nothing;
  nothing.request_metadata.op_id = uint64_t{1} << 40;
  nothing.request = proxy::DestructArrayRequest{{}};
  std::string thousand;
  for (int i = 0; i < 1000; ++i) thousand += grpc::Frame(proxy::Write(nothing));
  for (int i = 0; i < 1000; ++i) {
    client.Write(client.session_stream(), thousand);
    client.ForgetAnswers();
  }
  EXPECT_GE(client.connection().Count().requests, 1000000u);
  EXPECT_EQ(client.connection().Count().memory, before);
  EXPECT_EQ(client.connection().Count().pending, 0u);
  EXPECT_TRUE(StatusIn(client.Ask(proxy::DestructArrayRequest{{}})).ok());
}

TEST_F(BadClientTest, HandlesOfAnotherConnection) {
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

TEST_F(BadClientTest, HandlesThatAreUsedTwice) {
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

TEST_F(BadClientTest, MalformedSessionsEnd) {
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

TEST_F(BadClientTest, OtherMethodsAndVersionsAreRefused) {
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

}  // namespace
}  // namespace plinth::serve
