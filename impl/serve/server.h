// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_SERVER_H_
#define PLINTH_IMPL_SERVE_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "impl/serve/address.h"
#include "impl/serve/service.h"
#include "plinth/ifrt.hpp"
#include "plinth/support/json.h"
#include "plinth/support/status.h"

namespace plinth::serve {

// Accepts connections and runs each on a thread of its own, until it is told to end.
class Server {
 public:
  struct Options {
    size_t max_connections = 256;
    int64_t memory_per_connection = 0;
    int idle_seconds = 0;    // 0: a connection with a session may be idle for ever.
    int drain_seconds = 30;  // How long sessions may go on after Stop.
  };

  Server(Listener listener, ifrt::Client client, const Options& options, Service::Log log);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Serves until Stop was called and the sessions have ended or the time is over.
  void Run();
  // Takes no new sessions; a second time: ends at once. Safe in signal handlers, on any thread.
  void Stop();

 private:
  class Peer;

  void Accept();
  // Forgets connections that have ended.
  void Reap();
  Json StatusJson() const;

  Listener listener_;
  const Options options_;
  Service service_;
  const int stop_fd_;
  mutable std::mutex mutex_;
  std::list<std::unique_ptr<Peer>> peers_;
  uint64_t num_accepted_ = 0;
  uint64_t num_refused_ = 0;
};

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_SERVER_H_
