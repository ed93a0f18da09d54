// SPDX-License-Identifier: Apache-2.0
#include "conformance/bench/in_turn.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace plinth::bench {
namespace {

double Seconds(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The system counts the time of a thread that runs elsewhere when it stops. After this time the
// threads of a pool that look for more work, as most do, are parked.
constexpr auto kPause = std::chrono::microseconds(100);

// Less than a thread takes to wake and stop, and more than two clocks differ by.
constexpr double kNobody = 1.5e-6;

// Short calls follow each other, so that each side has its data in the cache.
constexpr double kTurnSeconds = 1e-3;

class Side {
 public:
  Side(const std::function<Status()>& run, Clock clock, double* least)
      : run_(run), clock_(clock), least_(least) {}

  Status TakeTurn() {
    double spent = 0;
    do {
      PLINTH_ASSIGN_OR_RETURN(const double took, clock_ == Clock::kCpu ? RunCpu() : RunWall());
      spent += took;
      ++calls_;
      *least_ = std::min(*least_, took);
    } while (spent < kTurnSeconds);
    seconds_ += spent;
    return Status();
  }

  bool IsDone(const Effort& effort) const {
    return seconds_ >= effort.seconds &&
           (calls_ >= effort.calls || seconds_ >= effort.most_seconds);
  }

 private:
  Expected<double> RunWall() const {
    const double start = Seconds(CLOCK_MONOTONIC);
    PLINTH_RETURN_IF_ERROR(run_());
    return Seconds(CLOCK_MONOTONIC) - start;
  }

  // This thread's time, and that of others once they have stopped.
  Expected<double> RunCpu() {
    const double all = Seconds(CLOCK_PROCESS_CPUTIME_ID), own = Seconds(CLOCK_THREAD_CPUTIME_ID);
    const double start = Seconds(CLOCK_MONOTONIC);
    PLINTH_RETURN_IF_ERROR(run_());
    const double wall = Seconds(CLOCK_MONOTONIC) - start;
    const double own_run = Seconds(CLOCK_THREAD_CPUTIME_ID) - own;
    // Programs that run here need no pause; whether they do is asked now and then, and where this
    // thread waited.
    if (!has_helpers_ && calls_ % 64 != 0 && own_run > wall / 2) return own_run;
    std::this_thread::sleep_for(kPause);
    const double own_all = Seconds(CLOCK_THREAD_CPUTIME_ID) - own;
    const double others = Seconds(CLOCK_PROCESS_CPUTIME_ID) - all - own_all;
    has_helpers_ = others > kNobody || others > own_run;
    return own_run + (has_helpers_ ? others : 0);
  }

  const std::function<Status()>& run_;
  const Clock clock_;
  double* const least_;
  double seconds_ = 0;
  int calls_ = 0;
  bool has_helpers_ = true;
};

}  // namespace

Status MeasureInTurn(const std::function<Status()>& a, const std::function<Status()>& b,
                     const Effort& effort, Times* times) {
  Side side_a(a, effort.clock, &times->a), side_b(b, effort.clock, &times->b);
  while (!side_a.IsDone(effort) || !side_b.IsDone(effort)) {
    PLINTH_RETURN_IF_ERROR(side_a.TakeTurn().WithContext("A"));
    PLINTH_RETURN_IF_ERROR(side_b.TakeTurn().WithContext("B"));
  }
  return Status();
}

double MeanRatio(std::span<const Times> all) {
  double sum = 0;
  for (const Times& times : all) sum += std::log(times.ratio());
  return all.empty() ? 1 : std::exp(sum / static_cast<double>(all.size()));
}

}  // namespace plinth::bench
