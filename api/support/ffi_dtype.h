// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_API_SUPPORT_FFI_DTYPE_H_
#define PLINTH_API_SUPPORT_FFI_DTYPE_H_

#include <optional>

#include "plinth/support/dtype.h"
#include "xla_ffi_c_api.h"

namespace plinth {

// Element types of the XLA FFI C API, which has numbers of its own.
// XLA_FFI_DataType_INVALID where it has none.
XLA_FFI_DataType FfiDataType(DType dtype);
// Nothing for XLA_FFI_DataType_INVALID and for numbers that it does not have.
std::optional<DType> DTypeFromFfi(XLA_FFI_DataType type);

}  // namespace plinth

#endif  // PLINTH_API_SUPPORT_FFI_DTYPE_H_
