// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/report.h"
#include "conformance/runner/xml_text.h"

namespace plinth::conformance {

std::string ReportToJunit(const Report& report) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += StrCat("<testsuite name=\"plinth-conformance\" tests=\"", report.results.size(), "\">\n");
  if (!report.error.empty()) {
    out += StrCat("<testcase name=\"load\"><error message=\"", XmlText(report.error),
                  "\"/></testcase>\n");
  }
  for (const Result& result : report.results) {
    out += StrCat("<testcase classname=\"", result.is_robust ? "robust" : "contract", "\" name=\"",
                  XmlText(result.name), "\" time=\"", result.seconds, "\">");
    std::string text;
    for (const Finding& finding : result.findings) {
      text += StrCat(finding.requirement, ": ", finding.text, "\n");
    }
    switch (result.verdict) {
      case Verdict::kPass:
        break;
      case Verdict::kUnsupported:
      case Verdict::kWaived:
        for (const std::string& note : result.notes) text += note + "\n";
        out += StrCat("<skipped message=\"", XmlText(result.waiver + text), "\"/>");
        break;
      case Verdict::kFail:
        out += StrCat("<failure message=\"FAIL\">", XmlText(text), "</failure>");
        break;
      case Verdict::kCrash:
      case Verdict::kHang:
        out += StrCat("<error message=\"", VerdictName(result.verdict), "\">", XmlText(text),
                      "</error>");
        break;
    }
    out += "</testcase>\n";
  }
  return out + "</testsuite>\n";
}

}  // namespace plinth::conformance
