// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/plugin_hint.h"

namespace plinth {
namespace {

constexpr struct {
  std::string_view of_path;  // Part of the plugin's path, or empty.
  std::string_view part_of_text;
  std::string_view advice;
} kHints[] = {
    {"libtpu", "hung",
     "without Google's metadata server libtpu waits for it: set TPU_SKIP_MDS_QUERY=1"},
    {"", "No jellyfish device", "no TPU can be seen here"},
    {"", "cuInit",
     "no NVIDIA GPU, or no driver for it, can be seen here: see what nvidia-smi says"},
    {"", "No visible GPU", "no GPU can be seen here: see what nvidia-smi says"},
    {"", "undefined symbol: _Py", "it is a module of Python, not a plugin"},
    {"", "undefined symbol: Py", "it is a module of Python, not a plugin"},
    {"", "GLIBC_", "it needs a newer glibc: update the system, or take an older plugin"},
    {"", "does not export GetPjrtApi", "it is a library, but no PJRT plugin"},
    {"", "exports no function GetPjrtApi", "it is a library, but no PJRT plugin"},
};

}  // namespace

std::string_view PluginHint(std::string_view path, std::string_view text) {
  for (const auto& hint : kHints) {
    if (path.find(hint.of_path) == std::string_view::npos) continue;
    if (text.find(hint.part_of_text) != std::string_view::npos) return hint.advice;
  }
  return {};
}

}  // namespace plinth
