// SPDX-License-Identifier: Apache-2.0
// L2: many threads, many clients, fork, exit with work running, memory over repetitions.

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

#include "conformance/cases/cases.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/waiting.h"

namespace plinth::conformance {
namespace {

// Uploads, runs and reads back once; every caller may have a number of its own.
Status RunOnce(const Context& context, PJRT_LoadedExecutable* executable, float first = 1) {
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer argument,
                          context.Upload(HostArray::F32({4}, {first, 2, 3, 4})));
  PJRT_Buffer* handles[] = {argument.get()};
  PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results, context.Execute(executable, handles));
  PLINTH_ASSIGN_OR_RETURN(HostArray array, context.Download(results[0].get()));
  const std::vector<float> wanted = {first + 1, 3, 4, 5};
  if (array.AsF32() != wanted) {
    return Internal("the result is [", StrJoin(array.AsF32()), "], not [", StrJoin(wanted), "]");
  }
  return Status();
}

void ManyThreads(Context& context) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  constexpr int kThreads = 4, kRuns = 50;
  std::vector<Status> statuses(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRuns && statuses[static_cast<size_t>(t)].ok(); ++i) {
        auto number = static_cast<float>(1000 * t + i);
        Status status = RunOnce(context, executable->get(), number);
        if (status.ok() && i % 10 == 0) {
          Expected<OwnedLoadedExecutable> own = context.Compile(ProgramFor(context, "add_one"));
          status = own.ok() ? RunOnce(context, own->get(), number) : own.status();
        }
        statuses[static_cast<size_t>(t)] = status;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < kThreads; ++t) {
    context.Ok("PJRT-Threads-any", StrCat("thread ", t), statuses[static_cast<size_t>(t)]);
  }
}

void ManyClients(Context& context) {
  // Hardware that only one client may use is declared so.
  if (context.profile().is_exclusive) return context.Unsupported("one client at a time");
  std::vector<OwnedClient> clients;
  for (int i = 0; i < 3; ++i) {
    Expected<OwnedClient> client = context.NewClient();
    if (!client.ok()) {
      context.Fail("PJRT-Client_Create-failure",
                   StrCat("client ", i + 2, ": ", client.status().ToString()));
      return;
    }
    clients.push_back(*std::move(client));
    Context other(context.plugin(), context.profile(), clients.back().get(), context.seed());
    Expected<OwnedLoadedExecutable> executable = other.Compile(ProgramFor(other, "add_one"));
    if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
    context.Ok("PJRT-Threads-any", StrCat("a run on client ", i + 2),
               RunOnce(other, executable->get()));
  }
}

void AfterFork(Context& context) {
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  pid_t child = fork();
  if (child == 0) {
    // Nothing may hang; what is answered comes back as the status.
    alarm(20);
    auto name = MakeArgs<PJRT_Client_PlatformName_Args>();
    name.client = context.client();
    Status status = context.plugin().Call(name);
    int code = status.code() == StatusCode::kFailedPrecondition ? 0 : status.ok() ? 1 : 2;
    (void)context.Download(buffer->get());
    (void)buffer->Destroy();
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  bool has_ended = WIFEXITED(status);
  if (context.Check("PJRT-Process-fork", has_ended, "the child of a fork was killed by signal ",
                    has_ended ? 0 : WTERMSIG(status))) {
    context.Check("PJRT-Process-fork", WEXITSTATUS(status) == 0,
                  "in the child of a fork PJRT_Client_PlatformName ",
                  WEXITSTATUS(status) == 1 ? "succeeded" : "failed with another code",
                  ", FAILED_PRECONDITION expected");
  }
  // The parent goes on.
  Expected<HostArray> array = context.Download(buffer->get());
  context.Ok("PJRT-Process-alive", "PJRT_Buffer_ToHostBuffer after a fork", array.status());
}

// Begins what leaves things alive; false where the plugin does not do it.
using Beginning = std::function<bool(Context&)>;

// A process that ends with a client and what `begin` leaves.
void ExitWith(Context& context, std::string_view what, const Beginning& begin) {
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    Expected<OwnedClient> client = context.NewClient();
    if (!client.ok()) _exit(3);
    Context own(context.plugin(), context.profile(), client->Release(), context.seed());
    if (!begin(own)) _exit(3);
    // Runs static destructors and what was registered with atexit, as a program's end does.
    exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
    return context.Unsupported(StrCat("no ", what, " in the child of a fork"));
  context.Check("PJRT-Process-exit", WIFEXITED(status) && WEXITSTATUS(status) == 0,
                "a process that ended with ", what,
                WIFSIGNALED(status) ? StrCat(" was killed by signal ", WTERMSIG(status))
                                    : StrCat(" had status ", WEXITSTATUS(status)));
}

bool BeginWork(Context& context) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!executable.ok() || !argument.ok()) return false;
  PJRT_Buffer* handles[] = {argument->get()};
  for (int i = 0; i < 100; ++i) {
    auto results = context.Execute(executable->get(), handles);
    if (!results.ok()) return false;
    for (OwnedBuffer& result : *results) (void)result.Release();
  }
  (void)executable->Release();
  (void)argument->Release();
  return true;
}
void ExitWithWork(Context& context) { ExitWith(context, "work in flight", BeginWork); }

// It never comes, nor is anything that belongs to it destroyed.
void ExitBefore(Context& context, const Source& source) {
  ExitWith(context, StrCat("`", source.name, "` still to come"),
           [&](Context& own) { return source.make(own, *new Waiting); });
}

// Bytes that one process wrote are loaded by another, which made its own client.
void LoadElsewhere(Context& context) {
  constexpr char kElsewhere[] = "PJRT-Executable_DeserializeAndLoad-elsewhere";
  int ends[2];
  if (pipe(ends) != 0) return context.Unsupported("no pipe");
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    Expected<OwnedClient> client = context.NewClient();
    if (!client.ok()) _exit(3);
    Context own(context.plugin(), context.profile(), client->get(), context.seed());
    // A program that no other case serializes: nothing of it is known to the parent.
    Expected<OwnedLoadedExecutable> executable = own.Compile(ProgramFor(own, "add_two"));
    if (!executable.ok()) _exit(3);
    auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
    get.loaded_executable = executable->get();
    if (!own.plugin().Call(get).ok()) _exit(3);
    auto args = MakeArgs<PJRT_Executable_Serialize_Args>();
    args.executable = get.executable;
    if (!own.plugin().Call(args).ok()) _exit(3);
    for (size_t at = 0; at < args.serialized_bytes_size;) {
      ssize_t size = write(ends[1], args.serialized_bytes + at, args.serialized_bytes_size - at);
      if (size <= 0) _exit(3);
      at += static_cast<size_t>(size);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string bytes;
  char block[4096];
  for (ssize_t size = 0; (size = read(ends[0], block, sizeof(block))) > 0;)
    bytes.append(block, static_cast<size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return context.Unsupported("the child of a fork could not serialize a program");
  Expected<OwnedClient> client = context.NewClient();
  if (!context.Ok("", "PJRT_Client_Create", client.status())) return;
  Context own(context.plugin(), context.profile(), client->get(), context.seed());
  auto load = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
  load.client = client->get();
  load.serialized_executable = bytes.data();
  load.serialized_executable_size = bytes.size();
  if (!context.Ok(kElsewhere, "loading what another process serialized",
                  context.plugin().Call(load)))
    return;
  OwnedLoadedExecutable loaded(context.plugin(), load.loaded_executable);
  Expected<OwnedBuffer> argument = own.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
  PJRT_Buffer* handles[] = {argument->get()};
  auto results = own.Execute(loaded.get(), handles);
  if (!context.Ok(kElsewhere, "a run of it", results.status())) return;
  Expected<HostArray> array = own.Download((*results)[0].get());
  if (!context.Ok(kElsewhere, "reading its result", array.status())) return;
  context.Check(kElsewhere, array->AsF32() == std::vector<float>{3, 4, 5, 6}, "its result is [",
                StrJoin(array->AsF32()), "], not [3, 4, 5, 6]");
}

// What holds for the plugin holds when its clients are gone.
void AttributesOutliveClients(Context& context) {
  constexpr char kAttributes[] = "PJRT-Plugin_Attributes-lifetime";
  if (context.profile().is_exclusive) return context.Unsupported("one client at a time");
  auto args = MakeArgs<PJRT_Plugin_Attributes_Args>();
  if (!context.Ok(kAttributes, "PJRT_Plugin_Attributes", context.plugin().Call(args))) return;
  auto text = [](const PJRT_Plugin_Attributes_Args& from) {
    std::string all;
    for (size_t i = 0; i < from.num_attributes; ++i) {
      const PJRT_NamedValue& value = from.attributes[i];
      all += std::string(value.name, value.name_size) + "=";
      if (RawEnum(value.type) == PJRT_NamedValue_kString)
        all.append(value.string_value, value.value_size);
      if (RawEnum(value.type) == PJRT_NamedValue_kInt64) all += StrCat(value.int64_value);
      for (size_t k = 0; RawEnum(value.type) == PJRT_NamedValue_kInt64List && k < value.value_size;
           ++k)
        all += StrCat(value.int64_array_value[k], ",");
      all += " ";
    }
    return all;
  };
  const std::string before = text(args);
  for (int i = 0; i < 2; ++i) {
    Expected<OwnedClient> client = context.NewClient();
    if (!context.Ok("", "PJRT_Client_Create", client.status())) return;
    context.Ok("", "PJRT_Client_Destroy", client->Destroy());
    context.Check(kAttributes, text(args) == before, "after a client is gone the attributes say ",
                  text(args), ", before ", before);
  }
}

// What this process allocated and touched, in KiB, or -1. Without mapped files: how much of a
// library counts as this process's changes with other processes that map it.
int64_t AllocatedKib() {
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  if (file == nullptr) return -1;
  char line[256];
  int64_t anonymous = -1, shared = 0;
  while (fgets(line, sizeof(line), file) != nullptr) {
    (void)sscanf(line, "Anonymous: %ld kB", &anonymous);
    (void)sscanf(line, "Pss_Shmem: %ld kB", &shared);
  }
  fclose(file);
  return anonymous < 0 ? -1 : anonymous + shared;
}

void FlatMemory(Context& context) {
  constexpr int kWarmUp = 100;
  const int runs = context.depth() == Depth::kQuick ? 100 : 400;
  const int64_t allowed_kib = 5 * runs;
  int64_t before = 0;
  for (int i = 0; i < kWarmUp + runs; ++i) {
    if (i == kWarmUp) before = AllocatedKib();
    Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
    if (!context.Ok("", "PJRT_Client_Compile", executable.status()) ||
        !context.Ok("", "a run", RunOnce(context, executable->get()))) {
      return;
    }
    // Also what is larger, errors and events.
    Expected<OwnedBuffer> large =
        context.Upload({DType::kU8, {1 << 16}, std::vector<std::byte>(1 << 16)});
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", large.status())) return;
    for (int k = 0; k < 200; ++k) {
      auto bad = MakeArgs<PJRT_Buffer_Dimensions_Args>();
      bad.struct_size = 1;
      (void)context.plugin().Call(bad);
      auto ready = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
      ready.buffer = large->get();
      if (!context.Ok("", "PJRT_Buffer_ReadyEvent", context.plugin().Call(ready))) return;
      OwnedEvent event(context.plugin(), ready.event);
    }
  }
  int64_t grown = AllocatedKib() - before;
  if (before < 0) return context.Unsupported("the system does not tell a process's memory");
  context.Note(StrCat("memory grew by ", grown, " KiB in ", runs, " rounds"));
  context.Check("PJRT-Process-memory", grown < allowed_kib, "memory grew by ", grown, " KiB in ",
                runs, " rounds of compile, upload, run, download, errors and events");
}

// Nothing is written to the standard streams, whatever goes wrong.
void Silent(Context& context) {
  FILE* file = tmpfile();
  if (file == nullptr) return context.Unsupported("no temporary file");
  fflush(stdout);
  fflush(stderr);
  int saved[] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
  dup2(fileno(file), STDOUT_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  (void)context.Compile("no program");
  (void)context.Compile(ProgramFor(context, "add_one"), "no format");
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  if (executable.ok()) {
    (void)RunOnce(context, executable->get());
    (void)context.Execute(executable->get(), {});
  }
  fflush(stdout);
  fflush(stderr);
  dup2(saved[0], STDOUT_FILENO);
  dup2(saved[1], STDERR_FILENO);
  for (int fd : saved) close(fd);
  std::string text(static_cast<size_t>(lseek(fileno(file), 0, SEEK_END)), '\0');
  rewind(file);
  text.resize(fread(text.data(), 1, std::min<size_t>(text.size(), 500), file));
  fclose(file);
  context.Check("PJRT-Process-alive", text.empty(), "written to the standard streams: ", text);
}

void ClientsComeAndGo(Context& context) {
  for (int i = 0; i < 10; ++i) {
    Expected<OwnedClient> client = context.NewClient();
    if (!context.Ok("PJRT-Client_Create-failure", StrCat("client ", i), client.status())) return;
    Context own(context.plugin(), context.profile(), client->get(), context.seed());
    Expected<OwnedLoadedExecutable> executable = own.Compile(ProgramFor(own, "add_one"));
    if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
    context.Ok("", "a run", RunOnce(own, executable->get()));
    (void)executable->Destroy();
    context.Ok("PJRT-Client_Destroy-null", "PJRT_Client_Destroy", client->Destroy());
  }
}

}  // namespace

void AddProcessCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, ClientNeed client, std::vector<std::string> requirements,
                 std::function<void(Context&)> run, bool is_robust = false) {
    cases.push_back({"L2/process/" + name, Level::kL2, client, std::move(requirements),
                     std::move(run), is_robust});
  };
  add("many_threads", ClientNeed::kShared, {"PJRT-Threads-any"}, ManyThreads);
  add("many_clients", ClientNeed::kFresh, {"PJRT-Threads-any"}, ManyClients);
  add("clients_come_and_go", ClientNeed::kNone, {"PJRT-Client_Create-failure"}, ClientsComeAndGo);
  add("after_fork", ClientNeed::kFresh, {"PJRT-Process-fork", "PJRT-Process-alive"}, AfterFork,
      true);
  add("exit_with_work", ClientNeed::kAlone, {"PJRT-Process-exit"}, ExitWithWork);
  for (const Source& source : Sources()) {
    add(StrCat("exit_before/", source.name), ClientNeed::kAlone, {"PJRT-Process-exit"},
        [source](Context& context) { ExitBefore(context, source); });
  }
  add("load_elsewhere", ClientNeed::kAlone, {"PJRT-Executable_DeserializeAndLoad-elsewhere"},
      LoadElsewhere);
  // In a process of its own: there no client has gone yet.
  add("attributes_outlive_clients", ClientNeed::kFresh, {"PJRT-Plugin_Attributes-lifetime"},
      AttributesOutliveClients);
  add("flat_memory", ClientNeed::kFresh, {"PJRT-Process-memory"}, FlatMemory);
  // The header does not forbid a log on stderr.
  add("silent", ClientNeed::kFresh, {"PJRT-Process-alive"}, Silent, true);
}

}  // namespace plinth::conformance
