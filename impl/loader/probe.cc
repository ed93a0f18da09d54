// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/probe.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/auxv.h>

#include "impl/loader/child_process.h"
#include "impl/loader/files.h"
#include "plinth/support/json.h"

namespace plinth::loader {
namespace {

// The dynamic linker of this process; given a library, it runs that as a program. So the probe
// needs no second file, and no right to execute this one.
std::string DynamicLinker() {
  // Where the kernel has put it; nowhere, if the process was itself started through it.
  auto* base = reinterpret_cast<void*>(getauxval(AT_BASE));
  Dl_info info;
  if (base != nullptr && dladdr(base, &info) != 0 && info.dli_fname != nullptr &&
      info.dli_fname[0] == '/') {
    return info.dli_fname;
  }
#if defined(__aarch64__)
  return "/lib/ld-linux-aarch64.so.1";
#else
  return "/lib64/ld-linux-x86-64.so.2";
#endif
}

std::string RequestText(const OpenOptions& open, const ProbeOptions& options,
                        const std::string& create_options_json) {
  const Json request = Json::Object{
      {"path", open.path},
      {"layers", Json::Array(open.layer_specs.begin(), open.layer_specs.end())},
      {"api_minor", open.api_minor},
      {"allow_old", open.allow_old},
      {"default_layouts", open.default_layouts},
      {"create_client", options.create_client},
      {"create_options", create_options_json},
  };
  return request.ToString();
}

// Adds what the lines of the child say: a later line replaces the same key of an earlier one. A
// line that was cut off by the child's end is left out.
void Merge(Json::Object& result, const std::string& lines) {
  for (const std::string& line : Split(lines, '\n')) {
    const Expected<Json::Object> record = Json::ParseObject(line);
    if (!record.ok()) continue;
    for (const auto& [key, value] : *record) result[key] = value;
  }
}

std::string SignalName(int number) {
  constexpr struct {
    int number;
    const char* name;
  } kSignals[] = {
      {SIGABRT, "SIGABRT"}, {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
      {SIGILL, "SIGILL"},   {SIGKILL, "SIGKILL"}, {SIGTRAP, "SIGTRAP"}, {SIGTERM, "SIGTERM"},
      {SIGSYS, "SIGSYS"},   {SIGALRM, "SIGALRM"}, {SIGXCPU, "SIGXCPU"}, {SIGPIPE, "SIGPIPE"},
  };
  for (const auto& known : kSignals) {
    if (known.number == number) return known.name;
  }
  return StrCat("signal ", number);
}

// What the child's end means, for programs and for people.
void AddVerdict(Json::Object& result, const ChildResult& child, std::chrono::milliseconds timeout) {
  const std::string stage(result.At("stage").Text());
  const std::string failure(result.At("failure").Text());
  std::string verdict, message;
  if (child.timed_out) {
    verdict = "hung";
    message = StrCat("no answer from '", stage, "' within ", timeout.count(), " ms");
  } else if (stage == "done" || !failure.empty()) {
    verdict = failure.empty() ? "works" : "fails";
    message = failure;
  } else if (child.signal != 0) {
    verdict = "crashed";
    message = StrCat("'", stage, "' ended the process with ", SignalName(child.signal));
  } else {
    verdict = "exited";
    message = StrCat("'", stage, "' ended the process with exit code ", child.exit_code);
  }
  result.Erase("failure");
  result["verdict"] = verdict;
  result["message"] = message;
  result["elapsed_ms"] = child.elapsed.count();
  if (verdict == "crashed") result["signal"] = SignalName(child.signal);
  if (verdict == "exited") result["exit_code"] = child.exit_code;
  result["standard_error"] = child.errors;
}

}  // namespace

Expected<std::string> Probe(const LoadRequest& request, const ProbeOptions& options) {
  PLINTH_ASSIGN_OR_RETURN(Prepared prepared, Prepare(request));
  const Candidate& plugin = prepared.selection.plugin;
  std::string create_options = options.create_options_json;
  if (create_options.empty()) {
    create_options = plugin.create_options_json;
  } else if (auto parsed = Json::ParseObject(create_options); !parsed.ok()) {
    return parsed.status().WithContext("create_options_json");
  }
  std::string own_path = OwnPath();
  if (own_path.empty() || IsSameFile(own_path, "/proc/self/exe")) {
    return FailedPrecondition(
        "a probe runs libplinth.so as its child; here libplinth is a part of ",
        own_path.empty() ? "the program" : own_path);
  }
  ChildRequest child_request;
  child_request.command = {DynamicLinker(), own_path, kProbeArgument};
  child_request.empty_environment = request.environment.privileged;
  child_request.input = RequestText(prepared.open, options, create_options);
  child_request.timeout = options.timeout;
  PLINTH_ASSIGN_OR_RETURN(ChildResult child, RunChild(child_request));

  Json::Object result{
      {"name", plugin.name},   {"path", plugin.path}, {"source", plugin.source},
      {"found", plugin.found}, {"stage", "start"},
  };
  if (Expected<Json> used = Json::Parse(create_options); used.ok()) {
    result["create_options"] = *std::move(used);
  }
  Merge(result, child.output);
  AddVerdict(result, child, options.timeout);
  return Json(std::move(result)).ToString();
}

}  // namespace plinth::loader
