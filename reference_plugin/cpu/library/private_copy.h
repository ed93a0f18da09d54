// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_PRIVATE_COPY_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_PRIVATE_COPY_H_

#include <string>

#include "plinth/support/status.h"

namespace plinth::cpu::library {

// The handle of a copy of the shared library `path`, in memory, that nobody else in the process
// meets: it has no name under which the dynamic loader would find it, and it binds to itself.
// Whoever opens `path`, before or after, gets a library with variables and threads of its own. The
// libraries that it needs and that lie beside it are opened as they are. The copy costs the size of
// the file, and stays. The error says what failed. Any thread.
Expected<void*> OpenPrivateCopy(const std::string& path);

// What dlerror() says, on this thread, about the call that failed.
std::string LastDlError();

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_PRIVATE_COPY_H_
