// SPDX-License-Identifier: Apache-2.0
// L1: what a function hands out about one object stays as it is while the same is asked about
// another one, and about the same one again: for every function of the registry that takes one
// handle, or none, and gives texts or lists.

#include <atomic>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "conformance/cases/answers.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/stored_programs.h"
#include "plinth/reflection/reflection.h"

namespace plinth::conformance {
namespace two_at_once {
namespace {

using reflection::Direction;
using reflection::Field;
using reflection::Function;

constexpr char kLifetime[] = "PJRT-Args-output-lifetime";
constexpr char kThreads[] = "PJRT-Threads-any";

// Two objects of each kind, as different as a client has them.
class Pairs {
 public:
  explicit Pairs(Context& context) {
    namespace handle = reflection::handle;
    std::vector<PJRT_Device*> devices = AddressableDevices(context);
    if (devices.empty()) return;
    PJRT_Device* both[] = {devices.front(), devices.back()};
    // Of the second kind a plugin may lack types.
    for (auto [i, name] : {std::pair(0, "many_results"), {1, "mixed"}, {1, "of_types"}}) {
      // Compiled for the last device, and with an option that says nothing.
      int id = DeviceIdOf(context, both[i]);
      std::string options = i == 0 ? std::string(SingleDeviceCompileOptions())
                                   : CompileOptionsOf(1, 1, {&id, 1}) + "\x28\x01";
      Expected<OwnedLoadedExecutable> loaded =
          context.Compile(ProgramFor(context, name), "mlir", options);
      if (!loaded.ok()) continue;
      loaded_[i] = *std::move(loaded);
      Set(handle::kPJRT_LoadedExecutable, i, loaded_[i].get());
      auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
      get.loaded_executable = loaded_[i].get();
      if (!context.plugin().Call(get).ok()) continue;
      executables_[i] = OwnedExecutable(context.plugin(), get.executable);
      Set(handle::kPJRT_Executable, i, get.executable);
    }
    for (int i = 0; i < 2; ++i) {
      Expected<OwnedBuffer> buffer =
          context.Upload(i == 0 ? HostArray::F32({2, 3}, {1, 2, 3, 4, 5, 6})
                                : HostArray::F32({4, 1, 1}, {7, 8, 9, 5}));
      if (!buffer.ok()) continue;
      buffers_[i] = *std::move(buffer);
      Set(handle::kPJRT_Buffer, i, buffers_[i].get());
    }
    for (int i = 0; i < 2; ++i) {
      Set(handle::kPJRT_Device, i, both[i]);
      auto get = MakeArgs<PJRT_Device_GetDescription_Args>();
      get.device = both[i];
      if (context.plugin().Call(get).ok())
        Set(handle::kPJRT_DeviceDescription, i, get.device_description);
    }
    std::vector<PJRT_Memory*> memories = MemoriesOf(context, devices.front());
    for (PJRT_Memory* more : MemoriesOf(context, devices.back())) memories.push_back(more);
    if (memories.empty()) return;
    Set(handle::kPJRT_Memory, 0, memories.front());
    Set(handle::kPJRT_Memory, 1, memories.back());
  }

  void* Get(int kind, int which) const {
    auto found = handles_.find({kind, which});
    return found == handles_.end() ? nullptr : found->second;
  }

 private:
  void Set(int kind, int which, void* handle) { handles_[{kind, which}] = handle; }

  OwnedLoadedExecutable loaded_[2];
  OwnedExecutable executables_[2];
  OwnedBuffer buffers_[2];
  std::map<std::pair<int, int>, void*> handles_;
};

// Two threads that ask at once, each about its object, get what one thread got.
void AskOnThreads(Context& context, const Function& function, const Field& handle,
                  void* const (&both)[2]) {
  const reflection::Struct& structure = reflection::Structs()[function.args];
  const int turns = context.depth() == Depth::kQuick ? 5 : 40;
  auto ask = [&](void* object) -> Expected<std::string> {
    std::vector<std::byte> answer(structure.end);
    const size_t size = structure.end;
    std::memcpy(answer.data(), &size, sizeof(size));
    std::memcpy(answer.data() + handle.offset, &object, sizeof(object));
    PLINTH_RETURN_IF_ERROR(context.plugin().Call(function, answer.data()));
    std::string meaning = Meaning(structure, answer);
    Arguments::FreeOutputs(context, function, answer.data(), structure.end);
    return meaning;
  };
  std::atomic<int> arrived = 0;
  std::string wanted[2], wrong[2];
  for (int i = 0; i < 2; ++i) {
    Expected<std::string> alone = ask(both[i]);
    if (!context.Ok("", function.name.view(), alone.status())) return;
    wanted[i] = *std::move(alone);
  }
  std::vector<std::thread> threads;
  threads.reserve(2);
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
      for (int turn = 0; turn < turns && wrong[i].empty(); ++turn) {
        Expected<std::string> found = ask(both[i]);
        if (!found.ok()) wrong[i] = found.status().ToString();
        if (found.ok() && *found != wanted[i]) wrong[i] = "another answer";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& each : wrong) {
    context.Check(kThreads, each.empty(), function.name,
                  " gives, when another thread asks about another object: ", each);
  }
}

// Asks about the first object, the second, and the first again: the first answer stays.
void Ask(Context& context, const Function& function) {
  const reflection::Struct& structure = reflection::Structs()[function.args];
  const Field* handle = OnlyHandle(structure);
  std::optional<Pairs> pairs;
  void* both[] = {nullptr, nullptr};
  if (handle != nullptr) {
    pairs.emplace(context);
    for (int i = 0; i < 2; ++i) both[i] = pairs->Get(handle->target, i);
    if (both[0] == nullptr || both[1] == nullptr)
      return context.Unsupported("there are no two objects to ask about");
  }
  std::vector<std::byte> answers[3];
  std::string before;
  for (int i = 0; i < 3; ++i) {
    answers[i].resize(structure.end);
    size_t size = structure.end;
    std::memcpy(answers[i].data(), &size, sizeof(size));
    if (handle != nullptr)
      std::memcpy(answers[i].data() + handle->offset, &both[i % 2], sizeof(both[i % 2]));
    Status status = context.plugin().Call(function, answers[i].data());
    if (!status.ok()) {
      if (status.code() == StatusCode::kUnimplemented &&
          function.absent != reflection::Absent::kRequired)
        return context.Unsupported(status.ToString());
      context.Fail("PJRT-Args-accepted",
                   StrCat(function.name, ": expected success, got ", status.ToString()));
      return;
    }
    if (i == 0) before = Contents(structure, answers[0]);
    context.Check(kLifetime, Contents(structure, answers[0]) == before, function.name,
                  ": what it gave of one object changed when ",
                  i == 1 ? "it was asked about another" : "it was asked again");
  }
  // What one holder frees is its own.
  for (int i : {1, 2}) {
    Arguments::FreeOutputs(context, function, answers[i].data(), structure.end);
    context.Check(kLifetime, Contents(structure, answers[0]) == before, function.name,
                  ": what it gave of one object changed when another answer was freed");
  }
  Arguments::FreeOutputs(context, function, answers[0].data(), structure.end);
  // The bytes of one thing may differ each time that they are made.
  const bool is_made = function.name.view().find("Serialize") != std::string_view::npos ||
                       function.name.view().find("CompileOptions") != std::string_view::npos;
  if (handle != nullptr && !is_made) AskOnThreads(context, function, *handle, both);
}

// The logical ids of two replicas stay while those of two partitions are asked for, on this thread
// and on another.
void LogicalIds(Context& context) {
  using Args = PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args;
  if (!context.plugin().Has(
          reflection::function::kPJRT_LoadedExecutable_AddressableDeviceLogicalIds))
    return context.Unsupported("no PJRT_LoadedExecutable_AddressableDeviceLogicalIds");
  const std::vector<int> ids = IdsOfDevices(context, 2);
  if (ids.empty()) return;
  Expected<OwnedLoadedExecutable> replicas =
      context.Compile(ProgramFor(context, "add_one"), "mlir", CompileOptionsOf(2, 1, ids));
  Expected<OwnedLoadedExecutable> partitions =
      context.Compile(ProgramFor(context, "sharded"), "mlir", CompileOptionsOf(1, 2, ids));
  // Other cases ask for both.
  if (!replicas.ok() || !partitions.ok()) return context.Unsupported("no replicas or partitions");
  auto read = [](const Args& args) {
    std::vector<std::pair<int, int>> all;
    for (size_t i = 0; i < args.num_addressable_device_logical_ids; ++i) {
      const PJRT_LogicalDeviceIds& each = args.addressable_device_logical_ids[i];
      all.emplace_back(each.replica, each.partition);
    }
    return all;
  };
  PJRT_LoadedExecutable* both[] = {replicas->get(), partitions->get()};
  for (size_t first : {0, 1}) {
    auto given = Get<&Args::executable>(context, both[first]);
    if (!given) return;
    const auto said = read(*given);
    if (!Get<&Args::executable>(context, both[1 - first])) return;
    context.Check(kLifetime, read(*given) == said,
                  "the logical ids of a program became others when another one was asked");
    std::thread([&] { (void)Get<&Args::executable>(context, both[1 - first]); }).join();
    context.Check(kLifetime, read(*given) == said,
                  "the logical ids of a program became others when a thread asked another one");
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  cases.push_back({"L3/two_at_once/logical_ids",
                   Level::kL3,
                   ClientNeed::kShared,
                   {kLifetime, "PJRT-Args-accepted"},
                   LogicalIds,
                   false});
  for (const Function& function : reflection::Functions()) {
    if (function.table >= 0 || !function.IsRegular() ||
        function.returns != reflection::Returns::kError ||
        function.answer == reflection::Answer::kChanging || function.opens >= 0)
      continue;
    const reflection::Struct& structure = reflection::Structs()[function.args];
    const Field* handle = OnlyHandle(structure);
    bool is_of_plugin = function.name.view() == "PJRT_Plugin_Attributes";
    if (handle == nullptr && !is_of_plugin) continue;
    bool has_list = false;
    for (const Field& field : FieldsOf(structure))
      has_list |= field.direction == Direction::kOut && field.depth > 0;
    namespace kinds = reflection::handle;
    bool has_two = is_of_plugin;
    for (int kind : {kinds::kPJRT_LoadedExecutable, kinds::kPJRT_Executable, kinds::kPJRT_Buffer,
                     kinds::kPJRT_Device, kinds::kPJRT_DeviceDescription, kinds::kPJRT_Memory})
      has_two |= handle != nullptr && handle->target == kind;
    if (!has_list || !has_two) continue;
    cases.push_back({StrCat("L1/two_at_once/", function.name), Level::kL1, ClientNeed::kShared,
                     is_of_plugin
                         ? std::vector<std::string>{kLifetime, "PJRT-Plugin_Attributes-lifetime"}
                         : std::vector<std::string>{kLifetime, kThreads},
                     [&function](Context& context) { Ask(context, function); }, false});
  }
}

}  // namespace two_at_once

void AddTwoAtOnceCases(std::vector<Case>& cases) { two_at_once::AddCases(cases); }

}  // namespace plinth::conformance
