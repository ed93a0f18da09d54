#ifndef PLINTH_SDK_SRC_FUNCTIONS_H_
#define PLINTH_SDK_SRC_FUNCTIONS_H_

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

// The functions of the SDK's extensions: entered like those of the table. None of their argument
// structs ever grew.
#define PLINTH_SDK_EXTENSION_FUNCTIONS(V)              \
  V(PJRT_Layouts_MemoryLayout_Destroy)                 \
  V(PJRT_Layouts_MemoryLayout_Serialize)               \
  V(PJRT_Layouts_PJRT_Client_GetDefaultLayout)         \
  V(PJRT_Layouts_PJRT_Buffer_MemoryLayout)             \
  V(PJRT_Layouts_PJRT_Topology_GetDefaultLayout)       \
  V(PJRT_Layouts_PJRT_Executable_GetOutputLayouts)     \
  V(PJRT_Layouts_PJRT_Executable_GetParameterLayouts)  \
  V(PJRT_Shardings_PJRT_Executable_ParameterShardings) \
  V(PJRT_Shardings_PJRT_Executable_OutputShardings)

#define PLINTH_SDK_DESCRIBE(function)                                   \
  template <>                                                           \
  struct FunctionOf<function##_Args> {                                  \
    static constexpr const char* kName = #function;                     \
    static constexpr int kSince = 0;                                    \
  };                                                                    \
  template <>                                                           \
  struct StructOf<function##_Args> {                                    \
    static constexpr size_t kMinimumSize = function##_Args_STRUCT_SIZE; \
  };                                                                    \
  namespace sdk::internal {                                             \
  Status Call(function##_Args& args);                                   \
  }
PLINTH_SDK_EXTENSION_FUNCTIONS(PLINTH_SDK_DESCRIBE)
#undef PLINTH_SDK_DESCRIBE

}  // namespace plinth

#endif  // PLINTH_SDK_SRC_FUNCTIONS_H_
