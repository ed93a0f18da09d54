// SPDX-License-Identifier: Apache-2.0
// L2: what is freed is given back: bytes, threads and open files over rounds of one kind of work.

#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/cases/array_calls.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/leak_works.h"

namespace plinth::conformance {
namespace leaks {
namespace {

constexpr char kMemory[] = "PJRT-Process-memory";
// Bytes that a round may leave behind: less than the smallest object that a plugin could forget.
constexpr int64_t kAllowed = 24;
// What it may leave mapped is less than this.
constexpr int64_t kPage = 4096;

// Bytes that malloc has handed out, of all threads: to the byte in a process that counts them (see
// Case). A plugin with an allocator of its own is seen by L2/process/flat_memory.
int64_t AllocatedBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// Bytes of the process's address space.
int64_t MappedBytes() {
  int64_t pages = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%" SCNd64, &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * sysconf(_SC_PAGESIZE);
}

int CountEntries(const char* folder) {
  DIR* directory = opendir(folder);
  if (directory == nullptr) return 0;
  int count = 0;
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

// One thread that runs what it is given, so that what a plugin keeps for each thread is kept once.
class Elsewhere {
 public:
  Elsewhere() : thread_([this] { Serve(); }) {}
  ~Elsewhere() {
    Hand(nullptr);
    thread_.join();
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

  Status Run(const std::function<Status()>& work) {
    Hand(&work);
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return !has_work_; });
    return std::move(status_);
  }

 private:
  void Hand(const std::function<Status()>* work) {
    std::lock_guard<std::mutex> lock(mutex_);
    work_ = work;
    has_work_ = true;
    changed_.notify_all();
  }
  void Serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return has_work_; });
      if (work_ == nullptr) return;
      status_ = (*work_)();
      has_work_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<Status()>* work_ = nullptr;
  bool has_work_ = false;
  Status status_;
  std::thread thread_;  // after what it uses
};

// Of some numbers the second least.
class SecondLeast {
 public:
  void Add(int64_t value) {
    if (value < least_) std::swap(value, least_);
    second_ = std::min(second_, value);
  }
  int64_t value() const { return second_; }

 private:
  int64_t least_ = INT64_MAX, second_ = INT64_MAX;
};

// In milliseconds. A leak costs three times as much.
constexpr int kPatience = 400;

constexpr int kBlocks = 16;
// What a cache of a hundred blocks or two for each thread takes to be full, and how long that may
// last. What leaves more bytes a round is no such cache.
constexpr int kFillingRounds = 1000;
constexpr std::chrono::seconds kFillingTime{2};
constexpr int64_t kCachedBlock = 16 << 10;

// Rounds of one work, and what they left.
class Rounds {
 public:
  Rounds(Context& context, std::string_view what, int rounds, int64_t allowed,
         const std::function<Status()>& run)
      : context_(context), what_(what), rounds_(rounds), allowed_(allowed), run_(run) {}

  // False if a round failed, which it tells.
  bool Block(int number) {
    // Each has its own time: how many a plugin needs depends on what else the machine does.
    context_.TellRow(StrCat(what_, ", block ", number));
    for (int i = 0; i < rounds_; ++i) {
      if (!Round()) return false;
    }
    return true;
  }

  // Runs blocks until two of them left nothing. A leak grows in each of them, a cache or a free
  // list does not. A pool that keeps as much as was ever in flight grows in a block after which the
  // threads ran another way, so there are many blocks. In one of them a plugin may give back what
  // it had kept for a while, which hides a leak, so the second best counts. What other threads free
  // follows soon, later on a machine that has much to do: the first blocks wait for it for up to
  // `first` milliseconds each, the last for `last`, where what has waited longest may come last.
  bool Measure(int first, int last) {
    bytes_ = {};
    mapped_ = {};
    for (int block = 0; block < kBlocks && HasGrown(); ++block) {
      const int64_t before = AllocatedBytes();
      const int64_t mapped_before = MappedBytes();
      if (!Block(block)) return false;
      const int longest_wait = block < 4 ? first : block < kBlocks - 3 ? 5 : last;
      int64_t grown = AllocatedBytes() - before;
      for (int wait = 0; wait < longest_wait && grown > rounds_ * allowed_; ++wait) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        grown = AllocatedBytes() - before;
      }
      bytes_.Add(grown);
      mapped_.Add(MappedBytes() - mapped_before);
    }
    return true;
  }

  // Fills what may be a cache: threads that give back what others took fill theirs at every round,
  // up to a bound that a leak does not have.
  bool Fill() {
    const auto end = std::chrono::steady_clock::now() + kFillingTime;
    for (int i = 0; i < kFillingRounds && std::chrono::steady_clock::now() < end; ++i) {
      if (!Round()) return false;
    }
    return true;
  }
  bool MayFillACache() const { return bytes_.value() / rounds_ < kCachedBlock; }
  bool HasGrown() const {
    return bytes_.value() > rounds_ * allowed_ || mapped_.value() >= rounds_ * kPage;
  }

  void Tell() const {
    context_.Note(StrCat(what_, ": ", bytes_.value(), " bytes in ", rounds_, " rounds"));
    context_.Check(kMemory, bytes_.value() <= rounds_ * allowed_, what_, ": all but one of ",
                   kBlocks, " blocks of ", rounds_, " rounds left ", bytes_.value() / rounds_,
                   " bytes a round or more");
    context_.Check(kMemory, mapped_.value() < rounds_ * kPage, what_, ": all but one of ", kBlocks,
                   " blocks of ", rounds_, " rounds left ", mapped_.value() / rounds_,
                   " bytes of address space a round or more");
  }

 private:
  bool Round() {
    const Status status = run_();
    if (status.code() == StatusCode::kUnimplemented) {
      context_.Unsupported(status.ToString());
      return false;
    }
    return context_.Ok("PJRT-Args-accepted", what_, status);
  }

  Context& context_;
  const std::string_view what_;
  const int rounds_;
  const int64_t allowed_;  // bytes a round
  const std::function<Status()>& run_;
  SecondLeast bytes_, mapped_;
};

// A round may leave `allowed` bytes, and no thread or open file. What has grown may be a cache, or
// late by up to `patience` milliseconds.
void Repeat(Context& context, std::string_view what, int rounds, int64_t allowed, int patience,
            const std::function<Status()>& run) {
  Rounds repeated(context, what, rounds, allowed, run);
  if (!repeated.Block(-1)) return;  // caches fill
  const int threads = CountEntries("/proc/self/task");
  const int files = CountEntries("/proc/self/fd");
  if (!repeated.Measure(context.depth() == Depth::kQuick ? 20 : 200, 5)) return;
  if (repeated.HasGrown()) {
    if (repeated.MayFillACache() && !repeated.Fill()) return;
    if (!repeated.Measure(5, patience)) return;
  }
  repeated.Tell();
  int more_threads = 0, more_files = 0;
  for (int wait = 0; wait < 50; ++wait) {
    more_threads = CountEntries("/proc/self/task") - threads;
    more_files = CountEntries("/proc/self/fd") - files;
    if (more_threads < rounds / 2 && more_files < rounds / 2) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  context.Check(kMemory, more_threads < rounds / 2, what, ": ", more_threads,
                " threads more after ", rounds, " rounds or more");
  context.Check(kMemory, more_files < rounds / 2, what, ": ", more_files, " open files more after ",
                rounds, " rounds or more");
}

// What is left on the process, and on the device.
void RepeatWork(Context& context, const Work& work) {
  Made made;
  if (!Make(context, made)) return;
  // What it makes once.
  (void)work.run(context, made);
  const std::optional<int64_t> before = BytesInUse(context, made.device);
  Repeat(context, work.name, work.rounds, kAllowed, kPatience,
         [&] { return work.run(context, made); });
  int64_t grown = 0;
  for (int wait = 0; wait < 100; ++wait) {
    const std::optional<int64_t> after = BytesInUse(context, made.device);
    if (!before || !after) return;
    grown = *after - *before;
    if (grown < work.rounds) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  context.Check("PJRT-Device_MemoryStats-in-use", grown < work.rounds, work.name, ": ", grown,
                " bytes of the device more are in use after ", work.rounds, " rounds or more");
}

// A function that is called for an array of every kind in each round, here and on another thread,
// leaves nothing.
void EveryKind(Context& context, const ArrayCall& call) {
  const std::vector<ArrayKind> kinds = ArrayKinds(context);
  const size_t step = context.depth() == Depth::kQuick ? 4 : 1;
  std::vector<HeldArray> all;
  for (size_t i = 0; i < kinds.size(); i += step) {
    const ArrayKind& kind = kinds[i];
    Expected<HeldArray> held = Hold(context, kind, call.name);
    if (!held.ok() && kind.is_turned) continue;
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", held.status())) return;
    // What a plugin refuses, or does wrong, is asked elsewhere.
    Context probe(context.plugin(), context.profile(), context.client(), context.seed());
    if (call.run(probe, *held).ok() && !probe.HasFindings()) all.push_back(*std::move(held));
  }
  if (all.empty()) return context.Unsupported(StrCat("no array that ", call.name, " takes"));
  Elsewhere elsewhere;
  auto repeat = [&](std::span<const HeldArray> some, int patience) {
    Context probe(context.plugin(), context.profile(), context.client(), context.seed());
    probe.set_on_row([&](const std::string& row) { context.TellRow(row); });
    auto call_all = [&]() -> Status {
      // One for each round: what it notes of functions that are not there would grow.
      Context calling(context.plugin(), context.profile(), context.client(), context.seed());
      for (const HeldArray& held : some) PLINTH_RETURN_IF_ERROR(call.run(calling, held));
      return Status();
    };
    Repeat(probe, StrCat(call.name, " of ", some.size() == 1 ? some[0].kind->name : "every kind"),
           6, kAllowed, patience, [&]() -> Status {
             PLINTH_RETURN_IF_ERROR(call_all());
             PLINTH_RETURN_IF_ERROR(elsewhere.Run(call_all));
             // What waits for its turn on the device is no leak: this comes after it.
             PLINTH_ASSIGN_OR_RETURN(OwnedBuffer last, UploadFour(context));
             return context.Download(last.get()).status();
           });
    Result result = probe.TakeResult();
    for (const std::string& note : result.notes) context.Note(note);
    return result;
  };
  auto fail = [&](const Result& result) {
    context.Fail(result.findings[0].requirement, result.findings[0].text);
  };
  // What a few bytes leave does not drown in megabytes that another thread is about to free.
  const auto large = std::stable_partition(all.begin(), all.end(), [](const HeldArray& held) {
    return held.kind->array.bytes.size() <= 4096;
  });
  const auto split = static_cast<size_t>(large - all.begin());
  const std::span<const HeldArray> everything = all;
  for (auto some : {everything.first(split), everything.subspan(split)}) {
    if (some.empty() || repeat(some, kPatience).findings.empty()) continue;
    // Which kind it is says more. What shows of none, and not of all where there is time, was freed
    // late: the machine had much to do.
    for (size_t i = 0; i < some.size(); ++i) {
      if (Result result = repeat(some.subspan(i, 1), kPatience); !result.findings.empty())
        return fail(result);
    }
    if (Result result = repeat(some, 10 * kPatience); !result.findings.empty()) return fail(result);
  }
}

// Nothing of all this writes to the standard streams, also where calls fail.
void Silence(Context& context) {
  Made made;
  if (!Make(context, made)) return;
  FILE* file = tmpfile();
  if (file == nullptr) return context.Unsupported("no temporary file");
  int saved[] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
  off_t written = 0;
  // What calls answer is asked elsewhere.
  Context probe(context.plugin(), context.profile(), context.client(), context.seed());
  for (const Work& work : AllWork()) {
    dup2(fileno(file), STDOUT_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    for (int i = 0; i < 12; ++i) (void)work.run(probe, made);
    fflush(stdout);
    fflush(stderr);
    dup2(saved[0], STDOUT_FILENO);
    dup2(saved[1], STDERR_FILENO);
    off_t now = lseek(fileno(file), 0, SEEK_END);
    std::string text(static_cast<size_t>(std::min<off_t>(now - written, 300)), ' ');
    (void)!pread(fileno(file), text.data(), text.size(), written);
    context.Check("PJRT-Process-alive", now == written, work.name,
                  " writes to the standard streams: ", text);
    written = now;
  }
  // Making a client may warn on standard error, but what is written elsewhere is the program's.
  dup2(fileno(file), STDOUT_FILENO);
  (void)context.NewClient();
  fflush(stdout);
  dup2(saved[0], STDOUT_FILENO);
  context.Check("PJRT-Process-alive", lseek(fileno(file), 0, SEEK_END) == written,
                "making a client writes to standard output");
  for (int fd : saved) close(fd);
  fclose(file);
}

void Clients(Context& context) {
  Repeat(context, "clients", 4, 1024, kPatience, [&]() -> Status {
    PLINTH_ASSIGN_OR_RETURN(OwnedClient client, context.NewClient());
    Context own(context.plugin(), context.profile(), client.get(), context.seed());
    PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer, UploadFour(own));
    (void)buffer.Destroy();
    return client.Destroy();
  });
  Repeat(context, "clients that are refused", 20, 256, kPatience, [&]() -> Status {
    NamedValues own(context.profile());
    std::vector<PJRT_NamedValue> options(own.data(), own.data() + own.size());
    PJRT_NamedValue& option = options.emplace_back(MakeArgs<PJRT_NamedValue>());
    option.name = "an_option_that_nobody_knows";
    option.name_size = 27;
    option.type = PJRT_NamedValue_kInt64;
    option.value_size = 1;
    auto args = MakeArgs<PJRT_Client_Create_Args>();
    args.create_options = options.data();
    args.num_options = options.size();
    Status status = context.plugin().Call(args);
    OwnedClient client(context.plugin(), status.ok() ? args.client : nullptr);
    return Status();
  });
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  for (const Work& work : AllWork()) {
    cases.push_back({StrCat("L2/leak/", work.name),
                     Level::kL2,
                     ClientNeed::kShared,
                     {kMemory, "PJRT-Args-accepted", "PJRT-Device_MemoryStats-in-use"},
                     [=](Context& context) { RepeatWork(context, work); },
                     false,
                     /*counts_bytes=*/true});
  }
  for (const ArrayCall& call : ArrayCalls()) {
    cases.push_back({StrCat("L2/leak/every_kind/", call.name),
                     Level::kL2,
                     ClientNeed::kShared,
                     {kMemory, "PJRT-Args-accepted"},
                     [call](Context& context) { EveryKind(context, call); },
                     false,
                     /*counts_bytes=*/true});
  }
  cases.push_back({"L2/process/silence",
                   Level::kL2,
                   ClientNeed::kFresh,
                   {"PJRT-Process-alive"},
                   Silence,
                   true});
  cases.push_back({"L2/leak/clients",
                   Level::kL2,
                   ClientNeed::kNone,
                   {kMemory},
                   Clients,
                   false,
                   /*counts_bytes=*/true});
}

}  // namespace leaks

void AddLeakCases(std::vector<Case>& cases) { leaks::AddCases(cases); }

}  // namespace plinth::conformance
