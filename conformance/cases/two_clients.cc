// SPDX-License-Identifier: Apache-2.0
// L2: two clients side by side: each has what is its own, and outlives the other.

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/descriptions.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/transfer_manager.h"

namespace plinth::conformance {
namespace two_clients {
namespace {

constexpr char kOthers[] = "PJRT-Client_Destroy-others";
constexpr char kLifetime[] = "PJRT-Args-output-lifetime";
constexpr char kAssignment[] = "PJRT-Client_Compile-assignment";
constexpr char kSame[] = "PJRT-Executable_DeserializeAndLoad-same";

// Lists that a client gave, and what they held.
template <typename Handle>
struct Given {
  Handle* const* list = nullptr;
  std::vector<Handle*> held;
  bool Stays() const { return std::equal(held.begin(), held.end(), list); }
};

struct Side {
  OwnedClient client;
  Given<PJRT_Device> devices, addressable;
  Given<PJRT_Memory> memories;
};

// False with a finding.
bool Make(Context& context, Side& side) {
  Expected<OwnedClient> made = context.NewClient();
  if (!context.Ok("PJRT-Client_Create-failure", "PJRT_Client_Create", made.status())) return false;
  side.client = *std::move(made);
  PJRT_Client* client = side.client.get();
  auto all = Get<&PJRT_Client_Devices_Args::client>(context, client);
  auto own = Get<&PJRT_Client_AddressableDevices_Args::client>(context, client);
  auto memories = Get<&PJRT_Client_AddressableMemories_Args::client>(context, client);
  if (!all || !own || own->num_addressable_devices == 0) return false;
  side.devices = {all->devices, List(all->devices, all->num_devices)};
  side.addressable = {own->addressable_devices,
                      List(own->addressable_devices, own->num_addressable_devices)};
  if (memories) {
    side.memories = {memories->addressable_memories,
                     List(memories->addressable_memories, memories->num_addressable_memories)};
  }
  return true;
}

// Whether an executable is the client's own, and what it computes.
void Run(Context& own, std::string_view requirement, const Side& side,
         PJRT_LoadedExecutable* executable) {
  PJRT_Device* device = side.addressable.held[0];
  const std::vector<PJRT_Device*> found = DevicesOf(own, executable);
  if (!own.Check(requirement, found == std::vector{device},
                 "an executable of one client runs on devices of another"))
    return;
  Expected<OwnedBuffer> buffer = own.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!own.Ok(kOthers, "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  PJRT_Buffer* handles[] = {buffer->get()};
  auto results = own.Execute(executable, handles);
  if (!own.Ok(requirement, "PJRT_LoadedExecutable_Execute", results.status())) return;
  JudgeBuffer(own, (*results)[0].get(), {HostArray::F32({4}, {2, 3, 4, 5}), device});
  JudgeBuffer(own, buffer->get(), {HostArray::F32({4}, {1, 2, 3, 4}), device});
}

// The case finds what one of its clients did.
void TellOf(Context& context, Context& own) {
  Result result = own.TakeResult();
  for (const Finding& finding : result.findings) context.Fail(finding.requirement, finding.text);
  for (const std::string& note : result.notes) context.Note(note);
}

// Everything that a client does, from the beginning.
void Use(Context& context, const Side& side) {
  Context own(context.plugin(), context.profile(), side.client.get(), context.seed());
  Expected<OwnedLoadedExecutable> loaded = own.Compile(ProgramFor(own, "add_one"));
  if (own.Ok(kOthers, "PJRT_Client_Compile", loaded.status())) {
    Run(own, kAssignment, side, loaded->get());
    Compiled made{*std::move(loaded), {}};
    std::optional<std::string> bytes;
    if (FindExecutable(own, made)) bytes = SerializedBytes(own, made.executable.get());
    OwnedLoadedExecutable again;
    if (bytes) again = LoadBytes(own, *bytes, kSame);
    if (again) Run(own, kSame, side, again.get());
  }
  for (PJRT_Device* device : side.addressable.held) {
    auto args = MakeArgs<PJRT_Client_LookupDevice_Args>();
    args.client = side.client.get();
    args.id = DeviceIdOf(own, device);
    if (Succeeds(own, args, kOthers)) {
      own.Check("PJRT-Client_LookupDevice-found", args.device == device,
                "a device that was looked up is another client's");
    }
    Expected<OwnedBuffer> buffer = own.Upload(HostArray::F32({2}, {5, 6}), device);
    if (own.Ok(kOthers, "PJRT_Client_BufferFromHostBuffer", buffer.status()))
      JudgeBuffer(own, buffer->get(), {HostArray::F32({2}, {5, 6}), device});
  }
  TellOf(context, own);
}

// What a client has begun when the other goes.
struct alignas(4096) Page {
  std::byte bytes[4096];
};
// What hangs on the memories of a client is freed when it is replaced, and not before.
struct Attached {
  int freed = 0;
};
constexpr char kAttachedKey = 0;
struct Begun {
  std::unique_ptr<Page> mapped;  // null where the plugin maps nothing
  // Of each memory that takes any. They stay, for a plugin that frees them late.
  std::map<PJRT_Memory*, Attached*> attached;
  OwnedBuffer array, pending;
  OwnedLoadedExecutable loaded;
  OwnedManager manager;
  OwnedEvent event;
};

void Begin(Context& own, const Side& side, Begun& begun) {
  Expected<OwnedBuffer> array = own.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  Expected<OwnedLoadedExecutable> loaded = own.Compile(ProgramFor(own, "add_one"));
  if (!own.Ok(kOthers, "PJRT_Client_BufferFromHostBuffer", array.status()) ||
      !own.Ok(kOthers, "PJRT_Client_Compile", loaded.status()))
    return;
  begun.array = *std::move(array);
  begun.loaded = *std::move(loaded);
  // A plugin may lack the rest.
  for (PJRT_Memory* memory : side.memories.held) {
    if (own.plugin().minor() < 105 || memory->vtable == nullptr) continue;
    auto* attached = begun.attached[memory] = new Attached;
    memory->vtable->set_user_data(memory, &kAttachedKey, attached,
                                  [](void* data) { ++static_cast<Attached*>(data)->freed; });
  }
  Expected<OwnedManager> manager =
      NewManagerOfFour(own, DefaultMemoryOf(own, side.addressable.held[0]));
  if (manager.ok()) {
    begun.manager = *std::move(manager);
    Expected<OwnedBuffer> pending = RetrieveBuffer(own, begun.manager.get(), 0);
    if (own.Ok(kOthers, "PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer", pending.status()))
      begun.pending = *std::move(pending);
  }
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  if (own.plugin().Call(create).ok()) begun.event = OwnedEvent(own.plugin(), create.event);
  if (!own.plugin().Has(reflection::function::kPJRT_Client_DmaUnmap)) return;
  auto page = std::make_unique<Page>();
  auto map = MakeArgs<PJRT_Client_DmaMap_Args>();
  map.client = own.client();
  map.data = page->bytes;
  map.size = sizeof(page->bytes);
  if (own.plugin().Call(map).ok()) begun.mapped = std::move(page);
}

void CheckAttached(Context& own, const Begun& begun) {
  for (auto [memory, attached] : begun.attached) {
    const PJRT_Memory_FunctionTable& table = *memory->vtable;
    own.Check(kOthers,
              table.get_user_data(memory, &kAttachedKey) == attached && attached->freed == 0,
              "what was attached to a memory is gone when another client went");
    table.set_user_data(memory, &kAttachedKey, nullptr, nullptr);
  }
}

// It goes on where it was.
void GoOn(Context& own, const Side& side, Begun& begun) {
  if (!begun.loaded) return;
  CheckAttached(own, begun);
  const HostArray numbers = HostArray::F32({4}, {1, 2, 3, 4});
  PJRT_Device* device = side.addressable.held[0];
  JudgeBuffer(own, begun.array.get(), {numbers, device});
  PJRT_Buffer* handles[] = {begun.array.get()};
  auto results = own.Execute(begun.loaded.get(), handles);
  if (own.Ok(kOthers, "PJRT_LoadedExecutable_Execute", results.status()))
    JudgeBuffer(own, (*results)[0].get(), {HostArray::F32({4}, {2, 3, 4, 5}), device});
  if (begun.pending &&
      own.Ok(kOthers, "PJRT_AsyncHostToDeviceTransferManager_TransferData",
             TransferBytes(own, begun.manager.get(), 0, numbers.bytes.data(), 0, 16, true)))
    JudgeBuffer(own, begun.pending.get(), {numbers, device});
  if (begun.event) {
    auto set = MakeArgs<PJRT_Event_Set_Args>();
    set.event = begun.event.get();
    own.Ok(kOthers, "PJRT_Event_Set of an event that was made when another client went",
           own.plugin().Call(set));
    own.Ok(kOthers, "that event", own.Await(begun.event.get()));
  }
  if (!begun.mapped) return;
  auto unmap = MakeArgs<PJRT_Client_DmaUnmap_Args>();
  unmap.client = own.client();
  unmap.data = begun.mapped->bytes;
  own.Ok(kOthers, "PJRT_Client_DmaUnmap of what was mapped when another client went",
         own.plugin().Call(unmap));
}

void CheckLists(Context& context, const Side& side) {
  context.Check(kLifetime,
                side.devices.Stays() && side.addressable.Stays() && side.memories.Stays(),
                "a client's devices or memories became others while there is another client");
}

void SideBySide(Context& context) {
  // Hardware that only one client may use is declared so.
  if (context.profile().is_exclusive) return context.Unsupported("one client at a time");
  for (size_t leaving : {size_t{0}, size_t{1}}) {
    std::array<Side, 2> sides;
    for (Side& side : sides) {
      if (!Make(context, side)) return;
    }
    for (const Side& side : sides) CheckLists(context, side);
    for (PJRT_Device* device : sides[0].devices.held) {
      context.Check(
          kOutputTrue,
          std::count(sides[1].devices.held.begin(), sides[1].devices.held.end(), device) == 0,
          "two clients have the same device");
    }
    // The older one, the younger one, and the older one again.
    for (size_t i : {0, 1, 0}) Use(context, sides[i]);
    if (context.HasFindings()) return;
    const Side& staying = sides[1 - leaving];
    Context own(context.plugin(), context.profile(), staying.client.get(), context.seed());
    Begun begun;
    Begin(own, staying, begun);
    context.Ok("PJRT-Args-accepted", "PJRT_Client_Destroy", sides[leaving].client.Destroy());
    CheckLists(context, staying);
    GoOn(own, staying, begun);
    TellOf(context, own);
    Use(context, staying);
    if (context.HasFindings()) return;
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  cases.push_back({"L2/process/two_clients",
                   Level::kL2,
                   ClientNeed::kNone,
                   {kOthers, kLifetime, kAssignment, kSame, kOutputTrue, "PJRT-Args-accepted",
                    "PJRT-Client_LookupDevice-found", "PJRT-Buffer_Device-asked-for"},
                   SideBySide,
                   false});
}

}  // namespace two_clients

void AddTwoClientCases(std::vector<Case>& cases) { two_clients::AddCases(cases); }

}  // namespace plinth::conformance
