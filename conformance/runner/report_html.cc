// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "conformance/runner/causes.h"
#include "conformance/runner/must_pass.h"
#include "conformance/runner/next_level.h"
#include "conformance/runner/report.h"
#include "conformance/runner/xml_text.h"
#include "plinth/reflection/reflection.h"

namespace plinth::conformance {
namespace {

// White on each verdict's colour, and text on each background, have a contrast of 4.5 at least.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --text: #1c2024; --muted: #57606a; --page: #ffffff; --card: #f4f6f8; --line: #d5dade; --link: #0b5cad }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --muted: #a3adb8; --page: #14171a; --card: #1e2327; --line: #3a4249; --link: #7ab8ff } }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem; color: var(--text); background: var(--page); overflow-wrap: anywhere }
h1 { font-size: 1.6rem; margin: .3rem 0 } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem }
a { color: var(--link) } code { font: 13px/1.4 ui-monospace, monospace } p { margin: .4rem 0 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 1rem 0 } dt { color: var(--muted) } dd { margin: 0 }
.row { display: grid; grid-template-columns: 14rem 1fr 16rem; gap: .2rem 1rem; align-items: center; padding: .25rem 0; border-top: 1px solid var(--line) }
.bar { display: flex; height: 14px; border-radius: 3px; overflow: hidden; background: var(--line) }
.bar span { min-width: 2px }
.bar .none { min-width: 0 }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; margin: .6rem 0 }
.verdict { color: #ffffff; border-radius: 3px; padding: 0 .4rem; font-size: 13px; font-weight: 600; white-space: nowrap }
.PASS { background: #1a7f37 } .FAIL { background: #b42318 } .CRASH { background: #6b1a12 } .HANG { background: #8a5300 }
.UNSUPPORTED { background: #57606a } .WAIVED { background: #2f5f9e }
.muted { color: var(--muted) } summary { cursor: pointer } blockquote { margin: .3rem 0; padding-left: .7rem; border-left: 3px solid var(--line) }
.filter { position: sticky; top: 0; background: var(--page); padding: .5rem 0; display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center }
.filter input[type=search] { flex: 1 1 14rem; font: inherit; padding: .3rem .5rem; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 4px }
pre { white-space: pre-wrap; margin: .3rem 0 }
@media (max-width: 40rem) { .row { grid-template-columns: 1fr } dl { grid-template-columns: 1fr } dd { margin-bottom: .4rem } }
)";

// Hides what does not match; without it the page shows everything.
constexpr std::string_view kScript = R"(
const box = document.querySelector('.filter');
function filter() {
  const words = box.querySelector('[type=search]').value.toLowerCase().split(/\s+/);
  const verdicts = new Set([...box.querySelectorAll('[type=checkbox]:checked')].map(c => c.value));
  let shown = 0;
  for (const card of document.querySelectorAll('[data-verdict]')) {
    const text = card.textContent.toLowerCase();
    card.hidden = !verdicts.has(card.dataset.verdict) || !words.every(w => text.includes(w));
    shown += card.hidden ? 0 : 1;
  }
  box.querySelector('output').textContent = shown + ' shown';
}
box.addEventListener('input', filter);
filter();
function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = target && target.closest('details');
  if (details) { details.open = true; target.scrollIntoView(); }
}
addEventListener('hashchange', open);
open();
)";

struct Legend {
  Verdict verdict;
  std::string_view meaning;
};
constexpr Legend kLegend[] = {
    {Verdict::kPass, "what the API promises holds"},
    {Verdict::kUnsupported,
     "the plugin says that it lacks this, and may; it does not count against "
     "a level unless the case must pass"},
    {Verdict::kWaived, "failed, and a waiver says why it is tolerated and until when"},
    {Verdict::kFail, "a promise does not hold"},
    {Verdict::kHang, "no answer in time"},
    {Verdict::kCrash, "the process ended"},
};

std::string VerdictMark(Verdict verdict, std::string_view text = "") {
  return StrCat("<span class=\"verdict ", VerdictName(verdict), "\">", VerdictName(verdict), text,
                "</span>");
}

using Counts = std::map<Verdict, int>;

// Widths in proportion to counts, which are also said in numbers.
std::string CountsRow(std::string_view name, const Counts& counts) {
  std::string bar, numbers;
  int total = 0;
  for (const Legend& legend : kLegend) {
    auto found = counts.find(legend.verdict);
    if (found == counts.end()) continue;
    std::string_view verdict = VerdictName(legend.verdict);
    bar += StrCat("<span class=\"", verdict, "\" data-count=\"", found->second,
                  "\" style=\"flex-grow:", found->second, "\" title=\"", verdict, ": ",
                  found->second, "\"></span>");
    numbers += StrCat(numbers.empty() ? "" : ", ", found->second, " ", verdict);
    total += found->second;
  }
  return StrCat("<div class=row data-total=\"", total, "\"><div>", XmlText(name),
                "</div><div class=bar role=img aria-label=\"", XmlText(numbers), "\">", bar,
                "</div><div class=muted>", total, ": ", XmlText(numbers), "</div></div>\n");
}

// "L1/transfer" of "L1/transfer/roundtrip/f32".
std::string AreaOf(const std::string& name) {
  size_t first = name.find('/');
  size_t second = first == std::string::npos ? first : name.find('/', first + 1);
  return name.substr(0, second);
}

std::string RequirementText(const std::string& id) {
  if (id.empty()) return "";
  const auto* requirement = reflection::FindRequirement(id);
  return StrCat("<blockquote><code>", XmlText(id), "</code>",
                requirement == nullptr ? "" : " " + XmlText(requirement->text.view()),
                "</blockquote>");
}

std::string CaseLink(const Result& result) {
  return StrCat("<a href=\"#", XmlText(result.name), "\" id=\"", XmlText(result.name), "\"><code>",
                XmlText(result.name), "</code></a>");
}

// All results of one cause: the first in full, the others by name and reason.
std::string Card(const Report& report, const Cause& cause) {
  const Result& first = cause.first();
  std::string out =
      StrCat("<div class=card data-verdict=\"", VerdictName(first.verdict), "\"><p>",
             VerdictMark(first.verdict), first.is_robust ? " robust " : " ", CaseLink(first));
  if (cause.results.size() > 1) {
    out += StrCat(" and ", cause.results.size() - 1, " more of ", XmlText(GroupName(first.name)));
  }
  out += "</p>";
  for (const Finding& finding : first.findings) {
    out += StrCat("<pre>", XmlText(finding.text), "</pre>", RequirementText(finding.requirement));
  }
  if (!first.waiver.empty()) out += StrCat("<p>", XmlText(first.waiver), "</p>");
  for (const std::string& note : first.notes) {
    out += StrCat("<pre class=muted>", XmlText(note), "</pre>");
  }
  if (first.verdict != Verdict::kUnsupported) {
    out += StrCat("<p class=muted>repeat: <code>", XmlText(RepeatCommand(report, first)),
                  "</code></p>");
  }
  if (cause.results.size() > 1) {
    out += StrCat("<details><summary>the other ", cause.results.size() - 1, "</summary><ul>");
    for (size_t i = 1; i < cause.results.size(); ++i) {
      const Result& result = *cause.results[i];
      out += StrCat("<li>", CaseLink(result), ": ", XmlText(ReasonOf(result)), "</li>\n");
    }
    out += "</ul></details>";
  }
  return out + "</div>\n";
}

std::string Cards(const Report& report, const std::function<bool(const Result&)>& wants) {
  std::string out;
  for (const Cause& cause : CausesOf(report, wants)) out += Card(report, cause);
  return out.empty() ? "<p>none</p>" : out;
}

std::string Title(const Report& report) {
  if (!report.error.empty()) return "The plugin cannot be examined";
  if (!report.no_client.empty()) return "The plugin makes no client";
  std::string level = ConformingLevelText(report);
  return level.empty() ? "No level reached" : StrCat("Conforms to ", level);
}

std::string Facts(const Report& report) {
  std::string out = "<dl>";
  const auto add = [&](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    out += StrCat("<dt>", XmlText(name), "</dt><dd>", XmlText(text), "</dd>\n");
  };
  add("plugin", report.plugin_path);
  add("SHA-256", report.plugin_sha256);
  add("PJRT C API", report.plugin_version);
  add("seed", StrCat(report.seed));
  for (const auto& [name, text] : report.facts) add(name, text);
  return out + "</dl>";
}

std::string Levels(const Report& report) {
  std::string out = "<h2 id=levels>Levels</h2>";
  std::string level = ConformingLevel(report);
  for (const char* each : {"L0", "L1", "L2", "L3", "L4"}) {
    size_t needed = MustPass(each, report.plugin_minor).size();
    if (needed == 0) continue;
    size_t lacking = LackingDevices(report, each);
    size_t missing = MissingMustPass(report, each).size() + lacking;
    out += StrCat(
        "<div class=row><div><b>", each, "</b> ",
        each <= level              ? "reached"
        : IsLookedAt(report, each) ? "not reached"
                                   : "not run",
        "</div><div class=bar role=img aria-label=\"", needed - missing, " of ", needed,
        " that must pass\"><span class=\"PASS", missing == needed ? " none" : "",
        "\" style=\"flex-grow:", needed - missing,
        "\"></span><span class=none style=\"flex-grow:", missing,
        "\"></span></div><div class=muted>", needed - missing, " of ", needed, " that must pass",
        lacking == 0 ? "" : StrCat("; ", lacking, " need more devices"), "</div></div>\n");
  }
  NextLevel next = WhatIsNext(report);
  if (next.level.empty() || !next.is_asked) return out;
  out += StrCat("<h2 id=next>What ", next.level, " needs</h2>");
  for (const Lack& lack : next.lacks) {
    out += StrCat("<div class=card><p><b>", XmlText(lack.verdict), "</b> <code>",
                  XmlText(lack.cases[0]), "</code>");
    if (lack.cases.size() > 1) out += StrCat(" and ", lack.cases.size() - 1, " more");
    out += StrCat("</p><pre>", XmlText(lack.reason), "</pre>", RequirementText(lack.requirement),
                  "</div>\n");
  }
  return out;
}

std::string Areas(const Report& report) {
  Counts contract, robust;
  std::map<std::string, Counts> areas;
  for (const Result& result : report.results) {
    ++areas[AreaOf(result.name)][result.verdict];
    ++(result.is_robust ? robust : contract)[result.verdict];
  }
  std::string out = "<h2 id=areas>Areas</h2>";
  out += CountsRow("all of class contract", contract);
  if (!robust.empty()) out += CountsRow("all of class robust, which lowers no level", robust);
  for (const auto& [area, counts] : areas) out += CountsRow(area, counts);
  out += "<h2 id=legend>Verdicts</h2><dl>";
  for (const Legend& legend : kLegend) {
    out += StrCat("<dt>", VerdictMark(legend.verdict), "</dt><dd>", legend.meaning, "</dd>");
  }
  return out + "</dl>";
}

std::string Filter() {
  std::string out =
      "<div class=filter><input type=search placeholder=\"filter by name, text, requirement\" "
      "aria-label=filter>";
  for (const Legend& legend : kLegend) {
    if (legend.verdict == Verdict::kPass) continue;
    out += StrCat("<label><input type=checkbox value=", VerdictName(legend.verdict), " checked> ",
                  VerdictMark(legend.verdict), "</label>");
  }
  return out + "<output class=muted></output></div>";
}

}  // namespace

std::string ReportToHtml(const Report& report) {
  std::string title = Title(report);
  std::string out = StrCat(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\"><title>",
      title, "</title><style>", kStyle, "</style></head><body>\n<h1>", title, "</h1>");
  for (const std::string& text : {report.error, report.no_client}) {
    if (!text.empty()) out += StrCat("<pre class=card>", XmlText(text), "</pre>");
  }
  out += Facts(report) + Levels(report) + Areas(report);
  out += StrCat("<h2 id=findings>Findings</h2>", Filter(), Cards(report, [](const Result& result) {
                  return !result.is_robust && result.verdict != Verdict::kPass &&
                         result.verdict != Verdict::kUnsupported;
                }));
  out += StrCat(
      "<h2 id=robust>Class robust</h2><p class=muted>Null pointers, unknown enums, wrong "
      "order: what frameworks never do. It lowers no level.</p>",
      Cards(report, [](const Result& result) {
        return result.is_robust && result.verdict != Verdict::kPass &&
               result.verdict != Verdict::kUnsupported;
      }));
  out += StrCat(
      "<h2 id=unsupported>Not supported by the plugin</h2><details><summary>",
      report.Count(Verdict::kUnsupported) + report.CountRobust(Verdict::kUnsupported), "</summary>",
      Cards(report, [](const Result& result) { return result.verdict == Verdict::kUnsupported; }),
      "</details>");
  out += StrCat(
      "<h2 id=uncovered>Requirements that no case is known to see broken</h2><details><summary>",
      report.uncovered.size(), "</summary><p>");
  for (const std::string& id : report.uncovered) out += StrCat("<code>", XmlText(id), "</code> ");
  return out + StrCat("</p></details>\n<script>", kScript, "</script></body></html>\n");
}

}  // namespace plinth::conformance
