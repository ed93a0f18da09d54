// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "impl/cli/commands.h"
#include "impl/cli/crash_report.h"
#include "impl/cli/literal.h"
#include "impl/cli/program.h"
#include "impl/cli/progress.h"
#include "impl/cli/random_inputs.h"

namespace plinth::cli {
namespace {

using client::Buffer;
using client::HostArray;

constexpr int kInFlight = 16;  // launches that are waited for together, for throughput

// A plugin with its client.
struct Side {
  PluginChoice choice;
  LoadedPlugin plugin;
  client::Client client;
};

struct Times {
  std::vector<double> compile, latency, launch;  // milliseconds; of many launches each
};

double Least(const std::vector<double>& times) {
  return times.empty() ? 0 : *std::min_element(times.begin(), times.end());
}

double Median(std::vector<double> times) {
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

Expected<client::LoadedExecutable> TimedCompile(const Side& side, const ProgramSource& source,
                                                Times& times) {
  const Stopwatch watch;
  Expected<client::LoadedExecutable> executable = CompileProgram(side.client, source);
  if (executable.ok()) times.compile.push_back(watch.Milliseconds());
  return executable;
}

// A compiled program with its arguments on a device.
struct Ready {
  client::LoadedExecutable executable;
  std::vector<Buffer> arguments;
  std::vector<int64_t> keep;  // none is donated, so that it can run again

  Expected<std::vector<Buffer>> Launch() const {
    client::ExecuteOptions options;
    options.non_donatable = keep;
    std::vector<const Buffer*> pointers;
    for (const Buffer& buffer : arguments) pointers.push_back(&buffer);
    return executable.ExecuteOne(pointers, options);
  }
};

Expected<Ready> Prepare(const Side& side, const ProgramSource& source,
                        const std::vector<HostArray>& inputs, Times& times) {
  Expected<client::LoadedExecutable> executable = TimedCompile(side, source, times);
  if (!executable.ok()) return executable.status();
  PLINTH_ASSIGN_OR_RETURN(const std::vector<client::Device> devices,
                          executable->AddressableDevices());
  if (devices.empty()) return FailedPrecondition("the program is on no device");
  Ready ready{*std::move(executable), {}, {}};
  for (size_t i = 0; i < inputs.size(); ++i) {
    PLINTH_ASSIGN_OR_RETURN(Buffer buffer,
                            side.client.BufferFromHost(inputs[i].view(), devices[0]));
    PLINTH_RETURN_IF_ERROR(buffer.Await());
    ready.arguments.push_back(std::move(buffer));
    ready.keep.push_back(static_cast<int64_t>(i));
  }
  return ready;
}

Status AwaitAll(const std::vector<Buffer>& buffers) {
  for (const Buffer& buffer : buffers) PLINTH_RETURN_IF_ERROR(buffer.Await());
  return {};
}

Status RunOnce(const Ready& ready, Times& times) {
  const Stopwatch watch;
  PLINTH_ASSIGN_OR_RETURN(const std::vector<Buffer> outputs, ready.Launch());
  PLINTH_RETURN_IF_ERROR(AwaitAll(outputs));
  times.latency.push_back(watch.Milliseconds());
  return {};
}

Status RunMany(const Ready& ready, Times& times) {
  const Stopwatch watch;
  std::vector<std::vector<Buffer>> outputs;
  for (int i = 0; i < kInFlight; ++i) {
    PLINTH_ASSIGN_OR_RETURN(std::vector<Buffer> each, ready.Launch());
    outputs.push_back(std::move(each));
  }
  for (const auto& each : outputs) PLINTH_RETURN_IF_ERROR(AwaitAll(each));
  times.launch.push_back(watch.Milliseconds() / kInFlight);
  return {};
}

// Both sides in turn in every round, so that a machine that slows down slows both.
Status Measure(const std::vector<Side>& sides, const ProgramSource& source,
               const std::vector<HostArray>& inputs, bool runs, const BenchOptions& options,
               const std::function<void(const std::string&)>& say, std::vector<Times>& times) {
  std::vector<Ready> ready;
  const int rounds = runs ? options.rounds : options.compile_rounds;
  for (size_t s = 0; s < sides.size() && runs; ++s) {
    say(StrCat("compiling on ", sides[s].choice.plugin));
    Expected<Ready> one = Prepare(sides[s], source, inputs, times[s]);
    if (!one.ok()) return one.status().WithContext(sides[s].choice.plugin);
    ready.push_back(*std::move(one));
  }
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < sides.size(); ++i) {
      // The other one first in every second round.
      const size_t s = round % 2 == 0 ? i : sides.size() - 1 - i;
      say(StrCat("round ", round + 1, " of ", rounds, " on ", sides[s].choice.plugin));
      if (round < options.compile_rounds) {
        PLINTH_RETURN_IF_ERROR(TimedCompile(sides[s], source, times[s]).status());
      }
      if (!runs) continue;
      const Status status = RunOnce(ready[s], times[s]);
      if (!status.ok()) return status.WithContext(sides[s].choice.plugin);
      PLINTH_RETURN_IF_ERROR(RunMany(ready[s], times[s]));
    }
  }
  return {};
}

void Report(const std::string& path, const std::vector<Side>& sides,
            const std::vector<Times>& times, Json::Array& list, Output& output) {
  Json::Object json{{"program", path}};
  output.Line("\n", path);
  const struct {
    const char* key;
    std::vector<double> Times::*values;
  } rows[] = {
      {"compile", &Times::compile}, {"latency", &Times::latency}, {"throughput", &Times::launch}};
  for (const auto& row : rows) {
    if ((times[0].*row.values).empty()) continue;
    Json::Array both;
    std::string line;
    std::vector<double> least;
    for (size_t s = 0; s < sides.size(); ++s) {
      const std::vector<double>& values = times[s].*row.values;
      least.push_back(Least(values));
      both.emplace_back(Json::Object{{"plugin", sides[s].choice.plugin},
                                     {"least_ms", MillisecondsJson(least.back())},
                                     {"median_ms", MillisecondsJson(Median(values))},
                                     {"runs", values.size()}});
      line += StrCat(s == 0 ? "" : "  |  ", "least ", ShortTimeText(least.back()), ", median ",
                     ShortTimeText(Median(values)));
    }
    const double ratio = least.size() == 2 && least[1] > 0 ? least[0] / least[1] : 0;
    const std::string label(row.key);
    output.Line("  ", label, ":", std::string(12 - label.size(), ' '), line, "  |  A is ",
                MillisecondsJson(ratio).ToString(), " of B");
    json[row.key] = std::move(both);
    json[StrCat(row.key, "_ratio")] = MillisecondsJson(ratio);
  }
  list.emplace_back(std::move(json));
}

}  // namespace

int Bench(const BenchOptions& options, Output& output) {
  std::vector<HostArray> given;
  for (const std::string& text : options.inputs) {
    Expected<HostArray> input = ParseLiteral(text);
    if (!input.ok()) return output.Fail(input.status(), kUsage);
    given.push_back(*std::move(input));
  }
  struct Program {
    std::string path;
    ProgramSource source;
    std::vector<HostArray> inputs;
    bool runs = true;
  };
  std::vector<Program> programs;
  for (const std::string& path : options.programs) {
    ProgramOptions program = options.program;
    program.path = path;
    Expected<ProgramSource> source = ReadProgram(program, false);
    if (!source.ok()) return output.Fail(source.status(), kUsage);
    Program one{path, *std::move(source), {}, true};
    // What bytecode takes, only a plugin can read: without --input it is compiled alone.
    one.runs = !given.empty() || !SignatureOf(one.source).empty();
    if (given.empty() && one.runs) {
      Expected<std::vector<HostArray>> inputs = RandomInputs(one.source);
      if (!inputs.ok()) return output.Fail(inputs.status().WithContext(path), kUsage);
      one.inputs = *std::move(inputs);
    }
    programs.push_back(std::move(one));
  }
  std::vector<Side> sides;
  CrashReport crash(options.plugin_a, output.as_json());
  Progress progress("loading");
  for (const std::string& name : {options.plugin_a, options.plugin_b}) {
    PluginChoice choice = options.choice;
    choice.plugin = name;
    Expected<LoadedPlugin> plugin = LoadPlugin(choice);
    if (!plugin.ok()) {
      return output.Fail(plugin.status().WithContext(name), CodeOfLoading(plugin.status()));
    }
    Expected<client::Client> client = plugin->CreateClient(choice);
    if (!client.ok()) {
      return output.Fail(client.status().WithContext(StrCat(name, ": PJRT_Client_Create")),
                         kNoClient);
    }
    sides.push_back({choice, *std::move(plugin), *std::move(client)});
  }
  output.Line("A:                  ", options.plugin_a);
  output.Line("B:                  ", options.plugin_b);
  output.Line("throughput:         time of a launch, ", kInFlight, " in flight");
  Json::Array list;
  for (const Program& program : programs) {
    std::vector<Times> times(sides.size());
    const auto say = [&](const std::string& what) {
      progress.Set(StrCat(program.path, ": ", what));
      crash.Set(what);
    };
    const Status status = Measure(sides, program.source, given.empty() ? program.inputs : given,
                                  program.runs, options, say, times);
    if (!status.ok()) return output.Fail(status.WithContext(program.path), kFailed);
    Report(program.path, sides, times, list, output);
  }
  output.json()["programs"] = std::move(list);
  return kDone;
}

}  // namespace plinth::cli
