// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// Lets code that was written for upstream's include path compile unchanged.

#include "../../../pjrt_c_api_stream_extension.h"  // IWYU pragma: export
