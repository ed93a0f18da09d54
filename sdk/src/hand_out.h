// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_HAND_OUT_H_
#define PLINTH_SDK_SRC_HAND_OUT_H_

#include <memory>

#include "sdk/src/handles.h"

namespace plinth::sdk::internal {

// Gives an object that the plugin made to the caller.
inline Expected<PJRT_Buffer*> HandOut(ClientCore& core, Expected<std::unique_ptr<Buffer>> made) {
  if (!made.ok()) return made.status();
  if (*made == nullptr) return Internal("the plugin made no buffer and gave no error");
  PLINTH_RETURN_IF_ERROR(core.Adopt(**made));
  return ToC(made->release());
}
inline Expected<PJRT_Buffer*> HandOut(ClientCore& core, std::unique_ptr<Buffer> made) {
  return HandOut(core, Expected<std::unique_ptr<Buffer>>(std::move(made)));
}

inline Expected<PJRT_LoadedExecutable*> HandOut(ClientCore& core,
                                                Expected<std::unique_ptr<LoadedExecutable>> made) {
  if (!made.ok()) return made.status();
  if (*made == nullptr || (*made)->executable() == nullptr) {
    return Internal("the plugin made no executable and gave no error");
  }
  PLINTH_RETURN_IF_ERROR(core.Adopt(**made));
  return ToC(made->release());
}

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_HAND_OUT_H_
