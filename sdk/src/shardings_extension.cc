// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/entry.h"
#include "sdk/src/executable_arrays.h"

namespace plinth::sdk::internal {

// Null shardings tell that the executable knows none.

Status Call(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args& args) {
  PLINTH_HANDLE(handle, args, executable);
  const ValueArrays& parameters = handle->executable->arrays().parameters;
  const bool known = parameters.shardings.size() == parameters.types.size();
  args.num_parameters = parameters.types.size();
  args.shardings = known ? parameters.shardings.data() : nullptr;
  args.sharding_sizes = known ? parameters.sharding_sizes.data() : nullptr;
  return {};
}

Status Call(PJRT_Shardings_PJRT_Executable_OutputShardings_Args& args) {
  PLINTH_HANDLE(handle, args, executable);
  handle->executable->NoteShardingsRead();
  const ValueArrays& outputs = handle->executable->arrays().outputs;
  const bool known = outputs.shardings.size() == outputs.types.size();
  args.num_outputs = outputs.types.size();
  args.shardings = known ? outputs.shardings.data() : nullptr;
  args.sharding_sizes = known ? outputs.sharding_sizes.data() : nullptr;
  return {};
}

}  // namespace plinth::sdk::internal
