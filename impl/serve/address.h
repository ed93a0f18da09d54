// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_ADDRESS_H_
#define PLINTH_IMPL_SERVE_ADDRESS_H_

#include <string>
#include <string_view>

#include "plinth/support/status.h"

namespace plinth::serve {

// A file descriptor that this object closes.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(other.Give()) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket();
  int fd() const { return fd_; }
  int Give() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// Where a server listens: "unix:PATH" or "HOST:PORT" ("[::1]:PORT" for IPv6; port 0 is any).
struct Address {
  bool is_unix = false;
  std::string host;  // Or the path.
  std::string port;
  static Expected<Address> Parse(std::string_view text);
};

struct Listener {
  Socket socket;
  std::string text;  // As a client is told, with the real port.
};

// A Unix socket gets mode 0600, and takes the place of one that nobody listens on any more. Other
// addresses than 127.0.0.0/8 and ::1 are FAILED_PRECONDITION, unless `is_network` allows them.
Expected<Listener> Listen(const Address& address, bool is_network);
// UNAVAILABLE if nobody listens there.
Expected<Socket> Connect(const Address& address);

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_ADDRESS_H_
