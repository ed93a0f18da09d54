// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/vhlo_ops.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace plinth::program {
namespace {

using std::string_view;

constexpr VhloVersion kCurrent = {9999, 0};

// What attributes an older revision lacks is said by their absence, or by the default of PackStruct
// (bytecode_reader.cc). Operands that an older revision has one of are a list of one.
#include "reference_plugin/ops/vhlo_ops.inc"

static_assert(std::is_sorted(std::begin(kOps), std::end(kOps),
                             [](const VhloOp& a, const VhloOp& b) {
                               return a.name != b.name ? a.name < b.name : a.revision < b.revision;
                             }));

}  // namespace

bool VhloOp::Has(string_view attribute) const {
  return std::find(attributes.begin(), attributes.end(), attribute) != attributes.end();
}

const VhloOp* FindVhloOp(string_view versioned_name) {
  const size_t mark = versioned_name.rfind("_v");
  if (mark == string_view::npos) return nullptr;
  const string_view digits = versioned_name.substr(mark + 2);
  int revision = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), revision);
  if (error != std::errc() || end != digits.data() + digits.size()) return nullptr;
  const string_view name = versioned_name.substr(0, mark);
  const VhloOp* at =
      std::lower_bound(std::begin(kOps), std::end(kOps), name,
                       [](const VhloOp& op, string_view wanted) { return op.name < wanted; });
  for (; at != std::end(kOps) && at->name == name; ++at) {
    if (at->revision == revision) return at;
  }
  return nullptr;
}

const VhloOp& NewestRevision(const VhloOp& op) {
  const VhloOp* at = &op;
  while (at + 1 != std::end(kOps) && at[1].name == op.name) ++at;
  return *at;
}

std::string VhloRevisions(string_view versioned_name) {
  const string_view name = versioned_name.substr(0, versioned_name.rfind("_v"));
  std::string known;
  for (const VhloOp& op : kOps) {
    if (op.name != name) continue;
    if (!known.empty()) known += ", ";
    known += StrCat(op.name, "_v", op.revision);
  }
  return known;
}

}  // namespace plinth::program
