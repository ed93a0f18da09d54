// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/driver/library_search.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/host/library_places.h"

namespace plinth::cuda {
namespace {

constexpr const char* kVariable = "PLINTH_CUDA_LIBRARY_PATH";

bool IsFolder(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

std::string PathOf(void* handle, const std::string& fallback) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr ||
      *map->l_name == '\0') {
    return fallback;
  }
  return map->l_name;
}

// One attempt after another, and what came of each.
class Attempts {
 public:
  bool Try(const std::string& file, int further_flags = 0) {
    dlerror();
    opened_.handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | further_flags);
    if (opened_.handle != nullptr) {
      opened_.path = PathOf(opened_.handle, file);
      return true;
    }
    if ((further_flags & RTLD_NOLOAD) != 0) return false;
    const char* why = dlerror();
    text_ += StrCat("\n  ", why == nullptr ? file + ": cannot be opened" : std::string(why));
    return false;
  }
  // A file that does not exist says less in the words of the system.
  bool TryIn(std::string_view folder, std::string_view name) {
    const std::string file = StrCat(folder, "/", name);
    struct stat found;
    if (stat(file.c_str(), &found) == 0) return Try(file);
    text_ += StrCat("\n  ", file, ": not there");
    return false;
  }
  const OpenLibrary& opened() const { return opened_; }
  const std::string& text() const { return text_; }

 private:
  OpenLibrary opened_;
  std::string text_;
};

bool Find(const LibraryName& library, const LibraryPlaces& places, Attempts& attempts) {
  for (const std::string& folder : places.asked) {
    for (const std::string& file : library.files) {
      if (attempts.TryIn(folder, file)) return true;
    }
  }
  for (const std::string& site : places.sites) {
    for (const std::string& wheel : library.wheels) {
      const std::string folder = StrCat(site, "/", wheel);
      if (!IsFolder(folder)) continue;
      for (const std::string& file : library.files) {
        if (attempts.TryIn(folder, file)) return true;
      }
    }
  }
  for (const std::string& file : library.files) {
    if (attempts.Try(file, RTLD_NOLOAD)) return true;
  }
  for (const std::string& file : library.files) {
    if (attempts.Try(file)) return true;
  }
  for (const std::string& folder : library.toolkits) {
    for (const std::string& file : library.files) {
      if (attempts.TryIn(folder, file)) return true;
    }
  }
  return false;
}

}  // namespace

LibraryName NameFor(const ToolkitLibrary& library, int driver_version) {
  constexpr int kFirstOf13 = 13000;
  // From version 13 on all wheels fill one folder; before, each has its own: nvidia/cuda_nvrtc.
  std::string folder(library.wheel.substr(library.wheel.find('-') + 1));
  std::replace(folder.begin(), folder.end(), '-', '_');
  LibraryName name = {
      .title = StrCat(library.name, ", ", library.does, ","),
      .files = {StrCat(library.file, ".13"), StrCat(library.file, ".12")},
      .wheels = {"nvidia/cu13/lib", StrCat("nvidia/", folder, "/lib")},
      .toolkits = {"/usr/local/cuda/lib64"},
      .remedy =
          StrCat("Install it with `pip install ", library.wheel,
                 "`, or name its folder in the option cuda_library_path or in ", kVariable, "."),
  };
  if (driver_version > 0 && driver_version < kFirstOf13) {
    name.files.erase(name.files.begin());
    name.remedy = StrCat("The driver is for CUDA 12, which needs ", library.name,
                         " 12: install it with `pip install ", library.wheel,
                         "-cu12`, name its folder in the option cuda_library_path or in ",
                         kVariable, ", or install NVIDIA's driver 580 or newer.");
  }
  return name;
}

Expected<LibraryPlaces> LibraryPlaces::OfThisProcess(std::string_view library_path) {
  LibraryPlaces places;
  std::string_view source = "the option cuda_library_path";
  if (library_path.empty()) {
    const char* value = secure_getenv(kVariable);
    library_path = value == nullptr ? "" : value;
    source = kVariable;
  }
  while (!library_path.empty()) {
    const size_t colon = std::min(library_path.find(':'), library_path.size());
    std::string folder(library_path.substr(0, colon));
    library_path.remove_prefix(std::min(colon + 1, library_path.size()));
    if (folder.empty()) continue;
    if (!IsFolder(folder)) {
      return InvalidArgument(source, " names '", folder, "', which is no folder; it takes folders ",
                             "with NVIDIA's libraries, with colons between them");
    }
    places.asked.push_back(std::move(folder));
  }
  places.sites = backend::LibraryPlaces::OfThisProcess().SitePackages();
  return places;
}

Expected<OpenLibrary> Open(const LibraryName& library, const LibraryPlaces& places) {
  Attempts attempts;
  if (Find(library, places, attempts)) return attempts.opened();
  return Status(StatusCode::kUnavailable, StrCat(library.title, " was not found. ", library.remedy,
                                                 " Looked for:", attempts.text()));
}

void* FunctionFinder::Address(const char* name) {
  void* found = dlsym(opened_.handle, name);
  if (found == nullptr) missing_ += StrCat(missing_.empty() ? "" : ", ", name);
  return found;
}

Status FunctionFinder::status() const {
  if (missing_.empty()) return Status();
  return Status(StatusCode::kUnavailable,
                StrCat(opened_.path, " lacks ", missing_, ". ", library_.remedy));
}

}  // namespace plinth::cuda
