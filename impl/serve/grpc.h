// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_GRPC_H_
#define PLINTH_IMPL_SERVE_GRPC_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "impl/serve/http2.h"
#include "plinth/support/status.h"

// What gRPC adds to HTTP/2: messages with a length in front, binary headers, and a status at the
// end.
namespace plinth::serve::grpc {

// A message as it travels: a byte that says it is not compressed, and its length.
std::string Frame(std::string_view message);
inline constexpr size_t kFrameHeader = 5;

// Cuts bytes as they come into messages.
class Unframer {
 public:
  // A message of more bytes is RESOURCE_EXHAUSTED.
  explicit Unframer(size_t max_message) : max_message_(max_message) {}
  void Add(std::string_view bytes) { bytes_.append(bytes); }
  // The next message, valid until the next call of Add or Next; nothing if it is not complete.
  // UNIMPLEMENTED for compressed ones.
  Expected<std::optional<std::string_view>> Next();
  // Bytes that Next has not given out.
  size_t num_waiting() const { return bytes_.size() - taken_; }

 private:
  const size_t max_message_;
  std::string bytes_;
  size_t taken_ = 0;
};

// Base64 of a header whose name ends in "-bin", with or without padding. INVALID_ARGUMENT if it is
// none.
Expected<std::string> DecodeBinaryHeader(std::string_view text);
// Without padding, as such headers have it.
std::string EncodeBase64(std::string_view bytes);

// The trailers that end a call.
Headers StatusTrailers(const Status& status);
// The other way; UNKNOWN if they have no status.
Status StatusOf(const Headers& trailers);
// The headers of an answer with messages, and those of one that has only a status.
Headers AnswerHeaders();
Headers StatusOnlyHeaders(const Status& status);
Headers RequestHeaders(std::string_view method);

// Messages on their way out, which others add to.
class MessageQueue : public Http2Source {
 public:
  // `drained` is called after bytes were taken.
  explicit MessageQueue(std::function<void()> drained = {}) : drained_(std::move(drained)) {}
  void Add(std::string framed) {
    num_waiting_ += framed.size();
    messages_.push_back(std::move(framed));
  }
  void End(Headers trailers) {
    is_ended_ = true;
    trailers_ = std::move(trailers);
  }
  size_t num_waiting() const { return num_waiting_; }
  size_t Read(char* to, size_t size, bool* is_end) override;
  Headers Trailers() override { return std::move(trailers_); }

 private:
  const std::function<void()> drained_;
  std::deque<std::string> messages_;
  size_t offset_ = 0;  // In the first.
  size_t num_waiting_ = 0;
  bool is_ended_ = false;
  Headers trailers_;
};

}  // namespace plinth::serve::grpc

#endif  // PLINTH_IMPL_SERVE_GRPC_H_
