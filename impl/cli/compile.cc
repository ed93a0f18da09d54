// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "impl/cli/commands.h"
#include "impl/cli/program.h"
#include "impl/cli/progress.h"
#include "plinth/client/layouts.h"

namespace plinth::cli {
namespace {

using client::CompiledMemoryStats;
using client::Executable;

constexpr struct {
  const char* key;
  std::string_view label;
  int64_t CompiledMemoryStats::*value;
} kMemory[] = {
    {"arguments", "arguments", &CompiledMemoryStats::arguments},
    {"outputs", "outputs", &CompiledMemoryStats::outputs},
    {"aliases", "outputs in arguments", &CompiledMemoryStats::aliases},
    {"temporaries", "temporaries", &CompiledMemoryStats::temporaries},
    {"generated_code", "generated code", &CompiledMemoryStats::generated_code},
    {"peak", "peak", &CompiledMemoryStats::peak},
    {"total", "total", &CompiledMemoryStats::total},
    {"host_arguments", "arguments on host", &CompiledMemoryStats::host_arguments},
    {"host_outputs", "outputs on host", &CompiledMemoryStats::host_outputs},
    {"host_temporaries", "temporaries on host", &CompiledMemoryStats::host_temporaries},
};

std::string Padded(std::string_view text, size_t width) {
  return StrCat(text, std::string(text.size() < width ? width - text.size() : 1, ' '));
}

// What the plugin does not implement is left out; other errors are told.
template <typename T>
bool IsThere(const Expected<T>& value, std::string_view what, Output& output) {
  if (value.ok()) return true;
  output.Line(Padded(StrCat(what, ":"), 20), value.status().code() == StatusCode::kUnimplemented
                                                 ? "the plugin does not tell"
                                                 : value.status().ToString());
  return false;
}

void DescribeShapes(const Executable& executable, Output& output) {
  const Expected<std::vector<client::OutputShape>> shapes = executable.Outputs();
  if (!IsThere(shapes, "outputs", output)) return;
  const Expected<std::vector<std::string>> layouts = client::OutputLayoutTexts(executable);
  Json::Array list;
  for (size_t i = 0; i < shapes->size(); ++i) {
    std::string text = client::ShapeToString((*shapes)[i].type, (*shapes)[i].dims);
    if (layouts.ok() && i < layouts->size()) text += (*layouts)[i];
    output.Line(Padded(StrCat("output ", i, ":"), 20), text);
    list.emplace_back(std::move(text));
  }
  output.json()["outputs"] = std::move(list);
}

void DescribeMemory(const Executable& executable, Output& output) {
  const Expected<CompiledMemoryStats> stats = executable.MemoryStats();
  if (!IsThere(stats, "memory", output)) return;
  Json::Object json;
  output.Line("memory:");
  for (const auto& row : kMemory) {
    const int64_t value = *stats.*row.value;
    json[row.key] = value;
    if (value != 0) output.Line("  ", Padded(StrCat(row.label, ":"), 22), BytesText(value));
  }
  output.json()["memory"] = std::move(json);
}

void DescribeCost(const Executable& executable, Output& output) {
  const Expected<std::vector<NamedValue>> cost = executable.CostAnalysis();
  if (!IsThere(cost, "cost", output)) return;
  output.Line("cost:");
  for (const NamedValue& value : *cost) {
    output.Line("  ", Padded(StrCat(value.name, ":"), 22), ToString(value.value));
  }
  output.json()["cost"] = NamedValuesJson(*cost);
}

Status WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) return InvalidArgument(path, ": cannot be written");
  return {};
}

int WriteFiles(const Executable& executable, const CompileCommandOptions& options, Output& output) {
  if (!options.serialized_path.empty()) {
    const Expected<std::string> bytes = executable.Serialize();
    if (!bytes.ok()) return output.Fail(bytes.status(), kFailed);
    const Status written = WriteFile(options.serialized_path, *bytes);
    if (!written.ok()) return output.Fail(written, kUsage);
    output.Field("serialized", "serialized", options.serialized_path);
  }
  if (!options.optimized_path.empty()) {
    const auto program = executable.OptimizedProgram();
    if (!program.ok()) return output.Fail(program.status(), kFailed);
    const Status written = WriteFile(options.optimized_path, program->code);
    if (!written.ok()) return output.Fail(written, kUsage);
    output.Field("optimized", "optimized", options.optimized_path);
    output.json()["optimized_format"] = program->format;
  }
  return kDone;
}

int DescribeExecutable(const Executable& executable, double milliseconds,
                       const CompileCommandOptions& options, Output& output) {
  if (const auto name = executable.Name(); IsThere(name, "name", output)) {
    output.Field("name", "program", *name);
  }
  output.Line("compiled in:        ", TimeText(milliseconds));
  output.json()["compile_ms"] = MillisecondsJson(milliseconds);
  DescribeShapes(executable, output);
  DescribeMemory(executable, output);
  DescribeCost(executable, output);
  if (const auto fingerprint = executable.Fingerprint(); fingerprint.ok()) {
    output.Field("fingerprint", "fingerprint", *fingerprint);
  }
  return WriteFiles(executable, options, output);
}

int CompileForTopology(const LoadedPlugin& plugin, const client::Options& create,
                       const ProgramSource& source, const CompileCommandOptions& options,
                       Output& output) {
  const auto topology = client::Topology::Create(plugin.api, *options.topology, create);
  if (!topology.ok()) {
    return output.Fail(topology.status().WithContext("PJRT_TopologyDescription_Create"), kFailed);
  }
  const Stopwatch watch;
  const Expected<Executable> executable =
      topology->Compile(client::Program{source.code, source.format}, source.compile_options);
  if (!executable.ok()) {
    return output.Fail(executable.status().WithContext(options.program.path), kFailed);
  }
  return DescribeExecutable(*executable, watch.Milliseconds(), options, output);
}

}  // namespace

int Compile(const CompileCommandOptions& options, Output& output) {
  const Expected<ProgramSource> source = ReadProgram(options.program, false);
  if (!source.ok()) return output.Fail(source.status(), kUsage);
  const Expected<client::Options> create = ParseOptions(options.choice.create_options);
  if (!create.ok()) return output.Fail(create.status(), kUsage);
  const Expected<LoadedPlugin> plugin = LoadPlugin(options.choice);
  if (!plugin.ok()) return output.Fail(plugin.status(), CodeOfLoading(plugin.status()));
  Describe(*plugin, output);
  Progress progress("compiling");
  if (options.topology.has_value()) {
    return CompileForTopology(*plugin, *create, *source, options, output);
  }
  const Expected<client::Client> client = plugin->CreateClient(options.choice);
  if (!client.ok()) {
    return output.Fail(client.status().WithContext("PJRT_Client_Create"), kNoClient);
  }
  const Stopwatch watch;
  const Expected<client::LoadedExecutable> loaded = CompileProgram(*client, *source);
  if (!loaded.ok()) return output.Fail(loaded.status().WithContext(options.program.path), kFailed);
  return DescribeExecutable(loaded->executable(), watch.Milliseconds(), options, output);
}

}  // namespace plinth::cli
