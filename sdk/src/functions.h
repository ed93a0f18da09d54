// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_FUNCTIONS_H_
#define PLINTH_SDK_SRC_FUNCTIONS_H_

#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_gpu_extension.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"
#include "pjrt_c_api_stream_extension.h"
#include "plinth/support/args.h"
#include "plinth/support/status.h"

namespace plinth {
namespace sdk::internal {

// The body of each function of the table, told apart by its argument struct. The entry around it
// has checked that the arguments are there and as large as in the oldest accepted revision.
#define PLINTH_PJRT_FUNCTION(slot, function, since, absent, minimum_struct_size) \
  Status Call(function##_Args& args);
#include "plinth/support/abi_tables.inc"

}  // namespace sdk::internal

// The functions of the SDK's extensions, which are those with PLINTH_WITH: entered like those of
// the table.
#define PLINTH_WITH_Layouts
#define PLINTH_WITH_Shardings
#define PLINTH_WITH_FFI
#define PLINTH_WITH_Gpu_Custom_Call
#define PLINTH_WITH_Stream

#define PLINTH_PJRT_EXTENSION_FUNCTION(node, slot, function, since, minimum_struct_size) \
  template <>                                                                            \
  struct FunctionOf<function##_Args> {                                                   \
    static constexpr const char* kName = #function;                                      \
    static constexpr int kSince = since;                                                 \
  };                                                                                     \
  template <>                                                                            \
  struct StructOf<function##_Args> {                                                     \
    static constexpr size_t kMinimumSize = minimum_struct_size;                          \
  };                                                                                     \
  namespace sdk::internal {                                                              \
  Status Call(function##_Args& args);                                                    \
  }
#include "plinth/support/extension_tables.inc"

}  // namespace plinth

#endif  // PLINTH_SDK_SRC_FUNCTIONS_H_
