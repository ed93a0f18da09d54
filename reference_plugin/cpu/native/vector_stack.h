// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_VECTOR_STACK_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_VECTOR_STACK_H_

#include <algorithm>
#include <cstdint>

#include "reference_plugin/cpu/emit/assembler.h"
#include "reference_plugin/cpu/native/lanes.h"

namespace plinth::cpu::native {

// Vectors on the stack: one for each register of a phase's points, or one for all points.
struct Row {
  int32_t place = 0;  // of the first, behind rsp
  bool is_one = false;

  Xbyak::Address Vector(int64_t number) const {
    return Xbyak::util::ptr[Xbyak::util::rsp + place + static_cast<int32_t>(number) * kVectorBytes];
  }
};

// Gives places on the stack of a loop, from `first` bytes behind rsp on.
class VectorStack {
 public:
  explicit VectorStack(int32_t first) : next_(first), end_(first) {}

  Xbyak::Address NewVector() { return Row{Reserve(1)}.Vector(0); }
  Row NewRow(int64_t points) { return {Reserve((points + kLanes - 1) / kLanes), points == 1}; }

  // Where the next vector lies. Going back gives up all that came since.
  int32_t next() const { return next_; }
  void GoBackTo(int32_t next) { next_ = next; }
  // Behind all that was ever given.
  int32_t end() const { return end_; }

 private:
  int32_t Reserve(int64_t vectors) {
    const int32_t place = next_;
    next_ += static_cast<int32_t>(vectors) * kVectorBytes;
    end_ = std::max(end_, next_);
    return place;
  }

  int32_t next_, end_;
};

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_VECTOR_STACK_H_
