// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_VHLO_OPS_H_
#define REFERENCE_PLUGIN_PROGRAM_VHLO_OPS_H_

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "plinth/program/op.h"
#include "plinth/support/status.h"

namespace plinth::program {

struct VhloVersion {
  int32_t major = 0;
  int32_t minor = 0;
  friend auto operator<=>(const VhloVersion&, const VhloVersion&) = default;
};

// The versions of VHLO that are read. Within them a patch number changes nothing.
inline constexpr VhloVersion kOldestVhlo = {0, 9};
inline constexpr VhloVersion kNewestVhlo = {1, 17};

// One revision of an op: "vhlo.<name>_v<revision>".
struct VhloOp {
  std::string_view name;
  int32_t revision;
  Op op;
  VhloVersion since;  // The first and the last version that has this revision.
  VhloVersion until;
  std::span<const std::string_view> attributes;  // In the order of the encoding: by name.

  bool Has(std::string_view attribute) const;
};

// The row of "add_v1", or null.
const VhloOp* FindVhloOp(std::string_view versioned_name);

// The row of the newest revision of the same op.
const VhloOp& NewestRevision(const VhloOp& op);

// The revisions of the same op that are known: "all_reduce_v2"; "" when there are none.
std::string VhloRevisions(std::string_view versioned_name);

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_VHLO_OPS_H_
