// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include "plinth/support/str_cat.h"

namespace plinth::cli {

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO)) thread_ = std::thread([this] { Show(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    is_done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Progress::Set(std::string what) {
  std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void Progress::Show() {
  const Stopwatch watch;
  std::unique_lock lock(mutex_);
  bool is_shown = false;
  while (!changed_.wait_for(lock, std::chrono::milliseconds(500), [this] { return is_done_; })) {
    is_shown = true;
    const std::string line =
        StrCat("\r\x1b[K", what_, " ... ", static_cast<int64_t>(watch.Milliseconds() / 1000), " s");
    fwrite(line.data(), 1, line.size(), stderr);
    fflush(stderr);
  }
  if (is_shown) fputs("\r\x1b[K", stderr);
}

}  // namespace plinth::cli
