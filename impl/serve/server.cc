// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "impl/serve/connection.h"
#include "impl/serve/sender.h"
#include "plinth/support/str_cat.h"

namespace plinth::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBufferBytes = size_t{256} << 10;
// A connection on which nothing is asked.
constexpr int kUnusedSeconds = 60;
constexpr std::chrono::milliseconds kLateTime{1};

int MillisecondsUntil(Clock::time_point when) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(when - Clock::now());
  return static_cast<int>(std::max<int64_t>(0, left.count() + 1));
}

}  // namespace

// A connection with its socket and its thread.
class Server::Peer {
 public:
  Peer(Socket socket, Service* service, const Options& options, uint64_t number)
      : socket_(std::move(socket)),
        options_(options),
        service_(service),
        number_(number),
        thread_([this] { Run(); }) {}
  ~Peer() {
    shutdown(socket_.fd(), SHUT_RDWR);
    thread_.join();
  }

  bool is_over() const { return is_over_.load(); }

  Json ToJson() const {
    const std::lock_guard lock(mutex_);
    Json::Object json;
    json["connection"] = number_;
    json["seconds"] = std::chrono::duration<double>(Clock::now() - begin_).count();
    json["bytes_received"] = received_.load();
    json["bytes_sent"] = sent_.load();
    json["sessions"] = counts_.sessions;
    json["requests"] = counts_.requests;
    json["pending"] = counts_.pending;
    json["arrays"] = counts_.arrays;
    json["executables"] = counts_.executables;
    json["memory"] = counts_.memory;
    return json;
  }

 private:
  void Run() {
    try {
      Connection connection(service_);
      const Status status = Serve(connection);
      Note(connection);
      service_->LogLine(StrCat("connection ", number_, ": ended after ", counts_.requests,
                               " requests", status.ok() ? "" : "; ",
                               status.ok() ? "" : status.ToString()));
    } catch (const std::exception& error) {
      service_->LogLine(StrCat("connection ", number_, ": ", error.what()));
    }
    shutdown(socket_.fd(), SHUT_RDWR);
    is_over_ = true;
  }

  Status Serve(Connection& connection) {
    std::vector<char> input(kBufferBytes);
    Sender sender([this](std::string_view bytes) { return Write(bytes); });
    auto last_use = Clock::now();
    std::optional<Clock::time_point> late;  // When answers that nobody waits for go.
    for (;;) {
      PLINTH_ASSIGN_OR_RETURN(const bool is_blocked, sender.Flush(&connection));
      if (!is_blocked && connection.IsDone()) return {};
      Note(connection);
      if (!connection.has_late()) {
        late.reset();
      } else if (!late) {
        late = Clock::now() + kLateTime;
      } else if (Clock::now() >= *late) {
        connection.ResumeLate();
        continue;
      }
      const int idle = connection.has_calls() ? options_.idle_seconds : kUnusedSeconds;
      pollfd fds[] = {{socket_.fd(), POLLIN, 0}, {connection.mailbox()->fd(), POLLIN, 0}};
      if (is_blocked) fds[0].events |= POLLOUT;
      int timeout = idle == 0 ? -1 : MillisecondsUntil(last_use + std::chrono::seconds(idle));
      if (late) timeout = MillisecondsUntil(*late);
      const int ready = poll(fds, 2, timeout);
      if (ready == 0 && idle != 0 && Clock::now() >= last_use + std::chrono::seconds(idle)) {
        if (connection.Count().pending == 0) return {};
        last_use = Clock::now();
      }
      if ((fds[0].revents & ~POLLOUT) == 0) continue;
      const ssize_t size = recv(socket_.fd(), input.data(), input.size(), 0);
      if (size == 0) return {};
      if (size < 0) {
        if (errno == EAGAIN || errno == EINTR) continue;
        return Internal("recv: ", std::strerror(errno));
      }
      last_use = Clock::now();
      received_ += static_cast<uint64_t>(size);
      Status status = connection.Feed({input.data(), static_cast<size_t>(size)});
      if (!status.ok()) {
        (void)sender.Flush(&connection).ok();  // It says why.
        return status;
      }
    }
  }

  // To the socket, as far as it takes it now.
  Expected<size_t> Write(std::string_view bytes) {
    for (;;) {
      const ssize_t size = send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size >= 0) {
        sent_ += static_cast<uint64_t>(size);
        return static_cast<size_t>(size);
      }
      if (errno == EAGAIN) return size_t{0};
      if (errno != EINTR) return Internal("send: ", std::strerror(errno));
    }
  }

  void Note(const Connection& connection) {
    const Counts counts = connection.Count();
    const std::lock_guard lock(mutex_);
    counts_ = counts;
  }

  const Socket socket_;
  const Options options_;
  Service* const service_;
  const uint64_t number_;
  const Clock::time_point begin_ = Clock::now();
  std::atomic<uint64_t> received_{0};
  std::atomic<uint64_t> sent_{0};
  std::atomic<bool> is_over_{false};
  mutable std::mutex mutex_;
  Counts counts_;
  std::thread thread_;  // The last: it uses everything above.
};

Server::Server(Listener listener, ifrt::Client client, const Options& options, Service::Log log)
    : listener_(std::move(listener)),
      options_(options),
      service_(std::move(client), {options.memory_per_connection}, std::move(log)),
      stop_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  service_.SetStatus([this] { return StatusJson(); });
}

Server::~Server() {
  {
    std::list<std::unique_ptr<Peer>> gone;
    const std::lock_guard lock(mutex_);
    gone.swap(peers_);
  }
  close(stop_fd_);
}

void Server::Stop() {
  const uint64_t one = 1;
  (void)!write(stop_fd_, &one, sizeof(one));
}

void Server::Run() {
  Clock::time_point end = Clock::time_point::max();
  for (;;) {
    Reap();
    if (service_.is_draining() && (service_.num_sessions() == 0 || Clock::now() >= end)) break;
    pollfd fds[] = {{stop_fd_, POLLIN, 0}, {listener_.socket.fd(), POLLIN, 0}};
    // While it drains: look every now and then. Otherwise: memory of ended connections.
    poll(fds, service_.is_draining() ? 1 : 2, service_.is_draining() ? 50 : 1000);
    if ((fds[0].revents & POLLIN) != 0) {
      uint64_t count = 0;
      (void)!read(stop_fd_, &count, sizeof(count));
      if (service_.is_draining() || count > 1) break;
      service_.Drain();
      end = Clock::now() + std::chrono::seconds(options_.drain_seconds);
      listener_.socket = Socket();
      service_.LogLine(StrCat("ending: ", service_.num_sessions(), " sessions go on for at most ",
                              options_.drain_seconds, " seconds"));
    } else if ((fds[1].revents & POLLIN) != 0) {
      Accept();
    }
  }
  std::list<std::unique_ptr<Peer>> gone;
  const std::lock_guard lock(mutex_);
  gone.swap(peers_);
}

void Server::Accept() {
  Socket socket(accept4(listener_.socket.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.fd() < 0) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
      service_.LogLine(StrCat("accept: ", std::strerror(errno)));
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return;
  }
  const int on = 1;
  setsockopt(socket.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const std::lock_guard lock(mutex_);
  if (peers_.size() >= options_.max_connections) {
    ++num_refused_;
    service_.LogLine(
        StrCat("a connection is refused: there are ", peers_.size(), "; see --max-connections"));
    return;
  }
  const uint64_t number = ++num_accepted_;
  service_.LogLine(StrCat("connection ", number));
  peers_.push_back(std::make_unique<Peer>(std::move(socket), &service_, options_, number));
}

void Server::Reap() {
  std::list<std::unique_ptr<Peer>> gone;
  const std::lock_guard lock(mutex_);
  for (auto peer = peers_.begin(); peer != peers_.end();) {
    const auto next = std::next(peer);
    if ((*peer)->is_over()) gone.splice(gone.end(), peers_, peer);
    peer = next;
  }
}

Json Server::StatusJson() const {
  const std::lock_guard lock(mutex_);
  Json::Object json;
  json["address"] = listener_.text;
  json["platform"] = service_.client().platform_name();
  json["devices"] = service_.client().devices().size();
  json["draining"] = service_.is_draining();
  json["accepted"] = num_accepted_;
  json["refused"] = num_refused_;
  Json::Array connections;
  for (const auto& peer : peers_) connections.push_back(peer->ToJson());
  json["connections"] = std::move(connections);
  return json;
}

}  // namespace plinth::serve
