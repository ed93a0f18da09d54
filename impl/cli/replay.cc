// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/replay/replay.h"

#include "impl/cli/commands.h"
#include "impl/cli/progress.h"
#include "impl/layers/replay/report_json.h"
#include "impl/loader/files.h"

namespace plinth::cli {
namespace {

void Describe(const layers::ReplayReport& report, Output& output) {
  for (const auto& [key, value] : layers::ReportToJson(report)) output.json()[key] = value;
  output.Line("captured on:        ",
              report.captured_platform.empty() ? "" : StrCat(report.captured_platform, ", "),
              report.captured_plugin, " (PJRT 0.", report.captured_minor, ")");
  const struct {
    const char* key;
    std::string_view label;
  } counts[] = {
      {"calls", "calls"},
      {"replayed", "called again"},
      {"skipped", "left out"},
      {"outputs_compared", "outputs compared"},
      {"bytes_compared", "bytes compared"},
      {"outputs_not_captured", "not captured"},
      {"outputs_unknown", "not comparable"},
      {"divergences", "differences"},
  };
  for (const auto& count : counts) {
    output.Field(count.key, count.label, *output.json().At(count.key).AsInteger());
  }
  if (report.truncated) {
    output.Line("note: the captured process died; what it wrote before is complete");
  }
  for (const std::string& note : report.notes) output.Line("note: ", note);
  if (report.first) output.Line("first difference:   ", report.first->ToString());
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
