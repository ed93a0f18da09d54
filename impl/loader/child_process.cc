// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "impl/loader/descriptor.h"
#include "impl/loader/files.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): declared for _GNU_SOURCE alone

namespace plinth::loader {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxOutput = 16 << 20;
constexpr size_t kMaxErrors = 16 << 10;
constexpr int kPollMilliseconds = 20;

Status SystemFailure(const char* what) {
  return Internal("cannot start a process: ", what, ": ", SystemError(errno));
}

// Files in memory: neither side ever waits for the other, whatever the sizes.
Status MakeMemoryFile(Descriptor& file, const std::string& contents) {
  file.Set(memfd_create("plinth-child", MFD_CLOEXEC));
  if (file.get() < 0) return SystemFailure("memfd_create");
  size_t written = 0;
  while (written < contents.size()) {
    ssize_t size = write(file.get(), contents.data() + written, contents.size() - written);
    if (size < 0) return SystemFailure("write");
    written += static_cast<size_t>(size);
  }
  lseek(file.get(), 0, SEEK_SET);
  return Status();
}

// The result of a posix_spawn without exceptions in between.
struct SpawnSettings {
  SpawnSettings() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

// Keeps the end of what the pipe gives. False once nothing more can come.
bool ReadErrors(int pipe, std::string& errors) {
  char block[4096];
  // A bound, because a child may write faster than this reads.
  for (int blocks = 0; blocks < 64; ++blocks) {
    ssize_t size = read(pipe, block, sizeof(block));
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    if (size == 0) return false;
    errors.append(block, static_cast<size_t>(size));
    if (errors.size() > kMaxErrors) errors.erase(0, errors.size() - kMaxErrors);
  }
  return true;
}

// All of a file in memory, as far as it is not larger than any child makes it.
std::string ReadMemoryFile(int file) {
  std::string text;
  char block[16384];
  while (text.size() < kMaxOutput) {
    ssize_t size = pread(file, block, sizeof(block), static_cast<off_t>(text.size()));
    if (size <= 0) break;
    text.append(block, static_cast<size_t>(size));
  }
  return text;
}

// A source of a descriptor must not be the target of another.
int MoveAway(Descriptor& file) {
  int moved = fcntl(file.get(), F_DUPFD_CLOEXEC, 10);
  if (moved >= 0) file.Set(moved);
  return moved;
}

Expected<pid_t> Spawn(const ChildRequest& request, Descriptor& input, Descriptor& output,
                      Descriptor& errors) {
  if (MoveAway(input) < 0 || MoveAway(output) < 0 || MoveAway(errors) < 0) {
    return SystemFailure("fcntl");
  }
  SpawnSettings settings;
  posix_spawn_file_actions_adddup2(&settings.files, input.get(), 0);
  posix_spawn_file_actions_adddup2(&settings.files, errors.get(), 1);
  posix_spawn_file_actions_adddup2(&settings.files, errors.get(), 2);
  posix_spawn_file_actions_adddup2(&settings.files, output.get(), request.result_file);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&settings.attributes, &none);
  posix_spawnattr_setsigdefault(&settings.attributes, &all);
  posix_spawnattr_setpgroup(&settings.attributes, 0);
  posix_spawnattr_setflags(&settings.attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const std::string& argument : request.command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  char* no_variables[] = {nullptr};
  pid_t child = 0;
  int error = posix_spawn(&child, request.command[0].c_str(), &settings.files, &settings.attributes,
                          arguments.data(), request.empty_environment ? no_variables : environ);
  if (error != 0) {
    return Internal("cannot start a process: ", request.command[0], ": ", SystemError(error));
  }
  return child;
}

// Whether the child has ended; it stays a zombie, so that its number is not given to another.
bool HasEnded(pid_t child) {
  siginfo_t info = {};
  int result = waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
  return result != 0 ? errno != EINTR : info.si_pid == child;
}

}  // namespace

Expected<ChildResult> RunChild(const ChildRequest& request) {
  Descriptor input, output, errors_in, errors_out;
  PLINTH_RETURN_IF_ERROR(MakeMemoryFile(input, request.input));
  PLINTH_RETURN_IF_ERROR(MakeMemoryFile(output, ""));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemFailure("pipe2");
  errors_in.Set(ends[0]);
  errors_out.Set(ends[1]);
  fcntl(errors_in.get(), F_SETFL, O_NONBLOCK);

  Clock::time_point start = Clock::now();
  PLINTH_ASSIGN_OR_RETURN(pid_t child, Spawn(request, input, output, errors_out));
  errors_out.Close();
  ChildResult result;
  bool more = true;
  while (!HasEnded(child)) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(start + request.timeout -
                                                                      Clock::now());
    if (left.count() <= 0) {
      result.timed_out = true;
      break;
    }
    // Its end closes the pipe, which wakes us, unless it closed it before or left it to a child.
    pollfd wait = {more ? errors_in.get() : -1, POLLIN, 0};
    poll(&wait, 1, static_cast<int>(std::min<int64_t>(left.count(), more ? kPollMilliseconds : 2)));
    if (more) more = ReadErrors(errors_in.get(), result.errors);
  }
  kill(-child, SIGKILL);
  int status = 0;
  pid_t reaped;
  do {
    reaped = waitpid(child, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  if (reaped == child && WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (reaped == child && WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  if (more) ReadErrors(errors_in.get(), result.errors);
  result.output = ReadMemoryFile(output.get());
  return result;
}

}  // namespace plinth::loader
