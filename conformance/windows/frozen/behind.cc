// SPDX-License-Identifier: Apache-2.0
#include "conformance/windows/frozen/behind.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "conformance/windows/frozen/revision.h"
#include "plinth/support/str_cat.h"

namespace plinth::windows {
namespace {

constexpr char kVariable[] = "PLINTH_FROZEN_PLUGIN";
constexpr char kName[] = "pjrt_plinth_cpu.so";

std::string PathOfPlugin() {
  if (const char* path = std::getenv(kVariable); path != nullptr && *path != '\0') return path;
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&PathOfPlugin), &info) == 0) return kName;
  std::string folder = info.dli_fname;
  const size_t slash = folder.rfind('/');
  folder = slash == std::string::npos ? "." : folder.substr(0, slash);
  std::string beside = StrCat(folder, "/", kName);
  if (access(beside.c_str(), R_OK) == 0) return beside;
  return StrCat(folder, "/../../lib/", kName);
}

}  // namespace

Expected<const PJRT_Api*> PluginBehind() {
  const std::string path = PathOfPlugin();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return FailedPrecondition("the plugin frozen at ", kRevision.name,
                              " cannot load the one behind it: ", dlerror(), "; ", kVariable,
                              " names it");
  }
  auto get_api = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (get_api == nullptr) return FailedPrecondition(path, " has no GetPjrtApi");
  const PJRT_Api* api = get_api();
  if (api == nullptr) return FailedPrecondition(path, ": GetPjrtApi gives null");
  const size_t needed =
      offsetof(PJRT_Api, PJRT_Error_Destroy) + sizeof(void*) * kRevision.function_count;
  if (api->pjrt_api_version.minor_version < kFirstMinorWithErrorHead || api->struct_size < needed) {
    return FailedPrecondition(path, " reports 0.", api->pjrt_api_version.minor_version, " with ",
                              api->struct_size, " bytes; a plugin frozen at ", kRevision.name,
                              " needs 0.", kFirstMinorWithErrorHead, " and ", needed, " bytes");
  }
  return api;
}

}  // namespace plinth::windows
