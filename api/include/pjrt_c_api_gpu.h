// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_GPU_H_
#define PJRT_C_API_GPU_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns the plugin's table, which is never freed. The same pointer every time. [since 0.1]
const PJRT_Api* GetPjrtApi(void);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_GPU_H_
