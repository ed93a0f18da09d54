// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/lapack/families.h"

#include <algorithm>

namespace plinth::cpu::lapack {
namespace {

backend::CallFamily LapackFamily(std::span<const LapackRow> rows,
                                 const library::LibraryOptions& options) {
  const auto find = [rows](std::string_view target) {
    return std::find_if(rows.begin(), rows.end(),
                        [&](const LapackRow& row) { return row.target == target; });
  };
  return {
      [=](std::string_view target) { return find(target) != rows.end(); },
      [=](const backend::CustomCall& call) { return find(call.target)->prepare(call, options); }};
}

}  // namespace

std::vector<backend::CallFamily> CpuCallFamilies(const library::LibraryOptions& options) {
  return {LapackFamily(LapackOrthogonalRows(), options), LapackFamily(LapackSolverRows(), options),
          LapackFamily(LapackSpectralRows(), options), backend::FamilyOf(SparseRows())};
}

}  // namespace plinth::cpu::lapack
