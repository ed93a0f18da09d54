// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/crash_report.h"

#include <unistd.h>

#include <csignal>

#include "impl/cli/output.h"
#include "plinth/support/json.h"

namespace plinth::cli {
namespace {

constexpr int kSignals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// What the handler writes: it may allocate nothing, so the text is made before.
char text_of_handler[4096];
volatile size_t size_of_handler = 0;
volatile int file_of_handler = STDERR_FILENO;

void Handle(int /*signal*/) {
  [[maybe_unused]] ssize_t written = write(file_of_handler, text_of_handler, size_of_handler);
  _exit(kFailed);
}

}  // namespace

CrashReport::CrashReport(std::string plugin, bool as_json)
    : plugin_(std::move(plugin)), as_json_(as_json) {
  Set("starting");
  for (int signal : kSignals) std::signal(signal, Handle);
}

CrashReport::~CrashReport() {
  for (int signal : kSignals) std::signal(signal, SIG_DFL);
}

void CrashReport::Set(const std::string& what) {
  const std::string message = StrCat("the plugin crashed while ", what, ". `plinth doctor ",
                                     plugin_.empty() ? "" : plugin_ + " ",
                                     "-v` asks it in a process of its own and says what is known");
  std::string text = StrCat("plinth: INTERNAL: ", message, "\n");
  if (as_json_) {
    text = Json(Json::Object{{"error", Json::Object{{"code", "INTERNAL"}, {"message", message}}},
                             {"exit_code", int{kFailed}}})
               .ToString() +
           "\n";
  }
  size_of_handler = 0;
  const size_t size = text.copy(text_of_handler, sizeof(text_of_handler));
  file_of_handler = as_json_ ? STDOUT_FILENO : STDERR_FILENO;
  size_of_handler = size;
}

}  // namespace plinth::cli
