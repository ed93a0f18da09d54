// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/testing/test_client.h"

#include <poll.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <utility>

#include "impl/serve/convert.h"

namespace plinth::serve {
namespace {

// To a connection in this thread.
class DirectWire : public Wire {
 public:
  explicit DirectWire(Service* service) : connection_(service) {}
  Connection* connection() { return &connection_; }

  void Send(std::string_view bytes) override { (void)connection_.Feed(bytes).ok(); }
  std::string Receive(bool is_reading) override {
    connection_.mailbox()->Run();
    std::string bytes;
    if (is_reading) (void)connection_.Send(&bytes, size_t{1} << 20).ok();
    return bytes;
  }
  void Wait() override {
    if (connection_.has_late()) return connection_.ResumeLate();
    pollfd ready = {connection_.mailbox()->fd(), POLLIN, 0};
    poll(&ready, 1, 100);
  }

 private:
  Connection connection_;
};

}  // namespace

const ifrt::Client& TestDevices() {
  static const ifrt::Client client = [] {
    auto made = ifrt::Client::Create({.plugin = PLINTH_TEST_PLUGIN, .options = {"num_devices=2"}});
    if (!made.ok()) {
      std::fprintf(stderr, "%s\n", made.status().message().c_str());
      std::abort();
    }
    return *std::move(made);
  }();
  return client;
}

Status StatusIn(const proxy::IfrtResponse& response) {
  return response.response_metadata.status ? ErrorFromProto(*response.response_metadata.status)
                                           : Status();
}

TestClient::~TestClient() {
  const char* folder = std::getenv("PLINTH_SERVE_CORPUS");
  if (folder == nullptr || sent_.size() > 4096) return;
  const auto keep = [&](const std::string& kind, const std::string& bytes) {
    const std::string name = std::to_string(std::hash<std::string>()(bytes));
    std::ofstream(std::string(folder) + "/" + kind + "/" + name, std::ios::binary) << bytes;
  };
  keep("connection_fuzz", "\x10" + sent_);
  for (const std::string& request : requests_) keep("request_fuzz", request);
}

TestClient::TestClient(Service* service) : http2_(Http2::Role::kClient, this) {
  auto wire = std::make_unique<DirectWire>(service);
  connection_ = wire->connection();
  wire_ = std::move(wire);
}

bool TestClient::Run(bool is_waiting) {
  bool has_come = false;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (;;) {
    std::string to_server;
    (void)http2_.Send(&to_server, size_t{1} << 20).ok();
    sent_ += to_server;
    if (!to_server.empty()) wire_->Send(to_server);
    const std::string to_client = wire_->Receive(is_reading_);
    if (!to_client.empty()) (void)http2_.Feed(to_client).ok();
    if (!to_server.empty() || !to_client.empty()) {
      has_come |= !to_client.empty();
      is_waiting = false;
      continue;
    }
    if (!is_waiting || std::chrono::steady_clock::now() > patience) return has_come;
    wire_->Wait();
  }
}

int TestClient::Open(std::string_view method, const Headers& metadata) {
  Headers headers =
      grpc::RequestHeaders(std::string("/xla.ifrt.proxy.GrpcIfrtService/") + std::string(method));
  headers.insert(headers.end(), metadata.begin(), metadata.end());
  auto queue = std::make_unique<grpc::MessageQueue>();
  grpc::MessageQueue* raw = queue.get();
  const Expected<int> stream = http2_.Request(headers, std::move(queue));
  if (!stream.ok()) return -1;
  queues_[*stream] = raw;
  unframers_.emplace(*stream, grpc::Unframer(size_t{1} << 30));
  Run();
  return *stream;
}

void TestClient::Write(int stream, std::string_view bytes) {
  const auto found = queues_.find(stream);
  if (found == queues_.end()) return;  // The server has ended it.
  found->second->Add(std::string(bytes));
  http2_.Resume(stream);
  Run();
}

void TestClient::Finish(int stream) {
  const auto found = queues_.find(stream);
  if (found == queues_.end()) return;
  found->second->End({});
  http2_.Resume(stream);
  Run();
}

void TestClient::Abort(int stream) {
  http2_.Reset(stream);
  Run();
}

TestClient::Reply TestClient::Call(std::string_view method, std::string_view message,
                                   const Headers& metadata) {
  const int stream = Open(method, metadata);
  Send(stream, message);
  Finish(stream);
  return WaitFor(stream);
}

const TestClient::Reply& TestClient::WaitFor(int stream) {
  while (!replies_[stream].is_over && Run(true)) continue;
  return replies_[stream];
}

proxy::InitResponse TestClient::Begin(const proxy::AttributeMapProto& attributes) {
  const proxy::IfrtProxyVersion version = {25, 3};
  const std::string metadata = proxy::Write(proxy::GrpcIfrtSessionMetadata{version, attributes});
  session_stream_ = Open(
      "IfrtSession", {{"ifrt-proxy-grpc-ifrt-session-metadata-bin", grpc::EncodeBase64(metadata)}});
  const proxy::IfrtResponse answer = Ask(proxy::InitRequest());
  const auto* init = std::get_if<proxy::InitResponse>(&answer.response);
  if (init == nullptr) return {};
  session_id_ = init->session_id;
  return *init;
}

uint64_t TestClient::Post(decltype(proxy::IfrtRequest::request) request) {
  proxy::IfrtRequest message;
  message.request_metadata.op_id = next_op_++;
  message.request = std::move(request);
  if (requests_.size() < 100) requests_.push_back(proxy::Write(message));
  Send(session_stream_, proxy::Write(message));
  return message.request_metadata.op_id;
}

bool TestClient::HasAnswer(uint64_t op_id) {
  Reply& reply = replies_[session_stream_];
  for (const std::string& bytes : reply.messages) {
    proxy::IfrtResponse response;
    if (proxy::Read(bytes, &response).ok()) {
      answers_[response.response_metadata.op_id] = std::move(response);
    }
  }
  reply.messages.clear();
  return answers_.contains(op_id);
}

proxy::IfrtResponse TestClient::Wait(uint64_t op_id) {
  while (!HasAnswer(op_id) && !replies_[session_stream_].is_over && Run(true)) continue;
  return answers_[op_id];
}

Status TestClient::Store(uint64_t handle, std::string_view bytes, int64_t announced) {
  const proxy::GrpcHostBufferStoreMetadata metadata = {
      session_id_, handle, announced < 0 ? static_cast<int64_t>(bytes.size()) : announced};
  const int stream = Open("HostBufferStore", {{"ifrt-proxy-grpc-host-buffer-store-metadata-bin",
                                               grpc::EncodeBase64(proxy::Write(metadata))}});
  for (size_t i = 0; i < bytes.size(); i += size_t{1} << 20) {
    Send(stream, proxy::Write(proxy::GrpcHostBufferStoreRequest{
                     std::string(bytes.substr(i, size_t{1} << 20))}));
  }
  Finish(stream);
  return WaitFor(stream).status;
}

Expected<std::string> TestClient::Lookup(uint64_t handle) {
  const Reply reply = Call("HostBufferLookup",
                           proxy::Write(proxy::GrpcHostBufferLookupRequest{session_id_, handle}));
  if (!reply.status.ok()) return reply.status;
  std::string bytes;
  for (const std::string& message : reply.messages) {
    proxy::GrpcHostBufferLookupResponse chunk;
    PLINTH_RETURN_IF_ERROR(proxy::Read(message, &chunk));
    bytes += chunk.data;
  }
  return bytes;
}

void TestClient::OnHeaders(int stream, Headers headers) {
  if (FindHeader(headers, "grpc-status") != nullptr) {
    replies_[stream].status = grpc::StatusOf(headers);
  }
}

void TestClient::OnData(int stream, std::string_view bytes) {
  http2_.Consume(stream, bytes.size());
  const auto found = unframers_.find(stream);
  if (found == unframers_.end()) return;
  found->second.Add(bytes);
  for (;;) {
    const auto message = found->second.Next();
    if (!message.ok() || !message->has_value()) return;
    replies_[stream].messages.emplace_back(**message);
  }
}

void TestClient::OnClosed(int stream, bool) {
  replies_[stream].is_over = true;
  queues_.erase(stream);
}

}  // namespace plinth::serve
