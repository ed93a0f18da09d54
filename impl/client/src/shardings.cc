// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/shardings.h"

#include "impl/client/src/calls.h"
#include "pjrt_c_api_shardings_extension.h"

namespace plinth::client {
namespace {

template <typename Args>
Expected<std::vector<std::string>> ShardingBytes(
    const Executable& executable, PJRT_Error* (*PJRT_Shardings_Extension::*slot)(Args*),
    const char* name, size_t args_size, size_t Args::*count) {
  const Api& api = executable.api();
  const PJRT_Extension_Base* found = api.FindExtension(PJRT_Extension_Type_Shardings);
  if (found == nullptr) {
    return Unimplemented("the plugin (PJRT 0.", api.version().minor,
                         ") has no Shardings extension; it cannot tell shardings");
  }
  Args args = {};
  args.executable = executable.get();
  PLINTH_RETURN_IF_ERROR(api.CallExtension(
      *reinterpret_cast<const PJRT_Shardings_Extension*>(found), slot, name, args, args_size));
  std::vector<std::string> shardings;
  if (args.shardings == nullptr || args.sharding_sizes == nullptr) return shardings;
  for (size_t i = 0; i < args.*count; ++i) {
    if (args.shardings[i] == nullptr && args.sharding_sizes[i] != 0) {
      return internal::NullOutput(name, "a sharding");
    }
    shardings.emplace_back(args.shardings[i] == nullptr ? "" : args.shardings[i],
                           args.sharding_sizes[i]);
  }
  return shardings;
}

}  // namespace

Expected<std::vector<std::string>> ParameterShardings(const Executable& executable) {
  using Args = PJRT_Shardings_PJRT_Executable_ParameterShardings_Args;
  return ShardingBytes<Args>(
      executable, &PJRT_Shardings_Extension::PJRT_Shardings_PJRT_Executable_ParameterShardings,
      "PJRT_Shardings_PJRT_Executable_ParameterShardings",
      PJRT_Shardings_PJRT_Executable_ParameterShardings_Args_STRUCT_SIZE, &Args::num_parameters);
}

Expected<std::vector<std::string>> OutputShardings(const Executable& executable) {
  using Args = PJRT_Shardings_PJRT_Executable_OutputShardings_Args;
  return ShardingBytes<Args>(
      executable, &PJRT_Shardings_Extension::PJRT_Shardings_PJRT_Executable_OutputShardings,
      "PJRT_Shardings_PJRT_Executable_OutputShardings",
      PJRT_Shardings_PJRT_Executable_OutputShardings_Args_STRUCT_SIZE, &Args::num_outputs);
}

}  // namespace plinth::client
