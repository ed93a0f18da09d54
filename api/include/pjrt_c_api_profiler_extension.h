// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_PROFILER_EXTENSION_H_
#define PJRT_C_API_PROFILER_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Gives the profiler's own function table; on an argument struct it carries the id of the trace
// that the call belongs to.
// Extension 1, PJRT_Extension_Type_Profiler.

#define PJRT_API_PROFILER_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

typedef struct PLUGIN_Profiler_Api PLUGIN_Profiler_Api;

// ---- The extension ------------------------------------------------------------------------------

// The extension. Gives the profiler's own function table; on an argument struct it carries the id
// of the trace that the call belongs to. [since 0.34]
struct PJRT_Profiler_Extension {
  PJRT_Extension_Base base;
  // The profiler's own table; null on argument structs. [in, since 0.45, lives for the call, if
  // absent: null]
  PLUGIN_Profiler_Api* profiler_api;
  // Id of the trace; only on argument structs. [in, since 0.45, if absent: 0]
  int64_t traceme_context_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Profiler_Extension, traceme_context_id);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_PROFILER_EXTENSION_H_
