// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "impl/cli/commands.h"

namespace plinth::cli {
namespace {

// The libplinth that this command uses, for the traced program to load as its plugin.
std::string LibraryPath() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&plinth_version), &info) == 0) return {};
  std::error_code error;
  const auto path = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::string() : path.string();
}

// "libplinth as the plugin `plinth`, the plugin behind it, the trace layer in front of it".
std::vector<std::pair<std::string, std::string>> VariablesOf(const TraceOptions& options,
                                                             const std::string& plugin,
                                                             const std::string& library,
                                                             const std::string& file) {
  std::string layer = StrCat("trace(file=", file);
  if (!options.capture.empty()) {
    layer += StrCat(",capture=", std::filesystem::absolute(options.capture).string());
  }
  layer += ")";
  if (options.layers) layer = StrCat(*options.layers, ",", layer);
  return {{"PJRT_NAMES_AND_LIBRARY_PATHS", StrCat("plinth:", library)},
          {"JAX_PLATFORMS", "plinth"},
          {"PLINTH_PLUGIN", plugin},
          {"PLINTH_LAYERS", layer}};
}

// Runs the command with the variables; its status as waitpid gives it.
Expected<int> RunCommand(const std::vector<std::string>& command,
                         const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = fork();
  if (pid < 0) return Internal("cannot start a process: ", std::strerror(errno));
  if (pid == 0) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    execvp(arguments[0], arguments.data());
    dprintf(STDERR_FILENO, "plinth: %s: %s\n", arguments[0], std::strerror(errno));
    _exit(127);
  }
  // Ctrl-C is for the command; this process goes on to say where the trace is.
  const auto old_handler = std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, old_handler);
  return status;
}

}  // namespace

int Trace(const TraceOptions& options, Output& output) {
  const std::string library = LibraryPath();
  if (library.empty()) {
    return output.Fail(FailedPrecondition("libplinth.so is not a file of its own here"), kFailed);
  }
  std::string plugin = options.plugin;
  if (const char* variable = std::getenv("PLINTH_PLUGIN"); plugin.empty() && variable != nullptr) {
    plugin = variable;
  }
  if (plugin.find('/') != std::string::npos) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(plugin, error)) {
      return output.Fail(NotFound(plugin, ": no such plugin"), kNoPlugin);
    }
    plugin = std::filesystem::absolute(plugin).string();
  }
  const std::string file = std::filesystem::absolute(options.file).string();
  // What would be read as another option of the layer.
  if (file.find_first_of(",()") != std::string::npos) {
    return output.Fail(InvalidArgument(file, ": the name has a comma or a parenthesis"), kUsage);
  }
  std::error_code error;
  std::filesystem::remove(file, error);
  const Expected<int> status =
      RunCommand(options.command, VariablesOf(options, plugin, library, file));
  if (!status.ok()) return output.Fail(status.status(), kFailed);
  const bool is_there = std::filesystem::exists(file, error);
  output.json()["file"] = file;
  if (is_there) {
    output.Line("trace:              ", file);
    output.Line("open it:            drag it into https://ui.perfetto.dev or chrome://tracing");
  }
  if (!options.capture.empty() && std::filesystem::exists(options.capture, error)) {
    output.Line("capture:            ", options.capture);
    output.Line("repeat it:          plinth replay ", options.capture, " --plugin PLUGIN");
    output.json()["capture"] = options.capture;
  }
  const int code = WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
  output.json()["command_status"] = code;
  if (code != 0) {
    return output.Fail(Internal(options.command[0], " ended with status ", code),
                       code == 127 ? kUsage : kFailed);
  }
  if (!is_there) {
    return output.Fail(FailedPrecondition("no trace was written: ", options.command[0],
                                          " made no call of PJRT through the plugin `plinth`"),
                       kFailed);
  }
  return kDone;
}

}  // namespace plinth::cli
