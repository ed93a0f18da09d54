// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_NPY_HEADER_H_
#define PLINTH_IMPL_CLI_NPY_HEADER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"

namespace plinth::cli {

// The dictionary at the beginning of an npy file.
struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// Reads a literal of Python as NumPy writes it: {'descr': '<f4', 'fortran_order': False, 'shape':
// (2, 3), }. The three keys in any order, each once. INVALID_ARGUMENT for everything else.
Expected<NpyHeader> ParseNpyHeader(std::string_view text);

// The same dictionary, without padding.
std::string NpyHeaderText(const NpyHeader& header);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_NPY_HEADER_H_
