// L2: many threads, many clients, fork, exit with work running, memory over repetitions.

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "conformance/cases/cases.h"
#include "conformance/cases/samples.h"

namespace plinth::conformance {
namespace {

// Compiles, uploads, runs and reads back once.
Status RunOnce(const Context& context, PJRT_LoadedExecutable* executable) {
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer argument, context.Upload(HostArray::F32({4}, {1, 2, 3, 4})));
  PJRT_Buffer* handles[] = {argument.get()};
  PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results, context.Execute(executable, handles));
  PLINTH_ASSIGN_OR_RETURN(HostArray array, context.Download(results[0].get()));
  if (array.AsF32() != std::vector<float>{2, 3, 4, 5}) {
    return Internal("the result is [", StrJoin(array.AsF32()), "], not [2, 3, 4, 5]");
  }
  return Status();
}

void ManyThreads(Context& context) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(AddOneProgram());
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  constexpr int kThreads = 4, kRuns = 50;
  std::vector<Status> statuses(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRuns && statuses[static_cast<size_t>(t)].ok(); ++i) {
        Status status = RunOnce(context, executable->get());
        if (status.ok() && i % 10 == 0) {
          Expected<OwnedLoadedExecutable> own = context.Compile(AddOneProgram());
          status = own.ok() ? RunOnce(context, own->get()) : own.status();
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
  std::vector<OwnedClient> clients;
  for (int i = 0; i < 3; ++i) {
    Expected<OwnedClient> client = context.NewClient();
    if (!client.ok()) {
      // Hardware that only one client may use is declared so.
      if (context.profile().is_exclusive) return context.Unsupported("one client at a time");
      context.Fail("PJRT-Client_Create-failure",
                   StrCat("client ", i + 2, ": ", client.status().ToString()));
      return;
    }
    clients.push_back(*std::move(client));
    Context other(context.plugin(), context.profile(), clients.back().get(), context.seed());
    Expected<OwnedLoadedExecutable> executable = other.Compile(AddOneProgram());
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

// The process ends with a client, a buffer and a computation alive.
void ExitWithWork(Context& context) {
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    Expected<OwnedClient> client = context.NewClient();
    if (!client.ok()) _exit(3);
    Context own(context.plugin(), context.profile(), client->Release(), context.seed());
    Expected<OwnedLoadedExecutable> executable = own.Compile(AddOneProgram());
    Expected<OwnedBuffer> argument = own.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
    if (!executable.ok() || !argument.ok()) _exit(3);
    PJRT_Buffer* handles[] = {argument->get()};
    for (int i = 0; i < 100; ++i) {
      auto results = own.Execute(executable->get(), handles);
      if (!results.ok()) _exit(3);
      for (OwnedBuffer& result : *results) (void)result.Release();
    }
    (void)executable->Release();
    (void)argument->Release();
    // Runs static destructors and what was registered with atexit, as a program's end does.
    exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 3) {
    return context.Unsupported("no client could be made in the child of a fork");
  }
  context.Check("PJRT-Process-alive", WIFEXITED(status) && WEXITSTATUS(status) == 0,
                "a process that ended with work in flight ",
                WIFSIGNALED(status) ? StrCat("was killed by signal ", WTERMSIG(status))
                                    : StrCat("had status ", WEXITSTATUS(status)));
}

// Proportional set size of this process in KiB, or -1.
int64_t PssKib() {
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  if (file == nullptr) return -1;
  char line[256];
  int64_t kib = -1;
  while (fgets(line, sizeof(line), file) != nullptr) {
    if (sscanf(line, "Pss: %ld kB", &kib) == 1) break;
  }
  fclose(file);
  return kib;
}

void FlatMemory(Context& context) {
  constexpr int kWarmUp = 200, kRuns = 1000;
  constexpr int64_t kAllowedKib = 8 << 10;
  int64_t before = 0;
  for (int i = 0; i < kWarmUp + kRuns; ++i) {
    if (i == kWarmUp) before = PssKib();
    Expected<OwnedLoadedExecutable> executable = context.Compile(AddOneProgram());
    if (!context.Ok("", "PJRT_Client_Compile", executable.status()) ||
        !context.Ok("", "a run", RunOnce(context, executable->get()))) {
      return;
    }
    // An error each round, too.
    (void)context.Compile("no program");
  }
  int64_t grown = PssKib() - before;
  if (before < 0) return context.Unsupported("the system does not tell a process's memory");
  context.Note(StrCat("memory grew by ", grown, " KiB in ", kRuns, " rounds"));
  context.Check("PJRT-Error-caller-frees", grown < kAllowedKib, "memory grew by ", grown,
                " KiB in ", kRuns, " rounds of compile, upload, run, download and an error");
}

void ClientsComeAndGo(Context& context) {
  for (int i = 0; i < 10; ++i) {
    Expected<OwnedClient> client = context.NewClient();
    if (!context.Ok("PJRT-Client_Create-failure", StrCat("client ", i), client.status())) return;
    Context own(context.plugin(), context.profile(), client->get(), context.seed());
    Expected<OwnedLoadedExecutable> executable = own.Compile(AddOneProgram());
    if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
    context.Ok("", "a run", RunOnce(own, executable->get()));
    (void)executable->Destroy();
    context.Ok("PJRT-Client_Destroy-null", "PJRT_Client_Destroy", client->Destroy());
  }
}

}  // namespace

void AddProcessCases(std::vector<Case>& cases) {
  auto add = [&](std::string name, ClientNeed client, std::vector<std::string> requirements,
                 void (*run)(Context&), bool is_robust = false) {
    cases.push_back(
        {"L2/process/" + name, Level::kL2, client, std::move(requirements), run, is_robust});
  };
  add("many_threads", ClientNeed::kShared, {"PJRT-Threads-any"}, ManyThreads);
  add("many_clients", ClientNeed::kFresh, {"PJRT-Threads-any"}, ManyClients);
  add("clients_come_and_go", ClientNeed::kNone, {"PJRT-Client_Create-failure"}, ClientsComeAndGo);
  add("after_fork", ClientNeed::kFresh, {"PJRT-Process-fork", "PJRT-Process-alive"}, AfterFork,
      true);
  add("exit_with_work", ClientNeed::kNone, {"PJRT-Process-alive"}, ExitWithWork);
  add("flat_memory", ClientNeed::kFresh, {"PJRT-Error-caller-frees"}, FlatMemory);
}

}  // namespace plinth::conformance
