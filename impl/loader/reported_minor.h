// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_REPORTED_MINOR_H_
#define PLINTH_IMPL_LOADER_REPORTED_MINOR_H_

#include "impl/loader/plugin_table.h"
#include "plinth/support/status.h"

namespace plinth::loader {

// The minor that callers are told. `asked` is the option api_minor, 0 for the plugin's own. A
// client switches features on by it and calls what they need without a test, so it is raised only
// if nothing in between is missing; the error names what is.
Expected<int> MinorToReport(const PluginTable& table, int asked);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_REPORTED_MINOR_H_
