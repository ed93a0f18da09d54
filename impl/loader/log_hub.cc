// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/log_hub.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "impl/loader/descriptor.h"
#include "impl/loader/files.h"
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

LogHub::Report::Report(std::shared_ptr<LogHub> hub) : hub_(std::move(hub)) {
  std::lock_guard lock(hub_->mutex_);
  hub_->collecting_ = true;
}

std::string LogHub::Report::Take() {
  std::lock_guard lock(hub_->mutex_);
  hub_->collecting_ = false;
  return std::exchange(hub_->report_, {});
}

void LogHub::Keep(std::string_view message) {
  std::lock_guard lock(mutex_);
  if (collecting_) report_ += StrCat(report_.empty() ? "" : "\n", message);
}

void LogHub::Receive(LogLevel level, std::string_view message) {
  Keep(message);
  if (!file_.empty() && level <= file_level_) {
    if (std::string why = WriteToFile(level, message); !why.empty()) Warn(why);
  }
  if (callback_) callback_(level, std::string(message));
}

// Once: it would be so for every line.
void LogHub::Warn(std::string_view why) {
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(told_of_file_, true)) return;
  }
  std::string warning = StrCat("PLINTH_LOG: ", file_, " cannot be written: ", why);
  Keep(warning);
  if (callback_) callback_(LogLevel::kWarning, warning);
}

// A log that cannot be written is no reason to fail.
std::string LogHub::WriteToFile(LogLevel level, std::string_view message) {
  std::string line = StrCat("plinth ", LevelName(level), ": ", message, "\n");
  // Opened for each line, which are few: nothing stays open, and a line is one append.
  const bool is_stderr = file_ == "stderr";
  Descriptor opened(is_stderr ? -1
                              : open(file_.c_str(),
                                     O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666));
  if (!is_stderr && opened.get() < 0) return SystemError(errno);
  const ssize_t written = write(is_stderr ? STDERR_FILENO : opened.get(), line.data(), line.size());
  if (written < 0) return SystemError(errno);
  return written == static_cast<ssize_t>(line.size()) ? "" : "only a part of a line fits";
}

}  // namespace plinth::loader
