// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_LOG_LINE_H_
#define PLINTH_SUPPORT_LOG_LINE_H_

#include <string>
#include <string_view>

namespace plinth {

// What the variable PLINTH_LOG says: "stderr", or a path, either with "debug:" in front to get
// every line; empty: no log.
struct LogTarget {
  std::string file;
  bool wants_debug = false;

  static LogTarget Parse(std::string_view value);
  // Of PLINTH_LOG; empty in a privileged process.
  static LogTarget OfThisProcess();
};

// Appends "plinth LEVEL: MESSAGE" to a file, or to standard error if `file` is "stderr". Why it
// could not be written, or empty. Any thread; a line is one write.
std::string AppendLogLine(const std::string& file, std::string_view level,
                          std::string_view message);

}  // namespace plinth

#endif  // PLINTH_SUPPORT_LOG_LINE_H_
