// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/blas_places.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdlib.h>

#include <algorithm>
#include <utility>

#include "plinth/support/str_cat.h"

namespace plinth::cpu::library {
namespace {

constexpr std::string_view kSystemFile = "libopenblas.so.0";
constexpr std::string_view kWheelName = "libscipy_openblas.so";
constexpr std::string_view kWheelFolder = "/scipy_openblas32/lib/";
// For SciPy, beside SciPy. A part of the names is made from the contents; before SciPy 1.13 they
// began otherwise.
constexpr std::string_view kScipyFolder = "/scipy.libs/";
constexpr std::string_view kScipyNames[] = {"libscipy_openblas-*.so", "libopenblas*-*.so"};

// The part of `path` up to and with its last component named site-packages or dist-packages, or
// nothing.
std::string SitePackagesOf(std::string_view path) {
  for (std::string_view name : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.rfind(name);
    if (at != std::string_view::npos) return std::string(path.substr(0, at + name.size() - 1));
  }
  return "";
}

// Without repetitions, in the order of their first.
class UniqueNames {
 public:
  void Add(std::string name) {
    if (name.empty() || std::find(names_.begin(), names_.end(), name) != names_.end()) return;
    names_.push_back(std::move(name));
  }
  void AddMatches(const std::string& pattern) {
    glob_t found{};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      for (size_t i = 0; i < found.gl_pathc; ++i) Add(found.gl_pathv[i]);
    }
    globfree(&found);
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

}  // namespace

BlasPlaces BlasPlaces::OfThisProcess() {
  BlasPlaces places;
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&SitePackagesOf), &self) != 0 && self.dli_fname != nullptr) {
    places.plugin = self.dli_fname;
  }
  if (const char* root = secure_getenv("VIRTUAL_ENV"); root != nullptr) places.virtual_env = root;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        if (info->dlpi_name != nullptr) {
          static_cast<std::vector<std::string>*>(out)->emplace_back(info->dlpi_name);
        }
        return 0;
      },
      &places.loaded);
  return places;
}

std::vector<std::string> BlasPlaces::Files() const {
  UniqueNames sites;
  sites.Add(SitePackagesOf(plugin));
  if (!virtual_env.empty()) sites.AddMatches(virtual_env + "/lib/python3*/site-packages");
  for (const std::string& library : loaded) sites.Add(SitePackagesOf(library));

  UniqueNames files;
  if (const size_t slash = plugin.rfind('/'); slash != std::string::npos) {
    for (std::string_view name : {kSystemFile, kWheelName}) {
      files.Add(StrCat(plugin.substr(0, slash + 1), name));
    }
  }
  for (const std::string& site : sites.names()) files.Add(StrCat(site, kWheelFolder, kWheelName));
  files.Add(std::string(kSystemFile));
  for (const std::string& site : sites.names()) {
    for (std::string_view name : kScipyNames) files.AddMatches(StrCat(site, kScipyFolder, name));
  }
  return files.names();
}

bool IsScipysOwn(std::string_view file) {
  const size_t slash = file.rfind('/');
  return slash != std::string_view::npos && file.substr(0, slash + 1).ends_with(kScipyFolder);
}

}  // namespace plinth::cpu::library
