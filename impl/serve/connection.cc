// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/connection.h"

#include <utility>

#include "plinth/support/str_cat.h"

namespace plinth::serve {

void Call::Consume(size_t bytes) const { connection_->http2().Consume(stream_, bytes); }

void Call::Finish(const Status& status) const {
  connection_->http2().Respond(stream_, grpc::StatusOnlyHeaders(status), nullptr);
}

void Call::FinishWith(std::string_view message) const {
  auto queue = std::make_unique<grpc::MessageQueue>();
  queue->Add(grpc::Frame(message));
  queue->End(grpc::StatusTrailers({}));
  Respond(std::move(queue));
}

void Call::Respond(std::unique_ptr<Http2Source> source) const {
  connection_->http2().Respond(stream_, grpc::AnswerHeaders(), std::move(source));
}

Connection::Connection(Service* service)
    : service_(service),
      account_(std::make_shared<MemoryAccount>(service->limits().memory_per_connection)),
      http2_(Http2::Role::kServer, this) {}

Connection::~Connection() {
  mailbox_->Close();
  calls_.clear();
}

Call* Connection::FindCall(int stream) const {
  const auto found = calls_.find(stream);
  return found == calls_.end() ? nullptr : found->second.get();
}

void Connection::OnHeaders(int stream, Headers headers) {
  const std::string* path = FindHeader(headers, ":path");
  const std::string* method = FindHeader(headers, ":method");
  if (path != nullptr && method != nullptr && *method == "GET" && *path == "/status") {
    auto body = std::make_unique<grpc::MessageQueue>();
    body->Add(service_->StatusJson().ToString() + "\n");
    body->End({});
    http2_.Respond(stream, {{":status", "200"}, {"content-type", "application/json"}},
                   std::move(body));
    return;
  }
  Expected<std::unique_ptr<Call>> call = MakeCall(this, stream, headers);
  if (call.ok()) {
    calls_[stream] = *std::move(call);
  } else {
    http2_.Respond(stream, grpc::StatusOnlyHeaders(call.status()), nullptr);
  }
}

void Connection::OnData(int stream, std::string_view bytes) {
  if (Call* call = FindCall(stream)) {
    call->OnData(bytes);
  } else {
    http2_.Consume(stream, bytes.size());
  }
}

void Connection::OnEnd(int stream) {
  if (Call* call = FindCall(stream)) call->OnEnd();
}

void Connection::OnClosed(int stream, bool) {
  late_.erase(stream);
  calls_.erase(stream);
}

Counts Connection::Count() const {
  Counts counts;
  counts.memory = static_cast<uint64_t>(account_->used());
  for (const auto& [stream, call] : calls_) call->Count(&counts);
  return counts;
}

}  // namespace plinth::serve
