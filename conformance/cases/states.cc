// SPDX-License-Identifier: Apache-2.0
// L2: what is said of a client, its devices, memories and topology, of a program, an array and a
// transfer manager stays as it is, whatever is done meanwhile with others or with themselves.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/answers.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/examples.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/transfer_manager.h"

namespace plinth::conformance {
namespace states {
namespace {

namespace kinds = reflection::handle;
constexpr char kStays[] = "PJRT-Args-output-same";
constexpr char kOthers[] = "PJRT-Client_Destroy-others";
constexpr char kIndependent[] = "PJRT-LoadedExecutable_GetExecutable-independent";

// What is asked about. A plugin may lack managers.
struct Scene {
  OwnedLoadedExecutable loaded;
  OwnedExecutable executable;
  OwnedBuffer array, empty;
  OwnedManager manager;
  std::vector<OwnedBuffer> kept;
  OwnedClient other;
  bool is_loaded = true;  // nothing is asked of the loaded program otherwise
};

OwnedManager ManagerOfTwo(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return {};
  Expected<OwnedManager> made = NewManager(context, DefaultMemoryOf(context, *device),
                                           {HostArray::F32({2}, {}), HostArray::F32({2, 3}, {})});
  return made.ok() ? *std::move(made) : OwnedManager();
}

bool MakeScene(Context& context, Scene& scene) {
  Expected<OwnedLoadedExecutable> loaded = context.Compile(ProgramFor(context, "add_one"));
  Expected<OwnedBuffer> array = context.Upload(HostArray::F32({4}, {1, 2, 3, 4})),
                        empty = context.Upload(HostArray::F32({0, 3}, {}));
  if (!context.Ok("", "PJRT_Client_Compile", loaded.status()) ||
      !context.Ok("", "PJRT_Client_BufferFromHostBuffer", array.status()) ||
      !context.Ok("", "PJRT_Client_BufferFromHostBuffer", empty.status()))
    return false;
  scene.loaded = *std::move(loaded);
  scene.array = *std::move(array);
  scene.empty = *std::move(empty);
  auto get = Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(context,
                                                                               scene.loaded.get());
  if (!get) return false;
  scene.executable = OwnedExecutable(context.plugin(), get->executable);
  scene.manager = ManagerOfTwo(context);
  return true;
}

// Of each thing that is asked about, its name and what is said of it.
using Said = std::vector<std::pair<std::string, Answers>>;

Said Say(Context& context, const Scene& scene) {
  Said all;
  auto add = [&](const char* name, int kind, void* object) {
    if (object != nullptr) all.emplace_back(name, AnswersOf(context, kind, object, true));
  };
  for (Answers& answers : AnswersOfClient(context, true))
    all.emplace_back("the client, a device or a memory", std::move(answers));
  if (auto own = Get<&PJRT_Client_TopologyDescription_Args::client>(context, context.client()))
    add("the topology", kinds::kPJRT_TopologyDescription, own->topology);
  if (scene.is_loaded) add("a loaded program", kinds::kPJRT_LoadedExecutable, scene.loaded.get());
  add("a program", kinds::kPJRT_Executable, scene.executable.get());
  add("an array", kinds::kPJRT_Buffer, scene.array.get());
  add("an array without elements", kinds::kPJRT_Buffer, scene.empty.get());
  add("a transfer manager", kinds::kPJRT_AsyncHostToDeviceTransferManager, scene.manager.get());
  // Each has events of its own, and numbers that tell of use.
  for (auto& [name, answers] : all) {
    std::erase_if(answers, [](const auto& answer) {
      return answer.first->answer == reflection::Answer::kChanging;
    });
  }
  for (int i = 0; scene.manager && i < 2; ++i) {
    auto size = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
    size.transfer_manager = scene.manager.get();
    size.buffer_index = i;
    if (!Succeeds(context, size)) break;
    all.emplace_back(
        "a transfer manager",
        Answers{{&reflection::Get(
                     reflection::function::kPJRT_AsyncHostToDeviceTransferManager_BufferSize),
                 StrCat(size.buffer_size)}});
  }
  // The bytes of a program may differ; that there are some does not.
  auto bytes = MakeArgs<PJRT_Executable_Serialize_Args>();
  bytes.executable = scene.executable.get();
  Status status = context.plugin().Call(bytes);
  if (status.ok() && bytes.serialized_executable_deleter != nullptr)
    bytes.serialized_executable_deleter(bytes.serialized_executable);
  all.emplace_back("a program",
                   Answers{{&reflection::Get(reflection::function::kPJRT_Executable_Serialize),
                            StrCat(static_cast<int>(status.code()))}});
  return all;
}

void UploadEverywhere(Context& context, Scene& scene) {
  for (PJRT_Device* device : AddressableDevices(context)) {
    for (PJRT_Memory* memory : MemoriesOf(context, device)) {
      Expected<OwnedBuffer> made = UploadTo(context, HostArray::F32({5}, {1, 2, 3, 4, 5}), memory);
      if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_BufferFromHostBuffer", made.status()))
        return;
      scene.kept.push_back(*std::move(made));
    }
  }
}

void CompileOthers(Context& context, Scene&) {
  (void)context.Compile(ProgramFor(context, "many_results"));
  (void)context.Compile(ProgramFor(context, "add_one"), "mlir",
                        StrCat(SingleDeviceCompileOptions(), "\x28\x01"));
  (void)context.Compile("no program");
}

void RunIt(Context& context, Scene& scene) {
  PJRT_Buffer* handles[] = {scene.array.get()};
  for (int i = 0; i < 3; ++i) {
    auto results = context.Execute(scene.loaded.get(), handles);
    if (!context.Ok("", "PJRT_LoadedExecutable_Execute", results.status())) return;
    (void)context.Download((*results)[0].get());
  }
}

void Refuse(Context& context, Scene& scene) {
  PJRT_Buffer* wrong[] = {scene.empty.get()};
  (void)context.Execute(scene.loaded.get(), wrong);
  (void)context.Execute(scene.loaded.get(), {});
  auto lookup = MakeArgs<PJRT_Client_LookupDevice_Args>();
  lookup.client = context.client();
  lookup.id = 1234567;
  (void)context.plugin().Call(lookup);
  float memory[1];
  auto read = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  read.src = scene.array.get();
  read.dst = memory;
  read.dst_size = 3;
  (void)context.plugin().Call(read);
}

void CopyIt(Context& context, Scene& scene) {
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  for (const OwnedBuffer* from : {&scene.array, &scene.empty}) {
    auto copy = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
    copy.buffer = from->get();
    copy.dst_device = devices.back();
    if (!context.plugin().Call(copy).ok()) continue;
    scene.kept.emplace_back(context.plugin(), copy.dst_buffer);
    // Of the copy: a plugin may take what it casts.
    auto cast = MakeArgs<PJRT_Buffer_Bitcast_Args>();
    const int64_t dims[] = {from == &scene.array ? 16 : 0};
    cast.buffer = copy.dst_buffer;
    cast.element_type = PJRT_Buffer_Type_U8;
    cast.dims = dims;
    cast.num_dims = 1;
    if (context.plugin().Call(cast).ok())
      scene.kept.emplace_back(context.plugin(), cast.out_buffer);
  }
}

void FillManager(Context& context, Scene& scene) {
  if (!scene.manager) return context.Unsupported("no transfer managers");
  const float value = 1;
  for (int i = 0; i < 2; ++i) {
    Expected<OwnedBuffer> buffer = RetrieveBuffer(context, scene.manager.get(), i);
    if (!context.Ok("PJRT-Args-accepted", "PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer",
                    buffer.status()))
      return;
    scene.kept.push_back(*std::move(buffer));
    if (!context.Ok("PJRT-Args-accepted", "PJRT_AsyncHostToDeviceTransferManager_TransferData",
                    TransferBytes(context, scene.manager.get(), i, &value, 0, 4, false)))
      return;
  }
}

void ClearStatistics(Context& context, Scene&) {
  for (PJRT_Device* device : AddressableDevices(context)) {
    auto args = MakeArgs<PJRT_Device_ClearMemoryStats_Args>();
    args.device = device;
    (void)context.plugin().Call(args);
  }
}

void DeleteLoaded(Context& context, Scene& scene) {
  auto args = MakeArgs<PJRT_LoadedExecutable_Delete_Args>();
  args.executable = scene.loaded.get();
  (void)Succeeds(context, args);
}

// Another client comes, does some work, and goes.
void AnotherClient(Context& context, Scene&) {
  if (context.profile().is_exclusive) return context.Unsupported("one client at a time");
  Expected<OwnedClient> made = context.NewClient();
  if (!context.Ok("PJRT-Client_Create-failure", "PJRT_Client_Create", made.status())) return;
  Context own(context.plugin(), context.profile(), made->get(), context.seed());
  {
    Expected<OwnedLoadedExecutable> loaded = own.Compile(ProgramFor(own, "add_one"));
    Expected<OwnedBuffer> array = own.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
    if (!context.Ok(kOthers, "PJRT_Client_Compile", loaded.status()) ||
        !context.Ok(kOthers, "PJRT_Client_BufferFromHostBuffer", array.status()))
      return;
    PJRT_Buffer* handles[] = {array->get()};
    context.Ok(kOthers, "PJRT_LoadedExecutable_Execute",
               own.Execute(loaded->get(), handles).status());
  }
  context.Ok("PJRT-Args-accepted", "PJRT_Client_Destroy", made->Destroy());
}

// Others are there, and stay.
void LivingClient(Context& context, Scene& scene) {
  if (context.profile().is_exclusive) return context.Unsupported("one client at a time");
  Expected<OwnedClient> made = context.NewClient();
  if (!context.Ok("PJRT-Client_Create-failure", "PJRT_Client_Create", made.status())) return;
  scene.other = *std::move(made);
}

// The program runs and the array is there as before.
void StillWorks(Context& context, const Scene& scene, const char* after) {
  PJRT_Buffer* handles[] = {scene.array.get()};
  auto results = context.Execute(scene.loaded.get(), handles);
  Status status = results.status();
  if (results.ok()) {
    Expected<HostArray> back = context.Download((*results)[0].get());
    status = back.status();
    if (back.ok() && back->AsF32() != std::vector<float>{2, 3, 4, 5})
      status = Internal("it gives [", StrJoin(back->AsF32()), "]");
  }
  context.Ok(kStays, StrCat("a program that runs after ", after), status);
}

struct Work {
  const char* name;
  void (*run)(Context&, Scene&);
  bool ends_loaded = false;
};
constexpr Work kWorks[] = {
    {"uploads", UploadEverywhere},
    {"other_programs", CompileOthers},
    {"runs", RunIt},
    {"refusals", Refuse},
    {"copies", CopyIt},
    {"transfers", FillManager},
    {"cleared_statistics", ClearStatistics},
    {"another_client", AnotherClient},
    {"living_client", LivingClient},
    {"deleted_program", DeleteLoaded, true},
    {"destroyed_program", [](Context&, Scene& scene) { (void)scene.loaded.Destroy(); }, true}};

void Run(Context& context, const Work& work) {
  Scene scene;
  if (!MakeScene(context, scene)) return;
  scene.is_loaded = !work.ends_loaded;
  const Said before = Say(context, scene);
  work.run(context, scene);
  if (!work.ends_loaded) StillWorks(context, scene, work.name);
  const Said after = Say(context, scene);
  if (!context.Check(kStays, before.size() == after.size(), "fewer things are there after ",
                     work.name))
    return;
  for (size_t i = 0; i < before.size(); ++i) {
    const auto& [what, wanted] = before[i];
    const char* broken = work.ends_loaded ? kIndependent : kStays;
    for (size_t k = 0; k < wanted.size() && k < after[i].second.size(); ++k) {
      context.Check(broken, wanted[k].second == after[i].second[k].second, wanted[k].first->name,
                    " answers otherwise of ", what, " after ", work.name);
    }
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  for (const Work& work : kWorks) {
    std::vector<std::string> requirements = {kStays, "PJRT-Args-accepted"};
    if (std::string_view(work.name) == "transfers")
      requirements.emplace_back("PJRT-AsyncHostToDeviceTransferManager_BufferCount-shapes");
    if (std::string_view(work.name) == "another_client") requirements.emplace_back(kOthers);
    if (work.ends_loaded) requirements = {kIndependent};
    cases.push_back({StrCat("L2/stays/", work.name), Level::kL2, ClientNeed::kFresh,
                     std::move(requirements), [&work](Context& context) { Run(context, work); },
                     work.ends_loaded});
  }
}

}  // namespace states

void AddStateCases(std::vector<Case>& cases) { states::AddCases(cases); }

}  // namespace plinth::conformance
