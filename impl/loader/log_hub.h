// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_LOG_HUB_H_
#define PLINTH_IMPL_LOADER_LOG_HUB_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "impl/loader/log.h"

namespace plinth::loader {

// Gives log lines to the caller's callback and to the file of PLINTH_LOG, and to a report while
// there is one. Any thread.
class LogHub : public std::enable_shared_from_this<LogHub> {
 public:
  using Callback = std::function<void(LogLevel, const std::string& message)>;

  // `file` is the value of PLINTH_LOG: "stderr", or a path, either with "debug:" in front to get
  // every line; empty: none.
  static std::shared_ptr<LogHub> Make(Callback callback, std::string_view file);

  // Keeps this hub alive.
  LogSink Sink();

  // Keeps the lines that come until it is taken, or goes: layers log as long as the process lives.
  // A hub has one at a time.
  class Report {
   public:
    explicit Report(std::shared_ptr<LogHub> hub);
    ~Report() { Take(); }
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;
    std::string Take();

   private:
    std::shared_ptr<LogHub> hub_;
  };

 private:
  void Receive(LogLevel level, std::string_view message);
  void Keep(std::string_view message);
  void Warn(std::string_view why);

  Callback callback_;
  std::string file_;
  LogLevel file_level_ = LogLevel::kInfo;
  std::mutex mutex_;
  bool collecting_ = false;
  bool told_of_file_ = false;  // that cannot be written
  std::string report_;
};

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_LOG_HUB_H_
