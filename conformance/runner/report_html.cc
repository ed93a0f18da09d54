// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "conformance/runner/must_pass.h"
#include "conformance/runner/report.h"
#include "conformance/runner/xml_text.h"

namespace plinth::conformance {
namespace {

constexpr std::string_view kStyle = R"(
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #1c2024 }
h1 { font-size: 1.5em; margin: 0 } h2 { font-size: 1.1em; margin: 2em 0 .4em }
.bar { display: flex; height: 14px; border-radius: 3px; overflow: hidden; background: #eee }
.bar div { height: 100% }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: 3px 8px; vertical-align: top }
tr + tr { border-top: 1px solid #e4e7ea } code { font-size: 13px; overflow-wrap: anywhere }
.PASS { background: #2e8b57 } .FAIL { background: #c0392b } .CRASH { background: #7b1f14 } .HANG { background: #b9770e }
.UNSUPPORTED { background: #b8c0c8 } .WAIVED { background: #5b7fb4 }
.verdict { color: white; border-radius: 3px; padding: 0 6px; font-size: 12px; font-weight: 600 }
details > summary { cursor: pointer } .muted { color: #68727c }
)";

constexpr Verdict kOrder[] = {Verdict::kPass, Verdict::kUnsupported, Verdict::kWaived,
                              Verdict::kFail, Verdict::kHang,        Verdict::kCrash};

std::string Bar(const std::map<Verdict, int>& counts, int total) {
  std::string out = "<div class=bar>";
  for (Verdict verdict : kOrder) {
    auto found = counts.find(verdict);
    if (found == counts.end() || total == 0) continue;
    out += StrCat("<div class=", VerdictName(verdict), " title=\"", VerdictName(verdict), ": ",
                  found->second, "\" style=\"width:", 100.0 * found->second / total, "%\"></div>");
  }
  return out + "</div>";
}

// "L1/transfer" of "L1/transfer/roundtrip/f32".
std::string AreaOf(const std::string& name) {
  size_t first = name.find('/');
  size_t second = first == std::string::npos ? first : name.find('/', first + 1);
  return name.substr(0, second);
}

std::string FindingRow(const Report& report, const Result& result) {
  std::string out =
      StrCat("<tr><td><span class=\"verdict ", VerdictName(result.verdict), "\">",
             VerdictName(result.verdict), "</span>", result.is_robust ? " robust" : "",
             "</td><td><code>", XmlText(result.name), "</code>");
  for (const Finding& finding : result.findings) {
    out += StrCat("<br>", XmlText(finding.text));
    if (!finding.requirement.empty()) {
      out += StrCat("<br><span class=muted>", XmlText(finding.requirement), "</span>");
    }
  }
  if (!result.waiver.empty()) out += StrCat("<br>", XmlText(result.waiver));
  if (result.verdict != Verdict::kUnsupported) {
    out += StrCat("<br><code class=muted>", XmlText(RepeatCommand(report, result)), "</code>");
  }
  for (const std::string& note : result.notes) {
    out += StrCat("<br><span class=muted>", XmlText(note), "</span>");
  }
  return out + "</td></tr>\n";
}

}  // namespace

std::string ReportToHtml(const Report& report) {
  std::string level = ConformingLevel(report);
  std::string out = "<!doctype html><meta charset=utf-8><title>Conformance report</title><style>";
  out += kStyle;
  out += StrCat("</style><h1>", level.empty() ? "No level reached" : StrCat("Conforms to ", level),
                "</h1><p class=muted>", XmlText(report.plugin_path), " \xC2\xB7 PJRT C API ",
                XmlText(report.plugin_version), " \xC2\xB7 seed ", report.seed, "</p>");
  if (!report.error.empty()) out += StrCat("<p><b>", XmlText(report.error), "</b></p>");

  std::map<std::string, std::map<Verdict, int>> areas;
  std::map<std::string, int> totals;
  for (const Result& result : report.results) {
    ++areas[AreaOf(result.name)][result.verdict];
    ++totals[AreaOf(result.name)];
  }
  out += "<h2>Areas</h2><table>";
  for (const auto& [area, counts] : areas) {
    out += StrCat("<tr><td style=\"width:16em\">", XmlText(area), "</td><td>",
                  Bar(counts, totals[area]), "</td><td style=\"width:5em\">", totals[area],
                  "</td></tr>\n");
  }
  out += "</table><p>";
  for (Verdict verdict : kOrder) {
    out += StrCat("<span class=\"verdict ", VerdictName(verdict), "\">", VerdictName(verdict), " ",
                  report.Count(verdict), "</span> ");
  }
  out += "<span class=muted>without those of class robust, which never lower a level</span></p>";

  std::string open, rest;
  for (const Result& result : report.results) {
    if (result.verdict == Verdict::kPass) continue;
    (result.verdict == Verdict::kUnsupported ? rest : open) += FindingRow(report, result);
  }
  out += StrCat("<h2>Findings</h2><table>", open.empty() ? "<tr><td>none</td></tr>" : open,
                "</table>");
  out += StrCat("<h2>Not supported by the plugin</h2><details><summary>show</summary><table>", rest,
                "</table></details>");
  out += StrCat("<h2>Requirements without a case</h2><details><summary>", report.uncovered.size(),
                "</summary><p>");
  for (const std::string& id : report.uncovered) out += StrCat("<code>", XmlText(id), "</code> ");
  return out + "</p></details>\n";
}

}  // namespace plinth::conformance
