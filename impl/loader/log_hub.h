#ifndef PLINTH_IMPL_LOADER_LOG_HUB_H_
#define PLINTH_IMPL_LOADER_LOG_HUB_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "impl/loader/log.h"

namespace plinth::loader {

// Gives log lines to the caller's callback and to the file of PLINTH_LOG, and, during a load, keeps
// them for its report. Any thread.
class LogHub : public std::enable_shared_from_this<LogHub> {
 public:
  using Callback = std::function<void(LogLevel, const std::string& message)>;

  // `file` is the value of PLINTH_LOG: "stderr", or a path, either with "debug:" in front to get
  // every line; empty: none.
  static std::shared_ptr<LogHub> Make(Callback callback, std::string_view file);

  // Keeps this hub alive.
  LogSink Sink();
  // The lines so far; none are kept from then on.
  std::string TakeReport();

 private:
  void Receive(LogLevel level, std::string_view message);
  bool WriteToFile(LogLevel level, std::string_view message);

  Callback callback_;
  std::string file_;
  LogLevel file_level_ = LogLevel::kInfo;
  std::mutex mutex_;
  bool collecting_ = true;
  bool told_of_file_ = false;  // that cannot be written
  std::string report_;
};

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_LOG_HUB_H_
