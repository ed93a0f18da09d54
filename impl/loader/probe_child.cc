#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "impl/loader/elf_file.h"
#include "impl/loader/files.h"
#include "impl/loader/json.h"
#include "impl/loader/log_hub.h"
#include "impl/loader/open.h"
#include "impl/loader/probe.h"
#include "impl/loader/probe_questions.h"

namespace plinth::loader {
namespace {

constexpr size_t kMaxRequest = 1 << 20;

// Writes one line at once, so that a crash cuts off no earlier one.
class Records {
 public:
  explicit Records(int file) : file_(file) {}

  void Write(const cJSON* record) const {
    std::string line = JsonText(record) + "\n";
    [[maybe_unused]] ssize_t written = write(file_, line.data(), line.size());
  }
  void Text(const char* key, std::string_view text) const {
    Json record(cJSON_CreateObject());
    JsonAddText(record.get(), key, text);
    Write(record.get());
  }
  void Value(const char* key, Json value) const {
    Json record(cJSON_CreateObject());
    JsonAdd(record.get(), key, std::move(value));
    Write(record.get());
  }
  void Stage(const char* name) const { Text("stage", name); }

 private:
  int file_;
};

// Libraries that the plugin is linked to and that cannot be opened, each with the reason.
Json MissingLibraries(const std::string& path) {
  Json missing(cJSON_CreateArray());
  Expected<ElfFile> facts = ReadElfFile(path);
  if (!facts.ok()) return missing;
  for (const std::string& name : facts->needed) {
    std::string library = name;
    for (const std::string& folder : facts->search) {
      std::string candidate = Below(folder, name);
      if (library == name && CheckRegularFile(candidate).ok()) library = candidate;
    }
    if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) continue;
    const char* reason = dlerror();
    Json entry(cJSON_CreateObject());
    JsonAddText(entry.get(), "name", name);
    JsonAddText(entry.get(), "reason", reason == nullptr ? "" : reason);
    JsonAppend(missing.get(), std::move(entry));
  }
  return missing;
}

// Opens the plugin without any of the loader's adapting, and describes the table as it is.
Status DescribeRaw(const std::string& path, const Records& records) {
  records.Stage("open");
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    std::string text = reason == nullptr ? "the system gives no reason" : reason;
    records.Stage("missing_libraries");
    records.Value("missing_libraries", MissingLibraries(path));
    return FailedPrecondition("cannot be opened: ", text);
  }
  void* symbol = dlsym(library, "GetPjrtApi");
  if (symbol == nullptr) return FailedPrecondition("it does not export GetPjrtApi");
  records.Stage("GetPjrtApi");
  const PJRT_Api* api = reinterpret_cast<const PJRT_Api* (*)()>(symbol)();
  if (api == nullptr) return FailedPrecondition("GetPjrtApi returned null");
  records.Stage("table");
  records.Value("table", DescribeTable(*api));
  records.Stage("extensions");
  records.Value("extensions", DescribeExtensions(*api));
  return Status();
}

// Calls it as a client would, through the loader and the layers.
Status Question(const cJSON* request, const Records& records) {
  OpenOptions open;
  open.path = JsonMember(request, "path")->valuestring;
  for (const cJSON* layer = JsonMember(request, "layers")->child; layer; layer = layer->next) {
    open.layer_specs.emplace_back(layer->valuestring);
  }
  open.api_minor = JsonMember(request, "api_minor")->valueint;
  open.allow_old = cJSON_IsTrue(JsonMember(request, "allow_old"));
  open.default_layouts = cJSON_IsTrue(JsonMember(request, "default_layouts"));
  auto log = LogHub::Make(nullptr, "");
  open.log = log->Sink();
  PLINTH_RETURN_IF_ERROR(DescribeRaw(open.path, records));
  records.Stage("load");
  Expected<const PJRT_Api*> api = OpenPlugin(open);
  records.Text("log", log->TakeReport());
  PLINTH_RETURN_IF_ERROR(api.status());
  records.Value("loaded_minor", Json(cJSON_CreateNumber((*api)->pjrt_api_version.minor_version)));

  records.Stage("PJRT_Plugin_Initialize");
  Status initialized = Initialize(**api);
  records.Value("initialize", DescribeStatus(initialized));
  PLINTH_RETURN_IF_ERROR(initialized.WithContext("PJRT_Plugin_Initialize"));

  records.Stage("PJRT_Plugin_Attributes");
  Json attributes(cJSON_CreateObject());
  PLINTH_RETURN_IF_ERROR(ReadAttributes(**api, attributes.get()));
  records.Value("attributes", std::move(attributes));
  if (!cJSON_IsTrue(JsonMember(request, "create_client"))) return Status();

  records.Stage("PJRT_Client_Create");
  Json client(cJSON_CreateObject());
  Status created = QuestionClient(
      **api, JsonMember(request, "create_options")->valuestring,
      [&](const char* stage) { records.Stage(stage); }, client.get());
  JsonAdd(client.get(), "status", DescribeStatus(created));
  records.Value("client", std::move(client));
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
  Expected<Json> request = ParseJsonObject(text);
  if (!request.ok()) {
    records.Text("failure", request.status().message());
    return;
  }
  Status status = Question(request->get(), records);
  if (!status.ok()) records.Text("failure", status.message());
  records.Stage("done");
}

}  // namespace plinth::loader
