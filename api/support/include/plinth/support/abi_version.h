// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry/version.toml by `python3 api/generate --write`. Do not edit.

#ifndef PLINTH_SUPPORT_ABI_VERSION_H_
#define PLINTH_SUPPORT_ABI_VERSION_H_

namespace plinth {

inline constexpr int kPjrtMajor = 0;

// The newest minor that pjrt_c_api.h declares.
inline constexpr int kPjrtDeclaredMinor = 117;

// The minor that our own plugins put into their table.
inline constexpr int kPjrtReportedMinor = 114;

// The oldest minor that a loader reads without being asked to, and the oldest that can be read.
inline constexpr int kPjrtOldestMinor = 57;
inline constexpr int kPjrtOldestReadableMinor = 28;

// Functions in the table of kPjrtDeclaredMinor.
inline constexpr int kPjrtFunctionCount = 138;

}  // namespace plinth

#endif  // PLINTH_SUPPORT_ABI_VERSION_H_
