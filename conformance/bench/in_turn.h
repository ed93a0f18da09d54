// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_BENCH_IN_TURN_H_
#define PLINTH_CONFORMANCE_BENCH_IN_TURN_H_

#include <functional>
#include <span>
#include <string>

#include "plinth/support/status.h"

// Two programs that do the same, timed in turn in one process: what disturbs the machine disturbs
// both, and the minimum of CPU time is hardly disturbed at all.
namespace plinth::bench {

enum class Clock {
  kCpu,   // of all threads of the process, for plugins with one thread that computes
  kWall,  // for several threads, on a machine that is quiet
};

struct Effort {
  Clock clock = Clock::kCpu;
  double seconds = 0.3;       // of each side, at least
  int calls = 30;             // of each side, at least ...
  double most_seconds = 4.0;  // ... as long as a side takes no longer than this
};

// Seconds of one call, the least there was; infinity before the first.
struct Times {
  double a, b;
  double ratio() const { return b / a; }
};

// Calls both sides in turn and lowers `times`; a side that fails ends it. Call it again to measure
// longer.
Status MeasureInTurn(const std::function<Status()>& a, const std::function<Status()>& b,
                     const Effort& effort, Times* times);

// When a change is too slow.
struct Limits {
  double program = 1.05;  // B / A of one program
  double mean = 1.01;     // geometric mean of all
};

// The geometric mean of B / A; 1 of none.
double MeanRatio(std::span<const Times> all);

}  // namespace plinth::bench

#endif  // PLINTH_CONFORMANCE_BENCH_IN_TURN_H_
