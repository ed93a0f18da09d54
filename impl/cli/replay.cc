#include "impl/layers/replay/replay.h"

#include <cjson/cJSON.h>

#include "impl/cli/commands.h"
#include "impl/cli/progress.h"
#include "impl/loader/files.h"
#include "impl/loader/named_value_json.h"

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
  loader::JsonAddText(output.json(), "captured_plugin", report.captured_plugin);
  loader::JsonAddText(output.json(), "captured_platform", report.captured_platform);
  cJSON_AddNumberToObject(output.json(), "captured_minor", report.captured_minor);
  cJSON_AddBoolToObject(output.json(), "truncated", report.truncated);
  if (report.truncated)
    output.Line("note: the captured process died; what it wrote before is complete");
  loader::Json notes(cJSON_CreateArray());
  for (const std::string& note : report.notes) {
    output.Line("note: ", note);
    loader::JsonAppend(notes.get(), loader::JsonTextValue(note));
  }
  loader::JsonAdd(output.json(), "notes", std::move(notes));
  if (!report.first) return;
  output.Line("first difference:   ", report.first->ToString());
  loader::Json first(cJSON_CreateObject());
  loader::JsonAdd(first.get(), "call",
                  loader::JsonInteger(static_cast<int64_t>(report.first->call)));
  loader::JsonAddText(first.get(), "function", report.first->function);
  loader::JsonAddText(first.get(), "output", report.first->output);
  loader::JsonAdd(first.get(), "index", loader::ValueToJson(Value(report.first->index)));
  loader::JsonAddText(first.get(), "got", report.first->got);
  loader::JsonAddText(first.get(), "wanted", report.first->wanted);
  loader::JsonAdd(output.json(), "first_divergence", std::move(first));
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
