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
//
// On devices that work through queues it is written before `placed`: from then on work may be
// enqueued that reads the storage, which it does after what makes the contents ready. On the host
// nobody looks at `placed`.
struct Contents {
  sdk::Event ready;
  sdk::Event placed;
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
