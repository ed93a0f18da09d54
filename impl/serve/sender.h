// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_SENDER_H_
#define PLINTH_IMPL_SERVE_SENDER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "plinth/support/status.h"

namespace plinth::serve {

class Connection;

// Sends what a connection has, through something that may take no more for a while.
class Sender {
 public:
  // How many bytes it took from the front: 0 for none now.
  using Write = std::function<Expected<size_t>(std::string_view bytes)>;
  explicit Sender(Write write) : write_(std::move(write)) {}

  // Runs what other threads left for the connection and sends what there is, until neither has
  // more: only then may the thread sleep. True if `write` takes no more now.
  Expected<bool> Flush(Connection* connection);

 private:
  const Write write_;
  std::string out_;
  size_t taken_ = 0;  // Of it.
};

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_SENDER_H_
