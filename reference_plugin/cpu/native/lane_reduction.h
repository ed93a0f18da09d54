// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANE_REDUCTION_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANE_REDUCTION_H_

#include <cstdint>

#include "reference_plugin/cpu/native/lane_values.h"
#include "reference_plugin/cpu/native/vector_stack.h"

namespace plinth::cpu::native {

// Combines the points of a kernel to one, in the order that its step keeps.
class LaneReduction {
 public:
  // `opcode` combines elements of the type.
  LaneReduction(compiler::Opcode opcode, DType type, VectorCode& vector, LaneValues& values)
      : opcode_(opcode), type_(type), vector_(vector), values_(values) {}

  // The row of so many points becomes its first vector. Unlocks all registers.
  void FoldRow(const Row& row, int64_t points);
  // The first lane becomes that of all combined. The other registers are overwritten.
  void FoldLanes(Vec sum, Vec moved, Vec combined);
  // dst = the initial value with the sum, in the order in which the op answers one of two NaNs.
  void AddInitial(Vec dst, Vec initial, Vec sum);

 private:
  void CombineVectors(const Row& row, int64_t to, int64_t from, int64_t lanes);

  const compiler::Opcode opcode_;
  const DType type_;
  VectorCode& vector_;
  LaneValues& values_;
};

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANE_REDUCTION_H_
