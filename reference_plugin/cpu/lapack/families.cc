// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/lapack/families.h"

#include <algorithm>

namespace plinth::cpu {
namespace {

CallFamily LapackFamily(std::span<const LapackRow> rows, const LibraryOptions& options) {
  const auto find = [rows](std::string_view target) {
    return std::find_if(rows.begin(), rows.end(),
                        [&](const LapackRow& row) { return row.target == target; });
  };
  return {[=](std::string_view target) { return find(target) != rows.end(); },
          [=](const CustomCall& call) { return find(call.target)->prepare(call, options); }};
}

}  // namespace

std::vector<CallFamily> CpuCallFamilies(const LibraryOptions& options) {
  return {LapackFamily(LapackOrthogonalRows(), options), LapackFamily(LapackSolverRows(), options),
          LapackFamily(LapackSpectralRows(), options), FamilyOf(SparseRows())};
}

}  // namespace plinth::cpu
