// SPDX-License-Identifier: Apache-2.0

#include "conformance/cases/leak_works.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/error_buffer.h"
#include "conformance/cases/pending_buffer.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/transfer_manager.h"
#include "pjrt_c_api_layouts_extension.h"

namespace plinth::conformance::leaks {

Expected<OwnedBuffer> UploadFour(Context& context) {
  return context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
}

namespace {

Status CallFailing(const Status& status) {
  return status.ok() ? Internal("a call that has to fail succeeded") : Status();
}

struct Notified {
  const Plugin* plugin;
  std::atomic<int> calls = 0;
};

Status RegisterAndWait(Context& context, PJRT_Event* event, Notified& notified,
                       const std::function<Status()>& end) {
  auto args = MakeArgs<PJRT_Event_OnReady_Args>();
  args.event = event;
  args.user_arg = &notified;
  args.callback = [](PJRT_Error* error, void* arg) {
    auto* self = static_cast<Notified*>(arg);
    (void)self->plugin->Take(error);
    ++self->calls;
  };
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  PLINTH_RETURN_IF_ERROR(end());
  for (int i = 0; i < 3000 && notified.calls == 0; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(i < 10 ? 20 : 1000));
  return Status();
}

// Each copy of an array that may have nothing to copy: whether it is refused is asked elsewhere.
void CopyInEachWay(Context& context, const Made& made, PJRT_Buffer* buffer) {
  auto to_device = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
  to_device.buffer = buffer;
  to_device.dst_device = AddressableDevices(context).back();
  auto to_memory = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
  to_memory.buffer = buffer;
  to_memory.dst_memory = made.memory;
  std::vector<OwnedBuffer> copies;
  if (context.plugin().Call(to_device).ok())
    copies.emplace_back(context.plugin(), to_device.dst_buffer);
  if (context.plugin().Call(to_memory).ok())
    copies.emplace_back(context.plugin(), to_memory.dst_buffer);
  for (const OwnedBuffer& copy : copies) (void)AwaitBuffer(context, copy.get());
  float values[4];
  auto raw = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
  raw.buffer = buffer;
  raw.dst = values;
  raw.transfer_size = sizeof(values);
  if (!context.plugin().Call(raw).ok()) return;
  OwnedEvent done(context.plugin(), raw.event);
  if (done) (void)context.Await(done.get());
}

template <typename Args>
Status WithDeleter(Context& context, Args args, auto holder, auto deleter) {
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  if (args.*deleter != nullptr) (args.*deleter)(args.*holder);
  return Status();
}

// Whether a function may be called again and again with the same arguments.
bool IsRepeatable(const reflection::Function& function) {
  if (!function.IsRegular() || function.returns != reflection::Returns::kError ||
      function.threads == reflection::Threads::kExclusive || function.closes >= 0)
    return false;
  // A client has work of its own below; what is mapped, registered or held stays so, and what
  // is to come ends once.
  for (const char* part : {"PJRT_Client_Create", "PJRT_Plugin_Initialize", "DmaMap", "DmaUnmap",
                           "Type_Register", "Register_Handler", "Register_Callback",
                           "IncreaseExternalReferenceCount", "SetBufferError", "Event_Set"}) {
    if (function.name.view().ends_with(part)) return false;
  }
  return true;
}

// Whether a call uses up what it is given.
bool TakesOnce(const reflection::Function& function) {
  for (const char* part : {"Fulfill", "Donate", "TransferData", "TransferLiteral", "RetrieveBuffer",
                           "_Delete", "DecreaseExternal", "Bitcast", "UserData_Add"}) {
    if (function.name.view().find(part) != std::string_view::npos) return true;
  }
  return false;
}

// One call of the function, with what it hands out freed; a call that fails leaves nothing either.
Work CallOf(int number) {
  const reflection::Function& function = reflection::Functions()[number];
  return {StrCat("call/", function.name), 40, [number](Context& c, Made& m) -> Status {
            if (m.subject == nullptr || m.number != number) {
              m.subject = std::make_unique<Subject>(c, number);
              m.number = number;
              m.was_taken = false;
            }
            if (!m.subject->IsReady(c)) return Unimplemented("there is nothing to call it with");
            std::vector<std::byte> bytes = m.subject->arguments.bytes();
            Status status = c.plugin().Call(m.subject->function, bytes.data());
            if (status.ok())
              Arguments::FreeOutputs(c, m.subject->function, bytes.data(), bytes.size());
            // What is taken once is taken again.
            if (!status.ok() && m.was_taken) return status;
            m.was_taken = status.ok() && !TakesOnce(m.subject->function);
            return Status();
          }};
}

}  // namespace

std::vector<Work> AllWork() {
  std::vector<Work> all;
  auto add = [&](const char* name, int rounds, std::function<Status(Context&, Made&)> run) {
    all.push_back({name, rounds, std::move(run)});
  };
  add("upload", 100, [](Context& c, Made&) -> Status { return UploadFour(c).status(); });
  // The same array in every form that a caller may give it.
  add("upload_forms", 40, [](Context& c, Made& m) -> Status {
    const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const int64_t dims[] = {2, 3}, none[] = {0, 3}, order[] = {0, 1}, strides[] = {16, 4};
    auto layout = MakeArgs<PJRT_Buffer_MemoryLayout>();
    layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
    layout.tiled.minor_to_major = order;
    layout.tiled.minor_to_major_size = 2;
    for (int form = 0; form < 7; ++form) {
      auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
      args.client = c.client();
      args.data = values;
      args.type = PJRT_Buffer_Type_F32;
      args.dims = form == 1 ? none : dims;
      args.num_dims = form == 0 ? 0 : 2;
      if (form == 2) args.byte_strides = strides, args.num_byte_strides = 2;
      if (form == 3) args.device_layout = &layout;
      if (form > 3) args.host_buffer_semantics = static_cast<PJRT_HostBufferSemantics>(form - 3);
      args.device = m.device;
      Status status = c.plugin().Call(args);
      // Which layouts there are is the plugin's business.
      if (form == 3 && !status.ok()) continue;
      PLINTH_RETURN_IF_ERROR(status);
      OwnedBuffer buffer(c.plugin(), args.buffer);
      OwnedEvent done(c.plugin(), args.done_with_host_buffer);
      PLINTH_RETURN_IF_ERROR(AwaitBuffer(c, buffer.get()));
      (void)buffer.Destroy();
      PLINTH_RETURN_IF_ERROR(c.Await(done.get()));
    }
    return Status();
  });
  add("download", 100,
      [](Context& c, Made& m) -> Status { return c.Download(m.buffer.get()).status(); });
  add("execute", 100, [](Context& c, Made& m) -> Status {
    PJRT_Buffer* handles[] = {m.buffer.get()};
    OwnedEvent done;
    PLINTH_ASSIGN_OR_RETURN(auto results, c.Execute(m.add.get(), handles, &done));
    PLINTH_RETURN_IF_ERROR(c.Await(done.get()));
    return c.Download(results[0].get()).status();
  });
  add("execute_refused", 100, [](Context& c, Made& m) -> Status {
    PJRT_Buffer* handles[] = {m.wrong.get()};
    return CallFailing(c.Execute(m.add.get(), handles).status());
  });
  add("donate", 100, [](Context& c, Made& m) -> Status {
    PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer, UploadFour(c));
    PJRT_Buffer* handles[] = {buffer.get()};
    PLINTH_ASSIGN_OR_RETURN(auto results, c.Execute(m.donating.get(), handles));
    return c.Download(results[0].get()).status();
  });
  add("compile", 30,
      [](Context& c, Made&) -> Status { return c.Compile(ProgramFor(c, "add_one")).status(); });
  add("compile_refused", 60,
      [](Context& c, Made&) -> Status { return CallFailing(c.Compile("no program").status()); });
  add("format_refused", 60, [](Context& c, Made&) -> Status {
    return CallFailing(c.Compile(ProgramFor(c, "add_one"), "no format").status());
  });
  add("get_executable", 100, [](Context& c, Made& m) -> Status {
    auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
    get.loaded_executable = m.add.get();
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(get));
    OwnedExecutable executable(c.plugin(), get.executable);
    auto outputs = MakeArgs<PJRT_Executable_NumOutputs_Args>();
    outputs.executable = executable.get();
    auto kinds = MakeArgs<PJRT_Executable_OutputMemoryKinds_Args>();
    kinds.executable = executable.get();
    auto types = MakeArgs<PJRT_Executable_OutputElementTypes_Args>();
    types.executable = executable.get();
    auto dims = MakeArgs<PJRT_Executable_OutputDimensions_Args>();
    dims.executable = executable.get();
    auto cost = MakeArgs<PJRT_Executable_GetCostAnalysis_Args>();
    cost.executable = executable.get();
    auto print = MakeArgs<PJRT_Executable_Fingerprint_Args>();
    print.executable = executable.get();
    (void)c.plugin().Call(kinds);
    (void)c.plugin().Call(types);
    (void)c.plugin().Call(dims);
    (void)c.plugin().Call(cost);
    (void)c.plugin().Call(print);
    return c.plugin().Call(outputs);
  });
  add("describe", 100, [](Context& c, Made& m) -> Status {
    // Answers of objects that stay: asked often, they are there once.
    auto cost = MakeArgs<PJRT_Executable_GetCostAnalysis_Args>();
    cost.executable = m.executable.get();
    auto kinds = MakeArgs<PJRT_Executable_ParameterMemoryKinds_Args>();
    kinds.executable = m.executable.get();
    auto name = MakeArgs<PJRT_Memory_ToString_Args>();
    name.memory = m.memory;
    auto debug = MakeArgs<PJRT_Memory_DebugString_Args>();
    debug.memory = m.memory;
    auto stats = MakeArgs<PJRT_Device_MemoryStats_Args>();
    stats.device = m.device;
    auto layout = MakeArgs<PJRT_Buffer_GetMemoryLayout_Args>();
    layout.buffer = m.buffer.get();
    auto unpadded = MakeArgs<PJRT_Buffer_UnpaddedDimensions_Args>();
    unpadded.buffer = m.buffer.get();
    auto platform = MakeArgs<PJRT_Client_PlatformVersion_Args>();
    platform.client = c.client();
    (void)c.plugin().Call(cost);
    (void)c.plugin().Call(kinds);
    (void)c.plugin().Call(name);
    (void)c.plugin().Call(debug);
    (void)c.plugin().Call(stats);
    (void)c.plugin().Call(layout);
    (void)c.plugin().Call(unpadded);
    return c.plugin().Call(platform);
  });
  add("serialize", 60, [](Context& c, Made& m) -> Status {
    auto args = MakeArgs<PJRT_Executable_Serialize_Args>();
    args.executable = m.executable.get();
    return WithDeleter(c, args, &PJRT_Executable_Serialize_Args::serialized_executable,
                       &PJRT_Executable_Serialize_Args::serialized_executable_deleter);
  });
  add("deserialize", 40, [](Context& c, Made& m) -> Status {
    auto args = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
    args.client = c.client();
    args.serialized_executable = m.serialized.data();
    args.serialized_executable_size = m.serialized.size();
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(args));
    OwnedLoadedExecutable loaded(c.plugin(), args.loaded_executable);
    return Status();
  });
  add("deserialize_refused", 60, [](Context& c, Made& m) -> Status {
    auto args = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
    args.client = c.client();
    args.serialized_executable = m.serialized.data();
    args.serialized_executable_size = m.serialized.size() / 2;
    return CallFailing(c.plugin().Call(args));
  });
  add("compile_options", 60, [](Context& c, Made& m) -> Status {
    auto args = MakeArgs<PJRT_Executable_GetCompileOptions_Args>();
    args.executable = m.executable.get();
    return WithDeleter(c, args, &PJRT_Executable_GetCompileOptions_Args::serialized_compile_options,
                       &PJRT_Executable_GetCompileOptions_Args::serialized_compile_options_deleter);
  });
  add("device_assignment", 60, [](Context& c, Made& m) -> Status {
    auto args = MakeArgs<PJRT_LoadedExecutable_GetDeviceAssignment_Args>();
    args.executable = m.add.get();
    return WithDeleter(
        c, args, &PJRT_LoadedExecutable_GetDeviceAssignment_Args::serialized_device_assignment,
        &PJRT_LoadedExecutable_GetDeviceAssignment_Args::serialized_device_assignment_deleter);
  });
  add("device_attributes", 60, [](Context& c, Made& m) -> Status {
    auto args = MakeArgs<PJRT_Device_GetAttributes_Args>();
    args.device = m.device;
    return WithDeleter(c, args, &PJRT_Device_GetAttributes_Args::device_attributes,
                       &PJRT_Device_GetAttributes_Args::attributes_deleter);
  });
  add("topology", 60, [](Context& c, Made& m) -> Status {
    auto args = MakeArgs<PJRT_TopologyDescription_Serialize_Args>();
    args.topology = m.topology;
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(args));
    auto load = MakeArgs<PJRT_TopologyDescription_Deserialize_Args>();
    load.serialized_topology = args.serialized_bytes;
    load.serialized_topology_size = args.serialized_bytes_size;
    Status status = c.plugin().Call(load);
    OwnedTopology loaded(c.plugin(), status.ok() ? load.topology : nullptr);
    if (args.serialized_topology_deleter != nullptr)
      args.serialized_topology_deleter(args.serialized_topology);
    return Status();
  });
  add("layouts", 100, [](Context& c, Made& m) -> Status {
    const auto* get = reflection::FindFunction("PJRT_Layouts_PJRT_Buffer_MemoryLayout");
    const auto* write = reflection::FindFunction("PJRT_Layouts_MemoryLayout_Serialize");
    const auto* free = reflection::FindFunction("PJRT_Layouts_MemoryLayout_Destroy");
    if (c.plugin().Slot(*get) == nullptr) return Unimplemented("no extension Layouts");
    PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args args = {};
    args.struct_size = sizeof(args);
    args.buffer = m.buffer.get();
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(*get, &args));
    PJRT_Layouts_MemoryLayout_Serialize_Args text = {};
    text.struct_size = sizeof(text);
    text.layout = args.layout;
    Status status = c.plugin().Call(*write, &text);
    if (status.ok() && text.serialized_layout_deleter != nullptr)
      text.serialized_layout_deleter(text.serialized_layout);
    PJRT_Layouts_MemoryLayout_Destroy_Args destroy = {};
    destroy.struct_size = sizeof(destroy);
    destroy.layout = args.layout;
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(*free, &destroy));
    return status;
  });
  add("optimized_program", 60, [](Context& c, Made& m) -> Status {
    auto program = MakeArgs<PJRT_Program>();
    auto args = MakeArgs<PJRT_Executable_OptimizedProgram_Args>();
    args.executable = m.executable.get();
    args.program = &program;
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(args));
    std::string code(program.code_size, '\0');
    program.code = code.data();
    return c.plugin().Call(args);
  });
  add("errors", 100, [](Context& c, Made&) -> Status {
    auto lookup = MakeArgs<PJRT_Client_LookupDevice_Args>();
    lookup.client = c.client();
    lookup.id = -5;
    PLINTH_RETURN_IF_ERROR(CallFailing(c.plugin().Call(lookup)));
    auto small = MakeArgs<PJRT_Buffer_Dimensions_Args>();
    small.struct_size = 1;
    return CallFailing(c.plugin().Call(small));
  });
  add("ready_events", 100, [](Context& c, Made& m) -> Status {
    Notified notified{&c.plugin()};
    auto args = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
    args.buffer = m.buffer.get();
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(args));
    OwnedEvent event(c.plugin(), args.event);
    return RegisterAndWait(c, event.get(), notified, [] { return Status(); });
  });
  for (bool fails : {false, true}) {
    add(fails ? "failed_events" : "set_events", 100, [=](Context& c, Made&) -> Status {
      Notified notified{&c.plugin()};
      auto create = MakeArgs<PJRT_Event_Create_Args>();
      PLINTH_RETURN_IF_ERROR(c.plugin().Call(create));
      OwnedEvent event(c.plugin(), create.event);
      Status status = RegisterAndWait(c, event.get(), notified, [&] {
        auto set = MakeArgs<PJRT_Event_Set_Args>();
        set.event = event.get();
        set.error_code = fails ? PJRT_Error_Code_ABORTED : PJRT_Error_Code_OK;
        set.error_message = "as the case says";
        set.error_message_size = fails ? 16 : 0;
        return c.plugin().Call(set);
      });
      (void)c.Await(event.get());
      return status;
    });
  }
  add("freed_on_another_thread", 20, [](Context& c, Made& m) -> Status {
    Status status;
    std::vector<OwnedBuffer> buffers;
    for (int i = 0; i < 8; ++i) {
      PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer, UploadFour(c));
      PJRT_Buffer* handles[] = {buffer.get()};
      PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results, c.Execute(m.add.get(), handles));
      buffers.push_back(std::move(buffer));
      buffers.push_back(std::move(results[0]));
    }
    std::thread([&] {
      for (OwnedBuffer& buffer : buffers) {
        if (status.ok()) status = AwaitBuffer(c, buffer.get());
        (void)buffer.Destroy();
      }
    }).join();
    return status;
  });
  add("copies", 100, [](Context& c, Made& m) -> Status {
    auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
    args.buffer = m.buffer.get();
    args.dst_memory = m.memory;
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(args));
    OwnedBuffer copy(c.plugin(), args.dst_buffer);
    return c.Download(copy.get()).status();
  });
  add("raw_copies", 100, [](Context& c, Made& m) -> Status {
    float values[4];
    auto args = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
    args.buffer = m.buffer.get();
    args.dst = values;
    args.transfer_size = 16;
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(args));
    OwnedEvent event(c.plugin(), args.event);
    PLINTH_RETURN_IF_ERROR(c.Await(event.get()));
    args.offset = 17;
    args.event = nullptr;
    Status status = c.plugin().Call(args);
    OwnedEvent failed(c.plugin(), status.ok() ? args.event : nullptr);
    return Status();
  });
  add("error_buffers", 100, [](Context& c, Made& m) -> Status {
    PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer,
                            NewErrorBuffer(c, m.memory, PJRT_Error_Code_DATA_LOSS, "lost",
                                           {DType::kF32, {4}, {}}, "with more about it"));
    PJRT_Buffer* handles[] = {buffer.get()};
    (void)c.Execute(m.add.get(), handles);
    CopyInEachWay(c, m, buffer.get());
    return CallFailing(c.Download(buffer.get()).status());
  });
  // What is refused leaves nothing either: room that is too small, an array that is gone.
  add("small_download_refused", 100, [](Context& c, Made& m) -> Status {
    float values[4];
    auto read = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
    read.src = m.buffer.get();
    read.dst = values;
    read.dst_size = 3;
    Status status = c.plugin().Call(read);
    OwnedEvent done(c.plugin(), status.ok() ? read.event : nullptr);
    return CallFailing(status);
  });
  add("deleted_refused", 60, [](Context& c, Made& m) -> Status {
    PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer, UploadFour(c));
    auto remove = MakeArgs<PJRT_Buffer_Delete_Args>();
    remove.buffer = buffer.get();
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(remove));
    CopyInEachWay(c, m, buffer.get());
    PJRT_Buffer* handles[] = {buffer.get()};
    (void)c.Execute(m.add.get(), handles);
    return CallFailing(c.Download(buffer.get()).status());
  });
  add("aliases", 100, [](Context& c, Made& m) -> Status {
    PLINTH_ASSIGN_OR_RETURN(Alias alias, MakeAlias(c, m.memory, {4}));
    PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer, UploadFour(c));  // the alias may consume it
    PLINTH_RETURN_IF_ERROR(FulfillAlias(c, alias.fulfill, buffer.get()));
    return c.Download(alias.buffer.get()).status();
  });
  add("transfers", 100, [](Context& c, Made& m) -> Status {
    PLINTH_ASSIGN_OR_RETURN(OwnedManager manager, NewManagerOfFour(c, m.memory));
    PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer, RetrieveBuffer(c, manager.get(), 0));
    const float values[] = {1, 2, 3, 4};
    PLINTH_RETURN_IF_ERROR(TransferBytes(c, manager.get(), 0, values, 0, 16, true));
    return c.Download(buffer.get()).status();
  });
  add("abandoned_transfers", 60,
      [](Context& c, Made& m) -> Status { return NewManagerOfFour(c, m.memory).status(); });
  add("references", 100, [](Context& c, Made& m) -> Status {
    auto more = MakeArgs<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
    more.buffer = m.buffer.get();
    auto less = MakeArgs<PJRT_Buffer_DecreaseExternalReferenceCount_Args>();
    less.buffer = m.buffer.get();
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(more));
    return c.plugin().Call(less);
  });
  add("contexts", 100, [](Context& c, Made&) -> Status {
    auto create = MakeArgs<PJRT_ExecuteContext_Create_Args>();
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(create));
    OwnedExecuteContext context(c.plugin(), create.context);
    return Status();
  });
  add("tracking_events", 100, [](Context& c, Made& m) -> Status {
    auto args = MakeArgs<PJRT_Device_CreateAsyncTrackingEvent_Args>();
    args.device = m.device;
    args.description = "a step";
    args.description_size = 6;
    PLINTH_RETURN_IF_ERROR(c.plugin().Call(args));
    if (args.event == nullptr) return Status();
    auto destroy = MakeArgs<PJRT_AsyncTrackingEvent_Destroy_Args>();
    destroy.event = args.event;
    return c.plugin().Call(destroy);
  });
  add("threads", 40, [](Context& c, Made& m) -> Status {
    Status status;
    std::thread([&] {
      PJRT_Buffer* handles[] = {m.buffer.get()};
      auto results = c.Execute(m.add.get(), handles);
      status = results.ok() ? c.Download((*results)[0].get()).status() : results.status();
    }).join();
    return status;
  });
  for (int number = 0; number < static_cast<int>(reflection::Functions().size()); ++number)
    if (IsRepeatable(reflection::Functions()[number])) all.push_back(CallOf(number));
  return all;
}

bool Make(Context& context, Made& made) {
  Expected<PJRT_Device*> device = context.Device();
  Expected<OwnedLoadedExecutable> add = context.Compile(ProgramFor(context, "add_one"));
  Expected<OwnedLoadedExecutable> donating = context.Compile(ProgramFor(context, "donating"));
  Expected<OwnedBuffer> buffer = UploadFour(context),
                        wrong = context.Upload(HostArray::F32({5}, {1, 2, 3, 4, 5}));
  if (!context.Ok("", "PJRT_Client_Compile", add.status()) ||
      !context.Ok("", "PJRT_Client_Compile", donating.status()) ||
      !context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status()) || !wrong.ok() ||
      !device.ok())
    return false;
  made.device = *device;
  made.memory = DefaultMemoryOf(context, *device);
  made.add = *std::move(add);
  made.donating = *std::move(donating);
  made.buffer = *std::move(buffer);
  made.wrong = *std::move(wrong);
  auto get =
      Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(context, made.add.get());
  if (!get) return false;
  made.executable = OwnedExecutable(context.plugin(), get->executable);
  auto topology = Get<&PJRT_Client_TopologyDescription_Args::client>(context, context.client());
  if (topology) made.topology = topology->topology;
  if (auto bytes =
          Get<&PJRT_Executable_Serialize_Args::executable>(context, made.executable.get())) {
    made.serialized.assign(bytes->serialized_bytes, bytes->serialized_bytes_size);
    if (bytes->serialized_executable_deleter != nullptr)
      bytes->serialized_executable_deleter(bytes->serialized_executable);
  }
  return true;
}

}  // namespace plinth::conformance::leaks
