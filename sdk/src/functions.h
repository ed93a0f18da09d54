// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_FUNCTIONS_H_
#define PLINTH_SDK_SRC_FUNCTIONS_H_

#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_gpu_extension.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"
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

// The functions of the SDK's extensions: entered like those of the table. The argument structs of
// all but one never grew.
#define PLINTH_SDK_EXTENSION_FUNCTIONS(V)              \
  V(PJRT_Layouts_MemoryLayout_Destroy)                 \
  V(PJRT_Layouts_MemoryLayout_Serialize)               \
  V(PJRT_Layouts_PJRT_Client_GetDefaultLayout)         \
  V(PJRT_Layouts_PJRT_Buffer_MemoryLayout)             \
  V(PJRT_Layouts_PJRT_Topology_GetDefaultLayout)       \
  V(PJRT_Layouts_PJRT_Executable_GetOutputLayouts)     \
  V(PJRT_Layouts_PJRT_Executable_GetParameterLayouts)  \
  V(PJRT_Shardings_PJRT_Executable_ParameterShardings) \
  V(PJRT_Shardings_PJRT_Executable_OutputShardings)    \
  V(PJRT_FFI_Type_Register)                            \
  V(PJRT_FFI_UserData_Add)                             \
  V(PJRT_FFI_Register_Handler)

#define PLINTH_SDK_DESCRIBE_SIZED(function, minimum_size) \
  template <>                                             \
  struct FunctionOf<function##_Args> {                    \
    static constexpr const char* kName = #function;       \
    static constexpr int kSince = 0;                      \
  };                                                      \
  template <>                                             \
  struct StructOf<function##_Args> {                      \
    static constexpr size_t kMinimumSize = minimum_size;  \
  };                                                      \
  namespace sdk::internal {                               \
  Status Call(function##_Args& args);                     \
  }
#define PLINTH_SDK_DESCRIBE(function) \
  PLINTH_SDK_DESCRIBE_SIZED(function, function##_Args_STRUCT_SIZE)
// One whose arguments grew by `field` and what follows.
#define PLINTH_SDK_DESCRIBE_GROWN(function, field) \
  PLINTH_SDK_DESCRIBE_SIZED(function, offsetof(function##_Args, field))
PLINTH_SDK_EXTENSION_FUNCTIONS(PLINTH_SDK_DESCRIBE)
PLINTH_SDK_DESCRIBE_GROWN(PJRT_Gpu_Register_Custom_Call, traits)
#undef PLINTH_SDK_DESCRIBE_GROWN
#undef PLINTH_SDK_DESCRIBE

}  // namespace plinth

#endif  // PLINTH_SDK_SRC_FUNCTIONS_H_
