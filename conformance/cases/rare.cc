// SPDX-License-Identifier: Apache-2.0
// L1 and L2: functions that few clients call.

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/error_buffer.h"
#include "conformance/cases/samples.h"

namespace plinth::conformance {
namespace {

Expected<PJRT_Memory*> DefaultMemory(const Context& context) {
  PLINTH_ASSIGN_OR_RETURN(PJRT_Device * device, context.Device());
  auto args = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  args.device = device;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return args.memory;
}

void CheckF32(Context& context, std::string_view requirement, PJRT_Buffer* buffer,
              const std::vector<float>& wanted) {
  Expected<HostArray> array = context.Download(buffer);
  if (!context.Ok(requirement, "PJRT_Buffer_ToHostBuffer", array.status())) return;
  context.Check(requirement, array->AsF32() == wanted, "the values are [", StrJoin(array->AsF32()),
                "], not [", StrJoin(wanted), "]");
}

void CopyRawToHostFuture(Context& context) {
  constexpr char kRequirement[] = "PJRT-Buffer_CopyRawToHostFuture-event-owner";
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  auto args = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Args>();
  args.buffer = buffer->get();
  args.offset = 4;
  args.transfer_size = 8;
  if (!context.Ok(kRequirement, "PJRT_Buffer_CopyRawToHostFuture", context.plugin().Call(args)) ||
      !context.Check("PJRT-Args-output-handle",
                     args.event != nullptr && args.future_ready_callback != nullptr,
                     "the event or the callback is null")) {
    return;
  }
  OwnedEvent event(context.plugin(), args.event);
  float values[2] = {};
  auto ready = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>();
  ready.callback_data = args.callback_data;
  ready.dst = values;
  args.future_ready_callback(&ready);
  if (!context.Ok(kRequirement, "its event", context.Await(event.get()))) return;
  context.Check(kRequirement, values[0] == 2 && values[1] == 3, "bytes 4 to 12 are ", values[0],
                ", ", values[1], ", not 2, 3");
  context.Ok(kRequirement, "PJRT_Event_Destroy", event.Destroy());
}

void DonateWithDependency(Context& context) {
  constexpr char kRequirement[] = "PJRT-Buffer_DonateWithControlDependency-out_buffer-owner";
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  auto args = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Args>();
  args.buffer = buffer->get();
  if (!context.Ok(kRequirement, "PJRT_Buffer_DonateWithControlDependency",
                  context.plugin().Call(args)) ||
      !context.Check("PJRT-Args-output-handle",
                     args.out_buffer != nullptr && args.dependency_ready_callback != nullptr,
                     "the buffer or the callback is null")) {
    return;
  }
  OwnedBuffer out(context.plugin(), args.out_buffer);
  auto ready = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Callback_Args>();
  ready.callback_data = args.callback_data;
  args.dependency_ready_callback(&ready);
  CheckF32(context, kRequirement, out.get(), {1, 2, 3, 4});
  context.Ok(kRequirement, "PJRT_Buffer_Destroy", out.Destroy());
}

void BitcastSizes(Context& context) {
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  int64_t dims[] = {5};
  auto args = MakeArgs<PJRT_Buffer_Bitcast_Args>();
  args.buffer = buffer->get();
  args.element_type = PJRT_Buffer_Type_F32;
  args.dims = dims;
  args.num_dims = 1;
  Status status = context.plugin().Call(args);
  OwnedBuffer out(context.plugin(), status.ok() ? args.out_buffer : nullptr);
  context.CheckRefused("PJRT-Buffer_Bitcast-size", "f32[4] as f32[5]", status,
                       {StatusCode::kInvalidArgument});
}

void AliasFulfilled(Context& context) {
  Expected<PJRT_Memory*> memory = DefaultMemory(context);
  if (!context.Ok("", "PJRT_Device_DefaultMemory", memory.status())) return;
  Expected<Alias> alias = MakeAlias(context, *memory, {4});
  if (!context.Ok("", "PJRT_Client_CreateAliasBuffer", alias.status())) return;
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  constexpr char kAliasOwner[] = "PJRT-Client_CreateAliasBuffer-alias_buffer-owner";
  if (!context.Ok(kAliasOwner, "PJRT_Client_FulfillAliasBuffer",
                  FulfillAlias(context, alias->fulfill, buffer->get())))
    return;
  CheckF32(context, kAliasOwner, alias->buffer.get(), {1, 2, 3, 4});
}

// Several aliases at once, fulfilled in another order than they were made: each stands for its own.
void AliasesCrossed(Context& context) {
  constexpr char kWaits[] = "PJRT-Client_CreateAliasBuffer-waits";
  Expected<PJRT_Memory*> memory = DefaultMemory(context);
  if (!context.Ok("", "PJRT_Device_DefaultMemory", memory.status())) return;
  constexpr size_t kCount = 4;
  std::vector<Alias> aliases;
  std::vector<OwnedBuffer> arrays;
  for (size_t i = 0; i < kCount; ++i) {
    Expected<Alias> alias = MakeAlias(context, *memory, {2});
    if (!context.Ok("", "PJRT_Client_CreateAliasBuffer", alias.status())) return;
    aliases.push_back(*std::move(alias));
    auto number = static_cast<float>(i);
    Expected<OwnedBuffer> array = context.Upload(HostArray::F32({2}, {number, number + 100}));
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", array.status())) return;
    arrays.push_back(*std::move(array));
  }
  for (size_t i : {size_t{2}, size_t{0}, size_t{3}, size_t{1}}) {
    OwnedEvent ready = ReadyEventOf(context, aliases[i].buffer.get());
    context.Check(kWaits, !IsEventReady(context, ready.get()),
                  "an alias was ready before what it stands for was said");
    if (!context.Ok(kWaits, "PJRT_Client_FulfillAliasBuffer",
                    FulfillAlias(context, aliases[i].fulfill, arrays[i].get())))
      return;
  }
  for (size_t i = 0; i < kCount; ++i) {
    auto number = static_cast<float>(i);
    CheckF32(context, kWaits, aliases[i].buffer.get(), {number, number + 100});
  }
}

void OkIsNoError(Context& context) {
  Expected<PJRT_Memory*> memory = DefaultMemory(context);
  if (!context.Ok("", "PJRT_Device_DefaultMemory", memory.status())) return;
  Status status = NewErrorBuffer(context, *memory, PJRT_Error_Code_OK, "").status();
  context.CheckRefused("PJRT-Client_CreateErrorBuffer-ok-code", "a buffer with the error OK",
                       status, {StatusCode::kInvalidArgument});
}

struct Visits {
  std::thread::id thread = std::this_thread::get_id();
  std::vector<std::pair<std::string, std::string>> found;
  bool is_same_thread = true;
};

void Visit(const char* key, size_t key_size, const char* value, size_t value_size, void* visits) {
  auto* self = static_cast<Visits*>(visits);
  self->found.emplace_back(StringOf(key, key_size), StringOf(value, value_size));
  self->is_same_thread &= std::this_thread::get_id() == self->thread;
}

// What an error carries, in any order; the error is freed.
std::vector<std::pair<std::string, std::string>> TakePayloads(const Plugin& plugin,
                                                              PJRT_Error* error) {
  Visits visits;
  auto each = MakeArgs<PJRT_Error_ForEachPayload_Args>();
  each.error = error;
  each.user_arg = &visits;
  each.visitor = Visit;
  (void)plugin.Call(each);
  (void)plugin.Take(error);
  std::sort(visits.found.begin(), visits.found.end());
  return visits.found;
}

// The error of one event carries the same, in whichever way it is learned.
void PayloadsInEachWay(Context& context, PJRT_Event* event) {
  const Plugin& plugin = context.plugin();
  auto await = MakeArgs<PJRT_Event_Await_Args>();
  await.event = event;
  const auto waited = TakePayloads(plugin, plugin.api()->PJRT_Event_Await(&await));
  auto get = MakeArgs<PJRT_Event_Error_Args>();
  get.event = event;
  const auto asked = TakePayloads(plugin, plugin.api()->PJRT_Event_Error(&get));
  struct Told {
    const Plugin& plugin;
    std::promise<std::vector<std::pair<std::string, std::string>>> payloads;
  };
  // It stays for a callback that comes late.
  auto* told = new Told{plugin, {}};
  auto payloads = told->payloads.get_future();
  auto on_ready = MakeArgs<PJRT_Event_OnReady_Args>();
  on_ready.event = event;
  on_ready.user_arg = told;
  on_ready.callback = [](PJRT_Error* error, void* argument) {
    std::unique_ptr<Told> own(static_cast<Told*>(argument));
    own->payloads.set_value(TakePayloads(own->plugin, error));
  };
  context.Check(kOutputTrue, waited == asked, "the error of an event carries ", waited.size(),
                " payloads where it was waited for, ", asked.size(), " where it was asked for");
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Event_OnReady", plugin.Call(on_ready))) {
    delete told;
    return;
  }
  if (payloads.wait_for(std::chrono::seconds(3)) != std::future_status::ready) return;
  const auto called = payloads.get();
  context.Check(kOutputTrue, called == asked, "the error of an event carries ", called.size(),
                " payloads for a callback, ", asked.size(), " where it was asked for");
}

// What an error carries beside its text, each once and whole.
void Payloads(Context& context) {
  constexpr char kRequirement[] = "PJRT-Error_ForEachPayload-once";
  Expected<PJRT_Memory*> memory = DefaultMemory(context);
  if (!context.Ok("", "PJRT_Device_DefaultMemory", memory.status())) return;
  const std::vector<std::pair<std::string, std::string>> given = {
      {"first", "value"},
      {"second", std::string("a\0b", 3)},
      {"type.example.com/a.b/c?d=e", std::string(5000, 'v')},
      {std::string(300, 'k'), ""}};
  std::vector<PJRT_NamedValue> payload;
  for (const auto& [key, bytes] : given) {
    PJRT_NamedValue& value = payload.emplace_back(MakeArgs<PJRT_NamedValue>());
    value.name = key.data();
    value.name_size = key.size();
    value.type = PJRT_NamedValue_kString;
    value.string_value = bytes.data();
    value.value_size = bytes.size();
  }
  int64_t dims[] = {4};
  auto args = MakeArgs<PJRT_Client_CreateErrorBuffer_Args>();
  args.client = context.client();
  args.error_code = PJRT_Error_Code_DATA_LOSS;
  args.error_message = "lost";
  args.error_message_size = 4;
  args.shape_dims = dims;
  args.shape_num_dims = 1;
  args.shape_element_type = PJRT_Buffer_Type_F32;
  args.memory = *memory;
  args.payload = payload.data();
  args.num_payload = payload.size();
  if (!context.Ok(kRequirement, "PJRT_Client_CreateErrorBuffer", context.plugin().Call(args))) {
    return;
  }
  OwnedBuffer buffer(context.plugin(), args.buffer);
  auto ready = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = buffer.get();
  if (!context.Ok("", "PJRT_Buffer_ReadyEvent", context.plugin().Call(ready))) return;
  OwnedEvent event(context.plugin(), ready.event);
  auto await = MakeArgs<PJRT_Event_Await_Args>();
  await.event = event.get();
  PJRT_Error* error = context.plugin().api()->PJRT_Event_Await(&await);
  if (!context.Check("PJRT-Client_CreateErrorBuffer-carries", error != nullptr,
                     "the buffer has no error")) {
    return;
  }
  Visits visits;
  auto each = MakeArgs<PJRT_Error_ForEachPayload_Args>();
  each.error = error;
  each.user_arg = &visits;
  each.visitor = Visit;
  if (context.Ok(kRequirement, "PJRT_Error_ForEachPayload", context.plugin().Call(each))) {
    Visits again;
    auto second = each;
    second.user_arg = &again;
    context.Ok("PJRT-Args-accepted", "PJRT_Error_ForEachPayload again",
               context.plugin().Call(second));
    // Whether they reach the error is asked only of plugins that know the fields.
    const bool knows = context.plugin().minor() >= 106;
    for (const Visits* all : {&visits, &again}) {
      for (const auto& sent : given) {
        const auto& [key, bytes] = sent;
        const auto times =
            std::count_if(all->found.begin(), all->found.end(),
                          [&](const auto& found) { return found.first == sent.first; });
        context.Check(kRequirement, times == 1 || (times == 0 && !knows), "the payload ", key,
                      " was visited ", times, " times");
        context.Check("PJRT-Strings-size",
                      times != 1 || std::count(all->found.begin(), all->found.end(),
                                               std::pair(key, bytes)) == 1,
                      "the payload ", key, " came with other bytes");
      }
    }
    context.Check(kRequirement, visits.is_same_thread, "the visitor ran on another thread");
    PayloadsInEachWay(context, event.get());
  }
  (void)context.plugin().Take(error);
}

// Errors that are alive at once: the text of each stays while others come and go.
void ErrorsAlive(Context& context) {
  std::vector<PJRT_Error*> errors;
  std::vector<std::string> wanted, found;
  std::vector<const char*> texts;
  for (size_t i = 0; i < 8; ++i) {
    auto create = MakeArgs<PJRT_Event_Create_Args>();
    if (!Succeeds(context, create)) return context.Unsupported("no PJRT_Event_Create");
    OwnedEvent event(context.plugin(), create.event);
    wanted.push_back(std::string(1 + i * i * 13, static_cast<char>('a' + i)));
    auto set = MakeArgs<PJRT_Event_Set_Args>();
    set.event = event.get();
    set.error_code = PJRT_Error_Code_DATA_LOSS;
    set.error_message = wanted.back().data();
    set.error_message_size = wanted.back().size();
    if (!Succeeds(context, set)) return;
    auto get = MakeArgs<PJRT_Event_Error_Args>();
    get.event = event.get();
    PJRT_Error* error = context.plugin().api()->PJRT_Event_Error(&get);
    if (!context.Check("PJRT-Event_Set-outcome", error != nullptr,
                       "an event that failed has no error"))
      return;
    auto message = MakeArgs<PJRT_Error_Message_Args>();
    message.error = error;
    context.plugin().api()->PJRT_Error_Message(&message);
    errors.push_back(error);
    texts.push_back(message.message);
    found.emplace_back(StringOf(message.message, message.message_size));
    context.Check("PJRT-Event_Set-outcome", found.back().find(wanted.back()) != std::string::npos,
                  "the text of an error is another than was set");
  }
  for (size_t gone :
       {size_t{0}, size_t{7}, size_t{3}, size_t{6}, size_t{1}, size_t{5}, size_t{2}}) {
    auto destroy = MakeArgs<PJRT_Error_Destroy_Args>();
    destroy.error = std::exchange(errors[gone], nullptr);
    context.plugin().api()->PJRT_Error_Destroy(&destroy);
    for (size_t i = 0; i < errors.size(); ++i) {
      if (errors[i] == nullptr) continue;
      if (!context.Check("PJRT-Error_Message-const",
                         StringOf(texts[i], found[i].size()) == found[i],
                         "the text of an error changed when another error was freed"))
        return;
    }
  }
  (void)context.plugin().Take(errors[4]);
}

void DefaultAssignment(Context& context) {
  constexpr char kRequirement[] = "PJRT-Client_DefaultDeviceAssignment-too-small";
  int assignment[4] = {-1, -1, -1, -1};
  auto args = MakeArgs<PJRT_Client_DefaultDeviceAssignment_Args>();
  args.client = context.client();
  args.num_replicas = args.num_partitions = 1;
  args.default_assignment = assignment;
  args.default_assignment_size = 1;
  if (context.Ok(kRequirement, "PJRT_Client_DefaultDeviceAssignment",
                 context.plugin().Call(args))) {
    context.Check(kRequirement, assignment[0] >= 0 && assignment[1] == -1,
                  "the assignment of one computation is ", assignment[0], ", ", assignment[1]);
  }
  args.num_replicas = 2;
  args.num_partitions = 2;
  args.default_assignment_size = 3;
  context.CheckRefused(kRequirement, "an assignment of 2 times 2 computations in 3 places",
                       context.plugin().Call(args));
}

// A null error is no error, and has no text.
void MessageOfNull(Context& context) {
  auto args = MakeArgs<PJRT_Error_Message_Args>();
  args.message = "x";
  args.message_size = 1;
  context.plugin().api()->PJRT_Error_Message(&args);
  context.Check("PJRT-Error_Message-error", args.message_size <= 1, "the text of no error has ",
                args.message_size, " bytes");
}

void DestroyNullTracking(Context& context) {
  auto args = MakeArgs<PJRT_AsyncTrackingEvent_Destroy_Args>();
  context.Ok("PJRT-AsyncTrackingEvent_Destroy-null", "PJRT_AsyncTrackingEvent_Destroy(null)",
             context.plugin().Call(args));
}

// Host memory that is mapped for DMA, twice one after the other, and used meanwhile.
void MapForDma(Context& context) {
  if (!context.plugin().Has(reflection::function::kPJRT_Client_DmaMap) ||
      !context.plugin().Has(reflection::function::kPJRT_Client_DmaUnmap))
    return context.Unsupported("no PJRT_Client_DmaMap");
  constexpr size_t kBytes = 1 << 16;
  struct alignas(4096) Pages {
    float values[kBytes / sizeof(float)];
  };
  auto pages = std::make_unique<Pages>();
  std::fill(std::begin(pages->values), std::end(pages->values), 2.5f);
  for (int i = 0; i < 2; ++i) {
    auto map = MakeArgs<PJRT_Client_DmaMap_Args>();
    map.client = context.client();
    map.data = pages.get();
    map.size = kBytes;
    Status status = context.plugin().Call(map);
    if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_DmaMap", status)) return;
    HostArray array = HostArray::F32({4}, {2.5f, 2.5f, 2.5f, 2.5f});
    Expected<OwnedBuffer> buffer = context.Upload(array);
    if (context.Ok("", "an upload beside mapped memory", buffer.status()))
      CheckF32(context, "PJRT-Args-accepted", buffer->get(), {2.5f, 2.5f, 2.5f, 2.5f});
    auto unmap = MakeArgs<PJRT_Client_DmaUnmap_Args>();
    unmap.client = context.client();
    unmap.data = pages.get();
    (void)Succeeds(context, unmap);
    context.Check("PJRT-Args-input", pages->values[0] == 2.5f && pages->values[99] == 2.5f,
                  "mapping changed the memory");
  }
}

// What nothing follows from on one process that runs nothing.
void TellOfProcesses(Context& context) {
  if (!context.plugin().Has(reflection::function::kPJRT_Client_UpdateGlobalProcessInfo))
    return context.Unsupported("no PJRT_Client_UpdateGlobalProcessInfo");
  auto info = MakeArgs<PJRT_ProcessInfo>();
  info.incarnation_id = 1;
  info.state = PJRT_ProcessState_kConnected;
  for (int i = 0; i < 2; ++i) {
    auto args = MakeArgs<PJRT_Client_UpdateGlobalProcessInfo_Args>();
    args.client = context.client();
    args.process_infos = &info;
    args.num_process_infos = 1;
    (void)Succeeds(context, args);
  }
}

void PoisonNothing(Context& context) {
  if (!context.plugin().Has(reflection::function::kPJRT_Device_PoisonExecution))
    return context.Unsupported("no PJRT_Device_PoisonExecution");
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  for (int i = 0; i < 2; ++i) {
    auto args = MakeArgs<PJRT_Device_PoisonExecution_Args>();
    args.device = *device;
    args.launch_id = 1 << 30;  // nobody's
    args.error_code = PJRT_Error_Code_ABORTED;
    args.error_message = "poisoned";
    args.error_message_size = 8;
    if (Succeeds(context, args)) {
      context.Check(kOutputTrue, !RawBool(args.poisoned),
                    "an execution that never was is poisoned");
    }
  }
}

}  // namespace

void AddRareCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 void (*run)(Context&), bool is_robust = false) {
    Level level = name[1] == '1' ? Level::kL1 : Level::kL2;
    cases.push_back({name, level, ClientNeed::kShared, std::move(requirements), run, is_robust});
  };
  add("L1/client/default_assignment", {"PJRT-Client_DefaultDeviceAssignment-too-small"},
      DefaultAssignment);
  add("L1/error/message_of_null", {"PJRT-Error_Message-error"}, MessageOfNull, true);
  add("L1/error/payloads",
      {"PJRT-Error_ForEachPayload-once", "PJRT-Args-accepted", "PJRT-Args-input", "PJRT-Error-head",
       "PJRT-Strings-size", kOutputTrue},
      Payloads);
  add("L1/error/alive", {"PJRT-Error_Message-const", "PJRT-Event_Set-outcome"}, ErrorsAlive);
  add("L1/client/map_for_dma", {"PJRT-Args-accepted", "PJRT-Args-input"}, MapForDma);
  add("L1/client/tell_of_processes", {"PJRT-Args-accepted", "PJRT-Args-input"}, TellOfProcesses);
  add("L1/client/poison_nothing", {"PJRT-Args-accepted", "PJRT-Args-input", kOutputTrue},
      PoisonNothing);
  add("L1/error/ok_is_none", {"PJRT-Client_CreateErrorBuffer-ok-code"}, OkIsNoError, true);
  add("L2/transfer/raw_to_host_future", {"PJRT-Buffer_CopyRawToHostFuture-event-owner"},
      CopyRawToHostFuture);
  add("L2/lifetime/donate_with_dependency",
      {"PJRT-Buffer_DonateWithControlDependency-out_buffer-owner"}, DonateWithDependency);
  add("L2/lifetime/bitcast_sizes", {"PJRT-Buffer_Bitcast-size"}, BitcastSizes);
  add("L2/lifetime/aliases_crossed", {"PJRT-Client_CreateAliasBuffer-waits"}, AliasesCrossed);
  add("L2/lifetime/alias_fulfilled", {"PJRT-Client_CreateAliasBuffer-alias_buffer-owner"},
      AliasFulfilled);
  add("L2/process/tracking_event_null", {"PJRT-AsyncTrackingEvent_Destroy-null"},
      DestroyNullTracking);
}

}  // namespace plinth::conformance
