// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_TESTING_TEST_CLIENT_H_
#define PLINTH_IMPL_SERVE_TESTING_TEST_CLIENT_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "impl/serve/connection.h"
#include "impl/serve/grpc.h"
#include "impl/serve/http2.h"

namespace plinth::serve {

// A client of the CPU plugin with two devices, made once.
const ifrt::Client& TestDevices();
// What an answer says of its request.
Status StatusIn(const proxy::IfrtResponse& response);

// How bytes go between a client and a server.
class Wire {
 public:
  virtual ~Wire() = default;
  // Takes all of them.
  virtual void Send(std::string_view bytes) = 0;
  // What there is for the client now; nothing if `is_reading` is false.
  virtual std::string Receive(bool is_reading) = 0;
  // Returns when there may be more, or after a while.
  virtual void Wait() = 0;
};

// A client of the proxy, joined to a connection of the server without a socket, or to a server by
// some wire.
class TestClient : private Http2::Events {
 public:
  explicit TestClient(Service* service);
  explicit TestClient(std::unique_ptr<Wire> wire, const Http2::Windows& windows = {})
      : wire_(std::move(wire)), http2_(Http2::Role::kClient, this, windows) {}
  // Keeps what was sent in the folder PLINTH_SERVE_CORPUS, if that is set: inputs for the fuzzers.
  ~TestClient() override;

  struct Reply {
    Status status = Status(StatusCode::kUnknown, "not over");
    bool is_over = false;
    std::vector<std::string> messages;
  };

  // A whole call with one message.
  Reply Call(std::string_view method, std::string_view message, const Headers& metadata = {});
  // Opens a stream that Send and Finish go on with.
  int Open(std::string_view method, const Headers& metadata = {});
  void Write(int stream, std::string_view bytes);  // As they are, without a frame.
  void Send(int stream, std::string_view message) { Write(stream, grpc::Frame(message)); }
  void Finish(int stream);
  void Abort(int stream);
  const Reply& reply(int stream) { return replies_[stream]; }
  // The reply when it is over; as it is if that takes too long.
  const Reply& WaitFor(int stream);

  // A session: negotiates, opens and initializes. `attributes`: what else it says of itself.
  proxy::InitResponse Begin(const proxy::AttributeMapProto& attributes = {});
  // Sends a request, and waits for its answer if `is_waiting`.
  uint64_t Post(decltype(proxy::IfrtRequest::request) request);
  proxy::IfrtResponse Wait(uint64_t op_id);
  proxy::IfrtResponse Ask(decltype(proxy::IfrtRequest::request) request) {
    return Wait(Post(std::move(request)));
  }
  bool HasAnswer(uint64_t op_id);
  void ForgetAnswers() { replies_[session_stream_].messages.clear(); }
  Status Store(uint64_t handle, std::string_view bytes, int64_t announced = -1);
  Expected<std::string> Lookup(uint64_t handle);

  // Bytes go both ways until nothing is left; waits a little for other threads. False if nothing
  // came.
  bool Run(bool is_waiting = false);
  // Without a socket.
  Connection& connection() { return *connection_; }
  int session_stream() const { return session_stream_; }
  uint64_t session_id() const { return session_id_; }
  // The client leaves answers where they are.
  void StopReading() { is_reading_ = false; }

 private:
  void OnHeaders(int stream, Headers headers) override;
  void OnData(int stream, std::string_view bytes) override;
  void OnEnd(int) override {}
  void OnClosed(int stream, bool is_clean) override;

  std::unique_ptr<Wire> wire_;
  Connection* connection_ = nullptr;
  Http2 http2_;
  std::map<int, Reply> replies_;
  std::map<int, grpc::Unframer> unframers_;
  std::map<int, grpc::MessageQueue*> queues_;
  std::map<uint64_t, proxy::IfrtResponse> answers_;
  std::string sent_;
  std::vector<std::string> requests_;
  bool is_reading_ = true;
  int session_stream_ = 0;
  uint64_t session_id_ = 0;
  uint64_t next_op_ = 1;
};

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_TESTING_TEST_CLIENT_H_
