// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "impl/loader/elf_file.h"
#include "impl/loader/files.h"
#include "impl/loader/log_hub.h"
#include "impl/loader/open.h"
#include "impl/loader/probe.h"
#include "impl/loader/probe_questions.h"
#include "plinth/support/json.h"

namespace plinth::loader {
namespace {

constexpr size_t kMaxRequest = 1 << 20;

// Writes one line at once, so that a crash cuts off no earlier one.
class Records {
 public:
  explicit Records(int file) : file_(file) {}

  void Write(const char* key, Json value) const {
    Json::Object record;
    record[key] = std::move(value);
    const std::string line = Json(std::move(record)).ToString() + "\n";
    [[maybe_unused]] ssize_t written = write(file_, line.data(), line.size());
  }
  void Stage(const char* name) const { Write("stage", name); }

 private:
  int file_;
};

// The libraries that are not there, of all that a plugin is linked to and those are linked to. A
// library that is there and needs one of them is not to blame.
class MissingLibraries {
 public:
  explicit MissingLibraries(const std::string& path) { LookAt(path, 0); }

  Json ToJson() const {
    Json::Array list;
    for (const Missing& missing : missing_) {
      Json::Object entry{{"name", missing.name}, {"reason", missing.reason}};
      if (!missing.needed_by.empty()) entry["needed_by"] = missing.needed_by;
      list.emplace_back(std::move(entry));
    }
    return list;
  }

 private:
  struct Missing {
    std::string name, reason, needed_by;
  };
  static constexpr int kMaxDepth = 16;

  void LookAt(const std::string& path, int depth) {
    if (depth > kMaxDepth || !seen_.insert(path).second) return;
    Expected<ElfNeeds> needs = ReadElfNeeds(path);
    if (!needs.ok()) return;
    for (const std::string& name : needs->libraries) {
      std::string library = name;
      for (const std::string& folder : needs->folders) {
        std::string candidate = Below(folder, name);
        if (library == name && CheckRegularFile(candidate).ok()) library = candidate;
      }
      if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) continue;
      const char* error = dlerror();
      const std::string reason = error == nullptr ? "" : error;
      // "libccl.so.1: cannot open shared object file: ...": which one, the linker says.
      size_t end = reason.find(": cannot open shared object file");
      std::string leaf = end == std::string::npos ? name : reason.substr(0, end);
      if (leaf == library) leaf = name;
      Add({leaf, reason, leaf == name ? (depth == 0 ? "" : path) : library});
      // It stops at the first; there may be more below.
      if (library != name && leaf != name) LookAt(library, depth + 1);
    }
  }

  void Add(Missing missing) {
    if (names_.insert(missing.name).second) missing_.push_back(std::move(missing));
  }

  std::vector<Missing> missing_;
  std::set<std::string> names_, seen_;
};

// Opens the plugin without any of the loader's adapting, and describes the table as it is.
Status DescribeRaw(const std::string& path, const Records& records) {
  records.Stage("open");
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    std::string text = reason == nullptr ? "the system gives no reason" : reason;
    records.Stage("missing_libraries");
    records.Write("missing_libraries", MissingLibraries(path).ToJson());
    records.Stage("open");
    return FailedPrecondition("cannot be opened: ", text);
  }
  void* symbol = dlsym(library, "GetPjrtApi");
  if (symbol == nullptr) return FailedPrecondition("it does not export GetPjrtApi");
  records.Stage("GetPjrtApi");
  const PJRT_Api* api = reinterpret_cast<const PJRT_Api* (*)()>(symbol)();
  if (api == nullptr) return FailedPrecondition("GetPjrtApi returned null");
  records.Stage("table");
  records.Write("table", DescribeTable(*api));
  records.Stage("extensions");
  records.Write("extensions", DescribeExtensions(*api));
  return Status();
}

// Calls it as a client would, through the loader and the layers.
Status Question(const Json::Object& request, const Records& records) {
  OpenOptions open;
  open.path = request.At("path").Text();
  for (const Json& layer : request.At("layers").Elements()) {
    open.layer_specs.emplace_back(layer.Text());
  }
  open.api_minor = static_cast<int>(request.At("api_minor").AsInteger().value_or(0));
  open.allow_old = request.At("allow_old").IsTrue();
  open.default_layouts = request.At("default_layouts").IsTrue();
  auto log = LogHub::Make(nullptr, "");
  open.log = log->Sink();
  PLINTH_RETURN_IF_ERROR(DescribeRaw(open.path, records));
  records.Stage("load");
  LogHub::Report report(log);
  Expected<const PJRT_Api*> api = OpenPlugin(open);
  records.Write("log", report.Take());
  PLINTH_RETURN_IF_ERROR(api.status());
  records.Write("loaded_minor", (*api)->pjrt_api_version.minor_version);

  records.Stage("PJRT_Plugin_Initialize");
  Status initialized = Initialize(**api);
  records.Write("initialize", DescribeStatus(initialized));
  PLINTH_RETURN_IF_ERROR(initialized);

  records.Stage("PJRT_Plugin_Attributes");
  Json::Object attributes;
  PLINTH_RETURN_IF_ERROR(ReadAttributes(**api, attributes));
  records.Write("attributes", std::move(attributes));
  if (!request.At("create_client").IsTrue()) return Status();

  records.Stage("PJRT_Client_Create");
  Json::Object client;
  Status created = QuestionClient(
      **api, request.At("create_options").Text(), [&](const char* stage) { records.Stage(stage); },
      client);
  client["status"] = DescribeStatus(created);
  records.Write("client", std::move(client));
  return created;
}

}  // namespace

void RunProbeChild(int request_file, int result_file) {
  // Neither outlives its parent nor leaves a core dump behind.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  Records records(result_file);
  std::string text;
  char block[4096];
  for (ssize_t size; (size = read(request_file, block, sizeof(block))) > 0;) {
    text.append(block, static_cast<size_t>(size));
    if (text.size() > kMaxRequest) return;
  }
  const Expected<Json::Object> request = Json::ParseObject(text);
  if (!request.ok()) {
    records.Write("failure", request.status().message());
    return;
  }
  Status status = Question(*request, records);
  // Of a failure the stage says where.
  if (status.ok()) {
    records.Stage("done");
  } else {
    records.Write("failure", status.message());
  }
}

}  // namespace plinth::loader
