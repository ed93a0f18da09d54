// SPDX-License-Identifier: Apache-2.0
// What most libraries include. Nothing that changes often: a change here rebuilds everything.
#ifndef PLINTH_CMAKE_PRECOMPILED_LIBRARY_H_
#define PLINTH_CMAKE_PRECOMPILED_LIBRARY_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pjrt_c_api.h"
#include "plinth/support/status.h"
#include "plinth/support/str_cat.h"

#endif  // PLINTH_CMAKE_PRECOMPILED_LIBRARY_H_
