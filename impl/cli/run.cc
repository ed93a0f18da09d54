// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <tuple>

#include "impl/cli/array_text.h"
#include "impl/cli/commands.h"
#include "impl/cli/crash_report.h"
#include "impl/cli/element.h"
#include "impl/cli/expect.h"
#include "impl/cli/literal.h"
#include "impl/cli/npy.h"
#include "impl/cli/program.h"
#include "impl/cli/progress.h"
#include "impl/cli/random_inputs.h"
#include "impl/cli/safetensors.h"
#include "impl/cli/stdin_file.h"
#include "plinth/client/layouts.h"
#include "plinth/support/parse_number.h"

namespace plinth::cli {

using client::Buffer;
using client::HostArray;

namespace {

// A literal, a file, or TYPE@FILE.
Expected<HostArray> ReadInput(const std::string& text) {
  if (IsLiteral(text)) return ParseLiteral(text);
  if (text == "-") {
    PLINTH_ASSIGN_OR_RETURN(const std::string path, StdinFile());
    return ReadNpy(path);
  }
  const size_t at = text.find('@');
  if (at != std::string::npos) {
    if (Expected<DType> type = ParseDType(text.substr(0, at)); type.ok()) {
      return ReadNpy(text.substr(at + 1), *type);
    }
  }
  Expected<HostArray> array = ReadNpy(text);
  if (array.status().code() == StatusCode::kNotFound && text.find('=') != std::string::npos) {
    return ParseLiteral(text).status();  // It was meant as a literal.
  }
  return array;
}

// Files of several arrays stand for all of them.
Expected<std::vector<HostArray>> ReadInputs(const std::vector<std::string>& texts,
                                            std::string_view what) {
  std::vector<HostArray> inputs;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!IsLiteral(texts[i]) && IsSafetensors(texts[i])) {
      Expected<std::vector<NamedArray>> arrays = ReadSafetensors(texts[i]);
      if (!arrays.ok()) return arrays.status().WithContext(StrCat(what, " ", i));
      for (NamedArray& each : *arrays) inputs.push_back(std::move(each.array));
      continue;
    }
    Expected<HostArray> input = ReadInput(texts[i]);
    if (!input.ok()) return input.status().WithContext(StrCat(what, " ", i));
    inputs.push_back(*std::move(input));
  }
  return inputs;
}

// Those of the command line, or random ones.
Expected<std::vector<HostArray>> InputsOf(const RunOptions& options, const ProgramSource& source) {
  if (!options.has_random_inputs) return ReadInputs(options.inputs, "input");
  if (SignatureOf(source).empty()) {
    return InvalidArgument("--random: what ", options.program.path,
                           " takes, only a plugin can read; give an --input for each argument");
  }
  return RandomInputs(source);
}

// The layouts that a program wants its arguments in, as far as the plugin tells them and they are
// an order of dimensions other than the default one. Null: the default.
std::vector<std::optional<client::Layout>> ArgumentLayouts(const client::Executable& executable) {
  const Expected<std::vector<std::string>> texts = client::ParameterLayoutTexts(executable);
  if (!texts.ok()) return {};
  std::vector<std::optional<client::Layout>> layouts(texts->size());
  for (size_t i = 0; i < texts->size(); ++i) {
    const std::string_view text = (*texts)[i];
    client::Layout layout;
    // "{0,1}": from minor to major. Tiles would follow a colon.
    if (text.size() > 2 && text.front() == '{' && text.back() == '}' &&
        ParseNumbers(text.substr(1, text.size() - 2), &layout.minor_to_major) &&
        layout != client::Layout::RowMajor(layout.minor_to_major.size())) {
      layouts[i] = std::move(layout);
    }
  }
  return layouts;
}

// A program on its devices with its inputs there.
struct Launch {
  client::LoadedExecutable executable;
  std::optional<client::Device> device;     // The one chosen, of a portable program.
  std::vector<std::vector<Buffer>> inputs;  // [device][input]
};

Expected<Launch> Prepare(const client::Client& client, client::LoadedExecutable executable,
                         const RunOptions& options, const std::vector<HostArray>& inputs) {
  Launch launch{std::move(executable), std::nullopt, {}};
  PLINTH_ASSIGN_OR_RETURN(std::vector<client::Device> devices,
                          launch.executable.AddressableDevices());
  if (options.device || devices.empty()) {
    PLINTH_ASSIGN_OR_RETURN(const std::vector<client::Device> all, client.AddressableDevices());
    const int index = options.device.value_or(0);
    if (index < 0 || static_cast<size_t>(index) >= all.size()) {
      return InvalidArgument("there is no device ", index, ": the client has ", all.size(),
                             " addressable devices, from 0");
    }
    launch.device = all[static_cast<size_t>(index)];
    devices = {*launch.device};
  }
  std::vector<std::optional<client::Layout>> layouts =
      ArgumentLayouts(launch.executable.executable());
  layouts.resize(inputs.size());
  for (const client::Device& device : devices) {
    std::vector<Buffer>& list = launch.inputs.emplace_back();
    for (size_t i = 0; i < inputs.size(); ++i) {
      // Of another number of dimensions the program says itself that it is wrong.
      const bool fits = layouts[i] && layouts[i]->minor_to_major.size() == inputs[i].dims().size();
      PLINTH_ASSIGN_OR_RETURN(
          Buffer buffer,
          client.BufferFromHost(inputs[i].view(), device, client::HostSemantics::kDuringCall,
                                nullptr, fits ? &*layouts[i] : nullptr));
      list.push_back(std::move(buffer));
    }
  }
  return launch;
}

// Runs once and waits for the results. Nothing is donated, so that it can run again.
Expected<std::vector<std::vector<Buffer>>> Execute(const Launch& launch, size_t num_inputs) {
  std::vector<int64_t> keep(num_inputs);
  for (size_t i = 0; i < num_inputs; ++i) keep[i] = static_cast<int64_t>(i);
  client::ExecuteOptions options;
  options.non_donatable = keep;
  options.device = launch.device;
  std::vector<std::vector<const Buffer*>> arguments;
  for (const std::vector<Buffer>& list : launch.inputs) {
    std::vector<const Buffer*>& pointers = arguments.emplace_back();
    for (const Buffer& buffer : list) pointers.push_back(&buffer);
  }
  PLINTH_ASSIGN_OR_RETURN(client::ExecuteResult result,
                          launch.executable.Execute(arguments, options));
  for (const std::vector<Buffer>& list : result.outputs) {
    for (const Buffer& buffer : list) PLINTH_RETURN_IF_ERROR(buffer.Await());
  }
  return std::move(result.outputs);
}

void PrintOutput(const HostArray& array, size_t device, size_t index, bool has_devices,
                 const RunOptions& options, Json::Array& list, Output& output) {
  Json::Object json = ArrayJson(array, options.in_full);
  if (has_devices) json["device"] = device;
  if (device == 0 && index < options.outputs.size()) {
    json["file"] = options.outputs[index];
  }
  list.emplace_back(std::move(json));
  if (options.is_quiet) return;
  output.Line("output ", index, has_devices ? StrCat(" of device ", device) : "", ": ",
              ArrayText(array, options.in_full));
}

void PrintTimes(const std::vector<std::pair<const char*, double>>& times,
                std::vector<double> repeats, Output& output) {
  Json::Object json;
  std::string line;
  for (const auto& [name, milliseconds] : times) {
    json[name] = MillisecondsJson(milliseconds);
    line += StrCat(line.empty() ? "" : ", ", name, " ", TimeText(milliseconds));
  }
  if (!repeats.empty()) {
    std::sort(repeats.begin(), repeats.end());
    const double median = repeats[repeats.size() / 2];
    json["repeat_fastest"] = MillisecondsJson(repeats.front());
    json["repeat_median"] = MillisecondsJson(median);
    line += StrCat(", again ", repeats.size(), " times: fastest ", ShortTimeText(repeats.front()),
                   ", median ", ShortTimeText(median));
    // Of fewer runs they would be the slowest.
    for (const auto& [name, part, least] :
         {std::tuple("p90", 0.9, size_t{10}), std::tuple("p99", 0.99, size_t{100})}) {
      if (repeats.size() < least) continue;
      const auto rank = static_cast<size_t>(std::ceil(part * static_cast<double>(repeats.size())));
      json[StrCat("repeat_", name)] = MillisecondsJson(repeats[rank - 1]);
      line += StrCat(", ", name, " ", ShortTimeText(repeats[rank - 1]));
    }
  }
  output.json()["times_ms"] = std::move(json);
  output.Line("times:              ", line);
}

// What is wrong with inputs, the plugin says; what would be right, the program.
Status WithSignature(const Status& status, const ProgramSource& source, const RunOptions& options) {
  const std::string signature = SignatureOf(source);
  if (status.code() != StatusCode::kInvalidArgument || signature.empty()) return status;
  return Status(status.code(),
                StrCat(status.message(), "; ", options.program.path, " takes ", signature));
}

// Everything that is written goes to one file, or each result to its own.
Status WriteOutputs(const RunOptions& options, const std::vector<HostArray>& arrays) {
  if (options.outputs.size() == 1 && IsSafetensors(options.outputs[0])) {
    std::vector<std::pair<std::string, const HostArray*>> named;
    for (size_t i = 0; i < arrays.size(); ++i) {
      named.emplace_back(StrCat("output_", i), &arrays[i]);
    }
    return WriteSafetensors(options.outputs[0], named);
  }
  for (size_t i = 0; i < options.outputs.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(WriteNpy(options.outputs[i], arrays[i]));
  }
  return {};
}

// Whether the results are what was expected, as far as that was said.
bool AreExpected(const RunOptions& options, const std::vector<HostArray>& arrays,
                 const std::vector<HostArray>& expected, Output& output) {
  const ExpectTolerance tolerance{options.relative_tolerance, options.absolute_tolerance};
  Json::Array list;
  bool are_equal = true;
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string difference = i < arrays.size() ? Difference(arrays[i], expected[i], tolerance)
                                                     : "there is no such output";
    are_equal &= difference.empty();
    list.emplace_back(difference);
    output.Line("output ", i, difference.empty() ? " is as expected" : ": " + difference);
  }
  if (!expected.empty()) output.json()["differences"] = std::move(list);
  return are_equal;
}

int RunProgram(const LoadedPlugin& plugin, const RunOptions& options, const ProgramSource& source,
               const std::vector<HostArray>& inputs, const std::vector<HostArray>& expected,
               Output& output) {
  CrashReport crash(options.choice.plugin, output.as_json());
  std::vector<std::pair<const char*, double>> times = {{"load", plugin.load_ms}};
  Stopwatch watch;
  const auto say = [&](Progress& progress, const char* what) {
    progress.Set(what);
    crash.Set(what);
  };
  const auto lap = [&](const char* name) {
    times.emplace_back(name, watch.Milliseconds());
    watch = Stopwatch();
  };
  Progress progress("making a client");
  crash.Set("making a client");
  const Expected<client::Client> client = plugin.CreateClient(options.choice);
  if (!client.ok()) {
    return output.Fail(client.status().WithContext("PJRT_Client_Create"), kNoClient);
  }
  lap("client");
  say(progress, "compiling");
  Expected<client::LoadedExecutable> executable = CompileProgram(*client, source);
  if (!executable.ok()) {
    return output.Fail(executable.status().WithContext(options.program.path), kFailed);
  }
  lap("compile");
  const size_t num_outputs = executable->num_outputs();
  const bool has_one_file = options.outputs.size() == 1 && IsSafetensors(options.outputs[0]);
  if (options.outputs.size() > num_outputs && !has_one_file) {
    return output.Fail(InvalidArgument(options.outputs.size(), " files are given for outputs; ",
                                       options.program.path, " has ", num_outputs),
                       kUsage);
  }
  say(progress, "copying inputs");
  const Expected<Launch> launch = Prepare(*client, *std::move(executable), options, inputs);
  if (!launch.ok()) {
    return output.Fail(WithSignature(launch.status(), source, options), kFailed);
  }
  lap("inputs");
  say(progress, "running");
  Expected<std::vector<std::vector<Buffer>>> outputs = Execute(*launch, inputs.size());
  if (!outputs.ok()) {
    return output.Fail(WithSignature(outputs.status(), source, options), kFailed);
  }
  lap("run");
  std::vector<double> repeats;
  for (int i = 1; i < options.repeat; ++i) {
    progress.Set(StrCat("running ", i, " of ", options.repeat));
    const Stopwatch one;
    outputs = Execute(*launch, inputs.size());
    if (!outputs.ok()) return output.Fail(outputs.status(), kFailed);
    repeats.push_back(one.Milliseconds());
  }
  watch = Stopwatch();
  say(progress, "copying outputs");
  Json::Array list;
  std::vector<HostArray> first;  // Of the first device: what is written and compared.
  for (size_t device = 0; device < outputs->size(); ++device) {
    for (size_t i = 0; i < num_outputs; ++i) {
      Expected<HostArray> array = (*outputs)[device][i].ToHost();
      if (!array.ok()) {
        return output.Fail(array.status().WithContext(StrCat("output ", i)), kFailed);
      }
      PrintOutput(*array, device, i, outputs->size() > 1, options, list, output);
      if (device == 0) first.push_back(*std::move(array));
    }
  }
  lap("outputs");
  output.json()["outputs"] = std::move(list);
  const Status written = WriteOutputs(options, first);
  if (!written.ok()) return output.Fail(written, kUsage);
  const bool are_expected = AreExpected(options, first, expected, output);
  PrintTimes(times, std::move(repeats), output);
  return are_expected ? kDone : kFailed;
}

}  // namespace

int Run(const RunOptions& options, Output& output) {
  // Everything of the user's is read before the plugin is troubled.
  const Expected<ProgramSource> source = ReadProgram(options.program, options.device.has_value());
  if (!source.ok()) return output.Fail(source.status(), kUsage);
  const bool reads_input_twice =
      options.program.path == "-" &&
      std::find(options.inputs.begin(), options.inputs.end(), "-") != options.inputs.end();
  if (reads_input_twice) {
    return output.Fail(InvalidArgument("standard input is the program, and cannot be an input too"),
                       kUsage);
  }
  const Expected<std::vector<HostArray>> inputs = InputsOf(options, *source);
  if (!inputs.ok()) return output.Fail(inputs.status(), kUsage);
  const Expected<std::vector<HostArray>> expected = ReadInputs(options.expected, "--expect");
  if (!expected.ok()) return output.Fail(expected.status(), kUsage);
  const Expected<client::Options> create = ParseOptions(options.choice.create_options);
  if (!create.ok()) return output.Fail(create.status(), kUsage);
  const Expected<LoadedPlugin> plugin = LoadPlugin(options.choice);
  if (!plugin.ok()) return output.Fail(plugin.status(), CodeOfLoading(plugin.status()));
  Describe(*plugin, output);
  return RunProgram(*plugin, options, *source, *inputs, *expected, output);
}

}  // namespace plinth::cli
