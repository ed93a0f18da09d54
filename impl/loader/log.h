// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_LOG_H_
#define PLINTH_IMPL_LOADER_LOG_H_

#include <functional>
#include <string_view>

namespace plinth::loader {

// The numbers are those of plinth_log_level.
enum class LogLevel : int { kError = 1, kWarning = 2, kInfo = 3, kDebug = 4 };

// Where the loader says what it does; empty means nowhere. Called on the thread that loads or, by
// layers, on any thread; an implementation is thread-safe and returns soon.
using LogSink = std::function<void(LogLevel level, std::string_view message)>;

inline void Log(const LogSink& sink, LogLevel level, std::string_view message) {
  if (sink) sink(level, message);
}

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_LOG_H_
