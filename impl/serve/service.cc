// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/service.h"

#include <sys/random.h>

#include <algorithm>

namespace plinth::serve {
namespace {

std::string RangeText(int least, int most) { return StrCat(least, " to ", most); }

Expected<int> LargestCommon(std::string_view what, int least, int most, int client_least,
                            int client_most) {
  const int common = std::min(most, client_most);
  if (common < std::max(least, client_least)) {
    return FailedPrecondition("the client speaks ", what, " ", RangeText(client_least, client_most),
                              ", plinth-serve ", RangeText(least, most));
  }
  return common;
}

}  // namespace

Expected<proxy::IfrtProxyVersion> Negotiate(const proxy::GrpcGetVersionRequest& request) {
  const proxy::IfrtProxyVersion& least = request.min_version;
  const proxy::IfrtProxyVersion& most = request.max_version;
  PLINTH_ASSIGN_OR_RETURN(
      const int protocol,
      LargestCommon("versions of the IFRT proxy protocol", kMinProtocol, kMaxProtocol,
                    least.protocol_version, most.protocol_version));
  PLINTH_ASSIGN_OR_RETURN(
      const int serialization,
      LargestCommon("versions of IFRT's serialization", kMinSerialization, kMaxSerialization,
                    least.ifrt_serdes_version_number, most.ifrt_serdes_version_number));
  return proxy::IfrtProxyVersion{protocol, serialization};
}

Status CheckVersion(const proxy::IfrtProxyVersion& version) {
  return Negotiate({version, version}).status();
}

Expected<uint64_t> Service::AddSession(std::shared_ptr<HostBuffers> buffers) {
  if (is_draining_) {
    return Status(static_cast<StatusCode>(PJRT_Error_Code_UNAVAILABLE),
                  "plinth-serve is about to end and takes no new sessions");
  }
  uint64_t id = 0;
  const std::lock_guard lock(mutex_);
  do {
    if (getrandom(&id, sizeof(id), 0) != sizeof(id)) return Internal("no random numbers");
    id >>= 1;  // Some clients keep it as a signed number.
  } while (id == 0 || sessions_.contains(id));
  sessions_.emplace(id, std::move(buffers));
  return id;
}

void Service::RemoveSession(uint64_t id) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(id);
}

Expected<std::shared_ptr<HostBuffers>> Service::FindSession(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return NotFound("there is no session ", id);
  return found->second;
}

size_t Service::num_sessions() const {
  const std::lock_guard lock(mutex_);
  return sessions_.size();
}

}  // namespace plinth::serve
