// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/completion.h"

#include <CLI/CLI.hpp>

#include "plinth/support/str_cat.h"

namespace plinth::cli {
namespace {

// "--json --plugin ..." and the names of commands below.
std::string WordsOf(const CLI::App& app) {
  std::string words;
  const auto add = [&](std::string_view word) { words += StrCat(words.empty() ? "" : " ", word); };
  for (const CLI::App* sub : app.get_subcommands({})) add(sub->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) add("--" + name);
  }
  return words;
}

// "" list"|" run"|"manifest check"": each command after those it stands below.
void AddPatterns(const CLI::App& app, const std::string& path, std::string& patterns) {
  for (const CLI::App* sub : app.get_subcommands({})) {
    patterns += StrCat(patterns.empty() ? "\"" : "|\"", path, " ", sub->get_name(), "\"");
    AddPatterns(*sub, path.empty() ? sub->get_name() : StrCat(path, " ", sub->get_name()),
                patterns);
  }
}

// One line of a case statement for each command: "run) words="...";;".
void AddCases(const CLI::App& app, const std::string& path, std::string& cases) {
  cases += StrCat("    \"", path, "\") words=\"", WordsOf(app), "\" ;;\n");
  for (const CLI::App* sub : app.get_subcommands({})) {
    AddCases(*sub, path.empty() ? sub->get_name() : StrCat(path, " ", sub->get_name()), cases);
  }
}

}  // namespace

std::string BashCompletion(const CLI::App& app) {
  std::string patterns, cases;
  AddPatterns(app, "", patterns);
  AddCases(app, "", cases);
  return StrCat(R"(# Completion of plinth for bash: source <(plinth completion bash)
_plinth() {
  local current="${COMP_WORDS[COMP_CWORD]}" path="" words="" word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      )",
                patterns, R"() path="${path:+$path }$word" ;;
    esac
  done
  case "$path" in
)",
                cases, R"(  esac
  [[ "$path" == completion ]] && words="bash zsh fish"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ "$current" != -* && -n "$path" && "$path" != manifest ]]; then
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _plinth plinth)");
}

namespace {

// Text within single quotes of a shell.
std::string Quoted(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, text.find('\n'))) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return StrCat("'", out, "'");
}

// What zsh's _describe takes: "name:help", colons in names escaped.
std::string Described(std::string_view name, std::string_view help) {
  return Quoted(StrCat(name, ":", help));
}

void AddZshCases(const CLI::App& app, const std::string& path, std::string& cases) {
  cases += StrCat("    ", Quoted(path), ")\n      candidates=(");
  for (const CLI::App* sub : app.get_subcommands({})) {
    cases += StrCat("\n        ", Described(sub->get_name(), sub->get_description()));
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      cases += StrCat("\n        ", Described("--" + name, option->get_description()));
    }
  }
  cases += ") ;;\n";
  for (const CLI::App* sub : app.get_subcommands({})) {
    AddZshCases(*sub, path.empty() ? sub->get_name() : StrCat(path, " ", sub->get_name()), cases);
  }
}

// One line for each command and option, with the commands after which it stands.
void AddFishLines(const CLI::App& app, const std::string& path, std::string& lines) {
  const std::string condition = StrCat(" -n ", Quoted(StrCat("__plinth_at ", Quoted(path))));
  for (const CLI::App* sub : app.get_subcommands({})) {
    lines += StrCat("complete -c plinth -f", condition, " -a ", sub->get_name(), " -d ",
                    Quoted(sub->get_description()), "\n");
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      lines += StrCat("complete -c plinth", condition, " -l ", name,
                      option->get_items_expected_max() > 0 ? " -r" : "", " -d ",
                      Quoted(option->get_description()), "\n");
    }
  }
  for (const CLI::App* sub : app.get_subcommands({})) {
    AddFishLines(*sub, path.empty() ? sub->get_name() : StrCat(path, " ", sub->get_name()), lines);
  }
}

}  // namespace

std::string ZshCompletion(const CLI::App& app) {
  std::string patterns, cases;
  AddPatterns(app, "", patterns);
  AddZshCases(app, "", cases);
  return StrCat(R"(#compdef plinth
# Completion of plinth for zsh: source <(plinth completion zsh), or a file _plinth in $fpath
_plinth() {
  local at="" word
  local -a before candidates
  before=("${(@)words[2,CURRENT-1]}")
  for word in $before; do
    case "$at $word" in
      )",
                patterns, R"() at="${at:+$at }$word" ;;
    esac
  done
  case "$at" in
)",
                cases, R"(  esac
  [[ "$at" == completion ]] && candidates+=(bash zsh fish)
  _describe plinth candidates
  [[ -n "$at" && "$at" != manifest ]] && _files
}
compdef _plinth plinth)");
}

std::string FishCompletion(const CLI::App& app) {
  std::string patterns, lines;
  AddPatterns(app, "", patterns);
  AddFishLines(app, "", lines);
  // "a"|" b" as fish's `case` takes it.
  std::string words;
  for (char c : patterns) words += c == '|' ? ' ' : c;
  return StrCat(R"(# Completion of plinth for fish: plinth completion fish | source
function __plinth_at
  set -l path ""
  for word in (commandline -opc)[2..]
    switch "$path $word"
      case )",
                words, R"(
        set path (string trim "$path $word")
    end
  end
  test "$path" = "$argv[1]"
end
)",
                lines, "complete -c plinth -f -n \"__plinth_at completion\" -a \"bash zsh fish\"");
}

}  // namespace plinth::cli
