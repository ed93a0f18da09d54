// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_SHARDINGS_H_
#define PLINTH_CLIENT_SHARDINGS_H_

#include <string>
#include <vector>

#include "plinth/client/executable.h"

namespace plinth::client {

// The Shardings extension (from 0.91): how a program over several devices cuts its parameters and
// outputs, each a serialized xla.OpSharding. Copied; any thread. Empty if the plugin has the
// extension and does not know them for this program; UNIMPLEMENTED if it has none.
Expected<std::vector<std::string>> ParameterShardings(const Executable& executable);
Expected<std::vector<std::string>> OutputShardings(const Executable& executable);

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_SHARDINGS_H_
