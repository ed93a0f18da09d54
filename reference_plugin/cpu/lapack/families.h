// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LAPACK_FAMILIES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LAPACK_FAMILIES_H_

#include <span>
#include <vector>

#include "reference_plugin/backend/calls/table.h"
#include "reference_plugin/cpu/lapack/lapack_call.h"
#include "reference_plugin/cpu/library/library.h"

namespace plinth::cpu::lapack {

// The custom calls that the CPU has beside those of any back end: LAPACK and sparse products.
std::vector<backend::CallFamily> CpuCallFamilies(const library::LibraryOptions& options);

// Each in the file of its name.
std::span<const LapackRow> LapackOrthogonalRows();
std::span<const LapackRow> LapackSolverRows();
std::span<const LapackRow> LapackSpectralRows();
std::span<const backend::CustomCallRow> SparseRows();
backend::CallFamily UntypedFamily(const library::LibraryOptions& options);

}  // namespace plinth::cpu::lapack

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LAPACK_FAMILIES_H_
