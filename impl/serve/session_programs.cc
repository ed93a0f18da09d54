// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "impl/serve/grpc.h"
#include "impl/serve/layouts.h"
#include "impl/serve/program.h"
#include "impl/serve/session.h"
#include "plinth/support/json.h"
#include "plinth/support/str_cat.h"
#include "plinth/support/text.h"
#include "plinth/support/xla_messages.h"

// Requests that compile, describe and execute programs.
namespace plinth::serve {
namespace {

// What a compiled program takes at least, beside its code.
constexpr int64_t kProgramBytes = 4096;

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// "xla::ifrt::XlaProgram" or the name before: a StableHLO module, as bytecode or an artifact.
bool IsStableHlo(std::string_view type_name) {
  return type_name == "xla::ifrt::XlaProgram" || type_name == "xla::ifrt::HloProgram";
}

proxy::AttributeMapProto AttributesOf(const Json::Object& numbers) {
  proxy::AttributeMapProto attributes;
  for (const auto& [name, value] : numbers) {
    proxy::AttributeEntry& entry = attributes.attributes.emplace_back();
    entry.key = name;
    if (const auto number = value.AsNumber()) {
      entry.value.value = static_cast<float>(*number);
    } else {
      entry.value.value = std::string(value.Text());
    }
  }
  return attributes;
}

proxy::CompiledMemoryStatsProto MemoryStatsOf(const Json::Object& numbers) {
  const auto number = [&](std::string_view name) {
    return numbers.At(name).AsInteger().value_or(0);
  };
  return {number("generated_code"), number("arguments"),   number("outputs"),
          number("aliases"),        number("temporaries"), number("peak")};
}

// Each an OpSharding; nothing where the plugin does not tell, or one of them has no such form.
std::optional<proxy::ShardingList> ParameterShardings(const ifrt::Executable& executable) {
  const auto count = executable.NumParameters();
  if (!count.ok()) return std::nullopt;
  proxy::ShardingList list;
  for (size_t i = 0; i < *count; ++i) {
    const auto sharding = executable.ParameterSharding(i);
    if (!sharding.ok() || sharding->get() == nullptr) return std::nullopt;
    auto bytes = sharding->ToOpSharding(SIZE_MAX);
    if (!bytes.ok()) return std::nullopt;
    list.shardings.push_back(*std::move(bytes));
  }
  return list;
}

// Not a protocol buffer or bytecode.
bool IsText(std::string_view bytes) {
  for (std::string_view rest = bytes; !rest.empty();) {
    const size_t size = Utf8Length(rest);
    const bool is_control = static_cast<unsigned char>(rest.front()) < ' ' &&
                            rest.front() != '\n' && rest.front() != '\t' && rest.front() != '\r';
    if (size == 0 || is_control) return false;
    rest.remove_prefix(size);
  }
  return true;
}

template <typename Ask>
Expected<proxy::LayoutList> LayoutsOf(size_t count, Ask ask) {
  proxy::LayoutList list;
  for (size_t i = 0; i < count; ++i) {
    const auto text = ask(i);
    if (!text.ok()) return FromIfrt(text.status());
    PLINTH_ASSIGN_OR_RETURN(list.layouts.emplace_back().minor_to_major, OrderFromText(*text));
  }
  return list;
}

Expected<proxy::LayoutList> ParameterLayouts(const ifrt::Executable& executable) {
  const auto count = executable.NumParameters();
  if (!count.ok()) return FromIfrt(count.status());
  return LayoutsOf(*count, [&](size_t i) { return executable.ParameterLayout(i); });
}

Expected<proxy::LayoutList> OutputLayouts(const ifrt::Executable& executable, size_t count) {
  return LayoutsOf(count, [&](size_t i) { return executable.OutputLayout(i); });
}

template <typename Field>
void SetLayouts(Expected<proxy::LayoutList> layouts, Field* field) {
  if (layouts.ok()) {
    *field = *std::move(layouts);
  } else {
    *field = ToProto(layouts.status());
  }
}

}  // namespace

Expected<std::shared_ptr<Session::Program>> Session::FindProgram(uint64_t handle) const {
  const auto found = executables_.find(handle);
  if (found == executables_.end()) return NotFound("there is no executable ", handle);
  return found->second;
}

Session::Result Session::On(const proxy::CompileRequest& request) {
  if (!request.host_callbacks.empty()) {
    return Unimplemented("host callbacks of the protocol, which jaxlib's client does not run; ",
                         "plinth_pjrt.remote of the wheel makes custom calls of them");
  }
  if (!IsStableHlo(request.program.type_name)) {
    return Unimplemented("a program of type '", request.program.type_name.substr(0, 100),
                         "'; plinth-serve compiles StableHLO");
  }
  if (request.compile_options.type_name != "xla::ifrt::XlaCompileOptions") {
    return Unimplemented("compile options of type '",
                         request.compile_options.type_name.substr(0, 100), "'");
  }
  // Also while it waits to be compiled.
  PLINTH_ASSIGN_OR_RETURN(
      ChargeRef charge,
      ChargeFor(static_cast<int64_t>(request.program.data.size()) + kProgramBytes, "a program"));
  callbacks_.Open(request.program.data);
  proxy::XlaCompileOptionsProto proto;
  PLINTH_RETURN_IF_ERROR(proxy::Read(request.compile_options.data, &proto));
  PLINTH_ASSIGN_OR_RETURN(messages::CompileOptions options,
                          messages::ReadCompileOptions(Bytes(proto.compile_options)));
  const bool is_portable = options.compile_portable_executable;
  std::vector<const plinth_ifrt_device*> devices;
  if (options.device_assignment.has_value() && !is_portable) {
    for (const int64_t id : options.device_assignment->devices) {
      const auto device = client_.FindDevice(static_cast<int>(id));
      if (!device || device->id() != id) {
        return NotFound("the program is for device ", id, ", which is not there");
      }
      devices.push_back(device->get());
    }
  }
  // The devices are given; the rest of the options passes as it is.
  const auto num_replicas =
      options.device_assignment.has_value()
          ? options.device_assignment->num_replicas
          : static_cast<int>(std::clamp<int64_t>(options.num_replicas, 1, 1 << 20));
  options.device_assignment.reset();
  const std::string extra = messages::WriteCompileOptions(options);
  plinth_ifrt_compile_options c_options = {};
  c_options.struct_size = plinth_ifrt_compile_options_STRUCT_SIZE;
  c_options.code = request.program.data.data();
  c_options.code_size = request.program.data.size();
  c_options.devices = devices.empty() ? nullptr : devices.data();
  c_options.num_devices = devices.size();
  c_options.num_replicas = num_replicas;
  c_options.portable = is_portable;
  c_options.use_shardy = options.use_shardy_partitioner;
  c_options.extra_proto = extra.data();
  c_options.extra_proto_size = extra.size();
  plinth_ifrt_executable* made = nullptr;
  PLINTH_RETURN_IF_ERROR(FromC(plinth_ifrt_executable_compile(client_.get(), &c_options, &made)));
  plinth_ifrt_client_retain(client_.get());
  const ifrt::Executable executable(ifrt::internal::ClientHandle(client_.get()), made);
  plinth_ifrt_future* ready = nullptr;
  PLINTH_RETURN_IF_ERROR(FromC(plinth_ifrt_executable_ready(made, &ready)));
  return WhenReady(FutureHandle(ready),
                   [this, executable, charge] { return Compiled(executable, charge); });
}

Expected<Session::Answer> Session::Compiled(const ifrt::Executable& executable, ChargeRef charge) {
  auto program = std::make_shared<Program>();
  program->charge = std::move(charge);
  program->executable = executable;
  PLINTH_ASSIGN_OR_RETURN(const auto devices, FromIfrt(executable.Devices()));
  program->is_portable = devices.empty();
  PLINTH_ASSIGN_OR_RETURN(const size_t num_outputs, FromIfrt(executable.NumOutputs()));
  for (size_t i = 0; i < num_outputs; ++i) {
    ifrt::ArraySpec spec;
    const int64_t* dims = nullptr;
    size_t rank = 0;
    const plinth_ifrt_sharding* sharding = nullptr;
    PLINTH_RETURN_IF_ERROR(FromC(
        plinth_ifrt_executable_output(executable.get(), i, &spec.type, &dims, &rank, &sharding)));
    spec.dims.assign(dims, dims + rank);
    int64_t bytes = 0;
    if (sharding != nullptr) {
      spec.sharding = ifrt::Sharding::Share(sharding);
      PLINTH_ASSIGN_OR_RETURN(bytes, BytesOf(spec));
    } else {
      bytes = ByteSize(static_cast<DType>(spec.type));
      for (const int64_t dim : spec.dims) bytes *= dim;
    }
    program->outputs.push_back(std::move(spec));
    program->output_bytes.push_back(bytes);
  }
  proxy::CompileResponse response;
  response.name = executable.Name().ok() ? *executable.Name() : "program";
  for (const ifrt::Device& device : devices) {
    response.device_ids.push_back(device.id());
    if (device.is_addressable()) response.addressable_device_ids.push_back(device.id());
  }
  response.num_devices = static_cast<int32_t>(std::max<size_t>(devices.size(), 1));
  auto fingerprint = executable.Fingerprint();
  if (fingerprint.ok()) {
    response.fingerprint = *std::move(fingerprint);
  } else if (fingerprint.status().code() != PJRT_Error_Code_UNIMPLEMENTED) {
    response.fingerprint = ToProto(FromIfrt(fingerprint.status()));
  }
  response.loaded_executable_handle = next_handle_++;
  response.ready_future_handle = next_handle_++;
  InsertFuture(*response.ready_future_handle, {}, {});
  executables_.emplace(response.loaded_executable_handle, std::move(program));
  return Answer(std::move(response));
}

Session::Result Session::On(const proxy::LoadedExecutableMetadataRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const auto program, FindProgram(request.loaded_executable_handle));
  proxy::LoadedExecutableMetadataResponse response;
  if (!program->is_portable) {
    proxy::ShardingList shardings;
    bool is_known = true;
    for (const ifrt::ArraySpec& output : program->outputs) {
      const auto bytes = output.sharding.ToOpSharding(output.dims.size());
      is_known = is_known && bytes.ok();
      if (bytes.ok()) shardings.shardings.push_back(*bytes);
    }
    if (is_known) response.output_shardings = std::move(shardings);
  }
  proxy::MemoryKindList& kinds = response.output_memory_kinds.memory_kind_lists.emplace_back();
  for (const ifrt::ArraySpec& output : program->outputs) {
    kinds.memory_kinds.emplace_back(
        output.sharding.get() == nullptr ? "device" : output.sharding.memory_kind());
  }
  response.parameter_shardings = ParameterShardings(program->executable);
  SetLayouts(ParameterLayouts(program->executable), &response.parameter_layouts);
  SetLayouts(OutputLayouts(program->executable, program->outputs.size()), &response.output_layouts);
  // The C API of PJRT does not tell it.
  response.donated =
      ToProto(Unimplemented("plinth-serve does not know which arguments are donated"));
  if (const auto json = program->executable.Memory(); json.ok()) {
    PLINTH_ASSIGN_OR_RETURN(const Json::Object numbers, Json::ParseObject(*json));
    response.memory_stats = MemoryStatsOf(numbers);
    response.size_of_generated_code_in_bytes = numbers.At("generated_code").AsInteger().value_or(0);
  } else {
    response.memory_stats = ToProto(FromIfrt(json.status()));
  }
  return std::optional<Answer>(std::move(response));
}

Session::Result Session::On(const proxy::LoadedExecutableCostAnalysisRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const auto program, FindProgram(request.loaded_executable_handle));
  proxy::LoadedExecutableCostAnalysisResponse response;
  if (const auto json = program->executable.Cost(); json.ok()) {
    PLINTH_ASSIGN_OR_RETURN(const Json::Object numbers, Json::ParseObject(*json));
    response.result = AttributesOf(numbers);
  } else {
    response.result = ToProto(FromIfrt(json.status()));
  }
  return std::optional<Answer>(std::move(response));
}

Session::Result Session::On(const proxy::LoadedExecutableHumanReadableProgramTextRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const auto program, FindProgram(request.loaded_executable_handle));
  proxy::LoadedExecutableHumanReadableProgramTextResponse response;
  auto optimized = program->executable.Optimized();
  if (!optimized.ok()) {
    response.result = ToProto(FromIfrt(optimized.status()));
  } else if (reads_encoded_programs_) {
    response.result =
        StrCat(kEncodedProgram, optimized->format, ":", grpc::EncodeBase64(optimized->code));
  } else if (IsText(optimized->code)) {
    response.result = std::move(optimized->code);
  } else {
    response.result = ToProto(Unimplemented("the plugin gives optimized programs as ",
                                            optimized->format, " in bytes, not as text"));
  }
  return std::optional<Answer>(std::move(response));
}

Session::Result Session::On(const proxy::LoadedExecutableExecuteRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const auto program, FindProgram(request.loaded_executable_handle));
  PLINTH_ASSIGN_OR_RETURN(const auto arguments, Find(request.args_handles));
  const size_t num_outputs = program->outputs.size();
  if (!request.result_array_handle.empty() && request.result_array_handle.size() != num_outputs) {
    return InvalidArgument(request.result_array_handle.size(), " handles for ", num_outputs,
                           " outputs");
  }
  const uint64_t client_status = request.result_status_handle;
  if (client_status != 0 &&
      (client_status >= kFirstServerHandle || futures_.contains(client_status))) {
    return InvalidArgument("status handle ", client_status, " is in use or not below 2^48");
  }
  plinth_ifrt_execute_options options = {};
  options.struct_size = plinth_ifrt_execute_options_STRUCT_SIZE;
  options.launch_id = request.execute_options.launch_id;
  const std::vector<int64_t> kept(request.execute_options.non_donatable_input_indices.begin(),
                                  request.execute_options.non_donatable_input_indices.end());
  options.non_donatable = kept.data();
  options.num_non_donatable = kept.size();
  if (!request.device_ids.empty()) {
    PLINTH_ASSIGN_OR_RETURN(const auto devices, DevicesFromProto(client_, request.device_ids));
    if (!program->is_portable || devices.size() != 1) {
      return InvalidArgument("devices are named for a program that runs on those it is made for");
    }
    options.device = devices[0].get();
  }
  std::vector<std::vector<ChargeRef>> charges(num_outputs);
  for (size_t i = 0; i < num_outputs; ++i) {
    PLINTH_ASSIGN_OR_RETURN(ChargeRef charge, ChargeFor(program->output_bytes[i]));
    charges[i].push_back(std::move(charge));
  }
  std::vector<plinth_ifrt_array*> made(num_outputs);
  plinth_ifrt_future* done = nullptr;
  PLINTH_RETURN_IF_ERROR(FromC(plinth_ifrt_executable_execute(
      program->executable.get(), arguments.data(), arguments.size(), &options, made.data(),
      made.size(), request.execute_options.fill_status ? &done : nullptr)));
  DropDeleted(request.args_handles);
  proxy::LoadedExecutableExecuteResponse response;
  if (request.execute_options.fill_status) {
    response.status_handle = client_status != 0 ? client_status : next_handle_++;
    InsertFuture(response.status_handle, FutureHandle(done), {});
  }
  // Insert takes the arrays over, and may drop them.
  if (request.result_array_handle.empty()) {
    for (plinth_ifrt_array* array : made) {
      size_t rank = 0;
      const int64_t* dims = plinth_ifrt_array_dims(array, &rank);
      response.outputs.push_back(
          {ToProto(static_cast<DType>(plinth_ifrt_array_type(array))),
           {{dims, dims + rank}},
           ToProto(ifrt::Sharding::Share(plinth_ifrt_array_sharding(array)), rank),
           0});
    }
  }
  const std::vector<uint64_t> handles =
      Insert(request.result_array_handle, made, std::move(charges));
  for (size_t i = 0; i < response.outputs.size(); ++i) {
    response.outputs[i].array_handle = handles[i];
  }
  return std::optional<Answer>(std::move(response));
}

Session::Result Session::On(const proxy::LoadedExecutableFetchExecuteResultRequest& request) {
  return WaitForFuture(request.result_status_handle,
                       proxy::LoadedExecutableFetchExecuteResultResponse());
}

Session::Result Session::On(const proxy::LoadedExecutableIsDeletedRequest& request) {
  return std::optional<Answer>(proxy::LoadedExecutableIsDeletedResponse{
      !executables_.contains(request.loaded_executable_handle)});
}

Session::Result Session::On(const proxy::LoadedExecutableDestructRequest& request) {
  if (executables_.erase(request.loaded_executable_handle) == 0) {
    return NotFound("there is no executable ", request.loaded_executable_handle);
  }
  return std::optional<Answer>(proxy::LoadedExecutableDestructResponse());
}

}  // namespace plinth::serve
