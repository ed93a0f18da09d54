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
  [[ "$path" == completion ]] && words="bash"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ "$current" != -* && -n "$path" && "$path" != manifest ]]; then
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _plinth plinth)");
}

}  // namespace plinth::cli
