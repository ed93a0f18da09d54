// SPDX-License-Identifier: Apache-2.0
// A plugin of 0.109, one function short of a whole table, whose functions do nothing.
#include "pjrt_c_api.h"

static PJRT_Error* PlatformName(PJRT_Client_PlatformName_Args* args) {
  args->platform_name = "bench";
  args->platform_name_size = 5;
  return NULL;
}

static PJRT_Error* Execute(PJRT_LoadedExecutable_Execute_Args* args) { return NULL; }

static PJRT_Error* BufferFromHost(PJRT_Client_BufferFromHostBuffer_Args* args) { return NULL; }

__attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi(void) {
  static PJRT_Api api;
  api.struct_size =
      PJRT_STRUCT_SIZE(PJRT_Api, PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace);
  api.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  api.pjrt_api_version.minor_version = 109;
  api.PJRT_Client_PlatformName = PlatformName;
  api.PJRT_LoadedExecutable_Execute = Execute;
  api.PJRT_Client_BufferFromHostBuffer = BufferFromHost;
  return &api;
}
