// SPDX-License-Identifier: Apache-2.0
// L1: many objects of a kind at once: each is made, none is another, each works and goes on its
// own.

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/error_buffer.h"
#include "conformance/cases/pending_buffer.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/transfer_manager.h"

namespace plinth::conformance {
namespace many_alive {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kNew[] = "PJRT-Args-output-new";
constexpr size_t kCount = 70;

// An object that lives: its address, and what frees it.
struct Living {
  const void* address = nullptr;
  std::shared_ptr<void> owner;
};

template <typename OwnedHandle>
Living Hold(OwnedHandle handle) {
  Living living{handle.get(), nullptr};
  living.owner = std::make_shared<OwnedHandle>(std::move(handle));
  return living;
}

struct Kind {
  const char* name;
  // Makes the next; a Status where the plugin refuses.
  std::function<Expected<Living>(Context&, size_t number)> make;
};

Expected<Living> NewBuffer(Context& context, size_t number) {
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer,
                          context.Upload(HostArray::F32({1}, {static_cast<float>(number)})));
  return Hold(std::move(buffer));
}

Expected<Living> NewEvent(Context& context, size_t) {
  auto args = MakeArgs<PJRT_Event_Create_Args>();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedEvent event(context.plugin(), args.event);
  return Hold(std::move(event));
}

Expected<Living> NewContext(Context& context, size_t) {
  auto args = MakeArgs<PJRT_ExecuteContext_Create_Args>();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return Hold(OwnedExecuteContext(context.plugin(), args.context));
}

Expected<Living> NewManager(Context& context, size_t) {
  PLINTH_ASSIGN_OR_RETURN(PJRT_Device * device, context.Device());
  PLINTH_ASSIGN_OR_RETURN(OwnedManager manager,
                          NewManagerOfFour(context, DefaultMemoryOf(context, device)));
  return Hold(std::move(manager));
}

Expected<Living> NewExecutable(Context& context, size_t number) {
  // Another constant each time, or the same program again.
  std::string code = StrCat("module @many_", number / 2, " {\n",
                            "  func.func public @main(%a: tensor<1xf32>) -> tensor<1xf32> {\n",
                            "    %0 = stablehlo.constant dense<", number, ".0> : tensor<1xf32>\n",
                            "    %1 = stablehlo.add %a, %0 : tensor<1xf32>\n",
                            "    return %1 : tensor<1xf32>\n  }\n}\n");
  Expected<OwnedLoadedExecutable> loaded =
      context.CompileAnyway(code, "mlir", SingleDeviceCompileOptions());
  // A plugin need not read text.
  if (!loaded.ok()) loaded = context.Compile(ProgramFor(context, "add_one"));
  PLINTH_RETURN_IF_ERROR(loaded.status());
  return Hold(*std::move(loaded));
}

Expected<Living> NewErrorBuffer(Context& context, size_t) {
  PLINTH_ASSIGN_OR_RETURN(PJRT_Device * device, context.Device());
  PLINTH_ASSIGN_OR_RETURN(
      OwnedBuffer buffer,
      NewErrorBuffer(context, DefaultMemoryOf(context, device), PJRT_Error_Code_ABORTED, "many"));
  return Hold(std::move(buffer));
}

const std::vector<Kind>& Kinds() {
  static const auto* const kinds = new std::vector<Kind>{
      {"buffers", NewBuffer},   {"events", NewEvent},           {"contexts", NewContext},
      {"managers", NewManager}, {"executables", NewExecutable}, {"errors", NewErrorBuffer}};
  return *kinds;
}

void Many(Context& context, const Kind& kind) {
  std::vector<Living> all;
  std::set<const void*> addresses;
  for (size_t i = 0; i < kCount; ++i) {
    Expected<Living> one = kind.make(context, i);
    if (one.status().code() == StatusCode::kUnimplemented && i == 0)
      return context.Unsupported(one.status().ToString());
    if (!context.Ok(kAccepted, StrCat("number ", i, " of many ", kind.name), one.status())) return;
    context.Check("PJRT-Args-output-handle", one->address != nullptr, "number ", i, " of many ",
                  kind.name, " is null");
    context.Check(kNew, addresses.insert(one->address).second, "number ", i, " of many ", kind.name,
                  " is one that there was");
    all.push_back(*std::move(one));
  }
  // Every third goes, and others come.
  for (size_t i = 0; i < all.size(); i += 3) {
    addresses.erase(all[i].address);
    all[i] = {};
  }
  for (size_t i = 0; i < 10; ++i) {
    Expected<Living> one = kind.make(context, i);
    if (!context.Ok(kAccepted, StrCat("another of many ", kind.name), one.status())) return;
    context.Check(kNew, addresses.insert(one->address).second, "one of many ", kind.name,
                  " is one that there is");
    all.push_back(*std::move(one));
  }
}

// An executable runs as often as one likes.
void ManyRuns(Context& context) {
  Expected<OwnedLoadedExecutable> program = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", program.status())) return;
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  PJRT_Buffer* handles[] = {buffer->get()};
  std::vector<std::vector<OwnedBuffer>> results;
  for (int run = 0; run < 300; ++run) {
    auto result = context.Execute(program->get(), handles);
    if (!context.Ok(kAccepted, StrCat("run ", run, " of one executable"), result.status())) return;
    // Most results live on.
    if (run % 4 != 0) results.push_back(*std::move(result));
  }
  for (size_t i : {size_t{0}, results.size() / 2, results.size() - 1}) {
    Expected<HostArray> back = context.Download(results[i][0].get());
    if (context.Ok("PJRT-LoadedExecutable_Execute-results", "PJRT_Buffer_ToHostBuffer",
                   back.status())) {
      context.Check("PJRT-LoadedExecutable_Execute-results",
                    back->AsF32() == std::vector<float>{2, 3, 4, 5}, "a result of many runs is [",
                    StrJoin(back->AsF32()), "]");
    }
  }
}

// Several executions wait for one array. XLA's own CPU lets 32 wait: the next call would block.
void InFlight(Context& context) {
  Expected<OwnedLoadedExecutable> program = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", program.status())) return;
  PendingBuffer pending(context);
  if (!pending.Make()) return;
  PJRT_Buffer* handles[] = {pending.buffer()};
  std::vector<std::vector<OwnedBuffer>> results;
  for (int run = 0; run < 24; ++run) {
    auto result = context.Execute(program->get(), handles);
    if (!context.Ok(kAccepted, StrCat("run ", run, " that waits for one array"), result.status()))
      break;
    results.push_back(*std::move(result));
  }
  if (!pending.Fill()) return;
  for (const auto& result : results) {
    Expected<HostArray> back = context.Download(result[0].get());
    if (!context.Check("PJRT-LoadedExecutable_Execute-results",
                       back.ok() && back->AsF32() == std::vector<float>{2, 3, 4, 5},
                       "a result of many runs in flight is ",
                       back.ok() ? StrJoin(back->AsF32()) : back.status().ToString()))
      return;
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  for (const Kind& kind : Kinds()) {
    cases.push_back({StrCat("L1/many/", kind.name),
                     Level::kL1,
                     ClientNeed::kShared,
                     {kAccepted, kNew},
                     [&kind](Context& context) { Many(context, kind); },
                     false});
  }
  cases.push_back({"L2/many/in_flight",
                   Level::kL2,
                   ClientNeed::kShared,
                   {"PJRT-Args-accepted", "PJRT-LoadedExecutable_Execute-results"},
                   InFlight,
                   false});
  cases.push_back({"L1/many/runs",
                   Level::kL1,
                   ClientNeed::kShared,
                   {kAccepted, "PJRT-LoadedExecutable_Execute-results"},
                   ManyRuns,
                   false});
}

}  // namespace many_alive

void AddManyAliveCases(std::vector<Case>& cases) { many_alive::AddCases(cases); }

}  // namespace plinth::conformance
