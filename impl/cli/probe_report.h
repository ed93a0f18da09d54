// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_PROBE_REPORT_H_
#define PLINTH_IMPL_CLI_PROBE_REPORT_H_

#include <string>
#include <string_view>

#include "impl/cli/commands.h"
#include "impl/cli/findings.h"
#include "impl/cli/output.h"
#include "plinth/support/json.h"

namespace plinth::cli {

// What plinth_probe answers about the plugin of the options, read.
Expected<Json> Probe(const ProbeOptions& options);

// Lines for people about a probe: where it was found, version, slots, extensions, attributes,
// devices. Each begins with `indent`.
// `in_full`: with memories, statistics, attributes of devices, null slots, default layouts and
// client options.
void PrintProbe(const Json& probe, std::string_view indent, bool in_full, Output& output);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_PROBE_REPORT_H_
