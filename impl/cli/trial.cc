// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/trial.h"

#include <string_view>
#include <utility>
#include <vector>

#include "impl/cli/program.h"
#include "impl/loader/child_process.h"

namespace plinth::cli {
namespace {

constexpr std::string_view kFallback = "plinth_fallback.";
constexpr std::string_view kFallbackBytes = "plinth_fallback_bytes";

// This command once more, about the same plugin.
std::vector<std::string> CommandFor(const char* command, const std::string& program,
                                    const PluginChoice& choice) {
  std::vector<std::string> words = {"/proc/self/exe", command,    program,
                                    "--json",         "--plugin", choice.plugin};
  const auto add = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(name);
    words.push_back(value);
  };
  if (choice.layers) words.push_back(StrCat("--layers=", *choice.layers));
  add("--manifest-path", choice.manifest_path);
  add("--allow", choice.allow);
  add("--deny", choice.deny);
  if (choice.allow_old) words.emplace_back("--allow-old");
  for (const std::string& option : choice.create_options) add("--option", option);
  return words;
}

// The JSON object that a command prints; its error as a status.
Expected<Json> Ask(std::vector<std::string> command, int timeout_ms) {
  loader::ChildRequest request;
  const std::string name = StrCat(command[1], " ", command[2]);
  request.command = std::move(command);
  request.timeout = std::chrono::milliseconds(timeout_ms);
  request.result_file = 1;
  PLINTH_ASSIGN_OR_RETURN(const loader::ChildResult child, loader::RunChild(request));
  if (child.timed_out) {
    return Status(StatusCode::kDeadlineExceeded,
                  StrCat("`plinth ", name, "` did not end within ", timeout_ms, " ms"));
  }
  Expected<Json> json = Json::Parse(child.output);
  if (!json.ok()) {
    return Internal("`plinth ", name, "` ended ",
                    child.signal != 0 ? StrCat("by signal ", child.signal)
                                      : StrCat("with exit code ", child.exit_code),
                    " and said: ", child.errors.empty() ? "nothing" : child.errors);
  }
  if (const Json* error = json->Find("error"); error != nullptr) {
    return Internal(error->At("code").Text(), ": ", error->At("message").Text());
  }
  return json;
}

// "sine (1 step), 8 bytes", as far as the plugin tells it.
std::string OnTheHost(const Json& cost) {
  std::string text, bytes;
  for (const auto& [name, value] : cost.Members()) {
    if (name.starts_with(kFallback)) {
      text += StrCat(text.empty() ? "" : ", ", name.substr(kFallback.size()), " (",
                     value.ToString(), value.ToString() == "1" ? " step)" : " steps)");
    } else if (name == kFallbackBytes) {
      bytes = StrCat(", ", value.ToString(), " bytes");
    }
  }
  return text.empty() ? text : text + bytes;
}

Status TryOn(const ProbeOptions& options, const std::string& program, Json::Object& json,
             Output& output) {
  ProgramOptions file;
  file.path = program;
  PLINTH_ASSIGN_OR_RETURN(const ProgramSource source, ReadProgram(file, false));
  PLINTH_ASSIGN_OR_RETURN(const Json compiled,
                          Ask(CommandFor("compile", program, options.choice), options.timeout_ms));
  json["compile_ms"] = compiled.At("compile_ms");
  json["cost"] = compiled.At("cost");
  std::string line = StrCat("compiled in ", compiled.At("compile_ms").ToString(), " ms");
  Status ran;
  if (SignatureOf(source).empty()) {
    line += "; not run: its text does not say what it takes";
  } else {
    std::vector<std::string> command = CommandFor("run", program, options.choice);
    command.insert(command.end(), {"--random", "--quiet"});
    if (Expected<Json> run = Ask(std::move(command), options.timeout_ms); run.ok()) {
      json["times_ms"] = run->At("times_ms");
      line += StrCat(", ran in ", run->At("times_ms").At("run").ToString(), " ms");
    } else {
      ran = run.status();
    }
  }
  output.Line("  ", program, ": ", line);
  if (const std::string host = OnTheHost(compiled.At("cost")); !host.empty()) {
    output.Line("    on the host: ", host);
  }
  return ran;
}

}  // namespace

bool Try(const ProbeOptions& options, const std::string& program, Json::Array& list,
         Output& output) {
  Json::Object json{{"program", program}};
  const Status status = TryOn(options, program, json, output);
  json["works"] = status.ok();
  if (!status.ok()) {
    json["failure"] = status.ToString();
    output.Line("  problem: ", status.message());
  }
  list.emplace_back(std::move(json));
  return status.ok();
}

}  // namespace plinth::cli
