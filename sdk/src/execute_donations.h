// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_EXECUTE_DONATIONS_H_
#define PLINTH_SDK_SRC_EXECUTE_DONATIONS_H_

#include <cstdint>
#include <span>

#include "plinth/sdk/executable.h"
#include "plinth/support/small_vector.h"
#include "plinth/support/status.h"
#include "sdk/src/donated_buffers.h"

namespace plinth::sdk::internal {

// The arguments that an execution takes away. As long as this lives and is not finished they are
// claimed: nobody else deletes or donates them.
class ExecuteDonations {
 public:
  // Claims those of the program's donated arguments that are not among `kept`, and fills in
  // request.donated. All arguments are checked. INVALID_ARGUMENT, with nothing claimed, if one is
  // donated that another place of the call uses, or that another thread takes just now.
  Status Claim(const PJRT_LoadedExecutable_Execute_Args& args, const LoadedExecutable& loaded,
               std::span<const int64_t> kept, ExecuteRequest& request);
  // The execution has begun.
  void Finish() { buffers_.Finish(); }

 private:
  DonatedBuffers buffers_;
  SmallVector<bool, 64> flags_;
};

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_EXECUTE_DONATIONS_H_
