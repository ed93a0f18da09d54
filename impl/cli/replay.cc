// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/replay/replay.h"

#include "impl/cli/commands.h"
#include "impl/cli/progress.h"
#include "impl/loader/files.h"

namespace plinth::cli {
namespace {

void Describe(const layers::ReplayReport& report, Output& output) {
  output.Line("captured on:        ",
              report.captured_platform.empty() ? "" : StrCat(report.captured_platform, ", "),
              report.captured_plugin, " (PJRT 0.", report.captured_minor, ")");
  const struct {
    const char* key;
    std::string_view label;
    uint64_t value;
  } counts[] = {
      {"calls", "calls", report.calls},
      {"replayed", "called again", report.replayed},
      {"skipped", "left out", report.skipped},
      {"outputs_compared", "outputs compared", report.outputs_compared},
      {"bytes_compared", "bytes compared", report.bytes_compared},
      {"outputs_not_captured", "not captured", report.outputs_not_captured},
      {"outputs_unknown", "not comparable", report.outputs_unknown},
      {"divergences", "differences", report.divergences},
  };
  for (const auto& count : counts) {
    output.Field(count.key, count.label, static_cast<int64_t>(count.value));
  }
  output.json()["captured_plugin"] = report.captured_plugin;
  output.json()["captured_platform"] = report.captured_platform;
  output.json()["captured_minor"] = report.captured_minor;
  output.json()["truncated"] = report.truncated;
  if (report.truncated) {
    output.Line("note: the captured process died; what it wrote before is complete");
  }
  for (const std::string& note : report.notes) output.Line("note: ", note);
  output.json()["notes"] = Json::Array(report.notes.begin(), report.notes.end());
  if (!report.first) return;
  output.Line("first difference:   ", report.first->ToString());
  output.json()["first_divergence"] = Json::Object{
      {"call", report.first->call},
      {"function", report.first->function},
      {"output", report.first->output},
      {"index", Json::Array(report.first->index.begin(), report.first->index.end())},
      {"got", report.first->got},
      {"wanted", report.first->wanted},
  };
}

}  // namespace

int Replay(const ReplayCommandOptions& options, Output& output) {
  const Status is_there = loader::CheckRegularFile(options.capture);
  if (!is_there.ok()) return output.Fail(is_there, kUsage);
  layers::ReplayOptions replay;
  replay.path = options.capture;
  replay.relative_tolerance = options.relative_tolerance;
  replay.absolute_tolerance = options.absolute_tolerance;
  replay.keep_going = options.keep_going;
  if (!options.choice.create_options.empty()) {
    const Expected<client::Options> create = ParseOptions(options.choice.create_options);
    if (!create.ok()) return output.Fail(create.status(), kUsage);
    replay.create_options = create->values();
  }
  const Expected<LoadedPlugin> plugin = LoadPlugin(options.choice, false);
  if (!plugin.ok()) return output.Fail(plugin.status(), CodeOfLoading(plugin.status()));
  Describe(*plugin, output);
  Progress progress("replaying");
  replay.progress = [&](uint64_t done, uint64_t total) {
    progress.Set(StrCat("replaying ", total == 0 ? 100 : 100 * done / total, " %"));
  };
  layers::ReplayReport report;
  const Status status = layers::Replay(replay, plugin->api.table(), &report);
  if (!status.ok()) {
    // Before the first call only the file can be to blame.
    const bool is_broken_file =
        report.replayed == 0 && status.code() == StatusCode::kInvalidArgument;
    return output.Fail(status, is_broken_file ? kUsage : kFailed);
  }
  Describe(report, output);
  return report.divergences == 0 ? kDone : kFailed;
}

}  // namespace plinth::cli
