// SPDX-License-Identifier: Apache-2.0
// L2: what is freed is given back: bytes, threads and open files over rounds of one kind of work.

#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/leak_works.h"
#include "conformance/cases/sweep_places.h"

namespace plinth::conformance {
namespace leaks {
namespace {

constexpr char kMemory[] = "PJRT-Process-memory";
// Bytes that a round may leave behind: less than the smallest object that a plugin could forget.
constexpr int64_t kAllowed = 24;

// Bytes that malloc has handed out, of all threads. A plugin with an allocator of its own is seen
// by L2/process/flat_memory.
int64_t AllocatedBytes() {
  struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

int CountEntries(const char* folder) {
  DIR* directory = opendir(folder);
  if (directory == nullptr) return 0;
  int count = 0;
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

// Runs rounds in blocks; a leak grows in each of them, a cache or a free list does not. A pool that
// keeps as much as was ever in flight grows in a block after which the threads ran another way, so
// there are many blocks.
void Repeat(Context& context, std::string_view what, int rounds, int64_t allowed,
            const std::function<Status()>& run) {
  constexpr int kBlocks = 16;
  int64_t least = INT64_MAX;
  int threads = 0, files = 0;
  for (int block = -1; block < kBlocks; ++block) {
    int64_t before = AllocatedBytes();
    for (int i = 0; i < rounds; ++i) {
      Status status = run();
      if (status.code() == StatusCode::kUnimplemented)
        return context.Unsupported(status.ToString());
      if (!context.Ok("PJRT-Args-accepted", what, status)) return;
    }
    // What other threads free follows soon; later on a machine that has much to do. A thread that
    // is late all the time is as late before a block.
    const int longest_wait = block < 4 ? 200 : 5;
    int64_t grown = AllocatedBytes() - before;
    for (int wait = 0; wait < longest_wait && grown > rounds * allowed; ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      grown = AllocatedBytes() - before;
    }
    if (block < 0) {  // caches fill
      threads = CountEntries("/proc/self/task");
      files = CountEntries("/proc/self/fd");
      continue;
    }
    least = std::min(least, grown);
    if (grown <= rounds * allowed) break;
  }
  context.Note(StrCat(what, ": ", least, " bytes in ", rounds, " rounds"));
  context.Check(kMemory, least <= rounds * allowed, what, ": each of ", kBlocks, " blocks of ",
                rounds, " rounds left ", least / rounds, " bytes a round or more");
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

// Bytes of the device that are in use; nothing where the plugin does not tell.
std::optional<int64_t> InUse(const Context& context, PJRT_Device* device) {
  auto args = MakeArgs<PJRT_Device_MemoryStats_Args>();
  args.device = device;
  if (!context.plugin().Call(args).ok()) return std::nullopt;
  return args.bytes_in_use;
}

// What is left on the process, and on the device.
void RepeatWork(Context& context, const Work& work) {
  Made made;
  if (!Make(context, made)) return;
  // What it makes once.
  (void)work.run(context, made);
  const std::optional<int64_t> before = InUse(context, made.device);
  Repeat(context, work.name, work.rounds, kAllowed, [&] { return work.run(context, made); });
  int64_t grown = 0;
  for (int wait = 0; wait < 100; ++wait) {
    const std::optional<int64_t> after = InUse(context, made.device);
    if (!before || !after) return;
    grown = *after - *before;
    if (grown < work.rounds) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  context.Check("PJRT-Device_MemoryStats-in-use", grown < work.rounds, work.name, ": ", grown,
                " bytes of the device more are in use after ", work.rounds, " rounds or more");
}

// Arrays of every type, of every shape, and in every place.
struct Kind {
  std::string name;
  HostArray array;
  Place where;
  OwnedBuffer buffer;
};

std::vector<Kind> AllKinds(Context& context) {
  std::vector<Kind> kinds;
  auto add = [&](DType type, std::string_view shape, std::string_view place) {
    Context probe(context.plugin(), context.profile(), context.client(), context.seed());
    std::optional<Place> where = PlaceNamed(probe, place);
    if (!where || !HasSweptType(probe, type)) return;
    kinds.push_back({StrCat(Name(type), shape, ", ", place),
                     RandomBits(type, ShapeOf(shape), context.seed()),
                     *where,
                     {}});
  };
  for (const std::string& type : SweptTypes()) add(TypeNamed(type), "[3,5]", "device");
  for (const std::string& shape : SweptShapes()) add(DType::kF32, shape, "memory");
  for (const std::string& place : Places()) add(DType::kU8, "[7]", place);
  for (PJRT_Device* device : AddressableDevices(context)) {
    PJRT_Memory* memory = DefaultMemoryOf(context, device);
    kinds.push_back({StrCat("u8[9], device ", DeviceIdOf(context, device)),
                     RandomBits(DType::kU8, {9}, context.seed()),
                     {device, nullptr, device, memory},
                     {}});
  }
  return kinds;
}

Expected<OwnedBuffer> UploadKind(Context& context, const Kind& kind) {
  std::byte nothing{};
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = kind.array.bytes.empty() ? &nothing : kind.array.bytes.data();
  args.type = ToC(kind.array.type);
  args.dims = kind.array.dims.data();
  args.num_dims = kind.array.dims.size();
  args.device = kind.where.device;
  args.memory = kind.where.memory;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer buffer(context.plugin(), args.buffer);
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  PLINTH_RETURN_IF_ERROR(context.Await(done.get()));
  return buffer;
}

template <typename Args>
Status CallAndDrop(Context& context, Args args, PJRT_Buffer* Args::*made) {
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return OwnedBuffer(context.plugin(), args.*made).Destroy();
}

struct KindWork {
  const char* name;
  Status (*run)(Context&, const Kind&);
};
constexpr KindWork kKindWorks[] = {
    {"upload", [](Context& c, const Kind& kind) { return UploadKind(c, kind).status(); }},
    {"read", [](Context& c, const Kind& kind) { return c.Download(kind.buffer.get()).status(); }},
    {"raw_read",
     [](Context& c, const Kind& kind) -> Status {
       // How types below a byte lie on the device is not known.
       if (InfoOf(kind.array.type).bits < 8 && kind.array.type != DType::kPred) return Status();
       std::vector<std::byte> to(kind.array.bytes.size() + 1);
       auto args = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
       args.buffer = kind.buffer.get();
       args.dst = to.data();
       args.transfer_size = static_cast<int64_t>(kind.array.bytes.size());
       PLINTH_RETURN_IF_ERROR(c.plugin().Call(args));
       return c.Await(OwnedEvent(c.plugin(), args.event).get());
     }},
    {"copy_to_device",
     [](Context& c, const Kind& kind) {
       auto args = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
       args.buffer = kind.buffer.get();
       args.dst_device = AddressableDevices(c).back();
       return CallAndDrop(c, args, &PJRT_Buffer_CopyToDevice_Args::dst_buffer);
     }},
    {"copy_to_memory",
     [](Context& c, const Kind& kind) {
       auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
       args.buffer = kind.buffer.get();
       args.dst_memory = kind.where.wanted_memory;
       return CallAndDrop(c, args, &PJRT_Buffer_CopyToMemory_Args::dst_buffer);
     }},
    {"bitcast", [](Context& c, const Kind& kind) {
       auto args = MakeArgs<PJRT_Buffer_Bitcast_Args>();
       args.buffer = kind.buffer.get();
       args.element_type = ToC(kind.array.type);
       args.dims = kind.array.dims.data();
       args.num_dims = kind.array.dims.size();
       return CallAndDrop(c, args, &PJRT_Buffer_Bitcast_Args::out_buffer);
     }}};

// A function that is called for an array of every kind in each round leaves nothing.
void EveryKind(Context& context, const KindWork& work) {
  std::vector<Kind> kinds = AllKinds(context);
  for (Kind& kind : kinds) {
    Expected<OwnedBuffer> buffer = UploadKind(context, kind);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
    kind.buffer = *std::move(buffer);
  }
  // What a plugin refuses is asked elsewhere.
  std::erase_if(kinds, [&](const Kind& kind) { return !work.run(context, kind).ok(); });
  if (kinds.empty()) return context.Unsupported(StrCat("no array that ", work.name, " takes"));
  auto repeat = [&](Context& probe, std::span<const Kind> some) {
    Repeat(probe, StrCat(work.name, " of ", some.size() == 1 ? some[0].name : "every kind"), 6,
           kAllowed, [&]() -> Status {
             for (const Kind& kind : some) PLINTH_RETURN_IF_ERROR(work.run(probe, kind));
             return Status();
           });
  };
  repeat(context, kinds);
  for (size_t i = 0; i < kinds.size() && context.HasFindings(); ++i) {
    Context probe(context.plugin(), context.profile(), context.client(), context.seed());
    repeat(probe, {&kinds[i], 1});
    Result result = probe.TakeResult();
    if (result.findings.empty()) continue;
    return context.Fail(result.findings[0].requirement, result.findings[0].text);
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
  for (int fd : saved) close(fd);
  fclose(file);
}

void Clients(Context& context) {
  Repeat(context, "clients", 4, 1024, [&]() -> Status {
    PLINTH_ASSIGN_OR_RETURN(OwnedClient client, context.NewClient());
    Context own(context.plugin(), context.profile(), client.get(), context.seed());
    PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer, UploadFour(own));
    (void)buffer.Destroy();
    return client.Destroy();
  });
  Repeat(context, "clients that are refused", 20, 256, [&]() -> Status {
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
                     false});
  }
  for (const KindWork& work : kKindWorks) {
    cases.push_back({StrCat("L2/leak/every_kind/", work.name),
                     Level::kL2,
                     ClientNeed::kShared,
                     {kMemory, "PJRT-Args-accepted"},
                     [&work](Context& context) { EveryKind(context, work); },
                     false});
  }
  cases.push_back({"L2/process/silence",
                   Level::kL2,
                   ClientNeed::kFresh,
                   {"PJRT-Process-alive"},
                   Silence,
                   true});
  cases.push_back({"L2/leak/clients", Level::kL2, ClientNeed::kNone, {kMemory}, Clients, false});
}

}  // namespace leaks

void AddLeakCases(std::vector<Case>& cases) { leaks::AddCases(cases); }

}  // namespace plinth::conformance
