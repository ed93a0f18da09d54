// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_CONNECTION_H_
#define PLINTH_IMPL_SERVE_CONNECTION_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "impl/serve/grpc.h"
#include "impl/serve/http2.h"
#include "impl/serve/mailbox.h"
#include "impl/serve/memory_account.h"
#include "impl/serve/service.h"

namespace plinth::serve {

class Connection;

// What a connection has.
struct Counts {
  uint64_t sessions = 0;
  uint64_t requests = 0;
  uint64_t pending = 0;  // Requests without an answer.
  uint64_t arrays = 0;
  uint64_t executables = 0;
  uint64_t memory = 0;  // Bytes.
};

// One call of a method, which is a stream of the connection. Its end frees what it has.
class Call {
 public:
  Call(Connection* connection, int stream) : connection_(connection), stream_(stream) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  virtual ~Call() = default;
  // Bytes of the client; whoever uses them up calls Consume.
  virtual void OnData(std::string_view bytes) = 0;
  // The client has sent everything.
  virtual void OnEnd() = 0;
  // Adds what it has to what the status of the server shows.
  virtual void Count(Counts* counts) const {}

 protected:
  Connection& connection() const { return *connection_; }
  int stream() const { return stream_; }
  void Consume(size_t bytes) const;
  // Ends the call without a message, or with one.
  void Finish(const Status& status) const;
  void FinishWith(std::string_view message) const;
  void Respond(std::unique_ptr<Http2Source> source) const;

 private:
  Connection* const connection_;
  const int stream_;
};

// The server's side of one connection: HTTP/2, gRPC and the methods of the proxy's service, without
// the socket. One thread; what other threads have for it comes through the mailbox.
class Connection : private Http2::Events {
 public:
  explicit Connection(Service* service);
  ~Connection() override;

  // Bytes of the client, and bytes for it; see Http2.
  Status Feed(std::string_view bytes) { return http2_.Feed(bytes); }
  Status Send(std::string* out, size_t limit) { return http2_.Send(out, limit); }
  bool IsDone() const { return http2_.IsDone(); }
  void GoAway() { http2_.GoAway(); }
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }
  bool has_calls() const { return !calls_.empty(); }
  Counts Count() const;

  Service& service() const { return *service_; }
  // Of all its sessions together.
  const std::shared_ptr<MemoryAccount>& account() const { return account_; }
  Http2& http2() { return http2_; }
  // The call of a stream; null if it is over.
  Call* FindCall(int stream) const;

  // A stream has something to send: now, or with the next that is sent. Each message that goes
  // alone costs both sides a wake-up.
  void Resume(int stream) {
    late_.erase(stream);
    http2_.Resume(stream);
  }
  void ResumeLater(int stream) { late_.insert(stream); }
  bool has_late() const { return !late_.empty(); }
  void ResumeLate() {
    for (const int stream : std::exchange(late_, {})) http2_.Resume(stream);
  }

 private:
  void OnHeaders(int stream, Headers headers) override;
  void OnData(int stream, std::string_view bytes) override;
  void OnEnd(int stream) override;
  void OnClosed(int stream, bool is_clean) override;

  Service* const service_;
  const std::shared_ptr<MemoryAccount> account_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  Http2 http2_;
  std::unordered_map<int, std::unique_ptr<Call>> calls_;
  std::set<int> late_;
};

// The call that a request asks for; UNIMPLEMENTED, with its name, for other methods.
Expected<std::unique_ptr<Call>> MakeCall(Connection* connection, int stream,
                                         const Headers& headers);

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_CONNECTION_H_
