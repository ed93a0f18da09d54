// SPDX-License-Identifier: Apache-2.0
// What bundles say, for people: one as text, many as a page.
#include <algorithm>
#include <filesystem>

#include "conformance/runner/bundle.h"
#include "conformance/runner/xml_text.h"
#include "plinth/support/str_cat.h"

namespace plinth::conformance {
namespace {

constexpr std::string_view kTableStyle = R"(
:root { color-scheme: light dark; --text: #1c2024; --page: #ffffff; --line: #d5dade; --yes: #1a7f37; --no: #57606a; --bad: #b42318 }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --page: #14171a; --line: #3a4249; --yes: #4ac26b; --no: #a3adb8; --bad: #ff8278 } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 80rem; padding: 1rem; color: var(--text); background: var(--page); overflow-wrap: anywhere }
.wide { overflow-x: auto } table { border-collapse: collapse } td, th { text-align: left; padding: .3rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top }
.yes { color: var(--yes); font-weight: 600 } .no { color: var(--no) } .bad { color: var(--bad) } code { font-size: 13px }
)";

std::string Row(const std::string& file, const BundleCheck& check) {
  std::string out =
      StrCat("<tr><td>", XmlText(check.plugin.empty() ? file : check.plugin), "<br><code>",
             XmlText(check.plugin_sha256.substr(0, 16)), "</code></td>");
  for (std::string_view key : {"product", "company", "device"}) {
    out += StrCat("<td>", XmlText(check.statement.Get(key)), "</td>");
  }
  out += StrCat("<td>", check.minor == 0 ? "" : StrCat("0.", check.minor), "</td>");
  bool holds = check.problems.empty();
  for (const char* level : {"L0", "L1", "L2", "L3", "L4"}) {
    bool is_reached = holds && level <= check.level;
    out += is_reached ? "<td class=yes>yes</td>" : "<td class=no>no</td>";
  }
  out += StrCat("<td>", check.waived.size(), "</td><td>", XmlText(check.statement.Get("date")),
                "</td><td>", check.signer.empty() ? "no" : XmlText(check.signer), "</td><td>");
  if (holds) {
    out += check.level.empty() ? "holds" : StrCat("holds: ", XmlText(check.level_text));
  } else {
    out += StrCat("<span class=bad>does not hold: ", XmlText(check.problems[0]), "</span>");
  }
  return out + "</td></tr>\n";
}

}  // namespace

std::string ToText(const BundleCheck& check) {
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    text +=
        StrCat(name, ":", std::string(name.size() < 18 ? 19 - name.size() : 1, ' '), value, "\n");
  };
  line("plugin", check.plugin);
  line("SHA-256", check.plugin_sha256);
  line("suite", check.suite);
  line("level", check.level.empty() ? "none" : check.level_text);
  if (check.minor != 0) line("PJRT C API", StrCat("0.", check.minor));
  line("waived", StrCat(check.waived.size()));
  for (const std::string& waived : check.waived) text += StrCat("  ", waived, "\n");
  for (const auto& [name, answer] : check.statement.answers) line(name, answer);
  line("signature", check.signer.empty() ? "none" : check.signer);
  for (const std::string& problem : check.problems) text += problem + "\n";
  if (!check.problems.empty()) return text + "the bundle does not hold\n";
  std::string_view company = check.statement.Get("company");
  return StrCat(text, "the bundle holds: these results ",
                check.level.empty()
                    ? "reach no level"
                    : StrCat("make a plugin of this hash conform to ", check.level_text),
                "; that they were measured with it is the word of ",
                company.empty() ? "whoever submits it" : company, "\n");
}

Expected<std::string> BundleTable(const std::string& folder, const std::vector<Case>& cases) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (IsBundleFile(entry.path().string())) paths.push_back(entry.path());
  }
  if (error) return NotFound("cannot read the folder ", folder, ": ", error.message());
  if (paths.empty()) return NotFound("no bundle (*.tar.gz) is in ", folder);
  std::sort(paths.begin(), paths.end());
  std::string out = StrCat(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">"
      "<title>Plugins and levels</title><style>",
      kTableStyle, "</style></head><body><h1>Plugins and levels</h1><div class=wide><table>\n<tr>");
  for (const char* name : {"plugin", "product", "company", "device", "PJRT", "L0", "L1", "L2", "L3",
                           "L4", "waived", "date", "signed by", "bundle"}) {
    out += StrCat("<th>", name, "</th>");
  }
  out += "</tr>\n";
  for (const auto& path : paths) {
    out += Row(path.filename().string(), CheckBundle(path.string(), cases, ""));
  }
  return out + "</table></div></body></html>\n";
}

}  // namespace plinth::conformance
