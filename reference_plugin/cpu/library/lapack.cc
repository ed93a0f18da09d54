// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/lapack.h"

#include "reference_plugin/cpu/library/own_lapack.h"

namespace plinth::cpu::library {

Expected<void*> FindLapackSymbol(const BlasOptions& options, const std::string& name) {
  const auto blas = OpenBlas(options);
  if (blas.ok()) {
    if (void* const symbol = (*blas)->FindSymbol(name); symbol != nullptr) return symbol;
  }
  if (void* const own = FindOwnLapack(name); own != nullptr) return own;
  return FailedPrecondition(
      "LAPACK's ", name,
      " is needed: install scipy-openblas32 (PyPI) or libopenblas0 (Debian), or ",
      "name a library in PLINTH_BLAS; ",
      blas.ok() ? StrCat((*blas)->path, " does not have it") : blas.status().message());
}

}  // namespace plinth::cpu::library
