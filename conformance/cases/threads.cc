// SPDX-License-Identifier: Apache-2.0
// L2: threads. Each thing is made on one thread, used on a second and freed on a third; several
// threads do the same work at once, each with data of its own.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/pending_buffer.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/subject.h"

namespace plinth::conformance {
namespace threads {
namespace {

constexpr char kAny[] = "PJRT-Threads-any";
constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kText[] = "told on another thread";

Status IsSum(const Context& context, PJRT_Buffer* buffer, float first) {
  PLINTH_ASSIGN_OR_RETURN(HostArray array, context.Download(buffer));
  const std::vector<float> wanted = {first, 2, 3, 4};
  return array.AsF32() == wanted
             ? Status()
             : Internal("[", StrJoin(array.AsF32()), "], not [", StrJoin(wanted), "]");
}

// Something that one thread makes, the next uses and the last frees.
struct Thing {
  const char* name;
  Status (*make)(Context&, Thing&);
  Status (*use)(Context&, Thing&);
  OwnedBuffer buffer = {};
  OwnedEvent event = {};
  OwnedLoadedExecutable loaded = {};
  std::unique_ptr<PendingBuffer> pending = {};
  PJRT_Buffer_CopyRawToHostFuture_Args future = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Args>();
  PJRT_Error* error = nullptr;

  void Free(Context& context) {
    (void)buffer.Destroy();
    (void)event.Destroy();
    (void)loaded.Destroy();
    pending.reset();
    if (error != nullptr) (void)context.plugin().Take(std::exchange(error, nullptr));
  }
};

Status MakeUpload(Context& context, Thing& thing) {
  PLINTH_ASSIGN_OR_RETURN(thing.buffer, context.Upload(HostArray::F32({4}, {1, 2, 3, 4})));
  return Status();
}
Status UseUpload(Context& context, Thing& thing) { return IsSum(context, thing.buffer.get(), 1); }

Status MakeEvent(Context& context, Thing& thing) {
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(create));
  thing.event = OwnedEvent(context.plugin(), create.event);
  return Status();
}
Status Set(Context& context, PJRT_Event* event) {
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = event;
  set.error_code = PJRT_Error_Code_ABORTED;
  set.error_message = kText;
  set.error_message_size = sizeof(kText) - 1;
  return context.plugin().Call(set);
}
// It is set while another thread waits.
Status UseEvent(Context& context, Thing& thing) {
  Status waited, is_set;
  std::thread waiting([&] { waited = context.Await(thing.event.get()); });
  is_set = Set(context, thing.event.get());
  // A wait without end is told as what hangs.
  waiting.join();
  PLINTH_RETURN_IF_ERROR(is_set);
  return waited.code() == StatusCode::kAborted && waited.message() == kText
             ? Status()
             : Internal("an event that is set ABORTED gave ", waited.ToString());
}

Status MakeError(Context& context, Thing& thing) {
  PLINTH_RETURN_IF_ERROR(MakeEvent(context, thing));
  PLINTH_RETURN_IF_ERROR(Set(context, thing.event.get()));
  auto await = MakeArgs<PJRT_Event_Await_Args>();
  await.event = thing.event.get();
  void* slot = context.plugin().Slot(reflection::Get(reflection::function::kPJRT_Event_Await));
  thing.error = reinterpret_cast<PJRT_Error* (*)(void*)>(slot)(&await);
  return Status();
}
Status UseError(Context& context, Thing& thing) {
  auto message = MakeArgs<PJRT_Error_Message_Args>();
  message.error = thing.error;
  context.plugin().api()->PJRT_Error_Message(&message);
  std::string_view found = StringOf(message.message, message.message_size);
  return found == kText ? Status() : Internal("the text of an error is \"", found, "\"");
}

Status MakeExecutable(Context& context, Thing& thing) {
  PLINTH_ASSIGN_OR_RETURN(thing.loaded, context.Compile(ProgramFor(context, "add_one")));
  return Status();
}
Status UseExecutable(Context& context, Thing& thing) {
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer argument, context.Upload(HostArray::F32({4}, {0, 1, 2, 3})));
  PJRT_Buffer* handles[] = {argument.get()};
  PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results,
                          context.Execute(thing.loaded.get(), handles));
  return IsSum(context, results[0].get(), 1);
}

Status MakeManager(Context& context, Thing& thing) {
  thing.pending = std::make_unique<PendingBuffer>(context);
  return thing.pending->Make() ? Status() : Unimplemented("no transfer manager");
}
Status UseManager(Context& context, Thing& thing) {
  return thing.pending->Fill() ? IsSum(context, thing.pending->buffer(), 1)
                               : Internal("a transfer failed");
}

Status MakeOutput(Context& context, Thing& thing) {
  PLINTH_RETURN_IF_ERROR(MakeExecutable(context, thing));
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer argument, context.Upload(HostArray::F32({4}, {0, 1, 2, 3})));
  PJRT_Buffer* handles[] = {argument.get()};
  PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results,
                          context.Execute(thing.loaded.get(), handles, &thing.event));
  thing.buffer = std::move(results[0]);
  return Status();
}
Status UseOutput(Context& context, Thing& thing) {
  PLINTH_RETURN_IF_ERROR(context.Await(thing.event.get()));
  return IsSum(context, thing.buffer.get(), 1);
}

// A copy to the host whose destination another thread tells.
Status MakeFuture(Context& context, Thing& thing) {
  PLINTH_RETURN_IF_ERROR(MakeUpload(context, thing));
  thing.future.buffer = thing.buffer.get();
  thing.future.transfer_size = 16;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(thing.future));
  thing.event = OwnedEvent(context.plugin(), thing.future.event);
  return Status();
}
Status UseFuture(Context& context, Thing& thing) {
  float host[4] = {};
  auto tell = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>();
  tell.callback_data = thing.future.callback_data;
  tell.dst = host;
  thing.future.future_ready_callback(&tell);
  PLINTH_RETURN_IF_ERROR(context.Await(thing.event.get()));
  return host[0] == 1 && host[3] == 4 ? Status() : Internal("other bytes came");
}

constexpr Thing (*kThings[])() = {
    [] { return Thing{.name = "upload", .make = MakeUpload, .use = UseUpload}; },
    [] { return Thing{.name = "event", .make = MakeEvent, .use = UseEvent}; },
    [] { return Thing{.name = "error", .make = MakeError, .use = UseError}; },
    [] { return Thing{.name = "executable", .make = MakeExecutable, .use = UseExecutable}; },
    [] { return Thing{.name = "manager", .make = MakeManager, .use = UseManager}; },
    [] { return Thing{.name = "future", .make = MakeFuture, .use = UseFuture}; },
    [] { return Thing{.name = "output", .make = MakeOutput, .use = UseOutput}; }};

// Each of the threads begins while the one before is there, so that no two have the same number, or
// when it has ended.
void Handed(Context& context, Thing (*kind)()) {
  for (bool are_nested : {true, false}) {
    Thing thing = kind();
    Status made, used;
    auto next = [&](const std::function<void()>& step, const std::function<void()>& then) {
      std::thread([&] {
        step();
        if (are_nested) then();
      }).join();
      if (!are_nested) then();
    };
    next([&] { made = thing.make(context, thing); },
         [&] {
           next(
               [&] {
                 if (made.ok()) used = thing.use(context, thing);
               },
               [&] { next([&] { thing.Free(context); }, [] {}); });
         });
    if (context.Ok("", StrCat("making ", thing.name), made)) {
      context.Ok(kAny,
                 StrCat("what was made on another thread, which ",
                        are_nested ? "waits" : "has ended", ", ", thing.name),
                 used);
    }
  }
}

// A program of text that adds a number of its own. Compiling it takes long enough for others to
// begin.
Status CompileOwn(const Context& context, int number) {
  const int added = 1 + number % 7;
  constexpr int kTurns = 100;  // even: the sign is that of the argument
  std::string turns;
  for (int i = 1; i <= kTurns; ++i) {
    turns += StrCat("    %", i + 1, " = stablehlo.negate %", i == 1 ? std::string("a") : StrCat(i),
                    " : tensor<4xf32>\n");
  }
  Expected<OwnedLoadedExecutable> loaded = context.CompileAnyway(
      StrCat("module @own {\n  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n",
             "    %0 = stablehlo.constant dense<", added, ".0> : tensor<4xf32>\n", turns,
             "    %1 = stablehlo.add %", kTurns + 1, ", %0 : tensor<4xf32>\n",
             "    return %1 : tensor<4xf32>\n  }\n}\n"),
      "mlir", SingleDeviceCompileOptions());
  PLINTH_RETURN_IF_ERROR(loaded.status());
  const auto less = static_cast<float>(added);
  PLINTH_ASSIGN_OR_RETURN(
      OwnedBuffer argument,
      context.Upload(HostArray::F32({4}, {100 - less, 2 - less, 3 - less, 4 - less})));
  PJRT_Buffer* handles[] = {argument.get()};
  PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results,
                          context.Execute(loaded->get(), handles));
  return IsSum(context, results[0].get(), 100);
}

Status UploadOwn(const Context& context, int number) {
  const auto first = static_cast<float>(number);
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer,
                          context.Upload(HostArray::F32({4}, {first, 2, 3, 4})));
  return IsSum(context, buffer.get(), first);
}

Status RunOwn(const Context& context, PJRT_LoadedExecutable* shared, int number) {
  const auto first = static_cast<float>(number);
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer argument,
                          context.Upload(HostArray::F32({4}, {first - 1, 1, 2, 3})));
  PJRT_Buffer* handles[] = {argument.get()};
  PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results, context.Execute(shared, handles));
  return IsSum(context, results[0].get(), first);
}

Status CopyOwn(const Context& context, PJRT_Memory* memory, int number) {
  const auto first = static_cast<float>(number);
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer,
                          context.Upload(HostArray::F32({4}, {first, 2, 3, 4})));
  auto copy = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
  copy.buffer = buffer.get();
  copy.dst_memory = memory;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(copy));
  OwnedBuffer made(context.plugin(), copy.dst_buffer);
  (void)buffer.Destroy();
  return IsSum(context, made.get(), first);
}

enum class Work { kCompile, kUpload, kRun, kCopy };
constexpr std::pair<Work, const char*> kWorks[] = {{Work::kCompile, "compile"},
                                                   {Work::kUpload, "upload"},
                                                   {Work::kRun, "execute"},
                                                   {Work::kCopy, "copy"}};

// Threads that begin each turn together, so that calls meet.
void AtOnce(Context& context, Work work) {
  constexpr int kThreads = 4;
  const int turns = work == Work::kUpload ? 60 : 12;
  Expected<OwnedLoadedExecutable> shared = context.Compile(ProgramFor(context, "add_one"));
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok() || !context.Ok("", "PJRT_Client_Compile", shared.status())) return;
  // What one thread can do alone, several can at once.
  if (work == Work::kCompile && !CompileOwn(context, 0).ok())
    return context.Unsupported("text is not read");
  PJRT_Memory* memory = DefaultMemoryOf(context, *device);
  std::atomic<int> arrived = 0;
  std::vector<Status> statuses(kThreads);
  std::vector<std::thread> all;
  all.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    all.emplace_back([&, t] {
      Status& status = statuses[static_cast<size_t>(t)];
      for (int turn = 0; turn < turns; ++turn) {
        ++arrived;
        while (arrived < kThreads * (turn + 1)) std::this_thread::yield();
        if (!status.ok()) continue;
        const int number = 1000 * t + turn;
        // Calls meet more often the more there are.
        for (int run = 0; work == Work::kCompile && run < 4 && status.ok(); ++run)
          status = CompileOwn(context, number + 3 * t + run);
        if (work == Work::kUpload) status = UploadOwn(context, number);
        for (int run = 0; work == Work::kRun && run < 8 && status.ok(); ++run)
          status = RunOwn(context, shared->get(), number + 100 * run);
        if (work == Work::kCopy) status = CopyOwn(context, memory, number);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  for (const Status& status : statuses)
    context.Ok(kAny, "one of four threads that do the same at once", status);
}

// Each function of the registry answers on a thread that did nothing before as it answers here.
void OnAnotherThread(Context& context) {
  for (int number = 0; number < static_cast<int>(reflection::Functions().size()); ++number) {
    const reflection::Function& function = reflection::Functions()[number];
    if (!function.IsRegular() || function.table >= 0 ||
        function.returns != reflection::Returns::kError ||
        NeedOf(function, ClientNeed::kShared) == ClientNeed::kNone ||
        number == reflection::function::kPJRT_Device_PoisonExecution)
      continue;
    context.TellRow(std::string(function.name.view()));
    Context probe(context.plugin(), context.profile(), context.client(), context.seed());
    Subject here(probe, number), there(probe, number);
    if (!here.IsReady(probe)) continue;
    const size_t end = here.args.end;
    bool is_intact = true;
    const Status usual = CallSized(probe, function, here.arguments.bytes(), {end, end}, is_intact);
    Status elsewhere;
    std::thread([&] {
      elsewhere = CallSized(probe, function, there.arguments.bytes(), {end, end}, is_intact);
    }).join();
    context.Check(kAny, elsewhere.code() == usual.code(), function.name,
                  " answers on another thread ", elsewhere.ToString(), ", here ", usual.ToString());
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](std::string name, std::function<void(Context&)> run) {
    cases.push_back({std::move(name),
                     Level::kL2,
                     ClientNeed::kShared,
                     {kAny, kAccepted},
                     std::move(run),
                     false});
  };
  for (Thing (*kind)() : kThings)
    add(StrCat("L2/thread/handed_on/", kind().name), [=](Context& c) { Handed(c, kind); });
  for (auto [work, name] : kWorks)
    add(StrCat("L2/thread/at_once/", name), [work = work](Context& c) { AtOnce(c, work); });
  add("L2/thread/functions", OnAnotherThread);
}

}  // namespace threads

void AddThreadCases(std::vector<Case>& cases) { threads::AddCases(cases); }

}  // namespace plinth::conformance
