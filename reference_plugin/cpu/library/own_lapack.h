// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_OWN_LAPACK_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_OWN_LAPACK_H_

#include <string_view>

namespace plinth::cpu::library {

// The routines that the common factorizations need (Cholesky, LU, QR, triangular systems), for
// where there is no OpenBLAS: correct and as careful as LAPACK's about overflow, on one thread, and
// slower for large matrices. For s, d, c and z: potrf, getrf, laswp, trsm, geqrf, orgqr (ungqr),
// gemm, syrk (herk). Signatures, results and info are those of the Fortran routines; arguments are
// not checked. Null for any other name ("dgesdd_"). Any thread.
void* FindOwnLapack(std::string_view name);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_OWN_LAPACK_H_
