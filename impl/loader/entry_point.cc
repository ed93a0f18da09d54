// SPDX-License-Identifier: Apache-2.0
// GetPjrtApi of libplinth: a framework loads libplinth as if it were a plugin, and PLINTH_PLUGIN,
// or the file `<name of libplinth>.plinth.json` beside it, names the one behind it.

#include <mutex>
#include <new>

#include "impl/loader/failure_table.h"
#include "impl/loader/files.h"
#include "impl/loader/load.h"
#include "impl/loader/log_hub.h"
#include "impl/loader/manifest.h"
#include "plinth.h"

namespace plinth::loader {
namespace {

// Beside "/x/libplinth_tpu.so": "/x/libplinth_tpu.plinth.json".
std::string RedirectPath(const std::string& own_path) {
  std::string_view name = FileNameOf(own_path);
  return Below(FolderOf(own_path), StrCat(name.substr(0, name.find(".so")), ".plinth.json"));
}

// The file beside a copy of libplinth speaks for that copy, so it goes before PLINTH_PLUGIN, which
// all copies in a process share.
Status ReadRedirect(const std::string& path, LoadRequest& request) {
  Expected<std::string> text = ReadFile(path, kMaxManifestSize);
  if (text.status().code() == StatusCode::kNotFound) return {};
  PLINTH_RETURN_IF_ERROR(text.status());
  Expected<Redirect> redirect = ParseRedirect(*text, FolderOf(path));
  if (!redirect.ok()) return redirect.status().WithContext(path);
  for (const std::string& warning : redirect->warnings) {
    Log(request.find.log, LogLevel::kWarning, StrCat(path, ": ", warning));
  }
  Log(request.find.log, LogLevel::kInfo, StrCat(path, ": the plugin is ", redirect->plugin));
  request.plugin = redirect->plugin;
  request.asked_by = path;
  if (redirect->has_layers) request.layers = redirect->layers;
  request.api_minor = redirect->api_minor;
  request.allow_old = redirect->allow_old;
  return {};
}

Expected<Loaded> LoadBehind() {
  LoadRequest request;
  request.environment = Environment::OfProcess();
  auto log = LogHub::Make(nullptr, request.environment.Get("PLINTH_LOG"));
  request.find.log = log->Sink();
  std::string redirect = RedirectPath(OwnPath());
  PLINTH_RETURN_IF_ERROR(ReadRedirect(redirect, request));
  Expected<Loaded> loaded = Load(request);
  if (!loaded.ok() && !request.plugin.has_value() &&
      request.environment.Get("PLINTH_PLUGIN").empty()) {
    return loaded.status().WithContext(
        StrCat("PLINTH_PLUGIN is not set, and there is no file ", redirect));
  }
  return loaded;
}

Expected<const PJRT_Api*> LoadTable() {
  try {
    PLINTH_ASSIGN_OR_RETURN(const Loaded loaded, LoadBehind());
    return loaded.api;
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of host memory");
  } catch (...) {
    return Internal("an exception that nobody expected");
  }
}

}  // namespace
}  // namespace plinth::loader

extern "C" PLINTH_EXPORT const PJRT_Api* GetPjrtApi(void) {
  static std::recursive_mutex mutex;
  static const PJRT_Api* table = nullptr;
  static bool loading = false;
  std::lock_guard lock(mutex);
  if (table != nullptr) return table;
  if (loading) {
    // The plugin behind this libplinth leads back to it. The table that says so ends the circle.
    return table = plinth::loader::MakeFailureTable(plinth::FailedPrecondition(
               "the plugin behind this libplinth leads back to it; set PLINTH_PLUGIN to a plugin"));
  }
  loading = true;
  const plinth::Expected<const PJRT_Api*> loaded = plinth::loader::LoadTable();
  // Set by now if it ended in a circle, whose table says why.
  if (table != nullptr) return table;
  return table = loaded.ok() ? *loaded : plinth::loader::MakeFailureTable(loaded.status());
}
