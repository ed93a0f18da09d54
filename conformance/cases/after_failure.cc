// SPDX-License-Identifier: Apache-2.0
// L1: a call that is refused leaves everything as it was: the same function, called as it should
// be, succeeds before it and after it, for the same objects and for others.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/pending_buffer.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace after_failure {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";

// What the calls are made with.
struct Objects {
  OwnedBuffer buffer, deleted;
  OwnedLoadedExecutable loaded;
  OwnedExecutable executable;
  std::string bytes;
};

bool MakeObjects(Context& context, Objects& objects) {
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4})),
                        deleted = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  Expected<OwnedLoadedExecutable> loaded = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status()) ||
      !context.Ok("", "PJRT_Client_BufferFromHostBuffer", deleted.status()) ||
      !context.Ok("", "PJRT_Client_Compile", loaded.status()) ||
      !DeleteBuffer(context, deleted->get()))
    return false;
  auto get =
      Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(context, loaded->get());
  if (!get) return false;
  objects = {*std::move(buffer), *std::move(deleted), *std::move(loaded),
             OwnedExecutable(context.plugin(), get->executable), ""};
  auto bytes = MakeArgs<PJRT_Executable_Serialize_Args>();
  bytes.executable = objects.executable.get();
  if (context.plugin().Call(bytes).ok()) {
    objects.bytes = StringOf(bytes.serialized_bytes, bytes.serialized_bytes_size);
    if (bytes.serialized_executable_deleter != nullptr)
      bytes.serialized_executable_deleter(bytes.serialized_executable);
  }
  return true;
}

Status LookUp(Context& context, Objects&, bool is_right) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return device.status();
  auto args = MakeArgs<PJRT_Client_LookupDevice_Args>();
  args.client = context.client();
  args.id = is_right ? DeviceIdOf(context, *device) : 1234567;
  return context.plugin().Call(args);
}

Status Upload(Context& context, Objects&, bool is_right) {
  const float values[] = {1, 2, 3, 4};
  const int64_t dims[] = {is_right ? 4 : -4};
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = values;
  args.type = PJRT_Buffer_Type_F32;
  args.dims = dims;
  args.num_dims = 1;
  PLINTH_ASSIGN_OR_RETURN(args.device, context.Device());
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer buffer(context.plugin(), args.buffer);
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  PLINTH_RETURN_IF_ERROR(context.Await(done.get()));
  return context.Download(buffer.get()).status();
}

Status Cast(Context& context, Objects&, bool is_right) {
  // Of its own: a plugin may take it.
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer, context.Upload(HostArray::F32({4}, {1, 2, 3, 4})));
  const int64_t dims[] = {is_right ? 16 : 15};
  auto args = MakeArgs<PJRT_Buffer_Bitcast_Args>();
  args.buffer = buffer.get();
  args.element_type = PJRT_Buffer_Type_U8;
  args.dims = dims;
  args.num_dims = 1;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return AwaitBuffer(context, OwnedBuffer(context.plugin(), args.out_buffer).get());
}

Status Read(Context& context, Objects& objects, bool is_right) {
  float memory[4];
  auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = objects.buffer.get();
  args.dst = memory;
  args.dst_size = is_right ? sizeof(memory) : 3;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedEvent event(context.plugin(), args.event);
  return context.Await(event.get());
}

Status ReadDeleted(Context& context, Objects& objects, bool is_right) {
  return context.Download((is_right ? objects.buffer : objects.deleted).get()).status();
}

Status ReadRaw(Context& context, Objects& objects, bool is_right) {
  float memory[4];
  auto args = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
  args.buffer = objects.buffer.get();
  args.dst = memory;
  args.offset = is_right ? 4 : 400;
  args.transfer_size = 8;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedEvent event(context.plugin(), args.event);
  return context.Await(event.get());
}

Status Copy(Context& context, Objects& objects, bool is_right) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return device.status();
  auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
  args.buffer = (is_right ? objects.buffer : objects.deleted).get();
  args.dst_memory = DefaultMemoryOf(context, *device);
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return AwaitBuffer(context, OwnedBuffer(context.plugin(), args.dst_buffer).get());
}

Status SendPiece(Context& context, Objects&, bool is_right) {
  PendingBuffer pending(context);
  if (!pending.Make()) return Unimplemented("no transfer manager");
  const float values[] = {1, 2, 3, 4};
  if (!is_right) return pending.Transfer(0, values, 800, 4, false);
  PLINTH_RETURN_IF_ERROR(pending.Transfer(0, values, 0, 16, true));
  return AwaitBuffer(context, pending.buffer());
}

Status Compile(Context& context, Objects&, bool is_right) {
  return (is_right ? context.Compile(ProgramFor(context, "add_one"))
                   : context.CompileAnyway("no program", "mlir", SingleDeviceCompileOptions()))
      .status();
}

Status CompileFormat(Context& context, Objects&, bool is_right) {
  return context
      .CompileAnyway(ProgramFor(context, "add_one"), is_right ? "mlir" : "no format",
                     SingleDeviceCompileOptions())
      .status();
}

Status Execute(Context& context, PJRT_LoadedExecutable* loaded,
               std::span<PJRT_Buffer* const> arguments) {
  PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results, context.Execute(loaded, arguments));
  return AwaitBuffer(context, results[0].get());
}

Status ExecuteCount(Context& context, Objects& objects, bool is_right) {
  PJRT_Buffer* handles[] = {objects.buffer.get(), objects.buffer.get()};
  return Execute(context, objects.loaded.get(), {handles, is_right ? size_t{1} : size_t{2}});
}

Status ExecuteDeleted(Context& context, Objects& objects, bool is_right) {
  PJRT_Buffer* handles[] = {(is_right ? objects.buffer : objects.deleted).get()};
  return Execute(context, objects.loaded.get(), handles);
}

Status ExecuteShape(Context& context, Objects& objects, bool is_right) {
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer other, context.Upload(HostArray::F32({3}, {1, 2, 3})));
  PJRT_Buffer* handles[] = {(is_right ? objects.buffer : other).get()};
  return Execute(context, objects.loaded.get(), handles);
}

Status ExecuteError(Context& context, Objects& objects, bool is_right) {
  PendingBuffer pending(context);
  if (!pending.Make()) return Unimplemented("no transfer manager");
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
  args.transfer_manager = pending.manager().get();
  args.error_code = PJRT_Error_Code_DATA_LOSS;
  args.error_message = "lost";
  args.error_message_size = 4;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  PJRT_Buffer* handles[] = {is_right ? objects.buffer.get() : pending.buffer()};
  return Execute(context, objects.loaded.get(), handles);
}

Status Load(Context& context, Objects& objects, bool is_right) {
  if (objects.bytes.empty()) return Unimplemented("no serialization");
  const std::string bytes = is_right ? objects.bytes : "no executable";
  auto args = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
  args.client = context.client();
  args.serialized_executable = bytes.data();
  args.serialized_executable_size = bytes.size();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedLoadedExecutable loaded(context.plugin(), args.loaded_executable);
  PJRT_Buffer* handles[] = {objects.buffer.get()};
  return Execute(context, loaded.get(), handles);
}

Status Optimized(Context& context, Objects& objects, bool is_right) {
  auto program = MakeArgs<PJRT_Program>();
  auto args = MakeArgs<PJRT_Executable_OptimizedProgram_Args>();
  args.executable = objects.executable.get();
  args.program = &program;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  std::string code(program.code_size, '?');
  program.code = code.data();
  if (!is_right) program.code_size = program.code_size == 0 ? 0 : program.code_size - 1;
  return context.plugin().Call(args);
}

Status Assign(Context& context, Objects&, bool is_right) {
  int ids[1] = {};
  auto args = MakeArgs<PJRT_Client_DefaultDeviceAssignment_Args>();
  args.client = context.client();
  args.num_replicas = 1;
  args.num_partitions = 1;
  args.default_assignment = ids;
  args.default_assignment_size = is_right ? 1 : 0;
  return context.plugin().Call(args);
}

struct Call {
  const char* name;
  Status (*make)(Context&, Objects&, bool is_right);
};
constexpr Call kCalls[] = {{"device_of_no_id", LookUp},
                           {"negative_dimension", Upload},
                           {"other_size_cast", Cast},
                           {"place_too_small", Read},
                           {"deleted_read", ReadDeleted},
                           {"range_outside", ReadRaw},
                           {"deleted_copied", Copy},
                           {"piece_outside", SendPiece},
                           {"no_program", Compile},
                           {"no_format", CompileFormat},
                           {"too_many_arguments", ExecuteCount},
                           {"deleted_argument", ExecuteDeleted},
                           {"other_shape", ExecuteShape},
                           {"argument_with_error", ExecuteError},
                           {"no_executable", Load},
                           {"code_too_small", Optimized},
                           {"no_room_for_ids", Assign}};

void Run(Context& context, const Call& call) {
  Objects objects;
  if (!MakeObjects(context, objects)) return;
  if (!context.Ok("", StrCat("before ", call.name), call.make(context, objects, true))) return;
  for (int i = 0; i < 2; ++i) {
    // That it is refused other cases look at.
    Status refused = call.make(context, objects, false);
    context.Note(refused.ToString());
    Status status = call.make(context, objects, true);
    context.Check(kAccepted, status.ok(), "after ", call.name, " was refused the right call gave ",
                  status.ToString());
  }
  // Everything else goes on, too.
  for (const Call& other : kCalls) {
    Status status = other.make(context, objects, true);
    context.Check(kAccepted, status.ok() || status.code() == StatusCode::kUnimplemented, "after ",
                  call.name, " the right call of ", other.name, " gave ", status.ToString());
  }
}

// A client that is refused leaves room for others.
void Clients(Context& context) {
  for (int i = 0; i < 2; ++i) {
    PJRT_NamedValue option = MakeArgs<PJRT_NamedValue>();
    option.name = "no_such_option";
    option.name_size = 14;
    option.type = PJRT_NamedValue_kInt64;
    option.int64_value = 1;
    option.value_size = 1;
    auto args = MakeArgs<PJRT_Client_Create_Args>();
    args.create_options = &option;
    args.num_options = 1;
    Status refused = context.plugin().Call(args);
    if (refused.ok()) OwnedClient unwanted(context.plugin(), args.client);
    Expected<OwnedClient> client = context.NewClient();
    context.Ok(kAccepted, "a client after one that was refused", client.status());
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  for (const Call& call : kCalls) {
    cases.push_back({StrCat("L1/after_failure/", call.name),
                     Level::kL1,
                     ClientNeed::kShared,
                     {kAccepted, "PJRT-LoadedExecutable_Execute-one-fails",
                      "PJRT-Client_BufferFromHostBuffer-done"},
                     [&call](Context& context) { Run(context, call); },
                     false});
  }
  cases.push_back(
      {"L1/after_failure/client", Level::kL1, ClientNeed::kNone, {kAccepted}, Clients, false});
}

}  // namespace after_failure

void AddAfterFailureCases(std::vector<Case>& cases) { after_failure::AddCases(cases); }

}  // namespace plinth::conformance
