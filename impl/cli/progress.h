// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_PROGRESS_H_
#define PLINTH_IMPL_CLI_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace plinth::cli {

// Tells a person at a terminal what takes so long: after half a second a line on standard error,
// renewed until the object goes, then erased. Nothing where standard error is no terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // Replaces the text. Any thread.
  void Set(std::string what);

 private:
  void Show();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  bool is_done_ = false;
  std::thread thread_;  // Not running where there is no terminal.
};

// Time since its construction.
class Stopwatch {
 public:
  double Milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_PROGRESS_H_
