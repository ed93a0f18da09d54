// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/status_client.h"

#include <sys/socket.h>
#include <sys/time.h>

#include "impl/serve/http2.h"

namespace plinth::serve {
namespace {

constexpr int kPatienceSeconds = 5;

class Body : public Http2::Events {
 public:
  void OnHeaders(int, Headers headers) override {
    if (const std::string* status = FindHeader(headers, ":status")) status_ = *status;
  }
  void OnData(int, std::string_view bytes) override { text_.append(bytes); }
  void OnEnd(int) override { is_over_ = true; }
  void OnClosed(int, bool) override { is_over_ = true; }

  bool is_over() const { return is_over_; }
  Expected<std::string> Take() {
    if (status_ != "200") return NotFound("the server answers with HTTP status '", status_, "'");
    return std::move(text_);
  }

 private:
  std::string status_;
  std::string text_;
  bool is_over_ = false;
};

Status Silent(std::string_view what) {
  return Status(static_cast<StatusCode>(PJRT_Error_Code_UNAVAILABLE), std::string(what));
}

}  // namespace

Expected<std::string> AskStatus(const Address& address) {
  PLINTH_ASSIGN_OR_RETURN(const Socket socket, Connect(address));
  const timeval patience = {kPatienceSeconds, 0};
  setsockopt(socket.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  setsockopt(socket.fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  Body body;
  Http2 http2(Http2::Role::kClient, &body);
  PLINTH_RETURN_IF_ERROR(http2
                             .Request({{":method", "GET"},
                                       {":scheme", "http"},
                                       {":path", "/status"},
                                       {":authority", "localhost"}},
                                      nullptr)
                             .status());
  char input[16 << 10];
  while (!body.is_over()) {
    std::string out;
    PLINTH_RETURN_IF_ERROR(http2.Send(&out, size_t{64} << 10));
    size_t sent = 0;
    while (sent < out.size()) {
      const ssize_t size = send(socket.fd(), out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
      if (size <= 0) return Silent("the server does not listen");
      sent += static_cast<size_t>(size);
    }
    const ssize_t size = recv(socket.fd(), input, sizeof(input), 0);
    if (size <= 0) return Silent("the server does not answer; is it plinth-serve?");
    PLINTH_RETURN_IF_ERROR(http2.Feed({input, static_cast<size_t>(size)}));
  }
  return body.Take();
}

}  // namespace plinth::serve
