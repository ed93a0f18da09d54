// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/manual.h"

#include <CLI/CLI.hpp>
#include <string_view>

#include "plinth/support/str_cat.h"

namespace plinth::cli {
namespace {

// Text as roff takes it: no requests at the beginning of a line, no escapes, hyphens as such.
std::string Roff(std::string_view text) {
  std::string out;
  bool at_start = true;
  for (char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    at_start = c == '\n';
  }
  return out;
}

// Options one after the other; help of several lines keeps its lines.
void AddOptions(const CLI::App& app, std::string& page) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    std::string names = option->get_name(false, true);
    if (option->get_positional()) names = option->get_name(true);
    page += StrCat(".TP\n.B ", Roff(names), "\n", Roff(option->get_description()), "\n");
    if (option->get_description().find('\n') == std::string::npos) continue;
    page.insert(page.rfind(Roff(option->get_description())), ".nf\n");
    page += ".fi\n";
  }
}

void AddCommand(const CLI::App& app, const std::string& path, std::string& page) {
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (sub->get_group().empty()) continue;
    const std::string name = StrCat(path, " ", sub->get_name());
    page += StrCat(".SS ", Roff(name), "\n", Roff(sub->get_description()), "\n");
    AddOptions(*sub, page);
    AddCommand(*sub, name, page);
  }
}

}  // namespace

std::string ManualPage(const CLI::App& app) {
  std::string page = StrCat(".TH ", app.get_name(), " 1\n.SH NAME\n", app.get_name(), " \\- ",
                            Roff(app.get_description()), "\n.SH SYNOPSIS\n.B ", app.get_name(),
                            "\nCOMMAND [OPTIONS]\n.SH OPTIONS\n");
  AddOptions(app, page);
  page += ".SH COMMANDS\n";
  AddCommand(app, app.get_name(), page);
  const std::string footer = app.get_footer();
  std::string_view codes = footer;
  codes.remove_prefix(std::min(codes.size(), codes.find('\n') + 1));
  return StrCat(page, ".SH EXIT STATUS\n.nf\n", Roff(codes), "\n.fi\n");
}

}  // namespace plinth::cli
