// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_COMMANDS_H_
#define PLINTH_IMPL_CLI_COMMANDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "impl/cli/output.h"
#include "impl/cli/session.h"

// The commands. Each says what it has to say through `output` and returns an exit code.
namespace plinth::cli {

struct ListOptions {
  PluginChoice choice;
  bool show_searched = false;
};
int List(const ListOptions& options, Output& output);

struct ProbeOptions {
  PluginChoice choice;
  int timeout_ms = 30000;
  bool create_client = true;
};
// What one plugin is and says of itself.
int Info(const ProbeOptions& options, Output& output);

struct DoctorOptions {
  ProbeOptions probe;
  std::vector<std::string> programs;  // That each plugin compiles and runs.
  bool with_ifrt = false;             // What libplinth_ifrt rests on with it.
};
// What is wrong, with one plugin or with all that are found.
int Doctor(const DoctorOptions& options, Output& output);

// A program and how to compile it.
struct ProgramOptions {
  std::string path;
  std::string format;  // Empty: by its contents.
  bool is_serialized = false;
  std::string options_file;                  // A serialized CompileOptionsProto.
  std::vector<std::string> compile_options;  // "name=value"
  int num_replicas = 1;
};

struct RunOptions {
  PluginChoice choice;
  ProgramOptions program;
  std::vector<std::string> inputs;
  bool has_random_inputs = false;  // In place of them; of the program's types.
  std::vector<std::string> outputs;
  std::vector<std::string> expected;  // Files that the results are compared with.
  double relative_tolerance = -1, absolute_tolerance = -1;  // Negative: by the type.
  std::optional<int> device;
  int repeat = 1;
  bool in_full = false;
  bool is_quiet = false;
};
int Run(const RunOptions& options, Output& output);

struct CompileCommandOptions {
  PluginChoice choice;
  ProgramOptions program;
  std::optional<std::string> topology;  // Compiles for it, without a client.
  std::string serialized_path;
  std::string optimized_path;
};
int Compile(const CompileCommandOptions& options, Output& output);

struct ManifestCheckOptions {
  std::string path;
};
int ManifestCheck(const ManifestCheckOptions& options, Output& output);

struct ManifestMakeOptions {
  std::string name;
  std::string library;
  std::string description;
  std::vector<std::string> create_options;
  std::string output_path;  // Empty: standard output.
};
int ManifestMake(const ManifestMakeOptions& options, Output& output);

// Two plugins side by side.
struct BenchOptions {
  std::string plugin_a, plugin_b;
  std::vector<std::string> programs;  // Paths.
  PluginChoice choice;                // For both, but for `plugin`.
  ProgramOptions program;             // For all, but for `path`.
  std::vector<std::string> inputs;    // Literals; empty: random ones of the program's types.
  int rounds = 20, compile_rounds = 5;
};
// Compile time, latency and throughput of both, in paired rounds.
int Bench(const BenchOptions& options, Output& output);

struct TraceOptions {
  std::string plugin;  // Path or name; empty: PLINTH_PLUGIN, or the only one.
  std::optional<std::string> layers;
  std::string file = "plinth_trace.json";
  std::string capture;  // Empty: none.
  std::vector<std::string> command;
};
// Runs a command whose calls of PJRT are traced.
int Trace(const TraceOptions& options, Output& output);

struct ReplayCommandOptions {
  PluginChoice choice;
  std::string capture;
  double relative_tolerance = -1;
  double absolute_tolerance = -1;
  bool keep_going = false;
};
int Replay(const ReplayCommandOptions& options, Output& output);

struct NewOptions {
  std::string name;
  std::string folder;  // Empty: the name.
  int stage = 1;
  std::string language = "cxx";
  std::string template_folder;  // Empty: share/plinth/template beside the command.
};
// Makes a project for a plugin from the template.
int New(const NewOptions& options, Output& output);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_COMMANDS_H_
