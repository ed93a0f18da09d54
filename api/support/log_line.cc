// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/log_line.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "plinth/support/str_cat.h"

namespace plinth {
namespace {

std::string LastSystemError() { return std::generic_category().message(errno); }

}  // namespace

LogTarget LogTarget::Parse(std::string_view value) {
  constexpr std::string_view kDebug = "debug:";
  LogTarget target;
  target.wants_debug = value.starts_with(kDebug);
  if (target.wants_debug) value.remove_prefix(kDebug.size());
  target.file = value;
  return target;
}

LogTarget LogTarget::OfThisProcess() {
  const char* const variable = secure_getenv("PLINTH_LOG");
  return Parse(variable == nullptr ? "" : variable);
}

std::string AppendLogLine(const std::string& file, std::string_view level,
                          std::string_view message) {
  const std::string line = StrCat("plinth ", level, ": ", message, "\n");
  // Opened for each line, which are few: nothing stays open.
  const bool is_stderr = file == "stderr";
  const int opened =
      is_stderr ? STDERR_FILENO
                : open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (opened < 0) return LastSystemError();
  const ssize_t written = write(opened, line.data(), line.size());
  std::string why = written < 0 ? LastSystemError() : std::string();
  if (!is_stderr) close(opened);
  if (written < 0) return why;
  return written == static_cast<ssize_t>(line.size()) ? "" : "only a part of a line fits";
}

}  // namespace plinth
