// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_SERVICE_H_
#define PLINTH_IMPL_SERVE_SERVICE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "impl/serve/host_buffers.h"
#include "impl/serve/proxy_messages.h"
#include "plinth/ifrt.hpp"
#include "plinth/support/json.h"
#include "plinth/support/status.h"

namespace plinth::serve {

// What is spoken here: later versions of the protocol ask for nothing else.
inline constexpr int kMinProtocol = 16;
inline constexpr int kMaxProtocol = 25;
inline constexpr int kMinSerialization = 0;
inline constexpr int kMaxSerialization = 6;

// The largest versions that both sides know; FAILED_PRECONDITION, with both ranges, if there are
// none.
Expected<proxy::IfrtProxyVersion> Negotiate(const proxy::GrpcGetVersionRequest& request);
Status CheckVersion(const proxy::IfrtProxyVersion& version);

// What all connections of a server share. Any thread.
class Service {
 public:
  struct Limits {
    int64_t memory_per_connection = 0;  // Bytes.
    size_t max_message = size_t{1} << 30;
  };
  using Log = std::function<void(std::string_view line)>;

  Service(ifrt::Client client, const Limits& limits, Log log)
      : client_(std::move(client)), limits_(limits), log_(std::move(log)) {}

  const ifrt::Client& client() const { return client_; }
  const Limits& limits() const { return limits_; }
  void LogLine(std::string_view line) const {
    if (log_) log_(line);
  }

  // A new session: a number that others cannot guess, since it is all that host buffers name.
  Expected<uint64_t> AddSession(std::shared_ptr<HostBuffers> buffers);
  void RemoveSession(uint64_t id);
  // NOT_FOUND if it is over.
  Expected<std::shared_ptr<HostBuffers>> FindSession(uint64_t id) const;
  size_t num_sessions() const;

  // Sessions that begin from now on are UNAVAILABLE.
  void Drain() { is_draining_ = true; }
  bool is_draining() const { return is_draining_; }

  // Who answers requests for the status.
  void SetStatus(std::function<Json()> status) { status_ = std::move(status); }
  Json StatusJson() const { return status_ ? status_() : Json(Json::Object()); }

 private:
  const ifrt::Client client_;
  const Limits limits_;
  const Log log_;
  std::function<Json()> status_;
  std::atomic<bool> is_draining_{false};
  mutable std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<HostBuffers>> sessions_;
};

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_SERVICE_H_
