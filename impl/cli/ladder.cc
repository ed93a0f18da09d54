// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/ladder.h"

#include <dlfcn.h>

#include "plinth_ifrt.h"

namespace plinth::cli {

Expected<Json> IfrtLadder(const PluginChoice& choice) {
  constexpr const char* kLibrary = "libplinth_ifrt.so.0";
  // Beside libplinth, where this program looks. Never closed: the plugin stays too.
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Status(StatusCode::kUnavailable,
                  StrCat(dlerror(), "; the install component `ifrt` has it"));
  }
  const auto create = reinterpret_cast<decltype(&plinth_ifrt_client_create)>(
      dlsym(library, "plinth_ifrt_client_create"));
  const auto tell = reinterpret_cast<decltype(&plinth_ifrt_client_ladder)>(
      dlsym(library, "plinth_ifrt_client_ladder"));
  const auto release = reinterpret_cast<decltype(&plinth_ifrt_client_release)>(
      dlsym(library, "plinth_ifrt_client_release"));
  if (create == nullptr || tell == nullptr || release == nullptr) {
    return Status(StatusCode::kUnavailable, StrCat(kLibrary, " is older than this program"));
  }
  const plinth_load_options load = choice.LoadOptions();
  std::vector<const char*> values;
  for (const std::string& one : choice.create_options) values.push_back(one.c_str());
  plinth_ifrt_client_options options = {};
  options.struct_size = plinth_ifrt_client_options_STRUCT_SIZE;
  options.plugin = load.plugin;
  options.layers = load.layers;
  options.options = values.data();
  options.num_options = values.size();
  plinth_ifrt_client* client = nullptr;
  PLINTH_RETURN_IF_ERROR(TakeStatus(create(&options, &client)));
  char* text = nullptr;
  const Status status = TakeStatus(tell(client, &text));
  release(client);
  if (!status.ok()) return status;
  const Owned<char> owned(text);
  return Json::Parse(text);
}

void PrintIfrtLadder(const Json& ladder, bool in_full, Output& output) {
  for (const Json& one : ladder.Elements()) {
    const std::string_view operation = one.At("operation").Text();
    const std::string pad(operation.size() < 24 ? 24 - operation.size() : 1, ' ');
    output.Line("    ", operation, ":", pad, one.At("rung").Text());
    if (const std::string_view why = one.At("why").Text(); in_full && !why.empty()) {
      output.Line("      since ", why);
    }
  }
}

}  // namespace plinth::cli
