// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/lapack/families.h"

namespace plinth::cpu::lapack {
std::vector<backend::CallFamily> CpuCallFamilies(const library::LibraryOptions& options) {
  return {backend::FamilyOf(LapackOrthogonalRows(), options),
          backend::FamilyOf(LapackSolverRows(), options),
          backend::FamilyOf(LapackSpectralRows(), options), backend::FamilyOf(SparseRows()),
          UntypedFamily(options)};
}

}  // namespace plinth::cpu::lapack
