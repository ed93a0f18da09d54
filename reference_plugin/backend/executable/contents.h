// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CONTENTS_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CONTENTS_H_

#include <cstddef>
#include <memory>

#include "plinth/sdk/event.h"
#include "reference_plugin/backend/host/storage.h"

namespace plinth::backend {

// What a buffer refers to; shared by buffers and by the executions that read it. `storage` is
// written before `ready` and read after it; it stays null if `ready` is an error.
struct Contents {
  sdk::Event ready;
  StoragePtr storage;
};
using ContentsPtr = std::shared_ptr<Contents>;

// The storage of a token, which has no bytes.
inline StoragePtr TokenStorage() {
  static std::byte nowhere{};
  return StoragePtr::Borrow(&nowhere, 0, nullptr);
}

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CONTENTS_H_
