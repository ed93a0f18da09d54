// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/log_hub.h"

#include <utility>

#include "plinth/support/log_line.h"
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
  LogTarget target = LogTarget::Parse(file);
  if (target.wants_debug) hub->file_level_ = LogLevel::kDebug;
  hub->file_ = std::move(target.file);
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
    // A log that cannot be written is no reason to fail.
    const std::string why = AppendLogLine(file_, LevelName(level), message);
    if (!why.empty()) Warn(why);
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

}  // namespace plinth::loader
