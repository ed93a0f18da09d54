// SPDX-License-Identifier: Apache-2.0
#include "plinth/program/op.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plinth::program {
namespace {

constexpr std::array<std::string_view, kNumOps> kNames = {
#define PLINTH_PROGRAM_OP(identifier, name) name,
#include "plinth/program/program_ops.inc"
#undef PLINTH_PROGRAM_OP
};

using Entry = std::pair<std::string_view, Op>;

constexpr std::array<Entry, kNumOps> SortedNames() {
  std::array<Entry, kNumOps> entries;
  for (int i = 0; i < kNumOps; ++i) entries[i] = {kNames[i], static_cast<Op>(i)};
  std::sort(entries.begin(), entries.end());
  return entries;
}

constexpr std::array<Entry, kNumOps> kSortedNames = SortedNames();

}  // namespace

std::string_view Name(Op op) { return kNames[static_cast<size_t>(op)]; }

std::optional<Op> OpFromName(std::string_view name) {
  const auto* at = std::lower_bound(
      kSortedNames.begin(), kSortedNames.end(), name,
      [](const Entry& entry, std::string_view wanted) { return entry.first < wanted; });
  if (at == kSortedNames.end() || at->first != name) return std::nullopt;
  return at->second;
}

}  // namespace plinth::program
