// SPDX-License-Identifier: Apache-2.0
// L1: many of a kind for one object: callbacks of an event, references to an array, copies of it,
// pieces and metadata of a manager, mapped ranges, bytes of an executable, letters of a name. None
// of them is one too many, and each counts.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <set>
#include <thread>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/pending_buffer.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/transfer_manager.h"

namespace plinth::conformance {
namespace many_of_one {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kNew[] = "PJRT-Args-output-new";
constexpr char kKeeps[] = "PJRT-Buffer_IncreaseExternalReferenceCount-keeps";
constexpr char kZero[] = "PJRT-Buffer_DecreaseExternalReferenceCount-zero";
constexpr char kOnce[] = "PJRT-Event_OnReady-once";
constexpr char kOffset[] = "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset";
constexpr char kLifetime[] = "PJRT-Executable_Serialize-lifetime";
constexpr char kShapes[] = "PJRT-AsyncHostToDeviceTransferManager_BufferCount-shapes";
constexpr char kName[] = "PJRT-Executable_Name-program";
constexpr char kContents[] = "PJRT-Buffer_CopyToMemory-contents";

// Below and above what tables of fixed sizes and small counters hold.
constexpr size_t kCounts[] = {0, 1, 2, 9, 33, 70, 300};

struct Called {
  const Plugin* plugin;
  std::atomic<size_t> calls = 0;
};

void Callbacks(Context& context, size_t count) {
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  if (!Succeeds(context, create)) return;
  OwnedEvent event(context.plugin(), create.event);
  // Stays, for callbacks that come late.
  auto* called = new std::vector<Called>(count);
  for (size_t i = 0; i < count; ++i) {
    (*called)[i].plugin = &context.plugin();
    auto args = MakeArgs<PJRT_Event_OnReady_Args>();
    args.event = event.get();
    args.user_arg = &(*called)[i];
    args.callback = [](PJRT_Error* error, void* arg) {
      (void)static_cast<Called*>(arg)->plugin->Take(error);
      ++static_cast<Called*>(arg)->calls;
    };
    if (!Succeeds(context, args, kAccepted, StrCat("callback ", i))) return;
  }
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = event.get();
  if (!Succeeds(context, set)) return;
  auto all_came = [&] {
    return std::all_of(called->begin(), called->end(),
                       [](const Called& each) { return each.calls > 0; });
  };
  for (int i = 0; i < 3000 && !all_came(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (size_t i = 0; i < count; ++i) {
    if (!context.Check(kOnce, (*called)[i].calls == 1, "callback ", i, " of ", count, " ran ",
                       (*called)[i].calls.load(), " times"))
      return;
  }
}

// One reference less than were taken leaves one: the memory is there, and may be given up once.
void References(Context& context, size_t count) {
  const std::vector<float> values = {1, 2, 3, 4};
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, values));
  if (count == 0 || !context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  auto more = MakeArgs<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
  auto less = MakeArgs<PJRT_Buffer_DecreaseExternalReferenceCount_Args>();
  more.buffer = less.buffer = buffer->get();
  for (size_t i = 0; i < count; ++i) {
    if (!Succeeds(context, more, kKeeps, StrCat("reference ", i))) return;
  }
  auto where = Get<&PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::buffer>(context, buffer->get());
  auto on_cpu = Get<&PJRT_Buffer_IsOnCpu_Args::buffer>(context, buffer->get());
  for (size_t i = 1; i < count; ++i) {
    if (!Succeeds(context, less, kKeeps, StrCat("giving up ", i, " of ", count))) return;
  }
  if (!context.Ok("", "the ready event", AwaitBuffer(context, buffer->get()))) return;
  if (!DeleteBuffer(context, buffer->get())) return;
  if (where && on_cpu && RawBool(on_cpu->is_on_cpu) && where->device_memory_ptr != nullptr) {
    context.Check(kKeeps,
                  std::memcmp(where->device_memory_ptr, values.data(), values.size() * 4) == 0,
                  "memory with the last of ", count, " references changed when it was deleted");
  }
  if (!Succeeds(context, less, kKeeps, StrCat("giving up the last of ", count))) return;
  context.CheckRefused(kZero, StrCat("giving up more than ", count), context.plugin().Call(less));
}

void ReadyEvents(Context& context, size_t count) {
  PendingBuffer pending(context);
  if (!pending.Make()) return;
  std::vector<OwnedEvent> events;
  std::set<PJRT_Event*> addresses;
  for (size_t i = 0; i < count; ++i) {
    events.push_back(ReadyEventOf(context, pending.buffer()));
    if (!context.Check(kNew, events.back() && addresses.insert(events.back().get()).second,
                       "ready event ", i, " of an array is null, or another"))
      return;
  }
  if (!pending.Fill()) return;
  for (const OwnedEvent& event : events) {
    if (!context.Ok("PJRT-Buffer_ReadyEvent-after", "one of many ready events",
                    context.Await(event.get())))
      return;
  }
}

void Copies(Context& context, size_t count) {
  Expected<PJRT_Device*> device = context.Device();
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!device.ok() || !context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
  args.buffer = buffer->get();
  args.dst_memory = DefaultMemoryOf(context, *device);
  std::vector<OwnedBuffer> copies;
  std::set<PJRT_Buffer*> addresses = {buffer->get()};
  for (size_t i = 0; i < count; ++i) {
    if (!Succeeds(context, args, kAccepted, StrCat("copy ", i))) return;
    copies.emplace_back(context.plugin(), args.dst_buffer);
    if (!context.Check(kNew, addresses.insert(args.dst_buffer).second, "copy ", i,
                       " is one that there was"))
      return;
  }
  (void)buffer->Destroy();
  for (size_t i = 0; i < count; i += 1 + count / 5) {
    Expected<HostArray> back = context.Download(copies[i].get());
    context.Check(kContents, back.ok() && back->AsF32() == std::vector<float>{1, 2, 3, 4}, "copy ",
                  i, " of ", count, " has other contents");
  }
}

// So many pieces, one more with the rest; the first half is written with other bytes before.
void Pieces(Context& context, size_t count) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "a device", device.status())) return;
  const auto bytes = static_cast<int64_t>(3 * count + 5);
  Expected<OwnedManager> manager =
      NewManager(context, DefaultMemoryOf(context, *device), {{DType::kU8, {bytes}, {}}});
  if (!context.Ok("", "PJRT_Client_CreateBuffersForAsyncHostToDevice", manager.status())) return;
  Expected<OwnedBuffer> buffer = RetrieveBuffer(context, manager->get(), 0);
  if (!context.Ok(kAccepted, "PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer",
                  buffer.status()))
    return;
  OwnedEvent ready = ReadyEventOf(context, buffer->get());
  std::vector<uint8_t> wanted(static_cast<size_t>(bytes));
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<uint8_t>(i * 7 + 3);
  auto send = [&](int64_t offset, int64_t size, bool is_last, uint8_t add) {
    std::vector<uint8_t> piece(wanted.begin() + offset, wanted.begin() + offset + size);
    for (uint8_t& byte : piece) byte = static_cast<uint8_t>(byte + add);
    return context.Ok(
        kOffset, "PJRT_AsyncHostToDeviceTransferManager_TransferData",
        TransferBytes(context, manager->get(), 0, piece.data(), offset, size, is_last));
  };
  // All bytes have come before the last piece says so.
  if (!send(0, bytes, false, 100)) return;
  for (size_t i = 0; i < count; ++i) {
    // Of one, two and six bytes; what follows writes again.
    const int64_t sizes[] = {1, 2, 6};
    if (!send(static_cast<int64_t>(3 * i), i + 1 == count ? 3 : sizes[i % 3], false,
              static_cast<uint8_t>(i % 2)))
      return;
  }
  context.Check(kOffset, ready && !IsEventReady(context, ready.get()),
                "an array is ready before its last piece");
  for (int64_t at = 0; at < bytes - 5; at += 97) {
    if (!send(at, std::min<int64_t>(97, bytes - 5 - at), false, 0)) return;
  }
  if (!send(bytes - 5, 5, true, 0)) return;
  Expected<HostArray> back = context.Download(buffer->get());
  if (!context.Ok(kOffset, "PJRT_Buffer_ToHostBuffer", back.status())) return;
  context.Check(kOffset, std::memcmp(back->bytes.data(), wanted.data(), wanted.size()) == 0,
                "an array of ", count, " pieces has other contents");
}

// In small pieces that nothing follows.
void SmallPieces(Context& context, size_t count) {
  PendingBuffer pending(context);
  if (!pending.Make()) return;
  const float values[] = {1, 2, 3, 4};
  const auto size = static_cast<int64_t>(std::clamp<size_t>(count, 1, 8));
  for (int64_t at = 0; at < 16; at += size) {
    const Status status = TransferBytes(context, pending.manager().get(), 0,
                                        reinterpret_cast<const char*>(values) + at, at,
                                        std::min<int64_t>(size, 16 - at), at + size >= 16);
    if (!context.Ok(kOffset, "PJRT_AsyncHostToDeviceTransferManager_TransferData", status)) return;
  }
  Expected<HostArray> back = context.Download(pending.buffer());
  context.Check(kOffset, back.ok() && back->AsF32() == std::vector<float>{1, 2, 3, 4},
                "an array that came in pieces of ", size, " bytes has other contents");
}

// So many buffers of one manager, of different sizes, which come in another order than they are
// asked for: the odd ones are retrieved when they are there.
void Buffers(Context& context, size_t count) {
  Expected<PJRT_Device*> device = context.Device();
  if (count == 0 || !context.Ok("", "a device", device.status())) return;
  auto bytes_of = [](size_t i) { return std::vector<uint8_t>(i % 5 + 1, uint8_t(i * 7 + 1)); };
  std::vector<HostArray> arrays;
  for (size_t i = 0; i < count; ++i)
    arrays.push_back({DType::kU8, {static_cast<int64_t>(bytes_of(i).size())}, {}});
  Expected<OwnedManager> manager = NewManager(context, DefaultMemoryOf(context, *device), arrays);
  if (!context.Ok("", "PJRT_Client_CreateBuffersForAsyncHostToDevice", manager.status())) return;
  auto said = Get<&PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args::transfer_manager>(
      context, manager->get());
  if (said) {
    context.Check(kShapes, said->buffer_count == count, "a manager of ", count,
                  " buffers says that it has ", said->buffer_count);
  }
  std::vector<OwnedBuffer> buffers(count);
  auto retrieve = [&](size_t i) {
    Expected<OwnedBuffer> made = RetrieveBuffer(context, manager->get(), static_cast<int>(i));
    if (!context.Ok(kAccepted, StrCat("buffer ", i, " of ", count), made.status())) return false;
    buffers[i] = *std::move(made);
    return true;
  };
  for (size_t i = 0; i < count; i += 2) {
    if (!retrieve(i)) return;
  }
  for (size_t i = count; i-- > 0;) {
    const std::vector<uint8_t> bytes = bytes_of(i);
    const auto size = static_cast<int64_t>(bytes.size());
    if (!context.Ok(kOffset, StrCat("buffer ", i, " of ", count),
                    TransferBytes(context, manager->get(), static_cast<int>(i), bytes.data(), 0,
                                  size, true)))
      return;
  }
  for (size_t i = 1; i < count; i += 2) {
    if (!retrieve(i)) return;
  }
  for (size_t i = 0; i < count; ++i) {
    Expected<HostArray> back = context.Download(buffers[i].get());
    const std::vector<uint8_t> wanted = bytes_of(i);
    if (!context.Check(kOffset,
                       back.ok() && back->bytes.size() == wanted.size() &&
                           std::memcmp(back->bytes.data(), wanted.data(), wanted.size()) == 0,
                       "buffer ", i, " of ", count, " has other contents"))
      return;
  }
}

void Metadata(Context& context, size_t count) {
  PendingBuffer pending(context);
  if (!pending.Make()) return;
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(StrCat("name ", i));
  std::vector<PJRT_NamedValue> values(count, MakeArgs<PJRT_NamedValue>());
  for (size_t i = 0; i < count; ++i) {
    values[i].name = names[i].data();
    values[i].name_size = names[i].size();
    values[i].type = PJRT_NamedValue_kString;
    values[i].string_value = names[i].data();
    values[i].value_size = names[i].size();
  }
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args>();
  args.transfer_manager = pending.manager().get();
  args.transfer_metadata = values.data();
  args.num_metadata = count;
  (void)Succeeds(context, args, kAccepted, StrCat(count, " values"));
  (void)pending.Fill();
}

void Mappings(Context& context, size_t count) {
  if (!context.plugin().Has(reflection::function::kPJRT_Client_DmaMap) ||
      !context.plugin().Has(reflection::function::kPJRT_Client_DmaUnmap))
    return context.Unsupported("no PJRT_Client_DmaMap");
  // Drivers map pages, and few of them are enough.
  struct alignas(4096) Page {
    char bytes[4096];
  };
  count = std::min<size_t>(count, 33);
  auto pages = std::make_unique<Page[]>(std::max<size_t>(count, 1));
  auto unmap = MakeArgs<PJRT_Client_DmaUnmap_Args>();
  unmap.client = context.client();
  size_t mapped = 0;
  for (; mapped < count; ++mapped) {
    auto map = MakeArgs<PJRT_Client_DmaMap_Args>();
    map.client = context.client();
    map.data = &pages[mapped];
    map.size = sizeof(Page);
    if (!Succeeds(context, map, kAccepted, StrCat("range ", mapped))) break;
  }
  for (size_t i = 0; i < mapped; ++i) {
    // In another order than they were mapped.
    unmap.data = &pages[(i + mapped / 2) % mapped];
    if (!Succeeds(context, unmap, kAccepted, StrCat("range ", i, " of ", mapped))) return;
  }
}

void Serializations(Context& context, size_t count) {
  Expected<OwnedLoadedExecutable> loaded = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", loaded.status())) return;
  auto own =
      Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(context, loaded->get());
  if (!own) return;
  OwnedExecutable executable(context.plugin(), own->executable);
  std::vector<PJRT_Executable_Serialize_Args> all;
  std::string wanted;
  for (size_t i = 0; i < std::min<size_t>(count, 33); ++i) {
    auto bytes = Get<&PJRT_Executable_Serialize_Args::executable>(context, executable.get());
    if (!bytes) break;
    if (i == 0) wanted = StringOf(bytes->serialized_bytes, bytes->serialized_bytes_size);
    all.push_back(*bytes);
  }
  (void)loaded->Destroy();
  // Every second goes first.
  for (size_t parity : {1, 0}) {
    for (size_t i = parity; i < all.size(); i += 2) {
      if (i == 0) {
        context.Check(kLifetime,
                      StringOf(all[i].serialized_bytes, all[i].serialized_bytes_size) == wanted,
                      "the first bytes changed when others of ", all.size(), " were freed");
      }
      if (all[i].serialized_executable_deleter != nullptr)
        all[i].serialized_executable_deleter(all[i].serialized_executable);
    }
  }
}

void CheckName(Context& context, const std::string& name) {
  Expected<OwnedLoadedExecutable> loaded = context.CompileAnyway(
      StrCat("module @", name,
             " {\n  func.func public @main(%a: tensor<1xf32>) -> tensor<1xf32> {\n"
             "    return %a : tensor<1xf32>\n  }\n}\n"),
      "mlir", SingleDeviceCompileOptions());
  if (!loaded.ok()) return context.Unsupported(loaded.status().ToString());
  auto get =
      Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(context, loaded->get());
  if (!get) return;
  OwnedExecutable executable(context.plugin(), get->executable);
  auto found = Get<&PJRT_Executable_Name_Args::executable>(context, executable.get());
  if (!found) return;
  std::string_view text = StringOf(found->executable_name, found->executable_name_size);
  context.Check(kName, text.find(name) != text.npos, "the name \"", name.substr(0, 80), "\" of ",
                name.size(), " letters became \"", text.substr(0, 80), "\" of ", text.size());
}

// Names of so many letters, and with what frameworks put before and after.
void Letters(Context& context, size_t count) {
  // With what the identifiers of other languages lack.
  std::string name(std::max<size_t>(count, 1), 'q');
  for (size_t i = 3; i < name.size(); i += 7) name[i] = i % 2 == 0 ? '_' : '.';
  CheckName(context, name);
  for (const char* before : {"jit_", "pmap_", "jit__", "SyncTensorsGraph.", "main_", "xla_", "_"})
    CheckName(context, before + name);
  for (const char* after : {"_", ".1", "_0", ".jit_", "__spmd"}) CheckName(context, name + after);
}

struct Kind {
  const char* name;
  std::vector<std::string> requirements;
  void (*run)(Context&, size_t count);
};

const std::vector<Kind>& Kinds() {
  static const auto* const kinds =
      new std::vector<Kind>{{"callbacks", {kOnce, kAccepted}, Callbacks},
                            {"references", {kKeeps, kZero, kAccepted}, References},
                            {"ready_events", {kNew, "PJRT-Buffer_ReadyEvent-after"}, ReadyEvents},
                            {"copies", {kNew, kContents, kAccepted}, Copies},
                            {"pieces", {kOffset}, Pieces},
                            {"small_pieces", {kOffset}, SmallPieces},
                            {"metadata", {kAccepted}, Metadata},
                            {"mappings", {kAccepted}, Mappings},
                            {"serializations", {kLifetime}, Serializations},
                            {"letters", {kName}, Letters},
                            {"buffers", {kShapes, kOffset, kAccepted}, Buffers}};
  return *kinds;
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  for (const Kind& kind : Kinds()) {
    cases.push_back({StrCat("L1/many/of_one/", kind.name), Level::kL1, ClientNeed::kShared,
                     kind.requirements,
                     [&kind](Context& context) {
                       for (size_t count : kCounts) {
                         context.TellRow(StrCat(count));
                         kind.run(context, count);
                         if (context.HasFindings()) return;
                       }
                     },
                     false});
  }
}

}  // namespace many_of_one

void AddManyOfOneCases(std::vector<Case>& cases) { many_of_one::AddCases(cases); }

}  // namespace plinth::conformance
