#ifndef PLINTH_IMPL_CLI_PROBE_REPORT_H_
#define PLINTH_IMPL_CLI_PROBE_REPORT_H_

#include <string>
#include <string_view>
#include <vector>

#include "impl/cli/commands.h"
#include "impl/cli/output.h"
#include "impl/loader/json.h"

namespace plinth::cli {

// What plinth_probe answers about the plugin of the options, read.
Expected<loader::Json> Probe(const ProbeOptions& options);

// Lines for people about a probe: where it was found, version, slots, extensions, attributes,
// devices. Each begins with `indent`.
void PrintProbe(const cJSON* probe, std::string_view indent, Output& output);

// Something that a person should know. Problems keep the plugin from working; warnings may.
struct Finding {
  enum class Kind { kProblem, kWarning, kNote };
  Kind kind;
  std::string text;
};
std::vector<Finding> FindingsOf(const cJSON* probe);

// What the history of the API knows of plugins of that minor.
std::vector<std::string> KnownQuirks(int minor);

// The text of a member, or empty.
std::string_view TextOf(const cJSON* object, const char* key);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_PROBE_REPORT_H_
