// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/blas.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdlib.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "plinth/support/str_cat.h"

namespace plinth::cpu {
namespace {

constexpr std::string_view kScipyFile = "/scipy_openblas32/lib/libscipy_openblas.so";
constexpr std::string_view kSystemFile = "libopenblas.so.0";

// Opened libraries and answers, by the path asked for. Never destroyed: threads may still compute
// while the process exits.
struct Registry {
  std::mutex mutex;
  std::deque<Blas> opened;
  std::map<std::string, Expected<const Blas*>> answers;
};

Registry& TheRegistry() {
  static Registry* const registry = new Registry;
  return *registry;
}

std::string LastDlError() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown error of dlopen";
}

void* Symbol(void* handle, const std::string& prefix, const char* name) {
  return dlsym(handle, (prefix + name).c_str());
}

Expected<Blas> Bind(void* handle, const std::string& path) {
  Blas blas{};
  blas.path = path;
  blas.handle = handle;
  for (const char* prefix : {"", "scipy_"}) {
    if (Symbol(handle, prefix, "cblas_sgemm") == nullptr) continue;
    blas.name_prefix = prefix;
    auto bind = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(Symbol(handle, prefix, name));
      return function != nullptr;
    };
    void (*set_num_threads)(int) = nullptr;
    const char* (*get_config)() = nullptr;
    if (!bind(blas.sgemm, "cblas_sgemm") || !bind(blas.dgemm, "cblas_dgemm") ||
        !bind(blas.cgemm, "cblas_cgemm") || !bind(blas.zgemm, "cblas_zgemm") ||
        !bind(set_num_threads, "openblas_set_num_threads")) {
      return NotFound("it lacks cblas_{s,d,c,z}gemm or openblas_set_num_threads: not OpenBLAS");
    }
    if (bind(get_config, "openblas_get_config") &&
        std::string_view(get_config()).find("USE64BITINT") != std::string_view::npos) {
      return NotFound("its sizes are 64-bit (ILP64); a library with 32-bit sizes is needed");
    }
    set_num_threads(1);
    return blas;
  }
  for (const char* name : {"cblas_sgemm64_", "scipy_cblas_sgemm64_"}) {
    if (dlsym(handle, name) != nullptr) {
      return NotFound("its sizes are 64-bit (", name,
                      "); a library with 32-bit sizes, such as scipy-openblas32, is needed");
    }
  }
  return NotFound("it has neither cblas_sgemm nor scipy_cblas_sgemm");
}

// Opens one file. `registry.mutex` is held.
Expected<const Blas*> OpenFile(Registry& registry, const std::string& path) {
  if (void* loaded = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_NOW); loaded != nullptr) {
    dlclose(loaded);
    for (const Blas& blas : registry.opened) {
      if (blas.handle == loaded) return &blas;
    }
    return NotFound("the host process has already loaded it; its thread count is not ours to set");
  }
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return NotFound(LastDlError());
  auto blas = Bind(handle, path);
  if (!blas.ok()) {
    dlclose(handle);
    return blas.status();
  }
  registry.opened.push_back(*std::move(blas));
  return &registry.opened.back();
}

// The part of `path` up to and with its last component named site-packages or dist-packages, or
// nothing.
std::string SitePackagesOf(std::string_view path) {
  for (std::string_view name : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.rfind(name);
    if (at != std::string_view::npos) return std::string(path.substr(0, at + name.size() - 1));
  }
  return "";
}

std::vector<std::string> Candidates() {
  std::vector<std::string> files;
  auto add = [&files](std::string file) {
    if (std::find(files.begin(), files.end(), file) == files.end()) {
      files.push_back(std::move(file));
    }
  };
  auto add_site = [&add](std::string_view path) {
    if (std::string site = SitePackagesOf(path); !site.empty()) {
      add(StrCat(site, kScipyFile));
    }
  };
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&SitePackagesOf), &self) != 0 && self.dli_fname != nullptr) {
    const std::string_view path = self.dli_fname;
    if (const size_t slash = path.rfind('/'); slash != std::string_view::npos) {
      const std::string_view folder = path.substr(0, slash);
      add(StrCat(folder, "/", kSystemFile));
      add(StrCat(folder, "/libscipy_openblas.so"));
    }
    add_site(path);
  }
  if (const char* root = secure_getenv("VIRTUAL_ENV"); root != nullptr && *root != '\0') {
    glob_t found{};
    if (glob(StrCat(root, "/lib/python3*/site-packages").c_str(), 0, nullptr, &found) == 0) {
      for (size_t i = 0; i < found.gl_pathc; ++i) add(StrCat(found.gl_pathv[i], kScipyFile));
    }
    globfree(&found);
  }
  std::vector<std::string> loaded;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        if (info->dlpi_name != nullptr) {
          static_cast<std::vector<std::string>*>(out)->emplace_back(info->dlpi_name);
        }
        return 0;
      },
      &loaded);
  for (const std::string& path : loaded) add_site(path);
  add(std::string(kSystemFile));
  return files;
}

Expected<const Blas*> Search(Registry& registry, const std::string& asked) {
  if (asked == "none") return NotFound("BLAS was switched off by the option or PLINTH_BLAS=none");
  std::string report;
  for (const std::string& file : asked.empty() ? Candidates() : std::vector<std::string>{asked}) {
    auto blas = OpenFile(registry, file);
    if (blas.ok()) return blas;
    report += StrCat("\n  ", file, ": ", blas.status().message());
  }
  return NotFound(
      "no OpenBLAS for large matrix products and LAPACK. Install scipy-openblas32 or "
      "libopenblas0, or name a file in PLINTH_BLAS. Tried:",
      report);
}

}  // namespace

void* Blas::FindSymbol(const std::string& name) const {
  return dlsym(handle, (name_prefix + name).c_str());
}

Expected<const Blas*> OpenBlas(const BlasOptions& options) {
  std::string asked = options.path;
  if (asked.empty()) {
    if (const char* path = secure_getenv("PLINTH_BLAS"); path != nullptr) asked = path;
  }
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  auto known = registry.answers.find(asked);
  if (known == registry.answers.end()) {
    known = registry.answers.emplace(asked, Search(registry, asked)).first;
  }
  return known->second;
}

}  // namespace plinth::cpu
