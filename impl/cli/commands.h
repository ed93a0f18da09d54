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
// What is wrong, with one plugin or with all that are found.
int Doctor(const ProbeOptions& options, Output& output);

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
  std::vector<std::string> outputs;
  std::optional<int> device;
  int repeat = 1;
  bool in_full = false;
  bool is_quiet = false;
};
int Run(const RunOptions& options, Output& output);

struct CompileCommandOptions {
  PluginChoice choice;
  ProgramOptions program;
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
