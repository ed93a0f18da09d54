// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/replay/report_json.h"

namespace plinth::layers {

Json::Object ReportToJson(const ReplayReport& report) {
  Json::Object json = {
      {"captured_plugin", report.captured_plugin},
      {"captured_platform", report.captured_platform},
      {"captured_minor", report.captured_minor},
      {"calls", report.calls},
      {"replayed", report.replayed},
      {"skipped", report.skipped},
      {"outputs_compared", report.outputs_compared},
      {"bytes_compared", report.bytes_compared},
      {"outputs_not_captured", report.outputs_not_captured},
      {"outputs_unknown", report.outputs_unknown},
      {"divergences", report.divergences},
      {"truncated", report.truncated},
      {"notes", Json::Array(report.notes.begin(), report.notes.end())},
  };
  if (report.first) {
    const ReplayDivergence& first = *report.first;
    json["first_divergence"] = Json::Object{
        {"call", first.call},     {"function", first.function},
        {"output", first.output}, {"index", Json::Array(first.index.begin(), first.index.end())},
        {"got", first.got},       {"wanted", first.wanted},
    };
  }
  return json;
}

}  // namespace plinth::layers
