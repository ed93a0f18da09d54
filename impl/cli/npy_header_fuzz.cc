// SPDX-License-Identifier: Apache-2.0
// Headers of npy files and shapes of literals: no input crashes, hangs or takes much memory, and
// what was read reads the same again after it was written.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "impl/cli/literal.h"
#include "impl/cli/npy_header.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)plinth::cli::ParseShape(text);
  (void)plinth::cli::IsLiteral(text);
  const auto header = plinth::cli::ParseNpyHeader(text);
  if (!header.ok()) return 0;
  // Quotes and line ends are not written by NumPy into a descr.
  if (header->descr.find_first_of("'\"\n") != std::string::npos) return 0;
  const auto again = plinth::cli::ParseNpyHeader(plinth::cli::NpyHeaderText(*header));
  if (!again.ok() || again->descr != header->descr || again->shape != header->shape ||
      again->fortran_order != header->fortran_order) {
    std::abort();
  }
  return 0;
}
