// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/blas.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "plinth/support/log_line.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/cpu/library/blas_places.h"
#include "reference_plugin/cpu/library/private_copy.h"

namespace plinth::cpu::library {
namespace {

// Opened libraries and answers, by the path asked for. Never destroyed: threads may still compute
// while the process exits. A child of fork() has one of its own, since a thread that it does not
// have may hold the mutex, within dlopen.
struct Registry {
  const pid_t process = getpid();
  std::mutex mutex;
  // While a thread changes the rest, or is about to open a library.
  std::atomic<bool> is_busy{false};
  std::vector<const Blas*> opened;
  std::map<std::string, Expected<const Blas*>> answers;
  // Nothing is known, and the dynamic loader may be locked for ever.
  bool is_lost = false;
};

// What the parent knew, if no thread was changing it.
std::unique_ptr<Registry> Inherit(const Registry& parent) {
  auto own = std::make_unique<Registry>();
  own->is_lost = parent.is_lost || parent.is_busy.load();
  if (own->is_lost) return own;
  own->opened = parent.opened;
  own->answers = parent.answers;
  return own;
}

Registry& TheRegistry() {
  static constinit std::atomic<Registry*> current{nullptr};
  Registry* registry = current.load();
  if (registry != nullptr && registry->process == getpid()) return *registry;
  std::unique_ptr<Registry> own =
      registry == nullptr ? std::make_unique<Registry>() : Inherit(*registry);
  if (current.compare_exchange_strong(registry, own.get())) return *own.release();
  return *registry;  // of another thread of this process
}

void* Symbol(void* handle, const std::string& prefix, const char* name) {
  return dlsym(handle, (prefix + name).c_str());
}

// The processors for which OpenBLAS has loops of AVX-512. It takes others' loops for processors
// that it does not know, however new: on Zen 5 those of Haswell.
bool HasAvx512(std::string_view core) {
  for (const std::string_view name : {"SkylakeX", "Cooperlake", "SapphireRapids"}) {
    if (core == name) return true;
  }
  return false;
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
    const char* (*get_corename)() = nullptr;
    if (bind(get_corename, "openblas_get_corename")) {
      blas.has_avx512 = HasAvx512(get_corename());
    }
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

// One file. `registry.mutex` is held.
Expected<const Blas*> OpenFile(Registry& registry, const std::string& path) {
  void* handle = nullptr;
  if (IsScipysOwn(path)) {
    for (const Blas* blas : registry.opened) {
      if (blas->path == path) return blas;
    }
    PLINTH_ASSIGN_OR_RETURN(handle, OpenPrivateCopy(path));
  } else if (handle = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_NOW); handle != nullptr) {
    dlclose(handle);
    for (const Blas* blas : registry.opened) {
      if (blas->handle == handle) return blas;
    }
    return NotFound("the host process has already loaded it; its thread count is not ours to set");
  } else if (handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); handle == nullptr) {
    return NotFound(LastDlError());
  }
  auto blas = Bind(handle, path);
  if (!blas.ok()) {
    dlclose(handle);
    return blas.status();
  }
  registry.opened.push_back(new Blas(*std::move(blas)));
  return registry.opened.back();
}

// The first that serves. `registry.mutex` is held.
Expected<const Blas*> Search(Registry& registry, const std::string& asked) {
  const LogTarget log = LogTarget::OfThisProcess();
  auto tell = [&log](std::string_view level, const std::string& file, std::string_view what) {
    if (!log.file.empty()) AppendLogLine(log.file, level, StrCat("OpenBLAS ", file, ": ", what));
  };
  if (!asked.empty()) {
    auto blas = OpenFile(registry, asked);
    if (blas.ok()) return blas;
    tell("warning", asked, blas.status().message());
    return NotFound("the option or PLINTH_BLAS names ", asked, ": ", blas.status().message());
  }
  for (const std::string& file : BlasFiles(backend::LibraryPlaces::OfThisProcess())) {
    auto blas = OpenFile(registry, file);
    if (log.wants_debug) tell("debug", file, blas.ok() ? "used" : blas.status().message());
    if (blas.ok()) return blas;
  }
  return NotFound("no OpenBLAS was found (PLINTH_LOG=debug:stderr lists where it was looked for)");
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
  if (asked == "none") {
    return NotFound("OpenBLAS is switched off: the option or PLINTH_BLAS is none");
  }
  Registry& registry = TheRegistry();
  if (registry.is_lost) {
    return NotFound(
        "this process was forked while a thread of its parent searched OpenBLAS: fork "
        "before the first program is compiled, or start a new process");
  }
  const std::lock_guard<std::mutex> lock(registry.mutex);
  auto known = registry.answers.find(asked);
  if (known == registry.answers.end()) {
    registry.is_busy.store(true);
    known = registry.answers.emplace(asked, Search(registry, asked)).first;
    registry.is_busy.store(false);
  }
  return known->second;
}

}  // namespace plinth::cpu::library
