// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_NPY_H_
#define PLINTH_IMPL_CLI_NPY_H_

#include <optional>
#include <string>

#include "plinth/client/host_array.h"
#include "plinth/support/status.h"

namespace plinth::cli {

// NumPy's file format, versions 1 to 3. Files are not trusted: sizes are checked against the file
// before anything is allocated.

// Reads one array, row-major whatever its order and byte order in the file. `as` names the type of
// files whose bytes NumPy has no name for (bf16, f8: "V1", "V2") or of integers of that size.
// NOT_FOUND for no file, INVALID_ARGUMENT for what is no such file, with the reason.
Expected<client::HostArray> ReadNpy(const std::string& path,
                                    std::optional<DType> as = std::nullopt);

// Writes version 1 (2 for a long header), through a temporary file beside it, so that a failure
// leaves an older file as it was; links stay, and pipes and devices are written themselves. Types
// that NumPy has no name for are written as ml_dtypes does, as raw bytes; integers of less than a
// byte as int8 and uint8.
Status WriteNpy(const std::string& path, const client::HostArray& array);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_NPY_H_
