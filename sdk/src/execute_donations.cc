// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/execute_donations.h"

#include "sdk/src/entry.h"
#include "sdk/src/executable_arrays.h"

namespace plinth::sdk::internal {

Status ExecuteDonations::Claim(const PJRT_LoadedExecutable_Execute_Args& args,
                               const LoadedExecutable& loaded, std::span<const int64_t> kept,
                               ExecuteRequest& request) {
  const std::vector<size_t>& donated = loaded.executable()->arrays().donated;
  if (donated.empty()) return {};
  flags_.resize(request.num_args, false);
  for (size_t index : donated) flags_[index] = true;
  for (int64_t index : kept) flags_[static_cast<size_t>(index)] = false;
  request.donated = {flags_.data(), flags_.size()};

  for (size_t d = 0; d < request.devices; ++d) {
    const ArgumentList arguments = request.arguments(d);
    for (size_t index : donated) {
      if (!flags_[index] || buffers_.Add(arguments[index])) continue;
      if (buffers_.Has(arguments[index])) {
        return Invalid(args, "attempt to donate the same buffer twice in one execution, argument ",
                       index, " of device ", d, " being the second");
      }
      return Invalid(args, "argument ", index, " of device ", d, " was deleted or donated");
    }
  }
  for (size_t d = 0; d < request.devices; ++d) {
    const ArgumentList arguments = request.arguments(d);
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (flags_[i] || !BufferAccess::IsClaimed(arguments[i])) continue;
      if (buffers_.Has(arguments[i])) {
        return Invalid(args,
                       "attempt to donate a buffer that is also another argument of the same "
                       "execution, argument ",
                       i, " of device ", d);
      }
      // By another execution, at this moment or before.
      return Invalid(args, "argument ", i, " of device ", d, " was deleted or donated");
    }
  }
  return {};
}

}  // namespace plinth::sdk::internal
