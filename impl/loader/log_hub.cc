#include "impl/loader/log_hub.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "plinth/support/str_cat.h"

namespace plinth::loader {
namespace {

const char* LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return "error";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kDebug:
      return "debug";
  }
  return "log";
}

}  // namespace

std::shared_ptr<LogHub> LogHub::Make(Callback callback, std::string_view file) {
  auto hub = std::make_shared<LogHub>();
  hub->callback_ = std::move(callback);
  if (file.starts_with("debug:")) {
    hub->file_level_ = LogLevel::kDebug;
    file.remove_prefix(6);
  }
  hub->file_ = file;
  return hub;
}

LogSink LogHub::Sink() {
  return [hub = shared_from_this()](LogLevel level, std::string_view message) {
    hub->Receive(level, message);
  };
}

std::string LogHub::TakeReport() {
  std::lock_guard lock(mutex_);
  collecting_ = false;
  return std::move(report_);
}

void LogHub::Receive(LogLevel level, std::string_view message) {
  {
    std::lock_guard lock(mutex_);
    if (collecting_) report_ += StrCat(report_.empty() ? "" : "\n", message);
  }
  if (!file_.empty() && level <= file_level_ && !WriteToFile(level, message)) {
    std::string warning = StrCat("PLINTH_LOG: ", file_, " cannot be written: ", strerror(errno));
    std::unique_lock lock(mutex_);
    bool is_first = !std::exchange(told_of_file_, true);
    if (is_first && collecting_) report_ += StrCat(report_.empty() ? "" : "\n", warning);
    lock.unlock();
    if (is_first && callback_) callback_(LogLevel::kWarning, warning);
  }
  if (callback_) callback_(level, std::string(message));
}

// A log that cannot be written is no reason to fail.
bool LogHub::WriteToFile(LogLevel level, std::string_view message) {
  std::string line = StrCat("plinth ", LevelName(level), ": ", message, "\n");
  // Opened for each line, which are few: nothing stays open, and a line is one append.
  int file = file_ == "stderr" ? STDERR_FILENO
                               : open(file_.c_str(),
                                      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0) return false;
  bool is_written = write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  int error = errno;
  if (file != STDERR_FILENO) close(file);
  errno = error;
  return is_written;
}

}  // namespace plinth::loader
