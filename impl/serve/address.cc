// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "plinth/support/str_cat.h"

namespace plinth::serve {
namespace {

Status Unavailable(std::string_view what, std::string_view where, int error) {
  return Status(static_cast<StatusCode>(PJRT_Error_Code_UNAVAILABLE),
                StrCat(what, " ", where, ": ", std::strerror(error)));
}

Expected<sockaddr_un> UnixAddress(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return InvalidArgument("the path of a Unix socket has 1 to ", sizeof(address.sun_path) - 1,
                           " bytes, not ", path.size());
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

using Found = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Expected<Found> Resolve(const Address& address) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (error != 0) {
    return InvalidArgument(address.host, ":", address.port, ": ", gai_strerror(error));
  }
  return Found(found, freeaddrinfo);
}

bool IsLoopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
  }
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
  return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

std::string TextOf(const sockaddr* address) {
  char host[INET6_ADDRSTRLEN] = {};
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
    return StrCat(host, ":", ntohs(v4->sin_port));
  }
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
  inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
  return StrCat("[", host, "]:", ntohs(v6->sin6_port));
}

Expected<Listener> ListenUnix(const std::string& path) {
  PLINTH_ASSIGN_OR_RETURN(const sockaddr_un address, UnixAddress(path));
  const auto* raw = reinterpret_cast<const sockaddr*>(&address);
  Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.fd() < 0) return Unavailable("unix socket", path, errno);
  struct stat there = {};
  if (lstat(path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode)) {
    const Socket probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(probe.fd(), raw, sizeof(address)) != 0 && errno == ECONNREFUSED) {
      unlink(path.c_str());
    }
  }
  // Nobody else may connect, not even between bind and chmod.
  const mode_t before = umask(0177);
  const int bound = bind(socket.fd(), raw, sizeof(address));
  const int error = errno;
  umask(before);
  if (bound != 0) return Unavailable("cannot listen on unix:", path, error);
  if (listen(socket.fd(), SOMAXCONN) != 0) return Unavailable("cannot listen on", path, errno);
  return Listener{std::move(socket), StrCat("unix:", path)};
}

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

Expected<Address> Address::Parse(std::string_view text) {
  constexpr std::string_view kUnix = "unix:";
  if (text.starts_with(kUnix)) return Address{true, std::string(text.substr(kUnix.size())), ""};
  const size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  if (colon == std::string_view::npos || host.empty() || colon + 1 == text.size()) {
    return InvalidArgument("'", text, "' is no address; give unix:PATH or HOST:PORT");
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  return Address{false, std::string(host), std::string(text.substr(colon + 1))};
}

Expected<Listener> Listen(const Address& address, bool is_network) {
  if (address.is_unix) return ListenUnix(address.host);
  PLINTH_ASSIGN_OR_RETURN(const Found found, Resolve(address));
  if (!is_network && !IsLoopback(found->ai_addr)) {
    return FailedPrecondition(
        TextOf(found->ai_addr),
        " is open to others, and the protocol knows no passwords: whoever connects runs programs "
        "here. Forward a Unix socket or 127.0.0.1 with ssh -L, or give --insecure-network");
  }
  Socket socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_storage real = {};
  socklen_t size = sizeof(real);
  if (socket.fd() < 0 || bind(socket.fd(), found->ai_addr, found->ai_addrlen) != 0 ||
      listen(socket.fd(), SOMAXCONN) != 0 ||
      getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&real), &size) != 0) {
    return Unavailable("cannot listen on", TextOf(found->ai_addr), errno);
  }
  return Listener{std::move(socket), TextOf(reinterpret_cast<const sockaddr*>(&real))};
}

Expected<Socket> Connect(const Address& address) {
  if (address.is_unix) {
    PLINTH_ASSIGN_OR_RETURN(const sockaddr_un unix_address, UnixAddress(address.host));
    Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(socket.fd(), reinterpret_cast<const sockaddr*>(&unix_address),
                sizeof(unix_address)) != 0) {
      return Unavailable("cannot connect to", StrCat("unix:", address.host), errno);
    }
    return socket;
  }
  PLINTH_ASSIGN_OR_RETURN(const Found found, Resolve(address));
  Socket socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(socket.fd(), found->ai_addr, found->ai_addrlen) != 0) {
    return Unavailable("cannot connect to", TextOf(found->ai_addr), errno);
  }
  return socket;
}

}  // namespace plinth::serve
