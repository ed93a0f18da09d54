// SPDX-License-Identifier: Apache-2.0
// A server with its sockets and threads, and clients that take answers slowly, in pieces of any
// size and with small windows, while work of the devices ends at any time: nothing may stay behind.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "impl/serve/convert.h"
#include "impl/serve/session.h"
#include "impl/serve/testing/test_server.h"
#include "plinth/support/xla_messages.h"

namespace plinth::serve {
namespace {

constexpr int64_t kMemory = 256 << 20;
// Enough work, with two sines, that an execution ends on a thread of the plugin's, after the answer
// to its request.
constexpr int64_t kElements = 20000;

// It reads pieces of any size, and sometimes nothing although there is more.
class SlowWire : public SocketWire {
 public:
  SlowWire(Socket socket, uint64_t seed)
      : SocketWire(socket.fd()), socket_(std::move(socket)), random_(seed) {
    const int small = 4096;
    setsockopt(socket_.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
  }
  void Send(std::string_view bytes) override { SendPieces(bytes, 1 + random_() % 30000); }
  std::string Receive(bool) override {
    return random_() % 4 == 0 ? std::string() : ReceivePiece(1 + random_() % 20000);
  }

 private:
  const Socket socket_;
  std::mt19937_64 random_;
};

// Arrays of f32, doubled again and again on a device, read by turns.
class Doubler {
 public:
  Doubler(TestClient* client, uint64_t seed) : client_(*client), random_(seed) {}

  void Run(int steps) {
    if (client_.Begin().session_id == 0) return Fail("no session");
    if (!Compile()) return;
    for (int step = 0; step < steps && !has_failed_; ++step) {
      switch (random_() % 5) {
        case 0:
          Make();
          break;
        case 1:
        case 2:
          Double();
          break;
        case 3:
          WaitForMany();
          break;
        default:
          Read();
      }
    }
    for (const uint64_t op : unread_) {
      if (!has_failed_ && !StatusIn(client_.Wait(op)).ok()) Fail("an answer that nobody read");
    }
    while (!arrays_.empty() && !has_failed_) Read();
  }
  const std::string& failure() const { return failure_; }

 private:
  struct Doubled {
    uint64_t handle;
    float factor;
  };

  bool Compile() {
    messages::CompileOptions options;
    options.device_assignment = DeviceAssignment{1, 1, {1}};
    const std::string type = StrCat("tensor<", kElements, "xf32>");
    proxy::CompileRequest request;
    request.program = {
        "xla::ifrt::XlaProgram",
        StrCat("module @double { func.func public @main(%arg0: ", type, ") -> ", type,
               " { %0 = stablehlo.sine %arg0 : ", type, " %1 = stablehlo.sine %0 : ", type,
               " %2 = stablehlo.subtract %1, ", "%1 : ", type,
               " %3 = stablehlo.add %arg0, %arg0 : ", type, " %4 = stablehlo.add %2, %3 : ", type,
               " return %4 : ", type, " } }")};
    request.compile_options = {
        "xla::ifrt::XlaCompileOptions",
        proxy::Write(proxy::XlaCompileOptionsProto{messages::WriteCompileOptions(options)})};
    const auto compiled = client_.Ask(request);
    const auto* program = std::get_if<proxy::CompileResponse>(&compiled.response);
    if (program != nullptr) program_ = program->loaded_executable_handle;
    if (program == nullptr) Fail(StatusIn(compiled).ToString());
    return program != nullptr;
  }
  // The bytes before the request, or after.
  void Make() {
    const uint64_t handle = next_++;
    proxy::MakeArrayFromHostBufferRequest request;
    request.dtype = ToProto(DType::kF32);
    request.shape.dims = {kElements};
    request.sharding = {{"xla::ifrt::SingleDeviceSharding",
                         proxy::Write(proxy::SingleDeviceShardingProto{1, std::nullopt})}};
    request.host_buffer_handle = handle;
    request.array_handle = handle;
    const bool is_early = random_() % 2 == 0;
    if (is_early) Post(request);
    std::vector<float> elements(kElements);
    std::iota(elements.begin(), elements.end(), 0.0f);
    const Status stored = client_.Store(
        handle, {reinterpret_cast<const char*>(elements.data()), elements.size() * 4});
    if (!stored.ok()) Fail(stored.ToString());
    if (!is_early) Post(request);
    arrays_.push_back({handle, 1});
  }
  void Double() {
    if (arrays_.empty()) return Make();
    Doubled& array = arrays_[random_() % arrays_.size()];
    proxy::LoadedExecutableExecuteRequest request;
    request.loaded_executable_handle = program_;
    request.args_handles = {array.handle};
    request.result_array_handle = {next_};
    Post(request);
    Post(proxy::DestructArrayRequest{{array.handle}});
    array = {next_++, array.factor * 2};
  }
  // Everything is asked at once, and each answer comes when its work ends: perhaps just when
  // another is being sent. Nothing else is on its way that would take it along.
  void WaitForMany() {
    std::vector<uint64_t> asked;
    for (int i = 0; i < 8; ++i) {
      Double();
      const Doubled& array = arrays_[random_() % arrays_.size()];
      asked.push_back(client_.Post(proxy::CheckValueReadyRequest{{array.handle}}));
    }
    for (const uint64_t op : asked) {
      if (!StatusIn(client_.Wait(op)).ok() || !client_.HasAnswer(op)) Fail("nobody answered");
    }
  }
  void Read() {
    if (arrays_.empty()) return Make();
    const size_t at = random_() % arrays_.size();
    const Doubled array = arrays_[at];
    const uint64_t buffer = next_++;
    if (random_() % 2 == 0) Post(proxy::CheckValueReadyRequest{{array.handle}});
    const auto copied =
        client_.Ask(proxy::CopyToHostBufferRequest{buffer, array.handle, std::nullopt});
    if (copied.response.index() == 0) return Fail("no answer: " + StatusIn(copied).ToString());
    const Expected<std::string> bytes = client_.Lookup(buffer);
    if (!bytes.ok()) return Fail(bytes.status().ToString());
    std::vector<float> elements(bytes->size() / 4);
    std::memcpy(elements.data(), bytes->data(), elements.size() * 4);
    for (size_t i = 0; i < elements.size(); ++i) {
      if (elements[i] != static_cast<float>(i) * array.factor) return Fail("a wrong element");
    }
    if (elements.size() != kElements) Fail("a wrong length");
    Post(proxy::DestructArrayRequest{{array.handle}});
    arrays_.erase(arrays_.begin() + static_cast<ptrdiff_t>(at));
  }
  template <typename Request>
  void Post(Request request) {
    unread_.push_back(client_.Post(std::move(request)));
  }
  void Fail(std::string why) {
    if (!has_failed_) failure_ = std::move(why);
    has_failed_ = true;
  }

  TestClient& client_;
  std::mt19937_64 random_;
  uint64_t program_ = 0;
  uint64_t next_ = 1;
  std::vector<Doubled> arrays_;
  std::vector<uint64_t> unread_;
  std::string failure_;
  bool has_failed_ = false;
};

TEST(FlowTest, SlowReadersWithSmallWindowsGetEverything) {
  const TestServer server({.memory_per_connection = kMemory});
  static constexpr int kWindows[] = {1000, 20000, 65535, 1 << 20};
  const char* const rounds = std::getenv("PLINTH_FLOW_ROUNDS");
  const uint64_t count = rounds == nullptr ? 4 : std::strtoul(rounds, nullptr, 10);
  for (uint64_t round = 0; round < count && !HasFailure(); ++round) {
    std::vector<std::thread> clients;
    std::vector<std::string> failures(3);
    for (uint64_t i = 0; i < failures.size(); ++i) {
      clients.emplace_back([&server, &failures, seed = 10 * round + i, i] {
        const Http2::Windows windows = {kWindows[seed % 4], kWindows[seed / 4 % 4]};
        Expected<Socket> socket = server.Connect();
        if (!socket.ok()) {
          failures[i] = socket.status().ToString();
          return;
        }
        TestClient client(std::make_unique<SlowWire>(*std::move(socket), seed), windows);
        Doubler doubler(&client, seed);
        doubler.Run(40);
        failures[i] = doubler.failure();
      });
    }
    for (std::thread& client : clients) client.join();
    for (const std::string& failure : failures) EXPECT_EQ(failure, "") << "round " << round;
  }
}

}  // namespace
}  // namespace plinth::serve
