// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/sender.h"

#include "impl/serve/connection.h"

namespace plinth::serve {
namespace {

constexpr size_t kBatchBytes = size_t{256} << 10;

}  // namespace

Expected<bool> Sender::Flush(Connection* connection) {
  connection->mailbox()->Run();
  for (;;) {
    if (taken_ == out_.size()) {
      out_.clear();
      taken_ = 0;
      PLINTH_RETURN_IF_ERROR(connection->Send(&out_, kBatchBytes));
    }
    size_t size = 0;
    if (!out_.empty()) {
      PLINTH_ASSIGN_OR_RETURN(size, write_({out_.data() + taken_, out_.size() - taken_}));
    }
    taken_ += size;
    // What a task adds after the last look at the connection would stay here until the client
    // sends something: perhaps for ever, since the client may wait for that.
    if (size == 0 && !connection->mailbox()->Run()) return !out_.empty();
  }
}

}  // namespace plinth::serve
