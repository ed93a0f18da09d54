// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/lapack.h"

#include <string_view>

namespace plinth::cpu {

Expected<void*> FindLapackSymbol(const BlasOptions& options, const std::string& name) {
  constexpr std::string_view kHowTo =
      "install Debian's libopenblas0 or the PyPI wheel scipy-openblas32, or name a library in "
      "PLINTH_BLAS";
  const auto blas = OpenBlas(options);
  if (!blas.ok()) {
    return FailedPrecondition("LAPACK's ", name, " is needed: ", kHowTo, ". ",
                              blas.status().message());
  }
  void* const symbol = (*blas)->FindSymbol(name);
  if (symbol == nullptr) {
    return FailedPrecondition("LAPACK's ", name, " is needed, and ", (*blas)->path,
                              " does not have it: ", kHowTo);
  }
  return symbol;
}

}  // namespace plinth::cpu
