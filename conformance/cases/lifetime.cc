// SPDX-License-Identifier: Apache-2.0
// L2: who keeps what alive: buffers, views, external references, errors through buffers, donation.

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "conformance/cases/ask.h"
#include "conformance/cases/callback_works.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/error_buffer.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/sweep_places.h"
#include "conformance/cases/view.h"

namespace plinth::conformance {
namespace {

bool IsDeleted(Context& context, PJRT_Buffer* buffer) {
  auto args = MakeArgs<PJRT_Buffer_IsDeleted_Args>();
  args.buffer = buffer;
  return context.Ok("", "PJRT_Buffer_IsDeleted", context.plugin().Call(args)) &&
         RawBool(args.is_deleted);
}

void CheckValues(Context& context, std::string_view requirement, PJRT_Buffer* buffer,
                 const std::vector<float>& wanted) {
  Expected<HostArray> array = context.Download(buffer);
  if (!context.Ok(requirement, "PJRT_Buffer_ToHostBuffer", array.status())) return;
  context.Check(requirement, array->AsF32() == wanted, "the values are [", StrJoin(array->AsF32()),
                "], not [", StrJoin(wanted), "]");
}

void Donation(Context& context) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "donating"));
  Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status()) ||
      !context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) {
    return;
  }
  PJRT_Buffer* handles[] = {argument->get()};
  auto results = context.Execute(executable->get(), handles);
  if (!context.Ok("PJRT-LoadedExecutable_Execute-donation", "PJRT_LoadedExecutable_Execute",
                  results.status())) {
    return;
  }
  context.Check("PJRT-LoadedExecutable_Execute-donation", IsDeleted(context, argument->get()),
                "the donated argument does not count as deleted");
  auto ready = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = argument->get();
  Status status = context.plugin().Call(ready);
  OwnedEvent event(context.plugin(), status.ok() ? ready.event : nullptr);
  if (event) status = context.Await(event.get());
  context.CheckRefused("PJRT-Buffer_ReadyEvent-deleted", "the ready event of a donated buffer",
                       status);
  CheckValues(context, "PJRT-LoadedExecutable_Execute-donation", (*results)[0].get(), {2, 3, 4, 5});
  auto again = context.Execute(executable->get(), handles);
  context.CheckRefused("PJRT-LoadedExecutable_Execute-deleted", "donating an argument again",
                       again.status());
}

// Steps that each donate the result of the step before, all in flight at once.
void DonationChain(Context& context) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "donating"));
  Expected<OwnedBuffer> state = context.Upload(HostArray::F32({4}, {0, 1, 2, 3}));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status()) ||
      !context.Ok("", "PJRT_Client_BufferFromHostBuffer", state.status())) {
    return;
  }
  OwnedBuffer current = *std::move(state);
  for (int step = 0; step < 100; ++step) {
    PJRT_Buffer* handles[] = {current.get()};
    auto results = context.Execute(executable->get(), handles);
    if (!context.Ok("PJRT-LoadedExecutable_Execute-donation",
                    StrCat("PJRT_LoadedExecutable_Execute, step ", step), results.status())) {
      return;
    }
    current = std::move((*results)[0]);
  }
  CheckValues(context, "PJRT-LoadedExecutable_Execute-donation", current.get(),
              {100, 101, 102, 103});
}

void DonatedTwice(Context& context) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_donated"));
  Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status()) ||
      !context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) {
    return;
  }
  PJRT_Buffer* handles[] = {argument->get(), argument->get()};
  auto results = context.Execute(executable->get(), handles);
  // Refusing is right, and so is a correct sum.
  if (!results.ok()) return;
  CheckValues(context, "PJRT-LoadedExecutable_Execute-donation", (*results)[0].get(), {2, 4, 6, 8});
}

void DeleteWhileInUse(Context& context) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status()) ||
      !context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) {
    return;
  }
  PJRT_Buffer* handles[] = {argument->get()};
  auto results = context.Execute(executable->get(), handles);
  if (!context.Ok("", "PJRT_LoadedExecutable_Execute", results.status())) return;
  auto remove = MakeArgs<PJRT_Buffer_Delete_Args>();
  remove.buffer = argument->get();
  context.Ok("PJRT-Buffer_Delete-uses", "PJRT_Buffer_Delete", context.plugin().Call(remove));
  (void)executable->Destroy();
  CheckValues(context, "PJRT-Buffer_Delete-uses", (*results)[0].get(), {2, 3, 4, 5});
}

void ExternalReferences(Context& context) {
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  auto increase = MakeArgs<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
  increase.buffer = buffer->get();
  if (!context.Ok("", "PJRT_Buffer_IncreaseExternalReferenceCount",
                  context.plugin().Call(increase))) {
    return;
  }
  auto on_cpu = MakeArgs<PJRT_Buffer_IsOnCpu_Args>();
  on_cpu.buffer = buffer->get();
  auto pointer = MakeArgs<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
  pointer.buffer = buffer->get();
  if (context.Ok("", "PJRT_Buffer_IsOnCpu", context.plugin().Call(on_cpu)) &&
      context.Ok("", "PJRT_Buffer_OpaqueDeviceMemoryDataPointer", context.plugin().Call(pointer)) &&
      RawBool(on_cpu.is_on_cpu)) {
    const auto* values = static_cast<const float*>(pointer.device_memory_ptr);
    context.Check("", values[0] == 1 && values[3] == 4, "the memory holds other values");
  }
  auto decrease = MakeArgs<PJRT_Buffer_DecreaseExternalReferenceCount_Args>();
  decrease.buffer = buffer->get();
  context.Ok("", "PJRT_Buffer_DecreaseExternalReferenceCount", context.plugin().Call(decrease));
  context.CheckRefused("PJRT-Buffer_DecreaseExternalReferenceCount-zero", "a count below zero",
                       context.plugin().Call(decrease));
}

// Memory with an external reference outlives the deletion of its buffer.
void ReferenceKeepsMemory(Context& context) {
  const std::vector<float> wanted = {1, 2, 3, 4};
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, wanted));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  auto on_cpu = MakeArgs<PJRT_Buffer_IsOnCpu_Args>();
  on_cpu.buffer = buffer->get();
  if (!context.Ok("", "PJRT_Buffer_IsOnCpu", context.plugin().Call(on_cpu))) return;
  if (!RawBool(on_cpu.is_on_cpu)) return context.Unsupported("device memory is not host memory");
  auto increase = MakeArgs<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
  increase.buffer = buffer->get();
  auto pointer = MakeArgs<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
  pointer.buffer = buffer->get();
  if (!context.Ok("", "PJRT_Buffer_IncreaseExternalReferenceCount",
                  context.plugin().Call(increase)) ||
      !context.Ok("", "PJRT_Buffer_OpaqueDeviceMemoryDataPointer",
                  context.plugin().Call(pointer))) {
    return;
  }
  auto remove = MakeArgs<PJRT_Buffer_Delete_Args>();
  remove.buffer = buffer->get();
  context.Ok("", "PJRT_Buffer_Delete", context.plugin().Call(remove));
  // Memory that was given back is used again by one of these.
  std::vector<OwnedBuffer> others;
  for (int i = 0; i < 100; ++i) {
    Expected<OwnedBuffer> other = context.Upload(HostArray::F32({4}, {-1, -1, -1, -1}));
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", other.status())) return;
    others.push_back(*std::move(other));
  }
  const auto* values = static_cast<const float*>(pointer.device_memory_ptr);
  std::vector<float> found(values, values + 4);
  context.Check("PJRT-Buffer_IncreaseExternalReferenceCount-keeps", found == wanted,
                "memory with an external reference became [", StrJoin(found),
                "] when its buffer was deleted");
  auto decrease = MakeArgs<PJRT_Buffer_DecreaseExternalReferenceCount_Args>();
  decrease.buffer = buffer->get();
  context.Ok("PJRT-Buffer_IncreaseExternalReferenceCount-keeps",
             "PJRT_Buffer_DecreaseExternalReferenceCount of a deleted buffer",
             context.plugin().Call(decrease));
}

void ViewOfMemory(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  Expected<OwnedBuffer> probe = context.Upload(HostArray::F32({1}, {0}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", probe.status())) return;
  auto on_cpu = MakeArgs<PJRT_Buffer_IsOnCpu_Args>();
  on_cpu.buffer = probe->get();
  if (!context.Ok("", "PJRT_Buffer_IsOnCpu", context.plugin().Call(on_cpu))) return;
  if (!RawBool(on_cpu.is_on_cpu)) {
    return context.Unsupported("device memory is not host memory: nothing to make a view of");
  }
  alignas(64) float memory[4] = {1, 2, 3, 4};
  std::atomic<int> deleted = 0;
  int64_t dims[] = {4};
  auto args = MakeArgs<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
  args.client = context.client();
  args.device_buffer_ptr = memory;
  args.dims = dims;
  args.num_dims = 1;
  args.element_type = PJRT_Buffer_Type_F32;
  args.device = *device;
  args.on_delete_callback = [](void*, void* arg) { ++*static_cast<std::atomic<int>*>(arg); };
  args.on_delete_callback_arg = &deleted;
  if (!context.Ok("PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
                  "PJRT_Client_CreateViewOfDeviceBuffer", context.plugin().Call(args))) {
    return;
  }
  OwnedBuffer view(context.plugin(), args.buffer);
  // It is a view: what its owner writes is in it.
  memory[2] = 30;
  CheckValues(context, "PJRT-Client_CreateViewOfDeviceBuffer-no-copy", view.get(), {1, 2, 30, 4});
  memory[2] = 3;
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  PJRT_Buffer* handles[] = {view.get()};
  auto results = context.Execute(executable->get(), handles);
  if (context.Ok("", "PJRT_LoadedExecutable_Execute on a view", results.status())) {
    CheckValues(context, "PJRT-Client_CreateViewOfDeviceBuffer-on_delete", (*results)[0].get(),
                {2, 3, 4, 5});
  }
  context.Check("PJRT-Client_CreateViewOfDeviceBuffer-on_delete", deleted == 0,
                "on_delete_callback ran while the view was alive");
  (void)view.Destroy();
  for (int i = 0; i < 5000 && deleted == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  context.Check("PJRT-Client_CreateViewOfDeviceBuffer-on_delete", deleted == 1,
                "on_delete_callback ran ", deleted.load(), " times, not once");
}

// Several views at once, of memory of several owners or all of the same memory: each owner is told
// the end of its own view.
void ViewsOfSeveralOwners(Context& context) {
  constexpr char kOnDelete[] = "PJRT-Client_CreateViewOfDeviceBuffer-on_delete";
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  const Place where = {*device, nullptr, *device, DefaultMemoryOf(context, *device)};
  for (const auto& [order, is_shared] :
       {std::pair(std::array<size_t, 3>{2, 0, 1}, false), {{1, 2, 0}, false}, {{1, 2, 0}, true}}) {
    std::array<std::shared_ptr<Viewed>, 3> owners;
    std::array<OwnedBuffer, 3> views;
    for (size_t i = 0; i < views.size(); ++i) {
      views[i] = MakeView(context, HostArray::F32({4}, {1, 2, 3, 4}), where, owners[i], 0,
                          is_shared && i > 0 ? owners[0].get() : nullptr);
      if (!views[i]) return;
    }
    std::array<int, 3> wanted = {};
    for (size_t i : order) {
      (void)views[i].Destroy();
      wanted[i] = 1;
      WaitForEnd(*owners[i]);
      for (size_t k = 0; k < wanted.size(); ++k) {
        if (!context.Check(kOnDelete, owners[k]->calls == wanted[k], "of three views of ",
                           is_shared ? "the same memory" : "several memories", " number ", i,
                           " was destroyed: the owner of number ", k, " was told ",
                           owners[k]->calls.load(), " times, not ", wanted[k]))
          return;
      }
    }
  }
}

// However a view ends, its owner may do what it likes when it is told.
void EndOfViewWorks(Context& context) {
  constexpr char kOnDelete[] = "PJRT-Client_CreateViewOfDeviceBuffer-on_delete";
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  const Place where = {*device, nullptr, *device, DefaultMemoryOf(context, *device)};
  for (bool is_deleted : {false, true}) {
    for (const auto& [what, work] : CallbackWorks(context)) {
      std::shared_ptr<Viewed> viewed;
      OwnedBuffer view = MakeView(context, HostArray::F32({4}, {1, 2, 3, 4}), where, viewed);
      if (!view) return;
      auto result = std::make_shared<Status>();
      viewed->work = [result, work = work] { *result = work(); };
      if (is_deleted) {
        auto args = MakeArgs<PJRT_Buffer_Delete_Args>();
        args.buffer = view.get();
        context.Ok("PJRT-Args-accepted", "PJRT_Buffer_Delete", context.plugin().Call(args));
      }
      (void)view.Destroy();
      WaitForEnd(*viewed);
      if (!context.Check(kOnDelete, viewed->calls == 1, "on_delete_callback, which ", what,
                         ", ran ", viewed->calls.load(), " times, not once"))
        return;
      context.Ok("PJRT-Callback-once", StrCat("on_delete_callback, which ", what), *result);
    }
  }
}

// A buffer that carries an error gives it to everything that is computed from it.
void ErrorsTravel(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  memory.device = *device;
  if (!context.Ok("", "PJRT_Device_DefaultMemory", context.plugin().Call(memory))) return;
  constexpr std::string_view kText = "lost on the way";
  Expected<OwnedBuffer> broken =
      NewErrorBuffer(context, memory.memory, PJRT_Error_Code_DATA_LOSS, kText);
  if (!context.Ok("PJRT-Client_CreateErrorBuffer-carries", "PJRT_Client_CreateErrorBuffer",
                  broken.status()))
    return;
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  PJRT_Buffer* handles[] = {broken->get()};
  OwnedEvent done;
  auto results = context.Execute(executable->get(), handles, &done);
  Status status = results.status();
  if (results.ok()) status = context.Download((*results)[0].get()).status();
  context.Check("PJRT-LoadedExecutable_Execute-error-input",
                CarriesOn(status, PJRT_Error_Code_DATA_LOSS, kText), "the result carries ",
                status.ToString(), ", not DATA_LOSS with `", kText, "`");
  if (results.ok() && done) {
    context.Check("PJRT-LoadedExecutable_Execute-asynchronous", !context.Await(done.get()).ok(),
                  "device_complete_events succeeded");
  }
  Status read = context.Download(broken->get()).status();
  context.Check("PJRT-Client_CreateErrorBuffer-carries", read.code() == StatusCode::kDataLoss,
                "reading the buffer gave ", read.ToString());
}

}  // namespace

void AddLifetimeCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 void (*run)(Context&), bool is_robust = false) {
    cases.push_back({"L2/lifetime/" + name, Level::kL2, ClientNeed::kShared,
                     std::move(requirements), run, is_robust});
  };
  add("donation",
      {"PJRT-LoadedExecutable_Execute-donation", "PJRT-LoadedExecutable_Execute-deleted",
       "PJRT-Buffer_IsDeleted-truth", "PJRT-Buffer_ReadyEvent-deleted"},
      Donation);
  add("donation_chain", {"PJRT-LoadedExecutable_Execute-donation"}, DonationChain);
  add("donated_twice", {"PJRT-LoadedExecutable_Execute-donation"}, DonatedTwice);
  add("delete_while_in_use", {"PJRT-Buffer_Delete-uses"}, DeleteWhileInUse);
  add("external_references", {"PJRT-Buffer_DecreaseExternalReferenceCount-zero"},
      ExternalReferences);
  add("reference_keeps_memory", {"PJRT-Buffer_IncreaseExternalReferenceCount-keeps"},
      ReferenceKeepsMemory);
  add("view_of_memory",
      {"PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
       "PJRT-Client_CreateViewOfDeviceBuffer-no-copy"},
      ViewOfMemory);
  add("views_of_several_owners", {"PJRT-Client_CreateViewOfDeviceBuffer-on_delete"},
      ViewsOfSeveralOwners);
  add("end_of_view_works",
      {"PJRT-Callback-once", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
       "PJRT-Args-accepted"},
      EndOfViewWorks);
  add("errors_travel",
      {"PJRT-Client_CreateErrorBuffer-carries", "PJRT-LoadedExecutable_Execute-error-input",
       "PJRT-LoadedExecutable_Execute-asynchronous"},
      ErrorsTravel);
}

}  // namespace plinth::conformance
