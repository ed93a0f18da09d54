// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_HTTP2_H_
#define PLINTH_IMPL_SERVE_HTTP2_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plinth/support/status.h"

struct nghttp2_session;

namespace plinth::serve {

using Headers = std::vector<std::pair<std::string, std::string>>;

// The value of a header; null if it is not there.
const std::string* FindHeader(const Headers& headers, std::string_view name);

// What a stream sends, as far as the other side takes it.
class Http2Source {
 public:
  virtual ~Http2Source() = default;
  // Copies at most `size` bytes to `to` and returns how many: 0 for nothing now (Http2::Resume
  // tells when there is more), unless it sets `is_end`: then that was all.
  virtual size_t Read(char* to, size_t size, bool* is_end) = 0;
  // Sent after the last byte.
  virtual Headers Trailers() { return {}; }
};

// One side of an HTTP/2 connection as a state machine that knows no socket: bytes go in and out.
// Flow control is in the hands of its owner. One thread.
class Http2 {
 public:
  // Called from Feed. They may call everything but Feed and Send.
  class Events {
   public:
    virtual ~Events() = default;
    // A request; at a client, an answer or trailers.
    virtual void OnHeaders(int stream, Headers headers) = 0;
    virtual void OnData(int stream, std::string_view bytes) = 0;
    // The other side has sent everything.
    virtual void OnEnd(int stream) = 0;
    // The stream is gone, whoever ended it. `is_clean`: both sides had sent everything.
    virtual void OnClosed(int stream, bool is_clean) = 0;
  };

  enum class Role { kServer, kClient };
  // Bytes that may be on their way to this side before Consume gives them back.
  struct Windows {
    int stream = 4 << 20;
    int connection = 256 << 20;
  };
  Http2(Role role, Events* events) : Http2(role, events, Windows()) {}
  Http2(Role role, Events* events, const Windows& windows);
  Http2(const Http2&) = delete;
  Http2& operator=(const Http2&) = delete;
  ~Http2();

  // Bytes of the other side. An error ends the connection, after what Send still has.
  Status Feed(std::string_view bytes);
  // Appends what is to be sent, until `out` has `limit` bytes or more, or there is nothing now.
  Status Send(std::string* out, size_t limit);
  // Whether the connection is over.
  bool IsDone() const;

  // Server: answers a stream. Without a source the headers are all.
  void Respond(int stream, const Headers& headers, std::unique_ptr<Http2Source> source);
  // Client: opens a stream.
  Expected<int> Request(const Headers& headers, std::unique_ptr<Http2Source> source);
  // The source of the stream has more.
  void Resume(int stream);
  // Ends a stream at once.
  void Reset(int stream);
  // These bytes of the stream were used: the other side may send as many.
  void Consume(int stream, size_t bytes);
  // No new streams.
  void GoAway();

 private:
  struct Callbacks;
  struct Stream {
    Headers headers;
    size_t header_bytes = 0;
    std::unique_ptr<Http2Source> source;
  };

  nghttp2_session* session_ = nullptr;
  Events* const events_;
  std::unordered_map<int, Stream> streams_;
  Status error_;
};

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_HTTP2_H_
