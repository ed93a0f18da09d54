// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/mailbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace plinth::serve {

Mailbox::Mailbox() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Mailbox::~Mailbox() {
  if (fd_ >= 0) close(fd_);
}

void Mailbox::Post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return;
  tasks_.push_back(std::move(task));
  // The connection's own thread looks before it sleeps.
  if (is_signaled_ || runner_ == std::this_thread::get_id()) return;
  is_signaled_ = true;
  const uint64_t one = 1;
  (void)!write(fd_, &one, sizeof(one));
}

bool Mailbox::Run() {
  std::vector<std::function<void()>> tasks;
  for (bool has_run = false;; has_run = true) {
    {
      const std::lock_guard lock(mutex_);
      runner_ = std::this_thread::get_id();
      if (is_signaled_) {
        uint64_t count = 0;
        (void)!read(fd_, &count, sizeof(count));
        is_signaled_ = false;
      }
      tasks.clear();
      tasks.swap(tasks_);
    }
    if (tasks.empty()) return has_run;
    for (const std::function<void()>& task : tasks) task();
  }
}

void Mailbox::Close() {
  std::vector<std::function<void()>> dropped;
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  dropped.swap(tasks_);
}

}  // namespace plinth::serve
