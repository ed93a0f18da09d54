// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include "conformance/runner/report.h"
#include "plinth/support/str_cat.h"

namespace plinth::conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kReportFd = 3;
constexpr size_t kMaxErrorText = 4000;  // of a child's standard error that a report keeps

std::string SignalText(int signal) {
  const char* name = strsignal(signal);
  return StrCat("signal ", signal, " (", name == nullptr ? "unknown" : name, ")");
}

// A file descriptor, closed at the end.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

bool MakePipe(Fd& read_end, Fd& write_end) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return false;
  read_end = Fd(fds[0]);
  write_end = Fd(fds[1]);
  return true;
}

constexpr char kTunables[] = "GLIBC_TUNABLES";

// What glibc is told where cases count bytes, after what the user tells it.
std::string CountingTunables() {
  const char* const users = std::getenv(kTunables);
  const bool has_users = users != nullptr && *users != '\0';
  return StrCat(has_users ? users : "", has_users ? ":" : "", "glibc.malloc.tcache_count=0");
}

// One child process and the cases that it has still to run.
class Child {
 public:
  explicit Child(std::vector<const Case*> cases) : cases_(std::move(cases)) {}
  Child(const Child&) = delete;
  ~Child() { Kill(); }

  Status Start(const std::vector<std::string>& command, const Profile& profile) {
    Fd input_read, report_write, error_write;
    Fd input_write;
    if (!MakePipe(input_read, input_write) || !MakePipe(report_, report_write) ||
        !MakePipe(error_, error_write)) {
      return Internal("cannot make a pipe: ", strerror(errno));
    }
    // Whatever else has the other end, for example a process that the plugin started, may keep it.
    fcntl(report_.get(), F_SETFL, O_NONBLOCK);
    fcntl(error_.get(), F_SETFL, O_NONBLOCK);
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command) {
      arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    const std::string tunables = CountingTunables();
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) return Internal("cannot start a process: ", strerror(errno));
    if (pid_ == 0) {
      // A group of its own, so that what the plugin starts ends with it.
      setpgid(0, 0);
      // The signal that this process ignores is one that a plugin may ignore, which would show as
      // no change.
      signal(SIGPIPE, SIG_DFL);
      // Nobody reads the report of a runner that was killed.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(127);
      dup2(input_read.get(), STDIN_FILENO);
      dup2(error_write.get(), STDERR_FILENO);
      dup2(error_write.get(), STDOUT_FILENO);
      if (report_write.get() == kReportFd) {
        fcntl(kReportFd, F_SETFD, 0);
      } else {
        dup2(report_write.get(), kReportFd);
      }
      if (cases_[0]->counts_bytes) setenv(kTunables, tunables.c_str(), 1);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    // A child that ends without reading them must end the pipe.
    input_read = Fd();
    std::string names;
    for (const Case* item : cases_) names += item->name + "\n";
    // The child reads all names before it does anything else.
    for (std::string_view left = names; !left.empty();) {
      ssize_t written = write(input_write.get(), left.data(), left.size());
      if (written <= 0) break;
      left.remove_prefix(static_cast<size_t>(written));
    }
    SetDeadline(profile.start_seconds + profile.case_seconds);
    return Status();
  }

  int report_fd() const { return report_.get(); }
  int error_fd() const { return error_.get(); }
  Clock::time_point deadline() const { return deadline_; }
  double limit() const { return limit_; }  // seconds that led to the deadline
  void SetDeadline(double seconds) {
    limit_ = seconds;
    deadline_ = Clock::now() +
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  // Appends some of what its standard error has; false if there is nothing.
  bool ReadErrors() {
    bool has_more = Read(error_.get(), error_text_);
    if (error_text_.size() > 2 * kMaxErrorText) {
      error_text_.erase(0, error_text_.size() - kMaxErrorText);
    }
    return has_more;
  }

  // Appends what can be read; false if there is nothing or the stream is at its end.
  static bool Read(int fd, std::string& text) {
    char buffer[65536];
    ssize_t count = read(fd, buffer, sizeof(buffer));
    if (count > 0) text.append(buffer, static_cast<size_t>(count));
    return count > 0;
  }

  void Kill() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    int status;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }

  // How the process ended; nothing if it has not by the deadline.
  std::optional<int> Wait() {
    int status = 0;
    for (pid_t ended; (ended = waitpid(pid_, &status, WNOHANG)) != pid_;) {
      if (ended < 0 && errno != EINTR) return std::nullopt;
      if (ended == 0 && Clock::now() > deadline_) return std::nullopt;
      while (ReadErrors() && Clock::now() <= deadline_) {  // it may be waiting for room
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(-pid_, SIGKILL);
    pid_ = -1;
    return status;
  }

  std::vector<const Case*> cases_;
  size_t next_ = 0;  // the first case without a result
  bool has_started_case_ = false;
  std::string line_, error_text_, plugin_error_;
  std::string row_;  // what a case of many rows was about to try

 private:
  pid_t pid_ = -1;
  Fd report_, error_;
  Clock::time_point deadline_;
  double limit_ = 0;
};

class Supervisor {
 public:
  Supervisor(const SupervisorOptions& options, const std::vector<const Case*>& cases)
      : options_(options), cases_(cases) {}

  SupervisorOutcome Run() {
    MakeWork();
    while (error_.empty() && !is_stopped_ && (!work_.empty() || !children_.empty())) {
      while (error_.empty() && !is_stopped_ && !work_.empty() && children_.size() < Jobs())
        StartChild();
      if (!children_.empty()) Wait();
    }
    children_.clear();
    SupervisorOutcome outcome;
    outcome.error = error_;
    outcome.version = version_;
    for (const Case* item : cases_) {
      auto found = results_.find(item->name);
      if (found != results_.end()) outcome.results.push_back(std::move(found->second));
    }
    return outcome;
  }

 private:
  size_t Jobs() const {
    return options_.profile.is_exclusive ? 1 : static_cast<size_t>(std::max(1, options_.jobs));
  }

  // Cases that share a client are split evenly, those that count bytes apart from the others; each
  // case without such a client is work of its own.
  void MakeWork() {
    auto is_alone = [](const Case* item) {
      return item->client == ClientNeed::kFresh || item->client == ClientNeed::kAlone;
    };
    for (const bool counts_bytes : {false, true}) {
      std::vector<const Case*> shared;
      for (const Case* item : cases_) {
        if (!is_alone(item) && item->counts_bytes == counts_bytes) shared.push_back(item);
      }
      AddWork(shared, Jobs());
    }
    for (const Case* item : cases_) {
      if (is_alone(item)) work_.push_back({item});
    }
    std::reverse(work_.begin(), work_.end());
  }

  // Splits the cases evenly among at most so many children.
  void AddWork(std::span<const Case* const> cases, size_t children) {
    size_t parts = std::min(children, cases.size());
    for (size_t p = 0; p < parts; ++p) {
      work_.push_back({cases.begin() + cases.size() * p / parts,
                       cases.begin() + cases.size() * (p + 1) / parts});
    }
  }

  // "L2/event" of "L2/event/monotone"; what is robust hangs for reasons of its own.
  static std::string AreaOf(const Case& item) {
    size_t slash = item.name.find('/');
    slash = slash == std::string::npos ? slash : item.name.find('/', slash + 1);
    return item.name.substr(0, slash) + (item.is_robust ? " (robust)" : "");
  }

  bool IsGivenUp(const Case& item) const {
    auto found = hangs_.find(AreaOf(item));
    return options_.max_hangs > 0 && found != hangs_.end() && found->second >= options_.max_hangs;
  }

  // Without the cases of areas that are given up, which get their results here.
  std::vector<const Case*> NextWork() {
    std::vector<const Case*> cases = std::move(work_.back());
    work_.pop_back();
    std::erase_if(cases, [&](const Case* item) {
      if (!IsGivenUp(*item)) return false;
      Result result;
      result.name = item->name;
      result.is_robust = item->is_robust;
      result.verdict = Verdict::kHang;
      result.findings.push_back({"", StrCat("not run: ", AreaOf(*item), " was given up after ",
                                            options_.max_hangs, " cases of it that hung")});
      Record(std::move(result));
      return true;
    });
    return cases;
  }

  void StartChild() {
    std::vector<const Case*> cases = NextWork();
    if (cases.empty()) return;
    auto child = std::make_unique<Child>(std::move(cases));
    Status status = child->Start(options_.child_command, options_.profile);
    if (!status.ok()) {
      error_ = status.ToString();
      return;
    }
    children_.push_back(std::move(child));
  }

  void Wait() {
    std::vector<pollfd> polls;
    Clock::time_point deadline = children_[0]->deadline();
    for (const auto& child : children_) {
      polls.push_back({child->report_fd(), POLLIN, 0});
      polls.push_back({child->error_fd(), POLLIN, 0});
      deadline = std::min(deadline, child->deadline());
    }
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    poll(polls.data(), polls.size(), static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1000)));
    for (size_t i = children_.size(); i-- > 0;) {
      Child& child = *children_[i];
      bool is_over = false;
      if ((polls[2 * i + 1].revents & (POLLIN | POLLHUP)) != 0) child.ReadErrors();
      if ((polls[2 * i].revents & (POLLIN | POLLHUP)) != 0) {
        is_over = !Child::Read(child.report_fd(), child.line_);
        ReadLines(child);
      }
      is_over |= Clock::now() > child.deadline();
      if (is_over) OnEnd(child);
      if (is_over) children_.erase(children_.begin() + static_cast<ptrdiff_t>(i));
    }
  }

  void ReadLines(Child& child) {
    size_t end;
    while ((end = child.line_.find('\n')) != std::string::npos) {
      Expected<Json> line = Json::Parse(std::string_view(child.line_).substr(0, end));
      child.line_.erase(0, end + 1);
      if (!line.ok()) continue;
      if (const Json* error = line->Find("error")) {
        child.plugin_error_ = error->Text();
      } else if (const Json* version = line->Find("opened")) {
        version_ = version->Text();
      } else if (const Json* name = line->Find("start")) {
        if (options_.on_start) options_.on_start(std::string(name->Text()));
        child.has_started_case_ = true;
        child.row_.clear();
        child.SetDeadline(options_.profile.case_seconds);
      } else if (const Json* row = line->Find("row")) {
        child.row_ = row->Text();
        child.SetDeadline(options_.profile.case_seconds);  // each row is a question of its own
      } else if (line->Find("client") != nullptr) {
        child.SetDeadline(options_.profile.start_seconds + options_.profile.case_seconds);
      } else if (const Json* json = line->Find("result")) {
        Expected<Result> result = ResultFromJson(*json);
        if (!result.ok()) continue;
        ++child.next_;
        child.has_started_case_ = false;
        child.SetDeadline(options_.profile.case_seconds);
        Record(*std::move(result));
      }
    }
  }

  // The child has closed its report, or has not answered in time.
  void OnEnd(Child& child) {
    std::optional<int> status = child.Wait();
    if (status) {
      while (Child::Read(child.report_fd(), child.line_)) {
      }
      ReadLines(child);
    } else {
      child.Kill();
    }
    // What it wrote last explains its end.
    while (child.error_text_.size() < kMaxErrorText && child.ReadErrors()) {
    }
    if (!child.plugin_error_.empty()) {
      error_ = child.plugin_error_;
      return;
    }
    if (child.next_ == child.cases_.size()) {
      if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return;
      // The exit itself went wrong; the last case stands for it.
      AddEndOf(child, child.cases_.size() - 1, status, "when the process ended: ");
      return;
    }
    if (!child.has_started_case_ && child.next_ == 0) {
      error_ = status
                   ? StrCat("the plugin ended the process while it was loaded or initialized: ",
                            EndText(*status), "\n", ErrorText(child))
                   : StrCat("the plugin hung while it was loaded or initialized: no answer within ",
                            child.limit(), " s\n", ErrorText(child));
      return;
    }
    AddEndOf(child, child.next_, status, "");
    GoOn(child);
  }

  // Others go on behind the case that ended this child: one for each job that has nothing else to
  // do, because the case after one that hangs often hangs too.
  void GoOn(const Child& child) {
    size_t busy = children_.size() - 1 + work_.size();
    AddWork(std::span(child.cases_).subspan(child.next_ + 1), Jobs() - std::min(busy, Jobs() - 1));
  }

  Result NewResult(const Child& child, size_t number, Verdict verdict) const {
    Result result;
    result.name = child.cases_[number]->name;
    result.is_robust = child.cases_[number]->is_robust;
    result.verdict = verdict;
    return result;
  }

  static std::string EndText(int status) {
    return WIFSIGNALED(status) ? StrCat("killed by ", SignalText(WTERMSIG(status)))
                               : StrCat("ended with status ", WEXITSTATUS(status));
  }

  static std::string ErrorText(const Child& child) {
    size_t size = child.error_text_.size();
    return child.error_text_.substr(size > kMaxErrorText ? size - kMaxErrorText : 0);
  }

  // Without a status the process had to be killed.
  void AddEndOf(const Child& child, size_t number, std::optional<int> status,
                std::string_view when) {
    Result result = NewResult(child, number, status ? Verdict::kCrash : Verdict::kHang);
    if (status) {
      result.findings.push_back({"PJRT-Process-alive", StrCat(when, EndText(*status))});
    } else {
      result.findings.push_back({"", StrCat(when, "no answer within ", child.limit(), " s")});
      ++hangs_[AreaOf(*child.cases_[number])];
    }
    if (!child.row_.empty()) result.notes.push_back(StrCat("in the row ", child.row_));
    std::string error = ErrorText(child);
    if (!error.empty()) result.notes.push_back(StrCat("written before: ", error));
    Record(std::move(result));
  }

  void Record(Result result) {
    if (options_.on_result) options_.on_result(result);
    bool is_over = result.verdict == Verdict::kPass || result.verdict == Verdict::kUnsupported;
    is_stopped_ |= options_.stops_at_first && !is_over;
    results_[result.name] = std::move(result);
  }

  const SupervisorOptions& options_;
  const std::vector<const Case*>& cases_;
  std::vector<std::vector<const Case*>> work_;  // the last is next
  std::vector<std::unique_ptr<Child>> children_;
  std::map<std::string, Result> results_;
  std::map<std::string, int> hangs_;  // by area
  std::string error_;
  std::string version_;
  bool is_stopped_ = false;
};

}  // namespace

SupervisorOutcome RunCases(const SupervisorOptions& options,
                           const std::vector<const Case*>& cases) {
  // A child that dies while it is told its cases must not end this process.
  signal(SIGPIPE, SIG_IGN);
  return Supervisor(options, cases).Run();
}

}  // namespace plinth::conformance
