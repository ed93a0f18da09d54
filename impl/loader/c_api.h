// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_C_API_H_
#define PLINTH_IMPL_LOADER_C_API_H_

#include <memory>
#include <new>
#include <string>

#include "impl/loader/load.h"
#include "impl/loader/log_hub.h"
#include "plinth.h"
#include "plinth/support/status.h"

// What the functions of plinth.h share.

struct plinth_status {
  plinth::Status status;
  std::string message;  // NUL-terminated, unlike the status's own.
};

namespace plinth::loader {

// Null for a success. Without memory: a status that is never freed.
plinth_status* MakeStatus(const Status& status) noexcept;

// Runs the body of a function; running out of memory is an error too.
template <typename Body>
plinth_status* Guarded(Body body) noexcept {
  try {
    return MakeStatus(body());
  } catch (const std::bad_alloc&) {
    return MakeStatus(ResourceExhausted("out of host memory"));
  } catch (...) {
    return MakeStatus(Internal("an exception that nobody expected"));
  }
}

struct Request {
  LoadRequest load;
  std::shared_ptr<LogHub> log;
};

// Reads the options as far as their struct_size reaches, and the environment of the process.
Expected<Request> ReadOptions(const plinth_load_options* options);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_C_API_H_
