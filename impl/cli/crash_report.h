// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_CRASH_REPORT_H_
#define PLINTH_IMPL_CLI_CRASH_REPORT_H_

#include <string>

namespace plinth::cli {

// While it lives, a plugin that ends this process by SIGABRT, SIGSEGV and the like is reported as
// an error of the command, with what to do, and the exit code is 1. One at a time; one thread.
class CrashReport {
 public:
  // `plugin`: as the command line names it, for advice.
  CrashReport(std::string plugin, bool as_json);
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

  // What the plugin is doing from here on: "compiling".
  void Set(const std::string& what);

 private:
  std::string plugin_;
  bool as_json_;
};

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_CRASH_REPORT_H_
