// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/child.h"

#include <unistd.h>

#include <chrono>
#include <optional>

#include "conformance/runner/about.h"
#include "conformance/runner/context.h"
#include "conformance/runner/report.h"
#include "plinth/support/json.h"

namespace plinth::conformance {
namespace {

void WriteLine(int fd, const Json& line) {
  std::string text = line.ToString() + "\n";
  std::string_view left = text;
  while (!left.empty()) {
    ssize_t written = write(fd, left.data(), left.size());
    if (written <= 0) return;  // the parent is gone
    left.remove_prefix(static_cast<size_t>(written));
  }
}

// The client that cases share, made when the first of them needs it.
class SharedClient {
 public:
  SharedClient(const Plugin& plugin, const Profile& profile) : plugin_(plugin), profile_(profile) {}

  const Expected<OwnedClient>& Get() {
    if (!client_.has_value()) client_ = Context(plugin_, profile_, nullptr, 0).NewClient();
    return *client_;
  }
  // Another one is made when a case needs it.
  void Destroy() { client_.reset(); }

 private:
  const Plugin& plugin_;
  const Profile& profile_;
  std::optional<Expected<OwnedClient>> client_;
};

Result RunCase(const Case& item, const Plugin& plugin, const ChildOptions& options,
               SharedClient& shared) {
  PJRT_Client* client = nullptr;
  std::string no_client;
  if (item.client == ClientNeed::kNone || item.client == ClientNeed::kAlone) {
    // The case may make one of its own, and some plugins have one at a time.
    if (options.profile.is_exclusive) shared.Destroy();
  } else {
    const Expected<OwnedClient>& made = shared.Get();
    if (made.ok()) {
      client = made->get();
    } else if (item.client != ClientNeed::kWanted) {
      no_client = StrCat("no client: ", made.status().ToString());
    }
  }
  Context context(plugin, options.profile, client, options.seed);
  context.set_depth(options.depth);
  context.set_on_row([&](const std::string& row) {
    WriteLine(options.report_fd, Json::Object{{"row", row}});
  });
  if (no_client.empty()) {
    (void)plugin.findings().Take();  // of making the client: every case would have them
    ProcessWatch watch;
    int clients = plugin.num_clients_made();
    item.run(context);
    watch.Finish(plugin.num_clients_made() != clients, plugin.findings());
    // What about.h asks is no case: cases ask it again.
    bool is_case = !item.name.starts_with("about/");
    for (Finding& finding : plugin.findings().Take()) {
      if (is_case) context.Fail(finding.requirement, std::move(finding.text));
    }
  } else {
    context.Unsupported(no_client);
  }
  return context.TakeResult();
}

}  // namespace

int RunChild(const ChildOptions& options, const std::vector<const Case*>& cases) {
  Expected<Plugin> plugin = Plugin::Open(options.plugin_path);
  if (!plugin.ok()) {
    WriteLine(options.report_fd, Json::Object{{"error", plugin.status().ToString()}});
    return 1;
  }
  const PJRT_Api_Version& version = plugin->api()->pjrt_api_version;
  WriteLine(options.report_fd,
            Json::Object{{"opened", StrCat(version.major_version, ".", version.minor_version)}});
  Status readable = CheckIsReadable(version.major_version, version.minor_version);
  if (!readable.ok()) {
    WriteLine(options.report_fd, Json::Object{{"error", readable.ToString()}});
    return 1;
  }
  // Before the first case: some plugins abort when they are used without it.
  auto initialize = MakeArgs<PJRT_Plugin_Initialize_Args>();
  Status initialized = plugin->Call(initialize);
  if (!initialized.ok()) {
    WriteLine(options.report_fd,
              Json::Object{{"error", StrCat("PJRT_Plugin_Initialize: ", initialized.ToString())}});
    return 1;
  }
  // A client may take longer than a case, whichever case makes it.
  plugin->WhenClientIsMade([&] { WriteLine(options.report_fd, Json::Object{{"client", true}}); });
  SharedClient shared(*plugin, options.profile);
  for (const Case* item : cases) {
    WriteLine(options.report_fd, Json::Object{{"start", item->name}});
    auto begin = std::chrono::steady_clock::now();
    Result result = RunCase(*item, *plugin, options, shared);
    result.name = item->name;
    result.is_robust = item->is_robust;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    WriteLine(options.report_fd, Json::Object{{"result", ResultToJson(result)}});
  }
  return 0;
}

}  // namespace plinth::conformance
