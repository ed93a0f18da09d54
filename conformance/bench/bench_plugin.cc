// SPDX-License-Identifier: Apache-2.0
#include "conformance/bench/bench_plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

namespace plinth::bench {
namespace {

// The arguments of a function of the table, with their size. The rest is zero.
#define PLINTH_BENCH_ARGS(function, args) \
  function##_Args args = {};              \
  (args).struct_size = function##_Args_STRUCT_SIZE

// Without its value. `name` is a literal.
PJRT_NamedValue NamedOption(std::string_view name, PJRT_NamedValue_Type type) {
  PJRT_NamedValue option = {};
  option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  option.name = name.data();
  option.name_size = name.size();
  option.type = type;
  return option;
}

}  // namespace

Status Plugin::ToStatus(PJRT_Error* error, std::string_view call) const {
  if (error == nullptr) return Status();
  PLINTH_BENCH_ARGS(PJRT_Error_Message, message);
  message.error = error;
  api_->PJRT_Error_Message(&message);
  Status status(StatusCode::kUnknown,
                StrCat(call, ": ", std::string_view(message.message, message.message_size)));
  PLINTH_BENCH_ARGS(PJRT_Error_Destroy, destroy);
  destroy.error = error;
  api_->PJRT_Error_Destroy(&destroy);
  return status;
}

Status Plugin::Await(PJRT_Event* event, std::string_view what) const {
  PLINTH_BENCH_ARGS(PJRT_Event_Await, await);
  await.event = event;
  Status status = ToStatus(api_->PJRT_Event_Await(&await), what);
  PLINTH_BENCH_ARGS(PJRT_Event_Destroy, destroy);
  destroy.event = event;
  Status destroyed = ToStatus(api_->PJRT_Event_Destroy(&destroy), "PJRT_Event_Destroy");
  return status.ok() ? destroyed : status;
}

Expected<std::unique_ptr<Plugin>> Plugin::Open(const std::string& path, int64_t num_threads,
                                               const std::string& blas) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return NotFound("cannot open the plugin: ", dlerror());
  auto* const get_api =
      reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));  // NOLINT
  if (get_api == nullptr) return InvalidArgument(path, " exports no GetPjrtApi");
  std::unique_ptr<Plugin> plugin(new Plugin());
  plugin->api_ = get_api();
  if (plugin->api_ == nullptr) return Internal("GetPjrtApi of ", path, " gives no table");
  PLINTH_BENCH_ARGS(PJRT_Plugin_Initialize, initialize);
  PLINTH_RETURN_IF_ERROR(plugin->ToStatus(plugin->api_->PJRT_Plugin_Initialize(&initialize),
                                          "PJRT_Plugin_Initialize"));
  std::vector<PJRT_NamedValue> options;
  if (num_threads >= 0) {
    options.push_back(NamedOption("num_threads", PJRT_NamedValue_kInt64));
    options.back().int64_value = num_threads;
    options.back().value_size = 1;
  }
  if (!blas.empty()) {
    options.push_back(NamedOption("blas", PJRT_NamedValue_kString));
    options.back().string_value = blas.data();
    options.back().value_size = blas.size();
  }
  PLINTH_BENCH_ARGS(PJRT_Client_Create, create);
  create.create_options = options.data();
  create.num_options = options.size();
  PLINTH_RETURN_IF_ERROR(
      plugin->ToStatus(plugin->api_->PJRT_Client_Create(&create), "PJRT_Client_Create"));
  plugin->client_ = create.client;
  PLINTH_BENCH_ARGS(PJRT_Client_AddressableDevices, devices);
  devices.client = create.client;
  PLINTH_RETURN_IF_ERROR(plugin->ToStatus(plugin->api_->PJRT_Client_AddressableDevices(&devices),
                                          "PJRT_Client_AddressableDevices"));
  if (devices.num_addressable_devices == 0) return FailedPrecondition(path, " has no device");
  plugin->device_ = devices.addressable_devices[0];
  return plugin;
}

Plugin::~Plugin() {
  if (client_ == nullptr) return;
  PLINTH_BENCH_ARGS(PJRT_Client_Destroy, destroy);
  destroy.client = client_;
  (void)ToStatus(api_->PJRT_Client_Destroy(&destroy), "PJRT_Client_Destroy");
}

Expected<std::unique_ptr<Program>> Program::Make(const Plugin& plugin, std::string_view code,
                                                 std::span<const ArraySpec> specs,
                                                 std::span<const Bytes> arguments) {
  std::unique_ptr<Program> program(new Program(plugin));
  PLINTH_RETURN_IF_ERROR(program->Compile(code));
  for (size_t i = 0; i < specs.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(program->PutArgument(specs[i], arguments[i].get()));
  }
  return program;
}

Status Program::Compile(std::string_view code) {
  const PJRT_Api* const api = plugin_.api_;
  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = const_cast<char*>(code.data());
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = std::string_view("mlir").size();
  PLINTH_BENCH_ARGS(PJRT_Client_Compile, compile);
  compile.client = plugin_.client_;
  compile.program = &program;
  compile.compile_options = "";
  PLINTH_RETURN_IF_ERROR(
      plugin_.ToStatus(api->PJRT_Client_Compile(&compile), "PJRT_Client_Compile"));
  executable_ = compile.executable;
  PLINTH_BENCH_ARGS(PJRT_LoadedExecutable_GetExecutable, unloaded);
  unloaded.loaded_executable = executable_;
  PLINTH_RETURN_IF_ERROR(plugin_.ToStatus(api->PJRT_LoadedExecutable_GetExecutable(&unloaded),
                                          "PJRT_LoadedExecutable_GetExecutable"));
  PLINTH_BENCH_ARGS(PJRT_Executable_NumOutputs, outputs);
  outputs.executable = unloaded.executable;
  Status status =
      plugin_.ToStatus(api->PJRT_Executable_NumOutputs(&outputs), "PJRT_Executable_NumOutputs");
  outputs_.resize(outputs.num_outputs);
  PLINTH_BENCH_ARGS(PJRT_Executable_Destroy, destroy);
  destroy.executable = unloaded.executable;
  PLINTH_RETURN_IF_ERROR(
      plugin_.ToStatus(api->PJRT_Executable_Destroy(&destroy), "PJRT_Executable_Destroy"));
  return status;
}

Status Program::PutArgument(const ArraySpec& spec, const std::byte* data) {
  PLINTH_BENCH_ARGS(PJRT_Client_BufferFromHostBuffer, put);
  put.client = plugin_.client_;
  put.data = data;
  put.type = ToC(spec.dtype);
  put.dims = spec.dims.data();
  put.num_dims = spec.dims.size();
  put.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  put.device = plugin_.device_;
  PLINTH_RETURN_IF_ERROR(plugin_.ToStatus(plugin_.api_->PJRT_Client_BufferFromHostBuffer(&put),
                                          "PJRT_Client_BufferFromHostBuffer"));
  arguments_.push_back(put.buffer);
  // With zero copy the host memory may be in use as long as the buffer: nobody waits for that.
  PLINTH_BENCH_ARGS(PJRT_Event_Destroy, destroy);
  destroy.event = put.done_with_host_buffer;
  PLINTH_RETURN_IF_ERROR(
      plugin_.ToStatus(plugin_.api_->PJRT_Event_Destroy(&destroy), "PJRT_Event_Destroy"));
  PLINTH_BENCH_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = put.buffer;
  PLINTH_RETURN_IF_ERROR(
      plugin_.ToStatus(plugin_.api_->PJRT_Buffer_ReadyEvent(&ready), "PJRT_Buffer_ReadyEvent"));
  return plugin_.Await(ready.event, "an argument");
}

Program::~Program() {
  DestroyOutputs();
  std::swap(outputs_, arguments_);
  DestroyOutputs();
  if (executable_ == nullptr) return;
  PLINTH_BENCH_ARGS(PJRT_LoadedExecutable_Destroy, destroy);
  destroy.executable = executable_;
  (void)plugin_.ToStatus(plugin_.api_->PJRT_LoadedExecutable_Destroy(&destroy),
                         "PJRT_LoadedExecutable_Destroy");
}

void Program::DestroyOutputs() {
  for (PJRT_Buffer*& buffer : outputs_) {
    if (buffer == nullptr) continue;
    PLINTH_BENCH_ARGS(PJRT_Buffer_Destroy, destroy);
    destroy.buffer = std::exchange(buffer, nullptr);
    (void)plugin_.ToStatus(plugin_.api_->PJRT_Buffer_Destroy(&destroy), "PJRT_Buffer_Destroy");
  }
}

Status Program::Execute() {
  PJRT_ExecuteOptions options = {};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  PJRT_Buffer* const* const arguments = arguments_.data();
  PJRT_Buffer** const outputs = outputs_.data();
  PJRT_Event* done = nullptr;
  PLINTH_BENCH_ARGS(PJRT_LoadedExecutable_Execute, execute);
  execute.executable = executable_;
  execute.options = &options;
  execute.argument_lists = &arguments;
  execute.num_devices = 1;
  execute.num_args = arguments_.size();
  execute.output_lists = &outputs;
  execute.device_complete_events = &done;
  PLINTH_RETURN_IF_ERROR(plugin_.ToStatus(plugin_.api_->PJRT_LoadedExecutable_Execute(&execute),
                                          "PJRT_LoadedExecutable_Execute"));
  return plugin_.Await(done, "the run");
}

Status Program::Run() {
  Status status = Execute();
  DestroyOutputs();
  return status;
}

Status Program::ReadOutputs(std::string* all) const {
  for (PJRT_Buffer* buffer : outputs_) {
    PLINTH_BENCH_ARGS(PJRT_Buffer_ToHostBuffer, read);
    read.src = buffer;
    PLINTH_RETURN_IF_ERROR(plugin_.ToStatus(plugin_.api_->PJRT_Buffer_ToHostBuffer(&read),
                                            "PJRT_Buffer_ToHostBuffer"));
    const size_t begin = all->size();
    all->resize(begin + read.dst_size);
    if (read.dst_size == 0) continue;
    read.dst = all->data() + begin;
    PLINTH_RETURN_IF_ERROR(plugin_.ToStatus(plugin_.api_->PJRT_Buffer_ToHostBuffer(&read),
                                            "PJRT_Buffer_ToHostBuffer"));
    PLINTH_RETURN_IF_ERROR(plugin_.Await(read.event, "an output"));
  }
  return Status();
}

Expected<std::string> Program::RunForOutputs() {
  std::string all;
  Status status = Execute();
  if (status.ok()) status = ReadOutputs(&all);
  DestroyOutputs();
  if (!status.ok()) return status;
  return all;
}

}  // namespace plinth::bench
