// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "impl/ifrt/c_api.h"
#include "plinth/client/layouts.h"
#include "plinth/support/error.h"
#include "plinth/support/json.h"
#include "plinth/support/str_cat.h"

using plinth::Expected;
using plinth::GetField;
using plinth::InvalidArgument;
using plinth::Json;
using plinth::Status;
using plinth::ifrt::Array;
using plinth::ifrt::DevicesFromC;
using plinth::ifrt::Executable;
using plinth::ifrt::FromC;
using plinth::ifrt::GiveText;
using plinth::ifrt::Guarded;
using plinth::ifrt::NeedNotNull;
using plinth::ifrt::Ref;
using plinth::ifrt::Sharding;
using plinth::ifrt::ToC;

namespace {

using CompileOptionsC = plinth_ifrt_compile_options;

Expected<plinth::ifrt::ProgramSpec> ReadProgram(const plinth_ifrt_client* client,
                                                const CompileOptionsC& options) {
  if (!plinth::HasField(options, &CompileOptionsC::code_size)) {
    return InvalidArgument("plinth_ifrt_compile_options: struct_size is ", options.struct_size,
                           "; set it to plinth_ifrt_compile_options_STRUCT_SIZE");
  }
  plinth::ifrt::ProgramSpec program;
  PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(options.code, "the program's code"));
  program.code.assign(options.code, options.code_size);
  const char* format = GetField(options, &CompileOptionsC::format, nullptr);
  program.format = format == nullptr ? "mlir" : format;
  if (program.format == "serialized") program.format.clear();
  const auto* devices = GetField(options, &CompileOptionsC::devices, nullptr);
  for (const plinth::ifrt::Device* device :
       DevicesFromC(devices, GetField(options, &CompileOptionsC::num_devices, 0))) {
    if (device == nullptr || device->client != FromC(client)) {
      return InvalidArgument("a device to compile for is null or of another client");
    }
    program.devices.push_back(device);
  }
  const int32_t replicas = GetField(options, &CompileOptionsC::num_replicas, 0);
  program.options.num_replicas = replicas == 0 ? 1 : replicas;
  program.options.portable =
      plinth::HasField(options, &CompileOptionsC::portable) && plinth::RawBool(options.portable);
  if (program.options.portable) program.devices.clear();
  program.options.use_shardy_partitioner =
      plinth::HasField(options, &CompileOptionsC::use_shardy) &&
      plinth::RawBool(options.use_shardy);
  program.options.use_spmd_partitioning =
      program.devices.size() > static_cast<size_t>(program.options.num_replicas);
  const char* const* overrides = GetField(options, &CompileOptionsC::overrides, nullptr);
  for (size_t i = 0; i < GetField(options, &CompileOptionsC::num_overrides, 0); ++i) {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(overrides, "`overrides`"));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(overrides[i], "an option of the compiler"));
    PLINTH_IFRT_RETURN_IF_ERROR(program.options.ParseOverride(overrides[i]));
  }
  if (const char* extra = GetField(options, &CompileOptionsC::extra_proto, nullptr);
      extra != nullptr) {
    program.options.extra_fields.assign(extra,
                                        GetField(options, &CompileOptionsC::extra_proto_size, 0));
  }
  const auto* shardings = GetField(options, &CompileOptionsC::output_shardings, nullptr);
  for (size_t i = 0; i < GetField(options, &CompileOptionsC::num_output_shardings, 0); ++i) {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(shardings, "`output_shardings`"));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(shardings[i], "an output sharding"));
    program.output_shardings.push_back(Ref<const Sharding>::Share(FromC(shardings[i])));
  }
  return program;
}

// Runs `body` with the executable when it is compiled.
template <typename Body>
plinth_status* WhenCompiled(plinth_ifrt_executable* executable, Body body) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(executable, "the executable"));
    PLINTH_IFRT_RETURN_IF_ERROR(FromC(executable)->Wait());
    return body(*FromC(executable));
  });
}

// Gives the text that `body` makes of the executable when it is compiled.
template <typename Body>
plinth_status* GiveTextWhenCompiled(plinth_ifrt_executable* executable, char** to, Body body) {
  return WhenCompiled(executable, [&](const Executable& compiled) -> Status {
    // Before the plugin is asked, which may take long or know nothing.
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(to, "where a text is to go"));
    const Expected<std::string> text = body(compiled);
    return text.ok() ? GiveText(*text, to) : text.status();
  });
}

Expected<std::string> OneText(Expected<std::vector<std::string>> texts, size_t index,
                              std::string_view what) {
  if (!texts.ok()) return texts.status();
  if (index >= texts->size()) return InvalidArgument(what, " ", index, " of ", texts->size());
  return std::move((*texts)[index]);
}

Json NumberOf(const plinth::Value& value) {
  if (const auto* number = std::get_if<float>(&value)) return Json(static_cast<double>(*number));
  if (const auto* number = std::get_if<int64_t>(&value)) return Json(*number);
  if (const auto* flag = std::get_if<bool>(&value)) return Json(*flag);
  return Json(plinth::ToString(value));
}

}  // namespace

plinth_status* plinth_ifrt_executable_compile(plinth_ifrt_client* client,
                                              const plinth_ifrt_compile_options* options,
                                              plinth_ifrt_executable** executable) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(executable, "`executable`"));
    *executable = nullptr;
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(client, "the client"));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(options, "`options`"));
    PLINTH_ASSIGN_OR_RETURN(plinth::ifrt::ProgramSpec program, ReadProgram(client, *options));
    const bool is_serial =
        plinth::HasField(*options, &CompileOptionsC::serial) && plinth::RawBool(options->serial);
    *executable =
        ToC(Executable::Compile(plinth::ifrt::ShareClient(client), std::move(program), is_serial)
                .Give());
    return {};
  });
}

plinth_status* plinth_ifrt_executable_ready(plinth_ifrt_executable* executable,
                                            plinth_ifrt_future** ready) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(executable, "the executable"));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(ready, "`ready`"));
    *ready = ToC(Ref<plinth::ifrt::Future>(FromC(executable)->ready()).Give());
    return {};
  });
}

plinth_status* plinth_ifrt_executable_name(plinth_ifrt_executable* executable, char** name) {
  return GiveTextWhenCompiled(
      executable, name, [](const Executable& compiled) -> Expected<std::string> {
        PLINTH_ASSIGN_OR_RETURN(const std::string_view text, compiled.loaded().executable().Name());
        return std::string(text);
      });
}

plinth_status* plinth_ifrt_executable_devices(plinth_ifrt_executable* executable,
                                              const plinth_ifrt_device* const** devices,
                                              size_t* num_devices) {
  return WhenCompiled(executable, [&](const Executable& compiled) -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(devices, "`devices`"));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(num_devices, "`num_devices`"));
    *devices = reinterpret_cast<const plinth_ifrt_device* const*>(compiled.devices().data());
    *num_devices = compiled.devices().size();
    return {};
  });
}

plinth_status* plinth_ifrt_executable_num_outputs(plinth_ifrt_executable* executable,
                                                  size_t* num_outputs) {
  return WhenCompiled(executable, [&](const Executable& compiled) -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(num_outputs, "`num_outputs`"));
    *num_outputs = compiled.outputs().size();
    return {};
  });
}

plinth_status* plinth_ifrt_executable_output(plinth_ifrt_executable* executable, size_t index,
                                             PJRT_Buffer_Type* type, const int64_t** dims,
                                             size_t* num_dims,
                                             const plinth_ifrt_sharding** sharding) {
  return WhenCompiled(executable, [&](const Executable& compiled) -> Status {
    for (const void* out : {static_cast<void*>(type), static_cast<void*>(dims),
                            static_cast<void*>(num_dims), static_cast<void*>(sharding)}) {
      PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(out, "where a fact about an output is to go"));
    }
    if (index >= compiled.outputs().size()) {
      return InvalidArgument("output ", index, " of ", compiled.outputs().size());
    }
    const plinth::ifrt::ArraySpec& spec = compiled.outputs()[index];
    *type = plinth::ToC(spec.type);
    *dims = spec.dims.data();
    *num_dims = spec.dims.size();
    *sharding = ToC(spec.sharding.get());
    return {};
  });
}

plinth_status* plinth_ifrt_executable_num_parameters(plinth_ifrt_executable* executable,
                                                     size_t* num_parameters) {
  return WhenCompiled(executable, [&](const Executable& compiled) -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(num_parameters, "`num_parameters`"));
    if (!compiled.num_parameters()) {
      return plinth::Unimplemented("the plugin does not tell the number of parameters");
    }
    *num_parameters = *compiled.num_parameters();
    return {};
  });
}

plinth_status* plinth_ifrt_executable_parameter_sharding(plinth_ifrt_executable* executable,
                                                         size_t index,
                                                         const plinth_ifrt_sharding** sharding) {
  return WhenCompiled(executable, [&](const Executable& compiled) -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(sharding, "`sharding`"));
    *sharding = nullptr;
    const bool is_told = !compiled.parameters().empty();
    const size_t count =
        is_told ? compiled.parameters().size() : compiled.num_parameters().value_or(0);
    if ((is_told || compiled.num_parameters()) && index >= count) {
      return InvalidArgument("parameter ", index, " of ", count);
    }
    if (compiled.is_portable()) return {};
    if (!is_told) {
      return plinth::Unimplemented("the plugin does not tell how parameters are cut");
    }
    *sharding = ToC(compiled.parameters()[index].get());
    return {};
  });
}

plinth_status* plinth_ifrt_executable_parameter_layout(plinth_ifrt_executable* executable,
                                                       size_t index, char** layout) {
  return GiveTextWhenCompiled(executable, layout, [&](const Executable& compiled) {
    return OneText(plinth::client::ParameterLayoutTexts(compiled.loaded().executable()), index,
                   "parameter");
  });
}

plinth_status* plinth_ifrt_executable_output_layout(plinth_ifrt_executable* executable,
                                                    size_t index, char** layout) {
  return GiveTextWhenCompiled(executable, layout, [&](const Executable& compiled) {
    return OneText(plinth::client::OutputLayoutTexts(compiled.loaded().executable()), index,
                   "output");
  });
}

plinth_status* plinth_ifrt_executable_serialize(plinth_ifrt_executable* executable, char** bytes,
                                                size_t* size) {
  return WhenCompiled(executable, [&](const Executable& compiled) -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(bytes, "`bytes`"));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(size, "`size`"));
    PLINTH_ASSIGN_OR_RETURN(const std::string text, compiled.loaded().executable().Serialize());
    *size = text.size();
    return GiveText(text, bytes);
  });
}

plinth_status* plinth_ifrt_executable_fingerprint(plinth_ifrt_executable* executable,
                                                  char** fingerprint) {
  return GiveTextWhenCompiled(executable, fingerprint, [](const Executable& compiled) {
    Expected<std::string> text = compiled.loaded().executable().Fingerprint();
    if (!text.ok()) text = compiled.loaded().Fingerprint();
    return text;
  });
}

plinth_status* plinth_ifrt_executable_text(plinth_ifrt_executable* executable, char** code,
                                           size_t* size, char** format) {
  return WhenCompiled(executable, [&](const Executable& compiled) -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(code, "`code`"));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(size, "`size`"));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(format, "`format`"));
    PLINTH_ASSIGN_OR_RETURN(const plinth::client::Executable::OptimizedProgramText text,
                            compiled.loaded().executable().OptimizedProgram());
    PLINTH_IFRT_RETURN_IF_ERROR(GiveText(text.format, format));
    *size = text.code.size();
    return GiveText(text.code, code);
  });
}

plinth_status* plinth_ifrt_executable_cost(plinth_ifrt_executable* executable, char** json) {
  return GiveTextWhenCompiled(
      executable, json, [](const Executable& compiled) -> Expected<std::string> {
        PLINTH_ASSIGN_OR_RETURN(const std::vector<plinth::NamedValue> values,
                                compiled.loaded().executable().CostAnalysis());
        Json::Object object;
        for (const plinth::NamedValue& one : values) {
          object[one.name] = NumberOf(one.value);
        }
        return Json(std::move(object)).ToString();
      });
}

plinth_status* plinth_ifrt_executable_memory(plinth_ifrt_executable* executable, char** json) {
  return GiveTextWhenCompiled(
      executable, json, [](const Executable& compiled) -> Expected<std::string> {
        PLINTH_ASSIGN_OR_RETURN(const plinth::client::CompiledMemoryStats stats,
                                compiled.loaded().executable().MemoryStats());
        const Json object(Json::Object{{"generated_code", stats.generated_code},
                                       {"arguments", stats.arguments},
                                       {"outputs", stats.outputs},
                                       {"aliases", stats.aliases},
                                       {"temporaries", stats.temporaries},
                                       {"peak", stats.peak}});
        return object.ToString();
      });
}

plinth_status* plinth_ifrt_executable_execute(plinth_ifrt_executable* executable,
                                              plinth_ifrt_array* const* arguments,
                                              size_t num_arguments,
                                              const plinth_ifrt_execute_options* options,
                                              plinth_ifrt_array** outputs, size_t num_outputs,
                                              plinth_ifrt_future** status) {
  return Guarded([&]() -> Status {
    if (status != nullptr) *status = nullptr;
    if (num_outputs != 0) {
      PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(outputs, "`outputs`"));
      std::fill(outputs, outputs + num_outputs, nullptr);
    }
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(executable, "the executable"));
    if (num_arguments != 0) PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(arguments, "`arguments`"));
    const Executable& compiled = *FromC(executable);
    plinth::ifrt::ExecuteRequest request{.arguments =
                                             plinth::ifrt::ArraysFromC(arguments, num_arguments)};
    request.want_status = status != nullptr;
    if (options != nullptr) {
      using Options = plinth_ifrt_execute_options;
      request.launch_id = GetField(*options, &Options::launch_id, 0);
      const int64_t* kept = GetField(*options, &Options::non_donatable, nullptr);
      const size_t num_kept = GetField(*options, &Options::num_non_donatable, 0);
      if (num_kept != 0) PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(kept, "`non_donatable`"));
      request.non_donatable = {kept, num_kept};
      request.device = FromC(GetField(*options, &Options::device, nullptr));
      const char* location = GetField(*options, &Options::call_location, nullptr);
      if (location != nullptr) request.call_location = location;
    }
    PLINTH_ASSIGN_OR_RETURN(
        Ref<plinth::ifrt::Future> done,
        compiled.Execute(request, {reinterpret_cast<Array**>(outputs), num_outputs}));
    if (status != nullptr) *status = ToC(done.Give());
    return {};
  });
}

plinth_status* plinth_ifrt_executable_cancel(plinth_ifrt_executable* executable, int32_t launch_id,
                                             PJRT_Error_Code code, const char* message) {
  return WhenCompiled(executable, [&](const Executable& compiled) -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(message, "`message`"));
    const Status error = plinth::StatusFromParts(plinth::RawEnum(code), message, strlen(message));
    if (error.ok()) return InvalidArgument("a cancelled execution needs an error, not OK");
    return compiled.Cancel(launch_id, error);
  });
}
