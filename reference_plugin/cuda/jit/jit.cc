// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/jit/jit.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>

#include "plinth/support/sha256.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/cuda/jit/cubin_cache.h"

namespace plinth::cuda {
namespace {

struct Unit {
  std::vector<std::shared_ptr<const KernelText>> kernels;
  std::string text;
  Expected<std::string> binary = std::string();
};

std::string KeyOf(const Unit& unit, std::span<const std::string> options,
                  const UnitCompiler& compiler) {
  std::string all = compiler.version;
  for (const std::string& option : options) all += StrCat("\n", option);
  return Sha256(StrCat(all, "\n\n", unit.text));
}

// The kernel whose text has the line that a log names first, "kernels.cu(12)"; null in the prelude,
// or if it names none.
const KernelText* KernelAt(const Unit& unit, std::string_view log) {
  constexpr std::string_view kFile = "kernels.cu(";
  const size_t at = log.find(kFile);
  if (at == std::string_view::npos) return nullptr;
  int64_t left = 0;
  for (size_t i = at + kFile.size(); i < log.size() && log[i] >= '0' && log[i] <= '9'; ++i) {
    left = std::min<int64_t>(10 * left + (log[i] - '0'), INT32_MAX);
  }
  auto lines_of = [](std::string_view text) {
    return static_cast<int64_t>(std::count(text.begin(), text.end(), '\n'));
  };
  left -= lines_of(Prelude());
  for (const std::shared_ptr<const KernelText>& kernel : unit.kernels) {
    if (left <= 0) return nullptr;
    left -= lines_of(kernel->text) + 1;
    if (left <= 0) return kernel.get();
  }
  return nullptr;
}

void CompileUnit(Unit& unit, std::span<const std::string> options, const UnitCompiler& compiler,
                 const CubinCache& cache) {
  const std::string key = KeyOf(unit, options, compiler);
  if (std::optional<std::string> kept = cache.Find(key)) {
    unit.binary = *std::move(kept);
    return;
  }
  unit.binary = compiler.compile(unit.text, options);
  if (unit.binary.ok()) {
    cache.Keep(key, *unit.binary);
  } else if (const KernelText* kernel = KernelAt(unit, unit.binary.status().message())) {
    unit.binary = unit.binary.status().WithContext(StrCat("kernel ", kernel->name));
  }
}

}  // namespace

std::vector<std::string> CompilerOptions(const Architecture& architecture) {
  return {StrCat("--gpu-architecture=sm_", architecture.capability),
          "--std=c++17",
          "--minimal",
          "--disable-warnings",
          "--fmad=false",
          "--ftz=false",
          "--prec-div=true",
          "--prec-sqrt=true"};
}

Expected<std::vector<CompiledUnit>> Compile(
    std::span<const std::shared_ptr<const KernelText>> kernels, const Architecture& architecture,
    const UnitCompiler& compiler, const JitOptions& options) {
  std::vector<Unit> units;
  std::set<std::string_view> names;
  for (const std::shared_ptr<const KernelText>& kernel : kernels) {
    if (!names.insert(kernel->name).second) continue;
    const bool is_full = units.empty() || static_cast<int32_t>(units.back().kernels.size()) >=
                                              std::max(1, options.kernels_per_unit);
    if (is_full) units.emplace_back().text = Prelude();
    units.back().kernels.push_back(kernel);
    units.back().text += StrCat("\n", kernel->text);
  }

  const std::vector<std::string> flags = CompilerOptions(architecture);
  const CubinCache cache(options.cache_directory, options.cache_bytes);
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t u = next++; u < units.size(); u = next++) {
      CompileUnit(units[u], flags, compiler, cache);
    }
  };
  constexpr int32_t kMostThreads = 8;
  const int32_t allowed =
      options.threads > 0
          ? options.threads
          : std::min(kMostThreads, static_cast<int32_t>(std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (int32_t i = 1; i < std::min(allowed, static_cast<int32_t>(units.size())); ++i) {
    try {
      threads.emplace_back(work);
    } catch (const std::system_error&) {
      break;  // The system gives no more; those that there are do it all.
    }
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (!units.empty()) cache.Trim();

  std::vector<CompiledUnit> compiled;
  for (Unit& unit : units) {
    PLINTH_RETURN_IF_ERROR(unit.binary.status());
    compiled.push_back({*std::move(unit.binary), std::move(unit.kernels)});
  }
  return compiled;
}

}  // namespace plinth::cuda
