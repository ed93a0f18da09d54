// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_NOT_OFFERED_H_
#define PLINTH_SDK_SRC_NOT_OFFERED_H_

#include "plinth/support/status.h"

namespace plinth::sdk::internal {

// Marks the answer of a function that an author did not write. It never leaves the library: where
// an error is handed out, StatusOf takes it off and says which function of which plugin it was; a
// caller cannot bring it (ReadError).
inline constexpr char kNotOffered[] = "plinth.sdk.not_offered";

template <typename... Pieces>
Status NotOffered(const Pieces&... pieces) {
  return Unimplemented(pieces...).WithPayload(kNotOffered, "");
}

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_NOT_OFFERED_H_
