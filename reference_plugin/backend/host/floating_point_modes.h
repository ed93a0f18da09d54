// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_FLOATING_POINT_MODES_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_FLOATING_POINT_MODES_H_

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace plinth::backend {

// Numbers below the smallest normal one: as IEEE 754 has them, or read and written as zeros.
enum class Subnormals : uint8_t { kKept, kFlushed };

// While it lives, the calling thread computes by the rules of IEEE 754, subnormals as it is told:
// round to nearest; then as before, whatever was called meanwhile. The thread may be a framework's
// with other modes, or a pool's, which began with those of whoever started it; and foreign code may
// leave others, if only by loading a library that was built with -ffast-math. The same program has
// to give the same bits on each.
#if defined(__x86_64__)
class DefaultFloatingPoint {
 public:
  explicit DefaultFloatingPoint(Subnormals subnormals = Subnormals::kKept)
      : callers_(_mm_getcsr()) {
    const unsigned wanted = subnormals == Subnormals::kKept ? kDefault : kDefault | kFlush;
    if ((callers_ & ~kRaisedFlags) != wanted) _mm_setcsr(wanted);
  }
  ~DefaultFloatingPoint() {
    if (((_mm_getcsr() ^ callers_) & ~kRaisedFlags) != 0) _mm_setcsr(callers_);
  }
  // What the calling thread does now.
  static Subnormals Current() {
    return (_mm_getcsr() & kFlush) == kFlush ? Subnormals::kFlushed : Subnormals::kKept;
  }
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;

 private:
  static constexpr unsigned kRaisedFlags = 0x3f;
  static constexpr unsigned kDefault = 0x1f80;  // all exceptions masked
  static constexpr unsigned kFlush = 0x8040;    // results, operands
  unsigned callers_;
};
#else
class DefaultFloatingPoint {
 public:
  explicit DefaultFloatingPoint(Subnormals = Subnormals::kKept) {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatingPoint() { std::fesetenv(&callers_); }
  static Subnormals Current() { return Subnormals::kKept; }
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;

 private:
  std::fenv_t callers_;
};
#endif

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_FLOATING_POINT_MODES_H_
