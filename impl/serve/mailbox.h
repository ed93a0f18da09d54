// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_MAILBOX_H_
#define PLINTH_IMPL_SERVE_MAILBOX_H_

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace plinth::serve {

// Work that other threads leave for the thread of a connection.
class Mailbox {
 public:
  Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox();

  // Readable while there is work, for poll.
  int fd() const { return fd_; }
  // Any thread. Dropped after Close.
  void Post(std::function<void()> task);
  // On the connection's thread: runs what is there, also what that posts. False if that is nothing.
  bool Run();
  // What is there and what comes is dropped.
  void Close();

 private:
  const int fd_;
  std::mutex mutex_;
  bool is_closed_ = false;
  bool is_signaled_ = false;
  std::thread::id runner_;
  std::vector<std::function<void()>> tasks_;
};

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_MAILBOX_H_
