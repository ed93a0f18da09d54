// SPDX-License-Identifier: Apache-2.0
// L4: what JAX calls to run a program and to look at its results, in JAX's order.

#include <atomic>
#include <cstring>
#include <memory>

#include "conformance/cases/cases.h"
#include "conformance/cases/framework_calls.h"
#include "conformance/cases/run_packed.h"
#include "conformance/cases/tolerance.h"
#include "pjrt_c_api_ffi_extension.h"
#include "plinth/support/shape.h"

namespace plinth::conformance {
namespace {

constexpr char kExecuteResults[] = "PJRT-LoadedExecutable_Execute-results";
constexpr char kExecuteProgram[] = "PJRT-Executable_NumOutputs-program";

// Waits as JAX does: by a callback, which comes at once where the event is ready.
Status WaitByCallback(const Context& context, OwnedEvent event) {
  struct Call {
    explicit Call(const Plugin& p) : plugin(p) {}
    const Plugin& plugin;
    Status status = {};
    std::atomic<bool> is_done = false;
  };
  // The callback holds one too: it may still be at its last step when this function returns.
  auto call = std::make_shared<Call>(context.plugin());
  auto held = std::make_unique<std::shared_ptr<Call>>(call);
  auto args = MakeArgs<PJRT_Event_OnReady_Args>();
  args.event = event.get();
  args.user_arg = held.get();
  args.callback = [](PJRT_Error* error, void* user_arg) {
    std::unique_ptr<std::shared_ptr<Call>> owned(static_cast<std::shared_ptr<Call>*>(user_arg));
    Call& self = **owned;
    self.status = self.plugin.Take(error);
    self.is_done = true;
    self.is_done.notify_one();
  };
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  (void)held.release();
  call->is_done.wait(false);
  return call->status;
}

// An array that is a plugin's to read until it says that it is done.
struct GivenArray {
  const Plugin& plugin;
  HostArray array;

  static void OnDone(PJRT_Error* error, void* given) {
    std::unique_ptr<GivenArray> owned(static_cast<GivenArray*>(given));
    (void)owned->plugin.Take(error);
  }
};

// As JAX gives NumPy's arrays away: without a copy if the plugin likes, strides told, to a memory;
// the array goes when the plugin calls back, which may be after the buffer has gone.
Expected<OwnedBuffer> GiveArray(const Context& context, HostArray given) {
  auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  PLINTH_ASSIGN_OR_RETURN(memory.device, context.Device());
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(memory));
  auto held = std::make_unique<GivenArray>(GivenArray{context.plugin(), std::move(given)});
  const HostArray& array = held->array;
  std::vector<int64_t> strides(array.dims.size());
  DenseByteStrides(array.dims, ByteSize(array.type), {}, strides);
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = array.bytes.data();
  args.type = ToC(array.type);
  args.dims = array.dims.data();
  args.num_dims = array.dims.size();
  args.byte_strides = strides.data();
  args.num_byte_strides = strides.size();
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  args.memory = memory.memory;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer buffer(context.plugin(), args.buffer);
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  auto ready = MakeArgs<PJRT_Event_OnReady_Args>();
  ready.event = done.get();
  ready.user_arg = held.release();  // from here on the plugin may read it
  ready.callback = GivenArray::OnDone;
  if (!buffer || !done) return Internal("PJRT_Client_BufferFromHostBuffer left an output null");
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(ready));
  return buffer;
}

struct Ran {
  std::vector<OwnedBuffer> arguments, outputs;
};

// One execution with JAX's options. Arguments stay, donated or not.
bool RunAsJax(Context& context, const CompiledAsJax& compiled, Ran& ran,
              std::span<const int64_t> kept = {}, PJRT_ExecuteContext* data = nullptr) {
  std::vector<PJRT_Buffer*> handles;
  for (const HostArray& array : compiled.program->arguments) {
    Expected<OwnedBuffer> buffer = GiveArray(context, array);
    if (!Demand(context, "PJRT_Client_BufferFromHostBuffer", buffer.status())) return false;
    ran.arguments.push_back(*std::move(buffer));
    handles.push_back(ran.arguments.back().get());
  }
  auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
  count.executable = compiled.executable.get();
  size_t wanted = compiled.program->results.size();
  if (!Must(context, count) || !context.Check(kExecuteProgram, count.num_outputs == wanted,
                                              count.num_outputs, " outputs, not ", wanted)) {
    return false;
  }
  TraceNode trace;
  auto options = MakeArgs<PJRT_ExecuteOptions>();
  options.launch_id = 1234567;
  options.call_location = "";
  options.context = data;
  options.non_donatable_input_indices = kept.data();
  options.num_non_donatable_input_indices = kept.size();
  std::vector<PJRT_Buffer*> outputs(wanted);
  PJRT_Buffer** output_list = outputs.data();
  PJRT_Buffer* const* argument_list = handles.data();
  PJRT_Event* event = nullptr;
  auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  args.extension_start = trace.base();
  args.executable = compiled.loaded.get();
  args.options = &options;
  args.argument_lists = &argument_list;
  args.num_devices = 1;
  args.num_args = handles.size();
  args.output_lists = &output_list;
  args.device_complete_events = &event;
  if (!Demand(context, "PJRT_LoadedExecutable_Execute", context.plugin().Call(args))) return false;
  OwnedEvent done(context.plugin(), event);
  for (PJRT_Buffer* output : outputs) ran.outputs.emplace_back(context.plugin(), output);
  for (const OwnedBuffer& output : ran.outputs) {
    if (!context.Check(kExecuteResults, static_cast<bool>(output), "an output is null"))
      return false;
  }
  if (!context.Check("PJRT-LoadedExecutable_Execute-done", static_cast<bool>(done), "no event")) {
    return false;
  }
  Status status = WaitByCallback(context, std::move(done));
  return context.Check("PJRT-LoadedExecutable_Execute-done", status.ok(), status.ToString());
}

bool FrameworkIsDeleted(Context& context, PJRT_Buffer* buffer) {
  auto args = MakeArgs<PJRT_Buffer_IsDeleted_Args>();
  args.buffer = buffer;
  return Must(context, args) && RawBool(args.is_deleted);
}

// block_until_ready: never PJRT_Event_Await, and the error destroyed even where there is none.
void BlockUntilReady(Context& context, PJRT_Buffer* buffer) {
  context.Check("PJRT-Buffer_IsDeleted-truth", !FrameworkIsDeleted(context, buffer),
                "a new result counts as deleted");
  auto ready = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = buffer;
  if (!Must(context, ready)) return;
  OwnedEvent event(context.plugin(), ready.event);
  auto is_ready = MakeArgs<PJRT_Event_IsReady_Args>();
  is_ready.event = event.get();
  if (!Must(context, is_ready)) return;
  if (!RawBool(is_ready.is_ready)) {
    Status status = WaitByCallback(context, std::move(event));
    context.Check("PJRT-Buffer_ReadyEvent-after", status.ok(), status.ToString());
    return;
  }
  auto error = MakeArgs<PJRT_Event_Error_Args>();
  error.event = event.get();
  Must(context, error);
  auto destroy = MakeArgs<PJRT_Error_Destroy_Args>();
  const PJRT_Api* api = context.plugin().api();
  if (api->PJRT_Error_Destroy != nullptr) api->PJRT_Error_Destroy(&destroy);
}

// The memory itself, where the host can read it; it stays while somebody holds a reference, also
// without its buffer.
void LookWithoutCopy(Context& context, OwnedBuffer buffer, const HostArray& wanted) {
  auto more = MakeArgs<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
  more.buffer = buffer.get();
  auto where = MakeArgs<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
  where.buffer = buffer.get();
  if (!Must(context, more)) return;
  auto is_result = [&] {
    return wanted.bytes.empty() ||
           (where.device_memory_ptr != nullptr &&
            std::memcmp(where.device_memory_ptr, wanted.bytes.data(), wanted.bytes.size()) == 0);
  };
  if (Must(context, where)) {
    auto size = MakeArgs<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
    size.buffer = buffer.get();
    (void)context.plugin().Call(size);
    context.Check("PJRT-Buffer_IncreaseExternalReferenceCount-keeps", is_result(),
                  "what lies at the address of a result is not the result");
    auto remove = MakeArgs<PJRT_Buffer_Delete_Args>();
    remove.buffer = buffer.get();
    Must(context, remove);
    context.Check("PJRT-Buffer_IncreaseExternalReferenceCount-keeps", is_result(),
                  "memory with a reference changed when its buffer was deleted");
  }
  auto less = MakeArgs<PJRT_Buffer_DecreaseExternalReferenceCount_Args>();
  less.buffer = buffer.get();
  Must(context, less);
}

// numpy.asarray of a result.
void AsNumpy(Context& context, OwnedBuffer buffer, const HostArray& wanted) {
  auto type = MakeArgs<PJRT_Buffer_ElementType_Args>();
  type.buffer = buffer.get();
  auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  dims.buffer = buffer.get();
  if (!Must(context, type) || !Must(context, dims)) return;
  context.Check(kExecuteResults,
                RawEnum(type.type) == ToC(wanted.type) &&
                    std::vector<int64_t>(dims.dims, dims.dims + dims.num_dims) == wanted.dims,
                "a result has another type or shape");
  Expected<HostArray> copy = context.Download(buffer.get());
  if (Demand(context, "PJRT_Buffer_ToHostBuffer", copy.status())) {
    context.Check(kExecuteResults, copy->bytes == wanted.bytes,
                  "a result is not what it has to be");
  }
  auto on_cpu = MakeArgs<PJRT_Buffer_IsOnCpu_Args>();
  on_cpu.buffer = buffer.get();
  if (Must(context, on_cpu) && RawBool(on_cpu.is_on_cpu)) {
    LookWithoutCopy(context, std::move(buffer), wanted);
  }
}

void Execute(Context& context) {
  CompiledAsJax compiled(context, "form", "many_results");
  if (!compiled) return;
  Expected<PJRT_Device*> device = context.Device();
  if (!Demand(context, "PJRT_Client_AddressableDevices", device.status())) return;
  for (int run = 0; run < 3; ++run) {
    Ran ran;
    if (!RunAsJax(context, compiled, ran)) return;
    for (size_t i = 0; i < ran.outputs.size(); ++i) {
      auto where = MakeArgs<PJRT_Buffer_Device_Args>();
      where.buffer = ran.outputs[i].get();
      auto memory = MakeArgs<PJRT_Buffer_Memory_Args>();
      memory.buffer = ran.outputs[i].get();
      if (!Must(context, where) || !Must(context, memory)) return;
      context.Check(kExecuteProgram, where.device == *device, "output ", i,
                    " lies on another device");
      (void)KindOf(context, memory.memory);
      BlockUntilReady(context, ran.outputs[i].get());
    }
    for (size_t i = 0; i < ran.outputs.size(); ++i) {
      AsNumpy(context, std::move(ran.outputs[i]), compiled.program->results[i].value);
    }
  }
}

// On platforms of the name cpu with FFI each run carries JAX's list of Python callbacks, which is
// mostly empty.
void ExecuteWithData(Context& context) {
  if (PlatformName(context) != "cpu") {
    return context.Unsupported("JAX sends this to platforms of the name cpu only");
  }
  constexpr int64_t kCallbacks = 7357244197867843242;  // JAX's type
  const auto* add = reflection::FindFunction("PJRT_FFI_UserData_Add");
  if (add == nullptr || context.plugin().Slot(*add) == nullptr) {
    return context.Note("the plugin has no FFI extension: JAX sends no data");
  }
  CompiledAsJax compiled(context, "form", "many_results");
  if (!compiled) return;
  auto create = MakeArgs<PJRT_ExecuteContext_Create_Args>();
  if (!Must(context, create)) return;
  OwnedExecuteContext owned(context.plugin(), create.context);
  struct {
    void** callbacks = nullptr;
    uint32_t count = 0;
  } callbacks;
  PJRT_FFI_UserData_Add_Args data = {};
  data.struct_size = sizeof(data);
  data.context = owned.get();
  data.user_data.type_id = kCallbacks;
  data.user_data.data = &callbacks;
  Status status = context.plugin().Call(*add, &data);
  if (!context.Check(kExecuteResults, status.ok(), "PJRT_FFI_UserData_Add: ", status.ToString()))
    return;
  Ran ran;
  if (!RunAsJax(context, compiled, ran, {}, owned.get())) return;
  status = owned.Destroy();
  context.Check(kExecuteResults, status.ok(), "PJRT_ExecuteContext_Destroy: ", status.ToString());
  for (size_t i = 0; i < ran.outputs.size(); ++i) {
    AsNumpy(context, std::move(ran.outputs[i]), compiled.program->results[i].value);
  }
}

// Arguments that a program gives away, and the same ones where the call forbids it.
void Donation(Context& context, std::string_view pack, std::string_view name, size_t donated) {
  CompiledAsJax compiled(context, pack, name);
  if (!compiled) return;
  int64_t kept[] = {static_cast<int64_t>(donated)};
  for (bool is_kept : {false, true}) {
    Ran ran;
    if (!RunAsJax(context, compiled, ran,
                  is_kept ? std::span<const int64_t>(kept) : std::span<const int64_t>())) {
      return;
    }
    for (size_t i = 0; i < ran.arguments.size(); ++i) {
      bool is_deleted = FrameworkIsDeleted(context, ran.arguments[i].get());
      if (i != donated || is_kept) {
        context.Check("PJRT-LoadedExecutable_Execute-donation", !is_deleted, "argument ", i,
                      " was donated, which nobody allowed");
      } else if (!is_deleted) {
        // JAX marks the array as deleted by itself.
        context.Note(StrCat("the plugin does not use the donation of argument ", i));
      }
    }
    for (size_t i = 0; i < ran.outputs.size(); ++i) {
      AsNumpy(context, std::move(ran.outputs[i]), compiled.program->results[i].value);
    }
  }
}

// A result that the program wants in the host's memory.
void HostMemory(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!Demand(context, "PJRT_Client_AddressableDevices", device.status())) return;
  auto memories = MakeArgs<PJRT_Device_AddressableMemories_Args>();
  memories.device = *device;
  if (!Must(context, memories)) return;
  PJRT_Memory* host = nullptr;
  for (size_t i = 0; i < memories.num_memories; ++i) {
    if (KindOf(context, memories.memories[i]) == "pinned_host") host = memories.memories[i];
  }
  if (host == nullptr) return context.Unsupported("the device has no memory of kind pinned_host");
  CompiledAsJax compiled(context, "jax", "jit_host_out");
  Ran ran;
  if (!compiled || !RunAsJax(context, compiled, ran)) return;
  auto where = MakeArgs<PJRT_Buffer_Memory_Args>();
  where.buffer = ran.outputs[0].get();
  if (!Must(context, where)) return;
  context.Check(kExecuteProgram, where.memory == host, "the result lies in memory of kind ",
                KindOf(context, where.memory), ", not pinned_host");
  auto kinds = MakeArgs<PJRT_Executable_OutputMemoryKinds_Args>();
  kinds.executable = compiled.executable.get();
  if (context.plugin().Call(kinds).ok() && kinds.num_outputs == 1) {
    context.Check(kExecuteProgram,
                  View(kinds.memory_kinds[0], kinds.memory_kind_sizes[0]) == "pinned_host",
                  "the executable says that its result lies in memory of another kind");
  }
  // device_put to the host and back.
  auto copy = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
  copy.buffer = ran.arguments[0].get();
  copy.dst_memory = host;
  if (!Must(context, copy)) return;
  AsNumpy(context, OwnedBuffer(context.plugin(), copy.dst_buffer), compiled.program->arguments[0]);
  AsNumpy(context, std::move(ran.outputs[0]), compiled.program->results[0].value);
}

// Numbers of 4 bits take a byte each on the host's side.
void NarrowIntegers(Context& context) {
  if (!ProfileHas(context, "", {DType::kS4, DType::kU4})) return;
  for (DType type : {DType::kS4, DType::kU4}) {
    HostArray array{type, {3, 5}, std::vector<std::byte>(15)};
    for (size_t i = 0; i < array.bytes.size(); ++i) {
      int value = static_cast<int>(i) - (type == DType::kS4 ? 8 : 0);
      array.bytes[i] = static_cast<std::byte>(value);
    }
    Expected<OwnedBuffer> buffer = GiveArray(context, array);
    if (!Demand(context, "PJRT_Client_BufferFromHostBuffer", buffer.status())) continue;
    Expected<HostArray> back = context.Download(buffer->get());
    if (Demand(context, "PJRT_Buffer_ToHostBuffer", back.status())) {
      ClearUnusedBits(array);
      ClearUnusedBits(*back);
      context.Check("PJRT-Buffer_ToHostBuffer-contents",
                    back->bytes == array.bytes && back->type == type, "an array of ", Name(type),
                    " came back otherwise");
    }
  }
}

}  // namespace

void AddFrameworkExecuteCases(std::vector<Case>& cases) {
  auto add = [&](std::string_view name, std::initializer_list<const char*> requirements,
                 std::function<void(Context&)> run) {
    cases.push_back({StrCat("L4/", name),
                     Level::kL4,
                     ClientNeed::kShared,
                     {requirements.begin(), requirements.end()},
                     std::move(run),
                     false});
  };
  add("execute/calls", {kExecuteResults, "PJRT-LoadedExecutable_Execute-done"}, Execute);
  add("execute/context", {kExecuteResults}, ExecuteWithData);
  add("execute/donated_to_output", {"PJRT-LoadedExecutable_Execute-donation"},
      [](Context& context) { Donation(context, "form", "aliasing_output", 0); });
  add("execute/donated", {"PJRT-LoadedExecutable_Execute-donation"},
      [](Context& context) { Donation(context, "form", "buffer_donor", 0); });
  add("execute/one_of_two_donated", {"PJRT-LoadedExecutable_Execute-donation"},
      [](Context& context) { Donation(context, "form", "many_results", 1); });
  add("memory/pinned_host", {"PJRT-Buffer_CopyToMemory-contents"}, HostMemory);
  add("transfer/narrow_integers", {"PJRT-Buffer_ToHostBuffer-contents"}, NarrowIntegers);
}

}  // namespace plinth::conformance
